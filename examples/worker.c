/*
 * A worker that runs as long as it holds its lock.
 *
 *     cc -std=c11 -o worker worker.c $(pkg-config --cflags --libs holdfast)
 *     ./worker PLACE NAME
 *
 * Waits for the lock however long it takes, then does one piece of work after
 * the other.  It stops when the lock is lost, and when it is interrupted: while
 * it waits by giving up the wait, while it works after the piece at hand.
 * Either way nothing is left behind.
 *
 * One thread, and one place where it waits: for notices of the client, which
 * have a descriptor as a socket has, and for signals.
 */
#define _POSIX_C_SOURCE 200809L /* with -std=c11 */

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <sys/select.h>
#include <time.h>

#include <holdfast/holdfast.h>

static volatile sig_atomic_t interrupted;
static sigset_t listening; /* the signals that are blocked while it listens */

static void
on_interrupt(int number)
{
    (void)number;
    interrupted = 1;
}

/* From here on the signals come in listen_for_news, and nowhere else: so none
 * is missed between a look at `interrupted` and the wait. */
static void
block_signals(void)
{
    struct sigaction action = {.sa_handler = on_interrupt};
    sigset_t signals;

    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigprocmask(SIG_BLOCK, &signals, &listening);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

/* All the news there is, as bits; with no limit (NULL) wait for some. */
static unsigned
listen_for_news(struct hf_client *client, const struct timespec *limit)
{
    int fd = hf_client_fd(client);
    const struct hf_notice *notice;
    unsigned news = 0;
    fd_set readable;

    FD_ZERO(&readable);
    FD_SET(fd, &readable);
    pselect(fd + 1, &readable, NULL, NULL, limit, &listening);
    while ((notice = hf_client_next(client)) != NULL)
        news |= hf_notice_news(notice);
    return news;
}

static void
say_holder(const struct hf_lock *lock)
{
    struct hf_view *seen = hf_lock_view(lock);

    printf("waiting for %s@%s\n", hf_view_text(seen, HF_FIELD_USER),
           hf_view_text(seen, HF_FIELD_HOST));
    hf_view_free(seen);
}

static void
wait_for_turn(struct hf_client *client, struct hf_lock *lock)
{
    while (hf_lock_state(lock) == HF_STATE_WAITING) {
        if ((listen_for_news(client, NULL) & HF_NEWS_HOLDER) != 0)
            say_holder(lock);
        if (interrupted)
            hf_lock_cancel(lock);
    }
}

static void
do_one_piece(void)
{
    /* Here stands something that takes a tenth of a second. */
    nanosleep(&(struct timespec){.tv_nsec = 100000000L}, NULL);
}

/* The exit code of the work. */
static int
work(struct hf_client *client, const struct hf_lock *lock)
{
    static const struct timespec now = {0};
    unsigned pieces = 0;

    printf("working with fence %" PRIu64 "\n", hf_lock_fence(lock));
    while (!interrupted && hf_lock_check(lock) == HF_GRANTED) {
        do_one_piece();
        pieces++;
        (void)listen_for_news(client, &now);
    }
    if (!interrupted) {
        printf("lost after %u pieces\n", pieces);
        return hf_outcome_exit(HF_LOST);
    }
    printf("interrupted after %u pieces\n", pieces);
    return 0;
}

/* Why there is nothing to do: the exit code. */
static int
say_why(const struct hf_lock *lock)
{
    struct hf_error error;

    if (hf_lock_error(lock, &error) != HF_OK) {
        fprintf(stderr, "worker: %s\n", error.text);
        return hf_status_exit(error.status);
    }
    fprintf(stderr, "worker: %s\n", hf_outcome_word(hf_lock_check(lock)));
    return hf_outcome_exit(hf_lock_check(lock));
}

int
main(int argc, char **argv)
{
    struct hf_client *client = NULL;
    struct hf_lock *lock = NULL;
    struct hf_error error;
    int code;

    if (argc != 3) {
        fprintf(stderr, "usage: worker PLACE NAME\n");
        return 64;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    block_signals();

    if (hf_client_new(NULL, &client, &error) != HF_OK ||
        hf_client_open(client, argv[1], &error) != HF_OK ||
        hf_lock_new(client, argv[2], &lock, &error) != HF_OK ||
        hf_lock_set(lock, HF_WAIT, "forever", &error) != HF_OK ||
        hf_lock_start(lock, &error) != HF_OK) {
        fprintf(stderr, "worker: %s\n", error.text);
        code = hf_status_exit(error.status);
    } else {
        wait_for_turn(client, lock);
        code = hf_lock_state(lock) == HF_STATE_HELD ? work(client, lock)
                                                    : say_why(lock);
    }
    hf_lock_free(lock); /* gives it back, which the close waits for */
    hf_client_close(client, HF_FOREVER);
    return code;
}

/*
 * A worker that runs as long as it holds its lock.
 *
 *     worker PLACE NAME
 *
 * Waits for the lock however long it takes, then does one piece of work after
 * the other.  It stops when the lock is lost, which the library tells it, and
 * when it is interrupted: while it waits by giving up the wait, while it works
 * after the piece at hand.  Either way nothing is left behind.
 */
#define _POSIX_C_SOURCE 200809L /* with -std=c11 */

#include <inttypes.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

#include <holdfast/holdfast.h>

/* A signal handler has no argument of ours, hence these two. */
static volatile sig_atomic_t interrupted;
static struct hf_cancel *interrupt;

static void
on_interrupt(int number)
{
    (void)number;
    interrupted = 1;
    hf_cancel(interrupt); /* may be called in a handler; twice does no harm */
}

struct shift {
    atomic_bool lost;
    bool waited;
};

/* On the client's beating thread: note it, and be quick. */
static void
on_news(void *ctx, struct hf_lock *lock, enum hf_news news)
{
    struct shift *shift = ctx;

    (void)lock;
    if (news == HF_NEWS_LOST)
        atomic_store(&shift->lost, true);
}

/* On the thread that waits, at least once a second. */
static void
on_waiting(void *ctx, const struct hf_diagnosis *seen)
{
    struct shift *shift = ctx;

    if (!shift->waited && seen->record.exists)
        printf("waiting for %s@%s\n", seen->record.user, seen->record.host);
    shift->waited = seen->record.exists;
}

static void
do_one_piece(void)
{
    /* Here stands something that takes a tenth of a second. */
    nanosleep(&(struct timespec){.tv_nsec = 100000000L}, NULL);
}

/* The exit code of the work. */
static int
work(struct hf_lock *lock, struct shift *shift)
{
    unsigned pieces = 0;

    printf("working with fence %" PRIu64 "\n", hf_fence(lock));
    while (!interrupted && !atomic_load(&shift->lost) &&
           hf_check(lock) == HF_GRANTED) {
        do_one_piece();
        pieces++;
    }
    if (!interrupted) {
        printf("lost after %u pieces\n", pieces);
        return hf_outcome_exit(HF_LOST);
    }
    printf("interrupted after %u pieces\n", pieces);
    return 0;
}

/* Hold, work, release. */
static int
serve(struct hf_client *client, const char *name)
{
    struct shift shift = {0};
    struct hf_acquired acquired = {0};
    struct hf_error error = {0};
    struct hf_acquire_options options = {
        .limit = HF_FOREVER,
        .on_news = on_news,
        .on_waiting = on_waiting,
        .ctx = &shift,
        .cancel = interrupt,
    };
    enum hf_status status;
    int code;

    status = hf_acquire(client, name, &options, &acquired, &error);
    if (status == HF_OK && acquired.outcome != HF_GRANTED) {
        fprintf(stderr, "worker: %s\n", hf_outcome_word(acquired.outcome));
        return hf_outcome_exit(acquired.outcome);
    }
    if (status == HF_OK) {
        code = work(acquired.lock, &shift);
        status = hf_release(acquired.lock, NULL, &error);
        if (status == HF_OK)
            return code;
    }
    fprintf(stderr, "worker: %s\n", error.text);
    return hf_status_exit(status);
}

int
main(int argc, char **argv)
{
    struct sigaction action = {.sa_handler = on_interrupt};
    struct hf_client *client = NULL;
    struct hf_error error = {0};
    enum hf_status status;
    int code;

    if (argc != 3) {
        fprintf(stderr, "usage: worker PLACE NAME\n");
        return 64;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);

    status = hf_cancel_open(&interrupt);
    if (status != HF_OK)
        return hf_status_exit(status);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);

    status = hf_open(argv[1], NULL, &client, &error);
    if (status == HF_OK) {
        code = serve(client, argv[2]);
    } else {
        fprintf(stderr, "worker: %s\n", error.text);
        code = hf_status_exit(status);
    }
    hf_close(client);
    hf_cancel_close(interrupt);
    return code;
}

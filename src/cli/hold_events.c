#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alarm.h"
#include "base/fd.h"
#include "hold_state.h"
#include "say.h"

/* Then we say what a stop still waits for; and at least so often, again. */
static const struct hf_duration patience = {500};
static const struct hf_duration pause_max = {60 * 1000};

static void
on_message(struct hf_hold *h, const struct hf_guard_link_message *message)
{
    switch (message->word) {
    case HF_GUARD_LINK_STARTED:
        h->descendants.group = message->pid;
        break;
    case HF_GUARD_LINK_ENDING:
    case HF_GUARD_LINK_LEFT:
        hf_hold_words_guard_now(h, message);
        break;
    case HF_GUARD_LINK_DONE:
        h->done = true;
        h->end = *message;
        break;
    case HF_GUARD_LINK_GRANT:
    case HF_GUARD_LINK_SIGNAL:
    case HF_GUARD_LINK_END:
        break; /* ours to send */
    }
}

static void
take_messages(struct hf_hold *h)
{
    struct hf_guard_link_message message;

    while (!h->guard_hung_up &&
           hf_guard_link_receive(h->link.holdfast_end, &message,
                                 &h->guard_hung_up))
        on_message(h, &message);
}

bool
hf_hold_events_reap(struct hf_hold *h)
{
    for (;;) {
        pid_t pid = waitpid(-1, NULL, WNOHANG);

        if (pid < 0 && errno == EINTR)
            continue;
        if (pid <= 0)
            return pid == 0;
        if (pid == h->guard) {
            h->guard_over = true;
            take_messages(h); /* its last words came before its end */
        }
    }
}

/* Only a shell cares by what, and only for these two. */
static _Noreturn void
leave_by(int signal)
{
    if (signal == SIGINT || signal == SIGQUIT)
        hf_hold_events_die(signal, HF_HOLD_DEATH_ALONE);
    _exit(HF_EXIT_SIGNAL + signal);
}

/* Nothing is running: the first gives up in good order, the second at once. */
static void
on_stop_signal(struct hf_hold *h, int signal)
{
    h->stops++;
    if (h->stop_signal == 0)
        h->stop_signal = signal;
    if (h->stops == 1) {
        h->say_stop_at = hf_after(hf_now(), patience);
        if (h->stage == HF_HOLD_CLAIMING) {
            atomic_store(&h->stopping, true);
            hf_cancel(h->cancel);
        }
        return;
    }
    h->abandoned = true;
    if (h->cancel != NULL)
        hf_cancel_abandon(h->cancel);
    if (h->stage == HF_HOLD_CLAIMING && !atomic_load(&h->opened))
        leave_by(signal); /* the place does not even open, so nothing can have
                             been claimed */
}

static void
on_signal(struct hf_hold *h, int signal)
{
    bool stop = signal == SIGTERM || signal == SIGINT || signal == SIGHUP ||
                signal == SIGQUIT;

    (void)sigaddset(&h->heard, signal);
    if (signal == SIGCHLD)
        (void)hf_hold_events_reap(h);
    else if (h->stage == HF_HOLD_HOLDING)
        (void)hf_guard_link_send(
            h->link.holdfast_end,
            &(struct hf_guard_link_message){.word = HF_GUARD_LINK_SIGNAL,
                                            .number = signal});
    else if (stop && sigismember(&h->ignored, signal) != 1)
        on_stop_signal(h, signal);
}

void
hf_hold_events_wait(struct hf_hold *h, struct hf_instant until)
{
    struct signalfd_siginfo info;
    uint64_t count;
    struct pollfd fds[] = {
        {.fd = h->signals, .events = POLLIN},
        {.fd = h->guard_hung_up ? -1 : h->link.holdfast_end, .events = POLLIN},
        {.fd = h->news, .events = POLLIN},
        {.fd = h->background_runs ? h->background.over_fd : -1,
         .events = POLLIN},
        {.fd = h->alarm, .events = POLLIN},
    };

    hf_alarm_set(h->alarm, hf_earlier(until, h->say_stop_at));
    (void)poll(fds, sizeof(fds) / sizeof(fds[0]), -1);
    take_messages(h);
    while (read(h->signals, &info, sizeof(info)) == (ssize_t)sizeof(info))
        on_signal(h, (int)info.ssi_signo);
    (void)!read(h->news, &count, sizeof(count));
    if (hf_reached(hf_now(), h->say_stop_at)) {
        h->say_stop_at = hf_after(hf_now(), h->say_stop_pause);
        h->say_stop_pause.ms *= 2;
        if (h->say_stop_pause.ms > pause_max.ms)
            h->say_stop_pause = pause_max;
        hf_hold_words_stopping_now(h);
    }
}

bool
hf_hold_events_block(struct hf_hold *h)
{
    static const int heard[] = {SIGTERM, SIGINT,   SIGHUP,  SIGQUIT, SIGUSR1,
                                SIGUSR2, SIGWINCH, SIGCONT, SIGCHLD};
    struct sigaction usual = {.sa_handler = SIG_DFL};
    struct sigaction before;
    sigset_t signals;

    sigemptyset(&signals);
    for (size_t i = 0; i < sizeof(heard) / sizeof(heard[0]); i++) {
        sigaddset(&signals, heard[i]);
        if (sigaction(heard[i], NULL, &before) == 0 &&
            before.sa_handler == SIG_IGN)
            sigaddset(&h->ignored, heard[i]);
    }

    /* Ignored, SIGCHLD would hide how our children end. */
    if (sigaction(SIGCHLD, &usual, &before) != 0)
        return false;
    h->terms.child_ignored = before.sa_handler == SIG_IGN;
    if (sigprocmask(SIG_BLOCK, &signals, &h->terms.signals) != 0)
        return false;
    h->signals = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);

    /* A reader of stderr that left must not end a holder, nor a limit on the
     * size of files: then the write fails, and says so. */
    sigaddset(&signals, SIGPIPE);
    sigaddset(&signals, SIGXFSZ);
    return h->signals >= 0 && sigprocmask(SIG_BLOCK, &signals, NULL) == 0;
}

void
hf_hold_events_let_end(const struct hf_hold *h)
{
    static const int ends[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT};
    sigset_t signals;

    sigemptyset(&signals);
    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
        if (sigismember(&h->terms.signals, ends[i]) == 0)
            sigaddset(&signals, ends[i]);
    }
    (void)pthread_sigmask(SIG_UNBLOCK, &signals, NULL);
}

void
hf_hold_events_die(int signal, enum hf_hold_death death)
{
    struct sigaction usual = {.sa_handler = SIG_DFL};
    const struct rlimit none = {0};
    sigset_t one;

    (void)setrlimit(RLIMIT_CORE, &none); /* what QUIT shows is no fault */
    (void)sigaction(signal, &usual, NULL);
    sigemptyset(&one);
    sigaddset(&one, signal);
    (void)kill(death == HF_HOLD_DEATH_OF_GROUP ? 0 : getpid(), signal);
    (void)pthread_sigmask(SIG_UNBLOCK, &one, NULL);
    _exit(HF_EXIT_SIGNAL + signal); /* the first of a pid namespace lives on */
}

bool
hf_hold_events_open(struct hf_hold *h)
{
    h->alarm = hf_alarm_open();
    h->news = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return h->alarm >= 0 && h->news >= 0;
}

void
hf_hold_events_close(struct hf_hold *h)
{
    hf_fd_close(&h->signals);
    hf_fd_close(&h->news);
    hf_fd_close(&h->alarm);
}

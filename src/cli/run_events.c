#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alarm.h"
#include "base/fd.h"
#include "run_state.h"
#include "say.h"

/* Then we say what a stop still waits for; and at least so often, again. */
static const struct hf_duration patience = {500};
static const struct hf_duration pause_max = {60 * 1000};

/* Does anything of the command still write to stderr, or has it? */
static void
note_others(const struct hf_run *run)
{
    enum hf_guard_link_end end = run->end.end;

    if (end == HF_GUARD_LINK_LATE || end == HF_GUARD_LINK_REFUSED)
        hf_say_others(HF_SAY_ALONE);
    else if (!run->let_go)
        hf_say_others(HF_SAY_AFTER);
}

static void
on_message(struct hf_run *run, const struct hf_guard_link_message *message)
{
    switch (message->word) {
    case HF_GUARD_LINK_STARTED:
        run->descendants.group = message->pid;
        break;
    case HF_GUARD_LINK_ENDING:
    case HF_GUARD_LINK_LEFT:
        run->let_go = message->let_go;
        hf_run_words_guard_now(run, message);
        break;
    case HF_GUARD_LINK_DONE:
        run->done = true;
        run->end = *message;
        note_others(run);
        break;
    case HF_GUARD_LINK_GRANT:
    case HF_GUARD_LINK_SIGNAL:
    case HF_GUARD_LINK_END:
        break; /* ours to send */
    }
}

static void
take_messages(struct hf_run *run)
{
    struct hf_guard_link_message message;

    while (!run->guard_hung_up &&
           hf_guard_link_receive(run->link.holdfast_end, &message,
                                 &run->guard_hung_up))
        on_message(run, &message);
}

bool
hf_run_events_reap(struct hf_run *run)
{
    for (;;) {
        pid_t pid = waitpid(-1, NULL, WNOHANG);

        if (pid < 0 && errno == EINTR)
            continue;
        if (pid <= 0)
            return pid == 0;
        if (pid == run->guard) {
            run->guard_over = true;
            take_messages(run); /* its last words came before its end */
        }
    }
}

/* Only a shell cares by what, and only for these two. */
void
hf_run_events_leave(int signal)
{
    if (signal == SIGINT || signal == SIGQUIT)
        hf_run_events_die(signal, HF_RUN_DEATH_ALONE);
    _exit(HF_EXIT_SIGNAL + signal);
}

static bool
is_stop(int signal)
{
    return signal == SIGTERM || signal == SIGINT || signal == SIGHUP ||
           signal == SIGQUIT;
}

bool
hf_run_events_stops(const struct hf_run *run, int signal)
{
    return is_stop(signal) && sigismember(&run->ignored, signal) != 1;
}

bool
hf_run_events_stopped(const struct hf_run *run)
{
    int status = run->end.number;
    bool typed = run->end.had_terminal && WIFSIGNALED(status) &&
                 is_stop(WTERMSIG(status));

    for (int signal = 1; signal < NSIG; signal++) {
        if (is_stop(signal) && sigismember(&run->heard, signal) == 1)
            return true;
    }
    return typed;
}

/* Nothing is running: the first gives up in good order, the second at once. */
void
hf_run_events_stop(struct hf_run *run, int signal)
{
    (void)sigaddset(&run->heard, signal);
    run->stops++;
    if (run->stop_signal == 0)
        run->stop_signal = signal;
    if (run->stops > 1) {
        run->abandoned = true;
        hf_lock_abandon(run->lock);
        return;
    }
    run->say_stop_at = hf_after(hf_now(), patience);
    if (run->stage == HF_RUN_CLAIMING)
        hf_lock_cancel(run->lock);
}

static void
on_signal(struct hf_run *run, int signal)
{
    bool runs = run->stage == HF_RUN_HOLDING || run->stage == HF_RUN_KILLING;

    (void)sigaddset(&run->heard, signal);
    if (signal == SIGCHLD)
        (void)hf_run_events_reap(run);
    else if (runs)
        (void)hf_guard_link_send(
            run->link.holdfast_end,
            &(struct hf_guard_link_message){.word = HF_GUARD_LINK_SIGNAL,
                                            .number = signal});
    else if (hf_run_events_stops(run, signal))
        hf_run_events_stop(run, signal);
}

/* That the lock has news is all that a notice is for: how it stands is asked
 * at each turn of the loop. */
static void
take_notices(struct hf_run *run)
{
    while (hf_client_next(run->client) != NULL)
        run->look_at = (struct hf_instant){INT64_MIN};
}

static void
say_stopping(struct hf_run *run)
{
    run->say_stop_at = hf_after(hf_now(), run->say_stop_pause);
    run->say_stop_pause.ms *= 2;
    if (run->say_stop_pause.ms > pause_max.ms)
        run->say_stop_pause = pause_max;
    hf_run_words_stopping_now(run);
}

void
hf_run_events_wait(struct hf_run *run, struct hf_instant until)
{
    struct signalfd_siginfo info;
    struct pollfd fds[] = {
        {.fd = hf_client_fd(run->client), .events = POLLIN},
        {.fd = run->guard_hung_up ? -1 : run->link.holdfast_end,
         .events = POLLIN},
        {.fd = run->signals, .events = POLLIN},
        {.fd = run->alarm, .events = POLLIN},
    };

    hf_alarm_set(run->alarm, hf_earlier(until, run->say_stop_at));
    (void)poll(fds, sizeof(fds) / sizeof(fds[0]), -1);
    take_notices(run);
    take_messages(run);
    while (read(run->signals, &info, sizeof(info)) == (ssize_t)sizeof(info))
        on_signal(run, (int)info.ssi_signo);
    if (hf_reached(hf_now(), run->say_stop_at))
        say_stopping(run);
}

bool
hf_run_events_block(struct hf_run *run)
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
            sigaddset(&run->ignored, heard[i]);
    }

    /* Ignored, SIGCHLD would hide how our children end. */
    if (sigaction(SIGCHLD, &usual, &before) != 0)
        return false;
    run->guard_terms.child_ignored = before.sa_handler == SIG_IGN;
    if (sigprocmask(SIG_BLOCK, &signals, &run->guard_terms.signals) != 0)
        return false;
    run->signals = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);

    /* A reader of stderr that left must not end a holder, nor a limit on the
     * size of files: then the write fails, and says so. */
    sigaddset(&signals, SIGPIPE);
    sigaddset(&signals, SIGXFSZ);
    return run->signals >= 0 && sigprocmask(SIG_BLOCK, &signals, NULL) == 0;
}

void
hf_run_events_let_end(const struct hf_run *run)
{
    static const int ends[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT};
    sigset_t signals;

    sigemptyset(&signals);
    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
        if (sigismember(&run->guard_terms.signals, ends[i]) == 0)
            sigaddset(&signals, ends[i]);
    }
    (void)pthread_sigmask(SIG_UNBLOCK, &signals, NULL);
}

void
hf_run_events_die(int signal, enum hf_run_death death)
{
    struct sigaction usual = {.sa_handler = SIG_DFL};
    const struct rlimit none = {0};
    sigset_t one;

    (void)setrlimit(RLIMIT_CORE, &none); /* what QUIT shows is no fault */
    (void)sigaction(signal, &usual, NULL);
    sigemptyset(&one);
    sigaddset(&one, signal);
    (void)kill(death == HF_RUN_DEATH_OF_GROUP ? 0 : getpid(), signal);
    (void)pthread_sigmask(SIG_UNBLOCK, &one, NULL);
    _exit(HF_EXIT_SIGNAL + signal); /* the first of a pid namespace lives on */
}

bool
hf_run_events_open(struct hf_run *run)
{
    run->alarm = hf_alarm_open();
    return run->alarm >= 0;
}

void
hf_run_events_close(struct hf_run *run)
{
    hf_fd_close(&run->signals);
    hf_fd_close(&run->alarm);
}

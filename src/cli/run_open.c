#include <errno.h>
#include <signal.h>
#include <sys/time.h>

#include "run_state.h"
#include "say.h"

/*
 * Opening is the one call that nothing else can be waited for with.  So what
 * the loop hears by descriptors is heard by handlers meanwhile: the signals to
 * stop, and that it takes long.
 */

enum { LONG_MS = 500 };

/* So many of these after the first signal to stop we end by ourselves. */
enum { STOP_PAUSES = 4 };

static const int stops[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT};
enum { STOPS = sizeof(stops) / sizeof(stops[0]) };

/* The handlers': there is one run in a process. */
static struct {
    const struct hf_text *takes_long; /* to be said once, as the other */
    const struct hf_text *stopping;
    volatile sig_atomic_t stop;   /* the first signal to stop; 0: none */
    volatile sig_atomic_t pauses; /* since then */
} heard;

static void
on_stop(int signal)
{
    if (heard.stop != 0) /* nothing can have been claimed */
        hf_run_events_leave(signal);
    heard.stop = signal;
}

/* Each time that it has taken so long again. */
static void
on_time(int signal)
{
    int error = errno; /* of what the signal interrupted */
    const struct hf_text **word =
        heard.stop != 0 ? &heard.stopping : &heard.takes_long;

    (void)signal;
    if (*word != NULL && hf_say_text_now(*word))
        *word = NULL;
    if (heard.stop != 0 && ++heard.pauses == STOP_PAUSES)
        hf_run_events_leave((int)heard.stop);
    errno = error;
}

static void
set_timer(int ms)
{
    struct timeval time = {.tv_usec = ms * 1000};
    struct itimerval timer = {.it_interval = time, .it_value = time};

    (void)setitimer(ITIMER_REAL, &timer, NULL);
}

static void
handle(int signal, void (*handler)(int signal))
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};

    (void)sigaction(signal, &action, NULL);
}

/* Those that were not ignored when we were started, and the timer. */
static void
listen_to_signals(const struct hf_run *run, sigset_t *before)
{
    sigset_t signals;

    sigemptyset(&signals);
    sigaddset(&signals, SIGALRM);
    handle(SIGALRM, on_time);
    for (size_t i = 0; i < STOPS; i++) {
        if (!hf_run_events_stops(run, stops[i]))
            continue;
        sigaddset(&signals, stops[i]);
        handle(stops[i], on_stop);
    }
    (void)sigprocmask(SIG_UNBLOCK, &signals, before);
    set_timer(LONG_MS);
}

/* The client has threads by now. */
static void
leave_signals(const struct hf_run *run, const sigset_t *before)
{
    set_timer(0);
    (void)pthread_sigmask(SIG_SETMASK, before, NULL);
    handle(SIGALRM, SIG_IGN);
    for (size_t i = 0; i < STOPS; i++) {
        if (hf_run_events_stops(run, stops[i]))
            handle(stops[i], SIG_DFL);
    }
}

enum hf_status
hf_run_open(struct hf_run *run)
{
    struct hf_text takes_long = HF_OUTPUT_BUFFER;
    struct hf_text stopping = HF_OUTPUT_BUFFER;
    enum hf_status status;
    sigset_t before;

    hf_cli_target_add_opening(&takes_long, &run->order->target);
    hf_run_words_add_stopping(&stopping, run);
    heard.takes_long = run->silent ? NULL : &takes_long;
    heard.stopping = run->silent ? NULL : &stopping;

    listen_to_signals(run, &before);
    status = hf_client_open(run->client, run->order->target.at, &run->error);
    leave_signals(run, &before);

    run->opened = status == HF_OK;
    if (heard.stop != 0)
        hf_run_events_stop(run, (int)heard.stop);
    return status;
}

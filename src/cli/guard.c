#include "guard.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alarm.h"
#include "base/fd.h"
#include "base/proc.h"
#include "command.h"
#include "descendants.h"
#include "output.h"
#include "run_nested.h"
#include "say.h"

/* Between two rounds of KILL; some may have forked. */
static const struct hf_duration round_pause = {20};

/* A command that stops again within this has to wait as long. */
static const struct hf_duration stop_pause = {1000};

/* Between two looks whether the command is stuck in a vfork. */
static const struct hf_duration stuck_pause = {1000};

/* Processes that the command has left for so long are worth a line. */
static const struct hf_duration left_after = {200};

/* Then the ttl has to tell. */
static const struct hf_duration farewell_limit = {10 * 1000};

enum guard_state { WAITING, RUNNING, ENDING };

struct guard {
    struct hf_guard_link *link;
    const struct hf_guard_link_terms *terms;
    struct hf_descendants descendants;
    int children; /* a signalfd of SIGCHLD */
    int alarm;
    enum guard_state state;
    bool holdfast_gone;
    struct hf_command command; /* pid 0: not started */
    bool command_ended;        /* and was reaped: its pid is no longer ours */
    int status;                /* the command's, as waitpid gave it */
    bool had_terminal;         /* the command, when it ended */
    int refusal;               /* errno, if it could not be executed */
    bool late;                 /* not started: the right had all but run out */
    bool right_ran_out;        /* why we are ENDING */
    bool stopped;              /* the command was asked to stop, by a signal */
    bool told_left;            /* that something is left */
    bool let_go;               /* what is left */
    struct hf_instant kill_at; /* ENDING */
    struct hf_instant continue_at; /* to wake the stopped command, or never */
    struct hf_instant continued_at;
    struct hf_instant stuck_at; /* to see whether it is stuck, or never */
    struct hf_instant look_at;  /* to see what the command left, or never */
};

static bool
takeover(const struct guard *g)
{
    return g->terms->if_dead == HF_TAKEOVER;
}

static struct hf_instant
right_until(const struct guard *g)
{
    return (struct hf_instant){atomic_load(&g->link->page->right_until_ms)};
}

/* From here on a takeover lock's command must be told to end. */
static struct hf_instant
worried_from(const struct guard *g)
{
    struct hf_duration before = {-g->terms->grace.ms};

    return takeover(g) ? hf_after(right_until(g), before) : HF_NEVER;
}

static void
tell(const struct guard *g, const struct hf_guard_link_message *message)
{
    /* A holdfast that does not read is frozen or gone: nothing is owed. */
    (void)hf_guard_link_send(g->link->guard_end, message);
}

/* ---- Signals to the descendants ----------------------------------------- */

/* Its group, as long as its leader is ours to reap: the number cannot have
 * been given to another one before. */
static void
signal_group(const struct guard *g, int signal)
{
    if (g->command.pid != 0 && !g->command_ended)
        (void)kill(-g->command.pid, signal);
}

static bool
asks_to_stop(int signal)
{
    return signal == SIGTERM || signal == SIGINT || signal == SIGHUP ||
           signal == SIGQUIT;
}

static void
pass_on(struct guard *g, int signal)
{
    g->stopped = g->stopped || asks_to_stop(signal);
    if (g->command.pid == 0)
        return;
    if (g->command_ended) {
        hf_descendants_signal(&g->descendants, signal);
        return;
    }
    if (signal == SIGCONT)
        hf_command_give_terminal(&g->command); /* the shell's `fg` */
    signal_group(g, signal);
}

static void
begin_end(struct guard *g)
{
    struct hf_instant kill_at = hf_after(hf_now(), g->terms->grace);

    if (g->state == ENDING)
        return;
    g->state = ENDING;
    g->kill_at = takeover(g) ? hf_earlier(right_until(g), kill_at) : kill_at;
    hf_descendants_signal(&g->descendants, SIGTERM);
    /* A stopped process does not act on TERM. */
    hf_descendants_signal(&g->descendants, SIGCONT);
}

/* ---- The command -------------------------------------------------------- */

static void
export_grant(const struct guard *g)
{
    char fence[24];

    snprintf(fence, sizeof(fence), "%" PRIu64, g->link->page->fence);
    (void)setenv("HOLDFAST_NAME", g->terms->names[0], 1);
    (void)setenv("HOLDFAST_SPACE", g->terms->space, 1);
    (void)setenv("HOLDFAST_FENCE", fence, 1);
    (void)setenv("HOLDFAST_AT", g->link->page->place, 1);
    for (const char *const *name = g->terms->names; *name != NULL; name++)
        hf_run_nested_add(&(struct hf_run_nested){
            .place = g->link->page->place,
            .space = g->terms->space,
            .name = *name,
            .fence = g->link->page->fence,
        });
}

static void
on_grant(struct guard *g)
{
    struct pollfd holdfast = {.fd = g->link->holdfast_life, .events = POLLIN};

    if (g->state != WAITING || poll(&holdfast, 1, 0) != 0)
        return; /* a grant whose holder is gone already */
    g->state = RUNNING;
    export_grant(g);
    /* We may have been frozen since the grant was sent. */
    g->late = hf_reached(hf_now(), worried_from(g));
    if (g->late)
        return;
    if (!hf_command_start(&g->command, g->terms)) {
        g->refusal = errno;
        return;
    }
    hf_say_others(HF_SAY_BESIDE);
    g->descendants.group = g->command.pid;
    if (g->terms->terminal >= 0)
        g->stuck_at = hf_after(hf_now(), stuck_pause);
    tell(g, &(struct hf_guard_link_message){.word = HF_GUARD_LINK_STARTED,
                                            .pid = g->command.pid});
}

/* A holder must not be suspended: it would keep the lock and do nothing. */
static void
on_stopped(struct guard *g, int signal)
{
    struct hf_instant now = hf_now();
    bool again = hf_between(g->continued_at, now).ms < stop_pause.ms;

    if (signal != SIGTSTP && signal != SIGTTIN && signal != SIGTTOU)
        return; /* SIGSTOP: somebody means it */
    g->continue_at = again ? hf_after(now, stop_pause) : now;
    if (signal != SIGTSTP && hf_command_asks_terminal(&g->command))
        return;
    if (again || g->terms->quiet)
        return;
    if (signal == SIGTSTP)
        hf_say_now("the command was suspended; it goes on, for it holds a "
                   "lock");
    else
        hf_say_now("the command waits for the terminal, and holds a lock "
                   "meanwhile: bring it to the foreground or, if another "
                   "command of the same pipe has the terminal, end that one");
}

static void
on_continue(struct guard *g)
{
    g->continue_at = HF_NEVER;
    g->continued_at = hf_now();
    hf_command_give_terminal(&g->command);
    signal_group(g, SIGCONT);
}

/*
 * ^Z may stop the child of a vfork before its exec.  Its parent then waits for
 * it in the kernel, cannot stop, and waitpid does not tell.  Only SIGCONT
 * helps, which changes nothing for a process that waits for a disk.
 */
static void
look_for_stuck(struct guard *g)
{
    struct hf_proc command;

    g->stuck_at = hf_after(hf_now(), stuck_pause);
    if (hf_proc_is_ours() && hf_proc_read(g->command.pid, &command) &&
        command.blocked)
        signal_group(g, SIGCONT);
}

/* Take every answer of waitpid there is; false: no child is left. */
static bool
reap(struct guard *g)
{
    for (;;) {
        int status;
        pid_t pid = waitpid(-1, &status, WNOHANG | WUNTRACED);

        if (pid < 0 && errno == EINTR)
            continue;
        if (pid <= 0)
            return pid == 0;
        if (pid != g->command.pid || g->command_ended)
            continue;
        if (WIFSTOPPED(status)) {
            on_stopped(g, WSTOPSIG(status));
            continue;
        }
        g->command_ended = true;
        g->continue_at = HF_NEVER;
        g->stuck_at = HF_NEVER;
        g->status = status;
        g->had_terminal = hf_command_terminal_has(g->terms->terminal, pid);
        g->look_at = hf_after(hf_now(), left_after);
        hf_command_take_terminal(&g->command);
    }
}

/* ---- What can happen ---------------------------------------------------- */

static void
on_holdfast_gone(struct guard *g)
{
    g->holdfast_gone = true;
    if (g->state != RUNNING || g->command.pid == 0)
        return;
    begin_end(g); /* first of all: to say it may take time */
    if (!g->terms->quiet)
        hf_say_now("the process that kept the lock is gone: ending the "
                   "command (TERM now, KILL at the end of its grace)");
}

static void
hear(struct guard *g)
{
    struct hf_guard_link_message message;
    bool gone = false;

    while (!g->holdfast_gone &&
           hf_guard_link_receive(g->link->guard_end, &message, &gone)) {
        if (message.word == HF_GUARD_LINK_GRANT)
            on_grant(g);
        else if (message.word == HF_GUARD_LINK_SIGNAL)
            pass_on(g, message.number);
        else if (message.word == HF_GUARD_LINK_END && g->state == RUNNING)
            begin_end(g);
    }
    if (gone && !g->holdfast_gone)
        on_holdfast_gone(g);
}

/* The command ended by itself. */
static bool
ended_by_itself(const struct guard *g)
{
    return g->state == RUNNING && g->command_ended && WIFEXITED(g->status) &&
           !g->stopped;
}

static bool
right_lasts(const struct guard *g)
{
    return !hf_reached(hf_now(),
                       takeover(g) ? worried_from(g) : right_until(g));
}

/* To let it go, look again until that is allowed, or nothing is left. */
static void
say_left(struct guard *g)
{
    struct hf_guard_link_message message = {.word = HF_GUARD_LINK_LEFT};
    bool leaves = g->terms->leave && ended_by_itself(g);
    struct hf_descendants_left left;

    g->look_at = leaves ? hf_after(hf_now(), left_after) : HF_NEVER;
    hf_descendants_look(&g->descendants, &left);
    if (left.count == 0)
        return; /* ending just now */
    g->let_go = leaves && right_lasts(g);
    if (g->told_left && !g->let_go)
        return;
    g->told_left = true;
    message.let_go = g->let_go;
    message.number = left.count > INT32_MAX ? INT32_MAX : (int)left.count;
    message.pid = (pid_t)left.pid;
    snprintf(message.name, sizeof(message.name), "%s", left.name);
    tell(g, &message);
}

static void
on_time(struct guard *g)
{
    struct hf_instant now = hf_now();

    if (g->state == RUNNING && g->command.pid != 0 &&
        hf_reached(now, worried_from(g))) {
        g->right_ran_out = true;
        begin_end(g);
        tell(g, &(struct hf_guard_link_message){.word = HF_GUARD_LINK_ENDING});
    }
    if (g->state == ENDING && hf_reached(now, g->kill_at))
        hf_descendants_signal(&g->descendants, SIGKILL);
    if (hf_reached(now, g->continue_at))
        on_continue(g);
    if (hf_reached(now, g->stuck_at))
        look_for_stuck(g);
    if (hf_reached(now, g->look_at))
        say_left(g);
}

static struct hf_instant
deadline(const struct guard *g)
{
    struct hf_instant now = hf_now();
    struct hf_instant next =
        hf_earlier(hf_earlier(g->continue_at, g->stuck_at), g->look_at);

    if (g->state == RUNNING)
        next = hf_earlier(next, worried_from(g));
    if (g->state == ENDING)
        next = hf_earlier(next, hf_reached(now, g->kill_at)
                                    ? hf_after(now, round_pause)
                                    : g->kill_at);
    return next;
}

static void
wait_for_news(struct guard *g)
{
    struct signalfd_siginfo info;
    struct pollfd fds[] = {
        {.fd = g->alarm, .events = POLLIN},
        {.fd = g->children, .events = POLLIN},
        {.fd = g->holdfast_gone ? -1 : g->link->guard_end, .events = POLLIN},
        {.fd = g->holdfast_gone ? -1 : g->link->holdfast_life,
         .events = POLLIN},
        {.fd = g->command.pid != 0 ? g->command.refusal : -1, .events = POLLIN},
    };

    hf_alarm_set(g->alarm, deadline(g));
    (void)poll(fds, sizeof(fds) / sizeof(fds[0]), -1);
    if (fds[1].revents != 0)
        (void)!read(g->children, &info, sizeof(info));
    if (fds[2].revents != 0)
        hear(g);
    if (fds[3].revents != 0 && !g->holdfast_gone)
        on_holdfast_gone(g);
    if (fds[4].revents != 0)
        g->refusal = hf_command_refused(&g->command);
}

/* No descendant is left and none will come; or they were let go. */
static bool
over(struct guard *g)
{
    if (g->state == WAITING)
        return g->holdfast_gone;
    if (g->let_go)
        return true;
    if (g->command.pid == 0)
        return true;
    if (reap(g))
        return false;
    if (g->command.refusal >= 0) /* it ended before we read how it began */
        g->refusal = hf_command_refused(&g->command);
    return true;
}

static void
tell_end(struct guard *g)
{
    struct hf_guard_link_message done = {
        .word = HF_GUARD_LINK_DONE,
        .number = g->status,
        .had_terminal = g->had_terminal,
    };

    if (g->late) {
        done.end = HF_GUARD_LINK_LATE;
    } else if (g->refusal != 0) {
        done.end = HF_GUARD_LINK_REFUSED;
        done.number = g->refusal;
    } else {
        done.end = g->state == ENDING ? HF_GUARD_LINK_CUT : HF_GUARD_LINK_RAN;
    }
    tell(g, &done);
}

/* Holdfast was killed, and nothing of the command is left.  Tell a lock
 * server, so that it need not wait for the ttl.  The work that a refuse
 * lock's command left half done is for a person. */
static void
say_farewell(const struct guard *g)
{
    const char *farewell = g->link->page->farewell;
    bool cut = g->state == ENDING && g->command.pid != 0;

    if (farewell[0] != '\0' && (takeover(g) || !cut))
        (void)hf_farewell(farewell, farewell_limit, NULL);
}

static _Noreturn void
run_guard(struct hf_guard_link *link, const struct hf_guard_link_terms *terms)
{
    struct guard g = {
        .link = link,
        .terms = terms,
        .command = {.refusal = -1, .terminal = -1},
        .continue_at = HF_NEVER,
        .continued_at = {INT64_MIN},
        .stuck_at = HF_NEVER,
        .look_at = HF_NEVER,
    };
    sigset_t signals;

    hf_fd_close(&link->holdfast_end);
    (void)prctl(PR_SET_NAME, "holdfast-guard", 0, 0, 0);
    sigfillset(&signals);
    (void)sigprocmask(SIG_SETMASK, &signals, NULL);
    sigemptyset(&signals);
    sigaddset(&signals, SIGCHLD);
    g.children = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
    g.alarm = hf_alarm_open();
    if (g.children < 0 || g.alarm < 0 || !hf_descendants_init(&g.descendants))
        _exit(HF_EXIT_OURS);

    while (!over(&g)) {
        wait_for_news(&g);
        on_time(&g);
    }
    if (g.holdfast_gone)
        say_farewell(&g);
    else
        tell_end(&g);
    _exit(0);
}

pid_t
hf_guard_start(struct hf_guard_link *link,
               const struct hf_guard_link_terms *terms)
{
    pid_t pid = fork();

    if (pid == 0)
        run_guard(link, terms);
    if (pid > 0)
        hf_fd_close(&link->guard_end);
    return pid;
}

#include "hold.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "guard.h"
#include "held.h"
#include "hold_state.h"
#include "say.h"
#include "terminal.h"

/* Between two rounds of KILL; some may have forked. */
static const struct hf_duration round_pause = {20};

/* To give back a lock whose right is over. */
static const struct hf_duration give_back_time = {2000};

/* Then we say that opening the place, or giving the lock back, takes long; and
 * after as much as the other again. */
static const struct hf_duration patience = {500};
static const struct hf_duration say_stop_pause = {10 * 1000};

enum {
    LOOKS_A_TTL = 60,
    LOOK_MIN_MS = 20,
    LOOK_MAX_MS = 500,
};

static struct hf_instant
right_until(const struct hf_hold *h)
{
    return (struct hf_instant){hf_lock_right_ms(h->lock)};
}

/* ---- Claiming ----------------------------------------------------------- */

/* Give the claim up, in good order. */
static void
cancel_claim(struct hf_hold *h)
{
    atomic_store(&h->switched, true);
    hf_cancel(h->cancel);
}

static bool
is_held_by_ours(const struct hf_hold *h, const struct hf_diagnosis *seen)
{
    return hf_held_by_ours(hf_client_place(h->client), &seen->record);
}

static void
on_waiting(void *ctx, const struct hf_diagnosis *seen)
{
    struct hf_hold *h = ctx;

    if (is_held_by_ours(h, seen)) {
        h->answer.outcome = HF_ALREADY_HELD;
        h->answer.seen = *seen;
        cancel_claim(h);
    } else if (!atomic_load(&h->stopping)) {
        hf_line_show(&h->line, seen);
    }
}

static void
on_news(void *ctx, struct hf_lock *lock, enum hf_news news)
{
    struct hf_hold *h = ctx;

    (void)lock;
    (void)news; /* the main thread asks hf_check */
    (void)eventfd_write(h->news, 1);
}

/* The command line as one text, for people. */
static void
add_command(struct hf_text *out, char **command)
{
    for (size_t i = 0; command[i] != NULL; i++) {
        if (i > 0)
            hf_text_add(out, " ");
        hf_phrase_quote(out, command[i]);
    }
}

/* All but what only the running claim has. */
static struct hf_acquire_options
options_of(const struct hf_hold_order *order)
{
    return (struct hf_acquire_options){
        .space = order->which.space,
        .if_dead = order->if_dead,
        .ttl = order->ttl,
        .beat = order->beat,
        .grace = order->grace,
        .wait = order->wait,
        .limit = order->limit,
        .if_suspected = order->if_suspected,
        .reason = order->reason,
    };
}

/* A claim that we gave up ourselves, or that was refused before we could, was
 * answered: whoever holds the lock waits for us. */
static void
judge_answer(struct hf_hold *h)
{
    struct hf_acquired *answer = &h->answer;

    if (h->status == HF_E_CANCELLED && answer->outcome == HF_ALREADY_HELD) {
        h->status = HF_OK;
        h->error = (struct hf_error){.status = HF_OK};
    } else if (h->status == HF_OK && answer->outcome != HF_GRANTED &&
               is_held_by_ours(h, &answer->seen)) {
        answer->outcome = HF_ALREADY_HELD;
    }
}

/* In the background: open the place and wait for the lock. */
static void
claim(void *ctx)
{
    struct hf_hold *h = ctx;
    const struct hf_hold_order *order = h->order;
    const pid_t processes[] = {getpid(), h->guard};
    struct hf_acquire_options options = options_of(order);
    struct hf_text command = HF_PHRASE;

    h->status = hf_open(order->which.at, NULL, &h->client, &h->error);
    atomic_store(&h->opened, true);
    if (h->status != HF_OK)
        return;
    hf_line_init(&h->line, "waiting for", h->name.at,
                 hf_client_place(h->client));
    h->line.silent = h->quiet;
    h->line.limit = order->wait == HF_WAIT_TRY ? order->ttl : order->limit;
    add_command(&command, order->command);

    options.command = command.at;
    options.processes = processes;
    options.processes_count = sizeof(processes) / sizeof(processes[0]);
    options.on_news = on_news;
    options.on_waiting = on_waiting;
    options.ctx = h;
    options.cancel = h->cancel;
    h->status = hf_acquire(h->client, order->which.name, &options, &h->answer,
                           &h->error);
    judge_answer(h);
    hf_line_end(&h->line);
}

static void
claim_it(struct hf_hold *h)
{
    struct hf_instant say_open_at = hf_after(hf_now(), patience);

    hf_background_start(&h->background, claim, h);
    h->background_runs = true;
    while (!hf_background_over(&h->background)) {
        hf_hold_events_wait(h, say_open_at);
        if (h->guard_over)
            cancel_claim(h);
        if (!hf_reached(hf_now(), say_open_at))
            continue;
        say_open_at = HF_NEVER;
        if (!atomic_load(&h->opened))
            hf_hold_words_opening_now(h);
    }
    hf_background_finish(&h->background);
    (void)hf_hold_events_reap(h); /* is the guard still there? */
    h->background_runs = false;
    h->say_stop_at = HF_NEVER;
    h->say_stop_pause = say_stop_pause;
}

/* ---- Holding ------------------------------------------------------------ */

/* Ask the lock, let the guard know, and decide. */
static void
look_at_lock(struct hf_hold *h)
{
    enum hf_outcome now = hf_check(h->lock);
    bool lost = now == HF_LOST || now == HF_NOT_HELD;

    atomic_store(&h->link.page->right_until_ms, hf_lock_right_ms(h->lock));
    if (now == h->known)
        return;
    h->known = now;
    if (lost && h->order->if_dead == HF_REFUSE) {
        h->kill_at = hf_after(hf_now(), h->order->grace);
        (void)hf_guard_link_send(
            h->link.holdfast_end,
            &(struct hf_guard_link_message){.word = HF_GUARD_LINK_END});
    } else if (lost) {
        h->kill_at = hf_now();
        h->cut = !h->done;
        hf_descendants_signal(&h->descendants, SIGKILL); /* before it is said */
    }
    hf_hold_words_certainty_now(h, now);
}

static void
grant_to_guard(struct hf_hold *h)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    struct hf_guard_link_page *page = h->link.page;

    /* A waiter may be suspended; a holder must not. */
    (void)sigaction(SIGTSTP, &ignore, NULL);
    (void)sigaction(SIGTTIN, &ignore, NULL);
    (void)sigaction(SIGTTOU, &ignore, NULL);

    h->stage = HF_HOLD_HOLDING;
    h->known = HF_GRANTED;
    page->fence = hf_fence(h->lock);
    snprintf(page->place, sizeof(page->place), "%s",
             hf_client_place(h->client));
    atomic_store(&page->right_until_ms, hf_lock_right_ms(h->lock));
    h->guard_told = hf_guard_link_send(
        h->link.holdfast_end,
        &(struct hf_guard_link_message){.word = HF_GUARD_LINK_GRANT});
}

static bool
none_left(struct hf_hold *h)
{
    struct hf_descendants_left first;
    struct hf_descendants_left second;

    if (!hf_hold_events_reap(h))
        return true;
    if (!h->guard_over || h->descendants.strangers_count == 0)
        return false;
    /* Strangers keep waitpid from telling.  Two looks: a process that forks
     * and ends may slip through one. */
    hf_descendants_look(&h->descendants, &first);
    hf_descendants_look(&h->descendants, &second);
    return first.count == 0 && second.count == 0;
}

/* The library goes on beating meanwhile. */
static void
kill_descendants(struct hf_hold *h)
{
    h->killed = true;
    while (!none_left(h)) {
        hf_descendants_signal(&h->descendants, SIGKILL);
        hf_hold_events_wait(h, hf_after(hf_now(), round_pause));
    }
    hf_terminal_move(h->terms.terminal, h->descendants.group, getpgrp());
}

/* Often enough for the guard to know the right as it stands, and just when a
 * takeover lock's is over. */
static struct hf_instant
next_look(const struct hf_hold *h)
{
    struct hf_duration often = {h->order->ttl.ms / LOOKS_A_TTL};
    struct hf_instant next;

    if (often.ms < LOOK_MIN_MS)
        often.ms = LOOK_MIN_MS;
    if (often.ms > LOOK_MAX_MS)
        often.ms = LOOK_MAX_MS;
    next = hf_earlier(hf_after(hf_now(), often), h->kill_at);
    if (h->order->if_dead == HF_TAKEOVER)
        next = hf_earlier(next, right_until(h));
    return next;
}

/* The guard does what is gentle; we do what must be done in any case. */
static void
hold(struct hf_hold *h)
{
    while (!h->done && !h->guard_over && !hf_reached(hf_now(), h->kill_at)) {
        hf_hold_events_wait(h, next_look(h));
        look_at_lock(h);
    }
    if (!h->done) {
        bool guard_died = h->guard_over;

        kill_descendants(h);
        if (guard_died)
            hf_hold_words_cut_now(h);
    }
}

/* ---- Giving it back ----------------------------------------------------- */

/* In the background. */
static void
give_back(void *ctx)
{
    struct hf_hold *h = ctx;

    h->status = hf_release(h->lock, h->cancel, &h->error);
}

/* The switch that ended the claim must not end this too.  Without one, giving
 * back just cannot be cut short. */
static void
renew_cancel(struct hf_hold *h)
{
    if (h->stops == 0 && !h->switched)
        return;
    h->stops = 0;
    hf_cancel_close(h->cancel);
    h->cancel = NULL;
    if (hf_cancel_open(&h->cancel) != HF_OK)
        h->cancel = NULL;
}

static void
give_back_until(struct hf_hold *h, struct hf_instant give_up)
{
    hf_background_start(&h->background, give_back, h);
    h->background_runs = true;
    h->say_stop_at = hf_after(hf_now(), patience);
    while (!hf_background_over(&h->background)) {
        hf_hold_events_wait(h, give_up);
        if (hf_reached(hf_now(), give_up) && h->cancel != NULL) {
            hf_cancel_abandon(h->cancel);
            h->abandoned = true;
            give_up = HF_NEVER;
        }
    }
    hf_background_finish(&h->background);
    h->background_runs = false;
}

/*
 * A takeover lock is given back by the end of its right at the latest,
 * whatever the place does: then anyone may take it.  A refuse lock that is not
 * given back needs a person: there we go on, until a second signal.
 */
static void
release(struct hf_hold *h)
{
    bool cut =
        h->killed || h->cut || (h->done && h->end.end == HF_GUARD_LINK_CUT);
    struct hf_instant give_up = HF_NEVER;

    h->stage = HF_HOLD_RELEASING;
    if (cut && h->order->if_dead == HF_REFUSE) {
        hf_abandon(h->lock);
        hf_hold_events_let_end(h);
        if (h->known != HF_LOST)
            hf_hold_words_for_a_person(h);
        return;
    }
    if (h->order->if_dead == HF_TAKEOVER)
        give_up = hf_later(right_until(h), hf_after(hf_now(), give_back_time));
    renew_cancel(h);
    give_back_until(h, give_up);
    if (h->status == HF_OK)
        return;
    hf_hold_events_let_end(h);
    hf_hold_words_left_behind(h);
}

/* ---- From beginning to end ---------------------------------------------- */

/* The guard comes before all that has threads: its fork must find one.  NULL,
 * or what could not be started, and errno. */
static const char *
make_ready(struct hf_hold *h)
{
    if (!hf_descendants_init(&h->descendants) ||
        !hf_guard_link_open(&h->link) || !hf_hold_events_block(h))
        return "the guard";
    h->terms.terminal = hf_terminal_open();
    h->guard = hf_guard_start(&h->link, &h->terms);
    if (h->guard < 0)
        return "the guard, a second process";
    if (!hf_background_open(&h->background))
        return "a thread";
    errno = ENOMEM;
    if (!hf_hold_events_open(h) || hf_cancel_open(&h->cancel) != HF_OK)
        return "listening for signals";
    return NULL;
}

static void
finish(struct hf_hold *h)
{
    if (h->guard > 0 && !h->guard_over) {
        (void)kill(h->guard, SIGKILL); /* it has no descendant */
        (void)waitpid(h->guard, NULL, 0);
    }
    hf_background_close(&h->background);
    if (!h->abandoned) /* else a call that does not return may be under way;
                          the end of the process ends it */
        hf_close(h->client);
    if (h->cancel != NULL)
        hf_cancel_close(h->cancel);
    hf_fd_close(&h->terms.terminal);
    hf_guard_link_close(&h->link);
    hf_hold_events_close(h);
}

/* With the lock in hand: the exit code. */
static int
use_lock(struct hf_hold *h)
{
    int code;

    h->lock = h->answer.lock;
    if (h->stop_signal != 0) {
        code = HF_EXIT_SIGNAL + h->stop_signal;
    } else {
        grant_to_guard(h);
        hf_hold_words_taken_over_now(h);
        if (h->guard_told) {
            hold(h);
            code = hf_hold_words_end(h);
        } else {
            code = hf_status_exit(HF_E_CANCELLED); /* there is no guard */
        }
    }
    release(h);
    return code;
}

static int
run_all(struct hf_hold *h)
{
    const char *what = make_ready(h);

    if (what != NULL)
        return hf_hold_words_cannot_start(what);
    claim_it(h);

    bool answered = h->status == HF_OK;
    bool granted = answered && h->answer.outcome == HF_GRANTED;
    int code;

    if (!granted)
        hf_hold_events_let_end(h);
    code = granted ? use_lock(h) : hf_hold_words_refusal(h);
    if (h->silent) {
        hf_hold_events_let_end(h);
        hf_hold_words_json(h, code, answered);
    }
    return code;
}

/*
 * A shell stops its script when a child *dies* of the keyboard's signal that
 * the shell got too, and goes on when the child only exits with 130.  So we die
 * of it if the command did, or if it ended our wait; and where the terminal
 * gave it to the command's group alone, our group, which is the script's, must
 * have it from us.
 */
static void
die_as_command(const struct hf_hold *h, int code)
{
    int signal = code - HF_EXIT_SIGNAL;
    bool ran = h->done && h->end.end == HF_GUARD_LINK_RAN;
    bool typed = ran && h->end.had_terminal;
    bool heard;

    if (signal != SIGINT && signal != SIGQUIT)
        return;
    heard = sigismember(&h->heard, signal) == 1;
    if ((ran && !WIFSIGNALED(h->end.number)) || (!heard && !typed))
        return;
    hf_hold_events_die(signal,
                       heard ? HF_HOLD_DEATH_ALONE : HF_HOLD_DEATH_OF_GROUP);
}

int
hf_hold_run(const struct hf_hold_order *order)
{
    const char *space = order->which.space;
    struct hf_acquire_options options = options_of(order);
    struct hf_hold h = {
        .order = order,
        .name = HF_PHRASE,
        .silent = order->which.json,
        .quiet = order->which.json || order->quiet,
        .link = {.holdfast_end = -1, .guard_end = -1, .holdfast_life = -1},
        .terms =
            {
                .name = order->which.name,
                .space = space != NULL ? space : "default",
                .if_dead = order->if_dead,
                .grace = order->grace,
                .command = order->command,
                .quiet = order->which.json,
                .terminal = -1,
            },
        .signals = -1,
        .news = -1,
        .alarm = -1,
        .say_stop_at = HF_NEVER,
        .say_stop_pause = say_stop_pause,
        .kill_at = HF_NEVER,
    };
    enum hf_status status =
        hf_acquire_check(order->which.name, &options, &h.error);

    if (status != HF_OK) /* before anything is begun, or written */
        return hf_say_failure(&h.error, status);
    hf_phrase_quote(&h.name, order->which.name);

    int code = run_all(&h);

    finish(&h);
    die_as_command(&h, code);
    return code;
}

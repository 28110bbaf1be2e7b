#include "run_loop.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "command.h"
#include "guard.h"
#include "run_nested.h"
#include "run_state.h"
#include "say.h"
#include "sharing.h"
#include "waits.h"

/* Between two rounds of KILL; some may have forked. */
static const struct hf_duration round_pause = {20};

/* To give back a lock whose right is over, or that was never granted. */
static const struct hf_duration give_back_time = {2000};

/* Then we say that giving the lock back takes long; and after as much as the
 * other again. */
static const struct hf_duration patience = {500};
static const struct hf_duration say_stop_pause = {10 * 1000};

/* Looks at the right: so many while a beat could still help, and how far apart
 * they are. */
enum { LOOKS = 16, LOOK_MIN_MS = 20, LOOK_MAX_MS = 500 };

static struct hf_instant
right_until(const struct hf_run *run)
{
    return (struct hf_instant){hf_lock_right_ms(run->lock)};
}

static bool
is_takeover(const struct hf_run *run)
{
    return run->order->if_dead == HF_TAKEOVER;
}

/* A claim that we gave up may be granted all the same, before the library
 * hears of it; then it is given back. */
static bool
gave_up(const struct hf_run *run)
{
    return run->stops > 0 || run->guard_over || run->held_by_ours;
}

/* ---- Claiming ------------------------------------------------------------ */

/* The command line as one text, for people. */
static void
add_command(struct hf_text *out, char **command)
{
    for (size_t i = 0; command[i] != NULL; i++) {
        if (i > 0)
            hf_text_add(out, " ");
        hf_output_quote(out, command[i]);
    }
}

static enum hf_status
start_claim(struct hf_run *run)
{
    struct hf_text command = HF_OUTPUT_BUFFER;
    char processes[32];
    enum hf_status status;

    add_command(&command, run->order->command);
    snprintf(processes, sizeof(processes), "%d %d", (int)getpid(),
             (int)run->guard);
    status = hf_lock_set(run->lock, HF_COMMAND, command.at, &run->error);
    if (status == HF_OK)
        status = hf_lock_set(run->lock, HF_PROCESSES, processes, &run->error);
    if (status == HF_OK)
        status = hf_lock_start(run->lock, &run->error);
    return status;
}

/* A claim that we gave up for that, or that was refused before we could, was
 * answered: whoever holds the lock waits for us. */
static void
judge_answer(struct hf_run *run)
{
    bool given_up = run->held_by_ours && (run->status == HF_E_CANCELLED ||
                                          run->status == HF_E_UNKNOWN);

    if (!given_up &&
        (run->status != HF_OK ||
         !hf_run_nested_holds(hf_client_place(run->client), run->seen)))
        return;
    run->status = HF_OK;
    run->error = (struct hf_error){.status = HF_OK};
    run->outcome = HF_ALREADY_HELD;
}

/* It has ended, or was never begun, without a grant that we kept. */
static enum hf_run_stage
refuse(struct hf_run *run)
{
    hf_waiting_line_end(&run->line);
    (void)hf_run_events_reap(run); /* is the guard still there? */
    judge_answer(run);
    run->answered = run->status == HF_OK;
    hf_run_events_let_end(run);
    run->code = hf_run_words_refusal(run);
    return HF_RUN_OVER;
}

/* What opening the place took is a part of the wait.  A try is counted by the
 * library: a place that did not answer then is given less time now. */
static enum hf_status
count_opening(struct hf_run *run, struct hf_instant begun)
{
    int64_t left_ms = run->wait.ms - hf_between(begun, hf_now()).ms;
    char text[32];

    if (run->wait.ms == 0 || run->wait.ms == HF_FOREVER.ms)
        return HF_OK;
    (void)snprintf(text, sizeof(text), "%" PRId64 "ms",
                   left_ms > 0 ? left_ms : 1);
    return hf_lock_set(run->lock, HF_WAIT, text, &run->error);
}

static enum hf_run_stage
begin_claim(struct hf_run *run)
{
    struct hf_instant begun = hf_now();

    run->status = hf_run_open(run);
    hf_waiting_line_init(&run->line, "waiting for", run->name.at,
                         hf_client_place(run->client));
    run->line.silent = run->quiet;
    run->line.tells_waits = true;
    run->line.waits_for_suspected = run->order->waits_for_suspected;
    run->line.began_at = begun;
    run->line.known_at = begun;
    run->line.limit =
        run->order->try_only ? hf_lock_duration(run->lock, HF_TTL) : run->wait;
    if (run->status == HF_OK && !run->silent)
        hf_sharing_made_now(&run->order->target, run->client);
    if (run->status == HF_OK)
        run->status = count_opening(run, begun);
    if (run->status == HF_OK)
        run->status = start_claim(run);
    if (run->status != HF_OK)
        return refuse(run);
    run->waits = hf_waits_show(hf_client_place(run->client),
                               run->guard_terms.space, run->order->names);
    return HF_RUN_CLAIMING;
}

/* The holder may be a run around us, which waits for our end. */
static void
watch(struct hf_run *run)
{
    struct hf_view *seen;

    if (gave_up(run) || !hf_reached(hf_now(), run->look_at))
        return;
    run->look_at =
        hf_after(hf_now(), (struct hf_duration){HF_WAITING_LINE_PAUSE_MS});
    seen = hf_lock_view(run->lock);
    run->held_by_ours = hf_run_nested_holds(hf_client_place(run->client), seen);
    if (run->held_by_ours) {
        run->seen = seen;
        hf_lock_cancel(run->lock);
        return;
    }
    hf_waiting_line_show(&run->line, seen);
    hf_view_free(seen);
}

static enum hf_run_stage
end_claim(struct hf_run *run)
{
    if (run->seen == NULL)
        run->seen = hf_lock_view(run->lock);
    run->outcome = hf_lock_check(run->lock);
    run->status = hf_lock_error(run->lock, &run->error);
    if (run->status == HF_OK && run->outcome == HF_NOT_HELD)
        run->status = HF_E_CANCELLED; /* granted, and given back */
    return refuse(run);
}

/* A claim that we gave up is settled, but not for long: nobody was told of it,
 * and what may be left of it others take over.  A refuse claim would need a
 * person, so there we go on, until a second signal. */
static void
bound_giving_up(struct hf_run *run)
{
    if (!gave_up(run) || !is_takeover(run) || run->abandoned)
        return;
    if (run->give_up_at.ms == HF_NEVER.ms)
        run->give_up_at = hf_after(hf_now(), give_back_time);
    if (!hf_reached(hf_now(), run->give_up_at))
        return;
    run->abandoned = true;
    hf_lock_abandon(run->lock);
}

static enum hf_run_stage
claim(struct hf_run *run)
{
    if (run->guard_over)
        hf_lock_cancel(run->lock);
    bound_giving_up(run);
    switch (hf_lock_state(run->lock)) {
    case HF_STATE_NEW:
    case HF_STATE_WAITING:
        watch(run);
        return HF_RUN_CLAIMING;
    case HF_STATE_HELD:
    case HF_STATE_IN_DOUBT:
    case HF_STATE_LOST:
        return gave_up(run) ? HF_RUN_CLAIMING : HF_RUN_HOLDING;
    case HF_STATE_RELEASING:
        return HF_RUN_CLAIMING;
    case HF_STATE_ENDED:
        break;
    }
    return end_claim(run);
}

static struct hf_instant
next_watch(const struct hf_run *run)
{
    return gave_up(run) ? run->give_up_at : run->look_at;
}

/* ---- Holding ------------------------------------------------------------- */

/* With the guard.  One that was taken is none, and says nothing of when it
 * would have ended. */
static void
share_right(struct hf_run *run)
{
    struct hf_instant until = right_until(run);

    atomic_store(&run->link.page->right_until_ms, until.ms);
    run->right_until = hf_later(run->right_until, until);
}

static void
grant_to_guard(struct hf_run *run)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    struct hf_guard_link_page *page = run->link.page;

    /* A waiter may be suspended; a holder must not. */
    (void)sigaction(SIGTSTP, &ignore, NULL);
    (void)sigaction(SIGTTIN, &ignore, NULL);
    (void)sigaction(SIGTTOU, &ignore, NULL);

    page->fence = hf_lock_fence(run->lock);
    snprintf(page->place, sizeof(page->place), "%s",
             hf_client_place(run->client));
    (void)hf_lock_farewell(run->lock, page->farewell, sizeof(page->farewell));
    share_right(run);
    run->guard_told = hf_guard_link_send(
        run->link.holdfast_end,
        &(struct hf_guard_link_message){.word = HF_GUARD_LINK_GRANT});
}

static enum hf_run_stage
begin_hold(struct hf_run *run)
{
    run->outcome = HF_GRANTED;
    run->known = HF_GRANTED;
    run->answered = true;
    run->seen = hf_lock_view(run->lock);
    run->keep_until = hf_after(hf_now(), run->order->hold_at_least);
    hf_waiting_line_end(&run->line);
    hf_fd_close(&run->waits);
    hf_run_words_taken_over_now(run); /* before the command says anything */
    hf_say_others(HF_SAY_BESIDE);
    grant_to_guard(run);
    if (run->guard_told)
        return HF_RUN_HOLDING;
    run->code = HF_EXIT_SIGNAL + SIGKILL; /* there is no guard */
    return HF_RUN_RELEASING;
}

static void
on_lost(struct hf_run *run)
{
    if (run->done) /* what is left, if anything, was let go */
        return;
    if (!is_takeover(run)) {
        run->kill_at = hf_after(hf_now(), run->guard_terms.grace);
        (void)hf_guard_link_send(
            run->link.holdfast_end,
            &(struct hf_guard_link_message){.word = HF_GUARD_LINK_END});
        return;
    }
    run->kill_at = hf_now();
    run->cut = true;
    hf_descendants_signal(&run->descendants, SIGKILL); /* before it is said */
}

/* Ask the lock, let the guard know, and decide. */
static void
look_at_lock(struct hf_run *run)
{
    enum hf_outcome now = hf_lock_check(run->lock);

    share_right(run);
    if (now == run->known)
        return;
    run->known = now;
    if (now == HF_LOST || now == HF_NOT_HELD)
        on_lost(run);
    hf_run_words_certainty_now(run, now);
}

static bool
is_ours(const struct hf_run *run)
{
    return run->known == HF_GRANTED || run->known == HF_IN_DOUBT;
}

/* The command ran to its end, and that was too soon. */
static bool
is_kept(const struct hf_run *run)
{
    return run->end.end == HF_GUARD_LINK_RAN && is_ours(run) &&
           !hf_run_events_stopped(run) &&
           !hf_reached(hf_now(), run->keep_until);
}

/* The guard does what is gentle; we do what must be done in any case. */
static enum hf_run_stage
hold(struct hf_run *run)
{
    look_at_lock(run);
    if (run->done) {
        run->code = hf_run_words_end(run);
        return is_kept(run) ? HF_RUN_KEEPING : HF_RUN_RELEASING;
    }
    if (run->guard_over || hf_reached(hf_now(), run->kill_at))
        return HF_RUN_KILLING;
    return HF_RUN_HOLDING;
}

/*
 * The guard ends a takeover lock's command by the right that stands in the
 * page.  That was proved when it was written, and a right does not shrink: so
 * it is never later than what is proved.  It is earlier by the beats that were
 * applied since, and of those no notice tells.  So we look: often enough that a
 * holdfast that is frozen from now on leaves the guard almost all the time that
 * its beats have won, and the more often the less of it is left, since a beat
 * that comes at the last moment must count.  From when the guard acts nothing
 * changes its mind; just when the right is over we look once more, and kill.
 * Of all else, and of a refuse lock everything, the notices tell.
 */
static struct hf_instant
next_look(const struct hf_run *run)
{
    struct hf_instant now = hf_now();
    struct hf_instant over = {atomic_load(&run->link.page->right_until_ms)};
    struct hf_duration grace = {-run->guard_terms.grace.ms};
    struct hf_duration pause = hf_between(now, hf_after(over, grace));

    if (!is_takeover(run))
        return run->kill_at;
    if (pause.ms == 0)
        return hf_earlier(over, run->kill_at);
    pause.ms /= LOOKS;
    if (pause.ms < LOOK_MIN_MS)
        pause.ms = LOOK_MIN_MS;
    if (pause.ms > LOOK_MAX_MS)
        pause.ms = LOOK_MAX_MS;
    return hf_earlier(hf_after(now, pause), run->kill_at);
}

/* ---- Killing what is left ------------------------------------------------ */

static bool
none_left(struct hf_run *run)
{
    struct hf_descendants_left first;
    struct hf_descendants_left second;

    if (!hf_run_events_reap(run))
        return true;
    if (!run->guard_over || run->descendants.strangers_count == 0)
        return false;
    /* Strangers keep waitpid from telling.  Two looks: a process that forks
     * and ends may slip through one. */
    hf_descendants_look(&run->descendants, &first);
    hf_descendants_look(&run->descendants, &second);
    return first.count == 0 && second.count == 0;
}

/* The library goes on beating meanwhile. */
static enum hf_run_stage
kill_rest(struct hf_run *run)
{
    if (!none_left(run)) {
        hf_descendants_signal(&run->descendants, SIGKILL);
        return HF_RUN_KILLING;
    }
    hf_command_terminal_move(run->guard_terms.terminal, run->descendants.group,
                             getpgrp());
    if (run->guard_died)
        hf_run_words_cut_now(run);
    run->code = hf_run_words_end(run);
    return HF_RUN_RELEASING;
}

static enum hf_run_stage
begin_kill(struct hf_run *run)
{
    run->killed = true;
    run->guard_died = run->guard_over;
    return kill_rest(run);
}

static struct hf_instant
next_round(const struct hf_run *run)
{
    (void)run;
    return hf_after(hf_now(), round_pause);
}

/* ---- Keeping it after the command's end ---------------------------------- */

static enum hf_run_stage
keep(struct hf_run *run)
{
    look_at_lock(run);
    if (run->stops > 0 || !is_ours(run) ||
        hf_reached(hf_now(), run->keep_until))
        return HF_RUN_RELEASING;
    return HF_RUN_KEEPING;
}

static enum hf_run_stage
begin_keep(struct hf_run *run)
{
    hf_run_words_keeping_now(run);
    return keep(run);
}

static struct hf_instant
next_keep(const struct hf_run *run)
{
    return hf_earlier(next_look(run), run->keep_until);
}

/* ---- Giving it back ------------------------------------------------------ */

static enum hf_run_stage
end_release(struct hf_run *run)
{
    if (run->for_a_person) {
        hf_run_events_let_end(run);
        if (run->known != HF_LOST)
            hf_run_words_for_a_person(run);
        return HF_RUN_OVER;
    }
    run->status = hf_lock_error(run->lock, &run->error);
    if (run->status != HF_OK) {
        hf_run_events_let_end(run);
        hf_run_words_left_behind(run);
    }
    return HF_RUN_OVER;
}

static enum hf_run_stage
release(struct hf_run *run)
{
    if (hf_lock_state(run->lock) == HF_STATE_ENDED)
        return end_release(run);
    if (hf_reached(hf_now(), run->give_up_at)) {
        run->give_up_at = HF_NEVER;
        run->abandoned = true;
        hf_lock_abandon(run->lock);
    }
    return HF_RUN_RELEASING;
}

/*
 * A takeover lock is given back by the end of its right at the latest,
 * whatever the place does: then anyone may take it.  A refuse lock that is not
 * given back needs a person: there we go on, until a second signal.  And one
 * whose command was cut short is left for a person.
 */
static enum hf_run_stage
begin_release(struct hf_run *run)
{
    bool cut = run->killed || run->cut ||
               (run->done && run->end.end == HF_GUARD_LINK_CUT);

    run->stops = 0;
    run->for_a_person = cut && !is_takeover(run);
    if (run->for_a_person) {
        hf_lock_abandon(run->lock);
    } else {
        hf_lock_release(run->lock);
        run->say_stop_at = hf_after(hf_now(), patience);
    }
    if (is_takeover(run))
        run->give_up_at =
            hf_later(right_until(run), hf_after(hf_now(), give_back_time));
    return release(run); /* one that was lost may have ended already */
}

static struct hf_instant
next_give_up(const struct hf_run *run)
{
    return run->give_up_at;
}

/* ---- The loop ------------------------------------------------------------ */

/* The functions that begin a stage, and that go on with it after an event or
 * at its next instant.  Both return the stage that follows. */
static const struct {
    enum hf_run_stage (*begin)(struct hf_run *run);
    enum hf_run_stage (*go_on)(struct hf_run *run);
    struct hf_instant (*next)(const struct hf_run *run);
} stages[] = {
    [HF_RUN_CLAIMING] = {begin_claim, claim, next_watch},
    [HF_RUN_HOLDING] = {begin_hold, hold, next_look},
    [HF_RUN_KILLING] = {begin_kill, kill_rest, next_round},
    [HF_RUN_KEEPING] = {begin_keep, keep, next_keep},
    [HF_RUN_RELEASING] = {begin_release, release, next_give_up},
};

static void
move_to(struct hf_run *run, enum hf_run_stage next)
{
    while (next != run->stage) {
        run->stage = next;
        if (next != HF_RUN_OVER)
            next = stages[next].begin(run);
    }
}

/* ---- From beginning to end ----------------------------------------------- */

/* An error is found before anything is begun, or written. */
static enum hf_status
prepare(struct hf_run *run)
{
    const struct hf_run_order *order = run->order;
    enum hf_mode mode = order->shared ? HF_SHARED : HF_EXCLUSIVE;
    const struct {
        const char *option;
        const char *text;
    } wishes[] = {
        {HF_SPACE, order->target.space},
        {HF_IF_DEAD, hf_if_dead_word(order->if_dead)},
        {HF_TTL, order->ttl},
        {HF_BEAT, order->beat},
        {HF_GRACE, order->grace},
        {HF_WAIT, order->try_only ? "try" : order->wait},
        {HF_IF_SUSPECTED, order->waits_for_suspected ? "wait" : "fail"},
        {HF_REASON, order->reason},
        {HF_MODE, hf_mode_word(mode)},
    };
    enum hf_status status = hf_client_new(NULL, &run->client, &run->error);

    if (status == HF_OK)
        status = hf_lock_new(run->client, order->target.name, &run->lock,
                             &run->error);
    for (size_t i = 0; i < sizeof(wishes) / sizeof(wishes[0]); i++) {
        if (status == HF_OK && wishes[i].text != NULL)
            status = hf_lock_set(run->lock, wishes[i].option, wishes[i].text,
                                 &run->error);
    }
    for (size_t i = 1; status == HF_OK && order->names[i] != NULL; i++)
        status = hf_lock_add(run->lock, order->names[i], mode, &run->error);
    if (status == HF_OK)
        status = hf_lock_verify(run->lock, &run->error);
    if (status == HF_OK)
        run->wait = hf_lock_duration(run->lock, HF_WAIT);
    return status;
}

/* The guard comes before all that has threads: its fork must find one.  NULL,
 * or what could not be started, and errno. */
static const char *
make_ready(struct hf_run *run)
{
    const char *space = run->order->target.space;

    run->guard_terms.names = run->order->names;
    run->guard_terms.space = space != NULL ? space : "default";
    run->guard_terms.if_dead = run->order->if_dead;
    run->guard_terms.grace = hf_lock_duration(run->lock, HF_GRACE);
    run->guard_terms.leave = run->order->leave;
    run->guard_terms.command = run->order->command;
    run->guard_terms.quiet = run->silent;
    if (!hf_descendants_init(&run->descendants) ||
        !hf_guard_link_open(&run->link) || !hf_run_events_block(run))
        return "the guard";
    run->guard_terms.terminal = hf_command_terminal_open();
    run->guard = hf_guard_start(&run->link, &run->guard_terms);
    if (run->guard < 0)
        return "the guard, a second process";
    return hf_run_events_open(run) ? NULL : "listening for signals";
}

static void
finish(struct hf_run *run)
{
    if (run->guard > 0 && !run->guard_over) {
        (void)kill(run->guard, SIGKILL); /* it has no descendant */
        (void)waitpid(run->guard, NULL, 0);
    }
    hf_fd_close(&run->waits);
    hf_view_free(run->seen);
    if (!run->abandoned) { /* else a call that does not return may be under
                              way; the end of the process ends it */
        hf_lock_free(run->lock);
        (void)hf_client_close(run->client, HF_FOREVER);
    }
    hf_fd_close(&run->guard_terms.terminal);
    hf_guard_link_close(&run->link);
    hf_run_events_close(run);
}

/* "a", or "a and b". */
static void
quote_names(struct hf_run *run)
{
    const char *const *names = run->order->names;

    for (size_t i = 0; names[i] != NULL; i++) {
        if (i > 0)
            hf_text_add(&run->name, names[i + 1] == NULL ? " and " : ", ");
        hf_output_quote(&run->name, names[i]);
    }
}

static int
run_all(struct hf_run *run)
{
    enum hf_status status = prepare(run);
    const char *missing;

    if (status != HF_OK)
        return hf_say_failure(&run->error, status);
    quote_names(run);
    missing = make_ready(run);
    if (missing != NULL)
        return hf_run_words_cannot_start(missing);

    move_to(run, HF_RUN_CLAIMING);
    while (run->stage != HF_RUN_OVER) {
        hf_run_events_wait(run, stages[run->stage].next(run));
        move_to(run, stages[run->stage].go_on(run));
    }
    if (run->known == HF_LOST) {
        hf_run_events_let_end(run);
        hf_run_cleared_tell(run);
    }
    if (run->silent || run->order->json_fd >= 0) {
        hf_run_events_let_end(run);
        hf_run_words_json(run);
    }
    return run->code;
}

/*
 * A shell stops its script when a child *dies* of the keyboard's signal that
 * the shell got too, and goes on when the child only exits with 130.  So we die
 * of it if the command did, or if it ended our wait; and where the terminal
 * gave it to the command's group alone, our group, which is the script's, must
 * have it from us.
 */
static void
die_as_command(const struct hf_run *run, int code)
{
    int signal = code - HF_EXIT_SIGNAL;
    bool ran = run->done && run->end.end == HF_GUARD_LINK_RAN;
    bool typed = ran && run->end.had_terminal;
    bool heard;

    if (signal != SIGINT && signal != SIGQUIT)
        return;
    heard = sigismember(&run->heard, signal) == 1;
    if ((ran && !WIFSIGNALED(run->end.number)) || (!heard && !typed))
        return;
    hf_run_events_die(signal,
                      heard ? HF_RUN_DEATH_ALONE : HF_RUN_DEATH_OF_GROUP);
}

int
hf_run_loop(const struct hf_run_order *order)
{
    struct hf_run run = {
        .order = order,
        .name = HF_OUTPUT_BUFFER,
        .silent = order->target.json,
        .quiet = order->target.json || order->quiet,
        .link = {.holdfast_end = -1, .guard_end = -1, .holdfast_life = -1},
        .guard_terms = {.terminal = -1},
        .signals = -1,
        .alarm = -1,
        .waits = -1,
        .say_stop_at = HF_NEVER,
        .say_stop_pause = say_stop_pause,
        .kill_at = HF_NEVER,
        .give_up_at = HF_NEVER,
    };
    int code = run_all(&run);

    finish(&run);
    die_as_command(&run, code);
    return code;
}

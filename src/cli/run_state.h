#ifndef HF_CLI_RUN_STATE_H
#define HF_CLI_RUN_STATE_H

#include "base/clock.h"
#include "cli/waiting_line.h"
#include "descendants.h"
#include "guard_link.h"
#include "output.h"
#include "run_loop.h"

/*
 * Everything that a running `holdfast run` knows; private to run_loop.c (what
 * it does), run_open.c (how it opens the place), run_events.c (what it hears)
 * and run_words.c (what it says).  One thread's.
 */

enum hf_run_stage {
    HF_RUN_READY, /* nothing is begun */
    HF_RUN_CLAIMING,
    HF_RUN_HOLDING,
    HF_RUN_KILLING,
    HF_RUN_KEEPING,
    HF_RUN_RELEASING,
    HF_RUN_OVER,
};

struct hf_run {
    const struct hf_run_order *order;
    struct hf_text name; /* quoted, for messages */
    bool silent;         /* --json: one object at the end, nothing else */
    bool quiet;          /* that, or --quiet: nothing of what goes well */
    enum hf_run_stage stage;
    int code; /* the exit code, as far as it is known */

    /* The guard, and what it told. */
    struct hf_descendants descendants;
    struct hf_guard_link link;
    struct hf_guard_link_terms guard_terms;
    pid_t guard;
    bool guard_over; /* reaped */
    bool guard_hung_up;
    bool guard_told; /* it may have read the grant */
    bool guard_died; /* before it told of the end */
    bool let_go;     /* what is left of the command is nobody's */
    bool done;
    struct hf_guard_link_message end; /* what DONE said */

    /* Events. */
    int signals; /* a signalfd */
    int alarm;
    sigset_t ignored; /* when we were started: they end no wait */
    sigset_t heard;   /* so far */
    int stop_signal;  /* the first that asked us to give up; 0: none */
    unsigned stops;   /* how many of them, in this stage */
    struct hf_instant say_stop_at;
    struct hf_duration say_stop_pause; /* to the next time */
    bool abandoned; /* we leave at once, whatever is left behind */

    /* The lock. */
    struct hf_client *client; /* owned */
    struct hf_lock *lock;     /* owned */
    bool opened;              /* the place */
    struct hf_duration wait;  /* as asked for; 0: a try */
    struct hf_waiting_line line;
    int waits;                 /* for what, shown to others (waits.h) */
    struct hf_instant look_at; /* to see what is new without a notice */
    bool held_by_ours;         /* by a run that runs us: we gave it up */
    struct hf_view *seen;      /* owned; the last holder, once it is decided */
    enum hf_status status;     /* why there is no answer; HF_OK: there is */
    struct hf_error error;
    bool answered;           /* the claim had an outcome */
    enum hf_outcome outcome; /* this */
    enum hf_outcome known;   /* what was last seen of a lock that was granted */
    struct hf_instant right_until; /* what was last proved of it */
    bool killed;                   /* we had to KILL the descendants */
    bool cut; /* lost while it ran: we killed it before its guard
                                told of an end, and whatever it tells now */
    struct hf_instant kill_at;
    struct hf_instant keep_until; /* whatever becomes of the command */
    bool for_a_person;            /* it is left as it stands */
    struct hf_instant give_up_at; /* giving it back */
};

/* ---- run_open.c ---------------------------------------------------------- */

/*
 * Open the place, which may take as long as that does: a line says so, a first
 * signal to stop ends the process after 2 s, and a second one at once, for
 * nothing has been claimed yet.
 */
enum hf_status hf_run_open(struct hf_run *run);

/* ---- run_events.c -------------------------------------------------------- */

/* Block what is to be heard, and make the descriptors; false and errno.
 * Before the guard is forked: it inherits the mask. */
bool hf_run_events_block(struct hf_run *run);
bool hf_run_events_open(struct hf_run *run);
void hf_run_events_close(struct hf_run *run);

/* Wait for one event, or until the instant, and let *run know of all there are.
 * Every event comes in here, and here alone, once the place is open. */
void hf_run_events_wait(struct hf_run *run, struct hf_instant until);

/* A signal asked us to stop. */
void hf_run_events_stop(struct hf_run *run, int signal);

/* Was the command asked to stop, by us or by its terminal? */
bool hf_run_events_stopped(const struct hf_run *run);

/* Is it one of those, and was it not ignored when we were started? */
bool hf_run_events_stops(const struct hf_run *run, int signal);

/* What we must keep is given back, or was never had: from here on a signal to
 * stop ends us, also while we wait for the reader of stderr. */
void hf_run_events_let_end(const struct hf_run *run);

/* End this process by the signal of a Ctrl-C or Ctrl-\, as if we had never
 * listened for it; or send it to all of our process group, ourselves too. */
enum hf_run_death { HF_RUN_DEATH_ALONE, HF_RUN_DEATH_OF_GROUP };

_Noreturn void hf_run_events_die(int signal, enum hf_run_death death);

/* End it at once, since a signal to stop asks for that; also from a handler. */
_Noreturn void hf_run_events_leave(int signal);

/* Reap whatever has ended; false when no child is left, not even a stranger. */
bool hf_run_events_reap(struct hf_run *run);

/* ---- run_cleared.c ------------------------------------------------------- */

/* It was lost: say who cleared it, and why, if somebody did and nobody has said
 * so yet. */
void hf_run_cleared_tell(const struct hf_run *run);

/* ---- run_words.c --------------------------------------------------------- */

/* Those that end in _now never wait for the reader of stderr.  With --json
 * nothing is said but the answer. */
void hf_run_words_taken_over_now(const struct hf_run *run);
void hf_run_words_certainty_now(const struct hf_run *run,
                                enum hf_outcome outcome);
void hf_run_words_guard_now(const struct hf_run *run,
                            const struct hf_guard_link_message *message);
void hf_run_words_stopping_now(const struct hf_run *run);
void hf_run_words_cut_now(const struct hf_run *run);
void hf_run_words_keeping_now(const struct hf_run *run);

/* What a handler says while the place opens: a whole line. */
void hf_run_words_add_stopping(struct hf_text *out, const struct hf_run *run);

/* The record may be there, unbeaten; and: it is there, for a person. */
void hf_run_words_left_behind(const struct hf_run *run);
void hf_run_words_for_a_person(const struct hf_run *run);

/* Why it was not granted, or how the command ended; the exit code. */
int hf_run_words_refusal(const struct hf_run *run);
int hf_run_words_end(const struct hf_run *run);

/* --json: the whole answer as one line on stderr (stdout is the command's), or
 * where --json-fd says. */
void hf_run_words_json(const struct hf_run *run);

/* Say that we cannot start `what` (errno); the exit code. */
int hf_run_words_cannot_start(const char *what);

#endif

#ifndef HF_CLI_HOLD_STATE_H
#define HF_CLI_HOLD_STATE_H

#include <stdatomic.h>

#include "background.h"
#include "base/clock.h"
#include "descendants.h"
#include "guard_link.h"
#include "hold.h"
#include "line.h"
#include "phrase.h"

/*
 * Everything that a running `holdfast run` knows; private to the three files
 * hold.c (what it does), hold_events.c (what it hears) and hold_words.c (what
 * it says).  The main thread's, but for what the background owns while it runs.
 */

enum hf_hold_stage { HF_HOLD_CLAIMING, HF_HOLD_HOLDING, HF_HOLD_RELEASING };

struct hf_hold {
    const struct hf_hold_order *order;
    struct hf_text name; /* quoted, for messages */
    bool silent;         /* --json: one object at the end, nothing else */
    bool quiet;          /* that, or --quiet: nothing of what goes well */
    enum hf_hold_stage stage;

    /* The guard, and what it told. */
    struct hf_descendants descendants;
    struct hf_guard_link link;
    struct hf_guard_link_terms terms;
    pid_t guard;
    bool guard_over; /* reaped */
    bool guard_hung_up;
    bool guard_told; /* it may have read the grant */
    bool done;
    struct hf_guard_link_message end; /* what DONE said */

    /* What is heard. */
    int signals; /* a signalfd */
    int news;    /* an eventfd, written by the library's thread */
    int alarm;
    sigset_t ignored; /* when we were started: they end no wait */
    sigset_t heard;   /* so far */
    int stop_signal;  /* the first that asked us to give up; 0: none */
    unsigned stops;   /* how many of them, in this stage */
    struct hf_instant say_stop_at;
    struct hf_duration say_stop_pause; /* to the next time */
    struct hf_cancel *cancel;          /* owned */
    bool abandoned; /* we leave at once, whatever is left behind */

    /* What runs in the background, and what is its own meanwhile. */
    struct hf_background background;
    bool background_runs;
    _Atomic bool opened;
    _Atomic bool stopping; /* told to: the main thread says how it goes on */
    _Atomic bool switched; /* `cancel`, though no signal asked for it */
    struct hf_line line;
    struct hf_client *client; /* owned */
    enum hf_status status;
    struct hf_error error;
    struct hf_acquired answer;

    struct hf_lock *lock;  /* owned while held */
    enum hf_outcome known; /* what was last seen of it */
    bool killed;           /* we had to KILL the descendants */
    bool cut;              /* lost while it ran: we killed it before its guard
                             told of an end, and whatever it tells now */
    struct hf_instant kill_at;
};

/* ---- hold_events.c ------------------------------------------------------ */

/* Block what is to be heard, and make the descriptors; false and errno.
 * Before the guard is forked: it inherits the mask. */
bool hf_hold_events_block(struct hf_hold *h);
bool hf_hold_events_open(struct hf_hold *h);
void hf_hold_events_close(struct hf_hold *h);

/* What we must keep is given back, or was never had: from here on a signal to
 * stop ends us, also while we wait for the reader of stderr. */
void hf_hold_events_let_end(const struct hf_hold *h);

/* Wait for one event, or until the instant, and let *h know of all there are.
 * Every event of the main thread comes in here, and here alone. */
void hf_hold_events_wait(struct hf_hold *h, struct hf_instant until);

/* End this process by the signal of a Ctrl-C or Ctrl-\, as if we had never
 * listened for it; or send it to all of our process group, ourselves too. */
enum hf_hold_death { HF_HOLD_DEATH_ALONE, HF_HOLD_DEATH_OF_GROUP };

_Noreturn void hf_hold_events_die(int signal, enum hf_hold_death death);

/* Reap whatever has ended; false when no child is left, not even a stranger. */
bool hf_hold_events_reap(struct hf_hold *h);

/* ---- hold_words.c ------------------------------------------------------- */

/* Those that end in _now never wait for the reader of stderr.  With --json
 * nothing is said but the answer. */
void hf_hold_words_taken_over_now(const struct hf_hold *h);
void hf_hold_words_certainty_now(const struct hf_hold *h,
                                 enum hf_outcome outcome);
void hf_hold_words_guard_now(const struct hf_hold *h,
                             const struct hf_guard_link_message *message);
void hf_hold_words_stopping_now(const struct hf_hold *h);
void hf_hold_words_opening_now(const struct hf_hold *h);
void hf_hold_words_cut_now(const struct hf_hold *h);

/* The record may be there, unbeaten; and: it is there, for a person. */
void hf_hold_words_left_behind(const struct hf_hold *h);
void hf_hold_words_for_a_person(const struct hf_hold *h);

/* Why it was not granted, or how the command ended; the exit code. */
int hf_hold_words_refusal(const struct hf_hold *h);
int hf_hold_words_end(const struct hf_hold *h);

/* --json: the whole answer as one line on stderr (stdout is the command's).
 * answered: hf_acquire gave an outcome. */
void hf_hold_words_json(const struct hf_hold *h, int code, bool answered);

/* Say that we cannot start `what` (errno); the exit code. */
int hf_hold_words_cannot_start(const char *what);

#endif

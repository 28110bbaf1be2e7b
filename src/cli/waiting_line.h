#ifndef HF_CLI_WAITING_LINE_H
#define HF_CLI_WAITING_LINE_H

#include <stdbool.h>

#include <holdfast/holdfast.h>

#include "base/clock.h"

/*
 * The line that a waiting command says about the holder it waits for: on a
 * terminal one line, rewritten in place; elsewhere one line at the start, one
 * a minute, and one when the holder is first thought dead.  A place that does
 * not answer has lines of its own, with growing pauses.  A wait that ends
 * within half a second is not told.
 *
 * The lines go to stderr, and are dropped if its reader is slow.  The lock may
 * be granted in this moment, and a process that waits for a reader would then
 * hold it and do nothing.
 *
 * One thread at a time.  Plain data.
 */
enum hf_waiting_line_kind {
    HF_WAITING_LINE_HOLDER,     /* somebody has it */
    HF_WAITING_LINE_UNANSWERED, /* the place does not answer */
    /* It answers that it has no room for another waiter. */
    HF_WAITING_LINE_NO_ROOM,
    HF_WAITING_LINE_UNSETTLED, /* nor did it by the limit: is it ours? */
    HF_WAITING_LINE_KINDS,
};

/* A line of one kind, the last time. */
struct hf_waiting_line_said {
    bool begun;
    struct hf_instant at;
    struct hf_duration pause; /* to the next one */
};

/* Thrice in the first second: after half of it something is said, at its end at
 * the latest. */
enum {
    HF_WAITING_LINE_PAUSE_MS = 300,
    HF_WAITING_LINE_WAITS_SIZE = 1024,
};

struct hf_waiting_line {
    const char *verb;         /* "waiting for", "watching" or "clearing" */
    const char *name;         /* the lock's, quoted; borrowed */
    const char *place;        /* borrowed */
    struct hf_duration limit; /* of the wait */
    struct hf_duration most;  /* it goes on for so long at most; 0: not known */
    bool silent;              /* say nothing at all */
    bool waits_for_suspected; /* for such a holder of refuse, as was wished */
    bool terminal;
    bool open; /* our line stands on the terminal */
    struct hf_instant began_at;
    bool tells_waits;           /* what the holder itself waits for */
    struct hf_instant waits_at; /* to look for that again */
    struct hf_duration waits_pause;
    char waits
        [HF_WAITING_LINE_WAITS_SIZE]; /* what was seen of it; "": nothing */
    bool waits_said;
    bool place_said;            /* where we are in line */
    uint64_t waits_of;          /* the fence of that holder */
    struct hf_instant known_at; /* the place answered last, as we know */
    struct hf_waiting_line_said said[HF_WAITING_LINE_KINDS];
    enum hf_life life; /* that the last line of a holder said */
};

/* It begins to wait, without limit. */
void hf_waiting_line_init(struct hf_waiting_line *line, const char *verb,
                          const char *name, const char *place);

/* Say what is seen of the holder now, if there is anything to say.  Call it
 * when that changes, and each HF_WAITING_LINE_PAUSE_MS, since the times in a
 * line change by themselves. */
void hf_waiting_line_show(struct hf_waiting_line *line,
                          const struct hf_view *seen);

/* Take it off the terminal. */
void hf_waiting_line_end(struct hf_waiting_line *line);

#endif

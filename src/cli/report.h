#ifndef HF_CLI_REPORT_H
#define HF_CLI_REPORT_H

#include <holdfast/holdfast.h>

#include "output.h"
#include "target.h"

/*
 * Report: a lock and its holder in words: who, since when, the evidence, and
 * what to do, as commands to paste.
 */

/* The fields of a view, with their types. */
bool hf_report_exists(const struct hf_view *seen);
/* It is of a lock server, which tells the waiters, and of beats only the
 * last. */
bool hf_report_served(const struct hf_view *seen);

bool hf_report_corrupt(const struct hf_view *seen);
enum hf_life hf_report_life(const struct hf_view *seen);
uint64_t hf_report_fence(const struct hf_view *seen);
struct hf_duration hf_report_duration(const struct hf_view *seen,
                                      enum hf_field field);

/* The field's text, or "?" where it is empty: not known. */
const char *hf_report_known(const struct hf_view *seen, enum hf_field field);

/* "ann@db1"; what is not known is "?". */
void hf_report_who(struct hf_text *out, const struct hf_view *seen);

/* ", reason: deploy 12", or nothing where it gave none. */
void hf_report_add_reason(struct hf_text *out, const struct hf_view *seen);

/* ", runs: COMMAND"; nothing of a client that tells none. */
void hf_report_add_command(struct hf_text *out, const struct hf_view *seen);

/* "812 and 813", or "none listed". */
void hf_report_processes(struct hf_text *out, const struct hf_view *seen);

/*
 * "holdfast VERB [--at …] [--space …] EXTRA NAME", quoted for a shell.  --at
 * is named where the place was not the default; `place` is its URL.  extra
 * may be "".
 */
void hf_report_command(struct hf_text *out, const struct hf_cli_target *target,
                       const char *place, const char *verb, const char *extra);

/*
 * The steps before a clear: repair the work that was begun; and first end a
 * process of the holder that is still there, or may be on another host, which
 * is named, for it would go on beside the next holder.  One clause, without a
 * full stop.
 */
void hf_report_before_clear(struct hf_text *out, const struct hf_view *seen);

/* When it was by a wall clock, as "DATE (AGE)", with `after` behind the age;
 * "unknown" for what is no date. */
void hf_report_moment(struct hf_text *out, int64_t wall_ms, const char *after);

/* The command that clears the lock, with room for a reason.  Pasted late it
 * spares every holder but the one of `fence`; 0: it is not known. */
void hf_report_clear(struct hf_text *out, const struct hf_cli_target *target,
                     const char *place, uint64_t fence);

/* Lines, each with `indent` before it: the holder, its value, its life.
 * `watched`: there was a look for a sign of life, however short. */
void hf_report_holder(struct hf_text *out, const char *indent,
                      const struct hf_view *seen, bool watched);

/* It has no holder, and a lock server's line has a first: who it is, and why
 * it does not go.  One clause; false, and nothing: there is none. */
bool hf_report_first(struct hf_text *out, const struct hf_view *seen);

/* Say that it has no holder, and who is first in line, if anybody is;
 * returns the exit code. */
int hf_report_none(const struct hf_cli_target *target, const char *place,
                   const struct hf_view *seen);

/* Why a `run` was not granted its lock. */
struct hf_report_answer {
    enum hf_outcome outcome;
    const struct hf_view *seen; /* the last holder, or who is first in line;
                                   NULL: none */
    const char *const *names;   /* that were asked for; a NULL ends them */
    const char *asked;          /* ... as one phrase */
    struct hf_duration limit;   /* of the wait; zero: it was not to wait */
    bool gave_up_early;         /* on who is suspected dead */
};

/* All of it, with what to do. */
void hf_report_refusal(struct hf_text *out, const struct hf_cli_target *target,
                       const char *place,
                       const struct hf_report_answer *answer);

#endif

#ifndef HF_CLI_REPORT_H
#define HF_CLI_REPORT_H

#include <holdfast/holdfast.h>

#include "options.h"
#include "phrase.h"

/*
 * What the command tells a person about a lock and its holder: who, since
 * when, the evidence, and what to do, as commands to paste.
 */

/* `text`, or "?" where it is empty: not known. */
const char *hf_report_known(const char *text);

/* "ann@db1"; what is not known is "?". */
void hf_report_who(struct hf_text *out, const struct hf_description *record);

/* "812 and 813", or "none listed". */
void hf_report_processes(struct hf_text *out,
                         const struct hf_description *record);

/*
 * "holdfast VERB [--at …] [--space …] EXTRA NAME", quoted for a shell.  --at
 * is named where the place was not the default; `place` is its URL.  extra
 * may be "".
 */
void hf_report_command(struct hf_text *out, const struct hf_which *which,
                       const char *place, const char *verb, const char *extra);

/*
 * What must come before a clear: to put right what was begun, and, where a
 * process of the holder is still there, to end that first; it would go on
 * beside the next one.  One clause, without a full stop.
 */
void hf_report_before_clear(struct hf_text *out,
                            const struct hf_diagnosis *seen);

/* When it was by a wall clock, as "DATE (AGE)", with `after` behind the age;
 * "unknown" for what is no date. */
void hf_report_moment(struct hf_text *out, int64_t wall_ms, const char *after);

/* The command that clears the lock, with room for a reason.  Pasted late it
 * spares every holder but the one of `fence`; 0: it is not known. */
void hf_report_clear(struct hf_text *out, const struct hf_which *which,
                     const char *place, uint64_t fence);

/* Lines, each with `indent` before it: the holder, its value, its life. */
void hf_report_holder(struct hf_text *out, const char *indent,
                      const struct hf_diagnosis *seen);

/* Say that there is no such lock, and return the exit code. */
int hf_report_none(const struct hf_which *which, const char *place);

/* The whole answer of a `run` that was not granted. */
void hf_report_refusal(struct hf_text *out, const struct hf_which *which,
                       const char *place, const struct hf_acquired *answer,
                       struct hf_duration limit);

#endif

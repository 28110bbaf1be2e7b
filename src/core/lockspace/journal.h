#ifndef HF_CORE_LOCKSPACE_JOURNAL_H
#define HF_CORE_LOCKSPACE_JOURNAL_H

#include "core/lockspace/parts.h"

/*
 * Journal: the net change that the next batch must write, and the marks by
 * which an answer waits for it [J1, J2].
 *
 * Changes stand in a line in the order in which they were decided, each record
 * once at most.  A batch takes the line from its front, as far as it goes; so
 * whatever a change rests on is in the same batch or in one before.  A change
 * may be replaced where it stands only by one that gives back more: to give
 * back early is safe, to grant early is not.
 *
 *              put                  taken
 *   NOTHING ---------> PUT ------------------> stored
 *                       |  lower: stays          |  |  |
 *                drop,  |                  lower |  |  | void
 *                void   v                        v  |  v
 *                    NOTHING     stored, PUT <---+  |  stored, SWEEP --> free
 *                                    |   drop       v
 *                                    +---------> DELETE ---------------> free
 *
 * A grant that is cleared has a DELETE even if it was never stored, for the
 * audit is told of it [S6].
 *
 * O(1) for every change, O(names) to take one.
 */

/* A grant was made or lowered: write its record. */
void hf_journal_put(struct hf_lockspace *ls, uint32_t number);

/* A grant ended: delete what the store has of it. */
void hf_journal_drop(struct hf_lockspace *ls, uint32_t number);

/* Its session is over, which ends it in the store as well [S3]: delete its
 * record later. */
void hf_journal_void(struct hf_lockspace *ls, uint32_t number);

/* A session is over: delete its record; without a record, free it now. */
void hf_journal_end_session(struct hf_lockspace *ls, uint32_t number);

/* A loaded session stays silent: put into its record since when [S10]. */
void hf_journal_silence(struct hf_lockspace *ls, uint32_t number);

/* A message of a session came: its record must not count the silence before,
 * when the answer goes out [S10, J2]. */
void hf_journal_heard(struct hf_lockspace *ls, uint32_t number);

/* An answer is decided now: the mark that it waits for. */
uint64_t hf_journal_mark(struct hf_lockspace *ls);

/* Free an ENDED claim, unless a record or an answer still needs it. */
void hf_journal_settle(struct hf_lockspace *ls, uint32_t number);

/* hf_lockspace_begin, _take and _fix. */
void hf_journal_begin(struct hf_lockspace *ls, struct hf_budget budget);
bool hf_journal_take(struct hf_lockspace *ls, struct hf_change *change);
void hf_journal_fix(struct hf_lockspace *ls, struct hf_batch *batch);

/* An upper bound of the bytes of a record with these texts and its key. */
size_t hf_journal_grant_bytes(size_t names, size_t names_len, size_t note_len);
size_t hf_journal_session_bytes(size_t who_len);

/* The same for a clear: a delete and an audit of so many bytes. */
size_t hf_journal_clear_bytes(size_t audit_len);

#endif

#ifndef HF_JOURNAL_KINDS_H
#define HF_JOURNAL_KINDS_H

#include "journal/methods.h"

/* What those kinds of journal share that keep their rows in a database.  One
 * thread at a time on each journal. */

/* Need nobody who waits for the head be told of this write?  They hear of
 * batches twenty times a second at most, since *told_at is when they may be
 * told of the next; but at once of a head that begins a term or ends one. */
bool hf_kinds_is_quiet(struct hf_instant *told_at,
                       const struct hf_journal_write *write);

/* A table lock is there, or was left: HF_E_UNAVAILABLE, and *error names it. */
enum hf_status hf_kinds_refuse_lock(struct hf_bytes space, struct hf_bytes name,
                                    struct hf_error *error);

/* A number without a sign, in the order of a database's, which have one. */
uint64_t hf_kinds_order(int64_t id);

/* The secret and the word of a session's row, of which the rest is read; NULL
 * is no word.  What is none of ours gets no ttl, so that
 * hf_served_judge_session refuses it by its id. */
void hf_kinds_read_session(struct hf_loaded_session *session,
                           struct hf_bytes secret, const char *if_dead);

#endif

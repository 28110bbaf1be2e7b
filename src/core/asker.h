#ifndef HF_CORE_ASKER_H
#define HF_CORE_ASKER_H

#include "base/clock.h"

/*
 * Asker: one question at a time to a store that may answer late, twice or
 * never.
 *
 *             ask                 answered, or overdue
 *   quiet ----------> waiting -------------------------> quiet
 *
 * Questions are numbered.  An answer counts only while its question is the
 * one waited for: once a question was superseded, or called unknown because
 * it was overdue, its answer is ignored whenever it comes.  Between questions
 * that fail, the pauses grow.
 *
 * Plain data; not thread-safe; cannot fail.
 */

enum hf_question {
    HF_ASK_NOTHING,
    HF_ASK_READ,
    HF_ASK_CLAIM,
    HF_ASK_BEAT,
    HF_ASK_DELETE,
    HF_ASK_CLEAR,
};

/* The first pause after a failure; each further one is twice as long, up to
 * the patience that the asker was given, or to about a minute. */
#define HF_PAUSE_FIRST_MS 10

struct hf_asker {
    struct hf_duration patience; /* a question older than this is unknown */
    enum hf_question question;   /* the one waited for, or asked last */
    bool waiting;
    uint8_t failures;           /* in a row; stays at its maximum */
    uint64_t number;            /* of the last question; 0 before the first */
    struct hf_instant asked_at; /* when it was sent */
    struct hf_instant again_at; /* quiet: when to ask the next */
};

void hf_asker_init(struct hf_asker *asker, struct hf_duration patience);

/* Send the next question; one still waited for is superseded. */
void hf_asker_ask(struct hf_asker *asker, enum hf_question question,
                  struct hf_instant now);

/* Does this answer count?  If so the asker is quiet again. */
bool hf_asker_answered(struct hf_asker *asker, uint64_t number);

/* Is the question waited for overdue?  If so it is given up: quiet again. */
bool hf_asker_overdue(struct hf_asker *asker, struct hf_instant now);

/* The last question failed: ask again after a pause that grows. */
void hf_asker_pause(struct hf_asker *asker, struct hf_instant now);

/* The last question did not fail: ask the next at `when`. */
void hf_asker_rest(struct hf_asker *asker, struct hf_instant when);

/* Wait for no answer and ask nothing more. */
void hf_asker_stop(struct hf_asker *asker);

/* When something here falls due, or HF_NEVER. */
struct hf_instant hf_asker_deadline(const struct hf_asker *asker);

#endif

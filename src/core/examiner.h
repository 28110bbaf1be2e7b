#ifndef HF_CORE_EXAMINER_H
#define HF_CORE_EXAMINER_H

#include "core/event.h"
#include "core/evidence.h"
#include "core/question.h"

/*
 * Examiner: looks at one lock for a person, says whether its holder is alive,
 * and, when told to, clears it.
 *
 *          examine            present              dead, or force
 *   IDLE ---------> LOOKING ----------> WATCHING ------------------> CLEARING
 *                      |  absent           |  a proof, or            |
 *                      |                   |  the watch over         | applied,
 *                      v                   v                         v refused
 *                      +----------------> ENDED <--------------------+
 *
 * A clear deletes the record at the very version that was watched, so it never
 * touches a holder that beat, released or changed meanwhile; nor, if it was
 * told whom to clear, one that came before it looked.  Repeating it is
 * harmless; one that is left unsettled can still only delete that version.
 * One that is forced goes on at the version of a beat that fell between, but
 * never at another holder's.
 *
 * Not thread-safe.  Plain data.  No I/O, no allocation, no clock.
 */

enum hf_examiner_state {
    HF_EXAMINER_IDLE,
    HF_EXAMINER_LOOKING,
    HF_EXAMINER_WATCHING,
    HF_EXAMINER_CLEARING,
    HF_EXAMINER_ENDED,
};

struct hf_examiner_config {
    /* Longest watch for a sign of life; HF_FOREVER: up to the record's ttl; 0:
     * one read. */
    struct hf_duration watch;
    struct hf_duration patience; /* with a write; a read has more */
    bool clear;                  /* delete the record if its holder is dead */
    bool force;                  /* delete it without watching */
    uint64_t token;              /* clear only this token; 0: any */
};

/* What was concluded about the holder; the words are holdfast/view.h's. */
enum hf_finding {
    HF_FINDING_NONE,      /* neither proof was found while watching */
    HF_FINDING_ALIVE,     /* it beat, or another holder came */
    HF_FINDING_UNCHANGED, /* for its ttl: suspected dead */
    HF_FINDING_GONE,      /* every process it lists is gone */
};

struct hf_examiner {
    struct hf_examiner_config config;
    enum hf_examiner_state state;
    enum hf_status status;    /* ENDED: HF_OK, or why there is no answer */
    enum hf_sight_kind found; /* ENDED: what the last successful look showed */
    enum hf_finding finding;
    bool cleared;
    struct hf_question question;
    struct hf_evidence evidence;
    enum hf_proof asked_with; /* what the present read would prove */
    uint64_t version;         /* the version that a clear deletes */
    uint64_t first_clear;     /* number of the first clear that was sent */
    uint8_t again;            /* forced: how often a beat came between */
    bool answered;            /* some look succeeded */
    bool unsettled;           /* the result of a clear is unknown */
    struct hf_outbox outbox;
};

void hf_examiner_init(struct hf_examiner *x,
                      const struct hf_examiner_config *config);

/* Apply one event: EXAMINE (when IDLE), ANSWER, FOUND, PROCESSES, HINT, CLOCK,
 * CANCEL, WENT_BACK, ABANDON; what does not fit the state is ignored.  Drain
 * hf_examiner_next before the next step. */
void hf_examiner_step(struct hf_examiner *x, struct hf_event event);

/* Take the oldest effect not yet taken; false when there is none left. */
bool hf_examiner_next(struct hf_examiner *x, struct hf_effect *effect);

/* The question that is out, built anew. */
void hf_examiner_request(const struct hf_examiner *x,
                         struct hf_request *request);

/* When to send the next HF_ON_CLOCK, or HF_NEVER. */
struct hf_instant hf_examiner_deadline(const struct hf_examiner *x);

/* Does it wait for the answer to a question, and to which? */
bool hf_examiner_asking(const struct hf_examiner *x, uint64_t *number);

/* Is it waiting for the record to change, and from which version? */
bool hf_examiner_watching(const struct hf_examiner *x, uint64_t *version);

#endif

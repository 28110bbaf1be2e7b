#ifndef HF_CORE_CONTENDER_H
#define HF_CORE_CONTENDER_H

#include "core/evidence.h"
#include "core/keeper.h"
#include "core/outcome.h"

/*
 * Contender: one wish for one lock, from the first look to the last settled
 * write.  It reads and judges; its keeper writes.
 *
 *          acquire            present
 *   IDLE ---------> LOOKING ----------> WATCHING --+ limit, a sign of life
 *                    ^  |  absent    dead |        | under `try`, a refuse
 *           not mine |  +------+ +--------+        | holder gone, cancel
 *                    |         v v  takeover       |
 *                    +------ CLAIMING              |
 *                    granted |  | limit, cancel    |
 *                            v  |                  v
 *                      HOLDING  |                ENDED
 *          release, right over  |                  ^
 *                            |  v                  |
 *                            LEAVING --------------+
 *                                      settled
 *
 * The holder's terms bind: a record of HF_REFUSE is never overridden, whatever
 * this contender's own.  A refuse holder that is gone ends the wait at once;
 * one that stood unchanged for its ttl is said to be suspected at once, and
 * ends the wait at the limit, or at once if that was wished for.
 *
 * The limit bounds waiting, not settling: a claim whose answer was lost is
 * settled in LEAVING, however long that takes, or until abandon.
 *
 * Not thread-safe.  Plain data: copying with `=` is a snapshot.  No I/O, no
 * allocation, no clock.
 */

enum hf_contender_state {
    HF_CONTENDER_IDLE,
    HF_CONTENDER_LOOKING,  /* nothing is known: a read is out, or will be */
    HF_CONTENDER_WATCHING, /* somebody else's lock is there */
    HF_CONTENDER_CLAIMING, /* the keeper claims or confirms */
    HF_CONTENDER_HOLDING,  /* granted; the keeper beats */
    HF_CONTENDER_LEAVING,  /* the keeper settles */
    HF_CONTENDER_ENDED,    /* see status and outcome */
};

struct hf_contender_config {
    struct hf_terms terms;    /* see hf_terms_valid */
    struct hf_duration grace; /* a right shorter than this is not granted */
    struct hf_duration limit; /* longest wait; HF_FOREVER: none */
    /* Wait only for the first sign of life.  `limit`, by default a ttl, then
     * bounds a place that stops answering, but not the look for that sign.  A
     * place that never answers, or takes no claim, is given up after 2 s at
     * most. */
    bool try_only;
    bool fail_suspected; /* a suspected refuse holder ends the wait */
    /* A place that never answered is waited for to the limit; else it is given
     * up after a few looks. */
    bool waits_for_place;
    /* For so long it was asked in vain before; 0: it answered, or was not. */
    struct hf_duration silent;
    uint64_t seed; /* random: the claims' ids come from it */
};

struct hf_contender {
    struct hf_duration limit;
    uint64_t seed;
    uint64_t claims; /* made so far after a look; numbers their ids */
    uint64_t left;   /* IDLE: see hf_contender_return */
    struct hf_instant limit_at; /* when the wait ends */
    struct hf_evidence evidence;
    uint64_t claimed_version; /* of the last claim */
    /* ENDED: a write took so long that no lock can be granted; 0: it did not
     * fail by that. */
    struct hf_duration too_slow;
    enum hf_contender_state state;
    enum hf_status status;     /* ENDED: HF_OK, or why there is no answer */
    enum hf_outcome outcome;   /* ENDED with HF_OK, or LEAVING */
    enum hf_proof asked_with;  /* what the present read would prove */
    struct hf_duration silent; /* before it began */
    bool try_only;
    bool fail_suspected;
    bool waits_for_place;
    bool suspected;          /* its user was told, of this version */
    bool failing;            /* the last look failed */
    bool answered;           /* some look succeeded */
    struct hf_keeper keeper; /* its question carries our reads too */
    struct hf_outbox outbox;
};

void hf_contender_init(struct hf_contender *c,
                       const struct hf_contender_config *config);

/* Before ACQUIRE: start from what another contender of this process saw of the
 * record, at a place that answered it.  The evidence is about the record, no
 * matter who looked; beat_seen and same_holder must be true since this one
 * began to wait. */
void hf_contender_inherit(struct hf_contender *c,
                          const struct hf_evidence *evidence);

/* Before ACQUIRE: this process has left the record absent at that version, as
 * the answer to its own delete said.  It is claimed there without a look, which
 * is refused if anything has become of it since; then it is looked at. */
void hf_contender_return(struct hf_contender *c, uint64_t version);

/* Apply one event: ACQUIRE (when IDLE), ANSWER, FOUND, PROCESSES, HINT, WRITE,
 * CLOCK, RELEASE, CANCEL, WENT_BACK, ABANDON.  An event that does not fit the
 * state is ignored.  Drain hf_contender_next before the next step. */
void hf_contender_step(struct hf_contender *c, struct hf_event event);

/* Take the oldest effect not yet taken; false when there is none left. */
bool hf_contender_next(struct hf_contender *c, struct hf_effect *effect);

/* When to send the next HF_ON_CLOCK, or HF_NEVER. */
struct hf_instant hf_contender_deadline(const struct hf_contender *c);

/* Is it held at `now`?  HF_GRANTED, HF_IN_DOUBT, HF_LOST or HF_NOT_HELD.
 * Once HF_LOST, never again HF_GRANTED. */
enum hf_outcome hf_contender_check(const struct hf_contender *c,
                                   struct hf_instant now);

/* What it waits for, WATCHING or LOOKING.  `evidence` is what the waiter itself
 * saw: so all that wait in one process are told by one rule. */
struct hf_blocker hf_contender_blocker(const struct hf_contender *c,
                                       const struct hf_evidence *evidence);

/* Does it wait for an answer, and to which question?  An older question was
 * replaced, and need not be sent any more. */
bool hf_contender_asking(const struct hf_contender *c, uint64_t *number);

/* Does it wait for the record to change, and from which version?  A shell that
 * can should then send a HINT on a change. */
bool hf_contender_watching(const struct hf_contender *c, uint64_t *version);

#endif

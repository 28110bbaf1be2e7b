#ifndef HF_CORE_EVIDENCE_H
#define HF_CORE_EVIDENCE_H

#include <holdfast/view.h>

#include "core/event.h"

/*
 * Evidence: what a waiter has seen of one holder, and what that proves.
 *
 * A record is dead when its version stood unchanged for its own ttl, on the
 * waiter's clock, counted from the arrival of the answer that first showed that
 * version; or when all processes it lists are gone from this host.  Either
 * counts only if a read *sent after* the evidence still shows that version: so
 * ask hf_evidence_proof() when a read is sent, and believe it when the answer
 * shows no change.
 *
 * A store may promise for how long a version has stood (hf_sight).  Where that
 * is the ttl of a takeover lock, one read is a proof by itself: a waiter that
 * had been there from the start would have seen no more.  A refuse lock is not
 * judged by a promise about a clock.
 *
 * Plain data; not thread-safe; cannot fail.
 */

enum hf_proof {
    HF_PROOF_NONE,
    HF_PROOF_UNCHANGED, /* for its ttl: suspected dead */
    HF_PROOF_GONE,      /* every process it lists is gone */
};

struct hf_evidence {
    bool present;     /* a lock was there at the last look */
    bool beat_seen;   /* the version changed under one token */
    bool same_holder; /* every look since the first showed one token */
    bool running;     /* a process of this holder was seen */
    bool gone;        /* all processes listed at this version are gone */
    uint64_t version;
    uint64_t token;
    struct hf_terms terms;
    struct hf_instant first_at; /* when a lock was first seen here */
    struct hf_instant shown_at; /* when this version was first shown */
};

/* Take in a lock that a read showed at `now`.  Returns whether it is the
 * version already seen. */
bool hf_evidence_lock(struct hf_evidence *e, const struct hf_sight *sight,
                      struct hf_instant now);

/* A read showed no lock. */
void hf_evidence_absent(struct hf_evidence *e);

/* What the host says about the processes listed at `version`; ignored if that
 * is not the version seen last. */
void hf_evidence_processes(struct hf_evidence *e, uint64_t version, bool gone);

/* What a read sent at `now` proves if it shows this version again. */
enum hf_proof hf_evidence_proof(const struct hf_evidence *e,
                                struct hf_instant now);

/* Does this read of a lock prove by itself that its holder is dead? */
bool hf_evidence_by_stamp(const struct hf_sight *sight);

/* How long until a read may do so, if nothing changes; HF_FOREVER: none will,
 * as far as is known. */
struct hf_duration hf_evidence_stamp_in(const struct hf_sight *sight);

/* When the lock will have stood unchanged for its ttl; HF_NEVER if absent. */
struct hf_instant hf_evidence_stale_at(const struct hf_evidence *e);

/* Is a holder alive, by what a lock server knows of its session?  BEATING: it
 * was heard within half of its ttl.  SUSPECTED: the server suspects it.
 * UNKNOWN: it is silent, or the leader has not heard it yet. */
enum hf_life hf_evidence_of_session(bool suspected, bool heard,
                                    struct hf_duration silent,
                                    struct hf_duration ttl);

#endif

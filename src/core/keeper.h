#ifndef HF_CORE_KEEPER_H
#define HF_CORE_KEEPER_H

#include "core/asker.h"
#include "core/event.h"

/*
 * Keeper: owns one claim on one lock's record, from the first write that makes
 * it to the answer that proves nothing of it is left.
 *
 *           claim                applied, in time
 *   IDLE ----------> CLAIMING ---------------------> HELD <---------+
 *    ^  ^             |  |  |                        |  ^ |         | applied
 *    |  |  not mine   |  |  | late, or a read        |  | | right   |
 *    |  +-------------+  |  | shows mine             |  | | over    |
 *    |                   |  v               applied, |  | v         |
 *    |    not mine       |  CONFIRMING ------in time--+--+ IN_DOUBT -+
 *    |<------------------|-----+   |                 |    (refuse)
 *    |                   | release | release         | release, or | release
 *    |    settled        v         v                 v right over  v
 *    +<-------------- SETTLING <---------------------+-------------+
 *
 * (HELD and IN_DOUBT go straight to IDLE when a read shows not mine; every
 * state does on abandon.)
 *
 * The promise: a keeper that is HELD at instant t has proof that no other
 * waiter can be granted the lock before t, if it is a takeover lock, and that
 * no waiter can be granted it at all, if it is a refuse lock.  The proof is
 * counted from the sending of the last write that was applied, never from an
 * answer's arrival; what a read shows as mine gives version and token but no
 * right.  And: a keeper that is IDLE, unless abandoned, has no write under way
 * that could still apply, and no record.
 *
 * Why one version is enough: every write names the version it expects, and a
 * version never comes back.  All unsettled writes of a keeper name `version`,
 * so once the record is known to be past it, none of them can apply.
 *
 * Not thread-safe.  Plain data: copying with `=` is a snapshot.  No I/O, no
 * allocation, no clock.
 */

enum hf_keeper_state {
    HF_KEEPER_IDLE,
    HF_KEEPER_CLAIMING,   /* a claim was sent, and is not settled */
    HF_KEEPER_CONFIRMING, /* the record is ours, without right: beat first */
    HF_KEEPER_HELD,
    HF_KEEPER_IN_DOUBT, /* refuse: past the right, and still beating */
    HF_KEEPER_SETTLING, /* deleting, until nothing can be left */
};

struct hf_keeper_config {
    struct hf_terms terms;     /* see hf_terms_valid */
    struct hf_duration grace;  /* a right shorter than this is not granted */
    struct hf_duration margin; /* see hf_margin */
};

struct hf_keeper {
    struct hf_keeper_config config;
    enum hf_keeper_state state;
    struct hf_asker asker;
    struct hf_heartbeat heartbeat; /* as last known to be applied */
    uint64_t version;              /* that the next write expects */
    uint64_t token;                /* the fence; 0 until known */
    uint64_t over;                 /* token of the marker still to erase */
    struct hf_instant right_until; /* nobody else before this */
    bool unsettled;                /* a claim's answer was never learnt */
    bool must_read;                /* a refusal leads to a read */
    struct hf_outbox outbox;
};

void hf_keeper_init(struct hf_keeper *k, const struct hf_keeper_config *config);

/* Apply one event: CLAIM (when IDLE), ANSWER, FOUND, CLOCK, RELEASE (also to
 * give up a claim), HINT (others beat now: beat if it is nearly due), ABANDON.
 * Drain hf_keeper_next before the next step. */
void hf_keeper_step(struct hf_keeper *k, struct hf_event event);

/* Take the oldest effect not yet taken; false when there is none left. */
bool hf_keeper_next(struct hf_keeper *k, struct hf_effect *effect);

/* When to send the next HF_ON_CLOCK, or HF_NEVER. */
struct hf_instant hf_keeper_deadline(const struct hf_keeper *k);

/* The question that is out, built anew: hf_keeper_next and the contender. */
void hf_keeper_request(const struct hf_keeper *k, struct hf_request *request);

#endif

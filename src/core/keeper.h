#ifndef HF_CORE_KEEPER_H
#define HF_CORE_KEEPER_H

#include "core/event.h"
#include "core/inflight.h"
#include "core/question.h"

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
 * state does on abandon.  When the place went back, HELD goes to IN_DOUBT under
 * refuse, and to SETTLING under takeover.)
 *
 * The promise: a keeper that is HELD at instant t has proof that no other
 * waiter can be granted the lock before t, if it is a takeover lock, and that
 * no waiter can be granted it at all, if it is a refuse lock.  The proof is
 * counted from the sending of the last write that was applied, never from an
 * answer's arrival; what a read shows as mine gives version and token but no
 * right.  And: a keeper that is IDLE, unless abandoned, has no record, and no
 * put under way that could still apply.
 *
 * Why one version is enough: every write names the version it expects, and a
 * version never comes back.  All unsettled writes of a keeper name `version`,
 * so once the record is known to be past it, none of them can apply.
 *
 * Why answers that come late count: *applied* and *refused* are facts about the
 * write that they answer, whenever they come, and a place may be slower than
 * anybody's patience.  A write that was applied gives the right that its own
 * sending gives, never that of a later one.  So the last writes are remembered
 * by their numbers.
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
    struct hf_question question;
    struct hf_heartbeat heartbeat; /* as last known to be applied */
    uint64_t version;              /* that the next write expects */
    uint64_t token;                /* the fence; 0 until known */
    uint64_t over;                 /* token of the marker still to erase */
    struct hf_instant right_until; /* nobody else before this */
    bool must_read;                /* a refusal leads to a read */
    struct hf_inflight inflight;   /* writes of which nothing is known yet */
    struct hf_outbox outbox;
};

void hf_keeper_init(struct hf_keeper *k, const struct hf_keeper_config *config);

/* Apply one event: CLAIM (when IDLE), ANSWER, FOUND, CLOCK, RELEASE (also to
 * give up a claim), HINT (others beat now: beat if it is nearly due),
 * WRITE (beat at once, unless a question is out, or a pause after one that
 * failed), WENT_BACK, ABANDON.  Drain hf_keeper_next before the next step. */
void hf_keeper_step(struct hf_keeper *k, struct hf_event event);

/* Take the oldest effect not yet taken; false when there is none left. */
bool hf_keeper_next(struct hf_keeper *k, struct hf_effect *effect);

/* Would HF_ON_WRITE make it beat?  Not while a beat is under way, nor in the
 * pause after one that failed. */
bool hf_keeper_may_write(const struct hf_keeper *k);

/* When to send the next HF_ON_CLOCK, or HF_NEVER. */
struct hf_instant hf_keeper_deadline(const struct hf_keeper *k);

/* The question that is out, built anew: hf_keeper_next and the contender. */
void hf_keeper_request(const struct hf_keeper *k, struct hf_request *request);

/* May a claim apply, or have been applied, whose answer is not waited for? */
bool hf_keeper_unsettled(const struct hf_keeper *k);

/* The slowest write with which a lock of these terms can be granted: while one
 * is under way, there is time for another, and for grace. */
struct hf_duration hf_keeper_slowest(const struct hf_keeper_config *config);

#endif

#ifndef HF_CORE_OP_H
#define HF_CORE_OP_H

#include <stdbool.h>
#include <stdint.h>

#include "core/terms.h"

/*
 * Store operations as data: what the machines ask for, and what comes back.
 *
 * Storage is a correspondent, not a call.  A request goes out as an effect,
 * numbered; its answer comes back as an event, perhaps late, twice or never.
 * Plain data, no pointers: copying is a snapshot.
 */

/* What a store did with a group of operations. */
enum hf_verdict {
    HF_APPLIED,     /* all of it, durably */
    HF_REFUSED,     /* nothing: an expectation did not hold */
    HF_UNKNOWN,     /* it may have happened, and may yet happen at any time */
    HF_UNAVAILABLE, /* surely nothing, now or later */
};

enum hf_op_kind {
    HF_PUT,    /* write the value */
    HF_DELETE, /* leave a tombstone; on a tombstone or on nothing it applies
                  too, and raises the version */
    HF_ERASE,  /* leave nothing, or a tombstone where something was; guarded
                  keys only */
};

/*
 * What must be true of a key for an operation on it to apply.  A key is
 * *guarded* when another operation of its group names an exact version, so
 * that the group can apply once at most; only then may the version be left
 * open.
 */
enum hf_expect_kind {
    HF_EXPECT_VERSION,  /* the record's, the tombstone's, or the floor */
    HF_EXPECT_ABSENT,   /* no record, whatever the version; guarded */
    HF_EXPECT_ANYTHING, /* guarded */
};

struct hf_expect {
    enum hf_expect_kind kind;
    uint64_t version; /* HF_EXPECT_VERSION */
};

/* "<id>_<count>": the claim, and how often its holder has beaten. */
struct hf_heartbeat {
    uint64_t id; /* random, below 2^63 */
    uint64_t count;
};

/* Which record of a lock an operation is about. */
enum hf_target {
    HF_TARGET_LOCK,   /* the lock's own record */
    HF_TARGET_MARKER, /* space !RECLAIM: the lock, and the token taken over */
    HF_TARGET_AUDIT,  /* space !audit: the lock, and the version cleared */
};

struct hf_op {
    enum hf_op_kind kind;
    enum hf_target target;
    struct hf_expect expect;
    bool new_generation;           /* HF_PUT: token := its new version */
    uint64_t subject;              /* MARKER: token; AUDIT: version */
    struct hf_heartbeat heartbeat; /* HF_PUT on LOCK, as terms */
    struct hf_terms terms;
};

#define HF_REQUEST_OPS 2 /* a takeover and a clear have two */

/* One question to the store: a read of the lock's record, or one group. */
struct hf_request {
    uint64_t number; /* names this question; echoed in its answer */
    bool read;
    unsigned ops_count; /* 0 for a read */
    struct hf_op ops[HF_REQUEST_OPS];
};

/* What a read showed. */
enum hf_sight_kind {
    HF_SIGHT_LOCK,    /* a record of ours: every field is set */
    HF_SIGHT_ABSENT,  /* nothing, or a tombstone: version to expect is set */
    HF_SIGHT_CORRUPT, /* a value that is not ours: version and token are set */
    HF_SIGHT_NONE,    /* the read failed; nothing is known */
};

struct hf_sight {
    enum hf_sight_kind kind;
    uint64_t version;
    uint64_t token;
    struct hf_heartbeat heartbeat;
    struct hf_terms terms;
    /* LOCK: for at least so long the store had shown this version when it was
     * read, whoever looked; 0: nothing is known. */
    struct hf_duration stood;
};

/* "applied", "lock", ...: for traces and tests.  Static strings. */
const char *hf_verdict_word(enum hf_verdict verdict);
const char *hf_op_kind_word(enum hf_op_kind kind);
const char *hf_target_word(enum hf_target target);

#endif

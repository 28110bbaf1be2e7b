#ifndef HF_STORE_RULE_H
#define HF_STORE_RULE_H

#include <stdbool.h>
#include <stdint.h>

#include "store/methods.h"

/*
 * The rules of the store contract that every store obeys in the same way:
 * when an operation applies, and which version follows.  Pure functions.
 */

/* What stands under a key. */
struct hf_rule_found {
    bool present;     /* a record or a tombstone */
    bool exists;      /* a record */
    uint64_t version; /* the one to expect: its own, or the floor */
    uint64_t token;   /* 0 where nothing is */
};

/* A version beyond this is not ours: no clock and no count gets there. */
#define HF_RULE_VERSION_MAX ((uint64_t)1 << 62)

/* The wall clock, in µs, of which a version may be made: not before 2025, when
 * there was no Holdfast, and, so that every version is a whole number to those
 * who read JSON with floating point (2^53), not beyond 2^52, in 2112. */
#define HF_RULE_CLOCK_MIN_US ((int64_t)1735689600 * 1000000)
#define HF_RULE_CLOCK_MAX_US ((int64_t)1 << 52)

/* The space whose records are purged as tombstones are. */
#define HF_RULE_MARKERS "!RECLAIM"

/* What a purge may remove has a stamp (Unix ms) that is not after this. */
int64_t hf_rule_purge_before(struct hf_duration age);

/*
 * Does the expectation of `op` hold?  A put that begins no new generation also
 * expects a record, whose token it keeps.
 */
bool hf_rule_applies(const struct hf_store_op *op,
                     const struct hf_rule_found *found);

/*
 * May this group be tried at all?  HF_E_LIMIT: a value is too long.  Misuse
 * that only a bug of ours can cause (no operations, an open expectation
 * without a guard, one key twice) fails a check.
 */
HF_MUST_USE enum hf_status hf_rule_admit(const struct hf_store_group *group,
                                         struct hf_error *error);

/* Does it claim a table lock: begin a generation in a space of users? */
bool hf_rule_claims(const struct hf_store_group *group);

/* May it, where this is the record of a lock server's head?  HF_E_UNAVAILABLE:
 * a node leads, or did and left locks to their holders, and *error names it; or
 * it cannot be read. */
HF_MUST_USE enum hf_status hf_rule_unserved(const char *head, size_t len,
                                            struct hf_error *error);

/* May the key's version grow by one?  HF_E_CORRUPT if not. */
HF_MUST_USE enum hf_status hf_rule_grow(const struct hf_store_op *op,
                                        const struct hf_rule_found *found,
                                        struct hf_error *error);

/* The wall clock, if versions may be made of it.  HF_E_UNAVAILABLE: it is
 * wrong, and *error says so.  *now_us is untouched unless HF_OK. */
HF_MUST_USE enum hf_status hf_rule_clock(int64_t *now_us,
                                         struct hf_error *error);

/* The version that follows on what was found, at a time of hf_rule_clock. */
uint64_t hf_rule_next(const struct hf_rule_found *found, int64_t now_us);

/* Does the name begin with the scan's prefix, and does it come after the one
 * that the scan goes on from?  By bytes; a name may hold any. */
bool hf_rule_has_prefix(const struct hf_store_scan *scan, const char *name,
                        size_t name_len);
bool hf_rule_comes_after(const struct hf_store_scan *scan, const char *name,
                         size_t name_len);

/* Give every group one verdict. */
void hf_rule_judge(struct hf_store_group *groups, size_t groups_count,
                   enum hf_verdict verdict);

/* Turn each group that is `from` into `to`, which is not HF_APPLIED, and
 * take its operations' versions back. */
void hf_rule_rejudge(struct hf_store_group *groups, size_t groups_count,
                     enum hf_verdict from, enum hf_verdict to);

#endif

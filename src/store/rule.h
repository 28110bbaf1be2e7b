#ifndef HF_STORE_RULE_H
#define HF_STORE_RULE_H

#include <stdbool.h>
#include <stdint.h>

#include "store/methods.h"

/* The rules that all stores obey in the same way: when an operation applies,
 * and which version follows.  Pure functions. */

/* What was found under a key. */
struct hf_rule_found {
    bool present;     /* a record or a tombstone */
    bool exists;      /* a record */
    uint64_t version; /* the version to expect: the row's own, or the floor */
    uint64_t token;   /* 0 if there is no row */
};

/* No clock and no count reaches this version: a greater one is not ours. */
#define HF_RULE_VERSION_MAX ((uint64_t)1 << 62)

/* The wall clock, in µs, of which a version may be made: not before 2025, when
 * there was no Holdfast, and, so that every version is a whole number to those
 * who read JSON with floating point (2^53), not beyond 2^52, in 2112. */
#define HF_RULE_CLOCK_MIN_US ((int64_t)1735689600 * 1000000)
#define HF_RULE_CLOCK_MAX_US ((int64_t)1 << 52)

/* The space whose records are purged like tombstones. */
#define HF_RULE_MARKERS "!RECLAIM"

/* A purge may remove rows with a stamp (Unix ms) up to this. */
int64_t hf_rule_purge_before(struct hf_duration age);

/* Does the expectation of `op` hold?  A put that begins no new generation also
 * expects a record, and keeps its token. */
bool hf_rule_applies(const struct hf_store_op *op,
                     const struct hf_rule_found *found);

/* May this group be tried?  HF_E_LIMIT: a value is too long.  A mistake that
 * only a bug of ours can cause (no operations, an open expectation without a
 * guard, a key twice) fails a check. */
HF_MUST_USE enum hf_status hf_rule_admit(const struct hf_store_group *group,
                                         struct hf_error *error);

/* Does it claim a table lock: begin a generation in a space of users? */
bool hf_rule_claims(const struct hf_store_group *group);

/* May a table lock be claimed, given the record of a lock server's head, in the
 * place of this kind and path?  HF_E_UNAVAILABLE: a node leads, or did and left
 * locks to their holders; *error names it.  Or the record cannot be read. */
HF_MUST_USE enum hf_status hf_rule_unserved(const char *kind, const char *path,
                                            const char *head, size_t len,
                                            struct hf_error *error);

/* May the key's version grow by one?  HF_E_CORRUPT: no. */
HF_MUST_USE enum hf_status hf_rule_grow(const struct hf_store_op *op,
                                        const struct hf_rule_found *found,
                                        struct hf_error *error);

/* The wall clock, if it may be used for versions.  HF_E_UNAVAILABLE: it is
 * wrong, and *error says so.  *now_us is untouched unless HF_OK. */
HF_MUST_USE enum hf_status hf_rule_clock(int64_t *now_us,
                                         struct hf_error *error);

/* The version that follows the one found, at a time from hf_rule_clock. */
uint64_t hf_rule_next(const struct hf_rule_found *found, int64_t now_us);

/* Does the name begin with the scan's prefix, and come after the name from
 * which the scan goes on?  Compared by bytes. */
bool hf_rule_has_prefix(const struct hf_store_scan *scan, const char *name,
                        size_t name_len);
bool hf_rule_comes_after(const struct hf_store_scan *scan, const char *name,
                         size_t name_len);

/* When the first of the groups has no use for an answer any more; at most
 * `until`.  So long the rule of silence has for all of them (silence.h): a lock
 * that is given little time may share its commit with one that has an hour. */
struct hf_instant hf_rule_soonest(const struct hf_store_group *groups,
                                  size_t groups_count, struct hf_instant until);

/* Give all groups one verdict. */
void hf_rule_judge(struct hf_store_group *groups, size_t groups_count,
                   enum hf_verdict verdict);

/* Change each verdict `from` into `to`, which is not HF_APPLIED, and take the
 * versions of these groups back. */
void hf_rule_rejudge(struct hf_store_group *groups, size_t groups_count,
                     enum hf_verdict from, enum hf_verdict to);

#endif

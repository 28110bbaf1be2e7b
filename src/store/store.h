#ifndef HF_STORE_STORE_H
#define HF_STORE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <holdfast/holdfast.h>

#include "base/clock.h"
#include "base/limits.h"
#include "core/op.h"
#include "store/place.h"

/*
 * The store contract.  A store keeps records: a key (space, name), a version,
 * a token, a stamp (the store's wall clock, Unix ms, for people) and a value.
 * A deleted record leaves a tombstone: hidden, but it keeps its version.
 *
 * Versions.  A key's version is greater than every version the key ever had:
 * the wall clock in µs when it was written, or one more than the version
 * before, whichever is greater.  So what was deleted or restored from a backup
 * repeats none either, as long as the clock is right; a clock before 2025 or
 * beyond 2^52 µs (2112) makes every write, and the making of a new place,
 * *unavailable*.
 * Where a key has neither record nor tombstone, the version to expect is the
 * store's *floor*; an operation that expects a version there applies only at
 * exactly the floor.  Purging tombstones raises the floor above every version
 * purged.  So nothing is ever expected absent twice at one version, and a
 * write that arrives late applies to nothing.  A new store's floor is the wall
 * clock in µs.
 *
 * Memory: a store belongs to the caller until closed.  Keys and values given
 * to a call are borrowed for that call.
 * Threads: one call at a time on one store, from any thread; calls block.
 * Processes: any number of stores may be open on one place.
 *
 * Every store passes the one suite in test/conformance.
 */

struct hf_store;

struct hf_key {
    const char *space; /* NUL-terminated UTF-8; borrowed */
    const char *name;
};

/* What a read of one key shows.  `value` has HF_VALUE_MAX bytes at most. */
struct hf_record {
    bool exists; /* false: only version is set, the one to expect */
    uint64_t version;
    uint64_t token;   /* the version at which this generation began */
    int64_t stamp_ms; /* of the last put, by the store's wall clock */
    size_t value_len;
    char value[HF_RECORD_TEXT_MAX]; /* a longer value: value_len tells its
                                       length, value holds its beginning */
};

struct hf_store_op {
    enum hf_op_kind kind;
    struct hf_key key;
    struct hf_expect expect;
    bool new_generation; /* HF_PUT: token := the new version; a put on a key
                            without a record must be a new generation */
    const char *value;   /* HF_PUT */
    size_t value_len;    /* at most HF_VALUE_MAX */
    uint64_t version;    /* out, when applied: the key's new version (0 after
                            HF_ERASE) */
};

/* All or none.  At most HF_GROUP_OPERATIONS_MAX operations. */
struct hf_store_group {
    struct hf_store_op *ops;
    size_t ops_count;
    enum hf_verdict verdict; /* out */
    size_t refused_at;       /* out, when refused: index of the first
                                operation whose expectation did not hold */
};

/* One key to wait on: wait returns when its version is no longer this. */
struct hf_store_watch {
    struct hf_key key;
    uint64_t version;
};

/*
 * Called by scan for each record in key order.  `name` has `name_len` bytes
 * and then a NUL: another program may have written any bytes, and any number
 * of them.  It and `record` are borrowed for the call.  Returning false ends
 * the scan.
 */
typedef bool hf_store_row_fn(void *ctx, const char *name, size_t name_len,
                             const struct hf_record *record);

struct hf_store_scan {
    const char *space;
    const char *prefix; /* of the name; "" for all */
    const char *after;  /* names beyond this one; NULL: from the start */
    size_t after_len;   /* of `after`, which has any bytes and then a NUL */
    size_t limit;
};

/*
 * Open the store that `place` (holdfast.h) names.  HF_E_INVALID,
 * HF_E_UNAVAILABLE, HF_E_DENIED, HF_E_CORRUPT, HF_E_LIMIT, HF_E_NOMEM, as
 * hf_open says.
 */
HF_MUST_USE enum hf_status hf_store_open(const char *place,
                                         const struct hf_alloc *alloc,
                                         struct hf_store **store,
                                         struct hf_error *error);

/* The same, of a place that was read already. */
HF_MUST_USE enum hf_status hf_store_open_at(const struct hf_place *place,
                                            const struct hf_alloc *alloc,
                                            struct hf_store **store,
                                            struct hf_error *error);

/*
 * The same, to look only: nothing is ever made or written, and a place that is
 * not there is empty, until it is there.  It is enough to be allowed to read
 * it.  Every group is HF_UNAVAILABLE, and a purge HF_E_DENIED.
 */
HF_MUST_USE enum hf_status hf_store_look_at(const struct hf_place *place,
                                            const struct hf_alloc *alloc,
                                            struct hf_store **store,
                                            struct hf_error *error);

/* hf_store_close(NULL) does nothing.  Cannot fail. */
void hf_store_close(struct hf_store *store);

/*
 * How often the store has found that what it had open was no longer the place
 * of that name, for somebody removed or replaced it: 0 at first, and grows
 * within calls only, by one each time.
 *
 * The call that notices answers *unavailable* to every read and group, with
 * the cause; a group that had been written by then is HF_UNKNOWN.  The next
 * call opens the place anew, as hf_store_open does, and may fail as that does.
 * What was answered under an earlier generation may not be in the place any
 * more: the place "went back".
 */
uint64_t hf_store_generation(const struct hf_store *store);

/*
 * Linearizable: shows every commit that was answered before the call began.
 * HF_E_UNAVAILABLE (also when `until` passes), HF_E_CORRUPT (the file); where
 * the place is opened anew, what hf_store_open says, too.
 * *record is untouched unless HF_OK.
 */
HF_MUST_USE enum hf_status
hf_store_get(struct hf_store *store, struct hf_key key, struct hf_instant until,
             struct hf_record *record, struct hf_error *error);

/* Each record of the space whose name begins with prefix, in the order of the
 * names' bytes, tombstones hidden.  Errors as hf_store_get. */
HF_MUST_USE enum hf_status hf_store_scan(struct hf_store *store,
                                         const struct hf_store_scan *scan,
                                         hf_store_row_fn *row, void *ctx,
                                         struct hf_error *error);

/*
 * Apply each group, all or none, independent of the others: a refused group
 * never rolls back another.  Where the store can, all applied groups share one
 * durable transaction.  A key stands at most once in a commit.  Every group
 * gets its verdict; an applied one is durable when the call returns.  Gives up
 * at `until`: what was surely not done is HF_UNAVAILABLE, what may have been
 * done is HF_UNKNOWN.  *error (may be NULL) tells why, when a verdict is one of
 * these two.
 */
void hf_store_commit(struct hf_store *store, struct hf_store_group *groups,
                     size_t groups_count, struct hf_instant until,
                     struct hf_error *error);

/*
 * Return when the version of a watched key is no longer the one given, at
 * `until`, or when `wake_fd` (or -1) is readable; may return early, and does
 * when the generation grows.  Also notices what this very store committed
 * before the call.  With no watches it waits for `until` and wake_fd alone.
 */
void hf_store_wait(struct hf_store *store, const struct hf_store_watch *watches,
                   size_t watches_count, struct hf_instant until, int wake_fd);

/*
 * Remove tombstones, and reclaim markers (space !RECLAIM), whose stamp is
 * older than `age`, at most `limit`, and raise the floor above their versions,
 * in one transaction.  *purged tells how many.  Errors as hf_store_get.
 */
HF_MUST_USE enum hf_status hf_store_purge(struct hf_store *store,
                                          struct hf_duration age, size_t limit,
                                          size_t *purged,
                                          struct hf_error *error);

/*
 * Does a call wait, at `now`, for another process that keeps the place locked?
 * From any thread, beside a call; for people, for it may lag a little behind.
 */
bool hf_store_is_locked(const struct hf_store *store, struct hf_instant now);

/*
 * What stands behind the functions above: one table a kind of store.  A
 * store's own struct begins with struct hf_store.
 */
struct hf_store_methods {
    void (*close)(struct hf_store *store);
    enum hf_status (*get)(struct hf_store *store, struct hf_key key,
                          struct hf_instant until, struct hf_record *record,
                          struct hf_error *error);
    enum hf_status (*scan)(struct hf_store *store,
                           const struct hf_store_scan *scan,
                           hf_store_row_fn *row, void *ctx,
                           struct hf_error *error);
    void (*commit)(struct hf_store *store, struct hf_store_group *groups,
                   size_t groups_count, struct hf_instant until,
                   struct hf_error *error);
    void (*wait)(struct hf_store *store, const struct hf_store_watch *watches,
                 size_t watches_count, struct hf_instant until, int wake_fd);
    enum hf_status (*purge)(struct hf_store *store, struct hf_duration age,
                            size_t limit, size_t *purged,
                            struct hf_error *error);
};

struct hf_store {
    const struct hf_store_methods *methods;
    const struct hf_alloc *alloc; /* borrowed */
    bool look_only;               /* opened by hf_store_look_at */
    uint64_t generation;          /* as hf_store_generation says */
    _Atomic int64_t locked_ms;    /* the instant at which a call last met a
                                     lock of another process; 0: never */
};

#endif

#ifndef HF_STORE_METHODS_H
#define HF_STORE_METHODS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <holdfast/holdfast.h>

#include "base/checkup.h"
#include "base/clock.h"
#include "base/limits.h"
#include "core/op.h"
#include "store/kind.h"

/* The data of a store, and the functions of a kind of store. */

struct hf_key {
    const char *space; /* NUL-terminated UTF-8; borrowed */
    const char *name;
};

/* What a read of one key shows.  `value` has at most HF_VALUE_MAX bytes. */
struct hf_record {
    bool exists; /* false: only version is set, the version to expect */
    uint64_t version;
    uint64_t token;   /* the version at which this generation began */
    int64_t stamp_ms; /* of the last put, by the store's wall clock */
    /* For at least so long it has had this version, by the same clock and as
     * far as its operator promises that it is right; 0: nothing is promised. */
    struct hf_duration stood;
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

/* All operations or none.  At most HF_GROUP_OPERATIONS_MAX. */
struct hf_store_group {
    struct hf_store_op *ops;
    size_t ops_count;
    struct hf_instant until; /* no answer to it is of use later; 0: than to the
                                commit */
    enum hf_verdict verdict; /* out */
    size_t refused_at;       /* out, when refused: index of the first
                                operation whose expectation did not hold */
};

/* A key to wait for: wait returns when its version differs from this. */
struct hf_store_watch {
    struct hf_key key;
    uint64_t version;
    uint64_t stood; /* in and out: what the last wait left here for this key and
                       version, or 0.  Spares a look at what is known to stand;
                       0 also if this very store has written the key since */
    bool changed;   /* out */
};

/* The limits of a store.  A commit beyond them is a bug of the caller, and
 * aborts.  A group that is within HF_GROUP_OPERATIONS_MAX fits into every
 * store's. */
struct hf_store_limits {
    size_t max_operations; /* of all groups of one commit */
    size_t max_bytes;      /* bytes of their spaces, names and values */
    unsigned max_calls;    /* at the same time, each from its own thread */
    bool comes_back;       /* it is behind a server: what keeps it from
                              answering may pass, and is waited for */
};

/* The calls that a store across a network bears: one may wait, and one be stuck
 * with an answer that never comes. */
#define HF_STORE_REMOTE_CALLS 3

/* Called by get for each key, in the given order: `index` is the key's place.
 * `record` is borrowed for the call.  It must be brief, and use no store. */
typedef void hf_store_found_fn(void *ctx, size_t index,
                               const struct hf_record *record);

/* Called by scan for each record in key order.  `name` has `name_len` bytes and
 * then a NUL; another program may have written any bytes, of any length.  It
 * and `record` are borrowed for the call.  Return false to end the scan. */
typedef bool hf_store_row_fn(void *ctx, const char *name, size_t name_len,
                             const struct hf_record *record);

struct hf_store_scan {
    const char *space;
    const char *prefix; /* of the name; "" for all */
    const char *after;  /* names after this one; NULL: from the start */
    size_t after_len; /* of `after`, which may have any bytes and then a NUL */
    size_t limit;
};

/* Called by inspect for each check.  `checkup` is borrowed for the call.  It
 * must be brief, and use no store. */
typedef void hf_store_checkup_fn(void *ctx, const struct hf_checkup *checkup);

/*
 * What an open store does behind the functions of store.h, which say what each
 * must do: one table a kind.  A store's own struct begins with struct hf_store.
 */
struct hf_store_methods {
    void (*close)(struct hf_store *store);
    enum hf_status (*get)(struct hf_store *store, const struct hf_key *keys,
                          size_t keys_count, struct hf_instant until,
                          hf_store_found_fn *found, void *ctx,
                          struct hf_error *error);
    enum hf_status (*scan)(struct hf_store *store,
                           const struct hf_store_scan *scan,
                           struct hf_instant until, hf_store_row_fn *row,
                           void *ctx, struct hf_error *error);
    /* NULL: nobody serves such a place. */
    enum hf_status (*unserved)(struct hf_store *store, struct hf_instant until,
                               struct hf_error *error);
    void (*commit)(struct hf_store *store, struct hf_store_group *groups,
                   size_t groups_count, struct hf_instant until,
                   struct hf_error *error);
    void (*wait)(struct hf_store *store, struct hf_store_watch *watches,
                 size_t watches_count, struct hf_instant until, int wake_fd);
    bool (*is_woken)(struct hf_store *store, struct hf_instant until);
    /* NULL: it has nothing that would be closed. */
    struct hf_instant (*close_idle)(struct hf_store *store);
    enum hf_status (*purge)(struct hf_store *store, struct hf_duration age,
                            size_t limit, struct hf_instant until,
                            size_t *purged, struct hf_error *error);
    void (*inspect)(struct hf_store *store, struct hf_instant until,
                    hf_store_checkup_fn *tell, void *ctx);
};

struct hf_store {
    const struct hf_store_methods *methods;
    const struct hf_alloc *alloc; /* borrowed */
    enum hf_store_use use;
    struct hf_place place;
    bool is_new;          /* the last opening made the place */
    struct hf_error away; /* it was opened, and did not answer; HF_OK: it did */
    struct hf_store_limits limits;
    _Atomic uint64_t generation; /* as hf_store_generation says */
    _Atomic uint64_t looks;      /* as hf_store_looks says */
    _Atomic int64_t locked_ms;   /* the instant at which a call last met a
                                  lock of another process; 0: never */
};

#endif

#ifndef HF_STORE_MEMORY_TABLE_H
#define HF_STORE_MEMORY_TABLE_H

#include "store/inspect.h"
#include "store/rule.h"

/*
 * The rows of one memory store, sorted by the bytes of their keys, and the
 * rules of the store contract.
 *
 * A row is never changed, only replaced: a group is prepared completely before
 * its first row is touched.
 *
 * Rows are on the C library's heap, not a store's: a table outlives the store
 * that made it, and that store's allocator.  Not thread-safe.  Zero, with a
 * floor, is an empty table.
 */
struct hf_memory_row {
    uint64_t version;
    uint64_t token;
    int64_t stamp_ms;
    bool exists; /* false: a tombstone */
    size_t value_len;
    const char *space; /* these three point into `text` */
    const char *name;
    const char *value;
    char text[];
};

struct hf_memory_table {
    struct hf_memory_row **rows; /* owned, sorted */
    size_t rows_count;
    size_t rows_max;
    uint64_t floor;
};

void hf_memory_table_fini(struct hf_memory_table *table);

/* Index of the first row that is not before the key. */
size_t hf_memory_table_position(const struct hf_memory_table *table,
                                struct hf_key key);

struct hf_rule_found hf_memory_table_find(const struct hf_memory_table *table,
                                          struct hf_key key);

/* Judge one group, which is HF_UNAVAILABLE so far, and apply it.  Returns the
 * highest version it erased, or 0.  The caller raises the floor above it after
 * the whole commit, since all groups are judged by the floor at its begin. */
uint64_t hf_memory_table_try(struct hf_memory_table *table,
                             struct hf_store_group *group,
                             struct hf_error *error);

/* Raise the floor above a version that is gone. */
void hf_memory_table_raise(struct hf_memory_table *table, uint64_t above);

/* Count the rows that may be purged, and of them those with a stamp up to
 * `old_ms`; *newest is the greatest version or floor. */
void hf_memory_table_count(const struct hf_memory_table *table, int64_t old_ms,
                           struct hf_inspect_leftovers *left, uint64_t *newest);

/* Remove rows that may be purged and raise the floor; returns how many. */
size_t hf_memory_table_purge(struct hf_memory_table *table, int64_t before_ms,
                             size_t limit);

#endif

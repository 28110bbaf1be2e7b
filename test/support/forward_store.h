#ifndef HF_TEST_FORWARD_STORE_H
#define HF_TEST_FORWARD_STORE_H

#include "store/store.h"

/*
 * Forward store: a store in front of another one, which does what that one
 * does, except for what a test changes.
 *
 * The test's own struct begins with a struct forward_store; its methods are
 * those it changes alone, and call the functions below for what the real store
 * is to do.
 */
struct forward_store {
    struct hf_store base;
    struct hf_store_methods methods; /* all of them */
    struct hf_store *inner;          /* the real one, owned */
};

/*
 * A zeroed struct of `size` bytes that begins with a forward store, before a
 * store on `place`; `changed` has NULL for what is only forwarded.  To be given
 * back with hf_store_close.  NULL: the place cannot be opened.  No memory ends
 * the test.
 */
void *forward_store_open(const char *place, size_t size,
                         const struct hf_store_methods *changed);

/* What the real store does. */
HF_MUST_USE enum hf_status
forward_store_get(struct hf_store *store, const struct hf_key *keys,
                  size_t keys_count, struct hf_instant until,
                  hf_store_found_fn *found, void *ctx, struct hf_error *error);
HF_MUST_USE enum hf_status forward_store_scan(struct hf_store *store,
                                              const struct hf_store_scan *what,
                                              struct hf_instant until,
                                              hf_store_row_fn *row, void *ctx,
                                              struct hf_error *error);
void forward_store_commit(struct hf_store *store, struct hf_store_group *groups,
                          size_t groups_count, struct hf_instant until,
                          struct hf_error *error);
void forward_store_wait(struct hf_store *store, struct hf_store_watch *watches,
                        size_t watches_count, struct hf_instant until,
                        int wake_fd);

#endif

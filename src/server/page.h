#ifndef HF_SERVER_PAGE_H
#define HF_SERVER_PAGE_H

#include "base/arena.h"
#include "base/bytes.h"
#include "store/store.h"
#include "wire/name.h"

/*
 * Page: some records of a space, as they stand in the store, read on and on in
 * the order of their names.
 *
 * A zeroed page with arena.alloc set is before the first.  One thread at a
 * time.
 */

enum { HF_PAGE_MAX = 256 }; /* records */

/* Each text has a NUL behind it. */
struct hf_page_record {
    struct hf_bytes name;
    struct hf_bytes value;
};

struct hf_page {
    struct hf_arena arena; /* of what the records point to */
    struct hf_page_record records[HF_PAGE_MAX];
    size_t count;
    char after[HF_NAME_COMPANION_SIZE]; /* the last name that was read */
    size_t after_len;                   /* 0: from the start */
    bool failed;                        /* no memory */
};

/* The next, at most `limit` or HF_PAGE_MAX.  A name or a value that is too long
 * to be ours is cut, and then refused by whoever decodes it.  Errors as
 * hf_store_scan, and HF_E_NOMEM. */
HF_MUST_USE enum hf_status hf_page_read(struct hf_page *page,
                                        struct hf_store *store,
                                        const char *space, const char *prefix,
                                        size_t limit, struct hf_error *error);

/* Give its memory back. */
void hf_page_fini(struct hf_page *page);

#endif

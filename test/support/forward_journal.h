#ifndef TEST_SUPPORT_FORWARD_JOURNAL_H
#define TEST_SUPPORT_FORWARD_JOURNAL_H

#include "journal/methods.h"

/*
 * Forward: a journal that passes each call on to the one behind it.  A test's
 * own struct begins with it, and its methods replace some of these.
 */
struct forward_journal {
    struct hf_journal base;
    struct hf_journal_methods methods;
    struct hf_journal *inner; /* owned */
};

/* Made of `size` bytes, zeroed; NULL: the place cannot be opened.  Methods that
 * are NULL in `changed` forward. */
void *forward_journal_open(const char *place, size_t size,
                           const struct hf_alloc *alloc,
                           const struct hf_journal_methods *changed,
                           struct hf_error *error);

enum hf_status forward_journal_read(struct hf_journal *journal,
                                    struct hf_instant until,
                                    struct hf_journal_found *found,
                                    struct hf_error *error);
enum hf_verdict forward_journal_write(struct hf_journal *journal,
                                      const struct hf_journal_write *write,
                                      struct hf_instant until,
                                      uint64_t *version,
                                      struct hf_error *error);
enum hf_status forward_journal_load(struct hf_journal *journal,
                                    struct hf_journal_chunk *chunk,
                                    struct hf_instant until,
                                    struct hf_error *error);
enum hf_status forward_journal_unlocked(struct hf_journal *journal,
                                        struct hf_instant until,
                                        struct hf_error *error);
enum hf_status forward_journal_secure(struct hf_journal *journal,
                                      struct hf_duration promised,
                                      struct hf_instant until,
                                      struct hf_error *error);

#endif

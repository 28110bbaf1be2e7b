#ifndef HF_JOURNAL_METHODS_H
#define HF_JOURNAL_METHODS_H

#include "journal/journal.h"

/* The functions of an open journal behind those of journal.h: one table a
 * kind.  A journal's own struct begins with struct hf_journal. */
struct hf_journal_methods {
    void (*close)(struct hf_journal *journal);
    enum hf_status (*read)(struct hf_journal *journal, struct hf_instant until,
                           struct hf_journal_found *found,
                           struct hf_error *error);
    enum hf_verdict (*write)(struct hf_journal *journal,
                             const struct hf_journal_write *write,
                             struct hf_instant until, uint64_t *version,
                             struct hf_error *error);
    /* Rows of chunk->rows, from chunk->next on: set it, count and more. */
    enum hf_status (*load)(struct hf_journal *journal,
                           struct hf_journal_chunk *chunk,
                           struct hf_instant until, struct hf_error *error);
    /* NULL in a journal that keeps nothing. */
    enum hf_status (*unlocked)(struct hf_journal *journal,
                               struct hf_instant until, struct hf_error *error);
    enum hf_status (*secure)(struct hf_journal *journal,
                             struct hf_duration promised,
                             struct hf_instant until, struct hf_error *error);
    enum hf_status (*retire)(struct hf_journal *journal,
                             struct hf_instant until, struct hf_error *error);
    enum hf_status (*audit)(struct hf_journal *journal,
                            struct hf_journal_page *page,
                            struct hf_instant until, struct hf_error *error);
    bool (*wait)(struct hf_journal *journal, uint64_t version,
                 struct hf_instant until, int wake_fd);
};

struct hf_journal {
    const struct hf_journal_methods *methods;
    const struct hf_alloc *alloc; /* borrowed */
    struct hf_journal_limits limits;
    uint64_t generation;
    struct hf_journal_log log;
};

/* The kinds.  As hf_journal_open and hf_journal_find. */
HF_MUST_USE enum hf_status hf_journal_sqlite_open(const struct hf_place *place,
                                                  const struct hf_alloc *alloc,
                                                  struct hf_journal **journal,
                                                  struct hf_error *error);
HF_MUST_USE enum hf_status hf_journal_memory_open(const struct hf_place *place,
                                                  const struct hf_alloc *alloc,
                                                  struct hf_journal **journal,
                                                  struct hf_error *error);

#endif

#ifndef HF_TEST_HISTORY_FILES_H
#define HF_TEST_HISTORY_FILES_H

#include "history/history.h"

/*
 * Files: those of a history, read whole.  Zeroed: none.
 */
struct history_files {
    struct hf_arena arena;
    struct history_text *texts; /* owned; borrow from the arena */
    size_t count;
    size_t room;
};

/* Add a file, or all that are in a folder.  HF_E_UNAVAILABLE: it cannot be
 * read, and why; HF_E_NOMEM. */
HF_MUST_USE enum hf_status history_files_add(struct history_files *files,
                                             const char *path,
                                             struct hf_error *error);

void history_files_free(struct history_files *files);

#endif

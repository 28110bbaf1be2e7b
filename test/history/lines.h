#ifndef HF_TEST_HISTORY_LINES_H
#define HF_TEST_HISTORY_LINES_H

#include "history/history.h"

/*
 * Lines: makes events of them, and sorts these by their instants.  The first
 * half of history_read; of a request it knows its names alone.
 */
enum hf_status history_lines(struct history *history,
                             const struct history_text *texts, size_t count,
                             struct hf_error *error);

#endif

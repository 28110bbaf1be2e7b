#ifndef HF_TEST_HISTORY_EXPLAIN_H
#define HF_TEST_HISTORY_EXPLAIN_H

#include "history/check.h"

/* Explain: says what is broken in one paragraph, with the lines that prove it.
 * Of a verdict that has a breach. */
void explain(const struct verdict *verdict, struct hf_text *text);

#endif

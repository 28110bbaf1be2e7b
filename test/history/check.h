#ifndef HF_TEST_HISTORY_CHECK_H
#define HF_TEST_HISTORY_CHECK_H

#include "history/history.h"

/*
 * Check: can a lock service that keeps its promises have answered so?  The
 * promises are listed in README.md; each is held against what is certain alone.
 */

struct verdict {
    size_t breaches;     /* 0: it is consistent; what follows is of the first */
    const char *promise; /* as lab/server/promises.h has it */
    int64_t at_ns;       /* from when on it was certain */
    const struct history_lock *lock;
    const struct history_request *first;
    const struct history_request *second; /* NULL: it is about one alone */
};

/* HF_E_NOMEM. */
HF_MUST_USE enum hf_status check_history(const struct history *history,
                                         struct verdict *verdict,
                                         struct hf_error *error);

#endif

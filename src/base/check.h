#ifndef HF_BASE_CHECK_H
#define HF_BASE_CHECK_H

#include "base/attrs.h"

/*
 * Always on, in every build: guards what only a bug of ours can break.  Prints
 * the condition and the place, then aborts: a dead holder's lock lapses, a
 * confused holder corrupts data.  Never for bytes from outside, arguments, what
 * a clock shows, or allocation.
 */
#define HF_CHECK(condition)                                                    \
    ((condition)                                                               \
         ? (void)0                                                             \
         : hf_check_failed("check failed: " #condition, __FILE__, __LINE__))

/* `what` is static: the listener may keep it. */
HF_NORETURN void hf_check_failed(const char *what, const char *file, int line);

typedef void hf_check_fn(const char *what, const char *file, int line);

/*
 * Be told before a check that failed aborts.  If `listen` does not return,
 * nothing is printed, and nothing aborts.  Returns the listener before.  For
 * the laboratory, which has to tell how a check came to fail; the product
 * never calls it.  For a process of one thread.
 */
hf_check_fn *hf_check_listen(hf_check_fn *listen);

#endif

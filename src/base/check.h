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
    ((condition) ? (void)0 : hf_check_failed(#condition, __FILE__, __LINE__))

HF_NORETURN void hf_check_failed(const char *condition, const char *file,
                                 int line);

#endif

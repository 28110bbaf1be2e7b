#include "base/check.h"

#include <stdio.h>
#include <stdlib.h>

HF_NORETURN void
hf_check_failed(const char *condition, const char *file, int line)
{
    fprintf(stderr, "%s:%d: check failed: %s\n", file, line, condition);
    abort();
}

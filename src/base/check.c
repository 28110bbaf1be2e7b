#include "base/check.h"

#include <stdio.h>
#include <stdlib.h>

static hf_check_fn *listener;

hf_check_fn *
hf_check_listen(hf_check_fn *listen)
{
    hf_check_fn *before = listener;

    listener = listen;
    return before;
}

HF_NORETURN void
hf_check_failed(const char *what, const char *file, int line)
{
    if (listener != NULL)
        listener(what, file, line);
    fprintf(stderr, "%s:%d: %s\n", file, line, what);
    abort();
}

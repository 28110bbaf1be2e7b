#include "base/fail.h"

#include <stdarg.h>
#include <stdio.h>

enum hf_status
hf_fail(struct hf_error *error, enum hf_status status, const char *format, ...)
{
    va_list args;

    if (error == NULL)
        return status;

    error->status = status;
    va_start(args, format);
    vsnprintf(error->text, sizeof(error->text), format, args);
    va_end(args);
    return status;
}

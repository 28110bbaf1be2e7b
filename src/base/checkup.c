#include "base/checkup.h"

#include <stdarg.h>
#include <string.h>

#include "base/text.h"

HF_PRINTF(3, 0)
static void
show(char *to, size_t size, const char *format, va_list args)
{
    char text[HF_CHECKUP_MAX + 1];
    struct hf_text out;

    hf_text_init(&out, text, sizeof(text));
    hf_text_addv(&out, format, args);
    hf_text_show(to, size, text, hf_text_kept(&out));
}

void
hf_checkup_add(struct hf_checkup *checkup, const char *format, ...)
{
    size_t len = strlen(checkup->found);
    struct hf_text out;
    va_list args;

    hf_text_init(&out, checkup->found + len, sizeof(checkup->found) - len);
    if (len > 0)
        hf_text_add(&out, "; ");
    len += hf_text_kept(&out);
    va_start(args, format);
    show(checkup->found + len, sizeof(checkup->found) - len, format, args);
    va_end(args);
}

void
hf_checkup_grade(struct hf_checkup *checkup, enum hf_grade grade,
                 const char *format, ...)
{
    va_list args;

    if (grade <= checkup->grade)
        return;
    checkup->grade = grade;
    va_start(args, format);
    show(checkup->remedy, sizeof(checkup->remedy), format, args);
    va_end(args);
}

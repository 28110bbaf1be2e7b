#include "wire/name.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/text.h"

enum hf_status
hf_name_check_text(const char *what, const char *text, size_t len, size_t max,
                   struct hf_error *error)
{
    if (len > max)
        return hf_fail(error, HF_E_INVALID,
                       "the %s has %zu bytes, at most %zu are allowed", what,
                       len, max);
    if (!hf_text_is_clean(text, len))
        return hf_fail(error, HF_E_INVALID,
                       "the %s must be UTF-8 without control characters and "
                       "characters of no width",
                       what);
    return HF_OK;
}

enum hf_status
hf_name_check_part(const char *what, const char *text, size_t len, size_t max,
                   struct hf_error *error)
{
    if (len == 0)
        return hf_fail(error, HF_E_INVALID, "the %s is empty", what);
    return hf_name_check_text(what, text, len, max, error);
}

enum hf_status
hf_name_check(const char *name, size_t len, struct hf_error *error)
{
    return hf_name_check_part("name", name, len, HF_NAME_MAX, error);
}

enum hf_status
hf_name_check_space(const char *space, size_t len, struct hf_error *error)
{
    if (len > 0 && space[0] == '!')
        return hf_fail(error, HF_E_INVALID,
                       "spaces that begin with '!' are Holdfast's own");
    return hf_name_check_part("space", space, len, HF_SPACE_MAX, error);
}

void
hf_name_companion(const char *space, const char *name, uint64_t subject,
                  char *to, size_t size)
{
    snprintf(to, size, "%zu:%s,%zu:%s,%" PRIu64, strlen(space), space,
             strlen(name), name, subject);
}

void
hf_name_companions(const char *space, const char *name, char *to, size_t size)
{
    struct hf_text text;

    hf_text_init(&text, to, size);
    if (space != NULL)
        hf_text_addf(&text, "%zu:%s,", strlen(space), space);
    if (name != NULL)
        hf_text_addf(&text, "%zu:%s,", strlen(name), name);
}

void
hf_name_split_who(const char *who, char user[HF_USER_MAX + 1],
                  char host[HF_HOST_MAX + 1])
{
    const char *at = strrchr(who, '@');
    size_t len = at != NULL ? (size_t)(at - who) : strlen(who);

    hf_text_show(user, HF_USER_MAX + 1, who, len);
    host[0] = '\0';
    if (at != NULL)
        hf_text_show(host, HF_HOST_MAX + 1, at + 1, strlen(at + 1));
}

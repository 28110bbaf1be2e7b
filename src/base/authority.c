#include "base/authority.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

static bool
is_word(const char *at, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (!isalnum((unsigned char)at[i]) && strchr("-._", at[i]) == NULL)
            return false;
    return len > 0;
}

/* "::1", or "fe80::1%eth0". */
static bool
is_number(const char *at, size_t len)
{
    const char *zone = memchr(at, '%', len);
    size_t number_len = zone == NULL ? len : (size_t)(zone - at);

    for (size_t i = 0; i < number_len; i++)
        if (!isxdigit((unsigned char)at[i]) && strchr(":.", at[i]) == NULL)
            return false;
    return number_len > 0 &&
           (zone == NULL || is_word(zone + 1, len - number_len - 1));
}

static bool
is_port(const char *at, size_t len)
{
    long port = 0;

    for (size_t i = 0; i < len && port <= UINT16_MAX; i++) {
        if (!isdigit((unsigned char)at[i]))
            return false;
        port = 10 * port + (at[i] - '0');
    }
    return len < 6 && port > 0 && port <= UINT16_MAX;
}

bool
hf_authority_read(struct hf_bytes text, struct hf_authority *out)
{
    bool bracketed = text.len > 0 && text.at[0] == '[';
    const char *end = memchr(text.at, bracketed ? ']' : ':', text.len);
    const char *host = text.at + bracketed;
    size_t host_len = (size_t)((end == NULL ? text.at + text.len : end) - host);
    const char *rest = end == NULL ? text.at + text.len : end + bracketed;
    size_t rest_len = (size_t)(text.at + text.len - rest);

    *out = (struct hf_authority){
        .host = {host, host_len},
        .bracketed = bracketed,
    };
    if ((bracketed && end == NULL) ||
        !(bracketed ? is_number(host, host_len) : is_word(host, host_len)))
        return false;
    if (rest_len == 0)
        return true;
    out->port = (struct hf_bytes){rest + 1, rest_len - 1};
    return rest[0] == ':' && is_port(out->port.at, out->port.len);
}

#include "base/hex.h"

#include <string.h>

#include "base/check.h"

static const char digits[] = "0123456789abcdef";

void
hf_hex_write(const char *bytes, size_t len, char *text, size_t size)
{
    HF_CHECK(size >= 2 * len + 1);
    for (size_t i = 0; i < len; i++) {
        text[2 * i] = digits[(unsigned char)bytes[i] >> 4];
        text[2 * i + 1] = digits[(unsigned char)bytes[i] & 15];
    }
    text[2 * len] = '\0';
}

bool
hf_hex_read(const char *text, char *bytes, size_t room, size_t *len)
{
    size_t count = strlen(text) / 2;

    if (strlen(text) % 2 != 0 || count > room ||
        strspn(text, digits) != 2 * count)
        return false;
    for (size_t i = 0; i < count; i++) {
        size_t high = (size_t)(strchr(digits, text[2 * i]) - digits);
        size_t low = (size_t)(strchr(digits, text[2 * i + 1]) - digits);

        bytes[i] = (char)(high << 4 | low);
    }
    bytes[count] = '\0';
    *len = count;
    return true;
}

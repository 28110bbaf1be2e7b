#include "base/hex.h"

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

void
hf_hex_write_u64(uint64_t number, char text[17])
{
    for (size_t i = 0; i < 16; i++)
        text[i] = digits[number >> (60 - 4 * i) & 15];
    text[16] = '\0';
}

/* The value of a digit that hf_hex_write makes, or -1: it is none. */
static int
value_of(char digit)
{
    static const signed char above[256] = {
        ['0'] = 1,  ['1'] = 2,  ['2'] = 3,  ['3'] = 4,  ['4'] = 5,  ['5'] = 6,
        ['6'] = 7,  ['7'] = 8,  ['8'] = 9,  ['9'] = 10, ['a'] = 11, ['b'] = 12,
        ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16,
    };

    return above[(unsigned char)digit] - 1;
}

int
hf_hex_digit(char digit)
{
    return value_of(digit >= 'A' && digit <= 'F' ? (char)(digit | 0x20)
                                                 : digit);
}

bool
hf_hex_read(struct hf_bytes text, void *bytes, size_t len)
{
    unsigned char *to = bytes;

    if (text.len != 2 * len)
        return false;
    for (size_t i = 0; i < len; i++) {
        int high = value_of(text.at[2 * i]);
        int low = value_of(text.at[2 * i + 1]);

        if (high < 0 || low < 0)
            return false;
        to[i] = (unsigned char)(high << 4 | low);
    }
    return true;
}

bool
hf_hex_read_string(struct hf_bytes text, char *bytes, size_t room, size_t *len)
{
    size_t count = text.len / 2;

    if (count > room || !hf_hex_read(text, bytes, count))
        return false;
    bytes[count] = '\0';
    *len = count;
    return true;
}

bool
hf_hex_read_u64(struct hf_bytes text, uint64_t *number)
{
    unsigned char bytes[sizeof(*number)];

    if (!hf_hex_read(text, bytes, sizeof(bytes)))
        return false;
    *number = 0;
    for (size_t i = 0; i < sizeof(bytes); i++)
        *number = *number << 8 | bytes[i];
    return true;
}

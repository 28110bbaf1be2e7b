#include "base/text.h"

#include <endian.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "base/hex.h"

static const char replacement[] = "\xEF\xBF\xBD"; /* U+FFFD */

void
hf_text_init(struct hf_text *text, char *buffer, size_t size)
{
    *text = (struct hf_text){.at = buffer, .size = size};
    if (size > 0)
        buffer[0] = '\0';
}

size_t
hf_text_kept(const struct hf_text *text)
{
    if (text->size == 0)
        return 0;
    return text->len < text->size ? text->len : text->size - 1;
}

bool
hf_text_cut(const struct hf_text *text)
{
    return text->len > hf_text_kept(text);
}

void
hf_text_take_back(struct hf_text *text, size_t len)
{
    HF_CHECK(len < text->size && len <= text->len);
    text->len = len;
    text->at[len] = '\0';
}

void
hf_text_add_bytes(struct hf_text *text, const char *bytes, size_t len)
{
    size_t start = hf_text_kept(text);
    size_t room = text->size > 0 ? text->size - 1 - start : 0;
    size_t fits = len < room ? len : room;

    if (fits > 0)
        memcpy(text->at + start, bytes, fits);
    if (text->size > 0)
        text->at[start + fits] = '\0';
    text->len += len;
}

void
hf_text_add_number(struct hf_text *text, uint64_t number)
{
    char digits[20];
    size_t at = sizeof(digits);

    do {
        digits[--at] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    hf_text_add_bytes(text, digits + at, sizeof(digits) - at);
}

void
hf_text_addf(struct hf_text *text, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    hf_text_addv(text, format, args);
    va_end(args);
}

void
hf_text_addv(struct hf_text *text, const char *format, va_list args)
{
    size_t start = hf_text_kept(text);
    int len = text->size > 0 ? vsnprintf(text->at + start, text->size - start,
                                         format, args)
                             : vsnprintf(NULL, 0, format, args);

    HF_CHECK(len >= 0);
    text->len += (size_t)len;
}

bool
hf_text_add_unescaped(struct hf_text *text, const char *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        char byte = bytes[i];

        if (byte == '%') {
            int high = len - i > 2 ? hf_hex_digit(bytes[i + 1]) : -1;
            int low = high >= 0 ? hf_hex_digit(bytes[i + 2]) : -1;

            if (low < 0)
                return false;
            byte = (char)(high << 4 | low);
            i += 2;
        }
        hf_text_add_bytes(text, &byte, 1);
    }
    return true;
}

static void
add_escaped(struct hf_text *text, uint32_t code)
{
    switch (code) {
    case '\n':
        hf_text_add(text, "\\n");
        break;
    case '\r':
        hf_text_add(text, "\\r");
        break;
    case '\t':
        hf_text_add(text, "\\t");
        break;
    default:
        if (code > 0xFFFF) { /* RFC 8259: as two surrogates */
            code -= 0x10000;
            hf_text_addf(text, "\\u%04x", (unsigned)(0xD800 | code >> 10));
            code = 0xDC00 | (code & 0x3FF);
        }
        hf_text_addf(text, "\\u%04x", (unsigned)code);
        break;
    }
}

void
hf_text_add_json(struct hf_text *text, const char *bytes, size_t len)
{
    size_t at = hf_text_plain(bytes, len);

    hf_text_add(text, "\"");
    hf_text_add_bytes(text, bytes, at);
    while (at < len) {
        uint32_t code;
        size_t width = hf_text_character(bytes + at, len - at, &code);

        if (width == 0) {
            hf_text_add(text, replacement);
            at++;
            continue;
        }
        if (hf_text_is_control(code)) {
            add_escaped(text, code);
        } else {
            if (code == '"' || code == '\\')
                hf_text_add(text, "\\");
            hf_text_add_bytes(text, bytes + at, width);
        }
        at += width;
    }
    hf_text_add(text, "\"");
}

/* A byte in each of eight. */
#define EACH(byte) (UINT64_C(0x0101010101010101) * (byte))

/* A high bit for each of eight bytes that is below `most`, at most 128; above
 * the lowest of these perhaps for others.  (Sean Anderson, "Bit Twiddling
 * Hacks".) */
static uint64_t
less(uint64_t eight, uint8_t most)
{
    return (eight - EACH(most)) & ~eight & EACH(0x80);
}

/* How many of eight bytes, from the first on, are plain. */
static size_t
plain_of_eight(const char *bytes)
{
    uint64_t eight;
    uint64_t others;

    memcpy(&eight, bytes, sizeof(eight));
    eight = le64toh(eight); /* the first is the lowest */
    others = (eight & EACH(0x80)) | less(eight, ' ') |
             less(eight ^ EACH('"'), 1) | less(eight ^ EACH('\\'), 1) |
             less(eight ^ EACH(0x7F), 1);
    return others == 0 ? sizeof(eight) : (size_t)__builtin_ctzll(others) / 8;
}

size_t
hf_text_plain(const char *bytes, size_t len)
{
    size_t at = 0;

    while (len - at >= sizeof(uint64_t)) {
        size_t plain = plain_of_eight(bytes + at);

        at += plain;
        if (plain < sizeof(uint64_t))
            return at;
    }
    while (at < len && bytes[at] >= ' ' && bytes[at] <= '~' &&
           bytes[at] != '"' && bytes[at] != '\\')
        at++;
    return at;
}

/* How many bytes the character that begins with `lead` has, 0: none does. */
static size_t
width_of(unsigned char lead)
{
    if (lead < 0x80)
        return 1;
    if (lead >= 0xC2 && lead <= 0xDF)
        return 2;
    if (lead >= 0xE0 && lead <= 0xEF)
        return 3;
    if (lead >= 0xF0 && lead <= 0xF4)
        return 4;
    return 0;
}

size_t
hf_text_character(const char *bytes, size_t len, uint32_t *code)
{
    /* The least code that needs so many bytes, and what the lead byte has of
     * it, by width. */
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    static const unsigned char lead_bits[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
    const unsigned char *byte = (const unsigned char *)bytes;
    size_t width = len > 0 ? width_of(byte[0]) : 0;
    uint32_t sum;

    if (width == 0 || width > len)
        return 0;

    sum = byte[0] & lead_bits[width];
    for (size_t i = 1; i < width; i++) {
        if ((byte[i] & 0xC0) != 0x80)
            return 0;
        sum = sum << 6 | (byte[i] & 0x3Fu);
    }
    if (sum < least[width] || sum > 0x10FFFF ||
        (sum >= 0xD800 && sum <= 0xDFFF))
        return 0;

    *code = sum;
    return width;
}

size_t
hf_text_put_character(uint32_t code, char bytes[4])
{
    static const unsigned char lead[] = {0, 0, 0xC0, 0xE0, 0xF0};
    size_t width = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;

    HF_CHECK(code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF));
    for (size_t i = width - 1; i > 0; i--) {
        bytes[i] = (char)(0x80 | (code & 0x3F));
        code >>= 6;
    }
    bytes[0] = (char)(lead[width] | code);
    return width;
}

bool
hf_text_is_control(uint32_t code)
{
    /* The Unicode standard's format characters (Cf), and its line and
     * paragraph separators, as far as they can be met alone. */
    static const struct {
        uint32_t first;
        uint32_t last;
    } ranges[] = {
        {0x00, 0x1F},     {0x7F, 0x9F},       {0xAD, 0xAD},
        {0x61C, 0x61C},   {0x180E, 0x180E},   {0x200B, 0x200F},
        {0x2028, 0x202E}, {0x2060, 0x206F},   {0xFEFF, 0xFEFF},
        {0xFFF9, 0xFFFB}, {0xE0000, 0xE007F},
    };

    for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
        if (code <= ranges[i].last)
            return code >= ranges[i].first;
    }
    return false;
}

bool
hf_text_is_clean(const char *bytes, size_t len)
{
    size_t at = hf_text_plain(bytes, len);

    while (at < len) {
        uint32_t code;
        size_t width = hf_text_character(bytes + at, len - at, &code);

        if (width == 0 || hf_text_is_control(code))
            return false;
        at += width;
    }
    return true;
}

/* Of ASCII, and of the blocks of Unicode that have punctuation and symbols
 * alone, what is no letter is known; all else counts as one. */
static bool
is_letter(uint32_t code)
{
    static const struct {
        uint32_t first;
        uint32_t last;
    } others[] = {
        {0x80, 0xA9},        {0xAB, 0xB4},     {0xB6, 0xB9},
        {0xBB, 0xBF},        {0xD7, 0xD7},     {0xF7, 0xF7},
        {0x2000, 0x2BFF},    {0x2E00, 0x2E7F}, {0x3000, 0x3004},
        {0x3008, 0x3020},    {0xE000, 0xF8FF}, {0xFE00, 0xFE6F},
        {0xFEFF, 0xFF0F},    {0xFFE0, 0xFFFF}, {0x1F000, 0x1FFFF},
        {0xE0000, 0x10FFFF},
    };

    if (code < 0x80)
        return (code >= '0' && code <= '9') || (code >= 'A' && code <= 'Z') ||
               (code >= 'a' && code <= 'z');
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        if (code <= others[i].last)
            return code < others[i].first;
    return true;
}

bool
hf_text_has_word(const char *bytes, size_t len)
{
    size_t at = 0;

    while (at < len) {
        uint32_t code = 0;
        size_t width = hf_text_character(bytes + at, len - at, &code);

        if (width != 0 && is_letter(code))
            return true;
        at += width != 0 ? width : 1;
    }
    return false;
}

void
hf_text_show(char *to, size_t size, const char *bytes, size_t len)
{
    size_t at = 0;
    size_t used = 0;

    if (size == 0)
        return;

    while (at < len) {
        uint32_t code;
        size_t width = hf_text_character(bytes + at, len - at, &code);
        bool whole = width > 0 && !hf_text_is_control(code);
        const char *from = whole ? bytes + at : replacement;
        size_t adds = whole ? width : sizeof(replacement) - 1;

        if (adds > size - 1 - used)
            break;
        memcpy(to + used, from, adds);
        used += adds;
        at += width > 0 ? width : 1;
    }
    to[used] = '\0';
}

/* Where a user may stand.  Slashes may be missing, and so may a scheme; but
 * what has a single slash is a path. */
static const char *
find_user(const char *url)
{
    static const char database[] = "postgres";
    const char *slashes = strstr(url, "//");

    if (slashes != NULL)
        return slashes;
    if (strncmp(url, database, sizeof(database) - 1) == 0)
        return url + strcspn(url, ":/@");
    return url[strcspn(url, "/@")] == '@' ? url : "";
}

void
hf_text_add_url(struct hf_text *text, const char *url)
{
    const char *from = find_user(url);
    const char *at = strrchr(from, '@');
    const char *colon = at == NULL ? NULL : strchr(from + (*from == ':'), ':');
    const char *rest = url;
    const char *option;

    if (colon != NULL && colon < at) {
        hf_text_add_bytes(text, url, (size_t)(colon + 1 - url));
        hf_text_add(text, "...");
        rest = at;
    }
    option = strstr(rest, "password=");
    if (option == NULL) {
        hf_text_add(text, rest);
        return;
    }
    hf_text_add_bytes(text, rest, (size_t)(option - rest));
    hf_text_add(text, "password=...");
}

void
hf_text_show_url(char *to, size_t size, const char *url)
{
    char added[1280]; /* more than is shown of any */
    struct hf_text text;

    hf_text_init(&text, added, sizeof(added));
    hf_text_add_url(&text, url);
    hf_text_show(to, size, added, hf_text_kept(&text));
}

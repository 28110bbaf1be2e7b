#include "phrase.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

void
hf_phrase_start(struct hf_phrase *phrase)
{
    phrase->len = 0;
    phrase->text[0] = '\0';
}

void
hf_phrase_add(struct hf_phrase *phrase, const char *format, ...)
{
    size_t room = sizeof(phrase->text) - phrase->len;
    va_list args;

    va_start(args, format);
    int len = vsnprintf(phrase->text + phrase->len, room, format, args);
    va_end(args);
    if (len > 0)
        phrase->len += (size_t)len < room ? (size_t)len : room - 1;
}

/* RFC 3629, one row for each row of its table of well-formed sequences. */
static size_t
sequence_length(const unsigned char *at)
{
    static const struct {
        unsigned char first, last, low, high;
        size_t length;
    } rows[] = {
        {0x00, 0x7f, 0x00, 0xff, 1}, {0xc2, 0xdf, 0x80, 0xbf, 2},
        {0xe0, 0xe0, 0xa0, 0xbf, 3}, {0xe1, 0xec, 0x80, 0xbf, 3},
        {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
        {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4},
        {0xf4, 0xf4, 0x80, 0x8f, 4},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (at[0] < rows[i].first || at[0] > rows[i].last)
            continue;
        if (rows[i].length == 1)
            return 1;
        if (at[1] < rows[i].low || at[1] > rows[i].high)
            return 0;
        for (size_t k = 2; k < rows[i].length; k++) {
            if (at[k] < 0x80 || at[k] > 0xbf)
                return 0;
        }
        return rows[i].length;
    }
    return 0;
}

/* What a terminal obeys, and what makes a text look like another one: of no
 * width, or turning the direction of what follows. */
static bool
is_hidden(uint32_t code)
{
    static const struct {
        uint32_t first, last;
    } ranges[] = {
        {0x00, 0x1f},     {0x7f, 0x9f},       {0xad, 0xad},
        {0x61c, 0x61c},   {0x180e, 0x180e},   {0x200b, 0x200f},
        {0x2028, 0x202e}, {0x2060, 0x206f},   {0xfeff, 0xfeff},
        {0xfff9, 0xfffb}, {0xe0000, 0xe007f},
    };

    for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
        if (code <= ranges[i].last)
            return code >= ranges[i].first;
    }
    return false;
}

size_t
hf_phrase_character(const char *at, bool *shown)
{
    static const unsigned char lead_bits[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    const unsigned char *bytes = (const unsigned char *)at;
    size_t length = sequence_length(bytes);
    uint32_t code = bytes[0] & lead_bits[length];

    for (size_t i = 1; i < length; i++)
        code = code << 6 | (bytes[i] & 0x3fu);
    *shown = length > 0 && !is_hidden(code);
    return *shown ? length : 1;
}

static bool
all_shown(const char *text)
{
    bool shown = true;

    while (*text != '\0' && shown)
        text += hf_phrase_character(text, &shown);
    return shown;
}

static void
quote_unshown(struct hf_phrase *phrase, const char *word)
{
    hf_phrase_add(phrase, "$'");
    while (*word != '\0') {
        bool shown;
        size_t length = hf_phrase_character(word, &shown);

        if (!shown)
            hf_phrase_add(phrase, "\\%03o", (unsigned)(unsigned char)*word);
        else if (*word == '\'' || *word == '\\')
            hf_phrase_add(phrase, "\\%c", *word);
        else
            hf_phrase_add(phrase, "%.*s", (int)length, word);
        word += length;
    }
    hf_phrase_add(phrase, "'");
}

void
hf_phrase_quote(struct hf_phrase *phrase, const char *word)
{
    static const char safe[] = "abcdefghijklmnopqrstuvwxyz"
                               "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                               "0123456789_./:@%+,-";

    if (*word != '\0' && word[strspn(word, safe)] == '\0') {
        hf_phrase_add(phrase, "%s", word);
        return;
    }
    if (!all_shown(word)) {
        quote_unshown(phrase, word);
        return;
    }
    hf_phrase_add(phrase, "'");
    for (; *word != '\0'; word++)
        hf_phrase_add(phrase, *word == '\'' ? "'\\''" : "%c", *word);
    hf_phrase_add(phrase, "'");
}

/* `len` as the JSON formatters return it; cut JSON is no JSON, and is left out
 * as a whole. */
static void
keep(struct hf_phrase *phrase, size_t len)
{
    if (len < sizeof(phrase->text) - phrase->len)
        phrase->len += len;
    phrase->text[phrase->len] = '\0';
}

void
hf_phrase_json(struct hf_phrase *phrase, const char *string)
{
    if (string == NULL) {
        hf_phrase_add(phrase, "null");
        return;
    }
    keep(phrase, hf_json_string(string, phrase->text + phrase->len,
                                sizeof(phrase->text) - phrase->len));
}

void
hf_phrase_description(struct hf_phrase *phrase,
                      const struct hf_description *description)
{
    keep(phrase, hf_description_json(description, phrase->text + phrase->len,
                                     sizeof(phrase->text) - phrase->len));
}

void
hf_phrase_diagnosis(struct hf_phrase *phrase,
                    const struct hf_diagnosis *diagnosis)
{
    keep(phrase, hf_diagnosis_json(diagnosis, phrase->text + phrase->len,
                                   sizeof(phrase->text) - phrase->len));
}

void
hf_phrase_entry(struct hf_phrase *phrase, const struct hf_audit_entry *entry)
{
    keep(phrase, hf_audit_entry_json(entry, phrase->text + phrase->len,
                                     sizeof(phrase->text) - phrase->len));
}

size_t
hf_phrase_fit(const char *text, size_t columns, size_t *used)
{
    size_t taken = 0;
    size_t len = 0;

    while (text[len] != '\0') {
        bool shown;
        size_t length = hf_phrase_character(text + len, &shown);
        size_t width = length > 1 ? 2 : 1;

        if (taken + width > columns)
            break;
        taken += width;
        len += length;
    }
    if (used != NULL)
        *used = taken;
    return len;
}

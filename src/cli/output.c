#include "output.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"

enum { CHARACTER_MAX = 4 }; /* bytes of UTF-8 */

size_t
hf_output_character(const char *at, bool *shown)
{
    uint32_t code;
    size_t width = hf_text_character(at, strnlen(at, CHARACTER_MAX), &code);

    *shown = width > 0 && !hf_text_is_control(code);
    return *shown ? width : 1;
}

static void
quote_unshown(struct hf_text *text, const char *word)
{
    hf_text_add(text, "$'");
    while (*word != '\0') {
        bool shown;
        size_t width = hf_output_character(word, &shown);

        if (*word == '\'' || *word == '\\')
            hf_text_add(text, "\\");
        if (shown)
            hf_text_add_bytes(text, word, width);
        else
            hf_text_addf(text, "\\%03o", (unsigned)(unsigned char)*word);
        word += width;
    }
    hf_text_add(text, "'");
}

void
hf_output_quote(struct hf_text *text, const char *word)
{
    static const char safe[] = "abcdefghijklmnopqrstuvwxyz"
                               "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                               "0123456789_./:@%+,-";

    if (*word != '\0' && word[strspn(word, safe)] == '\0') {
        hf_text_add(text, word);
        return;
    }
    if (!hf_text_is_clean(word, strlen(word))) {
        quote_unshown(text, word);
        return;
    }
    hf_text_add(text, "'");
    for (; *word != '\0'; word++) {
        if (*word == '\'')
            hf_text_add(text, "'\\'");
        hf_text_add_bytes(text, word, 1);
    }
    hf_text_add(text, "'");
}

/* Where the text goes on, and with how much room, the NUL's included. */
static char *
end_of(const struct hf_text *text, size_t *room)
{
    size_t kept = hf_text_kept(text);

    *room = text->size - kept;
    return text->at + kept;
}

/* `len` as the JSON formatters return it, who wrote it to the end. */
static void
take_in(struct hf_text *text, size_t len)
{
    size_t room;
    char *end = end_of(text, &room);

    if (len < room)
        text->len += len;
    else
        *end = '\0';
}

void
hf_output_json(struct hf_text *text, const char *string)
{
    size_t room;
    char *end = end_of(text, &room);

    if (string == NULL)
        hf_text_add(text, "null");
    else
        take_in(text, hf_json_string(string, end, room));
}

void
hf_output_view(struct hf_text *text, const struct hf_view *view)
{
    size_t room;
    char *end = end_of(text, &room);

    take_in(text, hf_view_json(view, end, room));
}

size_t
hf_output_fit(const char *string, size_t columns, size_t *used)
{
    size_t taken = 0;
    size_t len = 0;

    while (string[len] != '\0') {
        bool shown;
        size_t width = hf_output_character(string + len, &shown);
        size_t takes = width > 1 ? 2 : 1;

        if (taken + takes > columns)
            break;
        taken += takes;
        len += width;
    }
    if (used != NULL)
        *used = taken;
    return len;
}

/* ---- Wall time ----------------------------------------------------------- */

bool
hf_output_is_date(int64_t wall_ms)
{
    return wall_ms >= INT64_C(946684800000) &&
           wall_ms < INT64_C(253402300800000);
}

const char *
hf_output_age(int64_t wall_ms, char *buffer, size_t size)
{
    int64_t now = hf_wall_ms();

    if (!hf_output_is_date(wall_ms)) {
        snprintf(buffer, size, "?");
        return buffer;
    }
    return hf_duration_text(
        (struct hf_duration){now > wall_ms ? now - wall_ms : 0}, buffer, size);
}

const char *
hf_output_date(int64_t wall_ms, char *buffer, size_t size)
{
    time_t seconds = (time_t)(wall_ms / 1000);
    struct tm parts;

    if (!hf_output_is_date(wall_ms) || localtime_r(&seconds, &parts) == NULL ||
        strftime(buffer, size, "%Y-%m-%d %H:%M:%S %z", &parts) == 0)
        snprintf(buffer, size, "?");
    return buffer;
}

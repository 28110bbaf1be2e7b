#include "tale/report/html.h"

#include <string.h>

#include "base/text.h"
#include "explore/verdict.h"
#include "tale/specimen/properties.h"

/* What the byte must be written as, or NULL: as it is. */
static const char *
entity_of(char byte)
{
    switch (byte) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

void
html_text(FILE *out, const char *text)
{
    size_t left = strlen(text);

    while (left > 0) {
        uint32_t code = 0;
        size_t len = hf_text_character(text, left, &code);
        const char *entity = len == 1 ? entity_of(*text) : NULL;

        if (len == 0 || hf_text_is_control(code))
            fputs("\xef\xbf\xbd", out);
        else if (entity != NULL)
            fputs(entity, out);
        else
            fwrite(text, 1, len, out);
        len = len == 0 ? 1 : len;
        text += len;
        left -= len;
    }
}

void
html_sentence(FILE *out, const char *text)
{
    if (text[0] >= 'a' && text[0] <= 'z') {
        putc(text[0] - 'a' + 'A', out);
        text++;
    }
    html_text(out, text);
}

void
html_count(FILE *out, uint64_t number)
{
    char digits[24];
    int len =
        snprintf(digits, sizeof(digits), "%llu", (unsigned long long)number);

    for (int i = 0; i < len; i++) {
        if (i > 0 && (len - i) % 3 == 0)
            putc(',', out);
        putc(digits[i], out);
    }
}

void
html_seconds(FILE *out, double seconds)
{
    if (seconds < 0.005)
        fputs("under 0.01&nbsp;s", out);
    else
        fprintf(out, "%.2f&nbsp;s", seconds);
}

void
html_property(FILE *out, const char *property)
{
    if (properties_broken(property) == NULL) { /* a check that failed */
        html_text(out, property);
        return;
    }
    fputs("<a class=\"property\" href=\"#property-", out);
    for (const char *at = property; *at != '\0'; at++)
        putc(*at == ' ' ? '-' : *at, out);
    fputs("\">", out);
    html_text(out, property);
    fputs("</a>", out);
}

/* The sign is for those who do not see the colour, and no word for those who
 * hear the page. */
void
html_verdict(FILE *out, enum explore_verdict verdict)
{
    static const char *const signs[] = {
        [EXPLORE_PROVED] = "\xe2\x9c\x93",   /* a tick */
        [EXPLORE_VACUOUS] = "\xe2\x97\x8b",  /* a ring */
        [EXPLORE_VIOLATED] = "\xe2\x9c\x95", /* a cross */
        [EXPLORE_BOUNDED] = "\xe2\x80\xa6",  /* dots */
    };

    fprintf(out,
            "<span class=\"verdict %s\"><span aria-hidden=\"true\">%s</span> "
            "%s</span>",
            verdict_word(verdict), signs[verdict], verdict_word(verdict));
}

void
html_setting(FILE *out, const struct specimen_run *run, unsigned index)
{
    char buffer[64];
    struct hf_text value;

    hf_text_init(&value, buffer, sizeof(buffer));
    specimen_add_value(run, index, &value);
    fputs("<code>", out);
    html_text(out, run->specimen->settings[index].name);
    fputs("=", out);
    html_text(out, buffer);
    fputs("</code>", out);
}

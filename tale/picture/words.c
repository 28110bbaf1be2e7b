#include "tale/picture/words.h"

#include <string.h>

/* In hundredths of the size: Verdana's and DejaVu's, which are wide. */
static int
width_of(char c)
{
    if ((unsigned char)c >= 0x80 && (unsigned char)c < 0xc0)
        return 0; /* goes on with a character */
    if (strchr(" .,:;'!|()[]ijl", c) != NULL)
        return 40;
    if (strchr("frt-/\"", c) != NULL)
        return 46;
    if (strchr("mwMW@%#+=<>&", c) != NULL || (unsigned char)c >= 0xc0)
        return 100;
    if (c >= 'A' && c <= 'Z')
        return 80;
    return 65;
}

int
words_width(struct words words, int size)
{
    int hundredths = 0;

    for (int i = 0; i < words.len; i++)
        hundredths += width_of(words.at[i]);
    return (hundredths * size + 99) / 100;
}

struct words
words_of(const char *text)
{
    return (struct words){text, (int)strlen(text)};
}

unsigned
words_wrap(const char *text, int size, int width,
           struct words lines[WORDS_LINES_MAX])
{
    unsigned count = 0;

    while (*text != '\0' && count < WORDS_LINES_MAX) {
        struct words line = {text, (int)strcspn(text, " ")};

        for (;;) {
            struct words more = line;

            if (text[line.len] == '\0')
                break;
            more.len += 1 + (int)strcspn(text + line.len + 1, " ");
            if (words_width(more, size) > width && count + 1 < WORDS_LINES_MAX)
                break;
            line = more;
        }
        lines[count++] = line;
        text += line.len;
        text += *text == ' ';
    }
    return count;
}

void
words_put(FILE *out, struct words words)
{
    for (int i = 0; i < words.len; i++) {
        char c = words.at[i];

        if (c == '&')
            fputs("&amp;", out);
        else if (c == '<')
            fputs("&lt;", out);
        else if (c == '>')
            fputs("&gt;", out);
        else if (c == '"')
            fputs("&quot;", out);
        else if ((unsigned char)c >= ' ')
            fputc(c, out);
    }
}

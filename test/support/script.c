#include "support/script.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define LINE_MAX_LEN 256
#define CAME_MAX     8192

/* What an event gave, or was to give: one a line. */
struct came {
    char bytes[CAME_MAX];
    struct hf_text text;
};

static void
begin(struct came *came)
{
    hf_text_init(&came->text, came->bytes, sizeof(came->bytes));
}

/* ---- Words --------------------------------------------------------------- */

static bool
is_blank(char c)
{
    return c == ' ' || c == ',';
}

static size_t
next_word(struct script_line *line)
{
    while (is_blank(*line->at))
        line->at++;
    return strcspn(line->at, " ,");
}

bool
script_word(struct script_line *line, const char *word)
{
    size_t len = next_word(line);

    if (len == 0 || len != strlen(word) || strncmp(line->at, word, len) != 0)
        return false;
    line->at += len;
    return true;
}

bool
script_number(struct script_line *line, const char *prefix, uint64_t *number)
{
    size_t len = next_word(line);
    size_t skip = strlen(prefix);
    char *end;
    uint64_t value;

    if (len <= skip || strncmp(line->at, prefix, skip) != 0 ||
        !isdigit((unsigned char)line->at[skip]))
        return false;
    value = strtoull(line->at + skip, &end, 10);
    if (end != line->at + len)
        return false;
    *number = value;
    line->at = end;
    return true;
}

bool
script_option(struct script_line *line, const char *word, uint64_t *number)
{
    struct script_line ahead = *line;

    if (!script_word(&ahead, word) || !script_number(&ahead, "", number))
        return false;
    *line = ahead;
    return true;
}

bool
script_any(struct script_line *line, struct hf_text *word)
{
    size_t len = next_word(line);

    hf_text_add_bytes(word, line->at, len);
    line->at += len;
    return len > 0;
}

/* ---- Playing ------------------------------------------------------------- */

static void
fail_at(const struct scripted_test *script, const char *line,
        const char *expected, const char *came)
{
    print_error("%s:%d: %s:\n    %s\nmust give:\n%s\nand gives:\n%s\n",
                script->file, script->line, script->name, line, expected, came);
    _fail(script->file, script->line);
}

static const char *
trimmed(const char *from, const char *end, size_t *len)
{
    while (from < end && *from == ' ')
        from++;
    while (from < end && end[-1] == ' ')
        end--;
    *len = (size_t)(end - from);
    return from;
}

/* "lost; ask #2 read": one a line. */
static void
add_expected(struct came *expected, const char *from, const char *end)
{
    while (from < end) {
        const char *stop = memchr(from, ';', (size_t)(end - from));
        size_t len;

        stop = stop == NULL ? end : stop;
        from = trimmed(from, stop, &len);
        hf_text_add_bytes(&expected->text, from, len);
        hf_text_add(&expected->text, "\n");
        from = stop + (stop < end);
    }
}

/* The bars of the lines that follow; what is behind them. */
static const char *
add_following(struct came *expected, const char *text)
{
    while (text[strspn(text, " ")] == '|') {
        const char *bar = strchr(text, '|');
        const char *end = strchr(bar, '\n');

        add_expected(expected, bar + 1, end);
        text = end + 1;
    }
    return text;
}

static void
check_facts(const struct scripted_test *script, const char *line)
{
    struct came all;
    char *save = NULL;

    begin(&all);
    hf_text_add(&all.text, line + 1);
    for (char *fact = strtok_r(all.bytes, ";", &save); fact != NULL;
         fact = strtok_r(NULL, ";", &save)) {
        char *name = fact + strspn(fact, " ");
        char *value = name + strcspn(name, " ");
        struct came is;

        begin(&is);
        if (*value != '\0')
            *value++ = '\0';
        if (!script->machine->fact(name, &is.text))
            fail_at(script, line, "a fact that is known", name);
        if (strcmp(value, is.bytes) != 0)
            fail_at(script, line, value, is.bytes);
    }
}

static bool
play_situation(const struct scripted_test *script, const char *name)
{
    const struct script_situation *at = script->machine->situations;
    struct scripted_test inner = *script;

    while (at->name != NULL && strcmp(at->name, name) != 0)
        at++;
    if (at->name == NULL)
        return false;
    inner.text = at->text;
    script_play(&inner);
    return true;
}

static void
play_event(const struct scripted_test *script, const char *text,
           const struct came *expected)
{
    struct script_line line = {text};
    struct came came;

    begin(&came);
    if (!script->machine->step(&line, &came.text) || next_word(&line) > 0)
        fail_at(script, text, "an event that is known", line.at);
    if (strcmp(came.bytes, expected->bytes) != 0)
        fail_at(script, text, expected->bytes, came.bytes);
}

/* Plays a line, and says where the next begins. */
static const char *
play_line(const struct scripted_test *script, const char *text)
{
    const char *end = strchr(text, '\n');
    const char *bar;
    const char *from;
    struct came expected;
    char line[LINE_MAX_LEN];
    size_t len;

    if (end == NULL) {
        fail_at(script, text, "a line with its end", "none");
        return text;
    }
    bar = memchr(text, '|', (size_t)(end - text));
    begin(&expected);
    if (bar != NULL)
        add_expected(&expected, bar + 1, end);
    from = trimmed(text, bar != NULL ? bar : end, &len);
    assert_true(len < sizeof(line));
    memcpy(line, from, len);
    line[len] = '\0';

    text = add_following(&expected, end + 1);
    if (line[0] == '=')
        check_facts(script, line);
    else if (!play_situation(script, line))
        play_event(script, line, &expected);
    return text;
}

void
script_play(const struct scripted_test *script)
{
    for (const char *text = script->text; *text != '\0';)
        text = play_line(script, text);
}

void
script_test(void **state)
{
    const struct scripted_test *script = *state;

    script->machine->begin();
    script_play(script);
    if (script->machine->end != NULL)
        script->machine->end();
}

#include "line.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include "moment.h"
#include "phrase.h"
#include "report.h"
#include "say.h"

enum {
    AGAIN_MS = 60 * 1000, /* between two lines where nobody looks */
    COLUMNS_USUAL = 80,
    COLUMNS_MAX = HF_SAY_NOW_MAX / 2 - 32, /* at most two bytes in each */
};

static size_t
terminal_columns(void)
{
    struct winsize size = {0};

    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        return COLUMNS_USUAL;
    return size.ws_col < COLUMNS_MAX ? size.ws_col : COLUMNS_MAX;
}

static void
add_life(struct hf_phrase *phrase, const struct hf_diagnosis *seen)
{
    char ago[32];

    hf_duration_text(seen->unchanged, ago, sizeof(ago));
    switch (seen->life) {
    case HF_LIFE_UNKNOWN:
        hf_phrase_add(phrase, "no beat seen yet");
        break;
    case HF_LIFE_BEATING:
        hf_phrase_add(phrase, "last beat %s ago", ago);
        break;
    case HF_LIFE_RUNNING:
        hf_phrase_add(phrase, "running, no beat for %s", ago);
        break;
    case HF_LIFE_SUSPECTED:
        hf_phrase_add(phrase, "suspected dead, no beat for %s", ago);
        break;
    case HF_LIFE_GONE:
        hf_phrase_add(phrase, "its processes are gone");
        break;
    }
}

/* What matters most stands first: the end is cut on a narrow terminal. */
static void
compose(struct hf_phrase *phrase, const struct hf_line *line,
        const struct hf_diagnosis *seen)
{
    const struct hf_description *record = &seen->record;
    int64_t waited = hf_moment_now() - line->began_at;
    char text[32];

    hf_phrase_start(phrase);
    hf_duration_text((struct hf_duration){waited - waited % 1000}, text,
                     sizeof(text));
    hf_phrase_add(phrase, "holdfast: %s %s for %s", line->verb, line->name,
                  text);
    if (record->exists && !record->corrupt) {
        hf_phrase_add(phrase, ": ");
        hf_report_who(phrase, record);
        hf_phrase_add(phrase, ", for %s, ",
                      hf_moment_age(record->since_ms, text, sizeof(text)));
        add_life(phrase, seen);
        hf_phrase_add(phrase, ", runs: %s", record->command);
    }
    hf_phrase_add(phrase, " (%s)", line->place);
}

/* False when stderr's reader would keep us. */
static bool
write_now(struct hf_line *line, const struct hf_phrase *text)
{
    size_t columns = line->terminal ? terminal_columns() - 1 : COLUMNS_MAX;
    int fit = (int)hf_phrase_fit(text->text, columns, NULL);
    struct hf_phrase out;

    hf_phrase_start(&out);
    if (line->terminal)
        hf_phrase_add(&out, "\r%.*s\033[K", fit, text->text);
    else
        hf_phrase_add(&out, "%.*s\n", fit, text->text);
    if (!hf_say_phrase_now(&out))
        return false;
    line->open = line->terminal;
    return true;
}

void
hf_line_init(struct hf_line *line, const char *verb, const char *name,
             const char *place)
{
    *line = (struct hf_line){
        .verb = verb,
        .name = name,
        .place = place,
        .terminal = hf_say_terminal(),
        .began_at = hf_moment_now(),
    };
}

void
hf_line_show(void *ctx, const struct hf_diagnosis *seen)
{
    struct hf_line *line = ctx;
    struct hf_phrase text;
    int64_t now = hf_moment_now();
    bool feared = seen->life == HF_LIFE_SUSPECTED || seen->life == HF_LIFE_GONE;
    bool news = !line->begun || (feared && seen->life != line->life);
    bool due = now - line->said_at >= AGAIN_MS;

    if (line->silent || !(line->terminal || news || due))
        return;
    compose(&text, line, seen);
    if (!write_now(line, &text))
        return; /* the next call tries again */
    line->begun = true;
    line->said_at = now;
    line->life = seen->life;
}

void
hf_line_end(struct hf_line *line)
{
    if (line->open)
        hf_say_wipe();
    line->open = false;
}

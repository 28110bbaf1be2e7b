#include "cli/waiting_line.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "output.h"
#include "report.h"
#include "say.h"
#include "waits.h"

/* A wait of which nothing is said; and one for which something to say may still
 * come: a place is called slow after half a second. */
static const struct hf_duration short_wait = {500};
static const struct hf_duration unknown_wait = {800};

/* Between two lines where stderr is no terminal; and about a place that does
 * not answer: the first, twice as long each time. */
static const struct hf_duration pause_usual = {60 * 1000};
static const struct hf_duration pause_first = {10 * 1000};
static const struct hf_duration waits_first = {1000};

enum {
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

static struct hf_duration
whole_seconds(struct hf_duration length)
{
    return (struct hf_duration){length.ms - length.ms % 1000};
}

/* It may end tomorrow, or never. */
static void
add_patience(struct hf_text *out, const struct hf_waiting_line *line,
             const struct hf_view *seen)
{
    if (line->waits_for_suspected &&
        hf_report_life(seen) == HF_LIFE_SUSPECTED &&
        hf_view_number(seen, HF_FIELD_IF_DEAD) == HF_REFUSE)
        hf_text_add(out, ", waited for by --if-suspected wait");
}

static void
add_life(struct hf_text *out, const struct hf_view *seen)
{
    struct hf_duration unchanged =
        hf_report_duration(seen, HF_FIELD_UNCHANGED_MS);
    char ago[32];

    hf_duration_text(whole_seconds(unchanged), ago, sizeof(ago));
    switch (hf_report_life(seen)) {
    case HF_LIFE_UNKNOWN:
        hf_text_add(out, "no beat seen yet");
        break;
    case HF_LIFE_BEATING:
        if (unchanged.ms < 1000)
            hf_text_add(out, "last beat just now");
        else
            hf_text_addf(out, "last beat %s ago", ago);
        break;
    case HF_LIFE_RUNNING:
        hf_text_add(out, "alive");
        break;
    case HF_LIFE_SUSPECTED:
        hf_text_addf(out, "suspected dead, no beat for %s", ago);
        break;
    case HF_LIFE_GONE:
        hf_text_add(out, "its processes are gone");
        break;
    }
}

/* " for 2m10s", or nothing of less than a second. */
static const char *
for_how_long(struct hf_instant since, char *buffer, size_t size)
{
    struct hf_duration length = whole_seconds(hf_between(since, hf_now()));
    char text[32];

    buffer[0] = '\0';
    if (length.ms > 0)
        snprintf(buffer, size, " for %s",
                 hf_duration_text(length, text, sizeof(text)));
    return buffer;
}

/* In the line of a lock server. */
static void
add_position(struct hf_text *out, const struct hf_view *seen)
{
    int64_t position = hf_view_number(seen, HF_FIELD_POSITION);

    if (position != 0)
        hf_text_addf(out, ", we are number %" PRId64 " of %" PRId64 " in line",
                     position, hf_view_number(seen, HF_FIELD_WAITERS));
}

/* Which of several locks it is about; of one that is said already. */
static const char *
name_of(const struct hf_waiting_line *line, const struct hf_view *seen,
        struct hf_text *name)
{
    hf_output_quote(name, hf_view_text(seen, HF_FIELD_NAME));
    return strcmp(name->at, line->name) == 0 ? NULL : name->at;
}

/* There is no holder, and another waiter is before us. */
static void
add_first(struct hf_text *out, const struct hf_view *seen, const char *name)
{
    struct hf_duration kept = hf_report_duration(seen, HF_FIELD_PARKED_MS);
    struct hf_text first = HF_OUTPUT_BUFFER;
    char text[32];

    if (!hf_report_first(&first, seen))
        return;
    hf_text_addf(out, ": nobody holds %s, but ", name != NULL ? name : "it");
    if (kept.ms > 0)
        hf_text_addf(out,
                     "a place before ours is kept for %s, for who is to ask "
                     "again",
                     hf_duration_text(kept, text, sizeof(text)));
    else
        hf_text_add(out, first.at);
    add_position(out, seen);
}

/* The most important words stand first: the end is cut on a narrow terminal. */
static void
add_holder(struct hf_text *out, const struct hf_waiting_line *line,
           const struct hf_view *seen)
{
    struct hf_text text_of_name = HF_OUTPUT_BUFFER;
    const char *name = name_of(line, seen, &text_of_name);
    char text[40];

    hf_text_addf(out, "%s %s%s", line->verb, line->name,
                 for_how_long(line->began_at, text, sizeof(text)));
    if (line->most.ms > 0)
        hf_text_addf(out, ", at most %s",
                     hf_duration_text(line->most, text, sizeof(text)));
    if (hf_report_exists(seen) && !hf_report_corrupt(seen)) {
        hf_text_add(out, ": ");
        if (name != NULL)
            hf_text_addf(out, "%s is held by ", name);
        hf_report_who(out, seen);
        hf_text_addf(out, ", for %s, ",
                     hf_output_age(hf_view_number(seen, HF_FIELD_SINCE_MS),
                                   text, sizeof(text)));
        add_life(out, seen);
        add_patience(out, line, seen);
        hf_text_add(out, line->waits);
        add_position(out, seen);
        hf_report_add_reason(out, seen);
        hf_report_add_command(out, seen);
    } else {
        add_first(out, seen, name);
    }
    hf_text_addf(out, " (%s)", line->place);
}

static void
compose(struct hf_text *out, const struct hf_waiting_line *line,
        enum hf_waiting_line_kind kind, const struct hf_view *seen)
{
    const char *why = hf_view_text(seen, HF_FIELD_ERROR);
    char text[40];

    hf_text_add(out, "holdfast: ");
    switch (kind) {
    case HF_WAITING_LINE_HOLDER:
        add_holder(out, line, seen);
        break;
    case HF_WAITING_LINE_UNANSWERED:
        hf_text_addf(out, "nothing is known about %s%s: %s", line->name,
                     for_how_long(line->known_at, text, sizeof(text)),
                     why[0] != '\0' ? why : line->place);
        break;
    case HF_WAITING_LINE_NO_ROOM:
        hf_text_addf(
            out, "%s %s%s: the server has no room for one more who waits: %s",
            line->verb, line->name,
            for_how_long(line->began_at, text, sizeof(text)), why);
        break;
    case HF_WAITING_LINE_UNSETTLED:
        hf_text_addf(out, "cannot tell yet whether %s was taken: %s; %s",
                     line->name, why[0] != '\0' ? why : line->place,
                     hf_say_twice());
        hf_text_add(out, " to leave it as it is");
        break;
    case HF_WAITING_LINE_KINDS:
        break;
    }
}

/* False when stderr's reader would keep us. */
static bool
write_now(struct hf_waiting_line *line, enum hf_waiting_line_kind kind,
          const struct hf_text *text)
{
    bool rewritten = line->terminal && kind == HF_WAITING_LINE_HOLDER;
    size_t columns = rewritten ? terminal_columns() - 1 : COLUMNS_MAX;
    int fit = (int)hf_output_fit(text->at, columns, NULL);
    struct hf_text out = HF_OUTPUT_BUFFER;

    hf_text_addf(&out, "%s%.*s%s%s", line->terminal ? "\r" : "", fit, text->at,
                 line->terminal ? "\033[K" : "", rewritten ? "" : "\n");
    if (!hf_say_text_now(&out))
        return false;
    line->open = rewritten;
    return true;
}

/* The line as it is to be now. */
static enum hf_waiting_line_kind
kind_of(const struct hf_waiting_line *line, const struct hf_view *seen,
        struct hf_instant now)
{
    struct hf_instant limit_at = hf_after(line->began_at, line->limit);

    if (hf_reached(now, hf_after(limit_at, short_wait)))
        return HF_WAITING_LINE_UNSETTLED;
    if (hf_view_number(seen, HF_FIELD_STATUS) == HF_E_LIMIT)
        return HF_WAITING_LINE_NO_ROOM;
    if (hf_view_text(seen, HF_FIELD_ERROR)[0] != '\0' &&
        !hf_report_corrupt(seen))
        return HF_WAITING_LINE_UNANSWERED;
    return HF_WAITING_LINE_HOLDER;
}

/* Too early to say anything? */
static bool
is_short(const struct hf_waiting_line *line, enum hf_waiting_line_kind kind,
         const struct hf_view *seen, struct hf_instant now)
{
    bool unknown = kind == HF_WAITING_LINE_HOLDER && !hf_report_exists(seen);

    return hf_between(line->began_at, now).ms <
           (unknown ? unknown_wait : short_wait).ms;
}

/* Every process is looked at, so the pauses grow; with another holder they
 * begin anew. */
static void
look_for_waits(struct hf_waiting_line *line, const struct hf_view *seen,
               struct hf_instant now)
{
    bool is_other = hf_report_fence(seen) != line->waits_of;
    struct hf_text text = HF_OUTPUT_BUFFER;
    int fit;

    if (!line->tells_waits || (!is_other && !hf_reached(now, line->waits_at)))
        return;
    line->waits_of = hf_report_fence(seen);
    line->waits_pause.ms *= 2;
    if (is_other || line->waits_pause.ms == 0)
        line->waits_pause = waits_first;
    if (line->waits_pause.ms > pause_first.ms)
        line->waits_pause = pause_first;
    line->waits_at = hf_after(now, line->waits_pause);
    line->waits_said = line->waits_said && !is_other;
    hf_waits_add(&text, line->place, seen);
    fit = (int)hf_output_fit(text.at, sizeof(line->waits) / 4, NULL);
    snprintf(line->waits, sizeof(line->waits), "%.*s", fit, text.at);
}

/* Nothing was known for `unknown`.  A slow place answers now and then: so each
 * kind of line has pauses of its own. */
static bool
is_due(const struct hf_waiting_line *line, enum hf_waiting_line_kind kind,
       const struct hf_view *seen, struct hf_duration unknown,
       struct hf_instant now)
{
    const struct hf_waiting_line_said *said = &line->said[kind];
    enum hf_life life = hf_report_life(seen);
    bool feared = life == HF_LIFE_SUSPECTED || life == HF_LIFE_GONE;

    if (!said->begun ||
        (kind == HF_WAITING_LINE_HOLDER && unknown.ms >= pause_first.ms))
        return true;
    if (kind == HF_WAITING_LINE_HOLDER &&
        (line->terminal || (feared && life != line->life) ||
         (!line->place_said && hf_view_number(seen, HF_FIELD_POSITION) != 0) ||
         (line->waits[0] != '\0' && !line->waits_said)))
        return true;
    return hf_reached(now, hf_after(said->at, said->pause));
}

static void
note_said(struct hf_waiting_line *line, enum hf_waiting_line_kind kind,
          struct hf_instant now)
{
    struct hf_waiting_line_said *said = &line->said[kind];
    bool again =
        said->begun && hf_between(said->at, now).ms < 2 * pause_usual.ms;

    said->begun = true;
    said->at = now;
    if (again)
        said->pause.ms *= 2;
    else
        said->pause = pause_first;
    if (kind == HF_WAITING_LINE_HOLDER || said->pause.ms > pause_usual.ms)
        said->pause = pause_usual;
}

void
hf_waiting_line_init(struct hf_waiting_line *line, const char *verb,
                     const char *name, const char *place)
{
    *line = (struct hf_waiting_line){
        .verb = verb,
        .name = name,
        .place = place,
        .terminal = hf_say_terminal(),
        .limit = HF_FOREVER,
        .began_at = hf_now(),
        .known_at = hf_now(),
    };
}

void
hf_waiting_line_show(struct hf_waiting_line *line, const struct hf_view *seen)
{
    struct hf_instant now = hf_now();
    enum hf_waiting_line_kind kind = kind_of(line, seen, now);
    struct hf_duration unknown = hf_between(line->known_at, now);
    struct hf_text text = HF_OUTPUT_BUFFER;

    if (kind == HF_WAITING_LINE_HOLDER || kind == HF_WAITING_LINE_NO_ROOM)
        line->known_at = now;
    if (line->silent || is_short(line, kind, seen, now))
        return;
    if (kind == HF_WAITING_LINE_HOLDER)
        look_for_waits(line, seen, now);
    if (!is_due(line, kind, seen, unknown, now))
        return;
    compose(&text, line, kind, seen);
    if (!write_now(line, kind, &text))
        return; /* the next call tries again */
    note_said(line, kind, now);
    if (kind != HF_WAITING_LINE_HOLDER)
        return;
    line->life = hf_report_life(seen);
    line->place_said = hf_view_number(seen, HF_FIELD_POSITION) != 0;
    line->waits_said = line->waits[0] != '\0';
}

void
hf_waiting_line_end(struct hf_waiting_line *line)
{
    if (line->open)
        hf_say_wipe();
    line->open = false;
}

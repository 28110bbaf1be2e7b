#include <inttypes.h>
#include <stdio.h>

#include "ask.h"
#include "report.h"
#include "say.h"
#include "verb.h"

enum {
    PAGE = 32,       /* locks read, and aligned, at once */
    NAME_WIDTH = 60, /* of a name that is longer, its beginning and … */
    TEXT_WIDTH =
        40, /* of a command, or a reason; the rest is cut: --json has it all */
};

enum column {
    NAME,
    HOLDER,
    COMMAND,
    SINCE,
    LAST_BEAT,
    IF_DEAD,
    FENCE,
    REASON,
    COLUMNS
};

struct columns {
    char cells[COLUMNS][HF_NAME_MAX + 1];
};

/* The locks that were read at once. */
struct page {
    struct hf_view *locks[PAGE]; /* owned */
    size_t count;
};

static const struct columns heads = {{"NAME", "HOLDER", "COMMAND", "SINCE",
                                      "LAST BEAT", "IF DEAD", "FENCE",
                                      "REASON"}};

/* It has no holder: the first in line, or the client whose place is kept. */
static void
fill_first(struct columns *row, const struct hf_view *lock)
{
    struct hf_duration kept = hf_report_duration(lock, HF_FIELD_PARKED_MS);
    size_t size = sizeof(row->cells[0]);
    struct hf_text who = HF_OUTPUT_BUFFER;
    char text[32];

    hf_report_who(&who, lock);
    if (kept.ms > 0)
        snprintf(row->cells[HOLDER], size, "(kept %s for %s)",
                 hf_duration_text(kept, text, sizeof(text)), who.at);
    else
        snprintf(row->cells[HOLDER], size, "(first in line: %s)", who.at);
    hf_duration_text(hf_report_duration(lock, HF_FIELD_WAITED_MS),
                     row->cells[SINCE], size);
}

static void
fill_row(struct columns *row, const struct hf_view *lock)
{
    size_t size = sizeof(row->cells[0]);
    const char *name = hf_view_text(lock, HF_FIELD_NAME);
    const char *command = hf_view_text(lock, HF_FIELD_COMMAND);
    const char *reason = hf_view_text(lock, HF_FIELD_REASON);
    int shown = (int)hf_output_fit(name, NAME_WIDTH, NULL);
    int fit = (int)hf_output_fit(command, TEXT_WIDTH, NULL);
    int reason_fit = (int)hf_output_fit(reason, TEXT_WIDTH, NULL);

    *row = (struct columns){{{0}}};
    snprintf(row->cells[NAME], size, "%.*s%s", shown, name,
             name[shown] != '\0' ? "…" : "");
    if (hf_view_number(lock, HF_FIELD_POSITION) != 0) {
        fill_first(row, lock);
        return;
    }
    snprintf(row->cells[FENCE], size, "%" PRIu64, hf_report_fence(lock));
    hf_output_age(hf_view_number(lock, HF_FIELD_STAMP_MS),
                  row->cells[LAST_BEAT], size);
    if (hf_report_corrupt(lock)) {
        snprintf(row->cells[HOLDER], size, "(not ours)");
        return;
    }
    snprintf(row->cells[HOLDER], size, "%s@%s",
             hf_report_known(lock, HF_FIELD_USER),
             hf_report_known(lock, HF_FIELD_HOST));
    snprintf(row->cells[COMMAND], size, "%.*s", fit, command);
    snprintf(row->cells[REASON], size, "%.*s", reason_fit, reason);
    hf_output_age(hf_view_number(lock, HF_FIELD_SINCE_MS), row->cells[SINCE],
                  size);
    snprintf(row->cells[IF_DEAD], size, "%s",
             hf_view_text(lock, HF_FIELD_IF_DEAD));
}

/* In characters; a wide one pushes the rest of its row, no more. */
static size_t
width_of(const char *cell)
{
    size_t width = 0;
    bool shown;

    for (; *cell != '\0'; width++)
        cell += hf_output_character(cell, &shown);
    return width;
}

static void
widen(size_t *widths, const struct columns *row)
{
    for (int i = 0; i < COLUMNS; i++) {
        size_t width = width_of(row->cells[i]);

        if (width > widths[i])
            widths[i] = width;
    }
}

static bool
print_row(const size_t *widths, const struct columns *row)
{
    struct hf_text out = HF_OUTPUT_BUFFER;
    int last = COLUMNS - 1;

    while (last > 0 && row->cells[last][0] == '\0')
        last--;
    for (int i = 0; i <= last; i++) {
        size_t pad = widths[i] - width_of(row->cells[i]) + 2;

        hf_text_addf(&out, "%s%*s", row->cells[i], i < last ? (int)pad : 0, "");
    }
    hf_text_add(&out, "\n");
    return hf_say_output(&out);
}

/* Each page is aligned for itself, and never narrower than the one before. */
static bool
print_table(const struct page *page, size_t *widths)
{
    struct columns rows[PAGE];
    bool first = widths[NAME] == 0;
    bool fine = true;

    widen(widths, &heads);
    for (size_t i = 0; i < page->count; i++) {
        fill_row(&rows[i], page->locks[i]);
        widen(widths, &rows[i]);
    }
    if (first)
        fine = print_row(widths, &heads);
    for (size_t i = 0; i < page->count && fine; i++)
        fine = print_row(widths, &rows[i]);
    return fine;
}

static bool
print_json(const struct page *page)
{
    bool fine = true;

    for (size_t i = 0; i < page->count && fine; i++)
        fine = hf_say_view(page->locks[i]);
    return fine;
}

static void
take_page(struct page *page, struct hf_query *query)
{
    for (page->count = 0; page->count < PAGE; page->count++) {
        struct hf_view *lock = hf_query_next(query);

        if (lock == NULL)
            break;
        page->locks[page->count] = lock;
    }
}

/* Free it, and tell how many of its names no lock can have. */
static size_t
free_page(struct page *page)
{
    size_t foreign_count = 0;

    for (size_t i = 0; i < page->count; i++) {
        if (hf_view_number(page->locks[i], HF_FIELD_FOREIGN) != 0)
            foreign_count++;
        hf_view_free(page->locks[i]);
    }
    return foreign_count;
}

static void
say_foreign(size_t count)
{
    bool one = count == 1;

    hf_say("%zu of these names %s none that a lock can have (empty, longer "
           "than %d bytes, not UTF-8, or with characters that nobody sees): "
           "another "
           "program wrote %s, which keeps nobody out; sqlite3 can delete %s",
           count, one ? "is" : "are", HF_NAME_MAX, one ? "the row" : "each row",
           one ? "it" : "them");
}

static int
begin(struct hf_ask *ask, const struct hf_cli_target *target)
{
    char limit[16];
    int code = hf_ask_begin(ask, HF_LIST, target);

    snprintf(limit, sizeof(limit), "%d", PAGE);
    if (code == 0)
        code = hf_ask_set(ask, HF_LIMIT, limit);
    return code == 0 ? hf_ask_open(ask, target) : code;
}

static int
list(struct hf_ask *ask, const struct hf_cli_target *target)
{
    size_t widths[COLUMNS] = {0};
    size_t foreign_count = 0;
    struct page page = {.count = PAGE};
    bool fine = true;

    while (fine && page.count > 0) {
        int code = hf_ask_wait(ask, NULL);

        if (code != 0)
            return code;
        take_page(&page, ask->query);
        if (target->json)
            fine = print_json(&page);
        else if (page.count > 0)
            fine = print_table(&page, widths);
        foreign_count += free_page(&page);
    }
    if (foreign_count > 0 && !target->json && fine)
        say_foreign(foreign_count);
    return fine ? 0 : HF_EXIT_OURS;
}

struct ls_order {
    struct hf_cli_target target;
    bool sessions;
};

static struct ls_order asked;

static int
ls(struct hf_ask *ask)
{
    const struct hf_cli_target *target = &asked.target;
    int code;

    if (asked.sessions && target->name != NULL)
        return hf_say_usage("", "ls --sessions takes no PREFIX");
    if (asked.sessions)
        return hf_ls_sessions(ask, target);
    code = begin(ask, target);
    return code == 0 ? list(ask, target) : code;
}

static const struct hf_option options[] = {
    HF_VERB_AT("where the locks are kept"),
    HF_VERB_SPACE("default `default`"),
    HF_OPTION(
        FLAG, "sessions", struct ls_order, sessions,
        HF_HELP(
            "who has a session, what it holds and waits for, and for how long "
            "it was silent")),
    HF_VERB_JSON("one JSON object a line, with everything that is known"),
    HF_VERB_HELP,
};

const struct hf_verb hf_ls_verb = {
    .name = "ls",
    .also = "list",
    .brief = "list the locks",
    .usage = "usage: holdfast ls [OPTION...] [PREFIX]\n"
             "       holdfast ls [OPTION...] --sessions\n"
             "\n"
             "List the locks whose names begin with PREFIX, or all of them; or "
             "those who have a session of a lock server.",
    .notes =
        "A name of more than 60 columns is cut, and ends with …; a command "
        "and a reason are cut at 40: --json has them in full.\n"
        "\n"
        "A lock that nobody holds is listed while a lock server keeps the "
        "first place in line for who is to ask again.\n"
        "\n"
        "LAST BEAT is by the wall clocks of the place and of this host; ask "
        "`holdfast why NAME` whether a holder is alive.",
    .exits = "0, also when there is none; 69 the place is unavailable, 77 "
             "permission denied, 64 wrong usage, 65 the place is not ours.",
    .examples = "  holdfast ls\n"
                "  holdfast ls nightly/ --json | jq -r .name\n",
    HF_VERB_OPTIONS(options),
    .operands = HF_VERB_MAY_NAME,
    .values = &asked,
    .run = ls,
};

#include "tale/picture/layout.h"

#include <string.h>

enum {
    MARGIN = 8,
    HEAD = 52,           /* for the names of the lines */
    LABELS_UP_TO = 460,  /* units that are legible on a telephone */
    LANE_LABELLED = 100, /* of a worker, with words beside the numbers */
    LANE_BARE = 54,
    LANE_INNER = 26, /* of that, between its line and the store */
    STORE_LEAST = 140,
    GAP = 12, /* between rows */
    TAIL = 40,
    VERDICT = 34,
};

/* ---- What the store holds: "#2 + #1", or "1: #1  2: -" ------------------- */

#define NOTHING "\xe2\x80\x93"

/* "1: #1  2: -": replicas, with names.  Returns the length of the name. */
static size_t
name_len(const char *at)
{
    size_t len = strcspn(at, ": +");

    return len > 0 && len < 3 && at[len] == ':' && at[len + 1] == ' ' ? len : 0;
}

static struct words
part_of(const struct layout *layout, const char *holds, unsigned lane)
{
    struct words part = words_of(holds);
    const char *end;

    if (!layout->replicas)
        return part;
    for (unsigned i = 0; i < lane && holds != NULL; i++) {
        holds = strstr(holds, "  ");
        holds = holds == NULL ? NULL : holds + 2;
    }
    if (holds == NULL)
        return words_of("");
    holds += name_len(holds) == 0 ? 0 : name_len(holds) + 2;
    end = strstr(holds, "  ");
    part = words_of(holds);
    if (end != NULL)
        part.len = (int)(end - holds);
    return part;
}

/* What stands between two of several. */
static int
gap_at(const char *at)
{
    static const char *const gaps[] = {" + ", ", ", " ("};

    for (unsigned i = 0; i < sizeof(gaps) / sizeof(gaps[0]); i++)
        if (strncmp(at, gaps[i], strlen(gaps[i])) == 0)
            return (int)strlen(gaps[i]);
    return 0;
}

/* The next of several; what is left in *rest. */
static struct words
take_item(struct words *rest)
{
    struct words item = *rest;

    for (int i = 0; i < rest->len; i++) {
        int gap = gap_at(rest->at + i);

        if (gap == 0)
            continue;
        item.len = i;
        rest->at += i + gap;
        rest->len -= i + gap;
        return item;
    }
    rest->len = 0;
    return item;
}

unsigned
layout_items(const struct layout *layout, const char *holds, unsigned lane,
             struct words items[LAYOUT_ITEMS_MAX])
{
    struct words rest = part_of(layout, holds, lane);
    unsigned count = 0;

    if (rest.len == 1 && rest.at[0] == '-')
        rest.len = 0;
    while (rest.len > 0 && count < LAYOUT_ITEMS_MAX) {
        struct words item = take_item(&rest);

        if (item.len > 0 && item.at[item.len - 1] == ')')
            item.len--;
        if (item.len == 1 && item.at[0] == '-')
            item = words_of(NOTHING);
        if (item.len > 0)
            items[count++] = item;
    }
    if (count == 0)
        items[count++] = words_of(layout->replicas ? NOTHING : "empty");
    return count;
}

struct words
layout_name(const struct layout *layout, unsigned lane)
{
    const char *at = layout->told->holds;

    for (unsigned i = 0; i < lane; i++)
        at = strstr(at, "  ") + 2;
    return (struct words){at, (int)name_len(at)};
}

static void
find_lanes(struct layout *layout)
{
    const char *at = layout->told->holds;

    layout->lanes = 1;
    layout->replicas = name_len(at) > 0;
    while (layout->replicas && layout->lanes < LAYOUT_LANES_MAX) {
        at = strstr(at, "  ");
        if (at == NULL || name_len(at + 2) == 0)
            return;
        at += 2;
        layout->lanes++;
    }
}

int
layout_chip_width(const struct words *items, unsigned count)
{
    int width = 0;

    for (unsigned i = 0; i < count; i++) {
        int wide = words_width(items[i], LAYOUT_LETTER);

        width = wide > width ? wide : width;
    }
    return width + 2 * LAYOUT_PAD;
}

int
layout_chip_height(unsigned count)
{
    return (int)count * LAYOUT_LINE + LAYOUT_PAD;
}

/* ---- Events ------------------------------------------------------------- */

bool
layout_is_note(const struct told_event *event)
{
    return event->kind == TOLD_WORLD || event->kind == TOLD_CLOSING ||
           (event->worker == TOLD_NOBODY && event->replica == 0);
}

bool
layout_is_at_lane(const struct layout *layout, const struct told_event *event)
{
    if (event->replica == 0 || event->replica > layout->lanes)
        return false;
    return event->kind == TOLD_ARRIVE || event->kind == TOLD_SERVER ||
           event->kind == TOLD_DOWN || event->kind == TOLD_UP;
}

bool
layout_is_left(const struct layout *layout, unsigned worker)
{
    return worker < (layout->run->workers + 1) / 2;
}

static bool
has_ended(unsigned where)
{
    return where == WHERE_DONE || where == WHERE_MOVED_ON ||
           where == WHERE_CRASHED;
}

unsigned
layout_end(const struct layout *layout, unsigned worker)
{
    const struct told *told = layout->told;
    unsigned end = told->count;

    if (told->count == 0 ||
        !has_ended(told->events[told->count - 1].where[worker]))
        return told->count;
    while (end > 0 && has_ended(told->events[end - 1].where[worker]) &&
           told->events[end - 1].worker != worker)
        end--;
    return end == 0 ? 0 : end - 1;
}

const char *
layout_label(const struct told *told, const struct told_event *event)
{
    bool answered = event->issue != 0;

    if (event->error)
        return "error";
    switch (event->kind) {
    case TOLD_READ:
        return "reads";
    case TOLD_ISSUE:
        for (unsigned i = event->number; i < told->count; i++)
            if (told->events[i].issue == event->number &&
                told->events[i].kind == TOLD_READ)
                return "asks";
        return "sends";
    case TOLD_WRITE:
        return answered ? "written" : "writes";
    case TOLD_REMOVE:
        return answered ? "removed" : "removes";
    case TOLD_GRANT:
        return "granted";
    case TOLD_START:
        return "starts";
    case TOLD_END:
        return "ends";
    case TOLD_PAUSE:
        return "pauses";
    case TOLD_WAKE:
        return "wakes";
    case TOLD_CRASH:
        return "crashes";
    case TOLD_ARRIVE:
    case TOLD_SERVER:
    case TOLD_DOWN:
    case TOLD_UP:
    case TOLD_WORK:
    case TOLD_WORLD:
    case TOLD_CLOSING:
        break;
    }
    return "";
}

/* ---- Across ------------------------------------------------------------- */

static int
widest_chip(const struct layout *layout, unsigned lane)
{
    const struct told *told = layout->told;
    struct words items[LAYOUT_ITEMS_MAX];
    unsigned count = layout_items(layout, told->holds, lane, items);
    int width = layout_chip_width(items, count);

    for (unsigned i = 0; i < told->count; i++) {
        int wide;

        count = layout_items(layout, told->events[i].holds, lane, items);
        wide = layout_chip_width(items, count);
        width = wide > width ? wide : width;
    }
    return width;
}

static int
lane_width(const struct layout *layout, unsigned lane)
{
    int width = widest_chip(layout, lane) + (layout->replicas ? GAP : 2 * GAP);
    int least = layout->replicas ? LANE_BARE : STORE_LEAST;

    return width > least ? width : least;
}

/* How wide what is in bold is, at most. */
static int
bold_width(const char *text)
{
    return words_width(words_of(text), LAYOUT_LETTER + 3);
}

/* The lanes of the store from x on, in the middle of what they have; returns
 * where the next worker begins. */
static int
place_lanes(struct layout *layout, int x, int middle)
{
    int at = x + middle / 2;

    for (unsigned i = 0; i < layout->lanes; i++)
        at -= lane_width(layout, i) / 2;
    layout->middle_left = x;
    for (unsigned i = 0; i < layout->lanes; i++) {
        int width = lane_width(layout, i);

        layout->lane_x[i] = at + width / 2;
        at += width;
    }
    layout->middle_right = x + middle;
    return layout->middle_right;
}

static void
place_workers(struct layout *layout, int x, int lane, int middle)
{
    unsigned workers = layout->run->workers;

    for (unsigned i = 0; i < workers; i++) {
        bool left = layout_is_left(layout, i);

        layout->worker_x[i] = x + (left ? lane - LANE_INNER : LANE_INNER);
        if (!layout->labelled)
            layout->worker_x[i] = x + lane / 2;
        x += lane;
        if (left && (i + 1 == workers || !layout_is_left(layout, i + 1)))
            x = place_lanes(layout, x, middle);
    }
}

static void
place_across(struct layout *layout)
{
    int workers = (int)layout->run->workers;
    int middle = 0;
    int verdict = 0;
    int lane;

    for (unsigned i = 0; i < layout->lanes; i++)
        middle += lane_width(layout, i);
    if (middle < STORE_LEAST)
        middle = STORE_LEAST;
    layout->labelled =
        2 * MARGIN + workers * LANE_LABELLED + middle <= LABELS_UP_TO;
    lane = layout->labelled ? LANE_LABELLED : LANE_BARE;
    layout->width = 2 * MARGIN + workers * lane + middle;
    if (layout->told->violated != NULL)
        verdict = bold_width("broken: ") + bold_width(layout->told->violated) +
                  2 * MARGIN;
    if (layout->width < verdict)
        layout->width = verdict;
    place_workers(layout, (layout->width - workers * lane - middle) / 2, lane,
                  middle);
}

int
layout_note_width(const struct layout *layout)
{
    return layout->middle_right - layout->middle_left - 2 * LAYOUT_PAD -
           2 * LAYOUT_DISC - 6;
}

/* ---- Downwards ---------------------------------------------------------- */

static void
reach(struct layout_row *row, int above, int below)
{
    if (row->above < above)
        row->above = above;
    if (row->below < below)
        row->below = below;
}

/* The boxes of what changes: beside a worker's number, below a number or note
 * that stands in the middle itself. */
static void
fit_chips(const struct layout *layout, const struct told_event *event,
          struct layout_row *row)
{
    bool below = event != NULL &&
                 (layout_is_note(event) || layout_is_at_lane(layout, event));
    const char *holds = event == NULL ? layout->told->holds : event->holds;
    int under = row->below;

    for (unsigned lane = 0; lane < layout->lanes; lane++) {
        struct words items[LAYOUT_ITEMS_MAX];
        int height;

        if ((row->changed >> lane & 1) == 0)
            continue;
        height = layout_chip_height(layout_items(layout, holds, lane, items));
        if (below)
            reach(row, 0, under + 4 + height);
        else
            reach(row, height / 2, height / 2);
    }
}

static unsigned
find_changes(const struct layout *layout, const char *before, const char *after)
{
    unsigned changed = 0;

    for (unsigned lane = 0; lane < layout->lanes; lane++) {
        struct words a = part_of(layout, before, lane);
        struct words b = part_of(layout, after, lane);

        if (a.len != b.len || memcmp(a.at, b.at, (size_t)a.len) != 0)
            changed |= 1u << lane;
    }
    return changed;
}

static void
fit_row(struct layout *layout, unsigned index)
{
    const struct told_event *event = &layout->told->events[index];
    struct layout_row *row = &layout->rows[index];
    const char *before = index == 0 ? layout->told->holds
                                    : layout->told->events[index - 1].holds;

    row->changed = find_changes(layout, before, event->holds);
    reach(row, LAYOUT_DISC, LAYOUT_DISC);
    if (layout_is_note(event)) {
        struct words lines[WORDS_LINES_MAX];
        unsigned count = words_wrap(event->sentence, LAYOUT_LETTER,
                                    layout_note_width(layout), lines);
        int half = layout_chip_height(count) / 2;

        reach(row, half, half);
    }
    if (event->kind == TOLD_DOWN)
        reach(row, 0, LAYOUT_END + 8);
    fit_chips(layout, event, row);
    for (unsigned i = 0; i < layout->run->workers; i++)
        if (layout_end(layout, i) == index)
            reach(row, 0, LAYOUT_END + 8);
}

static void
place_downwards(struct layout *layout)
{
    const struct told *told = layout->told;
    struct layout_row *before = &layout->first;
    bool goes_on = false;

    layout->top = HEAD;
    layout->first.changed = (1u << layout->lanes) - 1;
    layout->first.y = layout->top + GAP;
    fit_chips(layout, NULL, before);
    layout->first.y += before->above;
    for (unsigned i = 0; i < told->count; i++) {
        struct layout_row *row = &layout->rows[i];

        fit_row(layout, i);
        row->y = before->y + before->below + GAP + row->above;
        before = row;
    }
    for (unsigned i = 0; i < layout->run->workers; i++)
        goes_on |= layout_end(layout, i) == told->count;
    layout->tail = before->y + before->below + (goes_on ? TAIL : GAP);
    layout->height = layout->tail + (told->violated == NULL ? MARGIN : VERDICT);
}

void
layout_make(struct layout *layout, const struct specimen_run *run,
            const struct told *told)
{
    *layout = (struct layout){.run = run, .told = told};
    find_lanes(layout);
    place_across(layout);
    layout->left = layout->worker_x[0];
    layout->right = layout->worker_x[run->workers - 1];
    place_downwards(layout);
}

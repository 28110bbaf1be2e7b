#include "tale/picture/pen.h"

void
pen_group(const struct pen *pen, const struct told_event *event)
{
    fprintf(pen->out, "<g data-event=\"%u\"><title>%u. ", event->number,
            event->number);
    words_put(pen->out, words_of(event->sentence));
    fprintf(pen->out, "%s.</title>\n", event->fault ? " (a fault)" : "");
}

void
pen_text(const struct pen *pen, struct point at, const char *anchor,
         struct words words)
{
    fprintf(pen->out, "x=\"%d\" y=\"%d\" text-anchor=\"%s\">", at.x, at.y,
            anchor);
    words_put(pen->out, words);
    fputs("</text>\n", pen->out);
}

int
pen_side(const struct pen *pen, unsigned worker)
{
    return layout_is_left(pen->layout, worker) ? -1 : 1;
}

/* ---- What the store holds ----------------------------------------------- */

static void
put_chip(const struct pen *pen, const char *holds, unsigned lane, int top)
{
    struct words items[LAYOUT_ITEMS_MAX];
    unsigned count = layout_items(pen->layout, holds, lane, items);
    int width = layout_chip_width(items, count);
    int x = pen->layout->lane_x[lane];

    fprintf(pen->out,
            "<rect class=\"picture-box\" x=\"%d\" y=\"%d\" width=\"%d\" "
            "height=\"%d\" rx=\"3\"/>\n",
            x - width / 2, top, width, layout_chip_height(count));
    for (unsigned i = 0; i < count; i++) {
        bool empty = items[i].at[0] == 'e' || (items[i].at[0] & 0x80) != 0;

        fprintf(pen->out, "<text%s ", empty ? " class=\"picture-empty\"" : "");
        pen_text(pen,
                 (struct point){x, top + LAYOUT_PAD / 2 + (int)i * LAYOUT_LINE +
                                       LAYOUT_LETTER},
                 "middle", items[i]);
    }
}

void
pen_first(const struct pen *pen)
{
    const struct layout *layout = pen->layout;
    struct words items[LAYOUT_ITEMS_MAX];

    for (unsigned lane = 0; lane < layout->lanes; lane++) {
        const char *holds = layout->told->holds;
        unsigned count = layout_items(layout, holds, lane, items);

        put_chip(pen, holds, lane,
                 layout->first.y - layout_chip_height(count) / 2);
    }
}

static void
put_chips(const struct pen *pen, unsigned index, int under)
{
    const struct layout *layout = pen->layout;
    const struct told_event *event = &layout->told->events[index];
    bool below = layout_is_note(event) || layout_is_at_lane(layout, event);

    for (unsigned lane = 0; lane < layout->lanes; lane++) {
        struct words items[LAYOUT_ITEMS_MAX];
        unsigned count = layout_items(layout, event->holds, lane, items);
        int y = layout->rows[index].y;

        if ((layout->rows[index].changed >> lane & 1) == 0)
            continue;
        put_chip(pen, event->holds, lane,
                 below ? y + under + 4 : y - layout_chip_height(count) / 2);
    }
}

/* ---- Numbers ------------------------------------------------------------ */

static void
put_number(const struct pen *pen, const struct told_event *event,
           struct point at)
{
    char digits[12];
    const char *class =
        event->fault ? "picture-box picture-fault" : "picture-box";

    if (event->fault)
        fprintf(pen->out,
                "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" "
                "height=\"%d\" rx=\"2\"/>\n",
                class, at.x - LAYOUT_DISC, at.y - LAYOUT_DISC, 2 * LAYOUT_DISC,
                2 * LAYOUT_DISC);
    else
        fprintf(pen->out,
                "<circle class=\"%s\" cx=\"%d\" cy=\"%d\" r=\"%d\"/>\n", class,
                at.x, at.y, LAYOUT_DISC);
    if (event->fallback)
        fprintf(pen->out,
                "<circle class=\"picture-fallback\" cx=\"%d\" cy=\"%d\" "
                "r=\"%d\"/>\n",
                at.x, at.y, LAYOUT_DISC + 4);
    snprintf(digits, sizeof(digits), "%u", event->number);
    fprintf(pen->out, "<text class=\"picture-number%s\" ",
            event->number > 99 ? " picture-small" : "");
    at.y += 4;
    pen_text(pen, at, "middle", words_of(digits));
}

static void
put_note(const struct pen *pen, unsigned index)
{
    const struct layout *layout = pen->layout;
    const struct told_event *event = &layout->told->events[index];
    struct words lines[WORDS_LINES_MAX];
    unsigned count = words_wrap(event->sentence, LAYOUT_LETTER,
                                layout_note_width(layout), lines);
    int y = layout->rows[index].y;
    int height = layout_chip_height(count);
    int x = layout->middle_left + 2 * LAYOUT_DISC + 2;

    fprintf(pen->out,
            "<rect class=\"picture-note\" x=\"%d\" y=\"%d\" width=\"%d\" "
            "height=\"%d\" rx=\"3\"/>\n",
            layout->middle_left + LAYOUT_DISC, y - height / 2,
            layout->middle_right - layout->middle_left - LAYOUT_DISC, height);
    for (unsigned i = 0; i < count; i++) {
        fputs("<text ", pen->out);
        pen_text(pen,
                 (struct point){x + 4, y - height / 2 + LAYOUT_PAD / 2 +
                                           (int)i * LAYOUT_LINE +
                                           LAYOUT_LETTER},
                 "start", lines[i]);
    }
    put_number(pen, event,
               (struct point){layout->middle_left + LAYOUT_DISC, y});
    put_chips(pen, index, height / 2 > LAYOUT_DISC ? height / 2 : LAYOUT_DISC);
}

static void
put_label(const struct pen *pen, unsigned index)
{
    const struct layout *layout = pen->layout;
    const struct told_event *event = &layout->told->events[index];
    int side = pen_side(pen, event->worker);
    struct words label = words_of(layout_label(layout->told, event));

    if (!layout->labelled || label.len == 0)
        return;
    fputs("<text class=\"picture-word\" ", pen->out);
    pen_text(pen,
             (struct point){layout->worker_x[event->worker] +
                                side * (LAYOUT_DISC + 6),
                            layout->rows[index].y + 4},
             side < 0 ? "end" : "start", label);
}

void
pen_marks(const struct pen *pen, unsigned index)
{
    const struct layout *layout = pen->layout;
    const struct told_event *event = &layout->told->events[index];
    struct point at = {0, layout->rows[index].y};

    pen_group(pen, event);
    if (layout_is_note(event)) {
        put_note(pen, index);
        fputs("</g>\n", pen->out);
        return;
    }
    put_chips(pen, index, LAYOUT_DISC);
    if (layout_is_at_lane(layout, event)) {
        at.x = layout->lane_x[event->replica - 1];
    } else {
        at.x = layout->worker_x[event->worker];
        put_label(pen, index);
    }
    put_number(pen, event, at);
    fputs("</g>\n", pen->out);
}

/* ---- Names -------------------------------------------------------------- */

static void
put_head(const struct pen *pen, int x, const char *over, const char *under)
{
    fputs("<text class=\"picture-head\" ", pen->out);
    pen_text(pen, (struct point){x, 24}, "middle", words_of(over));
    if (under[0] == '\0')
        return;
    fputs("<text class=\"picture-head\" ", pen->out);
    pen_text(pen, (struct point){x, 40}, "middle", words_of(under));
}

void
pen_heads(const struct pen *pen)
{
    const struct layout *layout = pen->layout;
    char number[8];

    for (unsigned i = 0; i < layout->run->workers; i++) {
        snprintf(number, sizeof(number), "#%u", i + 1);
        put_head(pen, layout->worker_x[i], "Worker", number);
    }
    if (!layout->replicas) {
        const char *store = layout->run->specimen->store;

        put_head(pen, layout->lane_x[0], "", store == NULL ? "Store" : store);
        return;
    }
    for (unsigned i = 0; i < layout->lanes; i++) {
        struct words name = layout_name(layout, i);

        snprintf(number, sizeof(number), "%.*s", name.len, name.at);
        put_head(pen, layout->lane_x[i], "Node", number);
    }
}

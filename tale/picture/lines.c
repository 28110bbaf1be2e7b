#include "tale/picture/pen.h"

/* ---- Lines -------------------------------------------------------------- */

static void
put_line(const struct pen *pen, const char *class, struct point from, int to)
{
    fprintf(pen->out, "<path class=\"%s\" d=\"M%d %dV%d\"/>\n", class, from.x,
            from.y, to);
}

/* Moved on is a hollow end, a crash an X, and done is filled. */
static void
put_end(const struct pen *pen, enum where where, struct point at)
{
    if (where == WHERE_CRASHED)
        fprintf(pen->out,
                "<path class=\"picture-cross\" d=\"M%d %dl12 12m0-12"
                "l-12 12\"/>\n",
                at.x - 6, at.y - 6);
    else
        fprintf(pen->out,
                "<circle class=\"%s\" cx=\"%d\" cy=\"%d\" r=\"5\"/>\n",
                where == WHERE_MOVED_ON ? "picture-hollow" : "picture-ended",
                at.x, at.y);
}

static void
put_worker(const struct pen *pen, unsigned worker)
{
    const struct layout *layout = pen->layout;
    const struct told *told = layout->told;
    unsigned end = layout_end(layout, worker);
    struct point at = {layout->worker_x[worker], layout->top};
    const struct told_event *last;

    if (end == told->count) {
        int from = layout->tail - 26;

        put_line(pen, "picture-line", at, from);
        at.y = from;
        put_line(pen, "picture-line picture-on", at, layout->tail);
        return;
    }
    last = &told->events[end];
    put_line(pen, "picture-line", at, layout->rows[end].y + LAYOUT_END - 4);
    pen_group(pen, last);
    at.y = layout->rows[end].y + LAYOUT_END;
    put_end(pen, (enum where)told->events[told->count - 1].where[worker], at);
    fputs("</g>\n", pen->out);
}

/* A replica that is down has a cross, and no more than a trace. */
static void
put_lane(const struct pen *pen, unsigned lane)
{
    const struct layout *layout = pen->layout;
    struct point at = {layout->lane_x[lane], layout->top};
    bool down = false;

    for (unsigned i = 0; i < layout->told->count; i++) {
        const struct told_event *event = &layout->told->events[i];
        int y = layout->rows[i].y;

        if (event->replica != lane + 1 ||
            (event->kind != TOLD_DOWN && event->kind != TOLD_UP))
            continue;
        put_line(pen, down ? "picture-down" : "picture-store", at, y);
        at.y = y;
        down = event->kind == TOLD_DOWN;
        if (!down)
            continue;
        at.y = y + LAYOUT_END;
        pen_group(pen, event);
        put_end(pen, WHERE_CRASHED, at);
        fputs("</g>\n", pen->out);
    }
    put_line(pen, down ? "picture-down" : "picture-store", at, layout->tail);
}

void
pen_lines(const struct pen *pen)
{
    const struct layout *layout = pen->layout;

    for (unsigned i = 0; i < layout->lanes; i++)
        put_lane(pen, i);
    for (unsigned i = 0; i < layout->run->workers; i++)
        put_worker(pen, i);
}

/* ---- Critical sections -------------------------------------------------- */

static unsigned
where_at(const struct pen *pen, unsigned index, unsigned worker)
{
    return pen->layout->told->events[index].where[worker];
}

static int
y_at(const struct pen *pen, unsigned index)
{
    return index < pen->layout->told->count ? pen->layout->rows[index].y
                                            : pen->layout->tail;
}

static void
put_rect(const struct pen *pen, struct point from, struct point to)
{
    fprintf(pen->out, "x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"", from.x,
            from.y, to.x - from.x, to.y - from.y);
}

/* A worker stands as `where` from one event to the next. */
static void
put_bar(const struct pen *pen, unsigned worker, unsigned first, unsigned next)
{
    int x = pen->layout->worker_x[worker];
    bool inside = where_at(pen, first, worker) == WHERE_INSIDE;

    pen_group(pen, &pen->layout->told->events[first]);
    fputs("<rect ", pen->out);
    put_rect(pen, (struct point){x - LAYOUT_BAR / 2, y_at(pen, first)},
             (struct point){x + LAYOUT_BAR / 2, y_at(pen, next)});
    if (inside)
        fputs(" class=\"picture-bar\"/></g>\n", pen->out);
    else
        fprintf(pen->out,
                " class=\"picture-paused\" fill=\"url(#%s-rest)\"/></g>\n",
                pen->id);
}

static void
put_bars(const struct pen *pen, unsigned worker)
{
    unsigned count = pen->layout->told->count;
    unsigned next;

    for (unsigned i = 0; i < count; i = next) {
        unsigned where = where_at(pen, i, worker);

        next = i + 1;
        while (next < count && where_at(pen, next, worker) == where)
            next++;
        if (where == WHERE_INSIDE || where == WHERE_PAUSED)
            put_bar(pen, worker, i, next);
    }
}

/* How many are inside after an event; the edges of their bars. */
static unsigned
count_inside(const struct pen *pen, unsigned index, int *left, int *right)
{
    unsigned inside = 0;

    for (unsigned i = 0; i < pen->layout->run->workers; i++) {
        if (where_at(pen, index, i) != WHERE_INSIDE)
            continue;
        if (inside++ == 0)
            *left = pen->layout->worker_x[i] - LAYOUT_BAR / 2;
        *right = pen->layout->worker_x[i] + LAYOUT_BAR / 2;
    }
    return inside;
}

/* Both are inside from one event to the next. */
static void
put_overlap(const struct pen *pen, unsigned index)
{
    int top = y_at(pen, index);
    int bottom = y_at(pen, index + 1);
    int left = 0;
    int right = 0;

    if (count_inside(pen, index, &left, &right) < 2)
        return;
    pen_group(pen, &pen->layout->told->events[index]);
    fputs("<rect class=\"picture-overlap\" ", pen->out);
    put_rect(pen, (struct point){left, top}, (struct point){right, bottom});
    fprintf(pen->out, " fill=\"url(#%s-both)\"/>\n", pen->id);
    for (unsigned i = 0; i < pen->layout->run->workers; i++) {
        int x = pen->layout->worker_x[i];

        if (where_at(pen, index, i) != WHERE_INSIDE)
            continue;
        fputs("<rect ", pen->out);
        put_rect(pen, (struct point){x - LAYOUT_BAR / 2, top},
                 (struct point){x + LAYOUT_BAR / 2, bottom});
        fprintf(pen->out, " fill=\"url(#%s-inside-both)\"/>\n", pen->id);
    }
    fputs("</g>\n", pen->out);
}

void
pen_bars(const struct pen *pen)
{
    for (unsigned i = 0; i < pen->layout->run->workers; i++)
        put_bars(pen, i);
    for (unsigned i = 0; i < pen->layout->told->count; i++)
        put_overlap(pen, i);
}

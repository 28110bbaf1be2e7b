#include "tale/picture/pen.h"

enum kind { CHANGE, ANSWER, FAILED };

static void
put_arrow(const struct pen *pen, enum kind kind, struct point from,
          struct point to)
{
    static const char *const classes[] = {
        [CHANGE] = "picture-change",
        [ANSWER] = "picture-answer",
        [FAILED] = "picture-error",
    };
    static const char *const tips[] = {
        [CHANGE] = "tip",
        [ANSWER] = "tip-answer",
        [FAILED] = "tip-error",
    };

    fprintf(pen->out,
            "<path class=\"%s\" d=\"M%d %d %d %d\" "
            "marker-end=\"url(#%s-%s)\"/>\n",
            classes[kind], from.x, from.y, to.x, to.y, pen->id, tips[kind]);
}

/* A message that never arrives: it ends in a cross, short of where it went. */
static void
put_lost(const struct pen *pen, struct point from, struct point to)
{
    struct point end = {to.x - (to.x - from.x) / 4, to.y - (to.y - from.y) / 4};

    fprintf(pen->out,
            "<path class=\"picture-change\" d=\"M%d %d %d %d\"/>"
            "<path class=\"picture-cross\" d=\"M%d %dl9 9m0-9l-9 9\"/>\n",
            from.x, from.y, end.x, end.y, end.x - 4, end.y - 4);
}

/* Where an arrow at the row of an event touches a lane. */
static int
lane_edge(const struct pen *pen, unsigned index, unsigned lane, int side)
{
    const struct layout *layout = pen->layout;
    const struct told_event *event = &layout->told->events[index];
    struct words items[LAYOUT_ITEMS_MAX];
    unsigned count;

    if (layout_is_at_lane(layout, event))
        return layout->lane_x[lane] + side * (LAYOUT_DISC + 1);
    if ((layout->rows[index].changed >> lane & 1) == 0)
        return layout->lane_x[lane] + side * 4;
    count = layout_items(layout, event->holds, lane, items);
    return layout->lane_x[lane] +
           side * (layout_chip_width(items, count) / 2 + 1);
}

/* The lane that a worker's own step is about: of those that change the one
 * farthest from it, else the nearest. */
static unsigned
lane_of(const struct pen *pen, unsigned index)
{
    const struct layout *layout = pen->layout;
    const struct told_event *event = &layout->told->events[index];
    unsigned changed = layout->rows[index].changed;
    bool left = layout_is_left(layout, event->worker);
    unsigned lane = left ? 0 : layout->lanes - 1;

    if (event->replica != 0 && event->replica <= layout->lanes)
        return event->replica - 1;
    for (unsigned i = 0; i < layout->lanes; i++) {
        if ((changed >> i & 1) == 0)
            continue;
        lane = i;
        if (!left)
            break;
    }
    return lane;
}

static struct point
at_worker(const struct pen *pen, unsigned index)
{
    const struct layout *layout = pen->layout;
    unsigned worker = layout->told->events[index].worker;

    return (struct point){
        layout->worker_x[worker] - pen_side(pen, worker) * (LAYOUT_DISC + 1),
        layout->rows[index].y,
    };
}

static struct point
at_lane(const struct pen *pen, unsigned index, unsigned lane, int side)
{
    return (struct point){
        lane_edge(pen, index, lane, side),
        pen->layout->rows[index].y,
    };
}

/* ---- What is sent ------------------------------------------------------- */

/* Does it arrive at a replica, later? */
static bool
arrives_at_replicas(const struct told *told, unsigned issue)
{
    for (unsigned i = issue; i < told->count; i++)
        if (told->events[i].kind == TOLD_ARRIVE &&
            told->events[i].issue == issue)
            return true;
    return false;
}

/* Does it ask, rather than change?  Known once it is answered. */
static bool
is_read(const struct told *told, unsigned issue)
{
    for (unsigned i = issue; i < told->count && issue != 0; i++)
        if (told->events[i].issue == issue && told->events[i].kind == TOLD_READ)
            return true;
    return false;
}

static bool
is_completed(const struct told *told, unsigned issue)
{
    for (unsigned i = issue; i < told->count; i++)
        if (told->events[i].issue == issue)
            return true;
    return false;
}

/* A third of the way, for what is still under way when the tale ends; what
 * arrives is drawn by its arrival. */
static void
draw_issue(const struct pen *pen, unsigned index)
{
    const struct told *told = pen->layout->told;
    const struct told_event *event = &told->events[index];
    int side = pen_side(pen, event->worker);
    struct point from = at_worker(pen, index);
    struct point to = at_lane(pen, index, lane_of(pen, index), side);

    if (event->replica != 0 || pen->layout->rows[index].changed != 0) {
        put_arrow(pen, CHANGE, from, to);
        return;
    }
    if (is_completed(told, event->number))
        return;
    to.x = from.x + (to.x - from.x) / 3;
    to.y += 12;
    put_arrow(pen, CHANGE, from, to);
}

static void
draw_arrival(const struct pen *pen, unsigned index)
{
    const struct layout *layout = pen->layout;
    const struct told_event *event = &layout->told->events[index];
    unsigned lane = event->replica - 1;
    struct point from;
    struct point to;

    if (!layout_is_at_lane(layout, event))
        return;
    if (event->issue != 0) {
        unsigned issue = event->issue - 1;
        int side = pen_side(pen, layout->told->events[issue].worker);

        from = at_worker(pen, issue);
        to = at_lane(pen, index, lane, side);
    } else {
        to = at_lane(pen, index, lane, -1);
        from = (struct point){to.x - 14, to.y - 8};
    }
    if (event->lost)
        put_lost(pen, from, to);
    else
        put_arrow(pen, is_read(layout->told, event->issue) ? ANSWER : CHANGE,
                  from, to);
}

/* ---- What is answered --------------------------------------------------- */

/* From the replica whose answer was the last that it took. */
static void
draw_answer(const struct pen *pen, unsigned index, enum kind kind)
{
    const struct told *told = pen->layout->told;
    const struct told_event *event = &told->events[index];
    int side = pen_side(pen, event->worker);

    for (unsigned i = index; i > event->issue; i--) {
        const struct told_event *heard = &told->events[i - 1];

        if (heard->kind != TOLD_ARRIVE || heard->issue != event->issue ||
            heard->replica == 0)
            continue;
        put_arrow(pen, kind, at_lane(pen, i - 1, heard->replica - 1, side),
                  at_worker(pen, index));
        return;
    }
}

/* A write or remove that reaches the one store, and its answer. */
static void
draw_change(const struct pen *pen, unsigned index)
{
    const struct told *told = pen->layout->told;
    const struct told_event *event = &told->events[index];
    int side = pen_side(pen, event->worker);
    struct point from = at_worker(pen, index);
    struct point to = at_lane(pen, index, lane_of(pen, index), side);
    int apart = event->error && event->issue == 0 ? 5 : 0;

    if (event->issue != 0)
        from = at_worker(pen, event->issue - 1);
    from.y -= apart;
    to.y -= apart;
    if (event->lost)
        put_lost(pen, from, to);
    else
        put_arrow(pen, CHANGE, from, to);
    if (event->issue == 0 && !event->error)
        return;
    from = at_worker(pen, index);
    to.y += 2 * apart;
    from.y += apart;
    if (event->lost)
        to.x -= (to.x - from.x) / 4;
    put_arrow(pen, event->error ? FAILED : ANSWER, to, from);
}

void
pen_arrows(const struct pen *pen, unsigned index)
{
    const struct told *told = pen->layout->told;
    const struct told_event *event = &told->events[index];
    enum kind answer = event->error ? FAILED : ANSWER;

    if (layout_is_note(event))
        return;
    if (event->kind == TOLD_ISSUE)
        draw_issue(pen, index);
    else if (event->kind == TOLD_ARRIVE)
        draw_arrival(pen, index);
    else if (event->issue != 0 && arrives_at_replicas(told, event->issue))
        draw_answer(pen, index, answer);
    else if (event->kind == TOLD_WRITE || event->kind == TOLD_REMOVE)
        draw_change(pen, index);
    else if (event->kind == TOLD_READ || event->kind == TOLD_GRANT)
        put_arrow(pen, answer,
                  at_lane(pen, index, lane_of(pen, index),
                          pen_side(pen, event->worker)),
                  at_worker(pen, index));
}

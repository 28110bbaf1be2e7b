#ifndef TALE_PICTURE_LAYOUT_H
#define TALE_PICTURE_LAYOUT_H

#include "tale/picture/words.h"
#include "tale/specimen/specimen.h"

/*
 * Layout: where everything of a picture stands, in units of which 12 are the
 * size of a letter.  Computed before anything is drawn, from what will be
 * said, so that nothing stands on anything else.
 *
 * Each event has a row to itself, and a row is as high as what is in it.
 */

enum {
    LAYOUT_LANES_MAX = 5,
    LAYOUT_ITEMS_MAX = 8,
    LAYOUT_LETTER = 12, /* size of letters */
    LAYOUT_LINE = 15,   /* from one line of them to the next */
    LAYOUT_DISC = 10,   /* radius of what a number stands in */
    LAYOUT_BAR = 16,    /* width of the critical section */
    LAYOUT_PAD = 8,     /* from words to the edge of their box */
    LAYOUT_END = 22,    /* from an event to the end of its line */
};

struct layout_row {
    int y;
    int above; /* what is in it reaches so far */
    int below;
    unsigned changed; /* lanes whose content changes, each a bit */
};

struct layout {
    const struct specimen_run *run;
    const struct told *told;
    bool labelled;  /* there is room for a word beside each number */
    unsigned lanes; /* of the store: 1, or one a replica */
    bool replicas;  /* they have names */
    int worker_x[TOLD_WORKERS_MAX];
    int lane_x[LAYOUT_LANES_MAX];
    int middle_left; /* of the lanes, for what is said about the world */
    int middle_right;
    int left; /* edges of all lines */
    int right;
    int top;  /* where the lines begin */
    int tail; /* where they end */
    int width;
    int height;
    struct layout_row rows[TOLD_EVENTS_MAX];
    struct layout_row first; /* what the store holds at first */
};

void layout_make(struct layout *layout, const struct specimen_run *run,
                 const struct told *told);

/* What a lane holds in `holds`: its siblings, one each. */
unsigned layout_items(const struct layout *layout, const char *holds,
                      unsigned lane, struct words items[LAYOUT_ITEMS_MAX]);

/* The name of a replica. */
struct words layout_name(const struct layout *layout, unsigned lane);

/* The box of items so many: its width and height. */
int layout_chip_width(const struct words *items, unsigned count);
int layout_chip_height(unsigned count);

/* Is the event told in a box in the middle? */
bool layout_is_note(const struct told_event *event);

/* Does its number stand on the line of a replica? */
bool layout_is_at_lane(const struct layout *layout,
                       const struct told_event *event);

/* The width for words in such a box. */
int layout_note_width(const struct layout *layout);

/* Is the line of the worker left of the store? */
bool layout_is_left(const struct layout *layout, unsigned worker);

/* The last event after which the line of a worker goes on; told->count when it
 * never ends. */
unsigned layout_end(const struct layout *layout, unsigned worker);

/* What is said beside the number of an event. */
const char *layout_label(const struct told *told,
                         const struct told_event *event);

#endif

#ifndef TALE_PICTURE_PEN_H
#define TALE_PICTURE_PEN_H

#include <stdio.h>

#include "tale/picture/layout.h"

/* Pen: what is drawn with, and the parts of a picture, each in a file. */

struct pen {
    FILE *out;
    const struct layout *layout;
    const char *id;
};

struct point {
    int x;
    int y;
};

/* style.c: colours and patterns.  `dark`: those of a dark page, too. */
void pen_style(FILE *out, bool dark);
void pen_defs(const struct pen *pen);

/* lines.c: who is there, and how long; the critical sections. */
void pen_lines(const struct pen *pen);
void pen_bars(const struct pen *pen);

/* arrows.c: what goes between the workers and the store. */
void pen_arrows(const struct pen *pen, unsigned index);

/* marks.c: numbers and words. */
void pen_marks(const struct pen *pen, unsigned index);
void pen_heads(const struct pen *pen);

/* What the store holds at first. */
void pen_first(const struct pen *pen);

/* picture.c: an <svg> element, which the caller ends; and what is in it. */
void pen_open(const struct pen *pen, int width, int height);
void pen_picture(const struct pen *pen);

/* key.c: what the patterns say, within a width; returns its height, and
 * `measures`: does no more. */
int pen_key(const struct pen *pen, struct point at, int width, bool measures);

/* Begin a group that belongs to an event; the caller ends it. */
void pen_group(const struct pen *pen, const struct told_event *event);

/* A line of text; `anchor` is start, middle or end. */
void pen_text(const struct pen *pen, struct point at, const char *anchor,
              struct words words);

/* -1 for a worker left of the store, else 1: the way away from it. */
int pen_side(const struct pen *pen, unsigned worker);

#endif

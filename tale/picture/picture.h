#ifndef TALE_PICTURE_PICTURE_H
#define TALE_PICTURE_PICTURE_H

#include <stdio.h>

#include "tale/specimen/specimen.h"

/*
 * Picture: a told schedule as a space-time diagram in SVG.
 *
 * Time runs downwards.  Each worker has a line, and so has the store, or each
 * of its replicas, in the middle.  Every event has the number of its sentence,
 * and all that belongs to event N is in groups with data-event="N" and a title
 * that says the sentence.
 *
 * Colours are custom properties with fallbacks for a light page, which a page
 * may set: --picture-ink, -soft, -faint, -paper, -inside, -alarm.
 *
 * Errors of writing are left to be found with ferror.  Allocates nothing.
 */

/* Write one <svg> element for an HTML page.  `id` is its id, and begins all
 * others that it needs; it is no part of any other picture's. */
void picture_draw(FILE *out, const struct specimen_run *run,
                  const struct told *told, const char *id);

/* Write a whole .svg file, with a heading above the picture, the sentences
 * below it, and colours for a light and a dark background. */
void picture_write(FILE *out, const struct specimen_run *run,
                   const struct told *told);

#endif

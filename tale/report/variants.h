#ifndef TALE_REPORT_VARIANTS_H
#define TALE_REPORT_VARIANTS_H

/* Variants: specimens with more workers or other settings, where that says
 * something about them. */

struct variant {
    const char *line;  /* as run_line begins: SPECIMEN,NAME=VALUE...:WORKERS */
    const char *only;  /* the one property to look at, or NULL: all */
    const char *about; /* what it shows, or NULL */
};

extern const struct variant variants[];
extern const unsigned variants_count;

#endif

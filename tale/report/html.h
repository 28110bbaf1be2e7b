#ifndef TALE_REPORT_HTML_H
#define TALE_REPORT_HTML_H

#include <stdint.h>
#include <stdio.h>

#include "explore/explore.h"
#include "tale/specimen/specimen.h"

/*
 * Html: the small parts of a page.  Whatever is written between tags or in
 * quotes goes through here, so that nothing in it is taken for markup.
 * Errors of writing are left to be found with ferror.
 */

/* As text or in quotes; what is no UTF-8, and what no page may hold, comes out
 * as U+FFFD. */
void html_text(FILE *out, const char *text);

/* The same, with a capital letter first if it begins with an ASCII one. */
void html_sentence(FILE *out, const char *text);

/* 2,388,244 */
void html_count(FILE *out, uint64_t number);

/* 16.02 s, or "under 0.01 s". */
void html_seconds(FILE *out, double seconds);

/* <a href="#property-...">overlap</a> */
void html_property(FILE *out, const char *property);

/* The verdict as a mark: its word, a sign, and a class for its colour. */
void html_verdict(FILE *out, enum explore_verdict verdict);

/* name=value, as code. */
void html_setting(FILE *out, const struct specimen_run *run, unsigned index);

#endif

#ifndef TALE_REPORT_CHAPTERS_H
#define TALE_REPORT_CHAPTERS_H

#include <stdio.h>

#include "tale/report/found.h"

/* Chapters: the parts of the page that are about specimens. */

/* The specimens in a table, each with a link to what it says of it. */
void chapters_overview(FILE *out, const struct found_all *all);

/* The specimens of one source after another. */
void chapters_specimens(FILE *out, const struct found_all *all);

/* The properties, and what each means. */
void chapters_properties(FILE *out);

/* Does the source of this specimen differ from that of the one before? */
bool chapters_begins_source(unsigned index);

/* "source-1", ...: the id of the chapter of a specimen's source. */
void chapters_source_id(FILE *out, unsigned index);

#endif

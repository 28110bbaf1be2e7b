#ifndef TALE_REPORT_SPECIMEN_SHOW_H
#define TALE_REPORT_SPECIMEN_SHOW_H

#include <stdio.h>

#include "tale/report/found.h"

/* One specimen: its verdict, its story and picture, its settings, and its
 * variants, which are among those of `all`. */
void specimen_show(FILE *out, const struct found_all *all,
                   const struct found_specimen *found);

#endif

#ifndef LAB_SPECIMENS_H
#define LAB_SPECIMENS_H

#include "specimen.h"

/* Every specimen, in the order in which they are listed. */

extern const struct specimen specimen_draft1;
extern const struct specimen specimen_draft2;
extern const struct specimen specimen_draft3;
extern const struct specimen specimen_draft4;
extern const struct specimen specimen_draft4_perfect;
extern const struct specimen specimen_draft4_skew;
extern const struct specimen specimen_draft4_ids;

extern const struct specimen *const specimens[];
extern const unsigned specimens_count;

/* The specimen of that name, or NULL. */
const struct specimen *specimens_find(const char *name);

#endif

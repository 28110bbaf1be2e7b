#include "specimens.h"

#include <string.h>

const struct specimen *const specimens[] = {
    &specimen_draft1,     &specimen_draft2,         &specimen_draft3,
    &specimen_draft4,     &specimen_draft4_perfect, &specimen_draft4_skew,
    &specimen_draft4_ids,
};

const unsigned specimens_count = sizeof(specimens) / sizeof(specimens[0]);

const struct specimen *
specimens_find(const char *name)
{
    for (unsigned i = 0; i < specimens_count; i++)
        if (strcmp(specimens[i]->name, name) == 0)
            return specimens[i];
    return NULL;
}

#ifndef TALE_REPORT_PAGE_H
#define TALE_REPORT_PAGE_H

#include <stdio.h>

#include "tale/report/found.h"
#include "tale/report/mutants.h"
#include "tale/report/proofs.h"

/* Page: everything that was found, as one HTML page that needs nothing else. */

struct page {
    const struct found_all *all;
    const struct proofs *proofs;
    const struct mutants *mutants;
    const char *saved; /* the file of the proofs, or NULL */
};

void page_write(FILE *out, const struct page *page);

#endif

#ifndef HF_BASE_AUTHORITY_H
#define HF_BASE_AUTHORITY_H

#include <stdbool.h>

#include "base/bytes.h"

/*
 * Where a server is, as a URL has it: "host", "host:port", "[host]" or
 * "[host]:port".  Pure.
 */
struct hf_authority {
    struct hf_bytes host; /* without brackets: letters, digits and -._ ; in
                             brackets an IPv6 number, perhaps with a zone */
    struct hf_bytes port; /* from 1 to 65535; empty: none is named */
    bool bracketed;
};

/* False: it is none.  What *out has is borrowed of `text`. */
bool hf_authority_read(struct hf_bytes text, struct hf_authority *out);

#endif

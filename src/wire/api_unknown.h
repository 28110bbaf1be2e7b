#ifndef HF_WIRE_API_UNKNOWN_H
#define HF_WIRE_API_UNKNOWN_H

#include <holdfast/words.h>

#include "base/attrs.h"
#include "base/bytes.h"

/*
 * A member of a request's body, or a parameter of its query, that this server
 * does not know.  It is refused, for a wish that nobody hears must not be taken
 * for none: {"ifDead":"refuse"} would be granted as a takeover.  A client that
 * uses what older servers do not know names that in a header, and then an older
 * server skips it:
 *
 *   Holdfast-Optional: priority, colour
 *
 * Allocates nothing; any thread.
 */

enum {
    HF_API_UNKNOWN_SIZE = 64, /* of a name that is told, cut, with its NUL */
    HF_API_KNOWN_MAX = 32,
};

/* What is unknown. */
struct hf_api_unknown {
    const char *what; /* "member", "parameter"; NULL: nothing is unknown */
    char name[HF_API_UNKNOWN_SIZE]; /* clean */
};

/* What is known in its place. */
struct hf_api_known {
    const char *what; /* "member", "parameter" */
    const char *of;   /* of what it is one, as "acquire"; NULL: that is told
                         elsewhere */
    size_t count;
    const char *names[HF_API_KNOWN_MAX];
};

/* Does the header's value name it? */
bool hf_api_is_optional(struct hf_bytes header, const char *name);

/* HF_E_INVALID, with a sentence in *error that names it, and what may have been
 * meant: the nearest that is known, or all that are. */
HF_MUST_USE enum hf_status
hf_api_refuse_unknown(const struct hf_api_known *known, const char *name,
                      struct hf_api_unknown *unknown, struct hf_error *error);

#endif

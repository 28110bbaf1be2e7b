#ifndef HF_TEST_HISTORY_SERVICE_H
#define HF_TEST_HISTORY_SERVICE_H

#include <stdint.h>

#include "base/text.h"

/*
 * A small lock service with its clients, simulated: the history that its
 * clients would have written.  Messages are late, lost and doubled, clients and
 * the server die at any moment, operators clear, a store is restored from an
 * older copy.  The same seed is the same history.
 *
 * It is correct, unless a mistake is planted.
 */

/* name, what is wrong */
#define SERVICE_MISTAKE_TABLE(X)                                               \
    X(SERVICE_CORRECT, "nothing")                                              \
    X(SERVICE_GRANTS_TWO, "at times it grants whatever conflicts")             \
    X(SERVICE_SHARES_ANY, "who would share is granted beside anybody")         \
    X(SERVICE_FIRST_NAME, "of several names only the first is looked at")      \
    X(SERVICE_FENCE_FALLS, "a crash brings fences back")                       \
    X(SERVICE_FENCE_STANDS, "at times a fence is given to two")                \
    X(SERVICE_RESTORED_FENCE, "a restored store brings fences back")           \
    X(SERVICE_FORGETS, "a crash forgets the last grant")                       \
    X(SERVICE_EARLY, "sessions end after half their ttl")                      \
    X(SERVICE_RIGHT_LATE, "a client counts its right from the answer")         \
    X(SERVICE_REFUSE_BY_TIME, "what is held to be refused ends by time")       \
    X(SERVICE_KEEPS, "what was released stays")                                \
    X(SERVICE_TAKES_LATE, "a client that timed out takes the grant")           \
    X(SERVICE_GRANTS_AGAIN, "who asks again is granted it anew")               \
    X(SERVICE_LOWERS_ALL, "what is lowered is given back")                     \
    X(SERVICE_CLEARS_ANY, "a clear takes whatever is held")                    \
    X(SERVICE_RELEASES_NEXT, "a release ends all that its lane holds")         \
    X(SERVICE_UNTRUE_NO, "at times a try is told no")

enum service_mistake {
#define SERVICE_MISTAKE_ENUM(name, about) name,
    SERVICE_MISTAKE_TABLE(SERVICE_MISTAKE_ENUM)
#undef SERVICE_MISTAKE_ENUM
        SERVICE_MISTAKES
};

const char *service_mistake_text(enum service_mistake mistake);

struct service_terms {
    uint64_t seed;
    enum service_mistake mistake;
    uint32_t steps;
};

/* Run it, and add all lines to `text`. */
void service_run(const struct service_terms *terms, struct hf_text *text);

#endif

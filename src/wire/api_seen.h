#ifndef HF_WIRE_API_SEEN_H
#define HF_WIRE_API_SEEN_H

#include "base/bytes.h"
#include "base/limits.h"
#include "core/lockspace.h"
#include "wire/record.h"

/*
 * What a lock server tells of a lock to who looks: api_look.h, read.
 *
 * A client of ours writes the record of a lock (record.h) into the note of its
 * request, so that who looks learns of its holder what a table would tell.
 * Others write what they like, and that is shown as their reason.
 *
 * Allocates nothing; any thread.  What is missing or of another kind is left
 * empty: it is for people.
 */

/* A lock; the lists are slices of it. */
struct hf_api_seen {
    char space[HF_SPACE_MAX + 1];
    char name[HF_NAME_MAX + 1];
    struct hf_bytes holders;
    struct hf_bytes queue;
    uint64_t waiters;
    uint64_t position; /* of who asks, from 1; 0: not known */
    bool elsewhere;    /* nothing of this name is in the way of who asks */
};

/* One who holds it, or waits for it. */
struct hf_api_claim {
    uint64_t session;
    uint64_t lane;
    uint64_t fence; /* 0: it waits */
    enum hf_mode mode;
    struct hf_duration age;    /* since it began to hold, or to wait */
    bool heard;                /* a holder's session, by the leader that told */
    struct hf_duration silent; /* for so long it was not; or as long as that one
                                  leads */
    bool suspected;
    struct hf_duration parked; /* its place in line is kept for so long, for it
                                  is to ask again; 0: it waits, or only looks,
                                  which keeps nobody out */
    bool free;                 /* it only looks */
    const char *why;           /* it waits: a word of ours, static; "": it is
                                  not known */
    struct hf_value value;     /* terms and owner, as far as they are known */
};

/* False: it is no lock. */
bool hf_api_seen_read(struct hf_bytes lock, struct hf_api_seen *seen);

/* The next of `holders` or `queue`: *at is 0 at first; false: no more. */
bool hf_api_seen_next(struct hf_bytes list, size_t *at,
                      struct hf_api_claim *claim);

/* The same where each row begins with its lock: of one that does not, as an
 * older server has it, the name is "". */
bool hf_api_seen_in_way(struct hf_bytes list, size_t *at,
                        struct hf_api_seen *seen, struct hf_api_claim *claim);

#endif

#ifndef HF_WIRE_API_SEEN_H
#define HF_WIRE_API_SEEN_H

#include "base/bytes.h"
#include "base/limits.h"
#include "base/text.h"
#include "core/lockspace/look.h"
#include "wire/record.h"

/*
 * What a lock server tells of its locks and sessions: each row as JSON, both
 * ways, by one table of its members.  api_look.h has the JSON.
 *
 * A client of ours writes the record of a lock (record.h) into the note of its
 * request, so that the note tells of a holder what a table would tell.  Any
 * other note is shown as the holder's reason.
 *
 * Allocates nothing; any thread.  Reading is lenient, since the rows are for
 * people: what is missing or malformed is left empty.
 */

/* One who holds a lock, or waits for it. */
struct hf_api_claim {
    char space[HF_SPACE_MAX + 1]; /* the lock, in a list of several locks' */
    char name[HF_NAME_MAX + 1];
    uint64_t waiters; /* ... and how many are in line for it */
    uint64_t session;
    uint64_t lane;
    uint64_t n;
    enum hf_mode mode;
    char who[HF_SERVED_WHO_MAX + 1];
    char note[HF_SERVED_NOTE_MAX + 1];
    struct hf_duration age; /* since it began to hold, or to wait */

    uint64_t fence; /* 0: it waits */
    enum hf_if_dead if_dead;
    struct hf_duration ttl;
    struct hf_duration silent; /* since its session was heard; or since the
                                  leader that tells leads */
    bool heard;                /* its session, by that leader */
    bool suspected;

    enum hf_look_why why;
    bool free;                 /* it waits only until the lock is free, and
                                  keeps nobody out */
    struct hf_duration parked; /* its place in line is kept for so long, until
                                  it asks again; 0: it waits */

    struct hf_value value; /* terms and owner, as far as they are known; only
                              of a row that was read */
};

struct hf_api_session {
    char id[16 + 1];
    char who[HF_SERVED_WHO_MAX + 1];
    enum hf_if_dead if_dead;
    struct hf_duration ttl;
    struct hf_duration silent;
    bool heard;
    bool suspected;
    uint64_t holds;
    uint64_t waits;
    uint64_t cleared;
    bool by_acquire;
};

/* Append the row; with its lock, or without. */
void hf_api_seen_write(const struct hf_api_claim *claim, bool with_lock,
                       struct hf_text *text);
void hf_api_seen_write_session(const struct hf_api_session *session,
                               struct hf_text *text);

void hf_api_seen_read_session(struct hf_bytes row,
                              struct hf_api_session *session);

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

/* False: it is no lock. */
bool hf_api_seen_read(struct hf_bytes lock, struct hf_api_seen *seen);

/* The next of `holders` or `queue`: *at is 0 at first; false: no more. */
bool hf_api_seen_next(struct hf_bytes list, size_t *at,
                      struct hf_api_claim *claim);

/* The same where each row begins with its lock.  The rows of an older server do
 * not: then the name is "". */
bool hf_api_seen_in_way(struct hf_bytes list, size_t *at,
                        struct hf_api_seen *seen, struct hf_api_claim *claim);

#endif

#ifndef HF_CLIENT_TABLE_SEEN_H
#define HF_CLIENT_TABLE_SEEN_H

#include "base/alloc.h"
#include "base/clock.h"
#include "base/process.h"
#include "core/op.h"
#include "wire/describe.h"
#include "wire/record.h"

/*
 * Seen: what a read showed of one key's record, kept small.
 *
 * The value is kept as the text that was read, and read again by whoever wants
 * to show it: thousands of waiters are shown to nobody.  A zeroed one has seen
 * nothing.  Owns its text; one thread at a time.
 */
struct hf_seen {
    bool exists;
    bool corrupt;
    uint64_t version;
    uint64_t token;
    int64_t stamp_ms;
    char *text; /* of a record that exists; NULL: too long, or no memory */
    size_t text_len;
    struct hf_instant first_at;   /* when a record was first seen here */
    struct hf_instant shown_at;   /* when this version was */
    struct hf_instant beat_at;    /* when a version last changed under a token;
                                     0: never */
    struct hf_instant changed_at; /* when one holder last followed another, or
                                     left; 0: never */
    bool here;                    /* its processes are of this host */
    enum hf_presence presence;    /* what is known of them */
};

/* What one read showed, on its way from the store: plain data, borrowed. */
struct hf_reading {
    struct hf_sight sight;
    int64_t stamp_ms;
    const char *text; /* exists: the value, as it was read; NULL: too long */
    size_t text_len;
};

/* Decode a record of the store: `text` has `len` bytes, of which `room` are
 * there.  Cannot fail: what is not ours is corrupt. */
void hf_reading_take(struct hf_reading *reading, const char *text, size_t len,
                     size_t room);

/* Take it in; returns whether version or holder are others than before.  The
 * processes of a new holder are not known yet. */
bool hf_seen_take(struct hf_seen *seen, const struct hf_alloc *alloc,
                  const struct hf_reading *reading, struct hf_instant now);

/* A copy that lives on its own; without memory for the text, without it. */
struct hf_seen hf_seen_copy(const struct hf_seen *seen,
                            const struct hf_alloc *alloc);

void hf_seen_forget(struct hf_seen *seen, const struct hf_alloc *alloc);

/* The value of a record of ours; false: there is none, or it is not known. */
bool hf_seen_value(const struct hf_seen *seen, struct hf_value *value);

/*
 * Tell it for people, as the lock `space`/`name`, seen from `boot`, this host's
 * boot.  Fills in all but life and the place's error.
 */
void hf_seen_tell(const struct hf_seen *seen, const char *space,
                  const char *name, const char *boot, struct hf_instant now,
                  struct hf_diagnosis *diagnosis);

#endif

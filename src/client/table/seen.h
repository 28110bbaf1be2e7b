#ifndef HF_CLIENT_TABLE_SEEN_H
#define HF_CLIENT_TABLE_SEEN_H

#include "base/alloc.h"
#include "base/arena.h"
#include "base/clock.h"
#include "base/process.h"
#include "core/op.h"
#include "wire/describe.h"
#include "wire/record.h"

/*
 * Seen: the last observed record of one key, kept small.
 *
 * Its value stays packed until it is shown, for most waiters are never shown.
 * A zeroed one has seen nothing.  Owns the value; one thread at a time.
 */
struct hf_seen {
    uint64_t version;
    uint64_t token;
    int64_t stamp_ms;
    char *value; /* of a record that exists: see hf_reading; NULL also if there
                    was no memory */
    struct hf_instant first_at;   /* when a record was first seen here */
    struct hf_instant shown_at;   /* when this version was */
    struct hf_instant beat_at;    /* when a version last changed under a token;
                                     0: never */
    struct hf_instant changed_at; /* when one holder last followed another, or
                                     left; 0: never */
    uint32_t value_len;
    enum hf_presence presence; /* what is known of its processes */
    bool here;                 /* they are of this host */
    bool exists;
    bool corrupt;
};

/* What one read showed, on its way from the store to the manager.  Plain
 * data, borrowed. */
struct hf_reading {
    struct hf_sight sight;
    int64_t stamp_ms;
    const char *value; /* of ours: packed; corrupt: the text, as it
                          was read, or NULL: it is too long */
    uint32_t value_len;
};

/* The value of a record as the store gives it. */
struct hf_stored {
    const char *text;
    size_t len;  /* that it has */
    size_t room; /* fewer: of which no more are there */
};

/* Read the value of a record that exists.  A value that is not ours is
 * corrupt.  The result lives in `arena`.  False: no memory. */
HF_MUST_USE bool hf_reading_take(struct hf_reading *reading,
                                 const struct hf_stored *stored,
                                 struct hf_arena *arena);

/* Take in a reading.  Returns whether the version or the holder has changed.
 * The processes of a new holder are not known yet. */
bool hf_seen_take(struct hf_seen *seen, const struct hf_alloc *alloc,
                  const struct hf_reading *reading, struct hf_instant now);

/* Keep this value of a record of ours.  No value was kept before. */
void hf_seen_keep(struct hf_seen *seen, const struct hf_alloc *alloc,
                  const struct hf_value *value);

/* A copy with its own memory.  If there is none, it has no value. */
struct hf_seen hf_seen_copy(const struct hf_seen *seen,
                            const struct hf_alloc *alloc);

void hf_seen_forget(struct hf_seen *seen, const struct hf_alloc *alloc);

/* Unpack the value of a record of ours.  False: there is none, or it was not
 * kept. */
bool hf_seen_value(const struct hf_seen *seen, struct hf_value *value);

/*
 * Tell it for people, as the lock `space`/`name`, seen from `boot`, this host's
 * boot.  Fills in all but life and the place's error.
 */
void hf_seen_describe(const struct hf_seen *seen, const char *space,
                      const char *name, const char *boot, struct hf_instant now,
                      struct hf_diagnosis *diagnosis);

#endif

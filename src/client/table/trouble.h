#ifndef HF_CLIENT_TABLE_TROUBLE_H
#define HF_CLIENT_TABLE_TROUBLE_H

#include "base/clock.h"
#include "base/list.h"
#include "store/store.h"

/*
 * Trouble: why the place does not answer, for people.  Kept by the workers,
 * call by call; only whether a call is slow, and another may begin beside it,
 * is decided by it.
 *
 * A read that goes well does not end the trouble of a write: a file that
 * others keep locked can still be read.
 *
 * Plain data, zero is valid; under the client's mutex; cannot fail.
 */
struct hf_trouble {
    struct hf_error error; /* of the last call that failed; text "": none */
    bool of_write;         /* only a write that is answered ends it */
    struct hf_list calls;  /* under way, by `link`, in the order they began */
};

/* A call to the store, of a thread that makes it. */
struct hf_trouble_call {
    struct hf_link link;
    struct hf_instant began_at;
};

/* It begins, and has returned. */
void hf_trouble_begin(struct hf_trouble *trouble, struct hf_trouble_call *call,
                      struct hf_instant now);
void hf_trouble_end(struct hf_trouble *trouble, struct hf_trouble_call *call);

/* From then on one of those under way is slow; HF_NEVER: there is none. */
struct hf_instant hf_trouble_slow_at(const struct hf_trouble *trouble);

/* What a call told that was given its time: why it failed, NULL: it did not. */
void hf_trouble_answer(struct hf_trouble *trouble, bool write,
                       const struct hf_error *error);

/*
 * Why does `place`, where `store` is, not answer?  HF_OK: it does, as far as
 * is known, and *error is untouched.  A call that runs is trouble once it has
 * taken HF_TROUBLE_SLOW_MS; or, if the file is locked, so long that it is no
 * other holder's commit.
 */
#define HF_TROUBLE_SLOW_MS   500
#define HF_TROUBLE_LOCKED_MS 200

enum hf_status hf_trouble_tell(const struct hf_trouble *trouble,
                               const struct hf_store *store, const char *place,
                               struct hf_error *error);

#endif

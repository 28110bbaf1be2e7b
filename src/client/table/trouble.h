#ifndef HF_CLIENT_TABLE_TROUBLE_H
#define HF_CLIENT_TABLE_TROUBLE_H

#include "base/clock.h"
#include "store/store.h"

/*
 * Trouble: why the place does not answer, for people.  Kept by the workers,
 * call by call; nothing is decided by it.
 *
 *               call                   answer
 *   no call ----------> a call runs ----------> no call, good or failed
 *
 * A read that goes well does not end the trouble of a write: a file that
 * others keep locked can still be read.
 *
 * Plain data, zero is valid; under the client's mutex; cannot fail.
 */
struct hf_trouble {
    struct hf_error error; /* of the last call that failed; text "": none */
    bool of_write;         /* only a write that is answered ends it */
    bool calling;
    struct hf_instant called_at; /* while `calling` */
};

/* A worker begins to call the store. */
void hf_trouble_call(struct hf_trouble *trouble, struct hf_instant now);

/* The call has returned; *error tells why it failed, NULL: it did not. */
void hf_trouble_answer(struct hf_trouble *trouble, bool write,
                       const struct hf_error *error);

/* The call has returned, and tells nothing: it was not given the time. */
void hf_trouble_cut(struct hf_trouble *trouble);

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

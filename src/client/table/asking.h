#ifndef HF_CLIENT_TABLE_ASKING_H
#define HF_CLIENT_TABLE_ASKING_H

#include "client/table/driver.h"

/*
 * Asking: the machines of a client with a question for the store, by urgency,
 * the oldest first; each at most once.  Cannot fail.
 */
struct hf_asking {
    struct hf_list by[HF_URGENCIES];
};

/* The oldest of an urgency, and the one after; NULL: there is none. */
struct hf_asker *hf_asking_first(const struct hf_asking *asking,
                                 enum hf_urgency urgency);
struct hf_asker *hf_asking_next(const struct hf_asker *asker);

/* Put it last of its urgency; it is not queued. */
void hf_asking_add(struct hf_asking *asking, struct hf_asker *asker,
                   enum hf_urgency urgency);

/* Take it out, if it is queued. */
void hf_asking_remove(struct hf_asking *asking, struct hf_asker *asker);

/* Does its machine still wait for the answer to the question it queued? */
bool hf_asking_is_asked(const struct hf_asker *asker);

/* The question, built anew from its machine. */
void hf_asking_request(const struct hf_asker *asker,
                       struct hf_request *request);

#endif

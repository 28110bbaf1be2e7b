#ifndef HF_SERVER_PARK_H
#define HF_SERVER_PARK_H

#include "core/lockspace.h"

/*
 * May the place of who polls be kept for so long [W2]?
 *
 * Plain; any thread.
 */
enum { HF_PARK_WHY_SIZE = 128 };

/* Of an acquire that asks for it.  `known`: it names its session, or a key, and
 * so may ask again.  False, with a sentence in `why`. */
bool hf_park_has_place(const struct hf_message *acquire, bool known,
                       char why[HF_PARK_WHY_SIZE]);

/* The same, once its session's ttl is known: who asks so rarely is as silent as
 * one that is dead. */
bool hf_park_fits(const struct hf_message *acquire, struct hf_duration ttl,
                  char why[HF_PARK_WHY_SIZE]);

#endif

#ifndef HF_TEST_DEAF_H
#define HF_TEST_DEAF_H

#include <stdatomic.h>

#include <holdfast/holdfast.h>

/*
 * Deaf: a client whose place takes no writes while `deaf` is true, and says so;
 * it can be read all the same.  `deaf` is borrowed until the client is closed.
 */
struct hf_client *open_deaf_client(const char *place, atomic_bool *deaf);

#endif

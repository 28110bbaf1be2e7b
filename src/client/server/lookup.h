#ifndef HF_CLIENT_SERVER_LOOKUP_H
#define HF_CLIENT_SERVER_LOOKUP_H

#include <netdb.h>
#include <stdbool.h>

#include <holdfast/holdfast.h>

/*
 * Lookup: of the addresses of one host, in a thread of its own, for a resolver
 * may take as long as it likes.  What is an address already has none.
 *
 *   begin ---> under way ---> done ---> taken
 *                 |
 *                 `--- dropped: its thread ends by itself, when it likes
 */
struct hf_lookup;

/* `wake_fd`, an eventfd, is written to when it is done, and may be closed
 * before.  Both texts are copied.  NULL: no memory, or no thread. */
struct hf_lookup *hf_lookup_begin(const char *host, const char *port,
                                  int wake_fd);

/* Is it done?  Then it is gone, and *found is the caller's; NULL: nothing was,
 * for the reason that gai_strerror has for *wrong. */
HF_MUST_USE bool hf_lookup_take(struct hf_lookup *lookup,
                                struct addrinfo **found, int *wrong);

/* Nobody wants to know; NULL is ignored. */
void hf_lookup_drop(struct hf_lookup *lookup);

/* In this thread, and for as long as it takes; 0, or as gai_strerror has it.
 * `is_number`: only if it is an address, which takes no time. */
HF_MUST_USE int hf_lookup_now(const char *host, const char *port,
                              bool is_number, struct addrinfo **found);

#endif

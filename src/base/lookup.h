#ifndef HF_BASE_LOOKUP_H
#define HF_BASE_LOOKUP_H

#include <netdb.h>
#include <stdbool.h>

#include <holdfast/holdfast.h>

/*
 * Lookup: finds the addresses of one host in a thread of its own, since a
 * resolver may take as long as it likes.  A host that is a number needs none.
 *
 *   begin ---> under way ---> done ---> taken
 *                 |
 *                 `--- dropped: the thread ends when the resolver returns
 */
struct hf_lookup;

/* Write to `wake_fd`, an eventfd, when it is done; it may be closed before.
 * Both texts are copied.  NULL: no memory, or no thread; or 64 are under way,
 * for the resolver hangs. */
struct hf_lookup *hf_lookup_begin(const char *host, const char *port,
                                  int wake_fd);

/* Is it done?  Then it is freed, and *found is the caller's.  NULL: nothing was
 * found, and gai_strerror has a sentence for *wrong. */
HF_MUST_USE bool hf_lookup_take(struct hf_lookup *lookup,
                                struct addrinfo **found, int *wrong);

/* The result is not wanted.  NULL is ignored. */
void hf_lookup_drop(struct hf_lookup *lookup);

/* Look up in this thread, for as long as it takes.  Returns 0, or a code for
 * gai_strerror.  `is_number`: only if the host is a number, which takes no
 * time. */
HF_MUST_USE int hf_lookup_now(const char *host, const char *port,
                              bool is_number, struct addrinfo **found);

#endif

#ifndef HF_BASE_SOCKNAME_H
#define HF_BASE_SOCKNAME_H

#include "base/text.h"

/* The two ends of a socket's connection as HOST:PORT: its own, and its peer's.
 * Of IPv4 they read the same, whichever family the socket is of.  Nothing is
 * added where the kernel knows none. */
void hf_sockname_own(int fd, struct hf_text *text);
void hf_sockname_peer(int fd, struct hf_text *text);

#endif

#ifndef HF_SERVER_HOST_H
#define HF_SERVER_HOST_H

#include <stdbool.h>

#include "base/bytes.h"

/*
 * Host: is a request meant for this server?  A page of a browser that was led
 * here by a name of its own (DNS rebinding) calls us by that name.
 *
 * `host` is what a request says, with its port or without; `names` are those of
 * this server, NULL at the end, beside those of this machine's own loopback.
 * An address is compared as one, however it is written.  Any thread.
 */
bool hf_host_is_ours(struct hf_bytes host, const char *const *names);

/* Is a name, without a port, one of these? */
bool hf_host_is_one(struct hf_bytes name, const char *const *names);

/* The same without its port; and is that a name by its letters and its length
 * (RFC 1123), or an address, as `--host` takes it? */
struct hf_bytes hf_host_name(struct hf_bytes host);
bool hf_host_is_name(struct hf_bytes name);

#endif

#ifndef HF_CLIENT_SERVER_OPEN_H
#define HF_CLIENT_SERVER_OPEN_H

#include "client/client.h"
#include "client/server/addresses.h"

/* Open a lock server as a place.  It connects to no node yet.
 * HF_E_UNAVAILABLE: none of its hosts is known, or there is no module for HTTP;
 * HF_E_LIMIT, HF_E_NOMEM. */
HF_MUST_USE enum hf_status hf_server_open(struct hf_client *client,
                                          const struct hf_addresses *addresses,
                                          struct hf_backend **backend,
                                          struct hf_error *error);

#endif

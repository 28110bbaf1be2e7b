#ifndef HF_CLIENT_SERVER_SERVICES_H
#define HF_CLIENT_SERVER_SERVICES_H

#include "client/server/state.h"

/*
 * Of which service each node is [S7: nodes of two services]: the machine of
 * core/services, and its questions, which are GET /v1/info.  The client is
 * entered for all of it.
 */

/* `changed` is called when a node names another service, or the verdict
 * changes. */
void hf_server_services_init(struct hf_server *server,
                             void (*changed)(struct hf_server *server));
void hf_server_services_fini(struct hf_server *server);

/* A node named its service when it opened a session; 0: it did not. */
void hf_server_services_said(struct hf_server *server, unsigned node,
                             uint64_t service);

/* Tell the time, and whether the services matter now (awake); and when to call
 * it next. */
void hf_server_services_tick(struct hf_server *server, bool awake,
                             struct hf_instant now);
struct hf_instant hf_server_services_deadline(const struct hf_server *server);

#endif

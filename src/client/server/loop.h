#ifndef HF_CLIENT_SERVER_LOOP_H
#define HF_CLIENT_SERVER_LOOP_H

#include "client/server/state.h"

/* After every event: write what is to be sent, and set the alarm.  Entered. */
void hf_server_flush(struct hf_server *server);

/* The same after a new request.  It may matter now whether all nodes are of one
 * service. */
void hf_server_wanted(struct hf_server *server);

/* The thread; its argument is the server. */
void *hf_server_loop(void *arg);

#endif

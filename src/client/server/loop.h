#ifndef HF_CLIENT_SERVER_LOOP_H
#define HF_CLIENT_SERVER_LOOP_H

#include "client/server/state.h"

/* After every event: hand over what is to be written, and set the alarm.
 * Entered. */
void hf_server_flush(struct hf_server *server);

/* The same where more is wanted than before: it may matter now whether all
 * nodes are of one service. */
void hf_server_wanted(struct hf_server *server);

/* Given the server. */
void *hf_server_loop(void *arg);

#endif

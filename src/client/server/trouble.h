#ifndef HF_CLIENT_SERVER_TROUBLE_H
#define HF_CLIENT_SERVER_TROUBLE_H

#include "client/server/state.h"

/* Sentences: why a place does not answer, or does not grant. */

/* Are two nodes of two services?  Then *error is HF_E_UNAVAILABLE, and names
 * them and the remedy. */
bool hf_server_services_trouble(const struct hf_server *server,
                                struct hf_error *error);

/* Why there was no answer, as far as is known: HF_E_UNAVAILABLE. */
void hf_server_say_trouble(const struct hf_server *server,
                           struct hf_error *error);

/* A node that does not lead answered.  True: nobody does, or `leader`, which
 * the user has not named; *error says so, and is HF_E_UNAVAILABLE. */
bool hf_server_say_leader(const struct hf_server *server, const char *leader,
                          struct hf_bytes problem, struct hf_error *error);

/* For how long the server grants nothing, as its answer says; 0: it grants, or
 * does not say. */
struct hf_duration hf_server_read_grace(struct hf_bytes answer);

/* Is `until` still to come?  Then *error says that the server grants nothing
 * before, and why: HF_E_UNAVAILABLE. */
bool hf_server_say_grace(const struct hf_server *server,
                         struct hf_instant until, enum hf_later cause,
                         struct hf_error *error);

#endif

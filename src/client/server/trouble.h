#ifndef HF_CLIENT_SERVER_TROUBLE_H
#define HF_CLIENT_SERVER_TROUBLE_H

#include "client/server/state.h"

/* Why a place answers nothing, or grants nothing. */

/* Two nodes are of two services: HF_E_UNAVAILABLE with which, and what to do.
 * False: they are not. */
bool hf_server_services_trouble(const struct hf_server *server,
                                struct hf_error *error);

/* Why nothing was answered, for all that is known: HF_E_UNAVAILABLE. */
void hf_server_say_trouble(const struct hf_server *server,
                           struct hf_error *error);

/* Does it put off until then what is asked for?  Then why: HF_E_UNAVAILABLE. */
bool hf_server_say_grace(const struct hf_server *server,
                         struct hf_instant until, enum hf_later cause,
                         struct hf_error *error);

#endif

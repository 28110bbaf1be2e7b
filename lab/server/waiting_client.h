#ifndef LAB_SERVER_WAITING_CLIENT_H
#define LAB_SERVER_WAITING_CLIENT_H

#include "lab/server/waiting_world.h"

/* What a client of a waiting world does with its streams, whatever becomes of
 * them. */

/* Is there room for one more stream? */
bool waiting_has_room(const struct waiting_client *client);

/* The stream that it listens on, by its index; WAITING_STREAMS: none. */
unsigned waiting_heard(const struct waiting_client *client);

/* Nothing is left of a stream; or its client listens on, and nothing will
 * come. */
void waiting_forget(struct waiting_stream *stream);
void waiting_lose(struct waiting_stream *stream);

/* Its request, or the release of it, once more or for the first time; the same
 * after it has hung up, as it has heard nothing. */
void waiting_send(struct waiting_client *client);
void waiting_ask_again(struct waiting_client *client);

/* Two of a message: the second comes when it comes, and nobody waits for what
 * it is answered. */
void waiting_send_twice(struct waiting_client *client, unsigned index);

void waiting_become(struct waiting_client *client, enum waiting_phase phase);

/* Its next request; and what it has, or asks for, it wants no more [R5]. */
void waiting_ask(struct waiting_client *client);
void waiting_settle(struct waiting_client *client);

/* All of its streams break. */
void waiting_die(struct waiting_client *client, enum waiting_phase phase);
void waiting_cut(struct waiting_client *client);

#endif

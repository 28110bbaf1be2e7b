#ifndef HF_SERVER_CONNECTIONS_H
#define HF_SERVER_CONNECTIONS_H

#include "server/accepted.h"

/*
 * Connections: those that a lock server has accepted, in turns.
 *
 * A turn reads a bounded amount of each that is ready, for a bounded time.  At
 * its end each writes what there is, in one write.
 *
 * Zero is none, once the first six members are set.  The last function but one
 * ends all, which libuv then tells; the last gives back the rest.  One thread.
 */

/* For the service: a peer is a struct hf_accepted. */
extern const struct hf_service_peers hf_connections_peers;

/* Add one that was accepted.  It is closed if there is no room for it. */
void hf_connections_add(struct hf_connections *all, int fd);

/* Make room: end one that lingers, or one that can go.  False: there is none.
 */
bool hf_connections_end_one(struct hf_connections *all);

/* Of a turn, in this order: read those that are ready, for a bounded time; end
 * those that took too long; write. */
void hf_connections_read(struct hf_connections *all);
void hf_connections_clock(struct hf_connections *all);
void hf_connections_write(struct hf_connections *all);

/* When there is something to do, or HF_NEVER. */
struct hf_instant hf_connections_deadline(const struct hf_connections *all);

/* Take no more requests; have all ended then? */
void hf_connections_drain(struct hf_connections *all);
bool hf_connections_are_over(const struct hf_connections *all);

void hf_connections_close(struct hf_connections *all);
void hf_connections_fini(struct hf_connections *all);

#endif

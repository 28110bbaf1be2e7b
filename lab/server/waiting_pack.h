#ifndef LAB_SERVER_WAITING_PACK_H
#define LAB_SERVER_WAITING_PACK_H

#include "explore/explore.h"
#include "lab/server/waiting.h"

/*
 * A waiting world as few bytes, the same for worlds that behave the same:
 * numbers that only grow become ranks, streams of a client that differ in
 * nothing but their place are one, and so are clients that are alike.
 */
void waiting_parts(const struct waiting_config *config,
                   uint16_t parts[EXPLORE_PARTS_MAX]);
void waiting_pack(const struct waiting_world *world, uint8_t *bytes);
void waiting_unpack(const struct waiting_config *config, const uint8_t *bytes,
                    struct waiting_world *world);

#endif

#ifndef LAB_WORLD_PACK_H
#define LAB_WORLD_PACK_H

#include "lab/world/world.h"

/*
 * Pack: a world as few bytes, the same for worlds that behave the same.
 *
 * Versions and tokens are replaced by their ranks, ids by their order of
 * appearance, instants by ticks from now; what no machine will look at again
 * is left out.  Machines compare versions and ids for equality, and tokens
 * with each other, so nothing that can follow is changed by that.
 */

enum { PACKED_MAX = 256 };

/* Bytes of a packed world. */
size_t pack_size(const struct world_config *config);

/* The sizes of its parts, as a explore_system has them. */
void pack_parts(const struct world_config *config,
                uint16_t parts[EXPLORE_PARTS_MAX]);

void pack(const struct world *world, uint8_t *bytes);
void unpack(const struct world_config *config, const uint8_t *bytes,
            struct world *world);

#endif

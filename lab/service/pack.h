#ifndef LAB_SERVICE_PACK_H
#define LAB_SERVICE_PACK_H

#include "lab/service/world.h"

/*
 * A service as few bytes, the same for services that behave the same.
 */

void service_parts(const struct service_config *config,
                   uint16_t parts[EXPLORE_PARTS_MAX]);
void service_pack(const struct service_world *from, uint8_t *bytes);
void service_unpack(const struct service_config *config, const uint8_t *bytes,
                    struct service_world *world);

#endif

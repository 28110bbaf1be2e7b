#ifndef LAB_SERVICE_IDS_H
#define LAB_SERVICE_IDS_H

#include "lab/service/world.h"

/* An id for a new session of that client, of which nothing is known anywhere;
 * 0: there is none left. */
uint64_t service_free_id(const struct service_world *world, unsigned client);

#endif

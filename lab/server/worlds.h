#ifndef LAB_SERVER_WORLDS_H
#define LAB_SERVER_WORLDS_H

#include "lab/server/waiting_world.h"
#include "lab/world/worlds.h"

/* The worlds in which the lock server's machine is proved, and how far. */
extern const struct waiting_config waiting_worlds[];
extern const unsigned waiting_worlds_count;
extern const struct worlds_proof server_proofs[];
extern const unsigned server_proofs_count;

#endif

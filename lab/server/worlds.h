#ifndef LAB_SERVER_WORLDS_H
#define LAB_SERVER_WORLDS_H

#include "lab/server/grants_world.h"
#include "lab/server/waiting_world.h"
#include "lab/world/worlds.h"

/* The kinds of world in which the lock server's machine is proved alone, their
 * worlds, and how far these are proved. */
extern const struct kind waiting_kind;
extern const struct kind grants_kind;
extern const struct waiting_config waiting_worlds[];
extern const unsigned waiting_worlds_count;
extern const struct grants_config grants_worlds[];
extern const unsigned grants_worlds_count;
extern const struct worlds_proof server_proofs[];
extern const unsigned server_proofs_count;

#endif

#ifndef LAB_SERVICE_KIND_H
#define LAB_SERVICE_KIND_H

#include "lab/service/world.h"
#include "lab/world/worlds.h"

/*
 * Services as a kind of world that holdfast-lab knows, those there are, and how
 * far they are proved.
 */
extern const struct kind service_kind;
extern const struct service_config service_worlds[];
extern const unsigned service_worlds_count;
extern const struct worlds_proof service_proofs[];
extern const unsigned service_proofs_count;

#endif

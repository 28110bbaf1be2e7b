#ifndef LAB_SERVER_GRANTS_KIND_H
#define LAB_SERVER_GRANTS_KIND_H

#include "lab/server/kind.h"

/* Worlds of grants.h, as a kind; their config is a struct grants_config. */
extern const struct kind grants_kind;

#endif

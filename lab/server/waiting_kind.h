#ifndef LAB_SERVER_WAITING_KIND_H
#define LAB_SERVER_WAITING_KIND_H

#include "lab/server/kind.h"

/* Worlds of waiting.h, as a kind; their config is a struct waiting_config. */
extern const struct kind waiting_kind;

#endif

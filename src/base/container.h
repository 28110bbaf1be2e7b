#ifndef HF_BASE_CONTAINER_H
#define HF_BASE_CONTAINER_H

#include <stddef.h>

/* The struct in which `node`, a member, stands; it is not NULL. */
#define HF_CONTAINER(node, type, member)                                       \
    ((type *)(void *)((char *)(node)-offsetof(type, member)))

#endif

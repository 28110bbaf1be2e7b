#ifndef TALE_CASES_REDIS_NODES_H
#define TALE_CASES_REDIS_NODES_H

#include "tale/specimen/specimen.h"

/* Five nodes that know nothing of each other, A to E, with a key each. */

enum { NODES = 5 };

struct nodes {
    uint8_t key[NODES]; /* the ID in it; 0: there is none */
};

/* Set the key if it is absent; returns whether it was. */
bool nodes_set(struct nodes *nodes, unsigned node, unsigned id);

/* Delete it wherever it has this ID. */
void nodes_delete(struct nodes *nodes, unsigned id);

/* A fault, which `why` tells: the key is gone before its time.  False when
 * there is none. */
bool nodes_lose(struct scene *scene, struct nodes *nodes, unsigned node,
                const char *why);

void nodes_show(const struct nodes *nodes, struct hf_text *text);

#endif

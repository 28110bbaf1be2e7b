#include "tale/cases/redis_nodes.h"

bool
nodes_set(struct nodes *nodes, unsigned node, unsigned id)
{
    if (nodes->key[node] != 0)
        return false;
    nodes->key[node] = (uint8_t)id;
    return true;
}

void
nodes_delete(struct nodes *nodes, unsigned id)
{
    for (unsigned i = 0; i < NODES; i++)
        if (nodes->key[i] == id)
            nodes->key[i] = 0;
}

bool
nodes_lose(struct scene *scene, struct nodes *nodes, unsigned node,
           const char *why)
{
    if (node >= NODES || nodes->key[node] == 0)
        return false;
    scene->fault = true;
    scene_tell(scene, TOLD_WORLD, TOLD_NOBODY,
               "Node %c %s: worker #%u's key is gone", (char)('A' + node), why,
               nodes->key[node]);
    nodes->key[node] = 0;
    return true;
}

void
nodes_show(const struct nodes *nodes, struct hf_text *text)
{
    for (unsigned i = 0; i < NODES; i++) {
        hf_text_addf(text, "%s%c: ", i == 0 ? "" : "  ", (char)('A' + i));
        if (nodes->key[i] == 0)
            hf_text_add(text, "-");
        scene_show_holder(text, nodes->key[i]);
    }
}

#include "base/hash.h"

#define FNV_PRIME UINT64_C(0x100000001b3)

uint64_t
hf_hash_bytes(uint64_t seed, const void *bytes, size_t len)
{
    const unsigned char *at = bytes;
    uint64_t hash = seed;

    for (size_t i = 0; i < len; i++)
        hash = (hash ^ at[i]) * FNV_PRIME;
    return hash;
}

static struct hf_hash_node **
chain_of(const struct hf_hash *table, uint64_t hash)
{
    return &table->chains[hash & (table->chains_count - 1)];
}

/* Twice as many chains; without memory the old ones are kept. */
static void
grow(struct hf_hash *table)
{
    struct hf_hash grown = {
        .alloc = table->alloc,
        .chains_count = table->chains_count == 0 ? 16 : 2 * table->chains_count,
        .count = table->count,
    };

    grown.chains = hf_calloc(table->alloc, grown.chains_count,
                             sizeof(struct hf_hash_node *));
    if (grown.chains == NULL)
        return;
    for (size_t i = 0; i < table->chains_count; i++) {
        struct hf_hash_node *node = table->chains[i];

        while (node != NULL) {
            struct hf_hash_node *after = node->next;
            struct hf_hash_node **chain = chain_of(&grown, node->hash);

            node->next = *chain;
            *chain = node;
            node = after;
        }
    }
    hf_free(table->alloc, table->chains);
    *table = grown;
}

bool
hf_hash_add(struct hf_hash *table, struct hf_hash_node *node, uint64_t hash)
{
    struct hf_hash_node **chain;

    if (table->count >= table->chains_count)
        grow(table);
    if (table->chains_count == 0)
        return false;
    chain = chain_of(table, hash);
    node->hash = hash;
    node->next = *chain;
    *chain = node;
    table->count++;
    return true;
}

void
hf_hash_remove(struct hf_hash *table, struct hf_hash_node *node)
{
    struct hf_hash_node **link = chain_of(table, node->hash);

    while (*link != node)
        link = &(*link)->next;
    *link = node->next;
    table->count--;
}

static struct hf_hash_node *
same_hash(struct hf_hash_node *node, uint64_t hash)
{
    while (node != NULL && node->hash != hash)
        node = node->next;
    return node;
}

struct hf_hash_node *
hf_hash_find(const struct hf_hash *table, uint64_t hash)
{
    if (table->chains_count == 0)
        return NULL;
    return same_hash(*chain_of(table, hash), hash);
}

struct hf_hash_node *
hf_hash_next(const struct hf_hash_node *node)
{
    return same_hash(node->next, node->hash);
}

void
hf_hash_fini(struct hf_hash *table)
{
    hf_free(table->alloc, table->chains);
    *table = (struct hf_hash){.alloc = table->alloc};
}

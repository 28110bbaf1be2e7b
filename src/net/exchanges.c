#include "net/exchanges.h"

#include "base/check.h"

enum {
    SLOT_BITS = 24, /* of a number; the other 40 are how often it was used */
    BLOCK = 256,    /* slots that are made at once */
};

#define SLOT_OF(id) ((uint32_t)((id) & ((UINT64_C(1) << SLOT_BITS) - 1)))

bool
hf_exchanges_init(struct hf_exchanges *exchanges, const struct hf_alloc *alloc,
                  uint32_t most)
{
    size_t blocks = ((size_t)most + BLOCK - 1) / BLOCK;

    HF_CHECK(most > 0 && most < UINT32_C(1) << SLOT_BITS);
    *exchanges = (struct hf_exchanges){
        .alloc = alloc,
        .blocks = hf_calloc(alloc, blocks, sizeof(struct hf_exchange *)),
        .most = most,
    };
    return exchanges->blocks != NULL;
}

void
hf_exchanges_fini(struct hf_exchanges *exchanges)
{
    for (uint32_t at = 0; at < exchanges->made; at += BLOCK)
        hf_free(exchanges->alloc, exchanges->blocks[at / BLOCK]);
    hf_free(exchanges->alloc, exchanges->blocks);
    *exchanges = (struct hf_exchanges){.alloc = NULL};
}

/* Slot 0 of the first use has the number 2^24: no number is 0. */
static bool
make_block(struct hf_exchanges *exchanges)
{
    struct hf_exchange *block =
        hf_calloc(exchanges->alloc, BLOCK, sizeof(struct hf_exchange));

    if (block == NULL)
        return false;
    exchanges->blocks[exchanges->made / BLOCK] = block;
    for (uint32_t i = 0; i < BLOCK; i++) {
        block[i].id = exchanges->made + i;
        hf_list_add(&exchanges->free, &block[i].link);
    }
    exchanges->made += BLOCK;
    return true;
}

struct hf_exchange *
hf_exchanges_add(struct hf_exchanges *exchanges, struct hf_http_peer *peer)
{
    struct hf_exchange *exchange;

    if (hf_exchanges_are_full(exchanges))
        return NULL;
    if (exchanges->free.first == NULL && !make_block(exchanges))
        return NULL;
    exchange = HF_CONTAINER(exchanges->free.first, struct hf_exchange, link);
    hf_list_remove(&exchanges->free, &exchange->link);
    exchanges->used++;
    *exchange = (struct hf_exchange){
        .id = exchange->id + (UINT64_C(1) << SLOT_BITS),
        .peer = peer,
        .state = HF_EXCHANGE_COMING,
    };
    return exchange;
}

void
hf_exchanges_remove(struct hf_exchanges *exchanges,
                    struct hf_exchange *exchange)
{
    exchange->state = HF_EXCHANGE_FREE;
    exchange->peer = NULL;
    hf_list_add(&exchanges->free, &exchange->link);
    exchanges->used--;
}

struct hf_exchange *
hf_exchanges_find(const struct hf_exchanges *exchanges, uint64_t id)
{
    uint32_t slot = SLOT_OF(id);
    struct hf_exchange *exchange;

    if (slot >= exchanges->made)
        return NULL;
    exchange = &exchanges->blocks[slot / BLOCK][slot % BLOCK];
    return exchange->id == id && exchange->state != HF_EXCHANGE_FREE ? exchange
                                                                     : NULL;
}

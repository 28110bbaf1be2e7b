#include "core/pool/timers.h"

#include "base/check.h"

size_t
hf_timers_size(uint32_t max)
{
    return hf_pool_size(max, sizeof(struct hf_timers_node));
}

void
hf_timers_init(struct hf_timers *heap, uint32_t max, uint64_t nodes,
               uint64_t places)
{
    *heap = (struct hf_timers){
        .nodes = nodes,
        .places = places,
        .max = max,
    };
}

/* The node at a place of the heap, from 1. */
static struct hf_timers_node *
node_at(const void *block, const struct hf_timers *heap, uint32_t place)
{
    struct hf_timers_node *nodes = hf_pool_behind(block, heap->nodes);

    return &nodes[place - 1];
}

static uint32_t *
place_of(const void *block, const struct hf_timers *heap, uint32_t item)
{
    uint32_t *places = hf_pool_behind(block, heap->places);

    return &places[item];
}

static bool
is_before(const struct hf_timers_node *a, const struct hf_timers_node *b)
{
    if (a->at_ms != b->at_ms)
        return a->at_ms < b->at_ms;
    return (int32_t)(a->turn - b->turn) < 0; /* the counter wraps */
}

static void
put(void *block, struct hf_timers *heap, struct hf_timers_node node,
    uint32_t place)
{
    *node_at(block, heap, place) = node;
    *place_of(block, heap, node.item) = place;
    heap->moves++;
}

/* Move a node toward the root: later parents come down. */
static void
rise(void *block, struct hf_timers *heap, struct hf_timers_node node,
     uint32_t place)
{
    while (place > 1 && is_before(&node, node_at(block, heap, place / 2))) {
        put(block, heap, *node_at(block, heap, place / 2), place);
        place /= 2;
    }
    put(block, heap, node, place);
}

/* Move a node toward the leaves: earlier children come up. */
static void
sink(void *block, struct hf_timers *heap, struct hf_timers_node node,
     uint32_t place)
{
    for (;;) {
        uint32_t child = 2 * place;

        if (child < heap->count && is_before(node_at(block, heap, child + 1),
                                             node_at(block, heap, child)))
            child++;
        if (child > heap->count ||
            !is_before(node_at(block, heap, child), &node))
            break;
        put(block, heap, *node_at(block, heap, child), place);
        place = child;
    }
    put(block, heap, node, place);
}

static void
settle(void *block, struct hf_timers *heap, struct hf_timers_node node,
       uint32_t place)
{
    if (place > 1 && is_before(&node, node_at(block, heap, place / 2)))
        rise(block, heap, node, place);
    else
        sink(block, heap, node, place);
}

void
hf_timers_set(void *block, struct hf_timers *heap, uint32_t item, int64_t at_ms)
{
    uint32_t place = *place_of(block, heap, item);
    struct hf_timers_node node = {at_ms, item, heap->turns++};

    if (place == 0) {
        HF_CHECK(heap->count < heap->max);
        rise(block, heap, node, ++heap->count);
    } else {
        settle(block, heap, node, place);
    }
}

void
hf_timers_remove(void *block, struct hf_timers *heap, uint32_t item)
{
    uint32_t place = *place_of(block, heap, item);
    struct hf_timers_node last;

    if (place == 0)
        return;
    HF_CHECK(node_at(block, heap, place)->item == item);
    last = *node_at(block, heap, heap->count--);
    *place_of(block, heap, item) = 0;
    if (last.item != item)
        settle(block, heap, last, place);
}

bool
hf_timers_has(const void *block, const struct hf_timers *heap, uint32_t item)
{
    uint32_t place = *place_of(block, heap, item);

    return place != 0 && place <= heap->count &&
           node_at(block, heap, place)->item == item;
}

uint32_t
hf_timers_first(const void *block, const struct hf_timers *heap, int64_t *at_ms)
{
    if (heap->count == 0)
        return 0;
    *at_ms = node_at(block, heap, 1)->at_ms;
    return node_at(block, heap, 1)->item;
}

bool
hf_timers_sound(const void *block, const struct hf_timers *heap)
{
    for (uint32_t place = 1; place <= heap->count; place++) {
        const struct hf_timers_node *node = node_at(block, heap, place);

        if (*place_of(block, heap, node->item) != place)
            return false;
        if (place > 1 && is_before(node, node_at(block, heap, place / 2)))
            return false;
    }
    return true;
}

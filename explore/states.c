#include "explore/states.h"

#include <string.h>
#include <sys/mman.h>

/* Fuller than this and the table is doubled. */
#define FULL_PERCENT 85
#define SLOTS_MIN    1024

static void *
map(uint64_t bytes)
{
    void *memory = mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (memory == MAP_FAILED)
        return NULL;
    (void)madvise(memory, (size_t)bytes, MADV_HUGEPAGE); /* it is only faster */
    return memory;
}

static void
unmap(void *memory, uint64_t bytes)
{
    if (memory != NULL)
        munmap(memory, (size_t)bytes);
}

static uint64_t
read_word(const uint8_t *bytes)
{
    uint64_t word;

    memcpy(&word, bytes, sizeof(word));
    return word;
}

/* Eight bytes at a time, mixed as in splitmix64. */
static uint64_t
hash(const uint8_t *bytes, size_t size)
{
    uint64_t h = UINT64_C(0x9e3779b97f4a7c15) ^ size;
    size_t i = 0;

    for (; i + 8 <= size; i += 8) {
        h = (h ^ read_word(bytes + i)) * UINT64_C(0xbf58476d1ce4e5b9);
        h ^= h >> 29;
    }
    for (; i < size; i++)
        h = (h ^ bytes[i]) * UINT64_C(0x94d049bb133111eb);
    h ^= h >> 31;
    h *= UINT64_C(0x94d049bb133111eb);
    return h ^ (h >> 32);
}

bool
states_open(struct states *states, size_t size, uint32_t max)
{
    *states = (struct states){
        .size = size,
        .max = max,
        .arena = map((uint64_t)max * size),
        .parent = map((uint64_t)max * sizeof(uint32_t)),
        .slots = map(SLOTS_MIN * sizeof(uint32_t)),
        .tags = map(SLOTS_MIN),
        .slots_count = SLOTS_MIN,
    };
    if (states->arena != NULL && states->parent != NULL &&
        states->slots != NULL && states->tags != NULL)
        return true;
    states_close(states);
    return false;
}

void
states_close(struct states *states)
{
    unmap(states->arena, (uint64_t)states->max * states->size);
    unmap(states->parent, (uint64_t)states->max * sizeof(uint32_t));
    unmap(states->slots, states->slots_count * sizeof(uint32_t));
    unmap(states->tags, states->slots_count);
    *states = (struct states){0};
}

static void
place(uint32_t *slots, uint8_t *tags, uint64_t mask, uint64_t h,
      uint32_t number)
{
    uint64_t slot = h & mask;

    while (slots[slot] != 0)
        slot = (slot + 1) & mask;
    slots[slot] = number + 1;
    tags[slot] = (uint8_t)(h >> 56);
}

/* A few are always on their way: see states_offer. */
static void
place_all(const struct states *states, uint32_t *slots, uint8_t *tags,
          uint64_t mask)
{
    uint64_t ahead[STATES_OFFERED_MAX];

    for (uint32_t i = 0; i < states->count + STATES_OFFERED_MAX; i++) {
        uint64_t *h = &ahead[i % STATES_OFFERED_MAX];

        if (i >= STATES_OFFERED_MAX)
            place(slots, tags, mask, *h, i - STATES_OFFERED_MAX);
        if (i >= states->count)
            continue;
        *h = hash(states_at(states, i), states->size);
        __builtin_prefetch(&slots[*h & mask], 1);
        __builtin_prefetch(&tags[*h & mask], 1);
    }
}

static bool
grow(struct states *states)
{
    uint64_t count = states->slots_count * 2;
    uint32_t *slots = map(count * sizeof(uint32_t));
    uint8_t *tags = map(count);

    if (slots == NULL || tags == NULL) {
        unmap(slots, count * sizeof(uint32_t));
        unmap(tags, count);
        return false;
    }
    place_all(states, slots, tags, count - 1);
    unmap(states->slots, states->slots_count * sizeof(uint32_t));
    unmap(states->tags, states->slots_count);
    states->slots = slots;
    states->tags = tags;
    states->slots_count = count;
    return true;
}

static enum states_added
add(struct states *states, const void *state, uint64_t h, uint32_t parent,
    uint32_t *number)
{
    uint64_t mask = states->slots_count - 1;
    uint64_t slot = h & mask;
    uint8_t tag = (uint8_t)(h >> 56);

    for (; states->slots[slot] != 0; slot = (slot + 1) & mask) {
        uint32_t found = states->slots[slot] - 1;

        if (states->tags[slot] == tag &&
            memcmp(states_at(states, found), state, states->size) == 0) {
            *number = found;
            return STATES_SEEN;
        }
    }

    if (states->count == states->max)
        return STATES_FULL;
    if ((states->count + UINT64_C(1)) * 100 >
        states->slots_count * FULL_PERCENT) {
        if (!grow(states))
            return STATES_FULL;
        place(states->slots, states->tags, states->slots_count - 1, h,
              states->count);
    } else {
        states->slots[slot] = states->count + 1;
        states->tags[slot] = tag;
    }
    memcpy(states->arena + (size_t)states->count * states->size, state,
           states->size);
    states->parent[states->count] = parent;
    *number = states->count++;
    return STATES_ADDED;
}

enum states_added
states_add(struct states *states, const void *state, uint32_t parent,
           uint32_t *number)
{
    return add(states, state, hash(state, states->size), parent, number);
}

/* ---- Offers ------------------------------------------------------------- */

static struct states_offered *
offered_at(struct states *states, unsigned index)
{
    return &states->offered[(states->first + index) % STATES_OFFERED_MAX];
}

/* The slot has come: ask for the state that it names, or leave it be. */
static void
ask_for_state(const struct states *states, uint64_t h)
{
    uint64_t slot = h & (states->slots_count - 1);

    if (states->slots[slot] != 0 && states->tags[slot] == (uint8_t)(h >> 56)) {
        const uint8_t *at = states_at(states, states->slots[slot] - 1);

        for (size_t i = 0; i < states->size; i += 64)
            __builtin_prefetch(at + i);
        __builtin_prefetch(at + states->size - 1);
    }
}

static void
settle_first(struct states *states)
{
    struct states_offered *offered = offered_at(states, 0);
    uint32_t number;

    if (add(states, offered->state, offered->hash, offered->parent, &number) ==
        STATES_FULL)
        states->full = true;
    states->first = (states->first + 1) % STATES_OFFERED_MAX;
    states->waiting--;
}

void
states_offer(struct states *states, const void *state, uint32_t parent)
{
    struct states_offered *offered;
    uint64_t slot;

    if (states->waiting == STATES_OFFERED_MAX)
        settle_first(states);
    offered = offered_at(states, states->waiting++);
    memcpy(offered->state, state, states->size);
    offered->parent = parent;
    offered->hash = hash(state, states->size);
    slot = offered->hash & (states->slots_count - 1);
    __builtin_prefetch(&states->slots[slot]);
    __builtin_prefetch(&states->tags[slot]);
    if (states->waiting > STATES_OFFERED_HALF)
        ask_for_state(states, offered_at(states, states->waiting -
                                                     STATES_OFFERED_HALF - 1)
                                  ->hash);
}

void
states_settle(struct states *states)
{
    while (states->waiting > 0)
        settle_first(states);
}

uint64_t
states_bytes(const struct states *states)
{
    return (uint64_t)states->count * (states->size + sizeof(uint32_t)) +
           states->slots_count * (sizeof(uint32_t) + 1);
}

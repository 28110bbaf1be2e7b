#include "core/session/lanes.h"

#include "base/check.h"

static uint64_t
hash_of(uint64_t label)
{
    return hf_index_mix(label, 0);
}

static uint32_t
find(struct hf_session *s, uint64_t label)
{
    uint32_t at = hf_index_first(s, &s->by_label, hash_of(label));

    while (at != 0 && hf_wish_lane_at(s, at)->label != label)
        at = hf_index_next(s, &s->by_label, at);
    return at;
}

/* The lowest idle lane, or a new one. */
static uint32_t
take(struct hf_session *s)
{
    int64_t lowest;
    uint32_t number = hf_timers_first(s, &s->idle, &lowest);

    if (number != 0) {
        hf_timers_remove(s, &s->idle, number);
        return number;
    }
    number = hf_pool_take(s, &s->lanes);
    HF_CHECK(number != 0); /* there are as many lanes as requests */
    hf_wish_lane_at(s, number)->number = ++s->last_lane;
    return number;
}

uint32_t
hf_lanes_join(struct hf_session *s, uint64_t label)
{
    uint32_t number = label == 0 ? 0 : find(s, label);
    struct hf_wish_lane *lane;

    if (number == 0) {
        number = take(s);
        lane = hf_wish_lane_at(s, number);
        lane->label = label;
        if (label != 0)
            hf_index_add(s, &s->by_label, hash_of(label), number);
        hf_timers_set(s, &s->used, number, (int64_t)lane->number);
    }
    hf_wish_lane_at(s, number)->wishes_count++;
    return number;
}

void
hf_lanes_leave(struct hf_session *s, uint32_t number)
{
    struct hf_wish_lane *lane = hf_wish_lane_at(s, number);

    if (--lane->wishes_count > 0)
        return;
    HF_CHECK(lane->asking == 0 && lane->queue.count == 0);
    if (lane->label != 0)
        hf_index_remove(s, &s->by_label, hash_of(lane->label), number);
    lane->label = 0;
    hf_timers_remove(s, &s->used, number);
    hf_timers_set(s, &s->idle, number, (int64_t)lane->number);
}

uint64_t
hf_lanes_tell_lowest(struct hf_session *s)
{
    int64_t lowest;
    int64_t idle;
    uint32_t number;

    if (hf_timers_first(s, &s->used, &lowest) == 0)
        return s->lowest;
    HF_CHECK((uint64_t)lowest >= s->lowest);
    s->lowest = (uint64_t)lowest;
    while ((number = hf_timers_first(s, &s->idle, &idle)) != 0 &&
           idle < lowest) {
        hf_timers_remove(s, &s->idle, number);
        hf_pool_give(s, &s->lanes, number);
    }
    return s->lowest;
}

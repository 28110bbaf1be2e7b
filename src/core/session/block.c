#include "core/session.h"

#include "base/check.h"
#include "core/session/parts.h"

/* Reserve memory of the block: the distance from its begin. */
static uint64_t
reserve(size_t *used, size_t size)
{
    uint64_t at = *used;

    *used += (size + 7) / 8 * 8;
    return at;
}

static void
add_slots(size_t *used, struct hf_pool *slots, uint32_t max, size_t size)
{
    hf_pool_init(slots, max, size, reserve(used, hf_pool_size(max, size)));
}

static struct hf_index
add_chains(size_t *used, const struct hf_pool *slots, size_t link)
{
    return hf_index_of(slots, slots->max, link,
                       reserve(used, hf_index_size(slots->max)));
}

static void
add_heap(size_t *used, struct hf_timers *heap, uint32_t max, uint64_t places)
{
    hf_timers_init(heap, max, reserve(used, hf_timers_size(max)), places);
}

static uint64_t
add_places(size_t *used, uint32_t max)
{
    return reserve(used, ((size_t)max + 1) * sizeof(uint32_t));
}

/* Lay out all pools; returns the size of the block. */
static size_t
lay_out(struct hf_session *s, uint32_t wishes)
{
    size_t used = 0;
    uint64_t places;

    (void)reserve(&used, sizeof(*s));
    add_slots(&used, &s->wishes, wishes, sizeof(struct hf_wish));
    s->by_id = add_chains(&used, &s->wishes, offsetof(struct hf_wish, chain));
    s->by_stream =
        add_chains(&used, &s->wishes, offsetof(struct hf_wish, by_stream));
    s->by_fence =
        add_chains(&used, &s->wishes, offsetof(struct hf_wish, by_fence));
    add_heap(&used, &s->timers, wishes, add_places(&used, wishes));

    /* As many lanes as requests: each request needs one at most. */
    add_slots(&used, &s->lanes, wishes, sizeof(struct hf_wish_lane));
    s->by_label =
        add_chains(&used, &s->lanes, offsetof(struct hf_wish_lane, chain));
    places = add_places(&used, wishes);
    add_heap(&used, &s->used, wishes, places);
    add_heap(&used, &s->idle, wishes, places);

    /* A step closes what is out: at most one stream for each sender. */
    add_slots(&used, &s->closing, wishes + 2 * HF_ERRANDS_MAX,
              sizeof(uint64_t));
    return used;
}

bool
hf_session_valid(const struct hf_session_config *config)
{
    const struct hf_session_limits *limits = &config->limits;

    return limits->wishes > 0 && limits->wishes <= INT32_MAX / 2 &&
           limits->nodes > 0 && limits->nodes <= HF_SERVICES_NODES_MAX &&
           limits->page > 0 && hf_terms_valid(&config->terms, config->grace) &&
           config->margin.ms >= 0 && config->silence.ms > 0 &&
           config->margin.ms < config->terms.ttl.ms - config->grace.ms;
}

size_t
hf_session_size(const struct hf_session_config *config)
{
    struct hf_session none;

    return lay_out(&none, config->limits.wishes);
}

struct hf_session *
hf_session_init(void *block, const struct hf_session_config *config)
{
    struct hf_session *s = block;

    HF_CHECK(hf_session_valid(config));
    *s = (struct hf_session){
        .config = *config,
        .trust = HF_TRUST_OVER,
        .silence = config->silence,
        .right_until = {INT64_MIN},
        .say_at = {INT64_MIN},
        .ask_at = {INT64_MIN},
    };
    hf_nodes_init(&s->nodes, config->limits.nodes);
    s->nodes.pause_end = (struct hf_instant){INT64_MIN};
    lay_out(s, config->limits.wishes);
    return s;
}

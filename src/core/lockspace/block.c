#include "core/lockspace.h"

#include "base/check.h"
#include "core/lockspace/parts.h"

/* Entries for each chain of a table in which few entries are: claims that are
 * not their lane's last, and shared parts that hold. */
#define RARE  4
#define FEWER 2

/* More chains than names, since looking for a new name walks a whole chain. */
#define MORE(names) ((names) + (names) / 2)

/* Each pool begins on a cache line, if the block does. */
#define LINE 64

/* Reserve memory of the block: the distance from its begin. */
static uint64_t
reserve(size_t *used, size_t size)
{
    uint64_t at = *used;

    *used += (size + LINE - 1) / LINE * LINE;
    return at;
}

static void
add_slots(size_t *used, struct hf_pool *slots, uint32_t max, size_t size)
{
    hf_pool_init(slots, max, size, reserve(used, hf_pool_size(max, size)));
}

static struct hf_index
add_chains(size_t *used, const struct hf_pool *slots, uint32_t count,
           size_t link)
{
    return hf_index_of(slots, count, link, reserve(used, hf_index_size(count)));
}

static void
add_heaps(size_t *used, struct hf_lockspace *ls,
          const struct hf_lockspace_limits *limits)
{
    size_t items = (size_t)limits->sessions + limits->claims + limits->keys + 1;
    uint32_t timers = limits->sessions + limits->waiters + limits->keys;
    uint64_t places = reserve(used, items * sizeof(uint32_t));

    hf_timers_init(&ls->timers, timers, reserve(used, hf_timers_size(timers)),
                   places);
    hf_timers_init(&ls->gathered, limits->waiters,
                   reserve(used, hf_timers_size(limits->waiters)), places);
}

/* Names that onlookers may wait for: those of all waiters, and of one request
 * more. */
static uint32_t
onlooked_max(const struct hf_lockspace_limits *limits)
{
    uint64_t parts = (uint64_t)(limits->waiters + 1) * limits->request_names;

    return parts < limits->names ? (uint32_t)parts : limits->names;
}

/* Lay out all pools; returns the size of the block. */
static size_t
lay_out(struct hf_lockspace *ls, const struct hf_lockspace_limits *limits)
{
    size_t used = 0;

    (void)reserve(&used, sizeof(*ls));

    add_slots(&used, &ls->sessions, limits->sessions,
              sizeof(struct hf_ls_session));
    add_slots(&used, &ls->ended, limits->keys, sizeof(struct hf_ls_ended));
    add_slots(&used, &ls->lanes, limits->lanes, sizeof(struct hf_ls_lane));
    add_slots(&used, &ls->claims, limits->claims, sizeof(struct hf_ls_claim));
    add_slots(&used, &ls->parts, limits->parts, sizeof(struct hf_ls_part));
    ls->parts.fresh = limits->claims; /* see struct hf_ls_part */
    add_slots(&used, &ls->names, limits->names, sizeof(struct hf_ls_name));
    add_slots(&used, &ls->onlookers, onlooked_max(limits),
              sizeof(struct hf_ls_onlookers));
    add_slots(&used, &ls->spaces, limits->spaces, sizeof(struct hf_ls_space));
    add_slots(&used, &ls->texts, limits->texts,
              sizeof(struct hf_strings_piece));
    add_slots(&used, &ls->search, limits->search + 1,
              sizeof(struct hf_ls_step));

    ls->sessions_by_id = add_chains(&used, &ls->sessions, limits->sessions,
                                    offsetof(struct hf_ls_session, chain));
    ls->ended_by_id = add_chains(&used, &ls->ended, limits->keys + 1,
                                 offsetof(struct hf_ls_ended, chain));
    ls->lanes_by_number = add_chains(&used, &ls->lanes, limits->lanes,
                                     offsetof(struct hf_ls_lane, chain));
    ls->claims_by_fence = add_chains(&used, &ls->claims, limits->claims,
                                     offsetof(struct hf_ls_claim, chain));
    ls->claims_by_n =
        add_chains(&used, &ls->claims, (limits->claims - 1) / RARE + 1,
                   offsetof(struct hf_ls_claim, older));
    ls->shared_by_lane =
        add_chains(&used, &ls->parts, (limits->parts - 1) / FEWER + 1,
                   offsetof(struct hf_ls_part, chain));
    ls->names_by_text = add_chains(&used, &ls->names, MORE(limits->names),
                                   offsetof(struct hf_ls_name, chain));
    ls->spaces_by_text = add_chains(&used, &ls->spaces, limits->spaces,
                                    offsetof(struct hf_ls_space, chain));
    add_heaps(&used, ls, limits);
    return used;
}

static bool
limits_valid(const struct hf_lockspace_limits *limits)
{
    const uint32_t each[] = {
        limits->sessions,       limits->lanes,          limits->claims,
        limits->waiters,        limits->names,          limits->spaces,
        limits->parts,          limits->texts,          limits->session_lanes,
        limits->space_waiters,  limits->session_grants, limits->space_grants,
        limits->request_names,  limits->search,         limits->record_bytes,
        limits->session_waiters};

    for (size_t i = 0; i < sizeof(each) / sizeof(each[0]); i++)
        if (each[i] == 0 || each[i] > INT32_MAX)
            return false;
    return limits->keys <= INT32_MAX && limits->waiters <= limits->claims &&
           limits->claims <= limits->parts && limits->spaces <= UINT16_MAX &&
           limits->request_names <= UINT16_MAX;
}

bool
hf_lockspace_valid(const struct hf_lockspace_config *config)
{
    return limits_valid(&config->limits) && config->blocking.ms > 0 &&
           config->resume_grace.ms >= 0 && config->takeover_grace.ms >= 0 &&
           config->ttl_max.ms > 0 &&
           /* A random timeout may be a tenth shorter. */
           config->takeover_grace.ms <=
               config->blocking.ms - config->blocking.ms / 10;
}

size_t
hf_lockspace_size(const struct hf_lockspace_config *config)
{
    struct hf_lockspace none;

    return lay_out(&none, &config->limits);
}

struct hf_lockspace *
hf_lockspace_init(void *block, const struct hf_lockspace_config *config)
{
    struct hf_lockspace *ls = block;

    HF_CHECK(hf_lockspace_valid(config));
    *ls = (struct hf_lockspace){.config = *config};
    lay_out(ls, &config->limits);
    return ls;
}

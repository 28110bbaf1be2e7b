#include "lab/world/world.h"

#include <stddef.h>
#include <string.h>

void
world_start(struct world *world, const struct world_config *config)
{
    *world = (struct world){
        .config = config, .version = 1, .given = 1, .before.version = 1};
}

/* ---- What can be said of it --------------------------------------------- */

bool
world_believes(const struct world *world, unsigned worker)
{
    const struct world_worker *w = &world->workers[worker];
    enum hf_outcome held;

    if (!w->alive || !w->in_section)
        return false;
    held = hf_contender_check(&w->contender, WORLD_NOW);
    return held == HF_GRANTED || held == HF_IN_DOUBT;
}

bool
world_owns(const struct world *world, unsigned worker)
{
    const struct world_worker *w = &world->workers[worker];

    return world->exists && w->alive &&
           w->contender.keeper.state != HF_KEEPER_IDLE &&
           w->contender.keeper.heartbeat.id == world->id;
}

void
world_end_token(struct world *world, uint64_t token)
{
    if (world->config->same_host && token != 0)
        world->ended |= UINT64_C(1) << token;
}

bool
world_has_ended(const struct world *world, uint64_t token)
{
    return (world->ended >> token & 1) != 0;
}

unsigned
world_owner(const struct world *world)
{
    for (unsigned i = 0; i < world->config->workers; i++)
        if (world_owns(world, i))
            return i;
    return WORLD_WORKERS_MAX;
}

struct hf_terms
world_terms_of(const struct world_config *config, unsigned worker)
{
    const struct world_terms *terms = &config->terms[worker];

    return (struct hf_terms){terms->if_dead, world_ticks(terms->ttl),
                             world_ticks(terms->beat == 0 ? 1 : terms->beat)};
}

void
world_copy(struct world *to, const struct world *from)
{
    unsigned count = from->config->workers;

    memcpy(to, from,
           offsetof(struct world, workers) + count * sizeof(from->workers[0]));
    if (from->config->hints)
        memcpy(to->heard, from->heard, count * sizeof(from->heard[0]));
    if (from->config->examines)
        to->person = from->person;
}

void
world_age(struct hf_instant *instant, int count)
{
    if (instant->ms != HF_NEVER.ms && instant->ms != INT64_MIN)
        instant->ms -= world_ticks(count).ms;
}

bool
worker_is_owed(const struct world_worker *w)
{
    const struct hf_question *question = &w->contender.keeper.question;

    return w->mail.out &&
           (!question->waiting || w->mail.number != question->number);
}

bool
worker_is_due(const struct world_worker *w)
{
    return w->alive &&
           hf_reached(WORLD_NOW, hf_contender_deadline(&w->contender));
}

bool
worker_is_overdue(const struct world_worker *w)
{
    const struct hf_question *question = &w->contender.keeper.question;

    return w->mail.out && question->waiting && !worker_is_owed(w) &&
           hf_reached(WORLD_NOW, hf_question_deadline(question));
}

bool
world_is_workers(enum world_act act)
{
    bool persons =
        (act >= ACT_PERSON_COMES && act <= ACT_PERSON_HINT) || act >= ACT_CLEAR;

    return act != ACT_TICK && act != ACT_LATE && act != ACT_PURGE &&
           act != ACT_ARRIVE && act != ACT_SET_FORWARD && !persons;
}

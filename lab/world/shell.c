#include "world/shell.h"

#include <stddef.h>

#include "world/stored.h"
#include "world/worker.h"

/* ---- Processes ---------------------------------------------------------- */

static bool
watches(const struct world *world, unsigned who)
{
    const struct world_worker *w = &world->workers[who];
    uint64_t version;

    return world->config->same_host && w->alive && !w->frozen &&
           hf_contender_watching(&w->contender, &version);
}

static const struct hf_evidence *
evidence_of(const struct world *world, unsigned who)
{
    return &world->workers[who].contender.evidence;
}

bool
shell_may_see_gone(const struct world *world, unsigned who)
{
    const struct hf_evidence *e = evidence_of(world, who);

    return watches(world, who) && !e->gone && world_has_ended(world, e->token);
}

void
shell_see_gone(struct world *world, unsigned who)
{
    uint64_t version = evidence_of(world, who)->version;

    worker_pump(world, who, hf_processes(WORLD_NOW, version, true));
}

bool
shell_may_see_running(const struct world *world, unsigned who)
{
    return watches(world, who) &&
           !world_has_ended(world, evidence_of(world, who)->token);
}

void
shell_see_running(struct world *world, unsigned who)
{
    uint64_t version = evidence_of(world, who)->version;

    worker_pump(world, who, hf_processes(WORLD_NOW, version, false));
}

bool
shell_may_see_old(const struct world *world, unsigned who)
{
    return watches(world, who);
}

void
shell_see_old(struct world *world, unsigned who)
{
    uint64_t version = evidence_of(world, who)->version;

    worker_pump(world, who, hf_processes(WORLD_NOW, version - 1, true));
}

/* ---- Hints -------------------------------------------------------------- */

bool
shell_may_hint(const struct world *world, unsigned who)
{
    const struct world_worker *w = &world->workers[who];

    return world->config->hints && w->alive && !w->frozen;
}

void
shell_hint(struct world *world, unsigned who)
{
    worker_pump(world, who, hf_event(HF_ON_HINT, WORLD_NOW));
}

/* The number of a question that was answered: the last, or one from before all
 * that is remembered. */
static uint64_t
answered_number(const struct world_worker *w)
{
    const struct hf_keeper *k = &w->contender.keeper;
    uint64_t last = k->question.number;
    bool is_out =
        k->question.waiting || (w->mail.out && w->mail.number == last);

    return is_out || hf_inflight_find(&k->inflight, last) != NULL ? UINT64_MAX
                                                                  : last;
}

/* Whatever it says: the contender has heard of it, or given it up. */
void
shell_answer_again(struct world *world, unsigned who)
{
    static const enum hf_verdict verdicts[] = {HF_APPLIED, HF_REFUSED,
                                               HF_UNAVAILABLE, HF_UNKNOWN};
    const struct world_worker *w = &world->workers[who];

    for (size_t i = 0; i < sizeof(verdicts) / sizeof(verdicts[0]); i++)
        if (w->alive)
            worker_pump(world, who,
                        hf_answer(WORLD_NOW, answered_number(w), verdicts[i],
                                  world->version));
    if (w->alive)
        worker_pump(
            world, who,
            hf_found(WORLD_NOW, answered_number(w), stored_read(world)));
}

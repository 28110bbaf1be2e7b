#include "lab/world/step.h"

#include <stddef.h>

#include "base/check.h"
#include "lab/world/forget.h"
#include "lab/world/person.h"
#include "lab/world/promise.h"
#include "lab/world/resource.h"
#include "lab/world/shell.h"
#include "lab/world/stamp.h"
#include "lab/world/stored.h"
#include "lab/world/worker.h"

/* One kind of step: when it is possible, and what it does. */
struct act {
    bool (*allows)(const struct world *world, unsigned who);
    void (*apply)(struct world *world, unsigned who);
};

static enum hf_contender_state
state_of(const struct world_worker *w)
{
    return w->contender.state;
}

/* ---- What a worker does ------------------------------------------------- */

static bool
may_begin(const struct world *world, unsigned who)
{
    return !world->workers[who].alive;
}

static bool
may_return(const struct world *world, unsigned who)
{
    return world->config->returns && !world->exists && may_begin(world, who);
}

static void
return_to_tombstone(struct world *world, unsigned who)
{
    worker_return(world, who, world->version);
}

static bool
may_return_in_vain(const struct world *world, unsigned who)
{
    return world->config->returns && may_begin(world, who);
}

static bool
may_release(const struct world *world, unsigned who)
{
    const struct world_worker *w = &world->workers[who];
    const struct world_write_out *write = &world->resource.writes[who];
    bool writes = write->out && write->grant == write->holds;

    return w->alive && !w->frozen && state_of(w) == HF_CONTENDER_HOLDING &&
           !writes;
}

static bool
may_cancel(const struct world *world, unsigned who)
{
    const struct world_worker *w = &world->workers[who];

    return world->config->gives_up && w->alive && !w->frozen &&
           !w->in_section && state_of(w) != HF_CONTENDER_LEAVING &&
           state_of(w) != HF_CONTENDER_HOLDING;
}

static void
cancel(struct world *world, unsigned who)
{
    worker_pump(world, who, hf_event(HF_ON_CANCEL, WORLD_NOW));
}

/* Between two looks: an answer to the one is none to the other. */
static bool
may_hand_on(const struct world *world, unsigned who)
{
    const struct world_worker *w = &world->workers[who];

    return world->config->hands_on && w->alive && !w->frozen && !w->mail.out &&
           state_of(w) == HF_CONTENDER_WATCHING;
}

static bool
may_look_at_clock(const struct world *world, unsigned who)
{
    const struct world_worker *w = &world->workers[who];

    return !w->frozen && worker_is_due(w);
}

static void
look_at_clock(struct world *world, unsigned who)
{
    worker_pump(world, who, hf_event(HF_ON_CLOCK, WORLD_NOW));
}

/* ---- What becomes of its question --------------------------------------- */

static bool
may_serve(const struct world *world, unsigned who)
{
    const struct world_worker *w = &world->workers[who];

    return w->mail.out && !w->mail.served && !w->cut;
}

static bool
may_deliver(const struct world *world, unsigned who)
{
    const struct world_worker *w = &world->workers[who];

    return w->mail.out && w->mail.served && !w->cut && !w->frozen &&
           w->mail.age >= (unsigned)world->config->latency;
}

static bool
may_lose_write(const struct world *world, unsigned who)
{
    return may_serve(world, who) && !world->workers[who].mail.reads;
}

static void
lose_answer(struct world *world, unsigned who)
{
    worker_answer_unknown(world, who, ACT_UNKNOWN_APPLIED);
}

static void
lose_question(struct world *world, unsigned who)
{
    worker_answer_unknown(world, who, ACT_UNKNOWN_DROPPED);
}

static void
delay_question(struct world *world, unsigned who)
{
    worker_answer_unknown(world, who, ACT_UNKNOWN_LATER);
}

static bool
may_fail_read(const struct world *world, unsigned who)
{
    return may_serve(world, who) && world->workers[who].mail.reads;
}

static void
fail_read(struct world *world, unsigned who)
{
    struct world_mail *mail = &world->workers[who].mail;

    forget_excuse(world);
    mail->served = true;
    mail->sight = (struct hf_sight){.kind = HF_SIGHT_NONE};
}

static bool
may_be_slow(const struct world *world, unsigned who)
{
    const struct world_worker *w = &world->workers[who];

    return !world->config->lazy && w->mail.out && !w->mail.slow && !w->cut &&
           !w->frozen;
}

static void
be_slow(struct world *world, unsigned who)
{
    world->workers[who].mail.slow = true;
}

/* ---- What befalls a worker ---------------------------------------------- */

static bool
may_crash(const struct world *world, unsigned who)
{
    return world->workers[who].alive;
}

static bool
may_abandon(const struct world *world, unsigned who)
{
    const struct world_worker *w = &world->workers[who];

    return world->config->abandons && w->alive && !w->frozen;
}

static bool
may_freeze(const struct world *world, unsigned who)
{
    const struct world_worker *w = &world->workers[who];

    return world->config->freezes && w->alive && !w->frozen;
}

static void
freeze(struct world *world, unsigned who)
{
    world->workers[who].frozen = true;
}

static bool
may_wake(const struct world *world, unsigned who)
{
    return world->workers[who].frozen;
}

static void
wake(struct world *world, unsigned who)
{
    world->workers[who].frozen = false;
}

static bool
may_be_cut(const struct world *world, unsigned who)
{
    const struct world_worker *w = &world->workers[who];

    return world->config->cuts && w->alive && !w->cut;
}

static void
cut(struct world *world, unsigned who)
{
    world->workers[who].cut = true;
}

static bool
may_heal(const struct world *world, unsigned who)
{
    return world->workers[who].cut;
}

static void
heal(struct world *world, unsigned who)
{
    world->workers[who].cut = false;
}

/* ---- What nobody does --------------------------------------------------- */

static bool
may_tick(const struct world *world, unsigned who)
{
    if (who != 0 || person_is_busy(world))
        return false;
    for (unsigned i = 0; i < world->config->workers; i++) {
        const struct world_worker *w = &world->workers[i];
        bool under_way = w->mail.out && !w->mail.slow && !w->cut &&
                         !world->config->lazy &&
                         w->mail.age >= (unsigned)world->config->latency;

        if (!w->frozen && (worker_is_due(w) || under_way))
            return false;
    }
    return true;
}

static void
tick(struct world *world, unsigned who)
{
    (void)who;
    for (unsigned i = 0; i < world->config->workers; i++)
        worker_tick(world->config, i, &world->workers[i]);
    person_tick(world);
    forget_tick(world);
    stamp_tick(world);
}

static bool
may_come_late(const struct world *world, unsigned who)
{
    return who < world->late_count;
}

static bool
may_purge(const struct world *world, unsigned who)
{
    /* Of any key's tombstone: the floor that it raises is one for all. */
    return who == 0 && world->config->purges && !world->exists;
}

static void
purge(struct world *world, unsigned who)
{
    (void)who;
    stored_purge(world);
}

static bool
may_clear(const struct world *world, unsigned who)
{
    return who == 0 && world->config->operator&& world->exists;
}

static void
clear(struct world *world, unsigned who)
{
    const struct world_write delete = {
        .kind = HF_DELETE,
        .version = world->version,
        .worker = WORLD_WORKERS_MAX,
    };

    (void)who;
    (void)stored_apply(world, &delete);
}

static bool
may_be_foreign(const struct world *world, unsigned who)
{
    return who == 0 && world->config->foreigners && !world->foreign;
}

static void
put_foreign(struct world *world, unsigned who)
{
    (void)who;
    stored_put_foreign(world);
}

/* ---- Steps -------------------------------------------------------------- */

static const struct act acts[ACT_COUNT] = {
    [ACT_BEGIN] = {may_begin, worker_begin},
    [ACT_RETURN] = {may_return, return_to_tombstone},
    [ACT_RETURN_IN_VAIN] = {may_return_in_vain, worker_return_in_vain},
    [ACT_RELEASE] = {may_release, worker_release},
    [ACT_CANCEL] = {may_cancel, cancel},
    [ACT_HAND_ON] = {may_hand_on, worker_hand_on},
    [ACT_SERVE] = {may_serve, worker_serve},
    [ACT_DELIVER] = {may_deliver, worker_deliver},
    [ACT_CLOCK] = {may_look_at_clock, look_at_clock},
    [ACT_GONE] = {shell_may_see_gone, shell_see_gone},
    [ACT_RUNNING] = {shell_may_see_running, shell_see_running},
    [ACT_OLD_EVIDENCE] = {shell_may_see_old, shell_see_old},
    [ACT_HINT] = {shell_may_hint, shell_hint},
    [ACT_AGAIN] = {shell_may_answer_again, shell_answer_again},
    [ACT_WAKE] = {may_wake, wake},
    [ACT_HEAL] = {may_heal, heal},
    [ACT_SEND] = {resource_may_send, resource_send},
    [ACT_ARRIVE] = {resource_may_arrive, resource_arrive},
    [ACT_PERSON_COMES] = {person_may_come, person_come},
    [ACT_PERSON_SERVE] = {person_may_be_served, person_serve},
    [ACT_PERSON_HEARS] = {person_may_hear, person_hear},
    [ACT_PERSON_CLOCK] = {person_is_due, person_look_at_clock},
    [ACT_PERSON_GONE] = {person_may_see_gone, person_see_gone},
    [ACT_PERSON_HINT] = {person_may_be_hinted, person_hint},
    [ACT_TICK] = {may_tick, tick},
    [ACT_LATE] = {may_come_late, stored_apply_late},
    [ACT_PURGE] = {may_purge, purge},
    [ACT_SET_FORWARD] = {stamp_may_be_set, stamp_set},
    [ACT_UNKNOWN_APPLIED] = {may_lose_write, lose_answer},
    [ACT_UNKNOWN_DROPPED] = {may_lose_write, lose_question},
    [ACT_UNKNOWN_LATER] = {may_lose_write, delay_question},
    [ACT_UNAVAILABLE] = {may_lose_write, worker_answer_unavailable},
    [ACT_READ_FAILS] = {may_fail_read, fail_read},
    [ACT_SLOW] = {may_be_slow, be_slow},
    [ACT_CUT] = {may_be_cut, cut},
    [ACT_CRASH] = {may_crash, worker_crash},
    [ACT_ABANDON] = {may_abandon, worker_abandon},
    [ACT_FREEZE] = {may_freeze, freeze},
    [ACT_CLEAR] = {may_clear, clear},
    [ACT_FOREIGN] = {may_be_foreign, put_foreign},
    [ACT_REMOVED] = {forget_may, forget_removed},
    [ACT_REPLACED] = {forget_may, forget_replaced},
    [ACT_OVERWRITTEN] = {forget_may, forget_overwritten},
    [ACT_PERSON_ANSWER_LOST] = {person_clears, person_lose_answer},
    [ACT_PERSON_DROPPED] = {person_may_be_served, person_lose_question},
    [ACT_PERSON_LATER] = {person_clears, person_delay_question},
    [ACT_PERSON_UNAVAILABLE] = {person_clears, person_refuse_to_answer},
    [ACT_PERSON_SLOW] = {person_may_be_slow, person_be_slow},
};

#define BIT(act) (UINT64_C(1) << (act))

uint64_t
step_acts(const struct world_config *config)
{
    const struct {
        bool there;
        uint64_t which;
    } parts[] = {
        {config->gives_up, BIT(ACT_CANCEL)},
        {config->hands_on, BIT(ACT_HAND_ON)},
        {config->returns, BIT(ACT_RETURN) | BIT(ACT_RETURN_IN_VAIN)},
        {config->same_host, BIT(ACT_GONE) | BIT(ACT_RUNNING) |
                                BIT(ACT_OLD_EVIDENCE) | BIT(ACT_PERSON_GONE)},
        {config->hints, BIT(ACT_HINT) | BIT(ACT_AGAIN) | BIT(ACT_PERSON_HINT)},
        {config->purges, BIT(ACT_PURGE)},
        {config->errs > 0, BIT(ACT_SET_FORWARD)},
        {config->freezes, BIT(ACT_FREEZE) | BIT(ACT_WAKE)},
        {config->cuts, BIT(ACT_CUT) | BIT(ACT_HEAL)},
        {config->abandons, BIT(ACT_ABANDON)},
        {config->operator, BIT(ACT_CLEAR)},
        {config->foreigners, BIT(ACT_FOREIGN)},
        {config->resource != RESOURCE_NONE, BIT(ACT_SEND) | BIT(ACT_ARRIVE)},
        {config->forgets,
         BIT(ACT_REMOVED) | BIT(ACT_REPLACED) | BIT(ACT_OVERWRITTEN)},
        {config->examines,
         BIT(ACT_PERSON_COMES) | BIT(ACT_PERSON_SERVE) | BIT(ACT_PERSON_HEARS) |
             BIT(ACT_PERSON_CLOCK) | BIT(ACT_PERSON_GONE) |
             BIT(ACT_PERSON_HINT) | BIT(ACT_PERSON_ANSWER_LOST) |
             BIT(ACT_PERSON_DROPPED) | BIT(ACT_PERSON_LATER) |
             BIT(ACT_PERSON_UNAVAILABLE) | BIT(ACT_PERSON_SLOW)},
    };
    uint64_t possible = BIT(ACT_COUNT) - 1;

    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
        if (!parts[i].there)
            possible &= ~parts[i].which;
    return possible;
}

bool
step_allowed(const struct world *world, struct world_action action)
{
    if (action.who >= world->config->workers && world_is_workers(action.act))
        return false;
    return acts[action.act].allows(world, action.who);
}

bool
step_is_fault(const struct world *world, struct world_action action)
{
    bool tells_time = action.act == ACT_RELEASE || action.act == ACT_CANCEL ||
                      action.act == ACT_HAND_ON ||
                      (action.act >= ACT_CLOCK && action.act <= ACT_AGAIN);

    if (action.act >= ACT_UNKNOWN_APPLIED)
        return true;
    return world->config->lazy && tells_time &&
           worker_is_overdue(&world->workers[action.who]);
}

void
step_apply(struct world *world, struct world_action action)
{
    world->violated = NULL;
    acts[action.act].apply(world, action.who);
    promise_state(world);
}

#include "base/check.h"
#include "unit/support/events.h"
#include "unit/support/promises.h"
#include "unit/support/world.h"

static void
note_action(struct world *w, const char *action, size_t proc)
{
    world_note(w, (struct world_line){.proc = proc, .action = action});
}

static bool
is_frozen(const struct world *w, const struct world_proc *p)
{
    return p->frozen_until_us > w->now_us;
}

static bool
is_over(const struct world_proc *p)
{
    return p->examiner ? p->person.state == HF_EXAMINER_ENDED
                       : p->contender.state == HF_CONTENDER_ENDED;
}

static void
abandon(struct world *w, size_t proc)
{
    w->procs[proc].abandoned = true;
    world_step(w, proc, hf_event(HF_ON_ABANDON, T(0)));
}

/* A write to what the lock protects, by one who was told that it holds. */
static void
write_fenced(struct world *w, size_t proc)
{
    const struct world_proc *p = &w->procs[proc];
    uint64_t fence = p->contender.keeper.token;

    if (p->robbed || world_check(w, p) != HF_GRANTED)
        return;
    PROMISE(w, fence >= w->highest_written,
            "writes of those who are GRANTED are never out of order");
    w->highest_written = fence;
}

static bool
watching(const struct world_proc *p, uint64_t *version)
{
    return p->examiner ? hf_examiner_watching(&p->person, version)
                       : hf_contender_watching(&p->contender, version);
}

/* The host tells what it knows of the processes in the record watched. */
static void
tell_evidence(struct world *w, size_t proc)
{
    const struct world_proc *p = &w->procs[proc];
    uint64_t version;
    size_t owner;
    bool gone;

    if (!watching(p, &version))
        return;
    owner = w->history[version - w->base].owner;
    if (owner == SIZE_MAX || w->procs[owner].host != p->host)
        return;
    gone = w->procs[owner].life != WORLD_UP;
    world_arrive(w, proc, hf_processes(T(0), version, gone),
                 world_chance(w, 700) ? 0 : (int64_t)world_draw(w, 50000));
}

void
world_end_process(struct world *w, size_t proc, enum world_life life)
{
    struct world_proc *p = &w->procs[proc];

    note_action(w, life == WORLD_CRASHED ? "crash" : "exit", proc);
    p->life = life;
    p->left_record = world_holder(w) == proc;
    for (size_t i = 0; i < w->procs_count; i++)
        if (w->procs[i].life == WORLD_UP && world_chance(w, 500))
            tell_evidence(w, i);
}

void
world_freeze(struct world *w, size_t proc)
{
    struct world_proc *p = &w->procs[proc];
    int64_t ttl_us = p->contender.keeper.config.terms.ttl.ms * 1000;
    const int64_t mosts_us[] = {500000, ttl_us, 3 * ttl_us};

    note_action(w, "freeze", proc);
    p->frozen_until_us =
        w->now_us + world_draw_us(w, mosts_us[world_draw(w, 3)]);
    if (p->frozen_until_us > w->quiet_us)
        p->frozen_until_us = w->quiet_us;
}

static void
hint(struct world *w, size_t proc)
{
    if (world_chance(w, 500))
        world_arrive(w, proc, hf_event(HF_ON_HINT, T(0)), 0);
    else
        tell_evidence(w, proc);
}

static void
stir_holder(struct world *w, size_t proc)
{
    uint64_t action = world_draw(w, 100);
    bool faults = w->options.faults && w->now_us < w->quiet_us;

    if (action < 15)
        world_step(w, proc, hf_event(HF_ON_RELEASE, T(0)));
    else if (action < 20 && faults)
        world_end_process(w, proc, WORLD_CRASHED);
    else if (action < 28 && faults)
        world_freeze(w, proc);
    else if (action < 30 && faults)
        abandon(w, proc);
    else if (action < 40)
        hint(w, proc);
    else
        write_fenced(w, proc);
}

static void
stir_waiter(struct world *w, size_t proc)
{
    uint64_t action = world_draw(w, 200);
    bool early = w->now_us < w->quiet_us;
    bool faults = w->options.faults && early;

    if (action < 2 && early)
        world_step(w, proc, hf_event(HF_ON_CANCEL, T(0)));
    else if (action < 4 && faults)
        abandon(w, proc);
    else if (action < 8 && faults)
        world_end_process(w, proc, WORLD_CRASHED);
    else if (action < 14 && faults)
        world_freeze(w, proc);
    else
        hint(w, proc);
}

static void
stir_proc(struct world *w, size_t proc)
{
    struct world_proc *p = &w->procs[proc];

    if (p->life != WORLD_UP)
        return;
    if (is_over(p)) {
        if (world_chance(w, 600))
            world_end_process(w, proc, WORLD_EXITED);
    } else if (is_frozen(w, p)) {
        if (world_chance(w, 50))
            world_end_process(w, proc, WORLD_CRASHED);
    } else if (p->examiner) {
        if (w->options.faults && world_chance(w, 20))
            abandon(w, proc);
        else
            tell_evidence(w, proc);
    } else if (p->contender.state == HF_CONTENDER_HOLDING) {
        stir_holder(w, proc);
    } else {
        stir_waiter(w, proc);
    }
}

static struct hf_contender_config
draw_contender(struct world *w)
{
    static const int64_t ttls[] = {1000, 1000, 2500, 4000, 8000};
    static const int64_t limits[] = {0, 3000, 20000, INT64_MAX};
    int64_t ttl_ms = ttls[world_draw(w, 5)];
    struct hf_contender_config config = {
        .terms = {.ttl = {ttl_ms}, .beat = {ttl_ms / 12}},
        .limit = {limits[world_draw(w, 4)]},
        .try_only = world_chance(w, 150),
        .seed = world_draw(w, UINT64_MAX),
    };

    if (config.try_only)
        config.limit = config.terms.ttl;
    config.terms.if_dead = w->options.refuse ? HF_REFUSE : HF_TAKEOVER;
    if (w->options.refuse && w->options.takeover && world_chance(w, 500))
        config.terms.if_dead = HF_TAKEOVER;
    config.terms.beat.ms += (int64_t)world_draw(w, (uint64_t)ttl_ms / 8);
    config.grace.ms = (int64_t)world_draw(w, (uint64_t)ttl_ms / 3);
    while (!hf_terms_valid(&config.terms, config.grace)) {
        config.terms.beat.ms -= config.terms.beat.ms / 8;
        config.grace.ms -= config.grace.ms / 8 + 1;
    }
    return config;
}

static void
stir_seat(struct world *w, size_t seat)
{
    size_t proc = w->seats[seat];
    bool empty = proc == SIZE_MAX || w->procs[proc].life != WORLD_UP;
    struct hf_contender_config config;

    if (!empty) {
        stir_proc(w, proc);
    } else if (w->now_us < w->quiet_us && world_chance(w, 300)) {
        config = draw_contender(w);
        w->seats[seat] = world_add_contender(w, &config);
    }
}

static void
stir_person(struct world *w)
{
    struct hf_examiner_config config = {
        .watch = {world_chance(w, 700) ? INT64_MAX : 1500},
        .patience = {200 + (int64_t)world_draw(w, 800)},
        .clear = world_chance(w, 700),
        .force = w->options.force && world_chance(w, 300),
    };

    config.force &= config.clear;
    if (w->options.clears && w->now_us < w->quiet_us && world_chance(w, 30))
        (void)world_add_person(w, &config);
}

/* ---- When everything late has come -------------------------------------- */

static void
look_at_waiters(struct world *w)
{
    for (size_t i = 0; i < w->procs_count; i++) {
        const struct world_proc *p = &w->procs[i];

        if (p->life == WORLD_UP && !p->examiner &&
            p->contender.limit.ms != INT64_MAX)
            PROMISE(w, is_over(p), "every wait with a limit ends");
    }
}

static bool
somebody_is_at_work(const struct world *w)
{
    for (size_t i = 0; i < w->procs_count; i++)
        if (w->procs[i].life == WORLD_UP && !is_over(&w->procs[i]))
            return true;
    return false;
}

static bool
a_person_is_at_work(const struct world *w)
{
    for (size_t i = 0; i < w->procs_count; i++)
        if (w->procs[i].life == WORLD_UP && w->procs[i].examiner &&
            !is_over(&w->procs[i]))
            return true;
    return false;
}

/* Clear dead refuse holders; in the end a last contender must be granted. */
static bool
sweep(struct world *w)
{
    static const struct hf_examiner_config clear = {
        .watch = {INT64_MAX},
        .patience = {500},
        .clear = true,
    };
    static const struct hf_contender_config last = {
        .terms = {HF_TAKEOVER, {1000}, {200}},
        .grace = {100},
        .limit = {30000},
        .seed = 1,
    };
    size_t holder = world_holder(w);

    if (!w->sweeping)
        look_at_waiters(w);
    w->sweeping = true;
    if (holder != SIZE_MAX && w->store.lock.terms.if_dead == HF_REFUSE &&
        (w->procs[holder].life != WORLD_UP || is_over(&w->procs[holder]))) {
        PROMISE(w,
                w->procs[holder].abandoned ||
                    w->procs[holder].life == WORLD_CRASHED,
                "only a crash leaves a record that nobody beats");
        if (!a_person_is_at_work(w))
            (void)world_add_person(w, &clear);
        return true;
    }
    if (somebody_is_at_work(w))
        return true;
    if (w->last == 0) {
        w->last = world_add_contender(w, &last);
        w->grants_before_last = w->grants;
        return true;
    }
    PROMISE(w, w->grants == w->grants_before_last + 1,
            "in the end the lock can be had");
    PROMISE(w, holder == SIZE_MAX, "in the end no record is left");
    return false;
}

/* A host without its store, for longer than some rights last. */
static void
cut_host(struct world *w)
{
    size_t host = (size_t)world_draw(w, WORLD_HOSTS);

    if (!w->options.faults || w->now_us >= w->quiet_us || !world_chance(w, 15))
        return;
    note_action(w, "cut from the store: host, not process,", host);
    w->hosts[host].cut_until_us = w->now_us + (int64_t)world_draw(w, 8000000);
}

static void
stir_anybody(struct world *w)
{
    size_t up[WORLD_PROCS_MAX];
    size_t count = 0;

    for (size_t i = 0; i < w->procs_count; i++)
        if (w->procs[i].life == WORLD_UP)
            up[count++] = i;
    if (count > 0 && world_chance(w, 300))
        stir_proc(w, up[world_draw(w, count)]);
}

void
world_random_event(struct world *w)
{
    int64_t next_us = (int64_t)world_draw(w, 120000);

    stir_seat(w, (size_t)world_draw(w, w->seats_count));
    stir_person(w);
    cut_host(w);
    stir_anybody(w);
    if (world_chance(w, 50)) {
        note_action(w, "purge", 0);
        world_purge(w);
    }
    if (w->now_us < w->late_us || sweep(w))
        world_random_event_after(w, next_us);
    else
        w->over = true;
}

#include "unit/support/promises.h"

#include "base/check.h"

static struct hf_duration
right_of(const struct world_proc *p)
{
    struct hf_duration ttl = p->contender.keeper.config.terms.ttl;

    return (struct hf_duration){ttl.ms - hf_margin(ttl).ms};
}

static bool
right_lasts(const struct world *w, const struct world_proc *p)
{
    struct hf_instant sent = {p->applied_sent_ms};

    return !hf_reached(world_clock(w, p), hf_after(sent, right_of(p)));
}

static void
look_at_granted(struct world *w, size_t proc)
{
    struct world_proc *p = &w->procs[proc];
    int64_t ttl_us = p->contender.keeper.config.terms.ttl.ms * 1000;

    PROMISE(w, !p->lost, "who was told LOST is never GRANTED again");
    PROMISE(w, right_lasts(w, p),
            "a right counts from the sending of a write that was applied");
    if (p->robbed)
        PROMISE(w, w->now_us < p->robbed_us + ttl_us + ttl_us / 20,
                "who was cleared by force learns it within the ttl");
    else
        PROMISE(w, world_holder(w) == proc,
                "who is GRANTED has the record, so nobody else is");
}

/* Its next beat is refused, at the latest when nothing fails any more. */
static void
look_at_bare(struct world *w, size_t proc)
{
    const struct world_proc *p = &w->procs[proc];
    int64_t ttl_us = p->contender.keeper.config.terms.ttl.ms * 1000;
    int64_t since_us = p->bare_us > w->quiet_us ? p->bare_us : w->quiet_us;

    if (p->life != WORLD_UP || p->examiner ||
        p->contender.state != HF_CONTENDER_HOLDING || world_holder(w) == proc)
        return;
    PROMISE(w, w->now_us < since_us + ttl_us,
            "who no longer has the record learns it");
}

void
promise_at_every_instant(struct world *w)
{
    for (size_t i = 0; i < w->procs_count; i++) {
        struct world_proc *p = &w->procs[i];
        enum hf_outcome outcome = world_check(w, p);

        if (outcome == HF_GRANTED)
            look_at_granted(w, i);
        if (outcome == HF_LOST)
            p->lost = true;
        look_at_bare(w, i);
    }
}

void
promise_before_commit(struct world *w, const struct world_flight *flight)
{
    const struct world_proc *author = &w->procs[flight->proc];
    size_t holder = world_holder(w);

    if (holder == SIZE_MAX || holder == flight->proc)
        return;
    if (author->examiner && author->person.config.force)
        return;
    PROMISE(w, world_check(w, &w->procs[holder]) != HF_GRANTED,
            "a live lock is never taken nor cleared");
    if (!author->examiner)
        PROMISE(w, w->store.lock.terms.if_dead == HF_TAKEOVER,
                "a refuse lock is never overridden");
}

void
promise_when_writing(struct world *w, size_t proc,
                     const struct hf_request *request)
{
    const struct world_proc *p = &w->procs[proc];

    if (!p->examiner && p->contender.state == HF_CONTENDER_LEAVING)
        PROMISE(w, request->ops[0].kind == HF_DELETE,
                "who leaves beats no more");
}

static const struct world_history *
seen_by(const struct world *w, const struct hf_evidence *s)
{
    return &w->history[s->version - w->base];
}

static void
look_at_suspicion(struct world *w, const struct hf_evidence *s)
{
    const struct world_history *seen = seen_by(w, s);
    int64_t until_us = seen->died_us < w->now_us ? seen->died_us : w->now_us;

    PROMISE(w, until_us - seen->born_us >= s->terms.ttl.ms * 1000 * 97 / 100,
            "who is suspected stood unchanged for its ttl");
}

/* Its end came while its record stood: it did not release. */
static void
look_at_gone(struct world *w, const struct hf_evidence *s)
{
    size_t owner = seen_by(w, s)->owner;

    PROMISE(w, owner != SIZE_MAX, "only a holder is said to be gone");
    PROMISE(w, w->procs[owner].life != WORLD_UP,
            "who is said to be gone is gone");
    PROMISE(w, w->procs[owner].left_record,
            "who released before it ended is never called dead");
}

static void
look_at_right_over(struct world *w, size_t proc)
{
    const struct world_proc *p = &w->procs[proc];

    PROMISE(w,
            world_holder(w) != proc || world_clock(w, p).ms >= p->sure_right_ms,
            "no lock is lost to its own holder while its right lasts");
}

static void
look_at_grace(struct world *w, const struct world_proc *p)
{
    struct hf_instant sent = {p->applied_sent_ms};
    struct hf_instant soon =
        hf_after(world_clock(w, p), p->contender.keeper.config.grace);

    PROMISE(w, !hf_reached(soon, hf_after(sent, right_of(p))),
            "nothing is granted whose right is shorter than its grace");
}

void
promise_when_noticed(struct world *w, size_t proc, enum hf_notice_kind notice)
{
    struct world_proc *p = &w->procs[proc];
    uint64_t token = p->contender.keeper.token;

    switch (notice) {
    case HF_NOTICE_SUSPECTED:
        look_at_suspicion(w, &p->contender.evidence);
        break;
    case HF_NOTICE_GRANTED:
        w->grants++;
        look_at_grace(w, p);
        if (p->robbed)
            break;
        PROMISE(w, world_holder(w) == proc, "only the holder is granted");
        PROMISE(w, token == w->store.lock.token, "the fence is the token");
        PROMISE(w, token > w->highest_granted, "fences only grow");
        w->highest_granted = token;
        break;
    case HF_NOTICE_IN_DOUBT:
        w->doubts++;
        look_at_right_over(w, proc);
        break;
    case HF_NOTICE_LOST:
        w->losses++;
        p->lost = true;
        look_at_right_over(w, proc);
        break;
    case HF_NOTICE_WAITING:
    case HF_NOTICE_CERTAIN:
    case HF_NOTICE_NOT_MINE:
    case HF_NOTICE_SETTLED:
    case HF_NOTICE_ENDED:
        break;
    }
}

static void
look_at_what_is_left(struct world *w, size_t proc)
{
    PROMISE(w, world_holder(w) != proc,
            "who ended without abandon leaves no record");
    for (size_t i = 0; i < w->flights_count; i++) {
        const struct world_flight *flight = &w->flights[i];

        if (flight->proc != proc || !flight->open || flight->request.read)
            continue;
        PROMISE(w, !model_applies(&w->store, &flight->request),
                "who ended without abandon leaves nothing that could apply");
        PROMISE(
            w, flight->request.ops[0].expect.version < model_version(&w->store),
            "who ended without abandon leaves nothing that ever could");
    }
}

static void
look_at_person(struct world *w, const struct hf_examiner *x)
{
    if (x->finding == HF_FINDING_UNCHANGED)
        look_at_suspicion(w, &x->evidence);
    if (x->finding == HF_FINDING_GONE)
        look_at_gone(w, &x->evidence);
    if (x->cleared) {
        w->clears++;
        PROMISE(w, seen_by(w, &x->evidence)->died_us < INT64_MAX,
                "what is said to be cleared is");
    }
}

void
promise_when_ended(struct world *w, size_t proc)
{
    const struct world_proc *p = &w->procs[proc];
    const struct hf_contender *c = &p->contender;

    if (p->examiner) {
        look_at_person(w, &p->person);
        return;
    }
    if (!p->abandoned) {
        PROMISE(w, c->status != HF_E_UNKNOWN, "only abandon leaves unknown");
        look_at_what_is_left(w, proc);
    }
    if (c->status != HF_OK)
        return;
    if (c->outcome == HF_SUSPECTED_DEAD)
        look_at_suspicion(w, &c->evidence);
    if (c->outcome == HF_GONE)
        look_at_gone(w, &c->evidence);
    if (c->outcome == HF_GONE || c->outcome == HF_SUSPECTED_DEAD)
        PROMISE(w, c->evidence.terms.if_dead == HF_REFUSE,
                "only a refuse lock needs a person");
}

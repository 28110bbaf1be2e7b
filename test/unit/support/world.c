#include "unit/support/world.h"

#include "base/check.h"
#include "support/splitmix.h"
#include "unit/support/events.h"
#include "unit/support/promises.h"

uint64_t
world_draw(struct world *w, uint64_t limit)
{
    return splitmix64(&w->random) % limit;
}

bool
world_chance(struct world *w, unsigned permille)
{
    return world_draw(w, 1000) < permille;
}

int64_t
world_draw_us(struct world *w, int64_t limit_us)
{
    return (int64_t)world_draw(w, (uint64_t)limit_us + 1);
}

bool
world_is_quiet(const struct world *w)
{
    return !w->options.faults || w->now_us >= w->quiet_us;
}

static struct hf_instant
clock_at(const struct world_host *host, int64_t at_us)
{
    return (struct hf_instant){
        host->offset_ms + at_us / 1000 * (1000000 + host->rate_ppm) / 1000000};
}

struct hf_instant
world_clock(const struct world *w, const struct world_proc *p)
{
    return clock_at(&w->hosts[p->host], w->now_us);
}

/* The first instant at which this clock shows at least that. */
static int64_t
when_clock_shows(const struct world_host *host, struct hf_instant mark)
{
    int64_t at_us;

    if (mark.ms == HF_NEVER.ms)
        return INT64_MAX;
    at_us = (mark.ms - host->offset_ms) * 1000000 / (1000000 + host->rate_ppm) *
            1000;
    while (clock_at(host, at_us).ms < mark.ms)
        at_us += 1000;
    return at_us;
}

size_t
world_owner(const struct world *w, uint64_t id)
{
    for (size_t i = w->ids_count; i > 0; i--)
        if (w->ids[i - 1].id == id)
            return w->ids[i - 1].proc;
    return SIZE_MAX;
}

size_t
world_holder(const struct world *w)
{
    if (w->store.lock.kind != MODEL_RECORD)
        return SIZE_MAX;
    return world_owner(w, w->store.lock.heartbeat.id);
}

enum hf_outcome
world_check(const struct world *w, const struct world_proc *p)
{
    if (p->life != WORLD_UP || p->examiner)
        return HF_NOT_HELD;
    return hf_contender_check(&p->contender, world_clock(w, p));
}

/* ---- The order of events ------------------------------------------------ */

static bool
comes_before(const struct world_event *a, const struct world_event *b)
{
    if (a->at_us != b->at_us)
        return a->at_us < b->at_us;
    return a->order < b->order;
}

void
world_push(struct world *w, struct world_event event)
{
    size_t i = w->heap_count++;

    HF_CHECK(w->heap_count <= WORLD_FLIGHTS_MAX);
    HF_CHECK(event.at_us >= w->now_us);
    event.order = w->order++;
    while (i > 0 && comes_before(&event, &w->heap[(i - 1) / 2])) {
        w->heap[i] = w->heap[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    w->heap[i] = event;
}

static struct world_event
pop(struct world *w)
{
    struct world_event top = w->heap[0];
    struct world_event last = w->heap[--w->heap_count];
    size_t i = 0;

    for (;;) {
        size_t child = 2 * i + 1;

        if (child >= w->heap_count)
            break;
        if (child + 1 < w->heap_count &&
            comes_before(&w->heap[child + 1], &w->heap[child]))
            child++;
        if (!comes_before(&w->heap[child], &last))
            break;
        w->heap[i] = w->heap[child];
        i = child;
    }
    w->heap[i] = last;
    return top;
}

void
world_arrive(struct world *w, size_t proc, struct hf_event event,
             int64_t after_us)
{
    world_push(w, (struct world_event){
                      .at_us = w->now_us + after_us,
                      .kind = WORLD_ARRIVES,
                      .proc = proc,
                      .event = event,
                  });
}

void
world_random_event_after(struct world *w, int64_t after_us)
{
    world_push(w, (struct world_event){.at_us = w->now_us + after_us,
                                       .kind = WORLD_STIRS});
}

/* ---- Processes ---------------------------------------------------------- */

static void
arm(struct world *w, struct world_proc *p)
{
    struct hf_instant deadline = p->examiner
                                     ? hf_examiner_deadline(&p->person)
                                     : hf_contender_deadline(&p->contender);

    p->timer_us = when_clock_shows(&w->hosts[p->host], deadline);
    if (p->timer_us == INT64_MAX)
        return;
    if (p->timer_us < w->now_us)
        p->timer_us = w->now_us;
    p->timer_us += world_draw_us(w, 1000);
    if (!world_is_quiet(w) && world_chance(w, 20))
        p->timer_us += world_draw_us(w, 400000);
}

static bool
next_effect(struct world_proc *p, struct hf_effect *effect)
{
    return p->examiner ? hf_examiner_next(&p->person, effect)
                       : hf_contender_next(&p->contender, effect);
}

/* The right that this event must give, if it is an answer in time to the last
 * question; INT64_MIN if it is not. */
static int64_t
right_given_ms(const struct world *w, const struct world_proc *p,
               const struct hf_event *event)
{
    const struct hf_keeper_config *config = &p->contender.keeper.config;
    int64_t right_ms = config->terms.ttl.ms - config->margin.ms;

    if (event->kind != HF_ON_ANSWER || event->answer.number != p->last_number ||
        event->answer.verdict != HF_APPLIED || !p->last_open || !p->last_write)
        return INT64_MIN;
    if (world_clock(w, p).ms >= p->last_sent_ms + config->terms.beat.ms)
        return INT64_MIN;
    return p->last_sent_ms + right_ms;
}

void
world_step(struct world *w, size_t proc, struct hf_event event)
{
    struct world_proc *p = &w->procs[proc];
    struct hf_effect effect;
    int64_t right_ms = right_given_ms(w, p, &event);
    bool ended = false;

    event.at = world_clock(w, p);
    if ((event.kind == HF_ON_ANSWER && event.answer.number == p->last_number) ||
        (event.kind == HF_ON_FOUND && event.found.number == p->last_number))
        p->last_open = false;
    world_note(w, (struct world_line){.proc = proc, .event = event});
    /* A caller may ask at any instant, so also just before this event. */
    promise_at_every_instant(w);
    if (p->examiner)
        hf_examiner_step(&p->person, event);
    else
        hf_contender_step(&p->contender, event);
    while (next_effect(p, &effect)) {
        world_note(w, (struct world_line){
                          .proc = proc,
                          .event.at = event.at,
                          .is_effect = true,
                          .effect = effect,
                      });
        if (effect.kind == HF_DO_ASK) {
            world_send(w, proc, &effect.request);
        } else {
            promise_when_noticed(w, proc, effect.notice);
            ended |= effect.notice == HF_NOTICE_ENDED;
        }
    }
    if (right_ms > p->sure_right_ms && world_check(w, p) == HF_GRANTED)
        p->sure_right_ms = right_ms;
    if (ended)
        promise_when_ended(w, proc);
    arm(w, p);
    if (ended && world_chance(w, 300))
        world_end_process(w, proc, WORLD_EXITED);
}

static size_t
add_proc(struct world *w, bool examiner)
{
    size_t proc = w->procs_count++;

    HF_CHECK(proc < WORLD_PROCS_MAX);
    w->procs[proc] = (struct world_proc){
        .examiner = examiner,
        .host = (size_t)world_draw(w, WORLD_HOSTS),
        .timer_us = INT64_MAX,
        .applied_sent_ms = INT64_MIN,
        .sure_right_ms = INT64_MIN,
    };
    return proc;
}

size_t
world_add_contender(struct world *w, const struct hf_contender_config *config)
{
    size_t proc = add_proc(w, false);

    hf_contender_init(&w->procs[proc].contender, config);
    world_step(w, proc, hf_event(HF_ON_ACQUIRE, T(0)));
    return proc;
}

size_t
world_add_person(struct world *w, const struct hf_examiner_config *config)
{
    size_t proc = add_proc(w, true);

    hf_examiner_init(&w->procs[proc].person, config);
    world_step(w, proc, hf_event(HF_ON_EXAMINE, T(0)));
    return proc;
}

/* ---- The world ---------------------------------------------------------- */

static size_t
next_timer(const struct world *w, int64_t *at_us)
{
    size_t first = SIZE_MAX;

    *at_us = INT64_MAX;
    for (size_t i = 0; i < w->procs_count; i++) {
        const struct world_proc *p = &w->procs[i];
        int64_t timer_us = p->timer_us;

        if (timer_us < p->frozen_until_us) /* or a message comes first */
            timer_us = p->frozen_until_us + 1000;

        if (p->life == WORLD_UP && p->timer_us != INT64_MAX &&
            timer_us < *at_us) {
            *at_us = timer_us;
            first = i;
        }
    }
    return first;
}

static void
arrive(struct world *w, const struct world_event *event)
{
    struct world_proc *p = &w->procs[event->proc];

    if (p->life != WORLD_UP)
        return;
    if (p->frozen_until_us > w->now_us)
        world_arrive(w, event->proc, event->event,
                     p->frozen_until_us - w->now_us + world_draw_us(w, 2000));
    else
        world_step(w, event->proc, event->event);
}

static void
happen(struct world *w, const struct world_event *event)
{
    switch (event->kind) {
    case WORLD_REACHES:
        world_reach(w, event->flight);
        break;
    case WORLD_ARRIVES:
        arrive(w, event);
        break;
    case WORLD_STIRS:
        world_random_event(w);
        break;
    }
}

static void
begin(struct world *w, const struct world_options *options)
{
    static const struct world blank;
    static const unsigned permilles[] = {0, 30, 100, 300};

    *w = blank;
    w->options = *options;
    w->random = options->seed;
    w->quiet_us = 15000000 + world_draw_us(w, 15000000);
    w->late_us = w->quiet_us + 45000000;
    w->end_us = w->late_us + 60000000;
    w->fault_permille = permilles[world_draw(w, 4)];
    w->seats_count = 2 + (size_t)world_draw(w, WORLD_SEATS_MAX - 1);
    for (size_t i = 0; i < w->seats_count; i++)
        w->seats[i] = SIZE_MAX;
    for (size_t i = 0; i < WORLD_HOSTS; i++) {
        w->hosts[i].offset_ms = world_draw_us(w, 1000000000);
        w->hosts[i].rate_ppm = ((int64_t)world_draw(w, 3) - 1) * 25000;
    }
    w->base = w->store.floor = 1000;
    w->history[0] = (struct world_history){0, INT64_MAX, SIZE_MAX};
    world_random_event_after(w, 0);
}

void
world_run(struct world *w, const struct world_options *options)
{
    begin(w, options);
    while (!w->over) {
        int64_t timer_us;
        size_t proc = next_timer(w, &timer_us);

        if (w->heap_count > 0 && w->heap[0].at_us <= timer_us) {
            struct world_event event = pop(w);

            w->now_us = event.at_us;
            happen(w, &event);
        } else if (proc != SIZE_MAX) {
            w->now_us = timer_us;
            world_step(w, proc, hf_event(HF_ON_CLOCK, T(0)));
        }
        promise_at_every_instant(w);
        PROMISE(w, w->now_us < w->end_us, "everything ends");
    }
}

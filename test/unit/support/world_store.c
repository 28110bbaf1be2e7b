#include "base/check.h"
#include "unit/support/events.h"
#include "unit/support/promises.h"
#include "unit/support/world.h"

/* How long something takes: mostly nothing, sometimes far too long. */
static int64_t
delay(struct world *w)
{
    if (world_is_quiet(w) || world_chance(w, 870))
        return world_draw_us(w, 3000);
    if (world_chance(w, 750))
        return world_draw_us(w, 60000);
    return world_draw_us(w, 2000000);
}

/* Some time from now, up to the very end. */
static int64_t
late(struct world *w)
{
    int64_t rest_us = w->late_us - w->now_us;
    int64_t most_us = rest_us;

    if (world_chance(w, 400))
        most_us = 500000;
    else if (world_chance(w, 500))
        most_us = 6000000;
    return world_draw_us(w, most_us < rest_us ? most_us : rest_us);
}

static void
fly(struct world *w, size_t flight, int64_t after_us)
{
    w->flights[flight].open = true;
    world_push(w, (struct world_event){
                      .at_us = w->now_us + after_us,
                      .kind = WORLD_REACHES,
                      .flight = flight,
                  });
}

static struct hf_event
no_answer(const struct hf_request *request, enum hf_verdict verdict)
{
    if (request->read)
        return hf_found(T(0), request->number,
                        (struct hf_sight){.kind = HF_SIGHT_NONE});
    return hf_answer(T(0), request->number, verdict, 0);
}

/* What may become of a question on a bad day. */
static void
mislay(struct world *w, size_t flight)
{
    struct world_flight *f = &w->flights[flight];

    switch (world_draw(w, 8)) {
    case 0: /* lost on its way */
        break;
    case 1: /* surely nothing done */
        world_arrive(w, f->proc, no_answer(&f->request, HF_UNAVAILABLE),
                     delay(w));
        break;
    case 2: /* unknown, and it does not apply */
        world_arrive(w, f->proc, no_answer(&f->request, HF_UNKNOWN), delay(w));
        break;
    case 3: /* unknown, and it had applied */
        fly(w, flight, 0);
        world_arrive(w, f->proc, no_answer(&f->request, HF_UNKNOWN), delay(w));
        break;
    case 4: /* unknown, and it applies later */
    case 5:
        fly(w, flight, late(w));
        world_arrive(w, f->proc, no_answer(&f->request, HF_UNKNOWN), delay(w));
        break;
    case 6: /* applied, and the answer is lost */
        fly(w, flight, delay(w));
        break;
    default: /* late, and then the truth */
        f->answers = true;
        fly(w, flight, late(w));
        break;
    }
}

static void
note_ids(struct world *w, size_t proc, const struct hf_request *request)
{
    uint64_t id = request->ops[0].heartbeat.id;

    if (request->read || request->ops[0].kind != HF_PUT)
        return;
    if (world_owner(w, id) == proc)
        return;
    HF_CHECK(w->ids_count < WORLD_IDS_MAX);
    w->ids[w->ids_count].id = id;
    w->ids[w->ids_count++].proc = proc;
}

void
world_send(struct world *w, size_t proc, const struct hf_request *request)
{
    struct world_proc *p = &w->procs[proc];
    size_t flight = w->flights_count++;

    HF_CHECK(flight < WORLD_FLIGHTS_MAX);
    note_ids(w, proc, request);
    if (!request->read)
        promise_when_writing(w, proc, request);
    p->last_number = request->number;
    p->last_sent_ms = world_clock(w, p).ms;
    p->last_write = !request->read && request->ops[0].kind == HF_PUT;
    p->last_open = true;
    w->flights[flight] = (struct world_flight){
        .request = *request,
        .proc = proc,
        .sent_ms = p->last_sent_ms,
    };
    if (!world_is_quiet(w) && (w->hosts[p->host].cut_until_us > w->now_us ||
                               world_chance(w, w->fault_permille))) {
        mislay(w, flight);
    } else {
        w->flights[flight].answers = true;
        fly(w, flight, delay(w));
    }
    if (!world_is_quiet(w) && !p->examiner && world_chance(w, 6))
        world_freeze(w, proc);
}

/* Keep the lock's history, and whose record stands. */
static void
note_version(struct world *w, uint64_t before)
{
    uint64_t after = model_version(&w->store);
    size_t holder = world_holder(w);

    if (after == before)
        return;
    HF_CHECK(after > before);
    HF_CHECK(after - w->base < WORLD_HISTORY_MAX);
    w->history[before - w->base].died_us = w->now_us;
    w->history[after - w->base] = (struct world_history){
        .born_us = w->now_us,
        .died_us = INT64_MAX,
        .owner = holder,
    };
    if (holder != SIZE_MAX && w->procs[holder].life != WORLD_UP)
        w->procs[holder].left_record = true;
}

static void
note_applied(struct world *w, const struct world_flight *flight, size_t holder)
{
    struct world_proc *author = &w->procs[flight->proc];
    const struct hf_op *op = &flight->request.ops[0];

    if (holder != SIZE_MAX && holder != flight->proc)
        w->procs[holder].bare_us = w->now_us;
    if (author->examiner) {
        if (author->person.config.force && holder != SIZE_MAX) {
            w->procs[holder].robbed = true;
            w->procs[holder].robbed_us = w->now_us;
        }
        return;
    }
    if (op->kind != HF_PUT)
        return;
    if (op->new_generation) {
        author->robbed = false;
        author->applied_sent_ms = flight->sent_ms;
        w->takeovers += holder != SIZE_MAX;
    }
    if (flight->sent_ms > author->applied_sent_ms)
        author->applied_sent_ms = flight->sent_ms;
}

static struct hf_event
commit(struct world *w, const struct world_flight *flight)
{
    uint64_t before = model_version(&w->store);
    size_t holder = world_holder(w);
    uint64_t version = 0;
    enum hf_verdict verdict;

    if (model_applies(&w->store, &flight->request))
        promise_before_commit(w, flight);
    verdict = model_commit(&w->store, &flight->request, &version);
    if (verdict == HF_APPLIED)
        note_applied(w, flight, holder);
    note_version(w, before);
    return hf_answer(T(0), flight->request.number, verdict, version);
}

void
world_reach(struct world *w, size_t flight)
{
    struct world_flight *f = &w->flights[flight];
    struct hf_event event;

    f->open = false;
    if (f->request.read)
        event = hf_found(T(0), f->request.number, model_read(&w->store));
    else
        event = commit(w, f);
    if (!f->answers)
        return;
    world_arrive(w, f->proc, event, delay(w));
    if (!world_is_quiet(w) && world_chance(w, 50))
        world_arrive(w, f->proc, event, delay(w)); /* twice */
}

void
world_purge(struct world *w)
{
    uint64_t before = model_version(&w->store);

    model_purge(&w->store);
    note_version(w, before);
}

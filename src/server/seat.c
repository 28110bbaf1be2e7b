#include "server/seat.h"

#include <string.h>

#include "base/check.h"
#include "base/fail.h"
#include "core/lockspace/look.h"
#include "wire/served.h"

struct hf_seat {
    struct hf_seat_config config;
    struct hf_scribe *scribe; /* owned */
    void *block;              /* owned: of the lockspace */
    struct hf_node node;
    uint64_t loads; /* the term of which records are read; 0: none */
    /* The leader, if it is on this host. */
    struct hf_observation observation; /* owned */
    uint64_t observed;                 /* version of the head that named it */
    struct hf_instant read_at;         /* when the head was read last */
    uint64_t observations;             /* how often others were */
    bool to_look;                      /* at them, for the first time */
    char leader[HF_HOST_MAX + 1];
    char before[HF_HOST_MAX + 1]; /* who led before this node did */
    struct {
        uint64_t number;
        uint64_t batch; /* 0: it carries none */
        int64_t at_us;
    } asked;    /* of the write that was asked for last */
    bool holds; /* something is granted, or it is not known yet */
    enum hf_scribe_cause cause; /* of the last loss */
    struct hf_seat_counts counts;
    uint64_t log_size;        /* of the store's, after the last write */
    struct hf_error trouble;  /* of the last call */
    struct hf_error unloaded; /* why the last load was not served */
};

/* ---- Steps --------------------------------------------------------------- */

static void
step(struct hf_seat *seat, struct hf_node_event event)
{
    event.at = hf_now();
    if (event.kind == HF_NODE_STORE)
        event.store.at = event.at;
    hf_node_step(&seat->node, &event);
}

void
hf_seat_step(struct hf_seat *seat, const struct hf_node_event *event)
{
    step(seat, *event);
}

static void
step_store(struct hf_seat *seat, struct hf_event event)
{
    step(seat, (struct hf_node_event){.kind = HF_NODE_STORE, .store = event});
}

/* ---- Loading ------------------------------------------------------------- */

/* Nobody hears of what is loaded before it is served. */
static void
feed(struct hf_seat *seat, struct hf_node_event event)
{
    struct hf_node_effect effect;
    bool more;

    event.load.term = seat->loads;
    step(seat, event);
    more = hf_node_next(&seat->node, &effect);
    HF_CHECK(!more);
}

static bool
feed_session(struct hf_seat *seat, const struct hf_page_record *record)
{
    struct hf_node_event event = {.kind = HF_NODE_LOADED_SESSION};
    struct hf_served_memory memory;

    memory.texts_len = 0;
    if (hf_served_decode_session(record->name, record->value, &memory,
                                 &event.load.session, &seat->unloaded) != HF_OK)
        return false;
    feed(seat, event);
    return true;
}

static bool
feed_grant(struct hf_seat *seat, const struct hf_page_record *record,
           int64_t wall_ms)
{
    struct hf_node_event event = {.kind = HF_NODE_LOADED_GRANT};
    struct hf_served_memory memory;
    struct hf_served_grant grant;

    memory.texts_len = 0;
    if (hf_served_decode_grant(record->name, record->value, &memory, &grant,
                               &seat->unloaded) != HF_OK)
        return false;
    event.load.grant = grant.loaded;
    event.load.grant.age = hf_served_age(grant.since_ms, wall_ms);
    feed(seat, event);
    return true;
}

static bool
feed_all(struct hf_seat *seat, const struct hf_scribe_told *told)
{
    int64_t wall_ms = hf_wall_ms();

    for (size_t i = 0; i < told->records_count; i++) {
        const struct hf_page_record *record = &told->records[i];
        bool fed = told->kind == HF_SCRIBE_SESSIONS
                       ? feed_session(seat, record)
                       : feed_grant(seat, record, wall_ms);

        if (!fed)
            return false;
    }
    return true;
}

/* A chunk of an earlier load is that of a term that is over. */
static void
on_records(struct hf_seat *seat, const struct hf_scribe_told *told)
{
    struct hf_node_event event = {.kind = HF_NODE_LOAD_FAILED};

    if (told->term != seat->loads || seat->node.state != HF_NODE_LOADING)
        return;
    if (told->kind == HF_SCRIBE_UNLOADED)
        seat->unloaded = told->error;
    else if (feed_all(seat, told)) {
        if (told->kind == HF_SCRIBE_SESSIONS || told->records_count > 0) {
            hf_scribe_load_on(seat->scribe);
            return;
        }
        event.kind = HF_NODE_LOADED;
        event.load.wall_us = (uint64_t)hf_wall_ms() * 1000;
    }
    event.load.term = seat->loads;
    seat->loads = 0;
    step(seat, event);
    if (event.kind == HF_NODE_LOADED && seat->node.state != HF_NODE_SERVING)
        (void)hf_fail(&seat->unloaded, HF_E_CORRUPT,
                      "what is granted contradicts itself, or is beyond the "
                      "limits");
}

/* ---- The leader's processes ---------------------------------------------- */

static void
forget_processes(struct hf_seat *seat)
{
    hf_process_forget(&seat->observation);
    seat->observations++;
}

static void
observe(struct hf_seat *seat, const struct hf_scribe_told *told)
{
    const struct hf_owner *leader = &told->leader;

    forget_processes(seat);
    seat->observed = told->sight.version;
    if (told->sight.kind == HF_SIGHT_LOCK && told->head.led &&
        hf_process_is_here(&seat->config.scribe.self->host, leader->boot,
                           leader->pidns))
        hf_process_observe(&seat->observation, leader->processes,
                           leader->processes_count);
    seat->to_look = true;
}

/* The evidence, while it is about the head that the contender watches. */
static void
tell_presence(struct hf_seat *seat)
{
    struct hf_event event = hf_event(HF_ON_PROCESSES, hf_now());
    enum hf_presence presence = hf_process_look(&seat->observation);

    seat->observations++; /* those that have ended are followed no more */
    if (presence == HF_PRESENCE_UNKNOWN)
        return;
    event.processes.version = seat->observed;
    event.processes.gone = presence == HF_PRESENCE_GONE;
    step_store(seat, event);
}

size_t
hf_seat_poll_fds(const struct hf_seat *seat, struct pollfd *fds)
{
    return hf_process_poll_fds(&seat->observation, fds);
}

uint64_t
hf_seat_observations(const struct hf_seat *seat)
{
    return seat->observations;
}

void
hf_seat_look(struct hf_seat *seat)
{
    tell_presence(seat);
}

/* ---- What the scribe tells ---------------------------------------------- */

/* Of one that another has replaced since, nobody asks how long it took. */
static void
count_write(struct hf_seat *seat, const struct hf_scribe_told *told)
{
    if (told->number != seat->asked.number || told->verdict != HF_APPLIED)
        return;
    hf_histogram_add(&seat->counts.writes, hf_now_us() - seat->asked.at_us);
    if (seat->asked.batch != 0)
        seat->counts.batches++;
}

static void
on_verdict(struct hf_seat *seat, const struct hf_scribe_told *told)
{
    seat->trouble = told->error;
    seat->log_size = told->log_size;
    count_write(seat, told);
    step_store(seat,
               hf_answer(hf_now(), told->number, told->verdict, told->version));
}

static bool
has_whole_table(const struct hf_node *node)
{
    return node->state == HF_NODE_SERVING || node->state == HF_NODE_DRAINING;
}

/* Who has not loaded what is granted goes by what the head says. */
static void
on_found(struct hf_seat *seat, const struct hf_scribe_told *told)
{
    struct hf_node_event event = {.kind = HF_NODE_FOUND};

    memcpy(seat->leader, told->address, sizeof(seat->leader));
    if (told->cause != HF_SCRIBE_REMEMBERS && !seat->node.leader.owes)
        seat->cause = told->cause;
    if (told->sight.kind == HF_SIGHT_LOCK)
        seat->read_at = hf_now();
    if (told->sight.kind != HF_SIGHT_NONE && !has_whole_table(&seat->node))
        seat->holds = told->holds;
    event.found.number = told->number;
    event.found.sight = told->sight;
    event.found.head = told->head;
    step(seat, event);
    if (told->sight.kind != HF_SIGHT_NONE)
        observe(seat, told);
}

/* Whoever was granted anything may believe in it, and nothing tells the next
 * leader, which may be us, of it [L6]. */
static void
on_went_back(struct hf_seat *seat)
{
    seat->cause = HF_SCRIBE_REPLACED;
    step_store(seat, hf_event(HF_ON_WENT_BACK, hf_now()));
}

bool
hf_seat_wake(struct hf_seat *seat)
{
    struct hf_scribe_told told;

    if (seat->to_look) {
        seat->to_look = false;
        tell_presence(seat);
        return true;
    }
    if (!hf_scribe_take(seat->scribe, &told))
        return false;
    switch (told.kind) {
    case HF_SCRIBE_VERDICT:
        on_verdict(seat, &told);
        break;
    case HF_SCRIBE_FOUND:
        seat->trouble = told.error;
        on_found(seat, &told);
        break;
    case HF_SCRIBE_SESSIONS:
    case HF_SCRIBE_GRANTS:
    case HF_SCRIBE_UNLOADED:
        on_records(seat, &told);
        break;
    case HF_SCRIBE_AUDIT:
        seat->config.audited(seat->config.ctx, &told);
        break;
    case HF_SCRIBE_HINT:
        step_store(seat, hf_event(HF_ON_HINT, hf_now()));
        break;
    case HF_SCRIBE_WENT_BACK:
        on_went_back(seat);
        break;
    }
    return true;
}

/* ---- What the node does -------------------------------------------------- */

/* An answer to it is of use while it could give a right. */
static struct hf_instant
worth(const struct hf_seat *seat)
{
    struct hf_duration ttl = seat->config.node.leader.terms.ttl;

    return hf_after(hf_now(), (struct hf_duration){ttl.ms - hf_margin(ttl).ms});
}

/* While there is a whole table.  When it is left, the last batch has said so.
 */
static void
note_holders(struct hf_seat *seat)
{
    const struct hf_node *node = &seat->node;

    if (has_whole_table(node))
        seat->holds = hf_look_totals(node->lockspace).holders > 0;
}

/* What was granted and is forgotten may be held all the same [L6]. */
static bool
holds(const struct hf_seat *seat, const struct hf_leader_effect *effect)
{
    return seat->holds || effect->ask.head.grace.ms > 0;
}

static void
ask(struct hf_seat *seat, const struct hf_leader_effect *effect)
{
    note_holders(seat);
    if (!effect->ask.request.read) {
        seat->asked.number = effect->ask.request.number;
        seat->asked.batch = effect->ask.batch;
        seat->asked.at_us = hf_now_us();
    }
    hf_scribe_ask(seat->scribe, effect, holds(seat, effect), worth(seat));
}

/* The head is waited for by the version that was read last. */
static void
watch(struct hf_seat *seat)
{
    uint64_t version = 0;

    if (!hf_contender_watching(&seat->node.leader.contender, &version))
        version = 0;
    hf_scribe_watch(seat->scribe, version);
}

bool
hf_seat_next(struct hf_seat *seat, struct hf_node_effect *effect)
{
    while (hf_node_next(&seat->node, effect)) {
        switch (effect->kind) {
        case HF_NODE_ASK:
            ask(seat, &effect->ask);
            continue;
        case HF_NODE_COLLECT:
            hf_scribe_collect(seat->scribe, &seat->node);
            continue;
        case HF_NODE_LOAD:
            seat->counts.terms++;
            seat->loads = effect->term;
            seat->holds = true;
            memcpy(seat->before, seat->leader, sizeof(seat->before));
            seat->leader[0] = '\0';
            seat->unloaded = (struct hf_error){HF_OK, ""};
            forget_processes(seat);
            hf_scribe_load(seat->scribe, effect->term);
            return true;
        case HF_NODE_ANSWER:
        case HF_NODE_DUE:
        case HF_NODE_REFUSE:
        case HF_NODE_DISCARD:
        case HF_NODE_RESTS:
        case HF_NODE_STOPPED:
            return true;
        }
    }
    watch(seat);
    return false;
}

void
hf_seat_audit(struct hf_seat *seat, const struct hf_scribe_audit *audit)
{
    hf_scribe_audit(seat->scribe, audit);
}

struct hf_instant
hf_seat_deadline(const struct hf_seat *seat)
{
    if (hf_scribe_has_told(seat->scribe))
        return seat->node.now; /* hf_seat_wake is */
    return hf_node_deadline(&seat->node);
}

/* ---- For people ---------------------------------------------------------- */

const struct hf_node *
hf_seat_node(const struct hf_seat *seat)
{
    return &seat->node;
}

struct hf_lockspace *
hf_seat_table(struct hf_seat *seat)
{
    return seat->node.state == HF_NODE_SERVING ? seat->node.lockspace : NULL;
}

const struct hf_seat_counts *
hf_seat_counts(const struct hf_seat *seat)
{
    return &seat->counts;
}

const char *
hf_seat_leader(const struct hf_seat *seat)
{
    return seat->leader;
}

const char *
hf_seat_before(const struct hf_seat *seat)
{
    return seat->before;
}

uint64_t
hf_seat_service(const struct hf_seat *seat)
{
    struct hf_duration ttl = seat->config.node.leader.terms.ttl;

    if (seat->node.state != HF_NODE_SERVING &&
        hf_reached(hf_now(), hf_after(seat->read_at, ttl)))
        return 0;
    return seat->node.leader.service;
}

struct hf_duration
hf_seat_grace(const struct hf_seat *seat)
{
    return hf_node_grace(&seat->node, hf_now());
}

const char *
hf_seat_cause(const struct hf_seat *seat)
{
    switch (seat->cause) {
    case HF_SCRIBE_VOLATILE:
        return "it keeps nothing, and begins";
    case HF_SCRIBE_FILE_LOST:
        return "its file was removed, and made anew";
    case HF_SCRIBE_LOG_LOST:
        return "its log (-wal) was removed, by somebody, or by another program "
               "that was the last to close the file";
    case HF_SCRIBE_COPIED:
        return "its file is a copy, or was restored";
    case HF_SCRIBE_TOLD_SO:
        return "--forgot says so";
    case HF_SCRIBE_REPLACED:
        return "its file was removed or replaced while it was served";
    case HF_SCRIBE_REMEMBERS:
        break;
    }
    return "a node has forgotten what was granted, and has begun to wait";
}

enum hf_status
hf_seat_trouble(const struct hf_seat *seat, struct hf_error *error)
{
    *error = seat->unloaded.status != HF_OK ? seat->unloaded : seat->trouble;
    return error->status;
}

uint64_t
hf_seat_log_size(const struct hf_seat *seat)
{
    return seat->log_size;
}

/* ---- Opening ------------------------------------------------------------- */

enum hf_status
hf_seat_open(const struct hf_seat_config *config, struct hf_seat **out,
             struct hf_error *error)
{
    const struct hf_alloc *alloc = config->scribe.alloc;
    struct hf_seat *seat = hf_calloc(alloc, 1, sizeof(*seat));
    enum hf_status status;

    if (seat == NULL)
        return hf_fail(error, HF_E_NOMEM, "no memory for a node");
    seat->config = *config;
    status = hf_scribe_open(&config->scribe, &seat->scribe, error);
    if (status == HF_OK) {
        seat->block =
            hf_calloc(alloc, 1, hf_lockspace_size(&config->node.lockspace));
        if (seat->block == NULL)
            status = hf_fail(error, HF_E_NOMEM, "no memory for the locks");
    }
    if (status != HF_OK) {
        hf_seat_close(seat);
        return status;
    }
    seat->config.node.budget = hf_scribe_budget(seat->scribe);
    hf_node_init(&seat->node, &seat->config.node, seat->block);
    step(seat, (struct hf_node_event){.kind = HF_NODE_START});
    *out = seat;
    return HF_OK;
}

void
hf_seat_close(struct hf_seat *seat)
{
    const struct hf_alloc *alloc;

    if (seat == NULL)
        return;
    alloc = seat->config.scribe.alloc;
    hf_scribe_close(seat->scribe);
    hf_process_forget(&seat->observation);
    hf_free(alloc, seat->block);
    hf_free(alloc, seat);
}

#include "server/seat.h"

#include <inttypes.h>
#include <string.h>

#include "base/check.h"
#include "base/fail.h"
#include "core/lockspace/look.h"
#include "journal/rows.h"

/* Rows: of a batch that is being sent, of one that waits, and of one that is
 * being collected. */
#define ROWS 3

/* Why what was granted in the place is forgotten [L6]. */
enum cause {
    CAUSE_REMEMBERS,
    CAUSE_VOLATILE,  /* it is in memory, and this process begins */
    CAUSE_FILE_LOST, /* as enum hf_store_loss */
    CAUSE_LOG_LOST,
    CAUSE_COPIED,   /* the head was written in another place */
    CAUSE_TOLD_SO,  /* by config.forgot */
    CAUSE_REPLACED, /* it was removed or replaced while it was open */
};

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
    } asked;          /* of the write that was asked for last */
    bool holds;       /* something is granted, or it is not known yet */
    enum cause cause; /* of the last loss */
    struct hf_rows rows[ROWS];
    struct hf_rows *newest; /* that were collected last */
    uint64_t unsent;        /* a write that cannot be sent: its number; 0 */
    struct hf_seat_counts counts;
    struct hf_journal_log log; /* after the last write */
    struct hf_error trouble;   /* of the last call */
    struct hf_error unloaded;  /* why the last load was not served */
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
feed_grant(struct hf_seat *seat, const struct hf_served_row *row,
           int64_t wall_ms)
{
    struct hf_node_event event = {.kind = HF_NODE_LOADED_GRANT};
    struct hf_served_memory memory;
    struct hf_served_grant grant;
    struct hf_error why = {0};

    memory.texts_len = 0;
    if (hf_served_read_row(row, &memory, &grant, &why) != HF_OK) {
        (void)hf_fail(&seat->unloaded, HF_E_CORRUPT, "grant %" PRIu64 ": %s",
                      row->grant.loaded.fence, why.text);
        return false;
    }
    event.load.grant = grant.loaded;
    event.load.grant.age = hf_served_age(grant.since_ms, wall_ms);
    feed(seat, event);
    return true;
}

static bool
feed_all(struct hf_seat *seat, const struct hf_journal_chunk *chunk)
{
    int64_t wall_ms = hf_wall_ms();

    for (size_t i = 0; i < chunk->count; i++) {
        struct hf_node_event event = {.kind = HF_NODE_LOADED_SESSION};

        if (chunk->rows == HF_JOURNAL_SESSIONS) {
            event.load.session = chunk->sessions[i];
            feed(seat, event);
        } else if (!feed_grant(seat, &chunk->grants[i], wall_ms)) {
            return false;
        }
    }
    return true;
}

static bool
has_whole_table(const struct hf_node *node)
{
    return node->state == HF_NODE_SERVING || node->state == HF_NODE_DRAINING;
}

/* While there is a whole table.  When it is left, its load or last batch has
 * said so. */
static void
note_holders(struct hf_seat *seat)
{
    const struct hf_node *node = &seat->node;

    if (has_whole_table(node))
        seat->holds = hf_look_totals(node->lockspace).holders > 0;
}

/* A chunk of an earlier load is that of a term that is over. */
static void
on_chunk(struct hf_seat *seat, const struct hf_scribe_told *told)
{
    struct hf_node_event event = {.kind = HF_NODE_LOAD_FAILED};

    if (told->number != seat->loads || seat->node.state != HF_NODE_LOADING)
        return;
    if (told->error.status != HF_OK)
        seat->unloaded = told->error;
    else if (feed_all(seat, told->chunk)) {
        if (told->chunk->rows != HF_JOURNAL_END) {
            hf_scribe_load_on(seat->scribe);
            return;
        }
        event.kind = HF_NODE_LOADED;
        event.load.wall_us = (uint64_t)hf_wall_ms() * 1000;
    }
    event.load.term = seat->loads;
    seat->loads = 0;
    step(seat, event);
    note_holders(seat);
    if (seat->node.state == HF_NODE_SERVING)
        seat->unloaded = (struct hf_error){HF_OK, ""};
    else if (event.kind == HF_NODE_LOADED)
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
observe(struct hf_seat *seat, const struct hf_journal_found *found, bool led)
{
    const struct hf_owner *leader = &found->head.claim.owner;

    forget_processes(seat);
    seat->observed = found->version;
    if (led && hf_process_is_here(&seat->config.self->host, leader->boot,
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
    seat->log = told->log;
    count_write(seat, told);
    if (told->verdict == HF_APPLIED)
        seat->config.forgot = false;
    step_store(seat,
               hf_answer(hf_now(), told->number, told->verdict, told->version));
}

static enum cause
find_cause(const struct hf_seat *seat, const struct hf_journal_found *found)
{
    switch (found->loss) {
    case HF_STORE_VOLATILE:
        return seat->config.no_grace ? CAUSE_REMEMBERS : CAUSE_VOLATILE;
    case HF_STORE_FILE_LOST:
        return CAUSE_FILE_LOST;
    case HF_STORE_COPIED:
        return CAUSE_COPIED;
    case HF_STORE_LOG_LOST:
    case HF_STORE_WHOLE:
        break;
    }
    if (found->exists && found->head.store != found->store)
        return CAUSE_COPIED;
    if (found->loss == HF_STORE_LOG_LOST)
        return CAUSE_LOG_LOST;
    return seat->config.forgot ? CAUSE_TOLD_SO : CAUSE_REMEMBERS;
}

static struct hf_sight
sight_of(const struct hf_scribe_told *told)
{
    const struct hf_journal_found *found = &told->found;
    struct hf_sight sight = {
        .kind = HF_SIGHT_ABSENT,
        .version = found->version,
        .token = found->term,
    };

    if (told->error.status == HF_E_CORRUPT && found->exists) {
        sight.kind = HF_SIGHT_CORRUPT;
    } else if (told->error.status != HF_OK) {
        sight.kind = HF_SIGHT_NONE;
    } else if (found->exists) {
        sight.kind = HF_SIGHT_LOCK;
        sight.heartbeat = found->head.claim.heartbeat;
        sight.terms = found->head.claim.terms;
    }
    return sight;
}

/* Of a place that was read: a head, or none. */
static struct hf_head_state
state_of(const struct hf_journal_found *found, enum cause cause)
{
    const struct hf_head *head = &found->head;
    struct hf_head_state state = {
        .forgot = cause != CAUSE_REMEMBERS,
        .max_ttl = found->promised,
        .begun_ms = hf_wall_ms(),
    };

    if (!found->exists)
        return state;
    state.led = head->node[0] != '\0';
    state.next_fence = head->next_fence;
    state.service = head->service;
    state.grace = head->grace;
    state.served = head->served;
    state.begun_ms = head->begun_ms;
    if (!state.forgot || state.max_ttl.ms < head->max_ttl.ms)
        state.max_ttl = head->max_ttl; /* the head may be an older one */
    if (cause == CAUSE_COPIED) {
        state.service = 0;
        state.grace.ms = 0; /* it was the other place's */
    }
    return state;
}

static void
note_found(struct hf_seat *seat, const struct hf_journal_found *found,
           struct hf_node_event *event)
{
    enum cause cause = find_cause(seat, found);

    if (event->found.sight.kind != HF_SIGHT_CORRUPT)
        event->found.head = state_of(found, cause);
    if (event->found.head.forgot && !seat->node.leader.owes)
        seat->cause = cause;
    if (event->found.sight.kind == HF_SIGHT_LOCK)
        seat->read_at = hf_now();
    /* Who has not loaded what is granted goes by what the head says. */
    if (!has_whole_table(&seat->node))
        seat->holds = event->found.sight.kind == HF_SIGHT_LOCK &&
                      found->head.address[0] != '\0';
}

static void
on_found(struct hf_seat *seat, const struct hf_scribe_told *told)
{
    struct hf_node_event event = {.kind = HF_NODE_FOUND};
    bool led;

    seat->trouble = told->error;
    event.found.number = told->number;
    event.found.sight = sight_of(told);
    if (event.found.sight.kind != HF_SIGHT_NONE)
        note_found(seat, &told->found, &event);
    led = event.found.head.led;
    seat->leader[0] = '\0';
    if (led)
        memcpy(seat->leader, told->found.head.address, sizeof(seat->leader));
    step(seat, event);
    if (event.found.sight.kind != HF_SIGHT_NONE)
        observe(seat, &told->found, led);
}

/* Whoever was granted anything may believe in it, and nothing tells the next
 * leader, which may be us, of it [L6]. */
static void
on_went_back(struct hf_seat *seat)
{
    seat->cause = CAUSE_REPLACED;
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
    if (seat->unsent != 0) {
        struct hf_event event =
            hf_answer(hf_now(), seat->unsent, HF_UNAVAILABLE, 0);

        seat->unsent = 0;
        step_store(seat, event);
        return true;
    }
    if (!hf_scribe_take(seat->scribe, &told))
        return false;
    switch (told.kind) {
    case HF_SCRIBE_VERDICT:
        on_verdict(seat, &told);
        break;
    case HF_SCRIBE_FOUND:
        on_found(seat, &told);
        break;
    case HF_SCRIBE_CHUNK:
        on_chunk(seat, &told);
        break;
    case HF_SCRIBE_PAGE:
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

/* What was granted and is forgotten may be held all the same [L6]. */
static bool
holds(const struct hf_seat *seat, const struct hf_leader_effect *effect)
{
    return seat->holds || effect->ask.head.grace.ms > 0;
}

static void
fill_owner(const struct hf_self *self, struct hf_owner *owner)
{
    owner->since_ms = hf_wall_ms();
    owner->pidns = self->host.pidns;
    memcpy(owner->host, self->host.name, sizeof(owner->host));
    memcpy(owner->boot, self->host.boot, sizeof(owner->boot));
    memcpy(owner->user, self->user, sizeof(owner->user));
    memcpy(owner->command, self->command, sizeof(owner->command));
    if (self->process.start != 0) {
        owner->processes[0] = self->process;
        owner->processes_count = 1;
    }
}

/* A put of the head in the journal's words.  The head's version guards the
 * whole write, so the marker of a takeover is not needed there. */
static void
fill_write(struct hf_seat *seat, const struct hf_leader_effect *effect,
           struct hf_scribe_ask *ask)
{
    const struct hf_op *op = &effect->ask.request.ops[0];
    const struct hf_head_state *state = &effect->ask.head;
    struct hf_head *head = &ask->head;

    HF_CHECK(op->target == HF_TARGET_LOCK && op->kind == HF_PUT &&
             op->expect.kind == HF_EXPECT_VERSION);
    ask->write.expect = op->expect.version;
    ask->write.new_term = op->new_generation;
    head->claim.heartbeat = op->heartbeat;
    head->claim.terms = op->terms;
    head->next_fence = state->next_fence;
    head->service = state->service;
    head->max_ttl = state->max_ttl;
    head->grace = state->grace;
    head->served = state->served;
    head->begun_ms = state->begun_ms;
    fill_owner(seat->config.self, &head->claim.owner);
    if (state->led)
        memcpy(head->node, seat->config.name, strlen(seat->config.name) + 1);
    if (state->led || holds(seat, effect))
        memcpy(head->address, seat->config.address,
               strlen(seat->config.address) + 1);
}

/* False: there was no memory for its changes, and it cannot be sent. */
static bool
add_rows(struct hf_seat *seat, uint64_t batch, struct hf_scribe_ask *ask)
{
    struct hf_rows *rows = seat->newest;

    if (batch == 0)
        return true;
    HF_CHECK(rows->number == 0 || rows->number == batch);
    rows->number = batch;
    ask->write.changes = rows->changes;
    ask->write.changes_count = rows->count;
    return !rows->failed;
}

static void
ask(struct hf_seat *seat, const struct hf_leader_effect *effect)
{
    struct hf_scribe_ask ask = {
        .number = effect->ask.request.number,
        .until = worth(seat),
        .read = effect->ask.request.read,
    };

    note_holders(seat);
    if (!ask.read) {
        seat->asked.number = ask.number;
        seat->asked.batch = effect->ask.batch;
        seat->asked.at_us = hf_now_us();
        fill_write(seat, effect, &ask);
        if (!add_rows(seat, effect->ask.batch, &ask)) {
            (void)hf_fail(&seat->trouble, HF_E_NOMEM, "no memory for a batch");
            seat->unsent = ask.number;
            return;
        }
    }
    hf_scribe_ask(seat->scribe, &ask);
}

/* Of three two are in use at most. */
static struct hf_rows *
free_rows(struct hf_seat *seat)
{
    struct hf_rows *rows = seat->rows;

    while (hf_scribe_uses(seat->scribe, rows->changes))
        rows++;
    HF_CHECK(rows < seat->rows + ROWS);
    return rows;
}

static void
collect(struct hf_seat *seat)
{
    seat->newest = free_rows(seat);
    hf_rows_collect(seat->newest, &seat->node, hf_wall_ms());
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
            collect(seat);
            continue;
        case HF_NODE_LOAD:
            seat->counts.terms++;
            seat->loads = effect->term;
            seat->holds = true;
            memcpy(seat->before, seat->leader, sizeof(seat->before));
            seat->leader[0] = '\0';
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
hf_seat_audit(struct hf_seat *seat, const char *prefix, const char *after,
              size_t limit)
{
    hf_scribe_audit(seat->scribe, prefix, after, limit);
}

struct hf_instant
hf_seat_deadline(const struct hf_seat *seat)
{
    if (seat->unsent != 0 || hf_scribe_has_told(seat->scribe))
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
hf_seat_address(const struct hf_seat *seat)
{
    return seat->config.address;
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
    const struct hf_store_kind *kind = seat->config.scribe.place.kind;

    switch (seat->cause) {
    case CAUSE_VOLATILE:
        return "it keeps nothing, and begins";
    case CAUSE_FILE_LOST:
        return kind->was_lost;
    case CAUSE_LOG_LOST:
        return "its log (-wal) was removed, by somebody, or by another program "
               "that was the last to close the file";
    case CAUSE_COPIED:
        return kind->was_copied;
    case CAUSE_TOLD_SO:
        return "--forgot says so";
    case CAUSE_REPLACED:
        return kind->was_replaced;
    case CAUSE_REMEMBERS:
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

struct hf_journal_log
hf_seat_log(const struct hf_seat *seat)
{
    return seat->log;
}

/* ---- Opening ------------------------------------------------------------- */

static struct hf_budget
budget(const struct hf_seat *seat)
{
    struct hf_journal_limits limits = hf_scribe_limits(seat->scribe);

    return (struct hf_budget){limits.changes, limits.bytes};
}

static enum hf_status
allocate(struct hf_seat *seat, struct hf_error *error)
{
    const struct hf_alloc *alloc = seat->config.scribe.alloc;
    size_t most = hf_scribe_limits(seat->scribe).changes;
    enum hf_status status = HF_OK;

    seat->block =
        hf_calloc(alloc, 1, hf_lockspace_size(&seat->config.node.lockspace));
    for (size_t i = 0; i < ROWS && status == HF_OK; i++)
        status = hf_rows_init(&seat->rows[i], most, alloc);
    return seat->block != NULL && status == HF_OK
               ? HF_OK
               : hf_fail(error, HF_E_NOMEM, "no memory for the locks");
}

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
    if (status == HF_OK)
        status = allocate(seat, error);
    if (status != HF_OK) {
        hf_seat_close(seat);
        return status;
    }
    seat->config.node.budget = budget(seat);
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
    for (size_t i = 0; i < ROWS; i++)
        hf_rows_fini(&seat->rows[i]);
    hf_free(alloc, seat->block);
    hf_free(alloc, seat);
}

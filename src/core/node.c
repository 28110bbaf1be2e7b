#include "core/node.h"

#include <string.h>

#include "base/check.h"

/* Keep-alives wait for each other to share a batch: up to a fortieth of the
 * ttl, and no longer than SHARE_MAX_MS [J2].  A client that renews many
 * sessions one after the other waits that long for each: forty fill a ttl. */
#define SHARES_OF_TTL 40
#define SHARE_MAX_MS  1000

/* ---- Moves --------------------------------------------------------------- */

#define BIT(state) (1u << (state))

/* Which states may follow which: the diagram in node.h, in code. */
static const unsigned allowed[] = {
    [HF_NODE_FOLLOWING] = BIT(HF_NODE_LOADING) | BIT(HF_NODE_ENDED),
    [HF_NODE_LOADING] = BIT(HF_NODE_SERVING) | BIT(HF_NODE_LEAVING),
    [HF_NODE_SERVING] = BIT(HF_NODE_DRAINING) | BIT(HF_NODE_LEAVING),
    [HF_NODE_DRAINING] = BIT(HF_NODE_LEAVING),
    [HF_NODE_LEAVING] = BIT(HF_NODE_FOLLOWING) | BIT(HF_NODE_ENDED),
    [HF_NODE_ENDED] = 0,
};

static void
move_to(struct hf_node *n, enum hf_node_state next)
{
    HF_CHECK(allowed[n->state] & BIT(next));
    n->state = next;
}

/* Does it have a table that makes batches? */
static bool
writes(const struct hf_node *n)
{
    return n->state == HF_NODE_SERVING || n->state == HF_NODE_DRAINING;
}

static void
check_invariants(const struct hf_node *n)
{
    bool leads = n->state == HF_NODE_LOADING || writes(n);

    HF_CHECK(leads == (n->leader.state == HF_LEADER_LEADING));
    HF_CHECK(leads == (n->lockspace != NULL));
    HF_CHECK(leads || (n->batch.number == 0 && !n->collecting));
    HF_CHECK(!writes(n) || hf_lockspace_serving(n->lockspace));
    HF_CHECK(n->state != HF_NODE_ENDED || n->leader.state == HF_LEADER_IDLE);
}

/* ---- The table ----------------------------------------------------------- */

static void
step_lockspace(struct hf_node *n, struct hf_lockspace_event event)
{
    event.at = n->now;
    hf_lockspace_step(n->lockspace, &event);
}

/* The page size of most machines. */
enum { PIECE = 4096 };

static bool
is_zero(const char *bytes, size_t len)
{
    return len == 0 ||
           (bytes[0] == 0 && memcmp(bytes, bytes + 1, len - 1) == 0);
}

/* Zero memory, without writing to pages that are zero: a server with room for a
 * hundred thousand waiters and ten in use touches the memory of ten. */
static void
clear(char *block, size_t size)
{
    for (size_t at = 0; at < size; at += PIECE) {
        size_t len = size - at < PIECE ? size - at : PIECE;

        if (!is_zero(block + at, len))
            memset(block + at, 0, len);
    }
}

/* A new term begins with an empty table and no answers [L2]. */
static void
begin_term(struct hf_node *n, uint64_t term)
{
    struct hf_lockspace_config config = n->config.lockspace;

    config.seed ^= term;
    clear(n->block, n->block_size);
    n->lockspace = hf_lockspace_init(n->block, &config);
    n->term = term;
    n->longest_ttl = (struct hf_duration){0};
    n->through = 0;
    n->answered = 0;
    n->alive = 0;
    move_to(n, HF_NODE_LOADING);
}

/* Drop what was decided but not written. */
static void
discard(struct hf_node *n)
{
    n->lockspace = NULL;
    n->batch = (struct hf_batch){0};
    n->collecting = false;
    move_to(n, HF_NODE_LEAVING);
}

static void
resign(struct hf_node *n)
{
    hf_leader_step(&n->leader, hf_event(HF_ON_RELEASE, n->now));
}

/* ---- Loading ------------------------------------------------------------- */

/* How long the session was silent while leaders served [S10].  A count beyond
 * that of the head is none.  While a grace is owed or runs [L6], the record may
 * be of an older copy, and its client may have been heard since. */
static struct hf_duration
silent_for(const struct hf_node *n, const struct hf_loaded_session *session)
{
    int64_t served_ms = n->leader.served.ms;
    int64_t from_ms = session->silent_from.ms;

    if (n->leader.owes ||
        !hf_reached(n->now, hf_leader_grace_until(&n->leader)))
        return (struct hf_duration){0};
    if (from_ms == 0 || from_ms > served_ms)
        return (struct hf_duration){0};
    return (struct hf_duration){served_ms - from_ms};
}

static void
load_session(struct hf_node *n, const struct hf_loaded_session *session)
{
    struct hf_lockspace_event event = {
        .kind = HF_SPACE_LOAD_SESSION,
        .session = *session,
    };

    if (session->ttl.ms > n->longest_ttl.ms)
        n->longest_ttl = session->ttl;
    event.session.silent = silent_for(n, session);
    step_lockspace(n, event);
}

/* 0: unknown, also when the wall clock went back. */
static struct hf_duration
age_of_service(const struct hf_node *n, uint64_t wall_us)
{
    int64_t age_ms = (int64_t)(wall_us / 1000) - n->leader.begun_ms;
    bool is_known = n->leader.begun_ms > 0 && age_ms >= 0;

    return (struct hf_duration){is_known ? age_ms + 1 : 0};
}

static void
on_loaded(struct hf_node *n, const struct hf_node_event *event)
{
    hf_leader_loaded(&n->leader, n->now, n->longest_ttl);
    step_lockspace(
        n, (struct hf_lockspace_event){
               .kind = HF_SPACE_SERVE,
               .serve = {.term = n->term,
                         .next_fence = n->leader.next_fence,
                         .wall_us = event->load.wall_us,
                         .batch = hf_leader_took(&n->leader),
                         .age = age_of_service(n, event->load.wall_us),
                         .served = n->leader.served,
                         .hold_until = hf_leader_grace_until(&n->leader)},
           });
    if (hf_lockspace_serving(n->lockspace))
        move_to(n, HF_NODE_SERVING);
    else
        resign(n); /* the records in the store contradict each other */
}

/* Ignore what an earlier load still reads: it is of another term. */
static void
on_load(struct hf_node *n, const struct hf_node_event *event)
{
    if (n->state != HF_NODE_LOADING || event->load.term != n->term)
        return;
    if (event->kind == HF_NODE_LOADED_SESSION)
        load_session(n, &event->load.session);
    else if (event->kind == HF_NODE_LOADED_GRANT)
        step_lockspace(n, (struct hf_lockspace_event){
                              .kind = HF_SPACE_LOAD_GRANT,
                              .grant = event->load.grant,
                          });
    else if (event->kind == HF_NODE_LOADED)
        on_loaded(n, event);
    else
        resign(n);
}

/* ---- Clients ------------------------------------------------------------- */

static void
on_message(struct hf_node *n, const struct hf_message *message)
{
    if (n->state != HF_NODE_SERVING) {
        n->refused = message->stream;
        return;
    }
    step_lockspace(n, (struct hf_lockspace_event){.kind = HF_SPACE_MESSAGE,
                                                  .message = *message});
}

static void
on_request(struct hf_node *n, const struct hf_node_event *event)
{
    struct hf_lockspace_event request = {
        .kind = event->kind == HF_NODE_HANDED   ? HF_SPACE_HANDED
                : event->kind == HF_NODE_UNREAD ? HF_SPACE_UNREAD
                                                : HF_SPACE_STREAM_ENDED,
    };

    if (n->state != HF_NODE_SERVING)
        return;
    request.request.stream = event->request.stream;
    request.request.session = event->request.session;
    request.request.lane = event->request.lane;
    request.request.n = event->request.n;
    request.request.fence = event->request.fence;
    request.request.cut = event->request.cut;
    step_lockspace(n, request);
}

/* Until when a keep-alive may wait for others. */
static struct hf_instant
shares_until(const struct hf_node *n, struct hf_duration ttl)
{
    int64_t share_ms = ttl.ms / SHARES_OF_TTL;

    if (share_ms > SHARE_MAX_MS)
        share_ms = SHARE_MAX_MS;
    return hf_after(n->now, (struct hf_duration){share_ms});
}

/* Have the answer built now, since the next event may remove what it tells.
 * Only keep-alives can wait. */
static void
note_answer(struct hf_node *n, const struct hf_answer *answer)
{
    bool first = n->alive <= n->through || n->alive <= n->batch.through;

    if (answer->kind != HF_ANSWER_ALIVE || answer->alive.at_once) {
        n->answered = answer->mark;
        return;
    }
    if (first)
        n->alive_by = HF_NEVER;
    n->alive_by = hf_earlier(n->alive_by, shares_until(n, answer->alive.ttl));
    n->alive = answer->mark;
}

/* ---- Batches ------------------------------------------------------------- */

/* Is there a change or an answer that the head should carry now? */
static bool
has_to_write(const struct hf_node *n)
{
    bool shared =
        n->state == HF_NODE_DRAINING || hf_reached(n->now, n->alive_by);

    if (!writes(n) || n->batch.number != 0)
        return false;
    return hf_lockspace_pending(n->lockspace) || n->answered > n->through ||
           (n->alive > n->through && shared);
}

/* Each beat of the head is a batch of all that was decided, even if that is
 * nothing [J1]. */
static void
begin_batch(struct hf_node *n)
{
    hf_lockspace_begin(n->lockspace, n->config.budget);
    n->collecting = true;
}

/* The batch is fixed: later decisions go into the next [J4]. */
static void
fix_batch(struct hf_node *n)
{
    hf_lockspace_fix(n->lockspace, &n->batch);
    hf_leader_fix(&n->leader, n->batch.number, n->batch.next_fence);
    n->collecting = false;
}

static void
on_applied(struct hf_node *n, uint64_t number)
{
    HF_CHECK(number == n->batch.number);
    n->through = n->batch.through;
    n->batch = (struct hf_batch){0};
    step_lockspace(n, (struct hf_lockspace_event){
                          .kind = HF_SPACE_BATCH,
                          .batch = {.number = number, .verdict = HF_APPLIED},
                      });
}

/* Is everything decided written, and every answer due? */
static bool
is_drained(const struct hf_node *n)
{
    return n->state == HF_NODE_DRAINING && n->batch.number == 0 &&
           n->leader.state == HF_LEADER_LEADING && !has_to_write(n);
}

/* ---- The leader ---------------------------------------------------------- */

static void
on_ended(struct hf_node *n)
{
    n->seek_at = hf_after(n->now, n->config.rest);
    if (n->stopped) {
        n->tells_end = true;
        move_to(n, HF_NODE_ENDED);
    } else if (n->state != HF_NODE_FOLLOWING) {
        move_to(n, HF_NODE_FOLLOWING);
    }
}

/* An effect of the leader as one of the node; false: it has none. */
static bool
on_leader(struct hf_node *n, const struct hf_leader_effect *did,
          struct hf_node_effect *effect)
{
    *effect = (struct hf_node_effect){0};
    switch (did->kind) {
    case HF_LEADER_ASK:
        effect->kind = HF_NODE_ASK;
        effect->ask = *did;
        return true;
    case HF_LEADER_FIX:
        if (!writes(n)) {
            hf_leader_fix(&n->leader, 0, 0);
            return false;
        }
        begin_batch(n);
        effect->kind = HF_NODE_COLLECT;
        return true;
    case HF_LEADER_LEADS:
        begin_term(n, did->term);
        effect->kind = HF_NODE_LOAD;
        effect->term = did->term;
        return true;
    case HF_LEADER_APPLIED:
        on_applied(n, did->applied);
        effect->kind = HF_NODE_DUE;
        effect->through = n->through;
        return true;
    case HF_LEADER_OVER:
        discard(n);
        effect->kind = HF_NODE_DISCARD;
        return true;
    case HF_LEADER_ENDED:
        on_ended(n);
        effect->kind = HF_NODE_RESTS;
        effect->status = did->ended;
        return did->ended != HF_OK && !n->stopped;
    }
    return false;
}

/* ---- A node -------------------------------------------------------------- */

void
hf_node_init(struct hf_node *n, const struct hf_node_config *config,
             void *block)
{
    HF_CHECK(hf_lockspace_valid(&config->lockspace));
    *n = (struct hf_node){
        .config = *config,
        .seek_at = HF_NEVER,
        .block = block,
        .block_size = hf_lockspace_size(&config->lockspace),
    };
    hf_leader_init(&n->leader, &config->leader);
}

/* Is it waiting for seek_at? */
static bool
is_resting(const struct hf_node *n)
{
    return n->state == HF_NODE_FOLLOWING && n->leader.state == HF_LEADER_IDLE;
}

/* A search that time ends here rests first: seek_at is that of the last search.
 */
static void
on_clock(struct hf_node *n, struct hf_instant read_until)
{
    if (is_resting(n)) {
        if (hf_reached(n->now, n->seek_at))
            hf_leader_seek(&n->leader, n->now);
        return;
    }
    hf_leader_step(&n->leader, hf_event(HF_ON_CLOCK, n->now));
    if (n->state == HF_NODE_SERVING && n->leader.state == HF_LEADER_LEADING)
        step_lockspace(n, (struct hf_lockspace_event){
                              .kind = HF_SPACE_CLOCK,
                              .read_until = read_until,
                          });
}

static void
on_look(struct hf_node *n)
{
    if (n->state == HF_NODE_SERVING)
        step_lockspace(n, (struct hf_lockspace_event){.kind = HF_SPACE_LOOK});
}

/* Name the leader to clients that ask here.  An own head names no other node.
 */
static void
on_found(struct hf_node *n, const struct hf_node_event *event)
{
    const struct hf_sight *sight = &event->found.sight;
    uint64_t own = n->leader.contender.keeper.heartbeat.id;

    if (sight->kind != HF_SIGHT_NONE)
        n->followed = sight->kind == HF_SIGHT_LOCK && event->found.head.led &&
                      sight->heartbeat.id != own;
    hf_leader_found(&n->leader, n->now, event->found.number, *sight,
                    event->found.head);
}

static void
on_stop(struct hf_node *n)
{
    n->stopped = true;
    if (n->state == HF_NODE_SERVING)
        move_to(n, HF_NODE_DRAINING);
    else if (n->leader.state == HF_LEADER_IDLE && n->state != HF_NODE_ENDED)
        on_ended(n);
    else if (n->state != HF_NODE_DRAINING)
        resign(n);
}

void
hf_node_step(struct hf_node *n, const struct hf_node_event *event)
{
    HF_CHECK(!n->collecting && n->refused == 0);
    n->now = hf_later(n->now, event->at);
    switch (event->kind) {
    case HF_NODE_START:
        hf_leader_seek(&n->leader, n->now);
        break;
    case HF_NODE_STORE:
        hf_leader_step(&n->leader, event->store);
        break;
    case HF_NODE_FOUND:
        on_found(n, event);
        break;
    case HF_NODE_LOADED_SESSION:
    case HF_NODE_LOADED_GRANT:
    case HF_NODE_LOADED:
    case HF_NODE_LOAD_FAILED:
        on_load(n, event);
        break;
    case HF_NODE_MESSAGE:
        on_message(n, &event->message);
        break;
    case HF_NODE_STREAM_ENDED:
    case HF_NODE_HANDED:
    case HF_NODE_UNREAD:
        on_request(n, event);
        break;
    case HF_NODE_TURN:
        break;
    case HF_NODE_CLOCK:
        on_clock(n, event->read_until);
        break;
    case HF_NODE_LOOK:
        on_look(n);
        break;
    case HF_NODE_STOP:
        on_stop(n);
        break;
    }
    /* A node that leaves does not wait for a turn. */
    n->may_begin = event->kind == HF_NODE_TURN || n->state == HF_NODE_DRAINING;
}

/* Answers to clients come before questions to the store. */
static bool
next_answer(struct hf_node *n, struct hf_node_effect *effect)
{
    if (n->refused != 0) {
        *effect = (struct hf_node_effect){.kind = HF_NODE_REFUSE};
        effect->refuse.stream = n->refused;
        effect->refuse.followed = n->followed;
        n->refused = 0;
        return true;
    }
    if (n->lockspace == NULL)
        return false;
    *effect = (struct hf_node_effect){.kind = HF_NODE_ANSWER};
    if (!hf_lockspace_next(n->lockspace, &effect->answer))
        return false;
    note_answer(n, &effect->answer);
    return true;
}

/* What follows from all that happened: a write, or the end; false: nothing. */
static bool
go_on(struct hf_node *n)
{
    if (is_drained(n)) {
        resign(n);
        return true;
    }
    if (!n->may_begin || !has_to_write(n))
        return false;
    n->may_begin = false;
    hf_leader_step(&n->leader, hf_event(HF_ON_WRITE, n->now));
    return true;
}

bool
hf_node_next(struct hf_node *n, struct hf_node_effect *effect)
{
    struct hf_leader_effect did;

    if (n->collecting)
        fix_batch(n);
    if (next_answer(n, effect))
        return true;
    do {
        while (hf_leader_next(&n->leader, &did))
            if (on_leader(n, &did, effect))
                return true;
    } while (go_on(n));

    if (n->tells_end) {
        n->tells_end = false;
        *effect = (struct hf_node_effect){.kind = HF_NODE_STOPPED};
        return true;
    }
    check_invariants(n);
    return false;
}

bool
hf_node_take(struct hf_node *n, struct hf_change *change)
{
    HF_CHECK(n->collecting);
    return hf_lockspace_take(n->lockspace, change);
}

struct hf_duration
hf_node_grace(const struct hf_node *n, struct hf_instant now)
{
    return hf_between(now, hf_leader_grace_until(&n->leader));
}

struct hf_instant
hf_node_deadline(const struct hf_node *n)
{
    struct hf_instant deadline = hf_leader_deadline(&n->leader);

    if (is_resting(n))
        return n->seek_at;
    if (n->state == HF_NODE_SERVING)
        deadline = hf_earlier(deadline, hf_lockspace_deadline(n->lockspace));
    if (has_to_write(n) && hf_leader_may_write(&n->leader))
        return n->now; /* at the end of this turn */
    if (n->state == HF_NODE_SERVING && n->batch.number == 0 &&
        n->alive > n->through && !hf_reached(n->now, n->alive_by))
        deadline = hf_earlier(deadline, n->alive_by);
    return deadline;
}

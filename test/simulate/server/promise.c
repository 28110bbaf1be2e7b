#include "simulate/server/promise.h"

#include "core/lockspace/look.h"
#include "simulate/server/nodes.h"
#include "simulate/server/sessions.h"
#include "simulate/server/store.h"

#define NUMBER(n) ((unsigned long long)(n))

static bool
is_refuse(const struct world *w, const struct sim_wish *wish)
{
    return w->sessions[wish->session].config.terms.if_dead == HF_REFUSE;
}

/* Was it taken by an operator, or lost by the store? */
static bool
is_excused(const struct sim_wish *wish)
{
    return wish->cleared || wish->forgotten == wish->fence;
}

static uint64_t
id_of(const struct world *w, const struct sim_wish *wish)
{
    return (uint64_t)(wish - w->wishes);
}

/* By the machine's own clock, which may be wrong as far as it may be. */
static bool
is_held(const struct world *w, const struct sim_wish *wish)
{
    const struct sim_session *session = &w->sessions[wish->session];

    return sessions_lives(w, wish) &&
           hf_session_holds(session->machine, id_of(w, wish),
                            session_now(w, session)) == HF_GRANTED;
}

static bool
is_forgotten(const struct sim_wish *wish)
{
    return wish->granted && wish->forgotten == wish->fence;
}

bool
promise_believed(const struct world *w, const struct sim_wish *wish)
{
    return is_held(w, wish) && !is_excused(wish);
}

static bool
is_recorded(struct world *w, struct sim_wish *wish)
{
    const struct sim_grant *grant = store_find(w, wish->fence, &wish->place);

    return grant != NULL && store_valid(w, grant);
}

/* ---- What is written ----------------------------------------------------- */

void
promise_written(struct world *w, const struct sim_grant *grant, bool again)
{
    const struct sim_wish *wish = &w->wishes[grant->wish];

    if (again)
        return;
    if (grant->fence <= w->highest_fence ||
        grant->fence >= w->store.head.next_fence)
        world_break(w, "fences grow, and the head has the next",
                    "%llu after %llu, next %llu", NUMBER(grant->fence),
                    NUMBER(w->highest_fence), NUMBER(w->store.head.next_fence));
    w->highest_fence = grant->fence;
    if (wish->settled && grant->session == wish->id &&
        grant->lane == wish->lane && grant->n == wish->n)
        world_break(w, "what is settled is never granted", "wish %llu",
                    NUMBER(grant->wish));
}

static bool
is_same_lane(const struct sim_grant *a, const struct sim_grant *b)
{
    return a->session == b->session && a->lane == b->lane;
}

static void
check_name(struct world *w, unsigned name)
{
    const struct sim_grant *exclusive = NULL;

    for (size_t i = 0; i < w->store.grants_count; i++)
        if (w->store.grants[i].modes[name] == 1 + HF_EXCLUSIVE &&
            store_valid(w, &w->store.grants[i]))
            exclusive = &w->store.grants[i];
    for (size_t i = 0; i < w->store.grants_count && exclusive != NULL; i++)
        if (w->store.grants[i].modes[name] != 0 &&
            store_valid(w, &w->store.grants[i]) &&
            !is_same_lane(exclusive, &w->store.grants[i]))
            world_break(w, "no two grants in the store conflict",
                        "fences %llu and %llu", NUMBER(exclusive->fence),
                        NUMBER(w->store.grants[i].fence));
}

/* May it be nowhere else than in the store?  Of HF_REFUSE whatever became of
 * its holder, and of its right. */
static bool
must_be_recorded(const struct world *w, const struct sim_wish *wish)
{
    if (wish->released || is_excused(wish))
        return false;
    return is_refuse(w, wish) || is_held(w, wish);
}

void
promise_committed(struct world *w)
{
    for (unsigned i = 0; i < w->shape.names; i++)
        check_name(w, i);
    for (size_t i = 0; i < w->told_count; i++) {
        struct sim_wish *wish = &w->wishes[w->told[i]];

        if (must_be_recorded(w, wish) && !is_recorded(w, wish))
            world_break(w, "what was told is there while its right lasts",
                        "wish %llu of session %u, fence %llu",
                        NUMBER(w->told[i]), wish->session, NUMBER(wish->fence));
    }
}

static bool
stands_in(const struct sim_store *store, const struct sim_grant *grant)
{
    for (size_t i = 0; i < store->grants_count; i++)
        if (store->grants[i].fence == grant->fence)
            return store->leases[grant->session].on;
    return false;
}

void
promise_losing(struct world *w, const struct sim_store *left)
{
    for (size_t i = 0; i < w->store.grants_count; i++) {
        const struct sim_grant *grant = &w->store.grants[i];

        if (grant->fence != 0 && !stands_in(left, grant))
            w->wishes[grant->wish].forgotten = grant->fence;
    }
    for (size_t i = 0; i < left->grants_count; i++) {
        const struct sim_grant *grant = &left->grants[i];

        if (grant->fence != 0 && !stands_in(&w->store, grant))
            w->wishes[grant->wish].ghost = true;
    }
}

/* ---- What time tells ----------------------------------------------------- */

/* Does its session live there, in its term? */
static bool
is_heard_of(const struct world *w, const struct sim_packet *packet,
            struct hf_look_session *row)
{
    const struct hf_node *node = &w->nodes[packet->node].machine;
    const struct hf_message *message = &packet->send.message;
    uint32_t cursor = 0;

    if (packet->kind != PACKET_MESSAGE || node->state != HF_NODE_SERVING ||
        message->term != node->term)
        return false;
    while (hf_look_sessions(node->lockspace, &cursor, row))
        if (row->id == message->session)
            return !row->suspected;
    return false;
}

/* Was its ttl over at a true instant?  How long it was silent does not say so:
 * that counts to the table's last step. */
static bool
was_over(const struct world *w, unsigned node,
         const struct hf_look_session *row, int64_t at)
{
    return hf_reached(sim_clock_read(&w->nodes[node].clock, at),
                      hf_after(row->heard_at, row->ttl));
}

void
promise_clocking(struct world *w, unsigned node)
{
    for (struct hf_link *link = w->nodes[node].unread.first; link != NULL;
         link = link->next) {
        struct sim_packet *packet = HF_CONTAINER(link, struct sim_packet, link);
        struct hf_look_session row;

        packet->speaks = !w->streams[packet->stream].ended &&
                         is_heard_of(w, packet, &row) &&
                         !was_over(w, node, &row, packet->arrived);
        w->counts.spoke += packet->speaks && was_over(w, node, &row, w->now);
    }
}

void
promise_clocked(struct world *w, unsigned node)
{
    for (struct hf_link *link = w->nodes[node].unread.first; link != NULL;
         link = link->next) {
        struct sim_packet *packet = HF_CONTAINER(link, struct sim_packet, link);
        struct hf_look_session row;

        if (packet->speaks && w->nodes[node].machine.state == HF_NODE_SERVING &&
            !is_heard_of(w, packet, &row))
            world_break(w, "who spoke in time is not ended by silence",
                        "lease %llu, at node %u",
                        NUMBER(packet->send.message.session), node + 1);
        packet->speaks = false;
    }
}

/* ---- What is answered and told ------------------------------------------- */

void
promise_answered(struct world *w, unsigned node,
                 const struct sim_answer *answer)
{
    if (answer->decided >= w->nodes[node].written)
        world_break(w, "no answer goes before its batch is written",
                    "node %u, answer %d to stream %llu", node + 1,
                    (int)answer->answer.kind, NUMBER(answer->answer.stream));
}

static void
on_granted(struct world *w, struct sim_wish *wish,
           const struct hf_session_notice *tell)
{
    struct hf_instant now = session_now(w, &w->sessions[wish->session]);

    if (wish->granted || wish->ended || hf_reached(now, wish->deadline))
        world_break(w, "a grant is told once, and in time", "wish %llu",
                    NUMBER(tell->id));
    wish->granted = true;
    wish->fence = tell->fence;
    w->counts.grants++;
    for (unsigned i = 0; i < NAMES_MAX && !wish->free; i++) {
        if (wish->modes[i] != 1 + HF_EXCLUSIVE || is_excused(wish))
            continue;
        if (tell->fence <= w->exclusive_told[i])
            world_break(w, "fences that are told grow", "%llu after %llu",
                        NUMBER(tell->fence), NUMBER(w->exclusive_told[i]));
        w->exclusive_told[i] = tell->fence;
    }
}

/* What was released, and told so, is free for ever. */
static void
check_settled(struct world *w, const struct sim_wish *wish)
{
    for (size_t i = 0; i < w->store.grants_count && !wish->ghost; i++) {
        const struct sim_grant *grant = &w->store.grants[i];

        if (store_valid(w, grant) && grant->session == wish->id &&
            grant->lane == wish->lane && grant->n == wish->n)
            world_break(w, "what is settled is free", "wish %llu, fence %llu",
                        NUMBER(id_of(w, wish)), NUMBER(grant->fence));
    }
}

/* What is said of a holder is what was shown last; and before the deadline only
 * what ends a wait at once. */
static void
check_named(struct world *w, const struct sim_wish *wish,
            const struct hf_session_notice *tell, bool over)
{
    if (tell->outcome != wish->seen ||
        (!over &&
         (tell->outcome == HF_HELD_TOO_LONG ||
          (tell->outcome == HF_SUSPECTED_DEAD && !wish->fail_suspected))))
        world_break(w, "what is said of a holder was seen", "wish %llu: %s",
                    NUMBER(tell->id), hf_outcome_word(tell->outcome));
    w->counts.named++;
}

static bool
names_a_holder(const struct hf_session_notice *tell)
{
    return tell->status == HF_OK &&
           (tell->outcome == HF_HELD_TOO_LONG ||
            tell->outcome == HF_SUSPECTED_DEAD || tell->outcome == HF_GONE);
}

static void
on_ended(struct world *w, struct sim_wish *wish,
         const struct hf_session_notice *tell)
{
    bool timed_out = tell->status == HF_OK && tell->outcome == HF_TIMED_OUT;
    bool limit = tell->outcome == HF_AT_LIMIT;
    struct hf_instant now = session_now(w, &w->sessions[wish->session]);

    wish->ended = true;
    if (names_a_holder(tell))
        check_named(w, wish, tell, hf_reached(now, wish->deadline));
    if (names_a_holder(tell) && hf_reached(now, wish->deadline)) {
        w->counts.timeouts++; /* it is settled later, perhaps */
    } else if (!wish->granted &&
               (timed_out || tell->status == HF_E_UNAVAILABLE)) {
        if (!hf_reached(now, wish->deadline) &&
            !(wish->wait == HF_WAIT_TRY &&
              (timed_out || w->sessions[wish->session].put_off)))
            world_break(w, "nobody is timed out before the deadline",
                        "wish %llu", NUMBER(tell->id));
        w->counts.timeouts += timed_out;
        w->counts.unavailable += !timed_out;
    } else if (!limit && wish->id != 0) {
        wish->settled = true;
        check_settled(w, wish);
    }
}

/* Where nothing ever failed nobody loses anything, or is in doubt. */
static void
check_cause(struct world *w, const struct sim_wish *wish)
{
    if (w->shape.fate_ms == 0 && w->shape.trouble == 0)
        world_break(w, "where nothing fails nothing is lost", "wish %llu",
                    NUMBER(id_of(w, wish)));
}

/* Nobody but an operator takes what is held to be refused [S5]. */
static void
on_lost(struct world *w, struct sim_wish *wish)
{
    w->counts.losses++;
    check_cause(w, wish);
    if (is_refuse(w, wish) && !is_excused(wish) && is_recorded(w, wish))
        world_break(w, "what is held to be refused is lost by a clear alone",
                    "wish %llu, fence %llu", NUMBER(id_of(w, wish)),
                    NUMBER(wish->fence));
}

void
promise_told(struct world *w, struct sim_wish *wish,
             const struct hf_session_notice *tell)
{
    if (tell->news & HF_NEWS_GRANTED)
        on_granted(w, wish, tell);
    if (tell->news & HF_NEWS_LOST)
        on_lost(w, wish);
    if (tell->news & HF_NEWS_IN_DOUBT) {
        w->counts.doubts++;
        check_cause(w, wish);
        if (!is_refuse(w, wish))
            world_break(w, "a takeover lock is never in doubt", "wish %llu",
                        NUMBER(tell->id));
    }
    if (tell->news & HF_NEWS_ENDED)
        on_ended(w, wish, tell);
}

/* Did that process hear of it within its ttl, by its own clock? */
static bool
is_heard(const struct world *w, unsigned who, const struct sim_stream *stream)
{
    const struct sim_node *node = &w->nodes[who];
    const struct sim_heard *heard = &w->heard[stream->id];
    const struct sim_wish *wish = &w->wishes[stream->clears];
    struct hf_instant now = sim_clock_read(&node->clock, w->now);
    struct hf_duration ttl = w->sessions[wish->session].config.terms.ttl;

    return heard->node == who + 1 && heard->life == node->life &&
           !hf_reached(now, hf_after(heard->at, ttl));
}

void
promise_decided(struct world *w, unsigned who, const struct hf_answer *answer)
{
    const struct sim_stream *stream = &w->streams[answer->stream];
    struct sim_wish *wish = &w->wishes[stream->clears];

    if (answer->kind == HF_ANSWER_NOT_SUSPECTED)
        w->counts.spared++;
    if (answer->kind != HF_ANSWER_CLEARED)
        return;
    wish->cleared = true;
    if (stream->at_once)
        return;
    w->counts.judged++;
    if (is_heard(w, who, stream))
        world_break(w, "a clear spares who was heard within its ttl",
                    "wish %llu, fence %llu", NUMBER(stream->clears),
                    NUMBER(wish->fence));
}

/* ---- What is believed ---------------------------------------------------- */

static bool
conflict(const struct sim_wish *a, const struct sim_wish *b)
{
    if (a->id == b->id && a->lane == b->lane)
        return false;
    for (unsigned i = 0; i < NAMES_MAX; i++)
        if (a->modes[i] != 0 && b->modes[i] != 0 &&
            (a->modes[i] == 1 + HF_EXCLUSIVE ||
             b->modes[i] == 1 + HF_EXCLUSIVE))
            return true;
    return false;
}

/* Also in what the store has lost: nobody else is granted it meanwhile [L6]. */
static bool
believes(const struct world *w, const struct sim_wish *wish)
{
    return is_held(w, wish) && !wish->cleared;
}

static void
check_belief(struct world *w, struct sim_wish *wish)
{
    if (!is_forgotten(wish) && !is_recorded(w, wish))
        world_break(w, "whoever believes in a grant finds it in the store",
                    "wish %llu of session %u, fence %llu",
                    NUMBER(id_of(w, wish)), wish->session, NUMBER(wish->fence));
    for (size_t i = 0; i < w->told_count; i++) {
        const struct sim_wish *other = &w->wishes[w->told[i]];

        if (conflict(wish, other) && believes(w, other))
            world_break(w, "no two believe in what conflicts",
                        "wishes %llu and %llu", NUMBER(id_of(w, wish)),
                        NUMBER(w->told[i]));
    }
}

void
promise_stepped(struct world *w, unsigned session)
{
    for (size_t i = 0; i < w->told_count; i++) {
        struct sim_wish *wish = &w->wishes[w->told[i]];

        if (wish->session == session && believes(w, wish))
            check_belief(w, wish);
    }
}

/* ---- When nothing fails any more ----------------------------------------- */

void
promise_led(struct world *w)
{
    if (nodes_serving(w) == 0)
        world_break(w, "somebody leads where nothing fails", "%s", "nobody");
}

void
promise_known(struct world *w)
{
    for (size_t i = 0; i < w->told_count; i++) {
        struct sim_wish *wish = &w->wishes[w->told[i]];

        if (is_held(w, wish) && !is_recorded(w, wish))
            world_break(w, "whose grant was taken learns it", "wish %llu",
                        NUMBER(w->told[i]));
    }
    for (size_t i = 0; i < w->store.grants_count; i++) {
        const struct sim_grant *grant = &w->store.grants[i];
        const struct sim_wish *wish = &w->wishes[grant->wish];

        if (store_valid(w, grant) && !is_refuse(w, wish) &&
            !sessions_lives(w, wish))
            world_break(w, "what the dead held is free", "fence %llu",
                        NUMBER(grant->fence));
    }
}

bool
promise_settled(const struct world *w)
{
    for (size_t i = 0; i < w->store.grants_count; i++)
        if (w->store.grants[i].fence != 0)
            return false;
    for (uint64_t id = 1; id <= w->store.ids_count; id++)
        if (w->store.leases[id].on)
            return false;
    for (unsigned i = 0; i < w->sessions_count; i++)
        if (w->sessions[i].mine_count > 0 || !w->sessions[i].wanted_last ||
            !hf_session_settled(w->sessions[i].machine))
            return false;
    return true;
}

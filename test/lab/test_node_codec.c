/*
 * A node that runs on, and one that is written and read back after every step:
 * the same is told to both, and both do the same.
 *
 * Their lockspaces are left alone.  So what was read back gets the time and the
 * numbers again that it had, of which its bytes have the order alone.
 *
 * Worlds from fixed seeds.  HF_SEED=N runs one seed of each test.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lab/server/node_codec.h"
#include "lab/server/snapshot.h"

enum {
    WORLDS = 1000,
    STEPS = 200,
    EFFECTS = 64,
    CHANGES = 64,
    ASKED = 6, /* more of them the store forgets */
    SORTS = 6, /* of numbers */
    RIVAL = 77,
    MAX_TTL = 6, /* ticks */
};

/* What a node did in one step. */
struct deeds {
    struct hf_node_effect of[EFFECTS];
    unsigned count;
    struct hf_change changes[CHANGES];
    unsigned changes_count;
};

struct side {
    struct snapshot_block block;
    struct hf_node node;
    struct deeds deeds;
};

/* A question that is with the store. */
struct asked {
    struct hf_leader_effect question;
    bool served;
    enum hf_verdict verdict;
    uint64_t version;
    struct hf_sight sight;
    struct hf_head_state head;
};

struct world {
    uint64_t random;
    struct hf_node_config config;
    struct hf_instant now;
    struct side runs;  /* on, untouched */
    struct side moves; /* into bytes and out of them */
    struct hf_sight head;
    struct hf_head_state state;
    struct asked asked[ASKED];
    unsigned asked_count;
    uint64_t loads; /* a term; 0: none, or it was told a session already */
    uint64_t last_stream;
    uint64_t last_n;
};

static uint64_t
from_environment(const char *name, uint64_t otherwise)
{
    const char *given = getenv(name);

    return given == NULL ? otherwise : strtoull(given, NULL, 10);
}

/* xorshift64* (Vigna 2016), from 0 to `most`. */
static unsigned
pick(struct world *w, unsigned most)
{
    w->random ^= w->random >> 12;
    w->random ^= w->random << 25;
    w->random ^= w->random >> 27;
    return (unsigned)((w->random * UINT64_C(0x2545f4914f6cdd1d) >> 33) %
                      (most + 1U));
}

static bool
one_in(struct world *w, unsigned chances)
{
    return pick(w, chances - 1) == 0;
}

/* ---- One machine --------------------------------------------------------- */

static void
take_changes(struct side *side)
{
    struct deeds *deeds = &side->deeds;

    while (hf_node_take(&side->node, &deeds->changes[deeds->changes_count]))
        assert_true(++deeds->changes_count < CHANGES);
}

static void
give(struct side *side, const struct hf_node_event *event)
{
    struct deeds *deeds = &side->deeds;

    hf_node_step(&side->node, event);
    while (hf_node_next(&side->node, &deeds->of[deeds->count])) {
        if (deeds->of[deeds->count].kind == HF_NODE_COLLECT)
            take_changes(side);
        assert_true(++deeds->count < EFFECTS);
    }
}

/* A turn of its own. */
static void
step(struct side *side, const struct hf_node_event *event)
{
    side->deeds.count = 0;
    side->deeds.changes_count = 0;
    give(side, event);
    give(side, &(struct hf_node_event){.kind = HF_NODE_TURN, .at = event->at});
}

/* ---- Both do the same ---------------------------------------------------- */

static void
compare_ops(const struct hf_op *a, const struct hf_op *b)
{
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->target, b->target);
    assert_int_equal(a->expect.kind, b->expect.kind);
    assert_int_equal(a->expect.version, b->expect.version);
    assert_int_equal(a->new_generation, b->new_generation);
    assert_int_equal(a->subject, b->subject);
    assert_int_equal(a->heartbeat.id, b->heartbeat.id);
    assert_int_equal(a->heartbeat.count, b->heartbeat.count);
    assert_int_equal(a->terms.if_dead, b->terms.if_dead);
    assert_int_equal(a->terms.ttl.ms, b->terms.ttl.ms);
    assert_int_equal(a->terms.beat.ms, b->terms.beat.ms);
}

static void
compare_questions(const struct hf_leader_effect *a,
                  const struct hf_leader_effect *b)
{
    assert_int_equal(a->ask.request.number, b->ask.request.number);
    assert_int_equal(a->ask.request.read, b->ask.request.read);
    if (a->ask.request.read)
        return;
    assert_int_equal(a->ask.request.ops_count, b->ask.request.ops_count);
    for (unsigned i = 0; i < a->ask.request.ops_count; i++)
        compare_ops(&a->ask.request.ops[i], &b->ask.request.ops[i]);
    assert_int_equal(a->ask.head.led, b->ask.head.led);
    assert_int_equal(a->ask.head.next_fence, b->ask.head.next_fence);
    assert_int_equal(a->ask.head.service, b->ask.head.service);
    assert_int_equal(a->ask.head.max_ttl.ms, b->ask.head.max_ttl.ms);
    assert_int_equal(a->ask.head.grace.ms, b->ask.head.grace.ms);
    assert_int_equal(a->ask.batch, b->ask.batch);
}

static void
compare_effects(const struct hf_node_effect *a, const struct hf_node_effect *b)
{
    assert_int_equal(a->kind, b->kind);
    switch (a->kind) {
    case HF_NODE_ASK:
        compare_questions(&a->ask, &b->ask);
        break;
    case HF_NODE_LOAD:
        assert_int_equal(a->term, b->term);
        break;
    case HF_NODE_ANSWER:
        assert_int_equal(a->answer.kind, b->answer.kind);
        assert_int_equal(a->answer.stream, b->answer.stream);
        assert_int_equal(a->answer.mark, b->answer.mark);
        break;
    case HF_NODE_DUE:
        assert_int_equal(a->through, b->through);
        break;
    case HF_NODE_REFUSE:
        assert_int_equal(a->refuse.stream, b->refuse.stream);
        assert_int_equal(a->refuse.followed, b->refuse.followed);
        break;
    case HF_NODE_RESTS:
        assert_int_equal(a->status, b->status);
        break;
    case HF_NODE_COLLECT:
    case HF_NODE_DISCARD:
    case HF_NODE_STOPPED:
        break;
    }
}

static void
compare_deeds(const struct deeds *a, const struct deeds *b)
{
    assert_int_equal(a->count, b->count);
    for (unsigned i = 0; i < a->count; i++)
        compare_effects(&a->of[i], &b->of[i]);
    assert_int_equal(a->changes_count, b->changes_count);
    for (unsigned i = 0; i < a->changes_count; i++) {
        assert_int_equal(a->changes[i].kind, b->changes[i].kind);
        assert_int_equal(a->changes[i].key, b->changes[i].key);
    }
}

static int64_t
ticks_until(struct hf_instant now, struct hf_instant at)
{
    if (at.ms == HF_NEVER.ms)
        return -1;
    return (hf_between(now, at).ms + CODEC_TICK_MS - 1) / CODEC_TICK_MS;
}

static void
compare_looks(const struct world *w)
{
    const struct hf_node *a = &w->runs.node;
    const struct hf_node *b = &w->moves.node;

    assert_int_equal(a->state, b->state);
    assert_int_equal(a->leader.state, b->leader.state);
    assert_int_equal(a->lockspace != NULL, b->lockspace != NULL);
    assert_int_equal(ticks_until(w->now, hf_node_deadline(a)),
                     ticks_until(w->now, hf_node_deadline(b)));
}

/* ---- Bytes --------------------------------------------------------------- */

/* The numbers of a node, and what they were before they were ranks. */
struct ranked {
    struct numbers sorts[SORTS];
    uint64_t were[SORTS][NUMBERS_MAX + 1];
};

static void
collect(struct hf_node *n, struct ranked *ranked)
{
    for (unsigned i = 0; i < SORTS; i++)
        ranked->sorts[i].count = 0;
    node_numbers(n, &(struct node_numbers){
                        .versions = &ranked->sorts[0],
                        .fences = &ranked->sorts[1],
                        .marks = &ranked->sorts[2],
                        .questions = &ranked->sorts[3],
                        .ids = &ranked->sorts[4],
                        .batches = &ranked->sorts[5],
                    });
}

static void
settle(struct ranked *ranked)
{
    uint64_t before[NUMBERS_MAX];

    for (unsigned i = 0; i < SORTS; i++) {
        struct numbers *sort = &ranked->sorts[i];

        for (unsigned k = 0; k < sort->count; k++)
            before[k] = *sort->at[k];
        (void)numbers_settle(sort, 1);
        for (unsigned k = 0; k < sort->count; k++)
            ranked->were[i][*sort->at[k]] = before[k];
    }
}

static void
give_back_numbers(struct hf_node *n, struct ranked *ranked)
{
    collect(n, ranked);
    for (unsigned i = 0; i < SORTS; i++)
        for (unsigned k = 0; k < ranked->sorts[i].count; k++)
            *ranked->sorts[i].at[k] = ranked->were[i][*ranked->sorts[i].at[k]];
}

static void
give_back_time(struct hf_node *n, struct hf_duration passed)
{
    struct hf_contender *c = &n->leader.contender;
    struct hf_keeper *k = &c->keeper;

    n->now = hf_after(n->now, passed);
    n->leader.now = hf_after(n->leader.now, passed);
    n->leader.grace_until = hf_after(n->leader.grace_until, passed);
    n->leader.owed_at = hf_after(n->leader.owed_at, passed);
    n->seek_at = hf_after(n->seek_at, passed);
    n->alive_by = hf_after(n->alive_by, passed);
    c->evidence.shown_at = hf_after(c->evidence.shown_at, passed);
    k->question.asked_at = hf_after(k->question.asked_at, passed);
    k->question.again_at = hf_after(k->question.again_at, passed);
    k->right_until = hf_after(k->right_until, passed);
    for (unsigned i = 0; i < HF_INFLIGHT_MAX; i++)
        k->inflight.writes[i].at = hf_after(k->inflight.writes[i].at, passed);
}

/* Of the claim that is under way. */
static void
give_back_counts(struct hf_node *n, uint64_t base)
{
    struct hf_keeper *k = &n->leader.contender.keeper;

    assert_true(k->heartbeat.count == NODE_CODEC_COUNT ||
                k->state == HF_KEEPER_IDLE);
    k->heartbeat.count = base;
    for (unsigned i = 0; i < HF_INFLIGHT_MAX; i++)
        if (k->inflight.writes[i].number != 0)
            k->inflight.writes[i].count += base - NODE_CODEC_COUNT;
}

static void
write_ranked(const struct world *w, const struct side *side,
             struct ranked *ranked, uint8_t *bytes)
{
    struct hf_node copy = side->node;

    collect(&copy, ranked);
    settle(ranked);
    node_write(&copy, w->now, bytes);
}

/* Numbers that grew for long are as low as there are different ones. */
static void
check_ranks(const struct hf_node *n)
{
    enum { VERSIONS = 7 + HF_INFLIGHT_MAX };
    const struct hf_leader *l = &n->leader;
    const struct hf_contender *c = &l->contender;

    assert_in_range(n->term, 0, VERSIONS);
    assert_in_range(c->claimed_version, 0, VERSIONS);
    assert_in_range(c->evidence.version, 0, VERSIONS);
    assert_in_range(c->evidence.token, 0, VERSIONS);
    assert_in_range(c->keeper.version, 0, VERSIONS);
    assert_in_range(c->keeper.token, 0, VERSIONS);
    assert_in_range(c->keeper.over, 0, VERSIONS);
    assert_in_range(c->keeper.question.number, 0, 1 + HF_INFLIGHT_MAX);
    assert_in_range(c->keeper.heartbeat.id, 0, 2);
    assert_in_range(l->service, 0, 2);
    assert_in_range(l->batch.number, n->batch.number, 1);
    assert_in_range(l->next_fence, 0, 2);
    assert_in_range(l->batch.next_fence, 0, 2);
    assert_in_range(n->answered, 0, 3);
    assert_in_range(n->alive, 0, 3);
    assert_in_range(n->batch.through, 0, 3);
}

/* Of a count only differences to that of the store's head matter, which a world
 * moves: test_kinds has them. */
static void
forget_served(struct hf_node *n)
{
    n->leader.served = codec_length(0);
    n->leader.served_until = HF_NEVER;
}

static void
move(struct world *w)
{
    static struct ranked ranked;
    struct hf_node *n = &w->moves.node;
    uint8_t stays[NODE_CODEC_SIZE];
    uint8_t bytes[NODE_CODEC_SIZE];
    uint64_t base = node_count_base(n);

    forget_served(&w->runs.node);
    forget_served(n);
    write_ranked(w, &w->runs, &ranked, stays);
    write_ranked(w, &w->moves, &ranked, bytes);
    assert_memory_equal(stays, bytes, NODE_CODEC_SIZE);
    memset(n, 0xa5, sizeof(*n));
    node_read(&w->config, bytes, w->moves.block.bytes, n);
    check_ranks(n);
    node_write(n, CODEC_NOW, stays);
    assert_memory_equal(stays, bytes, NODE_CODEC_SIZE);

    give_back_numbers(n, &ranked);
    give_back_time(n, hf_between(CODEC_NOW, w->now));
    give_back_counts(n, base);
    n->leader.contender.claims = w->runs.node.leader.contender.claims;
}

/* ---- The store ----------------------------------------------------------- */

static void
put(struct world *w, const struct hf_op *op, struct hf_head_state state)
{
    uint64_t version = w->head.version + 1;

    w->head = (struct hf_sight){
        .kind = HF_SIGHT_LOCK,
        .version = version,
        .token = op->new_generation ? version : w->head.token,
        .heartbeat = op->heartbeat,
        .terms = op->terms,
    };
    w->state = state;
}

static void
serve(struct world *w, struct asked *asked)
{
    const struct hf_request *request = &asked->question.ask.request;
    const struct hf_op *op = &request->ops[0];

    if (asked->served)
        return;
    asked->served = true;
    if (request->read) {
        asked->sight = w->head;
        asked->head = w->state;
    } else if (op->expect.version != w->head.version) {
        asked->verdict = HF_REFUSED;
    } else {
        put(w, op, asked->question.ask.head);
        asked->verdict = HF_APPLIED;
        asked->version = w->head.version;
    }
}

static void
note_asked(struct world *w, const struct hf_leader_effect *question)
{
    if (w->asked_count == ASKED)
        memmove(&w->asked[0], &w->asked[1],
                --w->asked_count * sizeof(w->asked[0]));
    w->asked[w->asked_count++] = (struct asked){.question = *question};
}

/* Somebody else leads, beats or leaves. */
static void
rival_writes(struct world *w)
{
    bool his = w->head.heartbeat.id >= RIVAL && w->head.heartbeat.id < 999;
    struct hf_op op = {
        .new_generation = !his,
        .heartbeat = {RIVAL + pick(w, 1), 1},
        .terms = w->config.leader.terms,
    };
    struct hf_head_state state = {.led = true,
                                  .next_fence = w->state.next_fence + 1,
                                  .service = RIVAL + pick(w, 2),
                                  .max_ttl = codec_length(pick(w, MAX_TTL))};

    if (his && !one_in(w, 4)) {
        op.heartbeat = w->head.heartbeat;
        op.heartbeat.count++;
    }
    if (one_in(w, 8))
        op.terms =
            (struct hf_terms){HF_REFUSE, codec_length(6), codec_length(2)};
    if (his)
        state.led = !one_in(w, 3);
    if (one_in(w, 3))
        state.grace = codec_length(pick(w, 12));
    put(w, &op, state);
}

/* ---- What happens -------------------------------------------------------- */

static void
happens(struct world *w, struct hf_node_event *event)
{
    if (one_in(w, 3))
        w->now = hf_after(w->now, codec_length(pick(w, 2)));
    event->at = w->now;
    if (event->kind == HF_NODE_STORE)
        event->store.at = w->now;
    step(&w->runs, event);
    step(&w->moves, event);
    compare_deeds(&w->runs.deeds, &w->moves.deeds);
    compare_looks(w);
    for (unsigned i = 0; i < w->runs.deeds.count; i++) {
        if (w->runs.deeds.of[i].kind == HF_NODE_ASK)
            note_asked(w, &w->runs.deeds.of[i].ask);
        if (w->runs.deeds.of[i].kind == HF_NODE_LOAD)
            w->loads = w->runs.deeds.of[i].term;
    }
    if (one_in(w, 8)) /* time that it is not told of */
        w->now = hf_after(w->now, codec_length(1));
    move(w);
}

static void
tell_found(struct world *w, const struct asked *asked)
{
    struct hf_node_event event = {.kind = HF_NODE_FOUND};

    event.found.number = asked->question.ask.request.number;
    event.found.sight.kind = HF_SIGHT_NONE;
    if (asked->served && !one_in(w, 10)) {
        event.found.sight = asked->sight;
        event.found.head = asked->head;
        event.found.head.forgot = one_in(w, 12);
    }
    happens(w, &event);
}

/* What was not done may be done yet, where nobody knows. */
static void
tell_verdict(struct world *w, const struct asked *asked, bool forgotten)
{
    struct hf_node_event event = {.kind = HF_NODE_STORE};
    enum hf_verdict verdict = asked->verdict;

    if (!asked->served)
        verdict = forgotten ? HF_UNAVAILABLE : HF_UNKNOWN;
    else if (one_in(w, 6))
        verdict = HF_UNKNOWN;
    event.store = hf_answer(w->now, asked->question.ask.request.number, verdict,
                            asked->version);
    happens(w, &event);
}

static void
store_answers(struct world *w)
{
    unsigned which;
    struct asked asked;
    bool forgotten = !one_in(w, 5);

    if (w->asked_count == 0)
        return;
    which = one_in(w, 3) ? pick(w, w->asked_count - 1) : w->asked_count - 1;
    if (!one_in(w, 6))
        serve(w, &w->asked[which]);
    asked = w->asked[which];
    if (forgotten)
        w->asked[which] = w->asked[--w->asked_count];
    if (asked.question.ask.request.read)
        tell_found(w, &asked);
    else
        tell_verdict(w, &asked, forgotten);
}

static void
store_says(struct world *w)
{
    static const enum hf_event_kind kinds[] = {
        HF_ON_HINT, HF_ON_PROCESSES, HF_ON_PROCESSES, HF_ON_WENT_BACK};
    struct hf_node_event event = {.kind = HF_NODE_STORE};

    event.store.kind = kinds[pick(w, one_in(w, 4) ? 3 : 2)];
    if (event.store.kind == HF_ON_PROCESSES) {
        event.store.processes.version = w->head.version;
        event.store.processes.gone = one_in(w, 2);
    } else if (event.store.kind == HF_ON_WENT_BACK) {
        w->asked_count = 0;
    }
    happens(w, &event);
}

static void
load(struct world *w)
{
    struct hf_node_event event = {.kind = HF_NODE_LOADED};

    event.load.term = w->runs.node.term - (one_in(w, 8) ? 1 : 0);
    event.load.wall_us = 1;
    if (w->loads != 0 && one_in(w, 2)) {
        event.kind = HF_NODE_LOADED_SESSION;
        event.load.session = (struct hf_loaded_session){
            .id = 1, .ttl = codec_length(1 + pick(w, MAX_TTL - 1))};
        w->loads = event.load.term == w->loads ? 0 : w->loads;
    } else if (one_in(w, 10)) {
        event.kind = HF_NODE_LOAD_FAILED;
    }
    happens(w, &event);
}

static void
client_says(struct world *w)
{
    struct hf_want want = snapshot_want(pick(w, 1), HF_EXCLUSIVE);
    struct hf_node_event event = {.kind = HF_NODE_MESSAGE};
    struct hf_message *message = &event.message;

    message->stream = ++w->last_stream;
    message->session = 1 + pick(w, 1);
    message->term = w->runs.node.term;
    message->kind = HF_MESSAGE_KEEP_ALIVE;
    if (one_in(w, 5)) {
        message->kind = HF_MESSAGE_OPEN;
        message->open.ttl = w->config.lockspace.ttl_max;
    } else if (one_in(w, 3)) {
        message->kind = HF_MESSAGE_ACQUIRE;
        message->lowest = message->lane = 1;
        message->n = ++w->last_n;
        message->a = 1;
        message->acquire.wants = &want;
        message->acquire.wants_count = 1;
    } else if (w->last_n > 0 && one_in(w, 3)) {
        message->kind = HF_MESSAGE_RELEASE;
        message->lowest = message->lane = 1;
        message->n = w->last_n;
        message->a = 1;
    }
    happens(w, &event);
}

static void
pass(struct world *w)
{
    struct hf_node_event event = {.kind = HF_NODE_CLOCK};
    int64_t ticks = ticks_until(w->now, hf_node_deadline(&w->runs.node));

    if (ticks < 0 || one_in(w, 6))
        ticks = pick(w, 3);
    w->now = hf_after(w->now, codec_length((unsigned)ticks));
    happens(w, &event);
}

static void
something_happens(struct world *w)
{
    struct hf_node_event stop = {.kind = HF_NODE_STOP};
    unsigned chance = pick(w, 99);

    if (chance < 20)
        pass(w);
    else if (chance < 60)
        store_answers(w);
    else if (chance < 64)
        store_says(w);
    else if (chance < 66)
        rival_writes(w);
    else if (w->runs.node.state == HF_NODE_LOADING)
        load(w);
    else if (chance < 98)
        client_says(w);
    else if (one_in(w, 8))
        happens(w, &stop);
}

static void
begin(struct world *w, unsigned ttl, uint64_t seed)
{
    struct hf_node_event start = {.kind = HF_NODE_START};

    *w = (struct world){
        .random = seed * UINT64_C(0x9e3779b97f4a7c15) + 1,
        .now = CODEC_NOW,
        .config =
            {
                .leader = {.terms = {HF_TAKEOVER, codec_length(ttl),
                                     codec_length(1)},
                           .max_ttl = codec_length(MAX_TTL),
                           .seed = seed},
                .lockspace = snapshot_lockspace(2 * CODEC_TICK_MS, 0, 0),
                .budget = {100, 1 << 20},
                .rest = codec_length(2),
            },
        .head = {.kind = HF_SIGHT_ABSENT, .version = 1},
    };
    w->config.lockspace.ttl_max = codec_length(6);
    assert_true(hf_lockspace_size(&w->config.lockspace) <= SNAPSHOT_BLOCK);
    hf_node_init(&w->runs.node, &w->config, w->runs.block.bytes);
    hf_node_init(&w->moves.node, &w->config, w->moves.block.bytes);
    happens(w, &start);
}

static void
run(unsigned ttl)
{
    static struct world w;
    uint64_t only = from_environment("HF_SEED", 0);
    uint64_t last = only != 0 ? only : WORLDS;

    for (uint64_t seed = only != 0 ? only : 1; seed <= last; seed++) {
        if (only != 0)
            printf("HF_SEED=%llu\n", (unsigned long long)seed);
        begin(&w, ttl, seed);
        for (unsigned i = 0; i < STEPS; i++)
            something_happens(&w);
    }
}

/* ---- Tests --------------------------------------------------------------- */

static void
a_node_whose_patience_is_a_tick_runs_on_as_if_never_written(void **state)
{
    (void)state;
    run(4);
}

static void
a_node_whose_patience_varies_runs_on_as_if_never_written(void **state)
{
    (void)state;
    run(13);
}

/* ---- What comes to the same ---------------------------------------------- */

/* The last that was asked is done and answered, and then a beat is due. */
static void
beat(struct world *w)
{
    struct hf_node_event event = {.kind = HF_NODE_STORE, .at = w->now};
    struct asked *asked = &w->asked[w->asked_count - 1];

    serve(w, asked);
    assert_int_equal(asked->verdict, HF_APPLIED);
    event.store = hf_answer(w->now, asked->question.ask.request.number,
                            HF_APPLIED, asked->version);
    step(&w->runs, &event);
    w->now = hf_after(w->now, w->config.leader.terms.beat);
    event = (struct hf_node_event){.kind = HF_NODE_CLOCK, .at = w->now};
    step(&w->runs, &event);
    assert_int_equal(w->runs.deeds.of[0].kind, HF_NODE_ASK);
    note_asked(w, &w->runs.deeds.of[0].ask);
}

static void
how_often_it_has_beaten_leaves_no_trace(void **state)
{
    static struct world w;
    static struct ranked ranked;
    struct hf_node_event found = {.kind = HF_NODE_FOUND};
    uint8_t first[NODE_CODEC_SIZE];
    uint8_t again[NODE_CODEC_SIZE];

    (void)state;
    begin(&w, 4, 1);
    found.at = w.now;
    found.found.number = w.asked[0].question.ask.request.number;
    found.found.sight = w.head;
    step(&w.runs, &found);
    note_asked(&w, &w.runs.deeds.of[0].ask);
    beat(&w); /* the claim is applied, and it loads */
    beat(&w);
    write_ranked(&w, &w.runs, &ranked, first);
    for (unsigned i = 0; i < 20; i++)
        beat(&w);
    write_ranked(&w, &w.runs, &ranked, again);
    assert_int_equal(w.runs.node.state, HF_NODE_LOADING);
    assert_memory_equal(first, again, NODE_CODEC_SIZE);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            a_node_whose_patience_is_a_tick_runs_on_as_if_never_written),
        cmocka_unit_test(
            a_node_whose_patience_varies_runs_on_as_if_never_written),
        cmocka_unit_test(how_often_it_has_beaten_leaves_no_trace),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

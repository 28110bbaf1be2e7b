#include "unit/support/node_bench.h"

#include <stdio.h>

#include "base/attrs.h"
#include "base/check.h"

HF_PRINTF(2, 3)
static void
note(struct bench *b, const char *format, ...)
{
    size_t left = sizeof(b->text) - b->len;
    va_list args;
    int len;

    va_start(args, format);
    len = vsnprintf(b->text + b->len, left, format, args);
    va_end(args);
    HF_CHECK(len >= 0 && (size_t)len < left);
    b->len += (size_t)len;
}

/* ---- What is told -------------------------------------------------------- */

static void
note_ask(struct bench *b, const struct hf_leader_effect *ask)
{
    const struct hf_request *request = &ask->ask.request;
    unsigned long long version = request->ops[0].expect.version;

    if (request->read) {
        note(b, "#%llu read\n", (unsigned long long)request->number);
        return;
    }
    note(b, "#%llu %s v%llu fence %llu", (unsigned long long)request->number,
         ask->ask.head.led ? "put" : "no node", version,
         (unsigned long long)ask->ask.head.next_fence);
    if (ask->ask.batch != 0)
        note(b, " batch %llu", (unsigned long long)ask->ask.batch);
    note(b, "\n");
}

static void
note_changes(struct bench *b)
{
    static const char *const words[] = {
        [HF_CHANGE_PUT_SESSION] = "put session",
        [HF_CHANGE_DELETE_SESSION] = "delete session",
        [HF_CHANGE_PUT_GRANT] = "put grant",
        [HF_CHANGE_DELETE_GRANT] = "delete grant",
        [HF_CHANGE_PUT_AUDIT] = "put audit",
    };
    struct hf_change change;

    note(b, "batch:");
    while (hf_node_take(&b->node, &change))
        note(b, " %s %llu", words[change.kind], (unsigned long long)change.key);
    note(b, "\n");
}

static const char *
answer_word(const struct hf_answer *answer)
{
    if (answer->kind == HF_ANSWER_OPENED)
        return "opened";
    if (answer->kind == HF_ANSWER_ALIVE)
        return "alive";
    if (answer->kind == HF_ANSWER_GRANTED)
        return "granted";
    if (answer->kind == HF_ANSWER_GONE)
        return "gone";
    if (answer->kind == HF_ANSWER_TERM)
        return "term";
    if (answer->kind == HF_ANSWER_OVER)
        return "over";
    return "?";
}

static void
note_due(struct bench *b, uint64_t through)
{
    size_t left = 0;

    note(b, "due:");
    for (size_t i = 0; i < b->waiting_count; i++) {
        const struct hf_answer *answer = &b->waiting[i];

        if (answer->mark > through)
            b->waiting[left++] = *answer;
        else if (answer->kind == HF_ANSWER_GRANTED)
            note(b, " %llu granted %llu", (unsigned long long)answer->stream,
                 (unsigned long long)answer->fence);
        else
            note(b, " %llu %s", (unsigned long long)answer->stream,
                 answer_word(answer));
    }
    b->waiting_count = left;
    note(b, "\n");
}

static void
tell(struct bench *b, const struct hf_node_effect *effect)
{
    switch (effect->kind) {
    case HF_NODE_ASK:
        note_ask(b, &effect->ask);
        break;
    case HF_NODE_COLLECT:
        note_changes(b);
        break;
    case HF_NODE_LOAD:
        note(b, "load, term %llu\n", (unsigned long long)effect->term);
        break;
    case HF_NODE_ANSWER:
        HF_CHECK(b->waiting_count < WAITING_MAX);
        b->waiting[b->waiting_count++] = effect->answer;
        break;
    case HF_NODE_DUE:
        note_due(b, effect->through);
        break;
    case HF_NODE_REFUSE:
        note(b, "%llu not leading, %s\n",
             (unsigned long long)effect->refuse.stream,
             effect->refuse.followed ? "another does" : "nobody does");
        break;
    case HF_NODE_DISCARD:
        note(b, "discard %zu\n", b->waiting_count);
        b->waiting_count = 0;
        break;
    case HF_NODE_RESTS:
        note(b, "rests: %s\n", hf_status_name(effect->status));
        break;
    case HF_NODE_STOPPED:
        note(b, "stopped\n");
        break;
    }
}

/* ---- Events -------------------------------------------------------------- */

static void
give(struct bench *b, struct hf_node_event event)
{
    struct hf_node_effect effect;

    hf_node_step(&b->node, &event);
    while (hf_node_next(&b->node, &effect))
        tell(b, &effect);
}

void
node_step(struct bench *b, struct hf_node_event event)
{
    give(b, event);
    if (!b->long_turns)
        give(b, (struct hf_node_event){.kind = HF_NODE_TURN, .at = event.at});
}

void
node_store(struct bench *b, struct hf_event event)
{
    node_step(b, (struct hf_node_event){
                     .kind = HF_NODE_STORE, .at = event.at, .store = event});
}

void
node_at(struct bench *b, int64_t ms, enum hf_node_event_kind kind)
{
    struct hf_node_event event = {.kind = kind, .at = T(ms)};

    if (kind == HF_NODE_CLOCK)
        event.read_until = event.at;
    node_step(b, event);
}

void
node_found(struct bench *b, int64_t ms, uint64_t number, uint64_t version,
           struct hf_heartbeat heartbeat, struct hf_head_state head)
{
    struct hf_node_event event = {.kind = HF_NODE_FOUND, .at = T(ms)};

    event.found.number = number;
    event.found.head = head;
    event.found.sight = (struct hf_sight){
        .kind = HF_SIGHT_LOCK,
        .version = version,
        .token = version,
        .heartbeat = heartbeat,
        .terms = b->node.config.leader.terms,
    };
    node_step(b, event);
}

static struct hf_node_event
load(int64_t ms, uint64_t term, enum hf_node_event_kind kind)
{
    struct hf_node_event event = {.kind = kind, .at = T(ms)};

    event.load.term = term;
    return event;
}

void
node_load_session(struct bench *b, int64_t ms, uint64_t term, uint64_t id,
                  int64_t ttl_ms)
{
    struct hf_node_event event = load(ms, term, HF_NODE_LOADED_SESSION);

    event.load.session = (struct hf_loaded_session){
        .id = id, .ttl = {ttl_ms}, .if_dead = HF_TAKEOVER};
    node_step(b, event);
}

static struct hf_want
want(const char *name)
{
    return (struct hf_want){{"default", 7}, {name, strlen(name)}, HF_EXCLUSIVE};
}

void
node_load_grant(struct bench *b, int64_t ms, uint64_t term, uint64_t fence,
                uint64_t session, uint64_t lane, const char *name)
{
    struct hf_node_event event = load(ms, term, HF_NODE_LOADED_GRANT);
    struct hf_want wants[] = {want(name)};

    event.load.grant = (struct hf_loaded_grant){
        .fence = fence,
        .session = session,
        .lane = lane,
        .n = 1,
        .wants = wants,
        .wants_count = 1,
    };
    node_step(b, event);
}

void
node_loaded(struct bench *b, int64_t ms, uint64_t term)
{
    struct hf_node_event event = load(ms, term, HF_NODE_LOADED);

    event.load.wall_us = 1;
    node_step(b, event);
}

static struct hf_node_event
message(struct bench *b, int64_t ms, uint64_t stream, enum hf_message_kind kind)
{
    struct hf_node_event event = {.kind = HF_NODE_MESSAGE, .at = T(ms)};

    event.message = (struct hf_message){
        .kind = kind,
        .stream = stream,
        .session = 1,
        .term = b->node.term,
        .lane = 1,
        .n = 1,
        .a = 1,
    };
    return event;
}

static void
acquire(struct bench *b, struct hf_node_event event, uint64_t lane,
        const char *name, enum hf_wait_kind wait)
{
    struct hf_want wants[] = {want(name)};

    event.message.lane = lane;
    event.message.acquire.wants = wants;
    event.message.acquire.wants_count = 1;
    event.message.acquire.wait = wait;
    node_step(b, event);
}

void
node_acquire(struct bench *b, int64_t ms, uint64_t stream, uint64_t lane,
             const char *name)
{
    acquire(b, message(b, ms, stream, HF_MESSAGE_ACQUIRE), lane, name,
            HF_WAIT_FOREVER);
}

void
node_try(struct bench *b, int64_t ms, uint64_t stream, uint64_t lane,
         const char *name)
{
    acquire(b, message(b, ms, stream, HF_MESSAGE_ACQUIRE), lane, name,
            HF_WAIT_TRY);
}

void
node_keep_alive(struct bench *b, int64_t ms, uint64_t stream, uint64_t session)
{
    struct hf_node_event event = message(b, ms, stream, HF_MESSAGE_KEEP_ALIVE);

    event.message.session = session;
    node_step(b, event);
}

/* ---- A bench ------------------------------------------------------------- */

struct bench
node_following(void)
{
    struct bench b = {0};
    struct hf_node_config config = {
        .leader = {.terms = {HF_TAKEOVER, {1000}, {200}},
                   .grace = {100},
                   .max_ttl = {3000}},
        .lockspace = room_config(),
        .budget = {100, 1 << 20},
        .rest = {500},
    };

    b.block = malloc(hf_lockspace_size(&config.lockspace));
    HF_CHECK(b.block != NULL);
    hf_node_init(&b.node, &config, b.block);
    node_at(&b, 0, HF_NODE_START);
    EXPECT_TOLD_BY(&b, "#1 read\n");
    return b;
}

struct bench
node_loading(void)
{
    struct bench b = node_following();

    node_found(&b, 0, 1, 7, (struct hf_heartbeat){6, 3},
               (struct hf_head_state){.led = false, .next_fence = 50});
    node_store(&b, applied(20, 2, 8));
    EXPECT_TOLD_BY(&b, "#2 put v7 fence 50\n"
                       "load, term 8\n");
    return b;
}

struct bench
node_serving(void)
{
    struct bench b = node_loading();

    node_load_session(&b, 30, 8, 1, 10000);
    node_load_grant(&b, 30, 8, 30, 1, 1, "A");
    node_loaded(&b, 30, 8);
    assert_int_equal(b.node.state, HF_NODE_SERVING);
    EXPECT_TOLD_BY(&b, "");
    return b;
}

void
node_fini(struct bench *b)
{
    free(b->block);
}

#include "unit/support/node_script.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "core/lockspace/look.h"
#include "unit/support/core_script.h"
#include "unit/support/server_fixture.h"

#define WAITING_MAX 16

/* A node, and the answers that it was given and are not due. */
static struct {
    struct hf_node node;
    void *block; /* owned */
    bool long_turns;
    struct hf_answer waiting[WAITING_MAX];
    size_t waiting_count;
} bench;

static const struct script_situation situations[] = {
    {"following", "0 start | #1 read\n"},
    {"loading", "following\n"
                "0 head #1 v7 6_3 fence 50 | #2 put v7 fence 50\n"
                "20 applied #2 v8 | load, term 8\n"},
    {"serving", "loading\n"
                "30 load-session 1\n"
                "30 load-grant 30 A of 1\n"
                "30 loaded\n"
                "= state serving\n"},
    {NULL, NULL},
};

static void
end(void)
{
    free(bench.block);
    memset(&bench, 0, sizeof(bench));
}

static void
start(struct script_line *line)
{
    struct hf_node_config config = {
        .leader = {.terms = {HF_TAKEOVER, {1000}, {200}},
                   .grace = {100},
                   .max_ttl = {3000}},
        .lockspace = server_config(),
        .budget = {100, 1 << 20},
        .rest = {500},
    };

    script_duration(line, "grace", &config.lockspace.takeover_grace);
    end();
    bench.block = malloc(hf_lockspace_size(&config.lockspace));
    HF_CHECK(bench.block != NULL);
    hf_node_init(&bench.node, &config, bench.block);
}

static void
begin(void)
{
    start(&(struct script_line){""});
}

/* ---- What is told -------------------------------------------------------- */

static void
note_ask(struct hf_text *came, const struct hf_leader_effect *ask)
{
    const struct hf_request *request = &ask->ask.request;
    unsigned long long version = request->ops[0].expect.version;

    if (request->read) {
        hf_text_addf(came, "#%llu read\n", (unsigned long long)request->number);
        return;
    }
    hf_text_addf(came, "#%llu %s v%llu fence %llu",
                 (unsigned long long)request->number,
                 ask->ask.head.led ? "put" : "no node", version,
                 (unsigned long long)ask->ask.head.next_fence);
    if (ask->ask.batch != 0)
        hf_text_addf(came, " batch %llu", (unsigned long long)ask->ask.batch);
    hf_text_addf(came, "\n");
}

static void
note_silence(struct hf_text *came, const struct hf_change *change)
{
    struct hf_look_session session;

    if (change->kind != HF_CHANGE_PUT_SESSION)
        return;
    hf_look_session_at(bench.node.lockspace, change->number, &session);
    if (session.silent_from.ms != 0)
        hf_text_addf(came, " from %" PRId64, session.silent_from.ms);
}

static void
note_changes(struct hf_text *came)
{
    static const char *const words[] = {
        [HF_CHANGE_PUT_SESSION] = "put session",
        [HF_CHANGE_DELETE_SESSION] = "delete session",
        [HF_CHANGE_PUT_GRANT] = "put grant",
        [HF_CHANGE_DELETE_GRANT] = "delete grant",
        [HF_CHANGE_PUT_AUDIT] = "put audit",
    };
    struct hf_change change;

    hf_text_addf(came, "batch:");
    while (hf_node_take(&bench.node, &change)) {
        hf_text_addf(came, " %s %llu", words[change.kind],
                     (unsigned long long)change.key);
        note_silence(came, &change);
    }
    hf_text_addf(came, "\n");
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
note_due(struct hf_text *came, uint64_t through)
{
    size_t left = 0;

    hf_text_addf(came, "due:");
    for (size_t i = 0; i < bench.waiting_count; i++) {
        const struct hf_answer *answer = &bench.waiting[i];

        if (answer->mark > through)
            bench.waiting[left++] = *answer;
        else if (answer->kind == HF_ANSWER_GRANTED)
            hf_text_addf(came, " %llu granted %llu",
                         (unsigned long long)answer->stream,
                         (unsigned long long)answer->fence);
        else
            hf_text_addf(came, " %llu %s", (unsigned long long)answer->stream,
                         answer_word(answer));
    }
    bench.waiting_count = left;
    hf_text_addf(came, "\n");
}

static void
tell(struct hf_text *came, const struct hf_node_effect *effect)
{
    switch (effect->kind) {
    case HF_NODE_ASK:
        note_ask(came, &effect->ask);
        break;
    case HF_NODE_COLLECT:
        note_changes(came);
        break;
    case HF_NODE_LOAD:
        hf_text_addf(came, "load, term %llu\n",
                     (unsigned long long)effect->term);
        break;
    case HF_NODE_ANSWER:
        HF_CHECK(bench.waiting_count < WAITING_MAX);
        bench.waiting[bench.waiting_count++] = effect->answer;
        break;
    case HF_NODE_DUE:
        note_due(came, effect->through);
        break;
    case HF_NODE_REFUSE:
        hf_text_addf(came, "%llu not leading, %s\n",
                     (unsigned long long)effect->refuse.stream,
                     effect->refuse.followed ? "another does" : "nobody does");
        break;
    case HF_NODE_DISCARD:
        hf_text_addf(came, "discard %zu\n", bench.waiting_count);
        bench.waiting_count = 0;
        break;
    case HF_NODE_RESTS:
        hf_text_addf(came, "rests: %s\n", hf_status_name(effect->status));
        break;
    case HF_NODE_STOPPED:
        hf_text_addf(came, "stopped\n");
        break;
    }
}

/* ---- Events -------------------------------------------------------------- */

static void
give(struct hf_node_event event, struct hf_text *came)
{
    struct hf_node_effect effect;

    hf_node_step(&bench.node, &event);
    while (hf_node_next(&bench.node, &effect))
        tell(came, &effect);
}

static void
give_turn(struct hf_node_event event, struct hf_text *came)
{
    give(event, came);
    if (!bench.long_turns)
        give((struct hf_node_event){.kind = HF_NODE_TURN, .at = event.at},
             came);
}

const char *
node_is_due(void)
{
    static char bytes[512];
    struct hf_text came;
    struct hf_instant at = hf_node_deadline(&bench.node);

    hf_text_init(&came, bytes, sizeof(bytes));
    give_turn((struct hf_node_event){.kind = HF_NODE_CLOCK,
                                     .at = at,
                                     .read_until = at},
              &came);
    return bytes;
}

/* "acquire B on 11, lane 2"; what is wanted stands in `want`, `name`. */
static bool
read_message(struct script_line *line, struct hf_node_event *event,
             struct hf_want *want, struct hf_text *name)
{
    struct hf_message *message = &event->message;
    bool is_try = script_word(line, "try");

    *message = (struct hf_message){
        .session = 1, .term = bench.node.term, .lane = 1, .n = 1, .a = 1};
    event->kind = HF_NODE_MESSAGE;
    if (is_try || script_word(line, "acquire")) {
        message->kind = HF_MESSAGE_ACQUIRE;
        script_any(line, name);
        *want = (struct hf_want){
            {"default", 7}, {name->at, name->len}, HF_EXCLUSIVE};
        message->acquire.wants = want;
        message->acquire.wants_count = 1;
        message->acquire.wait = is_try ? HF_WAIT_TRY : HF_WAIT_FOREVER;
    } else if (script_option(line, "keep-alive", &message->session)) {
        message->kind = HF_MESSAGE_KEEP_ALIVE;
    } else {
        return false;
    }
    script_option(line, "on", &message->stream);
    script_option(line, "lane", &message->lane);
    if (message->kind == HF_MESSAGE_ACQUIRE)
        script_duration(line, "waited", &message->acquire.waited);
    return true;
}

/* "load-grant 30 A of 1"; its name as above */
static bool
read_load(struct script_line *line, struct hf_node_event *event,
          struct hf_want *want, struct hf_text *name)
{
    struct hf_loaded_session session = {.ttl = {10000}};
    struct hf_loaded_grant grant = {
        .lane = 1, .n = 1, .wants = want, .wants_count = 1};

    uint64_t wall_ms;

    event->load.term = bench.node.term;
    if (script_option(line, "load-session", &session.id)) {
        event->kind = HF_NODE_LOADED_SESSION;
        script_duration(line, "ttl", &session.ttl);
        script_duration(line, "from", &session.silent_from);
        event->load.session = session;
    } else if (script_option(line, "load-grant", &grant.fence)) {
        event->kind = HF_NODE_LOADED_GRANT;
        script_any(line, name);
        *want = (struct hf_want){
            {"default", 7}, {name->at, name->len}, HF_EXCLUSIVE};
        script_option(line, "of", &grant.session);
        script_option(line, "lane", &grant.lane);
        event->load.grant = grant;
    } else if (script_word(line, "loaded")) {
        event->kind = HF_NODE_LOADED;
        event->load.wall_us = 1;
        if (script_option(line, "wall", &wall_ms))
            event->load.wall_us = wall_ms * 1000;
    } else if (script_word(line, "load-failed")) {
        event->kind = HF_NODE_LOAD_FAILED;
    } else {
        return false;
    }
    script_option(line, "term", &event->load.term);
    return true;
}

static bool
read_word(struct script_line *line, struct hf_node_event *event)
{
    uint64_t read_ms = (uint64_t)event->at.ms;

    if (script_word(line, "start")) {
        event->kind = HF_NODE_START;
    } else if (script_word(line, "stop")) {
        event->kind = HF_NODE_STOP;
    } else if (script_word(line, "turn")) {
        event->kind = HF_NODE_TURN;
    } else if (script_word(line, "clock")) {
        event->kind = HF_NODE_CLOCK;
        script_option(line, "read", &read_ms);
        event->read_until.ms = (int64_t)read_ms;
    } else {
        return false;
    }
    return true;
}

/* Of the store: a head, or an answer. */
static bool
read_store(struct script_line *line, struct hf_node_event *event)
{
    struct script_head head = {
        .sight = {.terms = bench.node.config.leader.terms}};

    if (script_head(line, &head)) {
        event->kind = HF_NODE_FOUND;
        event->at = head.at;
        event->found.number = head.number;
        event->found.sight = head.sight;
        event->found.head = head.state;
        return true;
    }
    if (!script_event(line, &event->store))
        return false;
    event->kind = HF_NODE_STORE;
    event->at = event->store.at;
    return true;
}

/* "grace": for how long it grants nothing; "waits A": how long the first in
 * line for it is shown to have waited. */
static bool
query(struct script_line *line, struct hf_instant at, struct hf_text *came)
{
    const struct hf_want a = {{"default", 7}, {"A", 1}, HF_EXCLUSIVE};
    struct hf_look_name name;
    struct hf_look_claim claim;
    uint32_t cursor = 0;

    if (script_word(line, "grace")) {
        hf_text_addf(came, "%" PRId64 "\n", hf_node_grace(&bench.node, at).ms);
        return true;
    }
    if (!script_word(line, "waits") || !script_word(line, "A"))
        return false;
    assert_true(hf_look_find(bench.node.lockspace, &a, &name));
    assert_true(
        hf_look_line(bench.node.lockspace, name.number, &cursor, &claim));
    hf_text_addf(came, "%" PRId64 "\n", claim.age.ms);
    return true;
}

static bool
step(struct script_line *line, struct hf_text *came)
{
    struct script_line ahead = *line;
    struct hf_node_event event = {0};
    struct hf_want want;
    char bytes[40];
    struct hf_text name;
    uint64_t at_ms = 0;

    hf_text_init(&name, bytes, sizeof(bytes));
    if (script_word(line, "start")) {
        start(line);
        return true;
    }
    if (script_word(line, "long-turns")) {
        bench.long_turns = true;
        return true;
    }
    script_number(&ahead, "", &at_ms);
    event.at.ms = (int64_t)at_ms;
    if (query(&ahead, event.at, came)) {
        *line = ahead;
        return true;
    }
    if (read_word(&ahead, &event) ||
        read_message(&ahead, &event, &want, &name) ||
        read_load(&ahead, &event, &want, &name))
        *line = ahead;
    else if (!read_store(line, &event))
        return false;
    give_turn(event, came);
    return true;
}

/* ---- Facts --------------------------------------------------------------- */

static const char *
state_word(void)
{
    switch (bench.node.state) {
    case HF_NODE_FOLLOWING:
        return "following";
    case HF_NODE_LOADING:
        return "loading";
    case HF_NODE_SERVING:
        return "serving";
    case HF_NODE_DRAINING:
        return "draining";
    case HF_NODE_LEAVING:
        return "leaving";
    case HF_NODE_ENDED:
        return "ended";
    }
    return "?";
}

static bool
fact(const char *name, struct hf_text *is)
{
    if (strcmp(name, "state") == 0)
        hf_text_add(is, state_word());
    else if (strcmp(name, "deadline") == 0)
        script_instant(is, hf_node_deadline(&bench.node));
    else if (strcmp(name, "rests") == 0)
        hf_text_addf(is, "%" PRId64,
                     hf_node_deadline(&bench.node).ms - bench.node.now.ms);
    else if (strcmp(name, "alive-by") == 0)
        script_instant(is, bench.node.alive_by);
    else
        return false;
    return true;
}

const struct script_machine node_script = {
    .situations = situations,
    .begin = begin,
    .step = step,
    .fact = fact,
    .end = end,
};

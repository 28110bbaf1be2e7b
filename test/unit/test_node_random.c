#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/lockspace/look.h"
#include "core/node.h"
#include "unit/support/model_store.h"
#include "unit/support/room.h"
#include "unit/support/tale.h"

/*
 * Three nodes, four clients and one store, whose calls are slow, lost, unknown
 * or refused for no reason of ours; nodes freeze, stop and begin anew.  After
 * every step: whoever believes in a grant within its right finds it in the
 * store, and no two grants of one name are there.
 *
 * HF_SEED=N runs one seed.
 */

enum {
    NODES = 3,
    CLIENTS = 4,
    NAMES = 2,
    CALLS_MAX = 96,
    LETTERS_MAX = 128,
    RECORDS_MAX = 64,
    CHANGES_MAX = 64,
    KEPT_MAX = 256,
    WORLDS = 400,
    STEPS = 3000,
    CALM_MS = 20000,
    TTL_MS = 1000,
    FENCES_MAX = 1 << 14,
};

static const char *const names[NAMES] = {"A", "B"};

/* A record of a session (name is NAMES) or of a grant. */
struct record {
    uint64_t key; /* 0: none */
    uint64_t session;
    uint64_t lane;
    uint64_t n;
    unsigned name;
};

struct change {
    enum hf_change_kind kind;
    struct record record;
};

struct batch {
    struct change changes[CHANGES_MAX];
    size_t count;
};

/* A question on its way to the store, or its answer on its way back. */
struct errand {
    bool used;
    bool out; /* not yet done */
    bool unknown;
    bool answers;
    unsigned node;
    uint64_t life; /* of the node: what a former one asked is not answered */
    struct hf_instant due;
    bool loads; /* reads everything; else `ask` */
    uint64_t term;
    struct hf_leader_effect ask;
    struct batch batch;
    enum hf_verdict verdict;
    uint64_t version;
    struct hf_sight sight;
    struct hf_head_state head;
    struct record records[RECORDS_MAX];
};

/* A message of a client's, or what is said to it. */
struct letter {
    bool used;
    bool back;
    unsigned client;
    unsigned node;
    struct hf_instant due;
    struct hf_instant sent;
    enum hf_message_kind kind;
    uint64_t stream;
    uint64_t session;
    uint64_t term;
    uint64_t n;
    uint64_t a;
    unsigned name;
    bool refused; /* not leading */
    struct hf_answer answer;
    uint64_t answer_term;
};

struct node {
    struct hf_node node;
    void *block;
    uint64_t life;
    struct hf_instant frozen_until;
    struct batch batch; /* collected last */
    struct hf_answer kept[KEPT_MAX];
    size_t kept_count;
};

struct client {
    uint64_t session;
    uint64_t term;
    struct hf_instant opened;
    struct hf_instant valid_until;
    struct hf_instant next;
    struct hf_instant alive_next;
    uint64_t n;
    uint64_t a;
    unsigned name;
    bool asks;
    bool releases;
    uint64_t fence; /* believed in */
    struct hf_instant holds_until;
    unsigned node;
};

struct seen {
    size_t terms;
    size_t grants;
    size_t kept_over; /* grants believed in through a change of leader */
    size_t gone;
    size_t stops;
    size_t discards;
};

static struct {
    uint64_t random;
    struct hf_instant now;
    bool faults;
    uint64_t streams;
    uint64_t sessions;
    struct model_store store;
    struct hf_head_state head;
    struct record records[RECORDS_MAX];
    bool given[FENCES_MAX]; /* fences that were ever there */
    struct node nodes[NODES];
    struct client clients[CLIENTS];
    struct errand calls[CALLS_MAX];
    struct letter letters[LETTERS_MAX];
    struct seen seen;
} w;

static uint64_t seed_now;

static void
on_abort(int number)
{
    (void)number;
    fprintf(stderr, "HF_SEED=%llu at %lld ms\n", (unsigned long long)seed_now,
            (long long)w.now.ms);
    _exit(1);
}

#define MUST(condition)                                                        \
    do {                                                                       \
        if (!(condition)) {                                                    \
            fprintf(stderr, "not so: %s (line %d)\n", #condition, __LINE__);   \
            abort();                                                           \
        }                                                                      \
    } while (0)

static uint64_t
below(uint64_t bound)
{
    w.random ^= w.random << 13;
    w.random ^= w.random >> 7;
    w.random ^= w.random << 17;
    return (w.random >> 11) % bound;
}

static bool
chance(unsigned per_thousand)
{
    return w.faults && below(1000) < per_thousand;
}

static struct hf_instant
in(int64_t ms)
{
    return hf_after(w.now, (struct hf_duration){ms});
}

static struct hf_instant
soon(void)
{
    return in((int64_t)below(8) + (chance(20) ? (int64_t)below(1500) : 0));
}

/* ---- The store ----------------------------------------------------------- */

static struct record *
find_record(uint64_t key, bool session)
{
    for (size_t i = 0; i < RECORDS_MAX; i++)
        if (w.records[i].key == key && key != 0 &&
            (w.records[i].name == NAMES) == session)
            return &w.records[i];
    return NULL;
}

static struct record *
record_for(uint64_t key, bool session)
{
    struct record *record = find_record(key, session);

    for (size_t i = 0; i < RECORDS_MAX && record == NULL; i++)
        if (w.records[i].key == 0)
            record = &w.records[i];
    MUST(record != NULL);
    return record;
}

static bool
is_void(const struct record *grant)
{
    return find_record(grant->session, true) == NULL;
}

static void
write_change(const struct change *change)
{
    uint64_t key = change->record.key;
    bool session = change->record.name == NAMES;

    switch (change->kind) {
    case HF_CHANGE_PUT_GRANT: /* no fence was ever there before [J3] */
        MUST(key < w.head.next_fence && key < FENCES_MAX && !w.given[key]);
        w.given[key] = true;
        w.seen.grants++;
        *record_for(key, session) = change->record;
        break;
    case HF_CHANGE_PUT_SESSION:
        *record_for(key, session) = change->record;
        break;
    case HF_CHANGE_DELETE_SESSION:
    case HF_CHANGE_DELETE_GRANT:
        MUST(find_record(key, session) != NULL);
        *find_record(key, session) = (struct record){0};
        break;
    case HF_CHANGE_PUT_AUDIT:
        MUST(!"nobody clears");
    }
}

static void
check_no_two(void)
{
    for (size_t i = 0; i < RECORDS_MAX; i++)
        for (size_t j = 0; j < i; j++)
            MUST(w.records[i].key == 0 || w.records[j].key == 0 ||
                 w.records[i].name == NAMES ||
                 w.records[i].name != w.records[j].name ||
                 is_void(&w.records[i]) || is_void(&w.records[j]));
}

static void
do_call(struct errand *call)
{
    const struct hf_request *request = &call->ask.ask.request;
    uint64_t first = w.head.next_fence;

    call->out = false;
    if (call->loads) {
        memcpy(call->records, w.records, sizeof(w.records));
        return;
    }
    if (request->read) {
        call->sight = model_read(&w.store);
        call->head = w.head;
        return;
    }
    if (call->ask.ask.batch != 0 && chance(10)) {
        call->verdict = HF_REFUSED;
        return;
    }
    call->verdict = model_commit(&w.store, request, &call->version);
    if (call->verdict != HF_APPLIED)
        return;
    w.head = request->ops[0].kind == HF_PUT ? call->ask.ask.head
                                            : (struct hf_head_state){0};
    MUST(w.head.next_fence >= first);
    for (size_t i = 0; call->ask.ask.batch != 0 && i < call->batch.count; i++)
        write_change(&call->batch.changes[i]);
    check_no_two();
}

static struct errand *
new_call(unsigned who)
{
    for (size_t i = 0; i < CALLS_MAX; i++) {
        struct errand *call = &w.calls[i];

        if (call->used)
            continue;
        *call = (struct errand){
            .used = true,
            .out = true,
            .node = who,
            .life = w.nodes[who].life,
            .due = soon(),
            .answers = !chance(50),
        };
        return call;
    }
    abort();
}

/* ---- Letters ------------------------------------------------------------- */

static struct letter *
new_letter(void)
{
    for (size_t i = 0; i < LETTERS_MAX; i++)
        if (!w.letters[i].used)
            return &w.letters[i];
    return NULL;
}

/* The answer to the message of a stream: of whom that is stands in its bits. */
static void
say(unsigned who, uint64_t stream, const struct hf_answer *answer)
{
    struct letter *letter = new_letter();

    if (letter == NULL || chance(30))
        return;
    *letter = (struct letter){
        .used = true,
        .back = true,
        .client = (unsigned)(stream % CLIENTS),
        .node = who,
        .due = soon(),
        .sent = {(int64_t)(stream / CLIENTS % (1 << 24))},
        .n = stream / CLIENTS >> 24,
        .refused = answer == NULL,
        .answer_term = w.nodes[who].node.term,
    };
    if (answer != NULL)
        letter->answer = *answer;
}

static void
send_message(unsigned who, enum hf_message_kind kind)
{
    struct client *client = &w.clients[who];
    struct letter *letter = new_letter();

    if (letter == NULL || chance(30))
        return;
    *letter = (struct letter){
        .used = true,
        .client = who,
        .node = client->node,
        .due = soon(),
        .sent = w.now,
        .kind = kind,
        .stream = ((client->n << 24 | (uint64_t)w.now.ms) * CLIENTS) + who,
        .session = kind == HF_MESSAGE_OPEN ? ++w.sessions : client->session,
        .term = client->term,
        .n = client->n,
        .a = client->a,
        .name = client->name,
    };
}

/* ---- What nodes do ------------------------------------------------------- */

static void step(unsigned who, struct hf_node_event event);

static void
collect(unsigned who)
{
    struct node *node = &w.nodes[who];
    struct hf_lockspace *ls = node->node.lockspace;
    struct hf_change from;

    node->batch.count = 0;
    while (hf_node_take(&node->node, &from)) {
        struct change *to = &node->batch.changes[node->batch.count++];
        struct hf_look_claim grant;
        struct hf_look_name name;
        enum hf_mode mode;
        uint32_t cursor = 0;
        char text[8] = {0};

        MUST(node->batch.count <= CHANGES_MAX);
        *to = (struct change){from.kind, {.key = from.key}};
        if (from.kind == HF_CHANGE_PUT_SESSION ||
            from.kind == HF_CHANGE_DELETE_SESSION)
            to->record.name = NAMES;
        if (from.kind != HF_CHANGE_PUT_GRANT)
            continue;
        hf_look_grant_at(ls, from.number, &grant);
        MUST(hf_look_grant_names(ls, from.number, &cursor, &name, &mode));
        hf_look_text(ls, name.name, text, sizeof(text));
        to->record.session = grant.session;
        to->record.lane = grant.lane;
        to->record.n = grant.n;
        to->record.name = text[0] == 'A' ? 0 : 1;
    }
}

static void
let_out(unsigned who, uint64_t through)
{
    struct node *node = &w.nodes[who];
    size_t left = 0;

    for (size_t i = 0; i < node->kept_count; i++) {
        if (node->kept[i].mark > through)
            node->kept[left++] = node->kept[i];
        else
            say(who, node->kept[i].stream, &node->kept[i]);
    }
    node->kept_count = left;
}

static void
perform(unsigned who, const struct hf_node_effect *effect)
{
    struct node *node = &w.nodes[who];
    struct errand *call;

    switch (effect->kind) {
    case HF_NODE_ASK:
        if (chance(20))
            break; /* lost */
        call = new_call(who);
        call->ask = effect->ask;
        call->batch = node->batch;
        call->unknown = chance(30) && !effect->ask.ask.request.read;
        break;
    case HF_NODE_COLLECT:
        collect(who);
        break;
    case HF_NODE_LOAD:
        call = new_call(who);
        call->loads = true;
        call->answers = true;
        call->term = effect->term;
        w.seen.terms++;
        break;
    case HF_NODE_ANSWER:
        MUST(node->kept_count < KEPT_MAX);
        node->kept[node->kept_count++] = effect->answer;
        break;
    case HF_NODE_DUE:
        let_out(who, effect->through);
        break;
    case HF_NODE_REFUSE:
        say(who, effect->refuse.stream, NULL);
        break;
    case HF_NODE_DISCARD:
        for (size_t i = 0; i < node->kept_count; i++)
            say(who, node->kept[i].stream, NULL);
        node->kept_count = 0;
        w.seen.discards++;
        break;
    case HF_NODE_RESTS:
        break;
    case HF_NODE_STOPPED:
        w.seen.stops++;
        break;
    }
}

static void
step(unsigned who, struct hf_node_event event)
{
    struct hf_node_effect effect;

    event.at = w.now;
    hf_node_step(&w.nodes[who].node, &event);
    while (hf_node_next(&w.nodes[who].node, &effect))
        perform(who, &effect);
    if (w.nodes[who].node.lockspace != NULL)
        hf_lockspace_check(w.nodes[who].node.lockspace);
}

/* A new process; what the last one sent may still be on its way. */
static void
begin_node(unsigned who)
{
    struct node *node = &w.nodes[who];
    struct hf_node_config config = {
        .leader = {.terms = {HF_TAKEOVER, {1000}, {200}}, .grace = {100}},
        .lockspace = room_config(),
        .budget = {4, 1 << 20},
        .rest = {200},
        .share = {20},
    };

    config.leader.seed = below(UINT64_MAX);
    config.lockspace.limits.sessions = 64;
    config.lockspace.seed = below(UINT64_MAX);
    free(node->block);
    *node = (struct node){.life = node->life + 1};
    node->block = malloc(hf_lockspace_size(&config.lockspace));
    MUST(node->block != NULL);
    hf_node_init(&node->node, &config, node->block);
    step(who, (struct hf_node_event){.kind = HF_NODE_START});
}

static bool
is_frozen(unsigned who)
{
    return !hf_reached(w.now, w.nodes[who].frozen_until);
}

static void
stir_node(unsigned who)
{
    struct node *node = &w.nodes[who];

    if (is_frozen(who))
        return;
    if (node->node.state == HF_NODE_ENDED || (chance(1) && below(4) == 0))
        begin_node(who);
    if (hf_reached(w.now, hf_node_deadline(&node->node)))
        step(who, (struct hf_node_event){.kind = HF_NODE_CLOCK});
    if (chance(1) && below(4) == 0)
        step(who, (struct hf_node_event){.kind = HF_NODE_STOP});
    if (chance(1) && below(2) == 0)
        node->frozen_until = in((int64_t)below(3000));
}

/* ---- What arrives -------------------------------------------------------- */

static int
by_key(const void *a, const void *b)
{
    const struct record *left = a;
    const struct record *right = b;

    return (left->key > right->key) - (left->key < right->key);
}

static void
load_record(const struct errand *call, const struct record *record)
{
    struct hf_want wants[] = {
        {{"default", 7}, {"", 1}, HF_EXCLUSIVE},
    };
    struct hf_node_event event = {.kind = HF_NODE_LOADED_SESSION};

    event.load.term = call->term;
    if (record->name == NAMES) {
        event.load.session = (struct hf_loaded_session){
            .id = record->key, .ttl = {TTL_MS}, .if_dead = HF_TAKEOVER};
    } else {
        wants[0].name.at = names[record->name];
        event.kind = HF_NODE_LOADED_GRANT;
        event.load.grant = (struct hf_loaded_grant){
            .fence = record->key,
            .session = record->session,
            .lane = record->lane,
            .n = record->n,
            .wants = wants,
            .wants_count = 1,
        };
    }
    step(call->node, event);
}

static void
load_all(struct errand *call)
{
    struct hf_node_event event = {.kind = HF_NODE_LOADED};

    qsort(call->records, RECORDS_MAX, sizeof(call->records[0]), by_key);
    for (unsigned grants = 0; grants < 2; grants++)
        for (size_t i = 0; i < RECORDS_MAX; i++)
            if (call->records[i].key != 0 &&
                (call->records[i].name != NAMES) == (grants == 1))
                load_record(call, &call->records[i]);
    event.load.term = call->term;
    event.load.wall_us = 1000 + below(2000); /* no two clocks agree */
    step(call->node, event);
    MUST(w.nodes[call->node].node.term != call->term ||
         w.nodes[call->node].node.state != HF_NODE_LOADING);
}

static void
answer_call(struct errand *call)
{
    struct hf_node_event event = {.kind = HF_NODE_STORE};
    uint64_t number = call->ask.ask.request.number;

    if (call->loads) {
        load_all(call);
        return;
    }
    if (call->ask.ask.request.read) {
        event.kind = HF_NODE_FOUND;
        event.found.number = number;
        event.found.sight = call->sight;
        event.found.head = call->head;
    } else {
        event.store = hf_answer(w.now, number, call->verdict, call->version);
    }
    step(call->node, event);
}

static void
move_calls(void)
{
    for (size_t i = 0; i < CALLS_MAX; i++) {
        struct errand *call = &w.calls[i];
        bool alive;

        if (!call->used || !hf_reached(w.now, call->due))
            continue;
        alive = call->answers && call->life == w.nodes[call->node].life;
        if (call->unknown) {
            call->unknown = false;
            call->due = soon();
            if (alive && !is_frozen(call->node))
                step(call->node,
                     (struct hf_node_event){
                         .kind = HF_NODE_STORE,
                         .store = hf_answer(w.now, call->ask.ask.request.number,
                                            HF_UNKNOWN, 0)});
        } else if (call->out) {
            do_call(call);
            call->due =
                call->loads && chance(300) ? in((int64_t)below(3000)) : soon();
        } else if (alive && is_frozen(call->node)) {
            call->due = w.nodes[call->node].frozen_until;
        } else {
            call->used = false;
            if (alive)
                answer_call(call);
        }
    }
}

static void
deliver(const struct letter *letter)
{
    struct hf_want wants[] = {
        {{"default", 7}, {names[letter->name], 1}, HF_EXCLUSIVE},
    };
    struct hf_node_event event = {.kind = HF_NODE_MESSAGE};

    event.message = (struct hf_message){
        .kind = letter->kind,
        .stream = letter->stream,
        .session = letter->session,
        .term = letter->term,
        .lowest = 1,
        .lane = 1,
        .n = letter->n,
        .a = letter->a,
    };
    if (letter->kind == HF_MESSAGE_OPEN) {
        event.message.open.ttl.ms = TTL_MS;
        event.message.open.if_dead = HF_TAKEOVER;
    } else if (letter->kind == HF_MESSAGE_ACQUIRE) {
        event.message.acquire.wants = wants;
        event.message.acquire.wants_count = 1;
        event.message.acquire.wait = HF_WAIT_FOREVER;
    }
    step(letter->node, event);
}

/* ---- Clients ------------------------------------------------------------- */

static void
trust(struct client *client, struct hf_instant sent)
{
    client->valid_until = hf_later(
        client->valid_until,
        hf_after(sent,
                 (struct hf_duration){
                     TTL_MS - hf_margin((struct hf_duration){TTL_MS}).ms}));
}

static void
begin_client(struct client *client)
{
    *client = (struct client){
        .term = client->term, .n = client->n, .node = client->node};
}

static void
hear_granted(struct client *client, const struct letter *letter)
{
    if (!client->asks || letter->n != client->n)
        return;
    client->asks = false;
    client->fence = letter->answer.fence;
    client->holds_until = in((int64_t)below(2000));
}

static void
hear(const struct letter *letter)
{
    struct client *client = &w.clients[letter->client];

    if (letter->refused) {
        client->node = (unsigned)below(NODES);
        return;
    }
    switch (letter->answer.kind) {
    case HF_ANSWER_OPENED:
        if (client->session != 0)
            break;
        client->session = letter->answer.alive.session;
        client->term = letter->answer_term;
        client->opened = w.now;
        trust(client, letter->sent);
        break;
    case HF_ANSWER_ALIVE:
        if (letter->answer.alive.session == client->session)
            trust(client, letter->sent);
        break;
    case HF_ANSWER_TERM:
        if (client->fence != 0 && letter->answer_term > client->term)
            w.seen.kept_over++;
        if (letter->answer_term > client->term)
            client->term = letter->answer_term;
        break;
    case HF_ANSWER_GONE:
        if (letter->sent.ms < client->opened.ms)
            break; /* of a session before */
        w.seen.gone++;
        begin_client(client);
        break;
    case HF_ANSWER_GRANTED:
        hear_granted(client, letter);
        break;
    case HF_ANSWER_OVER:
        client->asks = client->asks && letter->n != client->n;
        client->releases = client->releases && letter->n != client->n;
        break;
    case HF_ANSWER_RELEASED:
        client->releases = client->releases && letter->n != client->n;
        break;
    case HF_ANSWER_BLOCKING_TIMEOUT:
    case HF_ANSWER_SUPERSEDED:
    case HF_ANSWER_LATER:
    case HF_ANSWER_BUSY:
    case HF_ANSWER_LIMIT:
    case HF_ANSWER_CHANGED:
    case HF_ANSWER_ENDED:
    case HF_ANSWER_CLEARED:
    case HF_ANSWER_NOT_HELD:
    case HF_ANSWER_NOT_LEADING:
    case HF_ANSWER_DENIED:
    case HF_ANSWER_PAGE:
        break;
    }
}

static void
act(unsigned who)
{
    struct client *client = &w.clients[who];

    if (client->session == 0) {
        send_message(who, HF_MESSAGE_OPEN);
    } else if (client->releases) {
        send_message(who, HF_MESSAGE_RELEASE);
    } else if (client->asks) {
        client->a++;
        send_message(who, HF_MESSAGE_ACQUIRE);
    } else if (client->fence == 0) {
        client->n++;
        client->a = 1;
        client->asks = true;
        client->name = (unsigned)below(NAMES);
        send_message(who, HF_MESSAGE_ACQUIRE);
    } else if (hf_reached(w.now, client->holds_until)) {
        client->fence = 0;
        client->releases = true;
        send_message(who, HF_MESSAGE_RELEASE);
    }
}

static void
stir_client(unsigned who)
{
    struct client *client = &w.clients[who];

    if (client->session != 0 && hf_reached(w.now, client->alive_next)) {
        client->alive_next = in(150);
        send_message(who, HF_MESSAGE_KEEP_ALIVE);
    }
    if (hf_reached(w.now, client->next)) {
        client->next = in(100 + (int64_t)below(100));
        act(who);
    }
    if (chance(1) && below(2) == 0)
        begin_client(client); /* it dies */
}

/* The promise of all this. */
static void
check_beliefs(void)
{
    for (unsigned i = 0; i < CLIENTS; i++) {
        const struct client *client = &w.clients[i];
        const struct record *grant = find_record(client->fence, false);

        if (client->fence == 0 || hf_reached(w.now, client->valid_until))
            continue;
        MUST(grant != NULL);
        MUST(grant->session == client->session && !is_void(grant));
        MUST(grant->name == client->name);
    }
}

/* ---- A world ------------------------------------------------------------- */

static void
pass(void)
{
    w.now = in(1 + (int64_t)below(10));
    move_calls();
    for (size_t i = 0; i < LETTERS_MAX; i++) {
        struct letter letter = w.letters[i];

        if (!letter.used || !hf_reached(w.now, letter.due))
            continue;
        if (!letter.back && is_frozen(letter.node))
            continue;
        w.letters[i].used = false;
        if (letter.back)
            hear(&letter);
        else
            deliver(&letter);
        check_beliefs();
    }
    for (unsigned i = 0; i < NODES; i++)
        stir_node(i);
    for (unsigned i = 0; i < CLIENTS; i++)
        stir_client(i);
    check_beliefs();
}

static void
run_world(uint64_t seed)
{
    struct seen seen = w.seen;
    size_t grants;

    for (unsigned i = 0; i < NODES; i++)
        free(w.nodes[i].block);
    memset(&w, 0, sizeof(w));
    w.seen = seen;
    w.random = seed * UINT64_C(0x9e3779b97f4a7c15) | 1;
    seed_now = seed;
    w.faults = true;
    w.store.floor = 1;
    for (unsigned i = 0; i < NODES; i++)
        begin_node(i);
    for (unsigned i = 0; i < STEPS; i++)
        pass();

    /* Without faults somebody leads, and somebody is granted something. */
    w.faults = false;
    grants = w.seen.grants;
    for (struct hf_instant end = in(CALM_MS);
         w.seen.grants < grants + 2 && !hf_reached(w.now, end);)
        pass();
    MUST(w.seen.grants >= grants + 2);
}

static void
nobody_believes_in_a_grant_that_is_not_in_the_store(void **state)
{
    const char *one = getenv("HF_SEED");

    (void)state;
    if (one != NULL) {
        run_world(strtoull(one, NULL, 10));
        return;
    }
    for (uint64_t seed = 1; seed <= WORLDS; seed++)
        run_world(seed);
    printf("%d worlds: %zu terms, %zu grants, %zu kept over a change of "
           "leader, %zu discards, %zu stops, %zu gone\n",
           WORLDS, w.seen.terms, w.seen.grants, w.seen.kept_over,
           w.seen.discards, w.seen.stops, w.seen.gone);
    assert_true(w.seen.terms > 500);
    assert_true(w.seen.grants > 5000);
    assert_true(w.seen.kept_over > 100);
    assert_true(w.seen.discards > 200);
    assert_true(w.seen.stops > 100);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nobody_believes_in_a_grant_that_is_not_in_the_store),
    };
    struct sigaction action = {.sa_handler = on_abort};

    sigaction(SIGABRT, &action, NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}

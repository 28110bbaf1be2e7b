#include "unit/support/server_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/attrs.h"
#include "base/check.h"
#include "core/lockspace/look.h"
#include "core/lockspace/owners.h"
#include "lab/check.h"

#define WANTS_MAX 8

struct hf_lockspace_config
server_config(void)
{
    return (struct hf_lockspace_config){
        .limits =
            {
                .sessions = 8,
                .keys = 3,
                .lanes = 64,
                .claims = 64,
                .waiters = 32,
                .names = 32,
                .spaces = 4,
                .parts = 128,
                .texts = 128,
                .session_lanes = 16,
                .session_waiters = 16,
                .session_grants = 32,
                .space_waiters = 64,
                .space_grants = 96,
                .request_names = 4,
                .search = 256,
                .record_bytes = 4096,
            },
        .blocking = {1000},
        .resume_grace = {200},
        .ttl_max = {60000},
        .seed = 42,
    };
}

HF_PRINTF(2, 3)
static void
add(struct server_fixture *server, const char *format, ...)
{
    size_t left = sizeof(server->text) - server->len;
    va_list args;
    int len;

    va_start(args, format);
    len = vsnprintf(server->text + server->len, left, format, args);
    va_end(args);
    HF_CHECK(len >= 0 && (size_t)len < left);
    server->len += (size_t)len;
}

void
server_hush(struct server_fixture *server)
{
    server->len = 0;
    server->text[0] = '\0';
}

/* ---- What is told -------------------------------------------------------- */

static const char *
word_of(enum hf_answer_kind kind)
{
    static const char *const words[] = {
        [HF_ANSWER_OPENED] = "opened",
        [HF_ANSWER_ALIVE] = "alive",
        [HF_ANSWER_GONE] = "gone",
        [HF_ANSWER_DENIED] = "denied",
        [HF_ANSWER_TERM] = "term",
        [HF_ANSWER_PAGE] = "page",
        [HF_ANSWER_GRANTED] = "granted",
        [HF_ANSWER_OVER] = "over",
        [HF_ANSWER_BLOCKING_TIMEOUT] = "blocking timeout",
        [HF_ANSWER_SUPERSEDED] = "superseded",
        [HF_ANSWER_LATER] = "later",
        [HF_ANSWER_BUSY] = "busy",
        [HF_ANSWER_LIMIT] = "limit",
        [HF_ANSWER_RELEASED] = "released",
        [HF_ANSWER_CHANGED] = "changed",
        [HF_ANSWER_ENDED] = "ended",
        [HF_ANSWER_CLEARED] = "cleared",
        [HF_ANSWER_NOT_HELD] = "not held",
        [HF_ANSWER_OTHER] = "other",
        [HF_ANSWER_NOT_SUSPECTED] = "not suspected",
        [HF_ANSWER_NOT_LEADING] = "not leading",
    };

    return words[kind];
}

static const char *
over_word(enum hf_over over)
{
    static const char *const words[] = {
        [HF_OVER_NEVER_ASKED] = "never asked",
        [HF_OVER_RELEASED] = "released",
        [HF_OVER_HELD] = "held",
        [HF_OVER_ALREADY_HELD] = "already held",
        [HF_OVER_DEADLOCK] = "deadlock",
        [HF_OVER_LIMIT] = "limit",
        [HF_OVER_INVALID] = "invalid",
        [HF_OVER_FREE] = "free",
        [HF_OVER_CLEARED] = "cleared",
        [HF_OVER_FORGOTTEN] = "forgotten",
    };

    return words[over];
}

static void
add_held(struct server_fixture *server, const struct hf_answer *alive)
{
    uint32_t cursor = 0;
    uint64_t fence;

    for (uint64_t i = 0;
         i < alive->alive.held.count &&
         hf_lockspace_held(server->ls, alive->alive.session, &cursor, &fence);
         i++)
        add(server, "%s %llu", i == 0 ? ", holds" : "",
            (unsigned long long)fence);
}

static const char *const later_words[] = {
    [HF_LATER_AGAIN] = "",
    [HF_LATER_FORGOTTEN] = ": forgotten",
    [HF_LATER_LEADER] = ": leader",
    [HF_LATER_PLACE] = ": place",
};

static void
tell(struct server_fixture *server, const struct hf_answer *answer)
{
    add(server, "%llu %s", (unsigned long long)answer->stream,
        word_of(answer->kind));
    switch (answer->kind) {
    case HF_ANSWER_GRANTED:
        add(server, " %llu", (unsigned long long)answer->fence);
        break;
    case HF_ANSWER_OVER:
        add(server, ": %s", over_word(answer->over));
        for (uint32_t i = 0; answer->over == HF_OVER_DEADLOCK &&
                             i < hf_lockspace_cycle_len(server->ls);
             i++) {
            struct hf_cycle_lane at = hf_lockspace_cycle_lane(server->ls, i);

            add(server, " %llu.%llu", (unsigned long long)at.session,
                (unsigned long long)at.lane);
        }
        break;
    case HF_ANSWER_BLOCKING_TIMEOUT:
        add(server, ", %llu before it",
            (unsigned long long)answer->blocked.position);
        if (answer->blocked.remaining.ms != HF_FOREVER.ms)
            add(server, ", %lld ms", (long long)answer->blocked.remaining.ms);
        if (answer->blocked.park.ms > 0)
            add(server, ", kept for %lld", (long long)answer->blocked.park.ms);
        break;
    case HF_ANSWER_ALIVE:
        add_held(server, answer);
        if (answer->alive.revoked > 0)
            add(server, ", %u revoked", answer->alive.revoked);
        break;
    case HF_ANSWER_LATER:
        if (answer->grace.ms > 0)
            add(server, ", %lld ms", (long long)answer->grace.ms);
        add(server, "%s", later_words[answer->cause]);
        break;
    case HF_ANSWER_NOT_SUSPECTED:
        add(server, ": silent %lld ms, in %lld ms",
            (long long)answer->suspected.silent.ms,
            (long long)answer->suspected.rest.ms);
        break;
    case HF_ANSWER_TERM:
    case HF_ANSWER_OPENED:
    case HF_ANSWER_GONE:
    case HF_ANSWER_DENIED:
    case HF_ANSWER_PAGE:
    case HF_ANSWER_SUPERSEDED:
    case HF_ANSWER_BUSY:
    case HF_ANSWER_LIMIT:
    case HF_ANSWER_RELEASED:
    case HF_ANSWER_CHANGED:
    case HF_ANSWER_ENDED:
    case HF_ANSWER_CLEARED:
    case HF_ANSWER_NOT_HELD:
    case HF_ANSWER_OTHER:
    case HF_ANSWER_NOT_LEADING:
        break;
    }
    add(server, "\n");
}

/* ---- Events -------------------------------------------------------------- */

void
server_step(struct server_fixture *server, struct hf_lockspace_event event)
{
    struct hf_answer answer;

    event.at = server->now;
    hf_lockspace_step(server->ls, &event);
    while (hf_lockspace_next(server->ls, &answer)) {
        if (answer.kind == HF_ANSWER_NOT_LEADING) {
            assert_int_equal(answer.mark, 0); /* due at once */
        } else {
            assert_true(answer.mark > server->last_mark);
            server->last_mark = answer.mark;
        }
        tell(server, &answer);
    }
    hf_lockspace_check(server->ls);
}

struct server_fixture
server_empty(const struct hf_lockspace_config *config)
{
    struct server_fixture server = {.config = *config, .now = {1000}};
    void *block;

    HF_CHECK(hf_lockspace_valid(config));
    block = calloc(1, hf_lockspace_size(config));
    HF_CHECK(block != NULL);
    server.ls = hf_lockspace_init(block, config);
    return server;
}

void
server_serve(struct server_fixture *server, int64_t ms)
{
    server->now.ms = ms;
    server_step(server, (struct hf_lockspace_event){
                            .kind = HF_SPACE_SERVE,
                            .serve = {.term = 7,
                                      .next_fence = 101,
                                      .wall_us = 5,
                                      .hold_until = server->hold_until},
                        });
}

void
server_begin(struct server_fixture *server)
{
    server_serve(server, 1000);
    for (uint64_t id = 1; id <= 3; id++)
        server_open(server, id, 10000, HF_TAKEOVER);
    server_hush(server);
}

struct server_fixture
server_with(const struct hf_lockspace_config *config)
{
    struct server_fixture server = server_empty(config);

    server_begin(&server);
    return server;
}

struct server_fixture
server_new(void)
{
    struct hf_lockspace_config config = server_config();

    return server_with(&config);
}

void
server_fini(struct server_fixture *server)
{
    free(server->ls);
}

void
server_clock_read(struct server_fixture *server, int64_t ms, int64_t read_ms)
{
    server->now.ms = ms;
    server_step(server, (struct hf_lockspace_event){.kind = HF_SPACE_CLOCK,
                                                    .read_until = {read_ms}});
}

void
server_clock(struct server_fixture *server, int64_t ms)
{
    server_clock_read(server, ms, ms);
}

static struct hf_bytes
bytes(const char *text, size_t len)
{
    return (struct hf_bytes){text, len};
}

/* "A B:s x/C" */
static size_t
parse(const char *text, struct hf_want *wants)
{
    size_t count = 0;

    while (text != NULL && *text != '\0') {
        size_t len = strcspn(text, " ");
        const char *slash = memchr(text, '/', len);
        bool shared = len > 2 && text[len - 2] == ':';
        const char *name = slash == NULL ? text : slash + 1;

        HF_CHECK(count < WANTS_MAX);
        wants[count++] = (struct hf_want){
            .space = slash == NULL ? bytes("default", 7)
                                   : bytes(text, (size_t)(slash - text)),
            .name = bytes(name, (size_t)(text + len - name) - 2 * shared),
            .mode = shared ? HF_SHARED : HF_EXCLUSIVE,
        };
        text += len + (text[len] == ' ');
    }
    return count;
}

static uint64_t
or_else(uint64_t value, uint64_t otherwise)
{
    return value != 0 ? value : otherwise;
}

static struct hf_secret_hash
secret_of(uint64_t session)
{
    struct hf_secret_hash secret = {{0}};

    memcpy(secret.bytes, &session, sizeof(session));
    return secret;
}

static struct hf_lockspace_event
message(enum hf_message_kind kind, const struct call *call)
{
    return (struct hf_lockspace_event){
        .kind = HF_SPACE_MESSAGE,
        .message =
            {
                .kind = kind,
                .stream = call->stream,
                .session = call->session,
                .term = or_else(call->term, 7),
                .secret = secret_of(call->session),
                .lowest = call->lowest,
                .lane = or_else(call->lane, 1),
                .n = or_else(call->n, 1),
                .a = or_else(call->a, 1),
            },
    };
}

void
server_open_as(struct server_fixture *server, struct server_opening opening)
{
    struct hf_lockspace_event event =
        message(HF_MESSAGE_OPEN, &(struct call){.stream = opening.session,
                                                .session = opening.session});

    event.message.open.ttl.ms = opening.ttl_ms;
    event.message.open.if_dead = opening.if_dead;
    event.message.open.who = bytes("ann@db1", 7);
    event.message.open.of_key = opening.of_key;
    event.message.open.of_acquire = opening.of_acquire;
    event.message.open.address = opening.address;
    server_step(server, event);
}

void
server_open(struct server_fixture *server, uint64_t session, int64_t ttl_ms,
            enum hf_if_dead if_dead)
{
    server_open_as(server, (struct server_opening){.session = session,
                                                   .ttl_ms = ttl_ms,
                                                   .if_dead = if_dead});
}

void
server_load_session(struct server_fixture *server,
                    struct hf_loaded_session session)
{
    session.secret = secret_of(session.id);
    if (session.ttl.ms == 0)
        session.ttl.ms = 10000;
    server_step(server, (struct hf_lockspace_event){
                            .kind = HF_SPACE_LOAD_SESSION, .session = session});
}

void
server_load_grant(struct server_fixture *server, struct call call)
{
    struct hf_want wants[WANTS_MAX];

    server_step(server, (struct hf_lockspace_event){
                            .kind = HF_SPACE_LOAD_GRANT,
                            .grant = {.fence = call.fence,
                                      .session = call.session,
                                      .lane = or_else(call.lane, 1),
                                      .n = or_else(call.n, 1),
                                      .wants = wants,
                                      .wants_count = parse(call.names, wants)},
                        });
}

void
server_acquire(struct server_fixture *server, struct call call)
{
    struct hf_lockspace_event event = message(HF_MESSAGE_ACQUIRE, &call);
    struct hf_want wants[WANTS_MAX];

    event.message.acquire.wants = wants;
    event.message.acquire.wants_count = parse(call.names, wants);
    event.message.acquire.free = call.free;
    event.message.acquire.wait = call.try_only       ? HF_WAIT_TRY
                                 : call.wait_ms == 0 ? HF_WAIT_FOREVER
                                                     : HF_WAIT_LIMITED;
    event.message.acquire.remaining.ms = call.wait_ms;
    event.message.acquire.park.ms = call.park_ms;
    event.message.acquire.waited.ms = call.waited_ms;
    event.message.acquire.seen = call.seen;
    event.message.acquire.key = call.key;
    if (call.note != NULL)
        event.message.acquire.note = bytes(call.note, strlen(call.note));
    server_step(server, event);
}

void
server_release(struct server_fixture *server, struct call call)
{
    server_step(server, message(HF_MESSAGE_RELEASE, &call));
}

void
server_lower(struct server_fixture *server, struct call call)
{
    struct hf_lockspace_event event = message(HF_MESSAGE_CHANGE, &call);
    struct hf_want wants[WANTS_MAX];

    HF_CHECK(parse(call.names, wants) == 1);
    event.message.change = wants[0];
    server_step(server, event);
}

void
server_keep_alive(struct server_fixture *server, struct call call)
{
    server_step(server, message(HF_MESSAGE_KEEP_ALIVE, &call));
}

void
server_end(struct server_fixture *server, struct call call)
{
    server_step(server, message(HF_MESSAGE_END, &call));
}

static void
clear(struct server_fixture *server, struct call call, uint64_t fence,
      bool at_once)
{
    struct hf_lockspace_event event = message(HF_MESSAGE_CLEAR, &call);
    struct hf_want wants[WANTS_MAX];

    HF_CHECK(parse(call.names, wants) == 1);
    event.message.clear.lock = wants[0];
    event.message.clear.fence = fence;
    event.message.clear.at_once = at_once;
    event.message.clear.audit = bytes("by ann", 6);
    server_step(server, event);
}

void
server_clear(struct server_fixture *server, uint64_t stream, const char *name,
             uint64_t fence)
{
    clear(server, (struct call){.stream = stream, .names = name}, fence, true);
}

void
server_clear_suspected(struct server_fixture *server, uint64_t stream,
                       const char *name, uint64_t fence)
{
    clear(server, (struct call){.stream = stream, .names = name}, fence, false);
}

static struct hf_lockspace_event
about(enum hf_lockspace_event_kind kind, const struct call *call)
{
    return (struct hf_lockspace_event){
        .kind = kind,
        .request = {.stream = call->stream,
                    .session = call->session,
                    .lane = or_else(call->lane, 1),
                    .n = or_else(call->n, 1)},
    };
}

void
server_stream_ends(struct server_fixture *server, struct call call)
{
    server_step(server, about(HF_SPACE_STREAM_ENDED, &call));
}

void
server_cut(struct server_fixture *server, struct call call)
{
    struct hf_lockspace_event event = about(HF_SPACE_STREAM_ENDED, &call);

    event.request.cut = true;
    server_step(server, event);
}

/* The grant that the request has now, unless another is said. */
void
server_handed(struct server_fixture *server, struct call call)
{
    struct hf_lockspace_event event = about(HF_SPACE_HANDED, &call);
    uint32_t session = hf_owners_session(server->ls, call.session);
    uint32_t lane = hf_owners_lane(server->ls, session, event.request.lane);
    uint32_t held = hf_owners_held(server->ls, lane, event.request.n);

    event.request.fence =
        or_else(call.fence, hf_claim_at(server->ls, held)->fence);
    server_step(server, event);
}

void
server_unread(struct server_fixture *server, uint64_t session)
{
    server_step(server, (struct hf_lockspace_event){
                            .kind = HF_SPACE_UNREAD,
                            .request = {.session = session},
                        });
}

struct server_fixture
server_held(void)
{
    struct server_fixture server = server_new();

    server_acquire(&server,
                   (struct call){.stream = 1, .session = 1, .names = "A"});
    server_handed(&server, (struct call){.session = 1});
    server_hush(&server);
    return server;
}

struct call
server_attempt(uint64_t stream, uint64_t session, uint64_t a)
{
    return (struct call){
        .stream = stream, .session = session, .a = a, .names = "A"};
}

/* ---- Batches ------------------------------------------------------------- */

static void
tell_grant(struct server_fixture *server, const struct hf_change *change)
{
    struct hf_look_claim grant;
    struct hf_look_name name;
    enum hf_mode mode;
    uint32_t cursor = 0;

    hf_look_grant_at(server->ls, change->number, &grant);
    add(server, "put %llu of %llu.%llu", (unsigned long long)change->key,
        (unsigned long long)grant.session, (unsigned long long)grant.lane);
    while (hf_look_grant_names(server->ls, change->number, &cursor, &name,
                               &mode)) {
        char text[64];
        size_t len = hf_look_text(server->ls, name.name, text, sizeof(text));

        add(server, " %.*s%s", (int)len, text, mode == HF_SHARED ? ":s" : "");
    }
    add(server, "\n");
}

static void
tell_audit(struct server_fixture *server, const struct hf_change *change)
{
    char text[64];
    size_t len =
        hf_look_text(server->ls, hf_look_audit_at(server->ls, change->number),
                     text, sizeof(text));

    HF_CHECK(len <= sizeof(text));
    add(server, "audit %llu: %.*s\n", (unsigned long long)change->key, (int)len,
        text);
}

static void
tell_session(struct server_fixture *server, const struct hf_change *change)
{
    struct hf_look_session row;

    hf_look_session_at(server->ls, change->number, &row);
    add(server, "put session %llu", (unsigned long long)change->key);
    if (row.silent_from.ms != 0)
        add(server, ", silent from %lld", (long long)row.silent_from.ms);
    add(server, "\n");
}

uint64_t
server_batch(struct server_fixture *server, uint32_t operations)
{
    struct hf_change change;
    struct hf_batch batch;

    hf_lockspace_begin(server->ls, (struct hf_budget){operations, 1 << 20});
    while (hf_lockspace_take(server->ls, &change)) {
        switch (change.kind) {
        case HF_CHANGE_PUT_SESSION:
            tell_session(server, &change);
            break;
        case HF_CHANGE_DELETE_SESSION:
            add(server, "delete session %llu\n",
                (unsigned long long)change.key);
            break;
        case HF_CHANGE_PUT_GRANT:
            tell_grant(server, &change);
            break;
        case HF_CHANGE_DELETE_GRANT:
            add(server, "delete %llu\n", (unsigned long long)change.key);
            break;
        case HF_CHANGE_PUT_AUDIT:
            tell_audit(server, &change);
            break;
        }
    }
    hf_lockspace_fix(server->ls, &batch);
    assert_true(batch.operations <= operations);
    add(server, "batch %llu, fence %llu, %s\n",
        (unsigned long long)batch.number, (unsigned long long)batch.next_fence,
        batch.through >= server->last_mark ? "all is due" : "some is not due");
    hf_lockspace_check(server->ls);
    return batch.number;
}

void
server_applied(struct server_fixture *server, uint64_t batch)
{
    server_step(server, (struct hf_lockspace_event){
                            .kind = HF_SPACE_BATCH,
                            .batch = {batch, HF_APPLIED},
                        });
}

#include "lab/check.h"
#include "support/suite.h"

#include <stdlib.h>
#include <string.h>

#include "core/lockspace/journal.h"
#include "core/lockspace/look.h"
#include "wire/cleared.h"
#include "wire/head.h"
#include "wire/served.h"

/*
 * From a leader's machine, by its batches, into a store, and from there into
 * the machine of the next leader, which holds the same.
 */

enum { TEXT_SIZE = 64 * 1024, SESSIONS = 3 };

/* 2025-11-22; and when the second leader loads, which is another machine, with
 * another clock since boot. */
static const int64_t wall_first_ms = 1763850690123;
static const int64_t wall_second_ms = 1763850750123;

static const struct hf_lockspace_config config = {
    .limits =
        {
            .sessions = 8,
            .lanes = 64,
            .claims = 256,
            .waiters = 32,
            .names = 256,
            .spaces = 16,
            .parts = 512,
            .texts = 4096,
            .session_lanes = 64,
            .session_waiters = 16,
            .session_grants = 64,
            .space_waiters = 256,
            .space_grants = 256,
            .request_names = HF_SERVED_NAMES_MAX,
            .search = 256,
            .record_bytes = HF_SERVED_RECORD_MAX,
        },
    .blocking = {1000},
    .resume_grace = {200},
    .ttl_max = {60000},
    .seed = 42,
};

/* A leader, its clocks, and its store. */
struct leader {
    struct hf_lockspace *ls; /* owned */
    struct hf_store *store;
    struct hf_instant now;
    int64_t wall_ms;
    struct hf_answer answer; /* to the last message */
};

static struct leader
start(struct suite_bench *b, int64_t now_ms, int64_t wall_ms)
{
    void *block = calloc(1, hf_lockspace_size(&config));

    assert_non_null(block);
    return (struct leader){
        .ls = hf_lockspace_init(block, &config),
        .store = b->store,
        .now = {now_ms},
        .wall_ms = wall_ms,
    };
}

static void
step(struct leader *leader, struct hf_lockspace_event event)
{
    struct hf_answer answer;

    event.at = leader->now;
    hf_lockspace_step(leader->ls, &event);
    while (hf_lockspace_next(leader->ls, &answer))
        leader->answer = answer;
    hf_lockspace_check(leader->ls);
}

static void
serve(struct leader *leader, uint64_t term, uint64_t next_fence)
{
    step(leader,
         (struct hf_lockspace_event){
             .kind = HF_SPACE_SERVE,
             .serve = {.term = term, .next_fence = next_fence, .wall_us = 1}});
    assert_true(hf_lockspace_serving(leader->ls));
}

static struct hf_bytes
bytes(const char *text)
{
    return (struct hf_bytes){text, strlen(text)};
}

/* ---- What clients ask ---------------------------------------------------- */

static struct hf_message
message(enum hf_message_kind kind, uint64_t session)
{
    struct hf_message message = {
        .kind = kind,
        .stream = 1,
        .session = session,
        .term = 7,
        .lane = session,
        .n = 5,
        .a = 1,
    };

    memset(message.secret.bytes, (int)session, sizeof(message.secret.bytes));
    return message;
}

static void
tell(struct leader *leader, struct hf_message message)
{
    assert_int_equal(hf_served_check(&message, NULL), HF_OK);
    step(leader, (struct hf_lockspace_event){.kind = HF_SPACE_MESSAGE,
                                             .message = message});
}

static void
open_sessions(struct leader *leader)
{
    static const char *const whos[SESSIONS] = {
        "ann@db1", "", "{\"host\":\"db\\\\2\",\"user\":\"J\xC3\xBCrgen\"}"};

    for (uint64_t id = 1; id <= SESSIONS; id++) {
        struct hf_message open = message(HF_MESSAGE_OPEN, id);

        open.open.ttl.ms = 10000 + (int64_t)id;
        open.open.if_dead = id == 2 ? HF_REFUSE : HF_TAKEOVER;
        open.open.who = bytes(whos[id - 1]);
        tell(leader, open);
        assert_int_equal(leader->answer.kind, HF_ANSWER_OPENED);
    }
}

static uint64_t
acquire(struct leader *leader, uint64_t session, uint64_t lane,
        const struct hf_want *wants, size_t count)
{
    struct hf_message acquire = message(HF_MESSAGE_ACQUIRE, session);

    acquire.lane = lane;
    acquire.acquire.wants = wants;
    acquire.acquire.wants_count = count;
    acquire.acquire.wait = HF_WAIT_TRY;
    acquire.acquire.note = bytes("./migrate --to \"7\"");
    tell(leader, acquire);
    assert_int_equal(leader->answer.kind, HF_ANSWER_GRANTED);
    return leader->answer.fence;
}

static struct hf_want
want(const char *space, const char *name, enum hf_mode mode)
{
    return (struct hf_want){bytes(space), bytes(name), mode};
}

/* ---- Batches into the store ---------------------------------------------- */

static struct hf_record
record_of(struct hf_store *store, const char *space, const char *name)
{
    struct hf_record record;

    assert_int_equal(get_one(store, (struct hf_key){space, name}, suite_soon(),
                             &record, NULL),
                     HF_OK);
    return record;
}

static size_t
put(struct hf_store *store, const char *space, const char *name,
    const char *value)
{
    struct hf_key key = {space, name};
    uint64_t version = record_of(store, space, name).version;
    struct hf_store_op op = suite_put(key, version, value);

    suite_apply(store, op);
    return hf_store_group_bytes(
        &(struct hf_store_group){.ops = &op, .ops_count = 1});
}

static size_t
remove_it(struct hf_store *store, const char *space, const char *name)
{
    struct hf_key key = {space, name};
    struct hf_store_op op = suite_delete(key, suite_present(store, key));

    suite_apply(store, op);
    return hf_store_group_bytes(
        &(struct hf_store_group){.ops = &op, .ops_count = 1});
}

static size_t
put_session(const struct leader *leader, uint32_t number)
{
    struct hf_served_memory memory = {.texts_len = 0};
    struct hf_loaded_session session;
    char name[HF_SERVED_ID_SIZE];
    char text[HF_SERVED_RECORD_MAX];
    size_t used;

    hf_served_look_session(leader->ls, number, &memory, &session);
    hf_served_encode_session(&session, text, sizeof(text));
    hf_served_id(session.id, name);
    used = put(leader->store, HF_SERVED_SESSIONS, name, text);
    assert_true(used <= hf_journal_session_bytes(session.who.len));
    return used;
}

static size_t
put_grant(const struct leader *leader, uint32_t number)
{
    struct hf_served_memory memory = {.texts_len = 0};
    struct hf_served_grant grant;
    char name[HF_SERVED_FENCE_SIZE];
    char text[HF_SERVED_RECORD_MAX];

    hf_served_look_grant(leader->ls, number, leader->wall_ms, &memory, &grant);
    hf_served_encode_grant(&grant, text, sizeof(text));
    hf_served_fence(grant.loaded.fence, name);
    return put(leader->store, HF_SERVED_GRANTS, name, text);
}

/* Under the name of the lock and fence that stand in it. */
static size_t
put_audit(const struct leader *leader, uint32_t number)
{
    struct hf_served_memory memory = {.texts_len = 0};
    struct hf_string ref = hf_look_audit_at(leader->ls, number);
    struct hf_cleared cleared;
    char text[HF_RECORD_TEXT_MAX];
    char name[HF_NAME_COMPANION_SIZE];

    assert_true(ref.len < sizeof(text));
    hf_look_text(leader->ls, ref, text, sizeof(text));
    text[ref.len] = '\0';
    assert_int_equal(hf_cleared_decode(bytes(text), &memory, &cleared, NULL),
                     HF_OK);
    hf_name_companion(cleared.space, cleared.name, cleared.grant.loaded.fence,
                      name, sizeof(name));
    return put(leader->store, "!audit", name, text);
}

static size_t
write_change(const struct leader *leader, const struct hf_change *change)
{
    char id[HF_SERVED_ID_SIZE];
    char fence[HF_SERVED_FENCE_SIZE];

    switch (change->kind) {
    case HF_CHANGE_PUT_SESSION:
        return put_session(leader, change->number);
    case HF_CHANGE_DELETE_SESSION:
        hf_served_id(change->key, id);
        return remove_it(leader->store, HF_SERVED_SESSIONS, id);
    case HF_CHANGE_PUT_GRANT:
        return put_grant(leader, change->number);
    case HF_CHANGE_DELETE_GRANT:
        hf_served_fence(change->key, fence);
        return remove_it(leader->store, HF_SERVED_GRANTS, fence);
    case HF_CHANGE_PUT_AUDIT:
        return put_audit(leader, change->number);
    }
    return 0;
}

/* One batch of all that there is, which is within what the machine says. */
static void
write_batch(struct leader *leader)
{
    struct hf_change change;
    struct hf_batch batch;
    size_t used = 0;

    hf_lockspace_begin(leader->ls, (struct hf_budget){1000, 1 << 20});
    while (hf_lockspace_take(leader->ls, &change))
        used += write_change(leader, &change);
    hf_lockspace_fix(leader->ls, &batch);
    assert_true(used <= batch.bytes);
    step(leader, (struct hf_lockspace_event){
                     .kind = HF_SPACE_BATCH,
                     .batch = {batch.number, HF_APPLIED},
                 });
}

/* ---- Loading ------------------------------------------------------------- */

static bool
load_session(void *ctx, const char *name, size_t name_len,
             const struct hf_record *record)
{
    struct hf_served_memory memory = {.texts_len = 0};
    struct hf_lockspace_event event = {.kind = HF_SPACE_LOAD_SESSION};

    assert_int_equal(hf_served_decode_session(
                         (struct hf_bytes){name, name_len},
                         (struct hf_bytes){record->value, record->value_len},
                         &memory, &event.session, NULL),
                     HF_OK);
    step(ctx, event);
    return true;
}

static bool
load_grant(void *ctx, const char *name, size_t name_len,
           const struct hf_record *record)
{
    struct leader *leader = ctx;
    struct hf_served_memory memory = {.texts_len = 0};
    struct hf_served_grant grant;

    assert_int_equal(hf_served_decode_grant(
                         (struct hf_bytes){name, name_len},
                         (struct hf_bytes){record->value, record->value_len},
                         &memory, &grant, NULL),
                     HF_OK);
    grant.loaded.age = hf_served_age(grant.since_ms, leader->wall_ms);
    step(leader, (struct hf_lockspace_event){.kind = HF_SPACE_LOAD_GRANT,
                                             .grant = grant.loaded});
    return true;
}

static struct leader
succeed(struct suite_bench *b, int64_t now_ms)
{
    struct leader leader = start(b, now_ms, wall_second_ms);
    struct hf_store_scan scan = {
        .space = HF_SERVED_SESSIONS, .prefix = "", .limit = SIZE_MAX};

    assert_int_equal(
        hf_store_scan(b->store, &scan, load_session, &leader, NULL), HF_OK);
    scan.space = HF_SERVED_GRANTS;
    assert_int_equal(hf_store_scan(b->store, &scan, load_grant, &leader, NULL),
                     HF_OK);
    serve(&leader, 8, 1);
    return leader;
}

/* ---- What a machine holds ------------------------------------------------ */

/* All that is recorded of it, as text: each session that holds something, and
 * each grant below `beyond`. */
static void
tell_all(const struct leader *leader, uint64_t beyond, char text[TEXT_SIZE])
{
    size_t len = 0;

    text[0] = '\0';
    for (uint64_t id = 1; id <= SESSIONS; id++) {
        struct hf_served_memory memory = {.texts_len = 0};
        uint32_t number = hf_look_session(leader->ls, id);
        struct hf_loaded_session session;
        struct hf_look_session row = {.grants = 0};

        if (number != 0)
            hf_look_session_at(leader->ls, number, &row);
        if (row.grants == 0)
            continue;
        hf_served_look_session(leader->ls, number, &memory, &session);
        len += hf_served_encode_session(&session, text + len, TEXT_SIZE - len);
    }
    for (uint64_t fence = 1; fence < beyond; fence++) {
        struct hf_served_memory memory = {.texts_len = 0};
        uint32_t number = hf_look_fence(leader->ls, fence);
        struct hf_served_grant grant;

        if (number == 0)
            continue;
        hf_served_look_grant(leader->ls, number, leader->wall_ms, &memory,
                             &grant);
        len += hf_served_encode_grant(&grant, text + len, TEXT_SIZE - len);
    }
    assert_true(len < TEXT_SIZE);
}

static void
expect_same(const struct leader *a, const struct leader *b, uint64_t beyond)
{
    static char texts[2][TEXT_SIZE];

    tell_all(a, beyond, texts[0]);
    tell_all(b, beyond, texts[1]);
    assert_string_equal(texts[0], texts[1]);
}

/* ---- The stories --------------------------------------------------------- */

/* One of session 1 in two names, one of each in another, of several lanes. */
static void
take_some(struct leader *leader)
{
    const struct hf_want both[] = {want("default", "a", HF_EXCLUSIVE),
                                   want("app", "b \"c\" \\", HF_SHARED)};
    const struct hf_want shared = want("app", "b \"c\" \\", HF_SHARED);
    const struct hf_want euro =
        want("m\xC3\xBCnze", "\xE2\x82\xAC", HF_EXCLUSIVE);
    struct hf_message change = message(HF_MESSAGE_CHANGE, 3);

    open_sessions(leader);
    acquire(leader, 1, 1, both, 2);
    leader->now.ms += 10;
    leader->wall_ms += 10;
    acquire(leader, 2, 9, &shared, 1);
    acquire(leader, 3, 3, &euro, 1);
    change.change = euro;
    tell(leader, change);
    assert_int_equal(leader->answer.kind, HF_ANSWER_CHANGED);
}

static void
the_next_leader_holds_what_the_last_one_wrote(struct suite_bench *b)
{
    struct leader first = start(b, 1000, wall_first_ms);
    struct leader second;

    serve(&first, 7, 101);
    take_some(&first);
    write_batch(&first);
    second = succeed(b, 500000);
    expect_same(&first, &second, 200);
    for (uint64_t fence = 101; fence <= 103; fence++)
        assert_true(hf_lockspace_believes(second.ls, fence - 100, fence));
    free(first.ls);
    free(second.ls);
}

/* What is lowered later is put anew, and still says when it was granted. */
static void
a_grant_that_is_lowered_under_the_next_leader_keeps_its_time(
    struct suite_bench *b)
{
    struct leader first = start(b, 1000, wall_first_ms);
    struct hf_message change = message(HF_MESSAGE_CHANGE, 1);
    struct leader second;
    struct leader third;

    serve(&first, 7, 101);
    take_some(&first);
    write_batch(&first);
    second = succeed(b, 500000);
    second.now.ms += 5000;
    second.wall_ms += 5000;
    change.term = 8;
    change.change = want("default", "a", HF_EXCLUSIVE);
    tell(&second, change);
    assert_int_equal(second.answer.kind, HF_ANSWER_CHANGED);
    write_batch(&second);
    third = succeed(b, 77);
    expect_same(&second, &third, 200);
    /* But for the mode, all is as the first had it. */
    change.term = 7;
    tell(&first, change);
    expect_same(&first, &third, 200);
    free(first.ls);
    free(second.ls);
    free(third.ls);
}

/* As many names, and as long, as the machine takes: each record is read. */
static void
the_largest_grants_are_written_and_read(struct suite_bench *b)
{
    static char names[HF_SERVED_NAMES_MAX][HF_NAME_MAX];
    struct leader first = start(b, 1000, wall_first_ms);
    struct hf_want wants[HF_SERVED_NAMES_MAX];
    struct leader second;

    serve(&first, 7, 101);
    open_sessions(&first);
    for (unsigned i = 0; i < HF_SERVED_NAMES_MAX; i++) {
        memset(names[i], '"', sizeof(names[i]));
        names[i][0] = (char)('0' + i);
        wants[i] = (struct hf_want){
            bytes("\"\"\"\"\"\"\"\"\"\"\"\""), {names[i], 20}, HF_EXCLUSIVE};
    }
    acquire(&first, 1, 1, wants, HF_SERVED_NAMES_MAX);
    for (unsigned i = 0; i < 5; i++)
        wants[i].name.len = HF_NAME_MAX;
    acquire(&first, 2, 1, wants, 5);
    write_batch(&first);
    second = succeed(b, 500000);
    expect_same(&first, &second, 200);
    free(first.ls);
    free(second.ls);
}

static void
a_session_that_is_over_takes_its_grants_with_it(struct suite_bench *b)
{
    struct leader first = start(b, 1000, wall_first_ms);
    struct leader second;

    serve(&first, 7, 101);
    take_some(&first);
    write_batch(&first);
    /* A crash before its grants are swept. */
    remove_it(b->store, HF_SERVED_SESSIONS, "0000000000000001");
    second = succeed(b, 500000);
    assert_int_equal(hf_look_fence(second.ls, 101), 0);
    tell(&first, message(HF_MESSAGE_END, 1));
    expect_same(&first, &second, 200);
    write_batch(&second); /* sweeps it */
    suite_absent(b->store,
                 (struct hf_key){HF_SERVED_GRANTS, "0000000000000000101"});
    free(first.ls);
    free(second.ls);
}

/* Who, why, and all of what was held, though its record is gone. */
static void
a_clear_is_in_the_store_with_its_reason(struct suite_bench *b)
{
    struct leader leader = start(b, 1000, wall_first_ms);
    struct hf_served_memory memory = {.texts_len = 0};
    struct hf_cleared cleared = {
        .space = "default",
        .name = "a",
        .by = {.host = "db1",
               .user = "ann",
               .command = "holdfast clear",
               .reason = "power was lost",
               .since_ms = wall_first_ms},
    };
    struct hf_message clear = message(HF_MESSAGE_CLEAR, 0);
    struct hf_record record;
    char text[HF_RECORD_TEXT_MAX];

    serve(&leader, 7, 101);
    take_some(&leader);
    write_batch(&leader);
    assert_false(hf_cleared_look(
        leader.ls, 101, leader.wall_ms, &memory,
        &(struct hf_cleared){.space = "default", .name = "another"}));
    memory.texts_len = 0;
    assert_false(
        hf_cleared_look(leader.ls, 101, leader.wall_ms, &memory,
                        &(struct hf_cleared){.space = "another", .name = "a"}));
    memory.texts_len = 0;
    assert_true(
        hf_cleared_look(leader.ls, 101, leader.wall_ms, &memory, &cleared));
    clear.clear.lock = want("default", "a", HF_EXCLUSIVE);
    clear.clear.fence = 101;
    clear.clear.at_once = true;
    clear.clear.audit.len = hf_cleared_encode(&cleared, text, sizeof(text));
    clear.clear.audit.at = text;
    tell(&leader, clear);
    assert_int_equal(leader.answer.kind, HF_ANSWER_CLEARED);
    tell(&leader, message(HF_MESSAGE_END, 1));
    write_batch(&leader);
    suite_absent(b->store,
                 (struct hf_key){HF_SERVED_GRANTS, "0000000000000000101"});
    record = record_of(b->store, "!audit", "7:default,1:a,101");
    assert_true(record.exists);
    assert_int_equal(record.value_len, clear.clear.audit.len);
    assert_memory_equal(record.value, text, record.value_len);
    assert_false(
        hf_cleared_look(leader.ls, 101, leader.wall_ms, &memory, &cleared));
    free(leader.ls);
}

int
main(void)
{
    static const struct suite_case cases[] = {
        SUITE_CASE(the_next_leader_holds_what_the_last_one_wrote),
        SUITE_CASE(
            a_grant_that_is_lowered_under_the_next_leader_keeps_its_time),
        SUITE_CASE(the_largest_grants_are_written_and_read),
        SUITE_CASE(a_session_that_is_over_takes_its_grants_with_it),
        SUITE_CASE(a_clear_is_in_the_store_with_its_reason),
    };

    return suite_run(cases, sizeof(cases) / sizeof(cases[0]));
}

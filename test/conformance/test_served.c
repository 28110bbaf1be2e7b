#include "lab/check.h"
#include "support/files.h"
#include "support/journals.h"
#include "support/test.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "core/lockspace/journal.h"
#include "core/lockspace/look.h"
#include "journal/rows.h"
#include "wire/cleared.h"

/*
 * From a leader's machine, by its batches, into a journal, and from there into
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

/* A leader, its clocks, and its journal. */
struct leader {
    struct hf_lockspace *ls; /* owned */
    struct hf_journal *journal;
    struct hf_instant now;
    int64_t wall_ms;
    struct hf_answer answer; /* to the last message */
};

static struct leader
start(struct hf_journal *journal, int64_t now_ms, int64_t wall_ms)
{
    void *block = calloc(1, hf_lockspace_size(&config));

    assert_non_null(block);
    return (struct leader){
        .ls = hf_lockspace_init(block, &config),
        .journal = journal,
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

/* ---- Batches into the journal -------------------------------------------- */

static size_t
bytes_of(const struct hf_journal_change *change)
{
    switch (change->kind) {
    case HF_CHANGE_PUT_SESSION:
        assert_true(change->session.who.len + sizeof(change->session) <=
                    hf_journal_session_bytes(change->session.who.len));
        return sizeof(change->session) + change->session.who.len;
    case HF_CHANGE_PUT_GRANT:
        return sizeof(uint64_t) * 5 + change->grant.locks.len +
               change->grant.grant.loaded.note.len;
    case HF_CHANGE_PUT_AUDIT:
        return strlen(change->audit.name) + change->audit.record.len;
    case HF_CHANGE_DELETE_SESSION:
    case HF_CHANGE_DELETE_GRANT:
        return sizeof(uint64_t);
    }
    return 0;
}

/* One batch of all that there is, which is within what the machine says. */
static void
write_batch(struct leader *leader)
{
    const struct hf_head head = journals_head("n1", "db1:7420");
    struct hf_change change;
    struct hf_batch batch;
    struct hf_rows rows;
    size_t used = 0;

    assert_int_equal(hf_rows_init(&rows, 1000, &hf_alloc_libc), HF_OK);
    hf_lockspace_begin(leader->ls, (struct hf_budget){1000, 1 << 20});
    while (hf_lockspace_take(leader->ls, &change))
        hf_rows_add(&rows, leader->ls, &change, leader->wall_ms);
    hf_lockspace_fix(leader->ls, &batch);
    for (size_t i = 0; i < rows.count; i++)
        used += bytes_of(&rows.changes[i]);
    assert_true(used <= batch.bytes && rows.count <= batch.operations);
    journals_put(leader->journal, &head, rows.changes, rows.count);
    hf_rows_fini(&rows);
    step(leader, (struct hf_lockspace_event){
                     .kind = HF_SPACE_BATCH,
                     .batch = {batch.number, HF_APPLIED},
                 });
}

/* ---- Loading ------------------------------------------------------------- */

static void
load_grant(struct leader *leader, const struct hf_served_row *row)
{
    struct hf_served_memory memory = {.texts_len = 0};
    struct hf_served_grant grant;

    assert_int_equal(hf_served_read_row(row, &memory, &grant, NULL), HF_OK);
    grant.loaded.age = hf_served_age(grant.since_ms, leader->wall_ms);
    step(leader, (struct hf_lockspace_event){.kind = HF_SPACE_LOAD_GRANT,
                                             .grant = grant.loaded});
}

static struct leader
succeed(struct hf_journal *journal, int64_t now_ms)
{
    static struct hf_journal_chunk chunk;
    struct leader leader = start(journal, now_ms, wall_second_ms);

    chunk = (struct hf_journal_chunk){.arena = {.alloc = &hf_alloc_libc}};
    while (chunk.rows != HF_JOURNAL_END) {
        assert_int_equal(hf_journal_load(journal, &chunk, suite_soon(), NULL),
                         HF_OK);
        for (size_t i = 0; i < chunk.count; i++) {
            if (chunk.rows == HF_JOURNAL_GRANTS)
                load_grant(&leader, &chunk.grants[i]);
            else
                step(&leader, (struct hf_lockspace_event){
                                  .kind = HF_SPACE_LOAD_SESSION,
                                  .session = chunk.sessions[i],
                              });
        }
    }
    hf_arena_fini(&chunk.arena);
    serve(&leader, 8, 1);
    return leader;
}

/* Delete a session beside its leader. */
static void
remove_session(struct hf_journal *journal, uint64_t id)
{
    const struct hf_head head = journals_head("n1", "db1:7420");
    const struct hf_journal_change drop = {.kind = HF_CHANGE_DELETE_SESSION,
                                           .key = id};

    journals_put(journal, &head, &drop, 1);
}

static void
expect_no_grant(struct hf_journal *journal, const char *fence)
{
    char rows[256];

    journals_rows(journal, rows, sizeof(rows));
    assert_null(strstr(rows, fence));
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
        len += (size_t)snprintf(text + len, TEXT_SIZE - len,
                                "%" PRIx64 " %" PRId64 " %d %.*s %02x\n",
                                session.id, session.ttl.ms,
                                (int)session.if_dead, (int)session.who.len,
                                session.who.at, session.secret.bytes[31]);
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

#define JOURNAL_TEST(sentence)                                                 \
    static void run_##sentence(struct hf_journal *journal);                    \
    TEST_IN(files_set_up, files_tear_down, sentence)                           \
    {                                                                          \
        const struct files *files = *state;                                    \
        struct hf_journal *journal = journals_open(files->place);              \
                                                                               \
        run_##sentence(journal);                                               \
        hf_journal_close(journal);                                             \
    }                                                                          \
    static void run_##sentence(struct hf_journal *journal)

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

JOURNAL_TEST(the_next_leader_holds_what_the_last_one_wrote)
{
    struct leader first = start(journal, 1000, wall_first_ms);
    struct leader second;

    serve(&first, 7, 101);
    take_some(&first);
    write_batch(&first);
    second = succeed(journal, 500000);
    expect_same(&first, &second, 200);
    for (uint64_t fence = 101; fence <= 103; fence++)
        assert_true(hf_lockspace_believes(second.ls, fence - 100, fence));
    free(first.ls);
    free(second.ls);
}

/* What is lowered later is put anew, and still says when it was granted. */
JOURNAL_TEST(a_grant_that_is_lowered_under_the_next_leader_keeps_its_time)
{
    struct leader first = start(journal, 1000, wall_first_ms);
    struct hf_message change = message(HF_MESSAGE_CHANGE, 1);
    struct leader second;
    struct leader third;

    serve(&first, 7, 101);
    take_some(&first);
    write_batch(&first);
    second = succeed(journal, 500000);
    second.now.ms += 5000;
    second.wall_ms += 5000;
    change.term = 8;
    change.change = want("default", "a", HF_EXCLUSIVE);
    tell(&second, change);
    assert_int_equal(second.answer.kind, HF_ANSWER_CHANGED);
    write_batch(&second);
    third = succeed(journal, 77);
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
JOURNAL_TEST(the_largest_grants_are_written_and_read)
{
    static char names[HF_SERVED_NAMES_MAX][HF_NAME_MAX];
    struct leader first = start(journal, 1000, wall_first_ms);
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
    second = succeed(journal, 500000);
    expect_same(&first, &second, 200);
    free(first.ls);
    free(second.ls);
}

JOURNAL_TEST(a_session_that_is_over_takes_its_grants_with_it)
{
    struct leader first = start(journal, 1000, wall_first_ms);
    struct leader second;

    serve(&first, 7, 101);
    take_some(&first);
    write_batch(&first);
    /* A crash before its grants are swept. */
    remove_session(journal, 1);
    second = succeed(journal, 500000);
    assert_int_equal(hf_look_fence(second.ls, 101), 0);
    tell(&first, message(HF_MESSAGE_END, 1));
    expect_same(&first, &second, 200);
    write_batch(&second); /* sweeps it */
    expect_no_grant(journal, "g101");
    free(first.ls);
    free(second.ls);
}

/* Who, why, and all of what was held, though its record is gone. */
JOURNAL_TEST(a_clear_is_in_the_store_with_its_reason)
{
    struct leader leader = start(journal, 1000, wall_first_ms);
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
    static struct hf_journal_page page;
    char text[HF_RECORD_TEXT_MAX];

    page = (struct hf_journal_page){.limit = 9,
                                    .arena = {.alloc = &hf_alloc_libc}};
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
    expect_no_grant(journal, "g101");
    assert_int_equal(hf_journal_audit(journal, &page, suite_soon(), NULL),
                     HF_OK);
    assert_int_equal(page.count, 1);
    assert_string_equal(page.records[0].name.at, "7:default,1:a,101");
    assert_int_equal(page.records[0].value.len, clear.clear.audit.len);
    assert_memory_equal(page.records[0].value.at, text, clear.clear.audit.len);
    hf_arena_fini(&page.arena);
    assert_false(
        hf_cleared_look(leader.ls, 101, leader.wall_ms, &memory, &cleared));
    free(leader.ls);
}

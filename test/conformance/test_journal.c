#include "support/files.h"
#include "support/journals.h"
#include "support/test.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "store/place.h"

/*
 * One suite for every kind of journal: what its header promises of the head, of
 * a write and of a load.
 */

#define LOCKS "[{\"space\":\"default\",\"name\":\"a\",\"mode\":\"exclusive\"}]"

struct bench {
    struct files *files;
    const char *place;
    bool keeps; /* rows, and anything at all after it is closed */
    struct hf_journal *journal;
};

typedef void bench_fn(struct bench *bench);

static void
run_on(struct files *files, const char *place, bool keeps, bench_fn *run)
{
    struct bench bench = {.files = files, .place = place, .keeps = keeps};

    bench.journal = journals_open(place);
    run(&bench);
    hf_journal_close(bench.journal);
}

/* The kinds that keep something: a file; or, where the environment names a
 * server, that one and no other. */
static void
run_on_kept(struct files *files, bench_fn *run)
{
    char place[SUITE_PLACE_SIZE];

    if (suite_behind_server(place))
        run_on(NULL, place, true, run);
    else
        run_on(files, files->place, true, run);
}

/* Where somebody changes the file by hand. */
static void
need_file(struct bench *bench)
{
    if (bench->files != NULL)
        return;
    hf_journal_close(bench->journal);
    skip();
}

/* A test of every kind. */
#define JOURNAL_TEST(sentence)                                                 \
    static void run_##sentence(struct bench *bench);                           \
    TEST_IN(files_set_up, files_tear_down, sentence)                           \
    {                                                                          \
        struct files *files = *state;                                          \
                                                                               \
        run_on_kept(files, run_##sentence);                                    \
        if (getenv("HF_PLACE") == NULL)                                        \
            run_on(files, "memory:journal", false, run_##sentence);            \
    }                                                                          \
    static void run_##sentence(struct bench *bench)

/* Of those that keep something. */
#define KEEPING_TEST(sentence)                                                 \
    static void run_##sentence(struct bench *bench);                           \
    TEST_IN(files_set_up, files_tear_down, sentence)                           \
    {                                                                          \
        struct files *files = *state;                                          \
                                                                               \
        run_on_kept(files, run_##sentence);                                    \
    }                                                                          \
    static void run_##sentence(struct bench *bench)

/* A write of a head that node "n1" leads. */
static enum hf_verdict
write_at(struct hf_journal *journal, uint64_t expect, bool new_term,
         uint64_t *version)
{
    struct hf_head head = journals_head("n1", "db1:7420");
    const struct hf_journal_write write = {
        .head = &head, .expect = expect, .new_term = new_term};
    uint64_t unsaid;

    return hf_journal_write(journal, &write, journals_soon(),
                            version != NULL ? version : &unsaid, NULL);
}

static void
expect_rows(struct hf_journal *journal, const char *rows)
{
    char text[256];

    journals_rows(journal, text, sizeof(text));
    assert_string_equal(text, rows);
}

/* ---- The head ------------------------------------------------------------ */

JOURNAL_TEST(a_head_that_is_absent_is_put_at_the_version_that_a_read_shows)
{
    struct hf_journal_found found = journals_read(bench->journal);
    uint64_t version = 0;

    assert_false(found.exists);
    assert_int_equal(write_at(bench->journal, found.version - 1, true, NULL),
                     HF_REFUSED);
    assert_int_equal(write_at(bench->journal, found.version + 1, true, NULL),
                     HF_REFUSED);
    assert_int_equal(write_at(bench->journal, found.version, true, &version),
                     HF_APPLIED);
    assert_true(version > found.version);
    assert_true(version >= (uint64_t)1735689600 * 1000000); /* the clock's */
    found = journals_read(bench->journal);
    assert_true(found.exists && found.version == version);
    assert_true(found.term == version);
    assert_string_equal(found.head.node, "n1");
    assert_string_equal(found.head.address, "db1:7420");
    assert_int_equal(found.head.next_fence, 9);
    assert_true(found.head.store == found.store);
    assert_int_equal(found.loss, HF_STORE_WHOLE);
}

JOURNAL_TEST(only_a_new_term_begins_where_there_was_no_head)
{
    uint64_t version = journals_read(bench->journal).version;

    assert_int_equal(write_at(bench->journal, version, false, NULL),
                     HF_REFUSED);
    assert_false(journals_read(bench->journal).exists);
}

JOURNAL_TEST(each_write_has_a_higher_version_and_a_term_keeps_its_number)
{
    struct hf_head head = journals_head("n1", "db1:7420");
    uint64_t term = journals_put(bench->journal, &head, NULL, 0);
    uint64_t last = term;

    for (int i = 0; i < 100; i++) {
        uint64_t version = 0;

        assert_int_equal(write_at(bench->journal, last, false, &version),
                         HF_APPLIED);
        assert_true(version > last);
        last = version;
    }
    assert_true(journals_read(bench->journal).term == term);
    assert_int_equal(write_at(bench->journal, last, true, &last), HF_APPLIED);
    assert_true(journals_read(bench->journal).term == last);
}

/* As if its answer had been lost: whatever it was sent for happened once. */
JOURNAL_TEST(a_write_that_is_sent_again_is_refused)
{
    struct hf_head head = journals_head("n1", "db1:7420");
    const struct hf_journal_change first[] = {journals_session(1),
                                              journals_grant(7, 1, LOCKS)};
    const struct hf_journal_change gone[] = {
        {.kind = HF_CHANGE_DELETE_GRANT, .key = 7},
        {.kind = HF_CHANGE_DELETE_SESSION, .key = 1}};
    uint64_t expect = journals_put(bench->journal, &head, NULL, 0);
    struct hf_journal_write write = {
        .head = &head, .expect = expect, .changes = first, .changes_count = 2};
    uint64_t version = 0;

    assert_int_equal(hf_journal_write(bench->journal, &write, journals_soon(),
                                      &version, NULL),
                     HF_APPLIED);
    assert_int_equal(hf_journal_write(bench->journal, &write, journals_soon(),
                                      &version, NULL),
                     HF_REFUSED);
    write.expect = version;
    write.changes = gone;
    assert_int_equal(hf_journal_write(bench->journal, &write, journals_soon(),
                                      &version, NULL),
                     HF_APPLIED);
    write.expect = expect;
    write.changes = first;
    assert_int_equal(
        hf_journal_write(bench->journal, &write, journals_soon(), NULL, NULL),
        HF_REFUSED);
    expect_rows(bench->journal, "");
    assert_true(journals_read(bench->journal).version == version);
}

/* What comes to the journal, in some order: the two sendings of a batch, and
 * the next leader's claim of the head that it has read. */
struct race {
    struct hf_journal *journal;
    struct hf_journal_write batch;
    uint64_t seen;    /* version of the head when it was read */
    unsigned arrived; /* sendings */
    unsigned applied;
    bool claimed;
};

enum { FIRST, SECOND, READ, CLAIM, EVENTS };

static void
happen(struct race *race, int event)
{
    uint64_t version;

    switch (event) {
    case FIRST:
    case SECOND:
        race->arrived++;
        if (hf_journal_write(race->journal, &race->batch, journals_soon(),
                             &version, NULL) != HF_APPLIED)
            return;
        assert_false(race->claimed);
        race->applied++;
        return;
    case READ:
        race->seen = journals_read(race->journal).version;
        return;
    case CLAIM:
        race->claimed =
            write_at(race->journal, race->seen, true, NULL) == HF_APPLIED;
        return;
    default:
        return;
    }
}

/* Bit i of `lost`: sending i never comes. */
static void
run_race(struct bench *bench, const int order[EVENTS], unsigned lost)
{
    const struct hf_head head = journals_head("n1", "db1:7420");
    const struct hf_journal_change before[] = {
        journals_session(1), {.kind = HF_CHANGE_DELETE_GRANT, .key = 7}};
    const struct hf_journal_change row = journals_grant(7, 1, LOCKS);
    struct race race = {.journal = bench->journal};
    unsigned came_first = 0;

    race.batch = (struct hf_journal_write){
        .head = &head, .changes = &row, .changes_count = 1};
    race.batch.expect = journals_put(bench->journal, &head, before, 2);
    for (int i = 0; i < EVENTS; i++) {
        if (order[i] <= SECOND && (lost >> order[i] & 1) != 0)
            continue;
        happen(&race, order[i]);
        if (!race.claimed)
            came_first = race.arrived;
    }
    assert_int_equal(race.applied, came_first > 0);
    if (bench->keeps)
        expect_rows(bench->journal, race.applied > 0 ? "s1 g7" : "s1");
}

/* It is done once, and never after the next leader's claim. */
JOURNAL_TEST(a_batch_that_is_sent_again_comes_before_the_next_claim_or_never)
{
    int order[EVENTS];
    int orders = 0;

    for (int code = 0; code < EVENTS * EVENTS * EVENTS * EVENTS; code++) {
        unsigned seen = 0;
        bool reads_first = true;

        for (int i = 0, rest = code; i < EVENTS; i++, rest /= EVENTS) {
            order[i] = rest % EVENTS;
            if (order[i] == CLAIM && (seen >> READ & 1) == 0)
                reads_first = false;
            seen |= 1u << order[i];
        }
        if (seen != (1u << EVENTS) - 1 || !reads_first)
            continue;
        orders++;
        for (unsigned lost = 0; lost < 4; lost++)
            run_race(bench, order, lost);
    }
    assert_int_equal(orders, 12);
}

JOURNAL_TEST(a_call_that_comes_too_late_is_not_made)
{
    struct hf_head head = journals_head("n1", "db1:7420");
    const struct hf_journal_write write = {
        .head = &head,
        .expect = journals_read(bench->journal).version,
        .new_term = true,
    };
    struct hf_journal_chunk chunk = {.arena = {.alloc = &hf_alloc_libc}};
    struct hf_journal_found found;
    struct hf_error error = {0};

    assert_int_equal(
        hf_journal_write(bench->journal, &write, hf_now(), NULL, &error),
        HF_UNAVAILABLE);
    assert_int_equal(hf_journal_load(bench->journal, &chunk, hf_now(), NULL),
                     HF_E_UNAVAILABLE);
    assert_int_equal(chunk.rows, HF_JOURNAL_NONE); /* it can be tried again */
    assert_int_equal(error.status, HF_E_UNAVAILABLE);
    assert_int_equal(hf_journal_read(bench->journal, hf_now(), &found, NULL),
                     HF_E_UNAVAILABLE);
    assert_false(journals_read(bench->journal).exists);
}

KEEPING_TEST(a_look_that_comes_too_late_is_not_made)
{
    struct hf_journal_page page = {.arena = {.alloc = &hf_alloc_libc},
                                   .limit = 1};

    assert_int_equal(hf_journal_unlocked(bench->journal, hf_now(), NULL),
                     HF_E_UNAVAILABLE);
    assert_int_equal(hf_journal_audit(bench->journal, &page, hf_now(), NULL),
                     HF_E_UNAVAILABLE);
    assert_int_equal(hf_journal_retire(bench->journal, hf_now(), NULL),
                     HF_E_UNAVAILABLE);
}

KEEPING_TEST(two_who_claim_one_version_are_told_apart)
{
    struct hf_journal *other = journals_open(bench->place);
    uint64_t version = journals_read(bench->journal).version;
    uint64_t put = 0;

    assert_true(journals_read(other).version == version);
    assert_int_equal(write_at(other, version, true, &put), HF_APPLIED);
    assert_int_equal(write_at(bench->journal, version, true, NULL), HF_REFUSED);
    assert_true(journals_read(bench->journal).version == put);
    hf_journal_close(other);
}

/* ---- Rows ---------------------------------------------------------------- */

JOURNAL_TEST(a_load_of_an_empty_journal_ends)
{
    expect_rows(bench->journal, "");
}

KEEPING_TEST(sessions_come_first_and_grants_in_the_order_of_their_fences)
{
    struct hf_head head = journals_head("n1", "db1:7420");
    const struct hf_journal_change changes[] = {
        journals_grant(HF_SERVED_FENCE_MAX, 1, LOCKS),
        journals_session(UINT64_MAX),
        journals_grant(10, UINT64_MAX, LOCKS),
        journals_session(1),
        journals_grant(9, 1, LOCKS),
        journals_session(UINT64_C(1) << 63),
    };

    journals_put(bench->journal, &head, changes, 6);
    expect_rows(bench->journal, "s8000000000000000 sffffffffffffffff s1"
                                " g9 g10 g4611686018427387904");
}

KEEPING_TEST(what_is_put_is_loaded_as_it_was)
{
    struct hf_head head = journals_head("n1", "db1:7420");
    const struct hf_journal_change changes[] = {
        journals_session(UINT64_C(0xfedcba9876543210)),
        journals_grant(7, UINT64_C(0xfedcba9876543210), LOCKS),
    };
    const struct hf_loaded_session *session = &changes[0].session;
    static struct hf_journal_chunk chunk;
    const struct hf_served_row *row;

    chunk = (struct hf_journal_chunk){.arena = {.alloc = &hf_alloc_libc}};
    journals_put(bench->journal, &head, changes, 2);
    hf_journal_close(bench->journal);
    bench->journal = journals_open(bench->place);
    assert_int_equal(
        hf_journal_load(bench->journal, &chunk, suite_soon(), NULL), HF_OK);
    assert_int_equal(chunk.count, 1);
    assert_true(chunk.sessions[0].id == session->id);
    assert_memory_equal(&chunk.sessions[0].secret, &session->secret,
                        sizeof(session->secret));
    assert_int_equal(chunk.sessions[0].ttl.ms, 30000);
    assert_int_equal(chunk.sessions[0].if_dead, HF_REFUSE);
    assert_int_equal(chunk.sessions[0].silent_from.ms, 86400000);
    assert_int_equal(chunk.sessions[0].who.len, 7);
    assert_string_equal(chunk.sessions[0].who.at, "ann@db1");
    assert_int_equal(
        hf_journal_load(bench->journal, &chunk, suite_soon(), NULL), HF_OK);
    assert_int_equal(chunk.count, 1);
    row = &chunk.grants[0];
    assert_int_equal(row->grant.loaded.fence, 7);
    assert_true(row->grant.loaded.session == session->id);
    assert_int_equal(row->grant.loaded.lane, 4);
    assert_int_equal(row->grant.loaded.n, 9);
    assert_true(row->grant.since_ms == 1763850690123);
    assert_string_equal(row->locks.at, LOCKS);
    assert_string_equal(row->grant.loaded.note.at, "why");
    hf_arena_fini(&chunk.arena);
}

KEEPING_TEST(a_row_that_is_put_again_is_replaced)
{
    struct hf_head head = journals_head("n1", "db1:7420");
    const struct hf_journal_change first[] = {journals_session(1),
                                              journals_grant(7, 1, LOCKS)};
    const struct hf_journal_change again[] = {journals_session(1),
                                              journals_grant(7, 1, "[]")};
    char rows[64];

    journals_put(bench->journal, &head, first, 2);
    journals_put(bench->journal, &head, again, 2);
    expect_rows(bench->journal, "s1 g7");
    need_file(bench);
    files_query(bench->files->path, "SELECT locks FROM holdfast_grants", rows,
                sizeof(rows));
    assert_string_equal(rows, "[]\n");
}

KEEPING_TEST(a_row_that_is_not_there_is_deleted_without_a_word)
{
    struct hf_head head = journals_head("n1", "db1:7420");
    const struct hf_journal_change changes[] = {
        journals_session(1),
        {.kind = HF_CHANGE_DELETE_SESSION, .key = 2},
        {.kind = HF_CHANGE_DELETE_GRANT, .key = 3},
    };

    journals_put(bench->journal, &head, changes, 3);
    expect_rows(bench->journal, "s1");
}

/* More than two chunks of each, and one that is full to the last row. */
KEEPING_TEST(rows_beyond_a_chunk_are_all_loaded)
{
    enum { COUNT = 3 * HF_JOURNAL_CHUNK };
    static struct hf_journal_change changes[COUNT];
    static char text[16 * 2 * COUNT];
    struct hf_head head = journals_head("n1", "db1:7420");
    size_t spaces = 0;

    for (uint64_t i = 0; i < COUNT; i++)
        changes[i] = journals_session(1 + i);
    journals_put(bench->journal, &head, changes, COUNT);
    for (uint64_t i = 0; i < COUNT - 1; i++)
        changes[i] = journals_grant(1 + i, 1 + i, LOCKS);
    journals_put(bench->journal, &head, changes, COUNT - 1);
    journals_rows(bench->journal, text, sizeof(text));
    for (const char *at = text; *at != '\0'; at++)
        spaces += *at == ' ';
    assert_int_equal(spaces + 1, 2 * COUNT - 1);
    assert_non_null(strstr(text, "s300 g1 g2 "));
    assert_non_null(strstr(text, " g767"));
}

KEEPING_TEST(what_is_no_session_is_not_loaded)
{
    static const char *const damage[] = {
        "UPDATE holdfast_sessions SET secret = 'f00'",
        "UPDATE holdfast_sessions SET if_dead = 'Takeover'",
        "UPDATE holdfast_sessions SET ttl_ms = 1",
        "UPDATE holdfast_sessions SET who = char(27)",
        "UPDATE holdfast_sessions SET silent_from_ms = -1",
    };
    struct hf_head head = journals_head("n1", "db1:7420");
    const struct hf_journal_change session = journals_session(1);

    need_file(bench);
    for (size_t i = 0; i < sizeof(damage) / sizeof(damage[0]); i++) {
        static struct hf_journal_chunk chunk;
        struct hf_error error = {0};

        chunk = (struct hf_journal_chunk){.arena = {.alloc = &hf_alloc_libc}};
        journals_put(bench->journal, &head, &session, 1);
        files_sql(bench->files->path, damage[i]);
        assert_int_equal(
            hf_journal_load(bench->journal, &chunk, suite_soon(), &error),
            HF_E_CORRUPT);
        assert_int_equal(error.status, HF_E_CORRUPT);
        assert_non_null(strstr(error.text, "session 0000000000000001: "));
        hf_arena_fini(&chunk.arena);
    }
}

/* Memory of which the allocation `fails` is not given. */
static int allocations;
static int fails;

static void *
take_some(void *ctx, size_t count, size_t size)
{
    (void)ctx;
    return allocations++ == fails ? NULL : calloc(count, size);
}

static void
give_back(void *ctx, void *memory)
{
    (void)ctx;
    free(memory);
}

/* Who has no memory to ask must not be told that there is nothing. */
KEEPING_TEST(a_load_without_memory_finds_no_empty_journal)
{
    static const struct hf_alloc alloc = {take_some, give_back, NULL};
    static struct hf_journal_chunk chunk;
    struct hf_head head = journals_head("n1", "db1:7420");
    const struct hf_journal_change session = journals_session(1);
    struct hf_journal *journal = NULL;
    struct hf_place place;

    journals_put(bench->journal, &head, &session, 1);
    fails = -1;
    assert_int_equal(hf_place_parse(bench->place, &place, NULL), HF_OK);
    assert_int_equal(hf_journal_open(&place, &alloc, &journal, NULL), HF_OK);
    for (fails = 0; fails < 5; fails++) {
        enum hf_status status;

        allocations = 0;
        chunk = (struct hf_journal_chunk){.arena = {.alloc = &hf_alloc_libc}};
        status = hf_journal_load(journal, &chunk, journals_soon(), NULL);
        if (status == HF_OK)
            assert_int_equal(chunk.count, 1);
        else
            assert_int_equal(status, HF_E_NOMEM);
        hf_arena_fini(&chunk.arena);
    }
    hf_journal_close(journal);
}

/* Nobody's memory is filled by what stands in a file. */
KEEPING_TEST(of_texts_without_an_end_no_more_is_kept_than_shows_it)
{
    static struct hf_journal_chunk chunk;
    const struct hf_journal_change rows[] = {journals_session(1),
                                             journals_grant(7, 1, "[]")};
    struct hf_head head = journals_head("n1", "db1:7420");

    need_file(bench);
    chunk = (struct hf_journal_chunk){.arena = {.alloc = &hf_alloc_libc}};
    journals_put(bench->journal, &head, rows, 2);
    files_sql(bench->files->path,
              "UPDATE holdfast_grants SET locks = hex(zeroblob(1000000)),"
              " note = hex(zeroblob(1000000))");
    assert_int_equal(
        hf_journal_load(bench->journal, &chunk, journals_soon(), NULL), HF_OK);
    assert_int_equal(
        hf_journal_load(bench->journal, &chunk, journals_soon(), NULL), HF_OK);
    assert_int_equal(chunk.count, 1);
    assert_int_equal(chunk.grants[0].locks.len, HF_RECORD_TEXT_MAX + 1);
    assert_int_equal(chunk.grants[0].grant.loaded.note.len,
                     HF_SERVED_NOTE_MAX + 1);
    hf_arena_fini(&chunk.arena);
}

KEEPING_TEST(a_head_that_cannot_be_read_is_there_with_its_version)
{
    struct hf_head head = journals_head("n1", "db1:7420");
    uint64_t version = journals_put(bench->journal, &head, NULL, 0);
    struct hf_journal_found found;
    struct hf_error error = {0};

    need_file(bench);
    files_sql(bench->files->path, "UPDATE holdfast_head SET value = '{}'");
    assert_int_equal(
        hf_journal_read(bench->journal, journals_soon(), &found, &error),
        HF_E_CORRUPT);
    assert_true(found.exists && found.version == version);
    assert_int_equal(error.status, HF_E_CORRUPT);
}

/* ---- The audit ----------------------------------------------------------- */

static void
expect_page(struct hf_journal *journal, const char *prefix, const char *after,
            size_t limit, const char *names)
{
    static struct hf_journal_page page;
    char text[256] = "";
    size_t len = 0;

    page = (struct hf_journal_page){.arena = {.alloc = &hf_alloc_libc}};
    (void)snprintf(page.prefix, sizeof(page.prefix), "%s", prefix);
    (void)snprintf(page.after, sizeof(page.after), "%s", after);
    page.limit = limit;
    assert_int_equal(hf_journal_audit(journal, &page, suite_soon(), NULL),
                     HF_OK);
    for (size_t i = 0; i < page.count; i++)
        len +=
            (size_t)snprintf(text + len, sizeof(text) - len, "%s=%s ",
                             page.records[i].name.at, page.records[i].value.at);
    assert_string_equal(text, names);
    hf_arena_fini(&page.arena);
}

KEEPING_TEST(the_audit_is_read_in_pages_and_by_the_beginning_of_names)
{
    struct hf_head head = journals_head("n1", "db1:7420");
    const struct hf_journal_change changes[] = {
        {.kind = HF_CHANGE_PUT_AUDIT, .audit = {"a,1", {"A1", 2}}},
        {.kind = HF_CHANGE_PUT_AUDIT, .audit = {"b,3", {"B3", 2}}},
        {.kind = HF_CHANGE_PUT_AUDIT, .audit = {"a,2", {"A2", 2}}},
    };
    struct hf_journal *journal = bench->journal;

    journals_put(journal, &head, changes, 3);
    expect_page(journal, "", "", 10, "a,1=A1 a,2=A2 b,3=B3 ");
    expect_page(journal, "", "", 2, "a,1=A1 a,2=A2 ");
    expect_page(journal, "", "a,2", 2, "b,3=B3 ");
    expect_page(journal, "a,", "", 10, "a,1=A1 a,2=A2 ");
    expect_page(journal, "a,", "a,1", 10, "a,2=A2 ");
    expect_page(journal, "b,", "a,1", 10, "b,3=B3 ");
    expect_page(journal, "c,", "", 10, "");
    expect_page(journal, "", "b,3", 10, "");
}

/* ---- Waiting ------------------------------------------------------------- */

KEEPING_TEST(a_change_of_the_head_by_another_is_noticed)
{
    struct hf_journal *other = journals_open(bench->place);
    struct hf_head head = journals_head("n1", "db1:7420");
    uint64_t version = journals_put(bench->journal, &head, NULL, 0);
    bool changed = false;

    assert_false(hf_journal_wait(bench->journal, version,
                                 hf_after(hf_now(), (struct hf_duration){20}),
                                 -1));
    assert_int_equal(write_at(other, version, false, NULL), HF_APPLIED);
    while (!changed)
        changed = hf_journal_wait(bench->journal, version, journals_soon(), -1);
    hf_journal_close(other);
}

#include "unit/support/clients.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/*
 * Options: texts, each checked when it is set, and what belongs together when
 * the lock is verified or started.  Whatever is wrong is said in one clause.
 */

struct bad {
    const char *option;
    const char *text;
    const char *clause;
};

static char long_text[2048]; /* of 'n' */

/* One clause: lower case, no full stop, one line. */
static void
expect_clause(const struct hf_error *error, const char *clause)
{
    size_t len = strlen(error->text);

    assert_int_equal(error->status, HF_E_INVALID);
    assert_true(len > 0);
    assert_false(isupper((unsigned char)error->text[0]));
    assert_int_not_equal(error->text[len - 1], '.');
    assert_null(strchr(error->text, '\n'));
    if (clause != NULL)
        assert_string_equal(error->text, clause);
}

/* ---- Of a lock ----------------------------------------------------------- */

static void
a_bad_text_of_a_lock_is_refused_in_one_clause(void **state)
{
    static const struct bad bad[] = {
        {"colour", "red", "a lock has no option 'colour'"},
        {"", "", "a lock has no option ''"},
        {HF_WATCH, "1s", "a lock has no option 'watch'"},
        {NULL, "x", "an option and a text are needed"},
        {HF_TTL, NULL, "an option and a text are needed"},
        {HF_SPACE, "", "the space is empty"},
        {HF_SPACE, "!audit", "spaces that begin with '!' are Holdfast's own"},
        {HF_SPACE, "a\tb", NULL},
        {HF_SPACE, long_text,
         "the space has 2047 bytes, at most 128 are "
         "allowed"},
        {HF_IF_DEAD, "Refuse", "if_dead is neither takeover nor refuse"},
        {HF_IF_DEAD, "", "if_dead is neither takeover nor refuse"},
        {HF_IF_SUSPECTED, "die", "if_suspected is neither wait nor fail"},
        {HF_TTL, "", NULL},
        {HF_TTL, "30", NULL},
        {HF_TTL, "-1s", NULL},
        {HF_TTL, "1s ", NULL},
        {HF_TTL, "forever", NULL},
        {HF_TTL, "99999999999999999999s", NULL},
        {HF_BEAT, "x", NULL},
        {HF_BEAT, "0s", "beat must be more than zero"},
        {HF_GRACE, "soon", NULL},
        {HF_WAIT, "never", NULL},
        {HF_WAIT, "-5s", NULL},
        {HF_PROCESSES, "", "no process is named"},
        {HF_PROCESSES, "  ", "no process is named"},
        {HF_PROCESSES, "-1", "processes are numbers with spaces between them"},
        {HF_PROCESSES, "0", "processes are numbers with spaces between them"},
        {HF_PROCESSES, "+1", "processes are numbers with spaces between them"},
        {HF_PROCESSES, "1,2", "processes are numbers with spaces between them"},
        {HF_PROCESSES, "\t1", "processes are numbers with spaces between them"},
        {HF_PROCESSES, "99999999999999999999",
         "processes are numbers with spaces between them"},
        {HF_PROCESSES, "1 2 3 4 5 6 7 8 9", "more than 8 processes"},
        {HF_LANE, "", "the lane is empty"},
        {HF_LANE, "a\x1b", NULL},
        {HF_MODE, "Shared", "mode is none of exclusive, shared, until-free"},
    };
    struct hf_client *client = open_client("memory:lock");
    struct hf_lock *lock = new_lock(client, "deploy", NULL);

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct hf_error error = {.status = HF_OK};

        assert_int_equal(hf_lock_set(lock, bad[i].option, bad[i].text, &error),
                         HF_E_INVALID);
        expect_clause(&error, bad[i].clause);
    }
    /* None of them has left a trace. */
    assert_int_equal(hf_lock_verify(lock, NULL), HF_OK);
    assert_int_equal(hf_lock_start(lock, NULL), HF_OK);
    assert_int_equal(hf_lock_wait(lock, HF_FOREVER), HF_STATE_HELD);
    assert_int_equal(give_back(lock), HF_OK);
    close_client(client);
}

/* Each text for itself is good; together they cannot be kept. */
static void
terms_that_cannot_be_kept_are_found_before_the_start(void **state)
{
    static const struct {
        const char *ttl;
        const char *beat;
        const char *grace;
        const char *clause;
    } bad[] = {
        {"100ms", NULL, NULL, NULL},
        {"5s", "2s", NULL, NULL},
        {"30s", "2s", "25s",
         "a ttl of 30s is too short: three beats, the grace and the margin "
         "need 32.5s"},
        {"8d", NULL, NULL, "ttl, beat and grace can be a week at most"},
        {"7d", "8d", NULL, "ttl, beat and grace can be a week at most"},
        {"7d", NULL, "8d", "ttl, beat and grace can be a week at most"},
    };
    struct hf_client *client = open_client("memory:terms");

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct hf_lock *lock = new_lock(client, "x", HF_TTL, bad[i].ttl, NULL);
        struct hf_error error = {.status = HF_OK};

        if (bad[i].beat != NULL)
            assert_int_equal(hf_lock_set(lock, HF_BEAT, bad[i].beat, NULL),
                             HF_OK);
        if (bad[i].grace != NULL)
            assert_int_equal(hf_lock_set(lock, HF_GRACE, bad[i].grace, NULL),
                             HF_OK);
        assert_int_equal(hf_lock_verify(lock, &error), HF_E_INVALID);
        expect_clause(&error, bad[i].clause);
        error = (struct hf_error){.status = HF_OK};
        assert_int_equal(hf_lock_start(lock, &error), HF_E_INVALID);
        expect_clause(&error, bad[i].clause);
        assert_int_equal(hf_lock_state(lock), HF_STATE_NEW);
        hf_lock_free(lock);
    }
    close_client(client);
}

/* The last text counts, and what was refused is put right. */
static void
an_option_may_be_set_anew_until_the_start(void **state)
{
    struct hf_client *client = open_client("memory:anew");
    struct hf_lock *lock = new_lock(client, "deploy", HF_TTL, "100ms",
                                    HF_REASON, "one", HF_SPACE, "there", NULL);
    struct hf_view *seen;

    (void)state;
    assert_int_equal(hf_lock_start(lock, NULL), HF_E_INVALID);
    assert_int_equal(hf_lock_set(lock, HF_TTL, "45s", NULL), HF_OK);
    assert_int_equal(hf_lock_set(lock, HF_REASON, "two", NULL), HF_OK);
    assert_int_equal(hf_lock_set(lock, HF_SPACE, "team", NULL), HF_OK);
    assert_int_equal(hf_lock_start(lock, NULL), HF_OK);
    assert_int_equal(hf_lock_wait(lock, HF_FOREVER), HF_STATE_HELD);
    seen = examine(client, "deploy", HF_SPACE, "team", NULL);
    assert_string_equal(hf_view_text(seen, HF_FIELD_REASON), "two");
    assert_int_equal(hf_view_number(seen, HF_FIELD_TTL_MS), 45000);
    hf_view_free(seen);
    assert_int_equal(give_back(lock), HF_OK);
    close_client(client);
}

/* Every option is seen where it counts: in the record. */
static void
what_was_set_is_in_the_record(void **state)
{
    struct hf_client *client = open_client("memory:record");
    char processes[48];
    struct hf_lock *lock;
    struct hf_view *seen;

    (void)state;
    snprintf(processes, sizeof(processes), " 1  %d ", (int)getpid());
    lock = hold(client, "deploy", HF_SPACE, "team", HF_IF_DEAD, "refuse",
                HF_TTL, "2m", HF_BEAT, "3s", HF_GRACE, "0s", HF_REASON,
                "release 7", HF_COMMAND, "./deploy --all", HF_PROCESSES,
                processes, HF_LANE, "one", HF_MODE, "exclusive", NULL);
    seen = examine(client, "deploy", HF_SPACE, "team", NULL);
    assert_int_equal(hf_view_number(seen, HF_FIELD_IF_DEAD), HF_REFUSE);
    assert_int_equal(hf_view_number(seen, HF_FIELD_TTL_MS), 120000);
    assert_int_equal(hf_view_number(seen, HF_FIELD_BEAT_MS), 3000);
    assert_string_equal(hf_view_text(seen, HF_FIELD_REASON), "release 7");
    assert_string_equal(hf_view_text(seen, HF_FIELD_COMMAND), "./deploy --all");
    assert_int_equal(hf_view_number(seen, HF_FIELD_PROCESSES), 2);
    assert_int_equal(hf_view_item(seen, HF_FIELD_PROCESSES, 0), 1);
    assert_int_equal(hf_view_item(seen, HF_FIELD_PROCESSES, 1), getpid());
    hf_view_free(seen);
    assert_int_equal(give_back(lock), HF_OK);
    close_client(client);
}

static void
the_defaults_are_those_of_the_header(void **state)
{
    struct hf_client *client = open_client("memory:defaults");
    struct hf_lock *takeover = hold(client, "takeover", NULL);
    struct hf_lock *refuse = hold(client, "refuse", HF_IF_DEAD, "refuse", NULL);
    struct hf_lock *brief = hold(client, "brief", HF_TTL, "3s", NULL);
    struct hf_view *seen;

    (void)state;
    seen = examine(client, "takeover", NULL);
    assert_string_equal(hf_view_text(seen, HF_FIELD_SPACE), "default");
    assert_string_equal(hf_view_text(seen, HF_FIELD_IF_DEAD), "takeover");
    assert_int_equal(hf_view_number(seen, HF_FIELD_TTL_MS), 30000);
    assert_int_equal(hf_view_number(seen, HF_FIELD_BEAT_MS), 2000);
    assert_string_equal(hf_view_text(seen, HF_FIELD_REASON), "");
    assert_int_equal(hf_view_item(seen, HF_FIELD_PROCESSES, 0), getpid());
    hf_view_free(seen);
    seen = examine(client, "refuse", NULL);
    assert_int_equal(hf_view_number(seen, HF_FIELD_TTL_MS), 60000);
    hf_view_free(seen);
    seen = examine(client, "brief", NULL); /* beats, grace and margin fit in */
    assert_true(hf_view_number(seen, HF_FIELD_BEAT_MS) * 3 + 1000 + 250 <=
                3000);
    hf_view_free(seen);
    hf_lock_free(takeover);
    hf_lock_free(refuse);
    hf_lock_free(brief);
    close_client(client);
}

/* ---- What a table of records cannot do ----------------------------------- */

static void
a_table_keeps_one_exclusive_name_a_lock_and_says_so(void **state)
{
    static const char *const modes[] = {"shared", "until-free"};
    struct hf_client *client = open_client("memory:modes");
    struct hf_error error = {.status = HF_OK};
    struct hf_lock *lock;

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        lock = new_lock(client, "x", HF_MODE, modes[i], NULL);
        assert_int_equal(hf_lock_verify(lock, &error), HF_E_INVALID);
        expect_clause(&error, "memory:modes keeps one exclusive name a lock: "
                              "other modes need a server");
        assert_int_equal(hf_lock_start(lock, NULL), HF_E_INVALID);
        hf_lock_free(lock);
    }
    lock = new_lock(client, "x", NULL);
    assert_int_equal(hf_lock_add(lock, "y", HF_EXCLUSIVE, &error),
                     HF_E_INVALID);
    expect_clause(&error, "memory:modes keeps one exclusive name a lock: "
                          "several names under one grant need a server");
    assert_int_equal(hf_lock_add(lock, "a\nb", HF_EXCLUSIVE, &error),
                     HF_E_INVALID);
    assert_int_equal(hf_lock_change(lock, 0, HF_SHARED, &error), HF_E_INVALID);
    expect_clause(&error, "lock x: it is not held");
    hf_lock_free(lock);
    lock = hold(client, "x", NULL);
    assert_int_equal(hf_lock_change(lock, 0, HF_SHARED, &error), HF_E_INVALID);
    expect_clause(&error, NULL);
    assert_int_equal(give_back(lock), HF_OK);
    close_client(client);
}

static void
a_process_that_is_not_there_is_found_at_the_start(void **state)
{
    struct hf_client *client = open_client("memory:processes");
    struct hf_error error = {.status = HF_OK};
    struct hf_lock *lock =
        new_lock(client, "x", HF_PROCESSES, "2147483647", NULL);

    (void)state;
    assert_int_equal(hf_lock_verify(lock, NULL), HF_OK);
    assert_int_equal(hf_lock_start(lock, &error), HF_E_INVALID);
    expect_clause(&error, "there is no process 2147483647");
    hf_lock_free(lock);
    close_client(client);
}

/* ---- Of a client and of a query ------------------------------------------ */

static void
a_bad_option_of_a_client_is_refused_in_one_clause(void **state)
{
    struct hf_client *client = NULL;
    struct hf_error error = {.status = HF_OK};

    (void)state;
    assert_int_equal(hf_client_new(NULL, &client, NULL), HF_OK);
    assert_int_equal(hf_client_set(client, "colour", "red", &error),
                     HF_E_INVALID);
    expect_clause(&error, "a client has no option 'colour'");
    assert_int_equal(hf_client_set(client, HF_LOOK_ONLY, "maybe", &error),
                     HF_E_INVALID);
    expect_clause(&error, "look_only is neither no nor yes");
    assert_int_equal(hf_client_set(client, HF_LOOK_ONLY, NULL, &error),
                     HF_E_INVALID);
    expect_clause(&error, NULL);
    assert_int_equal(hf_client_open(client, "memory:client", NULL), HF_OK);
    assert_int_equal(hf_client_set(client, HF_LOOK_ONLY, "yes", &error),
                     HF_E_INVALID);
    expect_clause(&error, "the client is open already");
    close_client(client);
}

static void
a_bad_text_of_a_query_is_refused_in_one_clause(void **state)
{
    static const struct {
        enum hf_query_kind kind;
        struct bad bad;
    } cases[] = {
        {HF_LIST, {"colour", "red", "such a query has no option 'colour'"}},
        {HF_LIST, {HF_NAME, "x", "such a query has no option 'name'"}},
        {HF_LIST, {HF_SINCE, "1", "such a query has no option 'since'"}},
        {HF_EXAMINE, {HF_LIMIT, "1", "such a query has no option 'limit'"}},
        {HF_EXAMINE, {HF_FORCE, "yes", "such a query has no option 'force'"}},
        {HF_CLEAR, {HF_CURSOR, "x", "such a query has no option 'cursor'"}},
        {HF_AUDIT, {HF_PREFIX, "x", "such a query has no option 'prefix'"}},
        {HF_DOCTOR, {HF_SPACE, "x", "such a query has no option 'space'"}},
        {HF_LIST, {NULL, "x", "a query, an option and a text are needed"}},
        {HF_LIST, {HF_SPACE, NULL, "a query, an option and a text are needed"}},
        {HF_LIST,
         {HF_SPACE, "!audit", "spaces that begin with '!' are Holdfast's own"}},
        {HF_LIST, {HF_PREFIX, long_text, "the prefix is longer than any name"}},
        {HF_LIST, {HF_LIMIT, "0", "limit is no number from 1 to 10000"}},
        {HF_LIST, {HF_LIMIT, "10001", "limit is no number from 1 to 10000"}},
        {HF_LIST, {HF_LIMIT, "", "limit is no number from 1 to 10000"}},
        {HF_LIST, {HF_LIMIT, " 5", "limit is no number from 1 to 10000"}},
        {HF_LIST, {HF_LIMIT, "5x", "limit is no number from 1 to 10000"}},
        {HF_EXAMINE, {HF_NAME, "", "the name is empty"}},
        {HF_EXAMINE, {HF_WATCH, "long", NULL}},
        {HF_CLEAR, {HF_FORCE, "1", "force is neither no nor yes"}},
        {HF_CLEAR, {HF_FENCE, "-1", NULL}},
        {HF_AUDIT, {HF_SINCE, "today", NULL}},
    };
    struct hf_client *client = open_client("memory:query");

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct hf_query *query = new_query(client, cases[i].kind, NULL);
        const struct bad *bad = &cases[i].bad;
        struct hf_error error = {.status = HF_OK};

        assert_int_equal(hf_query_set(query, bad->option, bad->text, &error),
                         HF_E_INVALID);
        expect_clause(&error, bad->clause);
        hf_query_free(query);
    }
    close_client(client);
}

static int
set_up(void **state)
{
    (void)state;
    memset(long_text, 'n', sizeof(long_text) - 1);
    return 0;
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bad_text_of_a_lock_is_refused_in_one_clause),
        cmocka_unit_test(terms_that_cannot_be_kept_are_found_before_the_start),
        cmocka_unit_test(an_option_may_be_set_anew_until_the_start),
        cmocka_unit_test(what_was_set_is_in_the_record),
        cmocka_unit_test(the_defaults_are_those_of_the_header),
        cmocka_unit_test(a_table_keeps_one_exclusive_name_a_lock_and_says_so),
        cmocka_unit_test(a_process_that_is_not_there_is_found_at_the_start),
        cmocka_unit_test(a_bad_option_of_a_client_is_refused_in_one_clause),
        cmocka_unit_test(a_bad_text_of_a_query_is_refused_in_one_clause),
    };

    return cmocka_run_group_tests(tests, set_up, NULL);
}

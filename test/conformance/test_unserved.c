#include "support/files.h"
#include "support/journals.h"
#include "support/test.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * A store keeps the locks of a table, or is served: a claim is refused while a
 * head names a node, in the very transaction that would make it.
 */

/* What one test works on: a file, as a table's store and as a journal. */
struct shared {
    struct files *files;
    struct hf_store *store;
    struct hf_journal *journal;
};

/* Where the environment names a server, it is a place there. */
static void
run_shared(struct files *files, void (*run)(struct shared *shared))
{
    char behind[SUITE_PLACE_SIZE];
    bool served = suite_behind_server(behind);
    struct shared shared = {.files = served ? NULL : files};
    const char *place = served ? behind : files->place;

    shared.store = suite_open_place(place);
    shared.journal = journals_open(place);
    run(&shared);
    hf_journal_close(shared.journal);
    hf_store_close(shared.store);
}

/* Where somebody changes the file by hand. */
static void
need_file(struct shared *b)
{
    if (b->files != NULL)
        return;
    hf_journal_close(b->journal);
    hf_store_close(b->store);
    skip();
}

#define SHARED_TEST(sentence)                                                  \
    static void run_##sentence(struct shared *b);                              \
    TEST_IN(files_set_up, files_tear_down, sentence)                           \
    {                                                                          \
        run_shared(*state, run_##sentence);                                    \
    }                                                                          \
    static void run_##sentence(struct shared *b)

/* Put the head, with that node and that address, or with none. */
static void
put_head(struct shared *b, const char *node, const char *address)
{
    const struct hf_head head = journals_head(node, address);

    journals_put(b->journal, &head, NULL, 0);
}

static enum hf_verdict
claim(struct hf_store *store, const char *name, struct hf_error *error)
{
    struct hf_store_op op =
        suite_put(suite_key(name), suite_absent(store, suite_key(name)), "x");
    struct hf_store_group group = {
        .ops = &op, .ops_count = 1, .verdict = HF_UNAVAILABLE};

    hf_store_commit(store, &group, 1, suite_soon(), error);
    return group.verdict;
}

SHARED_TEST(nothing_is_claimed_in_a_store_that_is_served)
{
    struct hf_error error = {0};

    assert_int_equal(claim(b->store, "before", NULL), HF_APPLIED);
    assert_int_equal(hf_store_unserved(b->store, suite_soon(), NULL), HF_OK);
    put_head(b, "n1", "db1:7420");
    assert_int_equal(claim(b->store, "meanwhile", &error), HF_UNAVAILABLE);
    assert_non_null(strstr(error.text, "http://db1:7420"));
    assert_int_equal(hf_store_unserved(b->store, suite_soon(), &error),
                     HF_E_UNAVAILABLE);
    assert_non_null(strstr(error.text, "http://db1:7420"));
    error = (struct hf_error){0};
    assert_int_equal(hf_store_unserved(b->store, hf_now(), &error),
                     HF_E_UNAVAILABLE);
    assert_non_null(strstr(error.text, "time limit"));
    put_head(b, "", "");
    assert_int_equal(claim(b->store, "meanwhile", NULL), HF_APPLIED);
    assert_int_equal(hf_store_unserved(b->store, suite_soon(), NULL), HF_OK);
}

/* Its server has gone, and may have left locks to their holders. */
SHARED_TEST(nothing_is_claimed_while_a_stopped_servers_locks_may_be_held)
{
    struct hf_error error = {0};

    put_head(b, "", "db1:7420");
    assert_int_equal(claim(b->store, "meanwhile", &error), HF_UNAVAILABLE);
    assert_non_null(strstr(error.text, "db1:7420"));
    assert_non_null(strstr(error.text, "may still be held"));
    assert_int_equal(hf_store_unserved(b->store, suite_soon(), NULL),
                     HF_E_UNAVAILABLE);
}

static bool
wait_to_be_killed(void *ctx)
{
    (void)ctx;
    (void)pause();
    return false;
}

/* As it is found just after its death, on its host. */
SHARED_TEST(a_server_that_has_died_here_is_said_to_be_dead)
{
    pid_t server = suite_start(wait_to_be_killed, NULL);
    struct hf_head head = journals_head("n1", "db1:7420");
    struct hf_owner *owner = &head.claim.owner;
    struct hf_error error = {0};
    struct hf_host host;

    hf_process_host(&host);
    (void)snprintf(owner->boot, sizeof(owner->boot), "%s", host.boot);
    owner->pidns = host.pidns;
    owner->processes_count = 1;
    assert_int_equal(hf_process_find(server, &owner->processes[0], &error),
                     HF_OK);
    journals_put(b->journal, &head, NULL, 0);
    assert_int_equal(hf_store_unserved(b->store, suite_soon(), &error),
                     HF_E_UNAVAILABLE);
    assert_non_null(strstr(error.text, "a lock server serves it"));
    assert_int_equal(kill(server, SIGKILL), 0);
    (void)suite_end_of(server);
    assert_int_equal(hf_store_unserved(b->store, suite_soon(), &error),
                     HF_E_UNAVAILABLE);
    assert_non_null(strstr(error.text, "a lock server has died"));
    assert_non_null(strstr(error.text, "db1:7420"));
    assert_int_equal(claim(b->store, "meanwhile", &error), HF_UNAVAILABLE);
    assert_non_null(strstr(error.text, "a lock server has died"));
}

/* A head of another Holdfast's says nothing, so it says no. */
SHARED_TEST(nothing_is_claimed_beside_a_head_that_cannot_be_read)
{
    struct hf_error error = {0};

    need_file(b);
    put_head(b, "", "");
    files_sql(b->files->path, "UPDATE holdfast_head SET value = 'no head'");
    assert_int_equal(claim(b->store, "meanwhile", &error), HF_UNAVAILABLE);
    assert_non_null(strstr(error.text, "cannot be read"));
}

/* So that those who hold one can keep it, and give it back. */
SHARED_TEST(what_was_claimed_before_beats_and_ends)
{
    struct hf_key lock = suite_key("lock");

    assert_int_equal(claim(b->store, "lock", NULL), HF_APPLIED);
    put_head(b, "n1", "db1:7420");
    (void)suite_apply(b->store,
                      suite_beat(lock, suite_present(b->store, lock), "beat"));
    (void)suite_apply(b->store,
                      suite_delete(lock, suite_present(b->store, lock)));
    (void)suite_absent(b->store, lock);
}

/* A claim beside others in one commit: it alone is refused. */
SHARED_TEST(others_in_the_commit_are_not_held_up)
{
    struct hf_key lock = suite_key("lock");
    struct hf_store_op beat;
    struct hf_store_op other;
    struct hf_store_group groups[2] = {
        {.ops = &other, .ops_count = 1, .verdict = HF_UNAVAILABLE},
        {.ops = &beat, .ops_count = 1, .verdict = HF_UNAVAILABLE},
    };

    assert_int_equal(claim(b->store, "lock", NULL), HF_APPLIED);
    put_head(b, "n1", "db1:7420");
    beat = suite_beat(lock, suite_present(b->store, lock), "beat");
    other = suite_put(suite_key("other"),
                      suite_absent(b->store, suite_key("other")), "x");
    hf_store_commit(b->store, groups, 2, suite_soon(), NULL);
    assert_int_equal(groups[0].verdict, HF_UNAVAILABLE);
    assert_int_equal(groups[1].verdict, HF_APPLIED);
}

/* By whoever has written its head: it has none beside it from then on. */
SHARED_TEST(a_table_lock_that_is_held_lets_nobody_serve)
{
    const struct hf_duration promised = {1000};
    struct hf_error error = {0};

    put_head(b, "", "");
    assert_int_equal(hf_journal_unlocked(b->journal, suite_soon(), NULL),
                     HF_OK);
    assert_int_equal(claim(b->store, "lock", NULL), HF_APPLIED);
    assert_int_equal(hf_journal_unlocked(b->journal, suite_soon(), &error),
                     HF_E_UNAVAILABLE);
    assert_non_null(strstr(error.text, "'lock' in space default"));
    put_head(b, "n1", "db1:7420");
    assert_int_equal(
        hf_journal_secure(b->journal, promised, suite_soon(), &error),
        HF_E_UNAVAILABLE);
    (void)suite_apply(b->store,
                      suite_delete(suite_key("lock"),
                                   suite_present(b->store, suite_key("lock"))));
    assert_int_equal(hf_journal_unlocked(b->journal, suite_soon(), NULL),
                     HF_OK);
    assert_int_equal(
        hf_journal_secure(b->journal, promised, suite_soon(), NULL), HF_OK);
}

/* A batch of a leader of which nothing is left. */
SHARED_TEST(a_late_batch_does_nothing_in_a_file_that_was_made_anew)
{
    const struct hf_head head = journals_head("n1", "db1:7420");
    const struct hf_journal_change row = journals_session(1);
    struct hf_journal_write late = {
        .head = &head, .changes = &row, .changes_count = 1};
    struct hf_journal *anew;
    char rows[64];

    need_file(b);
    late.expect = journals_put(b->journal, &head, NULL, 0);
    suite_destroy_folder(b->files->folder);
    suite_remake_folder(b->files->folder);
    assert_int_equal(
        hf_journal_write(b->journal, &late, suite_soon(), &(uint64_t){0}, NULL),
        HF_UNKNOWN); /* it notices */
    assert_int_equal(hf_journal_generation(b->journal), 1);
    anew = journals_open(b->files->place);
    assert_true(journals_read(anew).version > late.expect);
    for (int claimed = 0; claimed < 2; claimed++) {
        assert_int_equal(hf_journal_write(b->journal, &late, suite_soon(),
                                          &(uint64_t){0}, NULL),
                         HF_REFUSED);
        late.new_term = true;
        assert_int_equal(hf_journal_write(b->journal, &late, suite_soon(),
                                          &(uint64_t){0}, NULL),
                         HF_REFUSED);
        late.new_term = false;
        if (claimed == 0)
            journals_put(anew, &head, NULL, 0);
    }
    journals_rows(anew, rows, sizeof(rows));
    assert_string_equal(rows, "");
    hf_journal_close(anew);
}

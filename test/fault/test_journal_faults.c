#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/place.h"
#include "support/journals.h"
#include "support/rig.h"

/*
 * A lock server's journal whose calls fail, the first of a kind, then the
 * second, and so on; or whose process is killed there.  A batch is there whole
 * or not at all, and its verdict is true.
 */

#define LOCKS  "[{\"space\":\"default\",\"name\":\"a\",\"mode\":\"exclusive\"}]"
#define BEFORE "s1 g7"
#define AFTER  "s1 s2 g8 g9"

static struct hf_journal *
open_journal(struct hf_error *error)
{
    struct hf_journal *journal = NULL;
    struct hf_place where;

    assert_int_equal(hf_place_parse(rig_place, &where, NULL), HF_OK);
    if (hf_journal_open(&where, &faults_alloc, &journal, error) != HF_OK)
        return NULL;
    return journal;
}

/* What a batch changes: a grant is handed over, a session comes. */
struct batch {
    struct hf_head head;
    struct hf_journal_change changes[4];
    struct hf_journal_write write;
};

static void
make_batch(struct batch *batch, uint64_t expect)
{
    *batch = (struct batch){
        .head = journals_head("n1", "db1:7420"),
        .changes = {{.kind = HF_CHANGE_DELETE_GRANT, .key = 7},
                    journals_session(2),
                    journals_grant(8, 2, LOCKS),
                    journals_grant(9, 1, LOCKS)},
        .write = {.expect = expect, .changes_count = 4},
    };
    batch->head.next_fence = 10;
    batch->write.head = &batch->head;
    batch->write.changes = batch->changes;
}

/* A place with a head, a session and a grant; the head's version. */
static uint64_t
prepare(void)
{
    const struct hf_head head = journals_head("n1", "db1:7420");
    const struct hf_journal_change rows[] = {journals_session(1),
                                             journals_grant(7, 1, LOCKS)};
    struct hf_journal *journal;
    uint64_t version;

    rig_make_place();
    journal = journals_open(rig_place);
    version = journals_put(journal, &head, rows, 2);
    hf_journal_close(journal);
    return version;
}

/* Is the batch there?  All of it, or nothing. */
static bool
is_there(uint64_t before, uint64_t *version)
{
    struct hf_journal *journal = journals_open(rig_place);
    struct hf_journal_found found = journals_read(journal);
    char rows[64];

    journals_rows(journal, rows, sizeof(rows));
    hf_journal_close(journal);
    *version = found.version;
    assert_string_equal(rows, found.version == before ? BEFORE : AFTER);
    assert_int_equal(found.head.next_fence, found.version == before ? 9 : 10);
    assert_true(found.term == before);
    return found.version != before;
}

/* As its sender would: the same write, and a look if that is refused. */
static void
send_again(const struct batch *batch, uint64_t before, bool was_there)
{
    struct hf_journal *journal = journals_open(rig_place);
    enum hf_verdict verdict;
    uint64_t version = 0;

    verdict = hf_journal_write(journal, &batch->write, journals_soon(),
                               &version, NULL);
    hf_journal_close(journal);
    assert_int_equal(verdict, was_there ? HF_REFUSED : HF_APPLIED);
    assert_true(is_there(before, &version));
}

/* ---- Faults -------------------------------------------------------------- */

static void
write_under(struct fault_plan *plan)
{
    uint64_t before = prepare();
    struct hf_error error = {.status = HF_OK};
    struct hf_journal *journal = open_journal(&error);
    enum hf_verdict verdict;
    struct batch batch;
    uint64_t version = 0;
    uint64_t found;
    bool there;

    assert_non_null(journal);
    make_batch(&batch, before);
    faults_arm(plan);
    verdict = hf_journal_write(journal, &batch.write, journals_soon(), &version,
                               &error);
    faults_arm(NULL);
    hf_journal_close(journal);
    there = is_there(before, &found);
    assert_int_not_equal(verdict, HF_REFUSED);
    if (verdict == HF_APPLIED)
        assert_true(there && found == version);
    else
        assert_int_not_equal(error.status, HF_OK);
    if (verdict == HF_UNAVAILABLE)
        assert_false(there);
    send_again(&batch, before, there);
    rig_destroy_place();
}

/* A full disk may last for days. */
static void
write_on_full_disk(struct fault_plan *plan)
{
    uint64_t before = prepare();
    struct hf_journal *journal = open_journal(NULL);
    struct batch batch;

    make_batch(&batch, before);
    faults_arm(plan);
    if (hf_journal_write(journal, &batch.write, journals_soon(), &(uint64_t){0},
                         NULL) != HF_APPLIED)
        assert_false(is_there(before, &(uint64_t){0}));
    faults_arm(NULL);
    hf_journal_close(journal);
    rig_destroy_place();
}

static void
load_under(struct fault_plan *plan)
{
    static struct hf_journal_chunk chunk;
    struct hf_error error = {.status = HF_OK};
    enum hf_status status = HF_OK;
    struct hf_journal_found found;
    struct hf_journal *journal;
    size_t rows = 0;

    (void)prepare();
    chunk = (struct hf_journal_chunk){.arena = {.alloc = &faults_alloc}};
    faults_arm(plan);
    journal = open_journal(&error);
    status = journal == NULL
                 ? error.status
                 : hf_journal_read(journal, journals_soon(), &found, &error);
    while (status == HF_OK && chunk.rows != HF_JOURNAL_END) {
        status = hf_journal_load(journal, &chunk, HF_NEVER, &error);
        rows += chunk.count;
    }
    faults_arm(NULL);
    if (status == HF_OK)
        assert_true(found.exists && rows == 2);
    else
        assert_int_equal(status, error.status);
    hf_arena_fini(&chunk.arena);
    hf_journal_close(journal);
    rig_destroy_place();
}

/* There is a table lock: whatever fails, nobody may serve beside it. */
static void
secure_under(struct fault_plan *plan)
{
    struct hf_error error = {.status = HF_OK};
    struct hf_journal *journal;

    hf_store_close(rig_prepare(0));
    faults_arm(plan);
    journal = open_journal(&error);
    if (journal != NULL) {
        assert_int_not_equal(hf_journal_unlocked(journal, HF_NEVER, &error),
                             HF_OK);
        assert_int_not_equal(hf_journal_secure(journal,
                                               (struct hf_duration){1000},
                                               journals_soon(), &error),
                             HF_OK);
    }
    faults_arm(NULL);
    assert_int_not_equal(error.status, HF_OK);
    hf_journal_close(journal);
    rig_destroy_place();
}

/* The log is removed while the commit is synced. */
static void
remove_log(void)
{
    char path[RIG_PLACE_SIZE + 8];

    (void)snprintf(path, sizeof(path), "%s-wal", rig_place + strlen("sqlite:"));
    assert_int_equal(unlink(path), 0);
}

static void
a_batch_under_any_fault_keeps_its_verdict(void **state)
{
    (void)state;
    rig_try_all("a batch", write_under);
}

static void
a_full_disk_is_never_unknown(void **state)
{
    (void)state;
    assert_true(rig_try(FAULT_FULL, true, write_on_full_disk) > 3);
}

static void
a_load_under_any_fault_is_whole_or_fails(void **state)
{
    (void)state;
    rig_try_all("a load", load_under);
}

static void
nobody_serves_beside_a_table_lock_under_any_fault(void **state)
{
    (void)state;
    rig_try_all("to serve beside a table lock", secure_under);
}

static void
a_batch_into_a_log_that_was_removed_meanwhile_is_unknown(void **state)
{
    struct fault_plan plan = {
        .kind = FAULT_SYNC, .countdown = 1, .act = remove_log};
    uint64_t before = prepare();
    struct hf_journal *journal = open_journal(NULL);
    struct batch batch;

    (void)state;
    make_batch(&batch, before);
    faults_arm(&plan);
    assert_int_equal(hf_journal_write(journal, &batch.write, journals_soon(),
                                      &(uint64_t){0}, NULL),
                     HF_UNKNOWN);
    faults_arm(NULL);
    assert_true(plan.fired);
    assert_int_equal(hf_journal_generation(journal), 1);
    hf_journal_close(journal);
    rig_destroy_place();
}

/* ---- Kills --------------------------------------------------------------- */

static void
die(void)
{
    (void)kill(getpid(), SIGKILL);
}

/* Write the batch in a process that is killed at the n-th call of that kind.
 * False: there were fewer. */
static bool
killed_at(enum fault_kind kind, int n, const struct batch *batch)
{
    struct fault_plan plan = {.kind = kind, .countdown = n, .act = die};
    int status = 0;
    pid_t pid = fork();

    assert_true(pid >= 0);
    if (pid == 0) {
        struct hf_journal *journal = open_journal(NULL);

        faults_arm(&plan);
        (void)hf_journal_write(journal, &batch->write, journals_soon(),
                               &(uint64_t){0}, NULL);
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
}

static int
kill_at_each(enum fault_kind kind, int *there_count)
{
    bool killed = true;
    int n = 0;

    while (killed) {
        uint64_t before = prepare();
        uint64_t version;
        struct batch batch;
        bool there;

        make_batch(&batch, before);
        killed = killed_at(kind, ++n, &batch);
        there = is_there(before, &version);
        *there_count += there;
        send_again(&batch, before, there);
        rig_destroy_place();
    }
    return n - 1;
}

static void
a_kill_at_any_write_of_a_batch_leaves_it_whole_or_not_at_all(void **state)
{
    static const enum fault_kind kinds[] = {FAULT_WRITE, FAULT_SYNC, FAULT_LOCK,
                                            FAULT_SHARED_LOCK, FAULT_READ};
    int kills = 0;
    int there = 0;

    (void)state;
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        int count = kill_at_each(kinds[i], &there);

        print_message("    killed at each %s: %d\n", fault_kind_word(kinds[i]),
                      count);
        kills += count;
    }
    assert_true(kills > 10 && there > 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_batch_under_any_fault_keeps_its_verdict),
        cmocka_unit_test(a_full_disk_is_never_unknown),
        cmocka_unit_test(a_load_under_any_fault_is_whole_or_fails),
        cmocka_unit_test(nobody_serves_beside_a_table_lock_under_any_fault),
        cmocka_unit_test(
            a_batch_into_a_log_that_was_removed_meanwhile_is_unknown),
        cmocka_unit_test(
            a_kill_at_any_write_of_a_batch_leaves_it_whole_or_not_at_all),
    };

    faults_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "support/rig.h"

/*
 * Fail the 1st call of a kind, then the 2nd, ... until a run needs no more;
 * once, and for ever after.  After each: the status is clean, nothing leaks,
 * the store is usable, and after everybody has closed, and the next one has
 * recovered the log, the file holds what the verdicts said: an applied group
 * whole, an unavailable one not at all, an unknown one whole or not at all.
 */

/* How full the log is when the faults begin: its 100th page brings a
 * checkpoint at the end of the commit, and the commit after that begins the
 * log anew. */
static const int puts_before[] = {0, 5, 6, 7};

/* What the runs have seen, to show that the test reaches it. */
static struct {
    int unknown_applied;
    int unknown_not_applied;
    int unavailable;
    int applied_in_spite;
} seen;

/* ---- One commit under a fault ------------------------------------------- */

/* Group 0 puts "a" and "b", group 1 must be refused, group 2 puts "c". */
struct work {
    struct hf_store_op ops[4];
    struct hf_store_group groups[3];
    uint64_t before[3]; /* versions of "a", "b", "c" */
};

static const char *const names[] = {"a", "b", "c"};

static void
plan_work(struct hf_store *store, struct work *work)
{
    for (size_t i = 0; i < 3; i++)
        work->before[i] = rig_read_key(store, names[i]).version;
    work->ops[0] = rig_put("a", work->before[0], rig_big, 10);
    work->ops[1] = rig_put("b", work->before[1], rig_big, RIG_BIG);
    work->ops[2] = rig_put("d", 1, rig_big, 10);
    work->ops[3] = rig_put("c", work->before[2], rig_big, 10);
    work->groups[0] =
        (struct hf_store_group){.ops = &work->ops[0], .ops_count = 2};
    work->groups[1] =
        (struct hf_store_group){.ops = &work->ops[2], .ops_count = 1};
    work->groups[2] =
        (struct hf_store_group){.ops = &work->ops[3], .ops_count = 1};
}

/* Does the key stand as the group's verdict says?  True: it was applied. */
static bool
check_key(struct hf_store *store, const struct work *work, size_t index,
          enum hf_verdict verdict)
{
    const struct hf_store_op *op = &work->ops[index == 2 ? 3 : index];
    uint64_t version = rig_read_key(store, names[index]).version;
    bool moved = version != work->before[index];

    switch (verdict) {
    case HF_APPLIED:
        assert_true(version == op->version);
        break;
    case HF_UNAVAILABLE:
        assert_false(moved);
        break;
    case HF_UNKNOWN:
        assert_true(op->version == 0);
        break;
    case HF_REFUSED:
        fail_msg("%s was refused", names[index]);
    }
    return moved;
}

static void
check_outcome(struct hf_store *store, const struct work *work)
{
    enum hf_verdict verdict = work->groups[0].verdict;
    bool a = check_key(store, work, 0, verdict);
    bool b = check_key(store, work, 1, verdict);
    bool c = check_key(store, work, 2, work->groups[2].verdict);

    assert_int_equal(a, b); /* a group is all or none */
    assert_true(work->groups[1].verdict == HF_REFUSED ||
                work->groups[1].verdict == HF_UNAVAILABLE);
    assert_false(rig_read_key(store, "d").exists);

    if (verdict == HF_UNKNOWN) {
        assert_int_equal(work->groups[1].verdict, HF_REFUSED);
        assert_int_equal(a, c); /* they shared one transaction */
    }
    seen.unknown_applied += verdict == HF_UNKNOWN && a;
    seen.unknown_not_applied += verdict == HF_UNKNOWN && !a;
    seen.unavailable += verdict == HF_UNAVAILABLE;
}

/* Commit under the plan; `reuse`: go on with the same store before all is
 * looked at anew. */
static void
commit_under(struct fault_plan *plan, int puts, bool reuse)
{
    struct hf_error error = {.status = HF_OK};
    struct hf_store *store = rig_prepare(puts);
    struct work work;

    plan_work(store, &work);
    faults_arm(plan);
    hf_store_commit(store, work.groups, 3, rig_soon(), &error);
    faults_arm(NULL);

    if (work.groups[0].verdict == HF_APPLIED)
        seen.applied_in_spite += plan->fired;
    else
        assert_true(error.status != HF_OK && error.text[0] != '\0');
    if (reuse) {
        check_outcome(store, &work);
        rig_put_once(store, "after", 10);
    }
    hf_store_close(store);

    store = rig_open_store();
    if (reuse)
        assert_true(rig_read_key(store, "after").exists);
    check_outcome(store, &work);
    rig_put_once(store, "after", 10);
    hf_store_close(store);
    rig_destroy_place();
}

/* ---- Other calls under a fault ------------------------------------------ */

/* The first open ever, which makes the file. */
static void
create_under(struct fault_plan *plan)
{
    struct hf_store *store = NULL;
    struct hf_error error = {.status = HF_OK};
    enum hf_status status;

    rig_make_place();
    faults_arm(plan);
    status = hf_store_open(rig_place, &faults_alloc, &store, &error);
    faults_arm(NULL);
    assert_int_equal(status, error.status);
    assert_true((status == HF_OK) == (store != NULL));
    if (plan->fired && !plan->persistent &&
        (plan->kind == FAULT_ALLOC || plan->kind == FAULT_MALLOC))
        assert_true(status == HF_OK || status == HF_E_NOMEM);
    assert_int_not_equal(status, HF_E_CORRUPT);
    hf_store_close(store);

    store = rig_open_store();
    rig_put_once(store, "a", 10);
    hf_store_close(store);
    rig_destroy_place();
}

static bool
count_row(void *ctx, const char *name, size_t name_len,
          const struct hf_record *record)
{
    (void)name;
    (void)name_len;
    assert_true(record->exists);
    ++*(int *)ctx;
    return true;
}

static void
read_under(struct fault_plan *plan)
{
    static struct hf_record record;
    struct hf_store_scan scan = {
        .space = "default", .prefix = "", .limit = 100};
    struct hf_error error = {.status = HF_OK};
    struct hf_store *store = NULL;
    enum hf_status status;
    int rows = 0;

    hf_store_close(rig_prepare(1));
    faults_arm(plan);
    status = hf_store_open(rig_place, &faults_alloc, &store, &error);
    if (status == HF_OK) {
        record.version = 4711;
        status =
            get_one(store, rig_key_of("fill"), rig_soon(), &record, &error);
        assert_true(status == HF_OK ? record.exists : record.version == 4711);
        status =
            hf_store_scan(store, &scan, HF_NEVER, count_row, &rows, &error);
        assert_true(status != HF_OK || rows == 2);
    }
    faults_arm(NULL);
    if (status != HF_OK)
        assert_int_equal(status, error.status);
    if (store != NULL)
        assert_true(rig_read_key(store, "fill").exists);
    hf_store_close(store);
    rig_destroy_place();
}

static void
purge_under(struct fault_plan *plan)
{
    struct hf_error error = {.status = HF_OK};
    struct hf_store_op op = {.kind = HF_DELETE, .key = rig_key_of("a")};
    struct hf_store_group group = {.ops = &op, .ops_count = 1};
    struct hf_store *store = rig_prepare(0);
    enum hf_status status;
    size_t purged = 99;
    uint64_t now;

    op.expect.version = rig_read_key(store, "a").version;
    hf_store_commit(store, &group, 1, rig_soon(), NULL);
    assert_int_equal(group.verdict, HF_APPLIED);
    faults_arm(plan);
    status = hf_store_purge(store, (struct hf_duration){0}, 10, HF_NEVER,
                            &purged, &error);
    faults_arm(NULL);
    assert_int_equal(purged, status == HF_OK ? 1 : 99);
    hf_store_close(store);

    /* Purged or not, the version never falls back. */
    store = rig_open_store();
    now = rig_read_key(store, "a").version;
    assert_true(status == HF_OK ? now > op.version : now >= op.version);
    hf_store_close(store);
    rig_destroy_place();
}

static void
wait_under(struct fault_plan *plan)
{
    struct hf_store *store = rig_prepare(0);
    struct hf_store_watch watch = {.key = rig_key_of("a")};
    struct hf_instant until;

    watch.version = rig_read_key(store, "a").version;
    until = hf_after(hf_now(), (struct hf_duration){5});
    faults_arm(plan);
    hf_store_wait(store, &watch, 1, until, -1);
    faults_arm(NULL);

    /* A fault is no news, and loses none. */
    watch.version--;
    watch.stood = 0;
    hf_store_wait(store, &watch, 1, HF_NEVER, -1);
    hf_store_close(store);
    rig_destroy_place();
}

/* One that had changed before: a look that failed has not seen that. */
static void
wait_for_change_under(struct fault_plan *plan)
{
    struct hf_store *store = rig_prepare(0);
    struct hf_store_watch watch = {.key = rig_key_of("a")};
    struct hf_instant until = hf_after(
        hf_now(), (struct hf_duration){plan->persistent ? 5 : 20 * 1000});

    watch.version = rig_read_key(store, "a").version - 1;
    faults_arm(plan);
    hf_store_wait(store, &watch, 1, until, -1);
    faults_arm(NULL);
    assert_true(plan->persistent || !hf_reached(hf_now(), until));
    hf_store_close(store);
    rig_destroy_place();
}

/* ---- The loops ---------------------------------------------------------- */

static int puts_now;
static bool reuse_now;

static void
commit_now(struct fault_plan *plan)
{
    commit_under(plan, puts_now, reuse_now);
}

static void
a_commit_under_any_fault_keeps_its_verdicts(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(puts_before) / sizeof(puts_before[0]); i++) {
        for (int reuse = 0; reuse < 2; reuse++) {
            puts_now = puts_before[i];
            reuse_now = reuse != 0;
            rig_try_all(reuse ? "commit, and on" : "commit", commit_now);
        }
    }
    print_message("    unknown and applied %d, unknown and not %d, "
                  "unavailable %d, applied all the same %d\n",
                  seen.unknown_applied, seen.unknown_not_applied,
                  seen.unavailable, seen.applied_in_spite);
    assert_true(seen.unknown_applied > 0);
    assert_true(seen.unknown_not_applied > 0);
    assert_true(seen.unavailable > 0);
    assert_true(seen.applied_in_spite > 0); /* a checkpoint that failed */
}

static void
a_place_whose_making_failed_can_be_made_again(void **state)
{
    (void)state;
    rig_try_all("create", create_under);
}

static void
a_read_under_any_fault_is_true_or_fails(void **state)
{
    (void)state;
    rig_try_all("read", read_under);
}

static void
a_purge_under_any_fault_lets_no_version_fall(void **state)
{
    (void)state;
    rig_try_all("purge", purge_under);
}

static void
a_wait_under_any_fault_ends_and_misses_nothing(void **state)
{
    (void)state;
    rig_try_all("wait", wait_under);
    rig_try_all("wait for a change", wait_for_change_under);
}

/* ---- A slow disk -------------------------------------------------------- */

static void
be_slow(void)
{
    (void)poll(NULL, 0, 1100);
}

/* A second is how long it waits for the file's lock; for all else there is the
 * time that it was given. */
static void
a_commit_has_the_time_that_it_was_given(void **state)
{
    struct fault_plan plan = {
        .kind = FAULT_SHARED_LOCK, .countdown = 1, .act = be_slow};
    struct hf_store *store = rig_prepare(0);
    struct hf_store_op op =
        rig_put("a", rig_read_key(store, "a").version, rig_big, 10);
    struct hf_store_group group = {.ops = &op, .ops_count = 1};

    (void)state;
    faults_arm(&plan);
    hf_store_commit(store, &group, 1,
                    hf_after(hf_now(), (struct hf_duration){20 * 1000}), NULL);
    faults_arm(NULL);
    assert_true(plan.fired);
    assert_int_equal(group.verdict, HF_APPLIED);
    hf_store_close(store);
    rig_destroy_place();
}

/* ---- A full disk -------------------------------------------------------- */

/* However long it lasts: surely nothing was done, and it is said. */
static void
a_full_disk_is_unavailable_and_never_unknown(void **state)
{
    struct fault_plan plan = {
        .kind = FAULT_FULL, .countdown = 1, .persistent = true};
    struct hf_store *store = rig_prepare(0);
    uint64_t version;

    (void)state;
    version = rig_read_key(store, "a").version;
    faults_arm(&plan);
    for (int i = 0; i < 10; i++) {
        struct hf_store_op op = rig_put("a", version, rig_big, RIG_BIG);
        struct hf_store_group group = {.ops = &op, .ops_count = 1};
        struct hf_error error = {.status = HF_OK};

        hf_store_commit(store, &group, 1, rig_soon(), &error);
        assert_int_equal(group.verdict, HF_UNAVAILABLE);
        assert_int_equal(error.status, HF_E_UNAVAILABLE);
        assert_non_null(strstr(error.text, "the disk is full"));
        assert_true(rig_read_key(store, "a").version == version);
    }
    faults_arm(NULL);
    rig_put_once(store, "a", RIG_BIG);
    hf_store_close(store);
    rig_destroy_place();
}

/* An applied group is durable: no commit is answered before its sync. */
static void
a_commit_is_synced_before_it_is_answered(void **state)
{
    struct fault_plan plan = {
        .kind = FAULT_SYNC, .countdown = 1, .persistent = true};

    (void)state;
    for (int i = 0; i < 3; i++) {
        struct hf_store *store = rig_prepare(i);
        struct hf_store_op op;
        struct hf_store_group group = {.ops = &op, .ops_count = 1};

        op = rig_put("a", rig_read_key(store, "a").version, rig_big, 10);
        faults_arm(&plan);
        hf_store_commit(store, &group, 1, rig_soon(), NULL);
        faults_arm(NULL);
        assert_int_equal(group.verdict, HF_UNKNOWN);
        hf_store_close(store);
        rig_destroy_place();
    }
}

/* ---- Files that are removed ---------------------------------------------- */

static void
remove_log(void)
{
    char log[RIG_PLACE_SIZE + 8];

    snprintf(log, sizeof(log), "%s-wal", rig_place + strlen("sqlite:"));
    assert_int_equal(unlink(log), 0);
}

/* In the middle of a commit, which has looked at its files before: whether
 * anybody will ever find what it wrote cannot be known. */
static void
remove_log_during_commit(struct fault_plan *plan)
{
    struct hf_store *store = rig_prepare(0);
    uint64_t version = rig_read_key(store, "a").version;
    struct hf_store_op op = rig_put("a", version, "x", 1);
    struct hf_store_group group = {.ops = &op, .ops_count = 1};
    struct hf_error error = {.status = HF_OK};

    plan->act = remove_log;
    faults_arm(plan);
    hf_store_commit(store, &group, 1, rig_soon(), &error);
    faults_arm(NULL);
    assert_int_equal(group.verdict, plan->fired ? HF_UNKNOWN : HF_APPLIED);
    assert_int_equal(hf_store_generation(store), plan->fired ? 1 : 0);
    if (plan->fired)
        assert_non_null(strstr(error.text, "its log (-wal) was removed"));
    rig_put_once(store, "a", 10);
    hf_store_close(store);
    rig_destroy_place();
}

static void
a_commit_into_a_log_that_was_removed_meanwhile_is_unknown(void **state)
{
    (void)state;
    assert_true(rig_try(FAULT_SHARED_LOCK, false, remove_log_during_commit) >
                0);
    assert_true(rig_try(FAULT_WRITE, false, remove_log_during_commit) > 0);
    assert_true(rig_try(FAULT_SYNC, false, remove_log_during_commit) > 0);
}

/* What the database file holds, as another process reads it: to close a
 * descriptor of it here would drop SQLite's locks. */
static void
sum_database(char sum[64])
{
    char command[RIG_PLACE_SIZE + 16];
    FILE *pipe;

    snprintf(command, sizeof(command), "cksum < '%s'",
             rig_place + strlen("sqlite:"));
    pipe = popen(command, "r");
    assert_non_null(pipe);
    assert_non_null(fgets(sum, 64, pipe));
    assert_int_equal(pclose(pipe), 0);
}

/* However full the log is, also where this commit would have folded it. */
static void
a_log_that_was_removed_is_not_folded_into_the_file(void **state)
{
    (void)state;
    for (int puts = 0; puts < 8; puts++) {
        struct fault_plan plan = {
            .kind = FAULT_SYNC, .countdown = 1, .act = remove_log};
        struct hf_store *store = rig_prepare(puts);
        uint64_t version = rig_read_key(store, "fill").version;
        struct hf_store_op op = rig_put("fill", version, rig_big, RIG_BIG);
        struct hf_store_group group = {.ops = &op, .ops_count = 1};
        char before[64];
        char after[64];

        memset(rig_big, 'A' + puts, sizeof(rig_big));
        sum_database(before);
        faults_arm(&plan);
        hf_store_commit(store, &group, 1, rig_soon(), NULL);
        faults_arm(NULL);
        assert_true(plan.fired);
        assert_int_equal(group.verdict, HF_UNKNOWN);
        sum_database(after);
        assert_string_equal(before, after);
        hf_store_close(store);
        rig_destroy_place();
    }
}

/* ---- The memory store --------------------------------------------------- */

static void
open_memory_under(struct fault_plan *plan)
{
    struct hf_store *store = NULL;
    struct hf_error error = {.status = HF_OK};
    enum hf_status status;

    faults_arm(plan);
    status = hf_store_open("memory:fault", &faults_alloc, &store, &error);
    faults_arm(NULL);
    assert_int_equal(status, plan->fired ? HF_E_NOMEM : HF_OK);
    assert_int_equal(status, error.status);
    hf_store_close(store);
}

static void
a_memory_store_opens_or_says_there_is_no_memory(void **state)
{
    (void)state;
    assert_true(rig_try(FAULT_ALLOC, false, open_memory_under) > 0);
    assert_true(rig_try(FAULT_ALLOC, true, open_memory_under) > 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_commit_under_any_fault_keeps_its_verdicts),
        cmocka_unit_test(a_place_whose_making_failed_can_be_made_again),
        cmocka_unit_test(a_read_under_any_fault_is_true_or_fails),
        cmocka_unit_test(a_purge_under_any_fault_lets_no_version_fall),
        cmocka_unit_test(a_wait_under_any_fault_ends_and_misses_nothing),
        cmocka_unit_test(a_commit_has_the_time_that_it_was_given),
        cmocka_unit_test(a_full_disk_is_unavailable_and_never_unknown),
        cmocka_unit_test(a_commit_is_synced_before_it_is_answered),
        cmocka_unit_test(
            a_commit_into_a_log_that_was_removed_meanwhile_is_unknown),
        cmocka_unit_test(a_log_that_was_removed_is_not_folded_into_the_file),
        cmocka_unit_test(a_memory_store_opens_or_says_there_is_no_memory),
    };

    faults_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}

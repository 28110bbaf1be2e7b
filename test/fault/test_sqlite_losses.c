#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "store/place.h"
#include "support/rig.h"
#include "wire/head.h"

/*
 * What a lock server left, and lost, is noticed whatever fails meanwhile:
 * whoever opens it is told so, or does not have it.
 */

static void
put_led_head(struct hf_store *store)
{
    static char value[HF_RECORD_TEXT_MAX];
    const struct hf_head head = {
        .claim = {.heartbeat = {7, 1}, .terms = {HF_TAKEOVER, {5000}, {1000}}},
        .node = "n1",
        .address = "db1:7420",
        .next_fence = 9,
        .service = 1,
        .store = hf_store_identity(store),
    };
    static struct hf_record record;
    struct hf_store_op op = {
        .kind = HF_PUT,
        .key = {HF_HEAD_SPACE, HF_HEAD_NAME},
        .new_generation = true,
        .value = value,
    };
    struct hf_store_group group = {.ops = &op, .ops_count = 1};

    assert_int_equal(get_one(store, op.key, rig_soon(), &record, NULL), HF_OK);
    op.expect.version = record.version;
    op.value_len = hf_head_encode(&head, value, sizeof(value));
    hf_store_commit(store, &group, 1, rig_soon(), NULL);
    assert_int_equal(group.verdict, HF_APPLIED);
}

static void
remove_part(const char *end)
{
    char path[RIG_PLACE_SIZE + 8];

    snprintf(path, sizeof(path), "%s%s", rig_place + strlen("sqlite:"), end);
    assert_true(unlink(path) == 0 || errno == ENOENT);
}

/* A place that was served, and has lost its log or all of it. */
static void
lose(bool file, struct hf_place *where)
{
    struct hf_store *store;

    rig_make_place();
    assert_int_equal(hf_place_parse(rig_place, where, NULL), HF_OK);
    assert_int_equal(
        hf_store_open_at(where, HF_STORE_TO_SERVE, &faults_alloc, &store, NULL),
        HF_OK);
    put_led_head(store);
    assert_int_equal(
        hf_store_secure(store, (struct hf_duration){1000}, rig_soon(), NULL),
        HF_OK);
    hf_store_close(store);
    remove_part("-wal");
    remove_part("-shm");
    if (file)
        remove_part("");
}

static bool lost_file;

/* Who serves it knows; everybody else leaves it alone. */
static void
open_lost_under(struct fault_plan *plan)
{
    struct hf_store *store = NULL;
    struct hf_error error = {.status = HF_OK};
    struct hf_place where;
    enum hf_status status;

    lose(lost_file, &where);
    faults_arm(plan);
    status = hf_store_open_at(&where, HF_STORE_TO_SERVE, &faults_alloc, &store,
                              &error);
    faults_arm(NULL);
    assert_int_equal(status, error.status);
    if (status == HF_OK)
        assert_int_equal(hf_store_loss(store),
                         lost_file ? HF_STORE_FILE_LOST : HF_STORE_LOG_LOST);
    hf_store_close(store);
    rig_destroy_place();
}

static void
open_lost_as_table_under(struct fault_plan *plan)
{
    struct hf_store *store = NULL;
    struct hf_place where;

    lose(lost_file, &where);
    faults_arm(plan);
    assert_int_not_equal(
        hf_store_open_at(&where, HF_STORE_TO_LOCK, &faults_alloc, &store, NULL),
        HF_OK);
    faults_arm(NULL);
    rig_destroy_place();
}

static void
a_loss_is_noticed_under_any_fault(void **state)
{
    (void)state;
    for (int file = 0; file < 2; file++) {
        lost_file = file != 0;
        rig_try_all("open what was lost", open_lost_under);
        rig_try_all("the same, as a table", open_lost_as_table_under);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_loss_is_noticed_under_any_fault),
    };

    faults_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}

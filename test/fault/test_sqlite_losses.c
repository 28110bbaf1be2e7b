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
#include "support/journals.h"
#include "support/rig.h"

/*
 * What a lock server left, and lost, is noticed whatever fails meanwhile:
 * whoever opens it is told so, or does not have it.
 */

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
    const struct hf_head head = journals_head("n1", "db1:7420");
    struct hf_journal *journal;

    rig_make_place();
    assert_int_equal(hf_place_parse(rig_place, where, NULL), HF_OK);
    journal = journals_open(rig_place);
    journals_put(journal, &head, NULL, 0);
    assert_int_equal(hf_journal_secure(journal, (struct hf_duration){1000},
                                       rig_soon(), NULL),
                     HF_OK);
    hf_journal_close(journal);
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
    struct hf_journal *journal = NULL;
    struct hf_error error = {.status = HF_OK};
    struct hf_journal_found found;
    struct hf_place where;
    enum hf_status status;

    lose(lost_file, &where);
    faults_arm(plan);
    status = hf_journal_open(&where, &faults_alloc, &journal, &error);
    faults_arm(NULL);
    assert_int_equal(status, error.status);
    if (status == HF_OK) {
        found = journals_read(journal);
        assert_int_equal(found.loss,
                         lost_file ? HF_STORE_FILE_LOST : HF_STORE_LOG_LOST);
    }
    hf_journal_close(journal);
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

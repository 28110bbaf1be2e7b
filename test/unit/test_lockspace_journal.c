#include <stdlib.h>

#include "unit/support/room.h"

/* The stories of what is written, and of who may be told when [J1-J4, S3]. */

#define MANY 100 /* operations: all that there is */

static void
a_grant_and_its_session_are_written_in_one_batch(void **state)
{
    struct room r = room_new();

    (void)state;
    room_acquire(&r, (struct call){.stream = 11, .session = 1, .names = "A"});
    room_acquire(
        &r, (struct call){.stream = 12, .session = 1, .lane = 2, .names = "B"});
    room_hush(&r);
    room_applied(&r, room_batch(&r, MANY));
    EXPECT_TOLD(&r, "put session 1\n"
                    "put 101 of 1.1 A\n"
                    "put 102 of 1.2 B\n"
                    "batch 1, fence 103, all is due\n");
    room_end(&r, (struct call){.stream = 13, .session = 1});
    room_applied(&r, room_batch(&r, MANY));
    EXPECT_TOLD(&r, "13 ended\n"
                    "delete session 1\n"
                    "delete 101\n"
                    "delete 102\n"
                    "batch 2, fence 103, all is due\n");
    room_fini(&r);
}

static void
what_came_and_went_between_two_batches_is_not_written(void **state)
{
    struct room r = room_new();

    (void)state;
    room_acquire(&r, (struct call){.stream = 11, .session = 1, .names = "A"});
    room_release(&r, (struct call){.stream = 12, .session = 1});
    assert_false(hf_lockspace_pending(r.ls));
    room_hush(&r);
    room_applied(&r, room_batch(&r, MANY));
    EXPECT_TOLD(&r, "batch 1, fence 102, all is due\n");
    room_fini(&r);
}

/* A try's no rests on a grant that no store knows yet: it waits with it. */
static void
an_answer_waits_for_all_that_was_decided_before_it(void **state)
{
    struct room r = room_new();
    uint64_t batch;

    (void)state;
    room_acquire(&r, (struct call){.stream = 11, .session = 1, .names = "A"});
    room_acquire(&r, (struct call){.stream = 12, .session = 2, .names = "B"});
    room_acquire(
        &r, (struct call){
                .stream = 13, .session = 3, .names = "B", .try_only = true});
    room_hush(&r);
    batch = room_batch(&r, 3);
    EXPECT_TOLD(&r, "put session 1\n"
                    "put 101 of 1.1 A\n"
                    "batch 1, fence 103, some is not due\n");
    room_applied(&r, batch);
    room_applied(&r, room_batch(&r, 3));
    EXPECT_TOLD(&r, "put session 2\n"
                    "put 102 of 2.1 B\n"
                    "batch 2, fence 103, all is due\n");
    room_fini(&r);
}

/* It was asked after the batch was sent: that one proves nothing for it. */
static void
an_answer_waits_for_a_batch_that_was_sent_after_it_was_asked(void **state)
{
    struct room r = room_new();
    struct hf_answer answer;
    struct hf_batch batch;
    struct hf_lockspace_event event = {
        .kind = HF_SPACE_MESSAGE,
        .at = {1000},
        .message = {.kind = HF_MESSAGE_KEEP_ALIVE,
                    .stream = 11,
                    .session = 1,
                    .secret = {{1}},
                    .term = 7},
    };

    (void)state;
    hf_lockspace_begin(r.ls, (struct hf_budget){2, 1 << 20});
    hf_lockspace_fix(r.ls, &batch);
    hf_lockspace_step(r.ls, &event);
    assert_true(hf_lockspace_next(r.ls, &answer));
    assert_false(hf_lockspace_next(r.ls, &answer));
    assert_int_equal(answer.kind, HF_ANSWER_ALIVE);
    assert_true(answer.mark > batch.through);
    room_applied(&r, batch.number);
    hf_lockspace_begin(r.ls, (struct hf_budget){2, 1 << 20});
    hf_lockspace_fix(r.ls, &batch);
    assert_true(answer.mark <= batch.through);
    room_fini(&r);
}

static void
what_is_decided_under_way_waits_for_the_next_batch(void **state)
{
    struct room r = room_new();
    uint64_t batch;

    (void)state;
    room_acquire(&r, (struct call){.stream = 11, .session = 1, .names = "A"});
    batch = room_batch(&r, MANY);
    room_hush(&r);
    room_release(&r, (struct call){.stream = 12, .session = 1});
    room_acquire(&r, (struct call){.stream = 13, .session = 2, .names = "A"});
    room_applied(&r, batch);
    room_applied(&r, batch); /* a late answer of another sending */
    room_applied(&r, room_batch(&r, MANY));
    EXPECT_TOLD(&r, "12 released\n"
                    "13 granted 102\n"
                    "delete 101\n"
                    "put session 2\n"
                    "put 102 of 2.1 A\n"
                    "batch 2, fence 103, all is due\n");
    room_fini(&r);
}

/* Both change in the store at once, or in this order. */
static void
who_gives_back_is_written_before_who_is_granted(void **state)
{
    struct room r = room_new();

    (void)state;
    room_acquire(&r, (struct call){.stream = 11, .session = 1, .names = "A"});
    room_acquire(&r, (struct call){.stream = 12, .session = 2, .names = "A:s"});
    room_applied(&r, room_batch(&r, MANY));
    room_lower(&r, (struct call){.stream = 13, .session = 1, .names = "A"});
    room_release(&r, (struct call){.stream = 14, .session = 1});
    room_hush(&r);
    room_applied(&r, room_batch(&r, 2));
    EXPECT_TOLD(&r, "delete 101\n"
                    "batch 2, fence 103, some is not due\n");
    room_fini(&r);
}

static void
a_lowered_grant_is_written_anew(void **state)
{
    struct room r = room_new();

    (void)state;
    room_acquire(&r, (struct call){.stream = 11, .session = 1, .names = "A B"});
    room_lower(&r, (struct call){.stream = 12, .session = 1, .names = "B"});
    room_hush(&r);
    room_applied(&r, room_batch(&r, MANY));
    room_lower(&r, (struct call){.stream = 13, .session = 1, .names = "A"});
    room_applied(&r, room_batch(&r, MANY));
    EXPECT_TOLD(&r, "put session 1\n"
                    "put 101 of 1.1 B:s A\n"
                    "batch 1, fence 102, all is due\n"
                    "13 changed\n"
                    "put 101 of 1.1 B:s A:s\n"
                    "batch 2, fence 102, all is due\n");
    room_fini(&r);
}

static void
grants_of_a_dead_session_are_swept_after_live_work(void **state)
{
    struct room r = room_new();

    (void)state;
    room_acquire(&r, (struct call){.stream = 11, .session = 1, .names = "A"});
    room_acquire(
        &r, (struct call){.stream = 12, .session = 1, .lane = 2, .names = "B"});
    room_acquire(&r, (struct call){.stream = 13, .session = 2, .names = "C"});
    room_acquire(
        &r, (struct call){.stream = 14, .session = 2, .lane = 2, .names = "A"});
    room_applied(&r, room_batch(&r, MANY));
    room_end(&r, (struct call){.stream = 15, .session = 1});
    room_release(&r, (struct call){.stream = 16, .session = 2});
    room_hush(&r);
    room_applied(&r, room_batch(&r, 3));
    room_applied(&r, room_batch(&r, 3));
    assert_false(hf_lockspace_pending(r.ls));
    EXPECT_TOLD(&r, "delete session 1\n"
                    "put 104 of 2.2 A\n"
                    "delete 103\n"
                    "batch 2, fence 105, all is due\n"
                    "delete 101\n"
                    "delete 102\n"
                    "batch 3, fence 105, all is due\n");
    room_fini(&r);
}

static void
a_cleared_grant_is_deleted_and_audited_in_one_batch(void **state)
{
    struct room r = room_new();

    (void)state;
    room_acquire(&r, (struct call){.stream = 11, .session = 1, .names = "A"});
    room_acquire(
        &r, (struct call){.stream = 12, .session = 1, .lane = 2, .names = "B"});
    room_applied(&r, room_batch(&r, MANY));
    room_release(&r, (struct call){.stream = 13, .session = 1, .lane = 2});
    room_clear(&r, 14, "A", 101);
    room_hush(&r);
    room_applied(&r, room_batch(&r, 2)); /* one more would part them */
    room_applied(&r, room_batch(&r, 2));
    EXPECT_TOLD(&r, "delete 102\n"
                    "batch 2, fence 103, some is not due\n"
                    "delete 101\n"
                    "audit 101: by ann\n"
                    "batch 3, fence 103, all is due\n");
    room_fini(&r);
}

/* The holder's release, and its end, come before the batch. */
static void
a_clear_is_audited_whatever_became_of_its_holder(void **state)
{
    struct room r = room_new();

    (void)state;
    room_acquire(&r, (struct call){.stream = 11, .session = 1, .names = "A"});
    room_acquire(&r, (struct call){.stream = 12, .session = 2, .names = "B"});
    room_applied(&r, room_batch(&r, MANY));
    room_clear(&r, 13, "A", 101);
    room_clear(&r, 14, "B", 102);
    room_release(&r, (struct call){.stream = 15, .session = 1});
    room_end(&r, (struct call){.stream = 16, .session = 2});
    room_hush(&r);
    room_applied(&r, room_batch(&r, MANY));
    EXPECT_TOLD(&r, "delete 101\n"
                    "audit 101: by ann\n"
                    "delete 102\n"
                    "audit 102: by ann\n"
                    "delete session 2\n"
                    "batch 2, fence 103, all is due\n");
    room_fini(&r);
}

/* Nothing of it is in the store, but the person was told that it is cleared. */
static void
a_clear_of_what_was_never_written_is_audited(void **state)
{
    struct room r = room_new();

    (void)state;
    room_acquire(&r, (struct call){.stream = 11, .session = 1, .names = "A"});
    room_clear(&r, 12, "A", 101);
    room_hush(&r);
    room_applied(&r, room_batch(&r, MANY));
    assert_false(hf_lockspace_pending(r.ls));
    EXPECT_TOLD(&r, "audit 101: by ann\n"
                    "batch 1, fence 102, all is due\n");
    room_fini(&r);
}

static void
a_refused_batch_ends_the_leadership(void **state)
{
    struct room r = room_new();
    uint64_t batch;

    (void)state;
    room_acquire(&r, (struct call){.stream = 11, .session = 1, .names = "A"});
    batch = room_batch(&r, MANY);
    room_hush(&r);
    room_step(&r, (struct hf_lockspace_event){.kind = HF_SPACE_BATCH,
                                              .batch = {batch, HF_REFUSED}});
    assert_false(hf_lockspace_serving(r.ls));
    room_keep_alive(&r, (struct call){.stream = 12, .session = 1});
    room_clock(&r, 99000);
    EXPECT_TOLD(&r, "12 not leading\n");
    assert_int_equal(hf_lockspace_deadline(r.ls).ms, HF_NEVER.ms);
    room_fini(&r);
}

static void
a_late_answer_counts_for_its_own_batch_alone(void **state)
{
    struct room r = room_new();
    uint64_t first = room_batch(&r, MANY);

    (void)state;
    room_applied(&r, first);
    (void)room_batch(&r, MANY);
    room_step(&r, (struct hf_lockspace_event){.kind = HF_SPACE_BATCH,
                                              .batch = {first, HF_REFUSED}});
    assert_true(hf_lockspace_serving(r.ls));
    room_fini(&r);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_grant_and_its_session_are_written_in_one_batch),
        cmocka_unit_test(what_came_and_went_between_two_batches_is_not_written),
        cmocka_unit_test(an_answer_waits_for_all_that_was_decided_before_it),
        cmocka_unit_test(
            an_answer_waits_for_a_batch_that_was_sent_after_it_was_asked),
        cmocka_unit_test(what_is_decided_under_way_waits_for_the_next_batch),
        cmocka_unit_test(who_gives_back_is_written_before_who_is_granted),
        cmocka_unit_test(a_lowered_grant_is_written_anew),
        cmocka_unit_test(grants_of_a_dead_session_are_swept_after_live_work),
        cmocka_unit_test(a_cleared_grant_is_deleted_and_audited_in_one_batch),
        cmocka_unit_test(a_clear_is_audited_whatever_became_of_its_holder),
        cmocka_unit_test(a_clear_of_what_was_never_written_is_audited),
        cmocka_unit_test(a_refused_batch_ends_the_leadership),
        cmocka_unit_test(a_late_answer_counts_for_its_own_batch_alone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

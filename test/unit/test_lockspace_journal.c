#include <stdlib.h>

#include "unit/support/lockspace_script.h"

/* The stories of what is written, and of who may be told when [J1-J4, S3]. */

#define MANY 100 /* operations: all that there is */

/* It was asked after the batch was sent: that one proves nothing for it. */
static void
an_answer_waits_for_a_batch_that_was_sent_after_it_was_asked(void **state)
{
    struct server_fixture r = server_new();
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
    server_applied(&r, batch.number);
    hf_lockspace_begin(r.ls, (struct hf_budget){2, 1 << 20});
    hf_lockspace_fix(r.ls, &batch);
    assert_true(answer.mark <= batch.through);
    server_fini(&r);
}

static const struct CMUnitTest tests[] = {
    STORY(a_grant_and_its_session_are_written_in_one_batch,
          "1 acquire A on 11         | 11 granted 101\n"
          "1 acquire B on 12, lane 2 | 12 granted 102\n"
          "batch\n"
          "| put session 1\n"
          "| put 101 of 1.1 A\n"
          "| put 102 of 1.2 B\n"
          "| batch 1, fence 103, all is due\n"
          "applied 1\n"
          "1 end on 13               | 13 ended\n"
          "batch\n"
          "| delete session 1\n"
          "| delete 101\n"
          "| delete 102\n"
          "| batch 2, fence 103, all is due\n"
          "applied 2\n"),
    STORY(what_came_and_went_between_two_batches_is_not_written,
          "1 acquire A on 11 | 11 granted 101\n"
          "1 release on 12   | 12 released\n"
          "= pending no\n"
          "batch             | batch 1, fence 102, all is due\n"
          "applied 1\n"),
    /* A try's no rests on a grant that no store knows yet: it waits with it. */
    STORY(an_answer_waits_for_all_that_was_decided_before_it,
          "1 acquire A on 11      | 11 granted 101\n"
          "2 acquire B on 12      | 12 granted 102\n"
          "3 acquire B on 13, try | 13 over: held\n"
          "batch 3\n"
          "| put session 1\n"
          "| put 101 of 1.1 A\n"
          "| batch 1, fence 103, some is not due\n"
          "applied 1\n"
          "batch 3\n"
          "| put session 2\n"
          "| put 102 of 2.1 B\n"
          "| batch 2, fence 103, all is due\n"
          "applied 2\n"),
    cmocka_unit_test(
        an_answer_waits_for_a_batch_that_was_sent_after_it_was_asked),
    STORY(what_is_decided_under_way_waits_for_the_next_batch,
          "1 acquire A on 11 | 11 granted 101\n"
          "batch\n"
          "| put session 1\n"
          "| put 101 of 1.1 A\n"
          "| batch 1, fence 102, all is due\n"
          "1 release on 12   | 12 released\n"
          "2 acquire A on 13 | 13 granted 102\n"
          "applied 1\n"
          "applied 1\n" /* a late answer of another sending */
          "batch\n"
          "| delete 101\n"
          "| put session 2\n"
          "| put 102 of 2.1 A\n"
          "| batch 2, fence 103, all is due\n"
          "applied 2\n"),
    /* Both change in the store at once, or in this order. */
    STORY(who_gives_back_is_written_before_who_is_granted,
          "1 acquire A on 11 | 11 granted 101\n"
          "2 acquire A:s on 12\n"
          "batch\n"
          "| put session 1\n"
          "| put 101 of 1.1 A\n"
          "| batch 1, fence 102, all is due\n"
          "applied 1\n"
          "1 lower A on 13   | 13 changed; 12 granted 102\n"
          "1 release on 14   | 14 released\n"
          "batch 2        | delete 101; batch 2, fence 103, some is not due\n"
          "applied 2\n"),
    STORY(a_lowered_grant_is_written_anew,
          "1 acquire A B on 11 | 11 granted 101\n"
          "1 lower B on 12     | 12 changed\n"
          "batch\n"
          "| put session 1\n"
          "| put 101 of 1.1 B:s A\n"
          "| batch 1, fence 102, all is due\n"
          "applied 1\n"
          "1 lower A on 13     | 13 changed\n"
          "batch   | put 101 of 1.1 B:s A:s; batch 2, fence 102, all is due\n"
          "applied 2\n"),
    STORY(grants_of_a_dead_session_are_swept_after_live_work,
          "1 acquire A on 11         | 11 granted 101\n"
          "1 acquire B on 12, lane 2 | 12 granted 102\n"
          "2 acquire C on 13         | 13 granted 103\n"
          "2 acquire A on 14, lane 2\n"
          "batch\n"
          "| put session 1\n"
          "| put 101 of 1.1 A\n"
          "| put 102 of 1.2 B\n"
          "| put session 2\n"
          "| put 103 of 2.1 C\n"
          "| batch 1, fence 104, all is due\n"
          "applied 1\n"
          "1 end on 15               | 15 ended; 14 granted 104\n"
          "2 release on 16           | 16 released\n"
          "batch 3\n"
          "| delete session 1\n"
          "| put 104 of 2.2 A\n"
          "| delete 103\n"
          "| batch 2, fence 105, all is due\n"
          "applied 2\n"
          "batch 3 | delete 101; delete 102; batch 3, fence 105, all is due\n"
          "applied 3\n"
          "= pending no\n"),
    STORY(a_cleared_grant_is_deleted_and_audited_in_one_batch,
          "1 acquire A on 11         | 11 granted 101\n"
          "1 acquire B on 12, lane 2 | 12 granted 102\n"
          "batch\n"
          "| put session 1\n"
          "| put 101 of 1.1 A\n"
          "| put 102 of 1.2 B\n"
          "| batch 1, fence 103, all is due\n"
          "applied 1\n"
          "1 release on 13, lane 2   | 13 released\n"
          "clear A 101 on 14         | 14 cleared\n"
          "batch 2        | delete 102; batch 2, fence 103, some is not due\n"
          "applied 2\n" /* one more would part them */
          "batch 2\n"
          "| delete 101\n"
          "| audit 101: by ann\n"
          "| batch 3, fence 103, all is due\n"
          "applied 3\n"),
    /* The holder's release, and its end, come before the batch. */
    STORY(a_clear_is_audited_whatever_became_of_its_holder,
          "1 acquire A on 11 | 11 granted 101\n"
          "2 acquire B on 12 | 12 granted 102\n"
          "batch\n"
          "| put session 1\n"
          "| put 101 of 1.1 A\n"
          "| put session 2\n"
          "| put 102 of 2.1 B\n"
          "| batch 1, fence 103, all is due\n"
          "applied 1\n"
          "clear A 101 on 13 | 13 cleared\n"
          "clear B 102 on 14 | 14 cleared\n"
          "1 release on 15   | 15 released\n"
          "2 end on 16       | 16 ended\n"
          "batch\n"
          "| delete 101\n"
          "| audit 101: by ann\n"
          "| delete 102\n"
          "| audit 102: by ann\n"
          "| delete session 2\n"
          "| batch 2, fence 103, all is due\n"
          "applied 2\n"),
    /* Nothing of it is in the store, but the person was told that it is
     * cleared. */
    STORY(a_clear_of_what_was_never_written_is_audited,
          "1 acquire A on 11 | 11 granted 101\n"
          "clear A 101 on 12 | 12 cleared\n"
          "batch        | audit 101: by ann; batch 1, fence 102, all is due\n"
          "applied 1\n"
          "= pending no\n"),
    STORY(a_refused_batch_ends_the_leadership,
          "1 acquire A on 11  | 11 granted 101\n"
          "batch\n"
          "| put session 1\n"
          "| put 101 of 1.1 A\n"
          "| batch 1, fence 102, all is due\n"
          "refused 1\n"
          "= serving no\n"
          "1 keep-alive on 12 | 12 not leading\n"
          "clock 99000\n"
          "= deadline never\n"),
    STORY(a_late_answer_counts_for_its_own_batch_alone,
          "batch | batch 1, fence 101, all is due\n"
          "applied 1\n"
          "batch | batch 2, fence 101, all is due\n"
          "refused 1\n"
          "= serving yes\n"),
};

int
main(void)
{
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "unit/support/leader_script.h"

static const struct CMUnitTest tests[] = {
    /* ---- Who may lead [L1] ----------------------------------------------- */

    STORY(a_head_that_was_never_there_is_claimed_with_the_first_fence,
          "seeking\n"
          "10 head #1 absent v4 | ask #2 put lock v4 id1_0 new: fence 1\n"
          "20 applied #2 v5     | leads in term 5\n"),
    STORY(a_head_without_a_node_is_absent_and_its_fence_is_kept,
          "leading\n"
          "= state leading; fence 50\n"),
    /* The holder beat while it was watched, so its fence is not the one first
     * seen; the claim carries that of the version which it replaces. */
    STORY(
        a_dead_leaders_head_is_claimed_with_the_fence_it_last_had,
        "seeking\n"
        "10 head #1 v7 6_3 led fence 50\n"
        "210 clock                        | ask #2 read\n"
        "220 head #2 v9 6_4 led fence 60\n"
        "1219 clock                       | ask #3 read\n"
        "1220 head #3 v9 6_4 led fence 60 | ask #4 read\n"
        "1420 clock\n"
        "1430 head #4 v9 6_4 led fence 60\n"
        "| ask #5 put lock v9 id1_0 new, put marker 9 absent new: fence 60\n"),
    STORY(what_is_no_head_is_not_led,
          "seeking\n"
          "10 head #1 corrupt v7 | ended HF_E_CORRUPT\n"),
    /* No answer ever said that it was applied. */
    STORY(who_finds_its_own_claim_in_the_head_leads_by_its_next_beat,
          "claiming\n"
          "10 unknown #2\n" /* it was applied */
          "20 clock         | ask #3 put lock v7 id1_0 new: fence 50\n"
          "30 refused #3    | ask #4 read\n"
          "40 head #4 v8 id1_0 led fence 50\n"
          "| ask #5 put lock v8 id1_1: fence 50\n"
          "= state seeking\n" /* it has no right */
          "50 applied #5 v9 | leads in term 8\n"
          "60 write         | ask #6 put lock v9 id1_2: fence 60 batch 1\n"),
    /* The place went back to it while nobody led: whoever writes that head now,
     * it is not this node. */
    STORY(
        a_claim_of_its_own_that_is_settled_is_that_of_a_dead_leader,
        "leading\n"
        "30 release\n"
        "| over\n"
        "| ask #3 put lock v8 id1_0 new: no node, fence 50\n"
        "40 applied #3 v9 | ended HF_OK\n"
        "50 seek          | ask #4 read\n"
        "60 went-back     | ask #5 read\n"
        "70 head #5 v8 id1_0 led fence 50\n"
        "270 clock        | ask #6 read\n"
        "280 head #6 v8 id1_0 led fence 50\n"
        "1070 clock       | ask #7 read\n"
        "1080 head #7 v8 id1_0 led fence 50\n"
        "| ask #8 put lock v8 id2_0 new, put marker 8 absent new: fence 50\n"),

    /* ---- Batches [J1, J4] ------------------------------------------------ */

    STORY(every_beat_is_a_batch_and_every_batch_a_beat,
          "leading\n"
          "200 clock         | ask #3 put lock v8 id1_1: fence 60 batch 1\n"
          "210 applied #3 v9 | batch 1\n"
          "idle\n" /* nothing to write: the head is put all the same */
          "400 clock         | ask #4 put lock v9 id1_2: fence 60\n"
          "410 applied #4 v10\n"
          "busy\n"
          "411 write         | ask #5 put lock v10 id1_3: fence 70 batch 2\n"),
    STORY(every_sending_for_one_version_carries_the_same,
          "leading\n"
          "30 write         | ask #3 put lock v8 id1_1: fence 60 batch 1\n"
          "31 write\n" /* decided later: waits for the next */
          "40 unknown #3\n"
          "50 clock         | ask #4 put lock v8 id1_1: fence 60 batch 1\n"
          "60 unavailable #4\n"
          "80 clock         | ask #5 put lock v8 id1_1: fence 60 batch 1\n"
          "90 applied #5 v9 | batch 1\n"
          "90 write         | ask #6 put lock v9 id1_2: fence 70 batch 2\n"),
    STORY(a_batch_is_applied_if_any_sending_of_it_was_however_late,
          "leading\n"
          "30 write          | ask #3 put lock v8 id1_1: fence 60 batch 1\n"
          "40 unknown #3\n"
          "50 clock          | ask #4 put lock v8 id1_1: fence 60 batch 1\n"
          /* the first sending, after the second */
          "60 applied #3 v9  | batch 1\n"
          "65 write          | ask #5 put lock v9 id1_2: fence 70 batch 2\n"
          "70 refused #4\n" /* of a version that is past */
          "75 applied #3 v9\n"
          "80 applied #5 v10 | batch 2\n"
          "= fence 70\n"),
    STORY(a_batch_that_a_read_shows_is_applied,
          "leading\n"
          "30 write      | ask #3 put lock v8 id1_1: fence 60 batch 1\n"
          "40 unknown #3\n" /* it was */
          "50 clock      | ask #4 put lock v8 id1_1: fence 60 batch 1\n"
          "60 refused #4 | ask #5 read\n"
          "70 head #5 v9 id1_1 led fence 60\n"
          "| batch 1\n"
          "| ask #6 put lock v9 id1_2: fence 70 batch 2\n"),
    STORY(a_batch_that_was_refused_and_is_not_there_ends_the_leadership,
          "leading\n"
          "30 write         | ask #3 put lock v8 id1_1: fence 60 batch 1\n"
          /* for another reason than the version */
          "40 refused #3    | ask #4 read\n"
          "50 head #4 v8 id1_0 led fence 50\n"
          "| over\n"
          "| ask #6 put lock v8 id1_0 new: no node, fence 50\n"
          "60 applied #6 v9 | ended HF_OK\n"),
    STORY(a_read_that_fails_after_a_refusal_decides_nothing,
          "leading\n"
          "30 write      | ask #3 put lock v8 id1_1: fence 60 batch 1\n"
          "40 refused #3 | ask #4 read\n"
          "50 head #4 nothing\n"
          "= state leading\n"
          "60 clock      | ask #5 read\n"
          "70 head #5 v9 id1_1 led fence 60\n"
          "| batch 1\n"
          "| ask #6 put lock v9 id1_2: fence 70 batch 2\n"),
    STORY(a_head_with_this_claim_and_a_count_that_is_not_its_own_is_not_led,
          "leading\n"
          "30 write      | ask #3 put lock v8 id1_1: fence 60 batch 1\n"
          "40 refused #3 | ask #4 read\n"
          "50 head #4 v11 id1_3 led fence 90\n"
          "| over\n"
          "| ask #6 put lock v11 id1_3 new: no node, fence 90\n"),
    /* A claim whose answer was lost is confirmed by a beat, which is no batch;
     * the answer comes after all, and the beat is still out. */
    STORY(what_confirmed_a_claim_carries_nothing_however_often_it_is_sent,
          "claiming\n"
          "10 unknown #2\n" /* it was applied */
          "20 clock         | ask #3 put lock v7 id1_0 new: fence 50\n"
          "30 refused #3    | ask #4 read\n"
          "40 head #4 v8 id1_0 led fence 50\n"
          "| ask #5 put lock v8 id1_1: fence 50\n"
          "50 applied #2 v8 | leads in term 8\n"
          "60 unknown #5\n"
          "80 clock         | ask #6 put lock v8 id1_1: fence 50\n"
          "90 applied #6 v9\n"
          "91 write         | ask #7 put lock v9 id1_2: fence 60 batch 1\n"),

    /* ---- The end [L4] ---------------------------------------------------- */

    STORY(who_resigns_leaves_a_head_without_a_node,
          "leading\n"
          "30 write            | ask #3 put lock v8 id1_1: fence 60 batch 1\n"
          "40 applied #3 v9              | batch 1\n"
          "50 release\n"
          "| over\n"
          "| ask #4 put lock v9 id1_1 new: no node, fence 60\n"
          "60 unknown #4\n"
          "70 clock       | ask #5 put lock v9 id1_1 new: no node, fence 60\n"
          /* the first was applied */
          "80 refused #5                 | ask #6 read\n"
          "90 head #6 v10 id1_1 fence 60 | ended HF_OK\n"
          "9000 clock\n"),
    STORY(a_right_that_is_over_ends_the_leadership_without_a_node,
          "leading\n"
          "750 clock\n"
          "| over\n"
          "| ask #3 put lock v8 id1_0 new: no node, fence 50\n"
          "760 applied #3 v9 | ended HF_OK\n"),
    /* A batch of which nothing is known does not move the fence; if it was
     * applied after all, the head without a node finds another version. */
    STORY(over_an_unknown_batch_the_last_fence_that_is_known_is_put,
          "leading\n"
          "30 write         | ask #3 put lock v8 id1_1: fence 60 batch 1\n"
          "40 unknown #3\n"
          "41 release\n"
          "| over\n"
          "| ask #4 put lock v8 id1_0 new: no node, fence 50\n"
          "mark\n"
          "50 applied #4 v9 | ended HF_OK\n"
          "60 refused #3\n"
          "back\n"
          "50 refused #4    | ask #5 read\n"
          "60 head #5 v9 id1_1 led fence 60\n"
          "| ask #6 put lock v9 id1_1 new: no node, fence 60\n"),
    STORY(a_batch_that_is_known_late_moves_the_fence_and_is_told_to_nobody,
          "leading\n"
          "30 write | ask #3 put lock v8 id1_1: fence 60 batch 1\n"
          "40 unknown #3\n"
          "41 release\n"
          "| over\n"
          "| ask #4 put lock v8 id1_0 new: no node, fence 50\n"
          "50 applied #3 v9\n"
          "| ask #5 put lock v9 id1_1 new: no node, fence 60\n"),
    /* It may have applied, so it cannot be walked away from; and if it did not,
     * the fence that was there is there again. */
    STORY(a_claim_that_is_given_up_leaves_the_fence_that_it_found,
          "claiming\n"
          "10 unknown #2\n"
          "11 release     | ask #3 put lock v7 id1_0 new: no node, fence 50\n"
          "20 applied #3 v8 | ended HF_E_CANCELLED\n"),
    STORY(who_was_deposed_writes_nothing_more,
          "leading\n"
          "30 write            | ask #3 put lock v8 id1_1: fence 60 batch 1\n"
          "40 refused #3                   | ask #4 read\n"
          "50 head #4 v20 6_0 led fence 50 | over; ended HF_OK\n"
          "60 applied #3 v9\n"
          "9000 clock\n"),
    STORY(a_place_that_went_back_ends_the_leadership,
          "leading\n"
          "30 write         | ask #3 put lock v8 id1_1: fence 60 batch 1\n"
          "40 applied #3 v9 | batch 1\n"
          "50 went-back     | over; ask #4 read\n"
          "60 head #4 v8 id1_0 led fence 50\n"
          "| ask #5 put lock v8 id1_0 new: no node, fence 60\n"),
    STORY(a_place_that_went_back_keeps_the_fence_that_is_there,
          "leading\n"
          "30 write     | ask #3 put lock v8 id1_1: fence 60 batch 1\n"
          "40 unknown #3\n"
          "50 went-back | over; ask #4 read\n"
          "60 head #4 v9 id1_1 led fence 60\n"
          "| ask #5 put lock v9 id1_1 new: no node, fence 60\n"),
    STORY(a_place_that_went_back_to_nothing_gets_a_head_without_a_node,
          "leading\n"
          "50 went-back     | over; ask #3 read\n"
          "60 head #3 absent v0\n"
          "70 clock\n"
          "| ask #4 put lock v0 id1_0 new: no node, fence 50 grace 980\n"
          "80 applied #4 v1 | ended HF_OK\n"),

    /* ---- Once more ------------------------------------------------------- */

    STORY(who_seeks_again_claims_with_another_id_and_hears_no_old_answers,
          "leading\n"
          "30 release\n"
          "| over\n"
          "| ask #3 put lock v8 id1_0 new: no node, fence 50\n"
          "40 applied #3 v9  | ended HF_OK\n"
          "50 seek           | ask #4 read\n"
          "55 head #1 v7 6_3 fence 50\n"
          "60 head #4 v9 id1_0 fence 50\n"
          "| ask #5 put lock v9 id2_0 new: fence 50\n"
          "65 applied #2 v8\n"
          "70 applied #5 v10 | leads in term 10\n"),
};

int
main(void)
{
    return cmocka_run_group_tests(tests, NULL, NULL);
}

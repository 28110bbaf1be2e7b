/* A place that lost what was granted in it [L6]: who owes it a grace, who pays
 * it, and that every head says what is left. */
#include "unit/support/leader_script.h"

static const struct CMUnitTest tests[] = {
    /* ---- Who owes -------------------------------------------------------- */

    STORY(who_reads_of_a_loss_owes_the_longest_ttl_and_the_leaders_own,
          "promising\n"
          "10 head #1 absent v4, forgot\n"
          "| ask #2 put lock v4 id1_0 new: fence 1 grace 4000\n"
          "= grace 4010\n"),
    STORY(where_nothing_was_lost_nothing_is_owed,
          "promising\n"
          "10 head #1 absent v4 | ask #2 put lock v4 id1_0 new: fence 1\n"),
    STORY(who_notices_while_it_leads_says_so_in_the_head_that_it_leaves,
          "promising, leading\n"
          "50 went-back | over; ask #3 read\n"
          "60 head #3 absent v0\n"
          "70 clock\n"
          "| ask #4 put lock v0 id1_0 new: no node, fence 50 grace 3980\n"),
    /* One that a node makes of what is left to it, as below the mount of
     * another, is not the one that its clients know. */
    STORY(a_place_that_has_no_head_is_of_another_service,
          "promising, leading\n"
          "= put-service 7\n"
          "50 went-back | over; ask #3 read\n"
          "60 head #3 absent v0\n"
          "70 clock\n"
          "| ask #4 put lock v0 id1_0 new: no node, fence 50 grace 3980\n"
          "= put-service id1+1\n"),
    STORY(so_is_a_copy_also_to_who_leaves,
          "promising, leading\n"
          "30 release\n"
          "| over\n"
          "| ask #3 put lock v8 id1_0 new: no node, fence 50\n"
          "40 refused #3 | ask #4 read\n"
          "50 head #4 v20 id1_0 led fence 50, forgot\n"
          "| ask #5 put lock v20 id1_0 new: no node, fence 50 grace 4000\n"
          "60 clock\n"
          "= put-service id1+1\n"),
    STORY(who_notices_while_it_rests_owes_it_when_it_seeks,
          "promising, leading\n"
          "30 release\n"
          "| over\n"
          "| ask #3 put lock v8 id1_0 new: no node, fence 50\n"
          "40 applied #3 v9 | ended HF_OK\n"
          "100 went-back\n"
          "600 seek         | ask #4 read\n"
          "610 head #4 absent v4\n"
          "| ask #5 put lock v4 id2_0 new: fence 1 grace 3490\n"),
    STORY(a_rest_forgives_nothing,
          "promising, leading\n"
          "50 went-back                               | over; ask #3 read\n"
          "60 head #3 v20 6_0 led fence 50, service 7 | ended HF_OK\n"
          "600 seek                                   | ask #4 read\n"
          "610 head #4 absent v4\n"
          "| ask #5 put lock v4 id2_0 new: fence 1 grace 3440\n"),
    /* It was overwritten where it stands, and nobody is told so. */
    STORY(a_version_that_comes_back_is_a_loss_to_a_leader,
          "promising, leading\n"
          "100 write           | ask #3 put lock v8 id1_1: fence 60 batch 1\n"
          "110 refused #3                             | ask #4 read\n"
          "120 head #4 v6 6_3 led fence 50, service 7 | over; ended HF_OK\n"
          "= state idle; grace 4120\n"),
    STORY(and_to_a_follower,
          "promising, following\n"
          "210 clock | ask #2 read\n"
          "220 head #2 v8 6_3 led fence 50, service 7\n"
          "| ask #3 put lock v8 id1_0 new: fence 50 grace 4000\n"),

    /* ---- Who pays -------------------------------------------------------- */

    STORY(a_head_whose_grace_is_too_short_is_claimed_whoever_leads,
          "promising, following\n"
          "50 went-back | ask #2 read\n"
          "60 head #2 v20 7_0 led fence 50, service 7, grace 2989\n"
          "| ask #3 put lock v20 id1_0 new: fence 50 grace 3990\n"),
    STORY(one_whose_grace_lasts_as_long_is_obeyed,
          "promising, following\n"
          "50 went-back | ask #2 read\n"
          "60 head #2 v20 7_0 led fence 50, service 7, grace 2990\n"
          "260 clock    | ask #3 read\n"
          "270 head #3 v21 7_1 led fence 50, service 7, grace 2780\n"),
    /* Evidence stays with a process until it has written something. */
    STORY(what_is_told_of_one_loss_at_every_read_is_one_loss,
          "promising\n"
          "10 head #1 v9 6_3 led fence 50, service 7, grace 3500, forgot\n"
          "2000 clock | ask #2 read\n"
          "2010 head #2 v10 6_4 led fence 50, service 7, grace 1510, forgot\n"),

    /* ---- What every head says -------------------------------------------- */

    STORY(every_put_says_what_is_left_and_each_sending_of_a_batch_the_same,
          "promising\n"
          "10 head #1 absent v4, forgot\n"
          "| ask #2 put lock v4 id1_0 new: fence 1 grace 4000\n"
          "20 applied #2 v5  | leads in term 5\n"
          "loaded 0\n"
          "110 write\n"
          "| ask #3 put lock v5 id1_1: fence 11 batch 1 grace 3900\n"
          "120 unknown #3\n"
          "140 clock\n"
          "| ask #4 put lock v5 id1_1: fence 11 batch 1 grace 3900\n"
          "150 applied #4 v6 | batch 1\n"
          "210 release\n"
          "| over\n"
          "| ask #5 put lock v6 id1_1 new: no node, fence 11 grace 3800\n"),
    STORY(whoever_claims_a_head_goes_on_from_what_it_says,
          "promising\n"
          "10 head #1 v7 6_3 fence 50, service 7, grace 700\n"
          "| ask #2 put lock v7 id1_0 new: fence 50 grace 700\n"
          "20 applied #2 v8 | leads in term 8\n"
          "loaded 0\n"
          "110 write | ask #3 put lock v8 id1_1: fence 60 batch 1 grace 600\n"
          "= grace 710\n"),
    STORY(a_head_that_is_left_is_no_shorter_than_what_it_replaces,
          "promising, leading\n"
          "30 release\n"
          "| over\n"
          "| ask #3 put lock v8 id1_0 new: no node, fence 50\n"
          "40 refused #3 | ask #4 read\n"
          "50 head #4 v9 id1_1 led fence 50, service 7, grace 900\n"
          "| ask #5 put lock v9 id1_1 new: no node, fence 50 grace 900\n"),

    /* ---- The time that leaders served [S10] ------------------------------ */

    STORY(what_leaders_served_is_counted_as_a_batch_is_fixed,
          "promising\n"
          "10 head #1 v7 6_3 fence 50, served 9000\n"
          "| ask #2 put lock v7 id1_0 new: fence 50\n"
          "= put-served 9000\n"
          "20 applied #2 v8 | leads in term 8\n"
          "loaded 0\n"
          "110 write | ask #3 put lock v8 id1_1: fence 60 batch 1\n"
          "= put-served 9090\n"
          "120 unknown #3\n"
          "140 clock | ask #4 put lock v8 id1_1: fence 60 batch 1\n"
          "= put-served 9090\n"
          "150 applied #4 v9 | batch 1\n"
          "210 release\n"
          "| over\n"
          "| ask #5 put lock v9 id1_1 new: no node, fence 60\n"
          "= put-served 9190\n"),
    STORY(who_leaves_counts_it_whatever_its_head_says,
          "promising\n"
          "10 head #1 v7 6_3 fence 50, served 9000\n"
          "| ask #2 put lock v7 id1_0 new: fence 50\n"
          "20 applied #2 v8 | leads in term 8\n"
          "loaded 0\n"
          "30 release\n"
          "| over\n"
          "| ask #3 put lock v8 id1_0 new: no node, fence 50\n"
          "= put-served 9010\n"
          "40 refused #3 | ask #4 read\n"
          "50 head #4 v9 id1_0 led fence 50, service 7, served 9000\n"
          "| ask #5 put lock v9 id1_0 new: no node, fence 50\n"
          "= put-served 9010\n"),
    STORY(the_time_in_which_its_right_was_over_is_not_counted,
          "promising\n"
          "10 head #1 v7 6_3 fence 50, served 9000\n"
          "| ask #2 put lock v7 id1_0 new: fence 50\n"
          "20 applied #2 v8 | leads in term 8\n"
          "loaded 0\n"
          "5000 release\n"
          "| over\n"
          "| ask #3 put lock v8 id1_0 new: no node, fence 50\n"
          "= put-served 9000\n"),
    STORY(nor_what_passes_before_it_serves_again,
          "promising\n"
          "10 head #1 v7 6_3 fence 50, served 9000\n"
          "| ask #2 put lock v7 id1_0 new: fence 50\n"
          "20 applied #2 v8 | leads in term 8\n"
          "loaded 0\n"
          "30 release\n"
          "| over\n"
          "| ask #3 put lock v8 id1_0 new: no node, fence 50\n"
          "= put-served 9010\n"
          "40 applied #3 v9 | ended HF_OK\n"
          "600 seek         | ask #4 read\n"
          "610 head #4 v9 id1_0 fence 50, service 7, served 9010\n"
          "| ask #5 put lock v9 id2_0 new: fence 50\n"
          "= put-served 9010\n"
          "620 applied #5 v10 | leads in term 10\n"
          "820 clock | ask #6 put lock v10 id2_1: fence 60 batch 1\n"
          "= put-served 9010\n"),

    /* ---- The longest promise --------------------------------------------- */

    STORY(a_loaded_session_with_a_longer_ttl_lengthens_the_grace,
          "promising\n"
          "10 head #1 absent v4, forgot\n"
          "| ask #2 put lock v4 id1_0 new: fence 1 grace 4000\n"
          "20 applied #2 v5 | leads in term 5\n"
          "loaded 5000\n"
          "110 write\n"
          "| ask #3 put lock v5 id1_1: fence 11 batch 1 grace 5900 max 5000\n"),
    STORY(what_a_head_promised_is_owed_by_whoever_has_read_it,
          "promising\n"
          "10 head #1 v9 6_3 led fence 50, service 7, max 9000\n"
          "50 went-back | ask #2 read\n"
          "60 head #2 absent v4\n"
          "| ask #3 put lock v4 id1_0 new: fence 1 grace 9990 max 9000\n"),
    STORY(what_nobody_believes_in_any_more_is_promised_no_more,
          "promising\n"
          "10 head #1 v7 6_3 fence 50, service 7, max 9000\n"
          "| ask #2 put lock v7 id1_0 new: fence 50 max 9000\n"
          "20 applied #2 v8 | leads in term 8\n"
          "loaded 4000\n"
          "110 write  | ask #3 put lock v8 id1_1: fence 60 batch 1 max 4000\n"),
    STORY(while_a_grace_runs_it_is,
          "promising\n"
          "10 head #1 v7 6_3 fence 50, service 7, max 9000, grace 700\n"
          "| ask #2 put lock v7 id1_0 new: fence 50 grace 700 max 9000\n"
          "20 applied #2 v8 | leads in term 8\n"
          "loaded 4000\n"
          "= max 9000\n"),

    /* ---- The service ----------------------------------------------------- */

    STORY(a_service_is_named_by_its_first_claim_or_by_its_head,
          "promising\n"
          "10 head #1 absent v4 | ask #2 put lock v4 id1_0 new: fence 1\n"
          "= service id1\n"
          "promising\n"
          "10 head #1 v7 6_3 fence 50, service 7\n"
          "| ask #2 put lock v7 id1_0 new: fence 50\n"
          "= service 7\n"
          "promising\n" /* and a head of another place */
          "10 head #1 v7 6_3 fence 50\n"
          "| ask #2 put lock v7 id1_0 new: fence 50\n"
          "= service id1\n"),
    STORY(since_when_it_is_there_is_what_its_first_head_said,
          "promising\n"
          "10 head #1 absent v4, begun 1234\n"
          "| ask #2 put lock v4 id1_0 new: fence 1\n"
          "= put-begun 1234\n"
          "20 applied #2 v8 | leads in term 8\n"
          "220 clock        | ask #3 put lock v8 id1_1: fence 11 batch 1\n"
          "= put-begun 1234\n"
          "promising\n"
          "10 head #1 v7 6_3 fence 50, service 7, begun 77\n"
          "| ask #2 put lock v7 id1_0 new: fence 50\n"
          "= put-begun 77\n"),
    /* Its clients have waited for longer than it says. */
    STORY(a_place_that_was_lost_does_not_know_since_when,
          "promising\n"
          "10 head #1 absent v4, begun 1234, forgot\n"
          "| ask #2 put lock v4 id1_0 new: fence 1 grace 4000\n"
          "= put-begun 0\n"
          "promising\n"
          "0 head #1 v7 6_3 fence 50, service 7, begun 33\n"
          "| ask #2 put lock v7 id1_0 new: fence 50\n"
          "20 applied #2 v8 | leads in term 8\n"
          "= put-begun 33\n"
          "loaded 0\n"
          "50 went-back | over; ask #3 read\n"
          "60 head #3 absent v0, begun 1234\n"
          "70 clock\n"
          "| ask #4 put lock v0 id1_0 new: no node, fence 50 grace 3980\n"
          "= put-begun 0\n"),
};

int
main(void)
{
    return cmocka_run_group_tests(tests, NULL, NULL);
}

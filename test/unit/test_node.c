#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "unit/support/node_script.h"

static void
who_seeks_in_a_silent_store_rests_each_time(void **state)
{
    (void)state;
    PLAY("following\n");
    for (int i = 0; i < 3; i++) {
        const char *came = node_is_due();

        while (strstr(came, "rests") == NULL)
            came = node_is_due();
        assert_non_null(strstr(came, "rests: HF_E_UNAVAILABLE\n"));
        PLAY_ON("= rests 500\n");
    }
}

/* How long somebody in line is shown to have waited who says a minute, at once
 * in a grace, where the head has `begun_ms` and this node's wall `wall_ms`. */
static void
believes(int64_t age_ms, int64_t begun_ms, int64_t wall_ms)
{
    char text[600];

    snprintf(text, sizeof(text),
             "start grace 500\n"
             "following\n"
             "0 head #1 v7 6_3 fence 50, begun %" PRId64 "\n"
             "| #2 put v7 fence 50\n"
             "20 applied #2 v8 | load, term 8\n"
             "30 load-session 1\n"
             "30 load-grant 30 A of 1\n"
             "30 loaded, wall %" PRId64 "\n"
             "30 acquire A on 11, lane 2, waited 60000\n"
             "40 applied #3 v9\n"
             "650 clock\n"
             "| batch:\n"
             "| #3 put v8 fence %" PRId64 "000 batch 1\n"
             "650 waits A | %" PRId64 "\n",
             begun_ms, wall_ms, wall_ms, 620 + age_ms);
    PLAY(text);
}

static void
the_age_of_the_service_is_the_most_that_anybody_has_waited(void **state)
{
    (void)state;
    believes(1, 1000000, 1000000);
    believes(701, 1000000, 1000700);
    believes(60000, 1000000, 2000000);
    believes(60000, 0, 2000000); /* nobody knows it */
    /* A wall clock that went back knows nothing. */
    believes(60000, 1000000, 999000);
}

static const struct CMUnitTest tests[] = {
    /* ---- Who does not lead [L3] ------------------------------------------ */

    STORY(who_does_not_serve_tells_everybody_so_and_whether_another_does,
          "following\n"
          "1 keep-alive 1 on 11 | 11 not leading, nobody does\n"
          "2 head #1 v7 6_3 led fence 50\n"
          "3 keep-alive 1 on 12 | 12 not leading, another does\n"
          "4 acquire A on 13    | 13 not leading, another does\n"),
    STORY(a_head_of_its_own_names_nobody,
          "following\n"
          "0 head #1 v7 6_3 fence 50        | #2 put v7 fence 50\n"
          "10 unknown #2\n" /* it was applied */
          "20 clock                         | #3 put v7 fence 50\n"
          "30 refused #3                    | #4 read\n"
          "40 head #4 v8 id1_0 led fence 50 | #5 put v8 fence 50\n"
          "41 keep-alive 1 on 11            | 11 not leading, nobody does\n"),
    STORY(who_loads_tells_nobody_anything_else,
          "loading\n"
          "30 load-session 1\n"
          "31 keep-alive 1 on 11 | 11 not leading, nobody does\n"),
    STORY(who_cannot_lead_says_why_and_looks_again,
          "following\n"
          "10 head #1 corrupt v7 | rests: HF_E_CORRUPT\n"
          "= deadline 510\n"
          "510 clock             | #2 read\n"),
    cmocka_unit_test(who_seeks_in_a_silent_store_rests_each_time),

    /* ---- Loading [L2] ---------------------------------------------------- */

    STORY(what_was_granted_is_loaded_before_anybody_is_served,
          "serving\n"
          "40 try A on 11, lane 2 | batch:; #3 put v8 fence 50 batch 1\n"
          "40 try B on 12, lane 3\n"
          "50 applied #3 v9\n"
          "| due: 11 over\n"
          "| batch: put grant 50\n"
          "| #4 put v9 fence 51 batch 2\n"
          "60 applied #4 v10      | due: 12 granted 50\n"),
    STORY(the_leader_beats_while_it_loads_and_nothing_hangs_on_it,
          "loading\n"
          "200 clock          | #3 put v8 fence 50\n"
          "201 load-session 1\n"
          "201 loaded\n"
          "202 try B on 11, lane 2\n" /* waits for what is under way */
          "210 applied #3 v9\n"
          "| batch: put grant 50\n"
          "| #4 put v9 fence 51 batch 1\n"
          "220 applied #4 v10 | due: 11 granted 50\n"),
    STORY(what_a_load_of_another_term_reads_is_nothing,
          "loading\n"
          "30 load-session 9, term 5\n"
          "30 loaded, term 5\n"
          "= state loading\n"
          "31 load-session 1\n"
          "31 loaded\n"
          "32 load-session 1\n" /* once more, too late */
          "32 loaded\n"
          "= state serving\n"),
    STORY(what_contradicts_itself_is_not_led,
          "loading\n"
          "30 load-session 1\n"
          "30 load-grant 30 A of 1\n"
          "30 load-grant 31 A of 1, lane 2\n"
          "40 loaded | discard 0; #3 no node v8 fence 50\n"
          "50 applied #3 v9\n"
          "549 clock\n"
          "= deadline 550\n"
          /* it has rested */
          "550 clock | #4 read\n"),
    STORY(what_cannot_be_read_is_not_led,
          "loading\n"
          "40 load-failed | discard 0; #3 no node v8 fence 50\n"),

    /* ---- Batches [J1, J2, J3, J4] ---------------------------------------- */

    STORY(an_idle_leader_beats_with_batches_that_are_empty,
          "serving\n"
          "= deadline 200\n"
          "200 clock         | batch:; #3 put v8 fence 50 batch 1\n"
          "210 applied #3 v9 | due:\n"
          "400 clock         | batch:; #4 put v9 fence 50 batch 2\n"),
    /* The second is decided while the first's batch is on its way: it is not in
     * it, and that batch says nothing of it. */
    STORY(an_answer_is_due_with_a_batch_that_was_begun_after_it,
          "serving\n"
          "40 acquire B on 11, lane 2\n"
          "| batch: put grant 50\n"
          "| #3 put v8 fence 51 batch 1\n"
          "41 acquire C on 12, lane 3\n"
          "50 applied #3 v9\n"
          "| due: 11 granted 50\n"
          "| batch: put grant 51\n"
          "| #4 put v9 fence 52 batch 2\n"
          "60 applied #4 v10 | due: 12 granted 51\n"),
    STORY(what_comes_in_a_turn_is_one_batch,
          "serving\n"
          "long-turns\n"
          "40 acquire B on 11, lane 2\n"
          "40 acquire C on 12, lane 3\n"
          "= deadline 40\n"
          "41 turn\n"
          "| batch: put grant 50 put grant 51\n"
          "| #3 put v8 fence 52 batch 1\n"
          "42 acquire D on 13, lane 4\n"
          "43 turn\n" /* one batch is under way */
          "50 applied #3 v9 | due: 11 granted 50 12 granted 51\n"
          "51 turn        | batch: put grant 52; #4 put v9 fence 53 batch 2\n"),
    STORY(a_beat_carries_what_a_turn_has_brought_so_far,
          "serving\n"
          "long-turns\n"
          "229 acquire B on 11, lane 2\n"
          "230 clock | batch: put grant 50; #3 put v8 fence 51 batch 1\n"),
    STORY(who_leaves_waits_for_no_turn,
          "serving\n"
          "long-turns\n"
          "40 acquire B on 11, lane 2\n"
          "41 stop | batch: put grant 50; #3 put v8 fence 51 batch 1\n"),
    /* Also an answer that changed nothing: who was deposed would give it,
     * too. */
    STORY(an_answer_that_changes_nothing_waits_for_a_batch_as_well,
          "serving\n"
          "40 try A on 11, lane 2 | batch:; #3 put v8 fence 50 batch 1\n"
          "50 applied #3 v9       | due: 11 over\n"),
    STORY(a_batch_of_which_nothing_is_known_is_not_collected_again,
          "serving\n"
          "40 acquire B on 11, lane 2\n"
          "| batch: put grant 50\n"
          "| #3 put v8 fence 51 batch 1\n"
          "50 unknown #3\n"
          "55 acquire C on 12, lane 3\n"
          "60 clock | #4 put v8 fence 51 batch 1\n"
          /* the first sending's */
          "70 applied #3 v9\n"
          "| due: 11 granted 50\n"
          "| batch: put grant 51\n"
          "| #5 put v9 fence 52 batch 2\n"),
    cmocka_unit_test(
        the_age_of_the_service_is_the_most_that_anybody_has_waited),
    STORY(keep_alives_wait_for_each_other_a_little,
          "loading\n"
          "30 load-session 1, ttl 1000\n"
          "30 load-grant 30 A of 1\n"
          "30 loaded\n"
          "40 keep-alive 1 on 11\n"
          "= deadline 65\n"
          "60 keep-alive 1 on 12\n"
          "64 clock\n"
          "65 clock               | batch:; #3 put v8 fence 50 batch 1\n"
          "66 keep-alive 1 on 13\n"
          "70 applied #3 v9       | due: 11 alive 12 alive\n"
          "= deadline 91\n"
          /* somebody waits for this one */
          "75 try A on 14, lane 2 | batch:; #4 put v9 fence 50 batch 2\n"
          "80 applied #4 v10      | due: 13 alive 14 over\n"),
    /* Who is to take its place in line again must be told at once [L5]. */
    STORY(keep_alives_wait_for_no_other_in_the_grace_after_a_change,
          "start grace 100\n"
          "following\n"
          "0 head #1 v7 6_3 fence 50 | #2 put v7 fence 50\n"
          "20 applied #2 v8          | load, term 8\n"
          "30 load-session 1, ttl 1000\n"
          "30 loaded\n"
          "40 keep-alive 1 on 11     | batch:; #3 put v8 fence 50 batch 1\n"),
    /* The first of 4 s could wait for 100 ms, and that of a minute for
     * longer. */
    STORY(keep_alives_wait_no_longer_than_the_shortest_ttl_among_them_allows,
          "loading\n"
          "30 load-session 1, ttl 4000\n"
          "30 load-session 2, ttl 1000\n"
          "30 load-session 3, ttl 60000\n"
          "30 load-grant 30 A of 1\n"
          "30 loaded\n"
          "40 keep-alive 1 on 11\n"
          "= alive-by 140\n"
          "50 keep-alive 2 on 12\n"
          "= deadline 75\n"
          "55 keep-alive 3 on 13\n"
          "= deadline 75\n"
          "75 clock         | batch:; #3 put v8 fence 50 batch 1\n"
          "80 applied #3 v9 | due: 11 alive 12 alive 13 alive\n"
          "90 keep-alive 1 on 14\n"
          "= alive-by 190\n"),
    /* However long its ttl is, and however seldom the leader beats. */
    STORY(no_keep_alive_waits_for_longer_than_a_second,
          "loading\n"
          "30 load-session 1, ttl 60000\n"
          "30 load-grant 30 A of 1\n"
          "30 loaded\n"
          "40 keep-alive 1 on 11\n"
          "= alive-by 1040\n"),

    /* ---- The end of a leadership [J4, L4] -------------------------------- */

    STORY(what_is_not_due_when_leadership_ends_is_told_to_nobody,
          "serving\n"
          "40 acquire B on 11, lane 2\n"
          "| batch: put grant 50\n"
          "| #3 put v8 fence 51 batch 1\n"
          "41 keep-alive 1 on 12\n"
          "50 refused #3                   | #4 read\n"
          "60 head #4 v20 6_0 led fence 50 | discard 2\n"
          "70 applied #3 v9\n"
          "71 keep-alive 1 on 13           | 13 not leading, another does\n"),
    STORY(a_right_that_is_over_ends_the_leadership,
          "serving\n"
          "40 acquire B on 11, lane 2\n"
          "| batch: put grant 50\n"
          "| #3 put v8 fence 51 batch 1\n"
          "750 clock | discard 1; #4 no node v8 fence 50\n"),
    /* What has not been read yet keeps a session, and no right [S2, L3]. */
    STORY(nothing_that_is_not_read_yet_holds_the_leader_up,
          "loading\n"
          "30 load-session 1, ttl 100\n"
          "30 load-grant 30 A of 1\n"
          "30 loaded\n"
          "749 clock, read 129\n"
          "| batch: put session 1 from 1; #3 put v8 fence 50 batch 1\n"
          "750 clock, read 129 | discard 0; #4 no node v8 fence 50\n"),
    /* What the head has counted since, and not what the clocks did [S10]. */
    STORY(a_session_was_silent_while_leaders_served,
          "following\n"
          "0 head #1 v7 6_3 fence 50, served 9000 | #2 put v7 fence 50\n"
          "20 applied #2 v8                       | load, term 8\n"
          "30 load-session 1, ttl 1000, from 8300\n"
          "30 load-session 2, ttl 1000, from 9001\n"
          "30 load-grant 30 A of 1\n"
          "30 load-grant 31 B of 2\n"
          "30 loaded\n"
          "| batch: put session 2 from 9000; #3 put v8 fence 50 batch 1\n"
          "40 applied #3 v9 | due:\n"
          "240 clock        | batch:; #4 put v9 fence 50 batch 2\n"
          "250 applied #4 v10 | due:\n"
          "329 clock\n"
          "330 clock\n"
          "| batch: delete session 1 delete grant 30\n"
          "| #5 put v10 fence 50 batch 3\n"),
    /* Its record may be of an older copy [L6]. */
    STORY(no_silence_counts_while_a_grace_runs,
          "following\n"
          "0 head #1 v7 6_3 fence 50, grace 100, served 9000\n"
          "| #2 put v7 fence 50\n"
          "20 applied #2 v8                       | load, term 8\n"
          "30 load-session 1, ttl 1000, from 8300\n"
          "30 loaded\n"
          "| batch: put session 1 from 9000; #3 put v8 fence 50 batch 1\n"),
    /* It is owed for as long as this session's client may believe. */
    STORY(
        nor_while_one_is_owed,
        "following\n"
        "0 head #1 v7 6_3 fence 50, served 9000, forgot | #2 put v7 fence 50\n"
        "20 applied #2 v8    | load, term 8\n"
        "600 clock           | #3 put v8 fence 50\n"
        "610 applied #3 v9\n"
        "1200 clock          | #4 put v9 fence 50\n"
        "1210 applied #4 v10\n"
        "1800 clock          | #5 put v10 fence 50\n"
        "1810 applied #5 v11\n"
        "2400 clock          | #6 put v11 fence 50\n"
        "2410 applied #6 v12\n"
        "3000 clock          | #7 put v12 fence 50\n"
        "3010 applied #7 v13\n"
        "3600 clock          | #8 put v13 fence 50\n"
        "3610 applied #8 v14\n"
        "4100 load-session 1, ttl 4000, from 8300\n"
        "4100 loaded\n"
        "| batch: put session 1 from 9000; #9 put v14 fence 50 batch 1\n"),
    STORY(the_next_term_begins_with_an_empty_table,
          "serving\n"
          "750 clock                    | discard 0; #3 no node v8 fence 50\n"
          "760 applied #3 v9\n"
          "1260 clock                   | #4 read\n"
          "1270 head #4 v9 7_0 fence 50 | #5 put v9 fence 50\n"
          "1280 applied #5 v10          | load, term 10\n"
          "1290 loaded\n"
          "1300 keep-alive 1 on 11    | batch:; #6 put v10 fence 50 batch 1\n"
          "1310 applied #6 v11          | due: 11 gone\n"),

    /* ---- Stop [L4] ------------------------------------------------------- */

    STORY(who_is_told_to_stop_writes_what_was_decided_and_leaves,
          "serving\n"
          "40 acquire B on 11, lane 2\n"
          "| batch: put grant 50\n"
          "| #3 put v8 fence 51 batch 1\n"
          "41 acquire C on 12, lane 3\n"
          /* waits, and is told nothing */
          "42 acquire A on 13, lane 4\n"
          "43 keep-alive 1 on 14\n"
          "44 stop\n"
          "45 acquire D on 15, lane 5 | 15 not leading, nobody does\n"
          "46 stop\n"
          "50 applied #3 v9\n"
          "| due: 11 granted 50\n"
          "| batch: put grant 51\n"
          "| #4 put v9 fence 52 batch 2\n"
          "60 applied #4 v10\n"
          "| due: 12 granted 51 14 alive\n"
          "| discard 0\n"
          "| #5 no node v10 fence 52\n"
          "70 applied #5 v11          | stopped\n"
          "= state ended\n"
          "9000 clock\n"),
    STORY(who_follows_or_loads_stops_without_a_batch,
          "following\n"
          "10 stop          | stopped\n"
          "start\n"
          "loading\n"
          "30 stop          | discard 0; #3 no node v8 fence 50\n"
          "40 applied #3 v9 | stopped\n"),
    STORY(who_rests_stops_at_once,
          "serving\n"
          "750 clock | discard 0; #3 no node v8 fence 50\n"
          "760 applied #3 v9\n"
          "770 stop  | stopped\n"),
    /* A node without anything to grant from is served like any other, but
     * nothing is granted before nobody believes in what was. */
    STORY(who_reads_of_a_grace_grants_nothing_until_it_is_over,
          "following\n"
          "0 head #1 v7 6_3 fence 50, grace 600 | #2 put v7 fence 50\n"
          "20 applied #2 v8                     | load, term 8\n"
          "30 load-session 1\n"
          "30 loaded\n"
          "40 acquire A on 11\n"
          "40 grace                             | 560\n"
          "200 clock                   | batch:; #3 put v8 fence 50 batch 1\n"
          "210 applied #3 v9                    | due:\n"
          "599 clock                   | batch:; #4 put v9 fence 50 batch 2\n"
          "599 applied #4 v10                   | due:\n"
          "600 clock     | batch: put grant 50; #5 put v10 fence 51 batch 3\n"
          "610 applied #5 v11                   | due: 11 granted 50\n"),
    STORY(a_session_that_was_loaded_lengthens_what_is_owed,
          "following\n"
          "0 head #1 v7 6_3 fence 50, forgot | #2 put v7 fence 50\n"
          "20 applied #2 v8                  | load, term 8\n"
          "30 load-session 1\n"
          "30 load-session 2, ttl 4000\n"
          "30 loaded\n"
          "30 grace                          | 10970\n"),
};

int
main(void)
{
    return cmocka_run_group_tests(tests, NULL, NULL);
}

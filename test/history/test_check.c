/* Small histories: those that can be, and those that cannot, each for its
 * reason. */
#include "support/test.h"

#include "history/explain.h"
#include "lab/server/promises.h"
#include <stdlib.h>
#include <string.h>

struct reading {
    struct history_text text;
    struct history history;
    struct verdict verdict;
};

static void
read_all(struct reading *reading, const char *lines)
{
    struct hf_error error = {0};

    *reading = (struct reading){.text = {"log", lines, strlen(lines)}};
    if (history_read(&reading->history, &reading->text, 1, &error) != HF_OK)
        fail_msg("%s", error.text);
    assert_int_equal(
        check_history(&reading->history, &reading->verdict, &error), HF_OK);
}

static void
expect_consistent(const char *lines)
{
    struct reading reading;
    char buffer[4096];
    struct hf_text text;

    read_all(&reading, lines);
    hf_text_init(&text, buffer, sizeof(buffer));
    if (reading.verdict.breaches > 0) {
        explain(&reading.verdict, &text);
        fail_msg("%s", buffer);
    }
    history_free(&reading.history);
}

/* One breach, of that promise, and the lines that prove it are these alone. */
static void
expect_broken(const char *promise, const char *numbers, const char *lines)
{
    struct reading reading;
    char buffer[4096];
    char found[64];
    struct hf_text text;
    struct hf_text list;

    read_all(&reading, lines);
    if (reading.verdict.breaches == 0)
        fail_msg("nothing is broken: %s", promise);
    hf_text_init(&text, buffer, sizeof(buffer));
    explain(&reading.verdict, &text);
    if (strcmp(reading.verdict.promise, promise) != 0)
        fail_msg("another promise is broken: %s", buffer);
    assert_int_equal(reading.verdict.breaches, 1);
    hf_text_init(&list, found, sizeof(found));
    for (const char *at = buffer; (at = strstr(at, "  log:")) != NULL; at++)
        hf_text_addf(&list, "%s%ld", list.len == 0 ? "" : " ",
                     strtol(at + 6, NULL, 10));
    if (strcmp(found, numbers) != 0)
        fail_msg("other lines prove it: %s", buffer);
    history_free(&reading.history);
}

/* ---- What can be --------------------------------------------------------- */

TEST(one_after_another)
{
    expect_consistent("");
    expect_consistent("10 ask a/1/1 takeover exclusive x\n"
                      "20 granted a/1/1 5 100\n"
                      "30 release a/1/1\n"
                      "40 over a/1/1\n"
                      "32 ask b/1/1 takeover exclusive x\n"
                      "42 granted b/1/1 6 200\n"
                      "50 release b/1/1\n"
                      "60 over b/1/1\n");
}

TEST(before_the_release_is_answered)
{
    expect_consistent("10 ask a/1/1 takeover exclusive x\n"
                      "11 ask b/1/1 takeover exclusive x\n"
                      "20 granted a/1/1 5 100\n"
                      "30 release a/1/1\n"
                      "31 granted b/1/1 6 200\n"
                      "90 over a/1/1\n");
}

TEST(a_release_that_was_never_answered)
{
    expect_consistent("10 ask a/1/1 takeover exclusive x\n"
                      "20 granted a/1/1 5 100\n"
                      "30 release a/1/1\n"
                      "35 ask b/1/1 takeover exclusive x\n"
                      "40 held b/1/1\n"
                      "900 ask b/1/2 takeover exclusive x\n"
                      "901 granted b/1/2 6 1000\n");
}

/* Killed while it asked: it may have been granted, and it may not. */
TEST(an_ask_that_was_never_answered)
{
    expect_consistent("10 ask a/1/1 takeover exclusive x\n"
                      "20 ask b/1/1 takeover exclusive x\n"
                      "900 held b/1/1\n");
    expect_consistent("10 ask a/1/1 takeover exclusive x\n"
                      "20 ask b/1/1 takeover exclusive x\n"
                      "21 granted b/1/1 6 50\n"
                      "60 ask c/1/1 takeover exclusive x\n"
                      "70 held c/1/1\n");
}

TEST(a_right_that_is_over)
{
    expect_consistent("10 ask a/1/1 takeover exclusive x\n"
                      "11 ask b/1/1 takeover exclusive x\n"
                      "20 granted a/1/1 5 100\n"
                      "100 granted b/1/1 6 200\n"
                      "101 lost a/1/1\n");
    expect_consistent("10 ask a/1/1 takeover exclusive x\n"
                      "11 ask b/1/1 takeover exclusive x\n"
                      "20 granted a/1/1 5 100\n"
                      "90 extended a/1/1 190\n"
                      "170 extended a/1/1 180\n"
                      "190 granted b/1/1 6 200\n");
}

TEST(what_happens_at_one_instant_has_no_order)
{
    expect_consistent("10 ask a/1/1 takeover exclusive x\n"
                      "10 ask b/1/1 takeover exclusive x\n"
                      "20 granted a/1/1 5 100\n"
                      "30 granted b/1/1 6 200\n"
                      "30 release a/1/1\n"
                      "40 release b/1/1\n"
                      "40 ask c/1/1 takeover exclusive x\n"
                      "40 granted c/1/1 7 300\n");
    /* Asked when the other was told: the fences may be either way. */
    expect_consistent("10 ask a/1/1 takeover shared x\n"
                      "20 granted a/1/1 5 100\n"
                      "20 ask b/1/1 takeover shared x\n"
                      "30 granted b/1/1 4 200\n");
    expect_consistent("10 ask a/1/1 takeover exclusive x\n"
                      "20 over a/1/1\n"
                      "20 ask b/1/1 takeover exclusive x\n"
                      "30 held b/1/1\n");
    expect_consistent("10 ask a/1/1 takeover exclusive x\n"
                      "20 granted a/1/1 5 100\n"
                      "30 restoring\n"
                      "40 ask b/1/1 takeover exclusive x\n"
                      "40 restored\n"
                      "50 granted b/1/1 6 200\n"
                      "60 ask c/1/1 takeover exclusive x\n"
                      "70 granted c/1/1 7 200\n");
}

TEST(those_who_share)
{
    expect_consistent("10 ask a/1/1 takeover shared x\n"
                      "11 ask b/1/1 takeover shared x\n"
                      "12 ask c/1/1 takeover exclusive x\n"
                      "20 granted a/1/1 6 100\n"
                      "21 granted b/1/1 5 100\n"
                      "30 release b/1/1\n"
                      "40 release a/1/1\n"
                      "41 granted c/1/1 7 200\n");
}

TEST(a_lane_beside_itself)
{
    expect_consistent("10 ask a/1/1 takeover shared x\n"
                      "20 granted a/1/1 5 100\n"
                      "30 ask a/1/2 takeover exclusive x\n"
                      "40 granted a/1/2 6 100\n"
                      "50 lower a/1/2 x\n"
                      "60 lowered a/1/2 x\n"
                      "55 ask b/1/1 takeover shared x\n"
                      "59 granted b/1/1 7 200\n");
}

TEST(what_was_lowered_is_shared)
{
    expect_consistent("10 ask a/1/1 takeover exclusive x exclusive y\n"
                      "11 ask b/1/1 takeover shared x\n"
                      "20 granted a/1/1 5 100\n"
                      "30 lower a/1/1 x\n"
                      "31 granted b/1/1 6 100\n"
                      "32 lowered a/1/1 x\n");
}

TEST(several_names_at_once)
{
    expect_consistent("10 ask a/1/1 takeover exclusive x shared y\n"
                      "11 ask b/1/1 takeover exclusive z shared y\n"
                      "20 granted a/1/1 5 100\n"
                      "21 granted b/1/1 6 100\n"
                      "30 ask c/1/1 takeover shared y shared x\n"
                      "40 held c/1/1\n");
}

/* Of other locks: in a table each counts for itself. */
TEST(one_fence_of_two_locks)
{
    expect_consistent("10 ask a/1/1 takeover exclusive x\n"
                      "11 ask b/1/1 takeover exclusive y\n"
                      "20 granted a/1/1 5 100\n"
                      "21 granted b/1/1 5 100\n");
}

TEST(a_grant_that_is_told_again)
{
    expect_consistent("10 ask a/1/1 takeover exclusive x\n"
                      "20 granted a/1/1 5 100\n"
                      "30 granted a/1/1 5 150\n");
}

/* Its answer was on the way when it was given up. */
TEST(a_grant_that_crosses_its_release)
{
    expect_consistent("10 ask a/1/1 takeover exclusive x\n"
                      "11 ask b/1/1 takeover exclusive x\n"
                      "20 release a/1/1\n"
                      "30 granted b/1/1 6 200\n"
                      "31 granted a/1/1 5 100\n");
}

TEST(who_timed_out_may_still_hold_it)
{
    expect_consistent("10 ask a/1/1 takeover exclusive x\n"
                      "20 timed-out a/1/1\n"
                      "21 release a/1/1\n"
                      "30 ask b/1/1 takeover exclusive x\n"
                      "40 held b/1/1\n"
                      "50 over a/1/1\n");
}

TEST(a_refuse_grant_outlasts_its_right)
{
    expect_consistent("10 ask a/1/1 refuse exclusive x\n"
                      "20 granted a/1/1 5 100\n"
                      "900 release a/1/1\n"
                      "901 over a/1/1\n"
                      "850 ask b/1/1 takeover exclusive x\n"
                      "902 granted b/1/1 6 1000\n");
}

TEST(what_an_operator_cleared)
{
    expect_consistent("10 ask a/1/1 refuse exclusive x exclusive y\n"
                      "20 granted a/1/1 5 100\n"
                      "30 clear x 5\n"
                      "31 ask b/1/1 takeover exclusive y\n"
                      "40 granted b/1/1 6 1000\n"
                      "50 lost a/1/1\n"
                      "60 over a/1/1\n");
    /* Cleared before its client was told of it. */
    expect_consistent("10 ask a/1/1 takeover exclusive x\n"
                      "30 clear x 5\n"
                      "31 ask b/1/1 takeover exclusive x\n"
                      "40 granted b/1/1 6 1000\n"
                      "50 granted a/1/1 5 1000\n"
                      "60 lost a/1/1\n");
}

TEST(what_a_restored_store_forgot_or_remembers)
{
    expect_consistent("10 ask a/1/1 refuse exclusive x\n"
                      "20 granted a/1/1 5 500\n"
                      "30 restoring\n"
                      "40 restored\n"
                      "50 ask b/1/1 takeover exclusive x\n"
                      "60 granted b/1/1 6 500\n"
                      "70 lost a/1/1\n");
    expect_consistent("10 ask a/1/1 refuse exclusive x\n"
                      "20 granted a/1/1 5 500\n"
                      "22 release a/1/1\n"
                      "24 over a/1/1\n"
                      "30 restoring\n"
                      "40 restored\n"
                      "50 ask b/1/1 takeover exclusive x\n"
                      "60 held b/1/1\n");
    /* The copy is never said to be there. */
    expect_consistent("10 ask a/1/1 takeover exclusive x\n"
                      "20 granted a/1/1 5 500\n"
                      "30 restoring\n"
                      "40 lost a/1/1\n");
}

TEST(a_session_that_ends)
{
    expect_consistent("10 ask a/1/1 takeover exclusive x\n"
                      "11 ask a/2/1 takeover exclusive y\n"
                      "20 granted a/1/1 5 500\n"
                      "30 end a\n"
                      "31 ask b/1/1 takeover exclusive x\n"
                      "35 granted b/1/1 6 500\n"
                      "40 gone a\n"
                      "41 ask b/1/2 takeover exclusive y\n"
                      "42 granted b/1/2 7 500\n");
    /* Told by another thread, a moment before. */
    expect_consistent("10 ask a/1/1 takeover exclusive x\n"
                      "20 gone a\n"
                      "21 granted a/1/1 5 20\n");
}

TEST(a_no_to_whoever_comes_while_others_wait)
{
    expect_consistent("10 ask a/1/1 takeover shared x\n"
                      "20 granted a/1/1 5 500\n"
                      "30 ask b/1/1 takeover exclusive x\n"
                      "31 ask c/1/1 takeover shared x\n"
                      "40 held c/1/1\n");
    /* It came while the try was answered, and went. */
    expect_consistent("10 ask a/1/1 takeover exclusive x\n"
                      "20 ask b/1/1 takeover exclusive x\n"
                      "30 over b/1/1\n"
                      "40 held a/1/1\n");
}

/* ---- What cannot --------------------------------------------------------- */

TEST(two_exclusive_at_once)
{
    expect_broken(SERVER_OVERLAP, "2 4",
                  "10 ask a/1/1 takeover exclusive x\n"
                  "20 granted a/1/1 5 100\n"
                  "30 ask b/1/1 takeover exclusive x\n"
                  "40 granted b/1/1 6 200\n");
}

TEST(an_exclusive_one_beside_a_shared_one)
{
    expect_broken(SERVER_OVERLAP, "2 4",
                  "10 ask a/1/1 takeover shared x\n"
                  "20 granted a/1/1 5 100\n"
                  "30 ask b/1/1 takeover exclusive x\n"
                  "40 granted b/1/1 6 200\n");
}

TEST(a_shared_one_beside_an_exclusive_one)
{
    expect_broken(SERVER_OVERLAP, "2 4",
                  "10 ask a/1/1 takeover exclusive x\n"
                  "20 granted a/1/1 5 100\n"
                  "30 ask b/1/1 takeover shared x\n"
                  "40 granted b/1/1 6 200\n");
}

TEST(before_the_extended_right_is_over)
{
    expect_broken(SERVER_OVERLAP, "2 3 5",
                  "10 ask a/1/1 takeover exclusive x\n"
                  "20 granted a/1/1 5 100\n"
                  "90 extended a/1/1 190\n"
                  "95 ask b/1/1 takeover exclusive x\n"
                  "189 granted b/1/1 6 200\n");
}

/* It was killed: whether it still runs nobody can know. */
TEST(before_the_right_of_a_killed_client_is_over)
{
    expect_broken(SERVER_OVERLAP, "2 4",
                  "10 ask a/1/1 takeover exclusive x\n"
                  "20 granted a/1/1 5 100\n"
                  "21 ask b/1/1 takeover exclusive x\n"
                  "99 granted b/1/1 6 200\n");
}

TEST(two_lanes_of_one_session)
{
    expect_broken(SERVER_OVERLAP, "2 4",
                  "10 ask a/1/1 takeover exclusive x\n"
                  "20 granted a/1/1 5 100\n"
                  "21 ask a/2/1 takeover exclusive x\n"
                  "30 granted a/2/1 6 200\n");
}

/* Its own shared hold lasts longer than that of the other, and hides it not. */
TEST(behind_a_longer_hold_of_its_own)
{
    expect_broken(SERVER_OVERLAP, "4 6",
                  "10 ask b/1/1 takeover shared x\n"
                  "20 granted b/1/1 5 900\n"
                  "21 ask a/1/1 takeover shared x\n"
                  "30 granted a/1/1 6 200\n"
                  "40 ask b/1/2 takeover exclusive x\n"
                  "50 granted b/1/2 7 900\n");
}

TEST(on_the_second_of_several_names)
{
    expect_broken(SERVER_OVERLAP, "2 4",
                  "10 ask a/1/1 takeover exclusive x exclusive y\n"
                  "20 granted a/1/1 5 100\n"
                  "21 ask b/1/1 takeover exclusive z exclusive y\n"
                  "30 granted b/1/1 6 200\n");
}

TEST(exclusive_beside_what_was_lowered)
{
    expect_broken(SERVER_OVERLAP, "2 6",
                  "10 ask a/1/1 takeover exclusive x\n"
                  "20 granted a/1/1 5 100\n"
                  "30 lower a/1/1 x\n"
                  "40 lowered a/1/1 x\n"
                  "41 ask b/1/1 takeover exclusive x\n"
                  "50 granted b/1/1 6 200\n");
}

TEST(shared_before_it_was_lowered)
{
    expect_broken(SERVER_OVERLAP, "2 4",
                  "10 ask a/1/1 takeover exclusive x\n"
                  "20 granted a/1/1 5 100\n"
                  "21 ask b/1/1 takeover shared x\n"
                  "29 granted b/1/1 6 200\n"
                  "30 lower a/1/1 x\n");
}

TEST(another_name_than_the_one_that_was_lowered)
{
    expect_broken(SERVER_OVERLAP, "2 6",
                  "10 ask a/1/1 takeover exclusive x exclusive y\n"
                  "20 granted a/1/1 5 100\n"
                  "30 lower a/1/1 x\n"
                  "40 lowered a/1/1 x\n"
                  "41 ask b/1/1 takeover shared y\n"
                  "50 granted b/1/1 6 200\n");
}

TEST(a_refuse_grant_taken_by_time)
{
    expect_broken(SERVER_OVERRIDDEN, "2 4",
                  "10 ask a/1/1 refuse exclusive x\n"
                  "20 granted a/1/1 5 100\n"
                  "300 ask b/1/1 takeover exclusive x\n"
                  "400 granted b/1/1 6 500\n");
}

TEST(a_refuse_grant_taken_by_the_clear_of_another)
{
    expect_broken(SERVER_OVERRIDDEN, "2 6",
                  "10 ask a/1/1 refuse exclusive x\n"
                  "20 granted a/1/1 5 100\n"
                  "250 clear x 4\n"
                  "251 clear y 5\n"
                  "300 ask b/1/1 takeover exclusive x\n"
                  "400 granted b/1/1 6 500\n");
}

TEST(before_it_was_cleared)
{
    expect_broken(SERVER_OVERLAP, "2 4",
                  "10 ask a/1/1 refuse exclusive x\n"
                  "20 granted a/1/1 5 100\n"
                  "30 ask b/1/1 takeover exclusive x\n"
                  "40 granted b/1/1 6 500\n"
                  "50 clear x 5\n");
}

TEST(before_an_older_copy_was_put_back)
{
    expect_broken(SERVER_OVERLAP, "2 4",
                  "10 ask a/1/1 takeover exclusive x\n"
                  "20 granted a/1/1 5 100\n"
                  "21 ask b/1/1 takeover exclusive x\n"
                  "22 granted b/1/1 6 100\n"
                  "30 restoring\n"
                  "40 restored\n");
}

TEST(after_an_older_copy_was_put_back)
{
    expect_broken(SERVER_OVERLAP, "4 6",
                  "10 restoring\n"
                  "20 restored\n"
                  "21 ask a/1/1 takeover exclusive x\n"
                  "30 granted a/1/1 5 100\n"
                  "31 ask b/1/1 takeover exclusive x\n"
                  "40 granted b/1/1 6 100\n");
}

TEST(one_fence_for_two)
{
    expect_broken(SERVER_FENCES, "2 5",
                  "10 ask a/1/1 takeover shared x\n"
                  "20 granted a/1/1 5 100\n"
                  "19 ask b/1/1 takeover shared x\n"
                  "15 ask c/1/1 takeover shared x\n"
                  "30 granted c/1/1 5 100\n");
}

TEST(a_fence_that_falls_from_holder_to_holder)
{
    expect_broken(SERVER_FENCES, "2 3 6",
                  "10 ask a/1/1 takeover exclusive x\n"
                  "20 granted a/1/1 5 100\n"
                  "30 release a/1/1\n"
                  "40 over a/1/1\n"
                  "15 ask b/1/1 takeover exclusive x\n"
                  "50 granted b/1/1 4 200\n");
}

TEST(a_fence_that_falls_when_a_right_was_over)
{
    expect_broken(SERVER_FENCES, "2 4",
                  "10 ask a/1/1 takeover exclusive x\n"
                  "20 granted a/1/1 5 100\n"
                  "15 ask b/1/1 takeover shared x\n"
                  "150 granted b/1/1 4 200\n");
}

/* Who share may be granted in any order, but not before they ask. */
TEST(a_fence_that_falls_among_those_who_share)
{
    expect_broken(SERVER_FENCES, "2 3 4",
                  "10 ask a/1/1 takeover shared x\n"
                  "20 granted a/1/1 5 100\n"
                  "21 ask b/1/1 takeover shared x\n"
                  "30 granted b/1/1 4 200\n");
}

TEST(a_fence_that_falls_in_one_lane)
{
    expect_broken(SERVER_FENCES, "2 5 6",
                  "10 ask a/1/1 takeover exclusive x\n"
                  "20 granted a/1/1 5 100\n"
                  "30 release a/1/1\n"
                  "40 over a/1/1\n"
                  "50 ask a/1/2 takeover exclusive x\n"
                  "60 granted a/1/2 3 100\n");
}

/* No copy, however old, brings a fence back. */
TEST(a_fence_that_falls_over_a_restored_store)
{
    expect_broken(SERVER_FENCES, "2 5 6",
                  "10 ask a/1/1 takeover exclusive x\n"
                  "20 granted a/1/1 5 100\n"
                  "30 restoring\n"
                  "40 restored\n"
                  "50 ask b/1/1 takeover exclusive x\n"
                  "60 granted b/1/1 4 100\n");
}

TEST(lost_while_the_right_lasts)
{
    expect_broken(SERVER_GRANT_LOST, "2 3",
                  "10 ask a/1/1 takeover exclusive x\n"
                  "20 granted a/1/1 5 100\n"
                  "99 lost a/1/1\n");
    expect_broken(SERVER_GRANT_LOST, "2 3",
                  "10 ask a/1/1 takeover exclusive x\n"
                  "20 granted a/1/1 5 100\n"
                  "50 over a/1/1\n");
    /* Others than the one that was cleared. */
    expect_broken(SERVER_GRANT_LOST, "2 4",
                  "10 ask a/1/1 takeover exclusive x\n"
                  "20 granted a/1/1 5 100\n"
                  "30 clear x 6\n"
                  "40 lost a/1/1\n");
}

TEST(a_refuse_grant_lost_without_a_clear)
{
    expect_broken(SERVER_GRANT_LOST, "2 3",
                  "10 ask a/1/1 refuse exclusive x\n"
                  "20 granted a/1/1 5 100\n"
                  "900 lost a/1/1\n");
}

TEST(a_session_gone_while_its_right_lasts)
{
    expect_broken(SERVER_GRANT_LOST, "2 3 4",
                  "10 ask a/1/1 takeover exclusive x\n"
                  "20 granted a/1/1 5 100\n"
                  "30 extended a/1/1 130\n"
                  "129 gone a\n");
}

TEST(granted_with_two_fences)
{
    expect_broken(SERVER_TWICE_GIVEN, "2 3",
                  "10 ask a/1/1 takeover exclusive x\n"
                  "20 granted a/1/1 5 100\n"
                  "30 granted a/1/1 6 100\n");
}

TEST(granted_after_it_was_over)
{
    expect_broken(SERVER_GHOST, "3 4",
                  "10 ask a/1/1 takeover exclusive x\n"
                  "20 release a/1/1\n"
                  "30 over a/1/1\n"
                  "40 granted a/1/1 5 100\n");
    expect_broken(SERVER_GHOST, "2 3",
                  "10 ask a/1/1 takeover exclusive x\n"
                  "20 timed-out a/1/1\n"
                  "40 granted a/1/1 5 100\n");
}

TEST(granted_in_a_session_that_was_gone)
{
    expect_broken(SERVER_GHOST, "1 2 3",
                  "10 gone a\n"
                  "11 ask a/1/1 takeover exclusive x\n"
                  "20 granted a/1/1 5 100\n");
}

TEST(held_by_nobody)
{
    expect_broken(SERVER_UNTRUE_NO, "1 2",
                  "10 ask a/1/1 takeover exclusive x\n"
                  "20 held a/1/1\n");
    expect_broken(SERVER_UNTRUE_NO, "5 6",
                  "10 ask a/1/1 takeover exclusive x\n"
                  "20 granted a/1/1 5 100\n"
                  "30 release a/1/1\n"
                  "40 over a/1/1\n"
                  "41 ask b/1/1 takeover exclusive x\n"
                  "50 held b/1/1\n");
    /* Who comes when it was answered is no reason. */
    expect_broken(SERVER_UNTRUE_NO, "1 2",
                  "10 ask a/1/1 takeover exclusive x\n"
                  "20 held a/1/1\n"
                  "21 ask b/1/1 takeover exclusive x\n");
}

TEST(held_by_those_who_would_share)
{
    expect_broken(SERVER_UNTRUE_NO, "3 4",
                  "10 ask a/1/1 takeover shared x\n"
                  "20 granted a/1/1 5 100\n"
                  "30 ask b/1/1 takeover shared x\n"
                  "40 held b/1/1\n");
    expect_broken(SERVER_UNTRUE_NO, "5 6",
                  "10 ask a/1/1 takeover exclusive x\n"
                  "20 granted a/1/1 5 100\n"
                  "22 lower a/1/1 x\n"
                  "25 lowered a/1/1 x\n"
                  "30 ask b/1/1 takeover shared x\n"
                  "40 held b/1/1\n");
}

TEST(held_by_itself)
{
    expect_broken(SERVER_UNTRUE_NO, "3 4",
                  "10 ask a/1/1 takeover exclusive x\n"
                  "20 granted a/1/1 5 100\n"
                  "30 ask a/1/2 takeover exclusive x\n"
                  "40 held a/1/2\n");
}

TEST(held_by_a_session_that_is_gone)
{
    expect_broken(SERVER_UNTRUE_NO, "4 5",
                  "10 ask a/1/1 takeover exclusive x\n"
                  "20 granted a/1/1 5 15\n"
                  "30 gone a\n"
                  "31 ask b/1/1 takeover exclusive x\n"
                  "40 held b/1/1\n");
}

/* ---- What is said -------------------------------------------------------- */

TEST(the_first_of_many_is_told_in_a_paragraph)
{
    struct reading reading;
    char buffer[4096];
    struct hf_text text;

    read_all(&reading, "10 ask a/1/1 takeover exclusive x\n"
                       "1000020 granted a/1/1 5 3500020\n"
                       "1000021 ask b/1/1 takeover exclusive x\n"
                       "2000020 granted b/1/1 6 9500020\n"
                       "2000021 ask c/1/1 takeover exclusive x\n"
                       "2000022 granted c/1/1 6 9500020\n");
    assert_int_equal(reading.verdict.breaches, 3);
    hf_text_init(&text, buffer, sizeof(buffer));
    explain(&reading.verdict, &text);
    assert_string_equal(
        buffer, "two clients believe: of x: a/1/1 was granted it with the "
                "fence 5, and its right had 1.500 ms left when b/1/1 was "
                "granted it with the fence 6.\n"
                "  log:2: 1000020 granted a/1/1 5 3500020\n"
                "  log:4: 2000020 granted b/1/1 6 9500020\n");
    history_free(&reading.history);
}

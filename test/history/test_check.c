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
expect_consistent(const char *name, const char *lines)
{
    struct reading reading;
    char buffer[4096];
    struct hf_text text;

    read_all(&reading, lines);
    hf_text_init(&text, buffer, sizeof(buffer));
    if (reading.verdict.breaches > 0) {
        explain(&reading.verdict, &text);
        fail_msg("%s: %s", name, buffer);
    }
    history_free(&reading.history);
}

struct impossible {
    const char *name;
    const char *promise;
    const char *proof; /* the numbers of the lines that prove it */
    const char *lines;
};

/* One breach, of that promise, and the lines that prove it are these alone. */
static void
expect_broken(const struct impossible *row)
{
    struct reading reading;
    char buffer[4096];
    char found[64];
    struct hf_text text;
    struct hf_text list;

    read_all(&reading, row->lines);
    if (reading.verdict.breaches == 0)
        fail_msg("%s: nothing is broken", row->name);
    hf_text_init(&text, buffer, sizeof(buffer));
    explain(&reading.verdict, &text);
    if (strcmp(reading.verdict.promise, row->promise) != 0)
        fail_msg("%s: another promise is broken: %s", row->name, buffer);
    if (reading.verdict.breaches != 1)
        fail_msg("%s: more than once: %s", row->name, buffer);
    hf_text_init(&list, found, sizeof(found));
    for (const char *at = buffer; (at = strstr(at, "  log:")) != NULL; at++)
        hf_text_addf(&list, "%s%ld", list.len == 0 ? "" : " ",
                     strtol(at + 6, NULL, 10));
    if (strcmp(found, row->proof) != 0)
        fail_msg("%s: other lines prove it: %s", row->name, buffer);
    history_free(&reading.history);
}

#define ASKED "10 ask a/1/1 takeover exclusive x\n"
#define HELD  ASKED "20 granted a/1/1 5 100\n"

/* ---- What can be --------------------------------------------------------- */

static const struct {
    const char *name;
    const char *lines;
} possible[] = {
    {"one after another", ""},
    {"one after another", HELD "30 release a/1/1\n"
                               "40 over a/1/1\n"
                               "32 ask b/1/1 takeover exclusive x\n"
                               "42 granted b/1/1 6 200\n"
                               "50 release b/1/1\n"
                               "60 over b/1/1\n"},
    {"before the release is answered",
     ASKED "11 ask b/1/1 takeover exclusive x\n"
           "20 granted a/1/1 5 100\n"
           "30 release a/1/1\n"
           "31 granted b/1/1 6 200\n"
           "90 over a/1/1\n"},
    {"a release that was never answered",
     HELD "30 release a/1/1\n"
          "35 ask b/1/1 takeover exclusive x\n"
          "40 held b/1/1\n"
          "900 ask b/1/2 takeover exclusive x\n"
          "901 granted b/1/2 6 1000\n"},
    /* Killed while it asked: it may have been granted, and it may not. */
    {"an ask that was never answered",
     ASKED "20 ask b/1/1 takeover exclusive x\n"
           "900 held b/1/1\n"},
    {"an ask that was never answered",
     ASKED "20 ask b/1/1 takeover exclusive x\n"
           "21 granted b/1/1 6 50\n"
           "60 ask c/1/1 takeover exclusive x\n"
           "70 held c/1/1\n"},
    {"a right that is over", ASKED "11 ask b/1/1 takeover exclusive x\n"
                                   "20 granted a/1/1 5 100\n"
                                   "100 granted b/1/1 6 200\n"
                                   "101 lost a/1/1\n"},
    {"a right that is over", ASKED "11 ask b/1/1 takeover exclusive x\n"
                                   "20 granted a/1/1 5 100\n"
                                   "90 extended a/1/1 190\n"
                                   "170 extended a/1/1 180\n"
                                   "190 granted b/1/1 6 200\n"},
    {"what happens at one instant has no order",
     ASKED "10 ask b/1/1 takeover exclusive x\n"
           "20 granted a/1/1 5 100\n"
           "30 granted b/1/1 6 200\n"
           "30 release a/1/1\n"
           "40 release b/1/1\n"
           "40 ask c/1/1 takeover exclusive x\n"
           "40 granted c/1/1 7 300\n"},
    /* Asked when the other was told: the fences may be either way. */
    {"what happens at one instant has no order",
     "10 ask a/1/1 takeover shared x\n"
     "20 granted a/1/1 5 100\n"
     "20 ask b/1/1 takeover shared x\n"
     "30 granted b/1/1 4 200\n"},
    {"what happens at one instant has no order",
     ASKED "20 over a/1/1\n"
           "20 ask b/1/1 takeover exclusive x\n"
           "30 held b/1/1\n"},
    {"what happens at one instant has no order",
     HELD "30 restoring\n"
          "40 ask b/1/1 takeover exclusive x\n"
          "40 restored\n"
          "50 granted b/1/1 6 200\n"
          "60 ask c/1/1 takeover exclusive x\n"
          "70 granted c/1/1 7 200\n"},
    {"those who share", "10 ask a/1/1 takeover shared x\n"
                        "11 ask b/1/1 takeover shared x\n"
                        "12 ask c/1/1 takeover exclusive x\n"
                        "20 granted a/1/1 6 100\n"
                        "21 granted b/1/1 5 100\n"
                        "30 release b/1/1\n"
                        "40 release a/1/1\n"
                        "41 granted c/1/1 7 200\n"},
    {"a lane beside itself", "10 ask a/1/1 takeover shared x\n"
                             "20 granted a/1/1 5 100\n"
                             "30 ask a/1/2 takeover exclusive x\n"
                             "40 granted a/1/2 6 100\n"
                             "50 lower a/1/2 x\n"
                             "60 lowered a/1/2 x\n"
                             "55 ask b/1/1 takeover shared x\n"
                             "59 granted b/1/1 7 200\n"},
    {"what was lowered is shared",
     "10 ask a/1/1 takeover exclusive x exclusive y\n"
     "11 ask b/1/1 takeover shared x\n"
     "20 granted a/1/1 5 100\n"
     "30 lower a/1/1 x\n"
     "31 granted b/1/1 6 100\n"
     "32 lowered a/1/1 x\n"},
    {"several names at once", "10 ask a/1/1 takeover exclusive x shared y\n"
                              "11 ask b/1/1 takeover exclusive z shared y\n"
                              "20 granted a/1/1 5 100\n"
                              "21 granted b/1/1 6 100\n"
                              "30 ask c/1/1 takeover shared y shared x\n"
                              "40 held c/1/1\n"},
    /* Of other locks: in a table each counts for itself. */
    {"one fence of two locks", ASKED "11 ask b/1/1 takeover exclusive y\n"
                                     "20 granted a/1/1 5 100\n"
                                     "21 granted b/1/1 5 100\n"},
    {"a grant that is told again", HELD "30 granted a/1/1 5 150\n"},
    /* Its answer was on the way when it was given up. */
    {"a grant that crosses its release",
     ASKED "11 ask b/1/1 takeover exclusive x\n"
           "20 release a/1/1\n"
           "30 granted b/1/1 6 200\n"
           "31 granted a/1/1 5 100\n"},
    {"who timed out may still hold it",
     ASKED "20 timed-out a/1/1\n"
           "21 release a/1/1\n"
           "30 ask b/1/1 takeover exclusive x\n"
           "40 held b/1/1\n"
           "50 over a/1/1\n"},
    {"a refuse grant outlasts its right", "10 ask a/1/1 refuse exclusive x\n"
                                          "20 granted a/1/1 5 100\n"
                                          "900 release a/1/1\n"
                                          "901 over a/1/1\n"
                                          "850 ask b/1/1 takeover exclusive x\n"
                                          "902 granted b/1/1 6 1000\n"},
    {"what an operator cleared", "10 ask a/1/1 refuse exclusive x exclusive y\n"
                                 "20 granted a/1/1 5 100\n"
                                 "30 clear x 5\n"
                                 "31 ask b/1/1 takeover exclusive y\n"
                                 "40 granted b/1/1 6 1000\n"
                                 "50 lost a/1/1\n"
                                 "60 over a/1/1\n"},
    /* Cleared before its client was told of it. */
    {"what an operator cleared", ASKED "30 clear x 5\n"
                                       "31 ask b/1/1 takeover exclusive x\n"
                                       "40 granted b/1/1 6 1000\n"
                                       "50 granted a/1/1 5 1000\n"
                                       "60 lost a/1/1\n"},
    {"what a restored store forgot or remembers",
     "10 ask a/1/1 refuse exclusive x\n"
     "20 granted a/1/1 5 500\n"
     "30 restoring\n"
     "40 restored\n"
     "50 ask b/1/1 takeover exclusive x\n"
     "60 granted b/1/1 6 500\n"
     "70 lost a/1/1\n"},
    {"what a restored store forgot or remembers",
     "10 ask a/1/1 refuse exclusive x\n"
     "20 granted a/1/1 5 500\n"
     "22 release a/1/1\n"
     "24 over a/1/1\n"
     "30 restoring\n"
     "40 restored\n"
     "50 ask b/1/1 takeover exclusive x\n"
     "60 held b/1/1\n"},
    /* The copy is never said to be there. */
    {"what a restored store forgot or remembers",
     ASKED "20 granted a/1/1 5 500\n"
           "30 restoring\n"
           "40 lost a/1/1\n"},
    {"a session that ends", ASKED "11 ask a/2/1 takeover exclusive y\n"
                                  "20 granted a/1/1 5 500\n"
                                  "30 end a\n"
                                  "31 ask b/1/1 takeover exclusive x\n"
                                  "35 granted b/1/1 6 500\n"
                                  "40 gone a\n"
                                  "41 ask b/1/2 takeover exclusive y\n"
                                  "42 granted b/1/2 7 500\n"},
    /* Told by another thread, a moment before. */
    {"a session that ends", ASKED "20 gone a\n"
                                  "21 granted a/1/1 5 20\n"},
    {"a no to whoever comes while others wait",
     "10 ask a/1/1 takeover shared x\n"
     "20 granted a/1/1 5 500\n"
     "30 ask b/1/1 takeover exclusive x\n"
     "31 ask c/1/1 takeover shared x\n"
     "40 held c/1/1\n"},
    /* It came while the try was answered, and went. */
    {"a no to whoever comes while others wait",
     ASKED "20 ask b/1/1 takeover exclusive x\n"
           "30 over b/1/1\n"
           "40 held a/1/1\n"},
};

TEST(what_can_be_is_consistent)
{
    for (size_t i = 0; i < sizeof(possible) / sizeof(possible[0]); i++)
        expect_consistent(possible[i].name, possible[i].lines);
}

/* ---- What cannot --------------------------------------------------------- */

static const struct impossible impossible[] = {
    {"two exclusive at once", SERVER_OVERLAP, "2 4",
     HELD "30 ask b/1/1 takeover exclusive x\n"
          "40 granted b/1/1 6 200\n"},
    {"an exclusive one beside a shared one", SERVER_OVERLAP, "2 4",
     "10 ask a/1/1 takeover shared x\n"
     "20 granted a/1/1 5 100\n"
     "30 ask b/1/1 takeover exclusive x\n"
     "40 granted b/1/1 6 200\n"},
    {"a shared one beside an exclusive one", SERVER_OVERLAP, "2 4",
     HELD "30 ask b/1/1 takeover shared x\n"
          "40 granted b/1/1 6 200\n"},
    {"before the extended right is over", SERVER_OVERLAP, "2 3 5",
     HELD "90 extended a/1/1 190\n"
          "95 ask b/1/1 takeover exclusive x\n"
          "189 granted b/1/1 6 200\n"},
    /* It was killed: whether it still runs nobody can know. */
    {"before the right of a killed client is over", SERVER_OVERLAP, "2 4",
     HELD "21 ask b/1/1 takeover exclusive x\n"
          "99 granted b/1/1 6 200\n"},
    {"two lanes of one session", SERVER_OVERLAP, "2 4",
     HELD "21 ask a/2/1 takeover exclusive x\n"
          "30 granted a/2/1 6 200\n"},
    /* Its own shared hold lasts longer than the hold of the other, and does
     * not hide it. */
    {"behind a longer hold of its own", SERVER_OVERLAP, "4 6",
     "10 ask b/1/1 takeover shared x\n"
     "20 granted b/1/1 5 900\n"
     "21 ask a/1/1 takeover shared x\n"
     "30 granted a/1/1 6 200\n"
     "40 ask b/1/2 takeover exclusive x\n"
     "50 granted b/1/2 7 900\n"},
    {"on the second of several names", SERVER_OVERLAP, "2 4",
     "10 ask a/1/1 takeover exclusive x exclusive y\n"
     "20 granted a/1/1 5 100\n"
     "21 ask b/1/1 takeover exclusive z exclusive y\n"
     "30 granted b/1/1 6 200\n"},
    {"exclusive beside what was lowered", SERVER_OVERLAP, "2 6",
     HELD "30 lower a/1/1 x\n"
          "40 lowered a/1/1 x\n"
          "41 ask b/1/1 takeover exclusive x\n"
          "50 granted b/1/1 6 200\n"},
    {"shared before it was lowered", SERVER_OVERLAP, "2 4",
     HELD "21 ask b/1/1 takeover shared x\n"
          "29 granted b/1/1 6 200\n"
          "30 lower a/1/1 x\n"},
    {"another name than the one that was lowered", SERVER_OVERLAP, "2 6",
     "10 ask a/1/1 takeover exclusive x exclusive y\n"
     "20 granted a/1/1 5 100\n"
     "30 lower a/1/1 x\n"
     "40 lowered a/1/1 x\n"
     "41 ask b/1/1 takeover shared y\n"
     "50 granted b/1/1 6 200\n"},
    {"a refuse grant taken by time", SERVER_OVERRIDDEN, "2 4",
     "10 ask a/1/1 refuse exclusive x\n"
     "20 granted a/1/1 5 100\n"
     "300 ask b/1/1 takeover exclusive x\n"
     "400 granted b/1/1 6 500\n"},
    {"a refuse grant taken by the clear of another", SERVER_OVERRIDDEN, "2 6",
     "10 ask a/1/1 refuse exclusive x\n"
     "20 granted a/1/1 5 100\n"
     "250 clear x 4\n"
     "251 clear y 5\n"
     "300 ask b/1/1 takeover exclusive x\n"
     "400 granted b/1/1 6 500\n"},
    {"before it was cleared", SERVER_OVERLAP, "2 4",
     "10 ask a/1/1 refuse exclusive x\n"
     "20 granted a/1/1 5 100\n"
     "30 ask b/1/1 takeover exclusive x\n"
     "40 granted b/1/1 6 500\n"
     "50 clear x 5\n"},
    {"before an older copy was put back", SERVER_OVERLAP, "2 4",
     HELD "21 ask b/1/1 takeover exclusive x\n"
          "22 granted b/1/1 6 100\n"
          "30 restoring\n"
          "40 restored\n"},
    {"after an older copy was put back", SERVER_OVERLAP, "4 6",
     "10 restoring\n"
     "20 restored\n"
     "21 ask a/1/1 takeover exclusive x\n"
     "30 granted a/1/1 5 100\n"
     "31 ask b/1/1 takeover exclusive x\n"
     "40 granted b/1/1 6 100\n"},
    {"one fence for two", SERVER_FENCES, "2 5",
     "10 ask a/1/1 takeover shared x\n"
     "20 granted a/1/1 5 100\n"
     "19 ask b/1/1 takeover shared x\n"
     "15 ask c/1/1 takeover shared x\n"
     "30 granted c/1/1 5 100\n"},
    {"a fence that falls from holder to holder", SERVER_FENCES, "2 3 6",
     HELD "30 release a/1/1\n"
          "40 over a/1/1\n"
          "15 ask b/1/1 takeover exclusive x\n"
          "50 granted b/1/1 4 200\n"},
    {"a fence that falls when a right was over", SERVER_FENCES, "2 4",
     HELD "15 ask b/1/1 takeover shared x\n"
          "150 granted b/1/1 4 200\n"},
    /* Who share may be granted in any order, but not before they ask. */
    {"a fence that falls among those who share", SERVER_FENCES, "2 3 4",
     "10 ask a/1/1 takeover shared x\n"
     "20 granted a/1/1 5 100\n"
     "21 ask b/1/1 takeover shared x\n"
     "30 granted b/1/1 4 200\n"},
    {"a fence that falls in one lane", SERVER_FENCES, "2 5 6",
     HELD "30 release a/1/1\n"
          "40 over a/1/1\n"
          "50 ask a/1/2 takeover exclusive x\n"
          "60 granted a/1/2 3 100\n"},
    /* No copy, however old, brings a fence back. */
    {"a fence that falls over a restored store", SERVER_FENCES, "2 5 6",
     HELD "30 restoring\n"
          "40 restored\n"
          "50 ask b/1/1 takeover exclusive x\n"
          "60 granted b/1/1 4 100\n"},
    {"lost while the right lasts", SERVER_GRANT_LOST, "2 3",
     HELD "99 lost a/1/1\n"},
    {"lost while the right lasts", SERVER_GRANT_LOST, "2 3",
     HELD "50 over a/1/1\n"},
    /* Others than the one that was cleared. */
    {"lost while the right lasts", SERVER_GRANT_LOST, "2 4",
     HELD "30 clear x 6\n"
          "40 lost a/1/1\n"},
    {"a refuse grant lost without a clear", SERVER_GRANT_LOST, "2 3",
     "10 ask a/1/1 refuse exclusive x\n"
     "20 granted a/1/1 5 100\n"
     "900 lost a/1/1\n"},
    {"a session gone while its right lasts", SERVER_GRANT_LOST, "2 3 4",
     HELD "30 extended a/1/1 130\n"
          "129 gone a\n"},
    {"granted with two fences", SERVER_TWICE_GIVEN, "2 3",
     HELD "30 granted a/1/1 6 100\n"},
    {"granted after it was over", SERVER_GHOST, "3 4",
     ASKED "20 release a/1/1\n"
           "30 over a/1/1\n"
           "40 granted a/1/1 5 100\n"},
    {"granted after it was over", SERVER_GHOST, "2 3",
     ASKED "20 timed-out a/1/1\n"
           "40 granted a/1/1 5 100\n"},
    {"granted in a session that was gone", SERVER_GHOST, "1 2 3",
     "10 gone a\n"
     "11 ask a/1/1 takeover exclusive x\n"
     "20 granted a/1/1 5 100\n"},
    {"held by nobody", SERVER_UNTRUE_NO, "1 2", ASKED "20 held a/1/1\n"},
    {"held by nobody", SERVER_UNTRUE_NO, "5 6",
     HELD "30 release a/1/1\n"
          "40 over a/1/1\n"
          "41 ask b/1/1 takeover exclusive x\n"
          "50 held b/1/1\n"},
    /* Who comes when it was answered is no reason. */
    {"held by nobody", SERVER_UNTRUE_NO, "1 2",
     ASKED "20 held a/1/1\n"
           "21 ask b/1/1 takeover exclusive x\n"},
    {"held by those who would share", SERVER_UNTRUE_NO, "3 4",
     "10 ask a/1/1 takeover shared x\n"
     "20 granted a/1/1 5 100\n"
     "30 ask b/1/1 takeover shared x\n"
     "40 held b/1/1\n"},
    {"held by those who would share", SERVER_UNTRUE_NO, "5 6",
     HELD "22 lower a/1/1 x\n"
          "25 lowered a/1/1 x\n"
          "30 ask b/1/1 takeover shared x\n"
          "40 held b/1/1\n"},
    {"held by itself", SERVER_UNTRUE_NO, "3 4",
     HELD "30 ask a/1/2 takeover exclusive x\n"
          "40 held a/1/2\n"},
    {"held by a session that is gone", SERVER_UNTRUE_NO, "4 5",
     ASKED "20 granted a/1/1 5 15\n"
           "30 gone a\n"
           "31 ask b/1/1 takeover exclusive x\n"
           "40 held b/1/1\n"},
};

TEST(what_cannot_be_breaks_one_promise)
{
    for (size_t i = 0; i < sizeof(impossible) / sizeof(impossible[0]); i++)
        expect_broken(&impossible[i]);
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

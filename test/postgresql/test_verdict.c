#include "postgresql/verdict.h"

#include <stdio.h>
#include <string.h>

#include "support/test.h"

/* What became of a transaction, for each thing that a server can answer. */

/* Shorthands for what was queued, and for how far the answer came. */
#define COMMITTED .commit_queued = true, .ours = true, .tag = HF_PG_TAG_COMMIT
#define ROLLED    .commit_queued = true, .ours = true, .tag = HF_PG_TAG_ROLLBACK
#define SENT      .commit_queued = true, .ours = true

static const struct row {
    const char *what;
    struct hf_pg_report report;
    enum hf_verdict verdict;
} rows[] = {
    {"nothing was sent", {.ready = false}, HF_UNAVAILABLE},
    {"the connection ended before COMMIT was queued",
     {.error = "08006"},
     HF_UNAVAILABLE},

    {"COMMIT, and the server is ready", {COMMITTED, .ready = true}, HF_APPLIED},
    {"COMMIT, and the connection ended before it was ready",
     {COMMITTED},
     HF_UNKNOWN},
    {"COMMIT, but not at the standby",
     {COMMITTED, .ready = true, .warned = true},
     HF_UNKNOWN},
    {"COMMIT was answered by ROLLBACK",
     {ROLLED, .ready = true},
     HF_UNAVAILABLE},
    {"ROLLBACK, and the connection ended", {ROLLED}, HF_UNKNOWN},
    {"no answer at all", {.commit_queued = true}, HF_UNKNOWN},
    {"no answer but to the first statements", {SENT}, HF_UNKNOWN},
    {"an answer to another client",
     {.commit_queued = true, .ready = true, .tag = HF_PG_TAG_COMMIT},
     HF_UNKNOWN},
    {"an error of another client's",
     {.commit_queued = true, .ready = true, .error = "40001"},
     HF_UNKNOWN},
    {"ready, and COMMIT was not answered", {SENT, .ready = true}, HF_UNKNOWN},

    /* A cancel that came while COMMIT was on its way to the disk is raised
     * behind it, where statements are logged by their duration. */
    {"cancelled behind COMMIT",
     {COMMITTED, .ready = true, .error = "57014"},
     HF_UNKNOWN},
    {"an error behind COMMIT, and the end",
     {COMMITTED, .error = "53200"},
     HF_UNKNOWN},
    {"an error behind ROLLBACK",
     {ROLLED, .ready = true, .error = "57014"},
     HF_UNAVAILABLE},

    /* The server's own error: it has undone all, also if its last words are
     * lost. */
    {"a conflict", {SENT, .ready = true, .error = "40001"}, HF_UNAVAILABLE},
    {"a deadlock", {SENT, .error = "40P01"}, HF_UNAVAILABLE},
    {"a full disk", {SENT, .error = "53100"}, HF_UNAVAILABLE},
    {"a lock", {SENT, .error = "55P03"}, HF_UNAVAILABLE},
    {"cancelled", {SENT, .error = "57014"}, HF_UNAVAILABLE},
    {"starting up", {SENT, .error = "57P03"}, HF_UNAVAILABLE},
    {"read only", {SENT, .error = "25006"}, HF_UNAVAILABLE},
    {"no right", {SENT, .error = "42501"}, HF_UNAVAILABLE},
    {"no table", {SENT, .error = "42P01"}, HF_UNAVAILABLE},
    {"its clock is wrong", {SENT, .error = "HF001"}, HF_UNAVAILABLE},

    /* Any other is believed when the server is ready again. */
    {"no function", {SENT, .ready = true, .error = "42883"}, HF_UNAVAILABLE},
    {"no function, and the end", {SENT, .error = "42883"}, HF_UNKNOWN},

    /* Words about a connection say nothing of the transaction. */
    {"shut down", {SENT, .error = "57P01"}, HF_UNKNOWN},
    {"crashed", {SENT, .error = "57P02"}, HF_UNKNOWN},
    {"shut down, and ready, as a pooler has it",
     {SENT, .ready = true, .error = "57P01"},
     HF_UNKNOWN},
    {"a pooler has lost the server",
     {SENT, .ready = true, .error = "08P01"},
     HF_UNKNOWN},
};

TEST(each_answer_of_a_server_has_its_verdict)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        enum hf_verdict verdict = hf_pg_verdict(&rows[i].report);

        if (verdict != rows[i].verdict)
            fail_msg("%s: %s", rows[i].what, hf_verdict_word(verdict));
    }
}

/* Nothing that came with COMMIT's tag is said to be undone. */
TEST(what_may_be_committed_is_never_said_to_be_undone)
{
    static const char *const errors[] = {"",      "40001", "53100", "55P03",
                                         "57014", "57P01", "25006", "42883"};

    for (int bits = 0; bits < 8; bits++) {
        for (size_t e = 0; e < sizeof(errors) / sizeof(errors[0]); e++) {
            struct hf_pg_report report = {
                .commit_queued = true,
                .ready = (bits & 1) != 0,
                .warned = (bits & 2) != 0,
                .ours = (bits & 4) != 0,
                .tag = HF_PG_TAG_COMMIT,
            };

            snprintf(report.error, sizeof(report.error), "%s", errors[e]);
            assert_int_not_equal(hf_pg_verdict(&report), HF_UNAVAILABLE);
        }
    }
}

/* The other way round: whatever else came, nothing is applied without the
 * call's number, COMMIT's tag, a server that is ready, no error, no warning. */
TEST(applied_is_said_of_one_answer_alone)
{
    static const char *const errors[] = {"", "40001", "57P01", "XX000"};
    int applied = 0;

    for (int bits = 0; bits < 16; bits++) {
        for (int tag = 0; tag <= HF_PG_TAG_ROLLBACK; tag++) {
            for (int e = 0; e < 4; e++) {
                struct hf_pg_report report = {
                    .commit_queued = (bits & 1) != 0,
                    .ready = (bits & 2) != 0,
                    .warned = (bits & 4) != 0,
                    .ours = (bits & 8) != 0,
                    .tag = (enum hf_pg_tag)tag,
                };

                snprintf(report.error, sizeof(report.error), "%s", errors[e]);
                applied += hf_pg_verdict(&report) == HF_APPLIED;
            }
        }
    }
    assert_int_equal(applied, 1);
}

TEST(conflicts_are_tried_again_and_nothing_else)
{
    assert_true(hf_pg_verdict_again(&(struct hf_pg_report){.error = "40001"}));
    assert_true(hf_pg_verdict_again(&(struct hf_pg_report){.error = "40P01"}));
    assert_false(hf_pg_verdict_again(&(struct hf_pg_report){.error = "55P03"}));
    assert_false(hf_pg_verdict_again(&(struct hf_pg_report){.ready = true}));
}

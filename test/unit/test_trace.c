#include "support/test.h"

#include <string.h>

#include "core/trace.h"
#include "unit/support/events.h"

static void
expect_event(struct hf_event event, const char *expected)
{
    char line[HF_TRACE_MAX];

    assert_int_equal(hf_trace_event(&event, line, sizeof(line)),
                     strlen(expected));
    assert_string_equal(line, expected);
}

static void
expect_effect(const struct hf_effect *effect, const char *expected)
{
    char line[HF_TRACE_MAX];

    assert_int_equal(hf_trace_effect(T(120), effect, line, sizeof(line)),
                     strlen(expected));
    assert_string_equal(line, expected);
}

TEST(events_without_detail_are_their_name)
{
    expect_event(hf_event(HF_ON_ACQUIRE, T(0)), "0 acquire");
    expect_event(hf_event(HF_ON_EXAMINE, T(1)), "1 examine");
    expect_event(hf_event(HF_ON_HINT, T(2)), "2 hint");
    expect_event(hf_event(HF_ON_WRITE, T(2)), "2 write");
    expect_event(hf_event(HF_ON_CLOCK, T(-3)), "-3 clock");
    expect_event(hf_event(HF_ON_RELEASE, T(4)), "4 release");
    expect_event(hf_event(HF_ON_CANCEL, T(5)), "5 cancel");
    expect_event(hf_event(HF_ON_ABANDON, T(6)), "6 abandon");
}

TEST(events_with_detail_show_all_of_it)
{
    struct hf_sight sight = {
        .kind = HF_SIGHT_LOCK,
        .version = 7,
        .token = 6,
        .heartbeat = {5, 1},
        .terms = {HF_REFUSE, {1000}, {200}},
    };

    expect_event(hf_claim(T(1), (struct hf_claim){5, 7, 0}), "1 claim 5 v7");
    expect_event(hf_claim(T(1), (struct hf_claim){5, 7, 6}),
                 "1 claim 5 v7 over 6");
    expect_event(applied(2, 1, 8), "2 answer #1 applied v8");
    expect_event(refused(2, 1), "2 answer #1 refused");
    expect_event(unknown(2, 1), "2 answer #1 unknown");
    expect_event(unavailable(2, 1), "2 answer #1 unavailable");
    expect_event(hf_found(T(120), 3, sight),
                 "120 found #3 lock v7 5_1 token 6 refuse ttl 1000");
    expect_event(found_absent(3, 4, 9), "3 found #4 absent v9");
    expect_event(found_corrupt(3, 4, 9), "3 found #4 corrupt v9 token 9");
    expect_event(found_nothing(3, 4), "3 found #4 failed");
    expect_event(hf_processes(T(4), 7, true), "4 evidence v7 gone");
    expect_event(hf_processes(T(4), 7, false), "4 evidence v7 running");
}

TEST(questions_show_every_operation)
{
    struct hf_effect effect = {
        .kind = HF_DO_ASK,
        .request = {.number = 4, .read = true},
    };

    expect_effect(&effect, "120 ask #4 read");

    effect.request.read = false;
    effect.request.ops_count = 1;
    effect.request.ops[0] = (struct hf_op){
        .kind = HF_PUT,
        .expect = {HF_EXPECT_VERSION, 5},
        .heartbeat = {5, 2},
    };
    expect_effect(&effect, "120 ask #4 put lock v5 5_2");

    effect.request.ops_count = 2;
    effect.request.ops[0].new_generation = true;
    effect.request.ops[1] = (struct hf_op){
        .kind = HF_PUT,
        .target = HF_TARGET_MARKER,
        .expect = {HF_EXPECT_ABSENT, 0},
        .new_generation = true,
        .subject = 3,
    };
    expect_effect(&effect,
                  "120 ask #4 put lock v5 5_2 new, put marker 3 absent new");

    effect.request.ops[0].kind = HF_DELETE;
    effect.request.ops[0].new_generation = false;
    effect.request.ops[1].kind = HF_ERASE;
    effect.request.ops[1].new_generation = false;
    effect.request.ops[1].expect.kind = HF_EXPECT_ANYTHING;
    expect_effect(&effect, "120 ask #4 delete lock v5, erase marker 3 any");

    effect.request.ops[1].target = HF_TARGET_AUDIT;
    expect_effect(&effect, "120 ask #4 delete lock v5, erase audit 3 any");
}

TEST(everything_told_has_words_of_its_own)
{
    static const char *const words[] = {
        "waiting", "suspected", "granted", "in doubt", "certain",
        "lost",    "not mine",  "settled", "ended",
    };
    char line[HF_TRACE_MAX];

    for (int told = HF_NOTICE_WAITING; told <= HF_NOTICE_ENDED; told++) {
        struct hf_effect effect = {.kind = HF_DO_NOTIFY,
                                   .notice = (enum hf_notice_kind)told};

        hf_trace_effect(T(9), &effect, line, sizeof(line));
        assert_string_equal(line + 2, words[told]);
    }
}

TEST(the_longest_line_fits_and_a_short_buffer_cuts_it)
{
    struct hf_op op = {
        .kind = HF_DELETE,
        .target = HF_TARGET_MARKER,
        .expect = {HF_EXPECT_VERSION, UINT64_MAX},
        .new_generation = true,
        .subject = UINT64_MAX,
    };
    struct hf_effect effect = {
        .kind = HF_DO_ASK,
        .request = {.number = UINT64_MAX, .ops_count = 2, .ops = {op, op}},
    };
    char line[HF_TRACE_MAX];
    char little[8] = "???????";
    size_t len;

    effect.request.ops[0].kind = HF_PUT;
    effect.request.ops[0].target = HF_TARGET_LOCK;
    effect.request.ops[0].heartbeat =
        (struct hf_heartbeat){UINT64_MAX, UINT64_MAX};
    len = hf_trace_effect(T(INT64_MIN), &effect, line, sizeof(line));
    assert_true(len < sizeof(line));
    assert_int_equal(strlen(line), len);

    assert_int_equal(
        hf_trace_effect(T(INT64_MIN), &effect, little, sizeof(little)), len);
    assert_string_equal(little, "-922337");
}

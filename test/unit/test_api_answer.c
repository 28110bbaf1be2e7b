#include "support/test.h"

#include <jansson.h>
#include <string.h>

#include "wire/api_answer.h"
#include "wire/api_body.h"

/* Answers, as a JSON reader that is not ours finds them. */

static char text[8192];

static json_t *
parse(const struct hf_text *body)
{
    json_t *root;

    assert_false(hf_text_cut(body));
    root = json_loads(body->at, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(root);
    return root;
}

static json_t *
answered(const struct hf_answer *answer, const struct hf_api_case *about,
         int status)
{
    struct hf_text body;

    hf_text_init(&body, text, sizeof(text));
    assert_int_equal(hf_api_answer(answer, about, &body), status);
    return parse(&body);
}

static void
expect_text(json_t *root, const char *member, const char *value)
{
    assert_string_equal(json_string_value(json_object_get(root, member)),
                        value);
}

static void
expect_number(json_t *root, const char *member, json_int_t value)
{
    assert_true(json_is_integer(json_object_get(root, member)));
    assert_true(json_integer_value(json_object_get(root, member)) == value);
}

/* ---- Tests --------------------------------------------------------------- */

TEST(a_grant_is_told_with_its_fence_twice)
{
    const struct hf_answer answer = {.kind = HF_ANSWER_GRANTED,
                                     .fence = 1763850690123456};
    const struct hf_api_case about = {
        .session = 7, .term = 1763850690000000, .lane = 3, .n = 4};
    json_t *root = answered(&answer, &about, 200);

    assert_true(json_is_true(json_object_get(root, "granted")));
    expect_number(root, "fence", 1763850690123456);
    expect_text(root, "fence_text", "1763850690123456");
    expect_text(root, "session", "0000000000000007");
    expect_number(root, "term", 1763850690000000);
    expect_number(root, "lane", 3);
    expect_number(root, "n", 4);
    assert_null(json_object_get(root, "secret"));
    json_decref(root);
}

TEST(who_opened_a_session_is_told_its_secret_whatever_the_answer)
{
    static const enum hf_answer_kind kinds[] = {
        HF_ANSWER_OPENED, HF_ANSWER_GRANTED, HF_ANSWER_BLOCKING_TIMEOUT,
        HF_ANSWER_LATER};
    static const int statuses[] = {201, 200, 409, 503};
    struct hf_secret secret;
    const struct hf_api_case about = {.session = 7,
                                      .term = 9,
                                      .ttl = {30000},
                                      .blocking = {29100},
                                      .secret = &secret};

    memset(secret.bytes, 0xab, sizeof(secret.bytes));
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        const struct hf_answer answer = {.kind = kinds[i], .fence = 1};
        json_t *root = answered(&answer, &about, statuses[i]);

        expect_text(root, "session", "0000000000000007");
        expect_text(root, "secret", "abababababababababababababababab");
        expect_number(root, "ttl_ms", 30000);
        expect_number(root, "blocking_ms", 29100);
        json_decref(root);
    }
}

/* All that can be answered, and what it must be told by. */
static const struct {
    struct hf_answer answer;
    int status;
    const char *type;
} problems[] = {
    {{.kind = HF_ANSWER_GONE}, 410, "urn:holdfast:no-such-session"},
    {{.kind = HF_ANSWER_DENIED}, 403, "urn:holdfast:denied"},
    {{.kind = HF_ANSWER_TERM}, 409, "urn:holdfast:other-term"},
    {{.kind = HF_ANSWER_BLOCKING_TIMEOUT, .blocked = {.remaining = {1}}},
     503,
     "urn:holdfast:blocking-timeout"},
    {{.kind = HF_ANSWER_BLOCKING_TIMEOUT}, 409, "urn:holdfast:timed-out"},
    {{.kind = HF_ANSWER_SUPERSEDED}, 409, "urn:holdfast:superseded"},
    {{.kind = HF_ANSWER_LATER}, 503, "urn:holdfast:later"},
    {{.kind = HF_ANSWER_LATER, .cause = HF_LATER_FORGOTTEN},
     503,
     "urn:holdfast:later"},
    {{.kind = HF_ANSWER_LATER, .cause = HF_LATER_LEADER},
     503,
     "urn:holdfast:later"},
    {{.kind = HF_ANSWER_LATER, .cause = HF_LATER_PLACE},
     503,
     "urn:holdfast:later"},
    {{.kind = HF_ANSWER_BUSY}, 409, "urn:holdfast:lane-busy"},
    {{.kind = HF_ANSWER_LIMIT}, 429, "urn:holdfast:limit"},
    {{.kind = HF_ANSWER_NOT_HELD}, 409, "urn:holdfast:not-held"},
    {{.kind = HF_ANSWER_NOT_SUSPECTED}, 409, "urn:holdfast:not-suspected"},
    {{.kind = HF_ANSWER_NOT_LEADING}, 503, "urn:holdfast:not-leading"},
    {{.kind = HF_ANSWER_OVER, .over = HF_OVER_NEVER_ASKED},
     409,
     "urn:holdfast:over"},
    {{.kind = HF_ANSWER_OVER, .over = HF_OVER_RELEASED},
     409,
     "urn:holdfast:released"},
    {{.kind = HF_ANSWER_OVER, .over = HF_OVER_HELD}, 409, "urn:holdfast:held"},
    {{.kind = HF_ANSWER_OVER, .over = HF_OVER_ALREADY_HELD},
     409,
     "urn:holdfast:already-held"},
    {{.kind = HF_ANSWER_OVER, .over = HF_OVER_DEADLOCK},
     409,
     "urn:holdfast:deadlock"},
    {{.kind = HF_ANSWER_OVER, .over = HF_OVER_LIMIT},
     429,
     "urn:holdfast:limit"},
    {{.kind = HF_ANSWER_OVER, .over = HF_OVER_INVALID},
     400,
     "urn:holdfast:bad-request"},
    {{.kind = HF_ANSWER_OVER, .over = HF_OVER_CLEARED},
     409,
     "urn:holdfast:cleared"},
    {{.kind = HF_ANSWER_OVER, .over = HF_OVER_FORGOTTEN},
     409,
     "urn:holdfast:forgotten"},
};

TEST(every_refusal_is_a_problem_with_a_type_and_an_exception_class)
{
    const struct hf_api_case about = {.term = 9};

    for (size_t i = 0; i < sizeof(problems) / sizeof(problems[0]); i++) {
        json_t *root =
            answered(&problems[i].answer, &about, problems[i].status);

        expect_text(root, "type", problems[i].type);
        expect_number(root, "status", problems[i].status);
        assert_true(json_is_string(json_object_get(root, "title")));
        assert_true(json_is_string(json_object_get(root, "message")));
        assert_true(json_is_string(json_object_get(root, "exceptionClass")));
        json_decref(root);
    }
}

TEST(a_blocking_timeout_says_where_one_stands_and_what_it_was_called)
{
    struct hf_answer answer = {.kind = HF_ANSWER_BLOCKING_TIMEOUT};
    const struct hf_api_case about = {.term = 9};
    json_t *root;

    answer.blocked.position = 3;
    answer.blocked.remaining.ms = 15000;
    root = answered(&answer, &about, 503);
    expect_text(root, "exceptionClass",
                "com.palantir.lock.remoting.BlockingTimeoutException");
    expect_number(root, "position", 3);
    expect_number(root, "remaining_ms", 15000);
    json_decref(root);

    answer.blocked.remaining = HF_FOREVER;
    root = answered(&answer, &about, 503);
    assert_null(json_object_get(root, "remaining_ms"));
    json_decref(root);

    answer.blocked.remaining.ms = 0;
    answer.blocked.park.ms = 20000;
    root = answered(&answer, &about, 503);
    expect_number(root, "position", 3);
    expect_number(root, "park_ms", 20000);
    assert_null(json_object_get(root, "remaining_ms"));
    json_decref(root);

    answer.blocked.park.ms = 0;
    root = answered(&answer, &about, 409);
    assert_null(json_object_get(root, "position"));
    assert_null(json_object_get(root, "over"));
    json_decref(root);
}

TEST(a_clear_that_spares_says_for_how_long_it_was_silent)
{
    const struct hf_answer answer = {
        .kind = HF_ANSWER_NOT_SUSPECTED,
        .suspected = {.silent = {1200}, .rest = {800}},
    };
    const struct hf_api_case about = {.more = ",\"holder\":{}"};
    json_t *root = answered(&answer, &about, 409);

    expect_number(root, "silent_ms", 1200);
    expect_number(root, "suspected_in_ms", 800);
    assert_true(json_is_object(json_object_get(root, "holder")));
    json_decref(root);
}

TEST(who_does_not_lead_names_who_does)
{
    const struct hf_answer answer = {.kind = HF_ANSWER_NOT_LEADING};
    struct hf_api_case about = {.leader = "db1:7420"};
    json_t *root = answered(&answer, &about, 503);

    expect_text(root, "exceptionClass",
                "com.palantir.leader.NotCurrentLeaderException");
    expect_text(root, "leader", "db1:7420");
    json_decref(root);
    about.leader = "";
    root = answered(&answer, &about, 503);
    assert_null(json_object_get(root, "leader"));
    json_decref(root);
}

TEST(what_was_cleared_or_is_missing_is_listed)
{
    static const uint64_t fences[] = {101, 1763850690123456};
    const struct hf_api_case about = {
        .term = 9, .session = 7, .fences = fences, .fences_count = 2};
    struct hf_answer answer = {.kind = HF_ANSWER_ALIVE};
    json_t *root;

    answer.alive.ttl.ms = 30000;
    root = answered(&answer, &about, 200);
    assert_int_equal(json_array_size(json_object_get(root, "cleared")), 2);
    assert_string_equal(json_string_value(json_array_get(
                            json_object_get(root, "cleared_text"), 1)),
                        "1763850690123456");
    json_decref(root);
    answer = (struct hf_answer){.kind = HF_ANSWER_PAGE};
    root = answered(&answer, &about, 200);
    assert_int_equal(json_array_size(json_object_get(root, "missing")), 2);
    json_decref(root);
}

TEST(what_a_session_has_is_listed_or_summed)
{
    static const uint64_t held[] = {101, 102, 103, 104, 105, 106, 107, 108};
    const struct hf_api_case about = {.session = 7, .held = held};
    struct hf_answer answer = {.kind = HF_ANSWER_ALIVE};
    json_t *root;

    answer.alive.held = (struct hf_fence_sum){8, {1, UINT64_MAX}};
    root = answered(&answer, &about, 200);
    assert_int_equal(json_integer_value(json_object_get(root, "grants")), 8);
    assert_int_equal(json_array_size(json_object_get(root, "fences")), 8);
    assert_string_equal(json_string_value(json_array_get(
                            json_object_get(root, "fences_text"), 7)),
                        "108");
    assert_null(json_object_get(root, "sums"));
    json_decref(root);
    answer.alive.held.count = 9;
    root = answered(&answer, &about, 200);
    assert_int_equal(json_integer_value(json_object_get(root, "grants")), 9);
    assert_null(json_object_get(root, "fences"));
    assert_string_equal(
        json_string_value(json_array_get(json_object_get(root, "sums"), 1)),
        "ffffffffffffffff");
    json_decref(root);
}

TEST(more_may_go_with_it)
{
    const struct hf_answer answer = {.kind = HF_ANSWER_OVER,
                                     .over = HF_OVER_HELD};
    const struct hf_api_case about = {.more = ",\"holders\":[]"};
    json_t *root = answered(&answer, &about, 409);

    assert_true(json_is_array(json_object_get(root, "holders")));
    json_decref(root);
}

TEST(a_problem_of_the_servers_own_tells_what_was_wrong)
{
    struct hf_text body;
    json_t *root;

    hf_text_init(&body, text, sizeof(text));
    assert_int_equal(hf_api_problem(HF_API_BAD_REQUEST,
                                    "\"lane\" is given twice", NULL, &body),
                     400);
    root = parse(&body);
    expect_text(root, "type", "urn:holdfast:bad-request");
    expect_text(root, "detail", "\"lane\" is given twice");
    expect_text(root, "message", "\"lane\" is given twice");
    json_decref(root);
}

/* What is told in an answer can be sent back in a body. */
TEST(a_session_comes_back_as_it_was_told)
{
    static const struct hf_api_form any = {"a request", ~0U};
    static const struct hf_bytes others = {
        "opened,ttl_ms,left_ms,blocking_ms,service", 41};
    static struct hf_api_body body;
    struct hf_secret secret;
    const struct hf_answer answer = {.kind = HF_ANSWER_OPENED};
    const struct hf_api_case about = {.session = UINT64_C(0xf3ab91c07d5e24),
                                      .term = 1763850690000000,
                                      .ttl = {30000},
                                      .secret = &secret};
    json_t *root;
    struct hf_error why;

    memset(secret.bytes, 0x3c, sizeof(secret.bytes));
    root = answered(&answer, &about, 201);
    json_decref(root);
    assert_int_equal(hf_api_body_read(&any,
                                      (struct hf_bytes){text, strlen(text)},
                                      others, &body, &why),
                     HF_OK);
    assert_true(body.session == about.session);
    assert_true(body.term == about.term);
    assert_memory_equal(body.secret.bytes, secret.bytes, sizeof(secret.bytes));
}

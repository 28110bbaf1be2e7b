#include "support/test.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "wire/api_answer.h"
#include "wire/api_ask.h"
#include "wire/api_body.h"
#include "wire/api_reply.h"
#include "wire/json.h"

/* The client's side of the API: what it asks is read as it was meant, and what
 * is answered likewise. */

static char text[64 * 1024];

static const struct hf_api_form any = {"a request", ~0U};

/* ---- Answers ------------------------------------------------------------- */

static const uint64_t fences[] = {1763850690123456, 7};

static const struct hf_secret secret = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 255}};

static const struct hf_api_case about = {
    .session = 0x00f3ab91c07d5e24,
    .term = 1763850690000000,
    .lane = 3,
    .n = 4,
    .ttl = {30000},
    .blocking = {29100},
    .service = 0xa1b2,
    .fences = fences,
    .fences_count = 2,
    .held = fences,
    .leader = "db2:7420",
    .more = ",\"holders\":[{\"who\":\"a,}]\\\"b\"}]",
};

static enum hf_status
pass(const struct hf_answer *answer, bool opened, struct hf_api_reply *reply)
{
    struct hf_api_case own = about;
    struct hf_text body;
    int status;

    own.secret = opened ? &secret : NULL;
    hf_text_init(&body, text, sizeof(text));
    status = hf_api_answer(answer, &own, &body);
    assert_false(hf_text_cut(&body));
    return hf_api_reply_read(status, (struct hf_bytes){text, body.len}, reply,
                             NULL);
}

TEST(every_answer_is_read_as_it_was_written)
{
    for (int kind = HF_ANSWER_OPENED; kind <= HF_ANSWER_NOT_LEADING; kind++) {
        struct hf_answer answer = {.kind = (enum hf_answer_kind)kind};
        struct hf_api_reply reply;

        if (kind == HF_ANSWER_OVER)
            continue;
        assert_int_equal(hf_api_over_word(HF_OVER_FREE) == NULL, true);
        answer.fence = kind == HF_ANSWER_GRANTED ? fences[0] : 0;
        assert_int_equal(pass(&answer, kind == HF_ANSWER_OPENED, &reply),
                         HF_OK);
        assert_int_equal(reply.answer.kind, kind);
    }
}

TEST(every_end_of_a_request_is_read_as_it_was_written)
{
    for (int over = HF_OVER_NEVER_ASKED; over <= HF_OVER_FORGOTTEN; over++) {
        const struct hf_answer answer = {.kind = HF_ANSWER_OVER,
                                         .over = (enum hf_over)over};
        struct hf_api_reply reply;

        assert_int_equal(pass(&answer, false, &reply), HF_OK);
        assert_int_equal(reply.answer.kind, HF_ANSWER_OVER);
        assert_int_equal(reply.answer.over, over);
    }
}

TEST(what_an_answer_carries_is_read)
{
    struct hf_api_reply reply;

    assert_int_equal(
        pass(&(struct hf_answer){.kind = HF_ANSWER_OPENED}, true, &reply),
        HF_OK);
    assert_true(reply.answer.alive.session == about.session);
    assert_true(reply.term == about.term);
    assert_memory_equal(&reply.secret, &secret, sizeof(secret));
    assert_int_equal(reply.answer.alive.ttl.ms, 30000);
    assert_int_equal(reply.blocking.ms, 29100);
    assert_true(reply.service == about.service);

    assert_int_equal(
        pass(&(struct hf_answer){.kind = HF_ANSWER_ALIVE,
                                 .alive = {.ttl = {500}, .held = {.count = 2}}},
             false, &reply),
        HF_OK);
    assert_int_equal(reply.answer.alive.ttl.ms, 500);
    assert_int_equal(reply.answer.alive.held.count, 2);
    assert_true(reply.lists_held);
    assert_int_equal(reply.held_count, 2);
    assert_memory_equal(reply.held, fences, sizeof(fences));

    assert_int_equal(
        pass(&(struct hf_answer){.kind = HF_ANSWER_ALIVE,
                                 .alive = {.held = {9, {1, UINT64_MAX}}}},
             false, &reply),
        HF_OK);
    assert_int_equal(reply.answer.alive.held.count, 9);
    assert_int_equal(reply.answer.alive.held.sums[0], 1);
    assert_true(reply.answer.alive.held.sums[1] == UINT64_MAX);
    assert_false(reply.lists_held);
    assert_int_equal(reply.fences_count, 2);
    assert_memory_equal(reply.fences, fences, sizeof(fences));

    assert_int_equal(
        pass(&(struct hf_answer){.kind = HF_ANSWER_GRANTED, .fence = fences[0]},
             false, &reply),
        HF_OK);
    assert_true(reply.answer.fence == fences[0]);

    assert_int_equal(
        pass(&(struct hf_answer){.kind = HF_ANSWER_TERM, .pause_us = 1500},
             false, &reply),
        HF_OK);
    assert_true(reply.term == about.term);
    assert_int_equal(reply.answer.pause_us, 1500);

    assert_int_equal(
        pass(&(struct hf_answer){.kind = HF_ANSWER_BLOCKING_TIMEOUT,
                                 .blocked = {.position = 9, .remaining = {12}}},
             false, &reply),
        HF_OK);
    assert_int_equal(reply.answer.blocked.position, 9);
    assert_int_equal(reply.answer.blocked.remaining.ms, 12);

    assert_int_equal(
        pass(&(struct hf_answer){.kind = HF_ANSWER_BLOCKING_TIMEOUT}, false,
             &reply),
        HF_OK);
    assert_int_equal(reply.answer.kind, HF_ANSWER_BLOCKING_TIMEOUT);
    assert_int_equal(reply.answer.blocked.remaining.ms, 0);

    for (unsigned cause = 0; cause <= HF_LATER_PLACE; cause++) {
        assert_int_equal(
            pass(&(struct hf_answer){.kind = HF_ANSWER_LATER,
                                     .grace = {77},
                                     .cause = (enum hf_later)cause},
                 false, &reply),
            HF_OK);
        assert_int_equal(reply.answer.grace.ms, 77);
        assert_int_equal(reply.answer.cause, cause);
    }

    assert_int_equal(
        pass(&(struct hf_answer){.kind = HF_ANSWER_NOT_LEADING}, false, &reply),
        HF_OK);
    assert_string_equal(reply.leader, "db2:7420");
}

#define GRANTED(fence, fence_text, n)                                          \
    "{\"granted\":true,\"fence\":" fence ",\"fence_text\":\"" fence_text       \
    "\",\"session\":\"00f3ab91c07d5e24\",\"lane\":3,\"n\":" n ",\"term\":1"

TEST(a_grant_says_whose_and_which_request_it_is)
{
    static const char body[] = GRANTED("12", "12", "4") "}";
    struct hf_api_reply reply;

    assert_int_equal(
        hf_api_reply_read(200, (struct hf_bytes){body, sizeof(body) - 1},
                          &reply, NULL),
        HF_OK);
    assert_true(reply.session == 0x00f3ab91c07d5e24);
    assert_int_equal(reply.lane, 3);
    assert_int_equal(reply.n, 4);
    assert_int_equal(reply.term, 1);
}

/* A proxy between, a server of another kind, an answer that is cut. */
TEST(what_answers_nothing_is_refused_with_what_it_says)
{
    static const struct {
        int status;
        const char *body;
        const char *says;
    } others[] = {
        {200, "", "status 200"},
        {200, "<html>", "status 200"},
        {200, "{\"granted\":true}", "status 200"},
        {200, GRANTED("0", "0", "4") "}", "status 200"},
        {200, GRANTED("12", "13", "4") "}", "status 200"},
        {200, GRANTED("12", "12", "null") "}", "status 200"},
        {200, "{\"alive\":true,\"session\":\"x\"}", "status 200"},
        {200,
         "{\"alive\":true,\"session\":\"00f3ab91c07d5e24\",\"term\":1,"
         "\"ttl_ms\":1,\"grants\":2,\"fences\":[1],\"cleared\":[]}",
         "status 200"},
        {502, "{\"message\":\"bad gateway\"}", "bad gateway (status 502)"},
        {504, "<html>", "something between had no answer"},
        {503, "{\"type\":\"urn:holdfast:no-memory\",\"message\":\"m\"}", "m"},
        {409, "{\"type\":\"urn:holdfast:other-term\"}", "status 409"},
        {409, "{\"type\":\"urn:holdfast:held\"}", "status 409"},
        {409, "{\"over\":true,\"type\":\"urn:holdfast:none\"}", "status 409"},
        {200, "{\"released\":true", "status 200"},
        {200, "{\"released\":true}}", "status 200"},
        {200, GRANTED("12", "12", "4"), "status 200"},
        {200, GRANTED("9223372036854775808", "9223372036854775808", "4") "}",
         "status 200"},
        {200, "{\"page\":true}", "status 200"},
        {200, "{\"page\":true,\"missing\":null}", "status 200"},
        {200, "{\"page\":true,\"missing\":{}}", "status 200"},
        {200, "{\"page\":true,\"missing\":7}", "status 200"},
        {200, "{\"page\":true,\"missing\":\"x\"}", "status 200"},
        {200, "{\"page\":true,\"missing\":[,20]}", "status 200"},
        {200, "{\"page\":true,\"missing\":[10,,20]}", "status 200"},
        {200, "{\"page\":true,\"missing\":[10,2", "status 200"},
        {400, "{\"message\":\"a proxy says so\"}", "a proxy"},
        {404, "{\"type\":\"urn:holdfast:not-found\",\"message\":\"m\"}", "m"},
    };

    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        struct hf_api_reply reply;
        struct hf_error error = {HF_OK, ""};
        const struct hf_bytes body = {others[i].body, strlen(others[i].body)};

        assert_int_equal(
            hf_api_reply_read(others[i].status, body, &reply, &error),
            HF_E_CORRUPT);
        assert_non_null(strstr(error.text, others[i].says));
    }
}

/* No other node will say otherwise. */
TEST(what_is_refused_as_it_was_asked_is_over)
{
    static const struct {
        int status;
        const char *body;
    } refused[] = {
        {400, "{\"type\":\"urn:holdfast:bad-request\",\"message\":\"m\"}"},
        {413, "{\"type\":\"urn:holdfast:too-large\",\"message\":\"m\"}"},
    };

    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        const struct hf_bytes body = {refused[i].body, strlen(refused[i].body)};
        struct hf_api_reply reply;

        assert_int_equal(
            hf_api_reply_read(refused[i].status, body, &reply, NULL), HF_OK);
        assert_int_equal(reply.answer.kind, HF_ANSWER_OVER);
        assert_int_equal(reply.answer.over, HF_OVER_INVALID);
    }
}

/* ---- Requests ------------------------------------------------------------ */

static const struct hf_want wants[] = {
    {{"ops", 3}, {"a b/\xc3\xa9?", 7}, HF_EXCLUSIVE},
    {{"ops", 3}, {"\"b\"", 3}, HF_SHARED},
};

static struct hf_session_send
message_of(enum hf_message_kind kind)
{
    return (struct hf_session_send){
        .message = {.kind = kind,
                    .session = about.session,
                    .term = about.term,
                    .lowest = 2,
                    .lane = 3,
                    .n = 4,
                    .a = 5},
    };
}

static const char *
ask(const struct hf_session_send *send, struct hf_text *path,
    struct hf_api_body *body)
{
    static char paths[HF_API_PATH_SIZE];
    const struct hf_api_ask asked = {
        .send = send,
        .wants = wants,
        .wants_count = 2,
        .note = "a \"note\"",
        .who = "ann@db1",
        .fences = fences,
        .fences_count = 2,
    };
    struct hf_text bytes;
    const char *method;

    hf_text_init(path, paths, sizeof(paths));
    hf_text_init(&bytes, text, sizeof(text));
    method = hf_api_ask(&asked, path, &bytes);
    assert_false(hf_text_cut(path) || hf_text_cut(&bytes));
    assert_int_equal(hf_api_body_read(&any, (struct hf_bytes){text, bytes.len},
                                      (struct hf_bytes){NULL, 0}, body, NULL),
                     HF_OK);
    return method;
}

static void
expect_request(const struct hf_api_body *body)
{
    assert_true(body->session == about.session);
    assert_true(body->term == about.term);
    assert_int_equal(body->lowest, 2);
    assert_int_equal(body->lane, 3);
    assert_int_equal(body->n, 4);
    assert_int_equal(body->a, 5);
}

TEST(an_acquire_is_read_as_it_was_meant)
{
    static const enum hf_wait_kind kinds[] = {HF_WAIT_TRY, HF_WAIT_LIMITED,
                                              HF_WAIT_FOREVER};
    static struct hf_api_body body;
    struct hf_text path;

    for (size_t i = 0; i < 3; i++) {
        struct hf_session_send send = message_of(HF_MESSAGE_ACQUIRE);

        send.message.acquire.wait = kinds[i];
        send.message.acquire.remaining.ms = 1234;
        send.message.acquire.waited.ms = 99;
        send.message.acquire.seen = 42;
        send.message.acquire.free = i == 1;
        assert_string_equal(ask(&send, &path, &body), "POST");
        assert_string_equal(path.at, "/v1/acquire");
        expect_request(&body);
        assert_int_equal(body.wait, kinds[i]);
        assert_int_equal(body.waited.ms, 99);
        assert_int_equal(body.seen, 42);
        assert_int_equal(body.free, i == 1);
        assert_true(i != 1 || body.remaining.ms == 1234);
        assert_int_equal(body.locks_count, 2);
        for (size_t k = 0; k < 2; k++) {
            assert_int_equal(body.locks[k].mode, wants[k].mode);
            assert_int_equal(body.locks[k].name.len, wants[k].name.len);
            assert_memory_equal(body.locks[k].name.at, wants[k].name.at,
                                wants[k].name.len);
        }
        assert_int_equal(body.note.len, 8);
    }
}

TEST(the_others_are_read_as_they_were_meant)
{
    static struct hf_api_body body;
    struct hf_session_send send = message_of(HF_MESSAGE_OPEN);
    struct hf_text path;

    send.message.open.ttl.ms = 60000;
    send.message.open.if_dead = HF_REFUSE;
    assert_string_equal(ask(&send, &path, &body), "POST");
    assert_string_equal(path.at, "/v1/sessions");
    assert_int_equal(body.ttl.ms, 60000);
    assert_int_equal(body.if_dead, HF_REFUSE);
    assert_memory_equal(body.who.at, "ann@db1", body.who.len);

    send = message_of(HF_MESSAGE_KEEP_ALIVE);
    assert_string_equal(ask(&send, &path, &body), "POST");
    assert_string_equal(path.at, "/v1/sessions/00f3ab91c07d5e24/keep-alive");

    send = message_of(HF_MESSAGE_PAGE);
    (void)ask(&send, &path, &body);
    assert_int_equal(body.fences_count, 2);
    assert_memory_equal(body.fences, fences, sizeof(fences));

    send = message_of(HF_MESSAGE_END);
    assert_string_equal(ask(&send, &path, &body), "DELETE");
    assert_string_equal(path.at, "/v1/sessions/00f3ab91c07d5e24");

    send = message_of(HF_MESSAGE_RELEASE);
    (void)ask(&send, &path, &body);
    expect_request(&body);

    send = message_of(HF_MESSAGE_CHANGE);
    (void)ask(&send, &path, &body);
    assert_string_equal(path.at,
                        "/v1/locks/a%20b%2F%C3%A9%3F/change?space=ops");
    expect_request(&body);
}

/* ---- Slices -------------------------------------------------------------- */

static struct hf_bytes
bytes_of(const char *string)
{
    return (struct hf_bytes){string, strlen(string)};
}

TEST(a_slice_is_found_whatever_stands_around_it)
{
    const struct hf_bytes object = bytes_of(
        " {\"a\" : [1, {\"b\":\"}]\\\"\"} ,\"x\"], \"b\":\t\"12\" ,\"c\":{}}");
    struct hf_bytes list = hf_json_member(object, "a");
    struct hf_bytes element;
    uint64_t number;
    size_t at = 0;

    assert_true(hf_json_next(list, &at, &element));
    assert_true(hf_json_number(element, &number) && number == 1);
    assert_true(hf_json_next(list, &at, &element));
    assert_int_equal(hf_json_member(element, "b").len, 6);
    assert_true(hf_json_next(list, &at, &element));
    assert_false(hf_json_next(list, &at, &element));
    assert_true(hf_json_number(hf_json_member(object, "b"), &number));
    assert_int_equal(number, 12);
    assert_int_equal(hf_json_member(object, "c").len, 2);
    assert_int_equal(hf_json_member(object, "d").len, 0);
}

/* Whatever it is: within the text, and to an end. */
TEST(what_is_no_json_has_slices_within_it)
{
    static const char *const texts[] = {
        "",          "{",           "{\"a",        "{\"a\"", "{\"a\":",
        "{\"a\":\"", "{\"a\":\"\\", "[",           "[[[",    "{\"a\":[1,2",
        "}",         "]",           "{\"a\":}",    "{,}",    "[,,]",
        "\"",        "{\"a\":]}",   "{\"a\":1 2}",
    };

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct hf_bytes whole = bytes_of(texts[i]);
        struct hf_bytes slice = hf_json_member(whole, "a");
        struct hf_bytes element;
        size_t at = 0;

        assert_true(slice.len <= whole.len);
        while (hf_json_next(whole, &at, &element))
            assert_true(element.len > 0 && at <= whole.len);
    }
}

TEST(numbers_are_numbers)
{
    uint64_t number = 5;

    assert_true(hf_json_number(bytes_of("18446744073709551615"), &number));
    assert_true(number == UINT64_MAX);
    assert_true(hf_json_number(bytes_of("\"0\""), &number));
    assert_int_equal(number, 0);
    assert_false(hf_json_number(bytes_of("18446744073709551616"), &number));
    assert_false(hf_json_number(bytes_of("-1"), &number));
    assert_false(hf_json_number(bytes_of("1.5"), &number));
    assert_false(hf_json_number(bytes_of("\"\""), &number));
    assert_false(hf_json_number(bytes_of(""), &number));
}

static bool
says(const char *info, uint64_t *service)
{
    struct hf_duration max_ttl;

    return hf_api_reply_service(bytes_of(info), service, &max_ttl) &&
           max_ttl.ms == 60000;
}

TEST(a_node_says_of_which_service_it_is)
{
    uint64_t service;

    assert_true(says("{\"state\":\"serving\",\"service\":\"00000000000000a1\","
                     "\"max_ttl_ms\":60000}",
                     &service));
    assert_true(service == 0xa1);
    assert_false(says("{\"service\":null,\"max_ttl_ms\":60000}", &service));
    assert_false(says("{\"service\":\"0000000000000000\","
                      "\"max_ttl_ms\":60000}",
                      &service));
    assert_false(says("{\"service\":\"00000000000000a1\"}", &service));
    assert_false(says("{\"service\":\"00000000000000a1\","
                      "\"max_ttl_ms\":60000",
                      &service));
    assert_false(says("<html>", &service));
}

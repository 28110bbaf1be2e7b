#include "support/test.h"

#include <stdio.h>
#include <string.h>

#include "wire/api_body.h"

static struct hf_api_body body;
static struct hf_error why;
static struct hf_api_form form = {"a request", ~0U};
static struct hf_bytes optional;

static enum hf_status
read_text(const char *text)
{
    return hf_api_body_read(&form, (struct hf_bytes){text, strlen(text)},
                            optional, &body, &why);
}

#define EXPECT_TAKEN(body_text) assert_int_equal(read_text(body_text), HF_OK)

#define EXPECT_REFUSED(body_text, sentence)                                    \
    do {                                                                       \
        assert_int_equal(read_text(body_text), HF_E_INVALID);                  \
        assert_string_equal(why.text, sentence);                               \
    } while (0)

static void
expect_bytes(struct hf_bytes bytes, const char *text)
{
    assert_int_equal(bytes.len, strlen(text));
    assert_memory_equal(bytes.at, text, bytes.len);
}

/* ---- Tests --------------------------------------------------------------- */

TEST(nothing_at_all_is_an_empty_object)
{
    EXPECT_TAKEN("");
    assert_int_equal(body.given, 0);
    EXPECT_TAKEN("{}");
    assert_int_equal(body.given, 0);
}

TEST(sessions_to_be_kept_alive_are_read)
{
    EXPECT_TAKEN("{\"sessions\":[{\"session\":\"00f3ab91c07d5e24\","
                 "\"secret\":\"000102030405060708090a0b0c0d0e0f\"},"
                 "{\"session\":\"0000000000000001\","
                 "\"secret\":\"000102030405060708090a0b0c0d0e0f\","
                 "\"term\":5,\"lowest\":2}]}");
    assert_int_equal(body.sessions_count, 2);
    assert_true(body.sessions[0].session == UINT64_C(0x00f3ab91c07d5e24));
    assert_int_equal(body.sessions[0].secret.bytes[15], 15);
    assert_false(body.sessions[0].has_term);
    assert_true(body.sessions[1].has_term);
    assert_int_equal(body.sessions[1].term, 5);
    assert_int_equal(body.sessions[1].lowest, 2);

    EXPECT_REFUSED("{\"sessions\":1}", "\"sessions\" is not a list");
    EXPECT_REFUSED("{\"sessions\":[{}]}", "\"sessions\": no \"session\"");
    EXPECT_REFUSED("{\"sessions\":[{\"session\":\"0000000000000001\","
                   "\"secret\":\"000102030405060708090a0b0c0d0e0f\","
                   "\"term\":-1}]}",
                   "\"sessions\": \"term\" is not a whole number");
}

TEST(all_that_an_acquire_says_is_read)
{
    EXPECT_TAKEN("{\"session\":\"00f3ab91c07d5e24\",\"term\":1763850690123456,"
                 "\"lane\":3,\"n\":7,\"a\":2,\"lowest\":1,\"wait\":\"10s\","
                 "\"waited\":1500,\"park\":\"30s\","
                 "\"note\":\"./migrate\",\"space\":\"jobs\","
                 "\"locks\":[{\"name\":\"a\",\"mode\":\"shared\"},\"b\","
                 "{\"space\":\"other\",\"name\":\"c\"}]}");
    assert_true(body.session == UINT64_C(0x00f3ab91c07d5e24));
    assert_true(body.term == UINT64_C(1763850690123456));
    assert_int_equal(body.lane, 3);
    assert_int_equal(body.n, 7);
    assert_int_equal(body.a, 2);
    assert_int_equal(body.lowest, 1);
    assert_int_equal(body.wait, HF_WAIT_LIMITED);
    assert_int_equal(body.remaining.ms, 10000);
    assert_int_equal(body.waited.ms, 1500);
    assert_int_equal(body.park.ms, 30000);
    expect_bytes(body.note, "./migrate");
    expect_bytes(body.space, "jobs");
    assert_int_equal(body.locks_count, 3);
    expect_bytes(body.locks[0].name, "a");
    assert_int_equal(body.locks[0].mode, HF_SHARED);
    assert_int_equal(body.locks[0].space.len, 0);
    expect_bytes(body.locks[1].name, "b");
    assert_int_equal(body.locks[1].mode, HF_EXCLUSIVE);
    expect_bytes(body.locks[2].space, "other");
    assert_false((body.given & HF_API_TTL) != 0);
}

#define NO_WAIT                                                                \
    "\"wait\" is not \"try\", null, or a duration: milliseconds, or a text "   \
    "with "                                                                    \
    "its unit, as \"30s\""

TEST(a_wait_is_a_try_a_duration_or_for_ever)
{
    EXPECT_TAKEN("{\"wait\":\"try\"}");
    assert_int_equal(body.wait, HF_WAIT_TRY);
    EXPECT_TAKEN("{\"wait\":null}");
    assert_int_equal(body.wait, HF_WAIT_FOREVER);
    EXPECT_TAKEN("{\"wait\":0}");
    assert_int_equal(body.wait, HF_WAIT_LIMITED);
    assert_int_equal(body.remaining.ms, 0);
    EXPECT_REFUSED("{\"wait\":\"soon\"}", NO_WAIT);
    EXPECT_REFUSED("{\"wait\":\"0\"}", NO_WAIT); /* of which unit? */
    EXPECT_REFUSED("{\"wait\":-1}", NO_WAIT);
}

TEST(a_fence_may_be_a_number_or_its_digits)
{
    EXPECT_TAKEN("{\"fence\":1763850690123456,"
                 "\"fences\":[1,\"1763850690123457\"]}");
    assert_true(body.fence == UINT64_C(1763850690123456));
    assert_int_equal(body.fences_count, 2);
    assert_true(body.fences[1] == UINT64_C(1763850690123457));
    EXPECT_TAKEN("{\"seen\":\"1763850690123456\"}");
    assert_true(body.seen == UINT64_C(1763850690123456));
    EXPECT_REFUSED("{\"seen\":\"high\"}", "\"seen\" is not a whole number");
    EXPECT_TAKEN("{\"fence\":\"1763850690123456\"}");
    assert_true(body.fence == UINT64_C(1763850690123456));
    EXPECT_REFUSED("{\"fence\":\"12x\"}", "\"fence\" is not a whole number");
    EXPECT_REFUSED("{\"fence\":1.5}", "\"fence\" is not a whole number");
    EXPECT_REFUSED("{\"fence\":-1}", "\"fence\" is not a whole number");
    EXPECT_REFUSED("{\"fence\":\"\"}", "\"fence\" is not a whole number");
    EXPECT_REFUSED("{\"fence\":\"9999999999999999999999\"}",
                   "\"fence\" is not a whole number");
}

TEST(a_session_is_opened_and_kept_alive)
{
    EXPECT_TAKEN("{\"ttl\":\"1m\",\"if_dead\":\"refuse\",\"who\":\"ann@db1\"}");
    assert_int_equal(body.ttl.ms, 60000);
    assert_int_equal(body.if_dead, HF_REFUSE);
    expect_bytes(body.who, "ann@db1");
    EXPECT_TAKEN("{\"secret\":\"000102030405060708090a0b0c0d0e0f\"}");
    assert_int_equal(body.secret.bytes[15], 15);
    EXPECT_REFUSED("{\"secret\":\"0001\"}",
                   "\"secret\" is not 32 hexadecimal digits");
    EXPECT_REFUSED("{\"if_dead\":\"never\"}",
                   "\"if_dead\" is not \"takeover\" or \"refuse\"");
    EXPECT_REFUSED("{\"session\":\"1\"}",
                   "\"session\" is not an id of 16 hexadecimal digits");
}

#define EXPECT_UNKNOWN(body_text, name_, sentence)                             \
    do {                                                                       \
        EXPECT_REFUSED(body_text, sentence);                                   \
        assert_string_equal(body.unknown.what, "member");                      \
        assert_string_equal(body.unknown.name, name_);                         \
    } while (0)

TEST(what_is_not_known_is_refused_with_what_may_have_been_meant)
{
    EXPECT_UNKNOWN("{\"ifDead\":\"refuse\"}", "ifDead",
                   "there is no member \"ifDead\" of a request: did you mean "
                   "\"if_dead\"?");
    EXPECT_UNKNOWN("{\"lane\":4,\"w\\u0061its\":{\"name\":[1]}}", "waits",
                   "there is no member \"waits\" of a request: did you mean "
                   "\"wait\"?");
    EXPECT_UNKNOWN("{\"locks\":[{\"name\":\"b\",\"mod\":\"shared\"}]}", "mod",
                   "\"locks\": there is no member \"mod\": did you mean "
                   "\"mode\"?");
    EXPECT_UNKNOWN("{\"sessions\":[{\"more\":1}]}", "more",
                   "\"sessions\": there is no member \"more\": there are "
                   "session, secret, term, lowest");
    assert_int_equal(read_text("{\"\":1}"), HF_E_INVALID);
    assert_string_equal(body.unknown.name, "");
    EXPECT_TAKEN("{\"n\\u0061me\":\"a\"}");
    assert_null(body.unknown.what);
    EXPECT_REFUSED("{\"lane\":1,\"lane\":2}", "\"lane\" is given twice");
    assert_null(body.unknown.what);
}

TEST(a_request_has_the_members_of_its_form)
{
    form = (struct hf_api_form){"a page", HF_API_TERM | HF_API_FENCES};
    EXPECT_TAKEN("{\"term\":1,\"fences\":[2]}");
    EXPECT_UNKNOWN("{\"term\":1,\"fence\":2}", "fence",
                   "there is no member \"fence\" of a page: did you mean "
                   "\"fences\"?");
    EXPECT_UNKNOWN("{\"ttl\":\"5s\"}", "ttl",
                   "there is no member \"ttl\" of a page: there are term, "
                   "fences");
    form = (struct hf_api_form){"a request", ~0U};
}

TEST(what_is_optional_is_skipped)
{
    static const char header[] = "colour ,\tmod,,ttl";

    optional = (struct hf_bytes){header, strlen(header)};
    EXPECT_TAKEN("{\"colour\":{\"lane\":[1,2]},\"lane\":4}");
    assert_int_equal(body.given, HF_API_LANE);
    assert_int_equal(body.lane, 4);
    EXPECT_TAKEN("{\"locks\":[{\"name\":\"b\",\"mod\":\"shared\"}]}");
    assert_int_equal(body.locks[0].mode, HF_EXCLUSIVE);
    EXPECT_REFUSED("{\"colou\":1}",
                   "there is no member \"colou\" of a request: there are "
                   "id, do, key, session, secret, term, lowest, lane, n, a, "
                   "ttl, if_dead, who, space, name, mode, locks, wait, park, "
                   "waited, seen, "
                   "free, note, fence, fences, reason, force, gone, sessions");
    assert_int_equal(read_text("{\"\":1}"), HF_E_INVALID);
    form.members = HF_API_LANE;
    EXPECT_TAKEN("{\"ttl\":\"5s\",\"lane\":4}");
    assert_int_equal(body.given, HF_API_LANE);
    EXPECT_TAKEN("{\"ttl\":\"x\",\"lane\":4}"); /* whatever it is there */
    assert_int_equal(body.given, HF_API_LANE);
    EXPECT_UNKNOWN(
        "{\"term\":\"x\"}", "term",
        "there is no member \"term\" of a request: there is only lane");
    form.members = ~0U;
    EXPECT_TAKEN("{\"ttl\":\"5s\"}");
    assert_int_equal(body.given, HF_API_TTL); /* it is known here */
    /* As long as one that is. */
    assert_int_equal(read_text("{\"flavor\":1}"), HF_E_INVALID);
    optional = (struct hf_bytes){NULL, 0};
}

TEST(what_is_no_json_object_is_refused_with_a_sentence)
{
    EXPECT_REFUSED("[]", "the body is no JSON object");
    assert_int_equal(read_text("{\"lane\":1"), HF_E_INVALID);
    assert_non_null(strstr(why.text, "the body is no JSON object: "));
    EXPECT_REFUSED("{\"name\":\"a\\u0000b\"}",
                   "\"name\" is not a text without control characters");
    EXPECT_REFUSED("{\"session\":\"0000000000000000\"}",
                   "\"session\" is not an id of 16 hexadecimal digits");
    EXPECT_REFUSED("{\"locks\":\"a\"}", "\"locks\" is not a list");
    EXPECT_REFUSED("{\"locks\":[{\"mode\":\"shared\"}]}",
                   "\"locks\": no \"name\"");
    EXPECT_REFUSED("{\"locks\":[7]}",
                   "\"locks\" is not a list of names, or of {\"name\", "
                   "\"space\", \"mode\"}");
    EXPECT_REFUSED("{\"fences\":7}",
                   "\"fences\" is not a list of whole numbers");
}

TEST(a_name_that_is_written_with_escapes_is_the_same_name)
{
    EXPECT_TAKEN("{\"n\\u0061me\":\"a\",\"\\u006Dode\":\"shared\"}");
    assert_int_equal(body.given, HF_API_NAME | HF_API_MODE);
    expect_bytes(body.name, "a");
    EXPECT_REFUSED("{\"ttl\":\"20s\",\"tt\\u006c\":\"30s\"}",
                   "\"ttl\" is given twice");
    EXPECT_TAKEN("{\"locks\":[{\"name\":\"a\",\"mo\\u0064e\":\"shared\"}]}");
    assert_int_equal(body.locks[0].mode, HF_SHARED);
    assert_int_equal(read_text("{\"\\ud83d\\ude00\":1}"), HF_E_INVALID);
    assert_string_equal(body.unknown.name, "\xF0\x9F\x98\x80");
    assert_int_equal(read_text("{\"\\ud800\\u0000\":2}"), HF_E_INVALID);
    assert_string_equal(body.unknown.name, "\xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST(in_a_list_nothing_is_given_twice_either)
{
    EXPECT_REFUSED("{\"locks\":[{\"name\":\"a\",\"space\":\"x\","
                   "\"sp\\u0061ce\":\"y\"}]}",
                   "\"locks\": \"space\" is given twice");
    EXPECT_REFUSED("{\"locks\":[{\"name\":\"a\",\"mode\":\"shared\","
                   "\"mode\":\"shared\"}]}",
                   "\"locks\": \"mode\" is given twice");
    EXPECT_REFUSED("{\"sessions\":[{\"session\":\"00f3ab91c07d5e24\","
                   "\"secret\":\"000102030405060708090a0b0c0d0e0f\","
                   "\"term\":1,\"term\":2}]}",
                   "\"sessions\": \"term\" is given twice");
}

TEST(locks_that_say_no_mode_are_marked)
{
    EXPECT_TAKEN("{\"locks\":[\"a\",{\"name\":\"b\",\"mode\":\"exclusive\"},"
                 "{\"name\":\"c\"}]}");
    assert_int_equal(body.locks_any_mode, 5);
}

TEST(there_are_limits)
{
    static char text[HF_API_BODY_MAX + HF_API_LINE_MORE + 2];
    size_t len = 0;

    memset(text, ' ', sizeof(text) - 1);
    assert_int_equal(read_text(text), HF_E_LIMIT);
    text[HF_API_BODY_MAX + 1] = '\0';
    memcpy(text, "{}", 2);
    assert_int_equal(read_text(text), HF_OK); /* as a line */
    form.members = ~(unsigned)HF_API_ID;
    assert_int_equal(read_text(text), HF_E_LIMIT);
    form.members = ~0U;
    len += (size_t)snprintf(text, sizeof(text), "{\"locks\":[");
    for (int i = 0; i <= HF_API_LOCKS_MAX; i++)
        len += (size_t)snprintf(text + len, sizeof(text) - len, "%s\"%d\"",
                                i == 0 ? "" : ",", i);
    (void)snprintf(text + len, sizeof(text) - len, "]}");
    assert_int_equal(read_text(text), HF_E_LIMIT);
    assert_string_equal(why.text, "more than 64 \"locks\" in one request");
}

#include "support/test.h"
#include "unit/support/values.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "base/text.h"
#include "wire/json.h"

#define FFFD "\xEF\xBF\xBD"

static const char example_json[] = EXAMPLE_JSON;

/* The bytes are refused with a clause that has `why` in it, and nothing is
 * changed. */
static void
expect_corrupt_bytes(const char *bytes, size_t len, const char *why)
{
    struct hf_value value;
    struct hf_value untouched;
    struct hf_error error = {0};

    memset(&value, 0x5A, sizeof(value));
    memset(&untouched, 0x5A, sizeof(untouched));
    if (hf_record_decode(bytes, len, &value, &error) != HF_E_CORRUPT)
        fail_msg("taken for a record: %.*s", (int)len, bytes);
    assert_memory_equal(&value, &untouched, sizeof(value));
    if (strstr(error.text, why) == NULL)
        fail_msg("'%s' does not say '%s': %.*s", error.text, why, (int)len,
                 bytes);
    assert_int_equal(hf_record_decode(bytes, len, &value, NULL), HF_E_CORRUPT);
}

static void
expect_corrupt(const char *text, const char *why)
{
    expect_corrupt_bytes(text, strlen(text), why);
}

/* A record whose terms are these JSON texts. */
static const char *
with(const char *lock, const char *if_dead, const char *ttl, const char *beat)
{
    static char text[512];
    int len =
        snprintf(text, sizeof(text),
                 "{\"lock\":%s,\"if_dead\":%s,\"ttl_ms\":%s,\"beat_ms\":%s}",
                 lock, if_dead, ttl, beat);

    assert_in_range(len, 1, sizeof(text) - 1);
    return text;
}

/* A sound record with one more member. */
static const char *
with_member(const char *name, const char *json)
{
    static char text[8192];
    int len = snprintf(text, sizeof(text),
                       "{\"lock\":\"1_0\",\"if_dead\":\"refuse\",\"ttl_ms\":"
                       "60000,\"beat_ms\":2000,\"%s\":%s}",
                       name, json);

    assert_in_range(len, 1, sizeof(text) - 1);
    return text;
}

/* ---- Bytes that are no record -------------------------------------------- */

TEST(a_record_cut_short_anywhere_is_corrupt)
{
    for (size_t len = 0; len + 1 < sizeof(example_json); len++) {
        char *exact = test_malloc(len + 1); /* so that no byte beyond is read */

        memcpy(exact, example_json, len);
        expect_corrupt_bytes(exact, len, "not JSON");
        test_free(exact);
    }
}

TEST(what_looks_like_json_and_is_none_is_corrupt)
{
    static const char *const cases[] = {
        "",
        " ",
        "{",
        "}",
        "]",
        ",",
        ":",
        "\"",
        "{}}",
        "{}{}",
        "{} 1",
        "{},",
        "[}",
        "{]",
        "[1,]",
        "[,1]",
        "[,]",
        "[1 2]",
        "[1,,2]",
        "{,}",
        "{:}",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\":1,}",
        "{,\"a\":1}",
        "{\"a\" \"b\"}",
        "{\"a\":1 \"b\":2}",
        "{\"a\"::1}",
        "{\"a\":1:2}",
        "{\"a\",\"b\"}",
        "{1:2}",
        "{null:2}",
        "{{}:1}",
        "{[]:1}",
        "{\"a\":1,2}",
        "[\"a\":1]",
        "[1:2]",
        "{\"a\":[}]",
        "{\"a\":1}]",
        "[[]",
        "\"a\" : 1",
        "{\"a\":{}:1}",
        "{\"a\":tru}",
        "{\"a\":truex}",
        "{\"a\":True}",
        "{\"a\":nul}",
        "{\"a\":falsy}",
        "{\"a\":nan}",
        "{\"a\":'b'}",
        "{\"a\":b}",
        "{\"a\":1\"b\"}",
        "{\"a\":\"b\"1}",
        "{\"a\":\"b\"\"c\"}",
        "{\"a\":01}",
        "{\"a\":-}",
        "{\"a\":+1}",
        "{\"a\":.5}",
        "{\"a\":1.}",
        "{\"a\":1e}",
        "{\"a\":1e+}",
        "{\"a\":1.e1}",
        "{\"a\":0x1}",
        "{\"a\":--1}",
        "{\"a\":1-1}",
        "{\"a\":1.5.2}",
        "{\"a\":-01}",
        "{\"a\":\"\\x\"}",
        "{\"a\":\"\\u12\"}",
        "{\"a\":\"\\u12G4\"}",
        "{\"a\":\"\\\"}",
        "{\"a\":\"\n\"}",
        "{\"a\":\"\t\"}",
        "{\"a\":\"\x1F\"}",
        "{\"a\":\"\xFF\"}",
        "{\"a\":\"\xC3\"}",
        "{\"a\":\"\xED\xA0\x80\"}",
        "{\"\xC0\x80\":1}",
        "{\"\n\":1}",
        "\xEF\xBB\xBF{}",
        "{\"a\":1}\xC2\xA0",
        "{\"a\":1}\v",
        "{//\n}",
        "/**/{}",
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        expect_corrupt(cases[i], "not JSON at byte");
    expect_corrupt_bytes("{}\0", 3, "not JSON at byte 2");
    expect_corrupt_bytes("{\"a\0\":1}", 8, "not JSON at byte");
    expect_corrupt_bytes("\0{}", 3, "not JSON at byte 0");
}

/* The same by jansson, so that the list above holds no JSON by mistake. */
TEST(what_is_json_but_no_record_is_corrupt)
{
    static const char *const cases[] = {
        "{}",
        "[]",
        "\"1_0\"",
        "[{}]",
        " { } ",
        "\t{\r\n}\n",
        "[1,-0,1.5E-3,0]",
        "[true,false,null,[],{}]",
        "{\"a\":{\"b\":[{}]}}",
        "[\"\\u00e9\\/\"]",
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct hf_error error;
        struct hf_value value;
        json_t *root = json_loads(cases[i], JSON_DECODE_ANY, NULL);

        assert_non_null(root);
        json_decref(root);
        assert_int_equal(
            hf_record_decode(cases[i], strlen(cases[i]), &value, &error),
            HF_E_CORRUPT);
        assert_null(strstr(error.text, "not JSON"));
    }
}

TEST(a_text_beyond_the_limits_is_corrupt)
{
    static char text[HF_RECORD_TEXT_MAX + 1];
    struct hf_value value;
    size_t used;

    /* Of a value that a store has cut, no byte beyond the cut is read. */
    expect_corrupt_bytes(example_json, HF_RECORD_TEXT_MAX + 1, "bytes");
    expect_corrupt_bytes(example_json, SIZE_MAX, "bytes");

    /* As long as may be, padded with blanks. */
    memset(text, ' ', sizeof(text));
    memcpy(text, example_json, sizeof(example_json) - 1);
    assert_int_equal(hf_record_decode(text, HF_RECORD_TEXT_MAX, &value, NULL),
                     HF_OK);

    memset(text, '[', sizeof(text));
    expect_corrupt_bytes(text, HF_RECORD_TEXT_MAX, "values");
    for (used = 0; used < 2 * HF_JSON_DEPTH_MAX; used++)
        text[used] = used < HF_JSON_DEPTH_MAX ? '[' : ']';
    expect_corrupt_bytes(text, used, "no object"); /* deep, and sound */
}

TEST(a_lock_that_is_not_well_formed_is_corrupt)
{
    static const char *const cases[] = {
        "1",
        "null",
        "true",
        "[]",
        "{}",
        "\"\"",
        "\"_\"",
        "\"1\"",
        "\"1_\"",
        "\"_1\"",
        "\"1_2_3\"",
        "\"1_2 \"",
        "\" 1_2\"",
        "\"1 _2\"",
        "\"+1_2\"",
        "\"-1_2\"",
        "\"1_-2\"",
        "\"01_2\"",
        "\"1_02\"",
        "\"1_0x2\"",
        "\"1e3_2\"",
        "\"1.5_2\"",
        "\"1-2\"",
        "\"9223372036854775808_0\"",
        "\"18446744073709551616_0\"",
        "\"99999999999999999999_0\"",
        "\"1_18446744073709551616\"",
        "\"1_99999999999999999999\"",
        "\"1_0\\u0000\"",
        ("\"1_0000000000000000000000000000000000000000000000000"
         "0000000000000000000000000000000000000000000000000000\""),
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        expect_corrupt(with(cases[i], "\"refuse\"", "60000", "2000"), "lock");
}

TEST(an_if_dead_that_is_none_of_the_words_is_corrupt)
{
    static const char *const cases[] = {
        "1",
        "null",
        "[]",
        "\"\"",
        "\"Refuse\"",
        "\"refuse \"",
        "\"refus\"",
        "\"takeovers\"",
        "\"takeover\\u0000\"",
        "\"refuse refuse refuse\"",
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        expect_corrupt(with("\"1_0\"", cases[i], "60000", "2000"), "if_dead");
}

/* Such a record is corrupt, never dead: nobody knows when it would be. */
TEST(a_ttl_missing_or_out_of_bounds_is_corrupt)
{
    static const char *const cases[] = {
        "0",
        "-0",
        "1",
        "499",
        "604800001",
        "-60000",
        "60000.0",
        "6e4",
        "1e3",
        "1.5",
        "60000e0",
        "\"60000\"",
        "null",
        "[60000]",
        "{}",
        "99999999999999999999",
        "9223372036854775808",
        "-9223372036854775809",
        "18446744073709611616",
        "4295027296",
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        expect_corrupt(with("\"1_0\"", "\"refuse\"", cases[i], "400"),
                       "ttl_ms");
    decode(with("\"1_0\"", "\"refuse\"", "500", "500"));
    decode(with("\"1_0\"", "\"refuse\"", "604800000", "1"));
}

TEST(a_beat_missing_or_longer_than_the_ttl_is_corrupt)
{
    static const char *const cases[] = {
        "0",        "-0",   "-1",
        "60001",    "2e3",  "1.5",
        "\"2000\"", "null", "18446744073709553616",
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        expect_corrupt(with("\"1_0\"", "\"refuse\"", "60000", cases[i]),
                       "beat_ms");
}

TEST(a_member_missing_or_given_twice_is_corrupt)
{
    static const char *const names[] = {"lock", "if_dead", "ttl_ms", "beat_ms"};
    static const char *const values[] = {"\"1_0\"", "\"refuse\"", "60000",
                                         "2000"};

    for (size_t missing = 0; missing < 4; missing++) {
        char text[512];
        struct hf_text out;

        hf_text_init(&out, text, sizeof(text));
        hf_text_add(&out, "{\"other\":0");
        for (size_t i = 0; i < 4; i++) {
            if (i != missing)
                hf_text_addf(&out, ",\"%s\":%s", names[i], values[i]);
        }
        hf_text_add(&out, "}");
        expect_corrupt(text, names[missing]);
        expect_corrupt(with_member(names[missing], values[missing]),
                       names[missing]);
    }
    /* The same name, spelt with an escape. */
    expect_corrupt(with_member("ttl\\u005Fms", "60000"), "ttl_ms");
}

/* ---- What a reader makes of it ------------------------------------------- */

TEST(members_that_are_not_known_are_skipped)
{
    struct hf_value plain =
        decode(with("\"1_0\"", "\"refuse\"", "60000", "2000"));
    static const char *const cases[] = {
        "null",
        "-1.5e+300",
        "{\"lock\":\"7_7\",\"ttl_ms\":1}",
        "[[\"lock\",\"9_9\"],{\"owner\":{\"host\":\"x\"}}]",
        "\"\\ud800\"",
        "99999999999999999999",
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct hf_value value = decode(with_member("later", cases[i]));

        expect_same(&value, &plain);
    }
}

TEST(spaces_order_and_escapes_do_not_matter)
{
    struct hf_value value = decode(
        " {\n \"reason\" : \"a\\u00e9\\ud83d\\uDD12\\/\\\\\\\"\" ,\t"
        "\"owner\":{\"processes\" : [ [ 1 , 2 ] ] , \"hos\\u0074\":\"h\" },"
        "\"beat_ms\": 1 ,\"ttl_ms\":500,\"if_dead\":\"take\\u006fver\","
        "\"l\\u006Fck\":\"\\u0031_2\"}\r\n");

    assert_true(value.heartbeat.id == 1 && value.heartbeat.count == 2);
    assert_int_equal(value.terms.if_dead, HF_TAKEOVER);
    assert_true(value.terms.ttl.ms == 500 && value.terms.beat.ms == 1);
    assert_string_equal(value.owner.reason, "a\xC3\xA9\xF0\x9F\x94\x92/\\\"");
    assert_string_equal(value.owner.host, "h");
    assert_int_equal(value.owner.processes_count, 1);
    assert_true(value.owner.processes[0].pid == 1);
    assert_true(value.owner.processes[0].start == 2);
}

TEST(strings_are_shown_clean_and_cut_at_a_character)
{
    static const struct {
        const char *json;
        const char *shown;
    } cases[] = {
        {"\"\\b\\f\\n\\r\\t\"", FFFD FFFD FFFD FFFD FFFD},
        {"\"a\\u0000b\\u001b[2J\\u007f\\u009b\"",
         "a" FFFD "b" FFFD "[2J" FFFD FFFD},
        {"\"\x7F\xC2\x9B\"", FFFD FFFD},
        {"\"\\ud800\"", FFFD},
        {"\"\\udc00x\"", FFFD "x"},
        {"\"\\ud83d\\u0041\"", FFFD "A"},
        {"\"\\ud83d\\ud83d\\udd12\"", FFFD "\xF0\x9F\x94\x92"},
        {"\"\\ud83dA\"", FFFD "A"},
        {"7", ""},
        {"null", ""},
        {"[\"a\"]", ""},
        {"{\"a\":\"b\"}", ""},
    };
    struct hf_value value;
    struct hf_value longer = filled_with("\xE2\x82\xAC");
    char text[8192];
    struct hf_text out;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        value = decode(with_member("reason", cases[i].json));
        assert_string_equal(value.owner.reason, cases[i].shown);
    }

    /* 511 bytes have room for 170 characters of three. */
    hf_text_init(&out, text, sizeof(text));
    hf_text_add_json(&out, longer.owner.command, strlen(longer.owner.command));
    value = decode(with_member("reason", text));
    assert_int_equal(strlen(value.owner.reason), 510);
    assert_memory_equal(value.owner.reason, longer.owner.command, 510);
}

TEST(what_is_malformed_of_an_owner_is_left_empty)
{
    static const char *const cases[] = {
        "null",
        "[]",
        "7",
        "\"ann\"",
        "{}",
        "{\"host\":7,\"user\":null}",
        "{\"host\":\"a\",\"host\":\"b\"}",
        "{\"boot\":\"\",\"pidns\":-1,\"since\":1.5}",
        "{\"boot\":\"" BOOT "0\",\"pidns\":0,\"since\":\"7\"}",
        "{\"boot\":\"0A1B2C3D-4E5F-6071-8293-A4B5C6D7E8F9\"}",
        "{\"pidns\":9223372036854775808,\"since\":9223372036854775808}",
        "{\"pidns\":7,\"pidns\":7,\"since\":-0}",
        "{\"pidns\":[7]}",
    };
    const struct hf_owner empty = {0};

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct hf_value value = decode(with_member("owner", cases[i]));

        expect_same_owner(&value.owner, &empty);
    }
}

/* The names of an owner's members mean nothing beside it. */
TEST(a_record_without_owner_has_none_whatever_else_it_has)
{
    struct hf_value value =
        decode(with_member("processes", "[[1,2]],\"host\":\"h\",\"pidns\":7"));
    const struct hf_owner empty = {0};

    expect_same_owner(&value.owner, &empty);
}

/* The end of those that were understood must not pass for the end of all. */
TEST(one_malformed_process_empties_the_whole_list)
{
    static const char *const cases[] = {
        "null",
        "{}",
        "7",
        "\"[[1,2]]\"",
        "[]",
        "[1,2]",
        "[[1,2],3]",
        "[[1,2],null]",
        "[[1,2],[]]",
        "[[1,2],[3]]",
        "[[1,2],[3,4,5]]",
        "[[1,2],[3,[4]]]",
        "[[1,2],[[3,4]]]",
        "[[1,2],{\"3\":4}]",
        "[[1,2],[0,4]]",
        "[[1,2],[-3,4]]",
        "[[1,2],[3,0]]",
        "[[1,2],[3,-4]]",
        "[[1,2],[3,4.0]]",
        "[[1,2],[3e0,4]]",
        "[[1,2],[\"3\",4]]",
        "[[1,2],[2147483648,4]]",
        "[[1,2],[3,9223372036854775808]]",
        "[[1,1],[2,1],[3,1],[4,1],[5,1],[6,1],[7,1],[8,1],[9,1]]",
        "[[1,2]],\"processes\":[[1,2]]",
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char owner[256];
        struct hf_value value;

        snprintf(owner, sizeof(owner), "{\"host\":\"h\",\"processes\":%s}",
                 cases[i]);
        value = decode(with_member("owner", owner));
        assert_int_equal(value.owner.processes_count, 0);
        assert_string_equal(value.owner.host, "h");
    }
}

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "base/text.h"
#include "wire/record.h"

#define FFFD "\xEF\xBF\xBD"
#define BOOT "0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9"

/* ---- Values -------------------------------------------------------------- */

static struct hf_value
example(void)
{
    return (struct hf_value){
        .heartbeat = {.id = 4611686018427387904u, .count = 17},
        .terms = {.if_dead = HF_REFUSE, .ttl = {60000}, .beat = {2000}},
        .owner =
            {
                .host = "db1",
                .user = "ann",
                .command = "./migrate --to \"7\" C:\\x \xE2\x9C\x93",
                .reason = "release 7",
                .since_ms = 1700000000123,
                .boot = BOOT,
                .pidns = 4026531836,
                .processes = {{812, 99120}, {813, 99121}},
                .processes_count = 2,
            },
    };
}

/* `example` as it stands in a store. */
static const char example_json[] =
    "{\"lock\":\"4611686018427387904_17\",\"if_dead\":\"refuse\","
    "\"ttl_ms\":60000,\"beat_ms\":2000,\"owner\":{\"host\":\"db1\","
    "\"user\":\"ann\",\"command\":\"./migrate --to \\\"7\\\" C:\\\\x "
    "\xE2\x9C\x93\",\"since\":1700000000123,\"boot\":\"" BOOT "\","
    "\"pidns\":4026531836,\"processes\":[[812,99120],[813,99121]]},"
    "\"reason\":\"release 7\"}";

static void
expect_same_owner(const struct hf_owner *a, const struct hf_owner *b)
{
    assert_string_equal(a->host, b->host);
    assert_string_equal(a->user, b->user);
    assert_string_equal(a->command, b->command);
    assert_string_equal(a->reason, b->reason);
    assert_string_equal(a->boot, b->boot);
    assert_true(a->since_ms == b->since_ms);
    assert_true(a->pidns == b->pidns);
    assert_int_equal(a->processes_count, b->processes_count);
    for (size_t i = 0; i < a->processes_count; i++) {
        assert_true(a->processes[i].pid == b->processes[i].pid);
        assert_true(a->processes[i].start == b->processes[i].start);
    }
}

static void
expect_same(const struct hf_value *a, const struct hf_value *b)
{
    assert_true(a->heartbeat.id == b->heartbeat.id);
    assert_true(a->heartbeat.count == b->heartbeat.count);
    assert_int_equal(a->terms.if_dead, b->terms.if_dead);
    assert_true(a->terms.ttl.ms == b->terms.ttl.ms);
    assert_true(a->terms.beat.ms == b->terms.beat.ms);
    expect_same_owner(&a->owner, &b->owner);
}

static struct hf_value
decode(const char *text)
{
    struct hf_value value;
    struct hf_error error;

    if (hf_record_decode(text, strlen(text), &value, &error) != HF_OK)
        fail_msg("%s: %s", error.text, text);
    return value;
}

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

/* ---- Both ways ----------------------------------------------------------- */

static void
a_record_is_written_as_designed_and_read_back(void **state)
{
    struct hf_value value = example();
    struct hf_value read;
    char text[HF_RECORD_TEXT_MAX];
    size_t len = hf_record_encode(&value, text, sizeof(text));

    (void)state;
    assert_string_equal(text, example_json);
    assert_int_equal(len, sizeof(example_json) - 1);
    read = decode(text);
    expect_same(&read, &value);
}

static void
fill(char *to, size_t max, const char *unit)
{
    size_t width = strlen(unit);
    size_t used = 0;

    for (; used + width <= max; used += width)
        memcpy(to + used, unit, width);
    for (; used < max; used++)
        to[used] = '.';
    to[used] = '\0';
}

static struct hf_value
filled_with(const char *unit)
{
    struct hf_value value = example();

    fill(value.owner.host, HF_HOST_MAX, unit);
    fill(value.owner.user, HF_USER_MAX, unit);
    fill(value.owner.command, HF_COMMAND_MAX, unit);
    fill(value.owner.reason, HF_REASON_MAX, unit);
    return value;
}

static struct hf_value
at_the_limits(const char *unit)
{
    struct hf_value value = filled_with(unit);

    value.heartbeat = (struct hf_heartbeat){INT64_MAX, UINT64_MAX};
    value.terms =
        (struct hf_terms){HF_TAKEOVER, {HF_TTL_MAX_MS}, {HF_TTL_MAX_MS}};
    value.owner.since_ms = INT64_MIN;
    value.owner.pidns = INT64_MAX;
    value.owner.processes_count = HF_PROCESSES_MAX;
    for (size_t i = 0; i < HF_PROCESSES_MAX; i++)
        value.owner.processes[i] = (struct hf_process){INT32_MAX, INT64_MAX};
    return value;
}

static void
values_at_every_limit_come_back_as_they_were(void **state)
{
    static const char *const units[] = {
        "a", "\"", "\\", "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x94\x92"};

    (void)state;
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        struct hf_value value = at_the_limits(units[i]);
        struct hf_value read;
        char text[HF_RECORD_TEXT_MAX];

        assert_true(hf_record_encode(&value, text, sizeof(text)) <
                    sizeof(text));
        read = decode(text);
        expect_same(&read, &value);
    }
}

static void
the_least_values_come_back_as_they_were(void **state)
{
    struct hf_value value = {
        .terms = {HF_TAKEOVER, {HF_TTL_MIN_MS}, {1}},
    };
    struct hf_value read;
    char text[HF_RECORD_TEXT_MAX];

    (void)state;
    hf_record_encode(&value, text, sizeof(text));
    read = decode(text);
    expect_same(&read, &value);
}

/* Each string of the owner, and any bytes but NUL: the record stays sound. */
static void
what_cannot_be_shown_is_written_as_its_replacement(void **state)
{
    static const char *const units[] = {"\x01",     "\n",           "\x1B[2J",
                                        "\x7F",     "\xFF",         "\xC3",
                                        "\xC2\x85", "\xED\xA0\x80", "\xE2\x82"};

    (void)state;
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        struct hf_value value = at_the_limits(units[i]);
        struct hf_value expected = value;
        struct hf_value read;
        char text[HF_RECORD_TEXT_MAX];

#define SHOW(member)                                                           \
    hf_text_show(expected.owner.member, sizeof(expected.owner.member),         \
                 value.owner.member, strlen(value.owner.member))
        SHOW(host);
        SHOW(user);
        SHOW(command);
        SHOW(reason);
#undef SHOW
        assert_true(hf_record_encode(&value, text, sizeof(text)) <
                    sizeof(text));
        assert_true(hf_text_is_clean(text, strlen(text)));
        read = decode(text);
        expect_same(&read, &expected);
    }
}

static void
what_of_an_owner_cannot_be_read_back_is_written_as_unknown(void **state)
{
    struct hf_value value = example();
    struct hf_value read;
    const struct hf_process cases[] = {
        {0, 1},
        {-1, 1},
        {(int64_t)INT32_MAX + 1, 1},
        {1, 0},
        {1, (uint64_t)INT64_MAX + 1},
    };
    char text[HF_RECORD_TEXT_MAX];

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        value.owner.processes[1] = cases[i];
        hf_record_encode(&value, text, sizeof(text));
        read = decode(text);
        assert_int_equal(read.owner.processes_count, 0);
    }
    value = example();
    value.owner.processes_count = HF_PROCESSES_MAX + 1;
    value.owner.pidns = (uint64_t)INT64_MAX + 1;
    memcpy(value.owner.boot, "\"},{", 5);
    hf_record_encode(&value, text, sizeof(text));
    read = decode(text);
    assert_int_equal(read.owner.processes_count, 0);
    assert_true(read.owner.pidns == 0);
    assert_string_equal(read.owner.boot, "");
    assert_string_equal(read.owner.host, "db1");
}

static void
a_record_is_cut_at_the_buffer_and_tells_its_length(void **state)
{
    struct hf_value value = example();

    (void)state;
    for (size_t size = 0; size <= sizeof(example_json); size++) {
        char text[sizeof(example_json) + 1];

        memset(text, '#', sizeof(text));
        assert_int_equal(hf_record_encode(&value, text, size),
                         sizeof(example_json) - 1);
        if (size > 0)
            assert_int_equal(strlen(text), size - 1);
        for (size_t i = size; i < sizeof(text); i++)
            assert_int_equal(text[i], '#');
    }
}

/* ---- The second opinion -------------------------------------------------- */

static json_t *
member(json_t *object, const char *name)
{
    json_t *found = json_object_get(object, name);

    if (found == NULL)
        fail_msg("no member %s", name);
    return found;
}

static const char *
string(json_t *object, const char *name)
{
    return json_string_value(member(object, name));
}

static int64_t
integer(json_t *object, const char *name)
{
    assert_true(json_is_integer(member(object, name)));
    return json_integer_value(member(object, name));
}

static json_t *
load(const char *text)
{
    json_error_t error;
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &error);

    if (root == NULL)
        fail_msg("jansson: %s: %s", error.text, text);
    return root;
}

static void
expect_jansson_agrees(const struct hf_value *value)
{
    char text[HF_RECORD_TEXT_MAX];
    char lock[64];
    json_t *root;
    json_t *owner;
    json_t *processes;

    hf_record_encode(value, text, sizeof(text));
    root = load(text);
    owner = member(root, "owner");
    processes = member(owner, "processes");
    snprintf(lock, sizeof(lock), "%" PRIu64 "_%" PRIu64, value->heartbeat.id,
             value->heartbeat.count);

    assert_int_equal(json_object_size(root), 6);
    assert_string_equal(string(root, "lock"), lock);
    assert_string_equal(string(root, "if_dead"),
                        hf_if_dead_word(value->terms.if_dead));
    assert_true(integer(root, "ttl_ms") == value->terms.ttl.ms);
    assert_true(integer(root, "beat_ms") == value->terms.beat.ms);
    assert_string_equal(string(root, "reason"), value->owner.reason);
    assert_int_equal(json_object_size(owner), 7);
    assert_string_equal(string(owner, "host"), value->owner.host);
    assert_string_equal(string(owner, "user"), value->owner.user);
    assert_string_equal(string(owner, "command"), value->owner.command);
    assert_string_equal(string(owner, "boot"), value->owner.boot);
    assert_true(integer(owner, "since") == value->owner.since_ms);
    assert_true((uint64_t)integer(owner, "pidns") == value->owner.pidns);
    assert_int_equal(json_array_size(processes), value->owner.processes_count);
    for (size_t i = 0; i < value->owner.processes_count; i++) {
        json_t *pair = json_array_get(processes, i);

        assert_int_equal(json_array_size(pair), 2);
        assert_true(json_integer_value(json_array_get(pair, 0)) ==
                    value->owner.processes[i].pid);
        assert_true((uint64_t)json_integer_value(json_array_get(pair, 1)) ==
                    value->owner.processes[i].start);
    }
    json_decref(root);
}

static void
jansson_reads_in_it_what_was_written(void **state)
{
    struct hf_value value = example();

    (void)state;
    expect_jansson_agrees(&value);
    value = at_the_limits("\"\\/");
    expect_jansson_agrees(&value);
    value = at_the_limits("\xF0\x9F\x94\x92\xC2\xA0");
    expect_jansson_agrees(&value);
    value = (struct hf_value){.terms = {HF_REFUSE, {HF_TTL_MIN_MS}, {1}}};
    expect_jansson_agrees(&value);
}

/* Whatever one byte is changed to: what is a record for us is JSON for
 * jansson, but for numbers that do not fit its types. */
static void
what_is_taken_for_a_record_is_json_for_jansson(void **state)
{
    char text[sizeof(example_json)];
    int taken = 0;

    (void)state;
    memcpy(text, example_json, sizeof(text));
    for (size_t at = 0; at + 1 < sizeof(text); at++) {
        for (int byte = 0; byte < 256; byte++) {
            struct hf_value value;
            json_error_t error;
            json_t *root;

            text[at] = (char)byte;
            if (hf_record_decode(text, sizeof(text) - 1, &value, NULL) != HF_OK)
                continue;
            taken++;
            root = json_loadb(text, sizeof(text) - 1, 0, &error);
            if (root == NULL &&
                json_error_code(&error) != json_error_numeric_overflow)
                fail_msg("byte %d at %zu: %s", byte, at, error.text);
            json_decref(root);
        }
        text[at] = example_json[at];
    }
    assert_true(taken > (int)sizeof(text)); /* each byte as it was, and more */
}

/* ---- Bytes that are no record -------------------------------------------- */

static void
a_record_cut_short_anywhere_is_corrupt(void **state)
{
    (void)state;
    for (size_t len = 0; len + 1 < sizeof(example_json); len++) {
        char *exact = test_malloc(len + 1); /* so that no byte beyond is read */

        memcpy(exact, example_json, len);
        expect_corrupt_bytes(exact, len, "not JSON");
        test_free(exact);
    }
}

static void
what_jsmn_lets_pass_and_json_does_not_is_corrupt(void **state)
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

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        expect_corrupt(cases[i], "not JSON at byte");
    expect_corrupt_bytes("{}\0", 3, "not JSON at byte 2");
    expect_corrupt_bytes("{\"a\0\":1}", 8, "not JSON at byte");
    expect_corrupt_bytes("\0{}", 3, "not JSON at byte 0");
}

/* The same by jansson, so that the list above holds no JSON by mistake. */
static void
what_is_json_but_no_record_is_corrupt(void **state)
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

    (void)state;
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

static void
a_text_beyond_the_limits_is_corrupt(void **state)
{
    static char text[HF_RECORD_TEXT_MAX + 1];
    struct hf_value value;
    size_t used;

    (void)state;
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
    for (used = 0; used < HF_RECORD_TOKENS_MAX; used++)
        text[used] = used < HF_RECORD_TOKENS_MAX / 2 ? '[' : ']';
    expect_corrupt_bytes(text, used, "no object"); /* deep, and sound */
}

static void
a_lock_that_is_not_well_formed_is_corrupt(void **state)
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

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        expect_corrupt(with(cases[i], "\"refuse\"", "60000", "2000"), "lock");
}

static void
an_if_dead_that_is_none_of_the_words_is_corrupt(void **state)
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

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        expect_corrupt(with("\"1_0\"", cases[i], "60000", "2000"), "if_dead");
}

/* Such a record is corrupt, never dead: nobody knows when it would be. */
static void
a_ttl_missing_or_out_of_bounds_is_corrupt(void **state)
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

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        expect_corrupt(with("\"1_0\"", "\"refuse\"", cases[i], "400"),
                       "ttl_ms");
    decode(with("\"1_0\"", "\"refuse\"", "500", "500"));
    decode(with("\"1_0\"", "\"refuse\"", "604800000", "1"));
}

static void
a_beat_missing_or_longer_than_the_ttl_is_corrupt(void **state)
{
    static const char *const cases[] = {
        "0",        "-0",   "-1",
        "60001",    "2e3",  "1.5",
        "\"2000\"", "null", "18446744073709553616",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        expect_corrupt(with("\"1_0\"", "\"refuse\"", "60000", cases[i]),
                       "beat_ms");
}

static void
a_member_missing_or_given_twice_is_corrupt(void **state)
{
    static const char *const names[] = {"lock", "if_dead", "ttl_ms", "beat_ms"};
    static const char *const values[] = {"\"1_0\"", "\"refuse\"", "60000",
                                         "2000"};

    (void)state;
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

static void
members_that_are_not_known_are_skipped(void **state)
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

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct hf_value value = decode(with_member("later", cases[i]));

        expect_same(&value, &plain);
    }
}

static void
spaces_order_and_escapes_do_not_matter(void **state)
{
    struct hf_value value = decode(
        " {\n \"reason\" : \"a\\u00e9\\ud83d\\uDD12\\/\\\\\\\"\" ,\t"
        "\"owner\":{\"processes\" : [ [ 1 , 2 ] ] , \"hos\\u0074\":\"h\" },"
        "\"beat_ms\": 1 ,\"ttl_ms\":500,\"if_dead\":\"take\\u006fver\","
        "\"l\\u006Fck\":\"\\u0031_2\"}\r\n");

    (void)state;
    assert_true(value.heartbeat.id == 1 && value.heartbeat.count == 2);
    assert_int_equal(value.terms.if_dead, HF_TAKEOVER);
    assert_true(value.terms.ttl.ms == 500 && value.terms.beat.ms == 1);
    assert_string_equal(value.owner.reason, "a\xC3\xA9\xF0\x9F\x94\x92/\\\"");
    assert_string_equal(value.owner.host, "h");
    assert_int_equal(value.owner.processes_count, 1);
    assert_true(value.owner.processes[0].pid == 1);
    assert_true(value.owner.processes[0].start == 2);
}

static void
strings_are_shown_clean_and_cut_at_a_character(void **state)
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

    (void)state;
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

static void
what_is_malformed_of_an_owner_is_left_empty(void **state)
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

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct hf_value value = decode(with_member("owner", cases[i]));

        expect_same_owner(&value.owner, &empty);
    }
}

/* The names of an owner's members mean nothing beside it. */
static void
a_record_without_owner_has_none_whatever_else_it_has(void **state)
{
    struct hf_value value =
        decode(with_member("processes", "[[1,2]],\"host\":\"h\",\"pidns\":7"));
    const struct hf_owner empty = {0};

    (void)state;
    expect_same_owner(&value.owner, &empty);
}

/* The end of those that were understood must not pass for the end of all. */
static void
one_malformed_process_empties_the_whole_list(void **state)
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

    (void)state;
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

/* ---- The audit ----------------------------------------------------------- */

static struct hf_description
cleared_lock(void)
{
    return (struct hf_description){
        .exists = true,
        .space = "default",
        .name = "migrate \"x\"",
        .fence = 17,
        .version = 19,
        .id = 7,
        .beat = 2,
        .if_dead = HF_REFUSE,
        .ttl = {60000},
        .beat_every = {2000},
        .since_ms = 1700000000000,
        .stamp_ms = 1700000001000,
        .host = "db1",
        .user = "ann",
        .command = "./migrate",
        .reason = "release 7",
    };
}

static void
an_audit_says_who_cleared_what_when_and_why(void **state)
{
    const struct hf_owner by = {
        .host = "db2",
        .user = "bob",
        .command = "holdfast clear",
        .reason = "db1 burnt\ndown",
        .since_ms = 1700000009000,
    };
    struct hf_description cleared = cleared_lock();
    struct hf_audit audit = {.cleared = &cleared, .by = &by, .force = true};
    char text[HF_RECORD_TEXT_MAX];
    size_t len = hf_audit_encode(&audit, text, sizeof(text));
    json_t *root = load(text);
    json_t *was = member(root, "cleared");

    (void)state;
    assert_int_equal(len, strlen(text));
    assert_string_equal(string(root, "space"), "default");
    assert_string_equal(string(root, "name"), "migrate \"x\"");
    assert_int_equal(integer(root, "version"), 19);
    assert_int_equal(integer(root, "fence"), 17);
    assert_true(json_is_true(member(root, "force")));
    assert_string_equal(string(root, "reason"), "db1 burnt" FFFD "down");
    assert_string_equal(string(member(root, "by"), "host"), "db2");
    assert_string_equal(string(member(root, "by"), "user"), "bob");
    assert_string_equal(string(member(root, "by"), "command"),
                        "holdfast clear");
    assert_int_equal(integer(member(root, "by"), "since"), 1700000009000);
    assert_string_equal(string(was, "lock"), "7_2");
    assert_string_equal(string(was, "if_dead"), "refuse");
    assert_int_equal(integer(was, "ttl_ms"), 60000);
    assert_int_equal(integer(was, "beat_ms"), 2000);
    assert_int_equal(integer(was, "stamp"), 1700000001000);
    assert_string_equal(string(was, "reason"), "release 7");
    assert_string_equal(string(member(was, "owner"), "host"), "db1");
    assert_string_equal(string(member(was, "owner"), "user"), "ann");
    assert_string_equal(string(member(was, "owner"), "command"), "./migrate");
    assert_int_equal(integer(member(was, "owner"), "since"), 1700000000000);
    json_decref(root);
}

static void
the_audit_of_a_corrupt_record_has_nothing_of_it(void **state)
{
    const struct hf_owner by = {.host = "db2"};
    struct hf_description cleared = cleared_lock();
    struct hf_audit audit = {.cleared = &cleared, .by = &by};
    char text[HF_RECORD_TEXT_MAX];
    json_t *root;

    (void)state;
    cleared.corrupt = true;
    hf_audit_encode(&audit, text, sizeof(text));
    root = load(text);
    assert_true(json_is_null(member(root, "cleared")));
    assert_true(json_is_false(member(root, "force")));
    assert_int_equal(integer(root, "version"), 19);
    json_decref(root);
}

static void
the_longest_audit_fits(void **state)
{
    struct hf_value value = at_the_limits("\"");
    struct hf_description cleared = cleared_lock();
    struct hf_audit audit = {.cleared = &cleared, .by = &value.owner};
    char text[HF_RECORD_TEXT_MAX];

    (void)state;
    fill(cleared.space, HF_SPACE_MAX, "\"");
    fill(cleared.name, HF_NAME_MAX, "\"");
    fill(cleared.host, HF_HOST_MAX, "\\");
    fill(cleared.user, HF_USER_MAX, "\\");
    fill(cleared.command, HF_COMMAND_MAX, "\\");
    fill(cleared.reason, HF_REASON_MAX, "\\");
    cleared.version = UINT64_MAX;
    cleared.fence = UINT64_MAX;
    cleared.id = UINT64_MAX;
    cleared.beat = UINT64_MAX;
    cleared.stamp_ms = INT64_MIN;
    cleared.since_ms = INT64_MIN;
    assert_true(hf_audit_encode(&audit, text, sizeof(text)) < sizeof(text));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_record_is_written_as_designed_and_read_back),
        cmocka_unit_test(values_at_every_limit_come_back_as_they_were),
        cmocka_unit_test(the_least_values_come_back_as_they_were),
        cmocka_unit_test(what_cannot_be_shown_is_written_as_its_replacement),
        cmocka_unit_test(
            what_of_an_owner_cannot_be_read_back_is_written_as_unknown),
        cmocka_unit_test(a_record_is_cut_at_the_buffer_and_tells_its_length),
        cmocka_unit_test(jansson_reads_in_it_what_was_written),
        cmocka_unit_test(what_is_taken_for_a_record_is_json_for_jansson),
        cmocka_unit_test(a_record_cut_short_anywhere_is_corrupt),
        cmocka_unit_test(what_jsmn_lets_pass_and_json_does_not_is_corrupt),
        cmocka_unit_test(what_is_json_but_no_record_is_corrupt),
        cmocka_unit_test(a_text_beyond_the_limits_is_corrupt),
        cmocka_unit_test(a_lock_that_is_not_well_formed_is_corrupt),
        cmocka_unit_test(an_if_dead_that_is_none_of_the_words_is_corrupt),
        cmocka_unit_test(a_ttl_missing_or_out_of_bounds_is_corrupt),
        cmocka_unit_test(a_beat_missing_or_longer_than_the_ttl_is_corrupt),
        cmocka_unit_test(a_member_missing_or_given_twice_is_corrupt),
        cmocka_unit_test(members_that_are_not_known_are_skipped),
        cmocka_unit_test(spaces_order_and_escapes_do_not_matter),
        cmocka_unit_test(strings_are_shown_clean_and_cut_at_a_character),
        cmocka_unit_test(what_is_malformed_of_an_owner_is_left_empty),
        cmocka_unit_test(a_record_without_owner_has_none_whatever_else_it_has),
        cmocka_unit_test(one_malformed_process_empties_the_whole_list),
        cmocka_unit_test(an_audit_says_who_cleared_what_when_and_why),
        cmocka_unit_test(the_audit_of_a_corrupt_record_has_nothing_of_it),
        cmocka_unit_test(the_longest_audit_fits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

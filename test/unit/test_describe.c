#include "support/test.h"

#include <jansson.h>
#include <string.h>

#include "client/view.h"

enum { ENOUGH = 20 * 1024 }; /* as holdfast/view.h promises */

/* Members of the JSON of a diagnosis: rows that have a path in it. */
#define COUNT_MEMBER(field, reading, member, known, in_json, path)             \
    +(sizeof(path) > 1)
enum { MEMBERS = 0 HF_DIAGNOSIS_TABLE(COUNT_MEMBER) };

static struct hf_diagnosis
example(void)
{
    return (struct hf_diagnosis){
        .record =
            {
                .exists = true,
                .space = "default",
                .name = "migrate",
                .fence = 17,
                .version = 19,
                .id = 4611686018427387904u,
                .beat = 2,
                .if_dead = HF_REFUSE,
                .ttl = {60000},
                .beat_every = {2000},
                .since_ms = 1700000000000,
                .stamp_ms = 1700000001000,
                .host = "db1",
                .user = "ann",
                .command = "./migrate --to \"7\"",
                .reason = "release 7",
                .processes = {{812, 813}, 2},
            },
        .life = HF_LIFE_SUSPECTED,
        .here = true,
        .running = false,
        .unchanged = {60000},
        .watched = {61000},
    };
}

static size_t
description_json(const struct hf_description *d, char *buffer, size_t size)
{
    const struct hf_view view = {.kind = HF_VIEW_ROW, .row = *d};

    return hf_view_json(&view, buffer, size);
}

static size_t
diagnosis_json(const struct hf_diagnosis *d, char *buffer, size_t size)
{
    const struct hf_view view = {.kind = HF_VIEW_DIAGNOSIS, .diagnosis = *d};

    return hf_view_json(&view, buffer, size);
}

static const char example_json[] =
    "{\"space\":\"default\",\"name\":\"migrate\",\"exists\":true,"
    "\"corrupt\":false,\"fence\":17,\"version\":19,"
    "\"stamp_ms\":1700000001000,\"lock\":\"4611686018427387904_2\","
    "\"if_dead\":\"refuse\",\"ttl_ms\":60000,\"beat_ms\":2000,"
    "\"since_ms\":1700000000000,\"owner\":{\"host\":\"db1\","
    "\"user\":\"ann\",\"command\":\"./migrate --to \\\"7\\\"\","
    "\"processes\":[812,813]},\"reason\":\"release 7\"}";

static json_t *
load(const char *text)
{
    json_error_t error;
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &error);

    if (root == NULL)
        fail_msg("jansson: %s: %s", error.text, text);
    return root;
}

TEST(every_life_has_its_word)
{
    assert_string_equal(hf_life_word(HF_LIFE_UNKNOWN), "unknown");
    assert_string_equal(hf_life_word(HF_LIFE_BEATING), "beating");
    assert_string_equal(hf_life_word(HF_LIFE_RUNNING), "running");
    assert_string_equal(hf_life_word(HF_LIFE_SUSPECTED), "suspected dead");
    assert_string_equal(hf_life_word(HF_LIFE_GONE), "gone");
    assert_string_equal(hf_life_word((enum hf_life)99), "?");
}

TEST(a_description_is_the_json_of_its_header)
{
    struct hf_diagnosis d = example();
    char text[ENOUGH];

    assert_int_equal(description_json(&d.record, text, sizeof(text)),
                     sizeof(example_json) - 1);
    assert_string_equal(text, example_json);
    json_decref(load(text));
}

TEST(a_lock_that_is_not_there_has_only_its_name)
{
    struct hf_diagnosis d = example();
    char text[ENOUGH];

    d.record.exists = false;
    description_json(&d.record, text, sizeof(text));
    assert_string_equal(text, "{\"space\":\"default\",\"name\":\"migrate\","
                              "\"exists\":false}");
}

TEST(a_corrupt_record_has_only_what_the_place_says_of_it)
{
    struct hf_diagnosis d = example();
    char text[ENOUGH];

    d.record.corrupt = true;
    description_json(&d.record, text, sizeof(text));
    assert_string_equal(text, "{\"space\":\"default\",\"name\":\"migrate\","
                              "\"exists\":true,\"corrupt\":true,\"fence\":17,"
                              "\"version\":19,\"stamp_ms\":1700000001000}");
}

TEST(a_name_that_no_lock_can_have_is_marked)
{
    struct hf_diagnosis d = example();
    char text[ENOUGH];

    d.record.corrupt = true;
    d.record.foreign_name = true;
    description_json(&d.record, text, sizeof(text));
    assert_string_equal(text, "{\"space\":\"default\",\"name\":\"migrate\","
                              "\"foreign_name\":true,\"exists\":true,"
                              "\"corrupt\":true,\"fence\":17,"
                              "\"version\":19,\"stamp_ms\":1700000001000}");
}

TEST(a_diagnosis_is_its_record_and_what_is_known_of_the_holder)
{
    static const struct {
        bool here;
        bool running;
        bool same_boot;
    } cases[] = {
        {false, false, false},
        {false, false, true}, /* in another pid namespace */
        {true, false, true},
        {true, true, true},
    };
    struct hf_diagnosis d = example();
    char text[ENOUGH];
    char record[ENOUGH];

    description_json(&d.record, record, sizeof(record));
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        json_t *root;
        json_t *part;
        json_t *whole = load(record);
        size_t len;

        d.here = cases[i].here;
        d.running = cases[i].running;
        d.same_boot = cases[i].same_boot;
        len = diagnosis_json(&d, text, sizeof(text));
        assert_int_equal(len, strlen(text));
        root = load(text);
        part = json_object_get(root, "record");
        assert_int_equal(json_object_size(root), MEMBERS);
        assert_true(json_is_null(json_object_get(root, "error")));
        assert_true(json_equal(part, whole));
        assert_string_equal(json_string_value(json_object_get(root, "life")),
                            "suspected dead");
        assert_int_equal(json_is_true(json_object_get(root, "here")),
                         cases[i].here);
        assert_int_equal(json_is_true(json_object_get(root, "running")),
                         cases[i].running);
        assert_int_equal(json_is_true(json_object_get(root, "same_boot")),
                         cases[i].same_boot);
        assert_int_equal(
            json_integer_value(json_object_get(root, "unchanged_ms")), 60000);
        assert_int_equal(
            json_integer_value(json_object_get(root, "watched_ms")), 61000);
        json_decref(root);
        json_decref(whole);
    }
}

TEST(a_place_that_does_not_answer_is_told_in_json)
{
    struct hf_diagnosis d = example();
    char text[ENOUGH];
    json_t *root;

    d.error = (struct hf_error){HF_E_UNAVAILABLE, "x: the disk is full"};
    diagnosis_json(&d, text, sizeof(text));
    root = load(text);
    assert_string_equal(json_string_value(json_object_get(root, "error")),
                        "x: the disk is full");
    json_decref(root);
}

static void
fill(char *to, size_t max, char byte)
{
    memset(to, byte, max);
    to[max] = '\0';
}

/* A control character takes most room: six bytes for one. */
TEST(the_longest_diagnosis_fits_as_promised)
{
    static const char bytes[] = "\x01\"\xFF";
    char text[ENOUGH];

    for (size_t i = 0; bytes[i] != '\0'; i++) {
        struct hf_diagnosis d = example();

        fill(d.record.space, HF_SPACE_MAX, bytes[i]);
        fill(d.record.name, HF_NAME_MAX, bytes[i]);
        fill(d.record.host, HF_HOST_MAX, bytes[i]);
        fill(d.record.user, HF_USER_MAX, bytes[i]);
        fill(d.record.command, HF_COMMAND_MAX, bytes[i]);
        fill(d.record.reason, HF_REASON_MAX, bytes[i]);
        d.record.fence = d.record.version = INT64_MAX;
        d.record.id = d.record.beat = UINT64_MAX;
        d.record.ttl = d.record.beat_every = HF_FOREVER;
        d.record.since_ms = d.record.stamp_ms = INT64_MIN;
        d.record.processes.count = HF_PROCESSES_MAX;
        for (size_t p = 0; p < HF_PROCESSES_MAX; p++)
            d.record.processes.each[p] = INT64_MIN;
        d.unchanged = d.watched = HF_FOREVER;
        fill(d.error.text, sizeof(d.error.text) - 1, bytes[i]);

        assert_true(diagnosis_json(&d, text, sizeof(text)) < sizeof(text));
        json_decref(load(text));
    }
}

TEST(a_text_too_long_is_cut_and_its_length_tells)
{
    struct hf_diagnosis d = example();

    for (size_t size = 0; size <= sizeof(example_json); size++) {
        char text[sizeof(example_json) + 1];

        memset(text, '#', sizeof(text));
        assert_int_equal(description_json(&d.record, text, size),
                         sizeof(example_json) - 1);
        if (size > 0)
            assert_int_equal(strlen(text), size - 1);
        for (size_t i = size; i < sizeof(text); i++)
            assert_int_equal(text[i], '#');
    }
}

TEST(any_string_becomes_json)
{
    char text[64];

    assert_int_equal(hf_json_string("", text, sizeof(text)), 2);
    assert_string_equal(text, "\"\"");
    assert_int_equal(hf_json_string("a\"\\\n\x1B\xFF", text, sizeof(text)), 18);
    assert_string_equal(text, "\"a\\\"\\\\\\n\\u001b\xEF\xBF\xBD\"");
    assert_int_equal(hf_json_string("four", text, 3), 6);
    assert_string_equal(text, "\"f");
    assert_int_equal(hf_json_string("four", NULL, 0), 6);
}

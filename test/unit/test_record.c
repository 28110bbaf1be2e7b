#include "support/test.h"
#include "unit/support/values.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "base/text.h"
#include "client/view.h"

#define FFFD "\xEF\xBF\xBD"

static const char example_json[] = EXAMPLE_JSON;

/* ---- Both ways ----------------------------------------------------------- */

TEST(a_record_is_written_as_designed_and_read_back)
{
    struct hf_value value = example();
    struct hf_value read;
    char text[HF_RECORD_TEXT_MAX];
    size_t len = hf_record_encode(&value, text, sizeof(text));

    assert_string_equal(text, example_json);
    assert_int_equal(len, sizeof(example_json) - 1);
    read = decode(text);
    expect_same(&read, &value);
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

TEST(values_at_every_limit_come_back_as_they_were)
{
    static const char *const units[] = {
        "a", "\"", "\\", "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x94\x92"};

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

TEST(the_least_values_come_back_as_they_were)
{
    struct hf_value value = {
        .terms = {HF_TAKEOVER, {HF_TTL_MIN_MS}, {1}},
    };
    struct hf_value read;
    char text[HF_RECORD_TEXT_MAX];

    hf_record_encode(&value, text, sizeof(text));
    read = decode(text);
    expect_same(&read, &value);
}

/* Each string of the owner, and any bytes but NUL: the record stays sound. */
TEST(what_cannot_be_shown_is_written_as_its_replacement)
{
    static const char *const units[] = {"\x01",     "\n",           "\x1B[2J",
                                        "\x7F",     "\xFF",         "\xC3",
                                        "\xC2\x85", "\xED\xA0\x80", "\xE2\x82"};

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

TEST(what_of_an_owner_cannot_be_read_back_is_written_as_unknown)
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

TEST(a_record_is_cut_at_the_buffer_and_tells_its_length)
{
    struct hf_value value = example();

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

TEST(jansson_reads_in_it_what_was_written)
{
    struct hf_value value = example();

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
TEST(what_is_taken_for_a_record_is_json_for_jansson)
{
    char text[sizeof(example_json)];
    int taken = 0;

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

static struct hf_audit_entry
cleared_by_bob(void)
{
    return (struct hf_audit_entry){
        .asked_ms = 1700000009000,
        .forced = true,
        .host = "db2",
        .user = "bob",
        .command = "holdfast clear",
        .reason = "db1 burnt\ndown",
        .cleared = cleared_lock(),
    };
}

TEST(an_audit_says_who_cleared_what_when_and_why)
{
    struct hf_audit_entry entry = cleared_by_bob();
    char text[HF_RECORD_TEXT_MAX];
    size_t len = hf_audit_encode(&entry, text, sizeof(text));
    json_t *root = load(text);
    json_t *was = member(root, "cleared");

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

TEST(the_audit_of_a_corrupt_record_has_nothing_of_it)
{
    struct hf_audit_entry entry = {.host = "db2", .cleared = cleared_lock()};
    char text[HF_RECORD_TEXT_MAX];
    json_t *root;

    entry.cleared.corrupt = true;
    hf_audit_encode(&entry, text, sizeof(text));
    root = load(text);
    assert_true(json_is_null(member(root, "cleared")));
    assert_true(json_is_false(member(root, "force")));
    assert_int_equal(integer(root, "version"), 19);
    json_decref(root);
}

static struct hf_audit_entry
longest_entry(void)
{
    struct hf_audit_entry entry = cleared_by_bob();
    struct hf_description *cleared = &entry.cleared;

    fill(entry.host, HF_HOST_MAX, "\"");
    fill(entry.user, HF_USER_MAX, "\"");
    fill(entry.command, HF_COMMAND_MAX, "\"");
    fill(entry.reason, HF_REASON_MAX, "\"");
    fill(cleared->space, HF_SPACE_MAX, "\"");
    fill(cleared->name, HF_NAME_MAX, "\"");
    fill(cleared->host, HF_HOST_MAX, "\\");
    fill(cleared->user, HF_USER_MAX, "\\");
    fill(cleared->command, HF_COMMAND_MAX, "\\");
    fill(cleared->reason, HF_REASON_MAX, "\\");
    cleared->version = INT64_MAX;
    cleared->fence = INT64_MAX;
    cleared->id = INT64_MAX;
    cleared->beat = UINT64_MAX;
    cleared->stamp_ms = INT64_MIN;
    cleared->since_ms = INT64_MIN;
    return entry;
}

TEST(the_longest_audit_fits)
{
    const struct hf_view view = {.kind = HF_VIEW_ENTRY,
                                 .entry = longest_entry()};
    char text[HF_RECORD_TEXT_MAX];

    assert_true(hf_audit_encode(&view.entry, text, sizeof(text)) <
                sizeof(text));
    assert_true(hf_view_json(&view, text, sizeof(text)) < sizeof(text));
}

static void
expect_same_cleared(const struct hf_description *a,
                    const struct hf_description *b)
{
    assert_int_equal(a->corrupt, b->corrupt);
    assert_string_equal(a->space, b->space);
    assert_string_equal(a->name, b->name);
    assert_true(a->version == b->version && a->fence == b->fence);
    assert_true(a->id == b->id && a->beat == b->beat);
    assert_int_equal(a->if_dead, b->if_dead);
    assert_true(a->ttl.ms == b->ttl.ms);
    assert_true(a->beat_every.ms == b->beat_every.ms);
    assert_true(a->since_ms == b->since_ms && a->stamp_ms == b->stamp_ms);
    assert_string_equal(a->host, b->host);
    assert_string_equal(a->user, b->user);
    assert_string_equal(a->command, b->command);
    assert_string_equal(a->reason, b->reason);
}

static void
expect_read_back(const struct hf_audit_entry *entry)
{
    char text[HF_RECORD_TEXT_MAX];
    size_t len = hf_audit_encode(entry, text, sizeof(text));
    struct hf_audit_entry read;
    struct hf_error error;

    if (hf_audit_decode(text, len, &read, &error) != HF_OK)
        fail_msg("%s: %s", error.text, text);
    assert_false(read.corrupt);
    assert_true(read.cleared.exists);
    assert_int_equal(read.forced, entry->forced);
    assert_true(read.asked_ms == entry->asked_ms);
    assert_string_equal(read.host, entry->host);
    assert_string_equal(read.user, entry->user);
    assert_string_equal(read.command, entry->command);
    assert_string_equal(read.reason, entry->reason);
    expect_same_cleared(&read.cleared, &entry->cleared);
}

TEST(an_audit_is_read_back_as_it_was_written)
{
    struct hf_audit_entry entry = cleared_by_bob();

    snprintf(entry.reason, sizeof(entry.reason), "db1 burnt \"down\"");
    expect_read_back(&entry);
    entry = longest_entry();
    expect_read_back(&entry);
    entry = (struct hf_audit_entry){
        .cleared = {.corrupt = true, .space = "s", .name = "n"}};
    expect_read_back(&entry);
}

/* Each member that must be there is taken away, and then spoilt. */
TEST(what_is_no_audit_is_corrupt)
{
    static const char *const bad[] = {
        "",
        "[]",
        "{}",
        "{\"name\":\"n\",\"version\":1,\"fence\":1,\"by\":{},"
        "\"cleared\":null}",
        "{\"space\":\"s\",\"version\":1,\"fence\":1,\"by\":{},"
        "\"cleared\":null}",
        "{\"space\":\"s\",\"name\":\"n\",\"fence\":1,\"by\":{},"
        "\"cleared\":null}",
        "{\"space\":\"s\",\"name\":\"n\",\"version\":1,\"by\":{},"
        "\"cleared\":null}",
        "{\"space\":\"s\",\"name\":\"n\",\"version\":1,\"fence\":1,"
        "\"cleared\":null}",
        "{\"space\":\"s\",\"name\":\"n\",\"version\":1,\"fence\":1,"
        "\"by\":{}}",
        "{\"space\":\"s\",\"name\":\"n\",\"version\":1,\"fence\":1,"
        "\"by\":{},\"cleared\":{}}",
        "{\"space\":\"s\",\"name\":\"n\",\"version\":1,\"fence\":1,"
        "\"by\":{},\"cleared\":true}",
        "{\"space\":\"s\",\"name\":\"n\",\"version\":-1,\"fence\":1,"
        "\"by\":{},\"cleared\":null}",
        "{\"space\":\"\",\"name\":\"n\",\"version\":1,\"fence\":1,"
        "\"by\":{},\"cleared\":null}",
        "{\"lock\":\"1_0\",\"if_dead\":\"refuse\",\"ttl_ms\":60000,"
        "\"beat_ms\":2000}",
    };
    static const char least[] =
        "{\"space\":\"s\",\"name\":\"n\",\"version\":1,\"fence\":1,"
        "\"by\":{},\"cleared\":null}";
    struct hf_audit_entry entry = {.asked_ms = 4711};

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct hf_error error = {0};

        if (hf_audit_decode(bad[i], strlen(bad[i]), &entry, &error) !=
            HF_E_CORRUPT)
            fail_msg("taken for an audit: %s", bad[i]);
        assert_true(error.text[0] != '\0');
        assert_int_equal(entry.asked_ms, 4711);
    }
    assert_int_equal(hf_audit_decode(least, strlen(least), &entry, NULL),
                     HF_OK);
}

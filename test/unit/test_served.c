#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "core/lockspace/journal.h"
#include "wire/served.h"

/* Sessions and grants as records: what is written, and what is refused. */

#define ID      "00f3ab91c07d5e24"
#define FENCE   UINT64_C(1763850690123456)

#define REQUEST "\"session\":\"" ID "\",\"lane\":3,\"n\":17"
#define LOCK_A  "{\"space\":\"default\",\"name\":\"a\",\"mode\":\"exclusive\"}"
#define LOCK_B                                                                 \
    "{\"space\":\"app\",\"name\":\"b \\\"c\\\"\",\"mode\":\"shared\"}"
#define LOCKS "\"locks\":[" LOCK_A "," LOCK_B "]"
#define REST  "\"since\":1763850690123,\"note\":\"./migrate \xE2\x9C\x93\""
#define GRANT "{" REQUEST "," LOCKS "," REST "}"

static struct hf_served_memory memory;

static struct hf_bytes
bytes(const char *text)
{
    return (struct hf_bytes){text, strlen(text)};
}

static void
expect_bytes(struct hf_bytes text, const char *expected)
{
    assert_int_equal(text.len, strlen(expected));
    assert_memory_equal(text.at, expected, text.len);
}

static struct hf_served_grant
decode_grant(uint64_t fence, const char *text)
{
    struct hf_served_grant grant;
    struct hf_error error;

    memory.texts_len = 0;
    if (hf_served_decode_grant(fence, bytes(text), &memory, &grant, &error) !=
        HF_OK)
        fail_msg("%s: %s", error.text, text);
    return grant;
}

static void
expect_no_session(struct hf_loaded_session session, const char *clause)
{
    struct hf_error error = {.status = HF_OK};

    if (hf_served_judge_session(&session, &error) != HF_E_CORRUPT ||
        error.status != HF_E_CORRUPT || strstr(error.text, clause) == NULL)
        fail_msg("%s: %s", clause, error.text);
}

static void
expect_no_grant(uint64_t fence, const char *text, const char *clause)
{
    struct hf_served_grant grant = {.since_ms = 42};
    struct hf_error error = {.status = HF_OK};

    memory.texts_len = 0;
    if (hf_served_decode_grant(fence, bytes(text), &memory, &grant, &error) !=
            HF_E_CORRUPT ||
        error.status != HF_E_CORRUPT || strstr(error.text, clause) == NULL)
        fail_msg("%s: %s", text, error.text);
    assert_true(grant.since_ms == 42 && memory.texts_len == 0);
}

/* ---- Both ways ----------------------------------------------------------- */

static void
a_grant_is_read_and_written_as_designed(void **state)
{
    struct hf_served_grant grant = decode_grant(FENCE, GRANT);
    const struct hf_loaded_grant *loaded = &grant.loaded;
    char text[HF_SERVED_RECORD_MAX];

    (void)state;
    assert_true(loaded->fence == FENCE);
    assert_true(loaded->session == UINT64_C(0x00f3ab91c07d5e24));
    assert_true(loaded->lane == 3 && loaded->n == 17);
    assert_int_equal(loaded->wants_count, 2);
    expect_bytes(loaded->wants[0].space, "default");
    expect_bytes(loaded->wants[0].name, "a");
    assert_int_equal(loaded->wants[0].mode, HF_EXCLUSIVE);
    expect_bytes(loaded->wants[1].space, "app");
    expect_bytes(loaded->wants[1].name, "b \"c\"");
    assert_int_equal(loaded->wants[1].mode, HF_SHARED);
    expect_bytes(loaded->note, "./migrate \xE2\x9C\x93");
    assert_true(grant.since_ms == 1763850690123 && loaded->age.ms == 0);
    assert_int_equal(hf_served_encode_grant(&grant, text, sizeof(text)),
                     strlen(GRANT));
    assert_string_equal(text, GRANT);
}

static void
order_blanks_and_escapes_do_not_matter(void **state)
{
    struct hf_served_grant grant = decode_grant(
        FENCE,
        " {\"n\\u006fte\" : \"\\u0077hy\", \"since\":0, \"locks\" :\n[ {"
        "\"mode\":\"shared\",\"name\":\"\\ud83d\\udd12\","
        "\"space\":\"\\/\"} ],\"n\":1,\"lane\":0,\"session\":\"" ID "\"}");

    (void)state;
    expect_bytes(grant.loaded.note, "why");
    expect_bytes(grant.loaded.wants[0].name, "\xF0\x9F\x94\x92");
    expect_bytes(grant.loaded.wants[0].space, "/");
}

/* As the journal has it. */
static struct hf_served_row
row_of(const struct hf_served_grant *grant, const char *locks)
{
    struct hf_served_row row = {.grant = *grant, .locks = bytes(locks)};

    row.grant.loaded.wants = NULL;
    row.grant.loaded.wants_count = 0;
    return row;
}

static void
a_grants_row_is_read_as_it_was_written(void **state)
{
    static struct hf_served_memory other;
    struct hf_served_grant grant = decode_grant(FENCE, GRANT);
    char locks[HF_SERVED_RECORD_MAX];
    char text[HF_SERVED_RECORD_MAX];
    struct hf_served_grant read;
    struct hf_served_row row;
    struct hf_text out;

    (void)state;
    hf_text_init(&out, locks, sizeof(locks));
    hf_served_write_locks(&grant.loaded, &out);
    assert_string_equal(locks, "[" LOCK_A "," LOCK_B "]");
    row = row_of(&grant, locks);
    assert_int_equal(hf_served_read_row(&row, &other, &read, NULL), HF_OK);
    assert_true(read.loaded.fence == FENCE);
    hf_served_encode_grant(&read, text, sizeof(text));
    assert_string_equal(text, GRANT);
}

static void
expect_no_row(const struct hf_served_row *row, const char *clause)
{
    struct hf_served_grant grant = {.since_ms = 42};
    struct hf_error error = {.status = HF_OK};

    memory.texts_len = 0;
    if (hf_served_read_row(row, &memory, &grant, &error) != HF_E_CORRUPT ||
        error.status != HF_E_CORRUPT || strstr(error.text, clause) == NULL)
        fail_msg("%s: %s", clause, error.text);
    assert_true(grant.since_ms == 42 && memory.texts_len == 0);
}

static void
what_is_no_row_of_a_grant_is_corrupt(void **state)
{
    static const struct {
        const char *locks;
        const char *clause;
    } cases[] = {
        {"", "not JSON"},
        {"[" LOCK_A, "not JSON"},
        {"[]", "\"locks\""},
        {"{}", "\"locks\""},
        {"\"x\"", "\"locks\""},
        {"[" LOCK_A "," LOCK_A "]", "given twice"},
        {"[{\"space\":\"!s\",\"name\":\"n\",\"mode\":\"shared\"}]",
         "Holdfast's own"},
    };
    struct hf_served_grant grant = decode_grant(FENCE, GRANT);
    struct hf_served_row row;

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        row = row_of(&grant, cases[i].locks);
        expect_no_row(&row, cases[i].clause);
    }
    row = row_of(&grant, "[" LOCK_A "]");
    row.grant.loaded.session = 0;
    expect_no_row(&row, "session");
    row = row_of(&grant, "[" LOCK_A "]");
    row.grant.since_ms = -1;
    expect_no_row(&row, "begin");
    row = row_of(&grant, "[" LOCK_A "]");
    row.grant.loaded.n = 0;
    expect_no_row(&row, "the n ");
    row = row_of(&grant, "[" LOCK_A "]");
    row.grant.loaded.lane = UINT64_MAX;
    expect_no_row(&row, "the lane");
    row = row_of(&grant, "[" LOCK_A "]");
    row.grant.loaded.note = bytes("\x1b[2J");
    expect_no_row(&row, "note");
}

static void
an_age_is_told_by_the_wall_clock_and_is_never_negative(void **state)
{
    (void)state;
    assert_int_equal(hf_served_age(1000, 1234).ms, 234);
    assert_int_equal(hf_served_age(1234, 1000).ms, 0);
    assert_int_equal(hf_served_age(0, INT64_MAX).ms, INT64_MAX);
}

/* ---- Sizes --------------------------------------------------------------- */

/* Characters that take the most bytes when they are written. */
static const char *const units[] = {
    "\"", "\\", "a", "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x94\x92"};

static void
fill_with(char *to, size_t max, const char *unit)
{
    size_t width = strlen(unit);

    for (size_t used = 0; used < max; used += width) {
        if (used + width > max) {
            memset(to + used, '.', max - used);
            return;
        }
        memcpy(to + used, unit, width);
    }
}

/* Second opinion: is it JSON, and strictly? */
static void
expect_json(const char *text)
{
    json_error_t error;
    json_t *json = json_loads(text, JSON_REJECT_DUPLICATES, &error);

    if (json == NULL)
        fail_msg("%s: %s", error.text, text);
    json_decref(json);
}

/* `count` locks with texts of `space_len` and `name_len` bytes, and a note. */
static void
expect_within_bound(const char *unit, size_t count, size_t space_len,
                    size_t name_len, size_t note_len)
{
    static char names[HF_SERVED_NAMES_MAX][HF_NAME_MAX];
    char space[HF_SPACE_MAX];
    char note[HF_SERVED_NOTE_MAX];
    struct hf_want wants[HF_SERVED_NAMES_MAX];
    struct hf_served_grant grant = {
        .loaded = {.fence = HF_SERVED_FENCE_MAX,
                   .session = UINT64_MAX,
                   .lane = INT64_MAX,
                   .n = INT64_MAX,
                   .wants = wants,
                   .wants_count = count,
                   .note = {note, note_len}},
        .since_ms = INT64_MAX,
    };
    struct hf_served_grant read;
    char text[2 * HF_RECORD_TEXT_MAX];
    char again[HF_SERVED_RECORD_MAX];
    size_t bound =
        hf_journal_grant_bytes(count, count * (space_len + name_len), note_len);
    size_t len;

    fill_with(space, space_len, unit);
    fill_with(note, note_len, unit);
    for (size_t i = 0; i < count; i++) {
        /* All are different. */
        fill_with(names[i], name_len - 2, unit);
        names[i][name_len - 2] = (char)('A' + i / 10);
        names[i][name_len - 1] = (char)('0' + i % 10);
        wants[i] = (struct hf_want){
            {space, space_len}, {names[i], name_len}, HF_EXCLUSIVE};
    }
    len = hf_served_encode_grant(&grant, text, sizeof(text));
    expect_json(text);
    assert_true(len + sizeof("4611686018427387904") <= bound);
    if (bound > HF_SERVED_RECORD_MAX) {
        expect_no_grant(HF_SERVED_FENCE_MAX, text,
                        "more than a grant may have");
        return;
    }
    read = decode_grant(HF_SERVED_FENCE_MAX, text);
    assert_int_equal(hf_served_encode_grant(&read, again, sizeof(again)), len);
    assert_string_equal(again, text);
}

static void
no_grant_is_larger_than_the_journal_says(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        expect_within_bound(units[i], 1, HF_SPACE_MAX, HF_NAME_MAX, 0);
        expect_within_bound(units[i], 1, HF_SPACE_MAX, HF_NAME_MAX,
                            HF_SERVED_NOTE_MAX);
        expect_within_bound(units[i], 5, HF_SPACE_MAX, HF_NAME_MAX, 0);
        expect_within_bound(units[i], 6, HF_SPACE_MAX, HF_NAME_MAX, 0);
        expect_within_bound(units[i], HF_SERVED_NAMES_MAX, 12, 16, 0);
        expect_within_bound(units[i], HF_SERVED_NAMES_MAX, 12, 24, 0);
        expect_within_bound(units[i], HF_SERVED_NAMES_MAX, 12, 26, 0);
    }
    expect_within_bound("a", 1, 1, 2, 0);
    expect_within_bound("a", HF_SERVED_NAMES_MAX, 1, 2, 0);
}

/* ---- What is refused ----------------------------------------------------- */

static void
what_is_no_session_is_corrupt(void **state)
{
    const struct hf_loaded_session session = {
        .id = 7, .ttl = {30000}, .who = {"ann@db1", 7}};
    struct hf_loaded_session other = session;

    (void)state;
    assert_int_equal(hf_served_judge_session(&session, NULL), HF_OK);
    other.id = 0;
    expect_no_session(other, "id");
    other = session;
    other.ttl.ms = HF_TTL_MIN_MS - 1;
    expect_no_session(other, "the ttl is 499 ms: from 500ms to 7d are allowed");
    other.ttl.ms = HF_TTL_MAX_MS + 1;
    expect_no_session(other, "the ttl is 604800001 ms");
    other = session;
    other.silent_from.ms = -1;
    expect_no_session(other, "silent from -1 ms");
    other = session;
    other.who = bytes("a\tb");
    expect_no_session(other, "who");
    other.who = bytes("\xFF");
    expect_no_session(other, "who");
}

static void
what_is_no_grant_is_corrupt(void **state)
{
    static const struct {
        const char *text;
        const char *clause;
    } cases[] = {
        {"", "not JSON"},
        {"null", "not JSON"},
        {"{" LOCKS "," REST "}", "no \"session\""},
        {"{" REQUEST "," REST "}", "no \"locks\""},
        {"{" REQUEST "," LOCKS "}", "no \"since\""},
        {"{" REQUEST "," LOCKS "," REST ",\"lame\":3}", "unknown member"},
        {"{" REQUEST "," LOCKS "," REST ",\"lane\":3}", "given twice"},
        {"{\"session\":\"f3ab91c07d5e24\",\"lane\":3,\"n\":17," LOCKS "," REST
         "}",
         "\"session\""},
        {"{\"session\":\"0000000000000000\",\"lane\":3,\"n\":17," LOCKS "," REST
         "}",
         "\"session\""},
        {"{\"session\":7,\"lane\":3,\"n\":17," LOCKS "," REST "}",
         "\"session\""},
        {"{\"session\":\"" ID "\",\"lane\":-1,\"n\":17," LOCKS "," REST "}",
         "\"lane\""},
        {"{\"session\":\"" ID "\",\"lane\":9223372036854775808,\"n\":17," LOCKS
         "," REST "}",
         "\"lane\""},
        {"{\"session\":\"" ID "\",\"lane\":3,\"n\":0," LOCKS "," REST "}",
         "\"n\""},
        {"{" REQUEST "," LOCKS ",\"since\":-1,\"note\":\"\"}", "\"since\""},
        {"{" REQUEST "," LOCKS ",\"since\":1,\"note\":\"\\u001b[2J\"}",
         "\"note\""},
        {"{" REQUEST "," LOCKS ",\"since\":1,\"note\":[]}", "\"note\""},
        {"{" REQUEST ",\"locks\":[]," REST "}", "\"locks\""},
        {"{" REQUEST ",\"locks\":{}," REST "}", "\"locks\""},
        {"{" REQUEST ",\"locks\":[7]," REST "}", "no object"},
        {"{" REQUEST ",\"locks\":[[]]," REST "}", "no object"},
        {"{" REQUEST ",\"locks\":[" LOCK_A "," LOCK_B "," LOCK_A "]," REST "}",
         "a lock is given twice"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        expect_no_grant(FENCE, cases[i].text, cases[i].clause);
}

static void
a_lock_that_nobody_could_ask_for_is_corrupt(void **state)
{
    static const struct {
        const char *lock;
        const char *clause;
    } cases[] = {
        {"{\"space\":\"s\",\"name\":\"n\"}", "no \"mode\""},
        {"{\"space\":\"s\",\"mode\":\"shared\"}", "no \"name\""},
        {"{\"name\":\"n\",\"mode\":\"shared\"}", "no \"space\""},
        {"{\"space\":\"s\",\"name\":\"n\",\"mode\":\"shared\",\"fence\":1}",
         "unknown member \"fence\""},
        {"{\"space\":\"s\",\"name\":\"n\",\"mode\":\"shared\",\"name\":\"m\"}",
         "given twice"},
        {"{\"space\":\"\",\"name\":\"n\",\"mode\":\"shared\"}", "space"},
        {"{\"space\":\"!s\",\"name\":\"n\",\"mode\":\"shared\"}",
         "Holdfast's own"},
        {"{\"space\":\"s\",\"name\":\"\",\"mode\":\"shared\"}", "name"},
        {"{\"space\":\"s\",\"name\":7,\"mode\":\"shared\"}", "\"name\""},
        {"{\"space\":\"s\",\"name\":\"\\u202e\",\"mode\":\"shared\"}",
         "\"name\""},
        {"{\"space\":\"s\",\"name\":\"n\",\"mode\":\"until-free\"}",
         "\"mode\""},
        {"{\"space\":\"s\",\"name\":\"n\",\"mode\":\"\"}", "\"mode\""},
        {"{\"space\":\"s\",\"name\":\"n\",\"mode\":0}", "\"mode\""},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[512];

        snprintf(text, sizeof(text), "{" REQUEST ",\"locks\":[%s]," REST "}",
                 cases[i].lock);
        expect_no_grant(FENCE, text, cases[i].clause);
    }
}

static void
texts_that_are_too_long_are_corrupt(void **state)
{
    char text[HF_SERVED_RECORD_MAX];
    char dots[HF_SERVED_NOTE_MAX + 1];

    (void)state;
    memset(dots, '.', sizeof(dots));
    snprintf(text, sizeof(text),
             "{" REQUEST "," LOCKS ",\"since\":1,\"note\":\"%.*s\"}",
             HF_SERVED_NOTE_MAX + 1, dots);
    expect_no_grant(FENCE, text, "the note has 2049 bytes");
    snprintf(text, sizeof(text),
             "{" REQUEST ",\"locks\":[{\"space\":\"s\",\"name\":\"%.*s\","
             "\"mode\":\"shared\"}]," REST "}",
             HF_NAME_MAX + 1, dots);
    expect_no_grant(FENCE, text, "the name has 513 bytes");
    expect_no_session(
        (struct hf_loaded_session){
            .id = 7, .ttl = {30000}, .who = {dots, HF_SERVED_WHO_MAX + 1}},
        "the who has 1025 bytes");
}

static void
more_locks_than_a_grant_may_have_are_corrupt(void **state)
{
    char text[HF_SERVED_RECORD_MAX];
    size_t len =
        (size_t)snprintf(text, sizeof(text), "{" REQUEST ",\"locks\":[");

    (void)state;
    for (int i = 0; i <= HF_SERVED_NAMES_MAX; i++)
        len += (size_t)snprintf(
            text + len, sizeof(text) - len,
            "%s{\"space\":\"s\",\"name\":\"%d\",\"mode\":\"shared\"}",
            i > 0 ? "," : "", i);
    snprintf(text + len, sizeof(text) - len, "]," REST "}");
    expect_no_grant(FENCE, text, "more than 64 locks");
}

static void
a_fence_out_of_bounds_is_corrupt(void **state)
{
    (void)state;
    expect_no_grant(0, GRANT, "fence");
    expect_no_grant(HF_SERVED_FENCE_MAX + 1, GRANT, "fence");
    expect_no_grant(UINT64_MAX, GRANT, "fence");
}

static void
a_record_cut_short_anywhere_is_corrupt(void **state)
{
    char text[sizeof(GRANT)];

    (void)state;
    for (size_t len = 0; len < sizeof(GRANT) - 1; len++) {
        memcpy(text, GRANT, len);
        text[len] = '\0';
        expect_no_grant(FENCE, text, "");
    }
}

/* ---- The door ------------------------------------------------------------ */

static void
expect_refused(const struct hf_message *message, const char *sentence)
{
    struct hf_error error = {.status = HF_OK};

    if (hf_served_check(message, &error) != HF_E_INVALID ||
        strstr(error.text, sentence) == NULL)
        fail_msg("%s: %s", sentence, error.text);
}

static void
what_cannot_be_kept_of_an_open_is_refused_at_the_door(void **state)
{
    char dots[HF_SERVED_WHO_MAX + 1];
    struct hf_message message = {
        .kind = HF_MESSAGE_OPEN,
        .open = {.ttl = {HF_TTL_MIN_MS}, .who = bytes("ann@db1")},
    };

    (void)state;
    assert_int_equal(hf_served_check(&message, NULL), HF_OK);
    message.open.ttl.ms = HF_TTL_MIN_MS - 1;
    expect_refused(&message, "the ttl is 499 ms: from 500ms to 7d are allowed");
    message.open.ttl.ms = HF_TTL_MAX_MS + 1;
    expect_refused(&message, "the ttl is 604800001 ms");
    message.open.ttl.ms = HF_TTL_MAX_MS;
    message.open.who = bytes("ann\n");
    expect_refused(&message, "the who must be UTF-8");
    message.open.who = bytes("\xFF");
    expect_refused(&message, "the who must be UTF-8");
    message.open.who = (struct hf_bytes){"a\0b", 3};
    expect_refused(&message, "the who must be UTF-8");
    memset(dots, '.', sizeof(dots));
    message.open.who = (struct hf_bytes){dots, sizeof(dots)};
    expect_refused(&message, "the who has 1025 bytes");
    message.open.who.len--;
    assert_int_equal(hf_served_check(&message, NULL), HF_OK);
}

static void
an_acquire_names_locks_and_each_of_them_once(void **state)
{
    const struct hf_want wants[] = {
        {.space = bytes("default"), .name = bytes("a"), .mode = HF_SHARED},
        {.space = bytes("other"), .name = bytes("a"), .mode = HF_SHARED},
        {.space = bytes("default"), .name = bytes("a"), .mode = HF_EXCLUSIVE},
    };
    struct hf_message message = {
        .kind = HF_MESSAGE_ACQUIRE,
        .lane = 1,
        .n = 1,
        .acquire = {.wants = wants, .wants_count = 2},
    };

    (void)state;
    assert_int_equal(hf_served_check(&message, NULL), HF_OK);
    message.acquire.wants_count = 3;
    expect_refused(&message, "lock a is named twice");
    message.acquire.wants_count = 0;
    expect_refused(&message, "no lock is named");
}

static void
nor_is_a_clear_let_in_of_what_no_lock_can_be(void **state)
{
    struct hf_message clear = {.kind = HF_MESSAGE_CLEAR};
    struct hf_error error;

    (void)state;
    clear.clear.lock.space = (struct hf_bytes){"default", 7};
    clear.clear.lock.name = (struct hf_bytes){"a", 1};
    assert_int_equal(hf_served_check(&clear, &error), HF_OK);
    clear.clear.lock.space = (struct hf_bytes){"!sessions", 9};
    assert_int_equal(hf_served_check(&clear, &error), HF_E_INVALID);
    clear.clear.lock.space = (struct hf_bytes){"default", 7};
    clear.clear.lock.name = (struct hf_bytes){"a\n", 2};
    assert_int_equal(hf_served_check(&clear, &error), HF_E_INVALID);
}

static void
a_mode_is_shared_or_exclusive(void **state)
{
    struct hf_want want = {{"default", 7}, {"a", 1}, HF_SHARED};
    struct hf_message acquire = {.kind = HF_MESSAGE_ACQUIRE, .n = 1};
    struct hf_error error;

    (void)state;
    acquire.acquire.wants = &want;
    acquire.acquire.wants_count = 1;
    assert_int_equal(hf_served_check(&acquire, &error), HF_OK);
    want.mode = HF_UNTIL_FREE;
    assert_int_equal(hf_served_check(&acquire, &error), HF_E_INVALID);
}

static void
what_cannot_be_kept_of_an_acquire_is_refused_at_the_door(void **state)
{
    struct hf_want wants[2] = {{bytes("default"), bytes("a"), HF_EXCLUSIVE},
                               {bytes("default"), bytes("b"), HF_EXCLUSIVE}};
    const struct hf_message sound = {
        .kind = HF_MESSAGE_ACQUIRE,
        .lane = 1,
        .n = 1,
        .acquire = {.wants = wants, .wants_count = 2, .note = bytes("why")},
    };
    struct hf_message message = sound;

    (void)state;
    assert_int_equal(hf_served_check(&message, NULL), HF_OK);
    message.n = 0;
    expect_refused(&message, "the n is out of bounds");
    message.n = UINT64_MAX;
    expect_refused(&message, "the n is out of bounds");
    message = sound;
    message.lane = UINT64_MAX;
    expect_refused(&message, "the lane is out of bounds");
    message = sound;
    message.acquire.note = bytes("\x1B[2J");
    expect_refused(&message, "the note must be UTF-8");
    message = sound;
    wants[1].name = bytes("");
    expect_refused(&message, "the name is empty");
    wants[1].name = bytes("\xC3");
    expect_refused(&message, "the name must be UTF-8");
    wants[1].name = bytes("b");
    wants[1].space = bytes("!leader");
    expect_refused(&message, "Holdfast's own");
    wants[1].space = bytes("");
    expect_refused(&message, "the space is empty");
}

static void
of_other_messages_nothing_is_kept(void **state)
{
    static const enum hf_message_kind kinds[] = {
        HF_MESSAGE_KEEP_ALIVE, HF_MESSAGE_PAGE, HF_MESSAGE_RELEASE,
        HF_MESSAGE_CHANGE, HF_MESSAGE_END};

    (void)state;
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        struct hf_message message = {.kind = kinds[i]};

        assert_int_equal(hf_served_check(&message, NULL), HF_OK);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_grant_is_read_and_written_as_designed),
        cmocka_unit_test(order_blanks_and_escapes_do_not_matter),
        cmocka_unit_test(a_grants_row_is_read_as_it_was_written),
        cmocka_unit_test(
            an_age_is_told_by_the_wall_clock_and_is_never_negative),
        cmocka_unit_test(no_grant_is_larger_than_the_journal_says),
        cmocka_unit_test(what_is_no_session_is_corrupt),
        cmocka_unit_test(what_is_no_grant_is_corrupt),
        cmocka_unit_test(what_is_no_row_of_a_grant_is_corrupt),
        cmocka_unit_test(a_lock_that_nobody_could_ask_for_is_corrupt),
        cmocka_unit_test(texts_that_are_too_long_are_corrupt),
        cmocka_unit_test(more_locks_than_a_grant_may_have_are_corrupt),
        cmocka_unit_test(a_fence_out_of_bounds_is_corrupt),
        cmocka_unit_test(a_record_cut_short_anywhere_is_corrupt),
        cmocka_unit_test(what_cannot_be_kept_of_an_open_is_refused_at_the_door),
        cmocka_unit_test(an_acquire_names_locks_and_each_of_them_once),
        cmocka_unit_test(nor_is_a_clear_let_in_of_what_no_lock_can_be),
        cmocka_unit_test(a_mode_is_shared_or_exclusive),
        cmocka_unit_test(
            what_cannot_be_kept_of_an_acquire_is_refused_at_the_door),
        cmocka_unit_test(of_other_messages_nothing_is_kept),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "support/test.h"

#include <jansson.h>
#include <string.h>

#include "core/lockspace/journal.h"
#include "unit/support/values.h"
#include "wire/cleared.h"

#define GRANT                                                                  \
    "{\"session\":\"00f3ab91c07d5e24\",\"lane\":3,\"n\":17,\"locks\":["        \
    "{\"space\":\"default\",\"name\":\"a\",\"mode\":\"exclusive\"}],"          \
    "\"since\":1763850690123,\"note\":\"./migrate\"}"
#define LOCK  "\"space\":\"default\",\"name\":\"a\""
#define FENCE "\"fence\":1763850690123456,\"force\":true"
#define BY                                                                     \
    "\"by\":{\"host\":\"db1\",\"user\":\"ann\",\"command\":\"holdfast "        \
    "clear\","                                                                 \
    "\"since\":1763850700000}"
#define REASON  "\"reason\":\"power was lost\""
#define CLEARED "\"cleared\":" GRANT
#define HOLDER                                                                 \
    "\"holder\":{\"ttl_ms\":30000,\"if_dead\":\"refuse\",\"who\":\"bob@db2\"," \
    "\"silent_ms\":1200}"
#define EXAMPLE "{" LOCK "," FENCE "," BY "," REASON "," CLEARED "," HOLDER "}"

static struct hf_served_memory memory;

static enum hf_status
try_decode(const char *text, struct hf_cleared *cleared, struct hf_error *error)
{
    memory.texts_len = 0;
    return hf_cleared_decode((struct hf_bytes){text, strlen(text)}, &memory,
                             cleared, error);
}

TEST(a_clear_is_read_and_written_as_designed)
{
    struct hf_cleared cleared;
    struct hf_error error;
    char text[HF_RECORD_TEXT_MAX];

    if (try_decode(EXAMPLE, &cleared, &error) != HF_OK)
        fail_msg("%s", error.text);
    assert_string_equal(cleared.space, "default");
    assert_string_equal(cleared.name, "a");
    assert_string_equal(cleared.by.user, "ann");
    assert_string_equal(cleared.by.reason, "power was lost");
    assert_true(cleared.by.since_ms == 1763850700000);
    assert_true(cleared.forced);
    assert_true(cleared.silent_ms == 1200);
    assert_true(cleared.grant.loaded.fence == 1763850690123456);
    assert_true(cleared.session.id == cleared.grant.loaded.session);
    assert_int_equal(cleared.session.if_dead, HF_REFUSE);
    assert_int_equal(cleared.session.ttl.ms, 30000);
    assert_memory_equal(cleared.session.who.at, "bob@db2",
                        cleared.session.who.len);
    assert_int_equal(hf_cleared_encode(&cleared, text, sizeof(text)),
                     strlen(EXAMPLE));
    assert_string_equal(text, EXAMPLE);
}

#define GONE "{" LOCK ",\"fence\":5,\"force\":false,\"gone\":true,"

/* Where they are not gone nothing says so: older records have no such member.
 */
TEST(a_clear_of_who_is_gone_says_so)
{
    static const char example[] = GONE BY "," REASON "," CLEARED "," HOLDER "}";
    struct hf_cleared cleared;
    char text[HF_RECORD_TEXT_MAX];

    assert_int_equal(try_decode(EXAMPLE, &cleared, NULL), HF_OK);
    assert_false(cleared.gone);
    assert_int_equal(try_decode(example, &cleared, NULL), HF_OK);
    assert_true(cleared.gone);
    assert_false(cleared.forced);
    hf_cleared_encode(&cleared, text, sizeof(text));
    assert_string_equal(text, example);
}

TEST(what_is_no_clear_is_corrupt)
{
    static const struct {
        const char *text;
        const char *clause;
    } cases[] = {
        {"", "not JSON"},
        {"[]", "no object"},
        {GRANT, "unknown member \"session\""},
        {"{" LOCK "," FENCE "," BY "," REASON "," CLEARED "}", "no \"holder\""},
        {"{" LOCK "," FENCE "," BY "," CLEARED "," HOLDER "}", "no \"reason\""},
        {"{" LOCK "," FENCE "," BY "," REASON "," CLEARED "," HOLDER
         ",\"x\":1}",
         "unknown member \"x\""},
        {"{" LOCK "," FENCE "," FENCE "," BY "," REASON "," CLEARED "," HOLDER
         "}",
         "given twice"},
        {"{" LOCK "," FENCE ",\"gone\":false," BY "," REASON "," CLEARED
         "," HOLDER "}",
         "\"gone\""},
        {"{" LOCK ",\"fence\":0,\"force\":true," BY "," REASON "," CLEARED
         "," HOLDER "}",
         "\"fence\""},
        {"{\"space\":\"!x\",\"name\":\"a\"," FENCE "," BY "," REASON "," CLEARED
         "," HOLDER "}",
         "\"space\""},
        {"{\"space\":\"x\",\"name\":\"other\"," FENCE "," BY "," REASON
         "," CLEARED "," HOLDER "}",
         "a lock that it does not name"},
        {"{\"space\":\"another\",\"name\":\"a\"," FENCE "," BY "," REASON
         "," CLEARED "," HOLDER "}",
         "a lock that it does not name"},
        {"{\"space\":\"default\",\"name\":\"b\"," FENCE "," BY "," REASON
         "," CLEARED "," HOLDER "}",
         "a lock that it does not name"},
        {"{\"space\":\"x\",\"name\":\"\"," FENCE "," BY "," REASON "," CLEARED
         "," HOLDER "}",
         "\"name\""},
        {"{" LOCK "," FENCE ",\"by\":{}," REASON "," CLEARED "," HOLDER "}",
         "no \"host\""},
        {"{" LOCK "," FENCE ",\"by\":\"ann\"," REASON "," CLEARED "," HOLDER
         "}",
         "no object"},
        {"{" LOCK "," FENCE "," BY ",\"reason\":null," CLEARED "," HOLDER "}",
         "\"reason\""},
        {"{" LOCK "," FENCE "," BY "," REASON ",\"cleared\":null," HOLDER "}",
         "not JSON"},
        {"{" LOCK "," FENCE "," BY "," REASON ",\"cleared\":{}," HOLDER "}",
         "no \"session\""},
        {"{" LOCK "," FENCE "," BY "," REASON "," CLEARED
         ",\"holder\":{\"ttl_ms\":1.5,\"if_dead\":\"refuse\",\"who\":\"\","
         "\"silent_ms\":0}}",
         "\"holder\""},
        {"{" LOCK "," FENCE "," BY "," REASON "," CLEARED
         ",\"holder\":{\"ttl_ms\":1000,\"if_dead\":\"never\",\"who\":\"\","
         "\"silent_ms\":0}}",
         "\"holder\""},
        {"{" LOCK "," FENCE "," BY "," REASON "," CLEARED
         ",\"holder\":{\"ttl_ms\":1,\"if_dead\":\"refuse\",\"who\":\"\","
         "\"silent_ms\":0}}",
         "out of bounds"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct hf_cleared cleared = {.name = "x"};
        struct hf_error error = {.status = HF_OK};

        if (try_decode(cases[i].text, &cleared, &error) != HF_E_CORRUPT ||
            strstr(error.text, cases[i].clause) == NULL)
            fail_msg("%s: %s", cases[i].text, error.text);
        assert_string_equal(cleared.name, "x");
        assert_int_equal(memory.texts_len, 0);
    }
}

/* The largest grant, the longest of all other texts, each of the characters
 * that take most: it can be cleared. */
TEST(the_largest_grant_can_be_cleared_with_the_longest_words)
{
    static char texts[HF_SERVED_RECORD_MAX];
    struct hf_want wants[5];
    struct hf_cleared cleared = {
        .grant = {.loaded = {.fence = HF_SERVED_FENCE_MAX,
                             .session = UINT64_MAX,
                             .lane = INT64_MAX,
                             .n = INT64_MAX,
                             .wants = wants,
                             .wants_count = 5},
                  .since_ms = INT64_MAX},
        .session = {.ttl = {HF_TTL_MAX_MS}, .who = {texts, HF_SERVED_WHO_MAX}},
        .by = filled_with("\"").owner,
        .gone = true,
    };
    size_t names = 0;
    char text[HF_RECORD_TEXT_MAX];
    size_t len;
    struct hf_cleared read;
    json_t *json;

    memset(texts, '"', sizeof(texts));
    fill(cleared.space, HF_SPACE_MAX, "\"");
    fill(cleared.name, HF_NAME_MAX, "\"");
    for (size_t i = 0; i < 5; i++) {
        wants[i] = (struct hf_want){
            {texts, HF_SPACE_MAX}, {texts, HF_NAME_MAX - i}, HF_EXCLUSIVE};
        names += HF_SPACE_MAX + HF_NAME_MAX - i;
    }
    /* As much of a note as a grant's record has room for. */
    cleared.grant.loaded.note.at = texts;
    while (
        hf_journal_grant_bytes(5, names, cleared.grant.loaded.note.len + 1) <=
        HF_SERVED_RECORD_MAX)
        cleared.grant.loaded.note.len++;
    len = hf_cleared_encode(&cleared, text, sizeof(text));
    assert_true(len < sizeof(text));
    assert_true(hf_journal_clear_bytes(len) <= 2 * HF_SERVED_RECORD_MAX);
    json = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(json);
    json_decref(json);
    assert_int_equal(try_decode(text, &read, NULL), HF_OK);
    assert_string_equal(read.by.command, cleared.by.command);
    assert_int_equal(read.grant.loaded.note.len, cleared.grant.loaded.note.len);
}

/* What an operator's words have that cannot be shown. */
TEST(words_that_cannot_be_shown_are_written_as_their_replacement)
{
    struct hf_cleared cleared;
    struct hf_cleared read;
    char text[HF_RECORD_TEXT_MAX];

    assert_int_equal(try_decode(EXAMPLE, &cleared, NULL), HF_OK);
    memcpy(cleared.by.reason, "a\x1B\xFF", sizeof("a\x1B\xFF"));
    hf_cleared_encode(&cleared, text, sizeof(text));
    assert_int_equal(try_decode(text, &read, NULL), HF_OK);
    assert_string_equal(read.by.reason, "a\xEF\xBF\xBD\xEF\xBF\xBD");
}

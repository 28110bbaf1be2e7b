#include "unit/support/values.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "wire/head.h"

#define CLAIM                                                                  \
    "\"lock\":\"4611686018427387904_17\",\"if_dead\":\"takeover\","            \
    "\"ttl_ms\":5000,\"beat_ms\":1000,\"owner\":{\"host\":\"db1\","            \
    "\"user\":\"ann\",\"command\":\"holdfastd\",\"since\":1700000000123,"      \
    "\"boot\":\"" BOOT "\",\"pidns\":4026531836,\"processes\":[[812,99120]]}," \
    "\"reason\":\"\""
#define LED     "\"node\":\"n1\",\"address\":\"db1:7420\""
#define FENCE   "\"next_fence\":1763850690123456"
#define SERVICE "\"service\":\"00f3ab91c07d5e24\""
#define STORE   "\"store\":\"91c07d5e2400f3ab\""
#define SERVED  ",\"served_ms\":86400000"
#define BEGUN   SERVED ",\"begun_ms\":1763850690123"
#define SPANS   "\"max_ttl_ms\":60000,\"grace_ms\":1500" BEGUN
#define REST    SERVICE "," STORE "," SPANS
#define EXAMPLE "{" CLAIM "," LED "," FENCE "," REST "}"

/* All but what comes last. */
#define HEAD(rest) "{" CLAIM "," LED "," FENCE "," rest "}"

static struct hf_head
example_head(void)
{
    struct hf_head head = {
        .claim = example(),
        .node = "n1",
        .address = "db1:7420",
        .next_fence = 1763850690123456,
        .service = UINT64_C(0x00f3ab91c07d5e24),
        .store = UINT64_C(0x91c07d5e2400f3ab),
        .max_ttl = {60000},
        .grace = {1500},
        .served = {86400000},
        .begun_ms = 1763850690123,
    };

    head.claim.terms = (struct hf_terms){HF_TAKEOVER, {5000}, {1000}};
    snprintf(head.claim.owner.command, sizeof(head.claim.owner.command),
             "holdfastd");
    head.claim.owner.reason[0] = '\0';
    head.claim.owner.processes_count = 1;
    return head;
}

static struct hf_head
decode_head(const char *text)
{
    struct hf_head head;
    struct hf_error error;

    if (hf_head_decode(text, strlen(text), &head, &error) != HF_OK)
        fail_msg("%s: %s", error.text, text);
    return head;
}

static void
expect_same_head(const struct hf_head *a, const struct hf_head *b)
{
    expect_same(&a->claim, &b->claim);
    assert_string_equal(a->node, b->node);
    assert_string_equal(a->address, b->address);
    assert_true(a->next_fence == b->next_fence);
    assert_true(a->service == b->service && a->store == b->store);
    assert_true(a->max_ttl.ms == b->max_ttl.ms);
    assert_true(a->grace.ms == b->grace.ms);
    assert_true(a->served.ms == b->served.ms);
    assert_true(a->begun_ms == b->begun_ms);
}

static void
a_head_is_written_as_designed_and_read_back(void **state)
{
    struct hf_head head = example_head();
    struct hf_head read;
    char text[HF_RECORD_TEXT_MAX];

    (void)state;
    assert_int_equal(hf_head_encode(&head, text, sizeof(text)),
                     strlen(EXAMPLE));
    assert_string_equal(text, EXAMPLE);
    read = decode_head(text);
    expect_same_head(&read, &head);
}

/* Core's contender reads it as it does any lock. */
static void
a_head_is_a_record_of_a_lock(void **state)
{
    struct hf_head head = example_head();
    struct hf_value value = decode(EXAMPLE);

    (void)state;
    expect_same(&value, &head.claim);
}

static void
a_head_without_a_node_keeps_all_else(void **state)
{
    struct hf_head head = example_head();
    struct hf_head read;
    char text[HF_RECORD_TEXT_MAX];

    (void)state;
    head.node[0] = '\0';
    hf_head_encode(&head, text, sizeof(text));
    assert_string_equal(text, "{" CLAIM ",\"node\":null,\"address\":"
                              "\"db1:7420\"," FENCE "," REST "}");
    read = decode_head(text);
    expect_same_head(&read, &head);
}

static void
heads_at_every_limit_come_back_and_are_json(void **state)
{
    static const char *const units[] = {"a", "\"", "\\", "\xC3\xA9",
                                        "\xF0\x9F\x94\x92"};

    (void)state;
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        struct hf_head head = {.claim = filled_with(units[i]),
                               .next_fence = HF_HEAD_FENCE_MAX,
                               .service = UINT64_MAX,
                               .store = UINT64_MAX,
                               .max_ttl = {HF_TTL_MAX_MS},
                               .grace = {HF_HEAD_GRACE_MAX_MS},
                               .served = {INT64_MAX},
                               .begun_ms = INT64_MAX};
        struct hf_head read;
        char text[HF_RECORD_TEXT_MAX];
        json_t *json;

        head.claim.terms.if_dead = HF_TAKEOVER;
        fill(head.node, HF_HOST_MAX, units[i]);
        fill(head.address, HF_HOST_MAX, units[i]);
        assert_true(hf_head_encode(&head, text, sizeof(text)) < sizeof(text));
        read = decode_head(text);
        expect_same_head(&read, &head);
        json = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
        assert_non_null(json);
        assert_string_equal(json_string_value(json_object_get(json, "address")),
                            head.address);
        json_decref(json);
    }
}

static void
what_is_no_head_is_corrupt(void **state)
{
    static const struct {
        const char *text;
        const char *clause;
    } cases[] = {
        {"", "not JSON"},
        {EXAMPLE "}", "not JSON"},
        {"[]", "no object"},
        {EXAMPLE_JSON, "no \"node\""},
        {"{" LED "," FENCE "," REST "}", "\"lock\""},
        {"{" CLAIM "," FENCE "," REST "}", "no \"node\""},
        {"{" CLAIM "," LED "," REST "}", "no \"next_fence\""},
        {"{" CLAIM ",\"node\":\"n1\"," FENCE "," REST "}", "no \"address\""},
        {"{" CLAIM "," LED "," FENCE ",\"x\":1}", "unknown member \"x\""},
        {"{" CLAIM "," LED "," FENCE "," FENCE "," REST "}", "given twice"},
        {"{" CLAIM "," LED ",\"node\":null," FENCE "," REST "}", "given twice"},
        {"{" CLAIM ",\"node\":\"\",\"address\":\"a\"," FENCE "," REST "}",
         "\"node\""},
        {"{" CLAIM ",\"node\":7,\"address\":\"a\"," FENCE "," REST "}",
         "\"node\""},
        {"{" CLAIM ",\"node\":true,\"address\":\"a\"," FENCE "," REST "}",
         "\"node\""},
        {"{" CLAIM ",\"node\":\"a\\nb\",\"address\":\"a\"," FENCE "," REST "}",
         "\"node\""},
        {"{" CLAIM ",\"node\":\"\\ud800\",\"address\":\"a\"," FENCE "," REST
         "}",
         "\"node\""},
        {"{" CLAIM ",\"node\":\"n1\",\"address\":\"\"," FENCE "," REST "}",
         "\"address\""},
        {"{" CLAIM ",\"node\":\"n1\",\"address\":null," FENCE "," REST "}",
         "\"address\""},
        {"{" CLAIM "," LED ",\"next_fence\":0," REST "}", "\"next_fence\""},
        {"{" CLAIM "," LED ",\"next_fence\":-1," REST "}", "\"next_fence\""},
        {"{" CLAIM "," LED ",\"next_fence\":1.0," REST "}", "\"next_fence\""},
        {"{" CLAIM "," LED ",\"next_fence\":9223372036854775808," REST "}",
         "\"next_fence\""},
        {"{" CLAIM "," LED ",\"next_fence\":\"7\"," REST "}", "\"next_fence\""},
        {"{" CLAIM "," LED "," FENCE "}", "no \"service\""},
        {HEAD("\"service\":\"0000000000000000\"," STORE "," SPANS),
         "\"service\""},
        {HEAD("\"service\":\"f3\"," STORE "," SPANS), "\"service\""},
        {HEAD("\"service\":7," STORE "," SPANS), "\"service\""},
        {HEAD(SERVICE ",\"store\":\"x\"," SPANS), "\"store\""},
        {HEAD(SERVICE "," STORE ",\"max_ttl_ms\":-1,\"grace_ms\":0" BEGUN),
         "\"max_ttl_ms\""},
        {HEAD(SERVICE "," STORE
                      ",\"max_ttl_ms\":604800001,\"grace_ms\":0" BEGUN),
         "\"max_ttl_ms\""},
        {HEAD(SERVICE "," STORE
                      ",\"max_ttl_ms\":1,\"grace_ms\":1209600001" BEGUN),
         "\"grace_ms\""},
        {HEAD(SERVICE "," STORE ",\"max_ttl_ms\":1,\"grace_ms\":null" BEGUN),
         "\"grace_ms\""},
        {HEAD(SERVICE "," STORE ",\"max_ttl_ms\":1,\"grace_ms\":0"),
         "\"served_ms\""},
        {HEAD(SERVICE "," STORE
                      ",\"max_ttl_ms\":1,\"grace_ms\":0,\"served_ms\":-1"),
         "\"served_ms\""},
        {HEAD(SERVICE "," STORE ",\"max_ttl_ms\":1,\"grace_ms\":0" SERVED),
         "\"begun_ms\""},
        {HEAD(SERVICE "," STORE ",\"max_ttl_ms\":1,\"grace_ms\":0" SERVED
                      ",\"begun_ms\":-1"),
         "\"begun_ms\""},
        {"{\"lock\":\"1_0\",\"if_dead\":\"refuse\",\"ttl_ms\":5000,"
         "\"beat_ms\":1000,\"owner\":{},\"reason\":\"\"," LED "," FENCE "," REST
         "}",
         "takeover"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct hf_head head = {.next_fence = 42};
        struct hf_error error = {.status = HF_OK};

        if (hf_head_decode(cases[i].text, strlen(cases[i].text), &head,
                           &error) != HF_E_CORRUPT ||
            strstr(error.text, cases[i].clause) == NULL)
            fail_msg("%s: %s", cases[i].text, error.text);
        assert_true(head.next_fence == 42);
    }
}

static void
a_head_cut_short_anywhere_is_corrupt(void **state)
{
    (void)state;
    for (size_t len = 0; len < strlen(EXAMPLE); len++) {
        struct hf_head head;

        assert_int_equal(hf_head_decode(EXAMPLE, len, &head, NULL),
                         HF_E_CORRUPT);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_head_is_written_as_designed_and_read_back),
        cmocka_unit_test(a_head_is_a_record_of_a_lock),
        cmocka_unit_test(a_head_without_a_node_keeps_all_else),
        cmocka_unit_test(heads_at_every_limit_come_back_and_are_json),
        cmocka_unit_test(what_is_no_head_is_corrupt),
        cmocka_unit_test(a_head_cut_short_anywhere_is_corrupt),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

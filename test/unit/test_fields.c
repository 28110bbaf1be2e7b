#include "support/test.h"

#include <stdio.h>
#include <string.h>

#include "wire/fields.h"
#include "wire/json.h"

/* Members by a table: what is read, what is written, and what is refused. */

struct part {
    uint64_t id;
    char name[8];
};

struct base {
    int64_t number;
    bool flag;
};

struct all {
    struct base base;
    struct part part;
    struct hf_bytes text;
    struct hf_duration duration;
    enum hf_mode mode;
    char shown[4];
};

static const struct hf_member base_rows[] = {
    {HF_MEMBER_INTEGER, "number", HF_AT(struct base, number), .least = -1,
     .most = 9},
    {HF_MEMBER_FLAG, "flag", HF_AT(struct base, flag)},
};

static const struct hf_fields base_fields = {HF_FIELDS_OF(base_rows)};

static const struct hf_member part_rows[] = {
    {HF_MEMBER_ID, "id", HF_AT(struct part, id), .least = 1},
    {HF_MEMBER_STRING, "name", HF_AT(struct part, name)},
};

static const struct hf_fields part_fields = {HF_FIELDS_OF(part_rows)};

static const struct hf_member all_rows[] = {
    {HF_MEMBER_OBJECT, "part", HF_AT(struct all, part), .fields = &part_fields},
    {HF_MEMBER_TEXT, "text", HF_AT(struct all, text), .need = HF_OPTIONAL},
    {HF_MEMBER_DURATION, "duration", HF_AT(struct all, duration),
     .need = HF_OPTIONAL},
    {HF_MEMBER_MODE, "mode", HF_AT(struct all, mode), .need = HF_OPTIONAL},
    {HF_MEMBER_SHOWN, "shown", HF_AT(struct all, shown), .need = HF_LENIENT},
};

static const struct hf_fields all_fields = {
    HF_FIELDS_OF(all_rows),
    .base = &base_fields,
    .base_offset = offsetof(struct all, base),
};

static const struct hf_fields open_fields = {
    HF_FIELDS_OF(all_rows),
    .open = true,
    .base = &base_fields,
    .base_offset = offsetof(struct all, base),
};

#define BASE  "\"number\":7,\"flag\":true"
#define PART  "\"part\":{\"id\":\"00000000000000a1\",\"name\":\"a\"}"
#define SHOWN "\"shown\":\"x\""

static char texts[64];

static enum hf_status
read_all(const struct hf_fields *fields, const char *text, struct all *all,
         uint64_t *given, struct hf_error *why)
{
    struct hf_fields_reader reader = {
        .status = HF_E_INVALID,
        .error = why,
        .texts = texts,
        .texts_size = sizeof(texts),
    };

    memset(all, 0, sizeof(*all));
    return hf_fields_read_text(
        &reader, fields, (struct hf_bytes){text, strlen(text)}, all, given);
}

TEST(what_is_written_is_read)
{
    static const char text[] =
        "{" BASE "," PART ",\"text\":\"b \\\"c\\\"\",\"duration\":1500,"
        "\"mode\":\"shared\"," SHOWN "}";
    char again[256];
    struct hf_text out;
    struct all all;
    uint64_t given;

    assert_int_equal(read_all(&all_fields, text, &all, &given, NULL), HF_OK);
    assert_int_equal(given, 0x7F);
    assert_int_equal(all.base.number, 7);
    assert_true(all.base.flag);
    assert_int_equal(all.part.id, 0xa1);
    assert_string_equal(all.part.name, "a");
    assert_int_equal(all.text.len, 5);
    assert_int_equal(all.duration.ms, 1500);
    assert_int_equal(all.mode, HF_SHARED);
    hf_text_init(&out, again, sizeof(again));
    hf_fields_write(&all_fields, &all, HF_FIELDS_ALL, &out);
    assert_string_equal(again, text);

    hf_text_init(&out, again, sizeof(again));
    hf_fields_write(&all_fields, &all, 1 << 1 | 1 << 5, &out);
    assert_string_equal(again, "{\"flag\":true,\"mode\":\"shared\"}");
    hf_text_init(&out, again, sizeof(again));
    hf_fields_write(&all_fields, &all, 0, &out);
    assert_string_equal(again, "{}");
}

TEST(what_may_be_missing_is_not_given)
{
    struct all all;
    uint64_t given;

    assert_int_equal(read_all(&all_fields, "{" SHOWN "," PART "," BASE "}",
                              &all, &given, NULL),
                     HF_OK);
    assert_int_equal(given, 0x47);
    assert_int_equal(all.text.len, 0);
}

TEST(what_is_wrong_is_named)
{
    static const struct {
        const char *text;
        const char *clause;
    } cases[] = {
        {"{", "not JSON at byte 1"},
        {"[]", "no object"},
        {"{}", "no \"number\""},
        {"{" BASE "," SHOWN "}", "no \"part\""},
        {"{" BASE "," PART "}", "no \"shown\""},
        {"{" BASE "," PART "," SHOWN ",\"x\":1}", "unknown member \"x\""},
        {"{" BASE "," PART "," SHOWN ",\"fl\\u0061g\":true}",
         "\"flag\" is given twice"},
        {"{\"number\":10}", "\"number\" is not a whole number from -1 to 9"},
        {"{\"number\":-2}", "\"number\" is not a whole number from -1 to 9"},
        {"{\"number\":1.5}", "\"number\" is not a whole number from -1 to 9"},
        {"{\"flag\":1}", "\"flag\" is not true or false"},
        {"{\"part\":7}", "\"part\": no object"},
        {"{\"part\":{\"id\":\"0000000000000000\"}}",
         "\"part\": \"id\" is not an id of 16 hexadecimal digits"},
        {"{\"part\":{\"id\":\"00000000000000a1\"}}", "\"part\": no \"name\""},
        {"{\"part\":{\"name\":\"12345678\"}}",
         "\"part\": \"name\" is not a text without control characters"},
        {"{\"part\":{\"y\":{}}}", "\"part\": unknown member \"y\""},
        {"{\"mode\":\"Shared\"}",
         "\"mode\" is not \"exclusive\" or \"shared\""},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct hf_error why = {.text = ""};
        struct all all;

        assert_int_equal(read_all(&all_fields, cases[i].text, &all, NULL, &why),
                         HF_E_INVALID);
        assert_string_equal(why.text, cases[i].clause);
        assert_int_equal(read_all(&all_fields, cases[i].text, &all, NULL, NULL),
                         HF_E_INVALID);
    }
}

TEST(an_open_object_has_more_and_what_is_twice_in_it_is_none)
{
    struct hf_error why = {.text = ""};
    struct all all;
    uint64_t given;

    assert_int_equal(read_all(&open_fields,
                              "{" BASE "," PART ",\"x\":[{\"flag\":1}],"
                              "\"text\":\"a\",\"text\":\"b\",\"text\":\"c\"}",
                              &all, &given, &why),
                     HF_OK);
    assert_int_equal(given, 7);
    assert_int_equal(all.text.len, 0);
    assert_int_equal(read_all(&open_fields, "{" BASE "," PART ",\"number\":7}",
                              &all, NULL, &why),
                     HF_E_INVALID);
    assert_string_equal(why.text, "no \"number\"");
}

/* For people: no text is shown, and a long one is cut. */
TEST(what_is_for_people_is_no_error)
{
    struct hf_error why = {.text = ""};
    struct all all;

    assert_int_equal(read_all(&all_fields, "{" BASE "," PART ",\"shown\":7}",
                              &all, NULL, &why),
                     HF_OK);
    assert_string_equal(all.shown, "");
    assert_string_equal(why.text, "");
    assert_int_equal(read_all(&all_fields,
                              "{" BASE "," PART ",\"shown\":\"abcdef\"}", &all,
                              NULL, &why),
                     HF_OK);
    assert_string_equal(all.shown, "abc");
}

TEST(texts_have_as_much_memory_as_there_is)
{
    char text[256];
    struct all all;
    struct hf_error why;

    snprintf(text, sizeof(text),
             "{" BASE "," PART "," SHOWN ",\"text\":\"%s\"}",
             "123456789 123456789 123456789 123456789 123456789 123456789 123");
    assert_int_equal(read_all(&all_fields, text, &all, NULL, &why), HF_OK);
    assert_int_equal(all.text.len, 63);
    assert_int_equal(all.text.at[63], '\0');
    snprintf(
        text, sizeof(text), "{" BASE "," PART "," SHOWN ",\"text\":\"%s\"}",
        "123456789 123456789 123456789 123456789 123456789 123456789 1234");
    assert_int_equal(read_all(&all_fields, text, &all, NULL, &why),
                     HF_E_INVALID);
}

#include "support/test.h"

#include <stdio.h>
#include <string.h>

#include "wire/json.h"

static struct hf_bytes
read_json(const char *text)
{
    struct hf_bytes json = {text, strlen(text)};
    struct hf_error error;

    if (hf_json_check(json, &error) != HF_OK)
        fail_msg("%s: %s", error.text, text);
    return json;
}

/* The element of that number, from 0. */
static struct hf_bytes
element_of(struct hf_bytes array, size_t number)
{
    struct hf_bytes element = {NULL, 0};
    size_t at = 0;

    for (size_t i = 0; i <= number; i++)
        assert_true(hf_json_next(array, &at, &element));
    return element;
}

TEST(a_member_is_found_by_its_whole_name_in_its_own_object)
{
    struct hf_bytes json = read_json(
        "{\"ab\":1,\"abc\":{\"x\":\"abcd\",\"y\":2},\"\\u0061\":3,\"\":4}");
    struct hf_bytes object = hf_json_member(json, "abc");
    int64_t number;

    assert_true(hf_json_is_object(object));
    assert_true(hf_json_integer(hf_json_member(object, "y"), &number));
    assert_int_equal(number, 2);
    assert_true(hf_json_integer(hf_json_member(json, "a"), &number));
    assert_int_equal(number, 3);
    assert_true(hf_json_integer(hf_json_member(json, ""), &number));
    assert_int_equal(number, 4);

    assert_int_equal(hf_json_member(json, "abcd").len, 0);
    assert_int_equal(hf_json_member(json, "x").len, 0);
    assert_int_equal(hf_json_member(object, "ab").len, 0);
    assert_int_equal(hf_json_member(hf_json_member(object, "x"), "x").len, 0);
}

TEST(the_elements_of_an_array_are_its_own_only)
{
    struct hf_bytes json = read_json("[[1,[2,3]],{\"a\":[4]},5,[]]");
    struct hf_bytes element;
    size_t at = 0;

    assert_true(hf_json_next(json, &at, &element));
    assert_true(hf_json_is_array(element));
    assert_true(hf_json_next(json, &at, &element));
    assert_true(hf_json_is_object(element));
    assert_true(hf_json_next(json, &at, &element));
    assert_int_equal(element.len, 1);
    assert_true(hf_json_next(json, &at, &element));
    assert_true(hf_json_is_array(element));
    assert_false(hf_json_next(json, &at, &element));
    assert_true(hf_json_ended(json, at));

    at = 0;
    assert_false(hf_json_next(element_of(json, 3), &at, &element));
    assert_false(hf_json_next(element_of(json, 2), &at, &element));
}

TEST(a_clean_string_is_itself_or_nothing)
{
    static const char *const others[] = {
        "\"a\\tb\"",
        "\"\\u0000\"",
        "\"\\ud83d\"",
        "\"\\udd12\"",
        "\"\\u202e\"",
        "\"\\ud83d\\ud83d\"",
        "7",
        "null",
        "[]",
        "\"123456789\"",
        "\"1234567\xC3\xA9\"",
    };
    struct hf_bytes json = read_json("\"\\ud83d\\udd12\\\"\\u00e9x\"");
    char text[9];
    size_t len;

    assert_true(hf_json_clean(json, text, sizeof(text), &len));
    assert_int_equal(len, 8);
    assert_string_equal(text, "\xF0\x9F\x94\x92\"\xC3\xA9x");
    assert_false(hf_json_clean(json, text, 8, &len));
    json = read_json("\"\"");
    assert_true(hf_json_clean(json, text, 1, &len));
    assert_int_equal(len, 0);
    assert_false(hf_json_clean(json, text, 0, &len));
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        char list[64];

        snprintf(list, sizeof(list), "[%s]", others[i]);
        json = read_json(list);
        assert_false(
            hf_json_clean(element_of(json, 0), text, sizeof(text), &len));
    }
}

TEST(an_integer_is_plain_and_fits)
{
    static const struct {
        const char *text;
        int64_t number;
    } good[] = {
        {"[0]", 0},
        {"[ -1 ]", -1},
        {"[9223372036854775807]", INT64_MAX},
        {"[-9223372036854775808]", INT64_MIN},
    };
    static const char *const bad[] = {
        "[-0]",
        "[1e3]",
        "[1E0]",
        "[1.0]",
        "[1.5]",
        "[-1.5]",
        "[9223372036854775808]",
        "[-9223372036854775809]",
        "[99999999999999999999]",
        "[18446744073709551617]",
        "[\"1\"]",
        "[true]",
        "[null]",
        "[[1]]",
    };

    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        struct hf_bytes json = read_json(good[i].text);
        int64_t number = 7;

        assert_true(hf_json_integer(element_of(json, 0), &number));
        assert_true(number == good[i].number);
    }
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct hf_bytes json = read_json(bad[i]);
        int64_t number = 7;

        assert_false(hf_json_integer(element_of(json, 0), &number));
        assert_true(number == 7);
    }
}

TEST(a_string_is_cut_at_a_character_of_any_width)
{
    struct hf_bytes json =
        read_json("[\"a\\u00e9\\u20ac\\ud83d\\udd12\",\"a\xC3\xA9\"]");
    static const size_t lens[] = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 10};
    char text[16];

    for (size_t size = 1; size <= sizeof(lens) / sizeof(lens[0]); size++) {
        hf_json_show(element_of(json, 0), text, size);
        assert_int_equal(strlen(text), lens[size - 1]);
    }
    assert_string_equal(text, "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x94\x92");
    hf_json_show(element_of(json, 1), text, 3);
    assert_string_equal(text, "a");
    hf_json_show(json, text, sizeof(text)); /* no string */
    assert_string_equal(text, "");
}

TEST(what_is_wrong_in_the_deepest_value_is_told_as_anywhere)
{
    char text[HF_JSON_DEPTH_MAX + 1];
    struct hf_error why;

    memset(text, '[', sizeof(text));
    assert_int_equal(hf_json_check((struct hf_bytes){text, sizeof(text)}, &why),
                     HF_E_CORRUPT);
    assert_string_equal(why.text,
                        "JSON of more than 1024 values in one another");
    text[HF_JSON_DEPTH_MAX] = '}';
    assert_int_equal(hf_json_check((struct hf_bytes){text, sizeof(text)}, &why),
                     HF_E_CORRUPT);
    assert_string_equal(why.text, "not JSON at byte 1024");
}

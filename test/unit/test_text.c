#include "support/test.h"

#include <inttypes.h>
#include <jansson.h>
#include <string.h>

#include "base/text.h"

#define FFFD "\xEF\xBF\xBD"

/* A string with its length: it may hold NUL. */
#define LITERAL(text) (text), sizeof(text) - 1

TEST(what_is_added_stands_one_after_the_other)
{
    char buffer[32];
    struct hf_text text;

    hf_text_init(&text, buffer, sizeof(buffer));
    assert_string_equal(buffer, "");
    hf_text_add(&text, "one ");
    hf_text_add_bytes(&text, "two three", 3);
    hf_text_addf(&text, " %d", 3);

    assert_string_equal(buffer, "one two 3");
    assert_int_equal(text.len, 9);
    assert_false(hf_text_cut(&text));
}

/* For every size: never a byte too far, always a NUL, the length of it all. */
TEST(a_text_is_cut_at_its_size_and_says_so)
{
    static const char whole[] = "ab12cd\"x\"";

    for (size_t size = 0; size <= sizeof(whole) + 1; size++) {
        char buffer[sizeof(whole) + 2];
        size_t expected = size < sizeof(whole) ? size : sizeof(whole);
        struct hf_text text;

        memset(buffer, '#', sizeof(buffer));
        hf_text_init(&text, buffer, size);
        hf_text_add(&text, "ab");
        hf_text_addf(&text, "%d", 12);
        hf_text_add_bytes(&text, LITERAL("cd"));
        hf_text_add_json(&text, LITERAL("x"));

        assert_int_equal(text.len, sizeof(whole) - 1);
        assert_int_equal(hf_text_cut(&text), size < sizeof(whole));
        assert_int_equal(hf_text_kept(&text), expected > 0 ? expected - 1 : 0);
        if (expected > 0) {
            assert_memory_equal(buffer, whole, expected - 1);
            assert_int_equal(buffer[expected - 1], '\0');
        }
        for (size_t i = expected; i < sizeof(buffer); i++)
            assert_int_equal(buffer[i], '#');
    }
}

TEST(a_text_of_no_size_needs_no_buffer)
{
    struct hf_text text;

    hf_text_init(&text, NULL, 0);
    assert_false(hf_text_cut(&text));
    hf_text_addf(&text, "%s", "four");
    assert_int_equal(text.len, 4);
    assert_true(hf_text_cut(&text));
}

TEST(utf8_is_read_as_rfc_3629_has_it)
{
    static const struct {
        const char *bytes;
        size_t len;
        size_t width;
        uint32_t code;
    } cases[] = {
        {LITERAL(""), 0, 0},
        {LITERAL("\0"), 1, 0},
        {LITERAL("a"), 1, 'a'},
        {LITERAL("\x7F"), 1, 0x7F},
        {LITERAL("\x80"), 0, 0},              /* continuation alone */
        {LITERAL("\xC0\x80"), 0, 0},          /* overlong NUL */
        {LITERAL("\xC1\xBF"), 0, 0},          /* overlong */
        {LITERAL("\xC2\x80"), 2, 0x80},       /* least of two bytes */
        {LITERAL("\xDF\xBF"), 2, 0x7FF},      /* greatest */
        {LITERAL("\xC2"), 0, 0},              /* cut */
        {LITERAL("\xC2\x41"), 0, 0},          /* no continuation */
        {LITERAL("\xC2\xC2"), 0, 0},          /* no continuation */
        {LITERAL("\xE0\x9F\xBF"), 0, 0},      /* overlong */
        {LITERAL("\xE0\xA0\x80"), 3, 0x800},  /* least of three */
        {LITERAL("\xED\x9F\xBF"), 3, 0xD7FF}, /* below the surrogates */
        {LITERAL("\xED\xA0\x80"), 0, 0},      /* first surrogate */
        {LITERAL("\xED\xBF\xBF"), 0, 0},      /* last surrogate */
        {LITERAL("\xEE\x80\x80"), 3, 0xE000}, /* beyond them */
        {LITERAL("\xEF\xBF\xBF"), 3, 0xFFFF},
        {LITERAL("\xE2\x82"), 0, 0},         /* cut */
        {LITERAL("\xF0\x8F\xBF\xBF"), 0, 0}, /* overlong */
        {LITERAL("\xF0\x90\x80\x80"), 4, 0x10000},
        {LITERAL("\xF4\x8F\xBF\xBF"), 4, 0x10FFFF},
        {LITERAL("\xF4\x90\x80\x80"), 0, 0}, /* beyond Unicode */
        {LITERAL("\xF5\x80\x80\x80"), 0, 0},
        {LITERAL("\xFF"), 0, 0},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        uint32_t code = 0;

        assert_int_equal(hf_text_character(cases[i].bytes, cases[i].len, &code),
                         cases[i].width);
        assert_int_equal(code, cases[i].code);
    }
}

TEST(every_character_is_read_as_it_was_written)
{
    for (uint32_t code = 0; code <= 0x10FFFF; code++) {
        char bytes[4];
        uint32_t read;
        size_t width;

        if (code >= 0xD800 && code <= 0xDFFF)
            continue;
        width = hf_text_put_character(code, bytes);
        if (hf_text_character(bytes, width, &read) != width || read != code)
            fail_msg("U+%04X", (unsigned)code);
    }
}

TEST(what_stands_for_itself_is_plain)
{
    for (int c = 0; c < 256; c++) {
        const char bytes[] = {'a', (char)c};
        bool is_plain = c >= 0x20 && c <= 0x7E && c != '"' && c != '\\';

        assert_int_equal(hf_text_plain(bytes, 2), is_plain ? 2 : 1);
    }
    assert_int_equal(hf_text_plain("a", 0), 0);
}

TEST(numbers_are_written_as_printf_does)
{
    static const uint64_t numbers[] = {
        0, 1, 9, 10, 4294967296, UINT64_MAX - 1, UINT64_MAX,
    };

    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        char buffers[2][32];
        struct hf_text texts[2];

        hf_text_init(&texts[0], buffers[0], sizeof(buffers[0]));
        hf_text_init(&texts[1], buffers[1], sizeof(buffers[1]));
        hf_text_add_number(&texts[0], numbers[i]);
        hf_text_addf(&texts[1], "%" PRIu64, numbers[i]);
        assert_string_equal(buffers[0], buffers[1]);
    }
}

TEST(text_is_clean_without_controls_and_broken_bytes)
{
    assert_true(hf_text_is_clean(LITERAL("")));
    assert_true(hf_text_is_clean(LITERAL("caf\xC3\xA9 \xF0\x9F\x94\x92")));
    assert_true(hf_text_is_clean(LITERAL("\xC2\xA0"))); /* beyond C1 */

    assert_false(hf_text_is_clean(LITERAL("a\0b")));
    assert_false(hf_text_is_clean(LITERAL("\n")));
    assert_false(hf_text_is_clean(LITERAL("\x1B[2J")));
    assert_false(hf_text_is_clean(LITERAL("\x7F")));
    assert_false(hf_text_is_clean(LITERAL("\xC2\x80")));
    assert_false(hf_text_is_clean(LITERAL("\xC2\x9F")));
    assert_false(hf_text_is_clean(LITERAL("\xED\xA0\x80")));
    assert_false(hf_text_is_clean(LITERAL("a\xE2\x80\xAE"
                                          "b"))); /* U+202E */
    assert_false(hf_text_is_clean(LITERAL("a\xE2\x80\x8B"
                                          "b"))); /* U+200B */
    assert_false(hf_text_is_clean(LITERAL("\xEF\xBB\xBF"
                                          "a")));           /* U+FEFF */
    assert_true(hf_text_is_clean(LITERAL("\xE2\x80\x90"))); /* a hyphen */
    assert_false(hf_text_is_clean(LITERAL("caf\xC3")));
}

TEST(what_cannot_be_shown_is_replaced)
{
    char shown[64];

    hf_text_show(shown, sizeof(shown), LITERAL("caf\xC3\xA9"));
    assert_string_equal(shown, "caf\xC3\xA9");

    hf_text_show(shown, sizeof(shown), LITERAL("a\nb\0c\x1B[2J\xC2\x9B"));
    assert_string_equal(shown, "a" FFFD "b" FFFD "c" FFFD "[2J" FFFD);

    hf_text_show(shown, sizeof(shown), LITERAL("\xE2\x82x\xFF"));
    assert_string_equal(shown, FFFD FFFD "x" FFFD);

    hf_text_show(shown, sizeof(shown),
                 LITERAL("a\xE2\x80\xAE"
                         "b\xE2\x80\x8B"));
    assert_string_equal(shown, "a" FFFD "b" FFFD);
}

TEST(shown_text_is_cut_between_characters)
{
    static const char text[] = "a\xC3\xA9\xE2\x82\xAC\x01";
    static const size_t lens[] = {0, 1, 1, 3, 3, 3, 6, 6, 6, 9};
    char shown[16];

    for (size_t size = 1; size <= 10; size++) {
        hf_text_show(shown, size, LITERAL(text));
        assert_int_equal(strlen(shown), lens[size - 1]);
        assert_true(hf_text_is_clean(shown, strlen(shown)));
    }
    shown[0] = '#';
    hf_text_show(shown, 0, LITERAL(text));
    assert_int_equal(shown[0], '#');
}

/* The second opinion: jansson must read what was written. */
static void
expect_json(const char *bytes, size_t len, const char *expected)
{
    char buffer[1024];
    struct hf_text text;
    json_t *value;

    hf_text_init(&text, buffer, sizeof(buffer));
    hf_text_add_json(&text, bytes, len);
    assert_false(hf_text_cut(&text));
    for (const char *c = buffer; *c != '\0'; c++)
        assert_true((unsigned char)*c >= 0x20 && *c != 0x7F);

    value = json_loads(buffer, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
    assert_non_null(value);
    assert_int_equal(json_string_length(value), len);
    assert_memory_equal(json_string_value(value), expected, len);
    json_decref(value);
}

TEST(a_json_string_says_what_it_was_given)
{
    static const char tricky[] = "\"quote\\back/\b\f\n\r\t\x01\x1F\x7F\0end";

    expect_json(LITERAL(""), "");
    expect_json(LITERAL(tricky), tricky);
    expect_json(LITERAL("\xE2\x80\xAE\xF3\xA0\x80\x81"),
                "\xE2\x80\xAE\xF3\xA0\x80\x81");
    expect_json(LITERAL("\xC2\x9B\xF0\x9F\x94\x92"),
                "\xC2\x9B\xF0\x9F\x94\x92");
}

TEST(a_json_string_of_broken_bytes_is_still_json)
{
    char buffer[64];
    struct hf_text text;

    hf_text_init(&text, buffer, sizeof(buffer));
    hf_text_add_json(&text, LITERAL("a\xFF\xC3\"\xC2\x80"));
    assert_string_equal(buffer, "\"a" FFFD FFFD "\\\"\\u0080\"");
}

TEST(a_word_has_a_letter_or_a_digit_of_any_script)
{
    static const char *const words[] = {"a",    "Z", "… 7", "ß",    "é",
                                        "保守", "д", "ª",   "-- x", "\xFF y"};
    static const char *const none[] = {"",
                                       " ",
                                       "…",
                                       "'…'",
                                       "--",
                                       "?!",
                                       "«»",
                                       "×÷",
                                       "→",
                                       "。",
                                       "\xFF",
                                       "\n\t",
                                       "\xF0\x9F\x94\xA5"};

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        assert_true(hf_text_has_word(words[i], strlen(words[i])));
    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
        assert_false(hf_text_has_word(none[i], strlen(none[i])));
}

TEST(an_escape_is_the_byte_that_it_names)
{
    static const char *const none[] = {"%", "a%4", "%4g", "%g4", "%%41"};
    char buffer[16];
    struct hf_text text;

    hf_text_init(&text, buffer, sizeof(buffer));
    assert_true(hf_text_add_unescaped(&text, "a%2Fb%c3%A9%00+", 15));
    assert_int_equal(text.len, 7);
    assert_memory_equal(buffer, "a/b\xC3\xA9\0+", 8);
    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
        assert_false(hf_text_add_unescaped(&text, none[i], strlen(none[i])));
}

TEST(a_url_is_shown_without_what_may_be_its_password)
{
    static const char *const urls[][2] = {
        {"postgresql://ann@db/x", "postgresql://ann@db/x"},
        {"postgresql://ann:pw@db/x", "postgresql://ann:...@db/x"},
        {"http://ann:p/w@h@db:7420", "http://ann:...@db:7420"},
        {"pg://:pw@db", "pg://:...@db"},
        {"postgresql:/ann:pw@db/x", "postgresql:/ann:...@db/x"},
        {"postgres:ann:pw@db/x", "postgres:ann:...@db/x"},
        {"ann:pw@db", "ann:...@db"},
        {"postgres", "postgres"},
        {"postgres:", "postgres:"},
        {"postgresql://db:1/x?password=pw&a=b",
         "postgresql://db:1/x?password=..."},
        {"x://a:pw@d/x?sslpassword=pw", "x://a:...@d/x?sslpassword=..."},
        {"sqlite:///srv/a@b.db", "sqlite:///srv/a@b.db"},
        {"sqlite:/srv/a:b@c.db", "sqlite:/srv/a:b@c.db"},
        {"", ""},
    };
    char buffer[64];
    struct hf_text text;

    for (size_t i = 0; i < sizeof(urls) / sizeof(urls[0]); i++) {
        hf_text_init(&text, buffer, sizeof(buffer));
        hf_text_add_url(&text, urls[i][0]);
        assert_string_equal(buffer, urls[i][1]);
        hf_text_show_url(buffer, sizeof(buffer), urls[i][0]);
        assert_string_equal(buffer, urls[i][1]);
    }
}

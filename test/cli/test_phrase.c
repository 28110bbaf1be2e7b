#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cli/phrase.h"

static const char *
quoted(struct hf_text *text, const char *word)
{
    hf_text_init(text, text->at, text->size);
    hf_phrase_quote(text, word);
    return text->at;
}

static void
a_safe_word_is_left_as_it_is(void **state)
{
    struct hf_text p = HF_PHRASE;

    (void)state;
    assert_string_equal(quoted(&p, "nightly/db-1.backup"),
                        "nightly/db-1.backup");
    assert_string_equal(quoted(&p, "sqlite:/var/lib/x.db"),
                        "sqlite:/var/lib/x.db");
}

static void
what_a_shell_would_read_is_quoted(void **state)
{
    struct hf_text p = HF_PHRASE;

    (void)state;
    assert_string_equal(quoted(&p, ""), "''");
    assert_string_equal(quoted(&p, "a b"), "'a b'");
    assert_string_equal(quoted(&p, "$(reboot)"), "'$(reboot)'");
    assert_string_equal(quoted(&p, "~"), "'~'");
    assert_string_equal(quoted(&p, "it's"), "'it'\\''s'");
    assert_string_equal(quoted(&p, "größe"), "'größe'");
}

static void
what_a_terminal_must_not_see_is_escaped(void **state)
{
    struct hf_text p = HF_PHRASE;

    (void)state;
    assert_string_equal(quoted(&p, "a\nb"), "$'a\\012b'");
    assert_string_equal(quoted(&p, "\x1b[2J'\\"), "$'\\033[2J\\'\\\\'");
    assert_string_equal(quoted(&p, "\xc2\x9b"), "$'\\302\\233'"); /* C1 */
    assert_string_equal(quoted(&p, "\xff"), "$'\\377'");
    assert_string_equal(quoted(&p, "\xed\xa0\x80"), "$'\\355\\240\\200'");
    assert_string_equal(quoted(&p, "a\xe2\x80\xae"), "$'a\\342\\200\\256'");
    assert_string_equal(quoted(&p, "a\xe2\x80\x8b"), "$'a\\342\\200\\213'");
    assert_string_equal(quoted(&p, "\xe2\x82"), "$'\\342\\202'"); /* cut */
}

static void
a_line_never_passes_the_columns(void **state)
{
    size_t used;

    (void)state;
    assert_int_equal(hf_phrase_fit("abc", 10, &used), 3);
    assert_int_equal(used, 3);
    assert_int_equal(hf_phrase_fit("abc", 2, &used), 2);
    assert_int_equal(hf_phrase_fit("äb", 2, &used), 2); /* one letter */
    assert_int_equal(used, 2);
    assert_int_equal(hf_phrase_fit("aä", 2, &used), 1); /* never half a one */
    assert_int_equal(used, 1);
    assert_int_equal(hf_phrase_fit("", 0, NULL), 0);
}

static void
a_full_phrase_is_cut_and_stays_a_string(void **state)
{
    struct hf_text p = HF_PHRASE;

    (void)state;
    for (size_t i = 0; i < HF_PHRASE_MAX / 8 + 8; i++)
        hf_text_add(&p, "12345678");
    assert_true(hf_text_cut(&p));
    assert_int_equal(strlen(p.at), HF_PHRASE_MAX - 1);
    hf_phrase_json(&p, "does not fit");
    assert_int_equal(strlen(p.at), HF_PHRASE_MAX - 1);
}

static void
json_is_left_out_as_a_whole_where_it_does_not_fit(void **state)
{
    char buffer[8];
    struct hf_text p;

    (void)state;
    hf_text_init(&p, buffer, sizeof(buffer));
    hf_text_add(&p, "{");
    hf_phrase_json(&p, "abcde");
    assert_string_equal(buffer, "{");
    hf_phrase_json(&p, "abc");
    hf_text_add(&p, "}");
    assert_string_equal(buffer, "{\"abc\"}");
    assert_false(hf_text_cut(&p));
}

static void
a_missing_string_is_null_in_json(void **state)
{
    struct hf_text p = HF_PHRASE;

    (void)state;
    hf_phrase_json(&p, NULL);
    hf_phrase_json(&p, "a\"b");
    assert_string_equal(p.at, "null\"a\\\"b\"");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_safe_word_is_left_as_it_is),
        cmocka_unit_test(what_a_shell_would_read_is_quoted),
        cmocka_unit_test(what_a_terminal_must_not_see_is_escaped),
        cmocka_unit_test(a_line_never_passes_the_columns),
        cmocka_unit_test(a_full_phrase_is_cut_and_stays_a_string),
        cmocka_unit_test(json_is_left_out_as_a_whole_where_it_does_not_fit),
        cmocka_unit_test(a_missing_string_is_null_in_json),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "cli/output.h"

static const char *
quoted(struct hf_text *text, const char *word)
{
    hf_text_init(text, text->at, text->size);
    hf_output_quote(text, word);
    return text->at;
}

static void
a_safe_word_is_left_as_it_is(void **state)
{
    struct hf_text p = HF_OUTPUT_BUFFER;

    (void)state;
    assert_string_equal(quoted(&p, "nightly/db-1.backup"),
                        "nightly/db-1.backup");
    assert_string_equal(quoted(&p, "sqlite:/var/lib/x.db"),
                        "sqlite:/var/lib/x.db");
}

static void
what_a_shell_would_read_is_quoted(void **state)
{
    struct hf_text p = HF_OUTPUT_BUFFER;

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
    struct hf_text p = HF_OUTPUT_BUFFER;

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
    assert_int_equal(hf_output_fit("abc", 10, &used), 3);
    assert_int_equal(used, 3);
    assert_int_equal(hf_output_fit("abc", 2, &used), 2);
    assert_int_equal(hf_output_fit("äb", 2, &used), 2); /* one letter */
    assert_int_equal(used, 2);
    assert_int_equal(hf_output_fit("aä", 2, &used), 1); /* never half a one */
    assert_int_equal(used, 1);
    assert_int_equal(hf_output_fit("", 0, NULL), 0);
}

static void
a_full_phrase_is_cut_and_stays_a_string(void **state)
{
    struct hf_text p = HF_OUTPUT_BUFFER;

    (void)state;
    for (size_t i = 0; i < HF_OUTPUT_MAX / 8 + 8; i++)
        hf_text_add(&p, "12345678");
    assert_true(hf_text_cut(&p));
    assert_int_equal(strlen(p.at), HF_OUTPUT_MAX - 1);
    hf_output_json(&p, "does not fit");
    assert_int_equal(strlen(p.at), HF_OUTPUT_MAX - 1);
}

static void
json_is_left_out_as_a_whole_where_it_does_not_fit(void **state)
{
    char buffer[8];
    struct hf_text p;

    (void)state;
    hf_text_init(&p, buffer, sizeof(buffer));
    hf_text_add(&p, "{");
    hf_output_json(&p, "abcde");
    assert_string_equal(buffer, "{");
    hf_output_json(&p, "abc");
    hf_text_add(&p, "}");
    assert_string_equal(buffer, "{\"abc\"}");
    assert_false(hf_text_cut(&p));
}

static void
a_missing_string_is_null_in_json(void **state)
{
    struct hf_text p = HF_OUTPUT_BUFFER;

    (void)state;
    hf_output_json(&p, NULL);
    hf_output_json(&p, "a\"b");
    assert_string_equal(p.at, "null\"a\\\"b\"");
}

/* ---- Wall time ----------------------------------------------------------- */

/* The first ms that is a date, and the first that is none any more. */
#define FIRST_MS INT64_C(946684800000)
#define END_MS   INT64_C(253402300800000)

enum { LONG_AGO_MS = (52 * 60 + 30) * 60 * 1000 };

static void
a_wall_time_is_shown_in_the_local_zone(void **state)
{
    char date[64];

    (void)state;
    assert_string_equal(hf_output_date(FIRST_MS, date, sizeof(date)),
                        "2000-01-01 01:00:00 +0100");
    assert_string_equal(hf_output_date(END_MS - 3601000, date, sizeof(date)),
                        "9999-12-31 23:59:59 +0100");
}

static void
what_no_clock_has_shown_is_unknown(void **state)
{
    static const int64_t wrong[] = {INT64_MIN,    -1,     0,        1,
                                    FIRST_MS - 1, END_MS, INT64_MAX};
    char text[64];

    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        assert_false(hf_output_is_date(wrong[i]));
        assert_string_equal(hf_output_date(wrong[i], text, sizeof(text)), "?");
        assert_string_equal(hf_output_age(wrong[i], text, sizeof(text)), "?");
    }
    assert_true(hf_output_is_date(FIRST_MS));
    assert_true(hf_output_is_date(END_MS - 1));
}

static void
the_future_of_our_clock_is_no_time_ago(void **state)
{
    int64_t now_ms = hf_wall_ms();
    char age[32];

    (void)state;
    assert_string_equal(hf_output_age(now_ms + 3600000, age, sizeof(age)),
                        "0s");
    assert_string_equal(hf_output_age(now_ms - LONG_AGO_MS, age, sizeof(age)),
                        "2d04h");
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
        cmocka_unit_test(a_wall_time_is_shown_in_the_local_zone),
        cmocka_unit_test(what_no_clock_has_shown_is_unknown),
        cmocka_unit_test(the_future_of_our_clock_is_no_time_ago),
    };

    (void)setenv("TZ", "HOLD-1", 1);
    tzset();
    return cmocka_run_group_tests(tests, NULL, NULL);
}

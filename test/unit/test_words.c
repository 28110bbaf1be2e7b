#include "support/test.h"

#include <string.h>

#include <holdfast/words.h>

#include "base/random.h"

TEST(every_status_has_its_words_and_exit_code)
{
    assert_string_equal(hf_status_name(HF_OK), "HF_OK");
    assert_string_equal(hf_status_name(HF_E_CORRUPT), "HF_E_CORRUPT");
    assert_string_equal(hf_status_sentence(HF_E_DENIED), "permission denied");

    assert_int_equal(hf_status_exit(HF_OK), 0);
    assert_int_equal(hf_status_exit(HF_E_INVALID), 64);
    assert_int_equal(hf_status_exit(HF_E_UNAVAILABLE), 69);
    assert_int_equal(hf_status_exit(HF_E_UNKNOWN), 69);
    assert_int_equal(hf_status_exit(HF_E_DENIED), 77);
    assert_int_equal(hf_status_exit(HF_E_LIMIT), 70);
    assert_int_equal(hf_status_exit(HF_E_CANCELLED), 75);
    assert_int_equal(hf_status_exit(HF_E_NOMEM), 70);
    assert_int_equal(hf_status_exit(HF_E_CORRUPT), 65);
}

TEST(every_outcome_has_its_word_and_exit_code)
{
    assert_string_equal(hf_outcome_word(HF_HELD_TOO_LONG), "held too long");
    assert_string_equal(hf_outcome_word(HF_NOT_HELD), "not held");

    assert_int_equal(hf_outcome_exit(HF_NOT_HELD), 1);
    assert_int_equal(hf_outcome_exit(HF_GRANTED), 0);
    assert_int_equal(hf_outcome_exit(HF_TIMED_OUT), 75);
    assert_int_equal(hf_outcome_exit(HF_HELD_TOO_LONG), 75);
    assert_int_equal(hf_outcome_exit(HF_SUSPECTED_DEAD), 73);
    assert_int_equal(hf_outcome_exit(HF_GONE), 73);
    assert_int_equal(hf_outcome_exit(HF_IN_DOUBT), 76);
    assert_int_equal(hf_outcome_exit(HF_LOST), 76);
    assert_int_equal(hf_outcome_exit(HF_ALREADY_HELD), 75);
    assert_string_equal(hf_outcome_word(HF_ALREADY_HELD), "already held");
    assert_int_equal(hf_outcome_exit(HF_DEADLOCK), 75);
    assert_int_equal(hf_outcome_exit(HF_AT_LIMIT), 75);
}

TEST(if_dead_is_written_as_in_the_record)
{
    assert_string_equal(hf_if_dead_word(HF_TAKEOVER), "takeover");
    assert_string_equal(hf_if_dead_word(HF_REFUSE), "refuse");
}

/* A value that no table has, as a caller's bug may give it. */
TEST(an_unknown_value_still_has_a_word)
{
    assert_string_equal(hf_status_name((enum hf_status)99), "?");
    assert_string_equal(hf_status_sentence((enum hf_status)99), "?");
    assert_string_equal(hf_outcome_word((enum hf_outcome)99), "?");
    assert_string_equal(hf_if_dead_word((enum hf_if_dead)99), "?");
    assert_int_equal(hf_status_exit((enum hf_status)99), 70);
    assert_int_equal(hf_outcome_exit((enum hf_outcome)99), 70);
}

TEST(durations_are_read_with_their_units)
{
    static const struct {
        const char *text;
        int64_t ms;
    } cases[] = {
        {"500ms", 500},
        {"30s", 30000},
        {"10m", 600000},
        {"2h", 7200000},
        {"0s", 0},
        {"0ms", 0},
        {"007s", 7000},
        {"9223372036854775806ms", INT64_MAX - 1},
        {"9223372036854775s", 9223372036854775000},
        {"2562047788015h", 2562047788015 * 3600000},
        {"1.5s", 1500},
        {"0.025s", 25},
        {"2m10s", 130000},
        {"1d1h1m1.5s", 90061500},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct hf_duration duration = {-1};

        assert_int_equal(hf_duration_parse(cases[i].text, &duration, NULL),
                         HF_OK);
        assert_true(duration.ms == cases[i].ms);
    }
}

TEST(what_is_no_duration_is_refused_with_a_clause)
{
    static const char *const cases[] = {
        "",
        "5",
        "s",
        "ms",
        "-1s",
        "+1s",
        "1.5m",
        "1.5.5s",
        "1.s5",
        ".5s",
        "1.1234s",
        "1,5s",
        " 5s",
        "5 s",
        "5s ",
        "5S",
        "5MS",
        "5sec",
        "5w",
        "5m5h",
        "5m5",
        "5m 5s",
        "5mss",
        "0x5s",
        "5s5s",
        "1e3s",
        "s5",
        "\xD9\xA5s",
        /* one too many, in ms, s, m, h and of digits */
        "9223372036854775807ms",
        "106751991167d7h12m55.808s",
        "9223372036854775808ms",
        "9223372036854776s",
        "9223372036854775807s",
        "153722867280913m",
        "2562047788016h",
        "99999999999999999999999999999999s",
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct hf_duration duration = {-7};
        struct hf_error error = {0};

        assert_int_equal(hf_duration_parse(cases[i], &duration, &error),
                         HF_E_INVALID);
        assert_true(duration.ms == -7);
        assert_int_equal(error.status, HF_E_INVALID);
        assert_non_null(strstr(error.text, "duration '"));
        assert_int_equal(hf_duration_parse(cases[i], &duration, NULL),
                         HF_E_INVALID);
    }
}

/* What we print can be typed: exactly, or as it was rounded. */
TEST(what_is_written_can_be_read)
{
    static const int64_t cases[] = {
        1,
        999,
        1000,
        1500,
        59999,
        60000,
        130000,
        125999,
        3599999,
        3600000,
        3 * 3600000 + 5 * 60000,
        86399999,
        86400000,
        (2 * 24 + 4) * 3600000,
        20779 * INT64_C(86400000),
        INT64_MAX - 1,
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct hf_duration read;
        char text[32];
        char again[32];

        hf_duration_text((struct hf_duration){cases[i]}, text, sizeof(text));
        assert_int_equal(hf_duration_parse(text, &read, NULL), HF_OK);
        assert_true(read.ms <= cases[i]);
        assert_string_equal(hf_duration_text(read, again, sizeof(again)), text);
    }
}

TEST(a_refused_duration_is_shown_without_its_controls)
{
    struct hf_duration duration;
    struct hf_error error;

    assert_int_equal(hf_duration_parse("5\x1B[2J", &duration, &error),
                     HF_E_INVALID);
    assert_null(strchr(error.text, '\x1B'));
}

TEST(durations_are_written_for_people)
{
    static const struct {
        int64_t ms;
        const char *text;
    } cases[] = {
        {0, "0s"},
        {1, "1ms"},
        {999, "999ms"},
        {1000, "1s"},
        {1099, "1s"},
        {1500, "1.5s"},
        {59999, "59.9s"},
        {60000, "1m"},
        {130000, "2m10s"},
        {125999, "2m05s"},
        {3599999, "59m59s"},
        {3600000, "1h"},
        {3 * 3600000 + 5 * 60000, "3h05m"},
        {86399999, "23h59m"},
        {86400000, "1d"},
        {(2 * 24 + 4) * 3600000, "2d04h"},
        {INT64_MAX - 1, "106751991167d07h"},
        {INT64_MAX, "forever"},
        {-1500, "-1.5s"},
        {INT64_MIN, "-106751991167d07h"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct hf_duration duration = {cases[i].ms};
        char text[32];

        assert_ptr_equal(hf_duration_text(duration, text, sizeof(text)), text);
        assert_string_equal(text, cases[i].text);
    }
}

TEST(a_written_duration_is_cut_at_the_buffer)
{
    char text[] = "######";

    hf_duration_text((struct hf_duration){130000}, text, 4);
    assert_string_equal(text, "2m1");
    assert_int_equal(text[4], '#');
}

/* One bit stuck, or one number twice, would fail it; by chance once in 2^57. */
TEST(random_numbers_use_every_bit)
{
    uint64_t ever = 0;
    uint64_t always = UINT64_MAX;

    for (int i = 0; i < 64; i++) {
        uint64_t number;

        assert_int_equal(hf_random_u64(&number, NULL), HF_OK);
        ever |= number;
        always &= number;
    }
    assert_true(ever == UINT64_MAX);
    assert_true(always == 0);
}

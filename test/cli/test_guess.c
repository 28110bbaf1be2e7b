/* What was meant by a word that nobody knows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "cli/guess.h"

static const char *const known[] = {"run",   "ls",    "show", "why",
                                    "watch", "clear", "audit"};

static const char *
meant_by(const char *word)
{
    struct hf_guess guess;

    hf_guess_begin(&guess, word, strlen(word));
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        hf_guess_try(&guess, known[i]);
    return guess.nearest != NULL ? guess.nearest : "";
}

static void
a_letter_too_many_or_too_few_or_another_is_near(void **state)
{
    (void)state;
    assert_string_equal(meant_by("cleear"), "clear");
    assert_string_equal(meant_by("cler"), "clear");
    assert_string_equal(meant_by("clean"), "clear");
    assert_string_equal(meant_by("sho"), "show");
}

static void
two_letters_that_are_exchanged_are_one_mistake(void **state)
{
    (void)state;
    assert_string_equal(meant_by("rnu"), "run");
    assert_string_equal(meant_by("wacth"), "watch");
}

static void
another_word_is_not_near(void **state)
{
    (void)state;
    assert_string_equal(meant_by("report"), "");
    assert_string_equal(meant_by("x"), "");
    assert_string_equal(meant_by(""), "");
    assert_string_equal(meant_by("a-word-of-more-than-thirty-one-characters"),
                        "");
}

static void
only_the_bytes_that_count_are_compared(void **state)
{
    struct hf_guess guess;

    (void)state;
    hf_guess_begin(&guess, "wiat=5s", 4);
    hf_guess_try(&guess, "wait");
    assert_string_equal(guess.nearest, "wait");
}

static void
the_nearest_is_meant_and_of_equals_the_first(void **state)
{
    struct hf_guess guess;

    (void)state;
    hf_guess_begin(&guess, "heads", 5);
    hf_guess_try(&guess, "beats");
    hf_guess_try(&guess, "head");
    hf_guess_try(&guess, "reads");
    assert_string_equal(guess.nearest, "head");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_letter_too_many_or_too_few_or_another_is_near),
        cmocka_unit_test(two_letters_that_are_exchanged_are_one_mistake),
        cmocka_unit_test(another_word_is_not_near),
        cmocka_unit_test(only_the_bytes_that_count_are_compared),
        cmocka_unit_test(the_nearest_is_meant_and_of_equals_the_first),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Which known word a misspelt one may have meant. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/nearest.h"

static const char *const known[] = {"run",   "ls",    "show", "why",
                                    "watch", "clear", "audit"};

static const char *
meant_by(const char *word)
{
    struct hf_nearest nearest;

    hf_nearest_begin(&nearest, word, strlen(word));
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        hf_nearest_try(&nearest, known[i]);
    return nearest.word != NULL ? nearest.word : "";
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
    struct hf_nearest nearest;

    (void)state;
    hf_nearest_begin(&nearest, "wiat=5s", 4);
    hf_nearest_try(&nearest, "wait");
    assert_string_equal(nearest.word, "wait");
}

static void
the_nearest_is_meant_and_of_equals_the_first(void **state)
{
    struct hf_nearest nearest;

    (void)state;
    hf_nearest_begin(&nearest, "heads", 5);
    hf_nearest_try(&nearest, "beats");
    hf_nearest_try(&nearest, "head");
    hf_nearest_try(&nearest, "reads");
    assert_string_equal(nearest.word, "head");
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

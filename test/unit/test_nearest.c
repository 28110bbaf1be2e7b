/* Which known word a misspelt one may have meant. */
#include "support/test.h"

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

TEST(a_letter_too_many_or_too_few_or_another_is_near)
{
    assert_string_equal(meant_by("cleear"), "clear");
    assert_string_equal(meant_by("cler"), "clear");
    assert_string_equal(meant_by("clean"), "clear");
    assert_string_equal(meant_by("sho"), "show");
}

TEST(two_letters_that_are_exchanged_are_one_mistake)
{
    assert_string_equal(meant_by("rnu"), "run");
    assert_string_equal(meant_by("wacth"), "watch");
}

TEST(another_word_is_not_near)
{
    assert_string_equal(meant_by("report"), "");
    assert_string_equal(meant_by("x"), "");
    assert_string_equal(meant_by(""), "");
    assert_string_equal(meant_by("a-word-of-more-than-thirty-one-characters"),
                        "");
}

TEST(only_the_bytes_that_count_are_compared)
{
    struct hf_nearest nearest;

    hf_nearest_begin(&nearest, "wiat=5s", 4);
    hf_nearest_try(&nearest, "wait");
    assert_string_equal(nearest.word, "wait");
}

TEST(the_nearest_is_meant_and_of_equals_the_first)
{
    struct hf_nearest nearest;

    hf_nearest_begin(&nearest, "heads", 5);
    hf_nearest_try(&nearest, "beats");
    hf_nearest_try(&nearest, "head");
    hf_nearest_try(&nearest, "reads");
    assert_string_equal(nearest.word, "head");
}

#ifndef HF_TEST_SUPPORT_TEST_H
#define HF_TEST_SUPPORT_TEST_H

#include "support/test_list.h"

/*
 * The tests of one file, each of which stands there once:
 *
 *     TEST(a_lock_that_is_free_is_granted)
 *     {
 *         assert_true(...);
 *     }
 *
 * They run in the order of their lines.  A test file includes this header and
 * has no main() of its own; support files include cmocka.h.
 */
static struct test_list tests_of_this_file;

#define TEST(sentence) TEST_IN(NULL, NULL, sentence)

/* A test with a fixture: `before` and `after` are CMFixtureFunctions. */
#define TEST_IN(before, after, sentence) TEST_OF(NULL, before, after, sentence)

/* The same; *state is `of` at first. */
#define TEST_OF(of, before, after, sentence)                                   \
    static void sentence(void **state);                                        \
    __attribute__((constructor)) static void add_##sentence(void)              \
    {                                                                          \
        static struct test_entry entry = {                                     \
            {#sentence, sentence, (before), (after), (of)}, __LINE__, NULL};   \
                                                                               \
        test_list_add(&tests_of_this_file, &entry);                            \
    }                                                                          \
    static void sentence(__attribute__((unused)) void **state)

int
main(void)
{
    return test_list_run(&tests_of_this_file);
}

#endif

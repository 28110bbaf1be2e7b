#include "support/test_list.h"

#include "base/check.h"

enum { TESTS_MAX = 256 };

void
test_list_add(struct test_list *list, struct test_entry *entry)
{
    struct test_entry **at = &list->first;

    while (*at != NULL && (*at)->line < entry->line)
        at = &(*at)->next;
    entry->next = *at;
    *at = entry;
}

int
test_list_run(const struct test_list *list)
{
    static struct CMUnitTest tests[TESTS_MAX];
    size_t count = 0;

    for (struct test_entry *at = list->first; at != NULL; at = at->next) {
        HF_CHECK(count < TESTS_MAX);
        tests[count++] = at->test;
    }
    return _cmocka_run_group_tests("tests", tests, count, NULL, NULL);
}

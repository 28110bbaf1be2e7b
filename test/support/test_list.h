#ifndef HF_TEST_SUPPORT_TEST_LIST_H
#define HF_TEST_SUPPORT_TEST_LIST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* The tests that test.h gathers. */
struct test_entry {
    struct CMUnitTest test;
    int line;
    struct test_entry *next;
};

struct test_list {
    struct test_entry *first; /* by line */
};

void test_list_add(struct test_list *list, struct test_entry *entry);
int test_list_run(const struct test_list *list); /* for main() to return */

#endif

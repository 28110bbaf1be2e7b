#include "support/suite.h"
#include "support/test.h"

#include <pthread.h>
#include <stdatomic.h>

#include "base/alloc.h"

/* What is a memory store's alone. */

enum { GROUPS = 2000, FORKS = 20 };

struct writer {
    struct hf_store *store;
    atomic_bool started;
    atomic_bool done;
};

/* Commits so large that the table is hardly ever left alone. */
static void *
write_on(void *ctx)
{
    static char names[GROUPS][16];
    static struct hf_store_op ops[GROUPS];
    static struct hf_store_group groups[GROUPS];
    struct writer *writer = ctx;

    for (size_t i = 0; i < GROUPS; i++) {
        snprintf(names[i], sizeof(names[i]), "n%zu", i);
        ops[i] = suite_put(suite_key(names[i]), 1, "never");
        groups[i] = (struct hf_store_group){.ops = &ops[i], .ops_count = 1};
    }
    while (!atomic_load(&writer->done)) {
        hf_store_commit(writer->store, groups, GROUPS, suite_soon(), NULL);
        atomic_store(&writer->started, true);
    }
    return NULL;
}

static struct hf_store *
open_memory(const char *place)
{
    struct hf_store *store = NULL;

    assert_int_equal(hf_store_open(place, &hf_alloc_libc, &store, NULL), HF_OK);
    return store;
}

static bool
use_one_of_its_own(void *ctx)
{
    struct hf_store *store = open_memory("memory:child");
    struct hf_key key = suite_key("a");

    (void)ctx;
    suite_apply(store, suite_put(key, suite_absent(store, key), "x"));
    hf_store_close(store);
    return true;
}

/* A child that inherited a locked mutex would wait for ever, and the test with
 * it. */
TEST(a_child_forked_in_the_middle_of_a_commit_has_stores_of_its_own)
{
    struct writer writer = {.store = open_memory("memory:parent")};
    pthread_t thread;

    assert_int_equal(pthread_create(&thread, NULL, write_on, &writer), 0);
    while (!atomic_load(&writer.started))
        ; /* it is about to */
    for (int i = 0; i < FORKS; i++)
        assert_int_equal(suite_end_of(suite_start(use_one_of_its_own, NULL)),
                         0);
    atomic_store(&writer.done, true);
    assert_int_equal(pthread_join(thread, NULL), 0);
    hf_store_close(writer.store);
}

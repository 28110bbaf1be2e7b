#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <holdfast/holdfast.h>

/*
 * A client under want of memory: in each of its calls the first allocation
 * fails, then the second, and so on until a call needs no more; alone, or with
 * those that follow it.  The call either succeeds or says that there was no
 * memory (or that its question could not be carried); nothing is lost of the
 * heap, no lock is left behind, and the client works as before.
 */

/* A heap that fails, and counts; for all threads of a client. */
struct heap {
    atomic_int countdown; /* 0: never fails; 1: the next request is the first */
    atomic_int failures;  /* how many in a row are still to fail */
    atomic_bool fired;
    atomic_long outstanding;
};

static bool
falls_due(struct heap *heap)
{
    int left = atomic_load(&heap->countdown);

    while (left > 1 &&
           !atomic_compare_exchange_weak(&heap->countdown, &left, left - 1))
        ;
    return left == 1 && atomic_fetch_sub(&heap->failures, 1) > 0;
}

static void *
heap_allocate(void *ctx, size_t count, size_t size)
{
    struct heap *heap = ctx;
    void *memory;

    if (falls_due(heap)) {
        atomic_store(&heap->fired, true);
        return NULL;
    }
    memory = calloc(count, size);
    if (memory != NULL)
        atomic_fetch_add(&heap->outstanding, 1);
    return memory;
}

static void
heap_release(void *ctx, void *memory)
{
    struct heap *heap = ctx;

    if (memory != NULL)
        atomic_fetch_sub(&heap->outstanding, 1);
    free(memory);
}

static void
arm(struct heap *heap, int countdown, int failures)
{
    atomic_store(&heap->failures, failures);
    atomic_store(&heap->countdown, countdown);
}

static void
disarm(struct heap *heap)
{
    atomic_store(&heap->failures, 0);
    atomic_store(&heap->countdown, 0);
}

enum verb { OPEN, ACQUIRE, RELEASE, LIST, EXAMINE, CLEAR, AUDIT, VERBS };

struct trial {
    struct heap heap;
    struct hf_alloc alloc;
    char place[64];
    struct hf_client *client;
    struct hf_lock *lock;
};

static enum hf_status
open_place(struct trial *t)
{
    struct hf_open_options options = {.alloc = &t->alloc};

    return hf_open(t->place, &options, &t->client, NULL);
}

static enum hf_status
acquire(struct trial *t)
{
    struct hf_acquired acquired = {0};
    enum hf_status status = hf_acquire(t->client, "l", NULL, &acquired, NULL);

    if (status == HF_OK)
        assert_int_equal(acquired.outcome, HF_GRANTED);
    t->lock = acquired.lock;
    return status;
}

/* The call that is tried; the lock is held from RELEASE on. */
static enum hf_status
perform(struct trial *t, enum verb verb)
{
    static struct hf_description rows[4];
    static struct hf_audit_entry entries[4];
    size_t count = 4;
    struct hf_list_query query = {.prefix = "l"};
    struct hf_examine_options once = {0};
    struct hf_clear_options force = {.reason = "a test", .force = true};
    struct hf_diagnosis diagnosis;
    struct hf_cleared cleared;
    struct hf_lock *lock = t->lock;

    switch (verb) {
    case OPEN:
        return open_place(t);
    case ACQUIRE:
        return acquire(t);
    case RELEASE:
        t->lock = NULL;
        return hf_release(lock, NULL, NULL);
    case LIST:
        return hf_list(t->client, &query, rows, &count, NULL);
    case EXAMINE:
        return hf_examine(t->client, "l", &once, &diagnosis, NULL);
    case CLEAR:
        return hf_clear(t->client, "l", &force, &cleared, NULL);
    case AUDIT:
        return hf_audit(t->client, NULL, entries, &count, NULL);
    case VERBS:
        break;
    }
    return HF_E_INVALID;
}

/* Whatever happened, a client without faults gets the lock at once. */
static void
check_free(const struct trial *t)
{
    struct hf_acquire_options now = {.wait = HF_WAIT_TRY};
    struct hf_acquired acquired = {0};
    struct hf_client *client = NULL;

    assert_int_equal(hf_open(t->place, NULL, &client, NULL), HF_OK);
    assert_int_equal(hf_acquire(client, "l", &now, &acquired, NULL), HF_OK);
    assert_int_equal(acquired.outcome, HF_GRANTED);
    assert_int_equal(hf_release(acquired.lock, NULL, NULL), HF_OK);
    hf_close(client);
}

/* Returns whether the n-th allocation was asked for at all. */
static bool
try_once(enum verb verb, int n, int failures)
{
    struct trial t = {0};
    struct hf_client *keeps = NULL; /* the place, while the trial's closes */
    enum hf_status status;
    bool fired;

    t.alloc = (struct hf_alloc){heap_allocate, heap_release, &t.heap};
    snprintf(t.place, sizeof(t.place), "memory:%d-%d-%d", (int)verb, n,
             failures);
    assert_int_equal(hf_open(t.place, NULL, &keeps, NULL), HF_OK);
    if (verb > OPEN)
        assert_int_equal(open_place(&t), HF_OK);
    if (verb > ACQUIRE)
        assert_int_equal(acquire(&t), HF_OK);

    arm(&t.heap, n, failures);
    status = perform(&t, verb);
    disarm(&t.heap);

    fired = atomic_load(&t.heap.fired);
    if (!fired)
        assert_int_equal(status, HF_OK);
    else if (status != HF_OK && status != HF_E_NOMEM)
        assert_int_equal(status, HF_E_UNAVAILABLE);

    /* It works as before. */
    if (t.client == NULL)
        assert_int_equal(open_place(&t), HF_OK);
    if (t.lock == NULL)
        assert_int_equal(acquire(&t), HF_OK);
    assert_int_equal(hf_release(t.lock, NULL, NULL), HF_OK);
    hf_close(t.client);
    assert_int_equal(atomic_load(&t.heap.outstanding), 0);
    check_free(&t);
    hf_close(keeps);
    return fired;
}

static void
try_all(int failures)
{
    for (enum verb verb = OPEN; verb < VERBS; verb++) {
        int n = 1;

        while (try_once(verb, n, failures))
            n++;
        print_message("verb %d: %d allocations\n", (int)verb, n - 1);
    }
}

static void
any_allocation_may_fail_once(void **state)
{
    (void)state;
    try_all(1);
}

static void
any_allocation_may_fail_with_those_that_follow(void **state)
{
    (void)state;
    try_all(6);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_allocation_may_fail_once),
        cmocka_unit_test(any_allocation_may_fail_with_those_that_follow),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "client/client.h"
#include "support/gate.h"
#include "support/heap.h"
#include "support/locks.h"

/*
 * A client under want of memory: in each of the things it does the first
 * allocation fails, then the second, and so on until it needs no more; alone,
 * or with those that follow it.  Either it succeeds or it says that there was
 * no memory (or that its question could not be carried); nothing is lost of the
 * heap, no lock is left behind, and the client works as before.
 */

enum verb {
    OPEN,
    ACQUIRE,
    WAIT_BEHIND,
    LOOK_AT_HOLDER,
    RELEASE,
    LIST,
    EXAMINE,
    CLEAR,
    AUDIT,
    DOCTOR,
    VERBS
};

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
    struct hf_client *client = NULL;
    enum hf_status status = hf_client_new(&t->alloc, &client, NULL);

    if (status == HF_OK)
        status = hf_client_open(client, t->place, NULL);
    if (status == HF_OK)
        t->client = client;
    else
        (void)hf_client_close(client, HF_FOREVER);
    return status;
}

/* A handle with options of all kinds, started. */
static enum hf_status
start(struct trial *t, const char *wait, struct hf_lock **lock)
{
    struct hf_lock *made = NULL;
    enum hf_status status = hf_lock_new(t->client, "l", &made, NULL);

    if (status == HF_OK)
        status = hf_lock_set(made, HF_REASON, "a test", NULL);
    if (status == HF_OK)
        status = hf_lock_set(made, HF_PROCESSES, "1", NULL);
    if (status == HF_OK)
        status = hf_lock_set(made, HF_WAIT, wait, NULL);
    if (status == HF_OK)
        status = hf_lock_start(made, NULL);
    if (status == HF_OK)
        *lock = made;
    else
        hf_lock_free(made);
    return status;
}

static enum hf_status
take(struct trial *t)
{
    enum hf_status status = start(t, "10m", &t->lock);

    if (status != HF_OK)
        return status;
    if (hf_lock_wait(t->lock, HF_FOREVER) == HF_STATE_HELD)
        return HF_OK;
    status = finish(t->lock);
    t->lock = NULL;
    assert_int_not_equal(status, HF_OK);
    return status;
}

/* The second of a line of two: it times out, or so it is told. */
static enum hf_status
wait_behind(struct trial *t)
{
    struct hf_lock *waiter = NULL;
    enum hf_status status = start(t, "try", &waiter);

    if (status != HF_OK)
        return status;
    (void)hf_lock_wait(waiter, HF_FOREVER);
    status = hf_lock_error(waiter, NULL);
    if (status == HF_OK)
        assert_int_equal(hf_lock_check(waiter), HF_TIMED_OUT);
    hf_lock_free(waiter);
    return status;
}

static enum hf_status
look_at_holder(struct trial *t)
{
    struct hf_view *view = hf_lock_view(t->lock);

    if (view == NULL)
        return HF_E_NOMEM;
    hf_view_free(view);
    return HF_OK;
}

static enum hf_status
ask_it(struct hf_query *query)
{
    enum hf_status status = hf_query_start(query, NULL);
    struct hf_view *view;

    if (status != HF_OK)
        return status;
    assert_true(hf_query_wait(query, HF_FOREVER));
    while ((view = hf_query_next(query)) != NULL)
        hf_view_free(view);
    hf_view_free(hf_query_view(query));
    return hf_query_error(query, NULL);
}

static enum hf_status
query(struct trial *t, enum hf_query_kind kind)
{
    struct hf_query *made = NULL;
    enum hf_status status = hf_query_new(t->client, kind, &made, NULL);

    if (status == HF_OK && kind == HF_LIST)
        status = hf_query_set(made, HF_PREFIX, "l", NULL);
    if (status == HF_OK && kind != HF_LIST && kind != HF_DOCTOR)
        status = hf_query_set(made, HF_NAME, "l", NULL);
    if (status == HF_OK && kind == HF_CLEAR)
        status = hf_query_set(made, HF_REASON, "a test", NULL);
    if (status == HF_OK && kind == HF_CLEAR)
        status = hf_query_set(made, HF_FORCE, "yes", NULL);
    if (status == HF_OK)
        status = ask_it(made);
    hf_query_free(made);
    return status;
}

/* What is tried; the lock is held from WAIT_BEHIND on. */
static enum hf_status
perform(struct trial *t, enum verb verb)
{
    struct hf_lock *lock = t->lock;

    switch (verb) {
    case OPEN:
        return open_place(t);
    case ACQUIRE:
        return take(t);
    case WAIT_BEHIND:
        return wait_behind(t);
    case LOOK_AT_HOLDER:
        return look_at_holder(t);
    case RELEASE:
        t->lock = NULL;
        return give_back(lock);
    case LIST:
        return query(t, HF_LIST);
    case EXAMINE:
        return query(t, HF_EXAMINE);
    case CLEAR:
        return query(t, HF_CLEAR);
    case AUDIT:
        return query(t, HF_AUDIT);
    case DOCTOR:
        return query(t, HF_DOCTOR);
    case VERBS:
        break;
    }
    return HF_E_INVALID;
}

/* Whatever happened, a client without faults gets the lock at once. */
static void
check_free(const struct trial *t)
{
    struct hf_client *client = open_client(t->place);

    assert_int_equal(give_back(hold(client, "l", HF_WAIT, "try", NULL)), HF_OK);
    close_client(client);
}

/* Returns whether the n-th allocation was asked for at all. */
static bool
try_once(enum verb verb, int n, int failures)
{
    struct trial t = {0};
    struct hf_client *keeps = NULL; /* the place, while the trial's closes */
    enum hf_status status;
    bool fired;

    t.alloc = heap_alloc(&t.heap);
    snprintf(t.place, sizeof(t.place), "memory:%d-%d-%d", (int)verb, n,
             failures);
    keeps = open_client(t.place);
    if (verb > OPEN)
        assert_int_equal(open_place(&t), HF_OK);
    if (verb > ACQUIRE)
        assert_int_equal(take(&t), HF_OK);

    heap_arm(&t.heap, n, failures);
    status = perform(&t, verb);
    heap_disarm(&t.heap);

    fired = atomic_load(&t.heap.fired);
    if (!fired)
        assert_int_equal(status, HF_OK);
    else if (status != HF_OK && status != HF_E_NOMEM)
        assert_int_equal(status, HF_E_UNAVAILABLE);

    /* It works as before. */
    if (t.client == NULL)
        assert_int_equal(open_place(&t), HF_OK);
    if (t.lock == NULL)
        assert_int_equal(take(&t), HF_OK);
    assert_int_equal(give_back(t.lock), HF_OK);
    close_client(t.client);
    assert_int_equal(atomic_load(&t.heap.outstanding), 0);
    check_free(&t);
    close_client(keeps);
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

/* ---- A read of many records ---------------------------------------------- */

/* So many that what they say takes more than the memory that there is for a
 * turn already: a chunk (src/base/arena.c). */
enum { MANY = 120, CHUNK = 64 * 1024 };

static struct hf_lock *
ask_for_one_of_many(struct hf_client *client, int number, const char *reason)
{
    char name[16];

    snprintf(name, sizeof(name), "l%d", number);
    return ask_for(client, name, HF_WAIT, "try", HF_REASON, reason, NULL);
}

static void
hold_many(struct hf_client *client, struct hf_lock *locks[MANY])
{
    char reason[HF_REASON_MAX + 1];

    memset(reason, 'x', HF_REASON_MAX);
    reason[HF_REASON_MAX] = '\0';
    for (int i = 0; i < MANY; i++)
        locks[i] = ask_for_one_of_many(client, i, reason);
    for (int i = 0; i < MANY; i++)
        assert_int_equal(hf_lock_wait(locks[i], HF_FOREVER), HF_STATE_HELD);
}

/* Whoever wants the lock of another is told that it is held, or that it could
 * not be read. */
static void
expect_held_or_unread(struct hf_lock *lock)
{
    enum hf_status status;

    assert_int_equal(hf_lock_wait(lock, HF_FOREVER), HF_STATE_ENDED);
    status = hf_lock_error(lock, NULL);
    if (status == HF_OK)
        assert_int_equal(hf_lock_check(lock), HF_TIMED_OUT);
    else if (status != HF_E_NOMEM)
        assert_int_equal(status, HF_E_UNAVAILABLE);
    hf_lock_free(lock);
}

/* All of them at once: the first is at the gate while the others are asked
 * for.  Returns whether the n-th chunk was asked for at all. */
static bool
read_many(const char *place, int n)
{
    struct heap heap = {.least = CHUNK};
    struct hf_alloc alloc = heap_alloc(&heap);
    struct hf_client *client = NULL;
    struct hf_lock *locks[MANY];
    struct gate gate;

    gate_init(&gate);
    assert_int_equal(hf_client_new(&alloc, &client, NULL), HF_OK);
    assert_int_equal(
        hf_client_open_on(client, gate_store_open(&gate, place), place, NULL),
        HF_OK);
    gate_shut(&gate, GATE_READS);
    for (int i = 0; i < MANY; i++)
        locks[i] = ask_for_one_of_many(client, i, "");
    gate_await(&gate, 1);
    heap_arm(&heap, n, 1);
    gate_open(&gate);
    for (int i = 0; i < MANY; i++)
        expect_held_or_unread(locks[i]);
    heap_disarm(&heap);
    close_client(client);
    gate_fini(&gate);
    assert_int_equal(atomic_load(&heap.outstanding), 0);
    return atomic_load(&heap.fired);
}

static void
a_record_that_there_is_no_memory_for_is_not_read(void **state)
{
    static const char place[] = "memory:many";
    struct hf_client *holder = open_client(place);
    struct hf_lock *held[MANY];
    int n = 1;

    (void)state;
    hold_many(holder, held);
    while (read_many(place, n))
        n++;
    assert_true(n > 1);
    for (int i = 0; i < MANY; i++)
        assert_int_equal(give_back(held[i]), HF_OK);
    close_client(holder);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_allocation_may_fail_once),
        cmocka_unit_test(any_allocation_may_fail_with_those_that_follow),
        cmocka_unit_test(a_record_that_there_is_no_memory_for_is_not_read),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

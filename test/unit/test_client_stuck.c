#include "support/test.h"
#include "unit/support/clients.h"

#include <pthread.h>
#include <string.h>

#include "support/forward_store.h"

/*
 * A place that bears three calls at a time, as one across a network does: what
 * is stuck in one keeps nothing else waiting.
 */

/* What the stores of a test meet: a call with the key "stuck" goes no further
 * until the gate is opened. */
struct calls_gate {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    bool open;
    unsigned stuck; /* calls that wait at it */
    unsigned waits; /* for a change, that have begun */
    unsigned beats; /* commits with the key "kept" */
    unsigned calls; /* under way */
    unsigned most;  /* of these at a time */
    pthread_t tester;
    bool by_tester; /* it made one of them */
    bool twice;     /* a key was in two commits at a time */
    bool in_stuck;  /* it is in one */
    bool in_kept;
};

struct gated_calls {
    struct forward_store forward;
    struct calls_gate *gate; /* borrowed */
};

static struct calls_gate *
gate_of(struct hf_store *store)
{
    return ((struct gated_calls *)store)->gate;
}

static void
enter(struct calls_gate *gate)
{
    pthread_mutex_lock(&gate->mutex);
    gate->by_tester |= pthread_equal(gate->tester, pthread_self()) != 0;
    gate->calls++;
    if (gate->calls > gate->most)
        gate->most = gate->calls;
}

static void
leave(struct calls_gate *gate)
{
    gate->calls--;
    pthread_cond_broadcast(&gate->changed);
    pthread_mutex_unlock(&gate->mutex);
}

static void
pass(struct calls_gate *gate)
{
    gate->stuck++;
    pthread_cond_broadcast(&gate->changed);
    while (!gate->open)
        pthread_cond_wait(&gate->changed, &gate->mutex);
    gate->stuck--;
}

static bool
has(const struct hf_store_group *groups, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        for (size_t o = 0; o < groups[i].ops_count; o++)
            if (strcmp(groups[i].ops[o].key.name, name) == 0)
                return true;
    return false;
}

static void
commit(struct hf_store *store, struct hf_store_group *groups, size_t count,
       struct hf_instant until, struct hf_error *error)
{
    struct calls_gate *gate = gate_of(store);
    bool stuck = has(groups, count, "stuck");
    bool kept = has(groups, count, "kept");

    enter(gate);
    gate->twice |= (stuck && gate->in_stuck) || (kept && gate->in_kept);
    gate->in_stuck |= stuck;
    gate->in_kept |= kept;
    gate->beats += kept;
    if (stuck)
        pass(gate);
    pthread_mutex_unlock(&gate->mutex);
    forward_store_commit(store, groups, count, until, error);
    pthread_mutex_lock(&gate->mutex);
    gate->in_stuck = gate->in_stuck && !stuck;
    gate->in_kept = gate->in_kept && !kept;
    leave(gate);
}

static enum hf_status
scan(struct hf_store *store, const struct hf_store_scan *what,
     struct hf_instant until, hf_store_row_fn *row, void *ctx,
     struct hf_error *error)
{
    struct calls_gate *gate = gate_of(store);

    enter(gate);
    pass(gate);
    leave(gate);
    return forward_store_scan(store, what, until, row, ctx, error);
}

static void
wait_for_change(struct hf_store *store, struct hf_store_watch *watches,
                size_t count, struct hf_instant until, int wake_fd)
{
    struct calls_gate *gate = gate_of(store);

    enter(gate);
    gate->waits++;
    pthread_cond_broadcast(&gate->changed);
    pthread_mutex_unlock(&gate->mutex);
    forward_store_wait(store, watches, count, until, wake_fd);
    pthread_mutex_lock(&gate->mutex);
    leave(gate);
}

static struct hf_client *
open_at(struct calls_gate *gate)
{
    static const struct hf_store_methods changed = {
        .commit = commit,
        .scan = scan,
        .wait = wait_for_change,
    };
    struct gated_calls *gated =
        forward_store_open("memory:calls", sizeof(*gated), &changed);

    assert_non_null(gated);
    gated->gate = gate;
    gated->forward.base.limits.max_calls = HF_STORE_REMOTE_CALLS;
    return open_client_on(&gated->forward.base, "memory:calls");
}

/* Wait until *count is `least`; 20 s are as good as never. */
static void
await(struct calls_gate *gate, const unsigned *count, unsigned least)
{
    struct timespec until;

    assert_int_equal(clock_gettime(CLOCK_REALTIME, &until), 0);
    until.tv_sec += 20;
    pthread_mutex_lock(&gate->mutex);
    while (*count < least)
        assert_int_equal(
            pthread_cond_timedwait(&gate->changed, &gate->mutex, &until), 0);
    pthread_mutex_unlock(&gate->mutex);
}

static void
open_gate(struct calls_gate *gate)
{
    pthread_mutex_lock(&gate->mutex);
    gate->open = true;
    pthread_cond_broadcast(&gate->changed);
    pthread_mutex_unlock(&gate->mutex);
}

/* Two of the three calls never come back: a claim, and a list.  In the third a
 * worker waits for another client's lock, until there is a beat to be sent. */
TEST(a_lock_is_kept_beside_calls_that_hear_nothing)
{
    struct calls_gate gate = {
        .mutex = PTHREAD_MUTEX_INITIALIZER,
        .changed = PTHREAD_COND_INITIALIZER,
        .tester = pthread_self(),
    };
    struct hf_client *client = open_at(&gate);
    struct hf_client *other = open_client("memory:calls");
    struct hf_lock *theirs = hold(other, "theirs", NULL);
    struct hf_query *query = new_query(client, HF_LIST, NULL);
    struct hf_lock *waiter;
    struct hf_lock *stuck;
    struct hf_lock *kept;
    enum { BEATS = 40 }; /* for three lives, about */

    waiter = ask_for(client, "theirs", NULL);
    await(&gate, &gate.waits, 1);
    stuck = ask_for(client, "stuck", HF_TTL, SHORT_TTL, NULL);
    await(&gate, &gate.stuck, 1);
    assert_int_equal(hf_query_start(query, NULL), HF_OK);
    await(&gate, &gate.stuck, 2);

    kept = hold(client, "kept", HF_TTL, SHORT_TTL, NULL);
    await(&gate, &gate.beats, BEATS);
    assert_int_equal(hf_lock_check(kept), HF_GRANTED);

    open_gate(&gate);
    assert_int_equal(gate.most, HF_STORE_REMOTE_CALLS);
    assert_false(gate.twice);
    assert_true(hf_query_wait(query, HF_FOREVER));
    hf_query_free(query);
    assert_int_equal(give_back(kept), HF_OK);
    hf_lock_free(stuck);
    hf_lock_free(waiter);
    close_client(client);
    assert_int_equal(give_back(theirs), HF_OK);
    close_client(other);
}

/* How long a call was held back beside two that go no further. */
static int64_t
held_back_ms(void)
{
    struct calls_gate gate = {
        .mutex = PTHREAD_MUTEX_INITIALIZER,
        .changed = PTHREAD_COND_INITIALIZER,
        .tester = pthread_self(),
    };
    struct hf_client *client = open_at(&gate);
    struct hf_query *query = new_query(client, HF_LIST, NULL);
    struct hf_instant began_at = hf_now();
    struct hf_lock *stuck = ask_for(client, "stuck", NULL);
    struct hf_lock *kept;
    int64_t took_ms;

    await(&gate, &gate.stuck, 1);
    assert_int_equal(hf_query_start(query, NULL), HF_OK);
    await(&gate, &gate.stuck, 2);

    kept = hold(client, "kept", NULL);
    took_ms = hf_between(began_at, hf_now()).ms;

    open_gate(&gate);
    assert_true(hf_query_wait(query, HF_FOREVER));
    hf_query_free(query);
    assert_int_equal(give_back(kept), HF_OK);
    hf_lock_free(stuck);
    close_client(client);
    return took_ms;
}

/* More calls at a time make smaller batches. */
TEST(a_third_call_begins_only_beside_one_that_is_slow)
{
    enum { SLOW_MS = 100, LATE_MS = 1500, TRIES = 10 };
    int64_t took_ms;
    int tries = 0;

    /* It begins by an alarm of its own, and not when its question is asked
     * again: of a machine that is busy once is not always. */
    do {
        took_ms = held_back_ms();
        assert_true(took_ms >= SLOW_MS);
    } while (took_ms >= LATE_MS && ++tries < TRIES);
    assert_true(took_ms < LATE_MS);
}

/* Nothing could be said to it while its call hears nothing. */
TEST(a_caller_that_waits_makes_no_call_across_a_network_itself)
{
    struct calls_gate gate = {
        .mutex = PTHREAD_MUTEX_INITIALIZER,
        .changed = PTHREAD_COND_INITIALIZER,
        .open = true,
        .tester = pthread_self(),
    };
    struct hf_client *client = open_at(&gate);

    assert_int_equal(give_back(hold(client, "kept", NULL)), HF_OK);
    close_client(client);
    assert_true(gate.beats >= 2); /* a claim, and a release */
    assert_false(gate.by_tester);
}

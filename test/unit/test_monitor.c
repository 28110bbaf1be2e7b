#include "support/test.h"

#include <pthread.h>

#include "base/monitor.h"

enum { THREADS = 2 * HF_MONITOR_PENDING_MAX, TURNS = 2000 };

/* Threads take turns; each waits for a condition on its own stack. */
struct ring {
    struct hf_monitor monitor;
    struct hf_condition *waiting[THREADS]; /* NULL: this one does not */
    size_t turn;                           /* whose it is */
    size_t turns;
};

struct member {
    pthread_t thread;
    struct ring *ring;
    size_t index;
};

static void
await_turn(struct ring *ring, size_t index)
{
    struct hf_condition condition = {0};

    ring->waiting[index] = &condition;
    while (ring->turn != index && ring->turns < TURNS)
        hf_monitor_wait(&ring->monitor, &condition, HF_NEVER);
    ring->waiting[index] = NULL;
}

static void *
take_turns(void *arg)
{
    struct member *member = arg;
    struct ring *ring = member->ring;
    bool over = false;

    while (!over) {
        hf_monitor_enter(&ring->monitor);
        await_turn(ring, member->index);
        ring->turns++;
        ring->turn = (member->index + 1) % THREADS;
        over = ring->turns >= TURNS;
        for (size_t i = 0; i < THREADS; i++)
            if ((over || i == ring->turn) && ring->waiting[i] != NULL)
                hf_monitor_notify(&ring->monitor, ring->waiting[i]);
        hf_monitor_leave(&ring->monitor);
    }
    return NULL;
}

TEST(each_thread_that_is_notified_wakes)
{
    struct ring ring = {.turn = 0};
    struct member members[THREADS];

    hf_monitor_init(&ring.monitor);
    for (size_t i = 0; i < THREADS; i++) {
        members[i] = (struct member){.ring = &ring, .index = i};
        assert_int_equal(
            pthread_create(&members[i].thread, NULL, take_turns, &members[i]),
            0);
    }
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(members[i].thread, NULL), 0);
    assert_true(ring.turns >= TURNS);
    hf_monitor_fini(&ring.monitor);
}

TEST(a_wait_ends_with_its_time)
{
    struct hf_monitor monitor;
    struct hf_condition condition = {0};
    struct hf_instant until = hf_after(hf_now(), (struct hf_duration){20});

    hf_monitor_init(&monitor);
    hf_monitor_enter(&monitor);
    while (!hf_reached(hf_now(), until))
        hf_monitor_wait(&monitor, &condition, until);
    hf_monitor_leave(&monitor);
    hf_monitor_fini(&monitor);
}

TEST(a_condition_may_be_gone_when_its_thread_is_woken)
{
    struct hf_monitor monitor;

    hf_monitor_init(&monitor);
    hf_monitor_enter(&monitor);
    for (int i = 0; i < HF_MONITOR_PENDING_MAX + 1; i++) {
        struct hf_condition *condition = test_calloc(1, sizeof(*condition));

        hf_monitor_notify(&monitor, condition);
        test_free(condition);
    }
    hf_monitor_leave(&monitor);
    hf_monitor_fini(&monitor);
}

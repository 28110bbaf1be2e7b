#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "lab/check.h"
#include "unit/support/server_fixture.h"

/*
 * A thousand clients want one lock, each for a second, and their streams bear
 * no more than 30 s: whoever comes first is granted first, though each asks
 * again some twenty times before its turn [W1, W2].  And: what a step costs.
 */
enum {
    CLIENTS = 1000,
    HELD_MS = 1000,
    LATENCY_MAX_MS = 1900,
    ANSWERS = 4 * CLIENTS, /* that wait for a batch, at most */
};

struct client {
    int64_t asks_at; /* HF_NEVER: it waits for an answer, or is done */
    int64_t releases_at;
    uint64_t a;
    uint64_t granted; /* its place in the order of grants, from 1 */
};

struct crowd {
    struct hf_lockspace *ls;
    struct hf_instant now;
    uint64_t random;
    struct client clients[CLIENTS];
    uint64_t grants;
    uint64_t timeouts;
    size_t late; /* this client asks again too late, once; 0: none does */

    int64_t batch_ms; /* how long each takes */
    int64_t batch_ends_at;
    struct hf_batch batch;
    struct hf_answer answers[ANSWERS]; /* of which none is out yet */
    size_t answers_first, answers_count;
};

static struct crowd crowd;

static const struct hf_lockspace_config crowded = {
    .limits =
        {
            .sessions = CLIENTS,
            .lanes = CLIENTS,
            .claims = CLIENTS,
            .waiters = CLIENTS,
            .names = 4,
            .spaces = 4,
            .parts = CLIENTS,
            .texts = 8,
            .session_lanes = 1,
            .session_waiters = 1,
            .session_grants = 1,
            .space_waiters = CLIENTS,
            .space_grants = CLIENTS,
            .request_names = 1,
            .search = 64,
            .record_bytes = 4096,
        },
    .blocking = {28500}, /* an idle timeout of 30 s less a margin */
    .resume_grace = {2000},
    .ttl_max = {60000},
    .seed = 7,
};

static int64_t
latency(struct crowd *c)
{
    c->random = c->random * UINT64_C(6364136223846793005) + 1;
    return (int64_t)((c->random >> 33) % LATENCY_MAX_MS);
}

/* A stream is its client's number, from 1, and its attempt. */
static void
hear(struct crowd *c, const struct hf_answer *answer)
{
    struct client *client = &c->clients[answer->stream % 1000000 - 1];

    if (answer->kind == HF_ANSWER_GRANTED) {
        client->granted = ++c->grants;
        client->releases_at = c->now.ms + HELD_MS;
    } else if (answer->kind == HF_ANSWER_BLOCKING_TIMEOUT) {
        client->asks_at = c->now.ms + latency(c);
        if (answer->stream % 1000000 == c->late) {
            client->asks_at = c->now.ms + 2001;
            c->late = 0;
        }
    } else {
        assert_true(answer->kind == HF_ANSWER_OPENED ||
                    answer->kind == HF_ANSWER_RELEASED);
    }
}

/* They are heard when a batch lets them out. */
static void
take_answers(struct crowd *c)
{
    struct hf_answer answer;

    while (hf_lockspace_next(c->ls, &answer)) {
        HF_CHECK(c->answers_count < ANSWERS);
        c->timeouts += answer.kind == HF_ANSWER_BLOCKING_TIMEOUT;
        c->answers[(c->answers_first + c->answers_count++) % ANSWERS] = answer;
    }
}

static void
begin_batch(struct crowd *c)
{
    struct hf_change change;

    if (c->batch_ends_at != HF_NEVER.ms || c->answers_count == 0)
        return;
    hf_lockspace_begin(c->ls, (struct hf_budget){UINT32_MAX, SIZE_MAX / 2});
    while (hf_lockspace_take(c->ls, &change))
        continue;
    hf_lockspace_fix(c->ls, &c->batch);
    c->batch_ends_at = c->now.ms + c->batch_ms;
}

static void
end_batch(struct crowd *c)
{
    struct hf_lockspace_event event = {
        .kind = HF_SPACE_BATCH,
        .at = c->now,
        .batch = {c->batch.number, HF_APPLIED},
    };

    if (c->batch_ends_at > c->now.ms)
        return;
    c->batch_ends_at = HF_NEVER.ms;
    hf_lockspace_step(c->ls, &event);
    take_answers(c);
    while (c->answers_count > 0 &&
           c->answers[c->answers_first].mark <= c->batch.through) {
        hear(c, &c->answers[c->answers_first]);
        c->answers_first = (c->answers_first + 1) % ANSWERS;
        c->answers_count--;
    }
}

static void
say(struct crowd *c, enum hf_message_kind kind, size_t number)
{
    const struct hf_want want = {
        .space = {"default", 7}, .name = {"A", 1}, .mode = HF_EXCLUSIVE};
    struct client *client = &c->clients[number];
    struct hf_lockspace_event event = {
        .kind = HF_SPACE_MESSAGE,
        .at = c->now,
        .message =
            {.kind = kind, .session = number + 1, .term = 1, .lane = 1, .n = 1},
    };

    if (kind == HF_MESSAGE_OPEN) {
        event.message.open.ttl.ms = 60000;
    } else if (kind == HF_MESSAGE_ACQUIRE) {
        client->asks_at = HF_NEVER.ms;
        event.message.a = ++client->a;
        event.message.acquire.wants = &want;
        event.message.acquire.wants_count = 1;
        event.message.acquire.wait = HF_WAIT_FOREVER;
    } else {
        client->releases_at = HF_NEVER.ms;
    }
    event.message.stream = client->a * 1000000 + number + 1;
    hf_lockspace_step(c->ls, &event);
    take_answers(c);
}

static int64_t
next_instant(const struct crowd *c)
{
    int64_t next = hf_lockspace_deadline(c->ls).ms;

    if (c->batch_ends_at < next)
        next = c->batch_ends_at;
    for (size_t i = 0; i < CLIENTS; i++) {
        if (c->clients[i].asks_at < next)
            next = c->clients[i].asks_at;
        if (c->clients[i].releases_at < next)
            next = c->clients[i].releases_at;
    }
    return next;
}

/* Client 0 comes first, and so on.  Returns the block. */
static void *
gather_crowd(struct crowd *c, int64_t batch_ms, size_t late)
{
    struct hf_lockspace_event serve = {
        .kind = HF_SPACE_SERVE,
        .serve = {.term = 1, .next_fence = 1, .wall_us = 1}};
    void *block = calloc(1, hf_lockspace_size(&crowded));

    HF_CHECK(block != NULL);
    *c = (struct crowd){
        .random = 3,
        .late = late,
        .batch_ms = batch_ms,
        .batch_ends_at = HF_NEVER.ms,
    };
    c->ls = hf_lockspace_init(block, &crowded);
    hf_lockspace_step(c->ls, &serve);
    for (size_t i = 0; i < CLIENTS; i++) {
        say(c, HF_MESSAGE_OPEN, i);
        c->clients[i].releases_at = HF_NEVER.ms;
        say(c, HF_MESSAGE_ACQUIRE, i);
    }
    return block;
}

/* Until everybody has held it once, or long after everybody should have: a
 * grant is told by one batch, and given back by another that may have to wait
 * for one. */
static void
run_crowd(struct crowd *c, int64_t batch_ms, size_t late)
{
    struct hf_lockspace_event clock = {.kind = HF_SPACE_CLOCK};
    const int64_t end_ms = 2 * CLIENTS * (HELD_MS + 3 * batch_ms);
    void *block = gather_crowd(c, batch_ms, late);

    begin_batch(c);
    while (c->grants < CLIENTS && c->now.ms < end_ms) {
        c->now.ms = next_instant(c);
        end_batch(c);
        for (size_t i = 0; i < CLIENTS; i++) {
            if (c->clients[i].releases_at == c->now.ms)
                say(c, HF_MESSAGE_RELEASE, i);
            if (c->clients[i].asks_at == c->now.ms)
                say(c, HF_MESSAGE_ACQUIRE, i);
        }
        clock.at = clock.read_until = c->now;
        hf_lockspace_step(c->ls, &clock);
        take_answers(c);
        begin_batch(c);
    }
    free(block);
}

static void
expect_order_of_coming(const struct crowd *c)
{
    for (size_t i = 0; i < CLIENTS; i++)
        assert_int_equal(c->clients[i].granted, i + 1);
    /* They were answered again and again: it was not for lack of timeouts. */
    assert_true(c->timeouts > 10 * CLIENTS);
}

static void
a_thousand_are_granted_in_the_order_in_which_they_came(void **state)
{
    (void)state;
    run_crowd(&crowd, 0, 0);
    expect_order_of_coming(&crowd);
}

/* Whoever is parked hears of it long after that was decided. */
static void
and_so_they_are_if_each_batch_takes_longer_than_the_grace(void **state)
{
    (void)state;
    run_crowd(&crowd, crowded.resume_grace.ms + 1000, 0);
    expect_order_of_coming(&crowd);
}

static void
who_asks_again_too_late_goes_to_the_end(void **state)
{
    uint64_t before = 0;

    (void)state;
    run_crowd(&crowd, 0, 500);
    for (size_t i = 0; i < CLIENTS; i++) {
        if (i == 499)
            continue;
        assert_true(crowd.clients[i].granted > before);
        before = crowd.clients[i].granted;
    }
    assert_int_equal(crowd.clients[499].granted, CLIENTS);
}

/* Their streams are all due at once: some hundreds are answered in a step. */
static void
a_thousand_that_are_due_at_once_are_answered_in_many_steps(void **state)
{
    struct hf_lockspace_event clock = {
        .kind = HF_SPACE_CLOCK, .at = {29000}, .read_until = {29000}};
    void *block = gather_crowd(&crowd, 0, 0);
    uint64_t before = 0;

    (void)state;
    while (hf_lockspace_deadline(crowd.ls).ms <= 29000) {
        hf_lockspace_step(crowd.ls, &clock);
        take_answers(&crowd);
        assert_in_range(crowd.timeouts - before, 1, 256);
        before = crowd.timeouts;
    }
    assert_int_equal(crowd.timeouts, CLIENTS - 1); /* but who holds it */
    hf_lockspace_check(crowd.ls);
    free(block);
}

/* And one batch lets all these answers out: some hundreds of graces begin in a
 * step. */
static void
a_thousand_graces_begin_in_many_steps(void **state)
{
    struct hf_lockspace_event clock = {
        .kind = HF_SPACE_CLOCK, .at = {29000}, .read_until = {29000}};
    void *block = gather_crowd(&crowd, 0, 0);
    unsigned steps = 1; /* that of the batch */

    (void)state;
    while (hf_lockspace_deadline(crowd.ls).ms <= 29000) {
        hf_lockspace_step(crowd.ls, &clock);
        take_answers(&crowd);
    }
    crowd.now.ms = 29000;
    begin_batch(&crowd);
    end_batch(&crowd);
    for (; hf_lockspace_deadline(crowd.ls).ms <= 29000; steps++) {
        hf_lockspace_step(crowd.ls, &clock);
        hf_lockspace_check(crowd.ls);
    }
    assert_int_equal(steps, 4); /* of 256 */
    assert_int_equal(hf_lockspace_deadline(crowd.ls).ms,
                     29000 + crowded.resume_grace.ms);
    free(block);
}

/* ---- What a step costs --------------------------------------------------- */

/* Entries looked at, nodes moved, links set, steps of a search. */
static uint64_t
work_of(const struct hf_lockspace_counts *counts)
{
    return counts->probes + counts->moves + counts->links + counts->searched;
}

static struct hf_lockspace_config
server_for(uint32_t n)
{
    struct hf_lockspace_config config = server_config();

    config.limits = (struct hf_lockspace_limits){
        .sessions = 2 * n,
        .lanes = 4 * n,
        .claims = 4 * n,
        .waiters = 4 * n,
        .names = 4 * n,
        .spaces = 4,
        .parts = 8 * n,
        .texts = 8 * n,
        .session_lanes = 4 * n,
        .session_waiters = 4 * n,
        .session_grants = 8 * n,
        .space_waiters = 8 * n,
        .space_grants = 8 * n,
        .request_names = 4,
        .search = 64,
        .record_bytes = 4096,
    };
    config.blocking.ms = 20000;
    return config;
}

static void
step(struct server_fixture *r, uint64_t *most, enum hf_message_kind kind,
     struct call call)
{
    const struct hf_want wants[] = {
        {{"default", 7},
         {call.names, call.names ? strlen(call.names) : 0},
         call.try_only ? HF_SHARED : HF_EXCLUSIVE}};
    struct hf_lockspace_event event = {
        .kind = HF_SPACE_MESSAGE,
        .at = r->now,
        .message = {.kind = kind,
                    .stream = call.stream,
                    .session = call.session,
                    .term = 7,
                    .lane = call.lane,
                    .n = call.n,
                    .a = call.a},
    };
    struct hf_lockspace_counts counts;
    struct hf_answer answer;
    uint64_t before;

    if (kind == HF_MESSAGE_OPEN)
        event.message.open.ttl.ms = 60000;
    if (kind == HF_MESSAGE_ACQUIRE) {
        event.message.acquire.wants = wants;
        event.message.acquire.wants_count = 1;
        event.message.acquire.wait = HF_WAIT_FOREVER;
    }
    counts = hf_lockspace_counts(r->ls);
    before = work_of(&counts);
    hf_lockspace_step(r->ls, &event);
    while (hf_lockspace_next(r->ls, &answer))
        continue;
    counts = hf_lockspace_counts(r->ls);
    if (work_of(&counts) - before > *most)
        *most = work_of(&counts) - before;
}

/* The most of any step, when n lanes wait in one line and as many hold a name
 * each. */
static uint64_t
most_of_a_step(uint32_t n)
{
    struct hf_lockspace_config config = server_for(n);
    struct server_fixture r = server_empty(&config);
    uint64_t most = 0;
    char name[16];

    server_serve(&r, 1000);
    for (uint32_t i = 1; i <= n; i++) {
        struct call call = {
            .stream = i, .session = i, .lane = 1, .n = 1, .a = 1};

        r.now.ms += i % 3;
        step(&r, &most, HF_MESSAGE_OPEN, call);
        snprintf(name, sizeof(name), "own-%u", i);
        call.names = name;
        step(&r, &most, HF_MESSAGE_ACQUIRE, call);
        call.n = 2;
        call.names = "shared";
        call.try_only = i % 2 == 0; /* a shared one, that may wait */
        step(&r, &most, HF_MESSAGE_ACQUIRE, call);
    }
    for (uint32_t i = 1; i <= n; i++) {
        struct call call = {.stream = n + i,
                            .session = (i * 7919ull) % n + 1,
                            .lane = 1,
                            .n = 2,
                            .a = 2,
                            .names = "shared"};

        step(&r, &most, HF_MESSAGE_KEEP_ALIVE, call);
        if (i % 3 == 0)
            step(&r, &most, HF_MESSAGE_RELEASE, call);
        else
            step(&r, &most, HF_MESSAGE_ACQUIRE, call);
        call.n = 1;
        if (i % 5 == 0)
            step(&r, &most, HF_MESSAGE_RELEASE, call);
    }
    hf_lockspace_check(r.ls);
    server_fini(&r);
    return most;
}

static void
a_step_costs_no_more_than_the_logarithm_of_what_is_there(void **state)
{
    uint64_t few = most_of_a_step(64);
    uint64_t many = most_of_a_step(64 * 64);

    (void)state;
    /* Two heaps' depths at most for six doublings; a search is bounded by 64.
     */
    assert_true(few > 0 && many <= few + 6 * 6 + 64);
}

/* Of the one step that ends a session which holds a name in each of its lanes,
 * for each of which another session waits, while `others` more hold names. */
static uint64_t
cost_of_an_end(uint32_t lanes, uint32_t others)
{
    struct hf_lockspace_config config = server_for(lanes + others);
    struct server_fixture r = server_empty(&config);
    struct call call = {.lane = 1, .n = 1, .a = 1};
    uint64_t most = 0;
    char name[16];

    call.names = name;
    server_serve(&r, 1000);
    for (uint32_t i = 1; i <= lanes + others; i++) {
        call.stream = call.session = i;
        step(&r, &most, HF_MESSAGE_OPEN, call);
        snprintf(name, sizeof(name), "other-%u", i);
        step(&r, &most, HF_MESSAGE_ACQUIRE, call);
    }
    for (uint32_t i = 1; i <= lanes; i++) {
        snprintf(name, sizeof(name), "own-%u", i);
        call = (struct call){.stream = lanes + others + i,
                             .session = lanes + others,
                             .lane = 1 + i,
                             .n = 1,
                             .a = 1,
                             .names = name};
        step(&r, &most, HF_MESSAGE_ACQUIRE, call);
        call.session = i % (lanes + others - 1) + 1;
        step(&r, &most, HF_MESSAGE_ACQUIRE, call);
    }
    most = 0;
    call.session = lanes + others;
    step(&r, &most, HF_MESSAGE_END, call);
    assert_int_equal(hf_lockspace_counts(r.ls).grants, 3 * lanes + others);
    hf_lockspace_check(r.ls);
    server_fini(&r);
    return most;
}

static void
the_end_of_a_session_costs_what_it_had_and_not_what_is_there(void **state)
{
    const uint64_t few = cost_of_an_end(64, 64);

    (void)state;
    /* For each grant at most a heap's depth for six doublings of what others
     * have, and another's for those of its own lanes. */
    assert_true(few > 0 && cost_of_an_end(64, 64 * 64) <= few + 64 * 6);
    assert_true(cost_of_an_end(64 * 64, 64) <= 64 * (few + 64 * (6 + 6)));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            a_thousand_are_granted_in_the_order_in_which_they_came),
        cmocka_unit_test(
            and_so_they_are_if_each_batch_takes_longer_than_the_grace),
        cmocka_unit_test(who_asks_again_too_late_goes_to_the_end),
        cmocka_unit_test(
            a_thousand_that_are_due_at_once_are_answered_in_many_steps),
        cmocka_unit_test(a_thousand_graces_begin_in_many_steps),
        cmocka_unit_test(
            a_step_costs_no_more_than_the_logarithm_of_what_is_there),
        cmocka_unit_test(
            the_end_of_a_session_costs_what_it_had_and_not_what_is_there),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include <stdio.h>

#include "lab/check.h"
#include "unit/support/lockspace_script.h"

/* Who only waits until names are free: told so when all are, and in nobody's
 * way [R1, W1]. */

static struct call
want(uint64_t stream, uint64_t session, const char *names)
{
    return (struct call){.stream = stream, .session = session, .names = names};
}

static struct call
until_free(uint64_t stream, uint64_t session, const char *names)
{
    struct call call = want(stream, session, names);

    call.free = true;
    return call;
}

static struct call
next_of(struct call call)
{
    call.n = 2;
    return call;
}

enum { MANY = 2000 };

static struct hf_lockspace_config
large(void)
{
    struct hf_lockspace_config config = server_config();
    struct hf_lockspace_limits *limits = &config.limits;

    limits->lanes = limits->session_lanes = MANY + 8;
    limits->claims = limits->waiters = limits->session_waiters = MANY + 8;
    limits->session_grants = limits->names = limits->texts = MANY + 8;
    limits->parts = limits->space_waiters = limits->space_grants =
        2 * MANY + 32;
    return config;
}

static void
step(struct server_fixture *r, enum hf_message_kind kind, struct call call,
     const struct hf_want *wants, size_t count)
{
    struct hf_lockspace_event event = {
        .kind = HF_SPACE_MESSAGE,
        .at = r->now,
        .message = {.kind = kind,
                    .stream = call.stream,
                    .session = call.session,
                    .secret = {{(uint8_t)call.session}},
                    .term = 7,
                    .lane = call.lane == 0 ? 1 : call.lane,
                    .n = call.n == 0 ? 1 : call.n,
                    .a = 1}};

    if (kind == HF_MESSAGE_ACQUIRE) {
        event.message.acquire.wants = wants;
        event.message.acquire.wants_count = count;
        event.message.acquire.wait = HF_WAIT_FOREVER;
        event.message.acquire.free = call.free;
    }
    hf_lockspace_step(r->ls, &event);
}

/* Of those that are told; none is told that there is no room for it. */
static unsigned
count_free(struct server_fixture *r)
{
    struct hf_answer answer;
    unsigned count = 0;

    while (hf_lockspace_next(r->ls, &answer)) {
        assert_true(answer.kind != HF_ANSWER_OVER ||
                    answer.over != HF_OVER_LIMIT);
        count += answer.kind == HF_ANSWER_OVER && answer.over == HF_OVER_FREE;
    }
    return count;
}

/* Nobody is told by it that something is free. */
static void
acquire(struct server_fixture *r, struct call call, const struct hf_want *wants,
        size_t count)
{
    step(r, HF_MESSAGE_ACQUIRE, call, wants, count);
    assert_int_equal(count_free(r), 0);
}

/* In a lane each. */
static void
many_look(struct server_fixture *r, const struct hf_want *both)
{
    for (uint32_t i = 1; i <= MANY; i++) {
        struct call call = {
            .stream = 2 + i, .session = 3, .lane = i, .free = true};

        acquire(r, call, both, 2);
    }
    hf_lockspace_check(r->ls);
    server_hush(r);
}

static const struct hf_want a_and_b[] = {
    {.space = {"default", 7}, .name = {"A", 1}},
    {.space = {"default", 7}, .name = {"B", 1}},
};

/* Many look at A and B, and 1 and 2 hold them. */
static struct server_fixture
server_in_which_many_look(void)
{
    struct hf_lockspace_config config = large();
    struct server_fixture r = server_with(&config);

    server_acquire(&r, want(1, 1, "A"));
    server_acquire(&r, want(2, 2, "B"));
    many_look(&r, a_and_b);
    return r;
}

/* Hand both names over, one after the other, from lane to lane. */
static void
no_release_costs_more_than_a_few_hundred_who_look_in_vain(void **state)
{
    struct server_fixture r = server_in_which_many_look();
    uint64_t most = 0;
    uint64_t stream = 10 * MANY;

    (void)state;
    for (uint64_t i = 1; i <= 20; i++) {
        uint64_t session = i % 2 + 1;
        uint64_t n = i / 2 + (i % 2);
        const char *name = session == 1 ? "A" : "B";
        uint64_t before = hf_lockspace_counts(r.ls).links;
        uint64_t links;

        n = (i + 1) / 2;
        step(&r, HF_MESSAGE_RELEASE,
             (struct call){.stream = ++stream, .session = session, .n = n},
             NULL, 0);
        links = hf_lockspace_counts(r.ls).links - before;
        most = links > most ? links : most;
        assert_int_equal(count_free(&r), 0);
        server_acquire(&r, (struct call){.stream = ++stream,
                                         .session = session,
                                         .n = n + 1,
                                         .names = name});
        server_hush(&r);
    }
    assert_true(most > 0 && most < 1200);
    server_fini(&r);
}

/* It is told before who waits is granted it, however many came before it. */
static void
who_looks_at_one_name_is_told_whoever_looks_in_vain(void **state)
{
    struct server_fixture r = server_in_which_many_look();
    struct call looks = until_free(7 * MANY, 1, "B"); /* keeps all of them */
    struct call waits = want(7 * MANY + 1, 1, "B");

    (void)state;
    looks.lane = 2;
    waits.lane = 3;
    server_acquire(&r, looks);
    server_acquire(&r, waits);
    server_release(&r, want(7 * MANY + 2, 2, NULL));
    EXPECT_TOLD(&r, "14002 released\n"
                    "14000 over: free\n"
                    "14001 granted 103\n");
    server_fini(&r);
}

/* 1 gives back X, at which many look in vain, and Y in one grant. */
static void
told_in_the_step_in_which_many_look_in_vain(const char *names)
{
    static const struct hf_want both[] = {
        {.space = {"default", 7}, .name = {"Z", 1}},
        {.space = {"default", 7}, .name = {"X", 1}},
    };
    struct hf_lockspace_config config = large();
    struct server_fixture r = server_with(&config);
    struct call looks = until_free(7 * MANY, 1, "Y");
    struct call waits = want(7 * MANY + 1, 1, "Y");

    server_acquire(&r, want(1, 1, names));
    server_acquire(&r, want(2, 2, "Z"));
    many_look(&r, both);
    looks.lane = 2;
    waits.lane = 3;
    server_acquire(&r, looks);
    server_acquire(&r, waits);
    server_release(&r, want(7 * MANY + 2, 1, NULL));
    EXPECT_TOLD(&r, "14002 released\n"
                    "14000 over: free\n"
                    "14001 granted 103\n");
    hf_lockspace_check(r.ls);
    server_fini(&r);
}

static void
who_looks_at_one_name_is_told_whoever_looks_in_vain_at_another(void **state)
{
    (void)state;
    told_in_the_step_in_which_many_look_in_vain("X Y");
    told_in_the_step_in_which_many_look_in_vain("Y X");
}

/* 1 shares 300 names, each with a lane of 3 that looks at it and at Z, beside
 * one of 2 that looks at it alone.  When 1 goes, who has Y as well, those of 3
 * are looked at in vain. */
static void
or_many_look_at_what_they_share(void **state)
{
    struct hf_lockspace_config config = large();
    struct server_fixture r = server_with(&config);
    struct hf_want wants[] = {{.space = {"default", 7}, .name = {"Z", 1}},
                              {.space = {"default", 7}, .mode = HF_SHARED}};
    char name[8];

    (void)state;
    server_acquire(&r, want(1, 1, "Y"));
    server_acquire(&r, want(2, 2, "Z"));
    for (uint32_t i = 2; i <= 301; i++) {
        struct call holds = {.stream = 3, .session = 1, .lane = i};
        struct call shares = {.stream = 4, .session = 3, .lane = i};
        struct call both = {.session = 3, .lane = i, .n = 2, .free = true};
        struct call one = {.session = 2, .lane = i, .free = true};

        both.stream = 10 * i;
        one.stream = 10 * i + 1;
        wants[1].name.at = name;
        wants[1].name.len = (size_t)snprintf(name, sizeof(name), "N%u", i);
        acquire(&r, holds, wants + 1, 1);
        acquire(&r, shares, wants + 1, 1);
        acquire(&r, both, wants, 2);
        acquire(&r, one, wants + 1, 1);
    }
    server_acquire(&r, next_of(until_free(9000, 2, "Y")));
    EXPECT_TOLD(&r, "1 granted 101\n"
                    "2 granted 102\n");
    hf_lockspace_check(r.ls);
    server_end(&r, want(9001, 1, NULL));
    EXPECT_TOLD(&r, "9001 ended\n"
                    "9000 over: free\n");
    hf_lockspace_check(r.ls);
    server_fini(&r);
}

/* The last of them looks at B and C, and nobody has these two any more: it is
 * found behind those who look in vain, though nothing else happens. */
static void
all_of_many_are_told_in_the_end(void **state)
{
    struct server_fixture r = server_in_which_many_look();
    struct call looks = until_free(7 * MANY, 1, "B C");
    unsigned told = 0;
    unsigned steps = 0;

    (void)state;
    server_acquire(&r, next_of(looks));
    step(&r, HF_MESSAGE_RELEASE,
         (struct call){.stream = 7 * MANY + 1, .session = 2}, NULL, 0);
    assert_int_equal(count_free(&r), 0);
    while (hf_lockspace_deadline(r.ls).ms <= r.now.ms && ++steps < MANY) {
        hf_lockspace_step(r.ls,
                          &(struct hf_lockspace_event){.kind = HF_SPACE_CLOCK,
                                                       .at = r.now,
                                                       .read_until = r.now});
        told += count_free(&r);
    }
    assert_int_equal(told, 1);
    assert_true(steps > 1 && steps < 10);
    step(&r, HF_MESSAGE_RELEASE,
         (struct call){.stream = 7 * MANY + 2, .session = 1}, NULL, 0);
    assert_int_equal(count_free(&r), MANY);
    hf_lockspace_check(r.ls);
    server_fini(&r);
}

/* It touches each who came after the one that is granted, and once: they are
 * behind nobody from then on, and nothing of the next touches them. */
static void
a_hand_over_passes_all_who_came_after_and_once(void **state)
{
    struct hf_lockspace_config config = large();
    struct server_fixture r = server_with(&config);
    struct call b = want(2, 1, "B");
    struct call later = want(4, 1, "A");
    uint64_t before;
    uint64_t links;

    (void)state;
    b.lane = 2;
    later.lane = 3;
    server_acquire(&r, want(1, 1, "A"));
    server_acquire(&r, b);
    server_acquire(&r, want(3, 2, "A"));
    many_look(&r, a_and_b);
    server_acquire(&r, later);
    server_hush(&r);
    before = hf_lockspace_counts(r.ls).links;
    server_release(&r, want(7 * MANY, 1, NULL));
    links = hf_lockspace_counts(r.ls).links - before;
    assert_true(links >= MANY && links < 2 * MANY + 32);
    before += links;
    server_release(&r, want(7 * MANY + 1, 2, NULL));
    assert_true(hf_lockspace_counts(r.ls).links - before < 32);
    EXPECT_TOLD(&r, "14000 released\n"
                    "3 granted 103\n"
                    "14001 released\n"
                    "4 granted 104\n");
    server_fini(&r);
}

static const struct CMUnitTest tests[] = {
    STORY(who_only_looks_keeps_nobody_out_of_what_is_free,
          "1 acquire B on 11              | 11 granted 101\n"
          "2 acquire A B on 12, until-free\n"
          "3 acquire A on 13              | 13 granted 102\n"
          "3 release on 15                | 15 released\n"
          "1 acquire A on 14, lane 2, try | 14 granted 103\n"),
    STORY(who_only_looks_keeps_out_nobody_who_shares,
          "1 acquire A:s on 11 | 11 granted 101\n"
          "2 acquire A on 12, until-free\n"
          "3 acquire A:s on 13 | 13 granted 102\n"
          "1 release on 14     | 14 released\n"
          "3 release on 15     | 15 released; 12 over: free\n"),
    /* 12 came before 13, and 14 after it. */
    STORY(it_is_told_before_who_came_later_and_after_who_came_before,
          "1 acquire A on 11 | 11 granted 101\n"
          "2 acquire A on 12, until-free\n"
          "3 acquire A on 13\n"
          "1 acquire A on 14, lane 2, until-free\n"
          "1 release on 15   | 15 released; 12 over: free; 13 granted 102\n"
          "3 release on 16   | 16 released; 14 over: free\n"),
    /* Each of them comes free, and is granted to another before the other
     * does. */
    STORY(several_names_are_free_at_one_instant_or_it_waits_on,
          "1 acquire A on 11      | 11 granted 101\n"
          "2 acquire B on 12      | 12 granted 102\n"
          "3 acquire A B on 13, until-free\n"
          "1 release on 14        | 14 released\n"
          "1 acquire A on 15, n 2 | 15 granted 103\n"
          "2 release on 16        | 16 released\n"
          "2 acquire B on 17, n 2 | 17 granted 104\n"
          "1 release on 18, n 2   | 18 released\n"
          "2 release on 19, n 2   | 19 released; 13 over: free\n"),
    /* What goes back in one step is free at one instant. */
    STORY(what_goes_back_together_is_free_together,
          "1 acquire A B C on 11 | 11 granted 101\n"
          "2 acquire C A on 12, until-free\n"
          "3 acquire A on 13\n"
          "1 release on 14     | 14 released; 12 over: free; 13 granted 102\n"),
    STORY(it_is_behind_who_came_before_it_until_that_one_has_left,
          "1 acquire B on 11 | 11 granted 101\n"
          "2 acquire A B on 12\n"
          "3 acquire A on 13, until-free\n"
          "2 end on 14       | 14 ended; 12 gone; 13 over: free\n"),
    /* 12 came before it, and 14 after it: that one is in line when 12 goes. */
    STORY(who_came_later_does_not_keep_it_behind,
          "1 acquire A on 11 | 11 granted 101\n"
          "2 acquire A on 12\n"
          "3 acquire A on 13, until-free\n"
          "1 acquire A on 14, lane 2\n"
          "1 release on 15   | 15 released; 12 granted 102\n"
          "2 release on 16   | 16 released; 13 over: free; 14 granted 103\n"),
    /* A lane's own hold is not in its way [W7]. */
    STORY(its_own_shared_hold_does_not_keep_it_waiting,
          "1 acquire A:s on 11 | 11 granted 101\n"
          "2 acquire A:s on 12 | 12 granted 102\n"
          "1 acquire A on 13, n 2, until-free\n"
          "2 release on 14     | 14 released; 13 over: free\n"),

    /* ---- Places that are parked, and graces ------------------------------ */

    /* What came free while nobody listened is held again when it asks. */
    STORY(one_that_is_parked_is_told_nothing_and_looks_again,
          "1 acquire A on 11 | 11 granted 101\n"
          "2 acquire A on 12, until-free\n"
          "clock 2000        | 12 blocking timeout, 0 before it\n"
          "1 release on 13   | 13 released\n"
          "3 acquire A on 14 | 14 granted 102\n"
          "2 acquire A on 15, attempt 2, until-free\n"
          "3 release on 16   | 16 released; 15 over: free\n"),
    STORY(one_that_is_parked_and_comes_back_to_what_is_free_is_told_at_once,
          "1 acquire A on 11                        | 11 granted 101\n"
          "2 acquire A on 12, until-free\n"
          "clock 2000                    | 12 blocking timeout, 0 before it\n"
          "1 release on 13                          | 13 released\n"
          "2 acquire A on 14, attempt 2, until-free | 14 over: free\n"),
    /* 11 waits for A under the leader before, and 12 for B, and only looks. */
    STORY(in_a_takeover_grace_it_keeps_nobody_out_either,
          "start takeover_grace 500\n"
          "2 acquire A B on 12, until-free, waited 100\n"
          "1 acquire A on 11, waited 300\n"
          "3 acquire B on 13 | 13 granted 101\n"
          "clock 1500        | 11 granted 102\n"
          "1 release on 14   | 14 released\n"
          "3 release on 15   | 15 released; 12 over: free\n"),
    STORY(a_server_that_forgot_says_of_nothing_that_it_is_free,
          "start empty\n"
          "begin, hold 1600\n"
          "1 acquire A B on 11, until-free\n"
          "clock 1599\n"
          "= deadline 1600\n"
          "clock 1600 | 11 over: free\n"),

    /* ---- Circles [W6] ---------------------------------------------------- */

    /* It holds A while it looks at B, whose holder asks for A. */
    STORY(what_it_waits_for_may_close_a_circle,
          "1 acquire A on 11      | 11 granted 101\n"
          "2 acquire B on 12      | 12 granted 102\n"
          "1 acquire B on 13, n 2, until-free\n"
          "2 acquire A on 14, n 2 | 14 over: deadlock 2.1 1.1\n"),
    STORY(and_it_may_close_one_itself,
          "1 acquire A on 11                  | 11 granted 101\n"
          "2 acquire B on 12                  | 12 granted 102\n"
          "2 acquire A on 13, n 2\n"
          "1 acquire B on 14, n 2, until-free | 14 over: deadlock 1.1 2.1\n"),
    /* 2 holds what 1 looks at, and 3 waits for what 1 holds: 3 before 1 in the
     * line of C, which 1 looks at too. */
    STORY(who_came_before_it_is_an_edge_of_its_own,
          "1 acquire A on 11                  | 11 granted 101\n"
          "2 acquire C on 12                  | 12 granted 102\n"
          "3 acquire A C on 13\n"
          "1 acquire C on 14, n 2, until-free | 14 over: deadlock 1.1 3.1\n"),
    /* 1 looks at A and B before 2 asks for A: nobody waits for 1. */
    STORY(nobody_waits_for_who_only_looks,
          "1 acquire A on 11 | 11 granted 101\n"
          "2 acquire B on 12 | 12 granted 102\n"
          "3 acquire A B on 13, until-free\n"
          "2 acquire A on 14, n 2\n"
          "1 release on 15   | 15 released; 14 granted 103\n"),
    /* Who was granted a name that one looks at, and waits for what that one
     * holds, closes a circle, though it had not to wait for it. */
    STORY(who_is_granted_what_one_looks_at_may_close_a_circle,
          "1 acquire A on 11      | 11 granted 101\n"
          "2 acquire B on 12      | 12 granted 102\n"
          "1 acquire B C on 13, n 2, until-free\n"
          "3 acquire C on 14      | 14 granted 103\n"
          "3 acquire A on 15, n 2 | 15 over: deadlock 3.1 1.1\n"),

    /* ---- What a step costs ----------------------------------------------- */

    cmocka_unit_test(no_release_costs_more_than_a_few_hundred_who_look_in_vain),
    cmocka_unit_test(who_looks_at_one_name_is_told_whoever_looks_in_vain),
    cmocka_unit_test(
        who_looks_at_one_name_is_told_whoever_looks_in_vain_at_another),
    cmocka_unit_test(or_many_look_at_what_they_share),
    cmocka_unit_test(all_of_many_are_told_in_the_end),
    cmocka_unit_test(a_hand_over_passes_all_who_came_after_and_once),
};

int
main(void)
{
    return cmocka_run_group_tests(tests, NULL, NULL);
}

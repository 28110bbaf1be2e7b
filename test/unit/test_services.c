#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/check.h"
#include "core/services.h"

/* Which nodes are asked of which service they are, and what is made of what
 * they say [S7].  Three nodes; patience is 1 s, a pause 2 s, leader-ttl 5 s,
 * and each promises 30 s. */

enum { A = 0xa, B = 0xb };

struct asker {
    struct hf_services machine;
    int64_t now;
    char asked[64]; /* the nodes, in the last step */
    bool changed;   /* since that was last looked at */
};

static void
step(struct asker *asker, struct hf_services_event event)
{
    struct hf_services_effect effect;
    size_t len = 0;

    event.at.ms = asker->now;
    hf_services_step(&asker->machine, &event);
    asker->asked[0] = '\0';
    while (hf_services_next(&asker->machine, &effect))
        if (effect.kind == HF_SERVICES_CHANGED)
            asker->changed = true;
        else
            len +=
                (size_t)snprintf(asker->asked + len, sizeof(asker->asked) - len,
                                 "%u ", effect.node);
}

static void
wake(struct asker *asker)
{
    step(asker, (struct hf_services_event){.kind = HF_SERVICES_WAKE});
}

static struct asker
new_asker(void)
{
    static const struct hf_services_config config = {
        .nodes = 3, .patience = {1000}, .pause = {2000}, .leader_ttl = {5000}};
    struct asker asker = {.now = 1000};

    hf_services_init(&asker.machine, &config);
    wake(&asker);
    return asker;
}

static void
says(struct asker *asker, uint32_t node, uint64_t service)
{
    step(asker, (struct hf_services_event){.kind = HF_SERVICES_ANSWER,
                                           .node = node,
                                           .service = service,
                                           .max_ttl = {30000}});
}

static void
clock_at(struct asker *asker, int64_t ms)
{
    asker->now = ms;
    step(asker, (struct hf_services_event){.kind = HF_SERVICES_CLOCK});
}

/* Each deadline until then; whoever is asked says what it is, or nothing. */
static void
pass(struct asker *asker, int64_t until_ms, const uint64_t *services)
{
    for (;;) {
        for (uint32_t node = 1; node <= 3; node++)
            if (asker->machine.each[node - 1].out && services[node - 1] != 0)
                says(asker, node, services[node - 1]);
        if (hf_services_deadline(&asker->machine).ms > until_ms)
            break;
        HF_CHECK(hf_services_deadline(&asker->machine).ms > asker->now);
        clock_at(asker, hf_services_deadline(&asker->machine).ms);
    }
    clock_at(asker, until_ms);
}

static enum hf_services_verdict
verdict(const struct asker *asker)
{
    return asker->machine.verdict;
}

static void
all_are_asked_before_anything_is_known(void **state)
{
    struct asker a = new_asker();

    (void)state;
    assert_string_equal(a.asked, "1 2 3 ");
    says(&a, 1, A);
    says(&a, 2, A);
    assert_int_equal(verdict(&a), HF_SERVICES_UNHEARD);
    says(&a, 3, A);
    assert_int_equal(verdict(&a), HF_SERVICES_ONE);
    assert_true(a.changed);
    assert_int_equal(hf_services_deadline(&a.machine).ms, HF_NEVER.ms);
}

static void
one_node_needs_no_answer(void **state)
{
    static const struct hf_services_config config = {.nodes = 1};
    struct hf_services machine;

    (void)state;
    hf_services_init(&machine, &config);
    assert_int_equal(machine.verdict, HF_SERVICES_ONE);
}

/* That it says nothing holds up nobody for longer than that. */
static void
who_says_nothing_is_waited_for_once_and_asked_again_until_it_does(void **state)
{
    static const uint64_t silent[3];
    struct asker a = new_asker();

    (void)state;
    says(&a, 1, A);
    says(&a, 2, 0); /* it is there, and does not know */
    clock_at(&a, 1999);
    assert_int_equal(verdict(&a), HF_SERVICES_UNHEARD);
    clock_at(&a, 2000);
    assert_int_equal(verdict(&a), HF_SERVICES_ONE);
    clock_at(&a, 3000);
    assert_string_equal(a.asked, "2 3 ");
    says(&a, 2, A);
    pass(&a, 4999, silent);
    clock_at(&a, 5000);
    assert_string_equal(a.asked, "3 ");
    says(&a, 3, A);
    assert_int_equal(hf_services_deadline(&a.machine).ms, HF_NEVER.ms);
}

static void
two_ids_differ_at_once_and_are_two_services_after_twice_leader_ttl(void **state)
{
    static const uint64_t two[3] = {A, B, A};
    struct asker a = new_asker();
    uint32_t one;
    uint32_t other;

    (void)state;
    says(&a, 3, A);
    says(&a, 2, B);
    assert_int_equal(verdict(&a), HF_SERVICES_DIFFER);
    assert_true(hf_services_differ(&a.machine, &one, &other));
    assert_int_equal(one, 2);
    assert_int_equal(other, 3);
    says(&a, 1, A);
    pass(&a, 10999, two);
    assert_int_equal(verdict(&a), HF_SERVICES_DIFFER);
    a.changed = false;
    pass(&a, 11000, two);
    assert_int_equal(verdict(&a), HF_SERVICES_TWO);
    assert_true(a.changed);
}

/* A place that was restored has a new id, of which one node has not read. */
static void
who_says_what_was_is_heard_again(void **state)
{
    static const uint64_t old[3] = {B, A, A};
    static const uint64_t new[3] = {B, B, B};
    struct asker a = new_asker();

    (void)state;
    says(&a, 1, B);
    says(&a, 2, A);
    says(&a, 3, A);
    assert_int_equal(verdict(&a), HF_SERVICES_DIFFER);
    pass(&a, 5000, old);
    pass(&a, 7000, new);
    assert_int_equal(verdict(&a), HF_SERVICES_ONE);
}

/* ... also where all were heard long ago. */
static void
an_id_that_a_session_tells_asks_all_again(void **state)
{
    struct asker a = new_asker();

    (void)state;
    for (uint32_t node = 1; node <= 3; node++)
        says(&a, node, A);
    a.now = 100000;
    step(&a, (struct hf_services_event){
                 .kind = HF_SERVICES_SAID, .node = 2, .service = B});
    assert_int_equal(verdict(&a), HF_SERVICES_DIFFER);
    assert_string_equal(a.asked, "1 2 3 ");
    says(&a, 1, B);
    says(&a, 3, B);
    assert_int_equal(verdict(&a), HF_SERVICES_ONE);
}

/* For as long somebody may believe in what it granted. */
static void
who_falls_silent_counts_for_the_longest_ttl_that_it_promised(void **state)
{
    static const uint64_t dead[3] = {0, B, B};
    struct asker a = new_asker();

    (void)state;
    says(&a, 1, A);
    says(&a, 2, B); /* both are asked once more */
    says(&a, 3, B);
    pass(&a, 1999, dead);
    assert_false(hf_services_silent(&a.machine, 1)); /* it may yet answer */
    pass(&a, 29500, dead);
    assert_true(hf_services_silent(&a.machine, 1));
    pass(&a, 30999, dead);
    assert_int_equal(verdict(&a), HF_SERVICES_TWO);
    pass(&a, 31000, dead);
    assert_int_equal(verdict(&a), HF_SERVICES_ONE);
    says(&a, 1, A);
    assert_int_equal(verdict(&a), HF_SERVICES_DIFFER);
}

/* It was mended, perhaps, while nobody asked. */
static void
who_rests_asks_nobody_and_begins_the_time_anew(void **state)
{
    static const uint64_t two[3] = {A, B, A};
    struct asker a = new_asker();

    (void)state;
    for (uint32_t node = 1; node <= 3; node++)
        says(&a, node, two[node - 1]);
    pass(&a, 20000, two);
    assert_int_equal(verdict(&a), HF_SERVICES_TWO);
    a.changed = false;
    step(&a, (struct hf_services_event){.kind = HF_SERVICES_REST});
    assert_int_equal(hf_services_deadline(&a.machine).ms, HF_NEVER.ms);
    assert_int_equal(verdict(&a), HF_SERVICES_DIFFER);
    assert_true(
        a.changed); /* whoever wants something waits until it is known */
    a.now = 60000;
    wake(&a);
    assert_string_equal(a.asked, "1 2 3 ");
    pass(&a, 69999, two);
    assert_int_equal(verdict(&a), HF_SERVICES_DIFFER);
    pass(&a, 70000, two);
    assert_int_equal(verdict(&a), HF_SERVICES_TWO);
}

/* It may have granted something meanwhile. */
static void
who_was_silent_before_a_rest_counts_anew(void **state)
{
    static const uint64_t dead[3] = {0, B, B};
    struct asker a = new_asker();

    (void)state;
    says(&a, 1, A);
    says(&a, 2, B);
    says(&a, 3, B);
    pass(&a, 20000, dead);
    step(&a, (struct hf_services_event){.kind = HF_SERVICES_REST});
    a.now = 60000;
    wake(&a);
    pass(&a, 89999, dead);
    assert_int_equal(a.machine.each[0].service, A);
    pass(&a, 90000, dead);
    assert_int_equal(a.machine.each[0].service, 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_are_asked_before_anything_is_known),
        cmocka_unit_test(one_node_needs_no_answer),
        cmocka_unit_test(
            who_says_nothing_is_waited_for_once_and_asked_again_until_it_does),
        cmocka_unit_test(
            two_ids_differ_at_once_and_are_two_services_after_twice_leader_ttl),
        cmocka_unit_test(who_says_what_was_is_heard_again),
        cmocka_unit_test(an_id_that_a_session_tells_asks_all_again),
        cmocka_unit_test(
            who_falls_silent_counts_for_the_longest_ttl_that_it_promised),
        cmocka_unit_test(who_rests_asks_nobody_and_begins_the_time_anew),
        cmocka_unit_test(who_was_silent_before_a_rest_counts_anew),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

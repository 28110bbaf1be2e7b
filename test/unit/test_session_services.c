#include "unit/support/guest.h"

#include <string.h>

/* What a session asks for, and whom, whose nodes are not known to be of one
 * service [S7].  A ttl of 10 s, see guest.h. */

enum { A = 0xa, B = 0xb };

static const uint64_t none[3];
static const uint64_t one[3] = {A, A, A};
static const uint64_t two[3] = {A, B, A};

/* The second service came to light after the grant, at node 1. */
static struct guest
holding_of_two(enum hf_if_dead if_dead)
{
    struct hf_session_config config = guest_config(if_dead);
    struct guest g = guest_with(&config);

    guest_services(&g, (uint64_t[3]){A}, HF_SERVICES_ONE);
    guest_want(&g, (struct want){.id = 1});
    guest_hears(
        &g, (struct said){.stream = 1, .kind = HF_ANSWER_OPENED, .service = A});
    guest_granted(&g, 2, 101);
    guest_services(&g, two, HF_SERVICES_DIFFER);
    guest_hush(&g);
    return g;
}

static void
nothing_is_asked_for_before_all_were_asked_who_they_are(void **state)
{
    struct guest g = guest_new();

    (void)state;
    guest_services(&g, none, HF_SERVICES_UNHEARD);
    guest_want(&g, (struct want){.id = 1});
    guest_clock(&g, 1500);
    EXPECT_SAID(&g, "");
    guest_services(&g, one, HF_SERVICES_ONE);
    EXPECT_SAID(&g, "1: #1 open\n");
    guest_opened(&g, 1);
    EXPECT_SAID(&g, "1: #2 acquire 1.1.1\n");
    guest_fini(&g);
}

static void
where_ids_differ_what_was_asked_is_given_back_and_asked_for_later(void **state)
{
    struct guest g = guest_new();

    (void)state;
    guest_services(&g, one, HF_SERVICES_ONE);
    guest_want(&g, (struct want){.id = 1});
    guest_opened(&g, 1);
    guest_hush(&g);
    guest_services(&g, two, HF_SERVICES_DIFFER);
    EXPECT_SAID(&g, "close #2\n"
                    "1: #3 release 1.1\n");
    guest_want(&g, (struct want){.id = 2});
    guest_granted(&g, 2, 101); /* too late: nobody waits for it */
    guest_hears(&g, (struct said){.stream = 3, .kind = HF_ANSWER_RELEASED});
    EXPECT_SAID(&g, "");
    guest_services(&g, one, HF_SERVICES_ONE);
    EXPECT_SAID(&g, "1: #4 acquire 1.2.1\n"
                    "1: #5 acquire 2.1.1\n");
    guest_fini(&g);
}

static void
a_grant_that_was_not_told_is_given_back_too(void **state)
{
    struct guest g = guest_new();

    (void)state;
    guest_services(&g, one, HF_SERVICES_ONE);
    guest_want(&g, (struct want){.id = 1});
    guest_opened(&g, 1);
    guest_clock(&g, 8600); /* too little is left of the right to tell it */
    guest_granted(&g, 2, 101);
    guest_hush(&g);
    guest_services(&g, two, HF_SERVICES_DIFFER);
    assert_non_null(strstr(g.text, "release 1.1\n"));
    assert_null(strstr(g.text, "granted"));
    guest_fini(&g);
}

static void
where_they_are_two_services_all_who_wait_end(void **state)
{
    struct guest g = holding_of_two(HF_TAKEOVER);

    (void)state;
    guest_want(&g, (struct want){.id = 2});
    EXPECT_SAID(&g, "");
    guest_services(&g, two, HF_SERVICES_TWO);
    EXPECT_SAID(&g, "wish 2 ended: HF_E_UNAVAILABLE\n");
    guest_want(&g, (struct want){.id = 3, .label = 9});
    guest_want(&g, (struct want){.id = 4, .label = 9, .try_only = true});
    EXPECT_SAID(&g, "wish 3 ended: HF_E_UNAVAILABLE\n"
                    "wish 4 ended: HF_E_UNAVAILABLE\n");
    guest_clock(&g, 2000);
    EXPECT_SAID(&g, "1: #3 keep-alive\n"); /* of what is held */
    guest_release(&g, 1);
    EXPECT_SAID(&g, "1: #4 release 1.1\n");
    guest_fini(&g);
}

static void
a_limit_that_comes_before_is_no_holders_doing(void **state)
{
    struct guest g = guest_new();

    (void)state;
    guest_services(&g, two, HF_SERVICES_DIFFER);
    guest_want(&g, (struct want){.id = 1, .wait_ms = 500});
    guest_clock(&g, 1500);
    EXPECT_SAID(&g, "wish 1 ended: HF_E_UNAVAILABLE\n");
    guest_fini(&g);
}

static void
a_session_of_another_service_than_its_nodes_is_not_used(void **state)
{
    struct guest g = guest_new();

    (void)state;
    guest_services(&g, (uint64_t[3]){0, B, 0}, HF_SERVICES_ONE);
    guest_want(&g, (struct want){.id = 1});
    guest_hush(&g);
    guest_hears(
        &g, (struct said){.stream = 1, .kind = HF_ANSWER_OPENED, .service = A});
    EXPECT_SAID(&g, "");
    guest_services(&g, (uint64_t[3]){B, B, 0}, HF_SERVICES_ONE);
    EXPECT_SAID(&g, "1: #2 acquire 1.2.1\n");
    guest_fini(&g);
}

/* Node 2 is of another, and node 3 of its own. */
static void
what_is_held_is_kept_alive_at_nodes_of_its_own_service_alone(void **state)
{
    struct guest g = holding_of_two(HF_TAKEOVER);

    (void)state;
    guest_clock(&g, 2000);
    guest_stream_ends(&g, 3);
    guest_stream_ends(&g, 4);
    guest_stream_ends(&g, 5);
    EXPECT_SAID(&g, "1: #3 keep-alive\n"
                    "1: #4 keep-alive\n"
                    "1: #5 keep-alive\n"
                    "3: #6 keep-alive\n");
    guest_hears(
        &g,
        (struct said){.stream = 6, .kind = HF_ANSWER_NOT_LEADING, .leader = 2});
    EXPECT_SAID(&g, "1: #7 keep-alive\n");
    assert_false(hf_session_may_ask(g.session, 2));
    assert_true(hf_session_may_ask(g.session, 3));
    guest_fini(&g);
}

/* It has not said that it is of this one. */
static void
nor_is_it_at_a_node_that_said_nothing(void **state)
{
    struct guest g = holding_of_two(HF_TAKEOVER);

    (void)state;
    guest_services(&g, (uint64_t[3]){A}, HF_SERVICES_ONE);
    guest_clock(&g, 2000);
    for (uint64_t stream = 3; stream < 7; stream++)
        guest_stream_ends(&g, stream);
    EXPECT_SAID(&g, "1: #3 keep-alive\n"
                    "1: #4 keep-alive\n"
                    "1: #5 keep-alive\n"
                    "1: #6 keep-alive\n"
                    "1: #7 keep-alive\n");
    guest_fini(&g);
}

/* Its place was restored: the session is where it was. */
static void
a_service_of_a_new_id_keeps_its_session(void **state)
{
    struct guest g = holding_of_two(HF_TAKEOVER);

    (void)state;
    guest_services(&g, (uint64_t[3]){B, B, A}, HF_SERVICES_DIFFER);
    assert_true(hf_session_may_ask(g.session, 2));
    assert_false(hf_session_may_ask(g.session, 3));
    guest_clock(&g, 2000);
    EXPECT_SAID(&g, "1: #3 keep-alive\n");
    guest_fini(&g);
}

/* Its service has been silent for so long that it counts for nothing. */
static void
who_waits_goes_to_the_service_that_is_left(void **state)
{
    struct guest g = holding_of_two(HF_TAKEOVER);

    (void)state;
    guest_want(&g, (struct want){.id = 2});
    guest_clock(&g, 10500);
    guest_hush(&g);
    guest_services(&g, (uint64_t[3]){0, B, 0}, HF_SERVICES_ONE);
    EXPECT_SAID(&g, "wish 1 ended: lost\n"
                    "close #4\n"
                    "close #3\n"
                    "1: #5 open, lowest 2\n");
    guest_fini(&g);
}

/* What is to be refused is not taken by time. */
static void
what_is_in_doubt_waits_for_its_own_service(void **state)
{
    struct guest g = holding_of_two(HF_REFUSE);

    (void)state;
    guest_clock(&g, 10500);
    guest_services(&g, (uint64_t[3]){0, B, 0}, HF_SERVICES_ONE);
    assert_null(strstr(g.text, "open\n"));
    assert_null(strstr(g.text, "ended"));
    guest_release(&g, 1);
    guest_services(&g, (uint64_t[3]){0, B, B}, HF_SERVICES_ONE);
    assert_null(strstr(g.text, "ended"));
    assert_null(strstr(g.text, "\n2: "));
    guest_fini(&g);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            nothing_is_asked_for_before_all_were_asked_who_they_are),
        cmocka_unit_test(
            where_ids_differ_what_was_asked_is_given_back_and_asked_for_later),
        cmocka_unit_test(a_grant_that_was_not_told_is_given_back_too),
        cmocka_unit_test(where_they_are_two_services_all_who_wait_end),
        cmocka_unit_test(a_limit_that_comes_before_is_no_holders_doing),
        cmocka_unit_test(
            a_session_of_another_service_than_its_nodes_is_not_used),
        cmocka_unit_test(
            what_is_held_is_kept_alive_at_nodes_of_its_own_service_alone),
        cmocka_unit_test(nor_is_it_at_a_node_that_said_nothing),
        cmocka_unit_test(a_service_of_a_new_id_keeps_its_session),
        cmocka_unit_test(who_waits_goes_to_the_service_that_is_left),
        cmocka_unit_test(what_is_in_doubt_waits_for_its_own_service),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

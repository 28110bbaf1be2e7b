/* A lock server with its clients: each promise fires where it is broken; here
 * those which no mutant of lab/mutants/list.txt breaks in these worlds.  And
 * what must happen in the end does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/session/parts.h"
#include "lab/server/promises.h"
#include "lab/service/client.h"
#include "lab/service/kind.h"
#include "lab/service/node.h"
#include "lab/service/promise.h"
#include "lab/subject.h"

enum { FIRST, SECOND };

#define LEN(array) (sizeof(array) / sizeof((array)[0]))

static struct service_config
config_of(const char *name, unsigned clients)
{
    struct subject subject;

    assert_true(subject_find(name, &subject));
    subject_set_workers(&subject, clients);
    return subject.service;
}

static void
step(struct service_world *world, enum service_act act, unsigned who)
{
    assert_true(service_allowed(world, act, who));
    service_apply(world, act, who);
    assert_null(world->violated);
}

/* What is under way arrives; false: nothing is. */
static bool
arrive(struct service_world *world)
{
    static const enum service_act acts[] = {
        SERVICE_SERVE, SERVICE_ANSWER,     SERVICE_ARRIVE, SERVICE_END,
        SERVICE_HEAR,  SERVICE_NODE_CLOCK, SERVICE_CLOCK,
    };

    for (unsigned i = 0; i < LEN(acts); i++)
        for (unsigned who = 0; who < service_count(world->config, acts[i]);
             who++)
            if (service_allowed(world, acts[i], who)) {
                service_apply(world, acts[i], who);
                return true;
            }
    return false;
}

static void
settle(struct service_world *world)
{
    while (world->violated == NULL && arrive(world)) {
        /* and on */
    }
}

static void
tick(struct service_world *world)
{
    service_apply(world, SERVICE_TICK, 0);
    settle(world);
}

/* The first client holds the lock. */
static struct service_world *
one_holds(const struct service_config *config)
{
    static struct service_world world;

    service_start(&world, config);
    settle(&world);
    step(&world, SERVICE_WANT, FIRST);
    settle(&world);
    assert_null(world.violated);
    assert_int_equal(service_client_holds(&world.clients[FIRST], 0),
                     HF_GRANTED);
    return &world;
}

static uint64_t
fence_of(const struct service_world *world, unsigned client)
{
    return service_client_wish(&world->clients[client], 0)->fence;
}

static void
assert_broken(struct service_world *world, const char *promise)
{
    assert_non_null(world->violated);
    assert_string_equal(world->violated, promise);
}

/* ---- The promises -------------------------------------------------------- */

static void
two_do_not_believe_at_once(void **unused)
{
    struct service_config config = config_of("journal", 2);
    struct service_world *world = one_holds(&config);

    (void)unused;
    memcpy(world->clients[SECOND].block, world->clients[FIRST].block,
           sizeof(world->clients[FIRST].block));
    service_promise_state(world);
    assert_broken(world, SERVER_OVERLAP);
}

static void
two_grants_of_a_lock_are_not_stored(void **unused)
{
    struct service_config config = config_of("journal", 1);
    struct service_world *world = one_holds(&config);
    struct service_record second = world->store.records[0];

    (void)unused;
    if (second.fence == 0)
        second = world->store.records[1];
    second.fence++;
    world->store.records[world->store.count++] = second;
    service_promise_state(world);
    assert_broken(world, SERVER_CONFLICT);
}

static void
no_wait_ends_before_its_deadline(void **unused)
{
    struct service_config config = config_of("journal-wait", 2);
    struct service_world *world = one_holds(&config);

    (void)unused;
    step(world, SERVICE_WANT, SERVICE_LOCKS);
    world->clients[SECOND].deadlines[0] = HF_NEVER;
    for (unsigned i = 0; i < 10 && world->violated == NULL; i++)
        tick(world);
    assert_broken(world, SERVER_TOO_SOON);
}

static void
what_a_dead_client_of_refuse_held_stays(void **unused)
{
    struct service_config config = config_of("journal-refuse", 1);
    struct service_world *world = one_holds(&config);

    (void)unused;
    world->left_behind[0] = fence_of(world, FIRST);
    step(world, SERVICE_RELEASE, FIRST);
    settle(world);
    assert_broken(world, SERVER_OVERRIDDEN);
}

static void
who_holds_under_refuse_loses_by_a_clear_alone(void **unused)
{
    struct service_config config = config_of("journal-refuse", 1);
    struct service_world *world = one_holds(&config);
    struct hf_session_notice lost = {.id = 1, .news = HF_NEWS_LOST, .fence = 7};

    (void)unused;
    service_promise_tell(world, FIRST, &lost);
    assert_broken(world, SERVER_OVERRIDDEN);
}

static void
a_clear_is_learned_by_its_holder(void **unused)
{
    struct service_config config = config_of("journal-refuse", 1);
    struct service_world *world = one_holds(&config);

    (void)unused;
    step(world, SERVICE_CLEAR, 0);
    settle(world);
    assert_null(world->violated);
    assert_int_equal(service_client_holds(&world->clients[FIRST], 0),
                     HF_GRANTED);
    for (unsigned i = 0; i < 3; i++)
        tick(world);
    assert_null(world->violated);
    assert_int_not_equal(service_client_holds(&world->clients[FIRST], 0),
                         HF_GRANTED);
}

static void
or_that_is_a_broken_promise(void **unused)
{
    struct service_config config = config_of("journal-refuse", 1);
    struct service_world *world = one_holds(&config);

    (void)unused;
    world->cleared =
        (struct service_cleared){.fence = fence_of(world, FIRST), .age = 99};
    service_promise_state(world);
    assert_broken(world, SERVER_UNHEARD);
}

static void
who_held_what_was_lost_may_believe_and_nobody_beside(void **unused)
{
    struct service_config config = config_of("journal-forgets", 2);
    struct service_world *world = one_holds(&config);

    (void)unused;
    step(world, SERVICE_REMOVE, 0);
    assert_int_equal(world->store.count, 0);
    assert_int_equal(service_client_holds(&world->clients[FIRST], 0),
                     HF_GRANTED);
    memcpy(world->clients[SECOND].block, world->clients[FIRST].block,
           sizeof(world->clients[FIRST].block));
    service_promise_state(world);
    assert_broken(world, SERVER_OVERLAP);
}

/* ---- Without further faults ---------------------------------------------- */

static void
take_one(struct service_world *world, uint64_t *dice)
{
    for (;;) {
        unsigned act = (unsigned)(*dice >> 33) % SERVICE_ACTS;
        unsigned who = (unsigned)(*dice >> 13) % WORLD_WHO_MAX;
        bool fault = service_is_fault((enum service_act)act);

        *dice = *dice * UINT64_C(6364136223846793005) + 1442695040888963407;
        if (!service_allowed(world, (enum service_act)act, who) ||
            (fault && (*dice >> 40) % 4 != 0))
            continue;
        service_apply(world, (enum service_act)act, who);
        return;
    }
}

static void
everybody_gets_it_from_wherever_a_walk_leads(void **unused)
{
    static struct service_world world;

    (void)unused;
    for (unsigned i = 0; i < service_worlds_count; i++)
        for (uint64_t seed = 1; seed <= 60; seed++) {
            uint64_t dice = seed;
            unsigned ticks;

            if (service_worlds[i].world.expect != NULL)
                continue;
            service_start(&world, &service_worlds[i]);
            for (unsigned k = 0; k < 400; k++) {
                take_one(&world, &dice);
                assert_null(world.violated);
            }
            assert_null(service_fair(&world, &ticks));
        }
}

/* Until the node serves; its dead predecessor's head is waited for. */
static void
await_serving(struct service_world *world)
{
    for (unsigned i = 0;
         i < 20 && world->nodes[0].node.state != HF_NODE_SERVING; i++)
        tick(world);
}

/* It dies each time that it has served for half of a ttl [S10]. */
static void
what_a_dead_client_held_is_free_however_often_leaders_die(void **unused)
{
    struct service_config config = config_of("journal", 2);
    struct service_world *world = one_holds(&config);
    unsigned deaths = 0;

    (void)unused;
    step(world, SERVICE_CRASH, FIRST);
    settle(world);
    step(world, SERVICE_WANT, SECOND * SERVICE_LOCKS);
    settle(world);
    while (service_client_holds(&world->clients[SECOND], 0) != HF_GRANTED) {
        assert_true(deaths++ < 4);
        step(world, SERVICE_NODE_CRASH, 0);
        settle(world);
        step(world, SERVICE_START, 0);
        await_serving(world);
        for (unsigned i = 0; i < config.ttl / 2; i++)
            tick(world);
        assert_null(world->violated);
    }
    assert_true(deaths > 1);
}

/* A record of a client's that is none of this world's, and that no leader will
 * ever take away. */
static void
add_strange_record(struct service_world *world, uint64_t session)
{
    world->store.records[world->store.count++] = (struct service_record){
        .fence = 90, .session = session, .n = 1, .lock = 0};
}

static void
a_record_that_nobody_takes_away_is_found(void **unused)
{
    struct service_config config = config_of("journal", 1);
    struct service_world *world = one_holds(&config);
    unsigned ticks;

    (void)unused;
    add_strange_record(world, 2);
    assert_string_equal(service_fair(world, &ticks), SERVER_REMAINS);
}

static void
a_lock_that_nobody_can_get_is_found(void **unused)
{
    struct service_config config = config_of("journal-refuse", 2);
    struct service_world *world;
    unsigned ticks;

    (void)unused;
    config.clears = false;
    world = one_holds(&config);
    step(world, SERVICE_CRASH, FIRST);
    assert_string_equal(service_fair(world, &ticks), SERVER_STUCK);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_do_not_believe_at_once),
        cmocka_unit_test(two_grants_of_a_lock_are_not_stored),
        cmocka_unit_test(no_wait_ends_before_its_deadline),
        cmocka_unit_test(what_a_dead_client_of_refuse_held_stays),
        cmocka_unit_test(who_holds_under_refuse_loses_by_a_clear_alone),
        cmocka_unit_test(a_clear_is_learned_by_its_holder),
        cmocka_unit_test(or_that_is_a_broken_promise),
        cmocka_unit_test(who_held_what_was_lost_may_believe_and_nobody_beside),
        cmocka_unit_test(
            what_a_dead_client_held_is_free_however_often_leaders_die),
        cmocka_unit_test(everybody_gets_it_from_wherever_a_walk_leads),
        cmocka_unit_test(a_record_that_nobody_takes_away_is_found),
        cmocka_unit_test(a_lock_that_nobody_can_get_is_found),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

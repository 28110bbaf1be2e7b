/* Those who wait for the lock of a server: each promise fires where it is
 * broken, and there alone: those which no mutant of lab/mutants/list.txt breaks
 * in these worlds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/lockspace/owners.h"
#include "core/lockspace/parts.h"
#include "lab/server/waiting.h"
#include "lab/server/waiting_promise.h"
#include "lab/server/worlds.h"
#include "lab/subject.h"

enum { HOLDER, SECOND, THIRD };

static struct waiting_config
config_of(const char *name, unsigned clients)
{
    struct subject subject;

    assert_true(subject_find(name, &subject));
    subject_set_workers(&subject, clients);
    subject_tell_apart(&subject);
    return subject.waiting;
}

static void
step(struct waiting_world *world, enum waiting_act act, unsigned who)
{
    assert_true(waiting_allowed(world, act, who));
    waiting_apply(world, act, who);
    assert_null(world->violated);
}

/* A client asks, and its request arrives. */
static void
ask(struct waiting_world *world, unsigned who)
{
    step(world, WAITING_ASK, who);
    step(world, WAITING_ARRIVE, who * WAITING_STREAMS);
}

/* The first client holds the lock, and the others wait for it. */
static void
one_holds(struct waiting_world *world, const struct waiting_config *config)
{
    waiting_start(world, config);
    ask(world, HOLDER);
    step(world, WAITING_BATCH, 0);
    for (unsigned i = 1; i < config->world.clients; i++)
        ask(world, i);
    assert_int_equal(world->clients[HOLDER].phase, PHASE_HOLDING);
}

/* The machine is told something of which the world knows nothing. */
static void
whisper(struct waiting_world *world, struct hf_lockspace_event event)
{
    struct hf_answer answer;

    event.at = world->now;
    hf_lockspace_step(waiting_machine(world), &event);
    while (hf_lockspace_next(waiting_machine(world), &answer)) {
        /* nobody hears it */
    }
}

static void
whisper_message(struct waiting_world *world, enum hf_message_kind kind,
                unsigned who, uint64_t n)
{
    struct hf_want want = snapshot_want(0, HF_EXCLUSIVE);
    struct hf_lockspace_event event = {
        .kind = HF_SPACE_MESSAGE,
        .message = {.kind = kind,
                    .stream = 100,
                    .session = who + 1,
                    .term = 1,
                    .lane = 1,
                    .n = n,
                    .a = 50},
    };

    if (kind == HF_MESSAGE_ACQUIRE) {
        event.message.acquire.wants = &want;
        event.message.acquire.wants_count = 1;
        event.message.acquire.wait = HF_WAIT_FOREVER;
    }
    whisper(world, event);
}

static const struct hf_lockspace_event nothing = {.kind = HF_SPACE_HANDED};

/* ---- The promises -------------------------------------------------------- */

static void
whoever_came_first_is_not_passed(void **unused)
{
    struct waiting_config config = config_of("waiting", 3);
    struct waiting_world world;

    (void)unused;
    one_holds(&world, &config);
    world.clients[SECOND].turn = 2;
    world.clients[THIRD].turn = 1;
    step(&world, WAITING_RELEASE, HOLDER);
    waiting_apply(&world, WAITING_ARRIVE, HOLDER);
    assert_string_equal(world.violated, SERVER_OVERTAKEN);
}

static void
a_request_is_granted_once(void **unused)
{
    struct waiting_config config = config_of("waiting", 2);
    struct waiting_world world;
    struct waiting_before before;

    (void)unused;
    waiting_start(&world, &config);
    ask(&world, HOLDER);
    step(&world, WAITING_BATCH, 0);
    waiting_promise_before(&world, &nothing, &before);
    whisper_message(&world, HF_MESSAGE_RELEASE, HOLDER, 1);
    whisper_message(&world, HF_MESSAGE_ACQUIRE, HOLDER, 2);
    waiting_promise_after(&world, &nothing, &before);
    assert_string_equal(world.violated, SERVER_TWICE_GIVEN);
}

static void
what_a_dead_client_of_refuse_holds_may_stay(void **unused)
{
    struct waiting_config config = config_of("waiting-refuse", 2);
    struct waiting_world world;

    (void)unused;
    one_holds(&world, &config);
    world.clients[HOLDER].silent = (uint8_t)config.ttl;
    waiting_promise_tick(&world);
    assert_null(world.violated);
    world.clients[SECOND].silent = (uint8_t)config.ttl;
    waiting_promise_tick(&world);
    assert_string_equal(world.violated, SERVER_DEAD_KEPT);
}

static void
nobody_waits_for_nothing(void **unused)
{
    struct waiting_config config = config_of("waiting", 2);
    struct waiting_world world;

    (void)unused;
    one_holds(&world, &config);
    waiting_promise_tick(&world);
    assert_null(world.violated);
    whisper_message(&world, HF_MESSAGE_RELEASE, HOLDER, 1);
    whisper_message(&world, HF_MESSAGE_RELEASE, SECOND, 1);
    waiting_promise_tick(&world);
    assert_string_equal(world.violated, SERVER_IN_VAIN);
}

static void
nor_without_a_place_in_line(void **unused)
{
    struct waiting_config config = config_of("waiting", 2);
    struct waiting_world world;

    (void)unused;
    one_holds(&world, &config);
    world.clients[SECOND].turn = 0;
    waiting_promise_tick(&world);
    assert_string_equal(world.violated, SERVER_IN_VAIN);
}

static void
a_grant_that_is_told_is_there(void **unused)
{
    struct waiting_config config = config_of("waiting", 2);
    struct waiting_world world;

    (void)unused;
    one_holds(&world, &config);
    world.clients[HOLDER].fence++;
    waiting_promise_told(&world, HOLDER);
    assert_string_equal(world.violated, SERVER_NOT_THERE);
}

static void
two_do_not_believe_at_once(void **unused)
{
    struct waiting_config config = config_of("waiting", 2);
    struct waiting_world world;

    (void)unused;
    one_holds(&world, &config);
    world.clients[SECOND].phase = PHASE_HOLDING;
    world.clients[HOLDER].kept = (uint8_t)(config.ttl - 1);
    waiting_promise_state(&world);
    assert_null(world.violated);
    world.clients[HOLDER].kept = (uint8_t)(config.ttl - 2);
    waiting_promise_state(&world);
    assert_string_equal(world.violated, SERVER_OVERLAP);
}

static void
a_machine_that_was_told_the_time_is_not_due(void **unused)
{
    struct waiting_config config = config_of("waiting", 2);
    struct waiting_world world;
    struct waiting_before before;
    const struct hf_lockspace_event clock = {.kind = HF_SPACE_CLOCK};

    (void)unused;
    one_holds(&world, &config);
    world.now.ms += config.blocking;
    waiting_promise_before(&world, &clock, &before);
    waiting_promise_after(&world, &clock, &before);
    assert_string_equal(world.violated, SERVER_DUE_AGAIN);
}

static void
where_there_is_one_lock_there_is_no_deadlock(void **unused)
{
    struct waiting_config config = config_of("waiting", 2);
    struct waiting_world world;

    (void)unused;
    one_holds(&world, &config);
    waiting_promise_answer(&world, &(struct hf_answer){
                                       .kind = HF_ANSWER_OVER,
                                       .stream = WAITING_STREAMS + 1,
                                       .over = HF_OVER_DEADLOCK,
                                   });
    assert_string_equal(world.violated, SERVER_DEADLOCK);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whoever_came_first_is_not_passed),
        cmocka_unit_test(a_request_is_granted_once),
        cmocka_unit_test(what_a_dead_client_of_refuse_holds_may_stay),
        cmocka_unit_test(nobody_waits_for_nothing),
        cmocka_unit_test(nor_without_a_place_in_line),
        cmocka_unit_test(a_grant_that_is_told_is_there),
        cmocka_unit_test(two_do_not_believe_at_once),
        cmocka_unit_test(a_machine_that_was_told_the_time_is_not_due),
        cmocka_unit_test(where_there_is_one_lock_there_is_no_deadlock),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

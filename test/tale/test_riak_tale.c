#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "explore/explore.h"
#include "tale/support/cluster.h"

/*
 * The closing words of the cautionary tale, found by search: what a failed
 * write does to the next reader, and how a removed lock comes back.
 *
 * Worker #1 follows its script to the end, if it may.  Long after, when
 * nothing is under way any more but what a fallback may hand over, worker #2
 * reads.  It must not find the lock.
 */

struct tale {
    struct riak riak;
    uint8_t line; /* of worker #1's script, or beyond it */
};

struct script {
    const char *settings;
    const struct key_request *requests; /* of worker #1 */
    const enum key_answer_kind *wanted; /* any other answer ends the story */
    uint8_t count;
    uint8_t down; /* primaries that are down before it starts */
};

enum { WORKER_1, WORKER_2 };

/* What is an action: a step of the key, or of whoever's turn it is. */
enum { OF_A_WORKER = 0xffff };

static void
start_tale(const void *ctx, void *state)
{
    const struct script *script = ctx;
    struct tale tale = {.line = 0};

    start(&tale.riak, script->settings);
    for (unsigned i = 0; i < script->down; i++)
        happen(&tale.riak, RIAK_GOES_DOWN, NOBODY, i);
    memcpy(state, &tale, sizeof(tale));
}

static bool
is_long_after(const struct riak *riak)
{
    struct key_step steps[KEY_STEPS_MAX];
    unsigned count = riak_steps(riak, steps);

    for (unsigned i = 0; i < count; i++)
        if (steps[i].code != RIAK_HANDS_OFF && !steps[i].fault &&
            steps[i].code != RIAK_COMES_BACK)
            return false;
    return true;
}

/* The next worker sends, or looks at its answer; false when the story is over
 * or has to wait. */
static bool
turn(const struct script *script, struct tale *tale, const char **violated)
{
    unsigned who = tale->line < script->count ? WORKER_1 : WORKER_2;
    struct key_answer answer;

    if (tale->line > script->count)
        return false;
    if (riak_answer(&tale->riak, who, &answer)) {
        if (who == WORKER_2) {
            if (answer.kind == KEY_FOUND)
                *violated = "found";
            tale->line = (uint8_t)(script->count + 1);
        } else if (answer.kind == script->wanted[tale->line]) {
            tale->line++;
        } else {
            tale->line = (uint8_t)(script->count + 1);
        }
        return true;
    }
    if (tale->riak.workers[who].state != 0 || !riak_ready(&tale->riak))
        return false;
    if (who == WORKER_2 && !is_long_after(&tale->riak))
        return false;
    riak_issue(&tale->riak, who,
               who == WORKER_1 ? script->requests[tale->line]
                               : (struct key_request){.kind = KEY_READ});
    return true;
}

static void
expand_tale(const void *ctx, const void *state, struct explorer *explorer)
{
    const struct script *script = ctx;
    struct key_step steps[KEY_STEPS_MAX];
    struct tale tale;
    struct tale next;
    const char *violated = NULL;
    unsigned count;

    memcpy(&tale, state, sizeof(tale));
    if (tale.line > script->count)
        return;
    next = tale;
    if (turn(script, &next, &violated))
        explore_add(explorer, &(struct explore_step){
                                  .state = &next,
                                  .action = OF_A_WORKER,
                                  .violated = violated,
                              });
    count = riak_steps(&tale.riak, steps);
    for (unsigned i = 0; i < count; i++) {
        next = tale;
        riak_step(&next.riak, steps[i]);
        explore_add(explorer, &(struct explore_step){
                                  .state = &next,
                                  .action = (uint16_t)(steps[i].code << 8 |
                                                       steps[i].about),
                                  .actor = 1,
                                  .fault = steps[i].fault,
                              });
    }
}

static void
search(const struct script *script, unsigned faults,
       struct explore_report *report)
{
    const struct explore_system system = {
        .state_size = sizeof(struct tale),
        .ctx = script,
        .start = start_tale,
        .expand = expand_tale,
    };
    const struct explore_limits limits = {
        .faults = faults,
        .memory_max = UINT64_C(1) << 30,
    };

    assert_true(explore_all(&system, &limits, report));
    print_message("%u faults, depth %u: %llu states, %.1f s\n", report->faults,
                  report->depth, (unsigned long long)report->states,
                  report->seconds);
}

/* Where in the schedule the first step of this kind is, or its end. */
static size_t
first_of(const struct explore_report *report, enum riak_happening_kind kind)
{
    size_t i = 0;

    while (i < report->schedule_len && (report->schedule[i] == OF_A_WORKER ||
                                        report->schedule[i] >> 8 != (int)kind))
        i++;
    return i;
}

static const struct key_request one_write[] = {
    {.kind = KEY_WRITE, .value = {.id = 1}},
};
static const enum key_answer_kind that_fails[] = {KEY_ERROR};

static void
search_failed_write(const char *settings, uint8_t down, unsigned faults,
                    struct explore_report *report)
{
    const struct script script = {
        .settings = settings,
        .requests = one_write,
        .wanted = that_fails,
        .count = 1,
        .down = down,
    };

    search(&script, faults, report);
}

/* Two primaries go down while the write is under way; one is not enough. */
static void
a_write_that_failed_is_there_all_the_same(void **state)
{
    static const char settings[] = "pr=quorum pw=quorum read_repair=false";
    struct explore_report report;

    (void)state;
    search_failed_write(settings, 0, 1, &report);
    assert_int_equal(report.verdict, EXPLORE_PROVED);
    explore_report_fini(&report);
    search_failed_write(settings, 0, 2, &report);
    assert_int_equal(report.verdict, EXPLORE_VIOLATED);
    assert_true(first_of(&report, RIAK_COORDINATES) <
                first_of(&report, RIAK_GOES_DOWN));
    explore_report_fini(&report);
}

/* In the tale they were down before.  Riak knows that, and stores nothing. */
static void
the_seed_has_it_there_when_primaries_are_known_to_be_down(void **state)
{
    struct explore_report report;

    (void)state;
    search_failed_write("pr=quorum pw=quorum pw_precheck=seed", 2, 0, &report);
    assert_int_equal(report.verdict, EXPLORE_VIOLATED);
    explore_report_fini(&report);
    search_failed_write("pr=quorum pw=quorum pw_precheck=riak", 2, 0, &report);
    assert_int_equal(report.verdict, EXPLORE_PROVED);
    explore_report_fini(&report);
}

static const struct key_request lock_and_remove[] = {
    {.kind = KEY_WRITE, .value = {.id = 1}},
    {.kind = KEY_READ},
    {.kind = KEY_REMOVE, .with_context = true},
};
static const enum key_answer_kind all_well[] = {KEY_OK, KEY_FOUND, KEY_OK};

/* w=all and no repair: nothing but a fallback can come late. */
static void
search_removed_lock(const char *settings, struct explore_report *report)
{
    const struct script script = {
        .settings = settings,
        .requests = lock_and_remove,
        .wanted = all_well,
        .count = 3,
    };

    search(&script, 1, report);
}

static void
a_removed_lock_comes_back_by_a_late_handoff(void **state)
{
    struct explore_report report;
    size_t reaped;
    size_t handed;

    (void)state;
    search_removed_lock("pr=quorum pw=quorum w=all read_repair=false "
                        "delete_mode=immediate",
                        &report);
    assert_int_equal(report.verdict, EXPLORE_VIOLATED);
    assert_int_equal(report.faults, 1);
    reaped = first_of(&report, RIAK_REAPS);
    handed = first_of(&report, RIAK_HANDS_OFF);
    assert_true(first_of(&report, RIAK_GOES_DOWN) < reaped);
    assert_true(reaped < handed);
    assert_true(handed < report.schedule_len);
    explore_report_fini(&report);
}

static void
with_delete_mode_keep_it_stays_removed(void **state)
{
    struct explore_report report;

    (void)state;
    search_removed_lock("pr=quorum pw=quorum w=all read_repair=false "
                        "delete_mode=keep",
                        &report);
    assert_int_equal(report.verdict, EXPLORE_PROVED);
    explore_report_fini(&report);
}

/* Neither a repair nor a write that comes late can bring it back then. */
static void
keep_holds_against_repairs_and_late_writes(void **state)
{
    struct explore_report report;

    (void)state;
    search_removed_lock("pr=quorum pw=quorum "
                        "delete_mode=keep",
                        &report);
    assert_int_equal(report.verdict, EXPLORE_PROVED);
    explore_report_fini(&report);
}

/* Reaping forgets what a late write descends from: no fault is needed. */
static void
a_removed_lock_comes_back_by_a_late_write(void **state)
{
    struct explore_report report;

    (void)state;
    search_removed_lock("pr=quorum pw=quorum read_repair=false "
                        "delete_mode=immediate",
                        &report);
    assert_int_equal(report.verdict, EXPLORE_VIOLATED);
    assert_int_equal(report.faults, 0);
    explore_report_fini(&report);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_write_that_failed_is_there_all_the_same),
        cmocka_unit_test(
            the_seed_has_it_there_when_primaries_are_known_to_be_down),
        cmocka_unit_test(a_removed_lock_comes_back_by_a_late_handoff),
        cmocka_unit_test(with_delete_mode_keep_it_stays_removed),
        cmocka_unit_test(keep_holds_against_repairs_and_late_writes),
        cmocka_unit_test(a_removed_lock_comes_back_by_a_late_write),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "tale/timelock/timelock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "explore/states.h"
#include "tale/run.h"
#include "tale/support/finding.h"

/* The lock server of AtlasDB's decision 11: each story as the decision tells
 * it, each cure with what it cures and what it leaves, and Holdfast's rules, of
 * which each is needed. */

struct row {
    const char *line;     /* SPECIMEN,NAME=VALUE,...:WORKERS */
    int faults;           /* -1: the specimen's own */
    const char *only;     /* or NULL: as the specimen has it */
    const char *property; /* NULL: proved */
    size_t steps;
};

static void
find_row(const struct row *row, struct finding *f)
{
    uint16_t schedule[RUN_SCHEDULE_MAX];
    struct specimen_run run;
    char line[RUN_LINE_MAX];
    const char *why = "";

    print_message("%s\n", row->line);
    snprintf(line, sizeof(line), "%s:", row->line);
    if (run_parse(line, &run, schedule, &why) != 0)
        fail_msg("%s", why);
    if (row->only != NULL)
        run.only = row->only;
    find(&run, row->faults < 0 ? run.specimen->faults : (unsigned)row->faults,
         f);
}

static void
check_rows(const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct finding f;

        find_row(&rows[i], &f);
        if (rows[i].property == NULL) {
            assert_int_equal(f.verdict, EXPLORE_PROVED);
            continue;
        }
        assert_int_equal(f.verdict, EXPLORE_VIOLATED);
        assert_string_equal(f.property, rows[i].property);
        assert_int_equal(f.steps, rows[i].steps);
    }
}

#define CHECK_ROWS(rows) check_rows(rows, sizeof(rows) / sizeof((rows)[0]))

/* ---- As it was ---------------------------------------------------------- */

static void
assert_sentences(const struct finding *f, const char *const *sentences,
                 unsigned count)
{
    assert_int_equal(f->told.count, count);
    for (unsigned i = 0; i < count; i++)
        assert_string_equal(finding_sentence(f, i + 1), sentences[i]);
}

#define IDLE(request)                                                          \
    "The idle timeout of worker #2's connection, 30 s, closes the stream "     \
    "of " request
#define AGAIN(request)                                                         \
    "Worker #2 tries again, and blocks, with request " request
#define GHOST(request)                                                         \
    "Request " request " is granted, but worker #2 is no longer listening on " \
    "it"

/* The eight numbered steps of its context.  The first six are ghost-grant. */
static const char *const trace[] = {
    "Worker #1 acquires the lock",                             /* 1 */
    "Worker #2 blocks on acquiring the lock, with request B1", /* 2 */
    IDLE("B1"),                                                /* 3 */
    AGAIN("B2"),                                               /* 4 */
    "Worker #1 releases the lock",                             /* 5 */
    GHOST("B1"),                                               /* 6 */
    IDLE("B2"),
    AGAIN("B3"),
    IDLE("B3"),
    AGAIN("B4"), /* 7 */
    IDLE("B4"),
    AGAIN("B5"),
    IDLE("B5"),
    AGAIN("B6"),                                                /* 7 */
    "The lock is reaped, which nobody has refreshed for 125 s", /* 8 */
    GHOST("B2"),                                                /* 8 */
};

static void
the_trace_of_the_decision_is_what_the_search_finds(void **state)
{
    struct finding f;

    (void)state;
    find_named("ghost-grant", 0, NULL, &f);
    assert_sentences(&f, trace, 6);
    find_named("ghost-backlog", 0, NULL, &f);
    assert_sentences(&f, trace, sizeof(trace) / sizeof(trace[0]));
    assert_string_equal(f.told.events[15].holds,
                        "#2 holds unheard, #2 waits unheard 3 times, #2 waits");
}

static void
a_server_of_any_number_of_threads_loses_its_lead(void **state)
{
    /* All of one worker's, which sends one each 30 s. */
    static const unsigned sent_for[TIMELOCK_REQUESTS + 1] = {
        [3] = 4, [4] = 5,  [5] = 6,  [6] = 8,
        [7] = 9, [8] = 10, [9] = 12, [10] = 13,
    };

    (void)state;
    for (unsigned threads = 3; threads <= TIMELOCK_REQUESTS; threads++) {
        unsigned sent = 0;
        char setting[16];
        struct finding f;

        snprintf(setting, sizeof(setting), "threads=%u", threads);
        find_named("ghost-leader", 0, setting, &f);
        assert_int_equal(f.verdict, EXPLORE_VIOLATED);
        assert_string_equal(f.property, SPECIMEN_LEADER);
        for (unsigned i = 0; i < f.told.count; i++)
            sent += f.told.events[i].kind == TOLD_ISSUE;
        assert_int_equal(sent, sent_for[threads]);
    }
}

/* "Setting the idle timeout to 2 minutes and 5 seconds does not solve the
 * problem (though it does mitigate it), since multiple clients may be blocking
 * on acquiring the same lock." */
static void
an_idle_timeout_as_long_as_the_reaping_helps_one_who_waits(void **state)
{
    static const struct row rows[] = {
        {"ghost-grant,idle=30,hold=100:2", -1, NULL, SPECIMEN_GHOST, 6},
        {"ghost-grant,idle=125,hold=100:2", -1, NULL, NULL, 0},
        {"ghost-grant,idle=125,hold=100:3", -1, NULL, SPECIMEN_GHOST, 10},
    };

    (void)state;
    CHECK_ROWS(rows);
}

/* Alternative 4, the "last-gasp message": without a network, and without
 * faults, it is enough. */
static void
a_server_that_drops_what_it_closes_grants_to_nobody(void **state)
{
    static const struct row rows[] = {
        {"ghost-grant,ended=left:2", -1, NULL, NULL, 0},
        {"ghost-grant,ended=left:3", -1, SPECIMEN_GHOST, NULL, 0},
        {"ghost-grant,ended=left:3", -1, NULL, SPECIMEN_OVERTAKEN, 7},
    };

    (void)state;
    CHECK_ROWS(rows);
}

/* ---- With the blocking timeout ------------------------------------------ */

static void
a_blocking_timeout_below_the_idle_timeout_leaves_no_ghost(void **state)
{
    static const struct row rows[] = {
        {"ghost-grant,blocking=25:2", -1, NULL, NULL, 0},
        {"ghost-grant-blocking-timeout:2", -1, NULL, NULL, 0},
        {"ghost-grant-blocking-timeout:4", -1, SPECIMEN_GHOST, NULL, 0},
        {"ghost-grant-blocking-timeout:4", -1, SPECIMEN_BACKLOG, NULL, 0},
        {"ghost-grant-blocking-timeout,threads=4:4", -1, SPECIMEN_LEADER, NULL,
         0},
        {"ghost-grant-blocking-timeout,blocking=0:2", -1, NULL, SPECIMEN_GHOST,
         6},
    };

    (void)state;
    CHECK_ROWS(rows);
}

/* Both are due at 30 s.  One order is a ghost, the other a timeout. */
static void
without_a_margin_the_race_may_be_lost(void **state)
{
    static const struct {
        const char *line;
        const char *property;
    } orders[] = {
        {"blocking-as-idle:2:1,2,0.3,2.1,1,0", SPECIMEN_GHOST},
        {"blocking-as-idle:2:1,2,0.3,2.2,1,0", NULL},
    };

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        uint16_t schedule[RUN_SCHEDULE_MAX];
        static struct told told;
        struct specimen_run run;
        const char *violated;
        const char *why;
        bool valid;
        int len = run_parse(orders[i].line, &run, schedule, &why);

        violated = specimen_tell(&run, schedule, (size_t)len, &told, &valid);
        assert_true(valid);
        if (orders[i].property == NULL)
            assert_null(violated);
        else
            assert_string_equal(violated, orders[i].property);
        assert_int_equal(told.steps, 6);
    }
}

/* "Even if we lose the race, we will still free the resources shortly
 * after": a ghost of an instant, but no backlog, and no leader lost. */
static void
a_late_timeout_needs_a_margin_or_leaves_a_short_ghost(void **state)
{
    static const struct row rows[] = {
        {"blocking-late:2", -1, NULL, SPECIMEN_GHOST, 8},
        {"blocking-late:2", 0, NULL, NULL, 0},
        {"blocking-late,threads=4:2", 3, SPECIMEN_BACKLOG, NULL, 0},
        {"blocking-late,threads=4:2", 3, SPECIMEN_LEADER, NULL, 0},
        {"blocking-late,blocking=20:2", 3, NULL, NULL, 0},
    };

    (void)state;
    CHECK_ROWS(rows);
}

/* "A would timeout and be interrupted, the lock would become available and
 * then B would grab it before A." */
static void
one_whose_request_is_ended_may_be_overtaken(void **state)
{
    static const struct row rows[] = {
        {"blocking-order:3", -1, NULL, SPECIMEN_OVERTAKEN, 7},
        {"blocking-order,known=name,place=5:3", -1, NULL, NULL, 0},
        /* Nobody blocks for as long as that: "requests remain fair". */
        {"blocking-order,hold=10:3", -1, NULL, NULL, 0},
    };

    (void)state;
    CHECK_ROWS(rows);
}

/* One who sends again, of which the server knows nothing; then one whom it
 * knows by name, where a message may be late; then by its attempts. */
static void
a_library_that_sends_again_in_silence_leaves_a_ghost(void **state)
{
    static const struct row rows[] = {
        {"silent-retry:2", -1, NULL, SPECIMEN_GHOST, 5},
        {"silent-retry:2", 0, NULL, NULL, 0},
        {"silent-retry,known=name:2", 2, NULL, NULL, 0},
        {"silent-retry,known=name,network=5:2", -1, NULL, SPECIMEN_GHOST, 8},
        {"silent-retry,known=attempt,network=5:2", 2, NULL, NULL, 0},
    };

    (void)state;
    CHECK_ROWS(rows);
}

/* ---- For at most 45 s --------------------------------------------------- */

static void
whoever_begins_anew_waits_too_long(void **state)
{
    static const struct row rows[] = {
        {"at-most-anew:2", -1, NULL, SPECIMEN_LATE, 5},
        {"at-most-anew,blocking=0,idle=60:2", -1, NULL, NULL, 0},
        {"at-most-anew,deadline=rest:2", -1, NULL, NULL, 0},
        {"at-most-anew,deadline=rest,network=5:2", -1, NULL, SPECIMEN_LATE, 9},
        {"at-most-anew,deadline=clock,network=5:2", -1, SPECIMEN_LATE, NULL, 0},
        {"at-most-anew,deadline=clock:2", -1, NULL, SPECIMEN_GHOST, 8},
        {"at-most-anew,deadline=clock,known=name,leaves=releases:2", -1, NULL,
         NULL, 0},
    };

    (void)state;
    CHECK_ROWS(rows);
}

/* "(T = 30k, for positive integer k) Client B receives a
 * BlockingTimeoutException and retries on L": after each, the server is as it
 * was after the first. */
static void
thirty_seconds_times_any_number_it_waits(void **state)
{
    static const char line[] =
        "at-most-anew:2:1,2,0.3,2.2,0.3,0.3,2.2,0.3,2.2,0.3,2.2,0.3,2.2,0.3,"
        "2.2,0.3,2.2,0.3,2.2";
    uint16_t schedule[RUN_SCHEDULE_MAX];
    static struct told told;
    struct specimen_run run;
    unsigned ended = 0;
    const char *why;
    bool valid;
    int len = run_parse(line, &run, schedule, &why);

    (void)state;
    run.only = SPECIMEN_GHOST;
    assert_null(specimen_tell(&run, schedule, (size_t)len, &told, &valid));
    assert_true(valid);
    for (unsigned i = 2; i < told.count; i++) {
        const struct told_event *event = &told.events[i];

        if (event->kind == TOLD_WORLD) {
            char sentence[64];

            snprintf(sentence, sizeof(sentence),
                     "The blocking timeout, 30 s, ends request B%u", ++ended);
            assert_string_equal(event->sentence, sentence);
        } else if (event->kind == TOLD_ISSUE) {
            assert_non_null(strstr(event->sentence, " for at most 45 s, "));
            assert_string_equal(event->holds, told.events[1].holds);
        }
    }
    assert_int_equal(ended, 8);
}

/* ---- Alternative 5 ------------------------------------------------------ */

static void
who_truncates_must_know_the_timeouts_and_the_network(void **state)
{
    static const struct row rows[] = {
        {"truncate-idle:2", -1, NULL, SPECIMEN_GHOST, 6},
        {"truncate-idle,idle=30:2", -1, NULL, SPECIMEN_GHOST, 6},
        {"truncate-idle,idle=35:2", -1, NULL, NULL, 0},
        {"truncate-network:2", -1, NULL, SPECIMEN_GHOST, 9},
        {"truncate-network,network=0:2", -1, NULL, NULL, 0},
        {"truncate-network,truncate=20:2", -1, NULL, NULL, 0},
    };

    (void)state;
    CHECK_ROWS(rows);
}

/* ---- Ours --------------------------------------------------------------- */

static void
our_rules_hold_while_connections_break(void **state)
{
    static const struct row rows[] = {
        {"holdfast-waiting:3", 1, NULL, NULL, 0},
        {"holdfast-waiting:2", 3, NULL, NULL, 0},
        {"holdfast-waiting,at-most=0:3", 1, NULL, NULL, 0},
        {"holdfast-waiting,threads=3:3", 1, SPECIMEN_LEADER, NULL, 0},
        {"holdfast-waiting,ended=kept:3", 1, NULL, NULL, 0},
    };

    (void)state;
    CHECK_ROWS(rows);
}

static void
without_one_of_our_rules_something_breaks(void **state)
{
    static const struct row rows[] = {
        {"holdfast-waiting,known=name:3", 1, NULL, SPECIMEN_FORGOTTEN, 7},
        {"holdfast-waiting,known=name:3", 1, SPECIMEN_GHOST, SPECIMEN_GHOST, 8},
        {"holdfast-waiting,known=name:3", 0, NULL, NULL, 0},
        {"holdfast-waiting,blocking=0:3", 0, NULL, SPECIMEN_OVERTAKEN, 9},
        {"holdfast-waiting,place=0:3", 0, NULL, SPECIMEN_OVERTAKEN, 9},
        {"holdfast-waiting,place=5:3", 0, NULL, SPECIMEN_OVERTAKEN, 11},
        {"holdfast-waiting,deadline=rest:3", 0, NULL, SPECIMEN_LATE, 10},
        {"holdfast-waiting,leaves=goes-away:3", 0, NULL, SPECIMEN_GHOST, 12},
    };

    (void)state;
    CHECK_ROWS(rows);
}

/* ---- The small world itself --------------------------------------------- */

struct moment {
    struct timelock server;
    uint8_t faults; /* so far */
};

/* To begin or to release is a worker's own will, and waited for by nobody. */
static bool
is_free_will(const struct moment *moment, unsigned actor, unsigned choice)
{
    return actor != SPECIMEN_WORLD && choice == 0 &&
           (scene_stands(moment, actor, WHERE_INSIDE) ||
            moment->server.cast.line[actor] == LINE_FIRST);
}

/* Take every step that is possible, with a fault at most; did one have to
 * come? */
static bool
take_steps(const struct specimen_run *run, struct states *states,
           const struct moment *moment)
{
    bool any = false;

    for (unsigned who = 0; who <= run->workers; who++) {
        unsigned actor = who == run->workers ? SPECIMEN_WORLD : who;

        for (unsigned choice = 0; choice < TIMELOCK_CHOICES; choice++) {
            struct moment next = *moment;
            struct scene scene = {.run = run};
            uint32_t added;

            if (!timelock_act(&scene, &next.server, actor, choice))
                continue;
            any |= !scene.fault && !is_free_will(moment, actor, choice);
            next.faults += scene.fault;
            if (next.faults <= 1)
                assert_int_not_equal(states_add(states, &next, 0, &added),
                                     STATES_FULL);
        }
    }
    return any;
}

/* Where something is due that nobody does, time would stand still, and what
 * comes later would never be tried. */
static void
assert_time_goes_on(const struct specimen_run *run)
{
    struct moment moment = {.faults = 0};
    struct states states;
    uint32_t number;

    assert_true(states_open(&states, sizeof(moment), 1000000));
    states_add(&states, &moment, STATES_NONE, &number);
    for (number = 0; number < states.count; number++) {
        memcpy(&moment, states_at(&states, number), sizeof(moment));
        if (take_steps(run, &states, &moment))
            continue;
        for (unsigned who = 0; who < run->workers; who++)
            assert_true(!scene_stands(&moment, who, WHERE_OUTSIDE) ||
                        moment.server.cast.line[who] == LINE_FIRST);
    }
    assert_in_range(states.count, 30, 1000000);
    states_close(&states);
}

static void
time_never_stands_still_while_somebody_waits(void **state)
{
    static const char *const lines[] = {
        "ghost-grant-blocking-timeout:4:",
        "blocking-late:2:",
        "silent-retry,known=attempt,network=5:2:",
        "at-most-anew,deadline=rest,network=5:2:",
        "truncate-network:2:",
        "holdfast-waiting:2:",
        "holdfast-waiting,fault=nothing:3:",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        uint16_t schedule[RUN_SCHEDULE_MAX];
        struct specimen_run run;
        const char *why;

        print_message("%s\n", lines[i]);
        assert_int_equal(run_parse(lines[i], &run, schedule, &why), 0);
        assert_time_goes_on(&run);
    }
}

static void
settings_that_mean_nothing_are_refused(void **state)
{
    static const struct {
        const char *line;
        const char *why;
    } cases[] = {
        {"ghost-grant,idle=29:2:", "idle is no multiple of 5 s"},
        {"ghost-grant,threads=0:2:", "a server without threads serves nobody"},
        {"ghost-grant,place=5:2:", "must know requests"},
        {"ghost-grant,leaves=releases:2:", "must know requests"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        uint16_t schedule[RUN_SCHEDULE_MAX];
        struct specimen_run run;
        struct hf_error error;
        const char *why;

        assert_int_equal(run_parse(cases[i].line, &run, schedule, &why), -1);
        assert_false(specimen_check(&run, &error));
        assert_non_null(strstr(error.text, cases[i].why));
    }
}

/* Each event of a step shows what the server held when it was told. */
static void
a_request_is_unheard_before_the_next_one_comes(void **state)
{
    struct finding f;

    (void)state;
    find_named("ghost-grant", 0, NULL, &f);
    assert_string_equal(f.told.events[2].holds, "#1 holds, #2 waits unheard");
    assert_string_equal(f.told.events[3].holds,
                        "#1 holds, #2 waits unheard, #2 waits");
}

/* What arrives is drawn from where it was sent, whatever was sent since. */
static void
a_late_attempt_arrives_from_its_own_sending(void **state)
{
    const struct row row = {"holdfast-waiting,known=name:3", 1, NULL, NULL, 0};
    struct finding f;

    (void)state;
    find_row(&row, &f);
    assert_string_equal(finding_sentence(&f, 7),
                        "Request B1 arrives, and takes its place again");
    assert_int_equal(f.told.events[6].issue, 3);
    assert_string_equal(finding_sentence(&f, 6),
                        "Request B2 arrives, and blocks");
    assert_int_equal(f.told.events[5].issue, 5);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_trace_of_the_decision_is_what_the_search_finds),
        cmocka_unit_test(a_server_of_any_number_of_threads_loses_its_lead),
        cmocka_unit_test(
            an_idle_timeout_as_long_as_the_reaping_helps_one_who_waits),
        cmocka_unit_test(a_server_that_drops_what_it_closes_grants_to_nobody),
        cmocka_unit_test(
            a_blocking_timeout_below_the_idle_timeout_leaves_no_ghost),
        cmocka_unit_test(without_a_margin_the_race_may_be_lost),
        cmocka_unit_test(a_late_timeout_needs_a_margin_or_leaves_a_short_ghost),
        cmocka_unit_test(one_whose_request_is_ended_may_be_overtaken),
        cmocka_unit_test(a_library_that_sends_again_in_silence_leaves_a_ghost),
        cmocka_unit_test(whoever_begins_anew_waits_too_long),
        cmocka_unit_test(thirty_seconds_times_any_number_it_waits),
        cmocka_unit_test(who_truncates_must_know_the_timeouts_and_the_network),
        cmocka_unit_test(our_rules_hold_while_connections_break),
        cmocka_unit_test(without_one_of_our_rules_something_breaks),
        cmocka_unit_test(time_never_stands_still_while_somebody_waits),
        cmocka_unit_test(settings_that_mean_nothing_are_refused),
        cmocka_unit_test(a_request_is_unheard_before_the_next_one_comes),
        cmocka_unit_test(a_late_attempt_arrives_from_its_own_sending),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

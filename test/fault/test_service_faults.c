#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/attrs.h"
#include "server/support/fixture.h"
#include "store/place.h"
#include "support/heap.h"
#include "support/journals.h"
#include "support/lossy_journal.h"

/*
 * A service whose memory or whose store fails: the first allocation, write or
 * read, then the second, and so on until a run needs no more; alone, or with
 * all that follow it.  It is in its first life that this is so, or in its
 * second, when it loads what it has granted.
 *
 * Every request is answered.  No grant is told that the store does not have,
 * nor one that was told given to another.  When the faults end the service
 * grants again, and when it has ended nothing of the heap is lost.
 *
 * A series is a process of its own, for most of a run is waiting.
 */

enum {
    PATIENCE_MS = 20000,
    CHANCE_MS = 300,
    LEADER_MS = 1000, /* its ttl */
    GRANTS_MAX = 8,
};

static char place[JOURNALS_PLACE_SIZE];

struct series {
    enum { OF_MEMORY, OF_STORE } fault;
    struct lossy_plan
        plan; /* OF_STORE: `at` and `count` are set for each run */
    int life; /* that has the faults */
    bool for_ever;
};

struct grant {
    char name[16];
    uint64_t fence;
};

static struct trial {
    const struct series *series;
    unsigned n;
    int life;
    bool faulty; /* now */
    struct heap heap;
    struct hf_alloc alloc;
    struct lossy_journal_sea sea;
    struct hf_journal *look; /* the place, beside the service */
    struct fixture fixture;
    struct fixture_answer a; /* that opened the first session */
    struct fixture_answer b;
    size_t held_count; /* grants that were told, and not asked back */
    struct grant held[GRANTS_MAX];
} trial;

/* ---- A breach ------------------------------------------------------------ */

static void
must(bool truth, const char *what)
{
    const struct series *series = trial.series;
    char plan[160] = "an allocation fails";

    if (truth)
        return;
    if (series->fault == OF_STORE)
        (void)lossy_plan_text(&trial.sea.plan, plan, sizeof(plan));
    (void)fprintf(stderr, "%s, the %u-th%s, in life %d; in life %d: %s\n", plan,
                  trial.n, series->for_ever ? " and all that follow" : "",
                  series->life, trial.life, what);
    _exit(1);
}

static bool
is_in_store(uint64_t fence)
{
    char rows[2048];
    char grant[32];

    journals_rows(trial.look, rows, sizeof(rows));
    (void)snprintf(grant, sizeof(grant), " g%" PRIu64, fence);
    return strstr(rows, grant) != NULL;
}

static bool
is_grant(const struct fixture_answer *answer)
{
    return answer->status == 200 && answer->fence != 0;
}

static void
check_answer(void *ctx, const struct fixture_answer *answer)
{
    (void)ctx;
    if (is_grant(answer))
        must(is_in_store(answer->fence), "a grant is told before it is kept");
}

/* ---- Asking -------------------------------------------------------------- */

/* Who asks once hears something; who is patient asks until it is no 503. */
HF_PRINTF(4, 5)
static struct fixture_answer
ask(bool patient, const char *secret, const char *path, const char *format, ...)
{
    struct hf_instant end =
        hf_after(hf_now(), (struct hf_duration){PATIENCE_MS});
    struct fixture_answer answer;
    char body[512];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(body, sizeof(body), format, args);
    va_end(args);
    do {
        struct fixture_client *client;

        must(fixture_until_serving(&trial.fixture, patient ? PATIENCE_MS : 0) ||
                 !patient,
             "it does not serve");
        client = fixture_connect(&trial.fixture);
        fixture_ask(client, secret, path, body);
        must(fixture_until_answered(client, PATIENCE_MS), "no answer");
        answer = client->answer;
        fixture_disconnect(client);
    } while (patient && answer.status == 503 && !hf_reached(hf_now(), end));
    must(!patient || answer.status != 503, "it does nothing any more");
    return answer;
}

static void
keep_grant(const struct fixture_answer *answer, const char *name)
{
    struct grant *grant = &trial.held[trial.held_count];

    if (!is_grant(answer))
        return;
    (void)snprintf(grant->name, sizeof(grant->name), "%s", name);
    grant->fence = answer->fence;
    trial.held_count++;
}

static void
take(bool patient, const struct fixture_answer *of, int lane, const char *name)
{
    struct fixture_answer answer =
        ask(patient, of->secret, "/v1/acquire",
            "{\"session\":\"%s\",\"lane\":%d,\"n\":1,\"locks\":[\"%s\"]}",
            of->session, lane, name);

    keep_grant(&answer, name);
}

/* Of one who has no session. */
static struct fixture_answer
try_alone(bool patient, const char *name)
{
    return ask(patient, "", "/v1/acquire", "{\"locks\":[\"%s\"]}", name);
}

static struct fixture_answer
open_session(bool patient)
{
    return ask(patient, "", "/v1/sessions", "{\"ttl\":\"60s\"}");
}

/* ---- Lives --------------------------------------------------------------- */

static struct fixture_client *
wait_for(const struct fixture_answer *of, const char *name)
{
    struct fixture_client *waiter = fixture_connect(&trial.fixture);
    char body[256];

    (void)snprintf(body, sizeof(body),
                   "{\"session\":\"%s\",\"n\":1,\"wait\":\"15s\","
                   "\"locks\":[\"%s\"]}",
                   of->session, name);
    fixture_ask(waiter, of->secret, "/v1/acquire", body);
    return waiter;
}

static void
release(bool patient, const struct fixture_answer *of)
{
    if (trial.held_count > 0 && trial.held[0].name[0] == 'a')
        trial.held[0] = trial.held[--trial.held_count];
    (void)ask(patient, of->secret, "/v1/release",
              "{\"session\":\"%s\",\"lane\":1,\"n\":1}", of->session);
}

/* It grants, hands over, refuses, keeps alive. */
static void
live_first(bool patient)
{
    struct fixture_client *waiter;
    struct fixture_answer own;

    trial.a = open_session(patient);
    take(patient, &trial.a, 1, "a");
    take(patient, &trial.a, 2, "b");
    trial.b = open_session(patient);
    waiter = wait_for(&trial.b, "a");
    (void)ask(patient, "", "/v1/keep-alive",
              "{\"sessions\":[{\"session\":\"%s\",\"secret\":\"%s\"},"
              "{\"session\":\"%s\",\"secret\":\"%s\"}]}",
              trial.a.session, trial.a.secret, trial.b.session, trial.b.secret);
    release(patient, &trial.a);
    must(fixture_until_answered(waiter, PATIENCE_MS),
         "who waits has no answer");
    keep_grant(&waiter->answer, "a");
    fixture_disconnect(waiter);
    (void)try_alone(patient, "b");
    own = try_alone(patient, "c");
    keep_grant(&own, "c");
}

/* What was told is nobody else's. */
static void
live_second(bool patient)
{
    for (size_t i = 0; i < trial.held_count; i++) {
        struct fixture_answer answer = try_alone(patient, trial.held[i].name);

        must(!is_grant(&answer), "what is held is granted to another");
    }
}

static enum hf_status
open_journal(const struct hf_place *unused, const struct hf_alloc *alloc,
             struct hf_journal **journal, struct hf_error *error)
{
    struct hf_place where;

    (void)unused;
    if (trial.faulty && trial.series->fault == OF_STORE)
        return lossy_journal_open(&trial.sea, place, alloc, journal, error);
    must(hf_place_parse(place, &where, NULL) == HF_OK, "no place");
    return hf_journal_open(&where, alloc, journal, error);
}

static void
begin_faults(void)
{
    const struct series *series = trial.series;

    trial.faulty = true;
    if (series->fault == OF_MEMORY)
        heap_arm(&trial.heap, (int)trial.n,
                 series->for_ever ? HEAP_FOR_EVER : 1);
}

static void
end_faults(void)
{
    if (trial.faulty && trial.series->fault == OF_STORE)
        lossy_journal_end(&trial.sea);
    heap_disarm(&trial.heap);
    trial.faulty = false;
}

/* The faults are over. */
static void
go_on(void)
{
    struct fixture_answer later = open_session(true);

    must(later.status == 201, "no session is opened later");
    live_second(true);
    if (trial.life == 1)
        take(true, &later, 1, "later");
    must(trial.life != 1 ||
             strcmp(trial.held[trial.held_count - 1].name, "later") == 0,
         "nothing is granted later");
    hf_service_stop(trial.fixture.service);
    must(fixture_until_stopped(&trial.fixture, PATIENCE_MS),
         "it does not stop");
    for (size_t i = 0; i < trial.held_count; i++)
        must(is_in_store(trial.held[i].fence), "what was told is lost");
}

static void
live(int life)
{
    struct hf_error error = {.status = HF_OK};
    bool has_faults = life == trial.series->life;
    bool patient = !has_faults || !trial.series->for_ever;
    enum hf_status status;

    trial.life = life;
    if (has_faults)
        begin_faults();
    status = fixture_open(&trial.fixture, &trial.alloc, open_journal, LEADER_MS,
                          &error);
    must(status == error.status, "another status than its words");
    must(status == HF_OK || (has_faults && (status == HF_E_NOMEM ||
                                            status == HF_E_UNAVAILABLE)),
         error.text);
    if (status == HF_OK) {
        trial.fixture.heard = check_answer;
        if (!patient)
            (void)fixture_until_serving(&trial.fixture, CHANCE_MS);
        if (life == 1)
            live_first(patient);
        else
            live_second(patient);
    }
    end_faults();
    if (status == HF_OK)
        go_on();
    fixture_close(&trial.fixture);
    must(atomic_load(&trial.heap.outstanding) == 0, "memory is lost");
}

/* ---- Series -------------------------------------------------------------- */

/* False: it needed no more than n - 1. */
static bool
run_once(const struct series *series, unsigned n)
{
    struct lossy_plan plan = series->plan;
    bool fired;

    plan.at = n;
    plan.count = series->for_ever ? UINT32_MAX : 1;
    trial = (struct trial){.series = series, .n = n};
    trial.alloc = heap_alloc(&trial.heap);
    journals_make_place(place);
    trial.look = journals_open(place);
    lossy_journal_init(&trial.sea, place, &plan);
    live(1);
    live(2);
    fired = atomic_load(&trial.heap.fired) || trial.sea.losses > 0;
    lossy_journal_fini(&trial.sea);
    hf_journal_close(trial.look);
    journals_remove_place(place);
    return fired;
}

static void
run_series(const struct series *series)
{
    unsigned n = 1;
    char plan[160] = "allocations";

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    while (run_once(series, n))
        n++;
    if (series->fault == OF_STORE)
        (void)lossy_plan_text(&series->plan, plan, sizeof(plan));
    must(n > 3, "there was hardly anything to fail");
    print_message("    life %d, %s, %s: %u\n", series->life, plan,
                  series->for_ever ? "for ever" : "once", n - 1);
    (void)fflush(stdout);
    _exit(0);
}

static void
start_series(const struct series *series)
{
    pid_t pid;

    (void)fflush(stdout);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0)
        run_series(series);
}

/* In either life, once and for ever. */
static size_t
start_all(struct series series)
{
    for (int i = 0; i < 4; i++) {
        series.life = 1 + i / 2;
        series.for_ever = i % 2 != 0;
        start_series(&series);
    }
    return 4;
}

static void
await_series(size_t count)
{
    size_t bad = 0;

    for (size_t i = 0; i < count; i++) {
        int status;

        assert_true(wait(&status) > 0);
        bad += status != 0;
    }
    assert_int_equal(bad, 0);
}

static void
any_allocation_may_fail(void **state)
{
    (void)state;
    await_series(start_all((struct series){.fault = OF_MEMORY}));
}

static void
any_call_of_the_store_may_fail(void **state)
{
    static const struct lossy_plan plans[] = {
        {.how = LOSSY_APPLIED},     {.how = LOSSY_DROPPED},
        {.how = LOSSY_LATER},       {.how = LOSSY_LATER, .later = 1},
        {.how = LOSSY_UNAVAILABLE}, {.how = LOSSY_SLOW},
        {.how = LOSSY_BLIND},
    };
    size_t count = 0;

    (void)state;
    for (size_t i = 0; i < sizeof(plans) / sizeof(plans[0]); i++)
        count += start_all((struct series){OF_STORE, .plan = plans[i]});
    await_series(count);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_allocation_may_fail),
        cmocka_unit_test(any_call_of_the_store_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

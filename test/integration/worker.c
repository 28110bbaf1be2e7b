#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include <holdfast/holdfast.h>

#include "support/fault.h"
#include "support/ledger.h"

/*
 * torture_worker FOLDER COMPETITOR FIRST COUNT SEED TRY: a process of the
 * torture that uses libholdfast, and does its sections itself, one after
 * another, from FIRST on.  TRY tells it how often it has been begun, so that it
 * does not always die at the same place.  HF_TTL, HF_IF_DEAD and HF_SLOW are
 * the driver's, HOLDFAST_AT is the place.
 */

struct worker {
    struct hf_client *client;
    struct hf_acquire_options options;
    struct ledger ledger;
    uint64_t seed;
    uint32_t attempt;
    unsigned slow;
};

static int
fail(const struct worker *worker, const char *what,
     const struct hf_error *error)
{
    fprintf(stderr, "worker %u: section %u: %s: %s\n",
            worker->ledger.competitor, worker->ledger.seq, what, error->text);
    return 70;
}

static struct hf_cancel *patience; /* of the clear at work */

static void
on_alarm(int signal)
{
    (void)signal;
    hf_cancel(patience);
}

/*
 * A refuse holder is gone: clear it, as a person would who looks no longer
 * than half a ttl, and so clears nobody who is only suspected.
 */
static int
clear(struct worker *worker)
{
    int64_t half_ms = worker->options.ttl.ms / 2;
    struct itimerval ring = {
        .it_value = {half_ms / 1000, half_ms % 1000 * 1000},
    };
    struct itimerval silence = {{0, 0}, {0, 0}};
    struct hf_clear_options options = {.reason = "torture"};
    struct hf_error error = {0};
    struct hf_cleared cleared;
    enum hf_status status;

    if (hf_cancel_open(&patience) != HF_OK)
        return 70;
    (void)sigaction(SIGALRM, &(struct sigaction){.sa_handler = on_alarm}, NULL);
    (void)setitimer(ITIMER_REAL, &ring, NULL);
    options.cancel = patience;
    status = hf_clear(worker->client, "torture", &options, &cleared, &error);
    (void)setitimer(ITIMER_REAL, &silence, NULL);
    hf_cancel_close(patience);
    if (status == HF_OK || status == HF_E_CANCELLED)
        return 0;
    return fail(worker, "clear", &error);
}

/* Stopped past the ttl; the first question to the lock must tell. */
static void
freeze(struct worker *worker, const struct hf_lock *lock)
{
    const pid_t pids[] = {getpid(), 0, 0};
    enum hf_outcome held;

    ledger_note(&worker->ledger, LEDGER_FROZEN);
    ledger_tell(&worker->ledger, LEDGER_STOPPING, pids);
    (void)raise(SIGSTOP);
    held = hf_check(lock);
    if (worker->options.if_dead == HF_TAKEOVER && held != HF_LOST)
        ledger_note(&worker->ledger, LEDGER_MISLED);
}

/* Under the lock; true when its write is in the vault. */
static bool
work(struct worker *worker, const struct hf_lock *lock, enum fault fault)
{
    struct ledger *ledger = &worker->ledger;

    ledger->fence = hf_fence(lock);
    ledger_note(ledger, LEDGER_ENTER);
    if (!ledger_read(ledger))
        return false;
    if (fault == FAULT_KILL_HOLDFAST || fault == FAULT_KILL_GUARD ||
        fault == FAULT_KILL_COMMAND)
        (void)raise(SIGKILL);
    if (fault == FAULT_FREEZE)
        freeze(worker, lock);
    ledger_note(ledger, LEDGER_TICK);
    if (!ledger_write(ledger))
        return false;
    ledger_note(ledger, LEDGER_EXIT);
    return true;
}

static int
do_section(struct worker *worker)
{
    struct hf_error error = {0};
    bool done = false;

    while (!done) {
        uint64_t random = fault_random(worker->seed, worker->ledger.competitor,
                                       worker->ledger.seq, worker->attempt++);
        struct hf_acquired acquired;
        int failed = 0;

        if (hf_acquire(worker->client, "torture", &worker->options, &acquired,
                       &error) != HF_OK)
            return fail(worker, "acquire", &error);
        if (acquired.outcome == HF_GONE)
            failed = clear(worker);
        if (failed != 0)
            return failed;
        if (acquired.outcome != HF_GRANTED)
            continue;
        done = work(worker, acquired.lock, fault_draw(random, worker->slow));
        if (hf_release(acquired.lock, NULL, &error) != HF_OK)
            return fail(worker, "release", &error);
    }
    ledger_tell(&worker->ledger, LEDGER_DONE, NULL);
    return 0;
}

int
main(int argc, char **argv)
{
    struct worker worker = {.options = {.limit = HF_FOREVER}};
    const char *ttl = getenv("HF_TTL");
    const char *if_dead = getenv("HF_IF_DEAD");
    const char *slow = getenv("HF_SLOW");
    struct hf_error error = {0};
    unsigned long count;
    int failed = 0;

    if (argc != 7 || ttl == NULL || if_dead == NULL || slow == NULL ||
        !ledger_open(&worker.ledger, argv[1]) ||
        hf_duration_parse(ttl, &worker.options.ttl, &error) != HF_OK)
        return 64;
    worker.options.if_dead =
        strcmp(if_dead, "refuse") == 0 ? HF_REFUSE : HF_TAKEOVER;
    worker.ledger.competitor = (uint32_t)strtoul(argv[2], NULL, 10);
    worker.ledger.seq = (uint32_t)strtoul(argv[3], NULL, 10);
    worker.slow = (unsigned)strtoul(slow, NULL, 10);
    count = strtoul(argv[4], NULL, 10);
    worker.seed = strtoull(argv[5], NULL, 10);
    worker.attempt = (uint32_t)strtoul(argv[6], NULL, 10) * 1000;
    if (hf_open(NULL, NULL, &worker.client, &error) != HF_OK)
        return fail(&worker, "open", &error);
    for (; failed == 0 && count > 0; count--) {
        failed = do_section(&worker);
        worker.ledger.seq++;
    }
    hf_close(worker.client);
    return failed;
}

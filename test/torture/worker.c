#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/check.h"
#include "fault.h"
#include "ledger.h"
#include "support/locks.h"
#include "witness.h"

/*
 * torture_worker FOLDER COMPETITOR FIRST COUNT SEED TRY: a process of the
 * torture that uses libholdfast, and does its sections itself, one after
 * another, from FIRST on.  TRY tells it how often it has been begun, so that it
 * does not always die at the same place.  HF_TTL, HF_IF_DEAD and HF_SLOW are
 * the driver's, HOLDFAST_AT is the place.
 */

struct worker {
    struct hf_client *client;
    const char *ttl;
    const char *if_dead;
    struct ledger ledger;
    struct witness witness;
    uint64_t seed;
    uint32_t attempt;
    unsigned slow;
};

/* The place's server is killed, too, and is back in a moment. */
static struct hf_client *
open_patiently(void)
{
    struct hf_client *client = NULL;
    struct hf_error error = {0};

    HF_CHECK(hf_client_new(NULL, &client, &error) == HF_OK);
    while (hf_client_open(client, NULL, &error) != HF_OK) {
        HF_CHECK(error.status == HF_E_UNAVAILABLE &&
                 getenv("HF_PLACE") != NULL);
        poll(NULL, 0, 20);
    }
    return client;
}

static int
fail(const struct worker *worker, const char *what,
     const struct hf_error *error)
{
    fprintf(stderr, "worker %u: section %u: %s: %s\n",
            worker->ledger.competitor, worker->ledger.seq, what, error->text);
    return 70;
}

static struct hf_query *volatile clearing; /* the clear at work */

static void
on_alarm(int signal)
{
    (void)signal;
    hf_query_cancel(clearing);
}

/*
 * A refuse holder is gone: clear it, as a person would who looks no longer
 * than half a ttl, and so clears nobody who is only suspected.
 */
static int
clear_gone(const struct worker *worker)
{
    struct hf_duration ttl = {0};
    struct itimerval ring = {0};
    struct itimerval silence = {0};
    struct hf_error error = {0};
    enum hf_status status = hf_duration_parse(worker->ttl, &ttl, &error);

    if (status != HF_OK)
        return fail(worker, "ttl", &error);
    ring.it_value.tv_sec = ttl.ms / 2 / 1000;
    ring.it_value.tv_usec = ttl.ms / 2 % 1000 * 1000;
    clearing = new_query(worker->client, HF_CLEAR, HF_NAME, "torture",
                         HF_REASON, "torture", NULL);
    (void)sigaction(SIGALRM, &(struct sigaction){.sa_handler = on_alarm}, NULL);
    (void)setitimer(ITIMER_REAL, &ring, NULL);
    (void)ask(clearing);
    (void)setitimer(ITIMER_REAL, &silence, NULL);
    status = hf_query_error(clearing, &error);
    hf_query_free(clearing);
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
    held = hf_lock_check(lock);
    if (strcmp(worker->if_dead, "takeover") == 0 && held != HF_LOST)
        ledger_note(&worker->ledger, LEDGER_MISLED);
}

/* Under the lock; true when its write is in the vault. */
static bool
work(struct worker *worker, const struct hf_lock *lock, enum fault fault)
{
    struct ledger *ledger = &worker->ledger;

    ledger->fence = hf_lock_fence(lock);
    witness_granted(&worker->witness, ledger->fence, hf_lock_right_ms(lock));
    ledger_note(ledger, LEDGER_ENTER);
    if (!ledger_read(ledger))
        return false;
    if (fault == FAULT_KILL_HOLDFAST || fault == FAULT_KILL_GUARD ||
        fault == FAULT_KILL_COMMAND) {
        witness_end(&worker->witness);
        (void)raise(SIGKILL);
    }
    if (fault == FAULT_FREEZE)
        freeze(worker, lock);
    ledger_note(ledger, LEDGER_TICK);
    if (!ledger_write(ledger))
        return false;
    ledger_note(ledger, LEDGER_EXIT);
    return true;
}

/* One try; true: the section is done. */
static bool
try_section(struct worker *worker, int *failed)
{
    uint64_t random = fault_random(worker->seed, worker->ledger.competitor,
                                   worker->ledger.seq, worker->attempt++);
    struct hf_error error = {0};
    struct hf_lock *lock;
    bool done = false;

    worker->witness.n++;
    witness_ask(&worker->witness);
    lock = acquire(worker->client, "torture", HF_WAIT, "forever", HF_TTL,
                   worker->ttl, HF_IF_DEAD, worker->if_dead, NULL);
    if (hf_lock_error(lock, &error) != HF_OK)
        *failed = fail(worker, "acquire", &error);
    else if (hf_lock_check(lock) == HF_GONE)
        *failed = clear_gone(worker);
    else if (hf_lock_fence(lock) != 0)
        done = work(worker, lock, fault_draw(random, worker->slow));
    witness_release(&worker->witness);
    if (give_back(lock) == HF_OK)
        witness_over(&worker->witness);
    else if (*failed == 0)
        *failed = fail(worker, "release", &error);
    return done;
}

static int
do_section(struct worker *worker)
{
    int failed = 0;

    while (failed == 0 && !try_section(worker, &failed))
        continue;
    if (failed == 0)
        ledger_tell(&worker->ledger, LEDGER_DONE, NULL);
    return failed;
}

int
main(int argc, char **argv)
{
    struct worker worker = {
        .ttl = getenv("HF_TTL"),
        .if_dead = getenv("HF_IF_DEAD"),
    };
    const char *slow = getenv("HF_SLOW");
    unsigned long count;
    int failed = 0;

    if (argc != 7 || worker.ttl == NULL || worker.if_dead == NULL ||
        slow == NULL || !ledger_open(&worker.ledger, argv[1]))
        return 64;
    worker.ledger.competitor = (uint32_t)strtoul(argv[2], NULL, 10);
    worker.ledger.seq = (uint32_t)strtoul(argv[3], NULL, 10);
    worker.slow = (unsigned)strtoul(slow, NULL, 10);
    count = strtoul(argv[4], NULL, 10);
    worker.seed = strtoull(argv[5], NULL, 10);
    worker.attempt = (uint32_t)strtoul(argv[6], NULL, 10) * 1000;
    witness_be(&worker.witness, worker.ledger.competitor,
               (uint32_t)strtoul(argv[6], NULL, 10));
    witness_open(&worker.witness, worker.witness.session);
    worker.client = open_patiently();
    for (; failed == 0 && count > 0; count--) {
        failed = do_section(&worker);
        worker.ledger.seq++;
    }
    close_client(worker.client);
    return failed;
}

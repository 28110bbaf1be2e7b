#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "fault.h"
#include "ledger.h"
#include "support/processes.h"
#include "witness.h"

/*
 * torture_section FOLDER COMPETITOR SEQ FAULT TRY: the command that `holdfast
 * run` runs in the torture: one section, and in its middle, perhaps, a fault.
 * TRY tells it how often its competitor has been begun.
 *
 * Exit: 0, its write is in the vault; 3, its fence was refused; 4, it was not
 * killed and should have been.
 */

#define KILLED_WITHIN_MS 20000

static struct witness witness; /* of this process */

/* Work on until somebody ends us, as it must be. */
static int
work_until_killed(const struct ledger *ledger)
{
    struct hf_instant until =
        hf_after(hf_now(), (struct hf_duration){KILLED_WITHIN_MS});

    while (!hf_reached(hf_now(), until)) {
        ledger_note(ledger, LEDGER_TICK);
        witness_works(&witness);
        poll(NULL, 0, 2);
    }
    ledger_note(ledger, LEDGER_SURVIVED);
    return 4;
}

/* Stop all three: nobody beats, nobody looks at the clock.  When we go on, our
 * right may be over, and others may have held the lock. */
static void
freeze(const struct ledger *ledger, pid_t guard, pid_t holdfast)
{
    const pid_t pids[] = {getpid(), guard, holdfast};

    ledger_note(ledger, LEDGER_FROZEN);
    history_log_close(&witness.log); /* nothing is certain of it any more */
    (void)kill(holdfast, SIGSTOP);
    (void)kill(guard, SIGSTOP);
    ledger_tell(ledger, LEDGER_STOPPING, pids);
    (void)raise(SIGSTOP);
}

static int
finish(struct ledger *ledger)
{
    if (!ledger_write(ledger))
        return 3;
    ledger_note(ledger, LEDGER_EXIT);
    ledger_tell(ledger, LEDGER_DONE, NULL);
    return 0;
}

static int
work(struct ledger *ledger, enum fault fault)
{
    pid_t guard = getppid();
    pid_t holdfast = processes_parent(guard);

    ledger_note(ledger, LEDGER_ENTER);
    witness_granted(&witness, ledger->fence, hf_now().ms);
    if (!ledger_read(ledger))
        return 3;
    switch (fault) {
    case FAULT_KILL_HOLDFAST_DEAF:
        (void)sigaction(SIGTERM, &(struct sigaction){.sa_handler = SIG_IGN},
                        NULL);
        (void)kill(holdfast, SIGKILL);
        return work_until_killed(ledger);
    case FAULT_KILL_HOLDFAST:
        (void)kill(holdfast, SIGKILL);
        return work_until_killed(ledger);
    case FAULT_KILL_GUARD:
        (void)kill(guard, SIGKILL);
        return work_until_killed(ledger);
    case FAULT_KILL_COMMAND:
        return raise(SIGKILL);
    case FAULT_FREEZE:
        freeze(ledger, guard, holdfast);
        break;
    case FAULT_NONE:
    case FAULT_STRIKE_HOLDFAST:
    case FAULT_STRIKE_GUARD:
    case FAULT_STRIKE_COMMAND:
    case FAULTS:
        ledger_note(ledger, LEDGER_TICK);
        witness_works(&witness);
        break;
    }
    if (finish(ledger) == 0)
        return 0;
    /* The driver lets guard and holdfast go on now: they must end us. */
    ledger_tell(ledger, LEDGER_THAWED, NULL);
    return fault == FAULT_FREEZE ? work_until_killed(ledger) : 3;
}

int
main(int argc, char **argv)
{
    struct ledger ledger;
    const char *fence = getenv("HOLDFAST_FENCE");

    if (argc != 6 || fence == NULL || !ledger_open(&ledger, argv[1]))
        return 64;
    ledger.fence = strtoull(fence, NULL, 10);
    ledger.competitor = (uint32_t)strtoul(argv[2], NULL, 10);
    ledger.seq = (uint32_t)strtoul(argv[3], NULL, 10);
    witness_be(&witness, ledger.competitor,
               (uint32_t)strtoul(argv[5], NULL, 10));
    witness_open(&witness, witness.session);
    return work(&ledger, fault_of_word(argv[4]));
}

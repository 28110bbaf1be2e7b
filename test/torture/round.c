#include "round.h"

#include <inttypes.h>
#include <stdio.h>

#include "support/actors.h"
#include "support/folder.h"
#include "support/processes.h"

static void
name_output(const struct round *round, const struct driver *driver, char *path,
            size_t size)
{
    snprintf(path, size, "%s/round-%" PRIu32, driver->folder, round->number);
}

void
round_start(struct round *round, const struct driver *driver,
            const struct space *space, bool untrue)
{
    const struct round_plan *plan = &round->plan;
    char lock[16];
    char number[16];
    char habit[16];
    char life[16];
    char output[FOLDER_SIZE + 32];
    char preload[FOLDER_SIZE + 256];
    char count[FOLDER_SIZE + 32];
    const char *argv[] = {driver->holdfast,
                          "run",
                          "--ttl",
                          "2s",
                          "--beat",
                          "200ms",
                          "--grace",
                          "300ms",
                          "-w",
                          "120s",
                          lock,
                          "--",
                          driver->command,
                          driver->folder,
                          lock + 5,
                          number,
                          habit,
                          plan->deaf ? "1" : "0",
                          life,
                          NULL};
    const char *assign[] = {preload, count, "HF_SYNC_FAIL=3", NULL};

    snprintf(lock, sizeof(lock), "lock-%u", plan->lock);
    snprintf(number, sizeof(number), "%" PRIu32, round->number);
    snprintf(habit, sizeof(habit), "%d", (int)plan->habit);
    snprintf(life, sizeof(life), "%u", plan->life_ms);
    name_output(round, driver, output, sizeof(output));
    snprintf(preload, sizeof(preload), "LD_PRELOAD=%s", driver->other);
    snprintf(count, sizeof(count), "HF_SYNC_COUNT=%s/syncs", driver->folder);
    if (space->inner >= 0)
        space_choose(space, round->inner);
    round->victims.holdfast = processes_start(&(struct processes_start){
        .argv = argv, .assign = untrue ? assign : NULL, .output = output});
    round->strike_at = ROUND_NEVER;
    round->struck_at = ROUND_NEVER;
    round->ended_at = ROUND_NEVER;
    round->began_at = actors_now_us();
    round_reaches(round, ROUND_AT_ANY);
}

void
round_reaches(struct round *round, enum round_moment moment)
{
    if (round->plan.moment == moment)
        round->strike_at = actors_now_us() + round->plan.delay_us;
}

bool
round_strike(struct round *round)
{
    round->strike_at = ROUND_NEVER;
    if (round->plan.moment != ROUND_AT_END) /* then it has been done */
        victims_look(&round->victims);
    round->struck = victims_kill(&round->victims, round->plan.victim);
    if (round->struck != 0)
        round->struck_at = actors_now_us();
    return round->struck != 0;
}

void
round_end(struct round *round, int code)
{
    round->victims.holdfast = 0;
    round->strike_at = ROUND_NEVER;
    round->ended_at = actors_now_us();
    round->code = code;
}

static double
seconds(int64_t at, int64_t zero)
{
    return (double)(at - zero) / 1e6;
}

void
round_print(const struct round *round, const struct driver *driver,
            int64_t zero)
{
    char plan[200];
    char output[FOLDER_SIZE + 32];

    round_plan_text(&round->plan, plan, sizeof(plan));
    printf("    round %" PRIu32 "%s: %s\n        began at %.3f s, fence "
           "%" PRIu64,
           round->number, round->inner ? ", inner" : "", plan,
           seconds(round->began_at, zero), round->fence);
    if (round->struck != 0)
        printf(", killed %d at %.3f s", (int)round->struck,
               seconds(round->struck_at, zero));
    if (round->ended_at != ROUND_NEVER)
        printf(", ended with %d at %.3f s", round->code,
               seconds(round->ended_at, zero));
    printf("\n");
    name_output(round, driver, output, sizeof(output));
    folder_print(output, "        | ");
}

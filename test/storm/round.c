#include "round.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>

#include "support/actors.h"
#include "support/folder.h"
#include "support/processes.h"
#include "tree.h"

static void
name_output(const struct round *round, const struct round_terms *terms,
            char *path, size_t size)
{
    snprintf(path, size, "%s/round-%" PRIu32, terms->folder, round->number);
}

void
round_start(struct round *round, const struct round_terms *terms,
            const struct space *space)
{
    const struct storm_plan *plan = &round->plan;
    char lock[16];
    char number[16];
    char habit[16];
    char life[16];
    char output[FOLDER_SIZE + 32];
    char preload[FOLDER_SIZE + 256];
    char count[FOLDER_SIZE + 32];
    const char *argv[] = {terms->holdfast,
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
                          terms->command,
                          terms->folder,
                          lock + 5,
                          number,
                          habit,
                          plan->deaf ? "1" : "0",
                          life,
                          NULL};
    const char *assign[] = {preload, count, "HF_SYNC_FAIL=3", NULL};
    bool untrue = terms->shim != NULL;

    snprintf(lock, sizeof(lock), "lock-%u", plan->lock);
    snprintf(number, sizeof(number), "%" PRIu32, round->number);
    snprintf(habit, sizeof(habit), "%d", (int)plan->habit);
    snprintf(life, sizeof(life), "%u", plan->life_ms);
    name_output(round, terms, output, sizeof(output));
    snprintf(preload, sizeof(preload), "LD_PRELOAD=%s", terms->shim);
    snprintf(count, sizeof(count), "HF_SYNC_COUNT=%s/syncs", terms->folder);
    if (space->inner >= 0)
        space_choose(space, round->inner);
    round->pid = processes_start(&(struct processes_start){
        .argv = argv, .assign = untrue ? assign : NULL, .output = output});
    round->strike_at = ROUND_NEVER;
    round->struck_at = ROUND_NEVER;
    round->ended_at = ROUND_NEVER;
    round->began_at = actors_now_us();
    round_reaches(round, STORM_AT_ANY);
}

void
round_reaches(struct round *round, enum storm_moment moment)
{
    if (round->plan.moment == moment)
        round->strike_at = actors_now_us() + round->plan.delay_us;
}

void
round_look(struct round *round)
{
    struct tree tree;
    const struct tree_process *found;

    tree_look(&tree);
    found = tree_child(&tree, round->pid, "holdfast-guard");
    round->guard = found == NULL ? 0 : found->pid;
    found = found == NULL ? NULL : tree_child(&tree, found->pid, NULL);
    round->command = found == NULL ? 0 : found->pid;
    tree_close(&tree);
}

bool
round_strike(struct round *round)
{
    pid_t victim = 0;
    bool hit = false;

    round->strike_at = ROUND_NEVER;
    if (round->plan.moment != STORM_AT_END) /* then it has been done */
        round_look(round);
    switch (round->plan.victim) {
    case STORM_HOLDFAST:
        victim = round->pid;
        hit = kill(victim, SIGKILL) == 0; /* ours to reap */
        break;
    case STORM_GUARD:
        victim = round->guard;
        hit = processes_signal_child(victim, round->pid, SIGKILL);
        break;
    case STORM_COMMAND:
        victim = round->command;
        hit = processes_signal_child(victim, round->guard, SIGKILL);
        break;
    case STORM_VICTIMS:
        break;
    }
    if (hit) {
        round->struck = victim;
        round->struck_at = actors_now_us();
    }
    return hit;
}

void
round_end(struct round *round, int code)
{
    round->pid = 0;
    round->strike_at = ROUND_NEVER;
    round->ended_at = actors_now_us();
    round->code = code;
}

static void
print_output(const struct round *round, const struct round_terms *terms)
{
    char path[FOLDER_SIZE + 32];
    char line[512];
    FILE *file;

    name_output(round, terms, path, sizeof(path));
    file = fopen(path, "re");
    while (file != NULL && fgets(line, sizeof(line), file) != NULL)
        printf("        | %s", line);
    if (file != NULL)
        fclose(file);
}

static double
seconds(int64_t at, int64_t zero)
{
    return (double)(at - zero) / 1e6;
}

void
round_print(const struct round *round, const struct round_terms *terms,
            int64_t zero)
{
    char plan[200];

    storm_plan_text(&round->plan, plan, sizeof(plan));
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
    print_output(round, terms);
}

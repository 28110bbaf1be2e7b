#include "lane.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>

#include "herd.h"

#define PATH_SIZE 512

static void
output_path(const struct lane_terms *terms, const struct lane *lane, char *path)
{
    snprintf(path, PATH_SIZE, "%s/output-%u", terms->folder, lane->number);
}

static void
start(const struct lane_terms *terms, struct lane *lane,
      const char *const *argv)
{
    char output[PATH_SIZE];

    output_path(terms, lane, output);
    lane->begun++;
    lane->pid = herd_start(&(struct herd_start){
        .argv = argv,
        .assign = lane->clock,
        .output = output,
    });
}

static void
start_worker(const struct lane_terms *terms, struct lane *lane)
{
    char number[16];
    char first[16];
    char count[16];
    char seed[24];
    char begun[16];
    const char *argv[] = {terms->worker, terms->folder, number, first,
                          count,         seed,          begun,  NULL};

    snprintf(number, sizeof(number), "%u", lane->number);
    snprintf(first, sizeof(first), "%u", lane->seq);
    snprintf(count, sizeof(count), "%u", terms->sections - lane->seq);
    snprintf(seed, sizeof(seed), "%" PRIu64, terms->seed);
    snprintf(begun, sizeof(begun), "%u", lane->begun);
    start(terms, lane, argv);
}

static void
start_run(const struct lane_terms *terms, struct lane *lane)
{
    char ttl[24];
    char number[16];
    char seq[16];
    const char *argv[] = {terms->holdfast,
                          "run",
                          "--json",
                          "-w",
                          "forever",
                          "--if-dead",
                          hf_if_dead_word(terms->if_dead),
                          "--ttl",
                          ttl,
                          "torture",
                          "--",
                          terms->section,
                          terms->folder,
                          number,
                          seq,
                          deed_word(lane->deed),
                          NULL};

    snprintf(ttl, sizeof(ttl), "%" PRId64 "ms", terms->ttl.ms);
    snprintf(number, sizeof(number), "%u", lane->number);
    snprintf(seq, sizeof(seq), "%u", lane->seq);
    start(terms, lane, argv);
}

void
lane_start(const struct lane_terms *terms, struct lane *lane)
{
    uint64_t random =
        deed_random(terms->seed, lane->number, lane->seq, lane->attempt++);

    lane->clearing = false;
    lane->frost = LANE_RUNS;
    lane->strike_at = HF_NEVER;
    lane->deed = deed_draw(random, terms->slow);
    if (lane->deed == DEED_STRIKE_HOLDFAST || lane->deed == DEED_STRIKE_GUARD ||
        lane->deed == DEED_STRIKE_COMMAND)
        lane->strike_at =
            hf_after(hf_now(), (struct hf_duration){deed_strike_ms(random)});
    if (lane->library)
        start_worker(terms, lane);
    else
        start_run(terms, lane);
}

void
lane_clear(const struct lane_terms *terms, struct lane *lane)
{
    const char *argv[] = {terms->holdfast, "clear",   "torture",
                          "--reason",      "torture", NULL};

    lane->clearing = true;
    lane->strike_at =
        hf_after(hf_now(), (struct hf_duration){terms->ttl.ms / 2});
    start(terms, lane, argv);
}

bool
lane_strike(struct lane *lane)
{
    pid_t guard;
    pid_t command;

    lane->strike_at = HF_NEVER;
    if (lane->pid == 0)
        return false;
    if (lane->clearing) {
        (void)kill(lane->pid, SIGTERM);
        return false;
    }
    if (lane->library || lane->deed == DEED_STRIKE_HOLDFAST)
        return kill(lane->pid, SIGKILL) == 0; /* ours, and not yet reaped */

    /* By name: at its end a leak checker is a child of holdfast, too. */
    guard = herd_child(lane->pid, "holdfast-guard");
    if (lane->deed == DEED_STRIKE_GUARD)
        return herd_signal_child(guard, lane->pid, SIGKILL);
    command = guard == 0 ? 0 : herd_child(guard, NULL);
    return herd_signal_child(command, guard, SIGKILL);
}

void
lane_freeze(struct lane *lane, const int32_t *pids, uint64_t fence)
{
    lane->frost = LANE_FREEZES;
    lane->frozen_fence = fence;
    for (int i = 0; i < 3; i++)
        lane->pids[i] = pids[i];
}

/* To continue one that has yet to stop would leave it stopped for ever. */
void
lane_look_frozen(struct lane *lane)
{
    if (lane->frost != LANE_FREEZES)
        return;
    for (int i = 0; i < 3; i++)
        if (lane->pids[i] != 0 && !herd_stopped(lane->pids[i]))
            return;
    lane->frost = LANE_FROZEN;
    lane->frozen_at = hf_now();
}

void
lane_thaw_command(struct lane *lane)
{
    if (lane->frost != LANE_FROZEN)
        return;
    (void)kill(lane->pids[0], SIGCONT);
    lane->frost = lane->library ? LANE_RUNS : LANE_THAWS;
}

void
lane_thaw_rest(struct lane *lane)
{
    if (lane->frost != LANE_THAWS)
        return;
    (void)kill(lane->pids[1], SIGCONT);
    (void)kill(lane->pids[2], SIGCONT);
    lane->frost = LANE_RUNS;
}

void
lane_show_output(const struct lane_terms *terms, const struct lane *lane)
{
    char path[PATH_SIZE];
    char line[1024];
    FILE *in;

    output_path(terms, lane, path);
    in = fopen(path, "r");
    while (in != NULL && fgets(line, sizeof(line), in) != NULL)
        printf("  lane %u: %s", lane->number, line);
    if (in != NULL)
        fclose(in);
}

#include "competitor.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>

#include "support/folder.h"
#include "support/processes.h"
#include "victims.h"

#define PATH_SIZE 512

static void
output_path(const struct competitor_terms *terms,
            const struct competitor *competitor, char *path)
{
    snprintf(path, PATH_SIZE, "%s/output-%u", terms->folder,
             competitor->number);
}

static void
start(const struct competitor_terms *terms, struct competitor *competitor,
      const char *const *argv)
{
    char output[PATH_SIZE];

    output_path(terms, competitor, output);
    competitor->begun++;
    competitor->pid = processes_start(&(struct processes_start){
        .argv = argv,
        .assign = competitor->clock,
        .output = output,
    });
}

static void
start_worker(const struct competitor_terms *terms,
             struct competitor *competitor)
{
    char number[16];
    char first[16];
    char count[16];
    char seed[24];
    char begun[16];
    const char *argv[] = {terms->worker, terms->folder, number, first,
                          count,         seed,          begun,  NULL};

    snprintf(number, sizeof(number), "%u", competitor->number);
    snprintf(first, sizeof(first), "%u", competitor->seq);
    snprintf(count, sizeof(count), "%u", terms->sections - competitor->seq);
    snprintf(seed, sizeof(seed), "%" PRIu64, terms->seed);
    snprintf(begun, sizeof(begun), "%u", competitor->begun);
    start(terms, competitor, argv);
}

static void
start_run(const struct competitor_terms *terms, struct competitor *competitor)
{
    char ttl[24];
    char number[16];
    char seq[16];
    char begun[16];
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
                          fault_word(competitor->fault),
                          begun,
                          NULL};

    snprintf(ttl, sizeof(ttl), "%" PRId64 "ms", terms->ttl.ms);
    snprintf(number, sizeof(number), "%u", competitor->number);
    snprintf(seq, sizeof(seq), "%u", competitor->seq);
    snprintf(begun, sizeof(begun), "%u", competitor->begun);
    witness_be(terms->witness, competitor->number, competitor->begun);
    witness_ask(terms->witness);
    start(terms, competitor, argv);
}

void
competitor_start(const struct competitor_terms *terms,
                 struct competitor *competitor)
{
    uint64_t random = fault_random(terms->seed, competitor->number,
                                   competitor->seq, competitor->attempt++);

    competitor->clearing = false;
    competitor->frost = COMPETITOR_RUNS;
    competitor->strike_at = HF_NEVER;
    competitor->fault = fault_draw(random, terms->slow);
    if (competitor->fault == FAULT_STRIKE_HOLDFAST ||
        competitor->fault == FAULT_STRIKE_GUARD ||
        competitor->fault == FAULT_STRIKE_COMMAND)
        competitor->strike_at =
            hf_after(hf_now(), (struct hf_duration){fault_strike_ms(random)});
    if (competitor->library)
        start_worker(terms, competitor);
    else
        start_run(terms, competitor);
}

void
competitor_clear(const struct competitor_terms *terms,
                 struct competitor *competitor)
{
    const char *argv[] = {terms->holdfast, "clear",   "torture",
                          "--reason",      "torture", NULL};

    competitor->clearing = true;
    competitor->strike_at =
        hf_after(hf_now(), (struct hf_duration){terms->ttl.ms / 2});
    start(terms, competitor, argv);
}

static enum victim
victim_of(const struct competitor *competitor)
{
    if (competitor->library)
        return VICTIM_HOLDFAST;
    return (enum victim)(competitor->fault - FAULT_STRIKE_HOLDFAST);
}

bool
competitor_strike(const struct competitor_terms *terms,
                  struct competitor *competitor)
{
    struct victims victims = {.holdfast = competitor->pid};

    competitor->strike_at = HF_NEVER;
    if (competitor->pid == 0)
        return false;
    if (competitor->clearing) {
        (void)kill(competitor->pid, SIGTERM);
        return false;
    }
    if (victim_of(competitor) == VICTIM_HOLDFAST) {
        /* Those that wait will see that it is gone. */
        witness_be(terms->witness, competitor->number, competitor->begun - 1);
        witness_end(terms->witness);
    } else {
        victims_look(&victims);
    }
    return victims_kill(&victims, victim_of(competitor)) != 0;
}

void
competitor_freeze(struct competitor *competitor, const int32_t *pids,
                  uint64_t fence)
{
    competitor->frost = COMPETITOR_FREEZES;
    competitor->frozen_fence = fence;
    for (int i = 0; i < 3; i++)
        competitor->pids[i] = pids[i];
}

/* To continue one that has yet to stop would leave it stopped for ever. */
void
competitor_look_frozen(struct competitor *competitor)
{
    if (competitor->frost != COMPETITOR_FREEZES)
        return;
    for (int i = 0; i < 3; i++)
        if (competitor->pids[i] != 0 && !processes_stopped(competitor->pids[i]))
            return;
    competitor->frost = COMPETITOR_FROZEN;
    competitor->frozen_at = hf_now();
}

void
competitor_thaw_command(struct competitor *competitor)
{
    if (competitor->frost != COMPETITOR_FROZEN)
        return;
    (void)kill(competitor->pids[0], SIGCONT);
    competitor->frost =
        competitor->library ? COMPETITOR_RUNS : COMPETITOR_THAWS;
}

void
competitor_thaw_rest(struct competitor *competitor)
{
    if (competitor->frost != COMPETITOR_THAWS)
        return;
    (void)kill(competitor->pids[1], SIGCONT);
    (void)kill(competitor->pids[2], SIGCONT);
    competitor->frost = COMPETITOR_RUNS;
}

void
competitor_show_output(const struct competitor_terms *terms,
                       const struct competitor *competitor)
{
    char path[PATH_SIZE];
    char prefix[32];

    output_path(terms, competitor, path);
    snprintf(prefix, sizeof(prefix), "  competitor %u: ", competitor->number);
    folder_print(path, prefix);
}

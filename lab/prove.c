#include "prove.h"

#include <string.h>

#include "base/check.h"
#include "options.h"
#include "world/reduction.h"

/* What to exit with.  A search that the user ended has not said anything. */
static int
judge(const struct world_config *config, const struct lab_report *report,
      const struct lab_limits *limits)
{
    if (report->verdict == LAB_BOUNDED && lab_is_stopped(limits))
        return EXIT_INTERRUPTED;
    if (config->expect == NULL)
        return report->verdict == LAB_VIOLATED ? EXIT_FINDING : 0;
    if (report->verdict == LAB_VIOLATED &&
        strcmp(report->violated, config->expect) == 0)
        return 0;
    return EXIT_FINDING;
}

/* What became of the schedule of a violation. */
enum schedule { SHORTEST, PERHAPS_LONGER, NOT_FOUND };

static bool
find_again(const struct lab_system *system, const struct lab_limits *limits,
           struct lab_report *report)
{
    struct lab_report again;

    if (!lab_explore(system, limits, &again))
        return false;
    HF_CHECK(again.verdict != LAB_PROVED);
    if (again.verdict != LAB_VIOLATED)
        return false;
    lab_report_fini(report);
    *report = again;
    return true;
}

/* A schedule is told of workers with names, in as few steps as it takes: so
 * what was found among workers that are alike, or while orders were left out,
 * is found once more without either.  Where that is cut short, by a limit or by
 * the user, the promise is broken all the same. */
static enum schedule
find_schedule(struct world_config *config, const struct lab_limits *limits,
              struct lab_report *report)
{
    bool alike = config->symmetric;
    struct lab_system full;
    struct lab_system reduced;

    config->symmetric = false;
    full = model_system(config);
    reduced = model_reduced_system(config);
    if (find_again(&full, limits, report))
        return SHORTEST;
    if (!alike || find_again(&reduced, limits, report))
        return PERHAPS_LONGER;
    report->schedule_len = 0;
    return NOT_FOUND;
}

static bool
explore(struct world_config *config, const struct lab_limits *limits, bool full,
        struct lab_report *report, enum schedule *schedule)
{
    bool reduced = !full && reduction_holds_in(config);
    struct lab_system system =
        reduced ? model_reduced_system(config) : model_system(config);

    *schedule = SHORTEST;
    if (!lab_explore(&system, limits, report))
        return false;
    if (report->verdict == LAB_VIOLATED && (config->symmetric || reduced))
        *schedule = find_schedule(config, limits, report);
    return true;
}

static void
print_found(const struct world_config *config, const struct lab_report *report,
            enum schedule schedule, const struct prove *prove)
{
    FILE *out = prove->how.out;

    if (prove->json) {
        print_json(out, config, report);
        return;
    }
    print_table_row(out, config, report);
    if (report->verdict == LAB_BOUNDED)
        fprintf(out, "     no violation within %llu states, depth %u\n",
                (unsigned long long)report->states, report->depth);
    if (report->verdict != LAB_VIOLATED)
        return;
    if (schedule == NOT_FOUND)
        fputs("     its schedule was not found before the search ended\n", out);
    else
        print_schedule(&prove->how, config, report->schedule,
                       report->schedule_len, report->violated);
    if (schedule == PERHAPS_LONGER)
        fputs("     perhaps not the shortest: the search for it ended\n", out);
}

int
prove_world(const struct world_config *base, unsigned workers, unsigned faults,
            const struct prove *prove)
{
    struct world_config config = worlds_with(base, workers);
    struct lab_limits limits = prove->limits;
    struct lab_report report;
    enum schedule schedule;
    int code;

    limits.faults = faults;
    if (!explore(&config, &limits, prove->full, &report, &schedule)) {
        fputs("holdfast-lab: not enough memory\n", stderr);
        return EXIT_MEMORY;
    }
    code = judge(&config, &report, &limits);
    print_found(&config, &report, schedule, prove);
    lab_report_fini(&report);
    return code;
}

int
prove_list(const char *world, const struct prove *prove)
{
    const struct lab_limits *limits = &prove->limits;
    unsigned count = 0;
    int worst = 0;

    if (!prove->json)
        print_table_head(prove->how.out);
    for (unsigned i = 0; i < worlds_proofs_count && !lab_is_stopped(limits);
         i++) {
        const struct worlds_proof *proof = &worlds_proofs[i];
        unsigned faults =
            prove->faults >= 0 ? (unsigned)prove->faults : proof->faults;
        int result;

        if (world != NULL && strcmp(world, proof->world) != 0)
            continue;
        if (proof->target > prove->until ||
            (prove->workers != 0 && prove->workers != proof->workers))
            continue;
        count++;
        result = prove_world(worlds_find(proof->world), proof->workers, faults,
                             prove);
        if (worst != EXIT_FINDING && result != 0)
            worst = result;
    }
    if (worst == 0 && lab_is_stopped(limits))
        return EXIT_INTERRUPTED; /* with what came after it not looked at */
    if (count == 0) {
        fputs("holdfast-lab: there is no such proof in the list\n", stderr);
        return EXIT_USAGE;
    }
    return worst;
}

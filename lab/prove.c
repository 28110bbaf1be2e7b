#include "prove.h"

#include <string.h>

#include "options.h"

static bool
is_expected(const struct world_config *config, const struct lab_report *report)
{
    if (config->expect == NULL)
        return report->verdict != LAB_VIOLATED;
    return report->verdict == LAB_VIOLATED &&
           strcmp(report->violated, config->expect) == 0;
}

/* A schedule is told of workers with names; so what was found among workers
 * that are alike is found once more among workers that are not. */
static bool
explore(struct world_config *config, const struct lab_limits *limits,
        struct lab_report *report)
{
    struct lab_system system = model_system(config);

    if (!lab_explore(&system, limits, report))
        return false;
    if (report->verdict != LAB_VIOLATED || !config->symmetric)
        return true;
    lab_report_fini(report);
    config->symmetric = false;
    return lab_explore(&system, limits, report);
}

static void
print_found(const struct world_config *config, const struct lab_report *report,
            const struct prove *prove)
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
    if (report->verdict == LAB_VIOLATED)
        print_schedule(&prove->how, config, report->schedule,
                       report->schedule_len, report->violated);
}

int
prove_world(const struct world_config *base, unsigned workers, unsigned faults,
            const struct prove *prove)
{
    struct world_config config = worlds_with(base, workers);
    struct lab_limits limits = prove->limits;
    struct lab_report report;
    bool expected;

    limits.faults = faults;
    if (!explore(&config, &limits, &report)) {
        fputs("holdfast-lab: not enough memory\n", stderr);
        return EXIT_MEMORY;
    }
    expected = is_expected(&config, &report);
    print_found(&config, &report, prove);
    lab_report_fini(&report);
    return expected ? 0 : EXIT_FINDING;
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
        if ((prove->quick && !proof->quick) ||
            (prove->workers != 0 && prove->workers != proof->workers))
            continue;
        count++;
        result = prove_world(worlds_find(proof->world), proof->workers, faults,
                             prove);
        if (result > worst)
            worst = result;
    }
    if (count == 0 && !lab_is_stopped(limits)) {
        fputs("holdfast-lab: there is no such proof in the list\n", stderr);
        return EXIT_USAGE;
    }
    return worst;
}

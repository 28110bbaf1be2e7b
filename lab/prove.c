#include "lab/prove.h"

#include <string.h>

#include "base/check.h"
#include "explore/program.h"
#include "lab/world/model.h"

/* The exit code.  A search that was cut short has not said anything. */
static int
judge(const struct subject *subject, const struct explore_report *report)
{
    if (report->verdict == EXPLORE_BOUNDED)
        return EXIT_BOUNDED;
    return verdict_is_expected(report, subject_expect(subject)) ? 0
                                                                : EXIT_FINDING;
}

/* How the schedule of a violation was found. */
enum schedule { SHORTEST, PERHAPS_LONGER, NOT_FOUND };

static bool
find_again(const struct explore_system *system,
           const struct explore_limits *limits, struct explore_report *report)
{
    struct explore_report again;

    if (!explore_all(system, limits, &again))
        return false;
    HF_CHECK(again.verdict == EXPLORE_VIOLATED ||
             again.verdict == EXPLORE_BOUNDED);
    if (again.verdict != EXPLORE_VIOLATED)
        return false;
    explore_report_fini(report);
    *report = again;
    return true;
}

/* A schedule is told of workers with names, in as few steps as it takes: so
 * what was found among workers that are alike, or while orders were left out,
 * is found once more without either.  Where that is cut short, by a limit or by
 * the user, the promise is broken all the same. */
static enum schedule
find_schedule(struct subject *subject, const struct explore_limits *limits,
              struct explore_report *report)
{
    bool alike = subject_is_alike(subject);
    struct explore_system full;
    struct explore_system reduced;

    subject_tell_apart(subject);
    full = subject_system(subject, false);
    reduced = subject_system(subject, true);
    if (find_again(&full, limits, report))
        return SHORTEST;
    if (!alike || find_again(&reduced, limits, report))
        return PERHAPS_LONGER;
    report->schedule_len = 0;
    return NOT_FOUND;
}

static bool
explore(struct subject *subject, const struct explore_limits *limits, bool full,
        struct explore_report *report, enum schedule *schedule)
{
    bool reduced = !full && subject_is_reduced(subject);
    struct explore_system system = subject_system(subject, reduced);

    *schedule = SHORTEST;
    if (!explore_all(&system, limits, report))
        return false;
    if (report->verdict == EXPLORE_VIOLATED &&
        (subject_is_alike(subject) || reduced))
        *schedule = find_schedule(subject, limits, report);
    return true;
}

static void
print_found(struct subject *subject, const struct explore_report *report,
            enum schedule schedule, const struct prove *prove)
{
    FILE *out = prove->how.out;

    if (prove->json) {
        print_json(out, subject, report);
        return;
    }
    print_table_row(out, subject, report);
    if (report->verdict == EXPLORE_BOUNDED)
        fprintf(out, "     no violation within %llu states, depth %u\n",
                (unsigned long long)report->states, report->depth);
    if (report->verdict == EXPLORE_VACUOUS)
        fputs("     nobody was ever inside, so this proves nothing\n", out);
    verdict_print_unexpected(out, report, subject_expect(subject));
    if (report->verdict == EXPLORE_PROVED && report->faults > 0 &&
        (report->seen & MODEL_SEEN_FAULT) == 0)
        fputs("     no fault was ever possible\n", out);
    if (report->verdict != EXPLORE_VIOLATED)
        return;
    if (schedule == NOT_FOUND)
        fputs("     its schedule was not found before the search ended\n", out);
    else
        print_schedule(&prove->how, subject, report->schedule,
                       report->schedule_len);
    if (schedule == PERHAPS_LONGER)
        fputs("     perhaps not the shortest: the search for it ended\n", out);
}

int
prove_world(const struct subject *base, unsigned workers, unsigned faults,
            const struct prove *prove)
{
    struct subject subject = *base;
    struct explore_limits limits = prove->limits;
    struct explore_report report;
    enum schedule schedule;
    int code;

    limits.faults = faults;
    subject_set_workers(&subject, workers);
    if (!explore(&subject, &limits, prove->full, &report, &schedule)) {
        program_complain("not enough memory");
        return EXIT_INTERNAL;
    }
    code = judge(&subject, &report);
    print_found(&subject, &report, schedule, prove);
    explore_report_fini(&report);
    return code;
}

/* Is the proof of the list one that is wanted? */
static bool
is_wanted(const struct worlds_proof *proof, const char *world,
          const struct prove *prove)
{
    return (world == NULL || strcmp(world, proof->world) == 0) &&
           proof->target <= prove->until &&
           (prove->workers == 0 || prove->workers == proof->workers) &&
           (prove->faults < 0 || (unsigned)prove->faults == proof->faults);
}

/* A finding says more than our failure, and that more than a limit. */
static int
worse(int one, int other)
{
    if (one == EXIT_FINDING || other == EXIT_FINDING)
        return EXIT_FINDING;
    if (one == EXIT_INTERNAL || other == EXIT_INTERNAL)
        return EXIT_INTERNAL;
    return one != 0 ? one : other;
}

int
prove_list(const char *world, const struct prove *prove)
{
    const struct explore_limits *limits = &prove->limits;
    unsigned count = 0;
    int worst = 0;

    if (!prove->json)
        print_table_head(prove->how.out);
    for (unsigned i = 0;
         i < subject_proofs_count() && !explore_is_stopped(limits); i++) {
        const struct worlds_proof *proof = subject_proof(i);
        struct subject subject;

        if (!is_wanted(proof, world, prove))
            continue;
        count++;
        HF_CHECK(subject_find(proof->world, &subject));
        worst = worse(
            worst, prove_world(&subject, proof->workers, proof->faults, prove));
    }
    if (explore_is_stopped(limits)) /* what comes after it was not looked at */
        return worse(worst, EXIT_BOUNDED);
    if (count == 0) {
        program_complain("there is no such proof in the list");
        return EXIT_USAGE;
    }
    return worst;
}

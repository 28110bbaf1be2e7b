#include <stdio.h>
#include <string.h>

#include "explore/program.h"
#include "lab/options.h"
#include "lab/print.h"
#include "lab/prove.h"
#include "lab/server/promises.h"
#include "lab/world/promises.h"

/* holdfast-lab: prove, wander, replay, list, promises. */

static int
refuse_world(const char *name)
{
    program_complain("there is no world '%.60s' (see holdfast-lab list)", name);
    return EXIT_USAGE;
}

static struct prove
prove_of(const struct options *options)
{
    return (struct prove){
        .how = {.out = stdout, .trace = options->trace},
        .limits = program_limits(&options->search, 0),
        .workers = options->search.workers,
        .faults = options->search.faults,
        .until = options->quick ? WORLDS_TEST
                 : options->all ? WORLDS_PROVE_ALL
                                : WORLDS_PROVE,
        .full = options->full,
        .json = options->search.json,
    };
}

static bool
has_so_many(const struct subject *subject, unsigned workers)
{
    if (workers <= subject_workers_max(subject))
        return true;
    program_complain("%s has at most %u workers", subject_name(subject),
                     subject_workers_max(subject));
    return false;
}

static int
verb_prove(const void *taken, const char *world)
{
    const struct options *options = taken;
    const struct program_search *search = &options->search;
    struct prove how = prove_of(options);
    struct subject subject;

    if (options->quick && options->all) {
        program_complain("--quick and --all do not go together");
        return EXIT_USAGE;
    }
    if (world == NULL)
        return prove_list(NULL, &how);
    if (!subject_find(world, &subject))
        return refuse_world(world);
    if (search->workers == 0 && search->faults < 0)
        return prove_list(world, &how);
    if (options->quick || options->all) {
        program_complain("--%s chooses the workers and faults itself",
                         options->quick ? "quick" : "all");
        return EXIT_USAGE;
    }
    if (subject_is_whole(&subject)) {
        program_complain("%s is too large to be searched: see wander", world);
        return EXIT_USAGE;
    }
    if (!has_so_many(&subject, search->workers))
        return EXIT_USAGE;
    if (!search->json)
        print_table_head(stdout);
    return prove_world(&subject, search->workers,
                       search->faults < 0 ? 1 : (unsigned)search->faults, &how);
}

static int
verb_wander(const void *taken, const char *world)
{
    const struct options *options = taken;
    struct subject subject;
    uint16_t schedule[PRINT_SCHEDULE_MAX];
    struct walk walk = {.schedule = schedule, .max = 1000};
    struct print how = {.out = stdout, .trace = options->trace};
    const char *expect;
    uint64_t walked = 0;

    if (!subject_find(world, &subject))
        return refuse_world(world);
    if (!has_so_many(&subject, options->search.workers))
        return EXIT_USAGE;
    subject_set_workers(&subject, options->search.workers);
    subject_tell_apart(&subject);
    expect = subject_expect(&subject);
    for (; walked < options->walks && !program_is_stopped(); walked++) {
        const char *violated;

        walk.seed = options->seed + walked;
        violated = subject_walk(&subject, &walk);
        if (violated == NULL)
            continue;
        printf("seed %llu: %s\n", (unsigned long long)walk.seed, violated);
        print_schedule(&how, &subject, schedule, walk.len);
        return expect != NULL && strcmp(violated, expect) == 0 ? 0
                                                               : EXIT_FINDING;
    }
    printf("%llu walks of up to %zu steps from seed %llu: nothing found\n",
           (unsigned long long)walked, walk.max,
           (unsigned long long)options->seed);
    return program_is_stopped() || expect != NULL ? EXIT_BOUNDED : 0;
}

static int
verb_replay(const void *taken, const char *line)
{
    static uint16_t schedule[PRINT_SCHEDULE_MAX];
    const struct options *options = taken;
    const struct print how = {.out = stdout, .trace = options->trace};
    struct subject subject;
    struct verdict_replay ended;
    const char *why;
    int count;

    count = subject_parse(line, &subject, schedule, PRINT_SCHEDULE_MAX, &why);
    if (count < 0) {
        program_complain("cannot replay '%.60s': %s", line, why);
        return EXIT_USAGE;
    }
    ended = print_story(&how, &subject, schedule, (size_t)count);
    return verdict_print_replay(&ended, (size_t)count);
}

static int
verb_list(const void *taken, const char *word)
{
    (void)taken;
    (void)word;
    for (unsigned i = 0; i < subject_count(); i++) {
        struct subject subject = subject_at(i);
        const char *expect = subject_expect(&subject);

        printf("%-18s %s\n", subject_name(&subject), subject_about(&subject));
        if (expect != NULL)
            printf("%-18s must be found: %s\n", "", expect);
    }
    return 0;
}

static int
verb_promises(const void *taken, const char *word)
{
    (void)taken;
    (void)word;
    for (unsigned i = 0; i < promises_count; i++)
        printf("%s: %s\n", promises[i].name, promises[i].broken);
    for (unsigned i = 0; i < server_promises_count; i++)
        printf("%s: %s\n", server_promises[i].name, server_promises[i].broken);
    return 0;
}

static const struct program_verb verbs[] = {
    {"prove", PROGRAM_SEARCH "qaFt", "WORLD", NULL, verb_prove},
    {"wander", PROGRAM_WORKERS "SWt", "WORLD", "list", verb_wander},
    {"replay", "t", "LINE", "--help", verb_replay},
    {"list", "", NULL, NULL, verb_list},
    {"promises", "", NULL, NULL, verb_promises},
    {NULL, NULL, NULL, NULL, NULL},
};

int
main(int argc, char **argv)
{
    struct options options = {
        .search = {.faults = -1, .gib = 8}, .seed = 1, .walks = 100000};
    const struct program program = {
        .name = "holdfast-lab",
        .version = LAB_VERSION,
        .help = options_help,
        .workers_max = WORLD_WORKERS_MAX,
        .verbs = verbs,
        .own = options_own,
        .letters = "",
        .options = &options,
        .search = &options.search,
        .take = options_take,
    };

    return program_main(&program, argc, argv);
}

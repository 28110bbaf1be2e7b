#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "print.h"
#include "story.h"
#include "walk.h"
#include "worlds.h"

/* holdfast-lab: prove, list, replay. */

enum {
    EXIT_FINDING = 1, /* not what the world expects */
    EXIT_USAGE = 64,
    EXIT_MEMORY = 70,
};

struct options {
    unsigned workers;  /* 0: the world's own */
    int faults;        /* -1: the proof's own */
    unsigned long gib; /* of memory */
    uint64_t states;
    bool quick;
    bool json;
    bool trace;
    uint64_t seed;
    uint64_t walks;
};

static volatile int stopped;

static void
stop(int number)
{
    (void)number;
    stopped = 1;
}

static int
usage(FILE *to)
{
    fputs(
        "usage: holdfast-lab prove [--quick] [--workers N] [--faults F] "
        "[WORLD]\n"
        "       holdfast-lab wander [--seed N] [--walks N] [--workers N] "
        "WORLD\n"
        "       holdfast-lab replay LINE\n"
        "       holdfast-lab list\n"
        "\n"
        "Searches every order of events for one that breaks a promise of\n"
        "docs/guarantees.md, with the machines of src/core as they run.\n"
        "\n"
        "  prove    visit every state of the world, or of all worlds: print a\n"
        "           line for each, and the schedule of a violation\n"
        "  wander   seeded random walks, for worlds too large to be proved\n"
        "  replay   tell a schedule again, from the line that prove printed\n"
        "  list     the worlds, and what each is about\n"
        "\n"
        "  --workers N  1 to 4        --faults F  at most so many, 0 to 15\n"
        "  --memory G   GiB, 8        --states N  at most so many\n"
        "  --quick      the developer's proofs, under 20 s\n"
        "  --trace      the schedule as a table, workers side by side\n"
        "  --json       one JSON object a proof\n"
        "\n"
        "Exit: 0 as expected; 1 a promise broken, or not broken where it must\n"
        "be; 64 usage; 70 no memory.\n",
        to);
    return to == stdout ? 0 : EXIT_USAGE;
}

/* ---- Proving ------------------------------------------------------------ */

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

static int
prove(const struct world_config *base, unsigned workers, unsigned faults,
      const struct options *options)
{
    struct world_config config = worlds_with(base, workers);
    struct lab_limits limits = {
        .faults = faults,
        .memory_max = (uint64_t)options->gib << 30,
        .states_max = options->states,
        .progress = isatty(STDERR_FILENO) != 0,
        .stop = &stopped,
    };
    struct lab_report report;
    bool expected;

    if (!explore(&config, &limits, &report)) {
        fputs("holdfast-lab: not enough memory\n", stderr);
        return EXIT_MEMORY;
    }
    expected = is_expected(&config, &report);
    if (options->json) {
        print_json(&config, &report);
    } else {
        print_table_row(&config, &report);
        if (report.verdict == LAB_BOUNDED)
            printf("     no violation within %llu states, depth %u\n",
                   (unsigned long long)report.states, report.depth);
        if (report.verdict == LAB_VIOLATED)
            print_schedule(&config, report.schedule, report.schedule_len,
                           report.violated, options->trace);
    }
    lab_report_fini(&report);
    return expected ? 0 : EXIT_FINDING;
}

static int
prove_all(const char *world, const struct options *options)
{
    int worst = 0;

    if (!options->json)
        print_table_head();
    for (unsigned i = 0; i < worlds_proofs_count && !stopped; i++) {
        const struct worlds_proof *proof = &worlds_proofs[i];
        unsigned faults =
            options->faults >= 0 ? (unsigned)options->faults : proof->faults;
        int result;

        if (world != NULL && strcmp(world, proof->world) != 0)
            continue;
        if (options->quick && !proof->quick)
            continue;
        result =
            prove(worlds_find(proof->world), proof->workers, faults, options);
        if (result > worst)
            worst = result;
    }
    return worst;
}

static int
run_prove(const char *world, const struct options *options)
{
    const struct world_config *config;

    if (world == NULL)
        return prove_all(NULL, options);
    config = worlds_find(world);
    if (config == NULL) {
        fprintf(stderr,
                "holdfast-lab: there is no world '%s' (see holdfast-lab "
                "list)\n",
                world);
        return EXIT_USAGE;
    }
    if (options->workers == 0 && options->faults < 0)
        return prove_all(world, options);
    if (!options->json)
        print_table_head();
    return prove(config, options->workers,
                 options->faults < 0 ? 1 : (unsigned)options->faults, options);
}

/* ---- The other verbs ---------------------------------------------------- */

static int
run_replay(const char *line, const struct options *options)
{
    static uint16_t schedule[PRINT_SCHEDULE_MAX];
    struct world_config config;
    const char *why;
    const char *violated;
    bool valid;
    int count = story_parse(line, &config, schedule, PRINT_SCHEDULE_MAX, &why);

    if (count < 0) {
        fprintf(stderr, "holdfast-lab: cannot replay '%.60s': %s\n", line, why);
        return EXIT_USAGE;
    }
    violated =
        model_replay(&config, schedule, (size_t)count,
                     options->trace ? print_row : print_sentence, NULL, &valid);
    if (!valid) {
        fputs("holdfast-lab: the next action is not possible there\n", stderr);
        return EXIT_USAGE;
    }
    if (violated != NULL)
        printf("     broken: %s\n", violated);
    return 0;
}

static int
run_list(void)
{
    for (unsigned i = 0; i < worlds_count; i++) {
        printf("%-18s %s\n", worlds[i].name, worlds[i].about);
        if (worlds[i].expect != NULL)
            printf("%-18s must be found: %s\n", "", worlds[i].expect);
    }
    return 0;
}

static int
run_wander(const char *world, const struct options *options)
{
    const struct world_config *base = worlds_find(world);
    struct world_config config;
    uint16_t schedule[PRINT_SCHEDULE_MAX];
    struct walk walk = {.schedule = schedule, .max = 1000};

    if (base == NULL) {
        fprintf(stderr, "holdfast-lab: there is no world '%s'\n", world);
        return EXIT_USAGE;
    }
    config = worlds_with(base, options->workers);
    config.symmetric = false;
    for (uint64_t i = 0; i < options->walks && !stopped; i++) {
        const char *violated;

        walk.seed = options->seed + i;
        violated = walk_at_random(&config, &walk);
        if (violated == NULL)
            continue;
        printf("seed %llu: %s\n", (unsigned long long)walk.seed, violated);
        print_schedule(&config, schedule, walk.len, violated, options->trace);
        return config.expect != NULL ? 0 : EXIT_FINDING;
    }
    printf("%llu walks of up to %zu steps from seed %llu: nothing found\n",
           (unsigned long long)options->walks, walk.max,
           (unsigned long long)options->seed);
    return 0;
}

/* ---- Options ------------------------------------------------------------ */

static bool
parse_number(const char *text, uint64_t max, uint64_t *number)
{
    char *end;
    unsigned long long value;

    errno = 0;
    value = strtoull(text, &end, 10);
    if (errno != 0 || end == text || *end != '\0' || text[0] == '-' ||
        value > max)
        return false;
    *number = value;
    return true;
}

static bool
parse_options(int argc, char **argv, struct options *o)
{
    static const struct option known[] = {
        {"workers", required_argument, NULL, 'w'},
        {"faults", required_argument, NULL, 'f'},
        {"memory", required_argument, NULL, 'm'},
        {"states", required_argument, NULL, 's'},
        {"seed", required_argument, NULL, 'S'},
        {"walks", required_argument, NULL, 'W'},
        {"quick", no_argument, NULL, 'q'},
        {"json", no_argument, NULL, 'j'},
        {"trace", no_argument, NULL, 't'},
        {NULL, 0, NULL, 0},
    };
    uint64_t number = 0;
    int option;

    while ((option = getopt_long(argc, argv, "", known, NULL)) != -1) {
        bool good = true;

        switch (option) {
        case 'w':
            good =
                parse_number(optarg, WORLD_WORKERS_MAX, &number) && number > 0;
            o->workers = (unsigned)number;
            break;
        case 'f':
            good = parse_number(optarg, 15, &number);
            o->faults = (int)number;
            break;
        case 'm':
            good = parse_number(optarg, 1024, &number) && number > 0;
            o->gib = (unsigned long)number;
            break;
        case 's':
            good = parse_number(optarg, UINT32_MAX - 1, &o->states);
            break;
        case 'S':
            good = parse_number(optarg, UINT64_MAX, &o->seed);
            break;
        case 'W':
            good = parse_number(optarg, UINT64_MAX, &o->walks);
            break;
        case 'q':
            o->quick = true;
            break;
        case 'j':
            o->json = true;
            break;
        case 't':
            o->trace = true;
            break;
        default: /* getopt has said so */
            return false;
        }
        if (!good) {
            fprintf(stderr, "holdfast-lab: '%s' is no number that fits\n",
                    optarg);
            return false;
        }
    }
    return true;
}

int
main(int argc, char **argv)
{
    struct options options = {
        .faults = -1, .gib = 8, .seed = 1, .walks = 100000};
    struct sigaction action = {.sa_handler = stop};
    const char *verb = argc > 1 ? argv[1] : "";
    const char *word;

    if (strcmp(verb, "--help") == 0 || strcmp(verb, "help") == 0)
        return usage(stdout);
    if (argc < 2 || !parse_options(argc - 1, argv + 1, &options))
        return usage(stderr);
    word = optind + 1 < argc ? argv[optind + 1] : NULL;
    sigaction(SIGINT, &action, NULL);

    if (strcmp(verb, "prove") == 0)
        return run_prove(word, &options);
    if (strcmp(verb, "list") == 0)
        return run_list();
    if (strcmp(verb, "replay") == 0 && word != NULL)
        return run_replay(word, &options);
    if (strcmp(verb, "wander") == 0 && word != NULL)
        return run_wander(word, &options);
    return usage(stderr);
}

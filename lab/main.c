#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/check.h"
#include "lab/options.h"
#include "lab/picture/picture_file.h"
#include "lab/place/replay_on.h"
#include "lab/print.h"
#include "lab/prove.h"
#include "lab/report/chapters.h"
#include "lab/report/report.h"
#include "lab/run.h"
#include "lab/specimen/specimens.h"
#include "lab/world/story.h"
#include "lab/world/walk.h"
#include "lab/world/worlds.h"

/* holdfast-lab: prove, run, wander, replay, report, list. */

static volatile int stopped;

static void
stop(int number)
{
    (void)number;
    stopped = 1;
}

/* ---- Proving ------------------------------------------------------------ */

/* A check that fails outside of any step of a machine is a fault of ours. */
static void
own_failure(const char *what, const char *file, int line)
{
    fprintf(stderr, "holdfast-lab: a fault of its own: %s:%d: %s\n", file, line,
            what);
    exit(EXIT_INTERNAL);
}

/* There is no such world, or specimen; what there is of that name. */
static int
refuse_name(const char *kind, const char *name, const char *instead)
{
    fprintf(stderr, "holdfast-lab: there is no %s '%.60s' (%s)\n", kind, name,
            instead == NULL ? "see holdfast-lab list" : instead);
    return EXIT_USAGE;
}

static int
refuse_world(const char *name)
{
    return refuse_name("world", name,
                       specimens_find(name) == NULL
                           ? NULL
                           : "it is a specimen: say holdfast-lab run");
}

static int
refuse_specimen(const char *name)
{
    return refuse_name("specimen", name,
                       worlds_find(name) == NULL
                           ? NULL
                           : "it is a world: say holdfast-lab prove");
}

static struct explore_limits
limits_of(const struct options *options, unsigned faults)
{
    return (struct explore_limits){
        .faults = faults,
        .memory_max = (uint64_t)options->gib << 30,
        .states_max = options->states,
        .progress = isatty(STDERR_FILENO) != 0,
        .stop = &stopped,
    };
}

static struct prove
prove_of(const struct options *options)
{
    return (struct prove){
        .how = {.out = stdout, .trace = options->trace},
        .limits = limits_of(options, 0),
        .workers = options->workers,
        .faults = options->faults,
        .until = options->quick ? WORLDS_TEST
                 : options->all ? WORLDS_PROVE_ALL
                                : WORLDS_PROVE,
        .full = options->full,
        .json = options->json,
    };
}

static int
run_prove(const char *world, const struct options *options)
{
    struct prove how = prove_of(options);
    const struct world_config *config;

    if (options->quick && options->all) {
        fputs("holdfast-lab: --quick and --all do not go together\n", stderr);
        return EXIT_USAGE;
    }
    if (world == NULL)
        return prove_list(NULL, &how);
    config = worlds_find(world);
    if (config == NULL)
        return refuse_world(world);
    if (options->workers == 0 && options->faults < 0)
        return prove_list(world, &how);
    if (options->quick || options->all) {
        fprintf(stderr,
                "holdfast-lab: --%s chooses the workers and faults itself\n",
                options->quick ? "quick" : "all");
        return EXIT_USAGE;
    }
    if (!options->json)
        print_table_head(stdout);
    return prove_world(config, options->workers,
                       options->faults < 0 ? 1 : (unsigned)options->faults,
                       &how);
}

/* ---- Specimens ---------------------------------------------------------- */

/* Told at a time: too large for a stack. */
static struct told told;

/* Draw what is told, if that is wanted; returns what to exit with. */
static int
save_picture(const struct specimen_run *run, const struct options *options)
{
    struct hf_error error;
    enum hf_status status;

    if (options->svg == NULL)
        return 0;
    if (told.count == 0) {
        fputs("holdfast-lab: nothing was found, so there is no picture\n",
              stderr);
        return 0;
    }
    status = picture_save(options->svg, run, &told, &error);
    if (status != HF_OK)
        fprintf(stderr, "holdfast-lab: %s\n", error.text);
    return hf_status_exit(status);
}

/* The run that is asked for; false: it is not one, and that was said. */
static bool
set_run(struct specimen_run *run, const struct options *options)
{
    struct hf_error error;
    const char *why;

    if (options->only != NULL && chapters_meaning(options->only) == NULL) {
        fprintf(stderr, "holdfast-lab: there is no property '%s'\n",
                options->only);
        return false;
    }
    run->only = options->only;
    for (unsigned i = 0; i < options->set_count; i++)
        if (!specimen_set(run, options->set[i], &why)) {
            fprintf(stderr, "holdfast-lab: cannot set '%s': %s\n",
                    options->set[i], why);
            return false;
        }
    if (!specimen_check(run, &error)) {
        fprintf(stderr, "holdfast-lab: %s\n", error.text);
        return false;
    }
    return true;
}

static int
run_specimen(const char *name, const struct options *options)
{
    const struct specimen *specimen = specimens_find(name);
    struct explore_limits limits;
    struct specimen_run run;
    int saved;
    int code;

    if (specimen == NULL)
        return refuse_specimen(name);
    run = specimen_run_of(specimen, options->workers);
    if (!set_run(&run, options))
        return EXIT_USAGE;
    limits =
        limits_of(options, options->faults < 0 ? specimen->faults
                                               : (unsigned)options->faults);
    code = run_explore(&run, &limits, options->json, &told);
    if (code == EXIT_INTERNAL)
        return code;
    saved = save_picture(&run, options);
    return saved != 0 ? saved : code;
}

/* ---- The other verbs ---------------------------------------------------- */

static int
replay_specimen(const char *line, const struct options *options)
{
    struct specimen_run run;
    int code;
    int saved = 0;

    if (options->trace) {
        fputs("holdfast-lab: only a world's schedule has a trace\n", stderr);
        return EXIT_USAGE;
    }
    code = run_replay(line, &run, &told);
    if (code == 0 || told.violated != NULL)
        saved = save_picture(&run, options);
    return saved != 0 ? saved : code;
}

static int
replay_world(const char *line, const struct options *options)
{
    static uint16_t schedule[PRINT_SCHEDULE_MAX];
    const struct print how = {.out = stdout, .trace = options->trace};
    struct world_config config;
    struct print_told ended;
    const char *why;
    int count;

    if (options->svg != NULL) {
        fputs("holdfast-lab: only a specimen has a picture\n", stderr);
        return EXIT_USAGE;
    }
    count = story_parse(line, &config, schedule, PRINT_SCHEDULE_MAX, &why);
    if (count < 0) {
        fprintf(stderr, "holdfast-lab: cannot replay '%.60s': %s\n", line, why);
        return EXIT_USAGE;
    }
    ended = print_story(&how, &config, schedule, (size_t)count);
    return print_replayed(&ended, (size_t)count);
}

static int
replay(const char *line, const struct options *options)
{
    if (options->on != NULL && options->svg != NULL) {
        fputs("holdfast-lab: --on and --svg do not go together\n", stderr);
        return EXIT_USAGE;
    }
    if (options->on != NULL)
        return replay_on(line, options->on);
    return run_is_specimen(line) ? replay_specimen(line, options)
                                 : replay_world(line, options);
}

static void
list_setting(const struct specimen_setting *setting)
{
    printf("%-18s --set %s=", "", setting->name);
    for (unsigned i = 0; i < SPECIMEN_WORDS_MAX && setting->words[i] != NULL;
         i++)
        printf("%s%s", i == 0 ? "" : "|", setting->words[i]);
    if (setting->words[0] == NULL)
        printf("0..%u", setting->most);
    printf("  %s\n", setting->about);
}

/* The first that has the same settings: of many there is one list. */
static const struct specimen *
first_with(const struct specimen_setting *settings)
{
    unsigned i = 0;

    while (specimens[i]->settings != settings)
        i++;
    return specimens[i];
}

static void
list_specimen(const struct specimen *specimen)
{
    const struct specimen_setting *setting = specimen->settings;

    printf("%-18s %s\n", specimen->name, specimen->about);
    if (specimen->expect != NULL)
        printf("%-18s must be found: %s\n", "", specimen->expect);
    if (setting == NULL)
        return;
    if (first_with(setting) != specimen) {
        printf("%-18s --set as %s has it\n", "", first_with(setting)->name);
        return;
    }
    for (; setting->name != NULL; setting++)
        list_setting(setting);
}

static int
run_list(void)
{
    for (unsigned i = 0; i < worlds_count; i++) {
        printf("%-18s %s\n", worlds[i].name, worlds[i].about);
        if (worlds[i].expect != NULL)
            printf("%-18s must be found: %s\n", "", worlds[i].expect);
    }
    puts("");
    for (unsigned i = 0; i < specimens_count; i++)
        list_specimen(specimens[i]);
    return 0;
}

static int
run_wander(const char *world, const struct options *options)
{
    const struct world_config *base = worlds_find(world);
    struct world_config config;
    uint16_t schedule[PRINT_SCHEDULE_MAX];
    struct walk walk = {.schedule = schedule, .max = 1000};
    struct print how = {.out = stdout, .trace = options->trace};
    uint64_t walked = 0;

    if (base == NULL)
        return refuse_world(world);
    config = worlds_with(base, options->workers);
    config.symmetric = false;
    for (; walked < options->walks && !stopped; walked++) {
        const char *violated;

        walk.seed = options->seed + walked;
        violated = walk_at_random(&config, &walk);
        if (violated == NULL)
            continue;
        printf("seed %llu: %s\n", (unsigned long long)walk.seed, violated);
        print_schedule(&how, &config, schedule, walk.len);
        return config.expect != NULL && strcmp(violated, config.expect) == 0
                   ? 0
                   : EXIT_FINDING;
    }
    printf("%llu walks of up to %zu steps from seed %llu: nothing found\n",
           (unsigned long long)walked, walk.max,
           (unsigned long long)options->seed);
    return stopped || config.expect != NULL ? EXIT_BOUNDED : 0;
}

static int
run_report(const struct options *options)
{
    const struct report_order order = {
        .folder = options->folder,
        .proofs = options->proofs,
        .mutants = options->mutants,
        .limits = limits_of(options, 0),
    };
    struct hf_error error;
    struct report_outcome outcome = {.finding = false};
    enum hf_status status;

    if (options->folder == NULL) {
        fputs("holdfast-lab: report needs -o DIR\n", stderr);
        return EXIT_USAGE;
    }
    status = report_make(&order, &outcome, &error);
    if (status != HF_OK) {
        fprintf(stderr, "holdfast-lab: %s\n", error.text);
        return hf_status_exit(status);
    }
    if (outcome.finding)
        return EXIT_FINDING;
    return outcome.bounded ? EXIT_BOUNDED : 0;
}

/* ---- The program --------------------------------------------------------- */

static int
run_verb(const char *verb, const char *word, const struct options *options)
{
    if (strcmp(verb, "prove") == 0)
        return run_prove(word, options);
    if (strcmp(verb, "run") == 0)
        return run_specimen(word, options);
    if (strcmp(verb, "replay") == 0)
        return replay(word, options);
    if (strcmp(verb, "wander") == 0)
        return run_wander(word, options);
    if (strcmp(verb, "report") == 0)
        return run_report(options);
    return run_list();
}

static int
run_program(int argc, char **argv)
{
    struct options options = {
        .faults = -1, .gib = 8, .seed = 1, .walks = 100000};
    struct sigaction action = {.sa_handler = stop};
    const char *verb = argc > 1 ? argv[1] : "";

    if (strcmp(verb, "--help") == 0 || strcmp(verb, "-h") == 0 ||
        strcmp(verb, "help") == 0 ||
        (argc == 3 && strcmp(argv[2], "--help") == 0))
        return options_usage(stdout);
    if (strcmp(verb, "--version") == 0) {
        puts("holdfast-lab " LAB_VERSION);
        return 0;
    }
    if (argc < 2)
        return options_usage(stderr);
    if (!options_parse(argc - 1, argv + 1, &options))
        return EXIT_USAGE;
    sigaction(SIGINT, &action, NULL);
    hf_check_listen(own_failure);
    return run_verb(verb, optind + 1 < argc ? argv[optind + 1] : NULL,
                    &options);
}

/* A tale that did not arrive was not told. */
int
main(int argc, char **argv)
{
    int code = run_program(argc, argv);

    if (fflush(stdout) == 0 && ferror(stdout) == 0)
        return code;
    fputs("holdfast-lab: cannot write to stdout\n", stderr);
    return code == 0 ? EXIT_UNAVAILABLE : code;
}

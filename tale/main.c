#include <stdio.h>

#include "explore/program.h"
#include "lab/subject.h"
#include "tale/options.h"
#include "tale/picture/picture_file.h"
#include "tale/place/replay_on.h"
#include "tale/report/report.h"
#include "tale/run.h"
#include "tale/specimen/properties.h"
#include "tale/specimen/specimens.h"

/* holdfast-tale: run, replay, report, list. */

/* Told at a time: too large for a stack. */
static struct told told;

static int
refuse_specimen(const char *name)
{
    struct subject world;

    program_complain("there is no specimen '%.60s' (%s)", name,
                     subject_find(name, &world)
                         ? "it is a world: say holdfast-lab prove"
                         : "see holdfast-tale list");
    return EXIT_USAGE;
}

/* Draw what is told, if that is wanted; returns what to exit with. */
static int
save_picture(const struct specimen_run *run, const struct options *options)
{
    struct hf_error error;
    enum hf_status status;

    if (options->svg == NULL)
        return 0;
    if (told.count == 0) {
        program_complain("nothing was found, so there is no picture");
        return 0;
    }
    status = picture_save(options->svg, run, &told, &error);
    if (status != HF_OK)
        program_complain("%s", error.text);
    return hf_status_exit(status);
}

/* The run that is asked for; false: it is not one, and that was said. */
static bool
set_run(struct specimen_run *run, const struct options *options)
{
    struct hf_error error;
    const char *why;

    if (options->only != NULL && properties_broken(options->only) == NULL) {
        program_complain("there is no property '%s'", options->only);
        return false;
    }
    if (options->only != NULL)
        run->only = options->only;
    for (unsigned i = 0; i < options->set_count; i++)
        if (!specimen_set(run, options->set[i], &why)) {
            program_complain("cannot set '%s': %s", options->set[i], why);
            return false;
        }
    if (!specimen_check(run, &error)) {
        program_complain("%s", error.text);
        return false;
    }
    return true;
}

static int
verb_run(const void *taken, const char *name)
{
    const struct options *options = taken;
    const struct program_search *search = &options->search;
    const struct specimen *specimen = specimens_find(name);
    struct explore_limits limits;
    struct specimen_run run;
    int saved;
    int code;

    if (specimen == NULL)
        return refuse_specimen(name);
    run = specimen_run_of(specimen, search->workers);
    if (!set_run(&run, options))
        return EXIT_USAGE;
    limits =
        program_limits(search, search->faults < 0 ? specimen->faults
                                                  : (unsigned)search->faults);
    code = run_explore(&run, &limits, search->json, &told);
    if (code == EXIT_INTERNAL)
        return code;
    saved = save_picture(&run, options);
    return saved != 0 ? saved : code;
}

static int
verb_replay(const void *taken, const char *line)
{
    const struct options *options = taken;
    struct specimen_run run;
    int code;
    int saved = 0;

    if (!run_is_specimen(line)) {
        program_complain("cannot replay '%.60s': there is no such specimen "
                         "(of a world: holdfast-lab replay)",
                         line);
        return EXIT_USAGE;
    }
    if (options->on != NULL && options->svg != NULL) {
        program_complain("--on and --svg do not go together");
        return EXIT_USAGE;
    }
    if (options->on != NULL)
        return replay_on(line, options->on);
    code = run_replay(line, &run, &told);
    if (code == 0 || told.violated != NULL)
        saved = save_picture(&run, options);
    return saved != 0 ? saved : code;
}

static int
verb_report(const void *taken, const char *word)
{
    const struct options *options = taken;
    const struct report_order order = {
        .folder = options->folder,
        .proofs = options->proofs,
        .mutants = options->mutants,
        .limits = program_limits(&options->search, 0),
    };
    struct hf_error error;
    struct report_outcome outcome = {.finding = false};
    enum hf_status status;

    (void)word;
    if (options->folder == NULL) {
        program_complain("report needs -o DIR");
        return EXIT_USAGE;
    }
    status = report_make(&order, &outcome, &error);
    if (status != HF_OK) {
        program_complain("%s", error.text);
        return hf_status_exit(status);
    }
    printf("%s/index.html: %u locks of others, %u of them broken; %u proofs of "
           "ours, %u mutants\n",
           options->folder, outcome.specimens, outcome.broken, outcome.proofs,
           outcome.mutants);
    if (outcome.finding)
        return EXIT_FINDING;
    return outcome.bounded ? EXIT_BOUNDED : 0;
}

/* ---- The list ------------------------------------------------------------ */

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
verb_list(const void *taken, const char *word)
{
    (void)taken;
    (void)word;
    for (unsigned i = 0; i < specimens_count; i++)
        list_specimen(specimens[i]);
    return 0;
}

/* ---- The program --------------------------------------------------------- */

static const struct program_verb verbs[] = {
    {"run", PROGRAM_SEARCH "kyv", "SPECIMEN", "list", verb_run},
    {"replay", "Ov", "LINE", "--help", verb_replay},
    {"report", "opM", NULL, NULL, verb_report},
    {"list", "", NULL, NULL, verb_list},
    {NULL, NULL, NULL, NULL, NULL},
};

int
main(int argc, char **argv)
{
    struct options options = {.search = {.faults = -1, .gib = 8}};
    const struct program program = {
        .name = "holdfast-tale",
        .version = TALE_VERSION,
        .help = options_help,
        .workers_max = TOLD_WORKERS_MAX,
        .verbs = verbs,
        .own = options_own,
        .letters = "o:",
        .options = &options,
        .search = &options.search,
        .take = options_take,
    };

    return program_main(&program, argc, argv);
}

#include "explore/program.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/check.h"

enum { OPTIONS_MAX = 32, GIB_MAX = 1024 };

static const char *name = "explore"; /* until the program has told its own */
static volatile int stopped;

void
program_complain(const char *format, ...)
{
    va_list list;

    fprintf(stderr, "%s: ", name);
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    putc('\n', stderr);
}

/* ---- Limits -------------------------------------------------------------- */

static void
stop(int number)
{
    (void)number;
    stopped = 1;
}

bool
program_is_stopped(void)
{
    return stopped != 0;
}

struct explore_limits
program_limits(const struct program_search *search, unsigned faults)
{
    return (struct explore_limits){
        .faults = faults,
        .memory_max = (uint64_t)search->gib << 30,
        .states_max = search->states,
        .progress = isatty(STDERR_FILENO) != 0,
        .stop = &stopped,
    };
}

/* ---- Options ------------------------------------------------------------- */

bool
program_number(const char *text, uint64_t max, uint64_t *number)
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

static const struct option of_any_search[] = {
    {"workers", required_argument, NULL, 'w'},
    {"faults", required_argument, NULL, 'f'},
    {"memory", required_argument, NULL, 'm'},
    {"states", required_argument, NULL, 's'},
    {"json", no_argument, NULL, 'j'},
    {NULL, 0, NULL, 0},
};

/* Those of any search, and its own. */
static void
list_options(const struct program *program, struct option known[OPTIONS_MAX])
{
    unsigned count = 0;

    for (const struct option *at = of_any_search; at->name != NULL; at++)
        known[count++] = *at;
    for (const struct option *at = program->own; at->name != NULL; at++) {
        HF_CHECK(count < OPTIONS_MAX - 1);
        known[count++] = *at;
    }
    known[count] = (struct option){0};
}

static const char *
workers_range(unsigned max)
{
    static char range[24];

    snprintf(range, sizeof(range), "1 to %u", max);
    return range;
}

/* NULL, or what the option has to be. */
static const char *
take(const struct program *program, int option, const char *value)
{
    struct program_search *search = program->search;
    uint64_t number = 0;

    switch (option) {
    case 'w':
        if (!program_number(value, program->workers_max, &number) ||
            number == 0)
            return workers_range(program->workers_max);
        search->workers = (unsigned)number;
        return NULL;
    case 'f':
        if (!program_number(value, EXPLORE_FAULTS_MAX, &number))
            return "0 to 15";
        search->faults = (int)number;
        return NULL;
    case 'm':
        if (!program_number(value, GIB_MAX, &number) || number == 0)
            return "1 to 1024";
        search->gib = (unsigned long)number;
        return NULL;
    case 's':
        if (!program_number(value, UINT32_MAX - 1, &search->states))
            return "a number that is not too large";
        return NULL;
    case 'j':
        search->json = true;
        return NULL;
    default:
        return program->take(program->options, option, value);
    }
}

static bool
check_words(const struct program_verb *verb, int argc, char **argv)
{
    int most = optind + (verb->word == NULL ? 0 : 1);

    if (argc > most) {
        program_complain("'%s' is one word too many", argv[most]);
        return false;
    }
    if (verb->see != NULL && argc < most) {
        program_complain("%s needs a %s (see %s %s)", verb->name, verb->word,
                         name, verb->see);
        return false;
    }
    return true;
}

/* Read the options of the verb argv[0], which is then the program's name, and
 * make sure that it has its word, which is left at optind. */
static bool
parse(const struct program *program, const struct program_verb *verb, int argc,
      char **argv)
{
    static char called[32]; /* whose messages getopt's are */
    struct option known[OPTIONS_MAX];
    int index = -1;
    int option;

    list_options(program, known);
    snprintf(called, sizeof(called), "%s", name);
    argv[0] = called;
    while ((option = getopt_long(argc, argv, program->letters, known,
                                 &index)) != -1) {
        const char *range;

        if (option == '?')
            return false; /* getopt has said why */
        if (strchr(verb->takes, option) == NULL) {
            if (index < 0)
                program_complain("%s takes no -%c", verb->name, option);
            else
                program_complain("%s takes no --%s", verb->name,
                                 known[index].name);
            return false;
        }
        range = take(program, option, optarg);
        if (range != NULL) {
            program_complain("--%s cannot be '%s': it is %s", known[index].name,
                             optarg, range);
            return false;
        }
        index = -1;
    }
    return check_words(verb, argc, argv);
}

/* ---- The program --------------------------------------------------------- */

/* A check that fails outside of any step of a machine is a fault of ours. */
static void
own_failure(const char *what, const char *file, int line)
{
    program_complain("a fault of its own: %s:%d: %s", file, line, what);
    exit(EXIT_INTERNAL);
}

static const struct program_verb *
find_verb(const struct program *program, const char *word)
{
    for (const struct program_verb *verb = program->verbs; verb->name != NULL;
         verb++)
        if (strcmp(verb->name, word) == 0)
            return verb;
    program_complain("there is no verb '%.60s' (see %s --help)", word, name);
    return NULL;
}

static int
run(const struct program *program, int argc, char **argv)
{
    struct sigaction action = {.sa_handler = stop};
    const char *word = argc > 1 ? argv[1] : "";
    const struct program_verb *verb;

    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 ||
        strcmp(word, "help") == 0 ||
        (argc == 3 && strcmp(argv[2], "--help") == 0)) {
        fputs(program->help, stdout);
        return 0;
    }
    if (strcmp(word, "--version") == 0) {
        printf("%s %s\n", name, program->version);
        return 0;
    }
    if (argc < 2) {
        fputs(program->help, stderr);
        return EXIT_USAGE;
    }
    verb = find_verb(program, word);
    if (verb == NULL || !parse(program, verb, argc - 1, argv + 1))
        return EXIT_USAGE;
    sigaction(SIGINT, &action, NULL);
    hf_check_listen(own_failure);
    return verb->run(program->options,
                     optind + 1 < argc ? argv[optind + 1] : NULL);
}

/* What did not arrive was not told. */
int
program_main(const struct program *program, int argc, char **argv)
{
    int code;

    name = program->name;
    code = run(program, argc, argv);
    if (fflush(stdout) == 0 && ferror(stdout) == 0)
        return code;
    program_complain("cannot write to stdout");
    return code == 0 ? EXIT_UNAVAILABLE : code;
}

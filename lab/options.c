#include "lab/options.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "lab/world/world.h"

int
options_usage(FILE *to)
{
    fputs(
        "usage: holdfast-lab prove [--quick|--all] [--full] [--workers N]\n"
        "                          [--faults F] [--json] [WORLD]\n"
        "       holdfast-lab run [--workers N] [--faults F] [--set K=V ...] "
        "[--only P]\n"
        "                        [--svg FILE] SPECIMEN\n"
        "       holdfast-lab wander [--seed N] [--walks N] [--workers N] "
        "WORLD\n"
        "       holdfast-lab replay [--on sqlite:PATH] [--svg FILE] LINE\n"
        "       holdfast-lab report -o DIR [--proofs FILE] [--mutants FILE]\n"
        "       holdfast-lab list\n"
        "\n"
        "Searches every order of events for one that breaks a promise of\n"
        "docs/guarantees.md, with the machines of src/core as they run.\n"
        "\n"
        "  prove    visit every state of the world, or of all worlds: print a\n"
        "           line for each, and the schedule of a violation\n"
        "  run      the same for a specimen: somebody else's lock\n"
        "  wander   seeded random walks, for worlds too large to be proved\n"
        "  replay   tell a schedule again, from the line that was printed\n"
        "  report   all that is found, as one page: DIR/index.html\n"
        "  list     the worlds and the specimens, and what each is about\n"
        "\n"
        "  --workers N  1 to 4        --faults F  at most so many, 0 to 15\n"
        "  --memory G   GiB, 8        --states N  at most so many\n"
        "  --quick      the proofs that make test makes, in half a minute\n"
        "  --all        also those that make prove-all makes, in an hour\n"
        "  --full       also the orders of events that can tell nothing new\n"
        "  --trace      the schedule as a table, workers side by side\n"
        "  --set K=V    a specimen's own settings, which list shows\n"
        "  --only P     look for one property of a specimen, as \"overlap\"\n"
        "  --on PLACE   replay a table specimen in a real database as well,\n"
        "               sqlite:PATH, and compare\n"
        "  --svg FILE   draw what a specimen's search found, or a line tells\n"
        "  -o DIR       where the report is written; made if missing\n"
        "  --proofs FILE   what prove has printed; else the quick proofs\n"
        "  --mutants FILE  what scripts/mutants.py --tsv has written\n"
        "  --json       one JSON object a proof\n"
        "  --version    which it is\n"
        "\n"
        "Exit: 0 as expected; 1 not as expected, as a promise that is broken,\n"
        "or is not where it must be; 75 a limit or an interrupt came first,\n"
        "and nothing was found; 64 usage; 70 a failure of its own, as no\n"
        "memory.  replay: 0 nothing is broken; 1 a promise is, or the line is\n"
        "not possible here; with --on, 0 the database agrees and 1 it "
        "differs.\n"
        "65 the database is not empty, or a file is not what it should be; 69\n"
        "the database, the report or FILE cannot be written, 77 by "
        "permission.\n",
        to);
    return to == stdout ? 0 : EXIT_USAGE;
}

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

static const struct option known[] = {
    {"workers", required_argument, NULL, 'w'},
    {"faults", required_argument, NULL, 'f'},
    {"memory", required_argument, NULL, 'm'},
    {"states", required_argument, NULL, 's'},
    {"seed", required_argument, NULL, 'S'},
    {"walks", required_argument, NULL, 'W'},
    {"set", required_argument, NULL, 'k'},
    {"only", required_argument, NULL, 'y'},
    {"on", required_argument, NULL, 'O'},
    {"proofs", required_argument, NULL, 'p'},
    {"mutants", required_argument, NULL, 'M'},
    {"svg", required_argument, NULL, 'v'},
    {"quick", no_argument, NULL, 'q'},
    {"all", no_argument, NULL, 'a'},
    {"full", no_argument, NULL, 'F'},
    {"json", no_argument, NULL, 'j'},
    {"trace", no_argument, NULL, 't'},
    {NULL, 0, NULL, 0},
};

/* What a verb takes: options, and a word. */
struct verb {
    const char *name;
    const char *takes;
    const char *word; /* what it is; NULL: there is none */
    const char *see;  /* where one is found; NULL: it may be left out */
};

static const struct verb verbs[] = {
    {"prove", "wfmsqaFjt", "WORLD", NULL},
    {"run", "wfmskyvj", "SPECIMEN", "list"},
    {"wander", "wSWt", "WORLD", "list"},
    {"replay", "Ovt", "LINE", "--help"},
    {"report", "opM", NULL, NULL},
    {"list", "", NULL, NULL},
};

static const struct verb *
find_verb(const char *name)
{
    for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
        if (strcmp(verbs[i].name, name) == 0)
            return &verbs[i];
    fprintf(stderr,
            "holdfast-lab: there is no verb '%.60s' (see holdfast-lab "
            "--help)\n",
            name);
    return NULL;
}

/* "--json", "-o". */
static bool
refuse_option(const struct verb *verb, int option, int index)
{
    if (option == 'o')
        fprintf(stderr, "holdfast-lab: %s takes no -o\n", verb->name);
    else
        fprintf(stderr, "holdfast-lab: %s takes no --%s\n", verb->name,
                known[index].name);
    return false;
}

/* An option that is a word, or nothing but itself; false: it is neither. */
static bool
take_word(int option, const char *word, struct options *o)
{
    switch (option) {
    case 'y':
        o->only = word;
        return true;
    case 'O':
        o->on = word;
        return true;
    case 'o':
        o->folder = word;
        return true;
    case 'p':
        o->proofs = word;
        return true;
    case 'M':
        o->mutants = word;
        return true;
    case 'v':
        o->svg = word;
        return true;
    case 'q':
        return o->quick = true;
    case 'a':
        return o->all = true;
    case 'F':
        return o->full = true;
    case 'j':
        return o->json = true;
    case 't':
        return o->trace = true;
    default:
        return false;
    }
}

/* What an option of that name may be. */
static const char *
range_of(int option)
{
    switch (option) {
    case 'w':
        return "1 to 4";
    case 'f':
        return "0 to 15";
    case 'm':
        return "1 to 1024";
    case 'W':
        return "at least 1";
    case 'k':
        return "one setting too many";
    default:
        return "a number that is not too large";
    }
}

static bool
check_words(int argc, char **argv, const struct verb *verb)
{
    int most = optind + (verb->word == NULL ? 0 : 1);

    if (argc > most) {
        fprintf(stderr, "holdfast-lab: '%s' is one word too many\n",
                argv[most]);
        return false;
    }
    if (verb->see != NULL && argc < most) {
        fprintf(stderr, "holdfast-lab: %s needs a %s (see holdfast-lab %s)\n",
                verb->name, verb->word, verb->see);
        return false;
    }
    return true;
}

bool
options_parse(int argc, char **argv, struct options *o)
{
    static char program[] = "holdfast-lab"; /* whose messages getopt's are */
    const struct verb *verb = find_verb(argv[0]);
    uint64_t number = 0;
    int index = 0;
    int option;

    if (verb == NULL)
        return false;
    argv[0] = program;
    while ((option = getopt_long(argc, argv, "o:", known, &index)) != -1) {
        bool good = true;

        if (option != '?' && strchr(verb->takes, option) == NULL)
            return refuse_option(verb, option, index);
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
            good = parse_number(optarg, UINT64_MAX, &o->walks) && o->walks > 0;
            break;
        case 'k':
            good = o->set_count < SPECIMEN_SETTINGS_MAX;
            if (good)
                o->set[o->set_count++] = optarg;
            break;
        default:
            if (!take_word(option, optarg, o))
                return false; /* getopt has said so */
        }
        if (!good) {
            fprintf(stderr, "holdfast-lab: --%s cannot be '%s': it is %s\n",
                    known[index].name, optarg, range_of(option));
            return false;
        }
    }
    return check_words(argc, argv, verb);
}

#include "lab/options.h"

const char options_help[] =
    "usage: holdfast-lab prove [--quick|--all] [--full] [--workers N]\n"
    "                          [--faults F] [--json] [WORLD]\n"
    "       holdfast-lab wander [--seed N] [--walks N] [--workers N] WORLD\n"
    "       holdfast-lab replay [--trace] LINE\n"
    "       holdfast-lab list\n"
    "       holdfast-lab promises\n"
    "\n"
    "Searches every order of events for one that breaks a promise of\n"
    "docs/guarantees.md, with the machines of src/core as they run.\n"
    "\n"
    "  prove     visit every state of the world, or of all worlds: print a\n"
    "            line for each, and the schedule of a violation\n"
    "  wander    seeded random walks, for worlds too large to be proved\n"
    "  replay    tell a schedule again, from the line that was printed\n"
    "  list      the worlds, and what each is about\n"
    "  promises  what is looked for, and when it is broken\n"
    "\n"
    "  --workers N  1 to 4        --faults F  at most so many, 0 to 15\n"
    "  --memory G   GiB, 8        --states N  at most so many\n"
    "  --quick      the proofs that make test makes, in half a minute\n"
    "  --all        also those that make prove-all makes, in an hour\n"
    "  --full       also the orders of events that show nothing new\n"
    "  --trace      the schedule as a table, workers side by side\n"
    "  --json       one JSON object a proof\n"
    "  --version    which it is\n"
    "\n"
    "  holdfast-lab prove takeover --workers 2 --faults 1\n"
    "  holdfast-lab wander --walks 1000 --workers 4 refuse\n"
    "\n"
    "Exit: 0 as expected; 1 not as expected, as a promise that is broken,\n"
    "or is not where it must be; 75 a limit or an interrupt came first,\n"
    "and nothing was found; 64 usage; 69 stdout cannot be written; 70 a\n"
    "failure of its own, as no memory.  replay: 0 nothing is broken; 1 a\n"
    "promise is, or the line is not possible here.\n";

const struct option options_own[] = {
    {"seed", required_argument, NULL, 'S'},
    {"walks", required_argument, NULL, 'W'},
    {"quick", no_argument, NULL, 'q'},
    {"all", no_argument, NULL, 'a'},
    {"full", no_argument, NULL, 'F'},
    {"trace", no_argument, NULL, 't'},
    {NULL, 0, NULL, 0},
};

const char *
options_take(void *options, int option, const char *value)
{
    struct options *o = options;

    switch (option) {
    case 'S':
        return program_number(value, UINT64_MAX, &o->seed)
                   ? NULL
                   : "a number that is not too large";
    case 'W':
        return program_number(value, UINT64_MAX, &o->walks) && o->walks > 0
                   ? NULL
                   : "at least 1";
    case 'q':
        o->quick = true;
        break;
    case 'a':
        o->all = true;
        break;
    case 'F':
        o->full = true;
        break;
    default:
        o->trace = true;
    }
    return NULL;
}

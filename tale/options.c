#include "tale/options.h"

const char options_help[] =
    "usage: holdfast-tale run [--workers N] [--faults F] [--set K=V ...]\n"
    "                         [--only P] [--svg FILE] [--json] SPECIMEN\n"
    "       holdfast-tale replay [--on sqlite:PATH] [--svg FILE] LINE\n"
    "       holdfast-tale report -o DIR [--proofs FILE] [--mutants FILE]\n"
    "       holdfast-tale list\n"
    "\n"
    "Tells how the locks of others fail: each is a specimen, written as its\n"
    "source tells it, and every order of its events is tried.\n"
    "\n"
    "  run      visit every state of the specimen, and tell the schedule\n"
    "           of what breaks\n"
    "  replay   tell a schedule again, from the line that was printed\n"
    "  report   all that is found, as one page: DIR/index.html\n"
    "  list     the specimens, what each is about, and its settings\n"
    "\n"
    "  --workers N  1 to 4        --faults F  at most so many, 0 to 15\n"
    "  --memory G   GiB, 8        --states N  at most so many\n"
    "  --set K=V    a specimen's own settings, which list shows\n"
    "  --only P     look for one property alone, as \"overlap\"\n"
    "  --svg FILE   draw what the search found, or the line tells\n"
    "  --on PLACE   replay a table specimen in a real database as well,\n"
    "               sqlite:PATH, and compare\n"
    "  -o DIR       where the report is written; made if missing\n"
    "  --proofs FILE   what holdfast-lab prove has printed\n"
    "  --mutants FILE  what scripts/mutants.py --tsv has written\n"
    "  --json       one JSON object\n"
    "  --version    which it is\n"
    "\n"
    "  holdfast-tale run draft4 --svg draft4.svg\n"
    "  holdfast-tale replay draft1:2:1,2\n"
    "\n"
    "Exit: 0 as its source tells; 1 not so; 75 a limit or an interrupt came\n"
    "first, and nothing was found; 64 usage; 70 a failure of its own, as no\n"
    "memory.  replay: 0 nothing is broken; 1 a property is, or the line is\n"
    "not possible here; with --on, 0 the database agrees and 1 it differs.\n"
    "65 the database is not empty, or a file is not what it should be; 69\n"
    "the database, the report or FILE cannot be written, 77 by permission.\n";

const struct option options_own[] = {
    {"set", required_argument, NULL, 'k'},
    {"only", required_argument, NULL, 'y'},
    {"on", required_argument, NULL, 'O'},
    {"svg", required_argument, NULL, 'v'},
    {"proofs", required_argument, NULL, 'p'},
    {"mutants", required_argument, NULL, 'M'},
    {NULL, 0, NULL, 0},
};

const char *
options_take(void *options, int option, const char *value)
{
    struct options *o = options;

    switch (option) {
    case 'k':
        if (o->set_count == SPECIMEN_SETTINGS_MAX)
            return "one setting too many";
        o->set[o->set_count++] = value;
        break;
    case 'y':
        o->only = value;
        break;
    case 'O':
        o->on = value;
        break;
    case 'v':
        o->svg = value;
        break;
    case 'p':
        o->proofs = value;
        break;
    case 'M':
        o->mutants = value;
        break;
    default:
        o->folder = value;
    }
    return NULL;
}

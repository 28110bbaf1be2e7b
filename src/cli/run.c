#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "options.h"
#include "run_loop.h"
#include "say.h"
#include "verbs.h"

static const char help[] =
    "usage: holdfast run [OPTION...] NAME... -- COMMAND [ARGUMENT...]\n"
    "\n"
    "Wait for the lock NAME, run COMMAND while it is held, give it back.  Of\n"
    "several, which only a lock server keeps, all are held or none.\n"
    "\n"
    "  -n                do not wait: give up at the holder's first sign of\n"
    "                    life; nor for a place that others keep locked for\n"
    "                    2s, or that does not answer within them (69)\n"
    "  -w, --wait DURATION  wait so long at most (default 10m), or `forever`;\n"
    "                    a number alone is of seconds\n"
    "  -E CODE           exit code when it was not acquired in time, instead "
    "of\n"
    "                    75: 0 to 255\n"
    "  --if-suspected WHAT  when a refuse holder is suspected dead:\n"
    "                      fail  at once, with 73 (default)\n"
    "                      wait  on, to the limit: it may beat again\n"
    "  --if-dead WHAT    what others may do when this holder dies:\n"
    "                      takeover  the next one takes the lock over, with\n"
    "                                a higher fence (default)\n"
    "                      refuse    nobody, until a person clears it\n"
    "  --ttl DURATION    unchanged for so long, the record is dead (default\n"
    "                    30s, for refuse 60s); at least 3 beats + grace +\n"
    "                    a margin of ttl/20, which is 250ms at least\n"
    "  --beat DURATION   between two heartbeats (default 2s)\n"
    "  --grace DURATION  between TERM and KILL, when the command must end\n"
    "                    (default ttl/3, 10s at most)\n"
    "  --hold-at-least DURATION  for so long from the grant, also when "
    "COMMAND\n"
    "                    has ended before, with whatever exit code\n"
    "  --leave           give it back when COMMAND has ended by itself, "
    "though\n"
    "                    it has left processes, a daemon say; they run on\n"
    "  --shared          with others that share it: needs a lock server\n"
    "  --reason TEXT     why, for people who look\n"
    "  -q, --quiet       say nothing of waiting, of a takeover, or of a lock\n"
    "                    that was not acquired in time\n"
    "  --at PLACE        where the locks are kept: sqlite:/path/locks.db, or "
    "a\n"
    "                    lock server, http://HOST:7420[,HOST:7421...]: nodes\n"
    "                    that serve one file, on one machine\n"
    "  --space SPACE     names are unique within one (default `default`)\n"
    "  --json            say nothing but the answer, as one line of JSON on\n"
    "                    stderr\n"
    "  --json-fd N       write that line to the descriptor N instead; without\n"
    "                    --json the rest is said as always\n"
    "  -h, --help        this text\n"
    "\n"
    "Durations: 500ms, 1.5s, 10m, 2h, 1d12h.  COMMAND finds HOLDFAST_NAME,\n"
    "_SPACE, _FENCE, _AT and _HELD in its environment.  Signals are passed on\n"
    "to it.\n"
    "\n"
    "Exit: COMMAND's own code, 128+N when it ended by signal N;\n"
    "  75 not acquired in time       73 the holder is dead: needs a person\n"
    "  76 lost while running         69 the place is unavailable\n"
    "  77 permission denied          64 wrong usage\n"
    "  65 the place holds something that is not ours\n"
    "  70 our own bug, no memory     126, 127 cannot execute, not found\n"
    "\n"
    "  holdfast run backup -- ./backup.sh\n"
    "  holdfast run -n nightly -- make nightly\n"
    "  holdfast run --if-dead refuse -w 2h migrate -- ./migrate.sh\n";

static int
take_if_suspected(struct hf_run_order *order)
{
    struct hf_text word = HF_PHRASE;

    if (strcmp(optarg, "wait") != 0 && strcmp(optarg, "fail") != 0) {
        hf_phrase_quote(&word, optarg);
        return hf_say_usage("run", "--if-suspected is wait or fail, not %s",
                            word.at);
    }
    order->waits_for_suspected = strcmp(optarg, "wait") == 0;
    return 0;
}

/* -E, as of flock. */
static int
take_exit_code(struct hf_run_order *order)
{
    size_t len = strspn(optarg, "0123456789");
    long code = strtol(optarg, NULL, 10);

    if (optarg[len] != '\0' || len == 0 || len > 3 || code > 255)
        return hf_say_usage("run", "-E needs an exit code from 0 to 255");
    order->busy_exit = (int)code;
    return 0;
}

static int
take_if_dead(struct hf_run_order *order)
{
    struct hf_text word = HF_PHRASE;

    if (strcmp(optarg, hf_if_dead_word(HF_REFUSE)) == 0) {
        order->if_dead = HF_REFUSE;
    } else if (strcmp(optarg, hf_if_dead_word(HF_TAKEOVER)) == 0) {
        order->if_dead = HF_TAKEOVER;
    } else {
        hf_phrase_quote(&word, optarg);
        return hf_say_usage("run", "--if-dead is refuse or takeover, not %s",
                            word.at);
    }
    return 0;
}

static int
take_wait(struct hf_run_order *order)
{
    struct hf_duration none = {-1};

    order->wait = optarg;
    if (strcmp(optarg, "forever") == 0)
        return 0;
    if (strcmp(optarg, "0") == 0 ||
        (hf_duration_parse(optarg, &none, NULL) == HF_OK && none.ms == 0))
        return hf_say_usage("run", "-w %s does not wait: write -n", optarg);
    return hf_options_wait("run", "-w", &order->wait);
}

static int
take_hold_at_least(struct hf_run_order *order)
{
    const char *text = NULL;
    int wrong = hf_options_duration("run", "--hold-at-least", &text);

    if (wrong == 0) /* which was looked at */
        (void)!hf_duration_parse(text, &order->hold_at_least, NULL);
    return wrong;
}

/* The command is not given it: whoever reads it sees its end with ours. */
static int
take_json_fd(struct hf_run_order *order)
{
    size_t len = strspn(optarg, "0123456789");
    long fd = len > 0 && len < 7 && optarg[len] == '\0'
                  ? strtol(optarg, NULL, 10)
                  : -1;
    int flags = fd > STDERR_FILENO ? fcntl((int)fd, F_GETFL) : -1;

    if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY)
        return hf_say_usage("run",
                            "--json-fd needs a descriptor from 3 on that "
                            "is open for writing, as 3>FILE makes one");
    (void)fcntl((int)fd, F_SETFD, FD_CLOEXEC);
    order->json_fd = (int)fd;
    return 0;
}

/* Words that are no options are names. */
static int
take_name(struct hf_run_order *order, const char *name)
{
    size_t count = 0;

    while (order->names[count] != NULL)
        count++;
    if (count == HF_RUN_NAMES_MAX)
        return hf_say_usage("run",
                            "%d names at most; the command goes after --",
                            HF_RUN_NAMES_MAX);
    order->names[count] = name;
    order->which.name = order->names[0];
    return 0;
}

static int
take_option(struct hf_run_order *order, int option)
{
    switch (option) {
    case 1:
        return take_name(order, optarg);
    case 'n':
        order->try_only = true;
        return 0;
    case 'w':
        return take_wait(order);
    case 'E':
        return take_exit_code(order);
    case 'q':
        order->quiet = true;
        return 0;
    case HF_OPTION_IF_DEAD:
        return take_if_dead(order);
    case HF_OPTION_IF_SUSPECTED:
        return take_if_suspected(order);
    case HF_OPTION_TTL:
        return hf_options_duration("run", "--ttl", &order->ttl);
    case HF_OPTION_BEAT:
        return hf_options_duration("run", "--beat", &order->beat);
    case HF_OPTION_GRACE:
        return hf_options_duration("run", "--grace", &order->grace);
    case HF_OPTION_REASON:
        order->reason = optarg;
        return 0;
    case HF_OPTION_JSON_FD:
        return take_json_fd(order);
    case HF_OPTION_HOLD_AT_LEAST:
        return take_hold_at_least(order);
    case HF_OPTION_LEAVE:
        order->leave = true;
        return 0;
    case HF_OPTION_SHARED:
        order->mode = HF_SHARED;
        return 0;
    default:
        (void)hf_options_take(&order->which, option);
        return 0;
    }
}

/* Is an option that we do not have one of a command without its --?  No letter
 * of ours comes after the name so, and no name after another. */
static bool
is_of_command(const struct hf_run_order *order)
{
    bool is_letter = optopt > 0 && optopt < 256;

    return order->names[0] != NULL && (is_letter || order->names[1] != NULL);
}

/* There is a command, or the beginning of one, which is `word`. */
static int
say_no_dashes(const struct hf_run_order *order, const char *word)
{
    struct hf_text line = HF_PHRASE;

    hf_phrase_quote(&line, order->names[0]);
    hf_text_add(&line, " -- ");
    if (word[0] == '-')
        hf_text_add(&line, "COMMAND");
    else
        hf_phrase_quote(&line, word);
    return hf_say_usage("run", "the command goes after --: holdfast run %s …",
                        line.at);
}

/* After the last option: [-- NAME] -- COMMAND... */
static int
take_command(struct hf_run_order *order, int argc, char **argv)
{
    bool separated = optind > 1 && strcmp(argv[optind - 1], "--") == 0;

    if (order->which.name == NULL && optind < argc) {
        if (optind + 1 == argc || strcmp(argv[optind + 1], "--") != 0)
            return hf_say_usage("run", "which lock? its name goes before --: "
                                       "holdfast run NAME -- COMMAND");
        (void)take_name(order, argv[optind++]); /* it begins with - */
        separated = true;
        optind++;
    }
    if (order->which.name == NULL)
        return hf_say_usage("run", "which lock? (see holdfast run --help)");
    if (!separated && order->names[1] != NULL)
        return say_no_dashes(order, order->names[1]);
    if (optind == argc)
        return hf_say_usage("run", "what shall run? give NAME -- COMMAND");
    order->command = argv + optind;
    if ((order->names[1] != NULL || order->mode == HF_SHARED) &&
        !hf_options_at_server(&order->which))
        return hf_say_usage("run",
                            "several names, and --shared, need a lock server: "
                            "write --at http://HOST:7420");
    return hf_options_check_at(&order->which);
}

static int
read_line(struct hf_run_order *order, int argc, char **argv)
{
    static const struct option options[] = {
        {"if-dead", required_argument, NULL, HF_OPTION_IF_DEAD},
        {"if-suspected", required_argument, NULL, HF_OPTION_IF_SUSPECTED},
        {"quiet", no_argument, NULL, 'q'},
        {"wait", required_argument, NULL, 'w'},
        {"shared", no_argument, NULL, HF_OPTION_SHARED},
        {"json-fd", required_argument, NULL, HF_OPTION_JSON_FD},
        {"hold-at-least", required_argument, NULL, HF_OPTION_HOLD_AT_LEAST},
        {"leave", no_argument, NULL, HF_OPTION_LEAVE},
        {"ttl", required_argument, NULL, HF_OPTION_TTL},
        {"beat", required_argument, NULL, HF_OPTION_BEAT},
        {"grace", required_argument, NULL, HF_OPTION_GRACE},
        {"reason", required_argument, NULL, HF_OPTION_REASON},
        HF_OPTIONS_SHARED,
        {NULL, 0, NULL, 0},
    };

    for (;;) {
        int option = getopt_long(
            argc, argv, "-" HF_OPTIONS_LETTERS "nqw:E:", options, NULL);

        if (option < 0)
            break;
        if (option == '?' && is_of_command(order))
            return say_no_dashes(order, order->names[1] != NULL
                                            ? order->names[1]
                                            : argv[optind - 1]);
        if (option == '?' || option == ':')
            return hf_options_bad("run", option, argv, options);

        int wrong = take_option(order, option);

        if (wrong != 0 || order->which.help)
            return wrong;
    }
    if (order->try_only && order->wait != NULL)
        return hf_say_usage("run", "-n does not wait and -w does: choose one");
    return take_command(order, argc, argv);
}

int
hf_run_verb(int argc, char **argv)
{
    struct hf_run_order order = {.busy_exit = -1, .json_fd = -1};
    int wrong = read_line(&order, argc, argv);

    if (wrong != 0)
        return wrong;
    if (order.which.help)
        return hf_options_help(help);
    return hf_run_loop(&order);
}

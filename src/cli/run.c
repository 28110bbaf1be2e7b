#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "run_loop.h"
#include "say.h"
#include "verb.h"

static struct hf_run_order asked = {.busy_exit = -1, .json_fd = -1};

/* ---- Options ------------------------------------------------------------- */

static enum hf_status
set_wait(void *values, const struct hf_option_given *given,
         struct hf_error *error)
{
    struct hf_run_order *order = values;
    struct hf_duration none = {-1};

    order->wait = given->text;
    if (strcmp(given->text, "forever") == 0)
        return HF_OK;
    if (strcmp(given->text, "0") == 0 ||
        (hf_duration_parse(given->text, &none, NULL) == HF_OK && none.ms == 0))
        return hf_fail(error, HF_E_INVALID, "-w %s does not wait: write -n",
                       given->text);
    return hf_verb_set_wait(&order->wait, given, error);
}

/* The command does not get it: its reader sees the end when we end. */
static enum hf_status
set_json_fd(void *values, const struct hf_option_given *given,
            struct hf_error *error)
{
    struct hf_run_order *order = values;
    int64_t fd = -1;
    int flags = -1;

    if (hf_option_number(given->text, 999999, &fd) && fd > STDERR_FILENO)
        flags = fcntl((int)fd, F_GETFL);
    if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY)
        return hf_fail(error, HF_E_INVALID,
                       "--json-fd needs a descriptor from 3 on that is open "
                       "for writing, as 3>FILE makes one");
    (void)fcntl((int)fd, F_SETFD, FD_CLOEXEC);
    order->json_fd = (int)fd;
    return HF_OK;
}

/* Words that are no options are names. */
static enum hf_status
take_name(void *values, const struct hf_option_given *given,
          struct hf_error *error)
{
    struct hf_run_order *order = values;
    size_t count = 0;

    while (order->names[count] != NULL)
        count++;
    if (count == HF_RUN_NAMES_MAX)
        return hf_fail(error, HF_E_INVALID,
                       "%d names at most; the command goes after --",
                       HF_RUN_NAMES_MAX);
    order->names[count] = given->text;
    order->target.name = order->names[0];
    return HF_OK;
}

static const char *const suspected_words[] = {"fail", "wait", NULL};
static const char *const dead_words[] = {"takeover", "refuse", NULL};

static const struct hf_option options[] = {
    HF_OPTION(
        FLAG, NULL, struct hf_run_order, try_only, .letter = 'n',
        .also = "nonblock nb try",
        HF_HELP(
            "do not wait: give up at the holder's first sign of life; nor for "
            "a place that others keep locked for 2s, or that does not answer "
            "within them (69)")),
    HF_OPTION_SET(
        "wait", set_wait, .letter = 'w', .also = "timeout", .value = "DURATION",
        HF_HELP(
            "wait so long at most (default 10m), or `forever`; a number alone "
            "is of seconds")),
    HF_OPTION(
        NUMBER, NULL, struct hf_run_order, busy_exit, .letter = 'E',
        .most = 255, .wants = "needs an exit code from 0 to 255",
        .also = "conflict-exit-code", .value = "CODE",
        HF_HELP(
            "exit code when it was not acquired in time, instead of 75: 0 to "
            "255")),
    HF_OPTION(FLAG, "if-suspected", struct hf_run_order, waits_for_suspected,
              .words = suspected_words, .value = "WHAT",
              HF_HELP("when a refuse holder is suspected dead:\n"
                      "  fail  at once, with 73 (default)\n"
                      "  wait  on, to the limit: it may beat again")),
    HF_OPTION(WORD, "if-dead", struct hf_run_order, if_dead,
              .words = dead_words, .value = "WHAT",
              HF_HELP("what others may do when this holder dies:\n"
                      "  takeover  the next one takes the lock over, with\n"
                      "            a higher fence (default)\n"
                      "  refuse    nobody, until a person clears it")),
    HF_OPTION(
        DURATION_TEXT, "ttl", struct hf_run_order, ttl, .least = 1,
        .value = "DURATION",
        HF_HELP("unchanged for so long, the record is dead (default 30s, for "
                "refuse 60s); at least 3 beats + grace + a margin of ttl/20, "
                "which is 250ms at least")),
    HF_OPTION(DURATION_TEXT, "beat", struct hf_run_order, beat, .least = 1,
              .value = "DURATION",
              HF_HELP("between two heartbeats (default 2s)")),
    HF_OPTION(
        DURATION_TEXT, "grace", struct hf_run_order, grace, .least = 1,
        .value = "DURATION",
        HF_HELP(
            "between TERM and KILL, when the command must end (default ttl/3, "
            "10s at most)")),
    HF_OPTION(
        DURATION, "hold-at-least", struct hf_run_order, hold_at_least,
        .least = 1, .value = "DURATION",
        HF_HELP(
            "for so long from the grant, also when COMMAND has ended before, "
            "with whatever exit code")),
    HF_OPTION(
        FLAG, "leave", struct hf_run_order, leave,
        HF_HELP("give it back when COMMAND has ended by itself, though it has "
                "left processes, a daemon say; they run on")),
    HF_OPTION(FLAG, "shared", struct hf_run_order, shared,
              HF_HELP("with others that share it: needs a lock server")),
    HF_OPTION(TEXT, "reason", struct hf_run_order, reason, .value = "TEXT",
              HF_HELP("why, for people who look")),
    HF_OPTION(
        FLAG, "quiet", struct hf_run_order, quiet, .letter = 'q',
        HF_HELP(
            "say nothing of waiting, of a takeover, or of a lock that was not "
            "acquired in time")),
    HF_VERB_AT("where the locks are kept: sqlite:/path/locks.db, or a lock "
               "server, http://HOST:7420[,HOST:7421...]: nodes that serve one "
               "file, on one machine"),
    HF_VERB_SPACE("names are unique within one (default `default`)"),
    HF_VERB_JSON("say nothing but the answer, as one line of JSON on stderr"),
    HF_OPTION_SET(
        "json-fd", set_json_fd, .value = "N",
        HF_HELP(
            "write that line to the descriptor N instead; without --json the "
            "rest is said as always")),
    HF_VERB_HELP,
};

/* ---- Names and the command ----------------------------------------------- */

/* Is an option that we do not have one of a command without its --?  No letter
 * of ours comes after the name so, and no name after another. */
static bool
is_of_command(const struct hf_run_order *order, bool is_letter)
{
    return order->names[0] != NULL && (is_letter || order->names[1] != NULL);
}

/* There is a command, or the beginning of one, which is `word`. */
static int
say_no_dashes(const struct hf_run_order *order, const char *word)
{
    struct hf_text line = HF_OUTPUT_BUFFER;

    hf_output_quote(&line, order->names[0]);
    hf_text_add(&line, " -- ");
    if (word[0] == '-')
        hf_text_add(&line, "COMMAND");
    else
        hf_output_quote(&line, word);
    return hf_say_usage("run", "the command goes after --: holdfast run %s …",
                        line.at);
}

static int
say_unknown(const struct hf_arguments *arguments)
{
    const char *second = asked.names[1];

    if (!is_of_command(&asked, arguments->unknown_letter))
        return 0;
    return say_no_dashes(&asked, second != NULL ? second : arguments->unknown);
}

/* After the last option: [-- NAME] -- COMMAND... */
static int
take_command(struct hf_run_order *order)
{
    char **words = order->target.operands;
    size_t count = order->target.operands_count;
    bool separated = strcmp(words[-1], "--") == 0;

    if (order->target.name == NULL && count > 0) {
        if (count == 1 || strcmp(words[1], "--") != 0)
            return hf_say_usage("run", "which lock? its name goes before --: "
                                       "holdfast run NAME -- COMMAND");
        order->names[0] = words[0]; /* it begins with - */
        order->target.name = words[0];
        separated = true;
        words += 2;
        count -= 2;
    }
    if (order->target.name == NULL)
        return hf_say_usage("run", "which lock? (see holdfast run --help)");
    if (!separated && order->names[1] != NULL)
        return say_no_dashes(order, order->names[1]);
    if (count == 0)
        return hf_say_usage("run", "what shall run? give NAME -- COMMAND");
    order->command = words;
    if ((order->names[1] != NULL || order->shared) &&
        !hf_cli_target_is_server(&order->target))
        return hf_say_usage("run",
                            "several names, and --shared, need a lock server: "
                            "write --at http://HOST:7420");
    return hf_cli_target_check(&order->target);
}

static int
run(struct hf_ask *ask)
{
    int wrong;

    (void)ask; /* it has a client of its own */
    if (asked.try_only && asked.wait != NULL)
        return hf_say_usage("run", "-n does not wait and -w does: choose one");
    wrong = take_command(&asked);
    return wrong != 0 ? wrong : hf_run_loop(&asked);
}

const struct hf_verb hf_run_verb = {
    .name = "run",
    .also = "lock exec acquire",
    .brief = "hold a lock while a command runs",
    .usage =
        "usage: holdfast run [OPTION...] NAME... -- COMMAND [ARGUMENT...]\n"
        "\n"
        "Wait for the lock NAME, run COMMAND while it is held, give it back.  "
        "Of several, which only a lock server keeps, all are held or none.",
    .notes =
        "Durations: 500ms, 1.5s, 10m, 2h, 1d12h.  COMMAND finds "
        "HOLDFAST_NAME, _SPACE, _FENCE, _AT and _HELD in its environment.  "
        "Signals are passed on to it.",
    .exits = "COMMAND's own code, 128+N when it ended by signal N;\n"
             "75 not acquired in time       73 the holder is dead: needs a "
             "person\n"
             "76 lost while running         69 the place is unavailable\n"
             "77 permission denied          64 wrong usage\n"
             "65 the place holds something that is not ours\n"
             "70 our own bug, no memory     126, 127 cannot execute, not found",
    .examples =
        "  holdfast run backup -- ./backup.sh\n"
        "  holdfast run -n nightly -- make nightly\n"
        "  holdfast run --if-dead refuse -w 2h migrate -- ./migrate.sh\n",
    HF_VERB_OPTIONS(options),
    .operands = HF_VERB_OTHERS,
    .values = &asked,
    .operand = take_name,
    .unknown = say_unknown,
    .run = run,
};

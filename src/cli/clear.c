#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "line.h"
#include "options.h"
#include "report.h"
#include "say.h"
#include "verbs.h"

static const char help[] =
    "usage: holdfast clear [OPTION...] --reason TEXT NAME\n"
    "\n"
    "Delete the record of a dead holder by hand, whatever its --if-dead says.\n"
    "Watches it for its whole ttl first, and leaves it alone when it shows\n"
    "life; a holder whose processes are gone from this host is not watched.\n"
    "\n"
    "  --reason TEXT  why; kept with who and when in the audit\n"
    "  --force        do not watch for a sign of life first.  A holder that\n"
    "                 is alive then loses its lock, and learns it only at its\n"
    "                 next beat: until then two may run at once\n"
    "  --fence N      clear the holder of this fence, and no later one\n"
    "  --at PLACE     where the locks are kept\n"
    "  --space SPACE  default `default`\n"
    "  --json         the answer as one JSON object\n"
    "  -h, --help     this text\n"
    "\n"
    "Exit: 0 cleared; 1 no such lock, or not of that fence; 75 not cleared:\n"
    "  its holder shows life, or it changed hands meanwhile; 69 the place is\n"
    "  unavailable, 77 permission denied, 64 wrong usage, 65 the record is "
    "not\n"
    "  ours.\n"
    "\n"
    "  holdfast clear --reason 'the machine lost power; schema checked' \\\n"
    "      migrate\n";

struct reading {
    struct hf_which which;
    const char *reason;
    bool force;
    uint64_t fence; /* 0: whoever has it */
};

static int
print_json(const struct hf_cleared *answer)
{
    struct hf_text out = HF_PHRASE;

    hf_text_addf(
        &out, "{\"cleared\":%s,\"seen\":", answer->cleared ? "true" : "false");
    hf_phrase_diagnosis(&out, &answer->seen);
    hf_text_add(&out, "}\n");
    return hf_say_output(&out) ? 0 : HF_EXIT_OURS;
}

static int
say_cleared(const struct hf_cleared *answer, const char *name, bool force)
{
    struct hf_diagnosis seen = answer->seen;
    struct hf_text out = HF_PHRASE;

    if (force)
        seen.watched.ms = 0;

    hf_text_addf(&out, "cleared %s\n", name);
    if (!seen.record.corrupt)
        hf_report_holder(&out, "  ", &seen);
    return hf_say_output(&out) ? 0 : HF_EXIT_OURS;
}

static int
say_not_cleared(const struct hf_cleared *answer, const char *name)
{
    struct hf_text out = HF_PHRASE;

    hf_text_addf(&out, "holdfast: %s was not cleared: %s\n", name,
                 answer->seen.life == HF_LIFE_BEATING ||
                         answer->seen.life == HF_LIFE_RUNNING
                     ? "its holder is alive"
                     : "it changed while it was watched");
    if (!answer->seen.record.corrupt)
        hf_report_holder(&out, "holdfast:   ", &answer->seen);
    hf_say_text(&out);
    return HF_EXIT_ALIVE;
}

/* Another one came, or it was had, given back and had again. */
static int
say_another(const struct hf_cleared *answer, const struct reading *r,
            const char *name)
{
    hf_say("%s was not cleared: its fence is %" PRIu64 " by now, not %" PRIu64
           ": another holder has it",
           name, answer->seen.record.fence, r->fence);
    return HF_EXIT_NONE;
}

static int
clear(struct hf_client *client, const struct reading *r)
{
    struct hf_text name = HF_PHRASE;
    struct hf_line line;
    struct hf_clear_options options = {
        .space = r->which.space,
        .reason = r->reason,
        .force = r->force,
        .fence = r->fence,
        .on_waiting = hf_line_show,
        .ctx = &line,
    };
    struct hf_cleared answer;
    struct hf_error error = {0};
    bool another;

    hf_phrase_quote(&name, r->which.name);
    hf_line_init(&line, r->force ? "clearing" : "watching", name.at,
                 hf_client_place(client));
    line.silent = r->which.json;

    enum hf_status status =
        hf_clear(client, r->which.name, &options, &answer, &error);

    hf_line_end(&line);
    if (status != HF_OK)
        return hf_say_failure(&error, status);
    another = !answer.cleared && r->fence != 0 &&
              answer.seen.record.fence != r->fence;
    if (!answer.cleared && !answer.seen.record.exists)
        return hf_report_none(&r->which, hf_client_place(client));
    if (r->which.json) {
        int code = print_json(&answer);

        if (answer.cleared || code != 0)
            return code;
        return another ? HF_EXIT_NONE : HF_EXIT_ALIVE;
    }
    if (another)
        return say_another(&answer, r, name.at);
    return answer.cleared ? say_cleared(&answer, name.at, r->force)
                          : say_not_cleared(&answer, name.at);
}

static int
take_fence(struct reading *r)
{
    char *end = NULL;

    errno = 0;
    r->fence = strtoull(optarg, &end, 10);
    if (errno != 0 || *end != '\0' || optarg[0] < '0' || optarg[0] > '9' ||
        r->fence == 0)
        return hf_say_usage("clear", "--fence needs the number of a fence");
    return 0;
}

static int
read_line(struct reading *r, int argc, char **argv)
{
    static const struct option options[] = {
        {"reason", required_argument, NULL, HF_OPTION_REASON},
        {"force", no_argument, NULL, HF_OPTION_FORCE},
        {"fence", required_argument, NULL, HF_OPTION_FENCE},
        HF_OPTIONS_SHARED,
        {NULL, 0, NULL, 0},
    };

    for (;;) {
        int option = getopt_long(argc, argv, HF_OPTIONS_LETTERS, options, NULL);
        int wrong = 0;

        if (option < 0)
            break;
        if (option == '?' || option == ':')
            return hf_options_bad("clear", option, argv);
        if (option == HF_OPTION_REASON)
            r->reason = optarg;
        else if (option == HF_OPTION_FORCE)
            r->force = true;
        else if (option == HF_OPTION_FENCE)
            wrong = take_fence(r);
        else
            (void)hf_options_take(&r->which, option);
        if (wrong != 0)
            return wrong;
    }
    if (r->which.help)
        return 0;

    int wrong = hf_options_name("clear", argc, argv, &r->which);

    if (wrong == 0 && (r->reason == NULL || r->reason[0] == '\0'))
        return hf_say_usage("clear", "--reason is required: say why");
    return wrong;
}

int
hf_clear_verb(int argc, char **argv)
{
    struct reading r = {.reason = NULL};
    struct hf_client *client;
    int code = read_line(&r, argc, argv);

    if (code != 0)
        return code;
    if (r.which.help)
        return hf_options_help(help);
    code = hf_options_open(&r.which, r.which.name, &client);
    if (code != 0)
        return code;
    code = clear(client, &r);
    hf_close(client);
    return code;
}

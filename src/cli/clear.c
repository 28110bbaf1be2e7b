#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "ask.h"
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
    "  --force        do not watch for a sign of life first, and delete it\n"
    "                 though it beats meanwhile.  A holder that is alive then\n"
    "                 loses its lock, and learns it only at its next beat:\n"
    "                 until then two may run at once\n"
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
    const char *fence_text; /* as given; NULL: whoever has it */
    uint64_t fence;         /* the same; 0 */
};

static int
print_json(const struct hf_view *seen, bool cleared)
{
    struct hf_text out = HF_PHRASE;

    hf_text_addf(&out, "{\"cleared\":%s,\"seen\":", cleared ? "true" : "false");
    hf_phrase_view(&out, seen);
    hf_text_add(&out, "}\n");
    return hf_say_output(&out) ? 0 : HF_EXIT_OURS;
}

static int
say_cleared(const struct hf_view *seen, const char *name, bool force)
{
    struct hf_text out = HF_PHRASE;

    hf_text_addf(&out, "cleared %s\n", name);
    if (!hf_report_corrupt(seen))
        hf_report_holder(&out, "  ", seen, !force);
    return hf_say_output(&out) ? 0 : HF_EXIT_OURS;
}

static int
say_not_cleared(const struct hf_view *seen, const char *name)
{
    enum hf_life life = hf_report_life(seen);
    bool alive = life == HF_LIFE_BEATING || life == HF_LIFE_RUNNING;
    struct hf_text out = HF_PHRASE;

    hf_text_addf(&out, "holdfast: %s was not cleared: %s\n", name,
                 alive ? "its holder is alive"
                       : "it changed while it was watched");
    if (!hf_report_corrupt(seen))
        hf_report_holder(&out, "holdfast:   ", seen, true);
    hf_say_text(&out);
    return HF_EXIT_ALIVE;
}

/* Another one came, or it was had, given back and had again. */
static int
say_another(const struct hf_view *seen, const char *name, uint64_t fence)
{
    hf_say("%s was not cleared: its fence is %" PRIu64 " by now, not %" PRIu64
           ": another holder has it",
           name, hf_report_fence(seen), fence);
    return HF_EXIT_NONE;
}

/* What became of it: the exit code. */
static int
tell(const struct hf_view *seen, const struct reading *r, const char *name,
     const char *place)
{
    bool cleared = hf_view_number(seen, HF_FIELD_CLEARED) != 0;
    bool another =
        !cleared && r->fence != 0 && hf_report_fence(seen) != r->fence;

    if (!cleared && !hf_report_exists(seen))
        return hf_report_none(&r->which, place);
    if (r->which.json) {
        int code = print_json(seen, cleared);

        if (cleared || code != 0)
            return code;
        return another ? HF_EXIT_NONE : HF_EXIT_ALIVE;
    }
    if (another)
        return say_another(seen, name, r->fence);
    return cleared ? say_cleared(seen, name, r->force)
                   : say_not_cleared(seen, name);
}

static int
begin(struct hf_ask *ask, const struct reading *r)
{
    int code = hf_ask_begin(ask, HF_CLEAR, &r->which);

    if (code == 0)
        code = hf_ask_set(ask, HF_REASON, r->reason);
    if (code == 0)
        code = hf_ask_set(ask, HF_FORCE, r->force ? "yes" : "no");
    if (code == 0)
        code = hf_ask_set(ask, HF_FENCE, r->fence_text);
    return code == 0 ? hf_ask_open(ask, &r->which) : code;
}

static int
clear(struct hf_ask *ask, const struct reading *r)
{
    const char *place = hf_client_place(ask->client);
    struct hf_text name = HF_PHRASE;
    struct hf_line line;

    hf_phrase_quote(&name, r->which.name);
    hf_line_init(&line, r->force ? "clearing" : "watching", name.at, place);
    line.silent = r->which.json;

    int code = hf_ask_wait(ask, &line);

    if (code != 0)
        return code;

    struct hf_view *seen = hf_query_view(ask->query);

    code = tell(seen, r, name.at, place);
    hf_view_free(seen);
    return code;
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
    r->fence_text = optarg;
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
    struct hf_ask ask = {.client = NULL};
    int code = read_line(&r, argc, argv);

    if (code != 0)
        return code;
    if (r.which.help)
        return hf_options_help(help);
    code = begin(&ask, &r);
    if (code == 0)
        code = clear(&ask, &r);
    hf_ask_end(&ask);
    return code;
}

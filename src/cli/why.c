#include <inttypes.h>

#include "line.h"
#include "options.h"
#include "report.h"
#include "say.h"
#include "verbs.h"

static const char help[] =
    "usage: holdfast why [OPTION...] NAME\n"
    "\n"
    "Is the holder of the lock NAME alive?  Says the evidence, and what to "
    "do,\n"
    "as commands to paste.  Watches the record until the first proof, for its\n"
    "ttl at most.\n"
    "\n"
    "  --watch DURATION  watch no longer than this\n"
    "  --at PLACE        where the locks are kept\n"
    "  --space SPACE     default `default`\n"
    "  --json            as one JSON object\n"
    "  -h, --help        this text\n"
    "\n"
    "Exit: 0, whatever was found; 1 no such lock; 69 the place is\n"
    "  unavailable, 77 permission denied, 64 wrong usage, 65 the record is\n"
    "  not ours.\n"
    "\n"
    "  holdfast why migrate\n"
    "  holdfast why --json migrate | jq -r .seen.life\n";

struct reading {
    struct hf_which which;
    struct hf_duration watch;
};

/* The verdict, in one line. */
static void
add_verdict(struct hf_text *out, const struct hf_diagnosis *seen)
{
    char text[32];

    switch (seen->life) {
    case HF_LIFE_UNKNOWN:
        hf_text_addf(out,
                     "not known: it has not beaten in %s of looking; its "
                     "ttl is ",
                     hf_duration_text(seen->watched, text, sizeof(text)));
        hf_text_add(out,
                    hf_duration_text(seen->record.ttl, text, sizeof(text)));
        break;
    case HF_LIFE_BEATING:
        hf_text_add(out, "alive: its record changed while we watched");
        break;
    case HF_LIFE_RUNNING:
        hf_text_add(out, "alive, it seems: a process of it runs, and no "
                         "beat was seen yet");
        break;
    case HF_LIFE_SUSPECTED:
        hf_text_addf(out,
                     "suspected dead: unchanged for %s, longer than its "
                     "ttl",
                     hf_duration_text(seen->unchanged, text, sizeof(text)));
        if (seen->running)
            hf_text_add(out, "; yet a process of it is there, perhaps "
                             "stopped");
        break;
    case HF_LIFE_GONE:
        hf_text_add(out, "dead: every process that it listed is gone from "
                         "this host");
        break;
    }
    hf_text_add(out, "\n");
}

/* Numbers of another pid namespace are other processes here. */
static void
add_apart(struct hf_text *out, const struct hf_description *record)
{
    hf_text_add(out, "see what it does: on this host, in a pid namespace "
                     "that is not seen from here, as a\n"
                     "    container's; there its processes are ");
    hf_report_processes(out, record);
    hf_text_add(out, "\n");
}

/* How to look at its processes, here or where they are. */
static void
add_ps(struct hf_text *out, const struct hf_diagnosis *seen)
{
    const struct hf_description *record = &seen->record;

    if (record->processes_count == 0 || seen->life == HF_LIFE_GONE)
        return;
    if (!seen->here && seen->same_boot) {
        add_apart(out, record);
        return;
    }
    hf_text_addf(out, "see what it does%s:\n    ",
                 seen->here ? "" : " (not of this host)");
    if (!seen->here) {
        hf_text_add(out, record->host[0] == '-' ? "ssh -- " : "ssh ");
        hf_phrase_quote(out, record->host);
        hf_text_add(out, " ");
    }
    hf_text_add(out, "ps -o pid,stat,etime,args -p ");
    for (size_t i = 0; i < record->processes_count; i++)
        hf_text_addf(out, "%s%" PRId64, i > 0 ? "," : "", record->processes[i]);
    hf_text_add(out, "\n");
}

static void
add_dead_advice(struct hf_text *out, const struct hf_which *which,
                const char *place, const struct hf_diagnosis *seen)
{
    if (seen->record.if_dead == HF_TAKEOVER) {
        hf_text_add(out, "nothing to clear: the next one takes it over:\n"
                         "    ");
        hf_report_command(out, which, place, "run", "");
        hf_text_add(out, " -- COMMAND\n");
        return;
    }
    hf_text_add(out, "nobody takes it over (if_dead is refuse): ");
    hf_report_before_clear(out, seen);
    hf_text_add(out, ", then\n    ");
    hf_report_clear(out, which, place, seen->record.fence);
    hf_text_add(out, "\n");
}

static void
add_advice(struct hf_text *out, const struct hf_which *which, const char *place,
           const struct hf_diagnosis *seen)
{
    char text[32];

    add_ps(out, seen);
    switch (seen->life) {
    case HF_LIFE_UNKNOWN:
    case HF_LIFE_RUNNING:
        hf_text_addf(out, "watch for its whole ttl (%s):\n    ",
                     hf_duration_text(seen->record.ttl, text, sizeof(text)));
        hf_report_command(out, which, place, "why", "");
        hf_text_add(out, "\n");
        break;
    case HF_LIFE_BEATING:
        hf_text_add(out, "nothing to clear; wait for it:\n    ");
        hf_report_command(out, which, place, "run", "-w forever");
        hf_text_add(out, " -- COMMAND\n");
        break;
    case HF_LIFE_SUSPECTED:
    case HF_LIFE_GONE:
        add_dead_advice(out, which, place, seen);
        break;
    }
}

static int
print_text(const struct hf_which *which, const char *place,
           const struct hf_diagnosis *seen)
{
    struct hf_text out = HF_PHRASE;

    if (seen->record.corrupt) {
        hf_phrase_quote(&out, which->name);
        hf_text_addf(&out,
                     ": the record at %s is not Holdfast's (version "
                     "%" PRIu64 "%s%s), so nothing is known of a holder\n"
                     "nobody takes it over: see what wrote it, and that "
                     "nothing runs under it, then\n    ",
                     place, seen->record.version,
                     seen->error.text[0] != '\0' ? ": " : "", seen->error.text);
        hf_report_command(&out, which, place, "clear", "--force --reason '…'");
        hf_text_add(&out, "\n");
    } else {
        hf_phrase_quote(&out, which->name);
        hf_text_add(&out, ": ");
        add_verdict(&out, seen);
        hf_report_holder(&out, "  ", seen);
        hf_text_addf(&out, "  place: %s\n", place);
        add_advice(&out, which, place, seen);
    }
    return hf_say_output(&out) ? 0 : HF_EXIT_OURS;
}

static int
print_json(const struct hf_which *which, const char *place,
           const struct hf_diagnosis *seen)
{
    struct hf_text command = HF_PHRASE;
    struct hf_text out = HF_PHRASE;
    bool dead = seen->life == HF_LIFE_GONE || seen->life == HF_LIFE_SUSPECTED;

    hf_report_clear(&command, which, place, seen->record.fence);
    hf_text_add(&out, "{\"at\":");
    hf_phrase_json(&out, place);
    hf_text_add(&out, ",\"seen\":");
    hf_phrase_diagnosis(&out, seen);
    hf_text_add(&out, ",\"clear\":");
    hf_phrase_json(&out, dead && seen->record.if_dead == HF_REFUSE ? command.at
                                                                   : NULL);
    hf_text_add(&out, "}\n");
    return hf_say_output(&out) ? 0 : HF_EXIT_OURS;
}

static int
examine(struct hf_client *client, const struct reading *r)
{
    const struct hf_which *which = &r->which;
    const char *place = hf_client_place(client);
    struct hf_text name = HF_PHRASE;
    struct hf_line line;
    struct hf_examine_options options = {
        .space = which->space,
        .watch = r->watch,
        .on_waiting = hf_line_show,
        .ctx = &line,
    };
    struct hf_diagnosis seen;
    struct hf_error error = {0};

    hf_phrase_quote(&name, which->name);
    hf_line_init(&line, "watching", name.at, place);
    line.silent = which->json;

    enum hf_status status =
        hf_examine(client, which->name, &options, &seen, &error);

    hf_line_end(&line);
    if (status != HF_OK)
        return hf_say_failure(&error, status);
    if (!seen.record.exists)
        return hf_report_none(which, place);

    int code = which->json ? print_json(which, place, &seen)
                           : print_text(which, place, &seen);

    if (code != 0)
        return code;
    return seen.record.corrupt ? hf_status_exit(HF_E_CORRUPT) : 0;
}

static int
read_line(struct reading *r, int argc, char **argv)
{
    static const struct option options[] = {
        {"watch", required_argument, NULL, HF_OPTION_WATCH},
        HF_OPTIONS_SHARED,
        {NULL, 0, NULL, 0},
    };

    for (;;) {
        int option = getopt_long(argc, argv, HF_OPTIONS_LETTERS, options, NULL);
        int wrong = 0;

        if (option < 0)
            break;
        if (option == '?' || option == ':')
            return hf_options_bad("why", option, argv);
        if (option == HF_OPTION_WATCH)
            wrong = hf_options_duration("why", "--watch", &r->watch);
        else
            (void)hf_options_take(&r->which, option);
        if (wrong != 0)
            return wrong;
    }
    return r->which.help ? 0 : hf_options_name("why", argc, argv, &r->which);
}

int
hf_why_verb(int argc, char **argv)
{
    struct reading r = {.watch = HF_FOREVER};
    struct hf_client *client;
    int code = read_line(&r, argc, argv);

    if (code != 0)
        return code;
    if (r.which.help)
        return hf_options_help(help);
    code = hf_options_look(&r.which, r.which.name, &client);
    if (code != 0)
        return code;
    code = examine(client, &r);
    hf_close(client);
    return code;
}

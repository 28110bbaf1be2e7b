#include <inttypes.h>

#include "ask.h"
#include "report.h"
#include "say.h"
#include "verb.h"

struct why_order {
    struct hf_cli_target target;
    const char *watch;
};

/* The verdict, in one line. */
static void
add_verdict(struct hf_text *out, const struct hf_view *seen)
{
    char text[32];

    switch (hf_report_life(seen)) {
    case HF_LIFE_UNKNOWN:
        hf_text_addf(
            out,
            "not known: it has not beaten in %s of looking; its "
            "ttl is ",
            hf_duration_text(hf_report_duration(seen, HF_FIELD_WATCHED_MS),
                             text, sizeof(text)));
        hf_text_add(out,
                    hf_duration_text(hf_report_duration(seen, HF_FIELD_TTL_MS),
                                     text, sizeof(text)));
        break;
    case HF_LIFE_BEATING:
        hf_text_add(out, hf_report_served(seen)
                             ? "alive: the server heard it in time"
                             : "alive: its record changed while we watched");
        break;
    case HF_LIFE_RUNNING:
        hf_text_add(out, "alive, it seems: a process of it runs, and no "
                         "beat was seen yet");
        break;
    case HF_LIFE_SUSPECTED:
        hf_text_addf(
            out, "suspected dead: unchanged for %s, longer than its ttl",
            hf_duration_text(hf_report_duration(seen, HF_FIELD_UNCHANGED_MS),
                             text, sizeof(text)));
        if (hf_view_number(seen, HF_FIELD_RUNNING) != 0)
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
add_apart(struct hf_text *out, const struct hf_view *seen)
{
    hf_text_add(out, "see what it does: on this host, in a pid namespace "
                     "that is not seen from here, as a\n"
                     "    container's; there its processes are ");
    hf_report_processes(out, seen);
    hf_text_add(out, "\n");
}

/* How to look at its processes, here or where they are. */
static void
add_ps(struct hf_text *out, const struct hf_view *seen)
{
    size_t count = (size_t)hf_view_number(seen, HF_FIELD_PROCESSES);
    bool here = hf_view_number(seen, HF_FIELD_HERE) != 0;
    const char *host = hf_view_text(seen, HF_FIELD_HOST);

    if (count == 0 || hf_report_life(seen) == HF_LIFE_GONE)
        return;
    if (!here && hf_view_number(seen, HF_FIELD_SAME_BOOT) != 0) {
        add_apart(out, seen);
        return;
    }
    hf_text_addf(out, "see what it does%s:\n    ",
                 here ? "" : " (not of this host)");
    if (!here) {
        hf_text_add(out, host[0] == '-' ? "ssh -- " : "ssh ");
        hf_output_quote(out, host);
        hf_text_add(out, " ");
    }
    hf_text_add(out, "ps -o pid,stat,etime,args -p ");
    for (size_t i = 0; i < count; i++)
        hf_text_addf(out, "%s%" PRId64, i > 0 ? "," : "",
                     hf_view_item(seen, HF_FIELD_PROCESSES, i));
    hf_text_add(out, "\n");
}

static bool
may_be_taken_over(const struct hf_view *seen)
{
    return hf_view_number(seen, HF_FIELD_IF_DEAD) == HF_TAKEOVER;
}

static void
add_dead_advice(struct hf_text *out, const struct hf_cli_target *target,
                const char *place, const struct hf_view *seen)
{
    if (may_be_taken_over(seen)) {
        hf_text_add(out, "nothing to clear: the next one takes it over:\n"
                         "    ");
        hf_report_command(out, target, place, "run", "");
        hf_text_add(out, " -- COMMAND\n");
        return;
    }
    hf_text_add(out, "nobody takes it over (if_dead is refuse): ");
    hf_report_before_clear(out, seen);
    hf_text_add(out, ", then\n    ");
    hf_report_clear(out, target, place, hf_report_fence(seen));
    hf_text_add(out, "\n");
}

static void
add_advice(struct hf_text *out, const struct hf_cli_target *target,
           const char *place, const struct hf_view *seen)
{
    char text[32];

    add_ps(out, seen);
    switch (hf_report_life(seen)) {
    case HF_LIFE_UNKNOWN:
    case HF_LIFE_RUNNING:
        hf_text_addf(out, "watch for its whole ttl (%s):\n    ",
                     hf_duration_text(hf_report_duration(seen, HF_FIELD_TTL_MS),
                                      text, sizeof(text)));
        hf_report_command(out, target, place, "why", "");
        hf_text_add(out, "\n");
        break;
    case HF_LIFE_BEATING:
        hf_text_add(out, "nothing to clear; wait for it:\n    ");
        hf_report_command(out, target, place, "run", "-w forever");
        hf_text_add(out, " -- COMMAND\n");
        break;
    case HF_LIFE_SUSPECTED:
    case HF_LIFE_GONE:
        add_dead_advice(out, target, place, seen);
        break;
    }
}

static void
add_not_ours(struct hf_text *out, const struct hf_cli_target *target,
             const char *place, const struct hf_view *seen)
{
    const char *why = hf_view_text(seen, HF_FIELD_ERROR);

    hf_text_addf(out,
                 ": the record at %s is not Holdfast's (version "
                 "%" PRIu64 "%s%s), so nothing is known of a holder\n"
                 "nobody takes it over: see what wrote it, and that "
                 "nothing runs under it, then\n    ",
                 place, (uint64_t)hf_view_number(seen, HF_FIELD_VERSION),
                 why[0] != '\0' ? ": " : "", why);
    hf_report_command(out, target, place, "clear", "--force --reason '…'");
    hf_text_add(out, "\n");
}

static void
add_text(struct hf_text *out, const struct hf_cli_target *target,
         const char *place, const struct hf_view *seen)
{
    hf_output_quote(out, target->name);
    if (hf_report_corrupt(seen)) {
        add_not_ours(out, target, place, seen);
        return;
    }
    hf_text_add(out, ": ");
    add_verdict(out, seen);
    hf_report_holder(out, "  ", seen, true);
    hf_text_addf(out, "  place: %s\n", place);
    add_advice(out, target, place, seen);
}

static void
add_json(struct hf_text *out, const struct hf_cli_target *target,
         const char *place, const struct hf_view *seen)
{
    enum hf_life life = hf_report_life(seen);
    bool dead = life == HF_LIFE_GONE || life == HF_LIFE_SUSPECTED;
    struct hf_text clear = HF_OUTPUT_BUFFER;

    hf_report_clear(&clear, target, place, hf_report_fence(seen));
    hf_text_add(out, "{\"at\":");
    hf_output_json(out, place);
    hf_text_add(out, ",\"seen\":");
    hf_output_view(out, seen);
    hf_text_add(out, ",\"clear\":");
    hf_output_json(out, dead && !may_be_taken_over(seen) ? clear.at : NULL);
    hf_text_add(out, "}\n");
}

static int
print(const struct hf_cli_target *target, const char *place,
      const struct hf_view *seen)
{
    struct hf_text out = HF_OUTPUT_BUFFER;

    if (!hf_report_exists(seen) && !target->json)
        return hf_report_none(target, place, seen);
    if (target->json)
        add_json(&out, target, place, seen);
    else
        add_text(&out, target, place, seen);
    if (!hf_say_output(&out))
        return HF_EXIT_OURS;
    if (!hf_report_exists(seen))
        return HF_EXIT_NONE;
    return hf_report_corrupt(seen) ? hf_status_exit(HF_E_CORRUPT) : 0;
}

static struct why_order asked = {.watch = "forever"};

static int
examine(struct hf_ask *ask)
{
    const struct hf_cli_target *target = &asked.target;
    struct hf_text name = HF_OUTPUT_BUFFER;
    struct hf_waiting_line line;
    int code = hf_ask_begin(ask, HF_EXAMINE, target);

    if (code == 0)
        code = hf_ask_set(ask, HF_WATCH, asked.watch);
    if (code == 0)
        code = hf_ask_open(ask, target);
    if (code != 0)
        return code;

    const char *place = hf_client_place(ask->client);

    hf_output_quote(&name, target->name);
    hf_waiting_line_init(&line, "watching", name.at, place);
    line.silent = target->json;
    code = hf_ask_wait(ask, &line);
    if (code != 0)
        return code;

    struct hf_view *seen = hf_query_view(ask->query);

    code = print(target, place, seen);
    hf_view_free(seen);
    return code;
}

static const struct hf_option options[] = {
    HF_OPTION(DURATION_TEXT, "watch", struct why_order, watch, .least = 1,
              .value = "DURATION", HF_HELP("watch no longer than this")),
    HF_VERB_AT("where the locks are kept"),
    HF_VERB_SPACE("default `default`"),
    HF_VERB_JSON("as one JSON object"),
    HF_VERB_HELP,
};

const struct hf_verb hf_why_verb = {
    .name = "why",
    .brief = "is its holder alive? the evidence, and what to do",
    .usage =
        "usage: holdfast why [OPTION...] NAME\n"
        "\n"
        "Is the holder of the lock NAME alive?  Says the evidence, and what "
        "to do, as commands to paste.  Watches the record until the first "
        "proof, for its ttl at most.",
    .exits =
        "0, whatever was found; 1 nobody holds it; 69 the place is "
        "unavailable, 77 permission denied, 64 wrong usage, 65 the record is "
        "not ours.",
    .examples = "  holdfast why migrate\n"
                "  holdfast why --json migrate | jq -r .seen.life\n",
    HF_VERB_OPTIONS(options),
    .operands = HF_VERB_ONE_NAME,
    .values = &asked,
    .run = examine,
};

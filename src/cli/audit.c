#include <inttypes.h>
#include <stdio.h>

#include "ask.h"
#include "base/clock.h"
#include "report.h"
#include "say.h"
#include "verb.h"

struct audit_order {
    struct hf_cli_target target;
    const char *since; /* NULL: all there is */
};

static struct audit_order asked;

static void
add_holder(struct hf_text *out, const struct hf_view *entry)
{
    const char *reason = hf_view_text(entry, HF_FIELD_REASON);
    char date[64];

    if (hf_report_corrupt(entry)) {
        hf_text_add(out, "  its record was not Holdfast's\n");
        return;
    }
    hf_text_add(out, "  holder: ");
    hf_report_who(out, entry);
    hf_text_addf(out, ", since %s\n",
                 hf_output_date(hf_view_number(entry, HF_FIELD_SINCE_MS), date,
                                sizeof(date)));
    hf_text_addf(out, "  runs: %s\n", hf_report_known(entry, HF_FIELD_COMMAND));
    if (reason[0] != '\0')
        hf_text_addf(out, "  reason: %s\n", reason);
    hf_text_addf(out, "  last beat: %s; fence %" PRIu64 "; if dead: %s\n",
                 hf_output_date(hf_view_number(entry, HF_FIELD_STAMP_MS), date,
                                sizeof(date)),
                 hf_report_fence(entry), hf_view_text(entry, HF_FIELD_IF_DEAD));
}

static void
add_entry(struct hf_text *out, const struct hf_view *entry)
{
    char date[64];

    hf_text_addf(out, "%s: ",
                 hf_output_date(hf_view_number(entry, HF_FIELD_CLEARED_MS),
                                date, sizeof(date)));
    if (!hf_view_has(entry, HF_FIELD_BY_USER)) { /* another program's row */
        hf_text_addf(out, "(not ours) %s\n",
                     hf_view_text(entry, HF_FIELD_NAME));
        return;
    }
    hf_output_quote(out, hf_view_text(entry, HF_FIELD_NAME));
    hf_text_add(out, " in space ");
    hf_output_quote(out, hf_view_text(entry, HF_FIELD_SPACE));
    hf_text_addf(out, " was cleared by %s@%s%s: %s\n",
                 hf_report_known(entry, HF_FIELD_BY_USER),
                 hf_report_known(entry, HF_FIELD_BY_HOST),
                 hf_view_number(entry, HF_FIELD_FORCED) != 0 ? " with --force"
                                                             : "",
                 hf_view_text(entry, HF_FIELD_BY_REASON));
    add_holder(out, entry);
}

static int
print(void *ctx, const struct hf_view *entry)
{
    const struct audit_order *order = ctx;
    struct hf_text out = HF_OUTPUT_BUFFER;

    if (order->target.json)
        return hf_say_view(entry) ? 0 : HF_EXIT_OURS;
    add_entry(&out, entry);
    return hf_say_output(&out) ? 0 : HF_EXIT_OURS;
}

static int
begin(struct hf_ask *ask, const struct audit_order *r)
{
    struct hf_duration since = {0};
    char since_ms[32];
    int code = hf_ask_begin(ask, HF_AUDIT, &r->target);

    if (code == 0 && r->since != NULL &&
        hf_duration_parse(r->since, &since, NULL) == HF_OK) {
        snprintf(since_ms, sizeof(since_ms), "%" PRId64,
                 hf_wall_ms() - since.ms);
        code = hf_ask_set(ask, HF_SINCE, since_ms);
    }
    return code == 0 ? hf_ask_open(ask, &r->target) : code;
}

static int
audit(struct hf_ask *ask)
{
    int code = begin(ask, &asked);

    return code == 0 ? hf_ask_each(ask, print, &asked) : code;
}

static const struct hf_option options[] = {
    HF_OPTION(DURATION_TEXT, "since", struct audit_order, since, .least = 1,
              .value = "DURATION", HF_HELP("nothing that is longer ago")),
    HF_VERB_AT("where the locks are kept"),
    HF_VERB_SPACE("this space alone; every space when not given"),
    HF_VERB_JSON("one JSON object a line"),
    HF_VERB_HELP,
};

const struct hf_verb hf_audit_verb = {
    .name = "audit",
    .also = "log",
    .brief = "list the locks that were cleared: when, by whom, why",
    .usage =
        "usage: holdfast audit [OPTION...] [NAME]\n"
        "\n"
        "List the locks that were cleared by hand, the oldest first: when, "
        "by whom and why, and whose they were.  With NAME, this lock alone.",
    .exits = "0, also when there is none; 69 the place is unavailable, 77 "
             "permission denied, 64 wrong usage, 65 the place is not ours.",
    .examples = "  holdfast audit --since 24h\n"
                "  holdfast audit --json migrate | jq -r .reason\n",
    HF_VERB_OPTIONS(options),
    .operands = HF_VERB_MAY_NAME,
    .values = &asked,
    .run = audit,
};

#include <inttypes.h>
#include <string.h>

#include "ask.h"
#include "report.h"
#include "say.h"
#include "verb.h"

static void
add_owner(struct hf_text *out, const struct hf_view *lock)
{
    const char *reason = hf_view_text(lock, HF_FIELD_REASON);
    char text[32];

    hf_text_add(out, "holder     ");
    hf_report_who(out, lock);
    hf_text_add(out, "\nprocesses  ");
    hf_report_processes(out, lock);
    hf_text_addf(out, "\nruns       %s\n",
                 hf_view_text(lock, HF_FIELD_COMMAND));
    if (reason[0] != '\0')
        hf_text_addf(out, "reason     %s\n", reason);
    hf_text_add(out, "since      ");
    hf_report_moment(out, hf_view_number(lock, HF_FIELD_SINCE_MS), "");
    hf_text_addf(out, "\nif dead    %s\n",
                 hf_view_text(lock, HF_FIELD_IF_DEAD));
    hf_text_addf(out, "ttl        %s\n",
                 hf_duration_text(hf_report_duration(lock, HF_FIELD_TTL_MS),
                                  text, sizeof(text)));
    if (hf_report_served(lock))
        return;
    hf_text_addf(out, "claim      %" PRIu64 "\n",
                 (uint64_t)hf_view_number(lock, HF_FIELD_CLAIM));
    hf_text_addf(out, "beats      %" PRIu64 " so far, every %s\n",
                 (uint64_t)hf_view_number(lock, HF_FIELD_BEAT),
                 hf_duration_text(hf_report_duration(lock, HF_FIELD_BEAT_MS),
                                  text, sizeof(text)));
}

static void
add_record(struct hf_text *out, const struct hf_view *lock, const char *place)
{
    const char *why = hf_view_text(lock, HF_FIELD_ERROR);

    hf_text_addf(out, "name       %s\n", hf_view_text(lock, HF_FIELD_NAME));
    hf_text_addf(out, "space      %s\n", hf_view_text(lock, HF_FIELD_SPACE));
    hf_text_addf(out, "place      %s\n", place);
    hf_text_addf(out, "fence      %" PRIu64 "\n", hf_report_fence(lock));
    if (hf_report_served(lock))
        hf_text_addf(out, "held       %s\n", hf_view_text(lock, HF_FIELD_MODE));
    else
        hf_text_addf(out, "version    %" PRIu64 "\n",
                     (uint64_t)hf_view_number(lock, HF_FIELD_VERSION));
    if (hf_report_corrupt(lock))
        hf_text_addf(out, "value      not Holdfast's%s%s\n",
                     why[0] != '\0' ? ": " : "", why);
    else
        add_owner(out, lock);
    hf_text_add(out, "last beat  ");
    hf_report_moment(out, hf_view_number(lock, HF_FIELD_STAMP_MS), " ago");
    hf_text_add(out, "\n");
}

/* The record alone, as a row of a list: of its holder's life `why` tells.  In
 * a string a quote is escaped, so this one ends the record. */
static void
add_json(struct hf_text *out, const struct hf_view *lock)
{
    static const char before[] = "{\"record\":";
    static const char after[] = ",\"life\":";
    struct hf_text whole = HF_OUTPUT_BUFFER;

    hf_output_view(&whole, lock);

    const char *record = whole.at + sizeof(before) - 1;
    const char *end = strstr(record, after);

    if (end != NULL)
        hf_text_add_bytes(out, record, (size_t)(end - record));
}

static int
print(const struct hf_cli_target *target, const struct hf_view *lock,
      const char *place)
{
    struct hf_text out = HF_OUTPUT_BUFFER;

    if (target->json) {
        add_json(&out, lock);
        hf_text_add(&out, "\n");
    } else {
        add_record(&out, lock, place);
    }
    if (!hf_say_output(&out))
        return HF_EXIT_OURS;
    if (!hf_report_exists(lock))
        return HF_EXIT_NONE;
    return hf_report_corrupt(lock) ? hf_status_exit(HF_E_CORRUPT) : 0;
}

/* A place in line that is kept for a client that is to ask again: it does
 * not wait now. */
static void
add_kept(struct hf_text *out, const struct hf_view *claim)
{
    struct hf_duration kept = hf_report_duration(claim, HF_FIELD_PARKED_MS);
    char text[32];

    if (kept.ms > 0)
        hf_text_addf(out, "  (to ask again: its place is kept for %s)",
                     hf_duration_text(kept, text, sizeof(text)));
}

/* A client that holds it beside others, or waits for it. */
static void
add_claim(struct hf_text *out, const struct hf_view *claim)
{
    int64_t position = hf_view_number(claim, HF_FIELD_POSITION);
    char text[32];

    if (position == 0) {
        hf_text_add(out, "  holds  ");
        hf_output_age(hf_view_number(claim, HF_FIELD_SINCE_MS), text,
                      sizeof(text));
    } else {
        hf_text_addf(out, "  %5" PRId64 "  ", position);
        hf_duration_text(hf_report_duration(claim, HF_FIELD_WAITED_MS), text,
                         sizeof(text));
    }
    hf_text_addf(out, "%-9s  %8s  ", hf_view_text(claim, HF_FIELD_MODE), text);
    hf_report_who(out, claim);
    hf_text_addf(out, "  %s", hf_view_text(claim, HF_FIELD_COMMAND));
    add_kept(out, claim);
    hf_text_add(out, "\n");
}

/* All of them, as a lock server has them: holders, then its line. */
static bool
print_claims(struct hf_query *query, struct hf_view *claim)
{
    struct hf_text head = HF_OUTPUT_BUFFER;
    bool fine = true;

    if (claim == NULL)
        return true;
    hf_text_addf(&head, "in line    %" PRId64 "\n",
                 hf_view_number(claim, HF_FIELD_WAITERS));
    fine = hf_say_output(&head);
    for (; claim != NULL; claim = hf_query_next(query)) {
        struct hf_text out = HF_OUTPUT_BUFFER;

        add_claim(&out, claim);
        fine = fine && hf_say_output(&out);
        hf_view_free(claim);
    }
    return fine;
}

/* It has no holder; there may be a line for it. */
static int
print_unheld(const struct hf_cli_target *target, const char *place,
             struct hf_query *query, struct hf_view *first)
{
    if (first == NULL)
        return hf_report_none(target, place, NULL);
    hf_say("nobody holds %s at %s", target->name, place);
    return print_claims(query, first) ? HF_EXIT_NONE : HF_EXIT_OURS;
}

static struct hf_cli_target asked;

static int
show(struct hf_ask *ask)
{
    const struct hf_cli_target *target = &asked;
    int code = hf_ask_begin(ask, HF_EXAMINE, target);

    if (code == 0)
        code = hf_ask_open(ask, target);
    if (code == 0)
        code = hf_ask_wait(ask, NULL);
    if (code != 0)
        return code;

    struct hf_view *lock = hf_query_view(ask->query);
    const char *place = hf_client_place(ask->client);
    struct hf_view *first = target->json ? NULL : hf_query_next(ask->query);

    if (!hf_report_exists(lock) && !target->json)
        code = print_unheld(target, place, ask->query, first);
    else if ((code = print(target, lock, place)) != 0)
        hf_view_free(first);
    else if (!print_claims(ask->query, first))
        code = HF_EXIT_OURS;
    hf_view_free(lock);
    return code;
}

static const struct hf_option options[] = {
    HF_VERB_AT("where the locks are kept"),
    HF_VERB_SPACE("default `default`"),
    HF_VERB_JSON("as one JSON object"),
    HF_VERB_HELP,
};

const struct hf_verb hf_show_verb = {
    .name = "show",
    .also = "status info",
    .brief = "show the whole record of one lock",
    .usage = "usage: holdfast show [OPTION...] NAME\n"
             "\n"
             "Show the whole record of the lock NAME, as it stands now.",
    .exits =
        "0; 1 it is free; 69 the place is unavailable, 77 permission denied, "
        "64 wrong usage, 65 the record is not ours.",
    .examples = "  holdfast show migrate\n"
                "  holdfast show --json migrate | jq .fence\n",
    HF_VERB_OPTIONS(options),
    .operands = HF_VERB_ONE_NAME,
    .values = &asked,
    .run = show,
};

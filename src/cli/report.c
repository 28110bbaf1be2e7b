#include "report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "moment.h"
#include "say.h"

/* A look so short that a beat need not have come: not worth a number. */
enum { JUST_MS = 1000 };

const char *
hf_report_known(const char *text)
{
    return text[0] != '\0' ? text : "?";
}

void
hf_report_who(struct hf_text *out, const struct hf_description *record)
{
    hf_text_addf(out, "%s@%s", hf_report_known(record->user),
                 hf_report_known(record->host));
}

void
hf_report_processes(struct hf_text *out, const struct hf_description *record)
{
    size_t count = record->processes_count;

    if (count == 0)
        hf_text_add(out, "none listed");
    for (size_t i = 0; i < count; i++) {
        const char *between = i == 0 ? "" : i + 1 == count ? " and " : ", ";

        hf_text_addf(out, "%s%" PRId64, between, record->processes[i]);
    }
}

void
hf_report_command(struct hf_text *out, const struct hf_which *which,
                  const char *place, const char *verb, const char *extra)
{
    const char *from_environment = getenv("HOLDFAST_AT");

    hf_text_addf(out, "holdfast %s", verb);
    if (which->at != NULL || from_environment != NULL) {
        hf_text_add(out, " --at ");
        hf_phrase_quote(out, place);
    }
    if (which->space != NULL && strcmp(which->space, "default") != 0) {
        hf_text_add(out, " --space ");
        hf_phrase_quote(out, which->space);
    }
    hf_text_addf(out, "%s%s%s ", *extra != '\0' ? " " : "", extra,
                 which->name[0] == '-' ? " --" : "");
    hf_phrase_quote(out, which->name);
}

void
hf_report_before_clear(struct hf_text *out, const struct hf_diagnosis *seen)
{
    if (seen->life == HF_LIFE_SUSPECTED && seen->running) {
        hf_text_add(out, "end what is left of processes ");
        hf_report_processes(out, &seen->record);
        hf_text_add(out, " and of what they run, or it goes on beside "
                         "the next one; ");
    }
    hf_text_add(out, "see how far it came, put that right");
}

void
hf_report_clear(struct hf_text *out, const struct hf_which *which,
                const char *place, uint64_t fence)
{
    char extra[64] = "--reason '…'";

    if (fence != 0)
        snprintf(extra, sizeof(extra), "--fence %" PRIu64 " --reason '…'",
                 fence);
    hf_report_command(out, which, place, "clear", extra);
}

int
hf_report_none(const struct hf_which *which, const char *place)
{
    struct hf_text name = HF_PHRASE;

    hf_phrase_quote(&name, which->name);
    hf_say("no such lock: %s in space %s at %s", name.at,
           which->space != NULL ? which->space : "default", place);
    return HF_EXIT_NONE;
}

/* What is known of its life, in one clause. */
static void
add_life(struct hf_text *out, const struct hf_diagnosis *seen)
{
    const struct hf_description *record = &seen->record;
    char unchanged[32];
    char watched[32];

    hf_duration_text(seen->unchanged, unchanged, sizeof(unchanged));
    hf_duration_text(seen->watched, watched, sizeof(watched));
    switch (seen->life) {
    case HF_LIFE_UNKNOWN:
        if (seen->watched.ms == 0)
            hf_text_add(out, "not known, for it was not watched");
        else if (seen->watched.ms < JUST_MS)
            hf_text_add(out, "not known, just looked");
        else
            hf_text_addf(out, "not known: no beat seen in %s of looking",
                         watched);
        break;
    case HF_LIFE_BEATING:
        if (seen->unchanged.ms < JUST_MS)
            hf_text_add(out, "it beats: the last beat came just now");
        else
            hf_text_addf(out, "it beats: the last beat came %s ago", unchanged);
        break;
    case HF_LIFE_RUNNING:
        if (seen->watched.ms < JUST_MS)
            hf_text_add(out, "alive, just looked: a process of it runs");
        else
            hf_text_addf(out,
                         "alive: a process of it runs; no beat seen in %s "
                         "of looking",
                         watched);
        break;
    case HF_LIFE_SUSPECTED:
        hf_text_addf(out, "suspected dead: unchanged for %s", unchanged);
        if (seen->running)
            hf_text_add(out, ", yet a process of it is there (stopped?)");
        break;
    case HF_LIFE_GONE:
        hf_text_add(out, "gone: of its processes (");
        hf_report_processes(out, record);
        hf_text_add(out, ") none is left on this host");
        break;
    }
}

void
hf_report_moment(struct hf_text *out, int64_t wall_ms, const char *after)
{
    char date[64];
    char age[32];

    if (!hf_moment_is_date(wall_ms)) {
        hf_text_add(out, "unknown");
        return;
    }
    hf_text_addf(out, "%s (%s%s)", hf_moment_date(wall_ms, date, sizeof(date)),
                 hf_moment_age(wall_ms, age, sizeof(age)), after);
}

void
hf_report_holder(struct hf_text *out, const char *indent,
                 const struct hf_diagnosis *seen)
{
    const struct hf_description *record = &seen->record;
    char text[32];

    hf_text_addf(out, "%sholder: ", indent);
    hf_report_who(out, record);
    hf_text_add(out, ", since ");
    hf_report_moment(out, record->since_ms, "");
    hf_text_add(out, ", processes ");
    hf_report_processes(out, record);
    hf_text_addf(out, "\n%sruns: %s\n", indent,
                 hf_report_known(record->command));
    if (record->reason[0] != '\0')
        hf_text_addf(out, "%sreason: %s\n", indent, record->reason);
    hf_text_addf(out, "%slast value: beat %" PRIu64 " of claim %" PRIu64,
                 indent, record->beat, record->id);
    if (seen->unchanged.ms >= JUST_MS)
        hf_text_addf(out, ", unchanged for %s",
                     hf_duration_text(seen->unchanged, text, sizeof(text)));
    hf_text_addf(out, "; fence %" PRIu64 "; if dead: %s\n", record->fence,
                 hf_if_dead_word(record->if_dead));
    hf_text_addf(out, "%slife: ", indent);
    add_life(out, seen);
    hf_text_add(out, "\n");
}

static void
add_headline(struct hf_text *out, const char *name,
             const struct hf_acquired *answer, struct hf_duration limit)
{
    char text[32];

    switch (answer->outcome) {
    case HF_GONE:
        hf_text_addf(out,
                     "the holder of %s is dead: its processes are gone"
                     " from this host",
                     name);
        return;
    case HF_SUSPECTED_DEAD:
        hf_text_addf(
            out,
            "the holder of %s is suspected dead: it has not "
            "beaten for longer than its ttl of %s",
            name,
            hf_duration_text(answer->seen.record.ttl, text, sizeof(text)));
        return;
    case HF_HELD_TOO_LONG:
        hf_text_addf(out,
                     "%s is held too long: one live holder kept it "
                     "past our limit of %s",
                     name, hf_duration_text(limit, text, sizeof(text)));
        return;
    case HF_TIMED_OUT:
        if (limit.ms == 0)
            hf_text_addf(out, "%s is held, and -n does not wait", name);
        else
            hf_text_addf(out, "%s was not free within %s", name,
                         hf_duration_text(limit, text, sizeof(text)));
        return;
    case HF_ALREADY_HELD:
        hf_text_addf(out,
                     "%s is held by the holdfast run that runs this command "
                     "(fence %" PRIu64 "): waiting for it would never end",
                     name, answer->seen.record.fence);
        return;
    case HF_NOT_HELD:
    case HF_GRANTED:
    case HF_IN_DOUBT:
    case HF_LOST:
    case HF_DEADLOCK:
    case HF_AT_LIMIT:
        hf_text_addf(out, "%s: %s", name, hf_outcome_word(answer->outcome));
        return;
    }
}

/* What the person in front of it may do next. */
static void
add_remedy(struct hf_text *out, const struct hf_which *which, const char *place,
           const struct hf_acquired *answer)
{
    switch (answer->outcome) {
    case HF_GONE:
    case HF_SUSPECTED_DEAD:
        hf_text_add(out, "holdfast: nobody takes it over: ");
        hf_report_before_clear(out, &answer->seen);
        hf_text_add(out, ", and then\n    ");
        hf_report_clear(out, which, place, answer->seen.record.fence);
        hf_text_add(out, "\n");
        break;
    case HF_HELD_TOO_LONG:
        hf_text_add(out, "holdfast: it is alive, so there is nothing to "
                         "clear: ask ");
        hf_report_who(out, &answer->seen.record);
        hf_text_add(out, ", or wait longer with -w\n");
        break;
    case HF_TIMED_OUT:
        hf_text_add(out, "holdfast: to learn more\n    ");
        hf_report_command(out, which, place, "why", "");
        hf_text_add(out, "\n");
        break;
    case HF_ALREADY_HELD:
        hf_text_add(out, "holdfast: leave out the inner holdfast run, or "
                         "give it a lock of its own\n");
        break;
    case HF_NOT_HELD:
    case HF_GRANTED:
    case HF_IN_DOUBT:
    case HF_LOST:
    case HF_DEADLOCK:
    case HF_AT_LIMIT:
        break;
    }
}

void
hf_report_refusal(struct hf_text *out, const struct hf_which *which,
                  const char *place, const struct hf_acquired *answer,
                  struct hf_duration limit)
{
    struct hf_text name = HF_PHRASE;

    hf_phrase_quote(&name, which->name);
    hf_text_add(out, "holdfast: ");
    add_headline(out, name.at, answer, limit);
    hf_text_addf(out, " (%s)\n", place);
    if (answer->seen.record.exists)
        hf_report_holder(out, "holdfast:   ", &answer->seen);
    add_remedy(out, which, place, answer);
}

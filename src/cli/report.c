#include "report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "say.h"

/* A look so short that a beat need not have come: not worth a number. */
enum { JUST_MS = 1000 };

bool
hf_report_exists(const struct hf_view *seen)
{
    return hf_view_number(seen, HF_FIELD_EXISTS) != 0;
}

bool
hf_report_corrupt(const struct hf_view *seen)
{
    return hf_view_number(seen, HF_FIELD_CORRUPT) != 0;
}

bool
hf_report_served(const struct hf_view *seen)
{
    return hf_view_has(seen, HF_FIELD_MODE);
}

enum hf_life
hf_report_life(const struct hf_view *seen)
{
    return (enum hf_life)hf_view_number(seen, HF_FIELD_LIFE);
}

uint64_t
hf_report_fence(const struct hf_view *seen)
{
    return (uint64_t)hf_view_number(seen, HF_FIELD_FENCE);
}

struct hf_duration
hf_report_duration(const struct hf_view *seen, enum hf_field field)
{
    return (struct hf_duration){hf_view_number(seen, field)};
}

const char *
hf_report_known(const struct hf_view *seen, enum hf_field field)
{
    const char *text = hf_view_text(seen, field);

    return text[0] != '\0' ? text : "?";
}

void
hf_report_who(struct hf_text *out, const struct hf_view *seen)
{
    hf_text_addf(out, "%s@%s", hf_report_known(seen, HF_FIELD_USER),
                 hf_report_known(seen, HF_FIELD_HOST));
}

void
hf_report_add_reason(struct hf_text *out, const struct hf_view *seen)
{
    const char *reason = hf_view_text(seen, HF_FIELD_REASON);

    if (reason[0] != '\0')
        hf_text_addf(out, ", reason: %s", reason);
}

void
hf_report_add_command(struct hf_text *out, const struct hf_view *seen)
{
    const char *command = hf_view_text(seen, HF_FIELD_COMMAND);

    if (command[0] != '\0')
        hf_text_addf(out, ", runs: %s", command);
}

void
hf_report_processes(struct hf_text *out, const struct hf_view *seen)
{
    size_t count = (size_t)hf_view_number(seen, HF_FIELD_PROCESSES);

    if (count == 0)
        hf_text_add(out, "none listed");
    for (size_t i = 0; i < count; i++) {
        const char *between = i == 0 ? "" : i + 1 == count ? " and " : ", ";

        hf_text_addf(out, "%s%" PRId64, between,
                     hf_view_item(seen, HF_FIELD_PROCESSES, i));
    }
}

void
hf_report_command(struct hf_text *out, const struct hf_cli_target *target,
                  const char *place, const char *verb, const char *extra)
{
    const char *from_environment = getenv("HOLDFAST_AT");

    hf_text_addf(out, "holdfast %s", verb);
    if (target->at != NULL || from_environment != NULL) {
        hf_text_add(out, " --at ");
        hf_output_quote(out, place);
    }
    if (target->space != NULL && strcmp(target->space, "default") != 0) {
        hf_text_add(out, " --space ");
        hf_output_quote(out, target->space);
    }
    hf_text_addf(out, "%s%s%s ", *extra != '\0' ? " " : "", extra,
                 target->name[0] == '-' ? " --" : "");
    hf_output_quote(out, target->name);
}

/* Where its processes are, if they cannot be ended from here. */
static void
add_elsewhere(struct hf_text *out, const struct hf_view *seen)
{
    if (hf_view_number(seen, HF_FIELD_HERE) != 0)
        return;
    if (hf_view_number(seen, HF_FIELD_SAME_BOOT) != 0)
        hf_text_add(out, "in another pid namespace of this host, as a "
                         "container's, ");
    else
        hf_text_addf(out, "on %s, ", hf_report_known(seen, HF_FIELD_HOST));
}

void
hf_report_before_clear(struct hf_text *out, const struct hf_view *seen)
{
    bool here = hf_view_number(seen, HF_FIELD_HERE) != 0;
    bool may_run = !here || hf_view_number(seen, HF_FIELD_RUNNING) != 0;

    if (hf_report_life(seen) == HF_LIFE_SUSPECTED && may_run) {
        add_elsewhere(out, seen);
        hf_text_add(out, "end what is left of ");
        if (hf_view_number(seen, HF_FIELD_PROCESSES) != 0) {
            hf_text_add(out, "processes ");
            hf_report_processes(out, seen);
            hf_text_add(out, " and of what they run");
        } else {
            hf_report_who(out, seen); /* another's, which lists none */
        }
        hf_text_add(out, ", or it goes on beside the next one; ");
    }
    hf_text_add(out, "see how far it came, put that right");
}

void
hf_report_clear(struct hf_text *out, const struct hf_cli_target *target,
                const char *place, uint64_t fence)
{
    char extra[64] = "--reason '…'";

    if (fence != 0)
        snprintf(extra, sizeof(extra), "--fence %" PRIu64 " --reason '…'",
                 fence);
    hf_report_command(out, target, place, "clear", extra);
}

bool
hf_report_first(struct hf_text *out, const struct hf_view *seen)
{
    struct hf_duration kept = hf_report_duration(seen, HF_FIELD_PARKED_MS);
    const char *why = hf_view_text(seen, HF_FIELD_WHY);
    char text[32];

    if (hf_report_exists(seen) || !hf_report_served(seen))
        return false;
    if (kept.ms > 0) {
        hf_text_addf(out, "the first place in line is kept for %s, for ",
                     hf_duration_text(kept, text, sizeof(text)));
        hf_report_who(out, seen);
        hf_text_add(out, ", who is to ask again");
        return true;
    }
    hf_report_who(out, seen);
    hf_text_add(out, " is first in line");
    if (strcmp(why, "elsewhere") == 0)
        hf_text_add(out, ": it waits for another of its locks");
    else if (strcmp(why, "grace") == 0)
        hf_text_add(out, ": after a change of leader those who waited before "
                         "come first");
    return true;
}

int
hf_report_none(const struct hf_cli_target *target, const char *place,
               const struct hf_view *seen)
{
    struct hf_text out = HF_OUTPUT_BUFFER;
    struct hf_text first = HF_OUTPUT_BUFFER;
    bool is_kept = hf_report_first(&first, seen);

    hf_text_add(&out, "holdfast: ");
    hf_output_quote(&out, target->name);
    hf_text_addf(&out, "%s: nobody holds it in space %s at %s%s%s\n",
                 is_kept ? "" : " is free",
                 target->space != NULL ? target->space : "default", place,
                 is_kept ? ", but " : "", first.at);
    hf_say_text(&out);
    return HF_EXIT_NONE;
}

/* Is it alive? The evidence, in one clause. */
static void
add_life(struct hf_text *out, const struct hf_view *seen, bool looked)
{
    struct hf_duration unchanged =
        hf_report_duration(seen, HF_FIELD_UNCHANGED_MS);
    struct hf_duration watched = hf_report_duration(seen, HF_FIELD_WATCHED_MS);
    char unchanged_text[32];
    char watched_text[32];

    hf_duration_text(unchanged, unchanged_text, sizeof(unchanged_text));
    hf_duration_text(watched, watched_text, sizeof(watched_text));
    switch (hf_report_life(seen)) {
    case HF_LIFE_UNKNOWN:
        if (!looked || watched.ms == 0)
            hf_text_add(out, "not known, for it was not watched");
        else if (watched.ms < JUST_MS)
            hf_text_add(out, "not known, just looked");
        else
            hf_text_addf(out, "not known: no beat seen in %s of looking",
                         watched_text);
        break;
    case HF_LIFE_BEATING:
        if (unchanged.ms < JUST_MS)
            hf_text_add(out, "it beats: the last beat came just now");
        else
            hf_text_addf(out, "it beats: the last beat came %s ago",
                         unchanged_text);
        break;
    case HF_LIFE_RUNNING:
        if (!looked || watched.ms < JUST_MS)
            hf_text_add(out, "alive, just looked: a process of it runs");
        else
            hf_text_addf(out,
                         "alive: a process of it runs; no beat seen in %s "
                         "of looking",
                         watched_text);
        break;
    case HF_LIFE_SUSPECTED:
        hf_text_addf(out, "suspected dead: unchanged for %s", unchanged_text);
        if (hf_view_number(seen, HF_FIELD_RUNNING) != 0)
            hf_text_add(out, ", yet a process of it is there (stopped?)");
        break;
    case HF_LIFE_GONE:
        hf_text_add(out, "gone: of its processes (");
        hf_report_processes(out, seen);
        hf_text_add(out, ") none is left on this host");
        break;
    }
}

void
hf_report_moment(struct hf_text *out, int64_t wall_ms, const char *after)
{
    char date[64];
    char age[32];

    if (!hf_output_is_date(wall_ms)) {
        hf_text_add(out, "unknown");
        return;
    }
    hf_text_addf(out, "%s (%s%s)", hf_output_date(wall_ms, date, sizeof(date)),
                 hf_output_age(wall_ms, age, sizeof(age)), after);
}

void
hf_report_holder(struct hf_text *out, const char *indent,
                 const struct hf_view *seen, bool watched)
{
    struct hf_duration unchanged =
        hf_report_duration(seen, HF_FIELD_UNCHANGED_MS);
    const char *reason = hf_view_text(seen, HF_FIELD_REASON);
    char text[32];

    hf_text_addf(out, "%sholder: ", indent);
    hf_report_who(out, seen);
    hf_text_add(out, ", since ");
    hf_report_moment(out, hf_view_number(seen, HF_FIELD_SINCE_MS), "");
    hf_text_add(out, ", processes ");
    hf_report_processes(out, seen);
    hf_text_addf(out, "\n%sruns: %s\n", indent,
                 hf_report_known(seen, HF_FIELD_COMMAND));
    if (reason[0] != '\0')
        hf_text_addf(out, "%sreason: %s\n", indent, reason);
    if (hf_report_served(seen)) {
        hf_text_addf(out, "%sheld: %s, %" PRId64 " in line", indent,
                     hf_view_text(seen, HF_FIELD_MODE),
                     hf_view_number(seen, HF_FIELD_WAITERS));
    } else {
        hf_text_addf(out, "%slast value: beat %" PRIu64 " of claim %" PRIu64,
                     indent, (uint64_t)hf_view_number(seen, HF_FIELD_BEAT),
                     (uint64_t)hf_view_number(seen, HF_FIELD_CLAIM));
        if (unchanged.ms >= JUST_MS)
            hf_text_addf(out, ", unchanged for %s",
                         hf_duration_text(unchanged, text, sizeof(text)));
    }
    hf_text_addf(out, "; fence %" PRIu64 "; if dead: %s\n",
                 hf_report_fence(seen), hf_view_text(seen, HF_FIELD_IF_DEAD));
    hf_text_addf(out, "%slife: ", indent);
    add_life(out, seen, watched);
    hf_text_add(out, "\n");
}

/* Is it known of one of its names what keeps that? */
static bool
is_known(const struct hf_report_answer *answer)
{
    return hf_report_exists(answer->seen) || hf_report_served(answer->seen);
}

static const char *
how_it_is_kept(const struct hf_report_answer *answer)
{
    if (is_known(answer) && !hf_report_exists(answer->seen))
        return "is kept for who is first in line";
    return is_known(answer) || answer->names[1] == NULL ? "is held"
                                                        : "are not all free";
}

static void
add_headline(struct hf_text *out, const char *name,
             const struct hf_report_answer *answer)
{
    struct hf_duration limit = answer->limit;
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
            hf_duration_text(hf_report_duration(answer->seen, HF_FIELD_TTL_MS),
                             text, sizeof(text)));
        return;
    case HF_HELD_TOO_LONG:
        hf_text_addf(out,
                     "%s is held too long: one live holder has kept it for "
                     "our whole limit of %s",
                     name, hf_duration_text(limit, text, sizeof(text)));
        return;
    case HF_TIMED_OUT:
        if (limit.ms == 0)
            hf_text_addf(out, "%s %s, and -n does not wait", name,
                         how_it_is_kept(answer));
        else
            hf_text_addf(out, "%s was not free within %s", name,
                         hf_duration_text(limit, text, sizeof(text)));
        return;
    case HF_ALREADY_HELD:
        hf_text_addf(out,
                     "%s is held by the holdfast run that runs this command "
                     "(fence %" PRIu64 "): waiting for it would never end",
                     name, hf_report_fence(answer->seen));
        return;
    case HF_AT_LIMIT:
        hf_text_addf(out,
                     "the server had no room for another wait for %s: "
                     "holdfastd has more with a larger --connections, or "
                     "--locks",
                     name);
        return;
    case HF_NOT_HELD:
    case HF_GRANTED:
    case HF_IN_DOUBT:
    case HF_LOST:
    case HF_DEADLOCK:
        hf_text_addf(out, "%s: %s", name, hf_outcome_word(answer->outcome));
        return;
    }
}

/* Dead, and a server gives it on. */
static bool
is_given_on(const struct hf_view *seen)
{
    return hf_report_served(seen) && hf_report_life(seen) == HF_LIFE_GONE &&
           hf_view_number(seen, HF_FIELD_IF_DEAD) == HF_TAKEOVER;
}

/* How to learn more: of the one that is kept, or of all. */
static void
add_why(struct hf_text *out, const struct hf_cli_target *target,
        const char *place, const struct hf_report_answer *answer)
{
    struct hf_cli_target each = *target;

    hf_text_add(out, "holdfast: to learn more\n");
    for (size_t i = 0; answer->names[i] != NULL; i++) {
        each.name = is_known(answer) ? target->name : answer->names[i];
        hf_text_add(out, "    ");
        hf_report_command(out, &each, place, "why", "");
        hf_text_add(out, "\n");
        if (is_known(answer))
            break;
    }
}

/* The next step for the person who reads it. */
static void
add_remedy(struct hf_text *out, const struct hf_cli_target *target,
           const char *place, const struct hf_report_answer *answer)
{
    const struct hf_view *seen = answer->seen;
    char ttl[32];

    switch (answer->outcome) {
    case HF_GONE:
    case HF_SUSPECTED_DEAD:
        hf_text_add(out, "holdfast: nobody takes it over: ");
        hf_report_before_clear(out, seen);
        hf_text_add(out, ", and then\n    ");
        hf_report_clear(out, target, place, hf_report_fence(seen));
        hf_text_add(out, "\n");
        if (answer->gave_up_early)
            hf_text_add(out, "holdfast: if it may only be slow, wait for it "
                             "with --if-suspected wait\n");
        break;
    case HF_HELD_TOO_LONG:
        hf_text_add(out, "holdfast: it is alive, so there is nothing to "
                         "clear: ask ");
        hf_report_who(out, seen);
        hf_text_add(out, ", or wait longer with -w\n");
        break;
    case HF_TIMED_OUT:
        if (is_given_on(seen))
            hf_text_addf(
                out,
                "holdfast: nothing to clear: the next in line is granted it "
                "once its ttl of %s is over\n",
                hf_duration_text(hf_report_duration(seen, HF_FIELD_TTL_MS), ttl,
                                 sizeof(ttl)));
        add_why(out, target, place, answer);
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
hf_report_refusal(struct hf_text *out, const struct hf_cli_target *target,
                  const char *place, const struct hf_report_answer *answer)
{
    struct hf_cli_target about = *target;
    struct hf_text name = HF_OUTPUT_BUFFER;
    struct hf_text first = HF_OUTPUT_BUFFER;

    if (is_known(answer))
        about.name = hf_view_text(answer->seen, HF_FIELD_NAME);
    hf_output_quote(&name, about.name);
    hf_text_add(out, "holdfast: ");
    add_headline(out, is_known(answer) ? name.at : answer->asked, answer);
    hf_text_addf(out, " (%s)\n", place);
    if (hf_report_exists(answer->seen))
        hf_report_holder(out, "holdfast:   ", answer->seen, true);
    else if (hf_report_first(&first, answer->seen))
        hf_text_addf(out, "holdfast:   nobody holds it, but %s\n", first.at);
    add_remedy(out, &about, place, answer);
}

#include "wire/api_why.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "core/evidence.h"
#include "wire/api_look.h"

/* Bytes of a duration as text, and of a whole answer's sentences. */
enum { SPAN = 32, SENTENCES = 2048 };

/* Of thousands of shared holders only so many are looked at. */
enum { LOOKS_MAX = 1000 };

struct finding {
    const char *verdict;
    struct hf_text says;
    struct hf_text advice;
    char says_bytes[SENTENCES];
    char advice_bytes[SENTENCES];
};

/* ---- Who ----------------------------------------------------------------- */

static void
look_at(struct hf_lockspace *ls, const struct hf_look_claim *row,
        struct hf_api_claim *claim)
{
    hf_api_look_claim(ls, row, claim);
    if (claim->who[0] == '\0')
        snprintf(claim->who, sizeof(claim->who), "session %016" PRIx64,
                 claim->session);
}

/* The holder that was silent for longest, of those that are looked at.
 * False: the lock is free. */
static bool
find_quietest(struct hf_lockspace *ls, const struct hf_look_name *row,
              struct hf_api_claim *quietest)
{
    struct hf_look_claim claim;
    struct hf_api_claim other;
    uint32_t cursor = 0;
    bool any = false;

    for (int looks = 0;
         looks < LOOKS_MAX && hf_look_holders(ls, row->number, &cursor, &claim);
         looks++) {
        look_at(ls, &claim, &other);
        if (!any || other.silent.ms > quietest->silent.ms)
            *quietest = other;
        any = true;
    }
    return any;
}

/* ---- What is found ------------------------------------------------------- */

static const char *
span(struct hf_duration duration, char buffer[SPAN])
{
    return hf_duration_text(duration, buffer, SPAN);
}

static void
say_alive(const struct hf_api_claim *c, struct finding *f)
{
    char held[SPAN];
    char silent[SPAN];

    f->verdict = "alive";
    hf_text_addf(&f->says, "%s has held it for %s, and was heard %s ago",
                 c->who, span(c->age, held), span(c->silent, silent));
    hf_text_addf(&f->advice, "wait, or ask %s to give it back", c->who);
}

static void
say_silent(const struct hf_api_claim *c, struct finding *f)
{
    struct hf_duration left = {c->ttl.ms - c->silent.ms};
    bool taken = c->if_dead == HF_TAKEOVER;
    char silent[SPAN];
    char rest[SPAN];

    f->verdict = "silent";
    hf_text_addf(&f->says,
                 c->heard ? "%s holds it, and was heard last %s ago"
                          : "%s holds it, and was not heard since this server "
                            "leads, for %s",
                 c->who, span(c->silent, silent));
    hf_text_addf(&f->advice, "wait for %s more: if it stays silent, %s",
                 span(left.ms > 0 ? left : (struct hf_duration){0}, rest),
                 taken ? "the next in line is granted it"
                       : "it is suspected, and the lock stays held until an "
                         "operator clears it");
}

static void
say_suspected(const struct hf_api_claim *c, struct finding *f)
{
    char silent[SPAN];
    char ttl[SPAN];

    f->verdict = "suspected";
    hf_text_addf(&f->says,
                 "%s holds it, and has been silent for %s, longer than its "
                 "ttl of %s: it may be dead; the lock is not taken over "
                 "(if_dead is refuse)",
                 c->who, span(c->silent, silent), span(c->ttl, ttl));
    hf_text_addf(&f->advice,
                 "make sure that %s does nothing more, then clear it with "
                 "fence %" PRIu64 " and a reason",
                 c->who, c->fence);
}

static void
say_held(const struct hf_api_claim *c, struct finding *f)
{
    switch (hf_evidence_of_session(c->suspected, c->heard, c->silent, c->ttl)) {
    case HF_LIFE_SUSPECTED:
        say_suspected(c, f);
        return;
    case HF_LIFE_BEATING:
        say_alive(c, f);
        return;
    case HF_LIFE_UNKNOWN:
    case HF_LIFE_RUNNING:
    case HF_LIFE_GONE:
        say_silent(c, f);
    }
}

/* A client that held the lock may still believe that it does. */
static void
say_withheld(struct hf_duration rest, struct finding *f)
{
    char left[SPAN];

    f->verdict = "waiting";
    hf_text_addf(&f->says,
                 "this server has forgotten what was granted, and grants "
                 "nothing for %s",
                 span(rest, left));
    hf_text_add(&f->advice, "wait for that long: somebody may hold it");
}

/* The first in line, and why it does not get the lock. */
static void
say_waiting(const struct hf_api_claim *c, struct finding *f)
{
    char waited[SPAN];
    char told[SPAN + 96];
    const char *why = "it is about to be granted";
    const char *advice = "look again";

    if (c->why == HF_LOOK_PARKED) {
        snprintf(told, sizeof(told),
                 "its client was told to ask again, and has not yet; its place "
                 "is kept for %s",
                 span(c->parked, waited));
        why = told;
        advice = "wait for that long: if it does not ask, the next in line is "
                 "granted it";
    } else if (c->why == HF_LOOK_GRACE) {
        why = "after a change of leader earlier waiters come first";
        advice = "wait a moment";
    } else if (c->why == HF_LOOK_ELSEWHERE) {
        why = "it waits for another of its locks";
        advice = "look at the other locks that it asks for";
    }
    f->verdict = "waiting";
    hf_text_addf(&f->says, "nobody holds it; %s is first in line, for %s: %s",
                 c->who, span(c->age, waited), why);
    hf_text_add(&f->advice, advice);
}

static void
add_string(struct hf_text *text, const char *member,
           const struct hf_text *value)
{
    hf_text_addf(text, "\"%s\":", member);
    hf_text_add_json(text, value->at, hf_text_kept(value));
    hf_text_add(text, ",");
}

void
hf_api_why(struct hf_lockspace *ls, const struct hf_look_name *row,
           size_t rows_max, struct hf_text *text)
{
    struct finding finding;
    struct hf_api_claim claim;
    struct hf_duration withheld = hf_look_withheld(ls);
    struct hf_look_claim first;
    uint32_t cursor = 0;

    hf_text_init(&finding.says, finding.says_bytes, SENTENCES);
    hf_text_init(&finding.advice, finding.advice_bytes, SENTENCES);
    if (find_quietest(ls, row, &claim)) {
        say_held(&claim, &finding);
    } else if (withheld.ms > 0) {
        say_withheld(withheld, &finding);
    } else if (hf_look_line(ls, row->number, &cursor, &first)) {
        look_at(ls, &first, &claim);
        say_waiting(&claim, &finding);
    } else {
        finding.verdict = "waiting";
        hf_text_add(&finding.says, "nobody holds it just now");
        hf_text_add(&finding.advice, "look again");
    }
    hf_text_addf(text, "{\"verdict\":\"%s\",", finding.verdict);
    add_string(text, "says", &finding.says);
    add_string(text, "advice", &finding.advice);
    hf_text_add(text, "\"lock\":");
    hf_api_look_lock(ls, row, rows_max, NULL, text);
    hf_text_add(text, "}");
}

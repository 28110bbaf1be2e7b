#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "hold_state.h"
#include "report.h"
#include "say.h"

/* Not while the client is being opened. */
static const char *
place(const struct hf_hold *h)
{
    return h->client != NULL ? hf_client_place(h->client) : "?";
}

/* `before` and why the place does not answer; false, and nothing, if it
 * does. */
static bool
add_cause(struct hf_text *out, const struct hf_hold *h, const char *before)
{
    struct hf_error cause = {.status = HF_OK};

    if (!atomic_load(&h->opened) || h->client == NULL ||
        hf_client_trouble(h->client, &cause) == HF_OK)
        return false;
    hf_text_addf(out, "%s%s", before, cause.text);
    return true;
}

/* What was read last before the grant is a dead holder's record exactly when
 * that was taken over: a release would have been read as no record. */
void
hf_hold_words_taken_over_now(const struct hf_hold *h)
{
    const struct hf_diagnosis *seen = &h->answer.seen;
    const struct hf_description *record = &seen->record;
    bool gone = seen->life == HF_LIFE_GONE;
    char unchanged[32];
    struct hf_text who = HF_PHRASE;

    if (h->quiet || !record->exists || record->fence == hf_fence(h->lock) ||
        (!gone && seen->life != HF_LIFE_SUSPECTED))
        return;
    hf_report_who(&who, record);
    hf_duration_text(seen->unchanged, unchanged, sizeof(unchanged));
    hf_say_now(
        "took over %s: its holder %s %s%s; it ran: %s; our fence %" PRIu64
        " is above its %" PRIu64,
        h->name.at, who.at,
        gone ? "is dead, all its processes are gone"
             : "is suspected dead, unchanged for ",
        gone ? "" : unchanged, record->command, hf_fence(h->lock),
        record->fence);
}

/* Its right ran out, or a look showed that the record is no longer ours. */
static void
add_loss(struct hf_text *text, const struct hf_hold *h)
{
    if (hf_now().ms >= hf_lock_right_ms(h->lock)) {
        hf_text_add(text, "no beat was written in time");
        (void)add_cause(text, h, ": ");
    } else if (!add_cause(text, h, "")) { /* the place may be another */
        hf_text_add(text, h->order->if_dead == HF_REFUSE
                              ? "somebody cleared it"
                              : "somebody cleared it, or took it over");
    }
}

/* Its right ran out, or the place is not the one that it was. */
static void
add_doubt(struct hf_text *text, const struct hf_hold *h)
{
    bool over = hf_now().ms >= hf_lock_right_ms(h->lock);

    if (over)
        hf_text_add(text, "no beat was written in time");
    if (!add_cause(text, h, over ? ": " : "") && !over)
        hf_text_add(text, "its record may be gone");
}

void
hf_hold_words_certainty_now(const struct hf_hold *h, enum hf_outcome outcome)
{
    struct hf_text text = HF_PHRASE;

    if (h->silent)
        return;
    hf_text_addf(&text, "%s is ", h->name.at);
    if (outcome == HF_IN_DOUBT) {
        hf_text_add(&text, "in doubt: ");
        add_doubt(&text, h);
        hf_text_add(&text, "; the command goes on, for nobody may override "
                           "a refuse lock");
    } else if (outcome == HF_GRANTED) {
        hf_text_add(&text, "certain again: a beat was written");
    } else {
        hf_text_add(&text, "lost: ");
        add_loss(&text, h);
        hf_text_add(&text, "; ending the command");
    }
    hf_say_now("%s", text.at);
}

static void
say_ending_now(const struct hf_hold *h)
{
    struct hf_text text = HF_PHRASE;

    if (h->silent)
        return;
    hf_text_addf(&text, "%s is about to be lost, for no beat was written",
                 h->name.at);
    if (!add_cause(&text, h, ": "))
        hf_text_addf(&text, " at %s", place(h));
    hf_say_now("%s; ending the command", text.at);
}

void
hf_hold_words_guard_now(const struct hf_hold *h,
                        const struct hf_guard_link_message *message)
{
    bool one = message->number == 1;
    struct hf_text word = HF_PHRASE;

    if (message->word == HF_GUARD_LINK_ENDING) {
        if (h->known == HF_GRANTED) /* else it is lost, and that was said */
            say_ending_now(h);
        return;
    }
    if (h->quiet)
        return;
    if (message->name[0] != '\0')
        hf_phrase_quote(&word, message->name);
    if (message->name[0] != '\0' && message->pid != 0)
        hf_text_add(&word, ", ");
    if (message->pid != 0)
        hf_text_addf(&word, "pid %d", (int)message->pid);
    hf_say_now("the command ended, but %d process%s of it %s left (%s): %s "
               "stays held until nothing is",
               message->number, one ? "" : "es", one ? "is" : "are", word.at,
               h->name.at);
}

void
hf_hold_words_stopping_now(const struct hf_hold *h)
{
    bool claiming = h->stage == HF_HOLD_CLAIMING;
    struct hf_text text = HF_PHRASE;

    if (h->silent)
        return;
    if (claiming)
        hf_say_wipe();
    (void)add_cause(&text, h, ": ");
    hf_say_now("still giving %s %s%s; %s to leave it as it is",
               claiming ? "up" : "back", h->name.at, text.at,
               h->stops > 0 ? hf_say_again() : hf_say_twice());
}

void
hf_hold_words_opening_now(const struct hf_hold *h)
{
    const char *at = h->order->which.at;
    struct hf_text word = HF_PHRASE;

    if (h->silent)
        return;
    if (at == NULL)
        at = getenv("HOLDFAST_AT");
    hf_phrase_quote(&word, at != NULL ? at : "(the default)");
    hf_say_now("the place does not open yet: %s", word.at);
}

void
hf_hold_words_cut_now(const struct hf_hold *h)
{
    if (!h->silent)
        hf_say_now("the guard of %s was killed: ended what it guarded",
                   h->name.at);
}

void
hf_hold_words_left_behind(const struct hf_hold *h)
{
    struct hf_text text = HF_PHRASE;
    char ttl[32];

    if (h->silent)
        return;
    hf_text_addf(&text,
                 "holdfast: a record of %s may be left, which nobody "
                 "beats, ",
                 h->name.at);
    if (!add_cause(&text, h, "for there was no answer: "))
        hf_text_addf(&text, "at %s", place(h));
    if (h->order->if_dead == HF_TAKEOVER) {
        hf_text_addf(&text, "; the next one takes it over after %s\n",
                     hf_duration_text(h->order->ttl, ttl, sizeof(ttl)));
    } else {
        hf_text_add(&text, "; if it is there, clear it\n    ");
        hf_report_clear(&text, &h->order->which, place(h), h->link.page->fence);
        hf_text_add(&text, "\n");
    }
    hf_say_text(&text);
}

void
hf_hold_words_for_a_person(const struct hf_hold *h)
{
    struct hf_text text = HF_PHRASE;

    if (h->silent)
        return;
    hf_text_addf(&text,
                 "holdfast: %s is left for a person, for its command "
                 "was cut short: see how far it came, put that right, "
                 "and then\n    ",
                 h->name.at);
    hf_report_clear(&text, &h->order->which, place(h), h->link.page->fence);
    hf_text_add(&text, "\n");
    hf_say_text(&text);
}

/* A record that is not ours, in a place that is: `why` knows the way out. */
static int
failure(const struct hf_hold *h)
{
    struct hf_text text = HF_PHRASE;

    if (h->silent)
        return hf_status_exit(h->status);
    (void)hf_say_failure(&h->error, h->status);
    if (h->status == HF_E_CORRUPT && h->client != NULL) {
        hf_text_add(&text, "holdfast: to learn more\n    ");
        hf_report_command(&text, &h->order->which, place(h), "why", "");
        hf_text_add(&text, "\n");
        hf_say_text(&text);
    }
    return hf_status_exit(h->status);
}

int
hf_hold_words_refusal(const struct hf_hold *h)
{
    struct hf_duration limit = h->order->limit;
    bool not_acquired = h->answer.outcome == HF_TIMED_OUT ||
                        h->answer.outcome == HF_HELD_TOO_LONG;
    struct hf_text text = HF_PHRASE;

    if (h->status == HF_E_UNKNOWN)
        hf_hold_words_left_behind(h);
    if (h->stop_signal != 0 &&
        (h->status == HF_E_CANCELLED || h->status == HF_E_UNKNOWN))
        return HF_EXIT_SIGNAL + h->stop_signal;
    if (h->guard_over && h->client != NULL &&
        (h->status == HF_E_CANCELLED || h->status == HF_E_INVALID)) {
        /* Invalid: it was gone before the claim could list it. */
        if (!h->silent)
            hf_say("the guard was killed before %s was granted", h->name.at);
        return hf_status_exit(HF_E_CANCELLED);
    }
    if (h->status != HF_OK)
        return failure(h);
    if (h->order->wait == HF_WAIT_TRY)
        limit.ms = 0;
    hf_report_refusal(&text, &h->order->which, place(h), &h->answer, limit);
    if (!(not_acquired ? h->quiet : h->silent))
        hf_say_text(&text);
    return not_acquired && h->order->busy_exit != 0
               ? h->order->busy_exit
               : hf_outcome_exit(h->answer.outcome);
}

int
hf_hold_words_end(const struct hf_hold *h)
{
    int number = h->end.number;
    struct hf_text word = HF_PHRASE;

    if (h->cut)
        return HF_EXIT_LOST;
    if (!h->done) /* we ended it: with the lock, or with its guard */
        return h->known == HF_LOST || h->known == HF_NOT_HELD
                   ? HF_EXIT_LOST
                   : HF_EXIT_SIGNAL + SIGKILL;
    switch (h->end.end) {
    case HF_GUARD_LINK_RAN:
        return WIFEXITED(number) ? WEXITSTATUS(number)
                                 : HF_EXIT_SIGNAL + WTERMSIG(number);
    case HF_GUARD_LINK_CUT:
        return HF_EXIT_LOST;
    case HF_GUARD_LINK_LATE:
        if (!h->silent)
            hf_say("%s was granted too late to be safe: the command was not "
                   "started",
                   h->name.at);
        return HF_EXIT_LOST;
    case HF_GUARD_LINK_REFUSED:
        hf_phrase_quote(&word, h->order->command[0]);
        if (!h->silent)
            hf_say("cannot run %s: %s", word.at, strerror(number));
        return number == ENOENT ? HF_EXIT_MISSING : HF_EXIT_CANNOT;
    }
    return HF_EXIT_OURS;
}

void
hf_hold_words_json(const struct hf_hold *h, int code, bool answered)
{
    bool own = h->done && h->end.end == HF_GUARD_LINK_RAN && !h->cut;
    enum hf_outcome outcome =
        code == HF_EXIT_LOST && !own ? HF_LOST : h->answer.outcome;
    struct hf_text text = HF_PHRASE;

    hf_text_add(&text, "{\"holdfast\":\"run\",\"at\":");
    hf_phrase_json(&text, h->client != NULL ? place(h) : h->order->which.at);
    hf_text_add(&text, ",\"space\":");
    hf_phrase_json(&text, h->terms.space);
    hf_text_add(&text, ",\"name\":");
    hf_phrase_json(&text, h->order->which.name);
    hf_text_add(&text, ",\"outcome\":");
    hf_phrase_json(&text, answered ? hf_outcome_word(outcome) : NULL);
    hf_text_addf(&text, ",\"fence\":%" PRIu64 ",\"exit\":%d,\"error\":",
                 h->link.page->fence, code);
    hf_phrase_json(&text, h->error.text[0] != '\0' ? h->error.text : NULL);
    hf_text_add(&text, ",\"seen\":");
    if (answered && h->answer.seen.record.exists)
        hf_phrase_diagnosis(&text, &h->answer.seen);
    else
        hf_text_add(&text, "null");
    hf_text_add(&text, "}\n");
    hf_say_text(&text);
}

int
hf_hold_words_cannot_start(const char *what)
{
    hf_say("cannot start %s: %s", what, strerror(errno));
    return HF_EXIT_OURS;
}

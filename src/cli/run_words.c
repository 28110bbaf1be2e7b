#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "report.h"
#include "run_state.h"
#include "say.h"
#include "sharing.h"

static const char *
place(const struct hf_run *run)
{
    return run->opened ? hf_client_place(run->client) : "?";
}

/* `before` and why the place does not answer; false, and nothing, if it
 * does. */
static bool
add_cause(struct hf_text *out, const struct hf_run *run, const char *before)
{
    struct hf_error cause = {.status = HF_OK};

    if (!run->opened || hf_client_trouble(run->client, &cause) == HF_OK)
        return false;
    hf_text_addf(out, "%s%s", before, cause.text);
    return true;
}

/* What was read last before the grant is a dead holder's record exactly when
 * that was taken over: a release would have been read as no record. */
void
hf_run_words_taken_over_now(const struct hf_run *run)
{
    const struct hf_view *seen = run->seen;
    uint64_t fence = hf_lock_fence(run->lock);
    bool gone = hf_report_life(seen) == HF_LIFE_GONE;
    char unchanged[32];
    struct hf_text who = HF_OUTPUT_BUFFER;
    struct hf_text name = HF_OUTPUT_BUFFER;

    if (run->quiet || !hf_report_exists(seen) ||
        hf_report_fence(seen) == fence ||
        (!gone && hf_report_life(seen) != HF_LIFE_SUSPECTED))
        return;
    hf_report_who(&who, seen);
    hf_output_quote(&name, hf_view_text(seen, HF_FIELD_NAME));
    hf_duration_text(hf_report_duration(seen, HF_FIELD_UNCHANGED_MS), unchanged,
                     sizeof(unchanged));
    hf_say_now(
        "took over %s: its holder %s %s%s; it ran: %s; our fence %" PRIu64
        " is above its %" PRIu64,
        name.at, who.at,
        gone ? "is dead, all its processes are gone"
             : "is suspected dead, unchanged for ",
        gone ? "" : unchanged, hf_view_text(seen, HF_FIELD_COMMAND), fence,
        hf_report_fence(seen));
}

/* A lock, or several at once. */
static const char *
is_or_are(const struct hf_run *run)
{
    return run->order->names[1] == NULL ? "is" : "are";
}

/* Who cleared it, and why, if that is known. */
static bool
add_clearing(struct hf_text *text, const struct hf_view *of)
{
    if (hf_view_number(of, HF_FIELD_CLEARED) == 0)
        return false;
    hf_text_addf(text, "%s@%s cleared it: %s",
                 hf_report_known(of, HF_FIELD_BY_USER),
                 hf_report_known(of, HF_FIELD_BY_HOST),
                 hf_report_known(of, HF_FIELD_BY_REASON));
    return true;
}

/* Somebody cleared it, or its right ran out, or a look showed that the record
 * is no longer ours.  By time no refuse lock is lost. */
static void
add_loss(struct hf_text *text, const struct hf_run *run)
{
    bool may_be_taken = run->order->if_dead != HF_REFUSE;
    struct hf_view *seen = hf_lock_view(run->lock);

    if (add_clearing(text, seen)) {
        /* nothing is left to say */
    } else if (may_be_taken && hf_reached(hf_now(), run->right_until)) {
        hf_text_add(text, "no beat was written in time");
        (void)add_cause(text, run, ": ");
    } else if (!add_cause(text, run, "")) { /* the place may be another */
        hf_text_add(text, "somebody cleared it, or its place lost it");
    }
    hf_view_free(seen);
}

/* Its right ran out, or the place is not the one that it was. */
static void
add_doubt(struct hf_text *text, const struct hf_run *run)
{
    bool over = hf_now().ms >= hf_lock_right_ms(run->lock);

    if (over)
        hf_text_add(text, "no beat was written in time");
    if (!add_cause(text, run, over ? ": " : "") && !over)
        hf_text_add(text, "its record may be gone");
}

void
hf_run_words_certainty_now(const struct hf_run *run, enum hf_outcome outcome)
{
    struct hf_text text = HF_OUTPUT_BUFFER;

    if (run->silent)
        return;
    hf_text_addf(&text, "%s %s ", run->name.at, is_or_are(run));
    if (outcome == HF_IN_DOUBT) {
        hf_text_add(&text, "in doubt: ");
        add_doubt(&text, run);
        hf_text_addf(&text, "; %s, for nobody may override a refuse lock",
                     run->done ? "it is held on" : "the command goes on");
    } else if (outcome == HF_GRANTED) {
        hf_text_add(&text, "certain again: a beat was written");
    } else {
        hf_text_add(&text, "lost: ");
        add_loss(&text, run);
        hf_text_addf(&text, "; %s the command",
                     run->done ? "that was after the end of" : "ending");
    }
    hf_say_now("%s", text.at);
}

static void
say_ending_now(const struct hf_run *run)
{
    struct hf_text text = HF_OUTPUT_BUFFER;

    if (run->silent)
        return;
    hf_text_addf(&text, "%s %s about to be lost, for no beat was written",
                 run->name.at, is_or_are(run));
    if (!add_cause(&text, run, ": "))
        hf_text_addf(&text, " at %s", place(run));
    hf_say_now("%s; ending the command", text.at);
}

void
hf_run_words_guard_now(const struct hf_run *run,
                       const struct hf_guard_link_message *message)
{
    bool one = message->number == 1;
    struct hf_text word = HF_OUTPUT_BUFFER;

    if (message->word == HF_GUARD_LINK_ENDING) {
        if (run->known == HF_GRANTED) /* else it is lost, and that was said */
            say_ending_now(run);
        return;
    }
    if (run->quiet)
        return;
    if (message->name[0] != '\0')
        hf_output_quote(&word, message->name);
    if (message->name[0] != '\0' && message->pid != 0)
        hf_text_add(&word, ", ");
    if (message->pid != 0)
        hf_text_addf(&word, "pid %d", (int)message->pid);
    hf_say_now("the command ended, but %d process%s of it %s left (%s): %s %s",
               message->number, one ? "" : "es", one ? "is" : "are", word.at,
               run->name.at,
               message->let_go ? "is not held for that, by --leave"
                               : "stays held until nothing is");
}

void
hf_run_words_stopping_now(const struct hf_run *run)
{
    bool claiming = run->stage == HF_RUN_CLAIMING;
    struct hf_text text = HF_OUTPUT_BUFFER;

    if (run->silent)
        return;
    if (claiming)
        hf_say_wipe();
    (void)add_cause(&text, run, ": ");
    hf_say_now("still giving %s %s%s; %s to leave it as it is",
               claiming ? "up" : "back", run->name.at, text.at,
               run->stops > 0 ? hf_say_again() : hf_say_twice());
}

void
hf_run_words_add_stopping(struct hf_text *out, const struct hf_run *run)
{
    hf_text_addf(out, "holdfast: still giving up %s; %s to leave it as it is\n",
                 run->name.at, hf_say_again());
}

void
hf_run_words_keeping_now(const struct hf_run *run)
{
    char rest[32];

    if (!run->quiet)
        hf_say_now("the command has ended; %s stays held for %s more, by "
                   "--hold-at-least",
                   run->name.at,
                   hf_duration_text(hf_between(hf_now(), run->keep_until), rest,
                                    sizeof(rest)));
}

void
hf_run_words_cut_now(const struct hf_run *run)
{
    if (!run->silent)
        hf_say_now("the guard of %s was killed: ended what it guarded",
                   run->name.at);
}

void
hf_run_words_left_behind(const struct hf_run *run)
{
    struct hf_text text = HF_OUTPUT_BUFFER;
    char ttl[32];

    if (run->silent)
        return;
    hf_text_addf(&text,
                 "holdfast: a record of %s may be left, without a holder, ",
                 run->name.at);
    if (!add_cause(&text, run, "for there was no answer: "))
        hf_text_addf(&text, "at %s", place(run));
    if (run->order->if_dead == HF_TAKEOVER) {
        hf_text_addf(&text, "; the next one takes it over after %s\n",
                     hf_duration_text(hf_lock_duration(run->lock, HF_TTL), ttl,
                                      sizeof(ttl)));
    } else {
        hf_text_add(&text, "; if it is there, clear it\n    ");
        hf_report_clear(&text, &run->order->target, place(run),
                        run->link.page->fence);
        hf_text_add(&text, "\n");
    }
    hf_say_text(&text);
}

void
hf_run_words_for_a_person(const struct hf_run *run)
{
    struct hf_text text = HF_OUTPUT_BUFFER;

    if (run->silent)
        return;
    hf_text_addf(&text,
                 "holdfast: %s %s left for a person, because the command was "
                 "cut short: see how far it came, put that right, and "
                 "then\n    ",
                 run->name.at, is_or_are(run));
    hf_report_clear(&text, &run->order->target, place(run),
                    run->link.page->fence);
    hf_text_add(&text, "\n");
    hf_say_text(&text);
}

/* A record that is not ours, in a place that is: `why` knows the way out. */
static int
failure(const struct hf_run *run)
{
    struct hf_text text = HF_OUTPUT_BUFFER;

    if (run->silent)
        return hf_status_exit(run->status);
    (void)hf_sharing_failure(&run->order->target, &run->error, run->status);
    if (run->status == HF_E_CORRUPT && run->opened) {
        hf_text_add(&text, "holdfast: to learn more\n    ");
        hf_report_command(&text, &run->order->target, place(run), "why", "");
        hf_text_add(&text, "\n");
        hf_say_text(&text);
    }
    return hf_status_exit(run->status);
}

int
hf_run_words_refusal(const struct hf_run *run)
{
    bool not_acquired =
        run->outcome == HF_TIMED_OUT || run->outcome == HF_HELD_TOO_LONG;
    struct hf_text text = HF_OUTPUT_BUFFER;

    if (run->status == HF_E_UNKNOWN)
        hf_run_words_left_behind(run);
    if (run->stop_signal != 0 &&
        (run->status == HF_E_CANCELLED || run->status == HF_E_UNKNOWN))
        return HF_EXIT_SIGNAL + run->stop_signal;
    if (run->guard_over && run->opened &&
        (run->status == HF_E_CANCELLED || run->status == HF_E_UNKNOWN ||
         run->status == HF_E_INVALID)) {
        /* Invalid: it was gone before the claim could list it. */
        if (!run->silent)
            hf_say("the guard was killed before %s was granted", run->name.at);
        return HF_EXIT_SIGNAL + SIGKILL; /* as after the grant */
    }
    if (run->status != HF_OK)
        return failure(run);
    hf_report_refusal(&text, &run->order->target, place(run),
                      &(struct hf_report_answer){
                          .outcome = run->outcome,
                          .seen = run->seen,
                          .names = run->order->names,
                          .asked = run->name.at,
                          .limit = run->wait,
                          .gave_up_early = run->outcome == HF_SUSPECTED_DEAD &&
                                           !run->order->try_only &&
                                           !run->order->waits_for_suspected,
                      });
    if (!(not_acquired ? run->quiet : run->silent))
        hf_say_text(&text);
    return not_acquired && run->order->busy_exit >= 0
               ? (int)run->order->busy_exit
               : hf_outcome_exit(run->outcome);
}

/* A command of one word, with what no file's name has: it was quoted whole. */
static bool
is_for_a_shell(const struct hf_run *run, int error)
{
    char *const *command = run->order->command;

    return error == ENOENT && command[1] == NULL &&
           strpbrk(command[0], " \t\n|&;<>$") != NULL;
}

int
hf_run_words_end(const struct hf_run *run)
{
    int number = run->end.number;
    struct hf_text word = HF_OUTPUT_BUFFER;

    if (run->cut)
        return HF_EXIT_LOST;
    if (!run->done) /* we ended it: with the lock, or with its guard */
        return run->known == HF_LOST || run->known == HF_NOT_HELD
                   ? HF_EXIT_LOST
                   : HF_EXIT_SIGNAL + SIGKILL;
    switch (run->end.end) {
    case HF_GUARD_LINK_RAN:
        return WIFEXITED(number) ? WEXITSTATUS(number)
                                 : HF_EXIT_SIGNAL + WTERMSIG(number);
    case HF_GUARD_LINK_CUT:
        return HF_EXIT_LOST;
    case HF_GUARD_LINK_LATE:
        if (!run->silent)
            hf_say("%s was granted too late to be safe: the command was not "
                   "started",
                   run->name.at);
        return HF_EXIT_LOST;
    case HF_GUARD_LINK_REFUSED:
        hf_output_quote(&word, run->order->command[0]);
        if (!run->silent)
            hf_say("cannot run %s: %s%s%s", word.at, strerror(number),
                   is_for_a_shell(run, number)
                       ? "; a line for a shell is run by: sh -c "
                       : "",
                   is_for_a_shell(run, number) ? word.at : "");
        return number == ENOENT ? HF_EXIT_MISSING : HF_EXIT_CANNOT;
    }
    return HF_EXIT_OURS;
}

/* Of several names under one grant. */
static void
add_names_json(struct hf_text *out, const char *const *names)
{
    hf_text_add(out, ",\"names\":[");
    for (size_t i = 0; names[i] != NULL; i++) {
        if (i > 0)
            hf_text_add(out, ",");
        hf_output_json(out, names[i]);
    }
    hf_text_add(out, "]");
}

void
hf_run_words_json(const struct hf_run *run)
{
    bool own = run->done && run->end.end == HF_GUARD_LINK_RAN && !run->cut;
    enum hf_outcome outcome =
        run->code == HF_EXIT_LOST && !own ? HF_LOST : run->outcome;
    struct hf_text text = HF_OUTPUT_BUFFER;
    struct hf_text given = HF_OUTPUT_BUFFER;
    const char *at = run->order->target.at;

    if (at != NULL)
        hf_text_add_url(&given, at);
    hf_text_add(&text, "{\"holdfast\":\"run\",\"at\":");
    hf_output_json(&text, run->opened  ? place(run)
                          : at != NULL ? given.at
                                       : NULL);
    hf_text_add(&text, ",\"space\":");
    hf_output_json(&text, run->guard_terms.space);
    hf_text_add(&text, ",\"name\":");
    hf_output_json(&text, run->order->target.name);
    if (run->order->names[1] != NULL)
        add_names_json(&text, run->order->names);
    hf_text_add(&text, ",\"outcome\":");
    hf_output_json(&text, run->answered ? hf_outcome_word(outcome) : NULL);
    hf_text_addf(&text, ",\"fence\":%" PRIu64 ",\"exit\":%d,\"error\":",
                 run->link.page->fence, run->code);
    hf_output_json(&text, run->error.text[0] != '\0' ? run->error.text : NULL);
    hf_text_add(&text, ",\"seen\":");
    if (run->answered &&
        (hf_report_exists(run->seen) || hf_report_served(run->seen)))
        hf_output_view(&text, run->seen);
    else
        hf_text_add(&text, "null");
    hf_text_add(&text, "}\n");
    if (run->order->json_fd < 0)
        hf_say_text(&text);
    else if (!hf_say_to(run->order->json_fd, &text) && !run->silent)
        hf_say("cannot write to descriptor %d: %s", run->order->json_fd,
               strerror(errno));
}

int
hf_run_words_cannot_start(const char *what)
{
    hf_say("cannot start %s: %s", what, strerror(errno));
    return HF_EXIT_OURS;
}

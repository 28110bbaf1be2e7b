#include "lab/world/story.h"

#include <string.h>

#include "lab/world/resource.h"

/* ---- Words -------------------------------------------------------------- */

/* Who or what does it; NOTHING: it takes more words than one verb. */
enum subject_of { NOTHING, OF_WORLD, OF_ACTOR, OF_QUESTION };

/* Each act: as in a line that is replayed, and in a sentence. */
static const struct {
    const char *word;
    enum subject_of of;
    const char *does;
} acts[ACT_COUNT] = {
    [ACT_BEGIN] = {"begin", OF_ACTOR, "wants the lock"},
    [ACT_RETURN] = {"return", OF_ACTOR,
                    "wants the lock again, and knows its tombstone"},
    [ACT_RETURN_IN_VAIN] = {"return-in-vain", OF_ACTOR,
                            "wants the lock again, and knows a tombstone that "
                            "is there no more"},
    [ACT_RELEASE] = {"release", OF_ACTOR, "releases the lock"},
    [ACT_CANCEL] = {"cancel", OF_ACTOR, "gives up waiting"},
    [ACT_HAND_ON] = {"hand-on", OF_ACTOR,
                     "hands its place in the line on to the next"},
    [ACT_SERVE] = {"serve", NOTHING, NULL},
    [ACT_DELIVER] = {"deliver", NOTHING, NULL},
    [ACT_CLOCK] = {"clock", OF_ACTOR, "looks at its clock"},
    [ACT_GONE] = {"gone", OF_ACTOR, "sees that the holder's process is gone"},
    [ACT_RUNNING] = {"running", OF_ACTOR,
                     "sees that the holder's process runs"},
    [ACT_OLD_EVIDENCE] = {"old-evidence", OF_ACTOR,
                          "sees that processes of an earlier version are gone"},
    [ACT_HINT] = {"hint", OF_ACTOR, "is told that the record may have changed"},
    [ACT_AGAIN] = {"again", OF_ACTOR,
                   "hears an answer again that it had before"},
    [ACT_TICK] = {"tick", OF_WORLD, "Time passes"},
    [ACT_LATE] = {"late", NOTHING, NULL},
    [ACT_PURGE] = {"purge", OF_WORLD, "Tombstones are purged"},
    [ACT_SET_FORWARD] = {"set-forward", OF_WORLD,
                         "The store's clock is set forward by a tick"},
    [ACT_WAKE] = {"wake", OF_ACTOR, "wakes"},
    [ACT_SEND] = {"send", OF_ACTOR, "sends a write to the resource"},
    [ACT_ARRIVE] = {"arrive", NOTHING, NULL},
    [ACT_PERSON_COMES] = {"person-comes", OF_ACTOR,
                          "comes to clear what is dead"},
    [ACT_PERSON_SERVE] = {"person-serve", NOTHING, NULL},
    [ACT_PERSON_HEARS] = {"person-hears", NOTHING, NULL},
    [ACT_PERSON_CLOCK] = {"person-clock", OF_ACTOR, "looks at the clock"},
    [ACT_PERSON_GONE] = {"person-gone", OF_ACTOR,
                         "sees that the holder's process is gone"},
    [ACT_PERSON_HINT] = {"person-hint", OF_ACTOR,
                         "is told that the record may have changed"},
    [ACT_PERSON_ANSWER_LOST] = {"person-lost-answer", OF_QUESTION,
                                "is executed, and the answer is lost"},
    [ACT_PERSON_DROPPED] = {"person-lost-question", OF_QUESTION,
                            "is lost on its way"},
    [ACT_PERSON_LATER] = {"person-late-question", OF_QUESTION,
                          "is held up on its way"},
    [ACT_PERSON_UNAVAILABLE] = {"person-unavailable", OF_QUESTION,
                                "is not done"},
    [ACT_PERSON_SLOW] = {"person-slow", OF_QUESTION, "takes its time"},
    [ACT_UNKNOWN_APPLIED] = {"lost-answer", OF_QUESTION,
                             "is executed, and the answer is lost"},
    [ACT_UNKNOWN_DROPPED] = {"lost-question", OF_QUESTION,
                             "is lost on its way"},
    [ACT_UNKNOWN_LATER] = {"late-question", OF_QUESTION,
                           "is held up on its way"},
    [ACT_UNAVAILABLE] = {"unavailable", OF_QUESTION, "is not done"},
    [ACT_READ_FAILS] = {"read-fails", OF_QUESTION, "fails"},
    [ACT_SLOW] = {"slow", OF_QUESTION, "takes its time"},
    [ACT_CUT] = {"cut", OF_ACTOR, "is cut off from the store"},
    [ACT_HEAL] = {"heal", OF_ACTOR, "reaches the store again"},
    [ACT_CRASH] = {"crash", OF_ACTOR, "crashes"},
    [ACT_ABANDON] = {"abandon", OF_ACTOR, "abandons what it has"},
    [ACT_FREEZE] = {"freeze", OF_ACTOR, "freezes"},
    [ACT_CLEAR] = {"clear", NOTHING, NULL},
    [ACT_FOREIGN] = {"foreign", OF_WORLD,
                     "Somebody writes another record by hand"},
    [ACT_REMOVED] = {"removed", OF_WORLD,
                     "The file of the place is removed, and made anew"},
    [ACT_REPLACED] = {"replaced", OF_WORLD,
                      "A copy without the last write takes the file's place"},
    [ACT_OVERWRITTEN] = {"overwritten", OF_WORLD,
                         "A copy without the last write overwrites the file"},
};

const char *
story_act_word(enum world_act act)
{
    return acts[act].word;
}

static const char *
question_word(const struct world_mail *mail)
{
    if (!mail->out)
        return "nothing";
    if (mail->reads)
        return "read";
    if (mail->write.kind == HF_DELETE)
        return "delete";
    if (!mail->write.claims)
        return "beat";
    return mail->write.over != 0 ? "takeover" : "claim";
}

static const char *
persons_question(const struct world *world)
{
    return world->person.mail.reads ? "read" : "clear";
}

/* "Worker #1", and what it asks. */
static const char *
add_actor(const struct model_step *step, const char *person, const char *worker,
          struct hf_text *text)
{
    if (!world_is_workers(step->action.act)) {
        hf_text_add(text, person);
        return persons_question(&step->before);
    }
    hf_text_addf(text, "%s #%u", worker, step->action.who + 1);
    return question_word(&step->before.workers[step->action.who].mail);
}

static void
add_holder(const struct world *world, struct hf_text *text)
{
    for (unsigned i = 0; i < world->config->workers; i++)
        if (world_owns(world, i)) {
            hf_text_addf(text, "worker #%u's lock", i + 1);
            return;
        }
    hf_text_add(text, world->foreign  ? "a record that is not ours"
                      : world->exists ? "the lock of a process that is gone"
                                      : "no lock");
}

/* ---- Sentences ---------------------------------------------------------- */

static void
add_answer(const struct model_step *step, struct hf_text *text)
{
    const struct world_worker *w = &step->before.workers[step->action.who];

    if (w->mail.reads) {
        switch (w->mail.sight.kind) {
        case HF_SIGHT_LOCK:
            hf_text_add(text, " reads that a lock is there");
            return;
        case HF_SIGHT_ABSENT:
            hf_text_add(text, " reads that no lock is there");
            return;
        case HF_SIGHT_CORRUPT:
            hf_text_add(text, " reads that what is there is not ours");
            return;
        case HF_SIGHT_NONE:
            hf_text_add(text, " hears that its read failed");
            return;
        }
    }
    hf_text_addf(text, " hears that its %s %s", question_word(&w->mail),
                 w->mail.verdict == HF_APPLIED       ? "was applied"
                 : w->mail.verdict == HF_REFUSED     ? "was refused"
                 : w->mail.verdict == HF_UNAVAILABLE ? "was not done"
                                                     : "may have been applied");
}

/* What the worker does of its own after the event. */
static void
add_consequence(const struct model_step *step, struct hf_text *text)
{
    const struct world_worker *before = &step->before.workers[step->action.who];
    const struct world_worker *after = &step->after.workers[step->action.who];

    if (!after->alive) {
        hf_text_add(text, before->alive ? ", and is done" : "");
        return;
    }
    if (after->in_section && !before->in_section)
        hf_text_add(text, ", and holds the lock");
    if (!after->in_section && before->in_section &&
        step->action.act != ACT_RELEASE)
        hf_text_add(text, ", and has lost the lock");
    if (after->mail.out && !after->mail.served &&
        (!before->mail.out || after->mail.number != before->mail.number))
        hf_text_addf(text, ", and sends a %s", question_word(&after->mail));
}

static void
add_persons_consequence(const struct model_step *step, struct hf_text *text)
{
    const struct world_person *before = &step->before.person;
    const struct world_person *after = &step->after.person;

    if (!after->there)
        hf_text_add(text, ", and is done");
    else if (after->mail.out && !after->mail.served &&
             (!before->mail.out || after->mail.number != before->mail.number))
        hf_text_addf(text, ", and sends a %s", persons_question(&step->after));
}

/* Is a machine stepped? */
static bool
is_heard(enum world_act act)
{
    return act <= ACT_WAKE ||
           (act >= ACT_PERSON_COMES && act <= ACT_PERSON_HINT);
}

static void
add_deed(const struct model_step *step, struct hf_text *text)
{
    enum world_act act = step->action.act;
    const char *question = add_actor(step, "The person", "Worker", text);

    if (acts[act].of == OF_QUESTION)
        hf_text_addf(text, "'s %s %s", question, acts[act].does);
    else if (acts[act].of == OF_ACTOR)
        hf_text_addf(text, " %s", acts[act].does);
    else if (act == ACT_DELIVER)
        add_answer(step, text);
    else
        hf_text_addf(text, " hears the answer to the %s", question);
    if (acts[act].of == OF_QUESTION || !is_heard(act))
        return;
    if (world_is_workers(act))
        add_consequence(step, text);
    else
        add_persons_consequence(step, text);
}

static void
add_served(const struct model_step *step, struct hf_text *text)
{
    bool moved = step->after.version != step->before.version;
    const char *question;

    hf_text_add(text, "The store executes ");
    question = add_actor(step, "the person", "worker", text);
    hf_text_addf(text, "'s %s", question);
    if (step->check != NULL)
        return;
    hf_text_add(text, ": ");
    if (strcmp(question, "read") == 0) {
        add_holder(&step->before, text);
    } else if (moved) {
        hf_text_add(text, "it holds ");
        add_holder(&step->after, text);
    } else {
        hf_text_add(text, "refused");
    }
}

static void
add_arrival(const struct model_step *step, struct hf_text *text)
{
    bool taken = resource_takes(&step->before, step->action.who);

    hf_text_addf(text, "The resource %s worker #%u's write",
                 taken ? "takes" : "refuses", step->action.who + 1);
}

void
story_sentence(const struct model_step *step, struct hf_text *text)
{
    enum world_act act = step->action.act;

    if (acts[act].of == OF_WORLD) {
        hf_text_add(text, acts[act].does);
    } else if (act == ACT_LATE) {
        hf_text_add(text, "A write that was given up reaches the store");
        hf_text_add(text, step->check != NULL ? "" : ": ");
        if (step->check == NULL)
            add_holder(&step->after, text);
    } else if (act == ACT_CLEAR) {
        hf_text_add(text, "A person clears ");
        add_holder(&step->before, text);
    } else if (act == ACT_SERVE || act == ACT_PERSON_SERVE) {
        add_served(step, text);
    } else if (act == ACT_ARRIVE) {
        add_arrival(step, text);
    } else {
        add_deed(step, text);
    }
    if (step->check != NULL)
        hf_text_addf(text, "; %s", step->check);
    if (step->fault)
        hf_text_add(text, " (a fault)");
}

/* ---- Side by side ------------------------------------------------------- */

static void
add_state(const struct world_worker *w, struct hf_text *text)
{
    static const char *const words[] = {
        [HF_CONTENDER_IDLE] = "idle",
        [HF_CONTENDER_LOOKING] = "looking",
        [HF_CONTENDER_WATCHING] = "watching",
        [HF_CONTENDER_CLAIMING] = "claiming",
        [HF_CONTENDER_HOLDING] = "HOLDING",
        [HF_CONTENDER_LEAVING] = "leaving",
        [HF_CONTENDER_ENDED] = "ended",
    };

    hf_text_add(text, w->alive ? words[w->contender.state] : "-");
    if (w->frozen)
        hf_text_add(text, " frozen");
}

void
story_cell(const struct model_step *step, unsigned worker, struct hf_text *text)
{
    enum world_act act = step->action.act;

    if (worker == WORLD_WORKERS_MAX) {
        if (!world_is_workers(act) && act != ACT_TICK)
            hf_text_addf(text, "%s ", story_act_word(act));
        if (step->after.version != step->before.version) {
            hf_text_addf(text, "v%u ", (unsigned)step->after.version);
            add_holder(&step->after, text);
        }
        return;
    }
    if (!world_is_workers(act) || step->action.who != worker)
        return;
    hf_text_addf(text, "%s -> ", story_act_word(act));
    add_state(&step->after.workers[worker], text);
}

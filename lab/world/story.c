#include "world/story.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "world/resource.h"
#include "world/worlds.h"

static const char *const act_words[ACT_COUNT] = {
    [ACT_BEGIN] = "begin",
    [ACT_RELEASE] = "release",
    [ACT_CANCEL] = "cancel",
    [ACT_SERVE] = "serve",
    [ACT_DELIVER] = "deliver",
    [ACT_CLOCK] = "clock",
    [ACT_EVIDENCE] = "gone",
    [ACT_TICK] = "tick",
    [ACT_LATE] = "late",
    [ACT_PURGE] = "purge",
    [ACT_WAKE] = "wake",
    [ACT_SEND] = "send",
    [ACT_ARRIVE] = "arrive",
    [ACT_UNKNOWN_APPLIED] = "lost-answer",
    [ACT_UNKNOWN_DROPPED] = "lost-question",
    [ACT_UNKNOWN_LATER] = "late-question",
    [ACT_READ_FAILS] = "read-fails",
    [ACT_SLOW] = "slow",
    [ACT_CUT] = "cut",
    [ACT_HEAL] = "heal",
    [ACT_CRASH] = "crash",
    [ACT_FREEZE] = "freeze",
    [ACT_CLEAR] = "clear",
};

const char *
story_act_word(enum world_act act)
{
    return act_words[act];
}

/* ---- Sentences ---------------------------------------------------------- */

static const char *
question_word(const struct world_worker *w)
{
    switch (w->contender.keeper.asker.question) {
    case HF_ASK_READ:
        return "read";
    case HF_ASK_CLAIM:
        return w->contender.keeper.over != 0 ? "takeover" : "claim";
    case HF_ASK_BEAT:
        return "beat";
    case HF_ASK_DELETE:
        return "delete";
    case HF_ASK_NOTHING:
    case HF_ASK_CLEAR:
        break;
    }
    return "nothing";
}

static void
add_holder(const struct world *world, struct hf_text *text)
{
    for (unsigned i = 0; i < world->config->workers; i++)
        if (world_owns(world, i)) {
            hf_text_addf(text, "worker #%u's lock", i + 1);
            return;
        }
    hf_text_add(text, world->exists ? "the lock of a process that is gone"
                                    : "no lock");
}

static void
add_answer(const struct model_step *step, struct hf_text *text)
{
    const struct world_worker *w = &step->before.workers[step->action.who];

    if (w->contender.keeper.asker.question == HF_ASK_READ) {
        switch (w->mail.sight.kind) {
        case HF_SIGHT_LOCK:
            hf_text_add(text, "reads that a lock is there");
            return;
        case HF_SIGHT_ABSENT:
            hf_text_add(text, "reads that no lock is there");
            return;
        case HF_SIGHT_CORRUPT:
        case HF_SIGHT_NONE:
            hf_text_add(text, "hears that its read failed");
            return;
        }
    }
    hf_text_addf(text, "hears that its %s %s", question_word(w),
                 w->mail.verdict == HF_APPLIED   ? "was applied"
                 : w->mail.verdict == HF_REFUSED ? "was refused"
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
        after->contender.keeper.asker.asked_at.ms == WORLD_NOW.ms &&
        (!before->mail.out || before->mail.served ||
         after->contender.keeper.asker.number !=
             before->contender.keeper.asker.number))
        hf_text_addf(text, ", and sends a %s", question_word(after));
}

/* What a worker does, or what befalls it. */
static const char *const deeds[ACT_COUNT] = {
    [ACT_BEGIN] = "wants the lock",
    [ACT_RELEASE] = "releases the lock",
    [ACT_CANCEL] = "gives up waiting",
    [ACT_CLOCK] = "looks at its clock",
    [ACT_EVIDENCE] = "sees that the holder's process is gone",
    [ACT_WAKE] = "wakes",
    [ACT_SEND] = "sends a write to the resource",
    [ACT_CRASH] = "crashes",
    [ACT_FREEZE] = "freezes",
    [ACT_CUT] = "is cut off from the store",
    [ACT_HEAL] = "reaches the store again",
};

/* What befalls its question. */
static const char *const fates[ACT_COUNT] = {
    [ACT_UNKNOWN_APPLIED] = "is executed, and the answer is lost",
    [ACT_UNKNOWN_DROPPED] = "is lost on its way",
    [ACT_UNKNOWN_LATER] = "is held up on its way",
    [ACT_READ_FAILS] = "fails",
    [ACT_SLOW] = "takes its time",
};

/* Is its contender stepped? */
static bool
is_heard(enum world_act act)
{
    return act == ACT_DELIVER || (deeds[act] != NULL && act <= ACT_WAKE);
}

static void
add_worker_sentence(const struct model_step *step, struct hf_text *text)
{
    enum world_act act = step->action.act;
    const struct world_worker *w = &step->before.workers[step->action.who];

    hf_text_addf(text, "Worker #%u", step->action.who + 1);
    if (fates[act] != NULL) {
        hf_text_addf(text, "'s %s %s", question_word(w), fates[act]);
        return;
    }
    hf_text_add(text, " ");
    if (act == ACT_DELIVER)
        add_answer(step, text);
    else
        hf_text_add(text, deeds[act]);
    if (is_heard(act))
        add_consequence(step, text);
}

static void
add_served(const struct model_step *step, struct hf_text *text)
{
    const struct world_worker *w = &step->before.workers[step->action.who];
    bool moved = step->after.version != step->before.version;

    hf_text_addf(text,
                 "The store executes worker #%u's %s: ", step->action.who + 1,
                 question_word(w));
    if (w->contender.keeper.asker.question == HF_ASK_READ) {
        add_holder(&step->before, text);
    } else if (moved) {
        hf_text_add(text, "it holds ");
        add_holder(&step->after, text);
    } else {
        hf_text_add(text, "refused");
    }
}

void
story_sentence(const struct model_step *step, struct hf_text *text)
{
    switch (step->action.act) {
    case ACT_TICK:
        hf_text_add(text, "Time passes");
        break;
    case ACT_LATE:
        hf_text_add(text, "A write that was given up reaches the store: ");
        add_holder(&step->after, text);
        break;
    case ACT_PURGE:
        hf_text_add(text, "Tombstones are purged");
        break;
    case ACT_ARRIVE:
        hf_text_addf(text, "The resource %s worker #%u's write",
                     resource_takes(&step->before, step->action.who)
                         ? "takes"
                         : "refuses",
                     step->action.who + 1);
        break;
    case ACT_CLEAR:
        hf_text_add(text, "A person clears ");
        add_holder(&step->before, text);
        break;
    case ACT_SERVE:
        add_served(step, text);
        break;
    case ACT_BEGIN:
    case ACT_RELEASE:
    case ACT_CANCEL:
    case ACT_DELIVER:
    case ACT_CLOCK:
    case ACT_EVIDENCE:
    case ACT_WAKE:
    case ACT_SEND:
    case ACT_UNKNOWN_APPLIED:
    case ACT_UNKNOWN_DROPPED:
    case ACT_UNKNOWN_LATER:
    case ACT_READ_FAILS:
    case ACT_SLOW:
    case ACT_CUT:
    case ACT_HEAL:
    case ACT_CRASH:
    case ACT_FREEZE:
        add_worker_sentence(step, text);
        break;
    case ACT_COUNT:
        break;
    }
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

    if (worker == WORLD_WORKERS_MAX && act == ACT_ARRIVE)
        hf_text_addf(text, "arrive%u", step->action.who + 1);
    if (worker == WORLD_WORKERS_MAX) {
        if (step->after.version != step->before.version || act == ACT_CLEAR) {
            hf_text_addf(text, "v%u ", (unsigned)step->after.version);
            add_holder(&step->after, text);
        }
        return;
    }
    if (!world_is_workers(act) || step->action.who != worker)
        return;
    hf_text_addf(text, "%s -> ", act_words[act]);
    add_state(&step->after.workers[worker], text);
}

/* ---- The line that is replayed ------------------------------------------ */

void
story_line(const struct world_config *config, const uint16_t *schedule,
           size_t len, struct hf_text *text)
{
    hf_text_addf(text, "%s:%u:", config->name, config->workers);
    for (size_t i = 0; i < len; i++) {
        struct world_action action = world_action_of(schedule[i]);

        hf_text_addf(text, "%s%s%u", i == 0 ? "" : ",", act_words[action.act],
                     action.who + 1);
    }
}

static bool
parse_action(const char *word, size_t len, uint16_t *number)
{
    for (enum world_act act = 0; act < ACT_COUNT; act++) {
        size_t word_len = strlen(act_words[act]);
        char *end;
        long who;

        if (len <= word_len || strncmp(word, act_words[act], word_len) != 0)
            continue;
        who = strtol(word + word_len, &end, 10);
        if (end != word + len || who < 1 || who > 15)
            continue;
        *number =
            world_action_number((struct world_action){act, (unsigned)who - 1});
        return true;
    }
    return false;
}

/* "WORLD:WORKERS:", and where the actions begin. */
static const char *
parse_world(const char *line, struct world_config *config, const char **why)
{
    char name[64] = "";
    size_t len = strcspn(line, ":");
    const struct world_config *found;
    unsigned long workers;
    char *end;

    *why = "it is not WORLD:WORKERS:ACTION,ACTION,...";
    if (line[len] != ':' || len >= sizeof(name))
        return NULL;
    memcpy(name, line, len);
    workers = strtoul(line + len + 1, &end, 10);
    if (end == line + len + 1 || *end != ':')
        return NULL;
    found = worlds_find(name);
    *why = "there is no such world";
    if (found == NULL)
        return NULL;
    *why = "there are 1 to 4 workers";
    if (workers < 1 || workers > WORLD_WORKERS_MAX)
        return NULL;
    *config = worlds_with(found, (unsigned)workers);
    config->symmetric = false;
    return end + 1;
}

int
story_parse(const char *line, struct world_config *config, uint16_t *schedule,
            size_t max, const char **why)
{
    const char *at = parse_world(line, config, why);
    size_t count = 0;

    if (at == NULL)
        return -1;
    *why = "there is no such action";
    while (*at != '\0') {
        size_t len = strcspn(at, ",");

        if (count == max || !parse_action(at, len, &schedule[count]))
            return -1;
        count++;
        at += len;
        if (*at == ',')
            at++;
    }
    return (int)count;
}

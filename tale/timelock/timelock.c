#include "tale/timelock/parts.h"

#include <string.h>

#include "base/fail.h"

/* What an actor could do: a worker, or the world. */
enum {
    CHOICE_GO_ON,
    CHOICE_CLOSE,
    CHOICE_END,
    CHOICE_HANG_UP,
    CHOICE_FAULT,
    CHOICE_ARRIVE, /* and one each for the second and third message */
};

enum { CHOICE_GRANT, CHOICE_REAP, CHOICE_PING, CHOICE_NEXT, CHOICE_TICK };

const struct specimen_setting timelock_settings[] = {
    {"idle",
     "seconds until the server closes an idle stream; 0: never",
     {NULL},
     125},
    {"blocking", "seconds that a request may block; 0: any", {NULL}, 120},
    {"at-most", "seconds that a worker wants to wait; 0: any", {NULL}, 120},
    {"deadline",
     "a retry asks for all of it, for the rest; or its own clock ends it",
     {"anew", "rest", "clock"},
     0},
    {"truncate", "seconds to ask for at a time; 0: any", {NULL}, 120},
    {"patience",
     "seconds until a worker closes its stream; 0: never",
     {NULL},
     120},
    {"network", "seconds that a message may be under way", {NULL}, 10},
    {"hold", "seconds that a worker holds the lock; 0: any", {NULL}, 120},
    {"threads",
     "requests that may block, each in a thread",
     {NULL},
     TIMELOCK_REQUESTS},
    {"known",
     "how the server knows a request again",
     {"not", "name", "attempt"},
     0},
    {"ended",
     "what becomes of a request whose stream ends",
     {"kept", "left"},
     0},
    {"place",
     "seconds that a place is kept after a timeout; 0: it is not",
     {NULL},
     120},
    {"leaves",
     "what a worker does that has waited enough",
     {"goes-away", "releases"},
     0},
    {"fault", "what may go wrong", {"nothing", "breaks", "slow"}, 0},
    {"reap",
     "seconds until a lock is freed that nobody refreshes; 0: never",
     {NULL},
     200},
    {NULL, NULL, {NULL}, 0},
};

bool
timelock_check(const struct specimen_run *run, struct hf_error *error)
{
    for (unsigned i = 0; timelock_settings[i].name != NULL; i++)
        if (timelock_settings[i].words[0] == NULL && i != TIMELOCK_THREADS &&
            run->settings[i] % TIMELOCK_TICK_S != 0) {
            hf_fail(error, HF_E_INVALID, "%s is no multiple of %d s",
                    timelock_settings[i].name, TIMELOCK_TICK_S);
            return false;
        }
    if (run->settings[TIMELOCK_THREADS] == 0) {
        hf_fail(error, HF_E_INVALID, "a server without threads serves nobody");
        return false;
    }
    if (run->settings[TIMELOCK_KNOWN] == KNOWN_NOT &&
        (run->settings[TIMELOCK_PLACE] != 0 ||
         run->settings[TIMELOCK_LEAVES] == LEAVES_RELEASES)) {
        hf_fail(error, HF_E_INVALID,
                "who keeps a place or takes a release must know requests");
        return false;
    }
    return true;
}

/* ---- Steps -------------------------------------------------------------- */

static bool
release(struct scene *scene, struct timelock *s, unsigned who)
{
    s->holder = 0;
    s->over[who] = 1;
    scene_stand(s, who, WHERE_DONE);
    return scene_say(scene, TOLD_REMOVE, who, "releases the lock");
}

static bool
go_on(struct scene *scene, struct timelock *s, unsigned who)
{
    if (scene_stands(s, who, WHERE_INSIDE))
        return release(scene, s, who);
    if (!scene_stands(s, who, WHERE_OUTSIDE))
        return false;
    if (s->cast.line[who] == LINE_FIRST)
        return timelock_ask_first(scene, s, who);
    return timelock_give_up(scene, s, who);
}

static bool
go_wrong(struct scene *scene, struct timelock *s, unsigned who)
{
    switch ((enum timelock_fault)scene_setting(scene, TIMELOCK_FAULT)) {
    case FAULT_NONE:
        return false;
    case FAULT_BREAKS:
        return timelock_break_stream(scene, s, who);
    case FAULT_SLOW:
        return timelock_be_slow(scene, s, who);
    }
    return false;
}

static bool
end(struct scene *scene, struct timelock *s, unsigned who)
{
    switch (timelock_end(scene, s, who)) {
    case END_NONE:
        return false;
    case END_UNHEARD:
        return true;
    case END_BY_SERVER:
        return timelock_hear_end(scene, s, who, false);
    case END_BY_LIMIT:
        return timelock_hear_end(scene, s, who, true);
    }
    return false;
}

static bool
act_of_worker(struct scene *scene, struct timelock *s, unsigned who,
              unsigned choice)
{
    switch (choice) {
    case CHOICE_GO_ON:
        return go_on(scene, s, who);
    case CHOICE_CLOSE:
        return timelock_close(scene, s, who) &&
               timelock_ask_again(scene, s, who);
    case CHOICE_END:
        return end(scene, s, who);
    case CHOICE_HANG_UP:
        return timelock_hang_up(scene, s, who);
    case CHOICE_FAULT:
        return go_wrong(scene, s, who);
    default:
        return timelock_arrive(scene, s, who, choice - CHOICE_ARRIVE);
    }
}

static bool
ping(struct scene *scene, const struct timelock *s)
{
    unsigned kept = timelock_kept(s);

    if (kept < scene_setting(scene, TIMELOCK_THREADS))
        return false;
    timelock_break(scene, SPECIMEN_LEADER);
    scene_tell(scene, TOLD_WORLD, TOLD_NOBODY,
               "The leader answers no ping, as %u requests keep all of its "
               "threads: another node will lead",
               kept);
    return true;
}

static bool
act_of_world(struct scene *scene, struct timelock *s, unsigned choice)
{
    switch (choice) {
    case CHOICE_GRANT:
        return timelock_grant(scene, s);
    case CHOICE_REAP:
        return timelock_reap(scene, s);
    case CHOICE_PING:
        return ping(scene, s);
    case CHOICE_NEXT:
    case CHOICE_TICK:
        return timelock_pass(scene, s, choice == CHOICE_NEXT);
    default:
        return false;
    }
}

/* Does nobody hold the lock, though somebody does? */
static bool
is_held_by_ghost(const struct scene *scene, const struct timelock *s)
{
    if (s->holder == 0 || s->heard)
        return false;
    return scene_setting(scene, TIMELOCK_KNOWN) == KNOWN_NOT ||
           !timelock_is_coming(s, s->holder - 1u);
}

/* Does a worker wait, of which the server does not know, and will not? */
static bool
is_one_forgotten(const struct scene *scene, const struct timelock *s)
{
    for (unsigned i = 0; i < scene->run->workers; i++)
        if (timelock_listens(s, i, 0) && s->holder != i + 1 &&
            !timelock_is_kept(s, i) && !timelock_is_coming(s, i))
            return true;
    return false;
}

/* A lock is handed over as it is freed, before anything else can happen. */
bool
timelock_act(struct scene *scene, void *state, unsigned actor, unsigned choice)
{
    struct timelock *s = state;
    bool by_world = actor == SPECIMEN_WORLD;

    if (timelock_can_grant(s) && !(by_world && choice == CHOICE_GRANT))
        return false;
    if (!(by_world ? act_of_world(scene, s, choice)
                   : act_of_worker(scene, s, actor, choice)))
        return false;
    if (is_held_by_ghost(scene, s))
        timelock_break(scene, SPECIMEN_GHOST);
    if (is_one_forgotten(scene, s))
        timelock_break(scene, SPECIMEN_FORGOTTEN);
    timelock_forget(scene, s);
    return true;
}

/* ---- Showing ------------------------------------------------------------ */

static const char *
word_of(const struct timelock *s, const struct timelock_request *request)
{
    if (request->state == PARKED)
        return " is expected back";
    return timelock_listens(s, request->client - 1u, request->later)
               ? " waits"
               : " waits unheard";
}

/* Requests that look the same are one line. */
void
timelock_show(const struct specimen_run *run, const void *state,
              struct hf_text *text)
{
    const struct timelock *s = state;
    unsigned kept = timelock_kept(s);

    (void)run;
    scene_show_holder(text, s->holder);
    if (s->holder != 0)
        hf_text_add(text, s->heard ? " holds" : " holds unheard");
    for (unsigned i = 0, same; i < kept; i += same) {
        const char *word = word_of(s, &s->queue[i]);

        for (same = 1; i + same < kept; same++)
            if (s->queue[i + same].client != s->queue[i].client ||
                strcmp(word_of(s, &s->queue[i + same]), word) != 0)
                break;
        hf_text_addf(text, "%s#%u%s", text->len == 0 ? "" : ", ",
                     s->queue[i].client, word);
        if (same > 1)
            hf_text_addf(text, " %u times", same);
    }
}

#include "tale/specimen/specimen.h"

#include <stdalign.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "tale/specimen/locks.h"

/* A state of more than so many bytes is kept in parts of at most so many. */
enum { WHOLE_BYTES = 64, PART_BYTES = 32 };

static size_t
size_of(const struct specimen_run *run)
{
    const struct specimen *specimen = run->specimen;

    return specimen->size_of == NULL ? specimen->size : specimen->size_of(run);
}

/* ---- For specimens ------------------------------------------------------ */

bool
scene_say(struct scene *scene, enum told_kind kind, unsigned worker,
          const char *format, ...)
{
    char does[100];
    va_list arguments;

    if (scene->told == NULL)
        return true;
    va_start(arguments, format);
    vsnprintf(does, sizeof(does), format, arguments);
    va_end(arguments);
    told_add(scene->told, kind, worker, "Worker #%u %s", worker + 1, does);
    return true;
}

bool
scene_pause(struct scene *scene, void *state, unsigned worker,
            const char *doing)
{
    if (!scene_stands(state, worker, WHERE_INSIDE))
        return false;
    scene->fault = true;
    scene_stand(state, worker, WHERE_PAUSED);
    return scene_say(scene, TOLD_PAUSE, worker, "pauses%s", doing);
}

bool
scene_wake(struct scene *scene, void *state, unsigned worker)
{
    if (!scene_stands(state, worker, WHERE_PAUSED))
        return false;
    scene_stand(state, worker, WHERE_INSIDE);
    return scene_say(scene, TOLD_WAKE, worker, "wakes, and goes on processing");
}

void
scene_show_holder(struct hf_text *text, unsigned id)
{
    if (id != 0)
        hf_text_addf(text, "#%u", id);
}

static void
show(const struct specimen_run *run, const void *state, struct hf_text *text)
{
    const struct specimen *specimen = run->specimen;

    if (specimen->show != NULL)
        specimen->show(run, state, text);
    else
        scene_show_holder(text, ((const uint8_t *)state)[specimen->holder_at]);
}

void
scene_show_now(struct scene *scene, const void *state)
{
    struct told_event *event;
    struct hf_text text;

    if (scene->told == NULL || scene->told->count == 0)
        return;
    event = &scene->told->events[scene->told->count - 1];
    hf_text_init(&text, event->holds, sizeof(event->holds));
    show(scene->run, state, &text);
}

/* ---- Properties of every lock ------------------------------------------- */

struct count {
    unsigned inside;
    unsigned ended;
    unsigned done;
    unsigned crashed;
};

static struct count
count_cast(const struct cast *cast, unsigned workers)
{
    struct count count = {0};

    for (unsigned i = 0; i < workers; i++) {
        enum where where = (enum where)cast->where[i];

        count.inside += where == WHERE_INSIDE;
        count.done += where == WHERE_DONE;
        count.crashed += where == WHERE_CRASHED;
        count.ended += where == WHERE_DONE || where == WHERE_MOVED_ON ||
                       where == WHERE_CRASHED;
    }
    return count;
}

/*
 * To acquire, release, and have another acquire is true of every lock, so it
 * is no overlap.  Nobody: all have ended, and none has processed the data set;
 * or the lock is still there, for ever, with nobody to remove it.
 */
static const char *
judge(const struct specimen_run *run, const void *state)
{
    const struct cast *cast = state;
    struct count count = count_cast(cast, run->workers);

    if (count.inside > 1)
        return PROMISE_OVERLAP;
    if (count.ended < run->workers)
        return NULL;
    if (count.done == 0 && count.crashed == 0)
        return SPECIMEN_NOBODY;
    if (run->specimen->is_left != NULL && run->specimen->is_left(run, state))
        return SPECIMEN_NOBODY;
    return NULL;
}

/* ---- Stepping ----------------------------------------------------------- */

static uint16_t
number_of(unsigned actor, unsigned choice)
{
    return (uint16_t)(actor * SPECIMEN_CHOICES_MAX + choice);
}

static bool
act(struct scene *scene, void *state, unsigned actor, unsigned choice)
{
    const struct specimen_run *run = scene->run;

    if (!run->specimen->act(scene, state, actor, choice))
        return false;
    if (scene->violated == NULL)
        scene->violated = judge(run, state);
    if (run->only != NULL && scene->violated != NULL &&
        strcmp(scene->violated, run->only) != 0)
        scene->violated = NULL;
    return true;
}

static void
start(const void *ctx, void *state)
{
    const struct specimen_run *run = ctx;

    memset(state, 0, run->specimen->size);
    if (run->specimen->start != NULL)
        run->specimen->start(run, state);
}

/* Of a step that is possible, though perhaps not taken. */
static uint64_t
seen_in(const struct scene *scene, const struct cast *cast, unsigned choice,
        bool taken)
{
    uint64_t seen = 0;

    if (choice < SPECIMEN_CHOICES_SEEN)
        seen |= UINT64_C(1) << choice;
    if (scene->fault)
        seen |= SPECIMEN_SEEN_FAULT;
    for (unsigned i = 0; taken && i < scene->run->workers; i++)
        if (cast->where[i] == WHERE_INSIDE || cast->where[i] == WHERE_DONE)
            seen |= SPECIMEN_SEEN_INSIDE;
    return seen;
}

static void
try_move(const struct specimen_run *run, const void *state,
         struct specimen_move move, struct explorer *explorer)
{
    alignas(max_align_t) uint8_t next[SPECIMEN_STATE_MAX];
    struct scene scene = {.run = run};
    struct explore_step step = {
        .state = next,
        .action = number_of(move.actor, move.choice),
        .actor = move.actor,
    };

    memcpy(next, state, size_of(run));
    if (!act(&scene, next, move.actor, move.choice))
        return;
    step.fault = scene.fault;
    step.violated = scene.violated;
    step.seen = seen_in(&scene, (const struct cast *)next, move.choice,
                        explore_wants(explorer, scene.fault));
    explore_add(explorer, &step);
}

static void
expand_actor(const struct specimen_run *run, const void *state, unsigned actor,
             struct explorer *explorer)
{
    for (unsigned choice = 0; choice < run->specimen->choices; choice++)
        try_move(run, state,
                 (struct specimen_move){(uint8_t)actor, (uint8_t)choice},
                 explorer);
}

static void
expand(const void *ctx, const void *state, struct explorer *explorer)
{
    const struct specimen_run *run = ctx;

    if (run->specimen->moves != NULL) {
        struct specimen_move moves[SPECIMEN_MOVES_MAX];
        unsigned count = run->specimen->moves(run, state, moves);

        for (unsigned i = 0; i < count; i++)
            try_move(run, state, moves[i], explorer);
        return;
    }
    for (unsigned who = 0; who < run->workers; who++)
        expand_actor(run, state, who, explorer);
    expand_actor(run, state, SPECIMEN_WORLD, explorer);
}

/* Any pieces will do: those of a large state repeat, wherever they are cut. */
static void
cut(size_t size, uint16_t parts[EXPLORE_PARTS_MAX])
{
    size_t count = (size + PART_BYTES - 1) / PART_BYTES;
    size_t each = (size + count - 1) / count;

    if (size <= WHOLE_BYTES)
        return;
    for (; size > 0; size -= *parts++)
        *parts = (uint16_t)(size < each ? size : each);
}

struct explore_system
specimen_system(const struct specimen_run *run)
{
    struct explore_system system = {
        .state_size = size_of(run),
        .ctx = run,
        .start = start,
        .expand = expand,
        .must_see = SPECIMEN_SEEN_INSIDE,
    };

    cut(system.state_size, system.parts);
    return system;
}

/* ---- Telling ------------------------------------------------------------ */

/* Complete the events from `first` on with what the step has left behind. */
static void
complete(struct told *told, unsigned first, const struct scene *scene,
         const void *state)
{
    const struct cast *cast = state;

    for (unsigned i = first; i < told->count; i++) {
        struct told_event *event = &told->events[i];
        struct hf_text text;

        if (event->holds[0] == '\0') {
            hf_text_init(&text, event->holds, sizeof(event->holds));
            show(scene->run, state, &text);
        }
        memcpy(event->where, cast->where, sizeof(event->where));
        event->fault = scene->fault && i == first;
    }
}

/* "Worker #1 and worker #3", or "Both workers". */
static void
name_workers(const struct specimen_run *run, const struct cast *cast,
             enum where where, struct hf_text *text)
{
    unsigned named = 0;
    unsigned standing = 0;

    for (unsigned i = 0; i < run->workers; i++)
        standing += cast->where[i] == where;
    if (standing == run->workers) {
        hf_text_add(text, standing == 2 ? "Both workers" : "All workers");
        return;
    }
    for (unsigned i = 0; i < run->workers; i++)
        if (cast->where[i] == where)
            hf_text_addf(text, "%s #%u",
                         named++ == 0 ? "Worker" : " and worker", i + 1);
}

static bool
has_started(const struct told *told, unsigned worker)
{
    for (unsigned i = 0; i < told->count; i++)
        if (told->events[i].worker == worker &&
            told->events[i].kind == TOLD_START)
            return true;
    return false;
}

/* What the last event does not say itself. */
static void
close_tale(const struct specimen_run *run, const struct cast *cast,
           const char *violated, struct told *told)
{
    char buffer[100];
    struct hf_text names;
    struct count count;
    bool quiet = false;

    hf_text_init(&names, buffer, sizeof(buffer));
    for (unsigned i = 0; i < run->workers; i++)
        quiet |= cast->where[i] == WHERE_INSIDE && !has_started(told, i);
    if (strcmp(violated, PROMISE_OVERLAP) == 0 && quiet) {
        name_workers(run, cast, WHERE_INSIDE, &names);
        told_add(told, TOLD_CLOSING, TOLD_NOBODY, "%s process the data set",
                 buffer);
    }
    if (strcmp(violated, SPECIMEN_RESURRECTION) == 0)
        told_add(told, TOLD_CLOSING, TOLD_NOBODY,
                 "The lock that was removed is there again");
    if (strcmp(violated, SPECIMEN_NOBODY) != 0)
        return;
    count = count_cast(cast, run->workers);
    if (count.done + count.crashed > 0) {
        told_add(told, TOLD_CLOSING, TOLD_NOBODY,
                 "The lock is left behind for ever");
        return;
    }
    name_workers(run, cast, WHERE_MOVED_ON, &names);
    told_add(told, TOLD_CLOSING, TOLD_NOBODY, "%s move on to another data set",
             buffer);
}

static bool
is_stopped(const struct scene *scene)
{
    return scene->place != NULL && scene->place->stopped;
}

static void
show_first(const struct specimen_run *run, const void *state, struct told *told)
{
    struct hf_text text;

    hf_text_init(&text, told->holds, sizeof(told->holds));
    show(run, state, &text);
}

/* The property that the last step breaks, with the state it leads to. */
static const char *
replay(struct scene *scene, const uint16_t *schedule, size_t len, void *state)
{
    const struct specimen_run *run = scene->run;

    start(run, state);
    if (scene->told != NULL)
        show_first(run, state, scene->told);
    if (scene->place != NULL)
        scene->place->start(scene->place, run->specimen->locks(state));
    for (size_t i = 0; i < len && scene->violated == NULL && !is_stopped(scene);
         i++) {
        unsigned actor = schedule[i] / SPECIMEN_CHOICES_MAX;
        unsigned choice = schedule[i] % SPECIMEN_CHOICES_MAX;
        unsigned first = scene->told == NULL ? 0 : scene->told->count;

        scene->fault = false;
        if ((actor >= run->workers && actor != SPECIMEN_WORLD) ||
            choice >= run->specimen->choices ||
            !act(scene, state, actor, choice)) {
            scene->valid = false;
            return NULL;
        }
        if (scene->told != NULL) {
            scene->told->steps++;
            complete(scene->told, first, scene, state);
        }
        if (scene->place != NULL && !scene->place->stopped)
            scene->place->end(scene->place, scene->told, first,
                              run->specimen->locks(state));
    }
    return scene->violated;
}

const char *
specimen_tell(const struct specimen_run *run, const uint16_t *schedule,
              size_t len, struct told *told, bool *valid)
{
    return specimen_tell_on(run, schedule, len, told, valid, NULL);
}

const char *
specimen_tell_on(const struct specimen_run *run, const uint16_t *schedule,
                 size_t len, struct told *told, bool *valid,
                 struct locks_place *place)
{
    alignas(max_align_t) uint8_t state[SPECIMEN_STATE_MAX];
    struct scene first = {.run = run, .valid = true};
    struct scene second = {
        .run = run, .told = told, .place = place, .valid = true};
    const char *violated = replay(&first, schedule, len, state);
    unsigned count;

    *told = (struct told){
        .closes_nobody =
            violated != NULL && strcmp(violated, SPECIMEN_NOBODY) == 0,
        .violated = violated,
    };
    *valid = first.valid;
    if (!first.valid && place != NULL)
        return NULL;
    replay(&second, schedule, len, state);
    if (violated == NULL || is_stopped(&second))
        return NULL;
    second.fault = false;
    count = told->count;
    close_tale(run, (const struct cast *)state, violated, told);
    complete(told, count, &second, state);
    return violated;
}

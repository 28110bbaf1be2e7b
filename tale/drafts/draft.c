#include "tale/drafts/draft.h"
#include "base/check.h"

/* What a worker may do next. */
enum choice {
    CHOICE_LINE, /* the next line; a write arrives at once */
    CHOICE_LINE_LAST = CHOICE_LINE + ATOMIC_ERRS_UNDONE, /* or errs */
    CHOICE_ARRIVE, /* what is on its way arrives */
    CHOICE_ARRIVE_LAST = CHOICE_ARRIVE + ATOMIC_ERRS_UNDONE, /* or errs */
    CHOICE_CRASH,
};

_Static_assert(CHOICE_CRASH + 1 == DRAFT_CHOICES, "DRAFT_CHOICES");

/* One worker, while it does something. */
struct doing {
    struct scene *scene;
    struct draft_state *s;
    unsigned who;
    const struct draft *draft;
    const struct draft_line *line; /* NULL: it is through */
};

static struct doing
doing_of(struct scene *scene, void *state, unsigned who)
{
    struct draft_state *s = state;
    const struct draft *draft = scene->run->specimen->text;
    unsigned at = s->cast.line[who];

    return (struct doing){
        .scene = scene,
        .s = s,
        .who = who,
        .draft = draft,
        .line = at < draft->count ? &draft->lines[at] : NULL,
    };
}

/* ---- The text ----------------------------------------------------------- */

static void
enter(const struct doing *d)
{
    d->s->cast.where[d->who] = WHERE_INSIDE;
    d->s->cast.line[d->who]++;
}

/* Go on with the line after this one, and with what needs no step there;
 * returns whether the worker moves on instead. */
static bool
decide(const struct doing *d, const struct draft_sight *sight)
{
    const struct draft_line *line = d->line;
    const struct draft_line *end = d->draft->lines + d->draft->count;
    bool again;
    bool moves_on;

    HF_CHECK(line != NULL); /* who is answered has asked */
    again = line->verb == DRAFT_READ && draft_written(d->draft, line) != NULL;
    moves_on = sight->answer.kind == KEY_ERROR ||
               (again && sight->answer.kind == KEY_NOT_FOUND) ||
               (line->verb == DRAFT_WRITE && draft_sees_lock(sight));
    if (line->verb == DRAFT_REMOVE)
        moves_on = false; /* it has processed the data set */
    if (line->again && sight->answer.kind == KEY_ERROR)
        return false;
    line++;
    for (; !moves_on && line < end && line->verb == DRAFT_MOVE_ON_IF; line++)
        moves_on = line->when(sight);
    d->s->cast.line[d->who] = (uint8_t)(line - d->draft->lines);
    if (moves_on) {
        d->s->cast.line[d->who] = (uint8_t)d->draft->count;
        d->s->cast.where[d->who] = WHERE_MOVED_ON;
        draft_key_done(d->scene->run, d->s, d->who);
    } else if (line < end && line->verb == DRAFT_PROCESS && line->untold) {
        enter(d);
    }
    return moves_on;
}

static void
note_line(const struct doing *d, struct told_event *event)
{
    if (event != NULL)
        event->line = d->line->number;
}

static void
tell_answer(const struct doing *d, const struct draft_sight *sight,
            bool moves_on)
{
    static const enum told_kind kinds[] = {
        [DRAFT_READ] = TOLD_READ,       [DRAFT_WRITE] = TOLD_WRITE,
        [DRAFT_MOVE_ON_IF] = TOLD_READ, [DRAFT_PROCESS] = TOLD_WORK,
        [DRAFT_REMOVE] = TOLD_REMOVE,
    };
    struct told *told = d->scene->told;
    struct told_event *event;
    char buffer[100];
    struct hf_text text;

    if (told == NULL)
        return;
    HF_CHECK(d->line != NULL); /* who is answered has asked */
    hf_text_init(&text, buffer, sizeof(buffer));
    draft_say_answer(d->draft, d->line, sight, &text);
    if (moves_on && !told->closes_nobody)
        hf_text_add(&text, ", and moves on");
    event = told_add(told, kinds[d->line->verb], d->who, "Worker #%u %s",
                     d->who + 1, buffer);
    event->error = sight->answer.kind == KEY_ERROR;
    event->line = d->line->number;
}

/* What a remove has removed must not be shown to a read sent later. */
static void
watch_removed(const struct doing *d, const struct key_answer *answer)
{
    HF_CHECK(d->line != NULL); /* who is answered has asked */
    if (d->line->verb == DRAFT_REMOVE && answer->kind == KEY_OK)
        d->s->removed |= (uint8_t)(1u << d->who);
    if (d->line->verb != DRAFT_READ)
        return;
    for (unsigned i = 0; i < answer->count; i++)
        if ((d->s->waits[d->who] >> answer->siblings[i].id & 1) != 0 &&
            answer->siblings[i].id != 0)
            d->scene->violated = SPECIMEN_RESURRECTION;
}

/* Look at the answer as soon as it is there. */
static void
take_answer(const struct doing *d)
{
    struct draft_sight sight = {.me = (uint8_t)(d->who + 1)};

    if (!draft_key_answer(d->scene->run, d->s, d->who, &sight.answer))
        return;
    watch_removed(d, &sight.answer);
    d->s->waits[d->who] = 0;
    tell_answer(d, &sight, decide(d, &sight));
}

/* ---- Steps -------------------------------------------------------------- */

static struct key_value
value_of(const struct doing *d)
{
    struct key_value value = {.id = (uint8_t)(d->who + 1)};
    unsigned skew = scene_setting(d->scene, DRAFT_SKEW);

    switch (d->line->stamp) {
    case DRAFT_NO_STAMP:
        break;
    case DRAFT_TIME:
        value.stamp = (uint8_t)(++d->s->clock + d->who * skew);
        break;
    case DRAFT_ID_TIME:
        value.stamp = value.id;
        break;
    }
    return value;
}

static void
issue(const struct doing *d, enum key_request_kind kind)
{
    struct key_request request = {.kind = kind};

    if (kind == KEY_WRITE) {
        request.value = value_of(d);
        request.if_absent = scene_setting(d->scene, DRAFT_IF_ABSENT) != 0;
    }
    draft_key_issue(d->scene->run, d->s, d->who, request);
    d->s->waits[d->who] = 1;
    if (kind == KEY_READ)
        d->s->waits[d->who] |= (uint8_t)(d->s->removed << 1);
}

/* What is on its way happens, in one of three ways. */
static void
arrive(const struct doing *d, unsigned code)
{
    struct told *told = d->scene->told;

    d->scene->fault = code != ATOMIC_ARRIVES;
    atomic_step(&d->s->key.atomic,
                (struct key_step){(uint8_t)code, (uint8_t)d->who, false});
    take_answer(d);
    if (told != NULL)
        told->events[told->count - 1].lost = code == ATOMIC_ERRS_UNDONE;
}

static bool
is_replicated(const struct doing *d)
{
    return scene_setting(d->scene, DRAFT_ON) != 0;
}

/* Write or remove: done at once, or only issued. */
static bool
change(const struct doing *d, unsigned code)
{
    bool removes = d->line->verb == DRAFT_REMOVE;

    if (removes)
        d->s->cast.where[d->who] = WHERE_DONE;
    if (scene_setting(d->scene, DRAFT_SPLIT) == 0 && !is_replicated(d)) {
        issue(d, removes ? KEY_REMOVE : KEY_WRITE);
        arrive(d, code);
        return true;
    }
    if (code != ATOMIC_ARRIVES)
        return false;
    issue(d, removes ? KEY_REMOVE : KEY_WRITE);
    note_line(d, scene_tell(d->scene, TOLD_ISSUE, d->who,
                            "Worker #%u starts to %s %s", d->who + 1,
                            removes ? "remove" : "write",
                            removes ? "the lock" : draft_say_value(d->line)));
    return true;
}

/* May it ask now, by the pace that is set? */
static bool
may_ask(const struct doing *d)
{
    unsigned pace = scene_setting(d->scene, DRAFT_PACE);
    bool begins = d->line == d->draft->lines;

    for (unsigned i = 0; pace != DRAFT_FREE && i < d->who; i++)
        if (d->s->cast.where[i] < WHERE_DONE)
            return false;
    if (pace == DRAFT_CALM || (pace == DRAFT_TURNS && begins))
        return draft_key_calm(d->scene->run, d->s);
    return true;
}

static bool
do_line(const struct doing *d, unsigned code)
{
    if (d->line->verb != DRAFT_PROCESS && !may_ask(d))
        return false;
    switch (d->line->verb) {
    case DRAFT_READ:
        if (code != ATOMIC_ARRIVES)
            return false;
        issue(d, KEY_READ);
        if (is_replicated(d))
            note_line(d, scene_tell(d->scene, TOLD_ISSUE, d->who,
                                    "Worker #%u starts to read the lock",
                                    d->who + 1));
        take_answer(d);
        return true;
    case DRAFT_WRITE:
    case DRAFT_REMOVE:
        return change(d, code);
    case DRAFT_PROCESS:
        if (code != ATOMIC_ARRIVES)
            return false;
        enter(d);
        note_line(d, scene_tell(d->scene, TOLD_START, d->who,
                                "Worker #%u starts processing the data set",
                                d->who + 1));
        return true;
    case DRAFT_MOVE_ON_IF: /* decided with the answer */
        break;
    }
    return false;
}

/* A text that ends with the processing. */
static bool
leave(const struct doing *d)
{
    if (d->s->cast.where[d->who] != WHERE_INSIDE)
        return false;
    d->s->cast.where[d->who] = WHERE_DONE;
    scene_tell(d->scene, TOLD_END, d->who,
               "Worker #%u has processed the data set", d->who + 1);
    return true;
}

static bool
crash(const struct doing *d)
{
    d->scene->fault = true;
    d->s->cast.where[d->who] = WHERE_CRASHED;
    scene_tell(d->scene, TOLD_CRASH, d->who, "Worker #%u crashes", d->who + 1);
    return true;
}

/* Whatever of the key's steps brought them. */
static void
take_answers(struct scene *scene, struct draft_state *s)
{
    for (unsigned who = 0; who < scene->run->workers; who++) {
        struct doing d = doing_of(scene, s, who);

        if (s->waits[who] != 0)
            take_answer(&d);
    }
}

/* What a worker that crashed has still on its way. */
static bool
arrive_orphaned(const struct doing *d)
{
    struct key_answer unheard;

    if (d->s->waits[d->who] == 0)
        return false;
    atomic_step(&d->s->key.atomic,
                (struct key_step){ATOMIC_ARRIVES, (uint8_t)d->who, false});
    atomic_answer(&d->s->key.atomic, d->who, &unheard);
    d->s->waits[d->who] = 0;
    scene_tell(d->scene,
               d->line->verb == DRAFT_REMOVE ? TOLD_REMOVE : TOLD_WRITE, d->who,
               "What worker #%u has sent reaches the lock", d->who + 1);
    return true;
}

bool
draft_act(struct scene *scene, void *state, unsigned actor, unsigned choice)
{
    struct doing d;
    bool waits;

    if (choice >= DRAFT_CHOICES) {
        if (!draft_key_step(scene, state, actor, choice - DRAFT_CHOICES))
            return false;
        take_answers(scene, state);
        return true;
    }
    if (actor == SPECIMEN_WORLD)
        return false;
    d = doing_of(scene, state, actor);
    waits = d.s->waits[actor] != 0;
    if (d.line == NULL)
        return choice == CHOICE_LINE && leave(&d);
    if (d.s->cast.where[actor] == WHERE_CRASHED)
        return choice == CHOICE_ARRIVE && arrive_orphaned(&d);
    if (choice > CHOICE_LINE && is_replicated(&d))
        return false; /* there it is nodes that fail */
    if (choice == CHOICE_CRASH)
        return crash(&d);
    if (choice >= CHOICE_ARRIVE) {
        if (waits)
            arrive(&d, choice - CHOICE_ARRIVE);
        return waits;
    }
    return !waits && draft_key_ready(scene->run, d.s) &&
           do_line(&d, choice - CHOICE_LINE);
}

/* The key's steps that are this actor's. */
static unsigned
add_key_moves(const uint8_t *actors, unsigned steps, uint8_t actor,
              struct specimen_move *moves)
{
    unsigned count = 0;

    for (unsigned i = 0; i < steps; i++)
        if (actors[i] == actor)
            moves[count++] =
                (struct specimen_move){actor, (uint8_t)(DRAFT_CHOICES + i)};
    return count;
}

unsigned
draft_moves(const struct specimen_run *run, const void *state,
            struct specimen_move moves[SPECIMEN_MOVES_MAX])
{
    bool replicated = run->settings[DRAFT_ON] != 0;
    unsigned choices = replicated ? CHOICE_LINE + 1 : DRAFT_CHOICES;
    uint8_t actors[KEY_STEPS_MAX];
    unsigned steps = draft_key_actors(run, state, actors);
    unsigned count = 0;

    for (uint8_t who = 0; who < run->workers; who++) {
        for (unsigned choice = 0; choice < choices; choice++)
            moves[count++] = (struct specimen_move){who, (uint8_t)choice};
        count += add_key_moves(actors, steps, who, moves + count);
    }
    return count + add_key_moves(actors, steps, SPECIMEN_WORLD, moves + count);
}

void
draft_start(const struct specimen_run *run, void *state)
{
    draft_key_init(run, state);
}

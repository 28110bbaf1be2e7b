#ifndef TALE_SPECIMEN_SPECIMEN_H
#define TALE_SPECIMEN_SPECIMEN_H

#include <holdfast/words.h>

#include "explore/explore.h"
#include "tale/specimen/properties.h"
#include "tale/specimen/told.h"

/*
 * Specimen: somebody's lock, written as its source tells it, small enough for
 * every order of events to be tried.
 *
 * A specimen is a state of at most 128 bytes and one function, which does one
 * step of one actor: of a worker, or of the world around them.  The same
 * function serves the search, which only wants to know where a step leads, and
 * the telling, which also wants its sentence.
 *
 * Invariant: a state starts with the cast and has no padding, so that equal
 * states are equal bytes.
 */

enum {
    SPECIMEN_STATE_MAX = 128,
    SPECIMEN_SETTINGS_MAX = 20,
    SPECIMEN_WORDS_MAX = 8,
    SPECIMEN_MOVES_MAX = 96,
    SPECIMEN_WORLD = TOLD_NOBODY, /* as an actor: time, servers, people */
    SPECIMEN_CHOICES_MAX = 64,
    SPECIMEN_CHOICES_SEEN = 62, /* a specimen without `moves` has at most */
};

/* What a search tells it has seen: a bit for each choice that was possible
 * somewhere; whether a fault was; and whether a worker ever was inside, without
 * which nothing is proved. */
#define SPECIMEN_SEEN_FAULT  (UINT64_C(1) << 62)
#define SPECIMEN_SEEN_INSIDE (UINT64_C(1) << 63)

/* The workers, as the properties look at them: the head of every state. */
struct cast {
    uint8_t line[TOLD_WORKERS_MAX];  /* of its program */
    uint8_t where[TOLD_WORKERS_MAX]; /* enum where */
};

/* What can be set with --set name=value. */
struct specimen_setting {
    const char *name;
    const char *about;
    const char *words[SPECIMEN_WORDS_MAX]; /* values 0, 1, ...; or none: a
                                              number */
    unsigned most;                         /* of a number */
};

/* The settings of a specimen that has one, of two values. */
#define SPECIMEN_SETTING(name, about, first, second)                           \
    (const struct specimen_setting[])                                          \
    {                                                                          \
        {(name), (about), {(first), (second)}, 0},                             \
        {                                                                      \
            0                                                                  \
        }                                                                      \
    }

struct specimen_run;
struct scene;
struct locks;
struct locks_place;

/* A step that may be possible: see act. */
struct specimen_move {
    uint8_t actor;
    uint8_t choice;
};

/* What a reader must know before the first specimen of a source: a word and
 * what it means here, or a paragraph that has no word. */
struct specimen_term {
    const char *word;
    const char *means;
};

/* A line of its text, as its source numbers it, in words of our own. */
struct specimen_line {
    unsigned number;
    const char *says;
};

struct specimen {
    const char *name;
    const char *about;  /* one line */
    const char *source; /* who tells it */
    const char *remark; /* what it shows, in a few sentences; optional */
    const struct specimen_term *terms; /* of its source; the last has nothing;
                                          optional */
    /* Its text, where it is lines with numbers: false: there is no line
     * `index`.  Optional. */
    bool (*line)(const struct specimen *specimen, unsigned index,
                 struct specimen_line *line);
    const char *expect; /* the property that is broken; NULL: none is */
    const char *only;   /* the one that it is about; NULL: it is all */
    unsigned workers;
    unsigned faults; /* to search with, unless told otherwise */
    const struct specimen_setting *settings; /* the last has no name */
    uint8_t defaults[SPECIMEN_SETTINGS_MAX];
    const void *text; /* for specimens that share functions */
    size_t size;      /* of a state, at most */
    /* Of the states of this run, if they differ; optional. */
    size_t (*size_of)(const struct specimen_run *run);
    unsigned choices; /* of an actor, at most */
    /* Write the first state, if it is not all zero; optional. */
    void (*start)(const struct specimen_run *run, void *state);
    /* Do the step `choice` of `actor`, if it is possible now. */
    bool (*act)(struct scene *scene, void *state, unsigned actor,
                unsigned choice);
    /* Can the settings go together?  Optional. */
    bool (*check)(const struct specimen_run *run, struct hf_error *error);
    /* The moves to try, lowest worker first; optional: else all choices. */
    unsigned (*moves)(const struct specimen_run *run, const void *state,
                      struct specimen_move moves[SPECIMEN_MOVES_MAX]);
    /* What the store holds; nothing added: nothing.  Optional: else it is the
     * holder's ID, a byte at holder_at. */
    void (*show)(const struct specimen_run *run, const void *state,
                 struct hf_text *text);
    size_t holder_at;
    const char *store; /* what to call it; NULL: "Store" */
    /* Is the lock there, whosesoever?  Optional; asked when all have ended. */
    bool (*is_left)(const struct specimen_run *run, const void *state);
    /* Its table of locks (specimen/locks.h), if that is where it keeps them;
     * such a specimen can be replayed on a database. */
    const struct locks *(*locks)(const void *state);
};

/* A specimen with its number of workers and its settings. */
struct specimen_run {
    const struct specimen *specimen;
    unsigned workers;
    unsigned settings[SPECIMEN_SETTINGS_MAX];
    const char *only; /* the one property to look at; NULL: all */
};

/* One step, while it is done. */
struct scene {
    const struct specimen_run *run;
    struct told *told;         /* NULL while searching */
    struct locks_place *place; /* to do statements on as well; NULL: none */
    const char *violated;      /* set by the step: the property it breaks */
    bool fault;                /* set by the step: it spends one */
    bool valid;                /* no step of a schedule was impossible */
};

/* ---- For specimens ------------------------------------------------------ */

static inline unsigned
scene_setting(const struct scene *scene, unsigned index)
{
    return scene->run->settings[index];
}

/* Tell what the step does, when somebody listens: a sentence in the tale's
 * manner, "Worker #1 reads the lock".  Yields the event, or NULL. */
#define scene_tell(scene, kind, worker, ...)                                   \
    ((scene)->told == NULL                                                     \
         ? (struct told_event *)NULL                                           \
         : told_add((scene)->told, (kind), (worker), __VA_ARGS__))

/* Tell what a worker does: "Worker #1" comes before it.  True, for the step
 * that ends with it. */
HF_PRINTF(4, 5)
bool scene_say(struct scene *scene, enum told_kind kind, unsigned worker,
               const char *format, ...);

/* `state` starts with the cast. */
static inline void
scene_stand(void *state, unsigned worker, enum where where)
{
    struct cast *cast = state;

    cast->where[worker] = (uint8_t)where;
}

static inline bool
scene_stands(const void *state, unsigned worker, enum where where)
{
    const struct cast *cast = state;

    return worker < TOLD_WORKERS_MAX && cast->where[worker] == where;
}

/* A fault: a worker inside pauses, whatever it was about to do.  False unless
 * it runs inside. */
bool scene_pause(struct scene *scene, void *state, unsigned worker,
                 const char *doing);

/* It wakes, and goes on processing. */
bool scene_wake(struct scene *scene, void *state, unsigned worker);

/* For `show`: the ID of the holder, "#1"; nothing for 0. */
void scene_show_holder(struct hf_text *text, unsigned id);

/* In a step that tells several events: what the store holds after those that
 * were told so far. */
void scene_show_now(struct scene *scene, const void *state);

/* ---- For those who run them --------------------------------------------- */

/* As the specimen stands; `workers` 0: its own number. */
struct specimen_run specimen_run_of(const struct specimen *specimen,
                                    unsigned workers);

/* "name=value"; false with a clause in *why. */
bool specimen_set(struct specimen_run *run, const char *assignment,
                  const char **why);

/* Is it whole, and can its settings go together?  False with the reason in
 * *error. */
bool specimen_check(const struct specimen_run *run, struct hf_error *error);

/* The value of its setting `index`, as it would be set. */
void specimen_add_value(const struct specimen_run *run, unsigned index,
                        struct hf_text *text);

/* Is there a setting `index`? */
bool specimen_has_setting(const struct specimen_run *run, unsigned index);

/* The system of a run, which must outlive it. */
struct explore_system specimen_system(const struct specimen_run *run);

/*
 * Do a schedule from the start, and tell it into `told`, with the closing
 * words for the property that the last step breaks.  Returns that property, or
 * NULL; false in *valid when a step is not possible where it stands, and then
 * what was possible before it is told.
 */
const char *specimen_tell(const struct specimen_run *run,
                          const uint16_t *schedule, size_t len,
                          struct told *told, bool *valid);

/* The same of a specimen with a table of locks, step by step on a place.  It
 * ends early when the place stops it, and does nothing there when a step is not
 * possible. */
const char *specimen_tell_on(const struct specimen_run *run,
                             const uint16_t *schedule, size_t len,
                             struct told *told, bool *valid,
                             struct locks_place *place);

#endif

#include "tale/drafts/draft_key.h"

#include <stddef.h>

#include "base/check.h"
#include "base/fail.h"
#include "tale/drafts/draft_say.h"

const struct specimen_setting draft_settings[] = {
    [DRAFT_MULT] = {.name = "allow_mult",
                    .about = "the bucket keeps siblings",
                    .words = {"false", "true"}},
    [DRAFT_SPLIT] = {.name = "writes",
                     .about = "done at once, or issued and arriving later",
                     .words = {"atomic", "split"}},
    [DRAFT_IF_ABSENT] = {.name = "if_absent",
                         .about = "a write is done only where nothing is",
                         .words = {"no", "yes"}},
    [DRAFT_SKEW] = {.name = "skew",
                    .about = "how far each worker's clock is behind the next's",
                    .most = 20},
    [DRAFT_PACE] = {.name = "pace",
                    .about = "any, one worker at a time, or one request",
                    .words = {"free", "turns", "calm"}},
    [DRAFT_ON] = {.name = "on",
                  .about = "which key; what follows is Riak's alone",
                  .words = {"atomic", "riak"}},
    [DRAFT_PRECHECK] =
        {.name = "pw_precheck",
         .about = "too few primaries known: refused, or stored and an error",
         .words = {"riak", "seed"}},
    [DRAFT_DELETE_MODE] = {.name = "delete_mode",
                           .about = "when a tombstone goes",
                           .words = {"later", "keep", "immediate"}},
#define QUORUM(setting, what)                                                  \
    {                                                                          \
        .name = (setting), .about = (what), .words = {                         \
            "quorum",                                                          \
            "one",                                                             \
            "all",                                                             \
            "0",                                                               \
            "1",                                                               \
            "2",                                                               \
            "3",                                                               \
            "4"                                                                \
        }                                                                      \
    }
    QUORUM("pr", "primaries that a read must hear"),
    QUORUM("pw", "primaries that a write must reach"),
    QUORUM("r", "replicas that a read must hear"),
    QUORUM("w", "replicas that a write must reach"),
    QUORUM("dw", "replicas that must have stored it"),
    {.name = "n_val", .about = "replicas", .words = {"3", "1", "2", "4"}},
    {.name = "notfound_ok",
     .about = "a replica without the key counts",
     .words = {"true", "false"}},
    {.name = "read_repair",
     .about = "a read mends what it finds behind",
     .words = {"true", "false"}},
    {.name = "last_write_wins",
     .about = "no versions at all",
     .words = {"false", "true"}},
    {.name = "coordinator",
     .about = "any node of the list, or its first",
     .words = {"any", "first"}},
    {.name = "slow_clock",
     .about = "the primary whose clock is behind; 0: none",
     .words = {"0", "1", "2", "3", "4"}},
    {.name = NULL},
};

static bool
on_riak(const struct specimen_run *run)
{
    return run->settings[DRAFT_ON] != 0;
}

/* ---- Riak's settings ---------------------------------------------------- */

static bool
configure(const struct specimen_run *run, struct riak_config *config,
          struct hf_error *error)
{
    *config = riak_config_default;
    config->allow_mult = run->settings[DRAFT_MULT] != 0;
    for (unsigned i = DRAFT_ON + 1; draft_settings[i].name != NULL; i++) {
        const char *word = draft_settings[i].words[run->settings[i]];

        if (riak_config_set(config, draft_settings[i].name, word, error) !=
            HF_OK)
            return false;
    }
    return riak_config_check(config, error) == HF_OK;
}

/* A setting that the key does not look at would only seem to change things. */
bool
draft_check(const struct specimen_run *run, struct hf_error *error)
{
    struct riak_config config;

    if (on_riak(run) && run->settings[DRAFT_IF_ABSENT] != 0) {
        hf_fail(error, HF_E_INVALID, "if_absent needs on=atomic");
        return false;
    }
    if (on_riak(run))
        return configure(run, &config, error);
    for (unsigned i = DRAFT_ON + 1; draft_settings[i].name != NULL; i++)
        if (run->settings[i] != 0) {
            hf_fail(error, HF_E_INVALID, "%s needs on=riak",
                    draft_settings[i].name);
            return false;
        }
    return true;
}

/* ---- Either key --------------------------------------------------------- */

size_t
draft_size_of(const struct specimen_run *run)
{
    return offsetof(struct draft_state, key) +
           (on_riak(run) ? sizeof(struct riak) : sizeof(struct atomic));
}

void
draft_key_init(const struct specimen_run *run, struct draft_state *s)
{
    struct riak_config config;

    if (!on_riak(run)) {
        atomic_init(&s->key.atomic, run->settings[DRAFT_MULT] != 0);
        return;
    }
    HF_CHECK(configure(run, &config, NULL));
    riak_init(&s->key.riak, &config);
}

/* Riak still has something to do, if no node goes down or comes back. */
static bool
is_busy(const struct riak *riak, bool handoffs)
{
    struct key_step steps[KEY_STEPS_MAX];
    unsigned count = riak_steps(riak, steps);

    for (unsigned i = 0; i < count; i++)
        if (!steps[i].fault && steps[i].code != RIAK_COMES_BACK &&
            (handoffs || steps[i].code != RIAK_HANDS_OFF))
            return true;
    return false;
}

bool
draft_key_calm(const struct specimen_run *run, const struct draft_state *s)
{
    for (unsigned i = 0; i < TOLD_WORKERS_MAX; i++)
        if (s->waits[i] != 0)
            return false;
    return !on_riak(run) || !is_busy(&s->key.riak, false);
}

bool
draft_key_ready(const struct specimen_run *run, const struct draft_state *s)
{
    return !on_riak(run) || riak_ready(&s->key.riak);
}

void
draft_key_issue(const struct specimen_run *run, struct draft_state *s,
                unsigned worker, struct key_request request)
{
    if (on_riak(run))
        riak_issue(&s->key.riak, worker, request);
    else
        atomic_issue(&s->key.atomic, worker, request);
}

bool
draft_key_answer(const struct specimen_run *run, struct draft_state *s,
                 unsigned worker, struct key_answer *answer)
{
    return on_riak(run) ? riak_answer(&s->key.riak, worker, answer)
                        : atomic_answer(&s->key.atomic, worker, answer);
}

void
draft_key_done(const struct specimen_run *run, struct draft_state *s,
               unsigned worker)
{
    if (on_riak(run))
        riak_done(&s->key.riak, worker);
}

/* ---- Riak's steps ------------------------------------------------------- */

unsigned
draft_key_actors(const struct specimen_run *run, const struct draft_state *s,
                 uint8_t actors[KEY_STEPS_MAX])
{
    struct key_step steps[KEY_STEPS_MAX];
    unsigned count;

    if (!on_riak(run))
        return 0;
    count = riak_steps(&s->key.riak, steps);
    for (unsigned i = 0; i < count; i++)
        actors[i] = (uint8_t)riak_step_worker(&s->key.riak, steps[i]);
    return count;
}

_Static_assert((unsigned)KEY_WORKERS_MAX == (unsigned)SPECIMEN_WORLD,
               "a request that nobody waits for is the world's");
_Static_assert(DRAFT_CHOICES + KEY_STEPS_MAX <= SPECIMEN_CHOICES_MAX,
               "a step of the key is a choice");

bool
draft_key_step(struct scene *scene, struct draft_state *s, unsigned actor,
               unsigned index)
{
    struct key_step steps[KEY_STEPS_MAX];
    struct riak *riak = &s->key.riak;

    if (!on_riak(scene->run) || index >= riak_steps(riak, steps))
        return false;
    if (riak_step_worker(riak, steps[index]) != actor ||
        (steps[index].code == RIAK_GOES_DOWN &&
         scene_setting(scene, DRAFT_PACE) == DRAFT_CALM &&
         !draft_key_calm(scene->run, s)))
        return false;
    if (scene->told != NULL) {
        struct riak_happening happening = riak_describe(riak, steps[index]);

        draft_tell(scene, &happening);
    }
    scene->fault = steps[index].fault;
    riak_step(riak, steps[index]);
    return true;
}

/* ---- Showing ------------------------------------------------------------ */

static void
show_value(struct key_value value, bool timed, struct hf_text *text)
{
    if (value.id == 0)
        hf_text_add(text, "removed");
    else
        hf_text_addf(text, "#%u", value.id);
    if (timed && value.id != 0)
        hf_text_addf(text, " at %u", value.stamp);
}

static void
show_object(const struct riak *riak, struct riak_object object, bool timed,
            struct hf_text *text)
{
    bool first = true;

    for (unsigned w = 0; w < RIAK_WRITES_MAX; w++) {
        if ((object.siblings >> w & 1) == 0)
            continue;
        hf_text_add(text, first ? " " : " + ");
        show_value(riak->writes[w], timed, text);
        first = false;
    }
    if (first)
        hf_text_add(text, " -");
}

/* "1: #2  2: - (handoff: #1)": what waits at a fallback is in brackets. */
static void
show_replicas(const struct riak *riak, bool timed, struct hf_text *text)
{
    for (unsigned i = 0; i < riak->rules.n; i++) {
        hf_text_addf(text, "%s%u:", i == 0 ? "" : "  ", i + 1);
        show_object(riak, riak->home[i], timed, text);
        if (riak->away[i].clock == 0)
            continue;
        hf_text_add(text, " (handoff:");
        show_object(riak, riak->away[i], timed, text);
        hf_text_add(text, ")");
    }
}

void
draft_show(const struct specimen_run *run, const void *state,
           struct hf_text *text)
{
    const struct draft_state *s = state;
    const struct draft *draft = run->specimen->text;
    bool timed = false;

    for (unsigned i = 0; i < draft->count; i++)
        timed |= draft->lines[i].stamp == DRAFT_TIME;
    if (on_riak(run)) {
        show_replicas(&s->key.riak, timed, text);
        return;
    }
    for (unsigned i = 0; i < s->key.atomic.count; i++) {
        hf_text_add(text, i == 0 ? "" : " + ");
        show_value(s->key.atomic.values[i], timed, text);
    }
}

/* Replicas with a value of a worker's. */
static unsigned
count_locked(const struct riak *riak)
{
    unsigned locked = 0;

    for (unsigned i = 0; i < riak->rules.n; i++)
        for (unsigned w = 0; w < RIAK_WRITES_MAX; w++)
            if ((riak->home[i].siblings >> w & 1) != 0 &&
                riak->writes[w].id != 0) {
                locked++;
                break;
            }
    return locked;
}

bool
draft_is_left(const struct specimen_run *run, const void *state)
{
    const struct draft *draft = run->specimen->text;
    const struct draft_state *s = state;

    for (unsigned i = 0; i < run->workers; i++)
        if (s->waits[i] != 0 || /* it may be removed, or written, yet */
            (s->cast.where[i] == WHERE_DONE && s->cast.line[i] < draft->count))
            return false;
    if (!on_riak(run))
        return s->key.atomic.count > 0;
    return !is_busy(&s->key.riak, true) &&
           count_locked(&s->key.riak) == s->key.riak.rules.n;
}

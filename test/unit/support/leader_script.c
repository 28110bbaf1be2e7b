#include "unit/support/leader_script.h"

#include <inttypes.h>
#include <string.h>

/* A leader and its owner. */
static struct {
    struct hf_leader leader;
    bool idle;
    uint64_t batches;
    uint64_t next_fence;
    struct hf_head_state put; /* the head that was put last */
} owner, marked;

static const struct script_situation situations[] = {
    {"seeking", "0 seek | ask #1 read\n"},
    {"claiming", "seeking\n"
                 "0 head #1 v7 6_3 fence 50\n"
                 "| ask #2 put lock v7 id1_0 new: fence 50\n"},
    {"leading", "claiming\n"
                "20 applied #2 v8 | leads in term 8\n"},
    {"promising", "start max 3000\n"
                  "seeking\n"},
    {"promising, leading", "promising\n"
                           "0 head #1 v7 6_3 fence 50, service 7\n"
                           "| ask #2 put lock v7 id1_0 new: fence 50\n"
                           "20 applied #2 v8 | leads in term 8\n"
                           "loaded 0\n"},
    {"promising, following", "promising\n"
                             "10 head #1 v9 6_3 led fence 50, service 7\n"},
    {NULL, NULL},
};

static void
start(int64_t max_ms)
{
    memset(&owner, 0, sizeof(owner));
    hf_leader_init(&owner.leader, &(struct hf_leader_config){
                                      .terms = {HF_TAKEOVER, {1000}, {200}},
                                      .grace = {100},
                                      .max_ttl = {max_ms},
                                  });
}

static void
begin(void)
{
    start(0);
}

/* ---- Effects ------------------------------------------------------------- */

static void
add_ask(struct hf_text *came, const struct hf_leader_effect *effect)
{
    const struct hf_head_state *head = &effect->ask.head;
    struct hf_effect ask = {.kind = HF_DO_ASK, .request = effect->ask.request};

    script_effect(came, &ask);
    if (ask.request.read)
        return;
    hf_text_take_back(came, came->len - 1);
    hf_text_addf(came, ":%s fence %" PRIu64, head->led ? "" : " no node,",
                 head->next_fence);
    if (head->led && effect->ask.batch != 0)
        hf_text_addf(came, " batch %" PRIu64, effect->ask.batch);
    if (head->grace.ms > 0)
        hf_text_addf(came, " grace %" PRId64, head->grace.ms);
    if (head->max_ttl.ms != owner.leader.config.max_ttl.ms)
        hf_text_addf(came, " max %" PRId64, head->max_ttl.ms);
    hf_text_add(came, "\n");
    owner.put = *head;
}

static void
fix(void)
{
    if (owner.idle) {
        hf_leader_fix(&owner.leader, 0, 0);
        return;
    }
    owner.next_fence += 10;
    hf_leader_fix(&owner.leader, ++owner.batches, owner.next_fence);
}

static void
drain(struct hf_text *came)
{
    struct hf_leader_effect effect;

    while (hf_leader_next(&owner.leader, &effect)) {
        switch (effect.kind) {
        case HF_LEADER_ASK:
            add_ask(came, &effect);
            break;
        case HF_LEADER_FIX:
            fix();
            break;
        case HF_LEADER_LEADS:
            owner.next_fence = owner.leader.next_fence;
            hf_text_addf(came, "leads in term %" PRIu64 "\n", effect.term);
            break;
        case HF_LEADER_APPLIED:
            hf_text_addf(came, "batch %" PRIu64 "\n", effect.applied);
            break;
        case HF_LEADER_OVER:
            hf_text_add(came, "over\n");
            break;
        case HF_LEADER_ENDED:
            hf_text_addf(came, "ended %s\n", hf_status_name(effect.ended));
            break;
        }
    }
}

/* ---- Events -------------------------------------------------------------- */

static bool
find_head(struct script_line *line)
{
    const struct hf_leader_config *config = &owner.leader.config;
    struct script_head found = {.sight = {.terms = config->terms},
                                .state = {.max_ttl = config->max_ttl}};

    if (!script_head(line, &found))
        return false;
    hf_leader_found(&owner.leader, found.at, found.number, found.sight,
                    found.state);
    return true;
}

static bool
seek(struct script_line *line)
{
    struct script_line ahead = *line;
    uint64_t at_ms;

    if (!script_number(&ahead, "", &at_ms) || !script_word(&ahead, "seek"))
        return false;
    hf_leader_seek(&owner.leader, (struct hf_instant){(int64_t)at_ms});
    *line = ahead;
    return true;
}

/* Its owner's words; and "mark" and "back". */
static bool
read_word(struct script_line *line)
{
    uint64_t ms = 0;

    if (script_word(line, "start")) {
        script_option(line, "max", &ms);
        start((int64_t)ms);
    } else if (script_option(line, "loaded", &ms)) {
        hf_leader_loaded(&owner.leader, owner.leader.now,
                         (struct hf_duration){(int64_t)ms});
    } else if (script_word(line, "idle")) {
        owner.idle = true;
    } else if (script_word(line, "busy")) {
        owner.idle = false;
    } else if (script_word(line, "mark")) {
        marked = owner;
    } else if (script_word(line, "back")) {
        owner = marked;
    } else {
        return false;
    }
    return true;
}

static bool
step(struct script_line *line, struct hf_text *came)
{
    struct hf_event event;

    if (read_word(line))
        return true;
    if (script_event(line, &event))
        hf_leader_step(&owner.leader, event);
    else if (!seek(line) && !find_head(line))
        return false;
    drain(came);
    return true;
}

/* ---- Facts --------------------------------------------------------------- */

static const char *
state_word(void)
{
    switch (owner.leader.state) {
    case HF_LEADER_IDLE:
        return "idle";
    case HF_LEADER_SEEKING:
        return "seeking";
    case HF_LEADER_LEADING:
        return "leading";
    case HF_LEADER_LEAVING:
        return "leaving";
    }
    return "?";
}

static bool
fact(const char *name, struct hf_text *is)
{
    const struct hf_leader *l = &owner.leader;

    if (strcmp(name, "state") == 0)
        hf_text_add(is, state_word());
    else if (strcmp(name, "fence") == 0)
        hf_text_addf(is, "%" PRIu64, l->next_fence);
    else if (strcmp(name, "max") == 0)
        hf_text_addf(is, "%" PRId64, l->max_ttl.ms);
    else if (strcmp(name, "grace") == 0)
        script_instant(is, hf_leader_grace_until(l));
    else if (strcmp(name, "service") == 0)
        script_id(is, l->service);
    else if (strcmp(name, "put-service") == 0)
        script_id(is, owner.put.service);
    else if (strcmp(name, "put-served") == 0)
        hf_text_addf(is, "%" PRId64, owner.put.served.ms);
    else if (strcmp(name, "put-begun") == 0)
        hf_text_addf(is, "%" PRId64, owner.put.begun_ms);
    else
        return false;
    return true;
}

const struct script_machine leader_script = {
    .situations = situations,
    .begin = begin,
    .step = step,
    .fact = fact,
};

#include "unit/support/contender_script.h"

#include <inttypes.h>
#include <string.h>

struct hf_contender scripted_contender;
static struct hf_contender marked;

#define SEEN_UNTIL_1000(if_dead)                                               \
    "205 hint | ask #2 read\n"                                                 \
    "205 found #2 lock v7 7_0 " if_dead "\n"                                   \
    "405 hint | ask #3 read\n"                                                 \
    "405 found #3 lock v7 7_0 " if_dead "\n"                                   \
    "605 hint | ask #4 read\n"                                                 \
    "605 found #4 lock v7 7_0 " if_dead "\n"                                   \
    "805 hint | ask #5 read\n"                                                 \
    "805 found #5 lock v7 7_0 " if_dead "\n"                                   \
    "1005 hint | ask #6 read\n"                                                \
    "1005 found #6 lock v7 7_0 " if_dead "\n"

static const struct script_situation situations[] = {
    {"looking", "0 acquire | ask #1 read\n"},
    {"watching", "looking\n"
                 "10 found #1 lock v7 7_0 | waiting\n"},
    {"watching refuse", "looking\n"
                        "10 found #1 lock v7 7_0 refuse | waiting\n"},
    {"nearly sure", "watching\n" SEEN_UNTIL_1000("")},
    {"nearly sure refuse", "watching refuse\n" SEEN_UNTIL_1000("refuse")},
    {"claiming", "looking\n"
                 "10 found #1 absent v7 | ask #2 put lock v7 id1_0 new\n"},
    {"holding", "claiming\n"
                "20 applied #2 v8 | granted\n"},
    {NULL, NULL},
};

static const struct hf_contender_config patient = {
    .terms = {HF_TAKEOVER, {1000}, {200}},
    .grace = {100},
    .limit = {10000},
};

static void
begin(void)
{
    hf_contender_init(&scripted_contender, &patient);
}

static void
start(struct script_line *line)
{
    struct hf_contender_config config = patient;
    uint64_t ms;

    if (script_word(line, "refuse"))
        config.terms.if_dead = HF_REFUSE;
    if (script_option(line, "ttl", &ms))
        config.terms.ttl.ms = (int64_t)ms;
    if (script_option(line, "beat", &ms))
        config.terms.beat.ms = (int64_t)ms;
    config.fail_suspected = script_word(line, "fail-suspected");
    if (script_word(line, "try")) {
        config.try_only = true;
        config.limit = config.terms.ttl;
    }
    if (script_option(line, "limit", &ms))
        config.limit.ms = (int64_t)ms;
    else if (script_word(line, "forever"))
        config.limit = HF_FOREVER;
    hf_contender_init(&scripted_contender, &config);
}

static void
step_contender(struct hf_event event, struct hf_text *came)
{
    struct hf_effect effect;

    hf_contender_step(&scripted_contender, event);
    while (hf_contender_next(&scripted_contender, &effect))
        script_effect(came, &effect);
}

const char *
contender_gives(struct hf_event event)
{
    static char bytes[512];
    struct hf_text came;

    hf_text_init(&came, bytes, sizeof(bytes));
    step_contender(event, &came);
    return bytes;
}

/* "20 check" */
static bool
check(struct script_line *line, struct hf_text *came)
{
    struct script_line ahead = *line;
    struct hf_instant at;
    uint64_t at_ms;

    if (!script_number(&ahead, "", &at_ms) || !script_word(&ahead, "check"))
        return false;
    at.ms = (int64_t)at_ms;
    hf_text_addf(came, "%s\n",
                 hf_outcome_word(hf_contender_check(&scripted_contender, at)));
    *line = ahead;
    return true;
}

static bool
step(struct script_line *line, struct hf_text *came)
{
    struct hf_event event;

    if (script_word(line, "start"))
        start(line);
    else if (script_word(line, "mark"))
        marked = scripted_contender;
    else if (script_word(line, "back"))
        scripted_contender = marked;
    else if (script_event(line, &event))
        step_contender(event, came);
    else
        return check(line, came);
    return true;
}

static const char *
state_word(void)
{
    switch (scripted_contender.state) {
    case HF_CONTENDER_IDLE:
        return "idle";
    case HF_CONTENDER_LOOKING:
        return "looking";
    case HF_CONTENDER_WATCHING:
        return "watching";
    case HF_CONTENDER_CLAIMING:
        return "claiming";
    case HF_CONTENDER_HOLDING:
        return "holding";
    case HF_CONTENDER_LEAVING:
        return "leaving";
    case HF_CONTENDER_ENDED:
        return "ended";
    }
    return "?";
}

/* "HF_OK timed out"; an end has no deadline. */
static void
add_end(struct hf_text *is)
{
    const struct hf_contender *c = &scripted_contender;

    if (c->state != HF_CONTENDER_ENDED ||
        hf_contender_deadline(c).ms != HF_NEVER.ms)
        hf_text_addf(is, "not, %s", state_word());
    else
        hf_text_addf(is, "%s %s", hf_status_name(c->status),
                     hf_outcome_word(c->outcome));
}

static bool
fact(const char *name, struct hf_text *is)
{
    const struct hf_contender *c = &scripted_contender;
    uint64_t version;

    if (strcmp(name, "state") == 0)
        hf_text_add(is, state_word());
    else if (strcmp(name, "token") == 0)
        hf_text_addf(is, "%" PRIu64, c->keeper.token);
    else if (strcmp(name, "deadline") == 0)
        script_instant(is, hf_contender_deadline(c));
    else if (strcmp(name, "limit") == 0)
        script_instant(is, c->limit_at);
    else if (strcmp(name, "shown") == 0)
        script_instant(is, c->evidence.shown_at);
    else if (strcmp(name, "too-slow") == 0)
        hf_text_addf(is, "%" PRId64, c->too_slow.ms);
    else if (strcmp(name, "ended") == 0)
        add_end(is);
    else if (strcmp(name, "watching") != 0)
        return false;
    else if (hf_contender_watching(c, &version))
        hf_text_addf(is, "v%" PRIu64, version);
    else
        hf_text_add(is, "nothing");
    return true;
}

const struct script_machine contender_script = {
    .situations = situations,
    .begin = begin,
    .step = step,
    .fact = fact,
};

#include "unit/support/keeper_script.h"

#include <inttypes.h>
#include <string.h>

struct hf_keeper scripted_keeper;
static struct hf_keeper marked;

static const struct script_situation situations[] = {
    {"claiming", "0 claim 5 v7 | ask #1 put lock v7 5_0 new\n"},
    {"holding", "claiming\n"
                "50 applied #1 v8 | granted\n"},
    {"confirming", "claiming\n"
                   "750 applied #1 v8 | ask #2 put lock v8 5_1\n"},
    {NULL, NULL},
};

static void
start(enum hf_if_dead if_dead)
{
    hf_keeper_init(&scripted_keeper, &(struct hf_keeper_config){
                                         .terms = {if_dead, {1000}, {200}},
                                         .grace = {100},
                                         .margin = {250},
                                     });
}

static void
begin(void)
{
    start(HF_TAKEOVER);
}

static void
step_keeper(struct hf_event event, struct hf_text *came)
{
    struct hf_effect effect;

    hf_keeper_step(&scripted_keeper, event);
    while (hf_keeper_next(&scripted_keeper, &effect))
        script_effect(came, &effect);
}

const char *
keeper_gives(struct hf_event event)
{
    static char bytes[512];
    struct hf_text came;

    hf_text_init(&came, bytes, sizeof(bytes));
    step_keeper(event, &came);
    return bytes;
}

static bool
step(struct script_line *line, struct hf_text *came)
{
    struct hf_event event;

    if (script_word(line, "start")) {
        start(script_word(line, "refuse") ? HF_REFUSE : HF_TAKEOVER);
        return true;
    }
    if (script_word(line, "mark")) {
        marked = scripted_keeper;
        return true;
    }
    if (script_word(line, "back")) {
        scripted_keeper = marked;
        return true;
    }
    if (!script_event(line, &event))
        return false;
    step_keeper(event, came);
    return true;
}

static const char *
state_word(void)
{
    switch (scripted_keeper.state) {
    case HF_KEEPER_IDLE:
        return "idle";
    case HF_KEEPER_CLAIMING:
        return "claiming";
    case HF_KEEPER_CONFIRMING:
        return "confirming";
    case HF_KEEPER_HELD:
        return "held";
    case HF_KEEPER_IN_DOUBT:
        return "in doubt";
    case HF_KEEPER_SETTLING:
        return "settling";
    }
    return "?";
}

static bool
fact(const char *name, struct hf_text *is)
{
    const struct hf_keeper *k = &scripted_keeper;

    if (strcmp(name, "state") == 0)
        hf_text_add(is, state_word());
    else if (strcmp(name, "token") == 0)
        hf_text_addf(is, "%" PRIu64, k->token);
    else if (strcmp(name, "version") == 0)
        hf_text_addf(is, "%" PRIu64, k->version);
    else if (strcmp(name, "count") == 0)
        hf_text_addf(is, "%" PRIu64, k->heartbeat.count);
    else if (strcmp(name, "right") == 0)
        script_instant(is, k->right_until);
    else if (strcmp(name, "deadline") == 0)
        script_instant(is, hf_keeper_deadline(k));
    else
        return false;
    return true;
}

const struct script_machine keeper_script = {
    .situations = situations,
    .begin = begin,
    .step = step,
    .fact = fact,
};

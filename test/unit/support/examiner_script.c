#include "unit/support/examiner_script.h"

#include <inttypes.h>
#include <string.h>

struct hf_examiner scripted_examiner;
static struct hf_examiner marked;

static const struct script_situation situations[] = {
    {"looking", "0 examine | ask #1 read\n"},
    {"watching", "looking\n"
                 "10 found #1 lock v7 7_0 refuse\n"
                 "= deadline 510\n"},
    {"clearing", "watching\n"
                 "20 evidence v7 gone | ask #2 read\n"
                 "30 found #2 lock v7 7_0 refuse\n"
                 "| ask #3 delete lock v7, put audit 7 absent new\n"},
    {NULL, NULL},
};

static const struct hf_examiner_config only_looks = {
    .watch = {INT64_MAX},
    .patience = {200},
};

static void
begin(void)
{
    hf_examiner_init(&scripted_examiner, &only_looks);
}

static void
start(struct script_line *line)
{
    struct hf_examiner_config config = only_looks;
    uint64_t ms;

    config.clear = script_word(line, "clear");
    config.force = script_word(line, "force");
    config.clear = config.clear || config.force;
    if (script_option(line, "watch", &ms))
        config.watch.ms = (int64_t)ms;
    script_option(line, "token", &config.token);
    hf_examiner_init(&scripted_examiner, &config);
}

static void
step_examiner(struct hf_event event, struct hf_text *came)
{
    struct hf_effect effect;

    hf_examiner_step(&scripted_examiner, event);
    while (hf_examiner_next(&scripted_examiner, &effect))
        script_effect(came, &effect);
}

void
examiner_gives(struct hf_event event)
{
    char bytes[512];
    struct hf_text came;

    hf_text_init(&came, bytes, sizeof(bytes));
    step_examiner(event, &came);
}

static bool
step(struct script_line *line, struct hf_text *came)
{
    struct hf_event event;

    if (script_word(line, "start"))
        start(line);
    else if (script_word(line, "mark"))
        marked = scripted_examiner;
    else if (script_word(line, "back"))
        scripted_examiner = marked;
    else if (script_word(line, "due"))
        step_examiner(at_clock(hf_examiner_deadline(&scripted_examiner).ms),
                      came);
    else if (script_event(line, &event))
        step_examiner(event, came);
    else
        return false;
    return true;
}

static const char *
state_word(void)
{
    switch (scripted_examiner.state) {
    case HF_EXAMINER_IDLE:
        return "idle";
    case HF_EXAMINER_LOOKING:
        return "looking";
    case HF_EXAMINER_WATCHING:
        return "watching";
    case HF_EXAMINER_CLEARING:
        return "clearing";
    case HF_EXAMINER_ENDED:
        return "ended";
    }
    return "?";
}

static const char *
finding_word(void)
{
    switch (scripted_examiner.finding) {
    case HF_FINDING_NONE:
        return "nothing";
    case HF_FINDING_ALIVE:
        return "alive";
    case HF_FINDING_UNCHANGED:
        return "unchanged";
    case HF_FINDING_GONE:
        return "gone";
    }
    return "?";
}

static const char *
found_word(void)
{
    switch (scripted_examiner.found) {
    case HF_SIGHT_NONE:
        return "nothing";
    case HF_SIGHT_ABSENT:
        return "absent";
    case HF_SIGHT_LOCK:
        return "lock";
    case HF_SIGHT_CORRUPT:
        return "corrupt";
    }
    return "?";
}

/* "HF_OK gone, cleared"; an end has no deadline. */
static void
add_end(struct hf_text *is)
{
    const struct hf_examiner *x = &scripted_examiner;

    if (x->state != HF_EXAMINER_ENDED ||
        hf_examiner_deadline(x).ms != HF_NEVER.ms)
        hf_text_addf(is, "not, %s", state_word());
    else
        hf_text_addf(is, "%s %s%s", hf_status_name(x->status), finding_word(),
                     x->cleared ? ", cleared" : "");
}

static bool
fact(const char *name, struct hf_text *is)
{
    const struct hf_examiner *x = &scripted_examiner;
    uint64_t version;

    if (strcmp(name, "state") == 0)
        hf_text_add(is, state_word());
    else if (strcmp(name, "finding") == 0)
        hf_text_add(is, finding_word());
    else if (strcmp(name, "found") == 0)
        hf_text_add(is, found_word());
    else if (strcmp(name, "running") == 0)
        hf_text_add(is, x->evidence.running ? "yes" : "no");
    else if (strcmp(name, "deadline") == 0)
        script_instant(is, hf_examiner_deadline(x));
    else if (strcmp(name, "ended") == 0)
        add_end(is);
    else if (strcmp(name, "watching") != 0)
        return false;
    else if (hf_examiner_watching(x, &version))
        hf_text_addf(is, "v%" PRIu64, version);
    else
        hf_text_add(is, "nothing");
    return true;
}

const struct script_machine examiner_script = {
    .situations = situations,
    .begin = begin,
    .step = step,
    .fact = fact,
};

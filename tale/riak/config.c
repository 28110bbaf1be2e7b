#include <string.h>

#include "base/check.h"
#include "base/fail.h"
#include "tale/riak/parts.h"

const struct riak_config riak_config_default = {
    .n_val = 3,
    .r = RIAK_QUORUM,
    .w = RIAK_QUORUM,
    .dw = RIAK_QUORUM,
    .allow_mult = true,
    .notfound_ok = true,
    .read_repair = true,
    .delete_mode = RIAK_LATER,
};

enum { NO_COUNT = -9 };

/* A number of replicas: one digit says them all. */
static int
read_count(const char *text)
{
    if (text[0] < '0' || text[0] > '9' || text[1] != '\0')
        return NO_COUNT;
    return text[0] - '0';
}

static int
read_quorum(const char *text)
{
    if (strcmp(text, "one") == 0)
        return 1;
    if (strcmp(text, "quorum") == 0)
        return RIAK_QUORUM;
    if (strcmp(text, "all") == 0)
        return RIAK_ALL;
    return read_count(text);
}

/* Which of two or three words it is; -1 for none. */
static int
find(const char *text, const char *const *words)
{
    for (int i = 0; words[i] != NULL; i++)
        if (strcmp(text, words[i]) == 0)
            return i;
    return -1;
}

/* The settings by name; each list in the order of its function. */
static const char *const numbers[] = {"n_val", "slow_clock", "r",  "w",
                                      "pr",    "pw",         "dw", NULL};
static const char *const switches[] = {"allow_mult", "last_write_wins",
                                       "notfound_ok", "read_repair", NULL};
static const char *const choices[] = {"delete_mode", "pw_precheck",
                                      "coordinator", NULL};

static bool
set_number(struct riak_config *config, int index, const char *value)
{
    int *fields[] = {&config->n_val, &config->slow_clock, &config->r,
                     &config->w,     &config->pr,         &config->pw,
                     &config->dw};
    bool plain = index < 2;
    int number = plain ? read_count(value) : read_quorum(value);

    if (number == NO_COUNT)
        return false;
    *fields[index] = number;
    return true;
}

static bool
set_switch(struct riak_config *config, int index, const char *value)
{
    static const char *const truths[] = {"false", "true", NULL};
    bool *fields[] = {&config->allow_mult, &config->last_write_wins,
                      &config->notfound_ok, &config->read_repair};
    int truth = find(value, truths);

    if (truth < 0)
        return false;
    *fields[index] = truth == 1;
    return true;
}

static bool
set_choice(struct riak_config *config, int index, const char *value)
{
    static const char *const modes[] = {"keep", "immediate", "later", NULL};
    static const char *const checks[] = {"riak", "seed", NULL};
    static const char *const nodes[] = {"any", "first", NULL};
    const char *const *const words[] = {modes, checks, nodes};
    int choice = find(value, words[index]);

    if (choice < 0)
        return false;
    if (words[index] == modes)
        config->delete_mode = (enum riak_delete_mode)choice;
    else if (words[index] == checks)
        config->pw_precheck = (enum riak_precheck)choice;
    else
        config->coordinator = (enum riak_coordinator)choice;
    return true;
}

enum hf_status
riak_config_set(struct riak_config *config, const char *name, const char *value,
                struct hf_error *error)
{
    int number = find(name, numbers);
    int flag = find(name, switches);
    int choice = find(name, choices);
    bool good;

    if (number >= 0)
        good = set_number(config, number, value);
    else if (flag >= 0)
        good = set_switch(config, flag, value);
    else if (choice >= 0)
        good = set_choice(config, choice, value);
    else
        return hf_fail(error, HF_E_INVALID, "no such setting: %s", name);
    if (!good)
        return hf_fail(error, HF_E_INVALID, "%s cannot be %s", name, value);
    return HF_OK;
}

enum hf_status
riak_config_check(const struct riak_config *config, struct hf_error *error)
{
    const int quorums[] = {config->r, config->w, config->pr, config->pw,
                           config->dw};

    if (config->n_val < 1 || config->n_val > RIAK_N_MAX)
        return hf_fail(error, HF_E_INVALID, "n_val is 1 to %d", RIAK_N_MAX);
    for (size_t i = 0; i < sizeof(quorums) / sizeof(quorums[0]); i++)
        if (quorums[i] < RIAK_ALL || quorums[i] > config->n_val)
            return hf_fail(error, HF_E_INVALID,
                           "no quorum is above n_val, which is %d",
                           config->n_val);
    if (config->slow_clock < 0 || config->slow_clock > config->n_val)
        return hf_fail(error, HF_E_INVALID, "slow_clock is 0 to %d",
                       config->n_val);
    if (config->allow_mult && config->last_write_wins)
        return hf_fail(error, HF_E_INVALID,
                       "last_write_wins needs allow_mult=false");
    return HF_OK;
}

/* How many replicas a quorum is. */
static unsigned
expand(const struct riak_config *config, int quorum)
{
    if (quorum == RIAK_QUORUM)
        return (unsigned)config->n_val / 2 + 1;
    if (quorum == RIAK_ALL)
        return (unsigned)config->n_val;
    return (unsigned)quorum;
}

void
riak_init(struct riak *riak, const struct riak_config *config)
{
    HF_CHECK(riak_config_check(config, NULL) == HF_OK);
    *riak = (struct riak){
        .rules =
            {
                .n = (unsigned)config->n_val & 0xf,
                .slow_clock = (unsigned)config->slow_clock & 0xf,
                .r = expand(config, config->r) & 0xf,
                .pr = expand(config, config->pr) & 0xf,
                .w = expand(config, config->w) & 0xf,
                .pw = expand(config, config->pw) & 0xf,
                .dw = expand(config, config->dw) & 0xf,
                .allow_mult = config->allow_mult & 1,
                .last_write_wins = config->last_write_wins & 1,
                .notfound_ok = config->notfound_ok & 1,
                .read_repair = config->read_repair & 1,
                .delete_mode = (unsigned)config->delete_mode & 3,
                .as_seed = config->pw_precheck == RIAK_AS_SEED ? 1 : 0,
                .first = config->coordinator == RIAK_FIRST ? 1 : 0,
            },
    };
}

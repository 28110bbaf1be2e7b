#include "lab/world/story.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/world/worlds.h"

static const char *const act_words[ACT_COUNT] = {
    [ACT_BEGIN] = "begin",
    [ACT_RELEASE] = "release",
    [ACT_CANCEL] = "cancel",
    [ACT_HAND_ON] = "hand-on",
    [ACT_SERVE] = "serve",
    [ACT_DELIVER] = "deliver",
    [ACT_CLOCK] = "clock",
    [ACT_GONE] = "gone",
    [ACT_RUNNING] = "running",
    [ACT_OLD_EVIDENCE] = "old-evidence",
    [ACT_HINT] = "hint",
    [ACT_AGAIN] = "again",
    [ACT_TICK] = "tick",
    [ACT_LATE] = "late",
    [ACT_PURGE] = "purge",
    [ACT_WAKE] = "wake",
    [ACT_SEND] = "send",
    [ACT_ARRIVE] = "arrive",
    [ACT_PERSON_COMES] = "person-comes",
    [ACT_PERSON_SERVE] = "person-serve",
    [ACT_PERSON_HEARS] = "person-hears",
    [ACT_PERSON_CLOCK] = "person-clock",
    [ACT_PERSON_GONE] = "person-gone",
    [ACT_PERSON_HINT] = "person-hint",
    [ACT_PERSON_ANSWER_LOST] = "person-lost-answer",
    [ACT_PERSON_DROPPED] = "person-lost-question",
    [ACT_PERSON_LATER] = "person-late-question",
    [ACT_PERSON_UNAVAILABLE] = "person-unavailable",
    [ACT_PERSON_SLOW] = "person-slow",
    [ACT_UNKNOWN_APPLIED] = "lost-answer",
    [ACT_UNKNOWN_DROPPED] = "lost-question",
    [ACT_UNKNOWN_LATER] = "late-question",
    [ACT_UNAVAILABLE] = "unavailable",
    [ACT_READ_FAILS] = "read-fails",
    [ACT_SLOW] = "slow",
    [ACT_CUT] = "cut",
    [ACT_HEAL] = "heal",
    [ACT_CRASH] = "crash",
    [ACT_ABANDON] = "abandon",
    [ACT_FREEZE] = "freeze",
    [ACT_CLEAR] = "clear",
    [ACT_FOREIGN] = "foreign",
    [ACT_REMOVED] = "removed",
    [ACT_REPLACED] = "replaced",
    [ACT_OVERWRITTEN] = "overwritten",
};

const char *
story_act_word(enum world_act act)
{
    return act_words[act];
}

/* ---- The line that is replayed ------------------------------------------ */

void
story_line(const struct world_config *config, const uint16_t *schedule,
           size_t len, struct hf_text *text)
{
    hf_text_addf(text, "%s:%u:", config->name, config->workers);
    for (size_t i = 0; i < len; i++) {
        struct world_action action = world_action_of(schedule[i]);

        hf_text_addf(text, "%s%s%u", i == 0 ? "" : ",", act_words[action.act],
                     action.who + 1);
    }
}

static bool
parse_action(const char *word, size_t len, uint16_t *number)
{
    for (enum world_act act = 0; act < ACT_COUNT; act++) {
        size_t word_len = strlen(act_words[act]);
        char *end;
        long who;

        if (len <= word_len || strncmp(word, act_words[act], word_len) != 0)
            continue;
        who = strtol(word + word_len, &end, 10);
        if (end != word + len || who < 1 || who > 15)
            continue;
        *number =
            world_action_number((struct world_action){act, (unsigned)who - 1});
        return true;
    }
    return false;
}

/* "WORLD:WORKERS:", and where the actions begin. */
static const char *
parse_world(const char *line, struct world_config *config, const char **why)
{
    char name[64] = "";
    size_t len = strcspn(line, ":");
    const struct world_config *found;
    unsigned long workers;
    char *end;

    *why = "it is not WORLD:WORKERS:ACTION,ACTION,...";
    if (line[len] != ':' || len >= sizeof(name))
        return NULL;
    memcpy(name, line, len);
    workers = strtoul(line + len + 1, &end, 10);
    if (end == line + len + 1 || *end != ':')
        return NULL;
    found = worlds_find(name);
    *why = "there is no such world";
    if (found == NULL)
        return NULL;
    *why = "there are 1 to 4 workers";
    if (workers < 1 || workers > WORLD_WORKERS_MAX)
        return NULL;
    *config = worlds_with(found, (unsigned)workers);
    config->symmetric = false;
    return end + 1;
}

int
story_parse(const char *line, struct world_config *config, uint16_t *schedule,
            size_t max, const char **why)
{
    const char *at = parse_world(line, config, why);
    size_t count = 0;

    if (at == NULL)
        return -1;
    *why = "there is no such action";
    while (*at != '\0') {
        size_t len = strcspn(at, ",");

        if (count == max || !parse_action(at, len, &schedule[count]))
            return -1;
        count++;
        at += len;
        if (*at == ',')
            at++;
    }
    return (int)count;
}

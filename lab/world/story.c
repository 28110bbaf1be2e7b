#include "lab/world/story.h"


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

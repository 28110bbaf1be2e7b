#include "unit/support/core_script.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/trace.h"

#define ID1 UINT64_C(7070836379803831727)

static const struct {
    const char *name;
    const char *id;
} ids[] = {
    {"id1", "7070836379803831727"},
    {"id2", "7960286522194355700"},
    {"id3", "487617019471545679"},
};

#define IDS_COUNT (sizeof(ids) / sizeof(ids[0]))

/* ---- Events -------------------------------------------------------------- */

bool
script_heartbeat(struct script_line *line, struct hf_heartbeat *heartbeat)
{
    char bytes[64];
    struct hf_text word;
    char *end;

    hf_text_init(&word, bytes, sizeof(bytes));
    if (!script_any(line, &word) || (end = strchr(bytes, '_')) == NULL)
        return false;
    heartbeat->count = strtoull(end + 1, NULL, 10);
    *end = '\0';
    heartbeat->id = strtoull(bytes, NULL, 10);
    for (size_t i = 0; i < IDS_COUNT; i++)
        if (strcmp(bytes, ids[i].name) == 0)
            heartbeat->id = strtoull(ids[i].id, NULL, 10);
    return true;
}

static void
read_lock(struct script_line *line, struct hf_sight *sight)
{
    uint64_t ttl_ms = 1000;
    uint64_t beat_ms = 200;
    uint64_t stood_ms = 0;

    sight->kind = HF_SIGHT_LOCK;
    script_number(line, "v", &sight->version);
    script_heartbeat(line, &sight->heartbeat);
    sight->token = sight->version;
    script_option(line, "token", &sight->token);
    sight->terms.if_dead =
        script_word(line, "refuse") ? HF_REFUSE : HF_TAKEOVER;
    script_option(line, "ttl", &ttl_ms);
    script_option(line, "beat", &beat_ms);
    script_option(line, "stood", &stood_ms);
    sight->terms.ttl.ms = (int64_t)ttl_ms;
    sight->stood.ms = (int64_t)stood_ms;
    sight->terms.beat.ms = (int64_t)beat_ms;
}

static bool
read_found(struct script_line *line, struct hf_event *event)
{
    struct hf_sight sight = {.kind = HF_SIGHT_NONE};
    uint64_t number = 0;

    if (!script_word(line, "found"))
        return false;
    script_number(line, "#", &number);
    if (script_word(line, "lock")) {
        read_lock(line, &sight);
    } else if (script_word(line, "absent")) {
        sight.kind = HF_SIGHT_ABSENT;
        script_number(line, "v", &sight.version);
    } else if (script_word(line, "corrupt")) {
        sight.kind = HF_SIGHT_CORRUPT;
        script_number(line, "v", &sight.version);
        sight.token = sight.version;
    } else if (!script_word(line, "nothing")) {
        return false;
    }
    *event = hf_found(event->at, number, sight);
    return true;
}

static bool
read_answer(struct script_line *line, struct hf_event *event)
{
    static const enum hf_verdict verdicts[] = {HF_APPLIED, HF_REFUSED,
                                               HF_UNAVAILABLE, HF_UNKNOWN};
    uint64_t number = 0;
    uint64_t version = 0;

    for (size_t i = 0; i < sizeof(verdicts) / sizeof(verdicts[0]); i++) {
        if (!script_word(line, hf_verdict_word(verdicts[i])))
            continue;
        script_number(line, "#", &number);
        script_number(line, "v", &version);
        *event = hf_answer(event->at, number, verdicts[i], version);
        return true;
    }
    return false;
}

static bool
read_claim(struct script_line *line, struct hf_event *event)
{
    struct hf_claim claim = {0};

    if (!script_option(line, "claim", &claim.id))
        return false;
    script_number(line, "v", &claim.version);
    script_option(line, "over", &claim.over);
    *event = hf_claim(event->at, claim);
    return true;
}

static bool
read_evidence(struct script_line *line, struct hf_event *event)
{
    uint64_t version = 0;

    if (!script_word(line, "evidence") || !script_number(line, "v", &version))
        return false;
    *event = hf_processes(event->at, version, script_word(line, "gone"));
    return event->processes.gone || script_word(line, "running");
}

static bool
read_word(struct script_line *line, struct hf_event *event)
{
    static const struct {
        const char *word;
        enum hf_event_kind kind;
    } words[] = {
        {"acquire", HF_ON_ACQUIRE},     {"examine", HF_ON_EXAMINE},
        {"hint", HF_ON_HINT},           {"write", HF_ON_WRITE},
        {"clock", HF_ON_CLOCK},         {"release", HF_ON_RELEASE},
        {"cancel", HF_ON_CANCEL},       {"abandon", HF_ON_ABANDON},
        {"went-back", HF_ON_WENT_BACK},
    };

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (!script_word(line, words[i].word))
            continue;
        *event = hf_event(words[i].kind, event->at);
        return true;
    }
    return false;
}

bool
script_event(struct script_line *line, struct hf_event *event)
{
    struct script_line begin = *line;
    uint64_t at_ms;

    if (script_number(line, "", &at_ms)) {
        event->at.ms = (int64_t)at_ms;
        if (read_word(line, event) || read_answer(line, event) ||
            read_found(line, event) || read_evidence(line, event) ||
            read_claim(line, event))
            return true;
    }
    *line = begin;
    return false;
}

/* ---- Heads --------------------------------------------------------------- */

bool
script_duration(struct script_line *line, const char *word,
                struct hf_duration *duration)
{
    uint64_t ms;

    if (!script_option(line, word, &ms))
        return false;
    duration->ms = (int64_t)ms;
    return true;
}

static void
read_head_state(struct script_line *line, struct hf_head_state *state)
{
    uint64_t begun_ms;

    state->led = script_word(line, "led");
    script_option(line, "fence", &state->next_fence);
    script_option(line, "service", &state->service);
    script_duration(line, "max", &state->max_ttl);
    script_duration(line, "grace", &state->grace);
    script_duration(line, "served", &state->served);
    if (script_option(line, "begun", &begun_ms))
        state->begun_ms = (int64_t)begun_ms;
    state->forgot = script_word(line, "forgot");
}

static bool
read_head_sight(struct script_line *line, struct hf_sight *sight)
{
    sight->kind = script_word(line, "absent")    ? HF_SIGHT_ABSENT
                  : script_word(line, "corrupt") ? HF_SIGHT_CORRUPT
                  : script_word(line, "nothing") ? HF_SIGHT_NONE
                                                 : HF_SIGHT_LOCK;
    script_number(line, "v", &sight->version);
    if (sight->kind == HF_SIGHT_CORRUPT)
        sight->token = sight->version;
    if (sight->kind != HF_SIGHT_LOCK) {
        sight->terms = (struct hf_terms){0};
        return true;
    }
    if (!script_heartbeat(line, &sight->heartbeat))
        return false;
    sight->token = sight->heartbeat.id == ID1 ? 8 : sight->version;
    return true;
}

bool
script_head(struct script_line *line, struct script_head *head)
{
    struct script_line ahead = *line;
    uint64_t at_ms;

    if (!script_number(&ahead, "", &at_ms) || !script_word(&ahead, "head") ||
        !script_number(&ahead, "#", &head->number) ||
        !read_head_sight(&ahead, &head->sight))
        return false;
    head->at.ms = (int64_t)at_ms;
    if (head->sight.kind != HF_SIGHT_LOCK)
        head->state.max_ttl.ms = 0;
    read_head_state(&ahead, &head->state);
    *line = ahead;
    return true;
}

/* ---- Effects ------------------------------------------------------------- */

/* With the names of the ids that have one. */
static void
add_named(struct hf_text *came, const char *text)
{
    while (*text != '\0') {
        size_t i = 0;

        while (i < IDS_COUNT && strncmp(text, ids[i].id, strlen(ids[i].id)))
            i++;
        if (i < IDS_COUNT) {
            hf_text_add(came, ids[i].name);
            text += strlen(ids[i].id);
        } else {
            hf_text_add_bytes(came, text++, 1);
        }
    }
}

void
script_effect(struct hf_text *came, const struct hf_effect *effect)
{
    char line[HF_TRACE_MAX];

    hf_trace_effect((struct hf_instant){0}, effect, line, sizeof(line));
    add_named(came, line + strlen("0 "));
    hf_text_add(came, "\n");
}

void
script_id(struct hf_text *is, uint64_t id)
{
    if (id == ID1 || id == ID1 + 1)
        hf_text_add(is, id == ID1 ? "id1" : "id1+1");
    else
        hf_text_addf(is, "%" PRIu64, id);
}

void
script_instant(struct hf_text *is, struct hf_instant at)
{
    if (at.ms == HF_NEVER.ms)
        hf_text_add(is, "never");
    else
        hf_text_addf(is, "%" PRId64, at.ms);
}

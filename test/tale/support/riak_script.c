#include "tale/support/riak_script.h"

#include <string.h>

static struct riak riak;

static const struct script_situation situations[] = {
    {"0 has it", "0 puts 1 at 0 | ok\n"
                 "0 gets | found 1\n"},
    {"0 removes it everywhere", "0 removes with context\n"
                                "coordinates 0 at 0\n"
                                "arrive 0\n"
                                "0 takes | ok\n"},
    {"all are looked at", "looks-back at 0\n"
                          "read-arrives at 0\n"
                          "read-arrives at 1\n"
                          "read-arrives at 2\n"},
    {NULL, NULL},
};

static void
begin(void)
{
    start(&riak, "");
}

static void
restart(struct script_line *line)
{
    while (*line->at == ' ')
        line->at++;
    start(&riak, line->at);
    line->at += strlen(line->at);
}

/* ---- What comes of it ---------------------------------------------------- */

static void
add_answer(struct hf_text *came, const struct key_answer *answer)
{
    switch (answer->kind) {
    case KEY_OK:
        hf_text_add(came, "ok");
        break;
    case KEY_FOUND:
        hf_text_add(came, "found");
        for (unsigned i = 0; i < answer->count; i++)
            hf_text_addf(came, " %u", answer->siblings[i].id);
        break;
    case KEY_NOT_FOUND:
        hf_text_add(came, "not found");
        break;
    case KEY_ERROR:
        hf_text_add(came, "error");
        break;
    }
    hf_text_add(came, "\n");
}

static void
add_truth(struct hf_text *came, bool truth)
{
    hf_text_add(came, truth ? "yes\n" : "no\n");
}

/* ---- Events -------------------------------------------------------------- */

static bool
read_kind(struct script_line *line, enum riak_happening_kind *kind)
{
    static const char *const words[] = {
        [RIAK_COORDINATES] = "coordinates",
        [RIAK_WRITE_ARRIVES] = "write-arrives",
        [RIAK_READ_ARRIVES] = "read-arrives",
        [RIAK_LOOKS_BACK] = "looks-back",
        [RIAK_HANDS_OFF] = "hands-off",
        [RIAK_REAPS] = "reaps",
        [RIAK_FORGETS] = "forgets",
        [RIAK_GOES_DOWN] = "goes-down",
        [RIAK_COMES_BACK] = "comes-back",
    };

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (script_word(line, words[i])) {
            *kind = (enum riak_happening_kind)i;
            return true;
        }
    }
    return false;
}

/* "coordinates 0 at 1"; "can coordinates 0 at 1" */
static bool
happens(struct script_line *line, struct hf_text *came)
{
    bool asked = script_word(line, "can");
    enum riak_happening_kind kind;
    uint64_t worker = NOBODY;
    uint64_t partition;

    if (!read_kind(line, &kind))
        return false;
    script_number(line, "", &worker);
    if (!script_option(line, "at", &partition))
        return false;
    if (asked)
        add_truth(came,
                  can(&riak, kind, (unsigned)worker, (unsigned)partition));
    else
        happen(&riak, kind, (unsigned)worker, (unsigned)partition);
    return true;
}

/* "writes 1" */
static bool
sends(struct script_line *line, unsigned worker)
{
    uint64_t id;

    if (script_option(line, "writes", &id))
        send_write(&riak, worker, (uint8_t)id);
    else if (script_option(line, "updates", &id))
        send_update(&riak, worker, (uint8_t)id);
    else if (script_word(line, "reads"))
        send_read(&riak, worker);
    else if (script_word(line, "removes"))
        send_remove(&riak, worker,
                    script_word(line, "with") && script_word(line, "context"));
    else
        return false;
    return true;
}

/* "puts 1 at 2" */
static bool
puts_value(struct script_line *line, unsigned worker, struct hf_text *came)
{
    struct key_answer answer = {0};
    uint64_t coordinator = 0;
    uint64_t id;
    bool update;

    if (script_option(line, "puts", &id))
        update = false;
    else if (script_option(line, "puts-update", &id))
        update = true;
    else
        return false;
    script_option(line, "at", &coordinator);
    answer.kind = (update ? update_by : write_by)(&riak, worker, (uint8_t)id,
                                                  (unsigned)coordinator);
    add_answer(came, &answer);
    return true;
}

/* What a worker does. */
static bool
works(struct script_line *line, struct hf_text *came)
{
    struct key_answer answer;
    uint64_t number;
    unsigned worker;

    if (!script_number(line, "", &number))
        return false;
    worker = (unsigned)number;
    if (script_word(line, "takes")) {
        answer = take(&riak, worker);
        add_answer(came, &answer);
    } else if (script_word(line, "gets")) {
        answer = read_by(&riak, worker);
        add_answer(came, &answer);
    } else if (script_word(line, "is")) {
        add_truth(came, riak_answered(&riak, worker));
        return script_word(line, "answered");
    } else {
        return sends(line, worker) || puts_value(line, worker, came);
    }
    return true;
}

static bool
step(struct script_line *line, struct hf_text *came)
{
    uint64_t worker;
    uint64_t from = 0;

    if (script_word(line, "start")) {
        restart(line);
    } else if (script_option(line, "done", &worker)) {
        riak_done(&riak, (unsigned)worker);
    } else if (script_word(line, "drain")) {
        drain(&riak);
    } else if (script_option(line, "arrive", &worker)) {
        script_option(line, "from", &from);
        arrive(&riak, (unsigned)worker, (unsigned)from);
    } else {
        return happens(line, came) || works(line, came);
    }
    return true;
}

/* ---- Facts --------------------------------------------------------------- */

static void
add_object(struct hf_text *is, struct riak_object object)
{
    bool any = false;

    if (object.clock == 0) {
        hf_text_add(is, "-");
        return;
    }
    for (unsigned i = 0; i < RIAK_WRITES_MAX; i++) {
        if ((object.siblings >> i & 1) == 0)
            continue;
        hf_text_addf(is, "%s%u", any ? "+" : "", riak.writes[i].id);
        any = true;
    }
    if (!any)
        hf_text_add(is, "0");
}

static bool
fact(const char *name, struct hf_text *is)
{
    const struct riak_object *objects = strcmp(name, "home") == 0   ? riak.home
                                        : strcmp(name, "away") == 0 ? riak.away
                                                                    : NULL;

    for (unsigned i = 0; objects != NULL && i < riak.rules.n; i++) {
        hf_text_add(is, i > 0 ? " " : "");
        add_object(is, objects[i]);
    }
    return objects != NULL;
}

const struct script_machine riak_script = {
    .situations = situations,
    .begin = begin,
    .step = step,
    .fact = fact,
};

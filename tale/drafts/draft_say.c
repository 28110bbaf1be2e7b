#include "tale/drafts/draft_say.h"

#include <stddef.h>

bool
draft_line_of(const struct specimen *specimen, unsigned index,
              struct specimen_line *line)
{
    const struct draft *draft = specimen->text;

    if (index >= draft->count)
        return false;
    *line = (struct specimen_line){draft->lines[index].number,
                                   draft->lines[index].says};
    return true;
}

const struct draft_line *
draft_written(const struct draft *draft, const struct draft_line *line)
{
    for (const struct draft_line *i = draft->lines; i < line; i++)
        if (i->verb == DRAFT_WRITE)
            return i;
    return NULL;
}

static const char *
say_conflict(const struct draft_line *written, const struct draft_sight *sight)
{
    if (written == NULL || written->stamp == DRAFT_NO_STAMP)
        return "reads the lock and sees a conflict";
    if (written->stamp == DRAFT_ID_TIME)
        return draft_is_earliest(sight)
                   ? "reads the lock and sees its ID, the lowest"
                   : "reads the lock and sees a lower ID than its own";
    return draft_is_earliest(sight)
               ? "reads the lock and sees its ID with the lowest timestamp"
               : "reads the lock and sees a timestamp before its own";
}

static void
say_sight(const struct draft_line *written, const struct draft_sight *sight,
          struct hf_text *text)
{
    if (sight->answer.kind == KEY_ERROR)
        hf_text_add(text, "reads the lock, and is answered with an error");
    else if (sight->answer.kind == KEY_NOT_FOUND)
        hf_text_add(text, written == NULL
                              ? "reads the non-existent lock"
                              : "reads the lock again, and there is none");
    else if (draft_sees_siblings(sight))
        hf_text_add(text, say_conflict(written, sight));
    else if (draft_sees_other(sight))
        hf_text_addf(text, "reads the lock and sees worker #%u's ID",
                     sight->answer.siblings[0].id);
    else
        hf_text_add(text, "reads the lock and sees its ID");
}

const char *
draft_say_value(const struct draft_line *line)
{
    return line->stamp == DRAFT_TIME ? "its ID and timestamp" : "its ID";
}

void
draft_say_answer(const struct draft *draft, const struct draft_line *line,
                 const struct draft_sight *sight, struct hf_text *text)
{
    static const char *const ends[] = {
        [KEY_OK] = "",
        [KEY_FOUND] = ", but the lock exists",
        [KEY_NOT_FOUND] = ", but finds none",
        [KEY_ERROR] = ", and is answered with an error",
    };

    if (line->verb == DRAFT_READ) {
        say_sight(draft_written(draft, line), sight, text);
        return;
    }
    if (line->verb == DRAFT_REMOVE)
        hf_text_add(text, "removes the lock");
    else
        hf_text_addf(text, "writes %s to the lock", draft_say_value(line));
    hf_text_add(text, ends[sight->answer.kind]);
}

/* ---- Riak's steps ------------------------------------------------------- */

/* Of what request it is; NULL: of none. */
static const char *
say_request(const struct riak_happening *h)
{
    switch (h->kind) {
    case RIAK_COORDINATES:
    case RIAK_WRITE_ARRIVES:
        return h->value.id == 0 ? "remove" : "write";
    case RIAK_READ_ARRIVES:
        return "read";
    case RIAK_LOOKS_BACK:
        return "remove";
    case RIAK_HANDS_OFF:
    case RIAK_REAPS:
    case RIAK_FORGETS:
    case RIAK_GOES_DOWN:
    case RIAK_COMES_BACK:
        break;
    }
    return NULL;
}

static const char *
say_deed(enum riak_happening_kind kind)
{
    static const char *const deeds[] = {
        [RIAK_COORDINATES] = "is coordinated by",
        [RIAK_WRITE_ARRIVES] = "arrives at",
        [RIAK_READ_ARRIVES] = "arrives at",
        [RIAK_LOOKS_BACK] = "looks back at",
        [RIAK_HANDS_OFF] = "What waited for it is handed over to",
        [RIAK_REAPS] = "The tombstone is reaped at",
        [RIAK_FORGETS] = "The tombstone is forgotten by",
        [RIAK_GOES_DOWN] = "A crash takes down",
        [RIAK_COMES_BACK] = "A restart brings back",
    };

    return deeds[kind];
}

static enum told_kind
kind_of(enum riak_happening_kind kind)
{
    static const enum told_kind kinds[] = {
        [RIAK_COORDINATES] = TOLD_ARRIVE,  [RIAK_WRITE_ARRIVES] = TOLD_ARRIVE,
        [RIAK_READ_ARRIVES] = TOLD_ARRIVE, [RIAK_LOOKS_BACK] = TOLD_ARRIVE,
        [RIAK_HANDS_OFF] = TOLD_SERVER,    [RIAK_REAPS] = TOLD_SERVER,
        [RIAK_FORGETS] = TOLD_SERVER,      [RIAK_GOES_DOWN] = TOLD_DOWN,
        [RIAK_COMES_BACK] = TOLD_UP,
    };

    return kinds[kind];
}

void
draft_tell(struct scene *scene, const struct riak_happening *h)
{
    const char *request = say_request(h);
    bool waits = h->worker < KEY_WORKERS_MAX;
    char buffer[100];
    struct hf_text text;
    struct told_event *event;

    if (scene->told == NULL)
        return;
    hf_text_init(&text, buffer, sizeof(buffer));
    if (request != NULL && waits)
        hf_text_addf(&text, "Worker #%u's %s ", h->worker + 1, request);
    else if (request != NULL)
        hf_text_addf(&text, "A %s that nobody waits for ", request);
    hf_text_addf(&text, "%s %s %u", say_deed(h->kind),
                 h->fallback && h->kind != RIAK_HANDS_OFF
                     ? "the fallback of node"
                     : "node",
                 h->partition + 1);
    if (h->lost)
        hf_text_add(&text, ", which is down");
    if (h->refused)
        hf_text_add(&text, ", which refuses it");
    event = told_add(scene->told, kind_of(h->kind),
                     waits ? h->worker : TOLD_NOBODY, "%s", buffer);
    event->replica = h->partition + 1;
    event->fallback = h->fallback;
    event->lost = h->lost || h->refused;
}

#include "drafts/draft_say.h"

#include <stddef.h>

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

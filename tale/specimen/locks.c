#include "tale/specimen/locks.h"

#include <string.h>

static bool
is_match(const struct locks_row *row, const struct locks_statement *statement)
{
    const struct locks_row *match = &statement->match;
    unsigned where = statement->where;

    return row->there != 0 &&
           ((where & LOCKS_TOKEN) == 0 || row->token == match->token) &&
           ((where & LOCKS_OWNER) == 0 || row->owner == match->owner) &&
           ((where & LOCKS_BEAT) == 0 || row->stale == match->stale);
}

static void
set_columns(struct locks_row *row, const struct locks_statement *statement)
{
    row->there = 1;
    if ((statement->set & LOCKS_TOKEN) != 0)
        row->token = statement->row.token;
    if ((statement->set & LOCKS_OWNER) != 0)
        row->owner = statement->row.owner;
    if ((statement->set & LOCKS_BEAT) != 0)
        row->stale = 0;
}

static struct locks_answer
apply(struct locks *locks, const struct locks_statement *statement)
{
    struct locks_row *row = &locks->rows[statement->name];
    struct locks_answer answer = {.rows = is_match(row, statement)};

    switch (statement->verb) {
    case LOCKS_SELECT:
        if (answer.rows != 0)
            answer.row = *row;
        break;
    case LOCKS_INSERT:
        answer.rows = row->there == 0;
        if (answer.rows != 0)
            set_columns(row, statement);
        break;
    case LOCKS_UPDATE:
        if (answer.rows != 0)
            set_columns(row, statement);
        break;
    case LOCKS_DELETE:
        if (answer.rows != 0)
            *row = (struct locks_row){0};
        break;
    case LOCKS_DELETE_ALL:
        answer.rows = 0;
        for (unsigned i = 0; i < LOCKS_NAMES; i++)
            answer.rows += locks->rows[i].there;
        *locks = (struct locks){0};
        break;
    }
    return answer;
}

struct locks_answer
locks_do(struct scene *scene, struct locks *locks, unsigned worker,
         const struct locks_statement *statement)
{
    struct locks_answer answer = apply(locks, statement);

    if (scene->place != NULL && !scene->place->stopped)
        scene->place->run(scene->place, worker, statement, answer);
    return answer;
}

void
locks_pass_time(struct scene *scene, struct locks *locks)
{
    struct locks_row *lock = &locks->rows[LOCKS_LOCK];

    lock->stale = lock->there;
    if (scene->place != NULL && !scene->place->stopped)
        scene->place->pass_time(scene->place);
}

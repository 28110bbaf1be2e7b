#include "tale/specimen/atomic.h"

#include <stddef.h>

#include "base/check.h"

enum {
    ISSUED = 1,
    REMOVES = 2,
    WITH_CONTEXT = 4,
    IF_ABSENT = 8,
};

/* An answer that waits: one more than its kind. */
enum { NO_ANSWER = 0 };

void
atomic_init(struct atomic *key, bool siblings)
{
    *key = (struct atomic){.siblings = siblings};
}

bool
atomic_is_under_way(const struct atomic *key, unsigned worker)
{
    return key->issued[worker].flags != 0;
}

static void
answer_with(struct atomic *key, unsigned worker, enum key_answer_kind kind)
{
    key->answer[worker] = (uint8_t)(kind + 1);
}

static void
read_key(struct atomic *key, unsigned worker)
{
    key->seen[worker] = 0;
    for (unsigned i = 0; i < key->count; i++)
        key->seen[worker] |= (uint8_t)(1u << key->values[i].id);
    answer_with(key, worker, key->count > 0 ? KEY_FOUND : KEY_NOT_FOUND);
}

void
atomic_issue(struct atomic *key, unsigned worker, struct key_request request)
{
    uint8_t flags = ISSUED;

    HF_CHECK(!atomic_is_under_way(key, worker));
    if (request.kind == KEY_READ) {
        read_key(key, worker);
        return;
    }
    if (request.kind == KEY_REMOVE)
        flags |= REMOVES;
    if (request.with_context)
        flags |= WITH_CONTEXT;
    if (request.if_absent)
        flags |= IF_ABSENT;
    key->issued[worker] = (struct atomic_request){flags, request.value};
}

/* Drop what the request replaces: what it saw, if it has a context. */
static void
drop_replaced(struct atomic *key, unsigned worker, bool with_context)
{
    unsigned kept = 0;

    for (unsigned i = 0; i < key->count; i++)
        if (with_context && (key->seen[worker] >> key->values[i].id & 1) == 0)
            key->values[kept++] = key->values[i];
    for (unsigned i = kept; i < key->count; i++)
        key->values[i] = (struct key_value){0};
    key->count = (uint8_t)kept;
}

/* Returns whether it was done. */
static bool
arrive(struct atomic *key, unsigned worker)
{
    const struct atomic_request *request = &key->issued[worker];
    bool with_context = (request->flags & WITH_CONTEXT) != 0;

    if ((request->flags & REMOVES) != 0) {
        drop_replaced(key, worker, with_context);
        return true;
    }
    if ((request->flags & IF_ABSENT) != 0 && key->count > 0)
        return false;
    if (!key->siblings || with_context)
        drop_replaced(key, worker, key->siblings != 0);
    HF_CHECK(key->count < KEY_SIBLINGS_MAX);
    key->values[key->count++] = request->value;
    return true;
}

void
atomic_step(struct atomic *key, struct key_step step)
{
    unsigned worker = step.about;
    enum key_answer_kind kind = KEY_ERROR;

    HF_CHECK(atomic_is_under_way(key, worker));
    if (step.code != ATOMIC_ERRS_UNDONE) {
        bool done = arrive(key, worker);

        if (step.code == ATOMIC_ARRIVES)
            kind = done ? KEY_OK : KEY_FOUND;
    }
    key->issued[worker] = (struct atomic_request){0};
    answer_with(key, worker, kind);
}

bool
atomic_answer(struct atomic *key, unsigned worker, struct key_answer *answer)
{
    if (key->answer[worker] == NO_ANSWER)
        return false;
    *answer = (struct key_answer){
        .kind = (enum key_answer_kind)(key->answer[worker] - 1)};
    key->answer[worker] = NO_ANSWER;
    if (answer->kind == KEY_FOUND) {
        answer->count = key->count;
        for (size_t i = 0; i < key->count; i++)
            answer->siblings[i] = key->values[i];
    }
    return true;
}

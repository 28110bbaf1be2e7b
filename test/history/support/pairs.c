#include "history/support/pairs.h"

/* For how long a want is promised in one mode. */
struct part {
    int64_t from_ns;
    int64_t until_ns;
    bool exclusive;
};

static int64_t
earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t
later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static void
divide(const struct history_want *want, struct part parts[2])
{
    const struct history_request *request = want->request;
    const struct history_event *loss = history_loss(request);
    int64_t from_ns = request->granted->at_ns;
    int64_t until_ns = history_owed_ns(request);
    int64_t lower_ns = want->lower == NULL ? INT64_MAX : want->lower->at_ns;

    if (loss != NULL)
        until_ns = earlier(until_ns, loss->at_ns);
    parts[0] =
        (struct part){from_ns, earlier(until_ns, lower_ns), want->exclusive};
    parts[1] = (struct part){later(from_ns, lower_ns), until_ns, false};
}

/* As what it was promised first; NULL: it never was. */
static const struct part *
first_of(const struct part parts[2])
{
    for (unsigned i = 0; i < 2; i++)
        if (parts[i].from_ns < parts[i].until_ns)
            return &parts[i];
    return NULL;
}

static bool
overlap(const struct history_want *a, const struct history_want *b)
{
    struct part mine[2];
    struct part theirs[2];

    divide(a, mine);
    divide(b, theirs);
    for (unsigned i = 0; i < 2; i++)
        for (unsigned j = 0; j < 2; j++)
            if ((mine[i].exclusive || theirs[j].exclusive) &&
                later(mine[i].from_ns, theirs[j].from_ns) <
                    earlier(mine[i].until_ns, theirs[j].until_ns))
                return true;
    return false;
}

static void
add(struct pairs_found *found, enum pairs_broken broken, int64_t at_ns)
{
    if (found->broken != 0 && at_ns > found->at_ns)
        return;
    if (found->broken != 0 && at_ns == found->at_ns)
        found->broken |= broken;
    else
        *found = (struct pairs_found){broken, at_ns};
}

/* Were both promised, to two owners, as what conflicts? */
static bool
conflict(const struct history_want *a, const struct history_want *b)
{
    struct part mine[2];
    struct part theirs[2];
    const struct part *first;
    const struct part *second;

    divide(a, mine);
    divide(b, theirs);
    first = first_of(mine);
    second = first_of(theirs);
    return first != NULL && second != NULL &&
           a->request->owner != b->request->owner &&
           (first->exclusive || second->exclusive);
}

static enum pairs_broken
promise_of(const struct history_request *holder, int64_t at_ns)
{
    return holder->right_ns <= at_ns ? PAIRS_OVERRIDDEN : PAIRS_OVERLAP;
}

/* Both were granted; `a` was told first, or at the same instant: then each may
 * be taken for the first. */
static void
look_granted(const struct history_want *a, const struct history_want *b,
             struct pairs_found *found)
{
    const struct history_event *first = a->request->granted;
    const struct history_event *second = b->request->granted;
    bool falls = first->fence > second->fence;

    if (first->fence == second->fence)
        add(found, PAIRS_FENCES, second->at_ns);
    if (falls && first->at_ns < b->request->ask->at_ns)
        add(found, PAIRS_FENCES, second->at_ns);
    if (!conflict(a, b))
        return;
    if (overlap(a, b)) {
        add(found, promise_of(a->request, second->at_ns), second->at_ns);
        if (first->at_ns == second->at_ns)
            add(found, promise_of(b->request, second->at_ns), second->at_ns);
    } else if (falls && first->at_ns < second->at_ns) {
        add(found, PAIRS_FENCES, second->at_ns);
    }
}

/* May `other` have been why `want` was told that it is held? */
static bool
excuses(const struct history_want *other, const struct history_want *want)
{
    const struct history_request *request = want->request;
    const struct history_request *theirs = other->request;
    int64_t over_ns = history_over_ns(theirs);

    if (other->lock != want->lock || theirs->owner == request->owner ||
        (!want->exclusive && !other->exclusive))
        return false;
    if (!want->exclusive && other->lowered != NULL)
        over_ns = earlier(over_ns, other->lowered->at_ns);
    return theirs->ask->at_ns <= request->settled->at_ns &&
           over_ns >= request->ask->at_ns;
}

static bool
is_excused(const struct history *history, const struct history_request *request)
{
    for (size_t i = 0; i < history->requests_count; i++)
        for (size_t j = 0; j < history->requests[i]->wants_count; j++)
            for (size_t k = 0; k < request->wants_count; k++)
                if (excuses(&history->requests[i]->wants[j],
                            &request->wants[k]))
                    return true;
    return false;
}

static void
look_two(const struct history_request *a, const struct history_request *b,
         struct pairs_found *found)
{
    for (size_t i = 0; i < a->wants_count; i++)
        for (size_t j = 0; j < b->wants_count; j++)
            if (a->wants[i].lock == b->wants[j].lock)
                look_granted(&a->wants[i], &b->wants[j], found);
}

void
pairs_look(const struct history *history, struct pairs_found *found)
{
    *found = (struct pairs_found){.broken = 0};
    for (size_t i = 0; i < history->requests_count; i++) {
        const struct history_request *a = history->requests[i];

        if (a->settled != NULL && a->settled->kind == NOTE_HELD &&
            !is_excused(history, a))
            add(found, PAIRS_UNTRUE_NO, a->settled->at_ns);
        for (size_t j = 0; j < history->requests_count; j++) {
            const struct history_request *b = history->requests[j];

            if (a->granted != NULL && b->granted != NULL &&
                a->granted < b->granted)
                look_two(a, b, found);
        }
    }
}

#include "history/check.h"

#include <stdlib.h>

#include "base/fail.h"
#include "lab/server/promises.h"

/*
 * All that concerns one lock is put in the order of time, and looked at once,
 * from the first to the last.  Of what went before, the highest value is all
 * that matters, and the highest of another owner: see struct peaks.
 */

/* What is looked at.  At one instant in this order: so that who asks is held
 * against what was certainly told before, and who is promised it against all
 * others who are; and so that whoever may have asked excuses a no. */
enum mark_kind {
    MARK_ASKED,
    MARK_TOLD,     /* as granted */
    MARK_LOWERED,  /* promised as a shared one, from here on */
    MARK_PROMISED, /* from here on */
    MARK_REFUSED,  /* a try was told that it is held */
};

struct mark {
    int64_t at_ns;
    const struct history_want *want;
    enum mark_kind kind;
    bool exclusive;   /* PROMISED: as what; LOWERED: false */
    int64_t until_ns; /* PROMISED, LOWERED */
};

/* At most so many of one want: one of each kind. */
#define MARKS_OF_WANT 5

/* ---- The highest, and the highest of another ----------------------------- */

struct peak {
    uint64_t value; /* 0: none */
    const struct history_request *request;
};

/* Invariant: the first has the highest value of all; the second has the highest
 * of those whose owner is not the first's. */
struct peaks {
    struct peak first;
    struct peak second;
};

static void
rise(struct peaks *peaks, uint64_t value, const struct history_request *request)
{
    struct peak peak = {value, request};
    bool same =
        peaks->first.value > 0 && peaks->first.request->owner == request->owner;

    if (value > peaks->first.value) {
        if (!same)
            peaks->second = peaks->first;
        peaks->first = peak;
    } else if (!same && value > peaks->second.value) {
        peaks->second = peak;
    }
}

/* The highest of any other owner than that of `request`. */
static struct peak
highest_but(const struct peaks *peaks, const struct history_request *request)
{
    bool own =
        peaks->first.value > 0 && peaks->first.request->owner == request->owner;

    return own ? peaks->second : peaks->first;
}

/* ---- One lock ------------------------------------------------------------ */

/* Of exclusive ones alone, and of all: whom they keep out. */
struct kinds {
    struct peaks exclusive;
    struct peaks all;
};

struct sweep {
    struct verdict *verdict;
    uint8_t *excused; /* owned; of each request, by its index: its no is true */
    struct peak told; /* by its fence */
    struct kinds asked; /* by the instant at which they were surely over */
    struct kinds ends;  /* of promises */
    struct kinds fences;
};

static void
rise_kinds(struct kinds *kinds, bool exclusive, uint64_t value,
           const struct history_request *request)
{
    rise(&kinds->all, value, request);
    if (exclusive)
        rise(&kinds->exclusive, value, request);
}

/* The highest of those that conflict. */
static struct peak
highest_against(const struct kinds *kinds, bool exclusive,
                const struct history_request *request)
{
    return highest_but(exclusive ? &kinds->all : &kinds->exclusive, request);
}

static void
add_breach(struct verdict *verdict, struct verdict breach)
{
    size_t breaches = verdict->breaches + 1;

    if (breaches == 1 || breach.at_ns < verdict->at_ns)
        *verdict = breach;
    verdict->breaches = breaches;
}

/* Of two grants: the second is certain when it is told. */
static void
break_pair(struct sweep *s, const char *promise,
           const struct history_request *first, const struct mark *mark)
{
    const struct history_request *second = mark->want->request;

    add_breach(s->verdict, (struct verdict){
                               .promise = promise,
                               .at_ns = second->granted->at_ns,
                               .lock = mark->want->lock,
                               .first = first,
                               .second = second,
                           });
}

/* Whatever was told as granted before it was asked for has a lower fence. */
static void
on_asked(struct sweep *s, const struct mark *mark)
{
    const struct history_want *want = mark->want;
    const struct history_request *request = want->request;
    int64_t over_ns = history_over_ns(request);

    if (request->granted != NULL && s->told.value > request->granted->fence)
        break_pair(s, SERVER_FENCES, s->told.request, mark);
    rise(&s->asked.all, (uint64_t)over_ns, request);
    if (!want->exclusive)
        return;
    if (want->lowered != NULL && want->lowered->at_ns < over_ns &&
        request->restoring == NULL)
        over_ns = want->lowered->at_ns;
    rise(&s->asked.exclusive, (uint64_t)over_ns, request);
}

/* No two grants of a lock have one fence. */
static void
on_told(struct sweep *s, const struct mark *mark)
{
    const struct history_request *request = mark->want->request;
    const struct history_want *twin = mark->want->twin;

    if (twin != NULL)
        break_pair(s, SERVER_FENCES, twin->request, mark);
    if (request->granted->fence > s->told.value)
        s->told = (struct peak){request->granted->fence, request};
}

/* Which promise to its holder another grant breaks at that instant. */
static const char *
overlap_of(const struct history_request *holder, int64_t at_ns)
{
    bool over = holder->right_ns <= at_ns;

    return over ? SERVER_OVERRIDDEN : SERVER_OVERLAP;
}

/* Nobody else is promised what conflicts; and whoever was has a lower fence,
 * for it was granted before, or two held it at once.  (If it was told before
 * this was asked for, on_asked has said so.) */
static void
on_promised(struct sweep *s, const struct mark *mark)
{
    const struct history_request *request = mark->want->request;
    uint64_t fence = request->granted->fence;
    struct peak last = highest_against(&s->ends, mark->exclusive, request);
    struct peak highest = highest_against(&s->fences, mark->exclusive, request);

    if (last.value > (uint64_t)mark->at_ns)
        break_pair(s, overlap_of(last.request, mark->at_ns), last.request,
                   mark);
    else if (highest.value > fence &&
             highest.request->granted->at_ns >= request->ask->at_ns)
        break_pair(s, SERVER_FENCES, highest.request, mark);
    rise_kinds(&s->ends, mark->exclusive, (uint64_t)mark->until_ns, request);
    rise_kinds(&s->fences, mark->exclusive, fence, request);
}

/* Whom it keeps out from here on, it kept out before. */
static void
on_lowered(struct sweep *s, const struct mark *mark)
{
    rise_kinds(&s->ends, false, (uint64_t)mark->until_ns, mark->want->request);
}

/* Somebody else may have held it, or wanted it, while the try was answered. */
static void
on_refused(struct sweep *s, const struct mark *mark)
{
    const struct history_request *request = mark->want->request;
    struct peak last =
        highest_against(&s->asked, mark->want->exclusive, request);

    if (last.value >= (uint64_t)request->ask->at_ns)
        s->excused[request->name.index] = 1;
}

static void
on_mark(struct sweep *s, const struct mark *mark)
{
    switch (mark->kind) {
    case MARK_ASKED:
        on_asked(s, mark);
        break;
    case MARK_TOLD:
        on_told(s, mark);
        break;
    case MARK_PROMISED:
        on_promised(s, mark);
        break;
    case MARK_LOWERED:
        on_lowered(s, mark);
        break;
    case MARK_REFUSED:
        on_refused(s, mark);
        break;
    }
}

/* ---- Marks --------------------------------------------------------------- */

/* For as long as its client was certainly promised it. */
static size_t
mark_promised(const struct history_want *want, struct mark *marks)
{
    const struct history_request *request = want->request;
    const struct history_event *loss = history_loss(request);
    struct mark promised = {
        .at_ns = request->granted->at_ns,
        .want = want,
        .kind = MARK_PROMISED,
        .exclusive = want->exclusive,
        .until_ns = history_owed_ns(request),
    };
    struct mark lowered;

    if (loss != NULL && loss->at_ns < promised.until_ns)
        promised.until_ns = loss->at_ns;
    if (promised.at_ns >= promised.until_ns)
        return 0;
    marks[0] = promised;
    if (want->lower == NULL || want->lower->at_ns >= promised.until_ns)
        return 1;
    lowered = promised;
    lowered.at_ns = want->lower->at_ns;
    lowered.kind = MARK_LOWERED;
    lowered.exclusive = false;
    if (lowered.at_ns == promised.at_ns) {
        marks[0].exclusive = false;
        return 1;
    }
    marks[0].until_ns = lowered.at_ns;
    marks[1] = lowered;
    return 2;
}

/* All of one want; how many. */
static size_t
mark_want(const struct history_want *want, struct mark *marks)
{
    const struct history_event *ask = want->request->ask;
    const struct history_event *granted = want->request->granted;
    const struct history_event *settled = want->request->settled;
    size_t count = 0;

    marks[count++] = (struct mark){ask->at_ns, want, MARK_ASKED, false, 0};
    if (granted != NULL) {
        marks[count++] =
            (struct mark){granted->at_ns, want, MARK_TOLD, false, 0};
        count += mark_promised(want, marks + count);
    }
    if (settled != NULL && settled->kind == NOTE_HELD)
        marks[count++] =
            (struct mark){settled->at_ns, want, MARK_REFUSED, false, 0};
    return count;
}

static uint32_t
lock_of(const struct mark *mark)
{
    return mark->want->lock->name.index;
}

static int
compare(const void *left, const void *right)
{
    const struct mark *a = left;
    const struct mark *b = right;

    if (lock_of(a) != lock_of(b))
        return lock_of(a) < lock_of(b) ? -1 : 1;
    if (a->at_ns != b->at_ns)
        return a->at_ns < b->at_ns ? -1 : 1;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    return 0;
}

/* ---- One request --------------------------------------------------------- */

static void
break_alone(struct sweep *s, const char *promise,
            const struct history_request *request,
            const struct history_event *event)
{
    add_breach(s->verdict, (struct verdict){
                               .promise = promise,
                               .at_ns = event->at_ns,
                               .lock = request->wants[0].lock,
                               .first = request,
                           });
}

/* Was it granted to whom nothing could be granted any more? */
static bool
is_ghost(const struct history_request *request)
{
    const struct history_event *gone = request->session->gone;

    if (request->no != NULL && request->no < request->granted)
        return true;
    return gone != NULL && gone->at_ns < request->ask->at_ns;
}

/* A store that was restored knows nothing of what it said. */
static bool
is_undone(const struct history_request *request,
          const struct history_event *event)
{
    return request->restoring != NULL && event > request->restoring;
}

static void
check_request(struct sweep *s, const struct history_request *request)
{
    const struct history_event *loss = history_loss(request);
    const struct history_event *settled = request->settled;
    const struct history_event *again = request->granted_again;

    if (settled != NULL && settled->kind == NOTE_HELD &&
        !s->excused[request->name.index])
        break_alone(s, SERVER_UNTRUE_NO, request, settled);
    if (again != NULL && !is_undone(request, again))
        break_alone(s, SERVER_TWICE_GIVEN, request, again);
    if (request->granted == NULL || is_undone(request, request->granted))
        return;
    if (is_ghost(request))
        break_alone(s, SERVER_GHOST, request, request->granted);
    else if (loss != NULL && loss->at_ns < history_owed_ns(request))
        break_alone(s, SERVER_GRANT_LOST, request, loss);
}

/* ---- All of them --------------------------------------------------------- */

static void
sweep_locks(struct sweep *s, const struct mark *marks, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || lock_of(&marks[i]) != lock_of(&marks[i - 1])) {
            s->told = (struct peak){0, NULL};
            s->asked = (struct kinds){.all.first.value = 0};
            s->ends = s->asked;
            s->fences = s->asked;
        }
        on_mark(s, &marks[i]);
    }
}

enum hf_status
check_history(const struct history *history, struct verdict *verdict,
              struct hf_error *error)
{
    const struct hf_alloc *alloc = &hf_alloc_libc;
    struct sweep sweep = {
        .verdict = verdict,
        .excused = hf_calloc(alloc, history->requests_count + 1, 1),
    };
    struct mark *marks = hf_calloc(alloc, history->wants_count + 1,
                                   MARKS_OF_WANT * sizeof(struct mark));
    enum hf_status status = HF_OK;
    size_t count = 0;

    *verdict = (struct verdict){.breaches = 0};
    if (sweep.excused == NULL || marks == NULL) {
        status = hf_fail(error, HF_E_NOMEM, "out of memory");
        goto out;
    }
    for (size_t i = 0; i < history->requests_count; i++) {
        const struct history_request *request = history->requests[i];

        for (size_t j = 0; j < request->wants_count; j++)
            count += mark_want(&request->wants[j], marks + count);
    }
    qsort(marks, count, sizeof(*marks), compare);
    sweep_locks(&sweep, marks, count);
    for (size_t i = 0; i < history->requests_count; i++)
        check_request(&sweep, history->requests[i]);
out:
    hf_free(alloc, sweep.excused);
    hf_free(alloc, marks);
    return status;
}

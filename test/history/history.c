#include "history/history.h"

#include "base/container.h"
#include "base/fail.h"
#include "history/lines.h"

static enum hf_status
complain(const struct history_event *event, const char *why,
         struct hf_error *error)
{
    return hf_fail(error, HF_E_CORRUPT, "%s:%u: %s", event->text->name,
                   event->number, why);
}

/* ---- Grants by their fences ---------------------------------------------- */

static uint64_t
fence_hash(const struct history_lock *lock, uint64_t fence)
{
    uint64_t hash = hf_hash_bytes(HF_HASH_SEED, &fence, sizeof(fence));

    return hf_hash_bytes(hash, &lock->name.index, sizeof(lock->name.index));
}

static struct history_want *
find_from(struct hf_hash_node *node, const struct history_lock *lock,
          uint64_t fence)
{
    for (; node != NULL; node = hf_hash_next(node)) {
        struct history_want *want =
            HF_CONTAINER(node, struct history_want, by_fence);

        if (want->lock == lock && want->request->granted->fence == fence)
            return want;
    }
    return NULL;
}

struct history_want *
history_find(const struct history *history, const struct history_lock *lock,
             uint64_t fence)
{
    return find_from(hf_hash_find(&history->grants, fence_hash(lock, fence)),
                     lock, fence);
}

struct history_want *
history_find_next(const struct history_want *want)
{
    return find_from(hf_hash_next(&want->by_fence), want->lock,
                     want->request->granted->fence);
}

/* ---- One event ----------------------------------------------------------- */

static void
set_first(const struct history_event **first, const struct history_event *event)
{
    if (*first == NULL)
        *first = event;
}

/* What is told of a right once the client does not count on it is late. */
static void
extend(struct history_request *request, const struct history_event *event)
{
    if (request->release != NULL || request->no != NULL ||
        request->lost != NULL || event->until_ns <= request->right_ns)
        return;
    request->right_ns = event->until_ns;
    request->extended = event;
}

static enum hf_status
on_granted(struct history *h, const struct history_event *event,
           struct hf_error *error)
{
    struct history_request *request = event->request;

    if (request->granted != NULL) {
        if (request->granted->fence == event->fence)
            extend(request, event);
        else
            set_first(&request->granted_again, event);
        return HF_OK;
    }
    request->granted = event;
    request->right_ns = event->until_ns;
    h->granted_count++;
    for (size_t i = 0; i < request->wants_count; i++) {
        struct history_want *want = &request->wants[i];

        want->twin = history_find(h, want->lock, event->fence);
        if (!hf_hash_add(&h->grants, &want->by_fence,
                         fence_hash(want->lock, event->fence)))
            return hf_fail(error, HF_E_NOMEM, "out of memory");
    }
    return HF_OK;
}

static enum hf_status
on_lower(const struct history_event *event, struct hf_error *error)
{
    struct history_request *request = event->request;

    for (size_t i = 0; i < request->wants_count; i++) {
        struct history_want *want = &request->wants[i];

        if (want->lock != event->lock)
            continue;
        set_first(event->kind == NOTE_LOWER ? &want->lower : &want->lowered,
                  event);
        return HF_OK;
    }
    return complain(event, "it has not asked for that name", error);
}

/* Does it tell of what was never asked, or never granted? */
static const char *
nonsense(const struct history_event *event)
{
    const struct history_request *request = event->request;

    if (request == NULL || event->kind == NOTE_ASK)
        return NULL;
    if (request->ask == NULL)
        return "it was not asked for before";
    if (request->granted == NULL &&
        (event->kind == NOTE_EXTENDED || event->kind == NOTE_LOST ||
         event->kind == NOTE_LOWER || event->kind == NOTE_LOWERED))
        return "it was not granted before";
    return NULL;
}

/* What became of each request, session and grant; *open: the store that is
 * being restored. */
static enum hf_status
follow(struct history *h, struct history_event *event,
       const struct history_event **open, struct hf_error *error)
{
    struct history_request *request = event->request;
    const char *why = nonsense(event);

    if (why != NULL)
        return complain(event, why, error);
    switch (event->kind) {
    case NOTE_ASK:
        request->ask = event;
        h->requests[h->requests_count++] = request;
        h->wants_count += request->wants_count;
        break;
    case NOTE_GRANTED:
        return on_granted(h, event, error);
    case NOTE_EXTENDED:
        extend(request, event);
        break;
    case NOTE_LOWER:
    case NOTE_LOWERED:
        return on_lower(event, error);
    case NOTE_RELEASE:
        set_first(&request->release, event);
        break;
    case NOTE_OVER:
    case NOTE_HELD:
        set_first(&request->settled, event);
        set_first(&request->no, event);
        break;
    case NOTE_TIMED_OUT:
        set_first(&request->no, event);
        break;
    case NOTE_LOST:
        set_first(&request->lost, event);
        break;
    case NOTE_END:
        set_first(&event->session->end, event);
        break;
    case NOTE_GONE:
        set_first(&event->session->gone, event);
        break;
    case NOTE_CLEAR:
        break; /* what it cleared may be told as granted later */
    case NOTE_RESTORING:
        if (*open != NULL)
            return complain(event, "it is being restored", error);
        *open = event;
        break;
    case NOTE_RESTORED:
        if (*open == NULL)
            return complain(event, "it was not being restored", error);
        event->begun = *open;
        *open = NULL;
        break;
    }
    return HF_OK;
}

static void
clear(const struct history *h, const struct history_event *event)
{
    struct history_want *want = history_find(h, event->lock, event->fence);

    for (; want != NULL; want = history_find_next(want))
        want->request->clear = event;
}

/* From the last event to the first: what each request is first undone by. */
static void
follow_back(struct history *h, const struct history_event *open)
{
    for (size_t i = h->events_count; i-- > 0;) {
        const struct history_event *event = &h->events[i];

        if (event->kind == NOTE_RESTORED)
            open = event->begun;
        if (event->kind == NOTE_ASK)
            event->request->restoring = open;
        if (event->kind == NOTE_CLEAR)
            clear(h, event);
    }
}

/* ---- All of them --------------------------------------------------------- */

enum hf_status
history_read(struct history *history, const struct history_text *texts,
             size_t count, struct hf_error *error)
{
    const struct history_event *open = NULL;
    enum hf_status status;

    history->arena.alloc = &hf_alloc_libc;
    history->names.alloc = &hf_alloc_libc;
    history->owners.alloc = &hf_alloc_libc;
    history->sessions.alloc = &hf_alloc_libc;
    history->locks.alloc = &hf_alloc_libc;
    history->grants.alloc = &hf_alloc_libc;
    status = history_lines(history, texts, count, error);
    if (status != HF_OK)
        return status;
    history->requests =
        hf_calloc(&hf_alloc_libc, history->names.count + 1, sizeof(void *));
    if (history->requests == NULL)
        return hf_fail(error, HF_E_NOMEM, "out of memory");
    for (size_t i = 0; i < history->events_count && status == HF_OK; i++)
        status = follow(history, &history->events[i], &open, error);
    if (status == HF_OK)
        follow_back(history, open);
    return status;
}

void
history_free(struct history *history)
{
    hf_hash_fini(&history->names);
    hf_hash_fini(&history->owners);
    hf_hash_fini(&history->sessions);
    hf_hash_fini(&history->locks);
    hf_hash_fini(&history->grants);
    hf_free(&hf_alloc_libc, history->events);
    hf_free(&hf_alloc_libc, history->requests);
    hf_arena_fini(&history->arena);
    *history = (struct history){.events_count = 0};
}

/* ---- What became of a request -------------------------------------------- */

static void
limit(int64_t *ns, const struct history_event *event)
{
    if (event != NULL && event->at_ns < *ns)
        *ns = event->at_ns;
}

int64_t
history_owed_ns(const struct history_request *request)
{
    int64_t ns = request->if_dead == HF_REFUSE ? INT64_MAX : request->right_ns;

    limit(&ns, request->release);
    limit(&ns, request->session->end);
    limit(&ns, request->clear);
    limit(&ns, request->restoring);
    return ns;
}

const struct history_event *
history_loss(const struct history_request *request)
{
    const struct history_event *const told[] = {request->lost, request->no,
                                                request->session->gone};
    const struct history_event *first = NULL;

    for (size_t i = 0; i < sizeof(told) / sizeof(told[0]); i++)
        if (told[i] != NULL && (first == NULL || told[i] < first))
            first = told[i];
    return first;
}

/* A store that was restored may hold again what was given back. */
int64_t
history_over_ns(const struct history_request *request)
{
    int64_t ns = INT64_MAX;

    if (request->restoring != NULL)
        return ns;
    limit(&ns, request->settled);
    limit(&ns, request->session->gone);
    return ns;
}

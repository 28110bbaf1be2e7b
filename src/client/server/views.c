#include "client/server/views.h"

#include <string.h>

#include "base/clock.h"
#include "client/describe.h"

/* ---- Is it alive? -------------------------------------------------------- */

static enum hf_presence
look_here(const struct hf_owner *owner)
{
    struct hf_observation observation = {.count = 0};
    enum hf_presence presence;

    hf_process_observe(&observation, owner->processes, owner->processes_count);
    presence = hf_process_look(&observation);
    hf_process_forget(&observation);
    return presence;
}

/* A server tells a holder that is silent from one that is suspected. */
static enum hf_life
life_of(const struct hf_api_claim *claim, enum hf_presence presence)
{
    if (presence == HF_PRESENCE_GONE)
        return HF_LIFE_GONE;
    if (claim->suspected)
        return HF_LIFE_SUSPECTED;
    if (claim->heard && claim->silent.ms <= claim->value.terms.ttl.ms / 2)
        return HF_LIFE_BEATING;
    return presence == HF_PRESENCE_THERE ? HF_LIFE_RUNNING : HF_LIFE_UNKNOWN;
}

static bool
is_here(const struct hf_server *server, const struct hf_owner *owner)
{
    return hf_process_is_here(&server->self.host, owner->boot, owner->pidns);
}

static enum hf_presence
presence_of(const struct hf_server *server, const struct hf_owner *owner)
{
    return is_here(server, owner) ? look_here(owner) : HF_PRESENCE_UNKNOWN;
}

enum hf_life
hf_views_life(const struct hf_server *server, const struct hf_api_claim *claim)
{
    return life_of(claim, presence_of(server, &claim->value.owner));
}

struct hf_blocker
hf_views_blocker(const struct hf_server *server, struct hf_bytes holders,
                 struct hf_instant asked_at)
{
    struct hf_instant now = hf_now();
    struct hf_blocker all = {.kind = HF_BLOCKER_UNKNOWN};
    struct hf_api_claim holder;
    size_t at = 0;

    while (hf_api_seen_next(holders, &at, &holder)) {
        const struct hf_terms *terms = &holder.value.terms;
        struct hf_duration left = {terms->ttl.ms - holder.silent.ms};
        const struct hf_blocker one = {
            .kind = HF_BLOCKER_HOLDER,
            .life = hf_views_life(server, &holder),
            .if_dead = terms->if_dead,
            .since = hf_after(asked_at, (struct hf_duration){-holder.age.ms}),
            .until = hf_after(now, left),
        };

        hf_blocker_add(&all, &one);
    }
    return all;
}

static void
judge(const struct hf_server *server, const struct hf_api_claim *claim,
      struct hf_diagnosis *diagnosis)
{
    const struct hf_owner *owner = &claim->value.owner;
    enum hf_presence presence = presence_of(server, owner);

    diagnosis->here = is_here(server, owner);
    diagnosis->same_boot = owner->boot[0] != '\0' &&
                           strcmp(owner->boot, server->self.host.boot) == 0;
    diagnosis->running = presence == HF_PRESENCE_THERE;
    diagnosis->unchanged = claim->silent;
    diagnosis->watched = claim->silent;
    diagnosis->life = life_of(claim, presence);
}

/* ---- Views --------------------------------------------------------------- */

struct hf_view *
hf_views_claim(const struct hf_server *server, const struct hf_api_seen *seen,
               const struct hf_api_claim *claim, uint64_t position)
{
    struct hf_view *view =
        hf_view_new(server->client->alloc, HF_VIEW_DIAGNOSIS);
    const struct hf_record_meta meta = {
        .space = seen->space,
        .name = seen->name,
        .name_len = strlen(seen->name),
        .exists = true,
        .version = claim->fence,
        .token = claim->fence,
        .stamp_ms = claim->heard ? hf_wall_ms() - claim->silent.ms : 0,
    };
    struct hf_description *record;

    if (view == NULL)
        return NULL;
    record = &view->diagnosis.record;
    hf_describe(&meta, &claim->value, record);
    record->served = true;
    record->mode = claim->mode;
    record->session = claim->session;
    record->waiters = seen->waiters;
    record->position = position;
    record->parked = claim->parked;
    if (position != 0)
        record->waited = claim->age;
    else
        record->since_ms = hf_wall_ms() - claim->age.ms;
    judge(server, claim, &view->diagnosis);
    return view;
}

struct hf_view *
hf_views_nobody(const struct hf_server *server, const char *space,
                const char *name, const struct hf_error *error)
{
    struct hf_view *view =
        hf_view_new(server->client->alloc, HF_VIEW_DIAGNOSIS);
    const struct hf_record_meta meta = {
        .space = space,
        .name = name,
        .name_len = strlen(name),
    };

    if (view == NULL)
        return NULL;
    hf_describe(&meta, NULL, &view->diagnosis.record);
    if (error != NULL)
        view->diagnosis.error = *error;
    return view;
}

bool
hf_views_is_kept(const struct hf_api_seen *seen)
{
    struct hf_api_claim first;
    size_t at = 0;

    return hf_api_seen_next(seen->queue, &at, &first) && first.parked.ms > 0;
}

struct hf_view *
hf_views_parked(const struct hf_server *server, const struct hf_api_seen *seen)
{
    struct hf_view *view =
        hf_views_nobody(server, seen->space, seen->name, NULL);
    struct hf_api_claim first;
    size_t at = 0;

    if (view == NULL)
        return NULL;
    view->diagnosis.record.served = true;
    view->diagnosis.record.waiters = seen->waiters;
    view->diagnosis.record.position = seen->position;
    if (hf_api_seen_next(seen->queue, &at, &first))
        view->diagnosis.record.parked = first.parked;
    return view;
}

bool
hf_views_add_clearing(struct hf_view *view, const struct hf_clearing *by)
{
    view->by = hf_new(view->alloc, struct hf_clearing);
    if (view->by == NULL)
        return false;
    *view->by = *by;
    view->cleared = true;
    return true;
}

/* ---- What is shown to who waits ------------------------------------------ */

void
hf_views_hide(struct hf_shown *shown)
{
    hf_view_free(shown->view);
    shown->view = NULL;
}

void
hf_views_show(const struct hf_server *server, struct hf_shown *shown,
              struct hf_handle *handle, const struct hf_api_seen *seen,
              const struct hf_api_claim *holder)
{
    struct hf_view *view = holder == NULL
                               ? hf_views_parked(server, seen)
                               : hf_views_claim(server, seen, holder, 0);

    if (view == NULL)
        return;
    hf_views_hide(shown);
    shown->view = view;
    view->diagnosis.record.position = seen->position;
    if (holder == NULL || holder->fence == shown->fence)
        return;
    hf_handle_tell(handle,
                   shown->fence == 0 ? HF_NEWS_HOLDER : HF_NEWS_CHANGED);
    shown->fence = holder->fence;
}

struct hf_view *
hf_views_copy(const struct hf_server *server, const struct hf_view *view)
{
    struct hf_view *copy = hf_view_new(server->client->alloc, view->kind);

    if (copy == NULL)
        return NULL;
    *copy = *view;
    copy->next = NULL;
    copy->by = NULL;
    return copy;
}

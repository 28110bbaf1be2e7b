#include "client/server/views.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "core/evidence.h"
#include "wire/api_answer.h"
#include "wire/record.h"

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

/* By what the server knows of it, and by its processes. */
static enum hf_life
life_of(const struct hf_api_claim *claim, enum hf_presence presence)
{
    enum hf_life life = hf_evidence_of_session(
        claim->suspected, claim->heard, claim->silent, claim->value.terms.ttl);

    if (presence == HF_PRESENCE_GONE)
        return HF_LIFE_GONE;
    if (life == HF_LIFE_UNKNOWN && presence == HF_PRESENCE_THERE)
        return HF_LIFE_RUNNING;
    return life;
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
hf_views_blocker(const struct hf_server *server,
                 const struct hf_api_claim *holder, struct hf_instant asked_at)
{
    const struct hf_terms *terms = &holder->value.terms;
    struct hf_duration left = {terms->ttl.ms - holder->silent.ms};

    return (struct hf_blocker){
        .kind = HF_BLOCKER_HOLDER,
        .life = hf_views_life(server, holder),
        .if_dead = terms->if_dead,
        .since = hf_after(asked_at, (struct hf_duration){-holder->age.ms}),
        .until = hf_after(hf_now(), left),
    };
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

/* NULL: it does not wait, or the server does not say why. */
static const char *
why_of(const struct hf_api_claim *claim)
{
    return claim->why == HF_LOOK_HOLDS ? NULL : hf_api_why_word(claim->why);
}

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
    hf_record_describe(&meta, &claim->value, record);
    record->served = true;
    record->mode = claim->mode;
    snprintf(record->session, sizeof(record->session), "%016" PRIx64,
             claim->session);
    record->waiters = seen->waiters;
    record->position = position;
    record->parked = claim->parked;
    record->why = why_of(claim);
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
    hf_record_describe(&meta, NULL, &view->diagnosis.record);
    if (error != NULL)
        view->diagnosis.error = *error;
    return view;
}

static bool
is_text(struct hf_bytes bytes, const char *text)
{
    return strlen(text) == bytes.len && memcmp(text, bytes.at, bytes.len) == 0;
}

bool
hf_views_is_of(const struct hf_api_seen *seen, const struct hf_want *want)
{
    return is_text(want->space, seen->space) && is_text(want->name, seen->name);
}

bool
hf_views_first(const struct hf_api_seen *seen, struct hf_api_claim *first)
{
    size_t at = 0;

    return hf_api_seen_next(seen->queue, &at, first) && !first->free;
}

static void
describe_first(const struct hf_api_claim *first, struct hf_description *line)
{
    const struct hf_owner *owner = &first->value.owner;

    hf_text_show(line->user, sizeof(line->user), owner->user,
                 strlen(owner->user));
    hf_text_show(line->host, sizeof(line->host), owner->host,
                 strlen(owner->host));
    line->why = why_of(first);
    line->parked = first->parked;
}

struct hf_view *
hf_views_line(const struct hf_server *server, const struct hf_api_seen *seen,
              const struct hf_api_claim *first)
{
    struct hf_view *view =
        hf_views_nobody(server, seen->space, seen->name, NULL);

    if (view == NULL)
        return NULL;
    view->diagnosis.record.served = true;
    view->diagnosis.record.waiters = seen->waiters;
    describe_first(first, &view->diagnosis.record);
    return view;
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
              const struct hf_api_claim *who)
{
    struct hf_view *view = who->fence == 0
                               ? hf_views_line(server, seen, who)
                               : hf_views_claim(server, seen, who, 0);

    if (view == NULL)
        return;
    hf_views_hide(shown);
    shown->view = view;
    view->diagnosis.record.position = seen->position;
    if (who->fence == 0 || who->fence == shown->fence)
        return;
    hf_handle_notify(handle,
                     shown->fence == 0 ? HF_NEWS_HOLDER : HF_NEWS_CHANGED);
    shown->fence = who->fence;
}

struct hf_view *
hf_views_copy(const struct hf_server *server, const struct hf_view *view)
{
    struct hf_view *copy = hf_view_new(server->client->alloc, view->kind);

    if (copy == NULL)
        return NULL;
    *copy = *view;
    copy->next = NULL;
    return copy;
}

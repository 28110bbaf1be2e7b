#include <inttypes.h>
#include <string.h>

#include "base/fail.h"
#include "client/server/queries.h"
#include "client/server/views.h"
#include "wire/api_ask.h"
#include "wire/api_reply.h"

/*
 * Looking at one lock, and clearing it.  If no holder is seen, the server is
 * asked whether it has forgotten what it granted.
 *
 *   look --> alive, or proved dead ------------------------> the end
 *    ^ ^ |                           | a clear: dead
 *    | +-+ neither, and time is left v
 *    |     (each second)           clear ------------------> the end
 *    +------ it was heard meanwhile ---+
 *
 * The server tells for how long a holder has been silent, and whether it is
 * suspected.  So one look is worth a watch of that length.  A clear goes on
 * until the holder is heard or suspected: it may have died a moment after it
 * was heard last.
 */

static const struct hf_duration look_pause = {1000};
static const struct hf_duration at_once = {0};

/* Two clocks are each rounded to a millisecond. */
enum { ROUNDING_MS = 2 };

static bool
is_clear(const struct hf_server_query *query)
{
    return query->query->kind == HF_CLEAR;
}

/* ---- Asking -------------------------------------------------------------- */

static void
add_clear(const struct hf_server_query *query, struct hf_text *body)
{
    const struct hf_server *server = query->server;
    const char *reason = query->query->settings.reason;
    char who[HF_USER_MAX + HF_HOST_MAX + 2];
    struct hf_text text;

    hf_text_init(&text, who, sizeof(who));
    hf_text_addf(&text, "%s@%s", server->self.user, server->self.host.name);
    hf_text_addf(
        body, "{\"fence\":%" PRIu64 ",\"force\":%s,\"gone\":%s,\"reason\":",
        query->fence, query->query->force ? "true" : "false",
        query->seen->diagnosis.life == HF_LIFE_GONE ? "true" : "false");
    hf_text_add_json(body, reason, strlen(reason));
    hf_text_add(body, ",\"who\":");
    hf_text_add_json(body, who, strlen(who));
    hf_text_add(body, "}");
}

static void
ask(struct hf_server_query *query, struct hf_server_question *question)
{
    const struct hf_settings *settings = &query->query->settings;
    const char *space = hf_settings_space(settings);
    const struct hf_want lock = {
        .space = {space, strlen(space)},
        .name = {settings->name, strlen(settings->name)},
    };

    query->looked_at = hf_now();
    if (query->is_unheld) {
        hf_text_add(&question->path, "/v1/info");
        return;
    }
    hf_api_ask_lock(&question->path, &lock, query->is_clearing ? "/clear" : "");
    if (!query->is_clearing)
        return;
    question->method = "POST";
    add_clear(query, &question->body);
}

/* ---- What was seen ------------------------------------------------------- */

static void
keep(struct hf_server_query *query, struct hf_view *view)
{
    hf_view_free(query->seen);
    query->seen = view;
}

static void
forget_kept(struct hf_server_query *query)
{
    hf_view_free(query->kept);
    query->kept = NULL;
}

/* It has no holder.  Is it kept for the first in line? */
static void
take_kept(struct hf_server_query *query, const struct hf_api_seen *seen)
{
    struct hf_api_claim first;

    if (!hf_views_first(seen, &first))
        return;
    query->kept = hf_views_line(query->server, seen, &first);
    query->page.failed = query->kept == NULL;
}

/* Was the holder heard since the last look?  If not, its silence has grown by
 * the time between the looks; but a new leader counts silence from its
 * start. */
static bool
was_heard(const struct hf_server_query *query,
          const struct hf_server_silence *now)
{
    const struct hf_server_silence *before = &query->before;
    struct hf_duration between = hf_between(before->told_at, query->looked_at);

    if (!before->known || !now->heard)
        return false;
    return !before->heard ||
           now->silent.ms + ROUNDING_MS < before->silent.ms + between.ms;
}

/* The query is about this holder. */
static void
take_holder(struct hf_server_query *query, const struct hf_api_seen *seen,
            const struct hf_api_claim *claim)
{
    struct hf_server_silence now = {true, claim->heard, claim->silent,
                                    hf_now()};
    struct hf_diagnosis *found;

    keep(query, hf_views_claim(query->server, seen, claim, 0));
    query->page.failed = query->seen == NULL;
    if (query->page.failed || !is_clear(query) || claim->fence != query->fence)
        return;
    found = &query->seen->diagnosis;
    if (was_heard(query, &now))
        found->life = HF_LIFE_BEATING;
    else if (found->life == HF_LIFE_BEATING) /* heard before our first look */
        found->life = found->running ? HF_LIFE_RUNNING : HF_LIFE_UNKNOWN;
    query->before = now;
}

/* Each holder and each waiter is a row.  The query is about the holder that is
 * to be cleared, else about the one with the longest silence. */
static void
take_rows(struct hf_server_query *query, const struct hf_api_seen *seen)
{
    const struct hf_server *server = query->server;
    struct hf_api_claim claim;
    struct hf_api_claim about = {.fence = 0};
    uint64_t position = 0;
    size_t at = 0;

    while (hf_api_seen_next(seen->holders, &at, &claim)) {
        if (about.fence == 0 || claim.fence == query->fence ||
            (about.fence != query->fence && claim.silent.ms > about.silent.ms))
            about = claim;
        if (!hf_query_page_take(&query->page,
                                hf_views_claim(server, seen, &claim, 0)))
            return;
    }
    at = 0;
    while (hf_api_seen_next(seen->queue, &at, &claim))
        if (!hf_query_page_take(
                &query->page, hf_views_claim(server, seen, &claim, ++position)))
            return;
    if (query->fence == 0 && is_clear(query))
        query->fence = about.fence; /* clear this one, and no later one */
    if (about.fence == 0)
        take_kept(query, seen);
    else
        take_holder(query, seen, &about);
}

/* Is the answer about this lock?  A mixed-up answer must clear no holder. */
static bool
is_its_own(const struct hf_server_query *query, const struct hf_api_seen *seen)
{
    const struct hf_settings *settings = &query->query->settings;

    return strcmp(hf_settings_space(settings), seen->space) == 0 &&
           strcmp(settings->name, seen->name) == 0;
}

/* False: the query ends. */
static bool
look_in(struct hf_server_query *query, int status, struct hf_bytes body)
{
    struct hf_api_seen seen;

    hf_query_page_drop(&query->page);
    keep(query, NULL);
    forget_kept(query);
    if (status == 404)
        return true;
    if (status != 200 || !hf_api_seen_read(body, &seen)) {
        hf_server_query_refused(query, status, body);
        return false;
    }
    if (!is_its_own(query, &seen)) {
        (void)hf_fail(&query->error, HF_E_UNAVAILABLE,
                      "%s: it answers what somebody else asked: is there a "
                      "proxy between?",
                      query->server->addresses.place);
        return false;
    }
    take_rows(query, &seen);
    return !query->page.failed;
}

/* ---- What follows -------------------------------------------------------- */

static bool
is_decided(const struct hf_server_query *query)
{
    enum hf_life life = query->seen->diagnosis.life;

    return life == HF_LIFE_BEATING || life == HF_LIFE_SUSPECTED ||
           life == HF_LIFE_GONE;
}

/* A watch ends at the latest when the ttl of the holder is over. */
static bool
is_time_left(const struct hf_server_query *query, struct hf_instant now)
{
    struct hf_duration ttl = query->seen->diagnosis.record.ttl;
    struct hf_instant end = hf_after(query->began_at, ttl);

    return !hf_reached(now, hf_earlier(end, query->until));
}

static bool
is_meant(const struct hf_server_query *query)
{
    return query->seen != NULL &&
           query->seen->diagnosis.record.fence == query->fence;
}

static bool
may_clear(const struct hf_server_query *query)
{
    enum hf_life life = query->seen->diagnosis.life;

    return query->query->force || life == HF_LIFE_SUSPECTED ||
           life == HF_LIFE_GONE;
}

/* Look until the holder is heard, or proved dead, or gone: the server ends the
 * session of a holder that may be taken over. */
static void
go_on_clearing(struct hf_server_query *query)
{
    bool is_there = is_meant(query);

    if (is_there && may_clear(query)) {
        query->is_clearing = true;
        hf_server_query_again(query, at_once);
    } else if (is_there && query->seen->diagnosis.life != HF_LIFE_BEATING) {
        hf_server_query_again(query, look_pause);
    }
}

static void
take_look(struct hf_server_query *query, int status, struct hf_bytes body)
{
    if (!look_in(query, status, body))
        return;
    if (query->seen == NULL) { /* it has no holder, as far as this server
                                  remembers */
        query->is_unheld = true;
        hf_server_query_again(query, at_once);
    } else if (is_clear(query)) {
        go_on_clearing(query);
    } else if (!is_decided(query) && is_time_left(query, hf_now())) {
        hf_server_query_again(query, look_pause);
    }
}

/* HF_ANSWER_NOT_HELD: it was released, or cleared by somebody else. */
static void
take_clear(struct hf_server_query *query, int status, struct hf_bytes body)
{
    struct hf_api_reply *reply = &query->server->reply;
    enum hf_status read = hf_api_reply_read(status, body, reply, NULL);

    bool is_cleared = read == HF_OK && reply->answer.kind == HF_ANSWER_CLEARED;
    bool is_free = read == HF_OK && reply->answer.kind == HF_ANSWER_NOT_HELD;
    bool is_alive =
        read == HF_OK && reply->answer.kind == HF_ANSWER_NOT_SUSPECTED;

    if (is_alive) { /* an earlier clear without an answer was refused, too,
                       or will be */
        query->is_clearing = query->is_unsure = false;
        hf_server_query_again(query, at_once);
    } else if (is_free && query->is_unsure) {
        (void)hf_fail(&query->error, HF_E_UNKNOWN,
                      "it is held no more, and whether by this clear was not "
                      "answered: see the audit");
    } else if (is_cleared || is_free) {
        query->seen->diagnosis.cleared = is_cleared;
    } else {
        hf_server_query_refused(query, status, body);
    }
}

static void
take(struct hf_server_query *query, int status, struct hf_bytes body)
{
    if (query->is_unheld)
        hf_server_query_check_grace(query, body);
    else if (query->is_clearing)
        take_clear(query, status, body);
    else
        take_look(query, status, body);
}

const struct hf_server_query_kind hf_server_examine = {ask, take, NULL, false};

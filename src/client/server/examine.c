#include <inttypes.h>
#include <string.h>

#include "base/fail.h"
#include "client/server/queries.h"
#include "client/server/views.h"
#include "wire/api_ask.h"
#include "wire/api_reply.h"

/*
 * Looking at one lock, and clearing it.
 *
 *   look --> alive, or proved dead ------------------------> the end
 *    ^ |                             | a clear: dead
 *    | | neither, and time is left   v
 *    +-+ (each second)             clear --> look once more, the end
 *
 * The server tells who is silent, and whom it suspects: so a look is a watch
 * that has been going on for as long as the holder was silent.
 */

static const struct hf_duration look_pause = {1000};

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
    hf_text_addf(body, "{\"fence\":%" PRIu64 ",\"force\":%s,\"reason\":",
                 query->seen->diagnosis.record.fence,
                 query->query->force ? "true" : "false");
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

/* Each holder and each who waits is a row; it is about the holder that was
 * silent for longest. */
static bool
take_rows(struct hf_server_query *query, const struct hf_api_seen *seen)
{
    const struct hf_server *server = query->server;
    struct hf_api_claim claim;
    int64_t longest_ms = -1;
    uint64_t position = 0;
    size_t at = 0;

    while (hf_api_seen_next(seen->holders, &at, &claim)) {
        if (claim.silent.ms > longest_ms) {
            longest_ms = claim.silent.ms;
            keep(query, hf_views_claim(server, seen, &claim, 0));
            if (query->seen == NULL)
                return hf_server_query_add(query, NULL);
        }
        if (!hf_server_query_add(query,
                                 hf_views_claim(server, seen, &claim, 0)))
            return false;
    }
    at = 0;
    while (hf_api_seen_next(seen->queue, &at, &claim))
        if (!hf_server_query_add(
                query, hf_views_claim(server, seen, &claim, ++position)))
            return false;
    return true;
}

static bool
look_in(struct hf_server_query *query, int status, struct hf_bytes body)
{
    struct hf_api_seen seen;

    hf_server_query_drop(query);
    keep(query, NULL);
    if (status == 404)
        return true;
    if (status != 200 || !hf_api_seen_read(body, &seen)) {
        hf_server_query_refused(query, status, body);
        return false;
    }
    return take_rows(query, &seen);
}

/* ---- What follows -------------------------------------------------------- */

static bool
is_decided(const struct hf_server_query *query)
{
    enum hf_life life =
        query->seen == NULL ? HF_LIFE_GONE : query->seen->diagnosis.life;

    return life == HF_LIFE_BEATING || life == HF_LIFE_SUSPECTED ||
           life == HF_LIFE_GONE;
}

/* A person has looked at a holder of that fence, if they say so. */
static bool
may_clear(const struct hf_server_query *query)
{
    const struct hf_query *asked = query->query;
    const struct hf_diagnosis *seen =
        query->seen == NULL ? NULL : &query->seen->diagnosis;

    if (!is_clear(query) || seen == NULL ||
        (asked->fence != 0 && asked->fence != seen->record.fence))
        return false;
    return asked->force || seen->life == HF_LIFE_SUSPECTED ||
           seen->life == HF_LIFE_GONE;
}

/* Nobody watches for longer than a holder may be silent. */
static bool
is_time_left(const struct hf_server_query *query, struct hf_instant now)
{
    struct hf_duration ttl = query->seen->diagnosis.record.ttl;
    struct hf_instant end = hf_after(query->began_at, ttl);

    if (!is_clear(query))
        end = hf_earlier(end, query->until);
    return !hf_reached(now, end);
}

static void
take_look(struct hf_server_query *query, int status, struct hf_bytes body)
{
    struct hf_instant now = hf_now();

    if (!look_in(query, status, body))
        return;
    if (may_clear(query)) {
        query->is_clearing = true;
        query->again_at = now;
    } else if (!is_decided(query) && is_time_left(query, now)) {
        query->again_at = hf_after(now, look_pause);
    } else {
        hf_server_query_end(query, HF_OK, NULL);
    }
}

/* Held no more: by a clear of ours of which no answer came, perhaps. */
static void
end_unsure(struct hf_server_query *query)
{
    struct hf_error error;

    (void)hf_fail(&error, HF_E_UNKNOWN,
                  "it is held no more, and whether by this clear was not "
                  "answered: see the audit");
    hf_server_query_end(query, HF_E_UNKNOWN, &error);
}

/* Not held: somebody else has cleared it, or it was given back. */
static void
take_clear(struct hf_server_query *query, int status, struct hf_bytes body)
{
    struct hf_api_reply *reply = &query->server->reply;
    enum hf_status read = hf_api_reply_read(status, body, reply, NULL);

    bool is_cleared = read == HF_OK && reply->answer.kind == HF_ANSWER_CLEARED;
    bool is_free = read == HF_OK && reply->answer.kind == HF_ANSWER_NOT_HELD;

    if (is_free && query->is_unsure) {
        end_unsure(query);
    } else if (is_cleared || is_free) {
        query->seen->cleared = is_cleared;
        hf_server_query_end(query, HF_OK, NULL);
    } else {
        hf_server_query_refused(query, status, body);
    }
}

static void
take(struct hf_server_query *query, int status, struct hf_bytes body)
{
    if (query->is_clearing)
        take_clear(query, status, body);
    else
        take_look(query, status, body);
}

const struct hf_server_query_kind hf_server_examine = {ask, take, NULL};

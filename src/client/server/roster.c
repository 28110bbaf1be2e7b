#include "client/server/queries.h"
#include "client/view.h"
#include "wire/json_slice.h"
#include "wire/record.h"

/* Who has a session: one page, in the server's own order. */

static void
ask(struct hf_server_query *query, struct hf_server_question *question)
{
    size_t limit = query->query->limit;

    hf_text_addf(&question->path, "/v1/sessions?limit=%zu",
                 limit < 1000 ? limit : 1000);
    hf_server_query_add_after(query, &question->path);
}

static uint64_t
number_of(struct hf_bytes row, const char *member)
{
    uint64_t number = 0;

    (void)hf_json_slice_number(hf_json_slice(row, member), &number);
    return number <= INT64_MAX ? number : INT64_MAX;
}

static void
read_session(struct hf_bytes row, struct hf_session_row *session)
{
    char word[16];

    hf_json_slice_show(hf_json_slice(row, "session"), session->id,
                       sizeof(session->id));
    hf_json_slice_show(hf_json_slice(row, "who"), session->who,
                       sizeof(session->who));
    hf_json_slice_show(hf_json_slice(row, "if_dead"), word, sizeof(word));
    (void)hf_record_if_dead(word, &session->if_dead);
    session->ttl.ms = (int64_t)number_of(row, "ttl_ms");
    session->silent.ms = (int64_t)number_of(row, "silent_ms");
    session->holds = number_of(row, "holds");
    session->waits = number_of(row, "waits");
    session->by_acquire = hf_json_slice_true(hf_json_slice(row, "by_acquire"));
}

static void
take(struct hf_server_query *query, int status, struct hf_bytes body)
{
    struct hf_bytes sessions = hf_json_slice(body, "sessions");
    struct hf_bytes session;
    size_t at = 0;

    if (status != 200) {
        hf_server_query_refused(query, status, body);
        return;
    }
    if (hf_server_query_at_end(query)) {
        hf_server_query_end(query, HF_OK, NULL);
        return;
    }
    while (hf_json_slice_next(sessions, &at, &session)) {
        struct hf_view *row =
            hf_view_new(query->server->client->alloc, HF_VIEW_SESSION);

        if (row != NULL)
            read_session(session, &row->session);
        if (!hf_server_query_add(query, row))
            return;
    }
    hf_server_query_turn(query, body, HF_SERVER_QUERY_END);
}

const struct hf_server_query_kind hf_server_roster = {ask, take, NULL, false};

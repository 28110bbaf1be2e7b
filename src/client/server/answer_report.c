#include "client/server/answer_report.h"

#include <string.h>

#include "base/fail.h"
#include "client/server/trouble.h"
#include "wire/api_reply.h"
#include "wire/json.h"
#include "wire/name.h"

/* Is that row about one of the lock's names?  An older server does not name
 * it. */
static bool
is_of(const struct hf_server_lock *lock, struct hf_api_seen *seen)
{
    const struct hf_want *first = &lock->wants[0];

    if (seen->name[0] == '\0' && lock->wants_count == 1) {
        hf_text_show(seen->space, sizeof(seen->space), first->space.at,
                     first->space.len);
        hf_text_show(seen->name, sizeof(seen->name), first->name.at,
                     first->name.len);
    }
    for (size_t i = 0; i < lock->wants_count; i++)
        if (hf_views_is_of(seen, &lock->wants[i]))
            return true;
    return false;
}

/* A try was told no.  Show the user the holder or waiter that the try ends
 * with, and return it. */
static struct hf_blocker
show_in_way(struct hf_server_lock *lock, struct hf_bytes problem,
            struct hf_instant asked_at)
{
    const struct hf_server *server = lock->session->server;
    struct hf_bytes holders = hf_json_member(problem, "holders");
    struct hf_bytes queue = hf_json_member(problem, "queue");
    struct hf_blocker all = {.kind = HF_BLOCKER_UNKNOWN};
    struct hf_api_seen seen;
    struct hf_api_seen its;
    struct hf_api_claim row;
    struct hf_api_claim who = {.fence = 0};
    bool found = false;
    size_t at = 0;

    while (hf_api_seen_in_way(holders, &at, &seen, &row)) {
        struct hf_blocker one = hf_views_blocker(server, &row, asked_at);

        if (!is_of(lock, &seen) || !hf_blocker_add(&all, &one))
            continue;
        found = true;
        its = seen;
        who = row;
    }
    at = 0;
    while (!found && hf_api_seen_in_way(queue, &at, &its, &who))
        found = is_of(lock, &its);
    if (found)
        hf_views_show(server, &lock->shown, &lock->lock->handle, &its, &who);
    return all;
}

/* A no carries the holders and waiters that are in the way. */
static struct hf_blocker
report_in_way(struct hf_server_lock *lock, const struct hf_answer *answer,
              struct hf_bytes body, struct hf_instant asked_at)
{
    bool is_no =
        answer->kind == HF_ANSWER_LATER ||
        (answer->kind == HF_ANSWER_OVER && answer->over == HF_OVER_HELD);

    if (!is_no)
        return (struct hf_blocker){.kind = HF_BLOCKER_UNKNOWN};
    return show_in_way(lock, body, asked_at);
}

/* The server has no room.  Nothing else tells the user why a free lock is
 * waited for. */
static void
report_room(struct hf_error *no_room, const struct hf_answer *answer,
            const struct hf_http_answer *said)
{
    no_room->status = HF_OK;
    if (answer->kind != HF_ANSWER_LIMIT)
        return;
    (void)hf_api_reply_problem(said->status, said->body, no_room);
    no_room->status = HF_E_LIMIT;
}

/* The server grants nothing for a while: until when, and why. */
static void
report_grace(struct hf_server_lock *lock, const struct hf_answer *answer)
{
    if (answer->kind != HF_ANSWER_LATER)
        return;
    lock->later = hf_after(hf_now(), answer->grace);
    lock->later_cause = answer->cause;
}

static struct hf_server_lock *
find_granted(const struct hf_server_session *session, uint64_t fence)
{
    for (size_t i = 0; i < session->locks.chains_count; i++)
        for (struct hf_hash_node *node = session->locks.chains[i]; node != NULL;
             node = node->next) {
            struct hf_server_lock *lock =
                HF_CONTAINER(node, struct hf_server_lock, node);

            if (lock->fence == fence)
                return lock;
        }
    return NULL;
}

/* If there is no memory, the user is not told who cleared it. */
static void
keep_clear(struct hf_server_session *session, struct hf_bytes row)
{
    struct hf_server_lock *lock;
    uint64_t fence = 0;
    char who[sizeof(session->who)];

    if (!hf_json_number(hf_json_member(row, "fence"), &fence) || fence == 0)
        return;
    lock = find_granted(session, fence);
    if (lock == NULL || lock->by != NULL)
        return;
    lock->by = hf_new(session->server->client->alloc, struct hf_clearing);
    if (lock->by == NULL)
        return;
    hf_json_show(hf_json_member(row, "who"), who, sizeof(who));
    hf_name_split_who(who, lock->by->user, lock->by->host);
    hf_json_show(hf_json_member(row, "reason"), lock->by->reason,
                 sizeof(lock->by->reason));
}

/* The answer to a keep-alive lists who cleared locks that the session held. */
static void
report_clears(struct hf_server_session *session, struct hf_bytes body)
{
    const struct hf_api_reply *reply = &session->server->reply;
    struct hf_bytes clears;
    struct hf_bytes row;
    size_t at = 0;

    if (reply->answer.kind != HF_ANSWER_ALIVE || reply->fences_count == 0)
        return;
    clears = hf_json_member(body, "clears");
    while (hf_json_next(clears, &at, &row))
        keep_clear(session, row);
}

/* The request is invalid to the server: it can never be granted. */
static void
report_refusal(struct hf_server *server, const struct hf_http_answer *answer)
{
    const struct hf_answer *read = &server->reply.answer;

    if (read->kind == HF_ANSWER_OVER && read->over == HF_OVER_INVALID)
        (void)hf_api_reply_problem(answer->status, answer->body,
                                   &server->trouble);
}

struct hf_blocker
hf_answer_report(struct hf_server_session *session, uint64_t id,
                 struct hf_server_lock *lock,
                 const struct hf_http_answer *answer,
                 struct hf_instant asked_at)
{
    struct hf_server *server = session->server;
    const struct hf_answer *read = &server->reply.answer;

    report_refusal(server, answer);
    if (read->kind == HF_ANSWER_NOT_LEADING)
        (void)hf_server_say_leader(server, server->reply.leader, answer->body,
                                   &server->trouble);
    report_clears(session, answer->body);
    if (id == 0)
        report_room(&session->no_room, read, answer);
    if (lock == NULL)
        return (struct hf_blocker){.kind = HF_BLOCKER_UNKNOWN};
    report_room(&lock->no_room, read, answer);
    report_grace(lock, read);
    return report_in_way(lock, read, answer->body, asked_at);
}

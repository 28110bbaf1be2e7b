#include "server/retire.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "journal/journal.h"

/* For each call. */
static struct hf_instant
in_patience(void)
{
    return hf_after(hf_now(), (struct hf_duration){10 * 1000});
}

static enum hf_status
look(struct hf_journal *journal, struct hf_journal_found *found,
     struct hf_error *error)
{
    struct hf_error why = {0};
    enum hf_status status =
        hf_journal_read(journal, in_patience(), found, &why);

    return status == HF_OK
               ? HF_OK
               : hf_fail(error, status, "%s%s",
                         status == HF_E_CORRUPT ? "the head: " : "", why.text);
}

/* ---- What it has granted ------------------------------------------------- */

/* All that is kept; owned. */
struct kept {
    struct hf_loaded_session *sessions;
    size_t count;
    size_t room;
    bool sorted; /* by their ids */
    struct hf_journal_chunk chunk;
};

static int
compare(const void *a, const void *b)
{
    uint64_t left = ((const struct hf_loaded_session *)a)->id;
    uint64_t right = ((const struct hf_loaded_session *)b)->id;

    return left < right ? -1 : left > right;
}

/* Without their texts. */
static enum hf_status
keep_sessions(struct kept *kept, const struct hf_alloc *alloc,
              struct hf_error *error)
{
    const struct hf_journal_chunk *chunk = &kept->chunk;

    if (chunk->count == 0)
        return HF_OK;
    if (kept->room - kept->count < chunk->count) {
        size_t room = 2 * kept->room + HF_JOURNAL_CHUNK;
        struct hf_loaded_session *more = hf_calloc(alloc, room, sizeof(*more));

        if (more == NULL)
            return hf_fail(error, HF_E_NOMEM, "out of memory");
        if (kept->count > 0)
            memcpy(more, kept->sessions, kept->count * sizeof(*more));
        hf_free(alloc, kept->sessions);
        kept->sessions = more;
        kept->room = room;
    }
    memcpy(kept->sessions + kept->count, chunk->sessions,
           chunk->count * sizeof(*chunk->sessions));
    kept->count += chunk->count;
    return HF_OK;
}

static void
wait_for(struct hf_retired *retired, struct hf_duration time,
         enum hf_retire_why why)
{
    if (time.ms <= retired->wait.ms)
        return;
    /* whether it is alive is known no sooner */
    if (retired->wait.ms == 0 || retired->why != HF_RETIRE_ALIVE)
        retired->why = why;
    retired->wait = time;
}

/* For how long does whoever holds it believe so?  What is for a person is not
 * over by time; what has no session is void [S3]. */
static enum hf_status
look_at_grant(const struct kept *kept, const struct hf_served_row *row,
              struct hf_retired *retired, struct hf_error *error)
{
    struct hf_served_memory memory = {.texts_len = 0};
    struct hf_served_grant grant;
    const struct hf_loaded_session *session;
    enum hf_status status = hf_served_read_row(row, &memory, &grant, error);

    if (status != HF_OK) {
        struct hf_error why = *error;

        return hf_fail(error, status, "grant %" PRIu64 ": %s",
                       row->grant.loaded.fence, why.text);
    }
    session =
        bsearch(&(struct hf_loaded_session){.id = grant.loaded.session},
                kept->sessions, kept->count, sizeof(*kept->sessions), compare);
    if (session == NULL)
        return HF_OK;
    if (session->if_dead == HF_REFUSE)
        return hf_fail(error, HF_E_UNAVAILABLE,
                       "'%.*s' is granted, and is nobody else's before a "
                       "person clears it (if_dead is refuse): start holdfastd, "
                       "and clear it there",
                       (int)grant.loaded.wants[0].name.len,
                       grant.loaded.wants[0].name.at);
    wait_for(retired, session->ttl, HF_RETIRE_GRANTED);
    return HF_OK;
}

static enum hf_status
look_at_rows(struct kept *kept, const struct hf_alloc *alloc,
             struct hf_retired *retired, struct hf_error *error)
{
    const struct hf_journal_chunk *chunk = &kept->chunk;
    enum hf_status status = HF_OK;

    if (chunk->rows == HF_JOURNAL_SESSIONS)
        return keep_sessions(kept, alloc, error);
    if (!kept->sorted && kept->count > 0)
        qsort(kept->sessions, kept->count, sizeof(*kept->sessions), compare);
    kept->sorted = true;
    for (size_t i = 0; i < chunk->count && status == HF_OK; i++)
        status = look_at_grant(kept, &chunk->grants[i], retired, error);
    retired->grants += chunk->count;
    return status;
}

/* For as long as anything that was granted may be believed in. */
static enum hf_status
wait_for_grants(struct hf_journal *journal, const struct hf_alloc *alloc,
                struct hf_retired *retired, struct hf_error *error)
{
    struct kept *kept = hf_new(alloc, struct kept);
    enum hf_status status = HF_OK;

    if (kept == NULL)
        return hf_fail(error, HF_E_NOMEM, "out of memory");
    kept->chunk.arena.alloc = alloc;
    while (status == HF_OK && kept->chunk.rows != HF_JOURNAL_END) {
        status = hf_journal_load(journal, &kept->chunk, in_patience(), error);
        if (status == HF_OK)
            status = look_at_rows(kept, alloc, retired, error);
    }
    hf_arena_fini(&kept->chunk.arena);
    hf_free(alloc, kept->sessions);
    hf_free(alloc, kept);
    return status;
}

/* ---- Retiring ------------------------------------------------------------ */

/* False: the head has changed. */
static bool
stands_for(struct hf_journal *journal, const struct hf_journal_found *found,
           struct hf_duration ttl)
{
    struct hf_instant until = hf_after(hf_now(), ttl);
    bool changed = false;

    while (!changed && !hf_reached(hf_now(), until))
        changed = hf_journal_wait(journal, found->version, until, -1);
    return !changed;
}

/* In the place of the very head that was watched. */
static enum hf_status
put(struct hf_journal *journal, struct hf_journal_found *found,
    const struct hf_journal_change *changes, size_t changes_count,
    struct hf_error *error)
{
    const struct hf_journal_write write = {
        .head = &found->head,
        .expect = found->version,
        .changes = changes,
        .changes_count = changes_count,
    };
    enum hf_verdict verdict = hf_journal_write(journal, &write, in_patience(),
                                               &found->version, error);

    if (verdict == HF_APPLIED)
        return HF_OK;
    if (verdict == HF_REFUSED)
        return hf_fail(error, HF_E_UNAVAILABLE,
                       "somebody has begun to serve it");
    return HF_E_UNAVAILABLE;
}

static struct hf_journal_change
deleted(const struct hf_journal_chunk *chunk, size_t at)
{
    if (chunk->rows == HF_JOURNAL_SESSIONS)
        return (struct hf_journal_change){.kind = HF_CHANGE_DELETE_SESSION,
                                          .key = chunk->sessions[at].id};
    return (struct hf_journal_change){.kind = HF_CHANGE_DELETE_GRANT,
                                      .key =
                                          chunk->grants[at].grant.loaded.fence};
}

static enum hf_status
drop_chunk(struct hf_journal *journal, const struct hf_journal_chunk *chunk,
           struct hf_journal_found *found, struct hf_error *error)
{
    struct hf_journal_change changes[HF_JOURNAL_CHUNK];
    size_t most = hf_journal_limits(journal).changes;
    enum hf_status status = HF_OK;
    size_t count;

    for (size_t at = 0; at < chunk->count && status == HF_OK; at += count) {
        count = chunk->count - at < most ? chunk->count - at : most;
        for (size_t i = 0; i < count; i++)
            changes[i] = deleted(chunk, at + i);
        status = put(journal, found, changes, count, error);
    }
    return status;
}

/* Others may have the locks from here on: what was granted must not come back
 * with the next server. */
static enum hf_status
drop_all(struct hf_journal *journal, const struct hf_alloc *alloc,
         struct hf_journal_found *found, struct hf_error *error)
{
    struct hf_journal_chunk *chunk = hf_new(alloc, struct hf_journal_chunk);
    enum hf_status status = HF_OK;

    if (chunk == NULL)
        return hf_fail(error, HF_E_NOMEM, "out of memory");
    chunk->arena.alloc = alloc;
    while (status == HF_OK && chunk->rows != HF_JOURNAL_END) {
        status = hf_journal_load(journal, chunk, in_patience(), error);
        if (status == HF_OK)
            status = drop_chunk(journal, chunk, found, error);
    }
    hf_arena_fini(&chunk->arena);
    hf_free(alloc, chunk);
    return status;
}

static enum hf_status
take_node_out(struct hf_journal *journal, struct hf_journal_found *found,
              struct hf_error *error)
{
    found->head.node[0] = '\0';
    found->head.address[0] = '\0';
    found->head.grace.ms = 0; /* it was waited for */
    return put(journal, found, NULL, 0, error);
}

/* May something be held that is not in it any more [L6]? */
static bool
forgets(const struct hf_journal_found *found)
{
    return found->loss != HF_STORE_WHOLE ||
           (found->exists && found->head.store != found->store);
}

/* For how long must nobody have begun to serve it?  A leader that has left took
 * its node out of the head, and writes no more [L4]. */
static enum hf_status
find_wait(struct hf_journal *journal, const struct hf_alloc *alloc,
          const struct hf_journal_found *found, struct hf_retired *retired,
          struct hf_error *error)
{
    const struct hf_head *head = &found->head;

    retired->wait.ms = 0;
    if (forgets(found)) {
        struct hf_duration lost = hf_longer(found->promised, head->max_ttl);

        lost.ms += HF_LEADER_TTL_MS;
        wait_for(retired, lost, HF_RETIRE_FORGOTTEN);
    }
    retired->freed = retired->wait.ms > 0;
    if (!found->exists || head->address[0] == '\0')
        return HF_OK;
    retired->freed = true;
    memcpy(retired->address, head->address, sizeof(retired->address));
    if (head->node[0] != '\0')
        wait_for(retired, head->claim.terms.ttl, HF_RETIRE_ALIVE);
    wait_for(retired, head->grace, HF_RETIRE_FORGOTTEN);
    return wait_for_grants(journal, alloc, retired, error);
}

/* A server that began meanwhile needs its mark. */
static enum hf_status
unmark(struct hf_journal *journal, struct hf_error *error)
{
    struct hf_journal_found found;
    enum hf_status status = hf_journal_retire(journal, in_patience(), error);

    if (status == HF_OK)
        status = look(journal, &found, error);
    if (status != HF_OK || !found.exists || found.head.node[0] == '\0')
        return status;
    status =
        hf_journal_secure(journal, found.head.max_ttl, in_patience(), error);
    return status != HF_OK ? status
                           : hf_fail(error, HF_E_UNAVAILABLE,
                                     "somebody has begun to serve it");
}

static enum hf_status
retire(struct hf_journal *journal, const struct hf_alloc *alloc,
       struct hf_retired *retired, struct hf_error *error)
{
    struct hf_journal_found found;
    enum hf_status status = look(journal, &found, error);

    if (status == HF_OK)
        status = find_wait(journal, alloc, &found, retired, error);
    if (status != HF_OK)
        return status;
    if (retired->wait.ms > 0)
        retired->waits(retired->ctx, retired);
    if (!stands_for(journal, &found, retired->wait))
        return hf_fail(error, HF_E_UNAVAILABLE,
                       "it is served, by a node that is alive: http://%.120s; "
                       "stop that one",
                       found.head.address);
    if (found.exists && retired->freed) {
        status = drop_all(journal, alloc, &found, error);
        if (status == HF_OK)
            status = take_node_out(journal, &found, error);
    }
    return status == HF_OK ? unmark(journal, error) : status;
}

enum hf_status
hf_retire(const struct hf_place *place, const struct hf_alloc *alloc,
          struct hf_retired *retired, struct hf_error *error)
{
    struct hf_journal *journal;
    enum hf_status status;

    if (place->kind->keeps_nothing)
        return hf_fail(error, HF_E_INVALID,
                       "%.120s keeps nothing: there is nothing to retire",
                       place->text);
    status = hf_journal_find(place, in_patience(), error);
    if (status == HF_OK)
        status = hf_journal_open(place, alloc, &journal, error);
    if (status != HF_OK)
        return status;
    status = retire(journal, alloc, retired, error);
    hf_journal_close(journal);
    return status;
}

static enum hf_status
check_unled(struct hf_journal *journal, struct hf_error *error)
{
    struct hf_journal_found found;
    enum hf_status status = look(journal, &found, error);

    if (status != HF_OK || !found.exists || found.head.node[0] == '\0')
        return status;
    if (stands_for(journal, &found, found.head.claim.terms.ttl))
        return HF_OK;
    return hf_fail(error, HF_E_UNAVAILABLE,
                   "a node that is alive serves it, and has not forgotten what "
                   "it granted: http://%.120s; stop that one before the place "
                   "is restored",
                   found.head.address);
}

enum hf_status
hf_unled(const struct hf_place *place, const struct hf_alloc *alloc,
         struct hf_error *error)
{
    struct hf_journal *journal;
    enum hf_status status;

    if (place->kind->keeps_nothing)
        return HF_OK; /* it forgets, whoever says so */
    if (hf_journal_find(place, in_patience(), NULL) != HF_OK)
        return HF_OK;
    status = hf_journal_open(place, alloc, &journal, error);
    if (status != HF_OK)
        return status;
    status = check_unled(journal, error);
    hf_journal_close(journal);
    return status;
}

#include "server/retire.h"

#include <string.h>

#include "base/fail.h"
#include "base/hex.h"
#include "server/page.h"
#include "store/store.h"
#include "wire/head.h"
#include "wire/served.h"

/* For each read and write. */
static const struct hf_duration patience = {10 * 1000};

static const struct hf_key head_key = {HF_HEAD_SPACE, HF_HEAD_NAME};

struct watched {
    bool exists;
    uint64_t version;
    struct hf_head head;
    struct hf_error error; /* status: HF_OK, or it is not ours */
};

static void
take(void *ctx, size_t index, const struct hf_record *record)
{
    struct watched *watched = ctx;

    (void)index;
    *watched = (struct watched){
        .exists = record->exists,
        .version = record->version,
    };
    if (record->exists)
        watched->error.status = hf_head_decode(record->value, record->value_len,
                                               &watched->head, &watched->error);
}

static enum hf_status
look(struct hf_store *store, struct watched *watched, struct hf_error *error)
{
    enum hf_status status =
        hf_store_get(store, &head_key, 1, hf_after(hf_now(), patience), take,
                     watched, error);

    if (status == HF_OK && watched->error.status != HF_OK)
        status = hf_fail(error, watched->error.status, "the head: %s",
                         watched->error.text);
    return status;
}

/* ---- What it has granted ------------------------------------------------- */

struct session {
    char id[17];
    struct hf_loaded_session loaded;
    bool is_there;
    struct hf_error error; /* status: HF_OK, or it is not ours */
};

static void
take_session(void *ctx, size_t index, const struct hf_record *record)
{
    struct session *session = ctx;
    struct hf_served_memory memory = {.texts_len = 0};

    (void)index;
    session->is_there = record->exists;
    if (record->exists)
        session->error.status = hf_served_decode_session(
            (struct hf_bytes){session->id, 16},
            (struct hf_bytes){record->value, record->value_len}, &memory,
            &session->loaded, &session->error);
}

/* For how long does whoever holds it believe so?  What is for a person is not
 * over by time. */
static enum hf_status
look_at_grant(struct hf_store *store, const struct hf_page_record *record,
              struct hf_duration *ttl, struct hf_error *error)
{
    struct hf_served_memory memory = {.texts_len = 0};
    struct hf_served_grant grant;
    struct session session = {.is_there = false};
    const struct hf_key key = {HF_SERVED_SESSIONS, session.id};
    enum hf_status status = hf_served_decode_grant(record->name, record->value,
                                                   &memory, &grant, error);

    if (status != HF_OK)
        return status;
    hf_hex_write_u64(grant.loaded.session, session.id);
    status = hf_store_get(store, &key, 1, hf_after(hf_now(), patience),
                          take_session, &session, error);
    if (status == HF_OK && session.error.status != HF_OK)
        status = hf_fail(error, session.error.status, "session %s: %s",
                         session.id, session.error.text);
    if (status != HF_OK || !session.is_there)
        return status;
    if (session.loaded.if_dead == HF_REFUSE)
        return hf_fail(error, HF_E_UNAVAILABLE,
                       "'%.*s' is granted, and is nobody else's before a "
                       "person clears it (if_dead is refuse): start holdfastd, "
                       "and clear it there",
                       (int)grant.loaded.wants[0].name.len,
                       grant.loaded.wants[0].name.at);
    if (session.loaded.ttl.ms > ttl->ms)
        *ttl = session.loaded.ttl;
    return HF_OK;
}

static enum hf_status
look_at_grants(struct hf_store *store, struct hf_page *page,
               struct hf_retired *retired, struct hf_error *error)
{
    do {
        enum hf_status status =
            hf_page_read(page, store, HF_SERVED_GRANTS, "", HF_PAGE_MAX, error);

        for (size_t i = 0; i < page->count && status == HF_OK; i++)
            status =
                look_at_grant(store, &page->records[i], &retired->wait, error);
        retired->grants += page->count;
        if (status != HF_OK)
            return status;
    } while (page->count == HF_PAGE_MAX);
    return HF_OK;
}

/* How long everything that was granted may be believed in; at least the head's
 * own ttl. */
static enum hf_status
find_ttl(struct hf_store *store, const struct hf_alloc *alloc,
         struct hf_retired *retired, struct hf_error *error)
{
    struct hf_page *page = hf_new(alloc, struct hf_page);
    enum hf_status status;

    if (page == NULL)
        return hf_fail(error, HF_E_NOMEM, "out of memory");
    page->arena.alloc = alloc;
    status = look_at_grants(store, page, retired, error);
    hf_page_fini(page);
    hf_free(alloc, page);
    return status;
}

/* ---- Retiring ------------------------------------------------------------ */

/* False: the head has changed. */
static bool
stands_for(struct hf_store *store, const struct watched *watched,
           struct hf_duration ttl)
{
    struct hf_instant until = hf_after(hf_now(), ttl);
    struct hf_store_watch watch = {
        .key = head_key,
        .version = watched->version,
    };

    while (!watch.changed && !hf_reached(hf_now(), until))
        hf_store_wait(store, &watch, 1, until, -1);
    return !watch.changed;
}

static enum hf_status
take_node_out(struct hf_store *store, struct watched *watched,
              struct hf_error *error)
{
    char value[HF_RECORD_TEXT_MAX];
    struct hf_store_op put = {
        .kind = HF_PUT,
        .key = head_key,
        .expect = {HF_EXPECT_VERSION, watched->version},
        .value = value,
    };
    struct hf_store_group group = {
        .ops = &put,
        .ops_count = 1,
        .verdict = HF_UNAVAILABLE,
    };

    watched->head.node[0] = '\0';
    watched->head.address[0] = '\0';
    watched->head.grace.ms = 0; /* it was waited for */
    watched->head.store = hf_store_identity(store);
    put.value_len = hf_head_encode(&watched->head, value, sizeof(value));
    hf_store_commit(store, &group, 1, hf_after(hf_now(), patience), error);
    if (group.verdict == HF_APPLIED)
        return HF_OK;
    if (group.verdict == HF_REFUSED)
        return hf_fail(error, HF_E_UNAVAILABLE,
                       "somebody has begun to serve it");
    return HF_E_UNAVAILABLE;
}

/* May something be held that is not in it any more [L6]? */
static bool
forgets(const struct hf_store *store, const struct watched *watched)
{
    return hf_store_loss(store) != HF_STORE_WHOLE ||
           (watched->exists && watched->head.store != hf_store_identity(store));
}

/* How long must nobody have begun to serve it?  0: it is free now. */
static enum hf_status
find_wait(struct hf_store *store, const struct hf_alloc *alloc,
          const struct watched *watched, struct hf_retired *retired,
          struct hf_error *error)
{
    const struct hf_head *head = &watched->head;
    struct hf_duration promised = hf_store_promised(store);
    struct hf_duration *wait = &retired->wait;

    wait->ms = 0;
    if (forgets(store, watched)) {
        *wait = hf_longer(promised, head->max_ttl);
        wait->ms += HF_LEADER_TTL_MS;
    }
    if (!watched->exists || head->address[0] == '\0')
        return HF_OK;
    *wait = hf_longer(hf_longer(*wait, head->claim.terms.ttl), head->grace);
    memcpy(retired->address, head->address, sizeof(retired->address));
    return find_ttl(store, alloc, retired, error);
}

/* A server that began meanwhile needs its mark. */
static enum hf_status
unmark(struct hf_store *store, struct hf_error *error)
{
    struct watched watched;
    enum hf_status status = hf_store_unmark(store, error);

    if (status == HF_OK)
        status = look(store, &watched, error);
    if (status != HF_OK || !watched.exists || watched.head.node[0] == '\0')
        return status;
    status = hf_store_secure(store, watched.head.max_ttl,
                             hf_after(hf_now(), patience), error);
    return status != HF_OK ? status
                           : hf_fail(error, HF_E_UNAVAILABLE,
                                     "somebody has begun to serve it");
}

static enum hf_status
retire(struct hf_store *store, const struct hf_alloc *alloc,
       struct hf_retired *retired, struct hf_error *error)
{
    struct watched watched;
    enum hf_status status = look(store, &watched, error);

    if (status == HF_OK)
        status = find_wait(store, alloc, &watched, retired, error);
    if (status != HF_OK)
        return status;
    retired->freed = retired->wait.ms > 0;
    if (retired->freed)
        retired->waits(retired->ctx, retired);
    if (!stands_for(store, &watched, retired->wait))
        return hf_fail(error, HF_E_UNAVAILABLE,
                       "it is served, by a node that is alive: http://%.120s; "
                       "stop that one",
                       watched.head.address);
    if (watched.exists && retired->freed)
        status = take_node_out(store, &watched, error);
    return status == HF_OK ? unmark(store, error) : status;
}

enum hf_status
hf_retire(const struct hf_place *place, const struct hf_alloc *alloc,
          struct hf_retired *retired, struct hf_error *error)
{
    struct hf_store *store;
    enum hf_status status;

    if (place->kind->keeps_nothing)
        return hf_fail(error, HF_E_INVALID,
                       "%.120s keeps nothing: there is nothing to retire",
                       place->text);
    status = hf_store_find(place, error);
    if (status == HF_OK)
        status =
            hf_store_open_at(place, HF_STORE_TO_SERVE, alloc, &store, error);
    if (status != HF_OK)
        return status;
    status = retire(store, alloc, retired, error);
    hf_store_close(store);
    return status;
}

static enum hf_status
check_unled(struct hf_store *store, struct hf_error *error)
{
    struct watched watched;
    enum hf_status status = look(store, &watched, error);

    if (status != HF_OK || !watched.exists || watched.head.node[0] == '\0')
        return status;
    if (stands_for(store, &watched, watched.head.claim.terms.ttl))
        return HF_OK;
    return hf_fail(error, HF_E_UNAVAILABLE,
                   "a node that is alive serves it, and has not forgotten what "
                   "it granted: http://%.120s; stop that one before the place "
                   "is restored",
                   watched.head.address);
}

enum hf_status
hf_unled(const struct hf_place *place, const struct hf_alloc *alloc,
         struct hf_error *error)
{
    struct hf_store *store;
    enum hf_status status;

    if (place->kind->keeps_nothing)
        return HF_OK; /* it forgets, whoever says so */
    status = hf_store_open_at(place, HF_STORE_TO_LOOK, alloc, &store, error);
    if (status != HF_OK)
        return status;
    status = check_unled(store, error);
    hf_store_close(store);
    return status;
}

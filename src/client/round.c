#include "client/round.h"

#include <stdlib.h>
#include <string.h>

#include "client/errand.h"
#include "client/parcel.h"
#include "client/queue.h"

struct round {
    struct hf_client *client;
    struct hf_arena *arena;
    struct hf_parcel *parcels;
    size_t count;
    struct hf_store_group *groups; /* room for one a parcel */
    size_t groups_count;
};

/* ---- Taking -------------------------------------------------------------- */

static bool
same_record(const struct hf_errand *one, const struct hf_errand *other)
{
    return strcmp(one->space, other->space) == 0 &&
           strcmp(one->name, other->name) == 0;
}

/* Writes first, for beats are urgent; then by record. */
static int
compare_parcels(const void *a, const void *b)
{
    const struct hf_parcel *one = a;
    const struct hf_parcel *other = b;
    int order;

    if (one->request.read != other->request.read)
        return one->request.read ? 1 : -1;
    order = strcmp(one->errand->space, other->errand->space);
    if (order == 0)
        order = strcmp(one->errand->name, other->errand->name);
    return order;
}

/* Put it back: another question about the same record goes first. */
static void
postpone(struct hf_errand *errand)
{
    errand->carried = false;
    hf_queue_add(errand);
}

/* Of the writes on one record keep the first.  Sorted, mutex held. */
static void
drop_rivals(struct round *round)
{
    struct hf_parcel *parcels = round->parcels;
    size_t kept = 0;

    for (size_t i = 0; i < round->count; i++) {
        bool rival = kept > 0 && !parcels[i].request.read &&
                     same_record(parcels[kept - 1].errand, parcels[i].errand);

        if (rival)
            postpone(parcels[i].errand);
        else
            parcels[kept++] = parcels[i];
    }
    round->count = kept;
}

/* Take every question that waits.  Mutex held. */
static void
take_parcels(struct round *round)
{
    size_t waiting;
    struct hf_errand *errand = hf_queue_take(round->client, &waiting);

    round->parcels =
        hf_arena_take(round->arena, waiting * sizeof(*round->parcels));
    round->groups =
        hf_arena_take(round->arena, waiting * sizeof(*round->groups));
    if (round->parcels == NULL || round->groups == NULL)
        return; /* overdue, they are asked again */

    while (errand != NULL) {
        struct hf_errand *after = errand->queue_next;

        if (hf_errand_send(errand)) {
            hf_parcel_init(&round->parcels[round->count++], errand,
                           round->arena);
            errand->carried = true;
        } else {
            (void)hf_errand_reap(errand);
        }
        errand = after;
    }
    qsort(round->parcels, round->count, sizeof(*round->parcels),
          compare_parcels);
    drop_rivals(round);
}

/* ---- Carrying ------------------------------------------------------------ */

/* Mutex held.  A question that came meanwhile is in the queue already. */
static void
return_answer(struct hf_client *client, const struct hf_parcel *parcel,
              const struct hf_error *error)
{
    struct hf_errand *errand = parcel->errand;
    enum hf_verdict verdict = HF_UNAVAILABLE;

    if (parcel->group != NULL)
        verdict = parcel->group->verdict;
    if (errand->seen != NULL &&
        (verdict == HF_UNKNOWN || verdict == HF_UNAVAILABLE))
        errand->seen->error = *error;
    if (verdict == HF_APPLIED && parcel->ops[0].kind == HF_DELETE)
        client->released = true;

    errand->carried = false;
    if (!hf_errand_ended(errand))
        hf_errand_pump(errand, hf_answer(hf_now(), parcel->request.number,
                                         verdict, parcel->ops[0].version));
    (void)hf_errand_reap(errand);
}

static void
begin_call(struct hf_client *client)
{
    pthread_mutex_lock(&client->mutex);
    hf_trouble_call(&client->trouble, hf_now());
    pthread_mutex_unlock(&client->mutex);
}

/* Has every write its answer, be it a refusal? */
static bool
all_answered(const struct round *round, size_t count)
{
    for (size_t i = 0; i < round->groups_count; i++) {
        enum hf_verdict verdict = round->groups[i].verdict;

        if (verdict == HF_UNAVAILABLE || verdict == HF_UNKNOWN)
            return false;
    }
    return round->groups_count == count;
}

/* One commit for all writes, no longer than the least patient of them. */
static void
carry_writes(struct round *round, size_t count)
{
    struct hf_client *client = round->client;
    struct hf_instant until = HF_NEVER;
    struct hf_error error = {
        HF_E_NOMEM, "out of memory"}; /* of those that are not packed */

    for (size_t i = 0; i < count; i++) {
        struct hf_parcel *parcel = &round->parcels[i];

        if (hf_parcel_pack(parcel, &round->groups[round->groups_count],
                           round->arena))
            round->groups_count++;
        until = hf_earlier(until, parcel->until);
    }
    begin_call(client);
    if (round->groups_count > 0)
        hf_store_commit(client->store, round->groups, round->groups_count,
                        until, &error);

    pthread_mutex_lock(&client->mutex);
    hf_trouble_answer(&client->trouble, true,
                      all_answered(round, count) ? NULL : &error);
    for (size_t i = 0; i < count; i++)
        return_answer(client, &round->parcels[i], &error);
    pthread_mutex_unlock(&client->mutex);
}

static void
carry_read(struct hf_client *client, const struct hf_parcel *parcel)
{
    struct hf_errand *errand = parcel->errand;
    struct hf_key key = {errand->space, errand->name};
    struct hf_record record;
    struct hf_error error = {0};
    enum hf_status status;

    begin_call(client);
    status = hf_store_get(client->store, key, parcel->until, &record, &error);

    pthread_mutex_lock(&client->mutex);
    hf_trouble_answer(&client->trouble, false, status == HF_OK ? NULL : &error);
    errand->carried = false;
    if (!hf_errand_ended(errand))
        hf_errand_found(errand, parcel->request.number,
                        status == HF_OK ? &record : NULL, &error);
    (void)hf_errand_reap(errand);
    pthread_mutex_unlock(&client->mutex);
}

void
hf_round_carry(struct hf_client *client, struct hf_arena *arena)
{
    struct round round = {.client = client, .arena = arena};
    size_t writes = 0;

    take_parcels(&round);
    pthread_mutex_unlock(&client->mutex);
    while (writes < round.count && !round.parcels[writes].request.read)
        writes++;
    if (writes > 0)
        carry_writes(&round, writes);
    for (size_t i = writes; i < round.count; i++)
        carry_read(client, &round.parcels[i]);
    pthread_mutex_lock(&client->mutex);
}

#include "client/open.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/fail.h"
#include "client/beater.h"
#include "client/client.h"
#include "client/courier.h"
#include "client/errand.h"
#include "store/place.h"

/* ---- Opening ------------------------------------------------------------- */

/* The caller's signals are the caller's: our threads take none. */
static enum hf_status
start_threads(struct hf_client *client, struct hf_error *error)
{
    sigset_t all;
    sigset_t before;
    int courier;
    int beater = 0;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    courier = pthread_create(&client->courier, NULL, hf_courier_main, client);
    if (courier == 0)
        beater = pthread_create(&client->beater, NULL, hf_beater_main, client);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (courier == 0 && beater == 0)
        return HF_OK;

    if (courier == 0) {
        pthread_mutex_lock(&client->mutex);
        client->closing = true;
        hf_client_wake_courier(client);
        pthread_mutex_unlock(&client->mutex);
        pthread_join(client->courier, NULL);
    }
    return hf_fail(error, HF_E_LIMIT, "cannot start a thread");
}

enum hf_status
hf_open_on(struct hf_store *store, const char *place,
           const struct hf_alloc *alloc, struct hf_client **client,
           struct hf_error *error)
{
    struct hf_client *made = NULL;
    enum hf_status status = hf_client_new(place, alloc, &made, error);

    if (status != HF_OK)
        return status;
    made->store = store;
    made->looks_only = store->look_only;
    status = start_threads(made, error);
    if (status != HF_OK) {
        pthread_mutex_lock(&made->mutex);
        made->references--;
        hf_client_leave(made);
        return status;
    }
    *client = made;
    return HF_OK;
}

static enum hf_status
resolve_place(const char *place, char *resolved, size_t size,
              struct hf_error *error)
{
    if (place == NULL)
        place = secure_getenv("HOLDFAST_AT");
    if (place == NULL || place[0] == '\0') {
        if (hf_place_default(resolved, size) == HF_OK)
            return HF_OK;
        return hf_fail(error, HF_E_INVALID,
                       "there is no home folder to keep the locks in: name a "
                       "place, or set HOLDFAST_AT to one");
    }
    if (snprintf(resolved, size, "%s", place) >= (int)size)
        return hf_fail(error, HF_E_INVALID,
                       "the place is longer than %zu bytes", size - 1);
    return HF_OK;
}

enum hf_status
hf_open(const char *place, const struct hf_open_options *options,
        struct hf_client **client, struct hf_error *error)
{
    const struct hf_alloc *alloc = &hf_alloc_libc;
    struct hf_store *store = NULL;
    char resolved[HF_PLACE_MAX];
    struct hf_place parsed;
    enum hf_status status;

    if (options != NULL && options->alloc != NULL)
        alloc = options->alloc;
    status = resolve_place(place, resolved, sizeof(resolved), error);
    if (status == HF_OK)
        status = hf_place_parse(resolved, &parsed, error);
    if (status != HF_OK)
        return status;

    if (options != NULL && options->look_only)
        status = hf_store_look_at(&parsed, alloc, &store, error);
    else
        status = hf_store_open_at(&parsed, alloc, &store, error);
    if (status != HF_OK)
        return status;
    status = hf_open_on(store, parsed.text, alloc, client, error);
    if (status != HF_OK)
        hf_store_close(store);
    return status;
}

/* ---- Closing ------------------------------------------------------------- */

/* End every errand; callers that wait are woken, and find it ended. */
static void
abandon_all(struct hf_client *client)
{
    struct hf_errand *errand = client->errands;

    while (errand != NULL) {
        struct hf_errand *after = errand->next;

        hf_errand_pump(errand, hf_event(HF_ON_ABANDON, hf_now()));
        (void)hf_errand_reap(errand);
        errand = after;
    }
}

void
hf_close(struct hf_client *client)
{
    struct hf_store *store;

    if (client == NULL || hf_client_may_call(client, NULL) != HF_OK)
        return;

    pthread_mutex_lock(&client->mutex);
    client->closing = true;
    abandon_all(client);
    hf_client_wake_beater(client);
    hf_client_wake_courier(client);
    pthread_mutex_unlock(&client->mutex);
    pthread_join(client->beater, NULL);
    pthread_join(client->courier, NULL);

    pthread_mutex_lock(&client->mutex);
    abandon_all(client); /* now those that the courier carried, too */
    store = client->store;
    client->store = NULL;
    client->references--;
    hf_client_leave(client);
    hf_store_close(store);
}

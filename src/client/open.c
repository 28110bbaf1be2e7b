#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/limits.h"
#include "base/text.h"
#include "client/client.h"
#include "client/server/open.h"
#include "client/table/table.h"
#include "store/place.h"
#include "store/store.h"

/* Opening a client: which kind of place it is, and what stands behind it. */

/* ---- HOLDFAST_TRACE ------------------------------------------------------ */

static void
write_line(void *ctx, const char *line)
{
    struct hf_client *client = ctx;

    (void)fprintf(client->trace_file, "%ld %s\n", (long)getpid(), line);
    (void)fflush(client->trace_file);
}

static enum hf_status
open_trace(struct hf_client *client, struct hf_error *error)
{
    const char *path = secure_getenv("HOLDFAST_TRACE");

    if (client->trace_chosen || client->trace_file != NULL || path == NULL ||
        path[0] == '\0')
        return HF_OK;
    client->trace_file = fopen(path, "ae");
    if (client->trace_file == NULL)
        return hf_fail(error, HF_E_INVALID,
                       "HOLDFAST_TRACE: %.200s cannot be written to", path);
    client->trace = write_line;
    client->trace_ctx = client;
    return HF_OK;
}

/* ---- The place ----------------------------------------------------------- */

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

/* A client that could not be opened keeps its descriptors for the next try. */
static enum hf_status
open_descriptors(struct hf_client *client, struct hf_error *error)
{
    if (client->fd < 0)
        client->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (client->wake_fd < 0)
        client->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (client->fd < 0 || client->wake_fd < 0)
        return hf_fail(error, HF_E_LIMIT, "too many open files");
    return HF_OK;
}

/* Prepare all of the client but its backend.  `place` is its URL. */
static enum hf_status
prepare(struct hf_client *client, const char *place, struct hf_error *error)
{
    enum hf_status status = open_descriptors(client, error);

    if (status == HF_OK)
        status = open_trace(client, error);
    if (status != HF_OK)
        return status;
    client->place = hf_copy(client->alloc, place);
    if (client->place == NULL)
        return hf_fail(error, HF_E_NOMEM, "open %s: out of memory", place);
    return HF_OK;
}

/* After a failure: the client may be opened again. */
static enum hf_status
take_back(struct hf_client *client, enum hf_status status)
{
    hf_free(client->alloc, client->place);
    client->place = NULL;
    return status;
}

static enum hf_status
open_server(struct hf_client *client, const char *place, struct hf_error *error)
{
    struct hf_addresses addresses;
    enum hf_status status = hf_addresses_parse(place, &addresses, error);

    if (status == HF_OK)
        status = prepare(client, addresses.place, error);
    if (status != HF_OK)
        return status;
    status = hf_server_open(client, &addresses, &client->backend, error);
    return status == HF_OK ? HF_OK : take_back(client, status);
}

/* HF_E_UNAVAILABLE: a lock server keeps the locks of this place.  If a server
 * takes it later, the store refuses each claim with the same sentence. */
static enum hf_status
check_unserved(struct hf_store *store, const char *place,
               struct hf_error *error)
{
    struct hf_error why = {0};
    enum hf_status status =
        hf_store_unserved(store, hf_after(hf_now(), HF_OPEN_PATIENCE), &why);

    return status == HF_OK
               ? HF_OK
               : hf_fail(error, status, "%.120s: %s", place, why.text);
}

static enum hf_status
refuse_place(const char *place, struct hf_error *error)
{
    char shown[128];

    hf_text_show_url(shown, sizeof(shown), place);
    return hf_fail(error, HF_E_INVALID,
                   "'%s' is not a place: write sqlite:/path/locks.db, "
                   "postgresql://host/database, or http://host:7420 for a "
                   "lock server",
                   shown);
}

static enum hf_status
open_table(struct hf_client *client, const char *place, struct hf_error *error)
{
    struct hf_instant begun = hf_now();
    struct hf_store *store = NULL;
    struct hf_place parsed;
    enum hf_status status = hf_place_parse(place, &parsed, error);

    if (status == HF_OK)
        status = hf_store_open_at(
            &parsed, client->look_only ? HF_STORE_TO_LOOK : HF_STORE_TO_LOCK,
            client->alloc, &store, error);
    if (status != HF_OK)
        return status;
    if (client->look_only) /* it may look at all else */
        (void)check_unserved(store, parsed.text, &client->served);
    else
        status = check_unserved(store, parsed.text, error);
    client->opening = hf_longer(hf_between(begun, hf_now()),
                                (struct hf_duration){1}); /* 0: none */
    if (status == HF_OK)
        status = hf_client_open_on(client, store, parsed.text, error);
    if (status != HF_OK)
        hf_store_close(store);
    return status;
}

enum hf_status
hf_client_open(struct hf_client *client, const char *place,
               struct hf_error *error)
{
    char resolved[HF_PLACE_MAX];
    enum hf_status status = hf_client_may_set(client, error);

    if (status == HF_OK)
        status = resolve_place(place, resolved, sizeof(resolved), error);
    if (status != HF_OK)
        return status;
    if (hf_addresses_are(resolved))
        return open_server(client, resolved, error);
    return hf_place_is(resolved) ? open_table(client, resolved, error)
                                 : refuse_place(resolved, error);
}

enum hf_status
hf_client_open_on(struct hf_client *client, struct hf_store *store,
                  const char *place, struct hf_error *error)
{
    enum hf_status status = prepare(client, place, error);

    if (status != HF_OK)
        return status;
    client->look_only = client->look_only || store->use == HF_STORE_TO_LOOK;
    client->made_place = store->is_new;
    status = hf_table_open(client, store, &client->backend, error);
    return status == HF_OK ? HF_OK : take_back(client, status);
}

#include "client/handle.h"

#include <errno.h>
#include <sys/eventfd.h>

#include "base/clock.h"
#include "client/place.h"
#include "client/state.h"

/* A caller that waits, on its stack. */
struct hf_sleeper {
    struct hf_condition woken;
    struct hf_sleeper *next;
};

/* What may end a wait. */
#define WAKING                                                                 \
    (HF_NEWS_GRANTED | HF_NEWS_ENDED | HF_NEWS_IN_DOUBT | HF_NEWS_LOST |       \
     HF_NEWS_CERTAIN)

/* Of the last handle of this process. */
static _Atomic uint64_t last_id;

void
hf_handle_add(struct hf_handle *handle, struct hf_client *client,
              const struct hf_handle_methods *methods)
{
    handle->client = client;
    handle->methods = methods;
    handle->id = atomic_fetch_add(&last_id, 1) + 1;
    hf_list_add(&client->handles, &handle->link);
    client->references++;
}

void
hf_handle_remove(struct hf_handle *handle)
{
    hf_handle_silence(handle);
    hf_list_remove(&handle->client->handles, &handle->link);
    handle->client->references--;
}

/* ---- Notices ------------------------------------------------------------- */

void
hf_handle_notify(struct hf_handle *handle, unsigned news)
{
    struct hf_client *client = handle->client;

    if ((news & WAKING) != 0)
        for (struct hf_sleeper *s = handle->sleepers; s != NULL; s = s->next)
            hf_monitor_notify(&client->monitor, &s->woken);
    if (handle->freed)
        return;
    handle->news |= news;
    if (handle->notified)
        return;
    handle->notified = true;
    hf_list_add(&client->notices, &handle->notice);
    if (!client->fd_set)
        (void)eventfd_write(client->fd, 1);
    client->fd_set = true;
}

void
hf_handle_silence(struct hf_handle *handle)
{
    if (!handle->notified)
        return;
    hf_list_remove(&handle->client->notices, &handle->notice);
    handle->notified = false;
    handle->news = 0;
}

struct hf_handle *
hf_handle_next(struct hf_client *client)
{
    struct hf_link *first = client->notices.first;
    struct hf_handle *handle;
    eventfd_t count;

    if (first == NULL) {
        if (client->fd_set)
            (void)eventfd_read(client->fd, &count);
        client->fd_set = false;
        return NULL;
    }
    handle = HF_CONTAINER(first, struct hf_handle, notice);
    client->notice = (struct hf_notice){
        .id = handle->id,
        .user = handle->user,
        .news = handle->news,
    };
    hf_handle_silence(handle);
    return handle;
}

/* ---- Waiting ------------------------------------------------------------- */

/* Rather than be woken by a thread of the place's, do its work. */
static bool
take_turn(struct hf_client *client, struct hf_instant until)
{
    struct hf_backend *backend = client->backend;

    return backend != NULL && backend->methods->turn != NULL &&
           backend->methods->turn(backend, client->waiting == 1 &&
                                               hf_between(hf_now(), until).ms >=
                                                   HF_TURN_MS);
}

bool
hf_handle_wait(struct hf_handle *handle,
               bool (*done)(const struct hf_handle *handle),
               struct hf_duration limit)
{
    struct hf_client *client = handle->client;
    struct hf_instant until = hf_after(hf_now(), limit);
    struct hf_sleeper sleeper = {.next = handle->sleepers};
    struct hf_sleeper **link;

    /* cppcheck-suppress autoVariables; it is taken out before the end */
    handle->sleepers = &sleeper;
    client->waiting++;
    while (!done(handle) && !hf_reached(hf_now(), until))
        if (!take_turn(client, until))
            hf_monitor_wait(&client->monitor, &sleeper.woken, until);
    client->waiting--;
    for (link = &handle->sleepers; *link != &sleeper; link = &(*link)->next)
        continue;
    *link = sleeper.next;
    return done(handle);
}

/* ---- From signal handlers ------------------------------------------------ */

/* Its order first, then it is put on a stack of those with one, once, then the
 * client is woken: the taker clears in the other order, so none is lost. */
void
hf_handle_signal(struct hf_handle *handle, enum hf_handle_order order)
{
    struct hf_client *client = handle->client;
    int error = errno; /* of the code that a signal interrupted */
    int was = atomic_load(&handle->order);
    struct hf_handle *head;

    while (was < (int)order &&
           !atomic_compare_exchange_weak(&handle->order, &was, (int)order))
        continue;
    if (!atomic_exchange(&handle->signalled, true)) {
        head = atomic_load(&client->signalled);
        do
            handle->signal_next = head;
        while (
            !atomic_compare_exchange_weak(&client->signalled, &head, handle));
        (void)eventfd_write(client->wake_fd, 1);
    }
    errno = error;
}

struct hf_handle *
hf_handle_take_signalled(struct hf_client *client, enum hf_handle_order *order)
{
    struct hf_handle *handle = client->taken;

    if (handle == NULL)
        handle = atomic_exchange(&client->signalled, NULL);
    if (handle == NULL)
        return NULL;
    client->taken = handle->signal_next;
    atomic_store(&handle->signalled, false);
    *order = (enum hf_handle_order)atomic_load(&handle->order);
    return handle;
}

#include "client/client.h"

#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/fail.h"
#include "client/generation.h"

/* ---- Who calls ----------------------------------------------------------- */

/* The client of which this thread is the beater, if it is one. */
static _Thread_local const struct hf_client *beaten_here;

void
hf_client_beats_here(const struct hf_client *client)
{
    beaten_here = client;
}

bool
hf_client_is_ours(const struct hf_client *client)
{
    return client->generation == hf_generation();
}

enum hf_status
hf_client_may_call(const struct hf_client *client, struct hf_error *error)
{
    if (client == NULL || !hf_client_is_ours(client))
        return hf_fail(error, HF_E_INVALID,
                       "not this process's client: it was opened before a "
                       "fork");
    if (beaten_here == client)
        return hf_fail(error, HF_E_INVALID,
                       "a callback may not call this: nothing would beat");
    return HF_OK;
}

enum hf_status
hf_client_trouble(struct hf_client *client, struct hf_error *error)
{
    enum hf_status status;

    if (client == NULL || !hf_client_is_ours(client))
        return HF_OK;
    pthread_mutex_lock(&client->mutex);
    status =
        hf_trouble_tell(&client->trouble, client->store, client->place, error);
    pthread_mutex_unlock(&client->mutex);
    return status;
}

enum hf_status
hf_client_may_write(const struct hf_client *client, struct hf_error *error)
{
    enum hf_status status = hf_client_may_call(client, error);

    if (status == HF_OK && client->looks_only)
        return hf_fail(error, HF_E_DENIED, "%s was opened to look only",
                       client->place);
    return status;
}

/* ---- Life ---------------------------------------------------------------- */

static void
close_fd(int fd)
{
    if (fd >= 0)
        close(fd);
}

static void
free_client(struct hf_client *client)
{
    close_fd(client->timer_fd);
    close_fd(client->beater_wake_fd);
    close_fd(client->courier_wake_fd);
    pthread_cond_destroy(&client->quiet);
    pthread_mutex_destroy(&client->mutex);
    hf_free(client->alloc, client->polls);
    hf_free(client->alloc, client->place);
    hf_free(client->alloc, client);
}

static enum hf_status
open_descriptors(struct hf_client *client, struct hf_error *error)
{
    client->timer_fd =
        timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK);
    client->beater_wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    client->courier_wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (client->timer_fd < 0 || client->beater_wake_fd < 0 ||
        client->courier_wake_fd < 0)
        return hf_fail(error, HF_E_LIMIT, "too many open files");
    return HF_OK;
}

enum hf_status
hf_client_new(const char *place, const struct hf_alloc *alloc,
              struct hf_client **client, struct hf_error *error)
{
    struct hf_client *made = hf_new(alloc, struct hf_client);
    enum hf_status status;

    if (made == NULL)
        return hf_fail(error, HF_E_NOMEM, "open %s: out of memory", place);

    hf_generation_watch();
    made->alloc = alloc;
    made->generation = hf_generation();
    made->references = 1;
    made->queue_end = &made->queue;
    made->armed = HF_NEVER;
    made->timer_fd = made->beater_wake_fd = made->courier_wake_fd = -1;
    made->place = hf_copy(alloc, place);
    hf_process_host(&made->host);
    pthread_mutex_init(&made->mutex, NULL);
    pthread_cond_init(&made->quiet, NULL);

    if (made->place == NULL)
        status = hf_fail(error, HF_E_NOMEM, "open %s: out of memory", place);
    else
        status = open_descriptors(made, error);
    if (status != HF_OK) {
        free_client(made);
        return status;
    }
    *client = made;
    return HF_OK;
}

void
hf_client_leave(struct hf_client *client)
{
    bool last = client->references == 0;

    pthread_mutex_unlock(&client->mutex);
    if (last)
        free_client(client);
}

const char *
hf_client_place(const struct hf_client *client)
{
    return client->place;
}

/* ---- Its threads --------------------------------------------------------- */

void
hf_client_wake_beater(struct hf_client *client)
{
    (void)eventfd_write(client->beater_wake_fd, 1);
}

void
hf_client_wake_courier(struct hf_client *client)
{
    (void)eventfd_write(client->courier_wake_fd, 1);
}

enum hf_status
hf_client_run(struct hf_client *client, struct hf_job *job,
              struct hf_error *error)
{
    struct hf_job **link = &client->jobs;
    bool open;

    pthread_mutex_lock(&client->mutex);
    open = !client->closing;
    if (open) {
        client->references++;
        while (*link != NULL)
            link = &(*link)->next;
        *link = job;
        hf_client_wake_courier(client);
    }
    while (open && !job->done)
        pthread_cond_wait(&client->quiet, &client->mutex);
    if (open)
        client->references--;
    hf_client_leave(client);

    if (!open)
        return hf_fail(error, HF_E_CANCELLED, "the client is closed");
    if (job->status != HF_OK)
        return hf_fail(error, job->status, "%s", job->error.text);
    return HF_OK;
}

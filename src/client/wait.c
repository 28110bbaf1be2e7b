#include "client/wait.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/text.h"
#include "client/cancel.h"

/* How often a waiting callback runs at least: who is told of a wait once a
 * second has half of it to decide. */
#define SHOW_EVERY_MS 500

/* How often a release looks for its end when nothing can wake it. */
#define LOOK_EVERY_MS 5

static enum hf_status
check_part(const char *what, const char *text, size_t max,
           struct hf_error *error)
{
    size_t len = strlen(text);

    if (len == 0)
        return hf_fail(error, HF_E_INVALID, "the %s is empty", what);
    if (len > max)
        return hf_fail(error, HF_E_INVALID,
                       "the %s has %zu bytes, at most %zu are allowed", what,
                       len, max);
    if (!hf_text_is_clean(text, len))
        return hf_fail(error, HF_E_INVALID,
                       "the %s must be UTF-8 without control characters and "
                       "characters of no width",
                       what);
    return HF_OK;
}

enum hf_status
hf_wait_check_key(const char *space, const char *name, struct hf_error *error)
{
    enum hf_status status = HF_OK;

    if (space != NULL)
        status = check_part("space", space, HF_SPACE_MAX, error);
    if (status == HF_OK && space != NULL && space[0] == '!')
        status = hf_fail(error, HF_E_INVALID,
                         "spaces that begin with '!' are Holdfast's own");
    if (status != HF_OK)
        return status;
    if (name == NULL)
        return hf_fail(error, HF_E_INVALID, "no name was given");
    return check_part("name", name, HF_NAME_MAX, error);
}

enum hf_status
hf_wait_open(struct hf_client *client, const char *space, const char *name,
             struct hf_errand **errand, struct hf_error *error)
{
    struct hf_lock *made = hf_new(client->alloc, struct hf_lock);

    if (made == NULL)
        return hf_fail(error, HF_E_NOMEM, "lock %s: out of memory", name);
    made->errand.client = client;
    made->errand.progress_fd = -1;
    snprintf(made->errand.space, sizeof(made->errand.space), "%s",
             space == NULL ? "default" : space);
    snprintf(made->errand.name, sizeof(made->errand.name), "%s", name);
    *errand = &made->errand;
    return HF_OK;
}

/* ---- The caller's loop --------------------------------------------------- */

struct waiter {
    struct hf_errand *errand;
    const struct hf_wait_options *options;
    struct hf_seen *seen;
    unsigned changes_shown;
    struct hf_instant shown_at;
    bool cancelled;
};

static bool
is_done(const struct hf_errand *errand)
{
    return errand->granted || hf_errand_ended(errand);
}

/* Show what is known, without the mutex, when it is new or was shown a while
 * ago. */
static void
show(struct waiter *waiter)
{
    struct hf_client *client = waiter->errand->client;
    struct hf_diagnosis diagnosis;
    struct hf_instant now = hf_now();
    bool due = hf_between(waiter->shown_at, now).ms >= SHOW_EVERY_MS;

    if (waiter->options->on_waiting == NULL)
        return;
    if (!due && waiter->changes_shown == waiter->seen->changes)
        return;
    waiter->changes_shown = waiter->seen->changes;
    waiter->shown_at = now;
    hf_errand_diagnose(waiter->errand, &diagnosis);
    pthread_mutex_unlock(&client->mutex);
    waiter->options->on_waiting(waiter->options->ctx, &diagnosis);
    pthread_mutex_lock(&client->mutex);
}

/* Sleep, without the mutex, until there is progress or a switch is thrown. */
static void
sleep_until_progress(struct waiter *waiter)
{
    struct hf_client *client = waiter->errand->client;
    struct hf_cancel *cancel = waiter->options->cancel;
    eventfd_t count;
    struct pollfd polls[3] = {
        {.fd = waiter->errand->progress_fd, .events = POLLIN},
        {.fd = hf_cancel_abandon_fd(cancel), .events = POLLIN},
        {.fd = waiter->cancelled ? -1 : hf_cancel_fd(cancel), .events = POLLIN},
    };
    bool shows = waiter->options->on_waiting != NULL;

    pthread_mutex_unlock(&client->mutex);
    if (poll(polls, 3, shows ? SHOW_EVERY_MS : -1) < 0)
        polls[0].revents = polls[1].revents = polls[2].revents = 0;
    (void)eventfd_read(polls[0].fd, &count);
    pthread_mutex_lock(&client->mutex);

    if (is_done(waiter->errand))
        return;
    if (polls[1].revents != 0) {
        hf_errand_pump(waiter->errand, hf_event(HF_ON_ABANDON, hf_now()));
    } else if (polls[2].revents != 0) {
        waiter->cancelled = true;
        hf_errand_pump(waiter->errand, hf_event(HF_ON_CANCEL, hf_now()));
    }
}

static enum hf_status
begin(struct hf_errand *errand, enum hf_event_kind kind, struct hf_seen *seen,
      struct hf_error *error)
{
    struct hf_client *client = errand->client;
    enum hf_status status = HF_OK;
    int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

    pthread_mutex_lock(&client->mutex);
    if (fd < 0)
        status = hf_fail(error, HF_E_LIMIT, "too many open files");
    else if (client->closing)
        status = hf_fail(error, HF_E_CANCELLED, "the client is closed");
    else if (client->errands_count >= HF_CLIENT_LOCKS_MAX)
        status = hf_fail(error, HF_E_LIMIT, "more than %d locks in one client",
                         HF_CLIENT_LOCKS_MAX);
    if (status != HF_OK) {
        pthread_mutex_unlock(&client->mutex);
        if (fd >= 0)
            close(fd);
        hf_free(client->alloc, errand);
        return status;
    }
    errand->progress_fd = fd;
    errand->seen = seen;
    hf_errand_add(errand);
    hf_errand_pump(errand, hf_event(kind, hf_now()));
    return HF_OK;
}

enum hf_status
hf_wait_for(struct hf_errand *errand, enum hf_event_kind kind,
            const struct hf_wait_options *options, struct hf_seen *seen,
            struct hf_error *error)
{
    struct waiter waiter = {
        .errand = errand,
        .options = options,
        .seen = seen,
        .shown_at = hf_now(),
    };
    enum hf_status status = begin(errand, kind, seen, error);

    if (status != HF_OK)
        return status;
    while (!is_done(errand)) {
        show(&waiter);
        if (!is_done(errand))
            sleep_until_progress(&waiter);
    }
    hf_process_forget(&seen->observation);
    close(errand->progress_fd);
    errand->progress_fd = -1;
    return HF_OK;
}

/* Without a descriptor to be woken by, look now and then. */
bool
hf_wait_ended(struct hf_errand *errand, struct hf_cancel *cancel)
{
    struct hf_client *client = errand->client;
    int patience_ms = errand->progress_fd < 0 ? LOOK_EVERY_MS : -1;
    eventfd_t count;

    while (!hf_errand_ended(errand)) {
        struct pollfd polls[3] = {
            {.fd = errand->progress_fd, .events = POLLIN},
            {.fd = hf_cancel_fd(cancel), .events = POLLIN},
            {.fd = hf_cancel_abandon_fd(cancel), .events = POLLIN},
        };

        pthread_mutex_unlock(&client->mutex);
        if (poll(polls, 3, patience_ms) < 0)
            polls[1].revents = polls[2].revents = 0;
        (void)eventfd_read(polls[0].fd, &count);
        pthread_mutex_lock(&client->mutex);
        if (polls[1].revents != 0 || polls[2].revents != 0)
            break;
    }
    return hf_errand_ended(errand);
}

static enum hf_status
fail_too_slow(const struct hf_errand *errand, struct hf_error *error)
{
    const struct hf_contender *c = &errand->contender;
    const struct hf_keeper_config *config = &c->keeper.config;
    char took[32];
    char ttl[32];
    char most[32];

    return hf_fail(
        error, HF_E_UNAVAILABLE,
        "lock %s: a write takes %s there, and a ttl of %s allows %s; ask for a "
        "longer ttl",
        errand->name, hf_duration_text(c->too_slow, took, sizeof(took)),
        hf_duration_text(config->terms.ttl, ttl, sizeof(ttl)),
        hf_duration_text(hf_keeper_slowest(config), most, sizeof(most)));
}

enum hf_status
hf_wait_fail(const struct hf_errand *errand, enum hf_status status,
             const struct hf_seen *seen, struct hf_error *error)
{
    const char *why = seen->error.text;

    if (status == HF_E_UNAVAILABLE && errand->kind == HF_ERRAND_LOCK &&
        errand->contender.too_slow.ms > 0)
        return fail_too_slow(errand, error);
    if (status == HF_E_UNAVAILABLE && seen->error.status == HF_E_CORRUPT)
        return hf_fail(error, HF_E_CORRUPT, "lock %s: %s", errand->name, why);
    switch (status) {
    case HF_E_CANCELLED:
        return hf_fail(error, status, "lock %s: cancelled", errand->name);
    case HF_E_UNKNOWN:
        return hf_fail(error, status,
                       "lock %s: abandoned before it was settled; a record "
                       "may be left behind",
                       errand->name);
    case HF_E_CORRUPT:
        return hf_fail(error, status,
                       "lock %s: its record is not Holdfast's%s%s",
                       errand->name, why[0] == '\0' ? "" : ": ", why);
    case HF_OK:
    case HF_E_INVALID:
    case HF_E_UNAVAILABLE:
    case HF_E_DENIED:
    case HF_E_LIMIT:
    case HF_E_NOMEM:
        break;
    }
    return hf_fail(error, status, "lock %s: %s", errand->name,
                   why[0] == '\0' ? "the place does not answer" : why);
}

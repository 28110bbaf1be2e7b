#include "client/beater.h"

#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/check.h"
#include "client/client.h"
#include "client/errand.h"

/* Send the time to every errand for which something is due. */
static void
tell_time(struct hf_client *client)
{
    struct hf_instant now = hf_now();
    struct hf_errand *errand = client->errands;

    client->beats_asked = false;
    while (errand != NULL) {
        struct hf_errand *after = errand->next;

        if (hf_reached(now, hf_errand_deadline(errand)))
            hf_errand_pump(errand, hf_event(HF_ON_CLOCK, now));
        (void)hf_errand_reap(errand);
        errand = after;
    }
    if (!client->beats_asked)
        return;

    /* One is beating: those that soon would share its commit. */
    for (errand = client->errands; errand != NULL; errand = errand->next)
        if (errand->granted)
            hf_errand_pump(errand, hf_event(HF_ON_HINT, now));
}

/* Run its callback, without the mutex, once for each news.  A release that
 * comes meanwhile takes the callback away, and then waits for the one that
 * runs; so the errand stays in the list until that has returned. */
static void
tell_news(struct hf_errand *errand)
{
    struct hf_client *client = errand->client;

    while (errand->handed && errand->news_count > 0) {
        enum hf_news news = errand->news[0];
        hf_news_fn *on_news = errand->on_news;

        errand->news[0] = errand->news[1];
        errand->news_count--;
        errand->calling = true;
        pthread_mutex_unlock(&client->mutex);
        on_news(errand->news_ctx, (struct hf_lock *)errand, news);
        pthread_mutex_lock(&client->mutex);
        errand->calling = false;
        pthread_cond_broadcast(&client->quiet);
    }
}

/* One walk: thousands of locks may be lost at once.  News that comes behind
 * it has woken the beater, which will not rest then. */
static void
deliver_news(struct hf_client *client)
{
    struct hf_errand *errand = client->errands;

    while (errand != NULL) {
        struct hf_errand *after;

        tell_news(errand);
        after = errand->next;
        (void)hf_errand_reap(errand);
        errand = after;
    }
}

static struct hf_instant
next_deadline(const struct hf_client *client)
{
    const struct hf_errand *errand;
    struct hf_instant next = HF_NEVER;

    for (errand = client->errands; errand != NULL; errand = errand->next)
        next = hf_earlier(next, hf_errand_deadline(errand));
    return next;
}

/* The timer runs on CLOCK_BOOTTIME, so that a machine that was suspended past
 * a deadline wakes it at once. */
static void
arm(struct hf_client *client)
{
    int64_t wait_ms;
    struct itimerspec when = {0};

    client->armed = next_deadline(client);
    if (client->armed.ms != HF_NEVER.ms) {
        wait_ms = hf_between(hf_now(), client->armed).ms;
        when.it_value.tv_sec = (time_t)(wait_ms / 1000);
        when.it_value.tv_nsec = (long)(wait_ms % 1000) * 1000000L;
        if (wait_ms == 0)
            when.it_value.tv_nsec = 1; /* zero would disarm it */
    }
    HF_CHECK(timerfd_settime(client->timer_fd, 0, &when, NULL) == 0);
}

/* Make room to poll `count` descriptors; without memory, fewer are watched,
 * and the holders' ends are noticed at the next look. */
static void
grow_polls(struct hf_client *client, size_t count)
{
    struct pollfd *grown;

    if (count <= client->polls_size)
        return;
    grown = hf_calloc(client->alloc, 2 * count, sizeof(*grown));
    if (grown == NULL)
        return;
    hf_free(client->alloc, client->polls);
    client->polls = grown;
    client->polls_size = 2 * count;
}

static size_t
count_watchers(const struct hf_client *client)
{
    const struct hf_errand *errand;
    size_t count = 0;

    for (errand = client->errands; errand != NULL; errand = errand->next)
        count += errand->seen != NULL;
    return count;
}

static size_t
collect_processes(struct hf_client *client)
{
    struct hf_errand *errand;
    size_t count = 0;
    uint64_t version;

    for (errand = client->errands; errand != NULL; errand = errand->next) {
        if (errand->seen == NULL || !hf_errand_watching(errand, &version))
            continue;
        if (count + HF_PROCESSES_MAX + 2 > client->polls_size)
            break;
        count += hf_process_poll_fds(&errand->seen->observation,
                                     client->polls + count);
    }
    return count;
}

static void
observe_all(struct hf_client *client)
{
    struct hf_errand *errand;

    for (errand = client->errands; errand != NULL; errand = errand->next)
        hf_errand_observe(errand);
}

static void
drain(int fd)
{
    uint64_t count;

    while (read(fd, &count, sizeof(count)) == (ssize_t)sizeof(count))
        continue;
}

/* Sleep, without the mutex, until the alarm, a wake-up or a process's end. */
static void
rest(struct hf_client *client)
{
    struct pollfd own[2] = {
        {.fd = client->timer_fd, .events = POLLIN},
        {.fd = client->beater_wake_fd, .events = POLLIN},
    };
    struct pollfd *polls = own;
    size_t count = 0;
    int ready;

    grow_polls(client, 2 + count_watchers(client) * HF_PROCESSES_MAX);
    if (client->polls_size >= 2) {
        polls = client->polls;
        count = collect_processes(client);
        polls[count] = own[0];
        polls[count + 1] = own[1];
    }

    pthread_mutex_unlock(&client->mutex);
    ready = poll(polls, (nfds_t)(count + 2), -1);
    drain(client->timer_fd);
    drain(client->beater_wake_fd);
    pthread_mutex_lock(&client->mutex);
    if (ready > 0 && count > 0)
        observe_all(client);
}

void *
hf_beater_main(void *arg)
{
    struct hf_client *client = arg;

    hf_client_beats_here(client);
    pthread_mutex_lock(&client->mutex);
    while (!client->closing) {
        tell_time(client);
        deliver_news(client);
        arm(client);
        rest(client);
    }
    pthread_mutex_unlock(&client->mutex);
    return NULL;
}

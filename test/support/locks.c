#include "support/locks.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/clock.h"
#include "client/client.h"

static void
must(enum hf_status status, const char *what, const struct hf_error *error)
{
    if (status == HF_OK)
        return;
    fprintf(stderr, "%s: %s: %s\n", what, hf_status_name(status), error->text);
    abort();
}

/* ---- A client ------------------------------------------------------------ */

static struct hf_client *
new_client(void)
{
    struct hf_client *client = NULL;
    struct hf_error error = {0};

    must(hf_client_new(NULL, &client, &error), "a new client", &error);
    return client;
}

struct hf_client *
open_client(const char *place)
{
    struct hf_client *client = new_client();
    struct hf_error error = {0};

    must(hf_client_open(client, place, &error), "open", &error);
    return client;
}

struct hf_client *
open_client_on(struct hf_store *store, const char *place)
{
    struct hf_client *client = new_client();
    struct hf_error error = {0};

    HF_CHECK(store != NULL);
    must(hf_client_open_on(client, store, place, &error), "open", &error);
    return client;
}

void
close_client(struct hf_client *client)
{
    HF_CHECK(hf_client_close(client, HF_FOREVER) == HF_OK);
}

/* ---- A lock -------------------------------------------------------------- */

static struct hf_lock *
new_lock_with(struct hf_client *client, const char *name, va_list options)
{
    struct hf_lock *lock = NULL;
    struct hf_error error = {0};
    const char *option;

    must(hf_lock_new(client, name, &lock, &error), "a new lock", &error);
    while ((option = va_arg(options, const char *)) != NULL)
        must(hf_lock_set(lock, option, va_arg(options, const char *), &error),
             option, &error);
    return lock;
}

static struct hf_lock *
ask_for_with(struct hf_client *client, const char *name, va_list options)
{
    struct hf_lock *lock = new_lock_with(client, name, options);
    struct hf_error error = {0};

    must(hf_lock_start(lock, &error), "start", &error);
    return lock;
}

struct hf_lock *
hold_with(struct hf_client *client, const char *name, va_list options)
{
    struct hf_lock *lock = ask_for_with(client, name, options);
    struct hf_error error = {0};

    if (hf_lock_wait(lock, HF_FOREVER) == HF_STATE_HELD)
        return lock;
    must(hf_lock_error(lock, &error), name, &error);
    fprintf(stderr, "%s: %s\n", name, hf_outcome_word(hf_lock_check(lock)));
    abort();
}

struct hf_lock *
new_lock(struct hf_client *client, const char *name, ...)
{
    struct hf_lock *lock;
    va_list options;

    va_start(options, name);
    lock = new_lock_with(client, name, options);
    va_end(options);
    return lock;
}

struct hf_lock *
ask_for(struct hf_client *client, const char *name, ...)
{
    struct hf_lock *lock;
    va_list options;

    va_start(options, name);
    lock = ask_for_with(client, name, options);
    va_end(options);
    return lock;
}

struct hf_lock *
acquire(struct hf_client *client, const char *name, ...)
{
    struct hf_lock *lock;
    va_list options;

    va_start(options, name);
    lock = ask_for_with(client, name, options);
    va_end(options);
    (void)hf_lock_wait(lock, HF_FOREVER);
    return lock;
}

struct hf_lock *
hold(struct hf_client *client, const char *name, ...)
{
    struct hf_lock *lock;
    va_list options;

    va_start(options, name);
    lock = hold_with(client, name, options);
    va_end(options);
    return lock;
}

/* One that is lost settles by itself. */
enum hf_status
finish(struct hf_lock *lock)
{
    enum hf_status status;

    while (hf_lock_state(lock) != HF_STATE_ENDED)
        (void)hf_lock_wait(lock, HF_FOREVER);
    status = hf_lock_error(lock, NULL);
    hf_lock_free(lock);
    return status;
}

enum hf_status
give_back(struct hf_lock *lock)
{
    hf_lock_release(lock);
    return finish(lock);
}

enum hf_status
leave_behind(struct hf_lock *lock)
{
    hf_lock_abandon(lock);
    return finish(lock);
}

/* ---- Notices ------------------------------------------------------------- */

unsigned
await_news(struct hf_client *client, uint64_t id, unsigned news)
{
    struct pollfd fd = {.fd = hf_client_fd(client), .events = POLLIN};
    unsigned told = 0;

    while ((told & news) == 0) {
        const struct hf_notice *notice = hf_client_next(client);

        if (notice == NULL)
            HF_CHECK(poll(&fd, 1, HF_TEST_PATIENCE_MS) == 1);
        else if (hf_notice_id(notice) == id)
            told |= hf_notice_news(notice);
    }
    return told;
}

void
await_holder(struct hf_client *client, const struct hf_lock *waiter)
{
    (void)await_news(client, hf_lock_id(waiter), HF_NEWS_HOLDER);
}

/* ---- A query ------------------------------------------------------------- */

static struct hf_query *
new_query_with(struct hf_client *client, enum hf_query_kind kind,
               va_list options)
{
    struct hf_query *query = NULL;
    struct hf_error error = {0};
    const char *option;

    must(hf_query_new(client, kind, &query, &error), "a new query", &error);
    while ((option = va_arg(options, const char *)) != NULL)
        must(hf_query_set(query, option, va_arg(options, const char *), &error),
             option, &error);
    return query;
}

struct hf_query *
new_query(struct hf_client *client, enum hf_query_kind kind, ...)
{
    struct hf_query *query;
    va_list options;

    va_start(options, kind);
    query = new_query_with(client, kind, options);
    va_end(options);
    return query;
}

enum hf_status
ask(struct hf_query *query)
{
    struct hf_error error = {0};

    must(hf_query_start(query, &error), "start", &error);
    HF_CHECK(hf_query_wait(query, HF_FOREVER));
    return hf_query_error(query, NULL);
}

static struct hf_view *
ask_of(struct hf_query *query, const char *name)
{
    struct hf_error error = {0};
    struct hf_view *view;

    must(hf_query_set(query, HF_NAME, name, &error), "name", &error);
    (void)ask(query);
    must(hf_query_error(query, &error), name, &error);
    view = hf_query_view(query);
    HF_CHECK(view != NULL);
    hf_query_free(query);
    return view;
}

struct hf_view *
examine(struct hf_client *client, const char *name, ...)
{
    struct hf_query *query;
    va_list options;

    va_start(options, name);
    query = new_query_with(client, HF_EXAMINE, options);
    va_end(options);
    return ask_of(query, name);
}

struct hf_view *
clear(struct hf_client *client, const char *name, ...)
{
    struct hf_query *query;
    va_list options;

    va_start(options, name);
    query = new_query_with(client, HF_CLEAR, options);
    va_end(options);
    return ask_of(query, name);
}

void
clear_by_force(struct hf_client *client, const char *name)
{
    struct hf_view *view =
        clear(client, name, HF_REASON, "a test", HF_FORCE, "yes", NULL);

    HF_CHECK(hf_view_number(view, HF_FIELD_CLEARED) == 1);
    hf_view_free(view);
}

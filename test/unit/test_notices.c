#include "support/test.h"
#include "unit/support/clients.h"

#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>

/*
 * Notices: a handle stands in the queue once, with all its news; and one
 * descriptor tells that somebody does.
 */

static bool
is_readable(const struct hf_client *client)
{
    struct pollfd fd = {.fd = hf_client_fd(client), .events = POLLIN};

    return poll(&fd, 1, 0) == 1;
}

/* The next notice is this one's, with exactly these news. */
static void
expect_notice(struct hf_client *client, uint64_t id, unsigned news,
              enum hf_state its_state)
{
    const struct hf_notice *notice = hf_client_next(client);

    assert_non_null(notice);
    assert_int_equal(hf_notice_id(notice), id);
    assert_int_equal(hf_notice_news(notice), news);
    assert_int_equal(hf_notice_state(notice), its_state);
}

static void
forget_notices(struct hf_client *client)
{
    while (hf_client_next(client) != NULL)
        ;
}

/* ---- The queue ----------------------------------------------------------- */

TEST(a_handle_stands_once_in_the_queue_with_all_its_news)
{
    struct hf_client *client = open_client("memory:once");
    struct hf_lock *lock = hold(client, "deploy", NULL);

    hf_lock_release(lock);
    while (hf_lock_wait(lock, HF_FOREVER) != HF_STATE_ENDED)
        ;
    expect_notice(client, hf_lock_id(lock), HF_NEWS_GRANTED | HF_NEWS_ENDED,
                  HF_STATE_ENDED);
    assert_null(hf_client_next(client));
    hf_lock_free(lock);
    close_client(client);
}

TEST(what_was_taken_is_not_told_again)
{
    struct hf_client *client = open_client("memory:again");
    struct hf_lock *lock = hold(client, "deploy", NULL);
    uint64_t id = hf_lock_id(lock);

    expect_notice(client, id, HF_NEWS_GRANTED, HF_STATE_HELD);
    assert_null(hf_client_next(client));
    hf_lock_release(lock);
    while (hf_lock_wait(lock, HF_FOREVER) != HF_STATE_ENDED)
        ;
    expect_notice(client, id, HF_NEWS_ENDED, HF_STATE_ENDED);
    assert_null(hf_client_next(client));
    hf_lock_free(lock);
    close_client(client);
}

TEST(the_oldest_news_come_first)
{
    struct hf_client *client = open_client("memory:oldest");
    struct hf_lock *b = hold(client, "b", NULL);
    struct hf_lock *a = hold(client, "a", NULL);
    struct hf_lock *c = hold(client, "c", NULL);

    hf_lock_release(b);
    while (hf_lock_wait(b, HF_FOREVER) != HF_STATE_ENDED)
        ; /* its later news do not move it */
    expect_notice(client, hf_lock_id(b), HF_NEWS_GRANTED | HF_NEWS_ENDED,
                  HF_STATE_ENDED);
    expect_notice(client, hf_lock_id(a), HF_NEWS_GRANTED, HF_STATE_HELD);
    expect_notice(client, hf_lock_id(c), HF_NEWS_GRANTED, HF_STATE_HELD);
    assert_null(hf_client_next(client));
    hf_lock_free(a);
    hf_lock_free(b);
    hf_lock_free(c);
    close_client(client);
}

TEST(a_notice_bears_what_the_caller_gave_its_handle)
{
    struct hf_client *client = open_client("memory:user");
    struct hf_lock *lock = new_lock(client, "deploy", NULL);
    struct hf_query *query = new_query(client, HF_LIST, NULL);
    int mine;
    const struct hf_notice *notice;

    hf_lock_set_user(lock, &mine);
    hf_query_set_user(query, query);
    assert_int_equal(hf_lock_start(lock, NULL), HF_OK);
    assert_int_equal(hf_lock_wait(lock, HF_FOREVER), HF_STATE_HELD);
    notice = hf_client_next(client);
    assert_ptr_equal(hf_notice_user(notice), &mine);
    assert_int_equal(ask(query), HF_OK);
    notice = hf_client_next(client);
    assert_ptr_equal(hf_notice_user(notice), query);
    assert_int_equal(hf_notice_id(notice), hf_query_id(query));
    assert_int_equal(hf_notice_news(notice), HF_NEWS_ENDED);
    assert_int_equal(hf_notice_state(notice), HF_STATE_ENDED);
    hf_query_free(query);
    hf_lock_free(lock);
    close_client(client);
}

/* ---- The descriptor ------------------------------------------------------ */

TEST(the_descriptor_is_readable_while_there_are_notices)
{
    struct hf_client *client = open_client("memory:fd");
    int fd = hf_client_fd(client);
    struct hf_lock *lock;

    assert_false(is_readable(client));
    for (int i = 0; i < 3; i++) {
        lock = hold(client, "deploy", NULL);
        assert_true(is_readable(client));
        assert_non_null(hf_client_next(client));
        assert_null(hf_client_next(client));
        assert_false(is_readable(client));
        assert_int_equal(give_back(lock), HF_OK);
        forget_notices(client);
        assert_false(is_readable(client));
    }
    assert_int_equal(hf_client_fd(client), fd);
    close_client(client);
}

/* No wake-up is lost between the last notice taken and the next wait. */
TEST(whoever_waits_for_the_descriptor_hears_of_everything)
{
    enum { LOCKS = 50 };
    struct hf_client *a = open_client("memory:hears");
    struct hf_client *b = open_client("memory:hears");
    struct hf_lock *held = hold(a, "deploy", NULL);
    struct hf_lock *line[LOCKS];

    for (size_t i = 0; i < LOCKS; i++)
        line[i] = ask_for(b, "deploy", NULL);
    assert_int_equal(give_back(held), HF_OK);
    for (size_t i = 0; i < LOCKS; i++) {
        (void)await_news(b, hf_lock_id(line[i]), HF_NEWS_GRANTED);
        hf_lock_release(line[i]);
    }
    for (size_t i = 0; i < LOCKS; i++)
        assert_int_equal(finish(line[i]), HF_OK);
    close_client(a);
    close_client(b);
}

/* ---- Who says nothing ---------------------------------------------------- */

TEST(a_freed_handle_says_nothing)
{
    struct hf_client *client = open_client("memory:freed");
    struct hf_lock *first = hold(client, "deploy", NULL);
    struct hf_lock *second = ask_for(client, "deploy", NULL);
    uint64_t id = hf_lock_id(second);
    const struct hf_notice *notice;

    hf_lock_free(first); /* with a notice in the queue, and an end to come */
    assert_int_equal(hf_lock_wait(second, HF_FOREVER), HF_STATE_HELD);
    while ((notice = hf_client_next(client)) != NULL)
        assert_int_equal(hf_notice_id(notice), id);
    assert_int_equal(give_back(second), HF_OK);
    assert_null(hf_client_next(client));
    close_client(client);
}

TEST(a_freed_query_says_nothing)
{
    struct hf_client *client = open_client("memory:query");
    struct hf_query *query = new_query(client, HF_LIST, NULL);
    struct hf_lock *lock;
    const struct hf_notice *notice;

    assert_int_equal(hf_query_start(query, NULL), HF_OK);
    hf_query_free(query);
    lock = hold(client, "deploy", NULL);
    notice = hf_client_next(client);
    assert_int_equal(hf_notice_id(notice), hf_lock_id(lock));
    assert_null(hf_client_next(client));
    assert_int_equal(give_back(lock), HF_OK);
    close_client(client);
}

/* Of this process: whichever client it belonged to. */
TEST(an_id_is_never_used_again)
{
    enum { COUNT = 100 };
    struct hf_client *clients[2] = {open_client("memory:ids"),
                                    open_client("memory:ids")};
    uint64_t ids[COUNT];

    for (size_t i = 0; i < COUNT; i++) {
        struct hf_lock *lock = new_lock(clients[i % 2], "deploy", NULL);
        struct hf_query *query = new_query(clients[i / 2 % 2], HF_LIST, NULL);

        ids[i] = i / 4 % 2 == 0 ? hf_lock_id(lock) : hf_query_id(query);
        assert_int_not_equal(ids[i], 0);
        assert_int_not_equal(hf_lock_id(lock), hf_query_id(query));
        for (size_t k = 0; k < i; k++)
            assert_int_not_equal(ids[k], ids[i]);
        hf_lock_free(lock);
        hf_query_free(query);
    }
    close_client(clients[0]);
    close_client(clients[1]);
}

/* ---- What is told -------------------------------------------------------- */

/* The first sight of whoever holds it is told once, to each who waits. */
TEST(every_waiter_is_told_once_of_a_holder)
{
    struct hf_client *a = open_client("memory:sight");
    struct hf_client *b = open_client("memory:sight");
    struct hf_lock *held = hold(a, "deploy", HF_TTL, "60s", NULL);
    struct hf_lock *first = ask_for(b, "deploy", NULL);
    struct hf_lock *second;
    struct hf_query *look;

    await_holder(b, first);
    second = ask_for(b, "deploy", NULL);
    await_holder(b, second);
    look = new_query(b, HF_EXAMINE, HF_NAME, "deploy", NULL);
    assert_int_equal(ask(look), HF_OK); /* it reads the record once more */
    for (const struct hf_notice *n = hf_client_next(b); n != NULL;
         n = hf_client_next(b))
        assert_int_equal(hf_notice_news(n) & HF_NEWS_HOLDER, 0);
    hf_query_free(look);
    hf_lock_free(first);
    hf_lock_free(second);
    assert_int_equal(give_back(held), HF_OK);
    close_client(a);
    close_client(b);
}

/* With a heap that gives nothing more, everything is still told. */
static atomic_bool empty;

static void *
allocate(void *ctx, size_t count, size_t size)
{
    (void)ctx;
    return atomic_load(&empty) ? NULL : calloc(count, size);
}

static void
release(void *ctx, void *memory)
{
    (void)ctx;
    free(memory);
}

TEST(telling_needs_no_memory)
{
    enum { LOCKS = 20 };
    static const struct hf_alloc alloc = {allocate, release, NULL};
    struct hf_client *client = NULL;
    struct hf_lock *line[LOCKS];
    size_t ended = 0;

    assert_int_equal(hf_client_new(&alloc, &client, NULL), HF_OK);
    assert_int_equal(hf_client_open(client, "memory:no-memory", NULL), HF_OK);
    line[0] = hold(client, "deploy", NULL);
    for (size_t i = 1; i < LOCKS; i++)
        line[i] = ask_for(client, "deploy", NULL);
    forget_notices(client);
    atomic_store(&empty, true);
    for (size_t i = LOCKS - 1; i > 0; i--)
        hf_lock_release(line[i]);
    for (size_t i = 1; i < LOCKS; i++) {
        assert_int_equal(hf_lock_wait(line[i], HF_FOREVER), HF_STATE_ENDED);
        assert_int_equal(hf_lock_error(line[i], NULL), HF_E_CANCELLED);
    }
    while (hf_client_next(client) != NULL)
        ended++;
    atomic_store(&empty, false);
    assert_int_equal(ended, LOCKS - 1);
    for (size_t i = 0; i < LOCKS; i++)
        hf_lock_free(line[i]);
    close_client(client);
}

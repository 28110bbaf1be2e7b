#include "unit/support/clients.h"

#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/*
 * A holder whose database file somebody removes: with its next beat it finds
 * that the place is another, long before its right is over.
 */

/* A right far longer than any of these tests, and beats that are frequent. */
static const struct hf_duration long_ttl = {600000};
static const struct hf_duration short_beat = {50};

struct heard {
    struct hf_client *client;
    struct hf_error cause;
    _Atomic int count;
    enum hf_news news[4];
};

static void
note(void *ctx, struct hf_lock *lock, enum hf_news news)
{
    struct heard *heard = ctx;
    int count = atomic_load(&heard->count);

    (void)lock;
    if (count == 0)
        (void)hf_client_trouble(heard->client, &heard->cause);
    if (count < 4)
        heard->news[count] = news;
    atomic_store(&heard->count, count + 1);
}

static void
await_news(const struct heard *heard, int count)
{
    while (atomic_load(&heard->count) < count)
        (void)poll(NULL, 0, 5);
}

static void
remove_files(const struct file_place *place)
{
    static const char *const ends[] = {"", "-wal", "-shm"};
    char path[160];

    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
        snprintf(path, sizeof(path), "%s%s", place->url + strlen("sqlite:"),
                 ends[i]);
        assert_int_equal(unlink(path), 0);
    }
}

/* Hold "deploy", lose the file, and wait for so many news. */
static struct hf_lock *
hold_and_remove(const struct file_place *place, enum hf_if_dead if_dead,
                struct heard *heard, int news)
{
    struct hf_acquire_options options = {
        .if_dead = if_dead,
        .ttl = long_ttl,
        .beat = short_beat,
        .on_news = note,
        .ctx = heard,
    };
    struct hf_lock *lock;

    heard->client = open_client(place->url);
    lock = hold(heard->client, "deploy", &options);
    remove_files(place);
    await_news(heard, news);
    return lock;
}

static void
a_takeover_holder_is_told_that_it_lost(void **state)
{
    struct file_place place;
    struct heard heard = {.count = 0};
    struct hf_client *other;
    struct hf_lock *lock;
    struct hf_lock *next;
    uint64_t fence;

    (void)state;
    make_place(&place);
    lock = hold_and_remove(&place, HF_TAKEOVER, &heard, 1);
    assert_int_equal(heard.news[0], HF_NEWS_LOST);
    assert_non_null(strstr(heard.cause.text, "removed or replaced"));
    assert_int_equal(hf_check(lock), HF_LOST);
    fence = hf_fence(lock);
    assert_int_equal(hf_release(lock, NULL, NULL), HF_OK);

    other = open_client(place.url);
    next = hold(other, "deploy", NULL);
    assert_true(hf_fence(next) > fence);
    assert_int_equal(hf_release(next, NULL, NULL), HF_OK);
    hf_close(other);
    hf_close(heard.client);
    remove_place(&place);
}

/* In doubt, until it has looked: then the lock is not its own any more. */
static void
a_refuse_holder_is_in_doubt_and_then_loses(void **state)
{
    struct file_place place;
    struct heard heard = {.count = 0};
    struct hf_lock *lock;

    (void)state;
    make_place(&place);
    lock = hold_and_remove(&place, HF_REFUSE, &heard, 2);
    assert_int_equal(heard.news[0], HF_NEWS_IN_DOUBT);
    assert_int_equal(heard.news[1], HF_NEWS_LOST);
    assert_int_equal(hf_check(lock), HF_LOST);
    assert_int_equal(hf_release(lock, NULL, NULL), HF_OK);
    hf_close(heard.client);
    remove_place(&place);
}

/* Not even the next, in the same process, waits for the old one's end. */
static void
the_client_goes_on_in_the_new_place(void **state)
{
    struct file_place place;
    struct heard heard = {.count = 0};
    struct hf_lock *lock;
    struct hf_lock *again;

    (void)state;
    make_place(&place);
    lock = hold_and_remove(&place, HF_TAKEOVER, &heard, 1);
    again = hold(heard.client, "deploy", NULL);
    assert_true(hf_fence(again) > hf_fence(lock));
    assert_int_equal(hf_release(lock, NULL, NULL), HF_OK);
    assert_int_equal(hf_check(again), HF_GRANTED);
    assert_int_equal(hf_release(again, NULL, NULL), HF_OK);
    hf_close(heard.client);
    remove_place(&place);
}

int
main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_takeover_holder_is_told_that_it_lost),
        cmocka_unit_test(a_refuse_holder_is_in_doubt_and_then_loses),
        cmocka_unit_test(the_client_goes_on_in_the_new_place),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

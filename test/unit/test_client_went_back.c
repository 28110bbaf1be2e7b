#include "support/test.h"
#include "unit/support/clients.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/*
 * A holder whose database file somebody removes: with its next beat it finds
 * that the place is another, long before its right is over.
 */

/* A right far longer than any of these tests, and beats that are frequent. */
#define LONG_TTL   "10m"
#define SHORT_BEAT "50ms"

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

/* Hold "deploy", lose the file, and hear that it is lost; in *told, all that
 * was heard. */
static struct hf_lock *
hold_and_remove(const struct file_place *place, struct hf_client *client,
                const char *if_dead, unsigned *told)
{
    struct hf_lock *lock = hold(client, "deploy", HF_TTL, LONG_TTL, HF_BEAT,
                                SHORT_BEAT, HF_IF_DEAD, if_dead, NULL);

    remove_files(place);
    *told = await_news(client, hf_lock_id(lock), HF_NEWS_LOST);
    return lock;
}

TEST(a_takeover_holder_is_told_that_it_lost)
{
    struct file_place place;
    struct hf_client *client;
    struct hf_client *other;
    struct hf_lock *lock;
    struct hf_lock *next;
    unsigned told;
    uint64_t fence;

    make_place(&place);
    client = open_client(place.url);
    lock = hold_and_remove(&place, client, "takeover", &told);
    assert_true((told & HF_NEWS_IN_DOUBT) == 0);
    assert_int_equal(hf_lock_check(lock), HF_LOST);
    fence = hf_lock_fence(lock);
    assert_int_equal(give_back(lock), HF_OK);

    other = open_client(place.url);
    next = hold(other, "deploy", NULL);
    assert_true(hf_lock_fence(next) > fence);
    assert_int_equal(give_back(next), HF_OK);
    close_client(other);
    close_client(client);
    remove_place(&place);
}

/* In doubt, until it has looked: then the lock is not its own any more.  It has
 * nothing to write there: why its last write failed can still be asked. */
TEST(a_refuse_holder_is_in_doubt_and_then_loses)
{
    struct file_place place;
    struct hf_client *client;
    struct hf_lock *lock;
    struct hf_error cause = {0};
    unsigned told;

    make_place(&place);
    client = open_client(place.url);
    lock = hold_and_remove(&place, client, "refuse", &told);
    assert_true((told & HF_NEWS_IN_DOUBT) != 0);
    assert_int_equal(hf_lock_check(lock), HF_LOST);
    assert_int_equal(hf_client_trouble(client, &cause), HF_E_UNAVAILABLE);
    assert_non_null(strstr(cause.text, "removed or replaced"));
    assert_int_equal(give_back(lock), HF_OK);
    close_client(client);
    remove_place(&place);
}

/* Not even the next, in the same process, waits for the old one's end. */
TEST(the_client_goes_on_in_the_new_place)
{
    struct file_place place;
    struct hf_client *client;
    struct hf_lock *lock;
    struct hf_lock *again;
    unsigned told;

    make_place(&place);
    client = open_client(place.url);
    lock = hold_and_remove(&place, client, "takeover", &told);
    again = hold(client, "deploy", NULL);
    assert_true(hf_lock_fence(again) > hf_lock_fence(lock));
    assert_int_equal(give_back(lock), HF_OK);
    assert_int_equal(hf_lock_check(again), HF_GRANTED);
    assert_int_equal(give_back(again), HF_OK);
    close_client(client);
    remove_place(&place);
}

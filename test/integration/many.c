#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/check.h"
#include "support/counting_store.h"
#include "support/folder.h"
#include "support/locks.h"
#include "support/processes.h"

/*
 * One client holds 5,000 locks of a SQLite file for more than two ttl: none is
 * lost or told of, and their beats go out together, in few commits.
 *
 * HF_LOCKS: hold so many, where a sanitizer makes everything slow.
 */

#define TTL_MS  3000
#define BEAT_MS 500
#define HANDS   8 /* threads that acquire and release */

struct hand {
    pthread_t thread;
    struct crowd *crowd;
    size_t first; /* every HANDS-th lock from here on */
};

struct crowd {
    struct hf_client *client;
    size_t count;
    struct hf_lock *locks[COUNTING_LOCKS_MAX];
};

static void *
acquire_all(void *arg)
{
    struct hand *hand = arg;
    struct crowd *crowd = hand->crowd;

    for (size_t i = hand->first; i < crowd->count; i += HANDS) {
        char name[32];

        snprintf(name, sizeof(name), "lock-%zu", i);
        crowd->locks[i] = hold(crowd->client, name, HF_TTL, "3s", HF_BEAT,
                               "500ms", HF_GRACE, "1s", NULL);
    }
    return NULL;
}

static void *
release_all(void *arg)
{
    struct hand *hand = arg;
    struct crowd *crowd = hand->crowd;

    for (size_t i = hand->first; i < crowd->count; i += HANDS)
        HF_CHECK(give_back(crowd->locks[i]) == HF_OK);
    return NULL;
}

static int64_t
with_all_hands(struct crowd *crowd, void *(*work)(void *))
{
    struct hand hands[HANDS];
    struct hf_instant began = hf_now();

    for (size_t i = 0; i < HANDS; i++) {
        hands[i] = (struct hand){.crowd = crowd, .first = i};
        HF_CHECK(pthread_create(&hands[i].thread, NULL, work, &hands[i]) == 0);
    }
    for (size_t i = 0; i < HANDS; i++)
        HF_CHECK(pthread_join(hands[i].thread, NULL) == 0);
    return hf_between(began, hf_now()).ms;
}

static size_t
count_held(const struct crowd *crowd)
{
    size_t held = 0;

    for (size_t i = 0; i < crowd->count; i++)
        held += hf_lock_check(crowd->locks[i]) == HF_GRANTED;
    return held;
}

static size_t
count_notices(struct hf_client *client)
{
    size_t count = 0;

    while (hf_client_next(client) != NULL)
        count++;
    return count;
}

/* Hold them all for more than two ttl, and look at each now and then. */
static void
keep(struct crowd *crowd, struct counts *counts)
{
    struct hf_duration long_enough = {TTL_MS * 5 / 2};
    struct hf_instant until = hf_after(hf_now(), long_enough);
    struct counting_sums sums;

    (void)counting_take(counts);
    HF_CHECK(count_notices(crowd->client) == crowd->count); /* the grants */
    while (!hf_reached(hf_now(), until)) {
        HF_CHECK(count_held(crowd) == crowd->count);
        poll(NULL, 0, 100);
    }
    HF_CHECK(count_notices(crowd->client) == 0);
    sums = counting_take(counts);
    printf("%zu locks held for %" PRId64 " ms: %" PRIu64 " beats in %" PRIu64
           " commits (%.1f commits/s, %zu beats in the largest), the slowest "
           "commit took %" PRId64 " ms; a beat is due every %d ms, the latest "
           "was applied %" PRId64 " ms after the one before\n",
           crowd->count, long_enough.ms, sums.beats, sums.commits,
           (double)sums.commits * 1000 / (double)long_enough.ms,
           sums.most_beats, sums.worst_commit_ms, BEAT_MS, sums.worst_gap_ms);
    /* At the least the beats that keep them all alive; each commit has many. */
    HF_CHECK(sums.beats >= 2 * crowd->count);
    HF_CHECK(sums.commits * 20 < sums.beats);
}

int
main(void)
{
    static struct crowd crowd;
    static struct counts counts;
    const char *count = getenv("HF_LOCKS");
    char folder[FOLDER_SIZE];
    char place[FOLDER_SIZE + 32];
    struct hf_store *store;
    int64_t acquired_ms;
    int64_t released_ms;

    processes_begin((struct hf_duration){100000});
    folder_make(folder);
    snprintf(place, sizeof(place), "sqlite:%s/locks.db", folder);
    crowd.count = count == NULL ? COUNTING_LOCKS_MAX : strtoul(count, NULL, 10);
    HF_CHECK(crowd.count <= COUNTING_LOCKS_MAX);
    store = counting_store_open(place, &counts);
    crowd.client = open_client_on(store, place);
    acquired_ms = with_all_hands(&crowd, acquire_all);
    keep(&crowd, &counts);
    released_ms = with_all_hands(&crowd, release_all);
    printf("acquired in %" PRId64 " ms, released in %" PRId64 " ms\n",
           acquired_ms, released_ms);
    close_client(crowd.client);
    folder_remove(folder);
    return 0;
}

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "support/folder.h"
#include "support/locks.h"
#include "support/processes.h"

/*
 * integration_fair PLACE: two clients, with 16 threads each, want one name all
 * the time; of all that is granted meanwhile, neither has more than three times
 * as much as the other.  PLACE is "memory" or "sqlite".
 *
 * A client that has handed a lock over inside itself for a second leaves it to
 * others: so this takes several times that long.
 */

#define THREADS    16
#define SECONDS    8
#define SHARES_MAX 3

struct side {
    struct hf_client *client;
    atomic_uint granted;
};

static atomic_bool over;
static atomic_uint inside;

static void *
want(void *arg)
{
    struct side *side = arg;

    while (!atomic_load(&over)) {
        struct hf_lock *lock = hold(side->client, "wanted", NULL);

        HF_CHECK(atomic_fetch_add(&inside, 1) == 0);
        atomic_fetch_add(&side->granted, 1);
        atomic_fetch_sub(&inside, 1);
        HF_CHECK(give_back(lock) == HF_OK);
    }
    return NULL;
}

/* For so long; then each has had some turns. */
static void
contend(struct side sides[2])
{
    pthread_t threads[2 * THREADS];

    for (size_t i = 0; i < sizeof(threads) / sizeof(threads[0]); i++)
        HF_CHECK(pthread_create(&threads[i], NULL, want, &sides[i % 2]) == 0);
    poll(NULL, 0, SECONDS * 1000);
    atomic_store(&over, true);
    for (size_t i = 0; i < sizeof(threads) / sizeof(threads[0]); i++)
        pthread_join(threads[i], NULL);
}

int
main(int argc, char **argv)
{
    bool memory = argc == 2 && strcmp(argv[1], "memory") == 0;
    char folder[FOLDER_SIZE];
    char place[FOLDER_SIZE + 32];
    struct side sides[2] = {{.granted = 0}, {.granted = 0}};
    unsigned one;
    unsigned other;

    if (argc != 2 || (!memory && strcmp(argv[1], "sqlite") != 0))
        return 64;
    processes_begin((struct hf_duration){60000});
    folder_make(folder);
    snprintf(place, sizeof(place), "sqlite:%s/locks.db", folder);
    for (size_t i = 0; i < 2; i++)
        sides[i].client = open_client(memory ? "memory:fair" : place);
    contend(sides);
    one = atomic_load(&sides[0].granted);
    other = atomic_load(&sides[1].granted);
    printf("%s: of two clients with %d threads, one had the lock %u times, the "
           "other %u times, in %d s\n",
           argv[1], THREADS, one, other, SECONDS);
    HF_CHECK(one <= SHARES_MAX * other && other <= SHARES_MAX * one);
    close_client(sides[0].client);
    close_client(sides[1].client);
    folder_remove(folder);
    return 0;
}

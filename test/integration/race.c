#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/check.h"
#include "support/actors.h"
#include "support/folder.h"
#include "support/processes.h"

/*
 * Two takers wait for one lock; its holder is killed with -9, which both learn
 * in the same moment, 200 times: each time exactly one takes over, and the
 * other sees it hold, waits on, and comes after it, with a higher fence.
 */

#define ROUNDS 200

/* Returns how long after the kill the winner held, in us. */
static int64_t
race(struct actor *one, struct actor *other, const char *name)
{
    int64_t killed_at;

    struct actor holder;
    struct actors_news held;
    struct actors_news won;
    struct actors_news followed;
    struct actor *winner = NULL;

    actors_start(&holder);
    actors_acquire(&holder, name, HF_TAKEOVER);
    held = actors_expect(&holder, ACTORS_GRANTED, 1);
    actors_acquire(one, name, HF_TAKEOVER);
    actors_acquire(other, name, HF_TAKEOVER);
    (void)actors_expect(one, ACTORS_SEES, held.fence);
    (void)actors_expect(other, ACTORS_SEES, held.fence);
    killed_at = actors_now_us();
    actors_kill(&holder);

    /* The loser's next news is that it sees the winner, and no grant; then it
     * has looked at the lock after the takeover, and goes on waiting. */
    won = actors_first(one, other, &winner);
    HF_CHECK(won.word == ACTORS_GRANTED && won.fence > held.fence);
    if (winner == other)
        other = one;
    (void)actors_expect(other, ACTORS_SEES, won.fence);
    HF_CHECK(!actors_has_news(other));

    actors_release(winner, false);
    (void)actors_expect(winner, ACTORS_RELEASED, 0);
    followed = actors_expect(other, ACTORS_GRANTED, won.fence + 1);
    HF_CHECK(followed.fence > won.fence);
    actors_release(other, false);
    (void)actors_expect(other, ACTORS_RELEASED, 0);
    return won.at_us - killed_at;
}

static int
compare(const void *a, const void *b)
{
    int64_t left = *(const int64_t *)a;
    int64_t right = *(const int64_t *)b;

    return (left > right) - (left < right);
}

int
main(void)
{
    char folder[FOLDER_SIZE];
    char place[FOLDER_SIZE + 32];
    struct actor one;
    struct actor other;
    static int64_t took_us[ROUNDS];

    processes_begin((struct hf_duration){100000});
    folder_make(folder);
    snprintf(place, sizeof(place), "sqlite:%s/locks.db", folder);
    HF_CHECK(setenv("HOLDFAST_AT", place, 1) == 0);
    actors_start(&one);
    actors_start(&other);
    for (int i = 0; i < ROUNDS; i++) {
        char name[32];

        snprintf(name, sizeof(name), "race-%d", i);
        took_us[i] = race(&one, &other, name);
    }
    actors_end(&one);
    actors_end(&other);
    folder_remove(folder);
    qsort(took_us, ROUNDS, sizeof(took_us[0]), compare);
    printf("%d races for a dead lock, each with one winner, %.1f ms (p50), "
           "%.1f ms (p99) after the kill\n",
           ROUNDS, (double)took_us[ROUNDS / 2] / 1000,
           (double)took_us[ROUNDS * 99 / 100] / 1000);
    /* They look at the record every 2 s; the death itself must wake them. */
    HF_CHECK(took_us[ROUNDS / 2] < 1000000);
    return 0;
}

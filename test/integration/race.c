#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/check.h"
#include "support/cast.h"
#include "support/folder.h"
#include "support/herd.h"

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
    struct cast_news held;
    struct cast_news won;
    struct cast_news followed;
    struct actor *winner = NULL;

    cast_start(&holder);
    cast_acquire(&holder, name, HF_TAKEOVER);
    held = cast_expect(&holder, CAST_GRANTED, 1);
    cast_acquire(one, name, HF_TAKEOVER);
    cast_acquire(other, name, HF_TAKEOVER);
    (void)cast_expect(one, CAST_SEES, held.fence);
    (void)cast_expect(other, CAST_SEES, held.fence);
    killed_at = cast_now_us();
    cast_kill(&holder);

    /* The loser's next news is that it sees the winner, and no grant; then it
     * has looked at the lock after the takeover, and goes on waiting. */
    won = cast_first(one, other, &winner);
    HF_CHECK(won.word == CAST_GRANTED && won.fence > held.fence);
    if (winner == other)
        other = one;
    (void)cast_expect(other, CAST_SEES, won.fence);
    HF_CHECK(!cast_has_news(other));

    cast_release(winner, false);
    (void)cast_expect(winner, CAST_RELEASED, 0);
    followed = cast_expect(other, CAST_GRANTED, won.fence + 1);
    HF_CHECK(followed.fence > won.fence);
    cast_release(other, false);
    (void)cast_expect(other, CAST_RELEASED, 0);
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

    herd_begin((struct hf_duration){100000});
    folder_make(folder);
    snprintf(place, sizeof(place), "sqlite:%s/locks.db", folder);
    HF_CHECK(setenv("HOLDFAST_AT", place, 1) == 0);
    cast_start(&one);
    cast_start(&other);
    for (int i = 0; i < ROUNDS; i++) {
        char name[32];

        snprintf(name, sizeof(name), "race-%d", i);
        took_us[i] = race(&one, &other, name);
    }
    cast_end(&one);
    cast_end(&other);
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

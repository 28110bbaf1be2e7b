#include "simulate/server/failovers.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/check.h"

enum {
    FAILOVERS_MAX = 100000,

    /* What the first grant costs beyond leader-ttl, load and one commit.  The
     * next leader has to see the last beat, to look once more and to claim;
     * clients look for it between pauses of up to 750 ms [R6], and the first to
     * find it is told its term, and alive, in a batch each, before it may ask
     * [R4, S4].  With a takeover grace all of that, but for the looking and the
     * claiming, goes on within the grace [L5]. */
    MEET_MS = 600,
    GRACE_MS = 150,
};

/* From the death to the first grant, and what it was made of. */
struct measured {
    int64_t whole;   /* from the death to the first grant */
    int64_t beat;    /* from the last write of the head to the death */
    int64_t led;     /* from that write until the next one led */
    int64_t load;    /* until it had read what is granted */
    int64_t waiting; /* for a client to come, and be granted */
    int64_t commit;  /* of the batch with the first grant */
    int64_t over;    /* whole, less leader-ttl, load and that commit */
};

static struct measured measures[FAILOVERS_MAX];
static int64_t column[FAILOVERS_MAX];

static int
by_size(const void *a, const void *b)
{
    int64_t left = *(const int64_t *)a;
    int64_t right = *(const int64_t *)b;

    return (left > right) - (left < right);
}

static struct measured
measure(const struct world *w)
{
    const struct failover *f = &w->failover;
    struct measured m = {
        .whole = f->granted_at - f->died_at,
        .beat = f->died_at - f->last_beat,
        .led = f->led_at - f->last_beat,
        .load = f->loaded_at - f->led_at,
        .commit = f->commit_ms,
        .waiting = f->granted_at - f->commit_ms - f->loaded_at,
    };

    m.over = m.whole - w->shape.node.leader.terms.ttl.ms - m.load - m.commit;
    return m;
}

static int64_t
print_column(const char *what, uint64_t count, size_t offset)
{
    for (uint64_t i = 0; i < count; i++)
        column[i] = *(
            const int64_t *)(const void *)((const char *)&measures[i] + offset);
    qsort(column, count, sizeof(column[0]), by_size);
    printf("%-46s p50 %5lld  p99 %5lld  max %5lld ms\n", what,
           (long long)column[count / 2], (long long)column[count * 99 / 100],
           (long long)column[count - 1]);
    return column[count * 99 / 100];
}

/* Did it go as it should: is everybody who held something a holder yet? */
static bool
run_one(struct world *w, uint64_t seed, const struct shape *shape)
{
    bool kept = world_run(w, seed, shape, false) && w->counts.losses == 0 &&
                w->counts.gones == 0 && w->failover.granted_at != 0;

    if (!kept)
        printf("seed %llu: %s: %s; %llu lost, %llu gone, granted at %lld\n",
               (unsigned long long)seed,
               w->broken == NULL ? "nothing broken" : w->broken, w->detail,
               (unsigned long long)w->counts.losses,
               (unsigned long long)w->counts.gones,
               (long long)w->failover.granted_at);
    return kept;
}

static bool
print_measures(uint64_t count, int64_t most_ms)
{
    int64_t over;

    print_column("from the death to the first grant", count,
                 offsetof(struct measured, whole));
    print_column("  the last beat was before the death", count,
                 offsetof(struct measured, beat));
    print_column("  from that beat until another led", count,
                 offsetof(struct measured, led));
    print_column("  load", count, offsetof(struct measured, load));
    print_column("  until the granting batch was begun", count,
                 offsetof(struct measured, waiting));
    print_column("  one commit", count, offsetof(struct measured, commit));
    over = print_column("beyond leader-ttl + load + one commit", count,
                        offsetof(struct measured, over));
    if (over > most_ms)
        printf("p99 is more than %lld ms beyond\n", (long long)most_ms);
    return over <= most_ms;
}

static bool
run_with_grace(struct world *w, uint64_t from, uint64_t count, int64_t grace_ms)
{
    uint64_t holders = 0;
    bool good = true;

    for (uint64_t i = 0; i < count; i++) {
        struct shape shape = shape_failover(from + i);

        shape.node.lockspace.takeover_grace.ms = grace_ms;
        good = run_one(w, from + i, &shape) && good;
        holders += w->failover.holders;
        measures[i] = measure(w);
        world_fini(w);
    }
    printf("takeover grace %lld ms, %llu failovers, %llu sessions that held "
           "something then\n",
           (long long)grace_ms, (unsigned long long)count,
           (unsigned long long)holders);
    return print_measures(count,
                          grace_ms > 0 ? grace_ms + GRACE_MS : MEET_MS) &&
           good;
}

int
failovers_run(struct world *w, uint64_t from, uint64_t count)
{
    bool good;

    HF_CHECK(count > 0 && count <= FAILOVERS_MAX);
    good = run_with_grace(w, from, count, 0);
    good = run_with_grace(w, from, count, 1250) && good;
    return good ? 0 : 1;
}

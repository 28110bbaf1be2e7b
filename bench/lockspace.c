#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "base/check.h"
#include "base/hash.h"
#include "core/lockspace.h"

/*
 * bench_lockspace [GRANTS [ROUNDS]]: a lockspace beside a bare hash table whose
 * entries have the same size, in turns, on one processor.  From 1,000 grants
 * on, ten times as many each time, up to so many (a million).
 *
 *   pair       one of all grants is given back and a new name is granted; the
 *              table removes one of its entries and adds another
 *   hand-over  in one line with as many waiters (a million at most) the holder
 *              gives back, the next is granted, and the first asks again; the
 *              table removes, adds, and adds and removes what was granted
 *   alive      a keep-alive of one of 1,000 sessions; the table finds one of
 *              as many entries
 *   expiry     a session is silent for its ttl, and had a tenth of all grants
 *              (100,000 at most); the table removes as many
 *
 * Batches are taken every 256 pairs, and are in the time; the sweep of what has
 * expired is not.  `work` is links set and entries and nodes looked at or moved
 * for each.
 */
enum {
    SESSIONS = 1000,
    NAME_LEN = 32,
    BATCH = 256,
    ROUNDS_MAX = 15,
    WAITERS_MAX = 1000 * 1000,
    EXPIRED_MAX = 100 * 1000,
};

/* At least so many times as fast as the bare table, and no larger. */
#define GOAL_RATIO   0.4
#define GRANT_BYTES  300
#define WAITER_BYTES 400

static const struct hf_lockspace_config common = {
    .blocking = {28500},
    .resume_grace = {2000},
    .ttl_max = {60000},
    .seed = 11,
};

static void *
map(size_t size)
{
    void *at = mmap(NULL, size, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    HF_CHECK(at != MAP_FAILED);
    (void)madvise(at, size, MADV_HUGEPAGE); /* as a server would */
    return at;
}

/* xorshift64* (Vigna 2016) */
static uint64_t
below(uint64_t *random, uint64_t range)
{
    *random ^= *random >> 12;
    *random ^= *random << 25;
    *random ^= *random >> 27;
    return (*random * UINT64_C(2685821657736338717) >> 16) % range;
}

static void
write_name(char *name, uint64_t number)
{
    memset(name, 'n', NAME_LEN);
    for (unsigned i = 0; i < 16; i++, number >>= 4)
        name[NAME_LEN - 1 - i] = "0123456789abcdef"[number & 15];
}

/* ---- The bare table ------------------------------------------------------ */

struct table {
    char *entries; /* from 1; each begins with its link and its name */
    uint32_t *heads;
    size_t size;
    uint32_t count;
    uint32_t mask; /* of chains, a power of two less one */
    uint32_t free;
};

struct entry {
    uint32_t next;
    char name[NAME_LEN];
};

static struct entry *
entry_at(const struct table *table, uint32_t number)
{
    return (struct entry *)(void *)(table->entries + number * table->size);
}

static uint32_t *
head_of(const struct table *table, const char *name)
{
    uint64_t hash = hf_hash_bytes(HF_HASH_SEED, name, NAME_LEN);

    hash ^= hash >> 32; /* its low bits alone are poor */
    return &table->heads[hash & table->mask];
}

static struct table
table_of(uint32_t count, size_t size)
{
    struct table table = {.size = size, .count = count};

    while (table.mask < count - 1)
        table.mask = table.mask * 2 + 1;
    table.entries = map((count + 2) * size);
    table.heads = map((table.mask + 1) * sizeof(uint32_t));
    for (uint32_t at = 1; at <= count + 1; at++)
        entry_at(&table, at)->next = at <= count ? at + 1 : 0;
    table.free = 1;
    return table;
}

static void
table_fini(struct table *table)
{
    munmap(table->entries, (table->count + 2) * table->size);
    munmap(table->heads, (table->mask + 1) * sizeof(uint32_t));
}

static void
table_add(struct table *table, const char *name)
{
    uint32_t number = table->free;
    struct entry *entry = entry_at(table, number);
    uint32_t *head = head_of(table, name);

    table->free = entry->next;
    memset(entry, 0, table->size);
    memcpy(entry->name, name, NAME_LEN);
    entry->next = *head;
    *head = number;
}

static uint32_t *
table_find(struct table *table, const char *name)
{
    uint32_t *link = head_of(table, name);

    while (memcmp(entry_at(table, *link)->name, name, NAME_LEN) != 0)
        link = &entry_at(table, *link)->next;
    return link;
}

static void
table_remove(struct table *table, const char *name)
{
    uint32_t *link = table_find(table, name);
    uint32_t number = *link;

    *link = entry_at(table, number)->next;
    entry_at(table, number)->next = table->free;
    table->free = number;
}

/* ---- The lockspace ------------------------------------------------------- */

struct space {
    struct hf_lockspace_config config;
    struct hf_lockspace *ls;
    size_t size;
    struct hf_lockspace_event event; /* a message, and the bench's own part of
                                        it is made once */
    struct hf_want want;
    struct hf_answer answer;
};

static struct space
space_of(struct hf_lockspace_limits limits)
{
    struct space space = {.config = common};
    struct hf_lockspace_event serve = {
        .kind = HF_SPACE_SERVE,
        .serve = {.term = 1, .next_fence = 1, .wall_us = 1}};

    space.config.limits = limits;
    HF_CHECK(hf_lockspace_valid(&space.config));
    space.size = hf_lockspace_size(&space.config);
    space.ls = hf_lockspace_init(map(space.size), &space.config);
    hf_lockspace_step(space.ls, &serve);
    space.event.kind = HF_SPACE_MESSAGE;
    space.event.message.term = 1;
    space.event.message.a = 1;
    space.want.space = (struct hf_bytes){"default", 7};
    space.want.name.len = NAME_LEN;
    space.want.mode = HF_EXCLUSIVE;
    return space;
}

/* From whom: what a server's decoder would set, and no more. */
struct from {
    uint64_t session, lane, n;
};

static void
send(struct space *space, enum hf_message_kind kind, struct from from)
{
    struct hf_message *message = &space->event.message;

    message->kind = kind;
    message->stream++;
    message->session = from.session;
    message->lane = from.lane;
    message->n = from.n;
    hf_lockspace_step(space->ls, &space->event);
    while (hf_lockspace_next(space->ls, &space->answer))
        continue;
}

static void
open_session(struct space *space, uint64_t id, int64_t ttl_ms)
{
    space->event.message.open.ttl.ms = ttl_ms;
    space->event.message.open.if_dead = HF_TAKEOVER;
    space->event.message.open.who = (struct hf_bytes){NULL, 0};
    send(space, HF_MESSAGE_OPEN, (struct from){.session = id});
    HF_CHECK(space->answer.kind == HF_ANSWER_OPENED);
}

static void
acquire(struct space *space, struct from from, const char *name)
{
    struct hf_message *message = &space->event.message;

    space->want.name.at = name;
    message->acquire.wants = &space->want;
    message->acquire.wants_count = 1;
    message->acquire.free = false;
    message->acquire.wait = HF_WAIT_FOREVER;
    message->acquire.waited.ms = 0;
    message->acquire.note.len = 0;
    send(space, HF_MESSAGE_ACQUIRE, from);
}

static void
write_batch(struct space *space)
{
    struct hf_lockspace_event event = {.kind = HF_SPACE_BATCH,
                                       .batch = {.verdict = HF_APPLIED}};
    struct hf_change change;
    struct hf_batch batch;

    hf_lockspace_begin(space->ls, (struct hf_budget){UINT32_MAX, SIZE_MAX / 2});
    while (hf_lockspace_take(space->ls, &change))
        continue;
    hf_lockspace_fix(space->ls, &batch);
    event.batch.number = batch.number;
    hf_lockspace_step(space->ls, &event);
}

static uint64_t
work_of(const struct space *space)
{
    struct hf_lockspace_counts counts = hf_lockspace_counts(space->ls);

    return counts.probes + counts.moves + counts.links;
}

/* ---- Figures ------------------------------------------------------------- */

struct figure {
    double ours[ROUNDS_MAX]; /* µs for each */
    double bare[ROUNDS_MAX];
    double work; /* probes, moves and links for each */
};

struct figures {
    struct figure pair, hand_over, alive, expiry;
    double grant_bytes, waiter_bytes;
};

/* Of this process alone, for others may use the processor meanwhile. */
static double
processor_us(void)
{
    struct timespec used;

    HF_CHECK(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used) == 0);
    return (double)used.tv_sec * 1e6 + (double)used.tv_nsec / 1e3;
}

struct watch {
    const struct space *space; /* NULL: the bare table's */
    double began_us;
    uint64_t work;
};

static struct watch
start(const struct space *space)
{
    return (struct watch){space, processor_us(),
                          space == NULL ? 0 : work_of(space)};
}

static void
stop(const struct watch *watch, struct figure *figure, unsigned round,
     size_t count)
{
    double us = (processor_us() - watch->began_us) / (double)count;

    if (watch->space == NULL) {
        figure->bare[round] = us;
        return;
    }
    figure->ours[round] = us;
    figure->work =
        (double)(work_of(watch->space) - watch->work) / (double)count;
}

/* All that hold, each in its own lane: which name, and of which request. */
struct held {
    uint64_t name;
    uint64_t n;
};

struct bench {
    uint32_t grants;
    unsigned rounds;
    uint64_t random;
    uint64_t next_name;
    struct held *held;
    struct space space;
    struct table table;
};

static struct from
lane_of(const struct bench *b, uint32_t i)
{
    return (struct from){i % SESSIONS + 1, i / SESSIONS, b->held[i].n};
}

static void
grant_new(struct bench *b, uint32_t i)
{
    char name[NAME_LEN];

    b->held[i].name = b->next_name++;
    b->held[i].n++;
    write_name(name, b->held[i].name);
    acquire(&b->space, lane_of(b, i), name);
    HF_CHECK(b->space.answer.kind == HF_ANSWER_GRANTED);
}

/* Room for so many claims, of which so many may wait. */
static struct hf_lockspace_limits
limits_for(uint32_t n, uint32_t waiters)
{
    return (struct hf_lockspace_limits){
        .sessions = SESSIONS + 1,
        .lanes = n,
        .claims = n + 2 * BATCH,
        .waiters = waiters,
        .names = n + 1,
        .spaces = 1,
        .parts = n + 2 * BATCH,
        .texts = n + 2,
        .session_lanes = n,
        .session_waiters = waiters,
        .session_grants = n + 1,
        .space_waiters = n + 1,
        .space_grants = n + 1,
        .request_names = 1,
        .search = 64,
        .record_bytes = 4096,
    };
}

static uint32_t
expired_of(uint32_t grants)
{
    return grants / 10 < EXPIRED_MAX ? grants / 10 : EXPIRED_MAX;
}

/* What each costs, if its lane and its name are its own. */
static double
bytes_of_each(uint32_t n, uint32_t waiters)
{
    struct hf_lockspace_config config = common;

    config.limits = limits_for(n, waiters);
    return (double)hf_lockspace_size(&config) / n;
}

static void
fill(struct bench *b)
{
    uint32_t n = b->grants;

    b->space = space_of(limits_for(n + expired_of(n), 1));
    b->held = calloc(n, sizeof(*b->held));
    HF_CHECK(b->held != NULL);
    for (uint64_t id = 1; id <= SESSIONS; id++)
        open_session(&b->space, id, 60000);
    for (uint32_t i = 0; i < n; i++) {
        grant_new(b, i);
        if (i % BATCH == 0)
            write_batch(&b->space);
    }
    write_batch(&b->space);
    b->table = table_of(n + expired_of(n), (size_t)bytes_of_each(n, 1) / 4 * 4);
    for (uint32_t i = 0; i < n; i++) {
        char name[NAME_LEN];

        write_name(name, b->held[i].name);
        table_add(&b->table, name);
    }
}

static void
measure_pairs(struct bench *b, struct figure *figure, unsigned round)
{
    size_t count = b->grants < 200000 ? 200000 : b->grants / 5;
    uint64_t random = b->random;
    uint64_t first = b->next_name;
    struct watch watch;
    char name[NAME_LEN];

    /* The same ones in the same order: first in the table. */
    watch = start(NULL);
    for (size_t i = 0; i < count; i++) {
        struct held *held = &b->held[below(&b->random, b->grants)];

        write_name(name, held->name);
        table_remove(&b->table, name);
        held->name = first++;
        write_name(name, held->name);
        table_add(&b->table, name);
    }
    stop(&watch, figure, round, count);
    b->random = random;
    watch = start(&b->space);
    for (size_t i = 0; i < count; i++) {
        uint32_t at = (uint32_t)below(&b->random, b->grants);

        send(&b->space, HF_MESSAGE_RELEASE, lane_of(b, at));
        grant_new(b, at);
        if (i % BATCH == 0)
            write_batch(&b->space);
    }
    stop(&watch, figure, round, count);
    write_batch(&b->space);
}

static void
measure_alive(struct bench *b, struct figure *figure, unsigned round)
{
    size_t count = 200000;
    struct table table = table_of(SESSIONS, b->table.size);
    struct watch watch;
    char name[NAME_LEN];
    size_t found = 0;

    for (uint32_t i = 0; i < SESSIONS; i++) {
        write_name(name, i);
        table_add(&table, name);
    }
    watch = start(NULL);
    for (size_t i = 0; i < count; i++) {
        write_name(name, below(&b->random, SESSIONS));
        found += *table_find(&table, name) != 0;
    }
    stop(&watch, figure, round, count);
    HF_CHECK(found == count);
    watch = start(&b->space);
    for (size_t i = 0; i < count; i++) {
        send(&b->space, HF_MESSAGE_KEEP_ALIVE,
             (struct from){.session = below(&b->random, SESSIONS) + 1});
        found -= b->space.answer.kind == HF_ANSWER_ALIVE;
    }
    stop(&watch, figure, round, count);
    HF_CHECK(found == 0);
    table_fini(&table);
}

static void
measure_expiry(struct bench *b, struct figure *figure, unsigned round)
{
    uint32_t count = expired_of(b->grants);
    uint64_t first = b->next_name;
    struct hf_lockspace_event clock = {.kind = HF_SPACE_CLOCK,
                                       .at = {2 * (round + 1)},
                                       .read_until = {2 * (round + 1)}};
    struct watch watch;
    char name[NAME_LEN];

    open_session(&b->space, SESSIONS + 1, 1);
    for (uint32_t i = 0; i < count; i++) {
        write_name(name, b->next_name++);
        acquire(&b->space, (struct from){SESSIONS + 1, i, 1}, name);
        table_add(&b->table, name);
    }
    write_batch(&b->space);
    watch = start(&b->space);
    hf_lockspace_step(b->space.ls, &clock);
    stop(&watch, figure, round, count);
    write_batch(&b->space);
    watch = start(NULL);
    for (uint32_t i = 0; i < count; i++) {
        write_name(name, first + i);
        table_remove(&b->table, name);
    }
    stop(&watch, figure, round, count);
}

/* ---- Hand-over ----------------------------------------------------------- */

struct line {
    struct space space;
    struct table table;
    uint32_t waiters;
    uint32_t holder; /* lanes hold it by turns */
    uint64_t *n;     /* each lane's request */
};

static struct from
from_lane(const struct line *line, uint32_t lane)
{
    return (struct from){lane % SESSIONS + 1, lane / SESSIONS, line->n[lane]};
}

static void
ask(struct line *line, uint32_t lane)
{
    char name[NAME_LEN];

    write_name(name, 0);
    line->n[lane]++;
    acquire(&line->space, from_lane(line, lane), name);
}

static struct line
line_of(uint32_t waiters)
{
    struct line line = {.waiters = waiters};
    char name[NAME_LEN];

    line.space = space_of(limits_for(waiters + 1, waiters + 1));
    line.n = calloc(waiters + 1, sizeof(*line.n));
    HF_CHECK(line.n != NULL);
    for (uint64_t id = 1; id <= SESSIONS; id++)
        open_session(&line.space, id, 60000);
    for (uint32_t lane = 0; lane <= waiters; lane++)
        ask(&line, lane);
    line.table =
        table_of(waiters + 2, (size_t)bytes_of_each(waiters, waiters) / 4 * 4);
    for (uint32_t lane = 0; lane <= waiters; lane++) {
        write_name(name, lane);
        table_add(&line.table, name);
    }
    return line;
}

static void
line_fini(struct line *line)
{
    munmap(line->space.ls, line->space.size);
    table_fini(&line->table);
    free(line->n);
}

static void
measure_hand_over(struct line *line, struct figure *figure, unsigned round)
{
    size_t count = 200000;
    uint32_t holder = line->holder;
    struct watch watch = start(NULL);
    char name[NAME_LEN];

    for (size_t i = 0; i < count; i++) {
        uint32_t next = holder == line->waiters ? 0 : holder + 1;

        write_name(name, holder);
        table_remove(&line->table, name); /* it holds no more */
        table_add(&line->table, name);    /* and waits again */
        write_name(name, next);
        table_remove(&line->table, name); /* it waits no more */
        table_add(&line->table, name);    /* and holds */
        holder = next;
    }
    stop(&watch, figure, round, count);
    watch = start(&line->space);
    for (size_t i = 0; i < count; i++) {
        holder = line->holder;
        send(&line->space, HF_MESSAGE_RELEASE, from_lane(line, holder));
        HF_CHECK(line->space.answer.kind == HF_ANSWER_GRANTED);
        ask(line, holder);
        line->holder = holder == line->waiters ? 0 : holder + 1;
        if (i % BATCH == 0)
            write_batch(&line->space);
    }
    stop(&watch, figure, round, count);
    write_batch(&line->space);
}

/* ---- All of them --------------------------------------------------------- */

static int
compare(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;

    return (x > y) - (x < y);
}

static double
median(const double *values, unsigned count)
{
    double sorted[ROUNDS_MAX];

    memcpy(sorted, values, count * sizeof(*values));
    qsort(sorted, count, sizeof(*sorted), compare);
    return sorted[count / 2];
}

static bool
print(uint32_t n, const char *what, const struct figure *figure,
      unsigned rounds)
{
    double ours = median(figure->ours, rounds);
    double bare = median(figure->bare, rounds);

    printf("%9" PRIu32 "  %-9s  %7.3f  %7.3f  %6.2f  %6.1f\n", n, what, ours,
           bare, bare / ours, figure->work);
    return bare / ours >= GOAL_RATIO;
}

static bool
measure(uint32_t grants, unsigned rounds)
{
    struct figures f = {.grant_bytes = bytes_of_each(grants, 1)};
    struct bench b = {.grants = grants, .rounds = rounds, .random = 5};
    uint32_t waiters = grants < WAITERS_MAX ? grants : WAITERS_MAX;
    struct line line;
    bool good;

    f.waiter_bytes = bytes_of_each(waiters, waiters);
    fill(&b);
    for (unsigned round = 0; round < rounds; round++) {
        measure_pairs(&b, &f.pair, round);
        measure_alive(&b, &f.alive, round);
        measure_expiry(&b, &f.expiry, round);
    }
    munmap(b.space.ls, b.space.size);
    table_fini(&b.table);
    free(b.held);
    line = line_of(waiters);
    for (unsigned round = 0; round < rounds; round++)
        measure_hand_over(&line, &f.hand_over, round);
    line_fini(&line);
    good = print(grants, "pair", &f.pair, rounds);
    good = print(waiters, "hand-over", &f.hand_over, rounds) && good;
    good = print(SESSIONS, "alive", &f.alive, rounds) && good;
    good = print(expired_of(grants), "expiry", &f.expiry, rounds) && good;
    if (grants < 100000)
        return good; /* what stands beside the entries is not shared yet */
    printf("%9" PRIu32 "  bytes: a grant %.0f, a waiter %.0f\n", grants,
           f.grant_bytes, f.waiter_bytes);
    fflush(stdout);
    HF_CHECK(f.grant_bytes <= GRANT_BYTES && f.waiter_bytes <= WAITER_BYTES);
    return good;
}

static unsigned long
number_of(const char *text, unsigned long most)
{
    unsigned long number = strtoul(text, NULL, 10);

    if (number >= 1 && number <= most)
        return number;
    fputs("usage: bench_lockspace [GRANTS [ROUNDS]]\n", stderr);
    exit(64);
}

int
main(int argc, char **argv)
{
    unsigned long most = argc > 1 ? number_of(argv[1], 10000000) : 1000000;
    unsigned rounds = argc > 2 ? (unsigned)number_of(argv[2], ROUNDS_MAX) : 5;
    bool good = true;

    printf("%9s  %-9s  %7s  %7s  %6s  %6s\n", "of", "each", "us", "bare us",
           "x bare", "work");
    for (uint32_t grants = 1000; grants <= most; grants *= 10)
        good = measure(grants, rounds) && good;
    printf("at least %.1f times as fast as a bare table: %s\n", GOAL_RATIO,
           good ? "everywhere" : "missed");
    return 0;
}

#ifndef HF_TEST_SIMULATE_TABLE_WORLD_H
#define HF_TEST_SIMULATE_TABLE_WORLD_H

#include "base/arena.h"
#include "base/attrs.h"
#include "base/heap.h"
#include "client/table/manager.h"
#include "client/table/observer.h"
#include "store/memory_table.h"
#include "store/silence.h"

/*
 * A simulated world: several processes, each with a client's manager, want the
 * locks of one place, which is slow, loses calls or answers, goes away for a
 * while, or goes back to what it was.  Managers, machines, batches and the
 * rules of the store are those of the product; time, threads, processes and the
 * way to the place are simulated.
 *
 * Everything follows from the seed: the same seed is the same run.
 */

enum { ALARM_ACTOR, ALARM_CALL, ALARM_HINT }; /* kinds of heap nodes */

enum { LEAST_TTL_MS = 1500 }; /* of any lock here */

enum { CLIENTS_MAX = 4, KEYS_MAX = 6, NAME_MAX_LEN = 33 };

/* A call that takes longer may well be too slow for the shortest ttl here. */
enum { SLOW_MS = 200 };

#define LONG_AGO (INT64_MIN / 2)

enum actor_kind { ACTOR_LOCK, ACTOR_EXAMINE, ACTOR_CLEAR };

/* What one thread of a process does with one lock. */
struct actor {
    union {
        struct hf_driver driver;   /* first: a driver is its actor's */
        struct hf_examine examine; /* EXAMINE, CLEAR */
    };
    enum actor_kind kind;
    struct hf_settings settings;
    char name[NAME_MAX_LEN];
    size_t client;
    size_t key;
    int64_t start_at;
    int64_t cancel_at; /* -1: never */
    bool abandons;     /* in the place of a release */
    bool started;
    bool stopped; /* it cancelled or abandoned */
    bool abandoned;
    bool told_ended;
    int64_t began_at;
    int64_t ended_at;          /* was told so */
    struct hf_heap_node alarm; /* what it does next */

    /* LOCK: the rest is what is true of its record. */
    struct hf_contender_config config; /* what the settings ask for */
    int64_t hold_ms;
    bool told_lost;
    uint64_t token;      /* of the last record that it made; 0: none */
    int64_t owned_until; /* that was there last; LONG_AGO: never */
    int64_t stood_until; /* a version of it had stood for its ttl, last;
                            LONG_AGO: none ever did */
    int64_t cleared_at;  /* -1: it was not */
    bool forced;         /* cleared, and not for what it looked like */

    /* EXAMINE, CLEAR */
    struct hf_examiner_config look;
    bool of_former;     /* CLEAR: with the fence of one who had the key */
    int64_t deleted_at; /* when its clear was applied; -1: it was not */
};

/* What is true of one key of the place. */
struct key_truth {
    struct actor *owner;    /* whose record it is; NULL: nobody's */
    uint64_t version;       /* that was written last */
    uint64_t highest_fence; /* granted so far */
    int64_t since_ms;       /* of this owner, or of nobody */
    int64_t owned_until;    /* by anybody; LONG_AGO: never */
    int64_t changed_at;     /* the last write of it */
    size_t believers_count; /* who has been told that he holds it */
    struct actor **believers;
};

/* One call to the place, on its way. */
struct call {
    struct hf_heap_node alarm;
    struct call *next; /* of its client's */
    size_t client;
    struct hf_table_batch *batch;
    struct hf_arena arena;
    struct actor **actors; /* whose group each is */
    struct hf_instant sent_at;
    int64_t executes_at; /* -1: never; done: -1, too */
    int64_t answers_at;  /* -1: it was */
    bool answer_lost;
    bool executed;
    bool failed;    /* the place that it went to is not there any more */
    bool swallowed; /* its connection lets nothing come back */
    bool answered;
};

/* A change of a key, on its way to one who watches it. */
struct hint {
    struct hf_heap_node alarm;
    size_t client;
    size_t key;
};

struct client {
    struct hf_manager manager;
    struct hf_self self;
    struct hf_holder holder; /* stands for its process, where it is observed */
    struct call *calls;
    unsigned calls_count;
    int64_t frozen_until;
    int64_t dies_at; /* -1: never */
    bool dead;
    bool behind; /* what it has open is the place that was */
    bool untold; /* it has opened what is there, and its manager not heard */
    int64_t last_fault; /* a call of it failed, or was slow */
    struct hf_silence_rule silence;
    int64_t swallowed_at; /* a connection began to swallow all */
};

struct world_shape {
    size_t clients;
    size_t keys;
    size_t actors;
    unsigned max_calls;
    int64_t latency_ms;    /* of a call at most */
    int64_t wake_ms;       /* of a hint at most */
    int64_t faults_end;    /* no fault after this */
    unsigned fault_chance; /* of 1000 calls */
    bool goes_back;
    unsigned looks;  /* actors that examine or clear, of 1000 */
    unsigned clears; /* of 1000 of these */
    unsigned lanes;  /* actors of a lane that they share, of 1000 */
    int64_t horizon;
    bool one_line; /* all wait forever in one line, and hold for a moment */
    bool held;     /* each has a key of its own, and holds it for long */
    bool storm;    /* a few hold for long, and hundreds come and go */
    size_t far;    /* so many hold, and the rest waits for what others hold */
    size_t operations_max; /* of one call */
    int64_t swallow_ms;    /* so often a connection begins to swallow all, for
                           good; 0: never */
};

struct world {
    uint64_t seed;
    uint64_t dice;
    struct world_shape shape;
    struct hf_instant now;
    struct hf_memory_table table;
    struct hf_heap alarms;
    struct client clients[CLIENTS_MAX];
    struct actor *actors;
    struct key_truth *keys;
    char (*names)[NAME_MAX_LEN];
    int64_t went_back_at; /* INT64_MAX: it is what it was */
    uint64_t new_floor;   /* no version of the place that was is above it */
    int64_t away_from, away_until;
    bool tracing;

    /* What came of it. */
    const char *broken; /* the promise that was; NULL: none */
    char detail[256];
    uint64_t steps;
    uint64_t moved_at_step; /* the last one at which time went on */
    uint64_t store_calls;
    uint64_t reads, writes;
    uint64_t grants;
    uint64_t outcomes[16];
    uint64_t losses;
    uint64_t risks; /* that were told of a right, before its end */
    uint64_t swallowed;
    uint64_t looks;
    uint64_t clears; /* that deleted a record */
};

/* Run the world of `seed`; false: a promise was broken, see world->broken. */
bool world_run(struct world *world, uint64_t seed,
               const struct world_shape *shape, bool tracing);

/* A shape that follows from the seed, of at most 40 actors. */
struct world_shape world_small(uint64_t seed);

/* ---- For the parts of it ------------------------------------------------- */

uint64_t world_die(uint64_t *state);
uint64_t world_draw(struct world *world, uint64_t below);
bool world_chance(struct world *world, uint64_t of_thousand);
HF_PRINTF(2, 3)
void world_say(const struct world *world, const char *format, ...);
HF_PRINTF(3, 4)
void world_break(struct world *world, const char *promise, const char *format,
                 ...);

/* Clients, keys and actors, as the shape says. */
void world_make(struct world *world);

#endif

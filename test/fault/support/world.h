#ifndef HF_TEST_WORLD_H
#define HF_TEST_WORLD_H

#include "core/contender.h"
#include "core/examiner.h"
#include "lossy.h"

/*
 * World: the machines of src/core on one lock of a real store, under virtual
 * time.  A question takes a millisecond to the store, its answer none; whoever
 * watches is given a hint after every write.
 *
 * At every step it is checked that no two of them hold, that the record in the
 * store is the holder's, that fences grow, and that none is told that it lost
 * its lock or may have: nothing here is ever slow enough for that.  The first
 * breach is kept in `why`, and the tale stops there.
 */

#define WORLD_ACTORS_MAX 4

struct actor {
    bool examines; /* which machine */
    union {
        struct hf_contender contender;
        struct hf_examiner examiner;
    };
    bool asked;                   /* a question is on its way */
    struct hf_request request;    /* it */
    struct hf_instant arrives_at; /* and when it arrives */
    bool granted;                 /* it was, once */
    bool dead;                    /* its process is gone */
};

struct world {
    struct lossy_sea *sea;  /* borrowed */
    struct hf_store *store; /* borrowed */
    struct hf_instant now;
    struct actor actors[WORLD_ACTORS_MAX];
    size_t count;
    uint64_t highest; /* of the fences granted */
    size_t grants;
    char why[160]; /* what went wrong; "" */
};

/* Terms of the locks, and a limit longer than any tale. */
#define WORLD_TTL_MS   3000
#define WORLD_BEAT_MS  300
#define WORLD_LIMIT_MS 60000

/* A new contender, which begins to acquire now. */
struct actor *world_acquire(struct world *world, enum hf_if_dead if_dead,
                            int64_t limit_ms);

/* A new examiner, which begins to clear now. */
struct actor *world_clear(struct world *world);

/* HF_ON_RELEASE or HF_ON_CANCEL. */
void world_tell(struct world *world, struct actor *actor,
                enum hf_event_kind kind);

/* It dies: what it sent may still arrive.  With `evidence` the others are
 * told that its processes are gone. */
void world_kill(struct world *world, struct actor *actor, bool evidence);

typedef bool world_condition_fn(const struct world *world,
                                const struct actor *actor);

bool world_granted(const struct world *world, const struct actor *actor);
bool world_ended(const struct world *world, const struct actor *actor);
bool world_claiming(const struct world *world, const struct actor *actor);

/* Let time pass until `condition`; a breach if it does not come to pass within
 * twice the limit of every wait. */
void world_until(struct world *world, world_condition_fn *condition,
                 const struct actor *actor);

/* Let `ms` pass. */
void world_pass(struct world *world, int64_t ms);

/* Note a breach unless `truth`. */
void world_expect(struct world *world, bool truth, const char *what);

#endif

#ifndef LAB_SERVER_WAITING_WORLD_H
#define LAB_SERVER_WAITING_WORLD_H

#include "lab/server/kind.h"
#include "lab/server/snapshot.h"

/* What a world of waiting.h is made of: plain data. */

enum {
    WAITING_STREAMS = 4, /* of a client, at once */
};

struct waiting_config {
    struct kind_config world;
    enum hf_mode modes[SNAPSHOT_CLIENTS]; /* in which each wants the lock */
    bool tries[SNAPSHOT_CLIENTS];         /* it does not wait */
    unsigned remains; /* ticks that a client says it will wait; 0: for ever */
    unsigned ttl;     /* this, and what follows, in ticks */
    unsigned blocking;
    unsigned resume_grace;
    unsigned waiters; /* the server's limit; 0: none that is met */
    enum hf_if_dead if_dead;
    bool slow_batches; /* a batch may take any time */
};

enum waiting_phase {
    PHASE_IDLE,
    PHASE_ASKING,
    PHASE_HOLDING,
    PHASE_SETTLING, /* has sent `release`, until it is answered */
    PHASE_GONE,     /* learned that its session is over */
    PHASE_DEAD,
};

enum waiting_stage {
    STAGE_NONE,
    STAGE_SENT, /* the message is on its way */
    STAGE_OPEN, /* the server has it, and has not answered */
    STAGE_DUE,  /* the answer waits for a batch */
    STAGE_LOST, /* there will be none, and its client does not know */
};

enum waiting_parked {
    PARKED_NOT,
    PARKED_ANSWERED, /* a blocking timeout */
    PARKED_CUT,
};

struct waiting_stream {
    uint8_t stage;
    uint8_t releases; /* else it acquires */
    uint8_t late;     /* the message, or its end, comes whenever it likes */
    uint8_t heard;    /* its client listens */
    uint8_t n;
    uint8_t a;
    uint8_t answer; /* DUE: an enum hf_answer_kind */
    uint8_t fence;  /* GRANTED */
    uint8_t loses;  /* DUE: the answer */
};

struct waiting_client {
    uint8_t phase;
    uint8_t cut;
    uint8_t n;
    uint8_t a;
    uint8_t fence; /* HOLDING */
    uint8_t kept;  /* ticks since a keep-alive was sent that was answered */
    /* What the server has heard, and said, as the promises have it. */
    uint8_t silent;   /* ticks since a message arrived */
    uint8_t ended;    /* for a ttl: its session is over */
    uint8_t turn;     /* its rank among those in line; 0: is not */
    uint8_t newest;   /* attempt of its request that arrived; 0: none */
    uint8_t listener; /* the stream of that, and one, until it has ended */
    uint8_t parked;   /* an enum waiting_parked */
    uint8_t told;     /* parked, or a grant that is kept: ticks since a batch
                         let that answer out, or it was cut off, and one; 0:
                         no batch has */
    uint8_t handed;   /* a grant of its request was handed over */
    uint8_t over;     /* so is its request, as it is told from then on */
    struct waiting_stream streams[WAITING_STREAMS];
};

struct waiting_world {
    const struct waiting_config *config;
    struct snapshot_config snapshot;
    const char *violated; /* by the last step */
    struct hf_instant now;
    struct waiting_client clients[SNAPSHOT_CLIENTS];
    struct snapshot_block block; /* the machine */
};

static inline struct hf_lockspace *
waiting_machine(struct waiting_world *world)
{
    return (struct hf_lockspace *)world->block.bytes;
}

#endif

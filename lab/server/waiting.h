#ifndef LAB_SERVER_WAITING_H
#define LAB_SERVER_WAITING_H

#include "lab/server/kind.h"
#include "lab/server/picture.h"

/*
 * Waiting: one lock server, one lock, and clients that ask it for the lock over
 * streams which break, are half open, late, or carry a message twice.
 *
 * The server is the lockspace of src/core, exactly as it is.  A client is as
 * small as it can be: it asks, asks again with the next attempt when it must
 * [R6], gives up or gives back whenever it likes, and then sends `release`
 * until it is answered [R5].  What keeps its session alive is not looked at
 * here: each tick a keep-alive of each client arrives, unless it is dead or cut
 * off.
 *
 * A step is: a client asks, gives up, gives back, asks again because nothing
 * came back · a message arrives · the server learns that a stream has ended ·
 * a batch is applied, and with it all answers that are due are handed over and
 * heard · the server looks at its clock · a cut is healed · a process begins
 * anew where one ended · a message that nobody waits for is lost · a tick.
 *
 * A fault is: a message that is late · one that is sent twice, of which the
 * second may arrive at any time · a stream that breaks, seen by its client or
 * by the server first · an answer that is lost · a client that is cut off · one
 * that dies.
 *
 * Time is urgent: it does not pass while a message that is not late is under
 * way, or the end of a stream that was hung up, while an answer is due, or the
 * server's clock.  That a stream broke, or its client died, the server may
 * learn at any time, or never.
 */

enum {
    WAITING_STREAMS = 4, /* of a client, at once */
};

struct waiting_config {
    struct kind_config world;
    enum hf_mode modes[PICTURE_CLIENTS]; /* in which each wants the lock */
    bool tries[PICTURE_CLIENTS];         /* it does not wait */
    unsigned remains; /* ticks that a client says it will wait; 0: for ever */
    unsigned ttl;     /* this, and what follows, in ticks */
    unsigned blocking;
    unsigned resume_grace;
    unsigned waiters; /* the server's limit; 0: none that is met */
    enum hf_if_dead if_dead;
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
    uint8_t parked;   /* ticks since it was told a blocking timeout, and one */
    uint8_t handed;   /* a grant of its request was handed over */
    uint8_t over;     /* so is its request, as it is told from then on */
    struct waiting_stream streams[WAITING_STREAMS];
};

struct waiting_world {
    const struct waiting_config *config;
    struct picture_config picture;
    const char *violated; /* by the last step */
    struct hf_instant now;
    struct waiting_client clients[PICTURE_CLIENTS];
    struct picture_block block; /* the machine */
};

enum waiting_act {
    WAITING_ASK,
    WAITING_GIVE_UP,
    WAITING_RELEASE,
    WAITING_RETRY,
    WAITING_HEAL,
    WAITING_ANEW,
    /* of a stream */
    WAITING_ARRIVE,
    WAITING_END,
    WAITING_DROP,
    /* of the server */
    WAITING_BATCH,
    WAITING_CLOCK,
    WAITING_CLOCK_ENDS, /* sessions end before waits do */
    WAITING_TICK,
    /* faults; of a client */
    WAITING_CRASH,
    WAITING_CUT,
    /* of a stream */
    WAITING_LATE,
    WAITING_TWICE,
    WAITING_BREAK,
    WAITING_CLOSE,
    WAITING_LOSE,
    WAITING_ACTS,
};

static inline struct hf_lockspace *
waiting_machine(struct waiting_world *world)
{
    return (struct hf_lockspace *)world->block.bytes;
}

void waiting_start(struct waiting_world *world,
                   const struct waiting_config *config);

/* What the machine is asked of a config. */
struct picture_config waiting_picture(const struct waiting_config *config);

/* `who` is a client; of a stream, client * WAITING_STREAMS + its index. */
bool waiting_is_of_stream(enum waiting_act act);
bool waiting_is_fault(enum waiting_act act);

bool waiting_allowed(const struct waiting_world *world, enum waiting_act act,
                     unsigned who);
void waiting_apply(struct waiting_world *world, enum waiting_act act,
                   unsigned who);

/* Copy it, and the machine in it. */
void waiting_copy(struct waiting_world *to, const struct waiting_world *from);

#endif

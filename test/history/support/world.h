#ifndef HF_TEST_HISTORY_WORLD_H
#define HF_TEST_HISTORY_WORLD_H

#include "history/note.h"
#include "history/support/service.h"

/*
 * The world of the simulated service.  Calls go down:
 *
 *   service.c    time, and what goes wrong
 *     |
 *   clients.c    what is wanted, believed and given back
 *   server.c     what is granted
 *     |
 *   world.c      chance, packets, and what is written
 */

enum {
    CLIENTS = 5,
    LANES = 2,
    LOCKS = 3,
    SESSIONS_MAX = 512,
    REQUESTS_MAX = 128, /* that anybody still thinks of */
    PACKETS_MAX = 256,
    TTL_NS = 2000,
    LATE_NS = 3 * TTL_NS,
    BEAT_NS = TTL_NS / 6,
};

/* How a request stands with its client. */
enum wish {
    WISH_DONE,
    WISH_ASKED,
    WISH_HELD,
    WISH_GIVEN_UP, /* it is released until that is answered */
};

/* How it stands with the server. */
enum place {
    PLACE_NONE,
    PLACE_WAITING,
    PLACE_GRANTED,
    PLACE_CLEARED,
    PLACE_OVER,
};

struct request {
    uint32_t serial; /* 0: none is here */
    uint32_t session;
    uint64_t lane;
    uint64_t n;
    enum hf_mode modes[LOCKS]; /* HF_UNTIL_FREE: it is not wanted */
    bool try;
    enum wish wish;
    bool silent; /* its client writes nothing of it any more */
    bool timed_out;
    int64_t deadline_ns;
    int64_t told_ns; /* the end of its right, as it was written last */
    uint64_t told_fence;
    /* What the server has of it. */
    enum place place;
    bool refused;
    uint64_t turn;
    uint64_t fence;
    enum hf_mode held[LOCKS];
};

struct session {
    char name[16];
    enum hf_if_dead if_dead;
    bool dead; /* its client was killed */
    bool ending;
    bool gone; /* and its client knows */
    int64_t right_ns;
    int64_t beat_ns; /* the next */
    int64_t cut_ns;  /* until then nothing comes to it, or from it */
    /* What the server has of it. */
    bool known;
    bool over;
    int64_t heard_ns;
};

enum packet_kind {
    PACKET_NONE,
    PACKET_BEAT, /* the first opens the session */
    PACKET_ACQUIRE,
    PACKET_RELEASE,
    PACKET_LOWER,
    PACKET_END,
    PACKET_CLEAR,
    PACKET_ALIVE, /* answers, from here on */
    PACKET_GONE,
    PACKET_GRANTED,
    PACKET_OVER,
    PACKET_LOWERED,
    PACKET_LOST,
};

struct packet {
    enum packet_kind kind;
    int64_t due_ns;
    int64_t sent_ns; /* BEAT, and its answer */
    uint32_t session;
    uint32_t serial; /* of the request */
    unsigned lock;
    uint64_t fence;
};

struct service {
    enum service_mistake mistake;
    uint64_t random;
    uint32_t pause; /* one in so many steps an idle lane asks */
    uint32_t tries; /* one in so many asks is one */
    bool harsh;     /* clients are killed and walk away, a store is restored */
    int64_t now_ns;
    struct hf_text *text;
    struct request requests[REQUESTS_MAX];
    uint32_t serials;
    struct session sessions[SESSIONS_MAX];
    uint32_t sessions_count;
    uint32_t clients[CLIENTS];        /* their sessions */
    uint64_t numbers[CLIENTS][LANES]; /* of the last request */
    struct packet packets[PACKETS_MAX];
    uint64_t turns;
    uint64_t fence; /* the last */
};

/* ---- world.c ------------------------------------------------------------- */

/* The locks' names. */
extern const char *const world_locks[LOCKS];

/* A number below `limit`; true once in `count` times; and the same, if it is
 * that mistake. */
uint32_t world_below(struct service *s, uint32_t limit);
bool world_one_in(struct service *s, uint32_t count);
bool world_mistakes(struct service *s, enum service_mistake mistake,
                    uint32_t count);

/* Write an event down, stamped now; of a request that is not silent. */
void world_write(struct service *s, struct note note);
void world_write_request(struct service *s, enum note_kind kind,
                         const struct request *request);
void world_write_lock(struct service *s, enum note_kind kind,
                      const struct request *request, unsigned lock);
void world_write_session(struct service *s, enum note_kind kind,
                         const struct session *session);

/* Put it on its way; it may be late, lost or doubled. */
void world_send(struct service *s, struct packet packet);
void world_send_of(struct service *s, enum packet_kind kind,
                   const struct request *request);

/* The next packet that is due, which is taken away; false: there is none. */
bool world_next(struct service *s, struct packet *packet);

/* NULL: nobody thinks of it any more. */
struct request *world_find(struct service *s, uint32_t serial);

/* ---- server.c ------------------------------------------------------------ */

/* Is it granted, or in line? */
bool server_has(const struct request *request);

/* A packet of a client's, or of an operator's. */
void server_take(struct service *s, const struct packet *packet);

/* End the sessions that were silent for a ttl. */
void server_tell_time(struct service *s);

/* Begin anew: who waits asks again, and all ttls are counted anew. */
void server_begin(struct service *s);

/* ---- clients.c ----------------------------------------------------------- */

void clients_open(struct service *s, unsigned client);
void clients_act(struct service *s, unsigned client);

/* An answer of the server's. */
void clients_take(struct service *s, const struct packet *packet);

#endif

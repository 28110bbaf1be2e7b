#ifndef HF_TEST_SIMULATE_SERVER_WORLD_H
#define HF_TEST_SIMULATE_SERVER_WORLD_H

#include "base/attrs.h"
#include "base/heap.h"
#include "base/list.h"
#include "core/node.h"
#include "core/session.h"
#include "simulate/server/shape.h"
#include "support/model_store.h"

/*
 * A simulated lock server with its clients: three nodes, twenty clients, one
 * store, and what lies between them.  Nodes, lockspaces, leaders and sessions
 * are those of the product; time, processes, streams and the store are
 * simulated.  Calls go down:
 *
 *   world.c      time: whose turn it is
 *     |
 *   fate.c       what goes wrong; people.c   what is wanted and given back
 *     |
 *   sessions.c   the clients' side of the protocol
 *   nodes.c      the server's: answers.c, loads.c
 *   calls.c      its questions, on their way to the store
 *     |
 *   network.c    streams, and what is on its way in them
 *   store.c      what is written
 *     |
 *   promise.c    what has been promised
 *
 * Everything follows from the seed: the same seed is the same run.
 */

enum {
    NODES = 3,
    CLIENTS = 20,
    SESSIONS_MAX = 2 * CLIENTS,
    NAMES_MAX = 24,
    WISHES_MAX = 8192, /* of a world */
    MINE_MAX = 12,     /* of a session, that have not ended */
    TOLD_MAX = 512,    /* that users were told of as granted */
    STREAMS_MAX = 1 << 15,
    OPEN_MAX = 64, /* streams of a session, and its doubled messages */
    PACKETS_MAX = 2048,
    CALLS_MAX = 128,
    GRANTS_MAX = 256,
    IDS_MAX = 4096, /* of sessions */
    CHANGES_MAX = 64,
    KEPT_MAX = 1024,
    HELD_UP_MAX = 1024, /* streams of a node that are not answered */
    LISTED = 16,        /* fences in an answer, or a page */
    HELD_LISTED = 1,    /* an alive lists so many; of more it has a sum */
};

/* What is due at one instant: messages first, and then the time is told.  But
 * what waits to be read is read when time was told already [S2]. */
enum rank { RANK_ARRIVES, RANK_TIME, RANKS };

/* What a heap node stands in. */
enum alarm_kind {
    ALARM_PACKET,
    ALARM_CALL,
    ALARM_NODE,    /* its deadline */
    ALARM_HINT,    /* of a node: the head was written */
    ALARM_SESSION, /* its deadline */
    ALARM_USER,    /* of a session, does something */
    ALARM_BIRTH,   /* of a node that died, or stopped */
    ALARM_FATE,
};

/* A process' own clock: at another rate, and from another beginning. */
struct sim_clock {
    int64_t begin_ms;
    int64_t per_thousand; /* of its ms, in as many true seconds */
};

/* ---- What is in the store ------------------------------------------------ */

struct sim_grant {
    uint64_t fence; /* 0: none */
    uint64_t session;
    uint64_t lane;
    uint64_t n;
    uint64_t wish; /* the note */
    uint8_t modes[NAMES_MAX];
};

struct sim_lease {
    bool on;
    enum hf_if_dead if_dead;
    struct hf_secret_hash secret;
    struct hf_duration silent_from;
};

struct sim_store {
    struct model_store cell; /* the head, as a lock's record */
    struct hf_head_state head;
    unsigned leader; /* the node that the head names, from 1 */
    bool forgot;     /* as whoever opens it sees, until a head is written */
    struct sim_grant grants[GRANTS_MAX];
    size_t grants_count; /* none is behind these */
    struct sim_lease leases[IDS_MAX];
    uint64_t ids_count;
};

/* ---- Nodes --------------------------------------------------------------- */

struct sim_change {
    enum hf_change_kind kind;
    uint64_t key;
    struct sim_grant grant;
    struct sim_lease lease;
};

struct sim_batch {
    uint64_t begun; /* the turn of the world */
    size_t count;
    struct sim_change changes[CHANGES_MAX];
};

/* An answer that is not due yet. */
struct sim_answer {
    struct hf_answer answer;
    uint64_t decided; /* the turn of the world */
    uint64_t fences[LISTED];
    size_t fences_count;
    uint64_t held[HELD_LISTED];
    size_t held_count;
};

struct sim_node {
    struct hf_node machine;
    struct hf_heap_node alarm;
    struct hf_heap_node birth;
    struct hf_heap_node hint; /* it will hear that the head was written */
    void *block;
    bool alive;
    uint64_t life;
    unsigned generation; /* of the store that it has open */
    bool forgot; /* as it saw when it opened it, until it has written to it */
    int64_t frozen_until;
    int64_t store_cut_until[2]; /* to the store, from the store */
    struct sim_clock clock;
    struct sim_batch batch;    /* collected last */
    int64_t sent_at;           /* and when */
    uint64_t written;          /* when the last batch was begun that is truly
                                  there: a turn of the world */
    struct sim_store *loading; /* what its last load read */
    unsigned names;            /* the node that leads, as it last read; 0: none
                                */
    struct sim_answer *kept;   /* in the order of their marks */
    size_t kept_first;
    size_t kept_end;
    uint64_t *handed; /* streams to which a grant was just written */
    uint64_t *handed_fences;
    size_t handed_count;
    uint64_t *held_up; /* streams that it has not answered */
    size_t held_up_count;
    const struct sim_packet *hears;
    struct hf_list unread; /* packets that have arrived, the first to come
                              first */
};

/* A question on its way to the store, or its answer on its way back. */
struct sim_call {
    struct hf_heap_node alarm;
    struct sim_call *next_free;
    unsigned node;
    uint64_t life;
    unsigned generation;
    bool out;     /* not yet done */
    bool unknown; /* said to be, before it is done */
    bool never;   /* it does not arrive */
    bool fails;
    bool loads;
    uint64_t term;
    int64_t began;
    struct hf_leader_effect ask;
    struct sim_batch batch;
    enum hf_verdict verdict;
    uint64_t version;
    struct hf_sight sight;
    struct hf_head_state head;
    unsigned leader;
};

/* ---- Clients ------------------------------------------------------------- */

/* What a user wants, and what he was told of it. */
struct sim_wish {
    unsigned session; /* by its place in the world */
    uint64_t life;    /* of that */
    uint64_t id;      /* of the lease that it was asked in last, and as */
    uint64_t lane;    /* what */
    uint64_t n;
    uint64_t fence;
    struct hf_instant wanted_at; /* on the client's clock */
    struct hf_instant deadline;
    enum hf_outcome seen; /* what its deadline is to say by what was shown */
    bool fail_suspected;
    uint8_t modes[NAMES_MAX]; /* 0: not wanted; else 1 + enum hf_mode */
    uint8_t order[NAMES_MAX]; /* which names were asked for, in that order */
    uint8_t count;
    bool free;
    enum hf_wait_kind wait;
    bool granted;  /* told so */
    bool released; /* its user said so, or ended the session */
    bool ended;
    bool settled;       /* nothing may be at the server any more */
    bool cleared;       /* a leader took it for an operator */
    uint64_t forgotten; /* a fence that the store lost */
    bool ghost;         /* it came back with an older copy of the store */
    size_t place; /* of its grant in the store, when it was last looked for */
};

struct sim_session {
    struct hf_session *machine;
    struct hf_session_config config;
    struct hf_heap_node alarm;
    struct hf_heap_node user;
    unsigned client;
    uint64_t life;
    bool put_off; /* it is being told that nothing is granted for long */
    bool ends;
    bool wanted_last; /* SETTLING: it has asked once more */
    uint64_t mine[MINE_MAX];
    size_t mine_count;
    uint64_t open[OPEN_MAX]; /* streams that may yet be answered */
    size_t open_count;
};

/* A lease was heard by a leader. */
struct sim_heard {
    unsigned node;        /* from 1; 0: by none */
    uint64_t life;        /* of that */
    struct hf_instant at; /* on its clock */
};

/* A process: its sessions live, sleep and die together. */
struct sim_client {
    int64_t frozen_until;
    int64_t cut_until[NODES][2]; /* to the node, from the node */
    struct sim_clock clock;
};

/* ---- Between them -------------------------------------------------------- */

/* One message and its answer. */
struct sim_stream {
    unsigned session;
    uint64_t life;
    uint64_t own;  /* the session's number of it; 0: a dead connection */
    unsigned node; /* from 0 */
    enum hf_message_kind kind;
    uint64_t id; /* of the lease */
    uint64_t lane;
    uint64_t n;
    uint64_t heard_life; /* of the node that heard it; 0: none did */
    bool ended;          /* for the node */
    bool holds;          /* the lease had a record when it was sent */
    uint64_t clears;     /* of an operator's: the wish whose grant is meant */
    bool at_once;        /* ... whether its holder was silent or not */
};

enum packet_kind {
    PACKET_MESSAGE,
    PACKET_ANSWER,
    PACKET_BROKEN, /* a session learns it */
    PACKET_ENDED,  /* a node learns it */
};

struct sim_packet {
    struct hf_heap_node alarm;
    struct sim_packet *next_free;
    enum packet_kind kind;
    unsigned session;
    uint64_t life;
    unsigned node;
    uint64_t stream;
    struct hf_session_send send;
    struct hf_session_event event;
    uint64_t fences[LISTED];
    size_t fences_count;
    uint64_t held[HELD_LISTED];
    size_t held_count;
    struct hf_link link; /* of what waits at its node to be read */
    bool unread;         /* it does */
    bool cut;            /* ENDED: with its connection */
    bool speaks;         /* by it a session is alive, for all that time tells */
    int64_t arrived;
};

/* ---- The world ----------------------------------------------------------- */

/* What happened: what never did proves nothing. */
struct sim_counts {
    uint64_t steps, grants, timeouts, unavailable, losses, doubts, gones;
    uint64_t terms, failovers, commits, unknowns, refusals, late;
    uint64_t kills, freezes, cuts, clears, spared, judged, pages, restores,
        removals, deaths;
    uint64_t spoke;  /* in time, and time was told before it was read */
    uint64_t named;  /* waits whose end said something of a holder */
    uint64_t graces; /* terms that began in one */
};

enum phase {
    PHASE_FAULTS,
    PHASE_CALM,     /* nothing fails, and nobody acts: somebody is to lead */
    PHASE_EXPIRING, /* likewise: what the dead held is to be free */
    PHASE_SETTLING, /* everybody gives back, wants once more, and gives back */
    PHASE_OVER,
};

struct world {
    uint64_t seed;
    uint64_t dice;
    struct shape shape;
    int64_t now;
    uint64_t turn; /* grows with all that happens */
    bool tracing;
    enum phase phase;
    int64_t phase_ends;
    struct hf_heap agenda;
    struct hf_heap_node fate;
    int64_t slow_until; /* the store */

    struct sim_store store;
    struct sim_store *older; /* a copy of it */
    unsigned generation;     /* grows when it is restored, or lost */
    uint64_t last_id;        /* of a lease */
    uint64_t highest_fence;  /* ever written */
    struct sim_heard heard[IDS_MAX];
    uint64_t exclusive_told[NAMES_MAX];
    int64_t serving_since; /* the last begin of a leader */
    int64_t dead_heard;    /* the last message of a session whose client died */

    struct sim_node nodes[NODES];
    struct sim_client clients[CLIENTS];
    struct sim_session sessions[SESSIONS_MAX];
    size_t sessions_count;
    struct hf_session *spare;

    struct sim_wish wishes[WISHES_MAX];
    uint64_t wishes_count;
    uint64_t told[TOLD_MAX];
    size_t told_count;

    struct sim_stream streams[STREAMS_MAX];
    uint64_t streams_count;
    struct sim_packet packets[PACKETS_MAX];
    struct sim_packet *free_packets;
    struct sim_call calls[CALLS_MAX];
    struct sim_call *free_calls;

    struct failover failover;
    const char *broken; /* the promise that was; NULL: none */
    char detail[256];
    struct sim_counts counts;
};

/* Run the world of `seed`; false: a promise was broken, see world->broken.
 * The world is zeroed before its first run, and may be used again. */
bool world_run(struct world *w, uint64_t seed, const struct shape *shape,
               bool tracing);
void world_fini(struct world *w);

/* ---- For the parts of it ------------------------------------------------- */

uint64_t world_draw(struct world *w, uint64_t below);
bool world_chance(struct world *w, uint64_t of_thousand);
bool world_trouble(struct world *w); /* does what is sent now meet some? */
HF_PRINTF(2, 3)
void world_say(const struct world *w, const char *format, ...);
HF_PRINTF(3, 4)
void world_break(struct world *w, const char *promise, const char *format, ...);

/* Have it called at `at`; INT64_MAX: not at all. */
void world_set(struct world *w, struct hf_heap_node *alarm, int64_t at,
               enum rank rank);

struct hf_instant sim_clock_read(const struct sim_clock *clock, int64_t now);
/* The first true instant at which the clock shows as much. */
int64_t sim_clock_reaches(const struct sim_clock *clock, struct hf_instant at);

static inline struct hf_instant
session_now(const struct world *w, const struct sim_session *session)
{
    return sim_clock_read(&w->clients[session->client].clock, w->now);
}

#endif

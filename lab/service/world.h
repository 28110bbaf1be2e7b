#ifndef LAB_SERVICE_WORLD_H
#define LAB_SERVICE_WORLD_H

#include "core/node.h"
#include "core/session.h"
#include "lab/codec.h"
#include "lab/server/kind.h"

/*
 * Service: a lock server and its clients as a world: nodes and sessions, whole
 * and exactly as they run, with a store between the nodes, and streams between
 * these and the clients.
 *
 * Time is one clock of ticks, from which a client's may stay behind.  It goes
 * on when all that is under way has arrived, but for what a fault made late;
 * so what takes longer than a tick is a fault.  What comes first within one is
 * open, or, where a world is to be searched, open by faults alone: see
 * `prompt`.
 *
 * A client is a session in which some locks are wanted, held and given back, in
 * one lane; whatever it wants, and when, is open.  Where it ends, another
 * process takes its place.
 */

enum {
    SERVICE_NODES = 3,
    SERVICE_CLIENTS = 5,
    SERVICE_LOCKS = 3,
    SERVICE_SESSIONS = 2, /* ids of one client's: its own, and those of which
                             something is left */
    SERVICE_STREAMS = 6,  /* of one client's, at most */
    SERVICE_CALLS = 2,    /* of a node's, to the store; one more is not sent */
    SERVICE_CHANGES = 16, /* of a batch */
    SERVICE_RECORDS = 24,
    SERVICE_FENCES = 6, /* of a session */
    SERVICE_BLOCK = 12288,
    SERVICE_SESSION_BLOCK = 4096,
    SERVICE_SERVED = 32, /* ticks: with so many the count of a head begins,
                            since 0 is none.  A pack counts from there, too */
};

struct service_config {
    struct kind_config world;
    unsigned nodes;
    unsigned locks;
    unsigned streams;    /* of a client: one more is lost at once */
    unsigned ttl;        /* ticks, of sessions */
    unsigned leader_ttl; /* and of the head; everybody beats each tick */
    unsigned blocking;
    unsigned resume_grace;
    unsigned takeover_grace;
    unsigned wait;    /* ticks until a deadline; 0: none */
    unsigned changes; /* that a batch takes; 0: all there are */
    enum hf_if_dead if_dead;
    unsigned slips; /* ticks that a client's clock may lose in each ttl */
    bool clears;    /* there is an operator */
    bool stops;     /* nodes are told to stop */
    bool lapses;    /* clients freeze, and wake, and are cut off for a time */
    bool settles;   /* a lock is wanted again once it is settled */
    unsigned loses; /* enum service_loses, in bits: what may befall its place */
    uint64_t spares; /* the faults that do not happen: a bit for each act */
    bool long_turns; /* a node's turn ends with its clock, and not with each
                        event */
    bool looks;      /* who waits sees who holds it */
    bool silences;   /* it is looked at how long sessions are silent [S10] */
    bool prompt;     /* what is under way arrives before anything else is
                          done, one by one: but for faults */
};

/* What was granted is lost with it.  A node that runs notices at its next call,
 * and its process is told so [WENT_BACK]; whoever begins is told by what there
 * is: a place without a head that was served, a copy, or a head with a node
 * whose log is gone. */
enum service_loses {
    SERVICE_LOSES_FILE = 1,   /* it is removed */
    SERVICE_LOSES_COPY = 2,   /* an older copy of it is put in its place */
    SERVICE_LOSES_LOG = 4,    /* what was written since it was folded last */
    SERVICE_IN_MEMORY = 8,    /* of the only node: lost with its process */
    SERVICE_LOSES_TRACE = 16, /* and who begins is told by nothing */
};

/* ---- Streams ------------------------------------------------------------- */

enum service_stage {
    SERVICE_NONE,
    SERVICE_SENT,  /* a message is on its way to the node */
    SERVICE_THERE, /* the node has it */
    SERVICE_BACK,  /* its answer, or its end, is on its way */
};

struct service_stream {
    uint8_t stage;
    uint8_t client;
    uint8_t node;
    uint8_t lock;
    bool heard;       /* its client waits for it */
    bool late;        /* it takes any time: a fault */
    bool answered;    /* THERE: what it will be told, once it is due */
    bool due;         /* it is, in this very step */
    bool broken;      /* BACK: it ended without an answer */
    uint64_t number;  /* its client's */
    uint64_t arrived; /* THERE: the number of the batch begun last by then */
    struct hf_message message;
    struct hf_answer answer;
    uint64_t term;  /* of the answer */
    uint8_t leader; /* that it names; 0: none */
    uint8_t fences_count;
    uint64_t fences[SERVICE_FENCES]; /* of the message, or of the answer: of an
                                        ALIVE those that were cleared, and then
                                        those that are held */
};

/* ---- Clients ------------------------------------------------------------- */

struct service_client {
    _Alignas(64) uint8_t block[SERVICE_SESSION_BLOCK]; /* of its session */
    bool alive;
    bool stalled;   /* it neither hears nor does anything */
    bool away;      /* nothing goes to it, or comes from it, that is not late */
    uint8_t slips;  /* of its clock, in this ttl */
    uint8_t window; /* ticks until it may slip anew; 0: it did not */
    struct hf_instant clock;
    struct hf_instant deadlines[SERVICE_LOCKS]; /* of what it waits for */
    bool changed[SERVICE_LOCKS];    /* its holder, since that wait began */
    uint8_t expects[SERVICE_LOCKS]; /* an enum hf_outcome: what its deadline is
                                       to tell, by what was seen last */
    struct service_stream streams[SERVICE_STREAMS];
};

/* ---- The store ----------------------------------------------------------- */

/* A grant; or a session, which has no fence. */
struct service_record {
    uint64_t fence;
    uint64_t session;
    uint64_t n;
    uint8_t lock;
    struct hf_duration silent_from; /* of a session; 0: it was heard */
};

struct service_change {
    uint8_t kind; /* an enum hf_change_kind */
    struct service_record record;
};

struct service_batch {
    uint64_t number;
    uint8_t count;
    struct service_change changes[SERVICE_CHANGES];
};

/* The lock's record that nodes lead by. */
struct service_head {
    bool exists;
    bool led;
    uint64_t token;
    uint64_t id;
    uint64_t count;
    uint64_t next_fence;
    uint8_t grace;             /* ticks */
    struct hf_duration served; /* also where there is no head: then a new one
                                  begins with it */
};

struct service_store {
    uint64_t version; /* of what was written last */
    bool forgot;      /* as whoever opens it sees, until a head is written */
    uint64_t marker;  /* token that was taken over; 0: none */
    struct service_head head;
    uint8_t count;
    struct service_record records[SERVICE_RECORDS];
};

enum service_asked {
    SERVICE_QUIET,
    SERVICE_READS, /* the head */
    SERVICE_WRITES,
    SERVICE_LOADS,
};

/* A question on its way to the store, or its answer on its way back. */
struct service_call {
    uint8_t asked; /* an enum service_asked */
    bool done;
    bool late; /* it takes any time: a fault */
    uint64_t number;
    uint64_t expects; /* a write: the version */
    uint64_t over;    /* token of the marker to put, or to erase */
    bool marks;       /* it puts one */
    bool claims;      /* begins a generation */
    bool forgot;      /* a read: as it says */
    struct service_head head;
    struct service_batch batch; /* number 0: none */
    enum hf_verdict verdict;
    uint64_t version;
    uint64_t term; /* LOADS */
};

/* ---- Nodes --------------------------------------------------------------- */

struct service_node {
    _Alignas(64) uint8_t block[SERVICE_BLOCK]; /* of its lockspace */
    struct hf_node node;
    bool alive;
    bool frozen;
    bool cut;         /* from the store */
    bool unaware;     /* what it has open is not the place any more */
    bool forgot;      /* as it saw when it opened it, until it has written */
    bool served;      /* it did when the last tick began: with `silences` */
    uint64_t applied; /* number of its last batch that the store has */
    struct service_batch batch; /* collected last */
    struct service_call calls[SERVICE_CALLS];
    struct service_call unsent; /* in this very step: there was no room */
};

/* ---- All of it ----------------------------------------------------------- */

/* A lock that an operator cleared. */
struct service_cleared {
    uint64_t fence; /* 0: none */
    uint8_t age;    /* ticks since it was written; as many as matter */
};

struct service_world {
    const struct service_config *config;
    const char *violated;
    struct hf_instant now;
    uint64_t seed; /* of the ids of the next node's claims */
    struct service_store store;
    struct service_store older; /* the copy, or what was folded */
    bool kept;                  /* one was made since it began */
    uint64_t given;             /* the last version: none is given twice */
    uint64_t forgotten[SERVICE_LOCKS]; /* fences that were lost, and in which
                                          somebody may believe; 0: none */
    uint8_t believed[SERVICE_LOCKS];   /* ticks for which anybody might yet, who
                                        was granted what was lost last */
    struct service_cleared cleared;
    uint8_t silent[SERVICE_CLIENTS * SERVICE_SESSIONS]; /* by the session's id,
                         less one: ticks for which no leader has heard it that
                         served; as many as matter.  With `silences` */
    uint64_t highest; /* fence that was ever stored */
    /* A write of a node that is gone, which may yet come. */
    struct service_call orphan;
    uint64_t told[SERVICE_LOCKS]; /* fences: of the last grant of each lock that
                                     anybody was told of */
    uint64_t left_behind[SERVICE_LOCKS]; /* of processes that died, and did not
                                            give it back: fences; HF_REFUSE */
    struct service_client clients[SERVICE_CLIENTS];
    struct service_node nodes[SERVICE_NODES];
};

static inline struct hf_session *
service_session(const struct service_client *client)
{
    return (struct hf_session *)(uintptr_t)client->block;
}

/* NULL: it has none. */
static inline struct hf_lockspace *
service_lockspace(const struct service_node *node)
{
    return node->node.lockspace;
}

/* A wish is known by its lock, and ends before there is another for it. */
static inline uint64_t
service_wish_id(unsigned lock)
{
    return lock + 1;
}

/* The wish of a client for that lock; NULL: there is none, or it has ended. */
const struct hf_wish *service_client_wish(const struct service_client *client,
                                          unsigned lock);

/* What its process is told when it asks whether it holds that lock. */
enum hf_outcome service_client_holds(const struct service_client *client,
                                     unsigned lock);

/* The id of its session; 0: it has none that it would speak for. */
uint64_t service_client_session(const struct service_client *client);

/* The record of a grant, or of a session; NULL: there is none. */
const struct service_record *
service_store_grant(const struct service_store *store, uint64_t fence);
const struct service_record *
service_store_session(const struct service_store *store, uint64_t session);

/* ---- What can happen ----------------------------------------------------- */

enum service_act {
    /* of a lock of a client's: who = client * SERVICE_LOCKS + lock */
    SERVICE_WANT,
    SERVICE_RELEASE,
    SERVICE_LOOK,
    /* of a client */
    SERVICE_BEGIN, /* a new process */
    SERVICE_CLOCK,
    SERVICE_CRASH, /* a fault */
    SERVICE_SLIP,  /* a tick that its clock loses */
    SERVICE_RESUME,
    SERVICE_REACH,
    SERVICE_STALL, /* it is frozen, as a process is: a fault */
    SERVICE_LEAVE, /* it is cut off from all nodes: a fault */
    /* of a stream: who = client * SERVICE_STREAMS + index */
    SERVICE_ARRIVE,
    SERVICE_END, /* the node learns that nobody hears it any more */
    SERVICE_HEAR,
    SERVICE_DELAY, /* a fault, as all below */
    SERVICE_DOUBLE,
    SERVICE_BREAK,
    SERVICE_LOSE, /* a late one never comes: no fault of its own */
    /* of a node */
    SERVICE_START,
    SERVICE_NODE_CLOCK,
    SERVICE_STOP,
    SERVICE_WAKE,
    SERVICE_HEAL,
    SERVICE_NODE_CRASH, /* faults */
    SERVICE_FREEZE,
    SERVICE_CUT,
    /* of a call: who = node * SERVICE_CALLS + index */
    SERVICE_SERVE,
    SERVICE_ANSWER,
    SERVICE_SLOW, /* it will be served any time; faults, as all below */
    SERVICE_LOST, /* served, and its answer lost */
    SERVICE_HELD, /* served, and its answer takes any time */
    SERVICE_DOWN, /* surely not served */
    /* of nobody */
    SERVICE_ORPHAN, /* a write of a node that is gone applies after all */
    SERVICE_CLEAR,  /* who = lock */
    SERVICE_KEEP,   /* a copy is made, or the log is folded: once */
    SERVICE_REMOVE, /* faults */
    SERVICE_RETURN, /* it goes back to what was kept */
    SERVICE_TICK,
    SERVICE_ACTS,
};

void service_start(struct service_world *world,
                   const struct service_config *config);
bool service_allowed(const struct service_world *world, enum service_act act,
                     unsigned who);
bool service_is_fault(enum service_act act);
void service_apply(struct service_world *world, enum service_act act,
                   unsigned who);

/* Only what there is in a world of that config. */
void service_copy(const struct service_config *config, struct service_world *to,
                  const struct service_world *from);

/* Without further faults, everybody gets each lock, in time, and what is then
 * given back leaves no grant in the store: the property that is broken, or
 * NULL; and how many ticks it took. */
const char *service_fair(const struct service_world *from, unsigned *ticks);

unsigned service_count(const struct service_config *config,
                       enum service_act act);

#endif

#ifndef HF_CORE_NODE_H
#define HF_CORE_NODE_H

#include "core/leader.h"
#include "core/lockspace.h"

/*
 * Node: one process of a lock server.  It has a leader, which seeks and keeps
 * the head, and a lockspace, which it fills when it leads and throws away when
 * it does not; what it decides is when which of them has its turn.
 *
 *              leads              loaded                 stop
 *   FOLLOWING --------> LOADING ----------> SERVING ------------> DRAINING
 *    |     ^               |                   |                      |
 *    |     |               | over              | over    all is due,  |
 *    |     | settled       v                   v         or over      |
 *    |     +----------- LEAVING <--------------+----------------------+
 *    |                     | settled, and
 *    |  stop               v was stopped
 *    +------------------> ENDED
 *
 * (What cannot be loaded is left.  Who has left, or could not seek, rests and
 * seeks again.)
 *
 * The promises.  Whoever does not serve answers *not leading*, and nothing
 * else [L3].  No answer is due before a batch is applied that was begun after
 * it was decided [J2].  A batch is under way once, and while one is, the next
 * gathers; it begins with the end of a turn, or with a beat [J1, J4].  Nothing
 * of an earlier term is in the table of a later [L2].  Who is told to stop
 * writes what was decided, and then leaves [L4].
 *
 * Memory: one block for the lockspace, the caller's.  Not thread-safe.  No I/O,
 * no allocation, no clock.
 */

enum hf_node_state {
    HF_NODE_FOLLOWING, /* looks for a leader, or will at seek_at */
    HF_NODE_LOADING,   /* leads, and reads the sessions and grants */
    HF_NODE_SERVING,
    HF_NODE_DRAINING, /* writes the last batches: the table changes no more */
    HF_NODE_LEAVING,  /* puts the head without a node */
    HF_NODE_ENDED,
};

struct hf_node_config {
    struct hf_leader_config leader;
    struct hf_lockspace_config lockspace;
    struct hf_budget budget; /* of a batch, without the head */
    struct hf_duration rest; /* pause after a leadership that ended, or an
                                error */
};

struct hf_node {
    struct hf_node_config config;
    enum hf_node_state state;
    struct hf_instant now;
    struct hf_instant seek_at; /* FOLLOWING with an idle leader: when it
                                  seeks again */
    struct hf_leader leader;
    void *block; /* borrowed: memory of the lockspace */
    size_t block_size;
    struct hf_lockspace *lockspace; /* in `block`; NULL: there is none */
    uint64_t term;                  /* of the lockspace */
    struct hf_duration longest_ttl; /* of the loaded sessions */
    bool stopped;                   /* it was told to stop */
    bool tells_end;                 /* the effect STOPPED is still to come */
    bool followed;                  /* the head read last names a node */
    bool collecting;  /* a batch was begun, and its changes are being taken */
    bool may_begin;   /* this step may begin a batch */
    uint64_t refused; /* a stream to be told that this node does not lead */
    struct hf_batch batch; /* under way; number 0: none */
    uint64_t through;      /* answers with marks up to this are due */
    uint64_t answered;     /* mark of the last answer that must be due soon */
    uint64_t alive; /* mark of the last keep-alive, which may wait for others */
    struct hf_instant alive_by; /* the latest time for that one */
};

enum hf_node_event_kind {
    HF_NODE_START, /* once, at first: begin to seek */
    HF_NODE_STORE, /* for the leader: ANSWER, PROCESSES, HINT, WENT_BACK */
    HF_NODE_FOUND, /* a read of the head was answered */
    HF_NODE_LOADED_SESSION, /* after HF_NODE_LOAD, in its term: all sessions, */
    HF_NODE_LOADED_GRANT,   /* all grants in the order of their fences, */
    HF_NODE_LOADED,         /* and that this was all; */
    HF_NODE_LOAD_FAILED,    /* or that it cannot be read */
    HF_NODE_MESSAGE,
    HF_NODE_STREAM_ENDED,
    HF_NODE_HANDED,
    HF_NODE_UNREAD,
    HF_NODE_TURN, /* all that had arrived was handed over: a batch may begin
                     [J1] */
    HF_NODE_CLOCK,
    HF_NODE_LOOK, /* a view reads the table as it is now */
    HF_NODE_STOP,
};

struct hf_node_event {
    enum hf_node_event_kind kind;
    struct hf_instant at;
    union {
        struct hf_event store;
        struct {
            uint64_t number;
            struct hf_sight sight;
            struct hf_head_state head;
        } found;
        struct {
            uint64_t term; /* events of another term are ignored */
            uint64_t wall_us;
            struct hf_loaded_session session;
            struct hf_loaded_grant grant;
        } load;
        struct hf_message message;
        struct {
            uint64_t stream;
            uint64_t session;
            uint64_t lane;
            uint64_t n;
            uint64_t fence;
            bool cut;
        } request;                    /* as in struct hf_lockspace_event */
        struct hf_instant read_until; /* CLOCK: for the lockspace; the leader
                                         uses `at` */
    };
};

enum hf_node_effect_kind {
    HF_NODE_ASK, /* a question about the head, for the store */
    /* A batch was begun: take its changes by hf_node_take before the next
     * effect, and keep them until the next batch; the next ASK carries them. */
    HF_NODE_COLLECT,
    HF_NODE_LOAD,    /* read all sessions, then all grants, of this term */
    HF_NODE_ANSWER,  /* build this answer now, and keep it until it is due */
    HF_NODE_DUE,     /* send all answers with marks up to this */
    HF_NODE_REFUSE,  /* tell this stream which node leads, if any [L3] */
    HF_NODE_DISCARD, /* drop all answers that are not due, and tell all open
                        streams the same */
    HF_NODE_RESTS, /* could not lead or look, and will seek again: the reason */
    HF_NODE_STOPPED, /* ENDED */
};

struct hf_node_effect {
    enum hf_node_effect_kind kind;
    union {
        struct hf_leader_effect ask; /* HF_LEADER_ASK */
        uint64_t term;               /* LOAD */
        struct hf_answer answer;
        uint64_t through;      /* DUE */
        enum hf_status status; /* RESTS */
        struct {
            uint64_t stream;
            bool followed; /* a node leads: name the address in the head */
        } refuse;
    };
};

/* The block is of hf_lockspace_size(&config->lockspace) bytes, aligned for any
 * object, and need not be zeroed. */
void hf_node_init(struct hf_node *n, const struct hf_node_config *config,
                  void *block);

/* Apply one event.  Drain hf_node_next before the next call. */
void hf_node_step(struct hf_node *n, const struct hf_node_event *event);

/* Take the oldest effect not yet taken; false when there is none left. */
bool hf_node_next(struct hf_node *n, struct hf_node_effect *effect);

/* After HF_NODE_COLLECT: the next change of the batch; false: that was all. */
bool hf_node_take(struct hf_node *n, struct hf_change *change);

/* How long, from `now`, this node grants nothing [L6]. */
struct hf_duration hf_node_grace(const struct hf_node *n,
                                 struct hf_instant now);

/* When to send the next HF_NODE_CLOCK, or HF_NEVER. */
struct hf_instant hf_node_deadline(const struct hf_node *n);

#endif

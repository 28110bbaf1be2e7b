#ifndef TALE_TIMELOCK_TIMELOCK_H
#define TALE_TIMELOCK_TIMELOCK_H

#include "tale/specimen/specimen.h"

/*
 * Timelock: one lock of a lock server, and workers who block on it by requests
 * over streams, as AtlasDB's decision 11 tells of its TimeLock; with settings
 * for each of the cures that it weighs, and for the rules of docs/protocol.md.
 *
 * Time goes in ticks of five seconds, so that all figures of the decision are
 * whole ticks.  What is due happens before time goes on; things that are due
 * at one instant happen in any order.  Without a network a message arrives as
 * it is sent, and who is told something acts at once.
 *
 * A worker has one stream that it listens on, that of its newest attempt.  The
 * requests of workers A, B, ... are told as A1, A2, ..., B1, ...
 *
 * Plain bytes without padding: equal states are equal bytes.
 */

enum {
    TIMELOCK_TICK_S = 5,
    TIMELOCK_REQUESTS = 10, /* at the server */
    TIMELOCK_MESSAGES = 4,  /* under way */
};

/* In the order of timelock_settings; durations are in seconds. */
enum timelock_setting {
    TIMELOCK_IDLE,     /* until the server closes an idle stream */
    TIMELOCK_BLOCKING, /* that a request may block */
    TIMELOCK_AT_MOST,  /* that a worker wants to wait */
    TIMELOCK_DEADLINE, /* who ends that wait */
    TIMELOCK_TRUNCATE, /* the longest that a worker asks for at a time */
    TIMELOCK_PATIENCE, /* until a worker closes an idle stream */
    TIMELOCK_NETWORK,  /* that a message may be under way */
    TIMELOCK_HOLD,     /* that a worker holds the lock */
    TIMELOCK_THREADS,  /* requests that the server can keep */
    TIMELOCK_KNOWN,    /* by what it knows a request again */
    TIMELOCK_ENDED,    /* what becomes of a request whose stream ends */
    TIMELOCK_PLACE,    /* that a place is kept after a blocking timeout */
    TIMELOCK_LEAVES,   /* what a worker does that has waited enough */
    TIMELOCK_FAULT,    /* what may go wrong */
    TIMELOCK_REAP,     /* until a lock that nobody refreshes is freed */
};

/* By the request itself: its retry looks the same, but has the first limit. */
enum timelock_deadline { DEADLINE_ANEW, DEADLINE_REST, DEADLINE_CLOCK };
enum timelock_known { KNOWN_NOT, KNOWN_BY_NAME, KNOWN_BY_ATTEMPT };
enum timelock_ended { ENDED_KEPT, ENDED_LEFT };
enum timelock_leaves { LEAVES_AWAY, LEAVES_RELEASES };
enum timelock_fault { FAULT_NONE, FAULT_BREAKS, FAULT_SLOW };

enum timelock_state { WAITS, WAITS_LONGER, PARKED };

struct timelock_request {
    uint8_t client; /* its ID; 0: there is no request */
    uint8_t later;  /* attempts of its worker's after this one */
    uint8_t age;    /* ticks since it came, or was parked; 0 where nothing
                       comes of it */
    uint8_t limit;  /* ticks for which it asks to block; 0: for ever */
    uint8_t state;  /* enum timelock_state */
};

enum timelock_kind { ASK = 1, STREAM_ENDS, RELEASE };

struct timelock_message {
    uint8_t client; /* its ID; 0: there is no message */
    uint8_t later;
    uint8_t age; /* ticks since it was sent */
    uint8_t limit;
    uint8_t kind;
};

/* The line of a worker in the cast. */
enum timelock_line { LINE_FIRST, LINE_LISTENS, LINE_SETTLES };

struct timelock {
    struct cast cast;
    uint8_t holder;                   /* its ID; 0: nobody */
    uint8_t heard;                    /* 1: the holder knows */
    uint8_t held;                     /* ticks, where something comes of it */
    uint8_t waited[TOLD_WORKERS_MAX]; /* ticks, of those that want no more than
                                         so many */
    uint8_t silent[TOLD_WORKERS_MAX]; /* ticks since its request was sent, where
                                         something comes of it */
    uint8_t order[TOLD_WORKERS_MAX];  /* IDs of those that wait, as they came */
    uint8_t over[TOLD_WORKERS_MAX]; /* 1: the server has ended its request, for
                                       ever */
    struct timelock_request queue[TIMELOCK_REQUESTS];
    struct timelock_message under_way[TIMELOCK_MESSAGES]; /* as they were
                                                             sent */
};

extern const struct specimen_setting timelock_settings[];

/* The functions of its specimens, and what they have in common. */
bool timelock_act(struct scene *scene, void *state, unsigned actor,
                  unsigned choice);
void timelock_show(const struct specimen_run *run, const void *state,
                   struct hf_text *text);
bool timelock_check(const struct specimen_run *run, struct hf_error *error);

enum { TIMELOCK_CHOICES = 8 };

#define TIMELOCK_DECISION "AtlasDB, decision 11: BlockingTimeoutException"

#define TIMELOCK_SPECIMEN                                                      \
    .settings = timelock_settings, .choices = TIMELOCK_CHOICES,                \
    .size = sizeof(struct timelock), .act = timelock_act, .store = "Server",   \
    .show = timelock_show, .check = timelock_check

/* What most have in common: so many seconds until an idle stream is closed, and
 * the figures of the decision. */
#define TIMELOCK_IDLES(seconds)                                                \
    [TIMELOCK_IDLE] = (seconds), [TIMELOCK_REAP] = 125,                        \
    [TIMELOCK_THREADS] = TIMELOCK_REQUESTS

#endif

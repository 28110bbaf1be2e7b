#ifndef BENCH_SERVER_WORK_H
#define BENCH_SERVER_WORK_H

#include "net/http_client.h"
#include "times.h"

/* What a lane asks, by the mode. */

/* What is measured; see work.c. */
enum mode {
    MODE_PAIRS,      /* acquire and release, each lane a lock of its own */
    MODE_CONTENTION, /* the same, all lanes one lock */
    MODE_HANDOVER,   /* the same; how long from a release to the next grant */
    MODE_MIXED,      /* pairs, of which one in ten is of a lock of all */
    MODE_WAITERS,    /* all lanes but one wait for one lock, and then one
                        release is timed */
    MODE_KEEP,       /* many locks a session, kept alive */
    MODES,
};

extern const char *const mode_names[MODES];

struct order {
    const char *host;
    const char *port;
    enum mode mode;
    unsigned connections;
    unsigned lanes; /* of each */
    unsigned locks; /* KEEP: of each connection */
    double seconds; /* of measuring, behind a tenth of that */
    long pid;       /* of the server, whose memory is told; 0: not known */
    bool stream;    /* as lines of a stream, once the session is open */
    bool json;
};

struct lane {
    struct connection *connection;
    unsigned number; /* from 1, in its session */
    uint64_t n;      /* of its request */
    uint64_t a;      /* of its attempt */
    int64_t asked_us;
    unsigned step;     /* work.c's */
    struct lane *next; /* of those that wait for room to ask */
    char name[40];
};

struct connection {
    struct load *load;
    int fd;
    bool wants_out;
    struct hf_http_client *http;
    int32_t stream; /* that lines are said on; 0: none */
    char session[17];
    char secret[33];
    unsigned number;
    unsigned kept;  /* KEEP: locks that are held */
    int64_t due_us; /* KEEP: when to say that it is alive; 0: not yet */
    struct lane *lanes;
    struct lane *first; /* that waits for room */
    struct lane **last;
};

struct load {
    const struct order *order;
    int epoll_fd;
    struct connection *connections;
    bool measuring;
    uint64_t done;       /* while measuring: pairs, keep-alives */
    uint64_t answers;    /* all of them */
    uint64_t refused;    /* answers that were not what was wanted */
    unsigned waiting;    /* WAITERS: that have asked, and were not granted */
    struct lane *holder; /* WAITERS: who was granted last */
    int64_t released_us; /* HANDOVER: when the lock was given back last */
    double busy;         /* of a processor, the server while measuring */
    struct times times;
};

/* A session says that it is alive so often. */
enum { BEAT_US = 2 * 1000 * 1000 };

/* Open the session, and then begin. */
void work_begin(struct lane *lane);
void work_answered(struct lane *lane, const struct hf_http_answer *answer);

/* A line of the connection's stream, which has the number of a lane. */
void work_told(struct connection *connection, struct hf_bytes line);

/* KEEP: say that it is alive. */
void work_keep_alive(struct lane *lane);

/* There is room now: ask for the next lock. */
void work_ask_next(struct lane *lane);

/* WAITERS: give the lock back. */
void work_release(struct lane *lane);

/* Say why on stderr, and end with 69. */
_Noreturn void work_fail(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

#endif

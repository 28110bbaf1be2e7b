#ifndef HF_POSTGRESQL_LINK_H
#define HF_POSTGRESQL_LINK_H

#include <libpq-fe.h>
#include <stdbool.h>

#include "base/clock.h"
#include "base/lookup.h"
#include "store/postgresql_place.h"

/*
 * Link: one connection to a server of PostgreSQL, in pipeline mode.
 *
 *   closed --dial--> dialling --> open --send, sync, next--> open
 *     ^                 |           |
 *     `----- close -----+-----------'  also when the server is silent, or ends
 *                                      the connection
 *
 * Nothing here waits in libpq: each wait is a poll of the socket that ends at
 * `until`, when the server was silent for too long, or when wake_fd is
 * readable.  To give up is to close.
 *
 * A forked child closes the parent's socket and says no goodbye for it.
 *
 * Memory: libpq's own heap.  Threads: one at a time.
 */

struct hf_pg_server {
    const struct hf_server_address *addresses; /* in turn; borrowed */
    unsigned count;
};

struct hf_pg_link {
    const struct hf_postgresql_place *place; /* borrowed */
    struct hf_pg_server server;

    PGconn *conn;                /* owned; NULL: closed */
    unsigned forks;              /* whose it is (base/fork.h) */
    struct hf_instant heard;     /* when the server last said something */
    struct hf_duration patience; /* for so long it may be silent in a call */
    struct hf_instant idle;      /* since when nobody uses it */
    int wake_fd;                 /* ends each wait of the call; or -1 */

    /* While it is dialled: */
    unsigned turn; /* of the server's addresses; one beyond this one */
    unsigned good; /* which of them was, the last time */
    bool was_late; /* one of them was given up in this dial */
    struct hf_lookup *lookup; /* owned, or NULL */
    int lookup_fd;            /* owned, or -1 */
    struct addrinfo *found;   /* owned, or NULL */
    struct addrinfo *next;    /* which of them is tried next */
    bool dialling;
    PostgresPollingStatusType polling;
    struct hf_instant dialled; /* this address, at that time */
    bool host_lasts;           /* the present host will not do later either */

    /* What failed last will not pass by itself: when it was dialled, not with
     * any of the hosts. */
    bool lasts;
    struct hf_error why; /* a statement failed, or it is broken */

    /* While it is open: */
    unsigned syncs; /* that were sent and are not answered: one at most */
    uint64_t nonce; /* of the last call; begins at random */
    bool warned;    /* a warning with which a commit is not sure */
    bool broken;    /* it is to be closed: it has ended, or was silent, or the
                       server is not what it was */

    /* For the pool: */
    bool is_there; /* the schema was found on it */
    bool waited;   /* for others' locks: no measure of how slow it is */
    struct hf_duration quiet; /* the longest silence in the call */
    int64_t flushed;          /* position of the log that was known then */
};

/* A closed one.  What is borrowed is so as long as it is. */
void hf_pg_link_init(struct hf_pg_link *link,
                     const struct hf_postgresql_place *place,
                     struct hf_pg_server server);

/*
 * Dial, until `pause` at most: each address of each host in turn.
 * HF_E_CANCELLED: it stopped there, or since wake_fd is readable, and the next
 * call goes on.  HF_E_UNAVAILABLE, HF_E_DENIED (the server does not let us in),
 * HF_E_LIMIT, HF_E_NOMEM: it is closed, and *error has the server's words.
 */
HF_MUST_USE enum hf_status hf_pg_link_dial(struct hf_pg_link *link,
                                           struct hf_instant until,
                                           struct hf_instant pause,
                                           struct hf_error *error);

/* Of a closed one does nothing. */
void hf_pg_link_close(struct hf_pg_link *link);

bool hf_pg_link_is_open(const struct hf_pg_link *link);

/* For those that speak on it: wait for a descriptor. */
enum hf_pg_awaited {
    HF_PG_READY,
    HF_PG_WOKEN, /* wake_fd is readable */
    HF_PG_LATE,  /* `until` is reached */
};
enum hf_pg_awaited hf_pg_link_await(int fd, short events,
                                    struct hf_instant until, int wake_fd);

/* Which status an SQLSTATE is; whether that may pass by itself, given the whole
 * message (code "": none); and the first line of a message, as it can be
 * shown. */
enum hf_status hf_pg_link_status(const char *code);
bool hf_pg_link_passes(const char *code, const char *message);
void hf_pg_link_show(char *to, size_t size, const char *text);

#endif

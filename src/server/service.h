#ifndef HF_SERVER_SERVICE_H
#define HF_SERVER_SERVICE_H

#include "net/http.h"
#include "server/log.h"
#include "server/seat.h"

/*
 * Service: what a lock server does with requests (docs/api.md).
 *
 *   request --route, body--> message --> seat --> answer --due--> HTTP
 *
 * A request becomes a message at once.  Its answer is built at once, for the
 * next event may change what it tells of; it goes out when the batch that it
 * rests on is applied [J2]: no answer before the store has it.  A request that
 * only looks is answered from the table, as this node sees it.
 *
 * The loop hands over the events of each peer; calls wake when the seat's
 * journal has told something, clock at the deadline, however much has not been
 * read yet, and turn; then writes what the peers have to write.
 *
 * One thread.
 */

struct hf_service;

/* What the service tells and asks of a peer, which the loop knows by that
 * pointer. */
struct hf_service_peers {
    /* It has something to write. */
    void (*wrote)(void *peer);

    /* It spoke for that session, which holds. */
    void (*holds)(void *peer, uint64_t session);

    /* An answer told it of that session, which no other client knows, and ended
     * with that byte of all that were written to it. */
    void (*opened)(void *peer, uint64_t session, uint64_t end);

    /* May one more of its requests wait, beside those that do? */
    bool (*has_stream)(const void *peer);

    /* May it wait, for what it asks anew, or for a place that it has? */
    bool (*may_wait)(const void *peer, bool comes_back);

    /* One more of the requests that wait is its, or one less. */
    void (*waits)(void *peer, bool more);

    /* Its address: as a number, or 0; and as text, if it is known. */
    uint64_t (*address)(const void *peer);
    void (*name)(const void *peer, struct hf_text *text);
};

struct hf_service_config {
    const struct hf_alloc *alloc; /* borrowed */
    struct hf_http *http;         /* borrowed */
    struct hf_seat_config seat;
    struct hf_duration idle_timeout;      /* that `blocking` is shorter than */
    const struct hf_service_peers *peers; /* static */
    const char *const *hosts; /* borrowed: by which names clients may call it,
                                 beside those of this machine's own loopback;
                                 NULL at the end; they may change */
    struct hf_log *log;       /* borrowed */
};

/* Errors as hf_seat_open. */
HF_MUST_USE enum hf_status
hf_service_open(const struct hf_service_config *config,
                struct hf_service **service, struct hf_error *error);
void hf_service_close(struct hf_service *service);

/* hf_http_next has told this of a peer. */
void hf_service_event(struct hf_service *service, void *peer,
                      const struct hf_http_event *event);

/* The client of a peer has closed it, and has not read the answer that told of
 * that session [W5]: what nobody listens for goes back. */
void hf_service_unread(struct hf_service *service, uint64_t session);

void hf_service_wake(struct hf_service *service);

/* The end of a turn: what was decided in it is written, as one batch.  To be
 * called once all that was read is handed over. */
void hf_service_turn(struct hf_service *service);

/* All requests that had arrived before `read_until` were handed over [S2]:
 * silence for a ttl ends a session. */
void hf_service_clock(struct hf_service *service, struct hf_instant read_until);

/* A process of the present leader has ended, or may have. */
void hf_service_look(struct hf_service *service);
struct hf_instant hf_service_deadline(const struct hf_service *service);

/* Leave well: all that wait are told to ask another node, and all that was
 * decided is written. */
void hf_service_stop(struct hf_service *service);
bool hf_service_has_stopped(const struct hf_service *service);

/* Does that session hold anything, as this node sees it? */
bool hf_service_holds(const struct hf_service *service, uint64_t session);

/* For its loop: which processes to watch. */
const struct hf_seat *hf_service_seat(const struct hf_service *service);

#endif

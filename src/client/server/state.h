#ifndef HF_CLIENT_SERVER_STATE_H
#define HF_CLIENT_SERVER_STATE_H

#include "base/heap.h"
#include "base/list.h"
#include "base/self.h"
#include "client/client.h"
#include "client/server/addresses.h"
#include "client/server/connections.h"
#include "client/server/proxy_limit.h"
#include "core/services.h"
#include "core/session.h"
#include "net/http_module.h"
#include "wire/api_ask.h"
#include "wire/api_reply.h"

/*
 * Server: a place that is a lock server.  The machine that decides is
 * core/session, one for all locks of the same terms.  The rest drives it, or is
 * driven by it.
 *
 *   callers ---+                +--> connections --> sockets
 *              +--> sessions ---+
 *   loop ------+   (the mutex)  +--> notices, the alarm
 *
 *   server.c       its life, and what a place is asked for
 *     locks.c        locks as place.h has them
 *     loop.c         its thread, and what follows each event
 *     listings.c, examine.c, doctor.c: queries of a kind
 *       queries.c      what they have in common
 *       holder_poll.c  who holds the locks that are waited for
 *       sessions.c     machines: events in, effects out
 *         answer_report.c  what an answer tells people
 *       trouble.c      why nothing is answered, or granted
 *         services.c     of which service each node is
 *         proxy_limit.c  how long a proxy lets a request take
 *         connections.c  requests to nodes, and the sockets for them
 *           lines.c        requests that go as lines of a stream
 *
 * The thread that brings an event does all that comes of it, under the client's
 * mutex, up to writing to sockets: no call on a socket waits.  The *loop* is a
 * thread that reads from sockets and tells the time.  There are no others,
 * except those that look up hosts.
 */

/* Bytes of a line beside its body, with a NUL: session, secret and verb, and
 * the name and space of a change. */
enum { HF_SERVER_LINE_MORE = 256 + 6 * (HF_NAME_MAX + HF_SPACE_MAX) };

struct hf_server {
    struct hf_backend backend;
    struct hf_client *client;          /* borrowed */
    const struct hf_http_module *http; /* borrowed */
    struct hf_self self;               /* constant */
    struct hf_addresses addresses;

    struct hf_services services;
    void (*services_changed)(struct hf_server *server);
    struct hf_node_call
        *asked[HF_ADDRESSES_MAX]; /* owned; its service is asked for; or NULL */

    struct hf_list sessions;        /* of struct hf_server_session */
    struct hf_list connections;     /* of struct hf_connection */
    struct hf_heap polls;           /* locks whose holders are to be polled */
    struct hf_server_lock *polling; /* whose poll is not answered; or NULL */
    struct hf_instant
        next_poll_at;        /* no poll before; while one is under way: when
                                it is late */
    bool speaks_other;       /* the last answer was not HTTP/2 */
    struct hf_error trouble; /* why the last request had no answer; HF_OK: it
                                had one, or there was no request */
    struct hf_proxy_limit proxy_limit;
    struct hf_instant grace_end; /* the server has forgotten what it granted,
                                    and grants nothing until then, by the
                                    last poll */
    unsigned node;               /* that queries are sent to, from 1 */
    struct hf_list queries;      /* that have not ended */

    bool stopping;
    int alarm_fd;
    int epoll_fd;
    pthread_t loop;

    /* Buffers for one call at a time. */
    char path[HF_API_PATH_SIZE];
    char body[HF_RECORD_TEXT_MAX + 1];
    char line[HF_RECORD_TEXT_MAX + HF_SERVER_LINE_MORE];
    struct hf_api_reply reply;
};

/* Its locks, as place.h has them; locks.c. */
extern const struct hf_lock_methods hf_server_locks;

/* Of struct hf_lock_methods; farewell.c. */
size_t hf_server_farewell(const struct hf_lock *lock, char *buffer,
                          size_t size);

static inline struct hf_server *
hf_server_of(struct hf_backend *backend)
{
    return (struct hf_server *)backend;
}

#endif

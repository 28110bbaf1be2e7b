#ifndef HF_CLIENT_SERVER_VIEWS_H
#define HF_CLIENT_SERVER_VIEWS_H

#include "client/server/state.h"
#include "client/view.h"
#include "wire/api_seen.h"

/* Views of what a lock server tells, in the client's memory.  Any thread
 * that has entered the client. */

/* Is the holder alive?  By what the server has heard of it and, if its
 * processes are of this host, by them. */
enum hf_life hf_views_life(const struct hf_server *server,
                           const struct hf_api_claim *claim);

/* That holder as what blocks a wait.  The server was asked at `asked_at`. */
struct hf_blocker hf_views_blocker(const struct hf_server *server,
                                   const struct hf_api_claim *holder,
                                   struct hf_instant asked_at);

/* One who holds the lock (`position` is 0), or waits for it at that
 * position, and whether it is alive.  NULL: no memory. */
struct hf_view *hf_views_claim(const struct hf_server *server,
                               const struct hf_api_seen *seen,
                               const struct hf_api_claim *claim,
                               uint64_t position);

/* Is it the lock that was asked for? */
bool hf_views_is_of(const struct hf_api_seen *seen, const struct hf_want *want);

/* A view of a lock of which no holder is known.  `error` says why the place did
 * not tell, or is NULL.  NULL: no memory. */
struct hf_view *hf_views_nobody(const struct hf_server *server,
                                const char *space, const char *name,
                                const struct hf_error *error);

/* The first in line.  False: there is none that would keep others out. */
bool hf_views_first(const struct hf_api_seen *seen, struct hf_api_claim *first);

/* A view of a free lock with a line: the first in line, and why it does not
 * get the lock.  NULL: no memory. */
struct hf_view *hf_views_line(const struct hf_server *server,
                              const struct hf_api_seen *seen,
                              const struct hf_api_claim *first);

/* The view that a waiter is shown. */
struct hf_shown {
    struct hf_view *view; /* owned; NULL: nobody was seen */
    uint64_t fence;       /* of the last holder; 0: there was none */
};

/* Show this holder from now on or, of a free lock, this first in line.  If
 * it is another holder, the handle has news.  If there is no memory, the old
 * view stays. */
void hf_views_show(const struct hf_server *server, struct hf_shown *shown,
                   struct hf_handle *handle, const struct hf_api_seen *seen,
                   const struct hf_api_claim *who);

/* Show no holder. */
void hf_views_hide(struct hf_shown *shown);

/* NULL: no memory. */
struct hf_view *hf_views_copy(const struct hf_server *server,
                              const struct hf_view *view);

#endif

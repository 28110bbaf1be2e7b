#ifndef HF_CLIENT_SERVER_VIEWS_H
#define HF_CLIENT_SERVER_VIEWS_H

#include "client/server/state.h"
#include "client/view.h"
#include "wire/api_seen.h"

/* Views of what a lock server tells; memory is the client's.  Any thread that
 * has the client entered. */

/* Is it alive: by what the server has heard of it, and by its processes where
 * they are this host's. */
enum hf_life hf_views_life(const struct hf_server *server,
                           const struct hf_api_claim *claim);

/* What stands in the way of a wait: that holder, of an answer to what was asked
 * at that instant. */
struct hf_blocker hf_views_blocker(const struct hf_server *server,
                                   const struct hf_api_claim *holder,
                                   struct hf_instant asked_at);

/* Who holds it, or waits for it at `position` (0: it holds), and whether it is
 * alive.  NULL: no memory. */
struct hf_view *hf_views_claim(const struct hf_server *server,
                               const struct hf_api_seen *seen,
                               const struct hf_api_claim *claim,
                               uint64_t position);

/* Is it that lock? */
bool hf_views_is_of(const struct hf_api_seen *seen, const struct hf_want *want);

/* Nobody holds it, for all that is known; `error`: the place did not say, or
 * NULL. */
struct hf_view *hf_views_nobody(const struct hf_server *server,
                                const char *space, const char *name,
                                const struct hf_error *error);

/* Who is first in line; false: nobody who would keep others out. */
bool hf_views_first(const struct hf_api_seen *seen, struct hf_api_claim *first);

/* Nobody holds it, and there is a line: who is first in it, and why that one
 * does not go.  NULL: no memory. */
struct hf_view *hf_views_line(const struct hf_server *server,
                              const struct hf_api_seen *seen,
                              const struct hf_api_claim *first);

/* What is shown of who holds a lock to who waits for it. */
struct hf_shown {
    struct hf_view *view; /* owned; NULL: nobody was seen */
    uint64_t fence;       /* of the last holder; 0: there was none */
};

/* This holder from now on, or this first in line of what nobody holds; its user
 * is told of another holder.  Without memory what was shown stays. */
void hf_views_show(const struct hf_server *server, struct hf_shown *shown,
                   struct hf_handle *handle, const struct hf_api_seen *seen,
                   const struct hf_api_claim *who);

/* Nobody. */
void hf_views_hide(struct hf_shown *shown);

/* NULL: no memory. */
struct hf_view *hf_views_copy(const struct hf_server *server,
                              const struct hf_view *view);

#endif

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

/* What stands in the way of a wait: the `holders` of an answer to what was
 * asked at that instant. */
struct hf_blocker hf_views_blocker(const struct hf_server *server,
                                   struct hf_bytes holders,
                                   struct hf_instant asked_at);

/* Who holds it, or waits for it at `position` (0: it holds), and whether it is
 * alive.  NULL: no memory. */
struct hf_view *hf_views_claim(const struct hf_server *server,
                               const struct hf_api_seen *seen,
                               const struct hf_api_claim *claim,
                               uint64_t position);

/* Nobody holds it, for all that is known; `error`: the place did not say, or
 * NULL. */
struct hf_view *hf_views_nobody(const struct hf_server *server,
                                const char *space, const char *name,
                                const struct hf_error *error);

/* Is the first place in line kept for who is to ask again? */
bool hf_views_is_kept(const struct hf_api_seen *seen);

/* Nobody holds it, and there is a line: of whoever is first, for how long its
 * place is kept.  NULL: no memory. */
struct hf_view *hf_views_parked(const struct hf_server *server,
                                const struct hf_api_seen *seen);

/* It was cleared, by whom and why; false: no memory. */
bool hf_views_add_clearing(struct hf_view *view, const struct hf_clearing *by);

/* What is shown of who holds a lock to who waits for it. */
struct hf_shown {
    struct hf_view *view; /* owned; NULL: nobody was seen */
    uint64_t fence;       /* of the last holder; 0: there was none */
};

/* This holder from now on, or who is parked if NULL; its user is told of a
 * change.  Without memory what was shown stays. */
void hf_views_show(const struct hf_server *server, struct hf_shown *shown,
                   struct hf_handle *handle, const struct hf_api_seen *seen,
                   const struct hf_api_claim *holder);

/* Nobody. */
void hf_views_hide(struct hf_shown *shown);

/* A copy, without that. */
struct hf_view *hf_views_copy(const struct hf_server *server,
                              const struct hf_view *view);

#endif

#ifndef HF_CLIENT_SERVER_SESSIONS_H
#define HF_CLIENT_SERVER_SESSIONS_H

#include "base/hash.h"
#include "client/server/views.h"

/*
 * Sessions: the machines, and what they need: time, streams that are calls, and
 * ears for what they tell.  One for each combination of terms.  The client is
 * entered for all of it.
 */
struct hf_server_session {
    struct hf_link link; /* in server->sessions */
    struct hf_server *server;
    struct hf_session_config config;
    struct hf_session *machine; /* owned: its block */
    struct hf_hash messages;    /* that are out, by stream */
    struct hf_list unsent;      /* ... and of these those that went nowhere */
    struct hf_hash locks;       /* that have not ended, by the id of the wish */
    uint64_t said; /* the stream of what was said last of it, not of a lock */
    char who[HF_SERVED_WHO_MAX + 1];
    struct hf_error no_room; /* it was told so when it would be opened, and not
                                opened since; or HF_OK */
    bool is_telling;         /* the machine of those that went nowhere */
    bool is_left; /* one of its locks was abandoned: nothing more is wanted of
                     it, and it is not ended, but left to its ttl */
};

/* A lock of a server's: what stands behind its handle. */
struct hf_server_lock {
    struct hf_lock *lock;
    struct hf_server_session *session;
    struct hf_hash_node node; /* in session->locks, until it has ended */
    bool is_there;            /* ... where it is */
    struct hf_want *wants;    /* owned; the names are the settings' */
    size_t wants_count;
    char note[HF_SERVED_NOTE_MAX + 1];

    /* What was told of it. */
    enum hf_state state;
    enum hf_status status;
    enum hf_outcome outcome;
    uint64_t fence;
    struct hf_instant granted_at;
    bool is_released;       /* its user wants no more of it */
    struct hf_clearing *by; /* owned: who cleared it, and why; NULL: nobody, as
                               far as is known */

    struct hf_error no_room;   /* its request was last told so; or HF_OK */
    struct hf_instant later;   /* until when the place grants it not, as it was
                                told last, ... */
    enum hf_later later_cause; /* ... and why */

    /* Of its request, as it was sent last: where it stands in line. */
    uint64_t session_id;
    struct hf_secret secret;
    uint64_t lane;

    /* Who holds it, as was seen last: holder_poll.h. */
    struct hf_heap_node poll_at;
    struct hf_node_call poll;
    size_t polled_name; /* which of its names; as many as there are: whether the
                         server has forgotten who holds them */
    struct hf_instant polled_at; /* when it was looked at last */
    struct hf_shown shown;
};

/* Does its user wait for it, as far as the machine knows? */
bool hf_sessions_wait(const struct hf_server_lock *lock);

/* The one for locks of these settings, perhaps a new one.  HF_E_LIMIT: it has
 * no room for one more; HF_E_UNAVAILABLE: no random numbers; HF_E_NOMEM. */
HF_MUST_USE enum hf_status hf_sessions_for(struct hf_server *server,
                                           const struct hf_settings *settings,
                                           struct hf_server_session **session,
                                           struct hf_error *error);

/* It is wanted, as its user said. */
void hf_sessions_want(struct hf_server_lock *lock);

/* An event, and all that comes of it. */
void hf_sessions_step(struct hf_server_session *session,
                      const struct hf_session_event *event);

/* Tell all the time, and when that is to be done next. */
void hf_sessions_tick(struct hf_server *server, struct hf_instant now);
struct hf_instant hf_sessions_deadline(const struct hf_server *server);

/* What the nodes say of their services has changed, or the verdict. */
void hf_sessions_services(struct hf_server *server);

/* Is anything of any of them at the server, or to be asked for there? */
bool hf_sessions_want_services(const struct hf_server *server);

/* Nothing is wanted any more: end those that are not left. */
void hf_sessions_end(struct hf_server *server);
bool hf_sessions_over(const struct hf_server *server);

/* Free all. */
void hf_sessions_fini(struct hf_server *server);

#endif

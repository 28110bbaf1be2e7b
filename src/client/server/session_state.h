#ifndef HF_CLIENT_SERVER_SESSION_STATE_H
#define HF_CLIENT_SERVER_SESSION_STATE_H

#include "base/hash.h"
#include "client/server/views.h"

/* A session and its locks, for the files that drive them; see sessions.h. */

struct hf_server_session {
    struct hf_link link; /* in server->sessions */
    struct hf_server *server;
    struct hf_session_config config;
    struct hf_session *machine; /* owned */
    struct hf_hash messages;    /* sent and not answered, by stream */
    struct hf_list unsent;      /* of these: could not be sent */
    struct hf_hash locks;       /* that have not ended, by id */
    uint64_t control_stream; /* of the last message about the session itself */
    char who[HF_SERVED_WHO_MAX + 1];
    struct hf_error no_room; /* the server had no room for it, and it was not
                                opened since; or HF_OK */
    bool is_reporting;       /* unsent messages are being reported */
    bool is_left; /* a lock of it was abandoned: no lock is added, and it is
                     not ended, but left to its ttl */
};

/* A lock at a server; handle.behind points to it. */
struct hf_server_lock {
    struct hf_lock *lock;
    struct hf_server_session *session;
    struct hf_hash_node node; /* in session->locks, until it has ended */
    bool is_there;            /* ... if it is there */
    struct hf_want *wants;    /* owned; the names are borrowed from the
                                 settings */
    size_t wants_count;
    char note[HF_SERVED_NOTE_MAX + 1];

    /* As the machine has told. */
    enum hf_state state;
    enum hf_status status;
    enum hf_outcome outcome;
    uint64_t fence;
    struct hf_instant granted_at;
    bool is_released;       /* its user has released it */
    struct hf_clearing *by; /* owned: who cleared it, and why; NULL: not
                               known to be cleared */

    struct hf_error no_room;   /* the server had no room for its request; or
                                  HF_OK */
    struct hf_instant later;   /* the server does not grant it before, ... */
    enum hf_later later_cause; /* ... and why */

    /* Of its request, as it was sent last: they name its place in line. */
    uint64_t session_id;
    struct hf_secret secret;
    uint64_t lane;

    /* Who holds it: holder_poll.h. */
    struct hf_heap_node poll_at;
    struct hf_node_call poll;
    size_t polled_name; /* index of the name that is polled; wants_count:
                           whether the server has forgotten the holders */
    struct hf_instant polled_at; /* when the last poll was sent */
    struct hf_shown shown;
};

#endif

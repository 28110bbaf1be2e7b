#ifndef HF_CORE_SESSION_NODES_H
#define HF_CORE_SESSION_NODES_H

#include "base/attrs.h"
#include "base/clock.h"
#include "core/services.h"

/*
 * Nodes: which of a server's nodes is asked next [R6].
 *
 * Whoever says that another leads has named it: that one is next.  Who does not
 * answer is asked again, and after three failures the next in the ring is.
 * Once as many were left as there are, without an answer between, there is a
 * pause: 250 to 750 ms.
 *
 * A hundred streams that break with one connection are one failure: what was
 * sent before a failure was counted says nothing new.
 *
 * A session is one of a service, and asks only nodes that say that they are of
 * it, whatever the others answer [S7]; where nothing was said of services, all
 * are of one.
 *
 * Plain data; not thread-safe; cannot fail.
 */
struct hf_nodes {
    uint32_t count;
    uint32_t current;  /* numbered from 1 */
    uint32_t failures; /* of the current node, in a row */
    uint32_t left;     /* nodes given up since one answered */
    uint64_t known;    /* streams up to this were sent before the last counted
                       failure */
    struct hf_instant pause_end;
    uint64_t own;  /* the session's service; 0: unknown */
    uint32_t home; /* the node that answered for it last */
    uint64_t services[HF_SERVICES_NODES_MAX]; /* as each node says; 0:
                                                 unknown */
};

/* A failed stream, and the newest stream at that time. */
struct hf_nodes_failure {
    uint32_t node;
    uint64_t stream;
    uint64_t last_stream;
};

void hf_nodes_init(struct hf_nodes *nodes, uint32_t count);

/* What all nodes say of their service. */
void hf_nodes_say(struct hf_nodes *nodes, const uint64_t *services);

/* A session was opened at that node.  `service` is what its answer said; 0:
 * nothing.  False: another node belongs to another service. */
HF_MUST_USE bool hf_nodes_bind(struct hf_nodes *nodes, uint32_t node,
                               uint64_t service);

/* The session has ended. */
void hf_nodes_unbind(struct hf_nodes *nodes);

/* May that node answer for the session? */
bool hf_nodes_may(const struct hf_nodes *nodes, uint32_t node);

/* May no node answer for it? */
bool hf_nodes_none_may(const struct hf_nodes *nodes);

/* Has any node said which service it is? */
bool hf_nodes_any_said(const struct hf_nodes *nodes);

/* That node answered as leader. */
void hf_nodes_answered(struct hf_nodes *nodes, uint32_t node);

/* No answer came, or no useful one.  True: all nodes were tried, so pause. */
HF_MUST_USE bool hf_nodes_failed(struct hf_nodes *nodes,
                                 const struct hf_nodes_failure *failure);

/* It does not lead, and named another node; 0: none.  True: as above. */
HF_MUST_USE bool hf_nodes_not_leading(struct hf_nodes *nodes,
                                      const struct hf_nodes_failure *failure,
                                      uint32_t leader);

/* Did the last word from the place tell of trouble? */
static inline bool
hf_nodes_in_trouble(const struct hf_nodes *nodes)
{
    return nodes->failures > 0 || nodes->left > 0;
}

#endif

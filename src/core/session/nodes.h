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
    uint32_t current;  /* from 1 */
    uint32_t failures; /* of this one, in a row */
    uint32_t left;     /* nodes, since one answered */
    uint64_t known;    /* streams up to this were sent before the last failure
                          was counted */
    struct hf_instant pause_end;
    uint64_t own;  /* service of the session; 0: there is none, or not known */
    uint32_t home; /* the node that spoke for it last */
    uint64_t services[HF_SERVICES_NODES_MAX]; /* as each says; 0: unknown */
};

/* The stream that it happened to, and the newest one. */
struct hf_nodes_failure {
    uint32_t node;
    uint64_t stream;
    uint64_t last_stream;
};

void hf_nodes_init(struct hf_nodes *nodes, uint32_t count);

/* What they say, of all. */
void hf_nodes_say(struct hf_nodes *nodes, const uint64_t *services);

/* A session was opened at that node, which said that it is of that service; 0:
 * it said none.  False: another node is of another. */
HF_MUST_USE bool hf_nodes_bind(struct hf_nodes *nodes, uint32_t node,
                               uint64_t service);

/* There is no session any more. */
void hf_nodes_unbind(struct hf_nodes *nodes);

/* May it speak for the session? */
bool hf_nodes_may(const struct hf_nodes *nodes, uint32_t node);

/* Does none? */
bool hf_nodes_none_may(const struct hf_nodes *nodes);

/* Is it known of any of which service it is? */
bool hf_nodes_any_said(const struct hf_nodes *nodes);

/* A leader's answer came from that node. */
void hf_nodes_answered(struct hf_nodes *nodes, uint32_t node);

/* None came, or none of use.  True: all were left, so let there be a pause. */
HF_MUST_USE bool hf_nodes_failed(struct hf_nodes *nodes,
                                 const struct hf_nodes_failure *failure);

/* It does not lead, and named another; 0: none.  True: as above. */
HF_MUST_USE bool hf_nodes_not_leading(struct hf_nodes *nodes,
                                      const struct hf_nodes_failure *failure,
                                      uint32_t leader);

/* Did the last that was heard of the place tell of trouble? */
static inline bool
hf_nodes_in_trouble(const struct hf_nodes *nodes)
{
    return nodes->failures > 0 || nodes->left > 0;
}

#endif

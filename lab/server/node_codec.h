#ifndef LAB_SERVER_NODE_CODEC_H
#define LAB_SERVER_NODE_CODEC_H

#include "core/node.h"
#include "lab/codec.h"
#include "lab/server/numbers.h"

/*
 * A whole node as bytes, the same for nodes that behave the same, and a node
 * made from them again; all but its lockspace, which has a snapshot of its own
 * (snapshot.h).
 *
 * It is drained: nothing is untold, asked or collected.
 *
 * Left out: whatever is not looked at again, and all by which a contender tells
 * somebody who waits for a lock how it stands, for nobody waits for a leader.
 * How many claims it has made goes as well, though its claims' ids come from
 * that: so an id comes again, and the world ranks those that it knows.
 *
 * All nodes of a world promise the same ttl at most, so a loss that is longer
 * ago than a grace for that is as long ago as that.
 *
 * Of counts of a heartbeat only differences matter: the keeper's becomes
 * NODE_CODEC_COUNT.  The world moves what it has of the same claim by as much:
 * from node_count_base to NODE_CODEC_COUNT.
 */

enum {
    NODE_CODEC_COUNT = 8,
    NODE_CODEC_SIZE = 88,
};

/* Numbers of a node, which its world ranks together with those that it has of
 * the same sort, wherever they stand. */
struct node_numbers {
    struct numbers *versions; /* of the store; so terms, and tokens */
    struct numbers *fences;   /* the next of a head */
    struct numbers *marks;
    struct numbers *questions;
    struct numbers *ids; /* of claims, and of the service: of equal or not, no
                            order matters */
    struct numbers *batches;
};

/* Adds all that still matter.  From now on it may only be written. */
void node_numbers(struct hf_node *n, const struct node_numbers *of);

/* Of the claim of its heartbeat: the count that will be NODE_CODEC_COUNT. */
uint64_t node_count_base(const struct hf_node *n);

/* NODE_CODEC_SIZE bytes of it as it stands at that instant, of which it may not
 * have been told.  Each number in it is below 256. */
void node_write(const struct hf_node *n, struct hf_instant now, uint8_t *bytes);

/* The machine again, at CODEC_NOW.  The block is that of its lockspace, which
 * stands in it already if the node leads; it is not looked at. */
void node_read(const struct hf_node_config *config, const uint8_t *bytes,
               void *block, struct hf_node *n);

#endif

#include "tale/report/variants.h"

#include <stddef.h>

#include "tale/specimen/specimen.h"

#define MORE(specimen)                                                         \
    {.line = specimen ":3"},                                                   \
    {                                                                          \
        .line = specimen ":4"                                                  \
    }

/* Of two replicas, where a quorum is both: small enough to be tried whole. */
#define ON_RIAK ",on=riak,n_val=2"
#define WEAK    ",pr=0,pw=0,r=1,w=1,dw=1"

const struct variant variants[] = {
    MORE("draft1"),
    {.line = "draft1,on=riak:2", .about = "on a simulated Riak"},
    MORE("draft2"),
    {.line = "draft2" ON_RIAK ":2", .about = "on a simulated Riak"},
    MORE("draft3"),
    {.line = "draft3" ON_RIAK ":2", .about = "on a simulated Riak"},
    {.line = "draft3" ON_RIAK ":2",
     .only = PROMISE_OVERLAP,
     .about = "strict quorums, looking for an overlap alone: it is safe, and "
              "starves"},
    {.line = "draft3" ON_RIAK WEAK ":2",
     .only = PROMISE_OVERLAP,
     .about = "weak quorums: not even safe"},
    MORE("draft4"),
    {.line = "draft4,writes=atomic:2", .about = "no write takes time"},
    {.line = "draft4" ON_RIAK ":2", .about = "on a simulated Riak"},
    {.line = "draft4-perfect:3"},
    {.line = "draft4-perfect,writes=split:2", .about = "a write takes time"},
    {.line = "draft4-skew:3"},
    {.line = "draft4-skew,skew=0:2", .about = "all clocks agree"},
    {.line = "draft4-ids:3"},
    {.line = "put-failed,pw_precheck=riak:2",
     .about = "too few primaries are known: nothing is written"},
    {.line = "resurrection,delete_mode=keep:2",
     .about = "tombstones are never forgotten"},
    {.line = "lease-no-fence,fence=yes:2", .about = "a fence"},
    {.line = "blind-del,del=compared:2", .about = "looks before it deletes"},
    {.line = "etcd-11456,check=yes:2", .about = "looks at its own lease"},
    {.line = "reclaim-two-transactions,transactions=one:2",
     .about = "check and reclaim in one transaction"},
    {.line = "reclaim-token-only,check=freshness:2",
     .about = "asks whether the lock is fresh"},
    {.line = "close-two-steps,close=one:2",
     .about = "check and delete in one step"},
    {.line = "heartbeat-override,suspicion=throw:2",
     .about = "suspicion is reported, and overrides nothing"},
    {.line = "heartbeat-truncate,operator=checks:2",
     .about = "the operator makes sure that the holder is dead"},
    {.line = "ghost-grant,blocking=29:2",
     .about = "no request blocks as long as a stream may idle"},
    {.line = "ghost-grant-blocking-timeout,blocking=0:2",
     .about = "a request may block for any time"},
};

const unsigned variants_count = sizeof(variants) / sizeof(variants[0]);

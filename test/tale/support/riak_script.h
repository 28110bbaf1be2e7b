#ifndef TEST_TALE_RIAK_SCRIPT_H
#define TEST_TALE_RIAK_SCRIPT_H

#include "support/script.h"
#include "tale/support/cluster.h"

/*
 * The simulated Riak of cluster.h by script; workers and partitions count from
 * 0.
 *
 *     start w=2 dw=all            over what Riak has for a bucket type
 *     0 writes 1                  worker 0 sends a write of the value 1; or
 *                                 updates, of what it has read
 *     0 reads                     or removes; and "with context"
 *     coordinates 0 at 1          a step of worker 0's request, which must be
 *     write-arrives at 2          possible; one that nobody waits for
 *     can read-arrives 0 at 2     of which comes whether it is possible
 *     0 is answered               of which comes whether it is
 *     0 takes                     the answer, of which comes what it is
 *     arrive 0 from 1             at every replica from this one on
 *     0 gets                      all of it: what it is answered
 *     0 puts 1 at 2               and so is a write, which 2 coordinates; or
 *     0 puts-update 1 at 2        an update
 *     done 0                      worker 0 asks for nothing more
 *     drain                       until nothing happens but by a fault
 *
 *     0 has it                    wrote 1, and read it
 *     0 removes it everywhere     as it showed it; its tombstone is at all
 *     all are looked at           by who removed it, as Riak does
 *
 * The other steps are looks-back, hands-off, reaps, forgets, goes-down and
 * comes-back.  Facts: home, what each primary stores, and away, what each
 * fallback does: "-" is nothing, 0 a tombstone, 1+2 two siblings.
 */
extern const struct script_machine riak_script;

#define STORY(name, text) SCRIPT(&riak_script, name, text)

#endif

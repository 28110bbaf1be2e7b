#ifndef HF_SERVER_RANKS_H
#define HF_SERVER_RANKS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/list.h"

/*
 * Room: which connection goes when there are as many as may be.
 *
 *   NEW      has sent no whole request yet: it goes first
 *   IDLE     waits for no answer
 *   HOLDER   the same, and it spoke for a session that holds
 *   STALLED  does not take what it was answered: it goes when it has taken
 *            nothing for HF_RANK_STALLED_MS, and then before all others
 *   BUSY     waits for an answer: it never goes
 *
 * Of a rank, the one goes that has been in it longest.  A holder whose
 * connection goes must get in again before its ttl is over.  So it goes only
 * where holders are more than half of all that are not busy: there a newcomer
 * is likely to be a holder, too.
 *
 * Connections with requests that wait for locks, of whatever rank, never fill
 * it: a part is left for clients that give a lock back, keep one, or look.
 * Half as much again is left for clients that come back to a place in line.
 *
 * Plain; cannot fail.  One thread.
 */
enum hf_rank {
    HF_RANK_NEW,
    HF_RANK_IDLE,
    HF_RANK_HOLDER,
    HF_RANK_STALLED,
    HF_RANK_BUSY,
    HF_RANK_RANKS,
};

enum { HF_RANK_STALLED_MS = 5000, HF_RANK_LEFT_PART = 16 };

struct hf_rank_place {
    struct hf_link link;
    enum hf_rank rank;
    unsigned waits; /* requests */
};

struct hf_ranks {
    struct hf_list ranks[HF_RANK_RANKS];
    size_t counts[HF_RANK_RANKS];
    size_t waiting; /* places of which any request waits */
};

/* It comes in, as the last of a rank; it moves to the end of a rank; it is
 * gone.
 */
void hf_ranks_add(struct hf_ranks *room, struct hf_rank_place *place,
                  enum hf_rank rank);
void hf_ranks_move(struct hf_ranks *room, struct hf_rank_place *place,
                   enum hf_rank rank);
void hf_ranks_remove(struct hf_ranks *room, struct hf_rank_place *place);

/* The place after `place` in the order in which they go; after NULL, the first.
 * NULL: there is none. */
struct hf_rank_place *hf_ranks_next(const struct hf_ranks *room,
                                    const struct hf_rank_place *place);

/* The first of those that are STALLED, and the one after `place`. */
struct hf_rank_place *hf_ranks_next_stalled(const struct hf_ranks *room,
                                            const struct hf_rank_place *place);

/* May it ask for a lock that it may have to wait for, anew, or for a place in
 * line that it has?  `most` connections may be in all. */
bool hf_ranks_may_wait(const struct hf_ranks *room,
                       const struct hf_rank_place *place, bool comes_back,
                       size_t most);

/* One more of its requests waits, or one less. */
void hf_ranks_waits(struct hf_ranks *room, struct hf_rank_place *place,
                    bool more);

bool hf_ranks_may_go(const struct hf_ranks *room,
                     const struct hf_rank_place *place);

#endif

#ifndef HF_SERVER_ROOM_H
#define HF_SERVER_ROOM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/list.h"

/*
 * Room: which connection goes when there are as many as may be.
 *
 *   NEW      has sent no whole request yet: it goes first
 *   IDLE     waits for no answer
 *   HOLDER   the same, and it spoke for a session that holds
 *   BUSY     waits for an answer: it never goes
 *
 * Of a rank goes who has been in it longest.  A holder whose connection goes
 * must get in again before its ttl is over, so it goes only where holders are
 * more than half of all: there a newcomer is likely to be one of them.
 *
 * Plain; cannot fail.  One thread.
 */
enum hf_room_rank {
    HF_ROOM_NEW,
    HF_ROOM_IDLE,
    HF_ROOM_HOLDER,
    HF_ROOM_BUSY,
    HF_ROOM_RANKS,
};

struct hf_room_place {
    struct hf_link link;
    enum hf_room_rank rank;
};

struct hf_room {
    struct hf_list ranks[HF_ROOM_RANKS];
    size_t counts[HF_ROOM_RANKS];
};

/* It comes in, as the last of a rank; it moves to the end of one; it is
 * gone. */
void hf_room_add(struct hf_room *room, struct hf_room_place *place,
                 enum hf_room_rank rank);
void hf_room_move(struct hf_room *room, struct hf_room_place *place,
                  enum hf_room_rank rank);
void hf_room_remove(struct hf_room *room, struct hf_room_place *place);

/* The one after `place` in the order in which they go, of all; the first after
 * NULL.  NULL: there is none. */
struct hf_room_place *hf_room_next(const struct hf_room *room,
                                   const struct hf_room_place *place);

bool hf_room_may_go(const struct hf_room *room,
                    const struct hf_room_place *place);

#endif

#include "server/room.h"

void
hf_room_add(struct hf_room *room, struct hf_room_place *place,
            enum hf_room_rank rank)
{
    place->rank = rank;
    hf_list_add(&room->ranks[rank], &place->link);
    room->counts[rank]++;
    room->waiting += place->waits > 0;
}

void
hf_room_remove(struct hf_room *room, struct hf_room_place *place)
{
    hf_list_remove(&room->ranks[place->rank], &place->link);
    room->counts[place->rank]--;
    room->waiting -= place->waits > 0;
}

void
hf_room_move(struct hf_room *room, struct hf_room_place *place,
             enum hf_room_rank rank)
{
    hf_room_remove(room, place);
    hf_room_add(room, place, rank);
}

struct hf_room_place *
hf_room_next(const struct hf_room *room, const struct hf_room_place *place)
{
    unsigned rank = place == NULL ? 0 : place->rank + 1;
    struct hf_link *next = place == NULL ? NULL : place->link.next;

    while (next == NULL && rank < HF_ROOM_RANKS)
        next = room->ranks[rank++].first;
    return next == NULL ? NULL : HF_CONTAINER(next, struct hf_room_place, link);
}

struct hf_room_place *
hf_room_next_stalled(const struct hf_room *room,
                     const struct hf_room_place *place)
{
    struct hf_link *next =
        place == NULL ? room->ranks[HF_ROOM_STALLED].first : place->link.next;

    return next == NULL ? NULL : HF_CONTAINER(next, struct hf_room_place, link);
}

bool
hf_room_may_wait(const struct hf_room *room, const struct hf_room_place *place,
                 bool comes_back, size_t most)
{
    size_t left = (most + HF_ROOM_LEFT_PART - 1) / HF_ROOM_LEFT_PART;

    if (!comes_back)
        left += (left + 1) / 2;
    return place->waits > 0 || room->waiting == 0 ||
           room->waiting + left < most;
}

void
hf_room_waits(struct hf_room *room, struct hf_room_place *place, bool more)
{
    if (more)
        room->waiting += place->waits++ == 0;
    else
        room->waiting -= --place->waits == 0;
}

bool
hf_room_may_go(const struct hf_room *room, const struct hf_room_place *place)
{
    size_t others = 0;

    for (unsigned rank = 0; rank < HF_ROOM_BUSY; rank++)
        others += room->counts[rank];
    switch (place->rank) {
    case HF_ROOM_NEW:
    case HF_ROOM_IDLE:
        return true;
    case HF_ROOM_HOLDER:
        return room->counts[HF_ROOM_HOLDER] > others / 2;
    case HF_ROOM_STALLED:
    case HF_ROOM_BUSY:
    case HF_ROOM_RANKS:
        break;
    }
    return false;
}

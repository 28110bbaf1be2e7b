#include "server/ranks.h"

void
hf_ranks_add(struct hf_ranks *room, struct hf_rank_place *place,
             enum hf_rank rank)
{
    place->rank = rank;
    hf_list_add(&room->ranks[rank], &place->link);
    room->counts[rank]++;
    room->waiting += place->waits > 0;
}

void
hf_ranks_remove(struct hf_ranks *room, struct hf_rank_place *place)
{
    hf_list_remove(&room->ranks[place->rank], &place->link);
    room->counts[place->rank]--;
    room->waiting -= place->waits > 0;
}

void
hf_ranks_move(struct hf_ranks *room, struct hf_rank_place *place,
              enum hf_rank rank)
{
    hf_ranks_remove(room, place);
    hf_ranks_add(room, place, rank);
}

struct hf_rank_place *
hf_ranks_next(const struct hf_ranks *room, const struct hf_rank_place *place)
{
    unsigned rank = place == NULL ? 0 : place->rank + 1;
    struct hf_link *next = place == NULL ? NULL : place->link.next;

    while (next == NULL && rank < HF_RANK_RANKS)
        next = room->ranks[rank++].first;
    return next == NULL ? NULL : HF_CONTAINER(next, struct hf_rank_place, link);
}

struct hf_rank_place *
hf_ranks_next_stalled(const struct hf_ranks *room,
                      const struct hf_rank_place *place)
{
    struct hf_link *next =
        place == NULL ? room->ranks[HF_RANK_STALLED].first : place->link.next;

    return next == NULL ? NULL : HF_CONTAINER(next, struct hf_rank_place, link);
}

bool
hf_ranks_may_wait(const struct hf_ranks *room,
                  const struct hf_rank_place *place, bool comes_back,
                  size_t most)
{
    size_t left = (most + HF_RANK_LEFT_PART - 1) / HF_RANK_LEFT_PART;

    if (!comes_back)
        left += (left + 1) / 2;
    return place->waits > 0 || room->waiting == 0 ||
           room->waiting + left < most;
}

void
hf_ranks_waits(struct hf_ranks *room, struct hf_rank_place *place, bool more)
{
    if (more)
        room->waiting += place->waits++ == 0;
    else
        room->waiting -= --place->waits == 0;
}

bool
hf_ranks_may_go(const struct hf_ranks *room, const struct hf_rank_place *place)
{
    size_t others = 0;

    for (unsigned rank = 0; rank < HF_RANK_BUSY; rank++)
        others += room->counts[rank];
    switch (place->rank) {
    case HF_RANK_NEW:
    case HF_RANK_IDLE:
        return true;
    case HF_RANK_HOLDER:
        return room->counts[HF_RANK_HOLDER] > others / 2;
    case HF_RANK_STALLED:
    case HF_RANK_BUSY:
    case HF_RANK_RANKS:
        break;
    }
    return false;
}

#include "core/lockspace/room.h"

uint32_t
hf_room_ample(const struct hf_lockspace *ls)
{
    return ls->config.limits.sessions - ls->config.limits.sessions / 4;
}

bool
hf_room_short(const struct hf_lockspace *ls)
{
    return ls->sessions.count > hf_room_ample(ls);
}

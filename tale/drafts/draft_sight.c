#include "tale/drafts/lines.h"

#include <stddef.h>

static const struct key_value *
own_value(const struct draft_sight *sight)
{
    for (unsigned i = 0; i < sight->answer.count; i++)
        if (sight->answer.siblings[i].id == sight->me)
            return &sight->answer.siblings[i];
    return NULL;
}

bool
draft_sees_lock(const struct draft_sight *sight)
{
    return sight->answer.kind == KEY_FOUND;
}

bool
draft_sees_other(const struct draft_sight *sight)
{
    return draft_sees_lock(sight) && own_value(sight) == NULL;
}

bool
draft_sees_siblings(const struct draft_sight *sight)
{
    return sight->answer.count > 1;
}

bool
draft_is_earliest(const struct draft_sight *sight)
{
    const struct key_value *own = own_value(sight);

    for (unsigned i = 0; i < sight->answer.count; i++)
        if (own == NULL || sight->answer.siblings[i].stamp < own->stamp)
            return false;
    return true;
}

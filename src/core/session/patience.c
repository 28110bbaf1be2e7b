#include "core/session/patience.h"

void
hf_patience_begin(struct hf_wish *wish, struct hf_instant now,
                  struct hf_duration patience)
{
    wish->patience = patience;
    wish->wanted_at = now;
    wish->heard_by = hf_after(now, patience);
}

void
hf_patience_answered(struct hf_wish *wish)
{
    wish->patience.ms = 0;
}

struct hf_instant
hf_patience_deadline(const struct hf_wish *wish)
{
    if (wish->patience.ms == 0)
        return wish->deadline;
    return wish->wait == HF_WAIT_TRY
               ? hf_earlier(wish->deadline, wish->heard_by)
               : hf_later(wish->deadline, wish->heard_by);
}

/* Is a server there?  A node that answers anything is.  So is one that answered
 * since the request began, until all nodes were asked without success. */
static bool
is_there(const struct hf_session *s, const struct hf_wish *wish)
{
    if (!hf_reached(s->now, hf_after(s->heard_at, wish->patience)))
        return true;
    return hf_reached(s->heard_at, wish->wanted_at) &&
           s->nodes.left < s->nodes.count;
}

bool
hf_patience_over(const struct hf_session *s, struct hf_wish *wish)
{
    if (!hf_reached(s->now, hf_patience_deadline(wish)))
        return false;
    if (hf_reached(s->now, wish->deadline) || wish->patience.ms == 0 ||
        !is_there(s, wish))
        return true;
    wish->heard_by = hf_after(s->now, wish->patience);
    return false;
}

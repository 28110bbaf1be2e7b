#include "core/outcome.h"

/* ---- A blocker ----------------------------------------------------------- */

bool
hf_blocker_lives(const struct hf_blocker *blocker)
{
    return blocker->kind == HF_BLOCKER_HOLDER &&
           (blocker->life == HF_LIFE_BEATING ||
            blocker->life == HF_LIFE_RUNNING);
}

bool
hf_blocker_is_for_a_person(const struct hf_blocker *blocker)
{
    return blocker->kind == HF_BLOCKER_HOLDER &&
           blocker->if_dead == HF_REFUSE &&
           (blocker->life == HF_LIFE_SUSPECTED ||
            blocker->life == HF_LIFE_GONE);
}

bool
hf_blocker_ends_by_time(const struct hf_blocker *blocker)
{
    return blocker->kind == HF_BLOCKER_HOLDER &&
           blocker->if_dead == HF_TAKEOVER && !hf_blocker_lives(blocker);
}

/* A holder that needs an operator outweighs a live one, and that one a holder
 * that ends by time. */
static int
weight_of(const struct hf_blocker *blocker)
{
    if (blocker->kind != HF_BLOCKER_HOLDER)
        return 0;
    if (hf_blocker_is_for_a_person(blocker))
        return blocker->life == HF_LIFE_GONE ? 6 : 5;
    if (hf_blocker_lives(blocker))
        return blocker->life == HF_LIFE_BEATING ? 4 : 3;
    return hf_blocker_ends_by_time(blocker) ? 1 : 2;
}

bool
hf_blocker_add(struct hf_blocker *all, const struct hf_blocker *one)
{
    int weight = weight_of(all);

    if (weight_of(one) > weight) {
        *all = *one;
        return true;
    }
    if (weight_of(one) == weight) {
        all->since = hf_earlier(all->since, one->since);
        all->until = hf_later(all->until, one->until);
    }
    return false;
}

/* ---- A wait -------------------------------------------------------------- */

/* Would the wait go on until an operator acts, or without end? */
static bool
is_in_vain(const struct hf_wait *wait, const struct hf_blocker *blocker)
{
    if (hf_blocker_is_for_a_person(blocker))
        return blocker->life == HF_LIFE_GONE || wait->try_only ||
               wait->fail_suspected;
    return wait->try_only && hf_blocker_lives(blocker);
}

/* A holder that came during the wait did not keep the lock for all of it.  A
 * holder of which only a process was seen may hang. */
static enum hf_outcome
outcome_of(const struct hf_wait *wait, const struct hf_blocker *blocker)
{
    if (blocker->kind == HF_BLOCKER_PLACE)
        return HF_NOT_HELD;
    if (hf_blocker_is_for_a_person(blocker))
        return blocker->life == HF_LIFE_GONE ? HF_GONE : HF_SUSPECTED_DEAD;
    if (!wait->try_only && blocker->kind == HF_BLOCKER_HOLDER &&
        blocker->life == HF_LIFE_BEATING &&
        hf_reached(wait->began_at, blocker->since))
        return HF_HELD_TOO_LONG;
    return HF_TIMED_OUT;
}

bool
hf_outcome_of_wait(const struct hf_wait *wait, const struct hf_blocker *blocker,
                   enum hf_status *status, enum hf_outcome *outcome)
{
    if (!wait->is_over && !is_in_vain(wait, blocker))
        return false;
    *status = blocker->kind == HF_BLOCKER_PLACE ? HF_E_UNAVAILABLE : HF_OK;
    *outcome = outcome_of(wait, blocker);
    return true;
}

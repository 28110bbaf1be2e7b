#include "core/session/blockers.h"

/* A dead holder's lock is granted to another within this time after its ttl. */
static const struct hf_duration until_told = {1000};

/* A holder seen alive within this time counts as alive. */
static const struct hf_duration seen_lately = {4000};

/* ---- The rule ------------------------------------------------------------ */

static struct hf_wait
wait_of(const struct hf_wish *wish, bool is_over)
{
    return (struct hf_wait){
        .try_only = wish->tried || wish->wait == HF_WAIT_TRY,
        .fail_suspected = wish->fail_suspected,
        .is_over = is_over,
        .began_at = wish->wanted_at,
    };
}

static bool
outcome_of(const struct hf_wait *wait, const struct hf_blocker *blocker,
           uint8_t *status, uint8_t *outcome)
{
    enum hf_status its_status;
    enum hf_outcome its_outcome;

    if (!hf_outcome_of_wait(wait, blocker, &its_status, &its_outcome))
        return false;
    *status = (uint8_t)its_status;
    *outcome = (uint8_t)its_outcome;
    return true;
}

/* A place that grants again before the deadline does not end the wait. */
static struct hf_blocker
blocker_of(const struct hf_wish *wish, const struct hf_blocker *seen)
{
    bool passes = seen->kind == HF_BLOCKER_PLACE &&
                  hf_reached(wish->deadline, seen->until);

    return passes ? (struct hf_blocker){.kind = HF_BLOCKER_UNKNOWN} : *seen;
}

/* ---- Calls --------------------------------------------------------------- */

void
hf_blockers_begin(struct hf_wish *wish)
{
    wish->limit_status = HF_OK;
    wish->limit_outcome = HF_TIMED_OUT;
    wish->alive_at = HF_NEVER;
    wish->suspected = wish->cut = false;
}

bool
hf_blockers_seen(const struct hf_session *s, struct hf_wish *wish,
                 const struct hf_blocker *seen)
{
    struct hf_blocker blocker = blocker_of(wish, seen);
    struct hf_wait now = wait_of(wish, false);
    struct hf_wait at_limit = wait_of(wish, true);

    (void)outcome_of(&at_limit, &blocker, &wish->limit_status,
                     &wish->limit_outcome);
    wish->alive_at = hf_blocker_lives(seen) ? s->now : HF_NEVER;
    wish->suspected = hf_blocker_is_for_a_person(&blocker);
    return wish->wait != HF_WAIT_TRY && /* the server tells a try itself */
           outcome_of(&now, &blocker, &wish->status, &wish->outcome);
}

bool
hf_blockers_wait_for_end(const struct hf_session *s, struct hf_wish *wish,
                         const struct hf_blocker *holder)
{
    struct hf_wait wait = wait_of(wish, true);

    if (!hf_blocker_ends_by_time(holder)) {
        (void)outcome_of(&wait, holder, &wish->status, &wish->outcome);
        return false;
    }
    hf_blockers_begin(wish);
    wish->tried = true;
    wish->wait = HF_WAIT_LIMITED;
    wish->deadline = hf_after(hf_later(holder->until, s->now), until_told);
    wish->patience.ms = 0;
    wish->asked_at = HF_NEVER;
    return true;
}

/* A proxy or firewall cut its message: the server is there, and lately told of
 * a live holder. */
static bool
is_cut_beside_a_holder(const struct hf_session *s, const struct hf_wish *wish)
{
    return wish->cut && wish->alive_at.ms != HF_NEVER.ms &&
           !hf_reached(s->now, hf_after(wish->alive_at, seen_lately));
}

static bool
is_kept_by_place(const struct hf_session *s, const struct hf_wish *wish)
{
    return (s->state != HF_LEASE_OPEN || hf_nodes_in_trouble(&s->nodes) ||
            wish->wait == HF_WAIT_TRY || !hf_session_is_of_one(s)) &&
           !is_cut_beside_a_holder(s, wish);
}

void
hf_blockers_end_at_deadline(const struct hf_session *s, struct hf_wish *wish)
{
    wish->status = HF_OK;
    wish->outcome = HF_AT_LIMIT;
    if ((wish->limited && wish->stream == 0) || s->limited)
        return;
    wish->status = wish->limit_status;
    wish->outcome = wish->limit_outcome;
    if (!is_kept_by_place(s, wish))
        return;
    wish->status = HF_E_UNAVAILABLE;
    wish->outcome = HF_NOT_HELD;
}

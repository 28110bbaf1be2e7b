#include "lab/check.h"

#include "base/check.h"
#include "core/session/rows.h"
#include "core/session/wishes.h"

/* ---- Wishes -------------------------------------------------------------- */

/* Does whatever it waits for come, or has it a time? */
static void
check_wish(const struct hf_session *s, const struct hf_wish *wish)
{
    const struct hf_wish_lane *lane = hf_wish_lane_at(s, wish->lane);
    bool speaks = wish->stream != 0 || wish->ready || wish->due.ms != INT64_MAX;

    HF_CHECK(!(wish->stream != 0 && wish->ready));
    HF_CHECK(!wish->again || (wish->state == HF_WISH_SETTLING && !wish->ended));
    HF_CHECK(wish->stream <= s->last_stream);
    HF_CHECK(lane->wishes_count > 0 && wish->n <= lane->n);
    switch ((enum hf_wish_state)wish->state) {
    case HF_WISH_QUEUED:
        HF_CHECK(!speaks && !wish->ended && lane->queue.count > 0);
        HF_CHECK(lane->asking != 0 || !hf_session_is_of_one(s));
        HF_CHECK(!wish->asked);
        break;
    case HF_WISH_ASKING:
        HF_CHECK(speaks && !wish->ended && wish->fence == 0);
        HF_CHECK(hf_session_is_of_one(s));
        HF_CHECK(&hf_wish_at(s, lane->asking)->chain == &wish->chain);
        break;
    case HF_WISH_CONFIRMING:
        HF_CHECK(!speaks && !wish->ended && wish->fence != 0);
        HF_CHECK(hf_session_is_of_one(s));
        break;
    case HF_WISH_HELD:
    case HF_WISH_IN_DOUBT:
        HF_CHECK(speaks == (wish->changing != 0));
        HF_CHECK(!wish->ended && wish->fence != 0 && wish->asked);
        HF_CHECK(wish->state == HF_WISH_HELD ||
                 s->config.terms.if_dead == HF_REFUSE);
        break;
    case HF_WISH_SETTLING:
        HF_CHECK(wish->asked && wish->changing == 0);
        HF_CHECK(speaks || s->state == HF_LEASE_ENDING);
        break;
    case HF_WISH_FREE:
    case HF_WISH_SETTLED:
        HF_CHECK(!"these are not looked at");
    }
}

/* Sums over all wishes. */
struct sums {
    uint32_t unsettled;
    uint32_t granted;
    uint32_t confirming;
};

static void
check_wishes(const struct hf_session *s, struct sums *sums)
{
    for (uint32_t at = 1; at <= s->wishes.fresh; at++) {
        const struct hf_wish *wish = hf_wish_at(s, at);

        if (wish->state == HF_WISH_FREE || wish->state == HF_WISH_SETTLED)
            continue;
        check_wish(s, wish);
        HF_CHECK(wish->ended || hf_wishes_find(s, wish->id) == at);
        sums->unsettled++;
        sums->confirming += wish->state == HF_WISH_CONFIRMING;
        if (!hf_wish_is_granted(wish))
            continue;
        sums->granted++;
    }
    HF_CHECK(sums->unsettled == s->unsettled_count);
    HF_CHECK(sums->granted == s->granted.count);
    HF_CHECK(sums->confirming == s->confirming_count);
}

static void
check_row(const struct hf_session *s, const struct hf_row *row,
          enum hf_row_kind kind)
{
    uint32_t count = 0;
    uint32_t last = 0;

    for (uint32_t at = row->first; at != 0; at = hf_row_next(s, kind, at)) {
        HF_CHECK(hf_row_links(s, kind, at)->prev == last);
        last = at;
        count++;
    }
    HF_CHECK(last == row->last && count == row->count);
}

/* ---- Lanes --------------------------------------------------------------- */

static uint32_t
check_lanes(const struct hf_session *s)
{
    uint32_t wishes = 0;
    int64_t idle;

    for (uint32_t at = 1; at <= s->lanes.fresh; at++) {
        const struct hf_wish_lane *lane = hf_wish_lane_at(s, at);

        if (lane->wishes_count == 0) /* idle, or free */
            continue;
        HF_CHECK(lane->number >= s->lowest && lane->number <= s->last_lane);
        HF_CHECK(lane->queue.count < lane->wishes_count || lane->asking == 0);
        check_row(s, &lane->queue, HF_ROW_MATES);
        wishes += lane->wishes_count;
    }
    HF_CHECK(s->used.count + s->idle.count == s->lanes.count);
    if (hf_timers_first(s, &s->idle, &idle) != 0)
        HF_CHECK((uint64_t)idle >= s->lowest);
    return wishes;
}

void
hf_session_check(const struct hf_session *s)
{
    struct sums sums = {0};

    check_wishes(s, &sums);
    HF_CHECK(check_lanes(s) == s->unsettled_count);
    check_row(s, &s->granted, HF_ROW_MATES);
    check_row(s, &s->ready, HF_ROW_WORK);
    check_row(s, &s->sent, HF_ROW_WORK);
    check_row(s, &s->news, HF_ROW_NEWS);
    HF_CHECK(hf_timers_sound(s, &s->timers));
    HF_CHECK(hf_timers_sound(s, &s->used));
    HF_CHECK(hf_timers_sound(s, &s->idle));
}

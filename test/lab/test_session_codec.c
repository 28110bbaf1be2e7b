/*
 * A session that runs on, and one that is written and read back after every
 * step: the same is told to both, and both do the same.
 *
 * Worlds from fixed seeds.  HF_SEED=N runs one seed of each test.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/fence_sum.h"
#include "core/session/parts.h"
#include "lab/check.h"
#include "lab/server/session_codec.h"

enum {
    WORLDS = 1000,
    STEPS = 120,
    BLOCK = 4096,
    EFFECTS = 64,
    OUT = 32,         /* messages whose streams were not closed */
    FENCES = 128,     /* that were ever granted */
    NUMBER_MAX = 240, /* then a world ends: none is ranked */
};

struct block {
    _Alignas(64) uint8_t bytes[BLOCK];
};

/* What a session did in one step. */
struct deeds {
    struct hf_session_effect of[EFFECTS];
    unsigned count;
    uint64_t pages[SESSION_CODEC_WISHES]; /* fences of the page, if one was */
    unsigned pages_count;
};

/* One machine, and the instant at which it stands. */
struct side {
    struct block block;
    struct hf_session *session;
    struct hf_instant now;
    struct deeds deeds;
};

struct world {
    uint64_t random;
    struct hf_session_config config;
    struct side runs;  /* on, untouched */
    struct side moves; /* into bytes and out of them */
    struct hf_session_send out[OUT];
    unsigned out_count;
    uint64_t last_fence;
    uint64_t last_term;
    uint64_t fences[FENCES]; /* of the answer that is given */
    uint64_t held[FENCES];
};

static uint64_t
from_environment(const char *name, uint64_t otherwise)
{
    const char *given = getenv(name);

    return given == NULL ? otherwise : strtoull(given, NULL, 10);
}

/* xorshift64* (Vigna 2016), from 0 to `most`. */
static unsigned
pick(struct world *w, unsigned most)
{
    w->random ^= w->random >> 12;
    w->random ^= w->random << 25;
    w->random ^= w->random >> 27;
    return (unsigned)((w->random * UINT64_C(0x2545f4914f6cdd1d) >> 33) %
                      (most + 1U));
}

static bool
one_in(struct world *w, unsigned chances)
{
    return pick(w, chances - 1) == 0;
}

static struct hf_instant
later(const struct side *side, unsigned ticks)
{
    return hf_after(side->now, codec_length(ticks));
}

/* ---- One machine --------------------------------------------------------- */

static void
note_page(struct side *side)
{
    uint32_t cursor = 0;

    side->deeds.pages_count = 0;
    while (hf_session_page(side->session, &cursor,
                           &side->deeds.pages[side->deeds.pages_count]))
        side->deeds.pages_count++;
}

/* What is to be closed is a set. */
static void
put(struct deeds *deeds, const struct hf_session_effect *effect)
{
    unsigned k = deeds->count++;

    assert_true(k < EFFECTS);
    for (; k > 0 && effect->kind == HF_SESSION_CLOSE &&
           deeds->of[k - 1].kind == HF_SESSION_CLOSE &&
           deeds->of[k - 1].stream > effect->stream;
         k--)
        deeds->of[k] = deeds->of[k - 1];
    deeds->of[k] = *effect;
}

static void
set_blocker(const struct side *side, struct hf_blocker *blocker)
{
    blocker->since =
        hf_after(side->now, (struct hf_duration){blocker->since.ms});
    blocker->until =
        hf_after(side->now, (struct hf_duration){blocker->until.ms});
}

static void
step(struct side *side, const struct hf_session_event *event, unsigned ticks)
{
    struct hf_session_event now = *event;
    struct hf_session_effect effect;

    side->now = later(side, ticks);
    now.at = side->now;
    if (event->kind == HF_SESSION_WANT && event->want.deadline.ms != INT64_MAX)
        now.want.deadline =
            hf_after(side->now, (struct hf_duration){event->want.deadline.ms});
    if (event->kind == HF_SESSION_SEEN)
        set_blocker(side, &now.wish.blocker);
    else if (event->kind == HF_SESSION_ANSWER)
        set_blocker(side, &now.answer.blocker);
    side->session->randoms = 0;
    side->deeds.count = 0;
    hf_session_step(side->session, &now);
    while (hf_session_next(side->session, &effect)) {
        put(&side->deeds, &effect);
        if (effect.kind == HF_SESSION_SEND &&
            effect.send.message.kind == HF_MESSAGE_PAGE)
            note_page(side);
    }
    hf_session_check(side->session);
}

/* ---- Both do the same ---------------------------------------------------- */

static int64_t
ticks_until(const struct side *side, struct hf_instant at)
{
    if (at.ms == HF_NEVER.ms)
        return -1;
    return (hf_between(side->now, at).ms + CODEC_TICK_MS - 1) / CODEC_TICK_MS;
}

static int64_t
capped(struct hf_duration waited)
{
    struct hf_duration most = codec_length(SESSION_CODEC_WAITED);

    return waited.ms < most.ms ? waited.ms : most.ms;
}

static void
compare_bodies(const struct hf_message *a, const struct hf_message *b)
{
    if (a->kind == HF_MESSAGE_OPEN) {
        assert_int_equal(a->open.ttl.ms, b->open.ttl.ms);
        assert_int_equal(a->open.if_dead, b->open.if_dead);
    } else if (a->kind == HF_MESSAGE_ACQUIRE) {
        assert_int_equal(a->acquire.free, b->acquire.free);
        assert_int_equal(a->acquire.wait, b->acquire.wait);
        assert_int_equal(a->acquire.remaining.ms, b->acquire.remaining.ms);
        assert_int_equal(capped(a->acquire.waited), capped(b->acquire.waited));
    }
}

static void
compare_sends(const struct hf_session_send *a, const struct hf_session_send *b)
{
    assert_int_equal(a->node, b->node);
    assert_int_equal(a->id, b->id);
    assert_int_equal(a->index, b->index);
    assert_int_equal(a->message.kind, b->message.kind);
    assert_int_equal(a->message.stream, b->message.stream);
    assert_int_equal(a->message.session, b->message.session);
    assert_int_equal(a->message.term, b->message.term);
    assert_int_equal(a->message.lowest, b->message.lowest);
    assert_int_equal(a->message.lane, b->message.lane);
    assert_int_equal(a->message.n, b->message.n);
    assert_int_equal(a->message.a, b->message.a);
    compare_bodies(&a->message, &b->message);
}

static void
compare_notices(const struct hf_session_notice *a,
                const struct hf_session_notice *b)
{
    assert_int_equal(a->id, b->id);
    assert_int_equal(a->news, b->news);
    assert_int_equal(a->state, b->state);
    assert_int_equal(a->status, b->status);
    assert_int_equal(a->outcome, b->outcome);
    assert_int_equal(a->fence, b->fence);
}

static void
compare_deeds(const struct deeds *a, const struct deeds *b)
{
    assert_int_equal(a->count, b->count);
    for (unsigned i = 0; i < a->count; i++) {
        assert_int_equal(a->of[i].kind, b->of[i].kind);
        if (a->of[i].kind == HF_SESSION_TELL)
            compare_notices(&a->of[i].tell, &b->of[i].tell);
        else if (a->of[i].kind == HF_SESSION_CLOSE)
            assert_int_equal(a->of[i].stream, b->of[i].stream);
        else
            compare_sends(&a->of[i].send, &b->of[i].send);
    }
    assert_int_equal(a->pages_count, b->pages_count);
    for (unsigned i = 0; i < a->pages_count; i++)
        assert_int_equal(a->pages[i], b->pages[i]);
}

static void
compare_looks(const struct side *a, const struct side *b)
{
    assert_int_equal(ticks_until(a, hf_session_deadline(a->session)),
                     ticks_until(b, hf_session_deadline(b->session)));
    assert_int_equal(ticks_until(a, hf_session_right(a->session)),
                     ticks_until(b, hf_session_right(b->session)));
    assert_int_equal(hf_session_room(a->session), hf_session_room(b->session));
    assert_int_equal(hf_session_over(a->session), hf_session_over(b->session));
    assert_int_equal(hf_session_settled(a->session),
                     hf_session_settled(b->session));
    for (uint64_t id = 1; id <= SESSION_CODEC_WISHES; id++)
        assert_int_equal(hf_session_holds(a->session, id, a->now),
                         hf_session_holds(b->session, id, b->now));
}

/* ---- Bytes --------------------------------------------------------------- */

/* With its numbers as ranks: as a world does it, on a copy. */
static void
write_ranked(const struct side *side, uint8_t *bytes)
{
    struct numbers terms = {.count = 0};
    struct numbers streams = {.count = 0};
    struct numbers fences = {.count = 0};
    struct numbers lanes = {.count = 0};
    struct numbers n = {.count = 0};
    struct numbers a = {.count = 0};
    struct block copy = side->block;
    struct hf_session *session = hf_pool_behind(copy.bytes, 0);

    session_numbers(session, &(struct session_numbers){
                                 .terms = &terms,
                                 .streams = &streams,
                                 .fences = &fences,
                                 .lanes = &lanes,
                                 .n = &n,
                                 .a = &a,
                             });
    (void)numbers_settle(&terms, 1);
    (void)numbers_settle(&streams, 1);
    (void)numbers_settle(&fences, 1);
    (void)numbers_settle(&lanes, 1);
    (void)numbers_settle(&n, 1);
    (void)numbers_settle(&a, 1);
    session_write(session, side->now, bytes);
}

/* What is read is as it was, and is written as it was. */
static void
read_back(const struct world *w, const uint8_t *bytes, struct side *side)
{
    uint8_t again[SESSION_CODEC_SIZE];

    memset(side->block.bytes, 0xa5, sizeof(side->block.bytes));
    side->session = session_read(&w->config, bytes, side->block.bytes);
    side->now = CODEC_NOW;
    hf_session_check(side->session);
    session_write(side->session, side->now, again);
    assert_memory_equal(bytes, again, SESSION_CODEC_SIZE);
}

/* Of how many messages would a failure say nothing new? */
static unsigned
count_known(const struct hf_session *s)
{
    unsigned count = 0;

    for (unsigned i = 0; i < HF_ERRANDS_MAX; i++)
        count +=
            s->errands[i].stream != 0 && s->errands[i].stream <= s->nodes.known;
    for (uint32_t at = 1; at <= s->wishes.fresh; at++)
        count += hf_wish_at(s, at)->state != HF_WISH_FREE &&
                 hf_wish_at(s, at)->stream != 0 &&
                 hf_wish_at(s, at)->stream <= s->nodes.known;
    return count;
}

/* Numbers that grew for long are as low as there are different ones. */
static void
check_ranks(const struct hf_session *s)
{
    enum { OUT_MOST = SESSION_CODEC_WISHES + HF_ERRANDS_MAX };

    assert_in_range(s->term, 0, 1);
    assert_in_range(s->last_stream, 0, OUT_MOST + 1);
    assert_in_range(s->nodes.known, 0, s->last_stream);
    for (unsigned i = 0; i < HF_ERRANDS_MAX; i++)
        assert_in_range(s->errands[i].stream, 0, s->last_stream);
    assert_in_range(s->last_lane, 0, SESSION_CODEC_WISHES + 2);
    for (uint32_t at = 1; at <= s->lanes.count; at++) {
        assert_in_range(hf_wish_lane_at(s, at)->number, 1, s->last_lane);
        assert_in_range(hf_wish_lane_at(s, at)->n, 0, 2 * SESSION_CODEC_WISHES);
    }
    for (uint32_t at = 1; at <= s->wishes.count; at++) {
        assert_in_range(hf_wish_at(s, at)->fence, 0, SESSION_CODEC_WISHES);
        assert_in_range(hf_wish_at(s, at)->a, 0, SESSION_CODEC_WISHES);
    }
}

static void
move(struct world *w)
{
    uint8_t stays[SESSION_CODEC_SIZE];
    uint8_t bytes[SESSION_CODEC_SIZE];
    struct side ranked;

    write_ranked(&w->runs, stays);
    write_ranked(&w->moves, bytes);
    assert_memory_equal(stays, bytes, SESSION_CODEC_SIZE);
    read_back(w, bytes, &ranked);
    check_ranks(ranked.session);
    assert_int_equal(count_known(w->runs.session), count_known(ranked.session));
    assert_int_equal(
        ticks_until(&w->runs, hf_session_deadline(w->runs.session)),
        ticks_until(&ranked, hf_session_deadline(ranked.session)));

    session_write(w->runs.session, w->runs.now, stays);
    session_write(w->moves.session, w->moves.now, bytes);
    assert_memory_equal(stays, bytes, SESSION_CODEC_SIZE);
    read_back(w, bytes, &w->moves);
}

/* ---- What happens -------------------------------------------------------- */

static void
drop_out(struct world *w, uint64_t stream)
{
    unsigned kept = 0;

    for (unsigned i = 0; i < w->out_count; i++)
        if (w->out[i].message.stream != stream)
            w->out[kept++] = w->out[i];
    w->out_count = kept;
}

static void
note_out(struct world *w)
{
    for (unsigned i = 0; i < w->runs.deeds.count; i++) {
        const struct hf_session_effect *effect = &w->runs.deeds.of[i];

        if (effect->kind == HF_SESSION_CLOSE)
            drop_out(w, effect->stream);
        if (effect->kind != HF_SESSION_SEND)
            continue;
        assert_true(w->out_count < OUT);
        w->out[w->out_count++] = effect->send;
    }
}

static void
happens(struct world *w, const struct hf_session_event *event)
{
    unsigned ticks = one_in(w, 3) ? pick(w, 2) : 0;

    step(&w->runs, event, ticks);
    step(&w->moves, event, ticks);
    compare_deeds(&w->runs.deeds, &w->moves.deeds);
    compare_looks(&w->runs, &w->moves);
    note_out(w);
    if (one_in(w, 8)) { /* time that it is not told of */
        ticks = 1 + pick(w, 2);
        w->runs.now = later(&w->runs, ticks);
        w->moves.now = later(&w->moves, ticks);
    }
    move(w);
}

/* The id is the slot that it gets: both have the wishes in one order. */
static void
want(struct world *w)
{
    const struct hf_pool *slots = &w->runs.session->wishes;
    struct hf_session_event event = {.kind = HF_SESSION_WANT};

    if (!hf_session_room(w->runs.session))
        return;
    event.want.id = slots->free != 0 ? slots->free : slots->fresh + 1;
    event.want.label = pick(w, 2);
    event.want.free = one_in(w, 5);
    event.want.fail_suspected = one_in(w, 3);
    event.want.wait = (enum hf_wait_kind)pick(w, 2);
    event.want.deadline =
        one_in(w, 3) ? HF_NEVER
                     : (struct hf_instant){codec_length(pick(w, 12)).ms};
    happens(w, &event);
}

static void
change(struct world *w, enum hf_session_event_kind kind)
{
    struct hf_session_event event = {.kind = kind};

    event.wish.id = 1 + pick(w, 2);
    event.wish.index = pick(w, 1);
    happens(w, &event);
}

static void
pass(struct world *w)
{
    struct hf_session_event event = {.kind = HF_SESSION_CLOCK};
    int64_t ticks = ticks_until(&w->runs, hf_session_deadline(w->runs.session));

    if (ticks < 0 || one_in(w, 4))
        ticks = pick(w, 3);
    w->runs.now = later(&w->runs, (unsigned)ticks);
    w->moves.now = later(&w->moves, (unsigned)ticks);
    happens(w, &event);
}

/* Its instants are as long ago, or ahead, of the one that it is seen at. */
static struct hf_blocker
blocker(struct world *w)
{
    return (struct hf_blocker){
        .kind = (enum hf_blocker_kind)pick(w, HF_BLOCKER_HOLDER),
        .life = (enum hf_life)pick(w, HF_LIFE_GONE),
        .if_dead = one_in(w, 2) ? HF_REFUSE : HF_TAKEOVER,
        .since = {-codec_length(pick(w, SESSION_CODEC_WAITED - 1)).ms},
        .until = {codec_length(pick(w, 12)).ms},
    };
}

static void
see(struct world *w)
{
    struct hf_session_event event = {.kind = HF_SESSION_SEEN};

    event.wish.id = 1 + pick(w, 2);
    event.wish.blocker = blocker(w);
    happens(w, &event);
}

static void
break_something(struct world *w)
{
    struct hf_session_event event = {.kind = HF_SESSION_STREAM_ENDED};

    if (w->out_count == 0)
        return;
    event.broken.stream = w->out[pick(w, w->out_count - 1)].message.stream;
    event.broken.is_cut = one_in(w, 2);
    drop_out(w, event.broken.stream);
    happens(w, &event);
}

/* ---- What is answered ---------------------------------------------------- */

/* Most of those that were ever granted, or only how many. */
static void
name_held(struct world *w, struct hf_session_event *event)
{
    struct hf_fence_sum *held = &event->answer.answer.alive.held;
    bool listed = !one_in(w, 3);

    event->answer.held = listed ? w->held : NULL;
    for (uint64_t fence = 1; fence <= w->last_fence; fence++) {
        if (one_in(w, 10))
            continue;
        hf_fence_sum_add(held, fence);
        w->held[held->count - 1] = fence;
    }
    event->answer.held_count = held->count;
}

/* Some of those that were ever granted. */
static void
name_fences(struct world *w, struct hf_session_event *event, unsigned chances)
{
    event->answer.fences = w->fences;
    for (uint64_t fence = 1; fence <= w->last_fence; fence++)
        if (one_in(w, chances))
            w->fences[event->answer.fences_count++] = fence;
}

static void
answer_errand(struct world *w, const struct hf_message *message,
              struct hf_session_event *event)
{
    struct hf_answer *answer = &event->answer.answer;

    switch ((int)message->kind) {
    case HF_MESSAGE_OPEN:
        answer->kind = one_in(w, 4) ? HF_ANSWER_LIMIT : HF_ANSWER_OPENED;
        answer->alive.session = 1 + pick(w, 9);
        event->answer.term = w->last_term;
        break;
    case HF_MESSAGE_KEEP_ALIVE:
        answer->kind = HF_ANSWER_ALIVE;
        name_held(w, event);
        name_fences(w, event, 20);
        break;
    case HF_MESSAGE_PAGE:
        answer->kind = HF_ANSWER_PAGE;
        name_fences(w, event, 3);
        break;
    case HF_MESSAGE_END:
        answer->kind = HF_ANSWER_ENDED;
        break;
    }
}

static void
answer_acquire(struct world *w, struct hf_answer *answer)
{
    static const enum hf_answer_kind others[] = {
        HF_ANSWER_BLOCKING_TIMEOUT,
        HF_ANSWER_SUPERSEDED,
        HF_ANSWER_LATER,
        HF_ANSWER_BUSY,
        HF_ANSWER_LIMIT,
    };

    if (!one_in(w, 3)) {
        answer->kind = HF_ANSWER_GRANTED;
        answer->fence = ++w->last_fence;
    } else if (one_in(w, 2)) {
        answer->kind = HF_ANSWER_OVER;
        answer->over = (enum hf_over)pick(w, HF_OVER_FORGOTTEN);
    } else {
        answer->kind = others[pick(w, 4)];
        if (answer->kind == HF_ANSWER_LATER)
            answer->grace = codec_length(pick(w, 3));
    }
}

static void
answer_wish(struct world *w, const struct hf_message *message,
            struct hf_answer *answer)
{
    bool none = one_in(w, 5);

    if (message->kind == HF_MESSAGE_ACQUIRE)
        answer_acquire(w, answer);
    else if (message->kind == HF_MESSAGE_RELEASE)
        answer->kind = none ? HF_ANSWER_LIMIT : HF_ANSWER_RELEASED;
    else
        answer->kind = none ? HF_ANSWER_NOT_HELD : HF_ANSWER_CHANGED;
}

/* Any message may be answered so. */
static void
answer_anything(struct world *w, struct hf_session_event *event)
{
    static const enum hf_answer_kind kinds[] = {
        HF_ANSWER_NOT_LEADING, HF_ANSWER_NOT_LEADING, HF_ANSWER_TERM,
        HF_ANSWER_TERM,        HF_ANSWER_TERM,        HF_ANSWER_GONE,
        HF_ANSWER_DENIED,      HF_ANSWER_CHANGED,
    };

    event->answer.answer.kind = kinds[pick(w, 7)];
    event->answer.leader = pick(w, SESSION_CODEC_NODES);
    if (event->answer.answer.kind != HF_ANSWER_TERM)
        return;
    event->answer.answer.pause_us =
        (uint64_t)codec_length(pick(w, 2)).ms * 1000;
    w->last_term += pick(w, 2) == 0 ? 0 : 1;
    event->answer.term = w->last_term;
}

static void
answer(struct world *w)
{
    struct hf_session_event event = {.kind = HF_SESSION_ANSWER};
    struct hf_message message;

    if (w->out_count == 0 || w->last_fence == FENCES)
        return;
    message = w->out[pick(w, w->out_count - 1)].message;
    drop_out(w, message.stream);
    if (one_in(w, 6)) {
        answer_anything(w, &event);
    } else if (message.kind == HF_MESSAGE_ACQUIRE ||
               message.kind == HF_MESSAGE_RELEASE ||
               message.kind == HF_MESSAGE_CHANGE) {
        answer_wish(w, &message, &event.answer.answer);
        event.answer.blocker = blocker(w);
    } else {
        answer_errand(w, &message, &event);
    }
    event.answer.answer.stream = message.stream;
    happens(w, &event);
}

static void
something_happens(struct world *w)
{
    struct hf_session_event end = {.kind = HF_SESSION_END};
    unsigned chance = pick(w, 99);

    if (chance < 16)
        want(w);
    else if (chance < 22)
        change(w, HF_SESSION_RELEASE);
    else if (chance < 25)
        change(w, HF_SESSION_CHANGE);
    else if (chance < 26)
        change(w, HF_SESSION_LEAVE);
    else if (chance < 44)
        pass(w);
    else if (chance < 52)
        break_something(w);
    else if (chance < 62)
        see(w);
    else if (chance < 99)
        answer(w);
    else if (one_in(w, 2))
        happens(w, &end);
}

static bool
numbers_fit(const struct hf_session *s)
{
    return s->last_stream < NUMBER_MAX && s->last_lane < NUMBER_MAX;
}

static void
begin(struct world *w, enum hf_if_dead if_dead, unsigned grace, uint64_t seed)
{
    /* Of these, patience is in whole ticks, too. */
    static const unsigned useful_ticks[] = {3, 4, 6, 12};

    *w = (struct world){
        .random = seed * UINT64_C(0x9e3779b97f4a7c15) + 1,
        .config =
            {
                .limits = {.wishes = SESSION_CODEC_WISHES,
                           .nodes = SESSION_CODEC_NODES},
                .terms = {.if_dead = if_dead,
                          .ttl = codec_length(grace + 4),
                          .beat = codec_length(1)},
                .grace = codec_length(grace),
                .margin = codec_length(1),
                .silence = codec_length(3),
                .seed = SESSION_CODEC_SEED,
            },
        .last_term = 1,
    };
    w->config.limits.page = 1 + pick(w, 1);
    w->config.terms.ttl = codec_length(grace + 1 + useful_ticks[pick(w, 3)]);
    w->runs.session = hf_session_init(w->runs.block.bytes, &w->config);
    w->moves.session = hf_session_init(w->moves.block.bytes, &w->config);
    w->runs.now = w->moves.now = CODEC_NOW;
}

static void
run(enum hf_if_dead if_dead, unsigned grace)
{
    static struct world w;
    uint64_t only = from_environment("HF_SEED", 0);
    uint64_t last = only != 0 ? only : WORLDS;

    for (uint64_t seed = only != 0 ? only : 1; seed <= last; seed++) {
        if (only != 0)
            printf("HF_SEED=%llu\n", (unsigned long long)seed);
        begin(&w, if_dead, grace, seed);
        for (unsigned i = 0; i < STEPS && numbers_fit(w.runs.session); i++)
            something_happens(&w);
    }
}

/* ---- Tests --------------------------------------------------------------- */

static void
a_session_that_is_taken_over_runs_on_as_if_never_written(void **state)
{
    (void)state;
    run(HF_TAKEOVER, 0);
    run(HF_TAKEOVER, 1);
}

static void
a_session_that_is_doubted_runs_on_as_if_never_written(void **state)
{
    (void)state;
    run(HF_REFUSE, 0);
    run(HF_REFUSE, 1);
}

/* ---- What comes to the same ---------------------------------------------- */

static void
both(struct world *w, const struct hf_session_event *event)
{
    step(&w->runs, event, 0);
    step(&w->moves, event, 0);
    compare_deeds(&w->runs.deeds, &w->moves.deeds);
    compare_looks(&w->runs, &w->moves);
    note_out(w);
    move(w);
}

static void
both_want(struct world *w, uint64_t id, struct hf_instant deadline)
{
    struct hf_session_event event = {.kind = HF_SESSION_WANT};

    event.want.id = id;
    event.want.label = 1;
    event.want.wait = HF_WAIT_FOREVER;
    event.want.deadline = deadline;
    both(w, &event);
}

/* What was sent first. */
static void
both_answered(struct world *w, struct hf_answer answer)
{
    struct hf_session_event event = {.kind = HF_SESSION_ANSWER};

    assert_true(w->out_count > 0);
    answer.stream = w->out[0].message.stream;
    event.answer.answer = answer;
    event.answer.term = 1;
    drop_out(w, answer.stream);
    both(w, &event);
}

static void
begin_open(struct world *w)
{
    struct hf_answer opened = {.kind = HF_ANSWER_OPENED};

    begin(w, HF_TAKEOVER, 0, 1);
    both_want(w, 1, HF_NEVER);
    opened.alive.session = 1;
    both_answered(w, opened);
}

static void
what_was_done_and_is_over_leaves_no_trace(void **state)
{
    static struct world w;
    struct hf_session_event release = {.kind = HF_SESSION_RELEASE};
    struct hf_answer granted = {.kind = HF_ANSWER_GRANTED};
    uint8_t bytes[3][SESSION_CODEC_SIZE];

    (void)state;
    release.wish.id = 1;
    begin_open(&w);
    for (unsigned i = 0; i < 3; i++) {
        granted.fence = i + 1;
        both_answered(&w, granted);
        both(&w, &release);
        both_answered(&w, (struct hf_answer){.kind = HF_ANSWER_RELEASED});
        write_ranked(&w.runs, bytes[i]);
        both_want(&w, 1, HF_NEVER);
    }
    assert_memory_equal(bytes[0], bytes[1], SESSION_CODEC_SIZE);
    assert_memory_equal(bytes[0], bytes[2], SESSION_CODEC_SIZE);
}

/* The name of what is only being settled is that of another already. */
static void
an_id_that_is_used_again_is_told_from_the_one_before(void **state)
{
    static struct world w;
    struct hf_session_event clock = {.kind = HF_SESSION_CLOCK};
    struct hf_answer granted = {.kind = HF_ANSWER_GRANTED, .fence = 5};

    (void)state;
    begin_open(&w);
    both_answered(&w, granted);
    both_want(&w, 2, (struct hf_instant){0}); /* whose wait is over at once */
    both(&w, &clock);
    assert_int_equal(w.runs.deeds.of[0].tell.news, HF_NEWS_ENDED);
    both_want(&w, 2, HF_NEVER);
    assert_int_equal(w.runs.session->wishes.count, 3);
    both_answered(&w, (struct hf_answer){.kind = HF_ANSWER_RELEASED});
    granted.fence = 6;
    both_answered(&w, granted);
    assert_int_equal(hf_session_holds(w.moves.session, 2, w.moves.now),
                     HF_GRANTED);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            a_session_that_is_taken_over_runs_on_as_if_never_written),
        cmocka_unit_test(a_session_that_is_doubted_runs_on_as_if_never_written),
        cmocka_unit_test(what_was_done_and_is_over_leaves_no_trace),
        cmocka_unit_test(an_id_that_is_used_again_is_told_from_the_one_before),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

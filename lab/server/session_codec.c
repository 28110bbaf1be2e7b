#include "lab/server/session_codec.h"

#include <string.h>

#include "base/check.h"
#include "core/session/messages.h"
#include "core/session/rows.h"

/* A session in the lab. */
enum { BLOCK = 4096 };

/* What is written or read, and its entries in the order of the bytes, from 1:
 * so are they named in these. */
struct coder {
    struct codec codec;
    const struct session_numbers *of; /* while it ranks */
    struct hf_session *s;
    uint32_t wishes[SESSION_CODEC_WISHES + 1];
    uint32_t lanes[SESSION_CODEC_WISHES + 1];
    unsigned wishes_count;
    unsigned lanes_count;
};

/* ---- What still matters -------------------------------------------------- */

static bool
is_granted(const struct hf_wish *wish)
{
    return wish->state == HF_WISH_CONFIRMING || wish->state == HF_WISH_HELD ||
           wish->state == HF_WISH_IN_DOUBT;
}

/* Will its user wait for it, now or once more? */
static bool
may_be_asked(const struct hf_wish *wish)
{
    return hf_wish_waits(wish) ||
           (wish->state == HF_WISH_SETTLING && wish->again);
}

/* Was it granted before a keep-alive that is out was sent, or will be?  The
 * newest of those that were sent before it says as much. */
static uint64_t
sent_before_grant(const struct hf_session *s, const struct hf_wish *wish)
{
    uint64_t newest = 0;

    for (unsigned i = 0; is_granted(wish) && i < HF_ERRANDS_MAX; i++)
        if (s->errands[i].kind == HF_MESSAGE_KEEP_ALIVE &&
            s->errands[i].stream <= wish->granted_by &&
            s->errands[i].stream > newest)
            newest = s->errands[i].stream;
    return newest;
}

static void
strip_wish(const struct hf_session *s, struct hf_wish *wish)
{
    HF_CHECK(wish->state != HF_WISH_SETTLED && wish->news == 0);
    if (!may_be_asked(wish)) {
        wish->deadline = HF_NEVER;
        wish->asked_at = HF_NEVER;
        wish->wait = 0;
        wish->free = false;
        wish->tried = wish->fail_suspected = wish->suspected = false;
        wish->cut = false;
    }
    if (wish->deadline.ms == HF_NEVER.ms) {
        wish->alive_at = HF_NEVER;
        wish->limit_status = 0;
        wish->limit_outcome = 0;
    }
    if (wish->deadline.ms == HF_NEVER.ms || wish->tried ||
        wish->wait == HF_WAIT_TRY)
        wish->wanted_at = HF_NEVER;
    if (wish->state == HF_WISH_QUEUED)
        wish->n = wish->a = 0; /* its turn gives others */
    wish->granted_by = sent_before_grant(s, wish);
    if (wish->stream == 0)
        wish->node = 0;
    if (wish->stream == 0 || wish->changing == 0)
        wish->lowering = 0;
    if (wish->ended) {
        wish->fence = 0;
        wish->status = 0;
        wish->outcome = 0;
    }
}

/* When it was sent says how long it is waited for, and what right its answer
 * gives. */
static void
strip_errand(struct hf_errand *errand)
{
    bool gives_right = errand->kind == HF_MESSAGE_OPEN ||
                       errand->kind == HF_MESSAGE_KEEP_ALIVE;

    HF_CHECK(!errand->untold);
    if (errand->stream == 0)
        *errand = (struct hf_errand){0};
    else if (errand->overdue && !gives_right)
        errand->sent_at = HF_NEVER;
}

static bool
has_page_out(const struct hf_session *s)
{
    for (unsigned i = 0; i < HF_ERRANDS_MAX; i++)
        if (s->errands[i].stream != 0 && s->errands[i].kind == HF_MESSAGE_PAGE)
            return true;
    return false;
}

static void
strip_lease(struct hf_session *s)
{
    if (s->state == HF_LEASE_NONE || s->state == HF_LEASE_OPENING)
        s->id = 0;
    if (!s->comparing) {
        s->alive_at = HF_NEVER;
        s->page_first = 0;
    }
    if (!has_page_out(s))
        s->page_end = 0;
}

/* A failure is news of a stream after those that were sent when the last was
 * counted: of these, the newest that is still out says as much. */
static void
strip_nodes(struct hf_session *s)
{
    uint64_t newest = 0;

    for (unsigned i = 0; i < HF_ERRANDS_MAX; i++)
        if (s->errands[i].stream <= s->nodes.known &&
            s->errands[i].stream > newest)
            newest = s->errands[i].stream;
    for (uint32_t at = s->sent.first; at != 0;
         at = hf_row_next(s, HF_ROW_WORK, at))
        if (hf_wish_at(s, at)->stream <= s->nodes.known &&
            hf_wish_at(s, at)->stream > newest)
            newest = hf_wish_at(s, at)->stream;
    s->nodes.known = newest;
    if (s->nodes.left > 0) /* a round more or less is none */
        s->nodes.left = (s->nodes.left - 1) % s->nodes.count + 1;
}

/* Leave out whatever it will not look at again. */
static void
strip(struct hf_session *s)
{
    HF_CHECK(s->news.count == 0 && s->untold == 0 && s->closing_count == 0);
    for (uint32_t at = 1; at <= s->wishes.fresh; at++)
        if (hf_wish_at(s, at)->state != HF_WISH_FREE)
            strip_wish(s, hf_wish_at(s, at));
    s->highest = 0; /* no clock is set back */
    for (unsigned i = 0; i < HF_ERRANDS_MAX; i++)
        strip_errand(&s->errands[i]);
    strip_lease(s);
    strip_nodes(s);
}

/* ---- Order --------------------------------------------------------------- */

/* An id is used again while the wish that had it is being settled, which by
 * then has a request. */
static bool
goes_before(const struct hf_session *s, const struct hf_wish *a,
            const struct hf_wish *b)
{
    uint64_t lane_of_a = hf_wish_lane_at(s, a->lane)->number;
    uint64_t lane_of_b = hf_wish_lane_at(s, b->lane)->number;

    if (a->id != b->id)
        return a->id < b->id;
    if (a->ended != b->ended)
        return a->ended;
    return lane_of_a != lane_of_b ? lane_of_a < lane_of_b : a->n < b->n;
}

static void
order_wishes(struct coder *coder)
{
    const struct hf_session *s = coder->s;

    for (uint32_t at = 1; at <= s->wishes.fresh; at++) {
        const struct hf_wish *wish = hf_wish_at(s, at);
        unsigned k = coder->wishes_count + 1;

        if (wish->state == HF_WISH_FREE)
            continue;
        for (;
             k > 1 && goes_before(s, wish, hf_wish_at(s, coder->wishes[k - 1]));
             k--)
            coder->wishes[k] = coder->wishes[k - 1];
        coder->wishes[k] = at;
        coder->wishes_count++;
    }
}

/* By their numbers: those that are used, and those that will be once more. */
static void
order_lanes(struct coder *coder)
{
    const struct hf_session *s = coder->s;

    for (uint32_t at = 1; at <= s->lanes.fresh; at++) {
        uint64_t number = hf_wish_lane_at(s, at)->number;
        unsigned k = coder->lanes_count + 1;

        if (!hf_timers_has(s, &s->used, at) && !hf_timers_has(s, &s->idle, at))
            continue;
        for (;
             k > 1 && number < hf_wish_lane_at(s, coder->lanes[k - 1])->number;
             k--)
            coder->lanes[k] = coder->lanes[k - 1];
        coder->lanes[k] = at;
        coder->lanes_count++;
    }
}

/* The order in which they were sent, and in which nothing stands for nothing.
 */
static void
order_errands(struct hf_session *s)
{
    for (unsigned i = 1; i < HF_ERRANDS_MAX; i++) {
        struct hf_errand errand = s->errands[i];
        unsigned k = i;

        for (; k > 0 && errand.stream < s->errands[k - 1].stream; k--)
            s->errands[k] = s->errands[k - 1];
        s->errands[k] = errand;
    }
}

/* ---- One description ----------------------------------------------------- */

/* The name of an entry. */
static uint32_t
code_entry(struct coder *coder, const uint32_t *entries, uint32_t number)
{
    unsigned place = 0;

    while (!coder->codec.reads && entries[place] != number) {
        place++;
        HF_CHECK(place <= SESSION_CODEC_WISHES);
    }
    CODE(&coder->codec, place);
    return entries[place];
}

static uint32_t
code_wish_name(struct coder *coder, uint32_t number)
{
    return code_entry(coder, coder->wishes, number);
}

/* While it reads, a wish stands in no row yet. */
static void
code_row(struct coder *coder, enum hf_row_kind kind, struct hf_row *row)
{
    uint32_t at = row->first;

    for (unsigned i = 0; i < SESSION_CODEC_WISHES; i++) {
        uint32_t number = code_wish_name(coder, at);

        if (at != 0)
            at = hf_row_next(coder->s, kind, at);
        else if (number != 0)
            hf_row_add(coder->s, row, kind, number);
    }
}

/* Which is first of those that are due at one instant; when that is, they say
 * themselves. */
static void
code_timers(struct coder *coder)
{
    struct hf_session *s = coder->s;
    int64_t at_ms;

    for (unsigned i = 0; i < SESSION_CODEC_WISHES; i++) {
        uint32_t first =
            coder->codec.reads ? 0 : hf_timers_first(s, &s->timers, &at_ms);
        uint32_t number = code_wish_name(coder, first);

        if (first != 0)
            hf_timers_remove(s, &s->timers, first);
        else if (number != 0)
            hf_messages_set_timer(s, number);
    }
}

static void
code_nodes(struct coder *coder, struct hf_nodes *nodes)
{
    struct codec *codec = &coder->codec;

    CODE(codec, nodes->current);
    CODE(codec, nodes->failures);
    CODE(codec, nodes->left);
    CODE_NUMBER(codec, coder->of->streams, nodes->known);
    codec_ahead(codec, &nodes->pause_end);
}

/* An answer counts from its sending, and what is older than the ttl gives no
 * right any more. */
static void
code_errand(struct coder *coder, struct hf_errand *errand)
{
    const struct hf_session *s = coder->s;
    struct codec *codec = &coder->codec;
    unsigned most = (unsigned)(s->config.terms.ttl.ms / CODEC_TICK_MS + 1);

    CODE_NUMBER(codec, coder->of->streams, errand->stream);
    if (errand->stream == 0)
        return;
    CODE(codec, errand->kind);
    CODE(codec, errand->node);
    CODE(codec, errand->overdue);
    codec_ago(codec, &errand->sent_at, most);
}

static void
code_lease(struct coder *coder)
{
    struct codec *codec = &coder->codec;
    struct hf_session *s = coder->s;
    unsigned most = (unsigned)(s->config.terms.ttl.ms / CODEC_TICK_MS + 1);

    CODE(codec, s->trust);
    CODE(codec, s->id);
    CODE_NUMBER(codec, coder->of->terms, s->term);
    CODE_NUMBER(codec, coder->of->streams, s->last_stream);
    codec_ahead(codec, &s->right_until);
    codec_ago(codec, &s->alive_at, most);
    codec_ahead(codec, &s->say_at);
    codec_ahead(codec, &s->ask_at);
    CODE(codec, s->comparing);
    CODE(codec, s->is_last);
    CODE(codec, s->limited);
    s->page_first = code_wish_name(coder, s->page_first);
    s->page_end = code_wish_name(coder, s->page_end);
    for (unsigned i = 0; i < HF_ERRANDS_MAX; i++)
        code_errand(coder, &s->errands[i]);
    code_nodes(coder, &s->nodes);
}

static void
code_lane(struct coder *coder, struct hf_wish_lane *lane)
{
    CODE_NUMBER(&coder->codec, coder->of->lanes, lane->number);
    CODE(&coder->codec, lane->label);
    CODE_NUMBER(&coder->codec, coder->of->n, lane->n);
    CODE(&coder->codec, lane->wishes_count);
    lane->asking = code_wish_name(coder, lane->asking);
    code_row(coder, HF_ROW_MATES, &lane->queue);
}

static void
code_flags(struct codec *codec, struct hf_wish *wish)
{
    CODE_BITS(codec, 1, wish->free);
    CODE_BITS(codec, 1, wish->asked);
    CODE_BITS(codec, 1, wish->ready);
    CODE_BITS(codec, 1, wish->limited);
    CODE_BITS(codec, 1, wish->again);
    CODE_BITS(codec, 1, wish->ended);
    codec_byte_ends(codec);
    CODE_BITS(codec, 1, wish->tried);
    CODE_BITS(codec, 1, wish->suspected);
    CODE_BITS(codec, 1, wish->fail_suspected);
    CODE_BITS(codec, 1, wish->cut);
    codec_byte_ends(codec);
}

static void
code_wish(struct coder *coder, struct hf_wish *wish)
{
    struct codec *codec = &coder->codec;

    wish->lane = code_entry(coder, coder->lanes, wish->lane);
    CODE(codec, wish->node);
    CODE(codec, wish->id);
    CODE_NUMBER(codec, coder->of->n, wish->n);
    CODE_NUMBER(codec, coder->of->a, wish->a);
    CODE_NUMBER(codec, coder->of->streams, wish->stream);
    CODE_NUMBER(codec, coder->of->fences, wish->fence);
    CODE_NUMBER(codec, coder->of->streams, wish->granted_by);
    CODE(codec, wish->changing);
    codec_ahead(codec, &wish->deadline);
    codec_ago(codec, &wish->asked_at, SESSION_CODEC_WAITED);
    codec_ago(codec, &wish->wanted_at, SESSION_CODEC_WAITED);
    codec_ago(codec, &wish->alive_at, SESSION_CODEC_SEEN);
    codec_ahead(codec, &wish->due);
    CODE(codec, wish->lowering);
    CODE(codec, wish->state);
    CODE(codec, wish->wait);
    CODE(codec, wish->status);
    CODE(codec, wish->outcome);
    CODE(codec, wish->limit_status);
    CODE(codec, wish->limit_outcome);
    code_flags(codec, wish);
}

/* While it reads, the entries are made before they are named. */
static void
code_entries(struct coder *coder)
{
    struct hf_session *s = coder->s;

    CODE(&coder->codec, coder->wishes_count);
    CODE(&coder->codec, coder->lanes_count);
    for (unsigned i = 1; coder->codec.reads && i <= coder->wishes_count; i++)
        coder->wishes[i] = hf_pool_take(s, &s->wishes);
    for (unsigned i = 1; coder->codec.reads && i <= coder->lanes_count; i++)
        coder->lanes[i] = hf_pool_take(s, &s->lanes);
}

/* A session that is over does nothing any more. */
static void
code(struct coder *coder)
{
    struct codec *codec = &coder->codec;
    struct hf_session *s = coder->s;

    CODE(codec, s->state);
    if (s->state == HF_LEASE_OVER) {
        s->is_last = true;
        codec_end(codec);
        return;
    }
    code_entries(coder);
    code_lease(coder);
    CODE_NUMBER(codec, coder->of->lanes, s->last_lane);
    CODE_NUMBER(codec, coder->of->lanes, s->lowest);
    for (unsigned i = 1; i <= coder->lanes_count; i++)
        code_lane(coder, hf_wish_lane_at(s, coder->lanes[i]));
    for (unsigned i = 1; i <= coder->wishes_count; i++)
        code_wish(coder, hf_wish_at(s, coder->wishes[i]));
    code_row(coder, HF_ROW_MATES, &s->granted);
    code_row(coder, HF_ROW_WORK, &s->ready);
    code_row(coder, HF_ROW_WORK, &s->sent);
    if (!codec->ranks)
        code_timers(coder);
    codec_end(codec);
}

/* ---- What follows from what was read ------------------------------------- */

static uint64_t
hash_of(uint64_t number)
{
    return hf_index_mix(number, 0);
}

static void
find_wish(struct hf_session *s, uint32_t number)
{
    const struct hf_wish *wish = hf_wish_at(s, number);

    s->unsettled_count++;
    if (!wish->ended)
        hf_index_add(s, &s->by_id, hash_of(wish->id), number);
    if (wish->stream != 0)
        hf_index_add(s, &s->by_stream, hash_of(wish->stream), number);
    if (!is_granted(wish))
        return;
    hf_index_add(s, &s->by_fence, hash_of(wish->fence), number);
    s->confirming_count += wish->state == HF_WISH_CONFIRMING;
}

static void
find_lane(struct hf_session *s, uint32_t number)
{
    const struct hf_wish_lane *lane = hf_wish_lane_at(s, number);

    hf_timers_set(s, lane->wishes_count > 0 ? &s->used : &s->idle, number,
                  (int64_t)lane->number);
    if (lane->label != 0)
        hf_index_add(s, &s->by_label, hash_of(lane->label), number);
}

/* ---- Calls --------------------------------------------------------------- */

void
session_numbers(struct hf_session *s, const struct session_numbers *of)
{
    struct coder coder = {.codec = codec_ranker(), .of = of, .s = s};

    if (s->state == HF_LEASE_OVER)
        return;
    strip(s);
    order_wishes(&coder);
    order_lanes(&coder);
    code(&coder);
}

void
session_write(const struct hf_session *s, struct hf_instant now, uint8_t *bytes)
{
    static const struct hf_secret none;
    _Alignas(64) uint8_t block[BLOCK];
    size_t size = hf_session_size(&s->config);
    struct coder coder = {
        .codec = codec_writer(bytes, SESSION_CODEC_SIZE, now),
    };

    HF_CHECK(size <= sizeof(block));
    HF_CHECK(s->config.limits.wishes <= SESSION_CODEC_WISHES);
    HF_CHECK(s->config.limits.nodes <= SESSION_CODEC_NODES);
    HF_CHECK(memcmp(&s->secret, &none, sizeof(none)) == 0);
    memcpy(block, s, size);
    coder.s = hf_pool_behind(block, 0);
    strip(coder.s);
    if (coder.s->granted.count == 0 && hf_reached(now, coder.s->right_until))
        coder.s->trust = HF_TRUST_OVER; /* there is nobody to tell */
    order_wishes(&coder);
    order_lanes(&coder);
    order_errands(coder.s);
    code(&coder);
}

struct hf_session *
session_read(const struct hf_session_config *config, const uint8_t *bytes,
             void *block)
{
    struct coder coder = {
        .codec = codec_reader(bytes, SESSION_CODEC_SIZE),
    };

    memset(block, 0, hf_session_size(config));
    coder.s = hf_session_init(block, config);
    coder.s->now = CODEC_NOW;
    code(&coder);
    for (unsigned i = 1; i <= coder.wishes_count; i++)
        find_wish(coder.s, coder.wishes[i]);
    for (unsigned i = 1; i <= coder.lanes_count; i++)
        find_lane(coder.s, coder.lanes[i]);
    return coder.s;
}

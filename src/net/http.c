#include "net/http.h"

#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "base/fail.h"
#include "net/h1.h"
#include "net/h2.h"

enum {
    /* Bytes that tell HTTP/2: no method of HTTP/1.1 begins with them. */
    PREFACE_LEN = 3,

    /* The second GOAWAY comes when the peer has shown that it knows the first,
     * or after this. */
    DRAIN_MS = 1000,

    /* Of one peer in a turn. */
    LINES_MAX = 512,

    /* A carrier without answers has an empty line so often: most of what stands
     * between cuts what was silent for a minute. */
    QUIET_MS = 10 * 1000,

    /* Lines for which there is no room beside the requests of all peers look
     * again so often. */
    FULL_MS = 100,
};

static const char preface[] = "PRI";

/* ---- The date ------------------------------------------------------------ */

/* 31 December 9999, 23:59:59. */
#define DATE_LAST_S INT64_C(253402300799)

/*
 * The date of an answer, with a NUL: "Sun, 06 Nov 1994 08:49:37 GMT" (RFC 9110,
 * 5.6.7).  Cannot fail: a time before 1970 or after 9999 is the nearest that
 * is not.
 *
 * Neither strftime, which follows the locale, nor gmtime_r, which may look at
 * files: days since 1 March of the year 0, in eras of 400 years, as Howard
 * Hinnant counts them in "chrono-Compatible Low-Level Date Algorithms".
 */
static void
write_date(int64_t unix_s, char date[HF_HTTP_DATE_LEN + 1])
{
    static const char *const week_days[] = {"Thu", "Fri", "Sat", "Sun",
                                            "Mon", "Tue", "Wed"};
    static const char *const months[] = {"Mar", "Apr", "May", "Jun",
                                         "Jul", "Aug", "Sep", "Oct",
                                         "Nov", "Dec", "Jan", "Feb"};
    int64_t now = unix_s < 0 ? 0 : unix_s > DATE_LAST_S ? DATE_LAST_S : unix_s;
    int day = (int)(now / 86400);
    int second = (int)(now % 86400);
    int since = day + 719468; /* from 1 March 0000 to 1 January 1970 */
    int era = since / 146097;
    int of_era = since % 146097;
    int year_of_era =
        (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    int of_year =
        of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    int month = (5 * of_year + 2) / 153; /* March is 0 */
    int year = era * 400 + year_of_era + (month >= 10 ? 1 : 0);

    snprintf(date, HF_HTTP_DATE_LEN + 1, "%s, %02d %s %04d %02d:%02d:%02d GMT",
             week_days[day % 7], (of_year - (153 * month + 2) / 5 + 1) % 100,
             months[month], year % 10000, second / 3600 % 24, second / 60 % 60,
             second % 60);
}

/* ---- What all peers share ------------------------------------------------ */

enum hf_status
hf_http_open(const struct hf_alloc *alloc, const struct hf_http_limits *limits,
             struct hf_http **http, struct hf_error *error)
{
    struct hf_http *made = hf_new(alloc, struct hf_http);

    if (made == NULL)
        goto fail;
    made->alloc = alloc;
    made->limits = *limits;
    made->buffers.alloc = alloc;
    made->readers.alloc = alloc;
    made->readers.limits = &made->limits;
    made->readers.wanted = HF_HEADERS_OF_REQUESTS;
    made->line_names.alloc = alloc;
    write_date(0, made->date);
    if (!hf_exchanges_init(&made->exchanges, alloc, limits->exchanges))
        goto fail;
    *http = made;
    return HF_OK;
fail:
    hf_http_close(made);
    return hf_fail(error, HF_E_NOMEM, "no memory for a server of HTTP");
}

void
hf_http_set_carrier_path(struct hf_http *http, const char *path)
{
    http->carrier_path =
        (struct hf_bytes){path, path == NULL ? 0 : strlen(path)};
}

void
hf_http_close(struct hf_http *http)
{
    struct hf_link *spare;

    if (http == NULL)
        return;
    HF_CHECK(http->peers == 0);
    while ((spare = http->spare_lines.first) != NULL) {
        hf_list_remove(&http->spare_lines, spare);
        hf_free(http->alloc, HF_CONTAINER(spare, struct hf_line, link));
    }
    hf_hash_fini(&http->line_names);
    hf_exchanges_fini(&http->exchanges);
    hf_reader_fini(&http->readers);
    hf_write_buffers_fini(&http->buffers);
    hf_free(http->alloc, http);
}

void
hf_http_turn(struct hf_http *http, struct hf_instant now, int64_t wall_ms)
{
    int64_t wall_s = wall_ms / 1000;

    http->turn++;
    http->now = now;
    if (wall_s == http->date_s)
        return;
    http->date_s = wall_s;
    write_date(wall_s, http->date);
}

enum hf_status
hf_http_add(struct hf_http *http, struct hf_http_peer **peer,
            struct hf_error *error)
{
    struct hf_http_peer *made;

    if (http->peers == http->limits.peers)
        return hf_fail(error, HF_E_LIMIT, "there are %u connections",
                       http->peers);
    made = hf_new(http->alloc, struct hf_http_peer);
    if (made == NULL)
        return hf_fail(error, HF_E_NOMEM, "no memory for a connection");
    made->http = http;
    made->out.spares = &http->buffers;
    made->idle_since = http->now;
    made->head_since = HF_NEVER;
    http->peers++;
    *peer = made;
    return HF_OK;
}

void
hf_http_remove(struct hf_http_peer *peer)
{
    if (peer == NULL)
        return;
    hf_peer_fini(peer);
    hf_h1_stop(peer);
    hf_h2_stop(peer);
    peer->http->peers--;
    hf_free(peer->http->alloc, peer);
}

/* ---- What comes in ------------------------------------------------------- */

static size_t
feed_it(struct hf_http_peer *peer, const char *bytes, size_t len)
{
    return peer->protocol == HF_PROTOCOL_H2 ? hf_h2_feed(peer, bytes, len)
                                            : hf_h1_feed(peer, bytes, len);
}

/* The first bytes, until they tell what is spoken. */
static size_t
detect_protocol(struct hf_http_peer *peer, const char *bytes, size_t len)
{
    size_t before = peer->preface_len;
    size_t taken = 0;

    if (before == 0)
        peer->head_since = peer->http->now;
    while (taken < len && peer->preface_len < PREFACE_LEN &&
           bytes[taken] == preface[peer->preface_len]) {
        peer->preface_len++;
        taken++;
    }
    if (taken == len && peer->preface_len < PREFACE_LEN)
        return taken;
    peer->head_since = HF_NEVER;
    peer->protocol =
        peer->preface_len == PREFACE_LEN ? HF_PROTOCOL_H2 : HF_PROTOCOL_H1;
    if (!(peer->protocol == HF_PROTOCOL_H2 ? hf_h2_start(peer)
                                           : hf_h1_start(peer))) {
        hf_peer_break(peer);
        return len;
    }
    /* The bytes that came before are the same as these, and were not kept. */
    return feed_it(peer, preface, peer->preface_len) == peer->preface_len
               ? taken
               : len;
}

bool
hf_http_has_line(const struct hf_http_peer *peer)
{
    return hf_peer_may_take_line(peer);
}

/* The next line, if there is one, is to be told; or there were as many in this
 * turn as may be. */
static void
take_line(struct hf_http_peer *peer)
{
    struct hf_exchange *carrier;

    if (peer->lines_turn != peer->http->turn)
        peer->lines_told = 0;
    peer->lines_turn = peer->http->turn;
    if (peer->lines_told == LINES_MAX)
        return;
    peer->lines_told++;
    carrier = hf_peer_line(peer);
    if (carrier != NULL && peer->protocol == HF_PROTOCOL_H2)
        hf_h2_line_taken(carrier);
}

size_t
hf_http_feed(struct hf_http_peer *peer, const char *bytes, size_t len)
{
    size_t taken = 0;

    if (peer->whole != NULL || peer->counts[HF_EXCHANGE_LOST] > 0)
        return 0;
    hf_peer_let_go(peer);
    if (hf_http_has_line(peer)) {
        take_line(peer);
        return 0;
    }
    if (peer->protocol == HF_PROTOCOL_UNKNOWN && !peer->is_ending &&
        !peer->is_eof)
        taken = detect_protocol(peer, bytes, len);
    if (peer->is_ending || peer->is_eof)
        return len;
    if (peer->protocol != HF_PROTOCOL_UNKNOWN)
        taken += feed_it(peer, bytes + taken, len - taken);
    return peer->is_broken ? len : taken;
}

bool
hf_http_wants(const struct hf_http_peer *peer)
{
    if (peer->is_ending || peer->is_eof || peer->ready.first != NULL)
        return false;
    if (peer->protocol == HF_PROTOCOL_H1 && hf_h1_is_held_up(peer))
        return false;
    if (peer->protocol == HF_PROTOCOL_H2 && hf_h2_is_held_up(peer))
        return false;
    return hf_peer_unwritten(peer) < HF_WRITE_BUFFER_SIZE / 2;
}

/* Something is to be pulled of the carrier, or it is over. */
static void
stir(struct hf_exchange *carrier)
{
    if (carrier->peer->protocol == HF_PROTOCOL_H2)
        hf_h2_stir(carrier);
}

/* An empty line. */
static void
say_nothing(struct hf_exchange *carrier)
{
    const struct hf_bytes end = {"\n", 1};

    if (!hf_peer_say(carrier, end, (struct hf_bytes){NULL, 0}))
        hf_peer_break(carrier->peer);
    else
        stir(carrier);
}

/* Take no more lines; what was asked is still answered. */
static void
end_carriers(struct hf_http_peer *peer)
{
    hf_peer_end_carriers(peer, true);
    HF_EACH(struct hf_exchange, one, &peer->lists[HF_EXCHANGE_CARRIER], link)
        if (!peer->is_broken)
            stir(one);
}

/* HTTP/1.1 bears nothing but lines behind the head of its answer. */
static void
probe_carrier(struct hf_http_peer *peer)
{
    struct hf_link *link = peer->lists[HF_EXCHANGE_CARRIER].first;

    if (link != NULL)
        say_nothing(HF_CONTAINER(link, struct hf_exchange, link));
}

void
hf_http_eof(struct hf_http_peer *peer)
{
    peer->is_eof = true;
    peer->head_since = HF_NEVER;
    hf_peer_lose_coming(peer);
    end_carriers(peer);
    if (peer->is_ending)
        return;
    if (peer->protocol == HF_PROTOCOL_H2)
        hf_h2_probe(peer);
    else if (peer->counts[HF_EXCHANGE_CARRIER] > 0)
        probe_carrier(peer);
    else if (peer->protocol == HF_PROTOCOL_H1)
        hf_h1_probe(peer);
}

void
hf_http_gone(struct hf_http_peer *peer)
{
    hf_peer_break(peer);
}

static void
tell_end(struct hf_exchange *exchange, enum hf_http_event_kind kind,
         struct hf_http_event *event)
{
    *event = (struct hf_http_event){
        .kind = kind,
        .exchange = exchange->id,
        .tag = exchange->tag,
        .cut = kind == HF_HTTP_LOST && !exchange->is_reset,
        .end = kind == HF_HTTP_SENT ? exchange->made : 0,
    };
    hf_peer_forget(exchange);
}

bool
hf_http_next(struct hf_http_peer *peer, struct hf_http_event *event)
{
    struct hf_link *sent = peer->lists[HF_EXCHANGE_SENT].first;
    struct hf_link *lost = peer->lists[HF_EXCHANGE_LOST].first;

    if (sent != NULL) {
        tell_end(HF_CONTAINER(sent, struct hf_exchange, link), HF_HTTP_SENT,
                 event);
        return true;
    }
    if (lost != NULL) {
        tell_end(HF_CONTAINER(lost, struct hf_exchange, link), HF_HTTP_LOST,
                 event);
        return true;
    }
    if (peer->whole == NULL) {
        hf_peer_let_go(peer);
        return false;
    }
    *event = (struct hf_http_event){
        .kind = HF_HTTP_REQUEST,
        .exchange = peer->whole->id,
        .request = &peer->request,
    };
    peer->whole = NULL;
    return true;
}

void
hf_http_tag(struct hf_http *http, uint64_t exchange, uint64_t tag)
{
    struct hf_exchange *found = hf_exchanges_find(&http->exchanges, exchange);

    if (found != NULL)
        found->tag = tag;
}

uint64_t
hf_http_tag_of(const struct hf_http *http, uint64_t exchange)
{
    const struct hf_exchange *found =
        hf_exchanges_find(&http->exchanges, exchange);

    return found != NULL ? found->tag : 0;
}

static struct hf_line *
find_line(const struct hf_http *http, uint64_t exchange)
{
    const struct hf_exchange *found =
        hf_exchanges_find(&http->exchanges, exchange);

    return found != NULL && found->is_line && found->state == HF_EXCHANGE_OPEN
               ? found->line
               : NULL;
}

bool
hf_http_is_line(const struct hf_http *http, uint64_t exchange, bool *is_named,
                uint64_t *name)
{
    const struct hf_line *line = find_line(http, exchange);

    if (line == NULL)
        return false;
    *is_named = line->has_name;
    *name = line->name;
    return true;
}

bool
hf_http_name_line(struct hf_http *http, uint64_t exchange, uint64_t name)
{
    struct hf_line *line = find_line(http, exchange);

    if (line == NULL)
        return true;
    line->has_name = true;
    line->name = name;
    if (hf_line_find(&http->line_names, line->carrier, name) != NULL)
        return false;
    if (!hf_line_name(&http->line_names, line))
        hf_peer_break(line->exchange->peer);
    return true;
}

void
hf_http_drop_line(struct hf_http *http, uint64_t exchange)
{
    struct hf_line *line = find_line(http, exchange);
    struct hf_exchange *carrier;

    if (line == NULL)
        return;
    carrier = line->carrier->exchange;
    hf_peer_drop_line(line->exchange);
    stir(carrier);
}

uint64_t
hf_http_find_line(const struct hf_http *http, uint64_t exchange, uint64_t name)
{
    const struct hf_line *beside = find_line(http, exchange);
    const struct hf_line *line =
        beside == NULL ? NULL
                       : hf_line_find(&http->line_names, beside->carrier, name);

    return line != NULL ? line->exchange->id : 0;
}

bool
hf_http_wants_json(const struct hf_http *http, uint64_t exchange)
{
    const struct hf_exchange *found =
        hf_exchanges_find(&http->exchanges, exchange);

    return found != NULL && found->wants_json;
}

/* ---- What goes out ------------------------------------------------------- */

/* A line break in a value would begin another header. */
static bool
is_value(struct hf_bytes value)
{
    for (size_t i = 0; i < value.len; i++)
        if (value.at[i] < ' ' || value.at[i] > '~')
            return false;
    return value.len <= HF_HTTP_REPLY_VALUE_MAX;
}

static void
answer_line(struct hf_exchange *exchange, const struct hf_http_reply *reply)
{
    struct hf_http_peer *peer = exchange->peer;
    struct hf_exchange *carrier = exchange->line->carrier->exchange;

    if (!hf_peer_answer_line(exchange, reply) ||
        peer->unread > peer->http->limits.unread_len)
        hf_peer_break(peer);
    else
        stir(carrier);
}

/* It is answered as any other request, and its body is not wanted. */
static void
cut_carrier(struct hf_exchange *carrier)
{
    carrier->is_cut = !carrier->carrier->is_whole;
    if (carrier->peer->protocol == HF_PROTOCOL_H1)
        hf_h1_cut(carrier->peer);
}

bool
hf_http_reply(struct hf_http *http, uint64_t exchange,
              const struct hf_http_reply *reply)
{
    struct hf_exchange *found = hf_exchanges_find(&http->exchanges, exchange);
    struct hf_http_header headers[HF_HTTP_REPLY_HEADERS_MAX];
    struct hf_http_reply clean = *reply;

    if (found == NULL || found->state != HF_EXCHANGE_OPEN)
        return false;
    if (found->is_line) {
        answer_line(found, reply);
        return true;
    }
    HF_CHECK(reply->status >= 200 && reply->status <= 599);
    HF_CHECK(reply->headers_count <= HF_HTTP_REPLY_HEADERS_MAX);
    HF_CHECK(reply->body.len <= INT32_MAX);
    clean.headers = headers;
    clean.headers_count = 0;
    for (size_t i = 0; i < reply->headers_count; i++)
        if (is_value(reply->headers[i].value))
            headers[clean.headers_count++] = reply->headers[i];
    if (found->is_carrier)
        cut_carrier(found);
    hf_peer_answer(found);
    if (found->peer->protocol == HF_PROTOCOL_H2)
        hf_h2_answer(found, &clean);
    else
        hf_h1_answer(found, &clean);
    return true;
}

bool
hf_http_carry(struct hf_http *http, uint64_t exchange,
              const struct hf_http_reply *reply)
{
    struct hf_exchange *found = hf_exchanges_find(&http->exchanges, exchange);

    if (found == NULL || found->state != HF_EXCHANGE_OPEN || !found->is_carrier)
        return false;
    hf_peer_carry(found);
    if (found->peer->is_broken)
        return true;
    if (found->peer->protocol == HF_PROTOCOL_H2)
        hf_h2_carry(found, reply);
    else
        hf_h1_carry(found, reply);
    if (!found->peer->is_broken)
        say_nothing(found);
    return true;
}

struct hf_bytes
hf_http_out(struct hf_http_peer *peer)
{
    if (peer->is_broken)
        return (struct hf_bytes){NULL, 0};
    if (peer->protocol == HF_PROTOCOL_H2)
        hf_h2_fill(peer);
    else if (peer->protocol == HF_PROTOCOL_H1)
        hf_h1_fill(peer);
    return hf_write_buffer_bytes(&peer->out);
}

void
hf_http_wrote(struct hf_http_peer *peer, size_t len)
{
    if (!peer->is_broken)
        hf_peer_wrote(peer, len);
}

/* ---- Time and ends ------------------------------------------------------- */

size_t
hf_http_unread(const struct hf_http_peer *peer)
{
    return peer->unread;
}

struct hf_instant
hf_http_unread_since(const struct hf_http_peer *peer)
{
    return hf_peer_unwritten(peer) == 0 &&
                   peer->counts[HF_EXCHANGE_ANSWERED] == 0
               ? HF_NEVER
               : peer->unread_since;
}

bool
hf_http_is_idle(const struct hf_http_peer *peer)
{
    return peer->counts[HF_EXCHANGE_OPEN] + peer->counts[HF_EXCHANGE_ANSWERED] +
               peer->counts[HF_EXCHANGE_MADE] ==
           0;
}

bool
hf_http_is_done(const struct hf_http_peer *peer)
{
    if (peer->is_broken)
        return true;
    return (peer->is_ending || peer->is_eof) && !hf_peer_is_busy(peer) &&
           peer->counts[HF_EXCHANGE_CARRIER] == 0 &&
           hf_peer_unwritten(peer) == 0;
}

void
hf_http_drain(struct hf_http_peer *peer)
{
    if (peer->is_draining || peer->is_ending)
        return;
    peer->is_draining = true;
    peer->drain_since = peer->http->now;
    end_carriers(peer);
    if (peer->protocol == HF_PROTOCOL_H2)
        hf_h2_drain(peer);
    else if (!hf_peer_is_busy(peer) && peer->counts[HF_EXCHANGE_CARRIER] == 0)
        peer->is_ending = true;
}

/* The oldest request that is not whole. */
static struct hf_exchange *
oldest_coming(const struct hf_http_peer *peer)
{
    struct hf_link *first = peer->lists[HF_EXCHANGE_COMING].first;

    return first != NULL ? HF_CONTAINER(first, struct hf_exchange, link) : NULL;
}

static struct hf_instant
head_end(const struct hf_http_peer *peer)
{
    return hf_after(peer->head_since, peer->http->limits.head_time);
}

static struct hf_instant
body_end(const struct hf_http_peer *peer)
{
    struct hf_exchange *coming = oldest_coming(peer);

    return coming == NULL
               ? HF_NEVER
               : hf_after(coming->reader->begun, peer->http->limits.body_time);
}

static struct hf_instant
unread_end(const struct hf_http_peer *peer)
{
    return hf_after(hf_http_unread_since(peer), peer->http->limits.unread_time);
}

static struct hf_instant
idle_end(const struct hf_http_peer *peer)
{
    return hf_peer_is_busy(peer) || peer->is_ending
               ? HF_NEVER
               : hf_after(peer->idle_since, peer->http->limits.idle_time);
}

static struct hf_instant
drain_end(const struct hf_http_peer *peer)
{
    return !peer->is_draining || peer->protocol != HF_PROTOCOL_H2 ||
                   hf_h2_has_drained(peer)
               ? HF_NEVER
               : hf_after(peer->drain_since, (struct hf_duration){DRAIN_MS});
}

static struct hf_instant
quiet_end(const struct hf_http_peer *peer)
{
    return peer->counts[HF_EXCHANGE_CARRIER] == 0
               ? HF_NEVER
               : hf_after(peer->quiet_at, (struct hf_duration){QUIET_MS});
}

static struct hf_instant
full_end(const struct hf_http_peer *peer)
{
    return peer->ready.first == NULL ||
                   !hf_exchanges_are_full(&peer->http->exchanges)
               ? HF_NEVER
               : hf_after(peer->http->now, (struct hf_duration){FULL_MS});
}

struct hf_instant
hf_http_deadline(const struct hf_http_peer *peer)
{
    struct hf_instant end = unread_end(peer);

    if (peer->is_broken)
        return HF_NEVER;
    if (peer->is_ending)
        return end;
    end = hf_earlier(end, hf_earlier(head_end(peer), body_end(peer)));
    end = hf_earlier(end, hf_earlier(quiet_end(peer), full_end(peer)));
    return hf_earlier(end, hf_earlier(idle_end(peer), drain_end(peer)));
}

static void
refuse_slow(struct hf_http_peer *peer)
{
    struct hf_exchange *coming = oldest_coming(peer);

    if (peer->protocol == HF_PROTOCOL_H2) {
        coming->is_cut = true;
        hf_h2_refuse(coming, HF_REFUSAL_SLOW);
    } else {
        hf_h1_refuse(coming, HF_REFUSAL_SLOW);
    }
}

/* A head that does not end holds up all that is behind it. */
static void
end_slow_head(struct hf_http_peer *peer)
{
    if (peer->protocol == HF_PROTOCOL_H1 && oldest_coming(peer) != NULL)
        refuse_slow(peer);
    else if (peer->protocol == HF_PROTOCOL_H2)
        hf_h2_end(peer, HF_H2_END_TOO_MUCH);
    else
        hf_peer_end(peer);
}

/* Nothing was asked for long. */
static void
end_idle(struct hf_http_peer *peer)
{
    if (peer->counts[HF_EXCHANGE_CARRIER] > 0) {
        end_carriers(peer);
        peer->idle_since = peer->http->now;
    } else if (peer->protocol == HF_PROTOCOL_H2) {
        hf_h2_end(peer, HF_H2_END_IDLE);
    } else {
        hf_peer_end(peer);
    }
}

static void
look_at_carriers(struct hf_http_peer *peer)
{
    peer->quiet_at = peer->http->now;
    HF_EACH(struct hf_exchange, one, &peer->lists[HF_EXCHANGE_CARRIER], link) {
        hf_carrier_clock(one->carrier, peer->http->now);
        if (hf_carrier_out(one->carrier).len == 0 && !peer->is_broken)
            say_nothing(one);
        if (peer->is_broken)
            return;
    }
}

void
hf_http_clock(struct hf_http_peer *peer)
{
    struct hf_instant now = peer->http->now;

    if (!hf_reached(now, hf_http_deadline(peer)))
        return;
    if (hf_reached(now, unread_end(peer))) {
        hf_peer_break(peer);
        return;
    }
    if (hf_reached(now, head_end(peer)))
        end_slow_head(peer);
    while (!peer->is_ending && hf_reached(now, body_end(peer)))
        refuse_slow(peer);
    if (!peer->is_ending && hf_reached(now, quiet_end(peer)))
        look_at_carriers(peer);
    if (!peer->is_ending && hf_reached(now, idle_end(peer)))
        end_idle(peer);
    if (!peer->is_ending && hf_reached(now, drain_end(peer)))
        hf_h2_drain_now(peer);
}

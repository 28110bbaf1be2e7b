#include <string.h>

#include "base/check.h"
#include "net/parts.h"

/* ---- The life of an exchange --------------------------------------------- */

/* Requests of one peer that are not answered, as times of its streams, beside
 * which no line is taken.  At most as many as its streams wait for a lock: the
 * others wait for a batch, and so it goes on. */
enum { LINES_TIMES = 2 };

/* The diagram of http.h; LOST and SENT end in FREE when they are told, and what
 * was never told goes there at once. */
static bool
may_move(unsigned from, unsigned to)
{
    static const bool moves[HF_EXCHANGE_STATES][HF_EXCHANGE_STATES] = {
        [HF_EXCHANGE_COMING][HF_EXCHANGE_OPEN] = true,
        [HF_EXCHANGE_COMING][HF_EXCHANGE_ANSWERED] = true,
        [HF_EXCHANGE_COMING][HF_EXCHANGE_LOST] = true,
        [HF_EXCHANGE_OPEN][HF_EXCHANGE_CARRIER] = true,
        [HF_EXCHANGE_OPEN][HF_EXCHANGE_ANSWERED] = true,
        [HF_EXCHANGE_OPEN][HF_EXCHANGE_LOST] = true,
        [HF_EXCHANGE_CARRIER][HF_EXCHANGE_MADE] = true,
        [HF_EXCHANGE_CARRIER][HF_EXCHANGE_LOST] = true,
        [HF_EXCHANGE_ANSWERED][HF_EXCHANGE_MADE] = true,
        [HF_EXCHANGE_ANSWERED][HF_EXCHANGE_LOST] = true,
        [HF_EXCHANGE_MADE][HF_EXCHANGE_SENT] = true,
        [HF_EXCHANGE_MADE][HF_EXCHANGE_LOST] = true,
    };

    return moves[from][to];
}

static void
list(struct hf_exchange *exchange, enum hf_exchange_state state)
{
    struct hf_http_peer *peer = exchange->peer;

    exchange->state = (uint8_t)state;
    hf_list_add(&peer->lists[state], &exchange->link);
    peer->counts[state]++;
}

static void
unlist(struct hf_exchange *exchange)
{
    struct hf_http_peer *peer = exchange->peer;

    hf_list_remove(&peer->lists[exchange->state], &exchange->link);
    peer->counts[exchange->state]--;
}

static void
move_to(struct hf_exchange *exchange, enum hf_exchange_state state)
{
    struct hf_http_peer *peer = exchange->peer;

    HF_CHECK(may_move(exchange->state, state));
    unlist(exchange);
    if ((state == HF_EXCHANGE_SENT || state == HF_EXCHANGE_LOST) &&
        !exchange->is_told)
        hf_exchanges_remove(&peer->http->exchanges, exchange);
    else
        list(exchange, state);
    if (!hf_peer_is_busy(peer))
        peer->idle_since = peer->http->now;
}

struct hf_exchange *
hf_peer_begin(struct hf_http_peer *peer)
{
    struct hf_http *http = peer->http;
    struct hf_reader *reader;
    struct hf_exchange *exchange = NULL;

    if (peer->counts[HF_EXCHANGE_COMING] > 0 &&
        http->readers.held >= http->limits.coming_len)
        return NULL;
    reader = hf_reader_begin(&http->readers, http->now);
    if (reader != NULL)
        exchange = hf_exchanges_add(&http->exchanges, peer);
    if (exchange == NULL) {
        hf_reader_end(&http->readers, reader);
        return NULL;
    }
    exchange->reader = reader;
    list(exchange, HF_EXCHANGE_COMING);
    return exchange;
}

/* It is the next that is told. */
static struct hf_reader *
tell(struct hf_exchange *exchange)
{
    struct hf_http_peer *peer = exchange->peer;
    struct hf_reader *reader = exchange->reader;

    HF_CHECK(peer->whole == NULL && peer->told_reader == NULL);
    peer->request = (struct hf_http_request){.exchange = exchange->id};
    hf_reader_tell(reader, &peer->request);
    peer->request.is_http2 = peer->protocol == HF_PROTOCOL_H2;
    peer->whole = exchange;
    exchange->reader = NULL;
    exchange->is_head = peer->request.method == HF_HTTP_HEAD;
    exchange->wants_json =
        hf_header_wants_json(peer->request.fields[HF_HTTP_ACCEPT]);
    exchange->is_told = true;
    move_to(exchange, HF_EXCHANGE_OPEN);
    return reader;
}

void
hf_peer_whole(struct hf_exchange *exchange)
{
    struct hf_http_peer *peer = exchange->peer;

    peer->told_reader = tell(exchange);
}

bool
hf_peer_wants_json(const struct hf_exchange *exchange)
{
    return exchange->state == HF_EXCHANGE_COMING &&
           hf_header_wants_json(
               hf_reader_field(exchange->reader, HF_HTTP_ACCEPT));
}

/* ---- Lines --------------------------------------------------------------- */

/* It has no answer to wait for any more, or none will be made. */
static void
drop_line(struct hf_exchange *exchange)
{
    struct hf_http *http = exchange->peer->http;
    struct hf_line *line = exchange->line;

    hf_line_unname(&http->line_names, line);
    hf_list_remove(exchange->state == HF_EXCHANGE_OPEN
                       ? &line->carrier->open
                       : &line->carrier->answered,
                   &line->link);
    hf_list_add(&http->spare_lines, &line->link);
    exchange->is_line = false;
    exchange->line = NULL;
}

/* If it was not told, it will not be. */
static void
untell(struct hf_exchange *exchange)
{
    struct hf_http_peer *peer = exchange->peer;

    if (peer->whole != exchange)
        return;
    peer->whole = NULL;
    exchange->is_told = false;
}

static void
lose_lines(struct hf_list *lines)
{
    while (lines->first != NULL) {
        struct hf_exchange *exchange =
            HF_CONTAINER(lines->first, struct hf_line, link)->exchange;

        drop_line(exchange);
        untell(exchange);
        move_to(exchange, HF_EXCHANGE_LOST);
    }
}

/* Its lines are lost with it, cut as by the end of their connection. */
static void
drop_carrier(struct hf_exchange *exchange)
{
    struct hf_carrier *carrier = exchange->carrier;

    lose_lines(&carrier->open);
    lose_lines(&carrier->answered);
    exchange->peer->unread -= (uint32_t)hf_carrier_out(carrier).len;
    if (exchange->peer->told_carrier == carrier)
        hf_carrier_retire(carrier);
    else
        hf_carrier_close(carrier);
    exchange->is_carrier = false;
    exchange->carrier = NULL;
}

/* The caller may still look at it. */
static void
drop_head(struct hf_exchange *exchange)
{
    struct hf_http_peer *peer = exchange->peer;
    struct hf_carrier *carrier = exchange->carrier;

    if (peer->told_reader == NULL)
        peer->told_reader = carrier->reader;
    else
        hf_reader_end(&peer->http->readers, carrier->reader);
    carrier->reader = NULL;
}

bool
hf_peer_is_carrier(const struct hf_exchange *exchange)
{
    struct hf_bytes path = exchange->peer->http->carrier_path;
    const struct hf_reader *reader = exchange->reader;
    const char *target = reader->bytes + reader->target.at;

    return path.len > 0 && reader->method == HF_HTTP_POST &&
           reader->target.len >= path.len &&
           (reader->target.len == path.len || target[path.len] == '?') &&
           memcmp(target, path.at, path.len) == 0;
}

void
hf_peer_carrier(struct hf_exchange *exchange)
{
    struct hf_http_peer *peer = exchange->peer;
    struct hf_carrier *carrier =
        hf_carrier_open(&peer->http->readers, exchange, &peer->ready);

    if (carrier == NULL) {
        hf_peer_break(peer);
        return;
    }
    carrier->reader = tell(exchange);
    exchange->body = NULL;
    exchange->carrier = carrier;
    exchange->is_carrier = true;
    peer->request.is_carrier = true;
}

void
hf_peer_carry(struct hf_exchange *exchange)
{
    struct hf_http_peer *peer = exchange->peer;

    if (!hf_carrier_keep(exchange->carrier)) {
        hf_peer_break(peer);
        return;
    }
    drop_head(exchange);
    if (peer->counts[HF_EXCHANGE_CARRIER] == 0)
        peer->quiet_at = peer->http->now;
    move_to(exchange, HF_EXCHANGE_CARRIER);
}

/* NULL: no memory. */
static struct hf_exchange *
add_line(struct hf_carrier *carrier)
{
    struct hf_http_peer *peer = carrier->exchange->peer;
    struct hf_http *http = peer->http;
    struct hf_link *spare = http->spare_lines.first;
    struct hf_exchange *exchange;
    struct hf_line *line;

    if (spare == NULL) {
        line = hf_new(http->alloc, struct hf_line);
        if (line == NULL)
            return NULL;
        hf_list_add(&http->spare_lines, &line->link);
        spare = &line->link;
    }
    exchange = hf_exchanges_add(&http->exchanges, peer);
    if (exchange == NULL)
        return NULL;
    line = HF_CONTAINER(spare, struct hf_line, link);
    hf_list_remove(&http->spare_lines, spare);
    *line = (struct hf_line){.exchange = exchange, .carrier = carrier};
    hf_list_add(&carrier->open, &line->link);
    exchange->line = line;
    exchange->is_line = true;
    exchange->is_told = true;
    list(exchange, HF_EXCHANGE_OPEN);
    return exchange;
}

bool
hf_peer_may_take_line(const struct hf_http_peer *peer)
{
    return peer->ready.first != NULL &&
           !hf_exchanges_are_full(&peer->http->exchanges) &&
           peer->counts[HF_EXCHANGE_OPEN] / LINES_TIMES <
               peer->http->limits.streams;
}

struct hf_exchange *
hf_peer_line(struct hf_http_peer *peer)
{
    struct hf_carrier *carrier =
        HF_CONTAINER(peer->ready.first, struct hf_carrier, ready_link);
    struct hf_exchange *exchange = add_line(carrier);
    struct hf_http_request *request = &peer->request;

    if (exchange == NULL) {
        hf_peer_break(peer);
        return NULL;
    }
    HF_CHECK(peer->whole == NULL && peer->told_reader == NULL);
    *request = (struct hf_http_request){
        .exchange = exchange->id,
        .carrier = carrier->exchange->id,
        .method = HF_HTTP_POST,
        .is_http2 = peer->protocol == HF_PROTOCOL_H2,
        .path = peer->http->carrier_path,
        .fields[HF_HTTP_OPTIONAL] = {carrier->optional, carrier->optional_len},
    };
    request->body = hf_carrier_next(carrier, peer->http->now, &request->line);
    peer->whole = exchange;
    peer->told_carrier = carrier;
    return carrier->exchange;
}

bool
hf_peer_say(struct hf_exchange *exchange, struct hf_bytes first,
            struct hf_bytes second)
{
    if (!hf_carrier_put(exchange->carrier, first, second))
        return false;
    exchange->peer->unread += (uint32_t)(first.len + second.len);
    return true;
}

bool
hf_peer_answer_line(struct hf_exchange *exchange,
                    const struct hf_http_reply *reply)
{
    struct hf_line *line = exchange->line;
    struct hf_carrier *carrier = line->carrier;

    if (!hf_peer_say(carrier->exchange, reply->first, reply->body))
        return false;
    hf_line_unname(&exchange->peer->http->line_names, line);
    hf_list_remove(&carrier->open, &line->link);
    hf_list_add(&carrier->answered, &line->link);
    line->end = carrier->put;
    hf_peer_answer(exchange);
    return true;
}

void
hf_peer_drop_line(struct hf_exchange *exchange)
{
    drop_line(exchange);
    exchange->is_told = false;
    move_to(exchange, HF_EXCHANGE_LOST);
}

void
hf_peer_lines_made(struct hf_exchange *exchange, size_t len, uint64_t made)
{
    struct hf_carrier *carrier = exchange->carrier;
    struct hf_link *link;

    hf_carrier_pull(carrier, len);
    exchange->peer->unread -= (uint32_t)len;
    while ((link = carrier->answered.first) != NULL) {
        struct hf_line *line = HF_CONTAINER(link, struct hf_line, link);

        if (line->end > carrier->made)
            break;
        hf_peer_made(line->exchange, made);
    }
}

void
hf_peer_end_carriers(struct hf_http_peer *peer, bool is_cut)
{
    HF_EACH(struct hf_exchange, one, &peer->lists[HF_EXCHANGE_CARRIER], link)
        hf_carrier_end(one->carrier, is_cut);
}

/* ---- The end of an exchange ---------------------------------------------- */

void
hf_peer_answer(struct hf_exchange *exchange)
{
    struct hf_http_peer *peer = exchange->peer;

    if (exchange->state == HF_EXCHANGE_COMING)
        hf_reader_end(&peer->http->readers, exchange->reader);
    if (exchange->is_carrier) {
        drop_head(exchange);
        drop_carrier(exchange);
    }
    exchange->body = NULL;
    if (peer->counts[HF_EXCHANGE_ANSWERED] == 0 && hf_peer_unwritten(peer) == 0)
        peer->unread_since = peer->http->now;
    move_to(exchange, HF_EXCHANGE_ANSWERED);
}

static void
drop_rest(struct hf_exchange *exchange)
{
    if (exchange->body == NULL)
        return;
    exchange->peer->unread -= exchange->rest_len;
    hf_free(exchange->peer->http->alloc, exchange->body);
    exchange->body = NULL;
}

void
hf_peer_made(struct hf_exchange *exchange, uint64_t made)
{
    if (exchange->is_carrier)
        drop_carrier(exchange);
    else if (exchange->is_line)
        drop_line(exchange);
    else
        drop_rest(exchange);
    exchange->made = made;
    move_to(exchange, HF_EXCHANGE_MADE);
}

void
hf_peer_lose(struct hf_exchange *exchange)
{
    struct hf_http_peer *peer = exchange->peer;

    if (exchange->state == HF_EXCHANGE_COMING)
        hf_reader_end(&peer->http->readers, exchange->reader);
    if (exchange->is_carrier)
        drop_carrier(exchange);
    else if (exchange->is_line)
        drop_line(exchange);
    else if (exchange->state == HF_EXCHANGE_ANSWERED)
        drop_rest(exchange);
    untell(exchange);
    move_to(exchange, HF_EXCHANGE_LOST);
}

static void
lose_all(struct hf_http_peer *peer, enum hf_exchange_state state)
{
    struct hf_link *link;

    while ((link = peer->lists[state].first) != NULL)
        hf_peer_lose(HF_CONTAINER(link, struct hf_exchange, link));
}

void
hf_peer_lose_coming(struct hf_http_peer *peer)
{
    lose_all(peer, HF_EXCHANGE_COMING);
}

void
hf_peer_lose_open(struct hf_http_peer *peer)
{
    lose_all(peer, HF_EXCHANGE_OPEN);
}

void
hf_peer_end(struct hf_http_peer *peer)
{
    peer->is_ending = true;
    lose_all(peer, HF_EXCHANGE_COMING);
    lose_all(peer, HF_EXCHANGE_OPEN);
    lose_all(peer, HF_EXCHANGE_CARRIER);
    lose_all(peer, HF_EXCHANGE_ANSWERED);
}

void
hf_peer_break(struct hf_http_peer *peer)
{
    peer->is_broken = true;
    hf_peer_end(peer);
    lose_all(peer, HF_EXCHANGE_MADE);
}

void
hf_peer_forget(struct hf_exchange *exchange)
{
    struct hf_http *http = exchange->peer->http;

    HF_CHECK(exchange->state == HF_EXCHANGE_SENT ||
             exchange->state == HF_EXCHANGE_LOST);
    unlist(exchange);
    hf_exchanges_remove(&http->exchanges, exchange);
}

void
hf_peer_let_go(struct hf_http_peer *peer)
{
    struct hf_carrier *carrier = peer->told_carrier;

    hf_reader_end(&peer->http->readers, peer->told_reader);
    peer->told_reader = NULL;
    peer->told_carrier = NULL;
    if (carrier == NULL)
        return;
    if (carrier->exchange == NULL)
        hf_carrier_close(carrier);
    else
        hf_carrier_let_go(carrier);
}

bool
hf_peer_keep(struct hf_exchange *exchange, struct hf_bytes first,
             struct hf_bytes second)
{
    struct hf_http_peer *peer = exchange->peer;
    size_t len = first.len + second.len;
    char *body;

    HF_CHECK(exchange->state == HF_EXCHANGE_ANSWERED && exchange->body == NULL);
    body = hf_calloc(peer->http->alloc, len, 1);
    if (body == NULL)
        return false;
    if (first.len > 0)
        memcpy(body, first.at, first.len);
    if (second.len > 0)
        memcpy(body + first.len, second.at, second.len);
    exchange->body = body;
    exchange->rest = body;
    exchange->rest_len = (uint32_t)len;
    peer->unread += exchange->rest_len;
    return true;
}

void
hf_peer_rest_made(struct hf_exchange *exchange, size_t len)
{
    exchange->rest += len;
    exchange->rest_len -= (uint32_t)len;
    if (exchange->body != NULL)
        exchange->peer->unread -= (uint32_t)len;
}

/* ---- The bytes that are to be written ------------------------------------ */

size_t
hf_peer_room(struct hf_http_peer *peer)
{
    size_t room = 0;

    if (!peer->is_broken && !hf_write_buffer_room(&peer->out, &room))
        hf_peer_break(peer);
    return room;
}

void
hf_peer_put_first(struct hf_http_peer *peer)
{
    if (peer->counts[HF_EXCHANGE_ANSWERED] == 0)
        peer->unread_since = peer->http->now;
}

void
hf_peer_put(struct hf_http_peer *peer, const void *bytes, size_t len)
{
    if (hf_peer_unwritten(peer) == 0)
        hf_peer_put_first(peer);
    hf_write_buffer_put(&peer->out, bytes, len);
}

void
hf_peer_wrote(struct hf_http_peer *peer, size_t len)
{
    bool was_full = hf_write_buffer_wrote(&peer->out, len);
    struct hf_link *link;

    while ((link = peer->lists[HF_EXCHANGE_MADE].first) != NULL) {
        struct hf_exchange *exchange =
            HF_CONTAINER(link, struct hf_exchange, link);

        if (exchange->made > peer->out.written)
            break;
        move_to(exchange, HF_EXCHANGE_SENT);
    }
    /* Protection against slow reading: only a full block counts as progress, or
     * all that there was. */
    if (was_full || (hf_peer_unwritten(peer) == 0 &&
                     peer->counts[HF_EXCHANGE_ANSWERED] == 0))
        peer->unread_since = peer->http->now;
}

void
hf_peer_fini(struct hf_http_peer *peer)
{
    static const enum hf_exchange_state told[] = {HF_EXCHANGE_SENT,
                                                  HF_EXCHANGE_LOST};

    hf_peer_break(peer);
    hf_peer_let_go(peer);
    for (size_t i = 0; i < sizeof(told) / sizeof(told[0]); i++)
        while (peer->lists[told[i]].first != NULL)
            hf_peer_forget(HF_CONTAINER(peer->lists[told[i]].first,
                                        struct hf_exchange, link));
    hf_write_buffer_fini(&peer->out);
}

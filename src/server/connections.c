#include "server/connections.h"

#include <errno.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>
#include <uv.h>

#include "base/fd.h"
#include "base/sockname.h"
#include "server/address.h"

/* Bytes that are read of a connection at once, and for how long connections are
 * read in one turn: what is left waits behind the others, and beats do not wait
 * for it.  Such a piece can hold a thousand requests. */
#define READ_MAX (16 * 1024)
#define TURN_US  (20 * 1000)

/* Connections that could go, but for what they have sent and nobody has read:
 * as many are looked at when one must. */
#define UNREAD_LOOKS 64

/* How long a peer has to hear that it has ended, before what it still sends
 * would be answered by a reset, which takes the last answer from it. */
#define LINGER_MS 2000

struct connection {
    uv_poll_t poll;
    struct hf_connections *all; /* borrowed */
    struct hf_http_peer *peer;  /* owned; NULL: it lingers, or is closing */
    int fd;                     /* owned */
    bool to_flush;              /* in the list */
    bool ended;                 /* no more bytes come */
    int error;                  /* that broke it; 0: none is known */
    struct hf_heap_node due;    /* when HTTP has something to do, or it has
                                  lingered for long enough */
    struct connection *next_to_flush;
    int events; /* that are polled for */
    bool to_read;
    unsigned pieces;            /* that the pass may still read of it */
    struct hf_link reading;     /* in the list, while it is to be read */
    struct hf_room_place place; /* until it lingers */
    struct hf_link link;        /* of those that linger */
    struct hf_link unread;      /* in the list, while it does not read */
    size_t unread_len;          /* of what is kept for it */
    uint64_t session;    /* that holds, and for which it spoke last; or 0 */
    uint64_t opened;     /* that an answer told it of, and nobody else; or 0 */
    uint64_t opened_end; /* of the last such answer, in all bytes sent */
    uint64_t sent;       /* bytes */
    bool has_asked;      /* a whole request */
    bool asks;           /* one more, in this turn */
    char *left;          /* owned: read, and not taken yet */
    size_t left_len;
};

/* ---- The life of one ----------------------------------------------------- */

static void
add_to_flush(struct connection *c)
{
    if (c->to_flush)
        return;
    c->to_flush = true;
    c->next_to_flush = c->all->to_flush;
    c->all->to_flush = c;
}

static void
add_to_read(struct connection *c)
{
    if (c->to_read)
        return;
    c->to_read = true;
    hf_list_add(&c->all->to_read, &c->reading);
}

void
hf_connections_wrote(void *ctx, void *peer)
{
    (void)ctx;
    add_to_flush(peer);
}

/* Whose keep-alives come this way. */
void
hf_connections_holds(void *ctx, void *peer, uint64_t session)
{
    struct connection *c = peer;

    (void)ctx;
    c->session = session;
}

/* Whose answer is to be read [W5]. */
void
hf_connections_opened(void *ctx, void *peer, uint64_t session, uint64_t end)
{
    struct connection *c = peer;

    (void)ctx;
    c->opened = session;
    c->opened_end = end;
}

uint64_t
hf_connections_address(void *ctx, const void *peer)
{
    const struct connection *c = peer;

    (void)ctx;
    return hf_address_number(c->fd);
}

void
hf_connections_name(void *ctx, const void *peer, struct hf_text *text)
{
    const struct connection *c = peer;

    (void)ctx;
    hf_sockname_peer(c->fd, text);
}

bool
hf_connections_may_wait(void *ctx, const void *peer, bool comes_back)
{
    const struct connection *c = peer;

    (void)ctx;
    return hf_room_may_wait(&c->all->room, &c->place, comes_back,
                            c->all->limits->peers);
}

void
hf_connections_waits(void *ctx, void *peer, bool more)
{
    struct connection *c = peer;

    (void)ctx;
    hf_room_waits(&c->all->room, &c->place, more);
}

/* ---- What its client has not read ---------------------------------------- */

/* The kernel tells it once. */
static int
error_of(struct connection *c)
{
    socklen_t len = sizeof(c->error);

    if (c->error == 0)
        (void)getsockopt(c->fd, SOL_SOCKET, SO_ERROR, &c->error, &len);
    return c->error;
}

/* Was the answer that told of a session the last that was sent, and is the end
 * of it not acknowledged?  Our own end of the connection counts as a byte. */
static bool
has_unread_session(const struct connection *c)
{
    int unacknowledged;

    return c->opened != 0 && c->opened_end == c->sent &&
           ioctl(c->fd, SIOCOUTQ, &unacknowledged) == 0 && unacknowledged > 1;
}

/* Has its client closed it, and was reset for what came then?  What a client
 * read, its end acknowledges.  A reset alone proves nothing: it takes with it
 * acknowledgements that were still to be sent.  A reset behind an end is EPIPE,
 * or ECONNRESET if our own end was there by then. */
static bool
was_closed_unread(struct connection *c)
{
    int error = error_of(c);

    return error == EPIPE || (c->ended && error == ECONNRESET);
}

/* Its client has closed it, or half of it: does a reset tell which? */
static bool
awaits_reset(struct connection *c)
{
    return c->ended && has_unread_session(c) && error_of(c) == 0;
}

static void
on_closed(uv_handle_t *handle)
{
    struct connection *c = handle->data;
    const struct hf_alloc *alloc = c->all->alloc;

    hf_fd_close(&c->fd);
    hf_free(alloc, c->left);
    hf_free(alloc, c);
}

static void
set_unread(struct connection *c, size_t len)
{
    struct hf_connections *all = c->all;

    if (c->unread_len == 0 && len > 0) {
        hf_list_add(&all->unread, &c->unread);
        all->unread_count++;
    }
    if (c->unread_len > 0 && len == 0) {
        hf_list_remove(&all->unread, &c->unread);
        all->unread_count--;
    }
    all->unread_len = all->unread_len - c->unread_len + len;
    c->unread_len = len;
}

static void
end_http(struct connection *c)
{
    set_unread(c, 0);
    hf_http_remove(c->peer);
    c->peer = NULL;
    hf_heap_set(&c->all->due, &c->due, HF_NEVER);
    hf_room_remove(&c->all->room, &c->place);
    if (c->to_read)
        hf_list_remove(&c->all->to_read, &c->reading);
    c->to_read = false;
    hf_pass_gone(&c->all->pass, &c->pieces);
    (void)shutdown(c->fd, SHUT_WR);
}

static void
close_poll(struct connection *c)
{
    if (has_unread_session(c) && was_closed_unread(c))
        hf_service_unread(c->all->service, c->opened);
    c->all->count--;
    uv_close((uv_handle_t *)&c->poll, on_closed);
}

static void
close_connection(struct connection *c)
{
    end_http(c);
    close_poll(c);
}

static void
end_lingering(struct connection *c)
{
    hf_heap_set(&c->all->due, &c->due, HF_NEVER);
    hf_list_remove(&c->all->lingering, &c->link);
    close_poll(c);
}

/* What comes is of no use any more, until its end does. */
static void
on_lingering(uv_poll_t *poll, int status, int events)
{
    struct connection *c = poll->data;
    ssize_t len = status != 0
                      ? -1
                      : recv(c->fd, NULL, READ_MAX, MSG_DONTWAIT | MSG_TRUNC);

    (void)events;
    if (len > 0 ||
        (status == 0 && len < 0 && (errno == EAGAIN || errno == EINTR)))
        return;
    if (len < 0 && status == 0)
        c->error = errno;
    c->ended |= len == 0 && c->error == 0;
    if (awaits_reset(c))
        uv_poll_stop(&c->poll); /* nothing else is told until it lingered */
    else
        end_lingering(c);
}

/* HTTP has done with it, and its peer may not know; or it is not known whether
 * its peer has read what it closed behind. */
static void
linger(struct connection *c)
{
    struct hf_connections *all = c->all;

    end_http(c);
    hf_list_add(&all->lingering, &c->link);
    hf_heap_set(&all->due, &c->due,
                hf_after(hf_now(), (struct hf_duration){LINGER_MS}));
    if (c->ended)
        uv_poll_stop(&c->poll);
    else
        (void)uv_poll_start(&c->poll, UV_READABLE, on_lingering);
}

static void
break_off(struct connection *c, int error)
{
    c->error = error;
    hf_http_gone(c->peer);
}

/* Tell the service all that there is to be told of it. */
static bool
take_news(struct connection *c)
{
    struct hf_http_news news;
    bool any = false;

    while (hf_http_next(c->peer, &news)) {
        any = true;
        c->asks |= news.told == HF_HTTP_REQUEST;
        hf_service_news(c->all->service, c, &news);
    }
    return any;
}

/* Take bytes for as long as HTTP takes them; how many. */
static size_t
feed(struct connection *c, const char *bytes, size_t len)
{
    size_t taken = 0;

    while (taken < len) {
        size_t more = hf_http_feed(c->peer, bytes + taken, len - taken);

        taken += more;
        if (!take_news(c) && more == 0)
            break;
    }
    return taken;
}

/* What was read and not taken waits here, for there is nothing like it in the
 * kernel. */
static void
keep_left(struct connection *c, const char *bytes, size_t len)
{
    char *left = NULL;

    if (len > 0) {
        left = hf_calloc(c->all->alloc, 1, len);
        if (left == NULL) {
            hf_http_gone(c->peer);
            len = 0;
        } else {
            memcpy(left, bytes, len);
        }
    }
    hf_free(c->all->alloc, c->left);
    c->left = left;
    c->left_len = len;
}

static void
feed_left(struct connection *c)
{
    size_t taken;

    if (c->left_len == 0)
        return;
    taken = feed(c, c->left, c->left_len);
    if (taken > 0)
        keep_left(c, c->left + taken, c->left_len - taken);
}

/* False: that was all there is, or all that is taken now. */
static bool
read_some(struct connection *c)
{
    static char buffer[READ_MAX];
    ssize_t len;
    size_t taken;

    feed_left(c);
    if (c->ended || c->left_len > 0 || !hf_http_wants(c->peer))
        return false;
    len = recv(c->fd, buffer, sizeof(buffer), MSG_DONTWAIT);
    if (len > 0) {
        taken = feed(c, buffer, (size_t)len);
        keep_left(c, buffer + taken, (size_t)len - taken);
    } else if (len == 0) {
        c->ended = true;
        hf_http_eof(c->peer);
    } else if (errno != EAGAIN && errno != EINTR) {
        break_off(c, errno);
    }
    (void)take_news(c);
    return len == (ssize_t)sizeof(buffer);
}

/* Write what there is; false: the kernel takes no more now. */
static bool
write_all(struct connection *c)
{
    for (;;) {
        struct hf_bytes out = hf_http_out(c->peer);
        ssize_t len;

        if (out.len == 0)
            return true;
        len = send(c->fd, out.at, out.len, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (len > 0) {
            c->sent += (uint64_t)len;
            hf_http_wrote(c->peer, (size_t)len);
        } else if (len < 0 && (errno == EAGAIN || errno == EINTR)) {
            return false;
        } else {
            break_off(c, errno);
            return true;
        }
    }
}

static enum hf_room_rank
rank_of(const struct connection *c)
{
    bool is_deaf = hf_http_unread_since(c->peer).ms != HF_NEVER.ms;

    if (!hf_http_is_idle(c->peer))
        return is_deaf ? HF_ROOM_DEAF : HF_ROOM_BUSY;
    if (!c->has_asked)
        return HF_ROOM_NEW;
    return hf_service_holds(c->all->service, c->session) ? HF_ROOM_HOLDER
                                                         : HF_ROOM_IDLE;
}

/* Who asks anew is the last of its rank, and who is new stays where it is. */
static void
rank(struct connection *c)
{
    enum hf_room_rank now;

    c->has_asked |= c->asks;
    now = rank_of(c);
    if (c->asks || now != c->place.rank)
        hf_room_move(&c->all->room, &c->place, now);
    c->asks = false;
}

static void on_ready(uv_poll_t *poll, int status, int events);

/* At the end of a turn: write, and say what is waited for next. */
static void
flush(struct connection *c)
{
    bool all;
    int events = 0;

    if (c->peer == NULL)
        return;
    all = write_all(c);
    (void)take_news(c);
    if (c->left_len > 0 && hf_http_wants(c->peer))
        add_to_read(c);
    if (hf_http_is_done(c->peer)) {
        (void)take_news(c);
        if (c->ended && !awaits_reset(c))
            close_connection(c);
        else
            linger(c);
        return;
    }
    if (!all)
        events |= UV_WRITABLE;
    if (!c->ended && c->left_len == 0 && hf_http_wants(c->peer))
        events |= UV_READABLE;
    else
        events |= UV_PRIORITIZED; /* that it is gone, and not its end alone,
                                     which would be told again and again */
    if (events != c->events) /* or libuv makes two system calls for nothing */
        (void)uv_poll_start(&c->poll, events, on_ready);
    c->events = events;
    rank(c);
    set_unread(c, hf_http_unread(c->peer));
    hf_heap_set(&c->all->due, &c->due, hf_http_deadline(c->peer));
}

static void
flush_all(struct hf_connections *all)
{
    while (all->to_flush != NULL) {
        struct connection *c = all->to_flush;

        all->to_flush = c->next_to_flush;
        c->to_flush = false;
        flush(c);
    }
}

/* Of those that have more than their part of what may be unread in all, who has
 * not read for longest.  More is unread, so there is one. */
static struct connection *
slowest_reader(const struct hf_connections *all)
{
    size_t part = all->limits->unread_all_len / all->unread_count;
    struct hf_link *link = all->unread.first;

    while (HF_CONTAINER(link, struct connection, unread)->unread_len <= part)
        link = link->next;
    return HF_CONTAINER(link, struct connection, unread);
}

static bool
has_too_much_unread(const struct hf_connections *all)
{
    return all->unread_len > all->limits->unread_all_len;
}

/* Answers that nobody reads have a bound in all. */
static void
end_unread(struct hf_connections *all)
{
    while (has_too_much_unread(all)) {
        struct connection *c = slowest_reader(all);

        hf_http_gone(c->peer);
        add_to_flush(c);
        flush_all(all);
    }
}

static void
on_ready(uv_poll_t *poll, int status, int events)
{
    struct connection *c = poll->data;

    if (c->peer == NULL)
        return;
    if (status != 0 || (events & UV_PRIORITIZED) != 0) {
        break_off(c, error_of(c));
    } else if ((events & UV_READABLE) != 0) {
        hf_pass_named(&c->all->pass, &c->pieces);
        add_to_read(c);
    }
    add_to_flush(c);
}

/* Who is ready, in turns, until there is more than may be unread: what is too
 * much ends with the turn. */
void
hf_connections_read(struct hf_connections *all)
{
    int64_t until_us = hf_now_us() + TURN_US;
    struct hf_link *link;

    while ((link = all->to_read.first) != NULL && hf_now_us() < until_us &&
           !has_too_much_unread(all)) {
        struct connection *c = HF_CONTAINER(link, struct connection, reading);

        hf_list_remove(&all->to_read, link);
        c->to_read = false;
        if (hf_pass_read(&all->pass, &c->pieces, read_some(c)))
            add_to_read(c);
        set_unread(c, hf_http_unread(c->peer));
        add_to_flush(c);
    }
}

/* Is there something of it in the kernel?  It is to be read, but perhaps only
 * because it was just accepted. */
static bool
has_unread(const struct connection *c)
{
    char byte;

    return c->to_read &&
           recv(c->fd, &byte, sizeof(byte), MSG_PEEK | MSG_DONTWAIT) > 0;
}

/* It has what is more than the kernel takes for it, and reads nothing. */
static bool
end_deaf(struct hf_connections *all)
{
    struct hf_room_place *place = NULL;

    for (int looks = 0; looks < UNREAD_LOOKS; looks++) {
        struct connection *c;

        place = hf_room_next_deaf(&all->room, place);
        if (place == NULL)
            return false;
        c = HF_CONTAINER(place, struct connection, place);
        if (!hf_reached(hf_now(),
                        hf_after(hf_http_unread_since(c->peer),
                                 (struct hf_duration){HF_ROOM_DEAF_MS})))
            continue;
        hf_http_gone(c->peer);
        add_to_flush(c);
        flush_all(all);
        return true;
    }
    return false;
}

static bool
end_lingering_one(struct hf_connections *all)
{
    if (all->lingering.first == NULL)
        return false;
    end_lingering(HF_CONTAINER(all->lingering.first, struct connection, link));
    return true;
}

bool
hf_connections_end_one(struct hf_connections *all)
{
    struct hf_room_place *place = NULL;
    int unread = 0;

    if (end_lingering_one(all))
        return true;
    hf_log_turned_away(all->log, hf_now());
    if (end_deaf(all)) {
        (void)end_lingering_one(all); /* or it is closed already */
        return true;
    }
    while (unread < UNREAD_LOOKS &&
           (place = hf_room_next(&all->room, place)) != NULL &&
           hf_room_may_go(&all->room, place)) {
        struct connection *c = HF_CONTAINER(place, struct connection, place);

        if (!has_unread(c)) {
            close_connection(c);
            return true;
        }
        unread++;
    }
    return false;
}

/* NULL: there is no room for it, and it is closed. */
static struct connection *
add(struct hf_connections *all, int fd)
{
    struct connection *c = hf_calloc(all->alloc, 1, sizeof(*c));
    struct hf_error why;
    int one = 1;

    if (all->count >= all->limits->peers)
        (void)hf_connections_end_one(all);
    if (c == NULL || !hf_heap_reserve(&all->due, all->count + 1) ||
        hf_http_add(all->http, &c->peer, &why) != HF_OK ||
        uv_poll_init_socket(all->uv, &c->poll, fd) != 0) {
        if (c != NULL && c->peer != NULL)
            hf_http_remove(c->peer);
        hf_free(all->alloc, c);
        close(fd);
        return NULL;
    }
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
    c->all = all;
    c->fd = fd;
    c->poll.data = c;
    hf_room_add(&all->room, &c->place, HF_ROOM_NEW);
    all->count++;
    add_to_read(c); /* its request may have come with it */
    add_to_flush(c);
    return c;
}

void
hf_connections_add(struct hf_connections *all, int fd)
{
    struct connection *c = add(all, fd);

    hf_pass_accepted(&all->pass, c == NULL ? NULL : &c->pieces);
}

/* ---- All of them --------------------------------------------------------- */

void
hf_connections_write(struct hf_connections *all)
{
    flush_all(all);
    end_unread(all);
}

/* Whom this ends, it would not have if it had spoken in time. */
void
hf_connections_clock(struct hf_connections *all)
{
    struct hf_heap_node *first;

    while ((first = hf_heap_first(&all->due)) != NULL &&
           hf_reached(all->pass.read_until, first->at)) {
        struct connection *c = HF_CONTAINER(first, struct connection, due);

        if (c->peer == NULL) {
            end_lingering(c);
            continue;
        }
        hf_heap_set(&all->due, first, HF_NEVER); /* until it is flushed */
        hf_http_clock(c->peer);
        (void)take_news(c);
        add_to_flush(c);
    }
}

void
hf_connections_drain(struct hf_connections *all)
{
    struct hf_room_place *place = NULL;

    while ((place = hf_room_next(&all->room, place)) != NULL) {
        struct connection *c = HF_CONTAINER(place, struct connection, place);

        hf_http_drain(c->peer);
        add_to_flush(c);
    }
}

struct hf_instant
hf_connections_deadline(const struct hf_connections *all)
{
    const struct hf_heap_node *first = hf_heap_first(&all->due);

    if (all->to_read.first != NULL)
        return hf_now();
    return first == NULL ? HF_NEVER : first->at;
}

bool
hf_connections_are_over(const struct hf_connections *all)
{
    return hf_room_next(&all->room, NULL) == NULL;
}

void
hf_connections_close(struct hf_connections *all)
{
    struct hf_room_place *place;

    while ((place = hf_room_next(&all->room, NULL)) != NULL)
        close_connection(HF_CONTAINER(place, struct connection, place));
    while (all->lingering.first != NULL)
        end_lingering(
            HF_CONTAINER(all->lingering.first, struct connection, link));
}

void
hf_connections_fini(struct hf_connections *all)
{
    hf_heap_fini(&all->due);
}

#include "server/loop.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <uv.h>

#include "base/check.h"
#include "base/fail.h"
#include "base/fd.h"
#include "base/heap.h"
#include "base/list.h"
#include "server/pass.h"
#include "server/room.h"
#include "server/watch.h"

/* Bytes that are read of a connection at once, and for how long connections are
 * read in one turn: what is left waits behind the others, and beats do not wait
 * for it.  Such a piece can hold a thousand requests. */
#define READ_MAX (16 * 1024)
#define TURN_US  (20 * 1000)

/* Connections that could go, but for what they have sent and nobody has read:
 * as many are looked at when one must. */
#define UNREAD_LOOKS 64

/* Connections that wait to be accepted, as the kernel keeps them: of one more
 * than it is told. */
#define BACKLOG 511

/* And taken in a turn. */
#define ACCEPTS_MAX 64

/* How long whoever drains waits for those who read slowly, and for a store that
 * does not answer. */
#define DRAIN_MS 5000
#define LEAVE_MS 10000

/* How long a peer has to hear that it has ended, before what it still sends
 * would be answered by a reset, which takes the last answer from it. */
#define LINGER_MS 2000

/* Before descriptors are looked for again, when there is none even to turn
 * somebody away. */
#define LISTEN_PAUSE_MS 100

struct loop;

struct connection {
    uv_poll_t poll;
    struct loop *loop;
    struct hf_http_peer *peer; /* owned; NULL: it lingers, or is closing */
    int fd;                    /* owned */
    bool to_flush;             /* in the list */
    bool ended;                /* no more bytes come */
    struct hf_heap_node due;   /* when HTTP has something to do, or it has
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
    uint64_t session; /* that holds, and for which it spoke last; or 0 */
    bool has_asked;   /* a whole request */
    bool asks;        /* one more, in this turn */
    char *left;       /* owned: read, and not taken yet */
    size_t left_len;
};

struct loop {
    struct hf_loop_config config;
    uv_loop_t uv;
    uv_poll_t listener;
    uv_poll_t processes;   /* of the leader: */
    struct hf_watch watch; /* owned */
    uv_async_t told;
    uv_timer_t timer;
    uv_check_t check;
    uv_prepare_t prepare;
    uv_signal_t signals[3];
    int listen_fd; /* owned */
    int spare_fd;  /* owned: to be given up when there is no other left */
    struct hf_heap due;
    size_t connections_count;
    struct hf_http *http;
    struct hf_service *service;
    struct hf_room room;      /* all that do not linger */
    struct hf_list lingering; /* in the order in which they were left */
    struct hf_list to_read;
    struct hf_list unread; /* who has not read for longest is the first */
    size_t unread_count;
    size_t unread_len; /* of all of them */
    struct connection *to_flush;
    bool to_accept; /* somebody waits */
    struct hf_pass pass;
    bool draining;
    struct hf_instant drain_until;
    struct hf_instant leave_until;
    struct hf_instant listen_at; /* again; HF_NEVER: it does */
};

/* ---- Connections --------------------------------------------------------- */

static void
add_to_flush(struct connection *c)
{
    if (c->to_flush)
        return;
    c->to_flush = true;
    c->next_to_flush = c->loop->to_flush;
    c->loop->to_flush = c;
}

static void
add_to_read(struct connection *c)
{
    if (c->to_read)
        return;
    c->to_read = true;
    hf_list_add(&c->loop->to_read, &c->reading);
}

static void
wrote(void *ctx, void *peer)
{
    (void)ctx;
    add_to_flush(peer);
}

/* Whose keep-alives come this way. */
static void
holds(void *ctx, void *peer, uint64_t session)
{
    struct connection *c = peer;

    (void)ctx;
    c->session = session;
}

static void
on_closed(uv_handle_t *handle)
{
    struct connection *c = handle->data;
    const struct hf_alloc *alloc = c->loop->config.alloc;

    hf_fd_close(&c->fd);
    hf_free(alloc, c->left);
    hf_free(alloc, c);
}

static void
set_unread(struct connection *c, size_t len)
{
    struct loop *loop = c->loop;

    if (c->unread_len == 0 && len > 0) {
        hf_list_add(&loop->unread, &c->unread);
        loop->unread_count++;
    }
    if (c->unread_len > 0 && len == 0) {
        hf_list_remove(&loop->unread, &c->unread);
        loop->unread_count--;
    }
    loop->unread_len = loop->unread_len - c->unread_len + len;
    c->unread_len = len;
}

static void
end_http(struct connection *c)
{
    set_unread(c, 0);
    hf_http_remove(c->peer);
    c->peer = NULL;
    hf_heap_set(&c->loop->due, &c->due, HF_NEVER);
    hf_room_remove(&c->loop->room, &c->place);
    if (c->to_read)
        hf_list_remove(&c->loop->to_read, &c->reading);
    c->to_read = false;
    hf_pass_gone(&c->loop->pass, &c->pieces);
    (void)shutdown(c->fd, SHUT_WR);
}

static void
close_poll(struct connection *c)
{
    c->loop->connections_count--;
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
    hf_heap_set(&c->loop->due, &c->due, HF_NEVER);
    hf_list_remove(&c->loop->lingering, &c->link);
    close_poll(c);
}

/* What comes is of no use any more, until its end does. */
static void
on_lingering(uv_poll_t *poll, int status, int events)
{
    struct connection *c = poll->data;
    ssize_t len =
        status != 0 ? 0 : recv(c->fd, NULL, READ_MAX, MSG_DONTWAIT | MSG_TRUNC);

    (void)events;
    if (len == 0 || (len < 0 && errno != EAGAIN && errno != EINTR))
        end_lingering(c);
}

/* HTTP has done with it, and its peer may not know. */
static void
linger(struct connection *c)
{
    struct loop *loop = c->loop;

    end_http(c);
    hf_list_add(&loop->lingering, &c->link);
    hf_heap_set(&loop->due, &c->due,
                hf_after(hf_now(), (struct hf_duration){LINGER_MS}));
    (void)uv_poll_start(&c->poll, UV_READABLE, on_lingering);
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
        hf_service_news(c->loop->service, c, &news);
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
        left = hf_calloc(c->loop->config.alloc, 1, len);
        if (left == NULL) {
            hf_http_gone(c->peer);
            len = 0;
        } else {
            memcpy(left, bytes, len);
        }
    }
    hf_free(c->loop->config.alloc, c->left);
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
        hf_http_gone(c->peer);
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
            hf_http_wrote(c->peer, (size_t)len);
        } else if (len < 0 && (errno == EAGAIN || errno == EINTR)) {
            return false;
        } else {
            hf_http_gone(c->peer);
            return true;
        }
    }
}

static enum hf_room_rank
rank_of(const struct connection *c)
{
    if (!hf_http_is_idle(c->peer))
        return HF_ROOM_BUSY;
    if (!c->has_asked)
        return HF_ROOM_NEW;
    return hf_service_holds(c->loop->service, c->session) ? HF_ROOM_HOLDER
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
        hf_room_move(&c->loop->room, &c->place, now);
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
        if (c->ended)
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
    hf_heap_set(&c->loop->due, &c->due, hf_http_deadline(c->peer));
}

static void
flush_all(struct loop *loop)
{
    while (loop->to_flush != NULL) {
        struct connection *c = loop->to_flush;

        loop->to_flush = c->next_to_flush;
        c->to_flush = false;
        flush(c);
    }
}

/* Of those that have more than their part of what may be unread in all, who has
 * not read for longest.  More is unread, so there is one. */
static struct connection *
slowest_reader(const struct loop *loop)
{
    size_t part = loop->config.limits.unread_all_len / loop->unread_count;
    struct hf_link *link = loop->unread.first;

    while (HF_CONTAINER(link, struct connection, unread)->unread_len <= part)
        link = link->next;
    return HF_CONTAINER(link, struct connection, unread);
}

/* Answers that nobody reads have a bound in all. */
static void
end_unread(struct loop *loop)
{
    while (loop->unread_len > loop->config.limits.unread_all_len) {
        struct connection *c = slowest_reader(loop);

        hf_http_gone(c->peer);
        add_to_flush(c);
        flush_all(loop);
    }
}

static void
on_ready(uv_poll_t *poll, int status, int events)
{
    struct connection *c = poll->data;

    if (c->peer == NULL)
        return;
    if (status != 0 || (events & UV_PRIORITIZED) != 0) {
        hf_http_gone(c->peer);
    } else if ((events & UV_READABLE) != 0) {
        hf_pass_named(&c->loop->pass, &c->pieces);
        add_to_read(c);
    }
    add_to_flush(c);
}

/* Who is ready, in turns. */
static void
read_turn(struct loop *loop)
{
    int64_t until_us = hf_now_us() + TURN_US;
    struct hf_link *link;

    while ((link = loop->to_read.first) != NULL && hf_now_us() < until_us) {
        struct connection *c = HF_CONTAINER(link, struct connection, reading);

        hf_list_remove(&loop->to_read, link);
        c->to_read = false;
        if (hf_pass_read(&loop->pass, &c->pieces, read_some(c)))
            add_to_read(c);
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

/* One who is only to hear of its end makes room, or one who can go; false:
 * there is none. */
static bool
end_one(struct loop *loop)
{
    struct hf_room_place *place = NULL;
    int unread = 0;

    if (loop->lingering.first != NULL) {
        end_lingering(
            HF_CONTAINER(loop->lingering.first, struct connection, link));
        return true;
    }
    hf_log_turned_away(loop->config.log, hf_now());
    while (unread < UNREAD_LOOKS &&
           (place = hf_room_next(&loop->room, place)) != NULL &&
           hf_room_may_go(&loop->room, place)) {
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
add_connection(struct loop *loop, int fd)
{
    struct connection *c = hf_calloc(loop->config.alloc, 1, sizeof(*c));
    struct hf_error why;
    int one = 1;

    if (loop->connections_count >= loop->config.limits.peers)
        (void)end_one(loop);
    if (c == NULL ||
        !hf_heap_reserve(&loop->due, loop->connections_count + 1) ||
        hf_http_add(loop->http, &c->peer, &why) != HF_OK ||
        uv_poll_init_socket(&loop->uv, &c->poll, fd) != 0) {
        if (c != NULL && c->peer != NULL)
            hf_http_remove(c->peer);
        hf_free(loop->config.alloc, c);
        close(fd);
        return NULL;
    }
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
    c->loop = loop;
    c->fd = fd;
    c->poll.data = c;
    hf_room_add(&loop->room, &c->place, HF_ROOM_NEW);
    loop->connections_count++;
    add_to_read(c); /* its request may have come with it */
    add_to_flush(c);
    return c;
}

/* There is no descriptor for it, and nobody who could go: take it with the
 * spare one, and close it, or it would be told of for ever. */
static void
turn_away(struct loop *loop)
{
    int fd;

    hf_fd_close(&loop->spare_fd);
    fd = accept4(loop->listen_fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    hf_fd_close(&fd);
    loop->spare_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (loop->spare_fd < 0) { /* another thread has taken it */
        uv_poll_stop(&loop->listener);
        loop->listen_at =
            hf_after(hf_now(), (struct hf_duration){LISTEN_PAUSE_MS});
    }
}

static void
on_accept(uv_poll_t *poll, int status, int events)
{
    struct loop *loop = poll->data;

    (void)events;
    loop->to_accept = status == 0;
}

/* False: there is none, or no room for one. */
static bool
accept_one(struct loop *loop)
{
    int fd = accept4(loop->listen_fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    struct connection *c = NULL;

    if (fd < 0 && errno != ECONNABORTED && errno != EINTR) {
        if ((errno == EMFILE || errno == ENFILE) && !end_one(loop))
            turn_away(loop);
        return false; /* who was not taken is told of anew */
    }
    if (fd >= 0)
        c = add_connection(loop, fd);
    hf_pass_accepted(&loop->pass, c == NULL ? NULL : &c->pieces);
    return true;
}

/* Those that came before the pass stand before all others, and are no more than
 * the kernel keeps. */
static void
accept_some(struct loop *loop)
{
    for (int i = 0; i < ACCEPTS_MAX && loop->to_accept; i++)
        loop->to_accept = accept_one(loop);
    if (!loop->to_accept)
        hf_pass_accepted_all(&loop->pass);
    loop->to_accept = false;
}

static void
listen_again(struct loop *loop)
{
    if (!hf_reached(hf_now(), loop->listen_at) || loop->draining)
        return;
    loop->spare_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    loop->listen_at = hf_after(hf_now(), (struct hf_duration){LISTEN_PAUSE_MS});
    if (loop->spare_fd < 0)
        return;
    loop->listen_at = HF_NEVER;
    uv_poll_start(&loop->listener, UV_READABLE, on_accept);
}

/* ---- Time ---------------------------------------------------------------- */

/* Whom this ends, it would not have if it had spoken in time. */
static void
clock_connections(struct loop *loop)
{
    struct hf_heap_node *first;

    while ((first = hf_heap_first(&loop->due)) != NULL &&
           hf_reached(loop->pass.read_until, first->at)) {
        struct connection *c = HF_CONTAINER(first, struct connection, due);

        if (c->peer == NULL) {
            end_lingering(c);
            continue;
        }
        hf_heap_set(&loop->due, first, HF_NEVER); /* until it is flushed */
        hf_http_clock(c->peer);
        (void)take_news(c);
        add_to_flush(c);
    }
}

static void
on_timer(uv_timer_t *timer)
{
    (void)timer; /* what is due is done at the end of the turn */
}

static void
drain_connections(struct loop *loop)
{
    struct hf_room_place *place = NULL;

    while ((place = hf_room_next(&loop->room, place)) != NULL) {
        struct connection *c = HF_CONTAINER(place, struct connection, place);

        hf_http_drain(c->peer);
        add_to_flush(c);
    }
}

/* Until when is it waited for who reads slowly, or for the store? */
static struct hf_instant
last_deadline(const struct loop *loop)
{
    if (!loop->draining)
        return HF_NEVER;
    return hf_service_has_stopped(loop->service) ? loop->drain_until
                                                 : loop->leave_until;
}

/* As if we were killed, which loses nothing that was told: the call to the
 * store that is under way cannot be waited for. */
static void
leave_as_it_is(struct loop *loop)
{
    hf_log_say(loop->config.log, HF_LOG_ERROR,
               "left without an answer of the store", NULL);
    _exit(69);
}

static bool
is_over(const struct loop *loop)
{
    return hf_reached(hf_now(), last_deadline(loop)) ||
           (loop->draining && hf_service_has_stopped(loop->service) &&
            hf_room_next(&loop->room, NULL) == NULL);
}

/* The end of a turn. */
static void
on_check(uv_check_t *check)
{
    struct loop *loop = check->data;

    hf_http_turn(loop->http, hf_now(), hf_wall_ms());
    listen_again(loop);
    accept_some(loop);
    read_turn(loop);
    hf_pass_turn(&loop->pass);
    hf_service_wake(loop->service);
    if (hf_reached(hf_now(), hf_service_deadline(loop->service)))
        hf_service_clock(loop->service, loop->pass.read_until);
    clock_connections(loop);
    hf_watch_renew(&loop->watch, hf_service_seat(loop->service));
    hf_log_look(loop->config.log, hf_service_seat(loop->service));
    if (loop->draining && hf_service_has_stopped(loop->service))
        drain_connections(loop);
    flush_all(loop);
    end_unread(loop);
    if (!is_over(loop))
        return;
    if (!hf_service_has_stopped(loop->service))
        leave_as_it_is(loop);
    uv_stop(&loop->uv);
}

/* Before it sleeps: until when. */
static void
on_prepare(uv_prepare_t *prepare)
{
    struct loop *loop = prepare->data;
    const struct hf_heap_node *first = hf_heap_first(&loop->due);
    struct hf_instant at = hf_service_deadline(loop->service);
    int64_t left;

    if (first != NULL)
        at = hf_earlier(at, first->at);
    at = hf_earlier(at, last_deadline(loop));
    if (!loop->draining)
        at = hf_earlier(at, loop->listen_at);
    if (loop->to_read.first != NULL)
        at = hf_now();
    left = hf_between(hf_now(), at).ms;
    if (at.ms == HF_NEVER.ms)
        uv_timer_stop(&loop->timer);
    else
        uv_timer_start(&loop->timer, on_timer, left > 0 ? (uint64_t)left : 0,
                       0);
    hf_pass_begin(&loop->pass, hf_now(), BACKLOG + 1);
}

static void
on_process(uv_poll_t *poll, int status, int events)
{
    struct loop *loop = poll->data;

    (void)status;
    (void)events;
    hf_watch_take(&loop->watch);
    hf_service_look(loop->service);
}

static void
on_told(uv_async_t *async)
{
    (void)async; /* it is taken at the end of the turn */
}

static void
tell(void *ctx)
{
    struct loop *loop = ctx;

    (void)uv_async_send(&loop->told);
}

static void
on_signal(uv_signal_t *signal, int number)
{
    struct loop *loop = signal->data;

    if (number == SIGHUP) {
        loop->config.reload(loop->config.ctx);
        return;
    }
    if (loop->draining)
        _exit(128 + number); /* as if it were killed, which loses nothing */
    loop->config.stopping(loop->config.ctx);
    loop->draining = true;
    loop->drain_until = hf_after(hf_now(), (struct hf_duration){DRAIN_MS});
    loop->leave_until = hf_after(hf_now(), (struct hf_duration){LEAVE_MS});
    uv_poll_stop(&loop->listener);
    hf_fd_close(&loop->listen_fd);
    hf_service_stop(loop->service);
}

/* ---- Beginning and end --------------------------------------------------- */

static enum hf_status
listen_at(struct loop *loop, uint16_t *port, struct hf_error *error)
{
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
    } address;
    const struct hf_loop_config *config = &loop->config;
    socklen_t len = sizeof(address);
    int one = 1;

    memset(&address, 0, sizeof(address));
    if (uv_ip4_addr(config->host, config->port, &address.v4) != 0 &&
        uv_ip6_addr(config->host, config->port, &address.v6) != 0)
        return hf_fail(error, HF_E_INVALID, "%s is no address", config->host);
    len = address.any.sa_family == AF_INET ? sizeof(address.v4)
                                           : sizeof(address.v6);
    loop->listen_fd = socket(address.any.sa_family,
                             SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (loop->listen_fd < 0 ||
        setsockopt(loop->listen_fd, SOL_SOCKET, SO_REUSEADDR, &one,
                   sizeof(one)) != 0 ||
        bind(loop->listen_fd, &address.any, len) != 0 ||
        listen(loop->listen_fd, BACKLOG) != 0 ||
        getsockname(loop->listen_fd, &address.any, &len) != 0)
        return hf_fail(error, HF_E_UNAVAILABLE, "listen at %s port %u: %s",
                       config->host, (unsigned)config->port, strerror(errno));
    *port = ntohs(address.any.sa_family == AF_INET ? address.v4.sin_port
                                                   : address.v6.sin6_port);
    return HF_OK;
}

static void
start_handles(struct loop *loop)
{
    static const int numbers[] = {SIGTERM, SIGINT, SIGHUP};

    uv_async_init(&loop->uv, &loop->told, on_told);
    uv_timer_init(&loop->uv, &loop->timer);
    uv_check_init(&loop->uv, &loop->check);
    uv_prepare_init(&loop->uv, &loop->prepare);
    loop->check.data = loop;
    loop->prepare.data = loop;
    for (int i = 0; i < 3; i++) {
        uv_signal_init(&loop->uv, &loop->signals[i]);
        loop->signals[i].data = loop;
        uv_signal_start(&loop->signals[i], on_signal, numbers[i]);
    }
}

static enum hf_status
open_all(struct loop *loop, struct hf_error *error)
{
    struct hf_service_config *service = &loop->config.service;
    enum hf_status status;
    uint16_t port = 0;

    status = hf_http_open(loop->config.alloc, &loop->config.limits, &loop->http,
                          error);
    if (status != HF_OK)
        return status;
    status = listen_at(loop, &port, error);
    if (status != HF_OK)
        return status;
    loop->config.bound(loop->config.ctx, port);
    service->http = loop->http;
    service->wrote = wrote;
    service->holds = holds;
    service->ctx = loop;
    service->log = loop->config.log;
    service->seat.scribe.told = tell;
    service->seat.scribe.ctx = loop;
    status = hf_service_open(service, &loop->service, error);
    if (status != HF_OK)
        return status;
    uv_poll_init_socket(&loop->uv, &loop->listener, loop->listen_fd);
    loop->listener.data = loop;
    uv_poll_start(&loop->listener, UV_READABLE, on_accept);
    uv_check_start(&loop->check, on_check);
    uv_prepare_start(&loop->prepare, on_prepare);
    if (loop->watch.fd >= 0 &&
        uv_poll_init(&loop->uv, &loop->processes, loop->watch.fd) == 0) {
        loop->processes.data = loop;
        uv_poll_start(&loop->processes, UV_READABLE, on_process);
    }
    loop->config.ready(loop->config.ctx);
    return HF_OK;
}

static void
close_handle(uv_handle_t *handle, void *ctx)
{
    (void)ctx;
    if (!uv_is_closing(handle))
        uv_close(handle, NULL);
}

static void
close_all(struct loop *loop)
{
    struct hf_room_place *place;

    while ((place = hf_room_next(&loop->room, NULL)) != NULL)
        close_connection(HF_CONTAINER(place, struct connection, place));
    while (loop->lingering.first != NULL)
        end_lingering(
            HF_CONTAINER(loop->lingering.first, struct connection, link));
    hf_service_close(loop->service);
    uv_walk(&loop->uv, close_handle, NULL);
    (void)uv_run(&loop->uv, UV_RUN_DEFAULT);
    HF_CHECK(uv_loop_close(&loop->uv) == 0);
    hf_http_close(loop->http);
    hf_watch_close(&loop->watch);
    hf_heap_fini(&loop->due);
    hf_fd_close(&loop->listen_fd);
    hf_fd_close(&loop->spare_fd);
}

enum hf_status
hf_loop_run(const struct hf_loop_config *config, struct hf_error *error)
{
    struct loop loop = {
        .config = *config,
        .listen_fd = -1,
        .listen_at = HF_NEVER,
    };
    enum hf_status status;

    if (uv_loop_init(&loop.uv) != 0)
        return hf_fail(error, HF_E_NOMEM, "no memory for a loop");
    loop.due.alloc = config->alloc;
    loop.spare_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    hf_watch_open(&loop.watch);
    start_handles(&loop);
    status = open_all(&loop, error);
    if (status == HF_OK)
        (void)uv_run(&loop.uv, UV_RUN_DEFAULT);
    close_all(&loop);
    return status;
}

#include "server/accepted.h"

#include <errno.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/check.h"
#include "base/fd.h"
#include "base/hash.h"

/* Bytes that are read of a connection at once.  Such a piece can hold a
 * thousand requests. */
#define READ_MAX (16 * 1024)

/* How long a client has to hear that its connection has ended.  What it still
 * sends would otherwise be answered by a reset, which takes the last answer
 * from it. */
#define LINGER_MS 2000

/* ---- States -------------------------------------------------------------- */

/* The diagram of the header. */
static bool
may_move(enum hf_accepted_state from, enum hf_accepted_state to)
{
    static const bool moves[HF_ACCEPTED_STATES][HF_ACCEPTED_STATES] = {
        [HF_ACCEPTED_READING][HF_ACCEPTED_HELD_BACK] = true,
        [HF_ACCEPTED_READING][HF_ACCEPTED_HALF_CLOSED] = true,
        [HF_ACCEPTED_READING][HF_ACCEPTED_LINGERING] = true,
        [HF_ACCEPTED_READING][HF_ACCEPTED_CLOSING] = true,
        [HF_ACCEPTED_HELD_BACK][HF_ACCEPTED_READING] = true,
        [HF_ACCEPTED_HELD_BACK][HF_ACCEPTED_LINGERING] = true,
        [HF_ACCEPTED_HELD_BACK][HF_ACCEPTED_CLOSING] = true,
        [HF_ACCEPTED_HALF_CLOSED][HF_ACCEPTED_AWAITING_RESET] = true,
        [HF_ACCEPTED_HALF_CLOSED][HF_ACCEPTED_CLOSING] = true,
        [HF_ACCEPTED_LINGERING][HF_ACCEPTED_AWAITING_RESET] = true,
        [HF_ACCEPTED_LINGERING][HF_ACCEPTED_CLOSING] = true,
        [HF_ACCEPTED_AWAITING_RESET][HF_ACCEPTED_CLOSING] = true,
    };

    return moves[from][to];
}

static void
move_to(struct hf_accepted *c, enum hf_accepted_state state)
{
    HF_CHECK(may_move(c->state, state));
    c->state = state;
}

/* Has the client ended its half? */
static bool
has_ended(const struct hf_accepted *c)
{
    return c->state == HF_ACCEPTED_HALF_CLOSED ||
           c->state == HF_ACCEPTED_AWAITING_RESET;
}

/* READING or HELD_BACK: answers may have been written since. */
static void
hold_back(struct hf_accepted *c)
{
    enum hf_accepted_state state = c->left_len == 0 && hf_http_wants(c->peer)
                                       ? HF_ACCEPTED_READING
                                       : HF_ACCEPTED_HELD_BACK;

    if (c->state != HF_ACCEPTED_HALF_CLOSED && c->state != state)
        move_to(c, state);
}

void
hf_accepted_to_flush(struct hf_accepted *c)
{
    if (c->to_flush)
        return;
    c->to_flush = true;
    c->next_to_flush = c->all->to_flush;
    c->all->to_flush = c;
}

void
hf_accepted_to_read(struct hf_accepted *c)
{
    if (c->to_read)
        return;
    c->to_read = true;
    hf_list_add(&c->all->to_read, &c->reading);
}

/* ---- Answers that its client has not read -------------------------------- */

/* The kernel tells it once. */
static int
error_of(struct hf_accepted *c)
{
    socklen_t len = sizeof(c->error);

    if (c->error == 0)
        (void)getsockopt(c->fd, SOL_SOCKET, SO_ERROR, &c->error, &len);
    return c->error;
}

/* Was the answer that told of a session the last that was sent, and is the end
 * of it not acknowledged?  Our own end of the connection counts as a byte. */
static bool
has_unread_session(const struct hf_accepted *c)
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
was_closed_unread(struct hf_accepted *c)
{
    int error = error_of(c);

    return error == EPIPE || (has_ended(c) && error == ECONNRESET);
}

/* Its client has closed it, or half of it: will a reset tell which? */
static bool
awaits_reset(struct hf_accepted *c)
{
    return has_ended(c) && has_unread_session(c) && error_of(c) == 0;
}

/* ---- Its end ------------------------------------------------------------- */

static void
on_closed(uv_handle_t *handle)
{
    struct hf_accepted *c = handle->data;
    const struct hf_alloc *alloc = c->all->alloc;

    hf_fd_close(&c->fd);
    hf_free(alloc, c->left);
    hf_free(alloc, c);
}

static void
set_unread(struct hf_accepted *c, size_t len)
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

/* HTTP has done with it. */
static void
end_http(struct hf_accepted *c)
{
    set_unread(c, 0);
    hf_http_remove(c->peer);
    c->peer = NULL;
    hf_heap_set(&c->all->due, &c->due, HF_NEVER);
    hf_ranks_remove(&c->all->room, &c->place);
    if (c->to_read)
        hf_list_remove(&c->all->to_read, &c->reading);
    c->to_read = false;
    hf_pass_gone(&c->all->pass, &c->pieces);
    (void)shutdown(c->fd, SHUT_WR);
}

static void
close_poll(struct hf_accepted *c)
{
    if (has_unread_session(c) && was_closed_unread(c))
        hf_service_unread(c->all->service, c->opened);
    move_to(c, HF_ACCEPTED_CLOSING);
    c->all->count--;
    uv_close((uv_handle_t *)&c->poll, on_closed);
}

static void
leave_lingering(struct hf_accepted *c)
{
    hf_heap_set(&c->all->due, &c->due, HF_NEVER);
    hf_list_remove(&c->all->lingering, &c->link);
}

void
hf_accepted_close(struct hf_accepted *c)
{
    if (c->peer != NULL)
        end_http(c);
    else
        leave_lingering(c);
    close_poll(c);
}

/* Drop the bytes that come, until the client ends its half. */
static void
on_lingering(uv_poll_t *poll, int status, int events)
{
    struct hf_accepted *c = poll->data;
    ssize_t len = status != 0
                      ? -1
                      : recv(c->fd, NULL, READ_MAX, MSG_DONTWAIT | MSG_TRUNC);

    (void)events;
    if (len > 0 ||
        (status == 0 && len < 0 && (errno == EAGAIN || errno == EINTR)))
        return;
    if (len < 0 && status == 0)
        c->error = errno;
    if (len == 0 && c->error == 0)
        move_to(c, HF_ACCEPTED_AWAITING_RESET);
    if (awaits_reset(c))
        uv_poll_stop(&c->poll); /* nothing else is told until it lingered */
    else
        hf_accepted_close(c);
}

/* HTTP has done with it, and its client may not know; or the client has ended
 * its half, and it is not known whether it has read the last answer. */
static void
linger(struct hf_accepted *c)
{
    struct hf_connections *all = c->all;

    end_http(c);
    hf_list_add(&all->lingering, &c->link);
    hf_heap_set(&all->due, &c->due,
                hf_after(hf_now(), (struct hf_duration){LINGER_MS}));
    if (c->state == HF_ACCEPTED_HALF_CLOSED) {
        move_to(c, HF_ACCEPTED_AWAITING_RESET);
        uv_poll_stop(&c->poll);
    } else {
        move_to(c, HF_ACCEPTED_LINGERING);
        (void)uv_poll_start(&c->poll, UV_READABLE, on_lingering);
    }
}

/* ---- Reading ------------------------------------------------------------- */

static void
break_off(struct hf_accepted *c, int error)
{
    c->error = error;
    hf_http_gone(c->peer);
}

/* Tell the service all that there is to be told of it. */
static bool
take_events(struct hf_accepted *c)
{
    struct hf_http_event event;
    bool any = false;

    while (hf_http_next(c->peer, &event)) {
        any = true;
        c->asks |= event.kind == HF_HTTP_REQUEST;
        hf_service_event(c->all->service, c, &event);
    }
    return any;
}

/* Take bytes for as long as HTTP takes them, and lines that are there; how many
 * bytes. */
static size_t
feed(struct hf_accepted *c, const char *bytes, size_t len)
{
    size_t taken = 0;

    while (taken < len || hf_http_has_line(c->peer)) {
        size_t more = hf_http_feed(c->peer, bytes + taken, len - taken);

        taken += more;
        if (!take_events(c) && more == 0)
            break;
    }
    return taken;
}

/* Keep what was read and not taken: bytes cannot be given back to the kernel.
 */
static void
keep_left(struct hf_accepted *c, const char *bytes, size_t len)
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
feed_left(struct hf_accepted *c)
{
    size_t taken;

    if (c->left_len == 0) {
        (void)feed(c, "", 0);
        return;
    }
    taken = feed(c, c->left, c->left_len);
    if (taken > 0)
        keep_left(c, c->left + taken, c->left_len - taken);
}

bool
hf_accepted_read(struct hf_accepted *c)
{
    static char buffer[READ_MAX];
    ssize_t len;
    size_t taken;

    feed_left(c);
    hold_back(c);
    if (c->state != HF_ACCEPTED_READING)
        return hf_http_has_line(c->peer);
    len = recv(c->fd, buffer, sizeof(buffer), MSG_DONTWAIT);
    if (len > 0) {
        taken = feed(c, buffer, (size_t)len);
        keep_left(c, buffer + taken, (size_t)len - taken);
    } else if (len == 0) {
        move_to(c, HF_ACCEPTED_HALF_CLOSED);
        hf_http_eof(c->peer);
    } else if (errno != EAGAIN && errno != EINTR) {
        break_off(c, errno);
    }
    (void)take_events(c);
    set_unread(c, hf_http_unread(c->peer));
    return len == (ssize_t)sizeof(buffer) || hf_http_has_line(c->peer);
}

/* It is to be read, but perhaps only because it was just accepted. */
bool
hf_accepted_has_input(const struct hf_accepted *c)
{
    char byte;

    return c->to_read &&
           recv(c->fd, &byte, sizeof(byte), MSG_PEEK | MSG_DONTWAIT) > 0;
}

/* ---- Writing ------------------------------------------------------------- */

/* Write what there is; false: the kernel takes no more now. */
static bool
write_all(struct hf_accepted *c)
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

static enum hf_rank
rank_of(const struct hf_accepted *c)
{
    bool is_stalled = hf_http_unread_since(c->peer).ms != HF_NEVER.ms;

    if (!hf_http_is_idle(c->peer))
        return is_stalled ? HF_RANK_STALLED : HF_RANK_BUSY;
    if (!c->has_asked)
        return HF_RANK_NEW;
    return hf_service_holds(c->all->service, c->session) ? HF_RANK_HOLDER
                                                         : HF_RANK_IDLE;
}

/* A connection that asks anew is the last of its rank; a new one stays where it
 * is. */
static void
rank(struct hf_accepted *c)
{
    enum hf_rank now;

    c->has_asked |= c->asks;
    now = rank_of(c);
    if (c->asks || now != c->place.rank)
        hf_ranks_move(&c->all->room, &c->place, now);
    c->asks = false;
}

static void on_ready(uv_poll_t *poll, int status, int events);

/* Poll for what the connection waits for now. */
static void
poll_for(struct hf_accepted *c, bool to_write)
{
    int events = to_write ? UV_WRITABLE : 0;

    if (c->state == HF_ACCEPTED_READING)
        events |= UV_READABLE;
    else
        events |= UV_PRIORITIZED; /* that it is gone, and not its end alone,
                                     which would be told again and again */
    if (events != c->events) /* or libuv makes two system calls for nothing */
        (void)uv_poll_start(&c->poll, events, on_ready);
    c->events = events;
}

void
hf_accepted_flush(struct hf_accepted *c)
{
    bool is_all;

    if (c->peer == NULL)
        return;
    is_all = write_all(c);
    (void)take_events(c);
    if (hf_http_has_line(c->peer) ||
        (c->left_len > 0 && hf_http_wants(c->peer)))
        hf_accepted_to_read(c);
    if (hf_http_is_done(c->peer)) {
        (void)take_events(c);
        if (has_ended(c) && !awaits_reset(c))
            hf_accepted_close(c);
        else
            linger(c);
        return;
    }
    hold_back(c);
    poll_for(c, !is_all);
    rank(c);
    set_unread(c, hf_http_unread(c->peer));
    hf_heap_set(&c->all->due, &c->due, hf_http_deadline(c->peer));
}

static void
on_ready(uv_poll_t *poll, int status, int events)
{
    struct hf_accepted *c = poll->data;

    if (c->peer == NULL)
        return;
    if (status != 0 || (events & UV_PRIORITIZED) != 0) {
        break_off(c, error_of(c));
    } else if ((events & UV_READABLE) != 0) {
        hf_pass_named(&c->all->pass, &c->pieces);
        hf_accepted_to_read(c);
    }
    hf_accepted_to_flush(c);
}

void
hf_accepted_clock(struct hf_accepted *c)
{
    if (c->peer == NULL) {
        hf_accepted_close(c);
        return;
    }
    hf_heap_set(&c->all->due, &c->due, HF_NEVER); /* until it is flushed */
    hf_http_clock(c->peer);
    (void)take_events(c);
    hf_accepted_to_flush(c);
}

/* ---- Its beginning ------------------------------------------------------- */

struct hf_accepted *
hf_accepted_open(struct hf_connections *all, int fd)
{
    struct hf_accepted *c = hf_calloc(all->alloc, 1, sizeof(*c));
    struct hf_error why;
    int one = 1;

    if (c == NULL || hf_http_add(all->http, &c->peer, &why) != HF_OK ||
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
    hf_ranks_add(&all->room, &c->place, HF_RANK_NEW);
    all->count++;
    hf_accepted_to_read(c); /* its request may have come with it */
    hf_accepted_to_flush(c);
    return c;
}

/* ---- Its address --------------------------------------------------------- */

enum { V4_LEN = 4, V4_AT = 12, NETWORK_LEN = 8 };

static uint64_t
number_of(const void *bytes, size_t len)
{
    uint64_t number = hf_hash_bytes(HF_HASH_SEED, bytes, len);

    return number != 0 ? number : 1;
}

uint64_t
hf_accepted_address(const struct hf_accepted *c)
{
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
    } peer;
    socklen_t len = sizeof(peer);
    const struct in6_addr *v6 = &peer.v6.sin6_addr;

    if (getpeername(c->fd, &peer.any, &len) != 0)
        return 0;
    if (peer.any.sa_family == AF_INET)
        return number_of(&peer.v4.sin_addr, V4_LEN);
    if (peer.any.sa_family != AF_INET6)
        return 0;
    if (IN6_IS_ADDR_V4MAPPED(v6))
        return number_of(&v6->s6_addr[V4_AT], V4_LEN);
    return number_of(v6->s6_addr, NETWORK_LEN);
}

#include "load.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"

/* Connections and their sockets. */

enum { EVENTS = 256, READ_SIZE = 256 * 1024 };

/* A server lets only so many requests be there whose bodies wait for its
 * window. */
enum { UNREAD_LEN = 16 * 1024 };

/* ---- Bytes --------------------------------------------------------------- */

static void
watch(struct connection *c, int operation, bool wants_out)
{
    struct epoll_event event = {
        .events = EPOLLIN | (wants_out ? EPOLLOUT : 0u),
        .data.ptr = c,
    };

    c->wants_out = wants_out;
    if (epoll_ctl(c->load->epoll_fd, operation, c->fd, &event) != 0)
        work_fail("epoll: %s", strerror(errno));
}

static void
let_ask(struct connection *c)
{
    while (c->first != NULL && hf_http_client_room(c->http) > 0) {
        struct lane *lane = c->first;

        c->first = lane->next;
        work_ask_next(lane);
    }
}

static void
write_bytes(struct connection *c)
{
    struct hf_bytes out = hf_http_client_out(c->http);

    while (out.len > 0) {
        ssize_t written = send(c->fd, out.at, out.len, MSG_NOSIGNAL);

        if (written < 0 && errno != EAGAIN)
            work_fail("the server: %s", strerror(errno));
        if (written < 0)
            break;
        hf_http_client_wrote(c->http, (size_t)written);
        out = hf_http_client_out(c->http);
    }
    if ((out.len > 0) != c->wants_out)
        watch(c, EPOLL_CTL_MOD, out.len > 0);
}

void
load_write(struct connection *c)
{
    do {
        let_ask(c);
        write_bytes(c);
    } while (c->first != NULL && !c->wants_out &&
             hf_http_client_room(c->http) > 0);
}

static void
tell(struct connection *c)
{
    struct hf_http_client_event news;

    while (hf_http_client_next(c->http, &news)) {
        if (news.end == HF_HTTP_LINE) {
            work_told(c, news.line);
            continue;
        }
        if (news.end != HF_HTTP_ANSWERED)
            work_fail("a request has no answer");
        c->load->answers++;
        work_answered((struct lane *)(uintptr_t)news.tag, news.answer);
    }
}

static void
read_in(struct connection *c)
{
    static char bytes[READ_SIZE];
    ssize_t len = recv(c->fd, bytes, sizeof(bytes), 0);
    size_t at = 0;

    if (len == 0 || (len < 0 && errno != EAGAIN))
        work_fail("the server has closed a connection");
    while (len > 0 && at < (size_t)len) {
        at += hf_http_client_feed(c->http, bytes + at, (size_t)len - at);
        tell(c);
    }
}

/* KEEP: those whose time it is; none has a time in other modes. */
static void
keep_alive(struct load *load)
{
    int64_t now_us = hf_now_us();

    for (unsigned i = 0; i < load->order->connections; i++) {
        struct connection *c = &load->connections[i];

        if (c->due_us == 0 || c->due_us > now_us)
            continue;
        c->due_us = 0;
        work_keep_alive(&c->lanes[0]);
        load_write(c);
    }
}

void
load_run(struct load *load, int64_t until_us)
{
    struct epoll_event events[EVENTS];

    while (hf_now_us() < until_us) {
        int count = epoll_wait(load->epoll_fd, events, EVENTS, 10);

        for (int i = 0; i < count; i++) {
            struct connection *c = events[i].data.ptr;

            if ((events[i].events & EPOLLIN) != 0)
                read_in(c);
            load_write(c);
        }
        if (load->order->mode == MODE_KEEP)
            keep_alive(load);
    }
}

/* ---- Opening ------------------------------------------------------------- */

static int
connect_to(const struct order *order)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    struct addrinfo *found;
    int yes = 1;
    int fd;

    if (getaddrinfo(order->host, order->port, &hints, &found) != 0)
        work_fail("%s: no such host", order->host);
    fd = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || connect(fd, found->ai_addr, found->ai_addrlen) != 0)
        work_fail("%s:%s: %s", order->host, order->port, strerror(errno));
    freeaddrinfo(found);
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
    return fd;
}

static void
open_one(struct load *load, unsigned number)
{
    struct connection *c = &load->connections[number];
    struct hf_http_limits limits = hf_http_limits_default;
    struct hf_error error;

    limits.streams = UINT32_MAX;
    limits.unread_len = UNREAD_LEN;
    *c = (struct connection){
        .load = load,
        .fd = connect_to(load->order),
        .number = number,
        .lanes = calloc(load->order->lanes, sizeof(struct lane)),
    };
    if (c->lanes == NULL ||
        hf_http_client_open(&hf_alloc_libc, &limits, &c->http, &error) != HF_OK)
        work_fail("no memory");
    for (unsigned i = 0; i < load->order->lanes; i++)
        c->lanes[i] = (struct lane){.connection = c, .number = i + 1};
    work_begin(&c->lanes[0]);
    watch(c, EPOLL_CTL_ADD, false);
    load_write(c);
}

void
load_open(struct load *load, const struct order *order)
{
    load->order = order;
    load->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    load->connections = calloc(order->connections, sizeof(struct connection));
    if (load->epoll_fd < 0 || load->connections == NULL)
        work_fail("no memory");
    for (unsigned i = 0; i < order->connections; i++)
        open_one(load, i);
}

void
load_close(struct load *load)
{
    for (unsigned i = 0; i < load->order->connections; i++) {
        hf_http_client_close(load->connections[i].http);
        close(load->connections[i].fd);
        free(load->connections[i].lanes);
    }
    free(load->connections);
    close(load->epoll_fd);
}

#include "server/loop.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <uv.h>

#include "base/check.h"
#include "base/fail.h"
#include "base/fd.h"
#include "server/connections.h"
#include "server/watch.h"

/* Connections that wait to be accepted, as the kernel keeps them: of one more
 * than it is told. */
#define BACKLOG 511

/* And taken in a turn. */
#define ACCEPTS_MAX 64

/* How long whoever drains waits for those who read slowly, and for a store that
 * does not answer. */
#define DRAIN_MS 5000
#define LEAVE_MS 10000

/* Before descriptors are looked for again, when there is none even to turn
 * somebody away. */
#define LISTEN_PAUSE_MS 100

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
    struct hf_http *http;
    struct hf_service *service;
    struct hf_connections connections;
    bool to_accept; /* somebody waits */
    bool draining;
    struct hf_instant drain_until;
    struct hf_instant leave_until;
    struct hf_instant listen_at; /* again; HF_NEVER: it does */
};

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

    if (fd < 0 && errno != ECONNABORTED && errno != EINTR) {
        if ((errno == EMFILE || errno == ENFILE) &&
            !hf_connections_end_one(&loop->connections))
            turn_away(loop);
        return false; /* who was not taken is told of anew */
    }
    if (fd >= 0)
        hf_connections_add(&loop->connections, fd);
    else
        hf_pass_accepted(&loop->connections.pass, NULL);
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
        hf_pass_accepted_all(&loop->connections.pass);
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

static void
on_timer(uv_timer_t *timer)
{
    (void)timer; /* what is due is done at the end of the turn */
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
            hf_connections_are_over(&loop->connections));
}

/* The end of a turn. */
static void
on_check(uv_check_t *check)
{
    struct loop *loop = check->data;

    hf_http_turn(loop->http, hf_now(), hf_wall_ms());
    listen_again(loop);
    accept_some(loop);
    hf_connections_read(&loop->connections);
    hf_pass_turn(&loop->connections.pass);
    hf_service_wake(loop->service);
    if (hf_reached(hf_now(), hf_service_deadline(loop->service)))
        hf_service_clock(loop->service, loop->connections.pass.read_until);
    hf_connections_clock(&loop->connections);
    hf_service_turn(loop->service);
    hf_watch_renew(&loop->watch, hf_service_seat(loop->service));
    hf_log_look(loop->config.log, hf_service_seat(loop->service));
    if (loop->draining && hf_service_has_stopped(loop->service))
        hf_connections_drain(&loop->connections);
    hf_connections_write(&loop->connections);
    hf_service_turn(loop->service); /* for what its answers have ended */
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
    struct hf_instant at = hf_service_deadline(loop->service);
    int64_t left;

    at = hf_earlier(at, hf_connections_deadline(&loop->connections));
    at = hf_earlier(at, last_deadline(loop));
    if (!loop->draining)
        at = hf_earlier(at, loop->listen_at);
    left = hf_between(hf_now(), at).ms;
    if (at.ms == HF_NEVER.ms)
        uv_timer_stop(&loop->timer);
    else
        uv_timer_start(&loop->timer, on_timer, left > 0 ? (uint64_t)left : 0,
                       0);
    hf_pass_begin(&loop->connections.pass, hf_now(), BACKLOG + 1);
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
    service->wrote = hf_connections_wrote;
    service->holds = hf_connections_holds;
    service->opened = hf_connections_opened;
    service->address_of = hf_connections_address;
    service->may_wait = hf_connections_may_wait;
    service->waits = hf_connections_waits;
    service->name_of = hf_connections_name;
    service->ctx = loop;
    service->log = loop->config.log;
    service->seat.scribe.told = tell;
    service->seat.scribe.ctx = loop;
    status = hf_service_open(service, &loop->service, error);
    if (status != HF_OK)
        return status;
    loop->connections.http = loop->http;
    loop->connections.service = loop->service;
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
    hf_connections_close(&loop->connections);
    hf_service_close(loop->service);
    uv_walk(&loop->uv, close_handle, NULL);
    (void)uv_run(&loop->uv, UV_RUN_DEFAULT);
    HF_CHECK(uv_loop_close(&loop->uv) == 0);
    hf_http_close(loop->http);
    hf_watch_close(&loop->watch);
    hf_connections_fini(&loop->connections);
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
    loop.connections.alloc = loop.connections.due.alloc = config->alloc;
    loop.connections.uv = &loop.uv;
    loop.connections.limits = &loop.config.limits;
    loop.connections.log = config->log;
    loop.spare_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    hf_watch_open(&loop.watch);
    start_handles(&loop);
    status = open_all(&loop, error);
    if (status == HF_OK)
        (void)uv_run(&loop.uv, UV_RUN_DEFAULT);
    close_all(&loop);
    return status;
}

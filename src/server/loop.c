#include "server/loop.h"

#include <signal.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/check.h"
#include "base/fail.h"
#include "base/fd.h"
#include "server/listener.h"
#include "server/route.h"

/* How long a server that drains waits for clients that read slowly, and for a
 * store that does not answer. */
#define DRAIN_MS 5000
#define LEAVE_MS 10000

/* One descriptor that is readable when a process of the present leader has
 * ended, whichever processes those are just now (epoll(7)). */
struct store_watch {
    int fd;        /* owned: to be polled; -1: it could not be made, and the
                      leader's ttl tells instead */
    uint64_t seen; /* as hf_seat_observations said */
    struct pollfd fds[HF_PROCESSES_MAX]; /* borrowed from the seat */
    size_t count;
};

struct loop {
    struct hf_loop_config config;
    uv_loop_t uv;
    uv_poll_t processes;      /* of the leader: */
    struct store_watch watch; /* owned */
    uv_async_t told;
    uv_timer_t timer;
    uv_check_t check;
    uv_prepare_t prepare;
    uv_signal_t signals[3];
    struct hf_http *http;
    struct hf_service *service;
    struct hf_connections connections;
    struct hf_listener listener;
    bool draining;
    struct hf_instant drain_until;
    struct hf_instant leave_until;
};

/* ---- Processes of the leader --------------------------------------------- */

/* A descriptor that was closed since is gone from it already. */
static void
watch_none(struct store_watch *watch)
{
    for (size_t i = 0; i < watch->count; i++)
        (void)epoll_ctl(watch->fd, EPOLL_CTL_DEL, watch->fds[i].fd, NULL);
    watch->count = 0;
}

/* Watch those of now, if they are others than before. */
static void
watch_renew(struct store_watch *watch, const struct hf_seat *seat)
{
    struct epoll_event event = {.events = EPOLLIN};

    if (watch->fd < 0 || watch->seen == hf_seat_observations(seat))
        return;
    watch_none(watch);
    watch->seen = hf_seat_observations(seat);
    watch->count = hf_seat_poll_fds(seat, watch->fds);
    for (size_t i = 0; i < watch->count; i++) {
        event.data.fd = watch->fds[i].fd;
        (void)epoll_ctl(watch->fd, EPOLL_CTL_ADD, watch->fds[i].fd, &event);
    }
}

/* It is readable.  A process that has ended stays so: each is told once, and is
 * then not watched any more. */
static void
watch_take(struct store_watch *watch)
{
    struct epoll_event events[HF_PROCESSES_MAX];
    int count = epoll_wait(watch->fd, events, HF_PROCESSES_MAX, 0);

    for (int i = 0; i < count; i++)
        (void)epoll_ctl(watch->fd, EPOLL_CTL_DEL, events[i].data.fd, NULL);
}

/* ---- Time ---------------------------------------------------------------- */

static void
on_timer(uv_timer_t *timer)
{
    (void)timer; /* what is due is done at the end of the turn */
}

/* Until when does it wait for slow clients, or for the store? */
static struct hf_instant
last_deadline(const struct loop *loop)
{
    if (!loop->draining)
        return HF_NEVER;
    return hf_service_has_stopped(loop->service) ? loop->drain_until
                                                 : loop->leave_until;
}

/* End as if we were killed, which loses nothing that was told: the call to the
 * store that is under way has taken too long. */
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
    hf_listener_accept(&loop->listener);
    hf_connections_read(&loop->connections);
    hf_pass_turn(&loop->connections.pass);
    hf_service_wake(loop->service);
    if (hf_reached(hf_now(), hf_service_deadline(loop->service)))
        hf_service_clock(loop->service, loop->connections.pass.read_until);
    hf_connections_clock(&loop->connections);
    hf_service_turn(loop->service);
    hf_service_wake(loop->service); /* in memory its batch is written by now */
    watch_renew(&loop->watch, hf_service_seat(loop->service));
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
    at = hf_earlier(at, hf_listener_deadline(&loop->listener));
    left = hf_between(hf_now(), at).ms;
    if (at.ms == HF_NEVER.ms)
        uv_timer_stop(&loop->timer);
    else
        uv_timer_start(&loop->timer, on_timer, left > 0 ? (uint64_t)left : 0,
                       0);
    hf_pass_begin(&loop->connections.pass, hf_now(), HF_LISTENER_BACKLOG + 1);
}

static void
on_process(uv_poll_t *poll, int status, int events)
{
    struct loop *loop = poll->data;

    (void)status;
    (void)events;
    watch_take(&loop->watch);
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
    hf_listener_stop(&loop->listener);
    hf_service_stop(loop->service);
}

/* ---- Beginning and end --------------------------------------------------- */

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
    uint16_t port = loop->config.port;

    status = hf_http_open(loop->config.alloc, &loop->config.limits, &loop->http,
                          error);
    if (status != HF_OK)
        return status;
    hf_http_set_carrier_path(loop->http, HF_ROUTE_STREAM_PATH);
    status = hf_listener_open(&loop->listener, loop->config.host, &port, error);
    if (status != HF_OK)
        return status;
    loop->config.bound(loop->config.ctx, port);
    service->http = loop->http;
    service->peers = &hf_connections_peers;
    service->log = loop->config.log;
    service->seat.scribe.told = tell;
    service->seat.scribe.ctx = loop;
    status = hf_service_open(service, &loop->service, error);
    if (status != HF_OK)
        return status;
    loop->connections.http = loop->http;
    loop->connections.service = loop->service;
    hf_listener_start(&loop->listener, &loop->uv);
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
    hf_fd_close(&loop->watch.fd);
    hf_connections_fini(&loop->connections);
    hf_listener_close(&loop->listener);
}

enum hf_status
hf_loop_run(const struct hf_loop_config *config, struct hf_error *error)
{
    struct loop loop = {
        .config = *config,
        .watch.fd = -1,
    };
    enum hf_status status;

    if (uv_loop_init(&loop.uv) != 0)
        return hf_fail(error, HF_E_NOMEM, "no memory for a loop");
    loop.connections.alloc = loop.connections.due.alloc = config->alloc;
    loop.connections.uv = &loop.uv;
    loop.connections.limits = &loop.config.limits;
    loop.connections.log = config->log;
    hf_listener_init(&loop.listener, &loop.connections);
    loop.watch.fd = epoll_create1(EPOLL_CLOEXEC);
    start_handles(&loop);
    status = open_all(&loop, error);
    if (status == HF_OK)
        (void)uv_run(&loop.uv, UV_RUN_DEFAULT);
    close_all(&loop);
    return status;
}

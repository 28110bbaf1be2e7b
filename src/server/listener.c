#include "server/listener.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/fd.h"

/* Connections that are accepted in a turn. */
#define ACCEPTS_MAX 64

/* Pause before descriptors are looked for again, when there is none even to
 * turn a connection away. */
#define PAUSE_MS 100

/* ---- Accepting ----------------------------------------------------------- */

static int
open_spare(void)
{
    return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

static int
accept_next(const struct hf_listener *listener)
{
    return accept4(listener->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

/* There is no descriptor for the next, and no connection can go. */
static void
turn_away(struct hf_listener *listener)
{
    int fd;

    hf_fd_close(&listener->spare_fd);
    fd = accept_next(listener);
    hf_fd_close(&fd);
    listener->spare_fd = open_spare();
    if (listener->spare_fd < 0) { /* another thread has taken it */
        uv_poll_stop(&listener->poll);
        listener->again_at = hf_after(hf_now(), (struct hf_duration){PAUSE_MS});
    }
}

static void
on_accept(uv_poll_t *poll, int status, int events)
{
    struct hf_listener *listener = poll->data;

    (void)events;
    listener->to_accept = status == 0;
}

/* False: none waits, or there is no room for it. */
static bool
accept_one(struct hf_listener *listener)
{
    struct hf_connections *connections = listener->connections;
    int fd = accept_next(listener);

    if (fd < 0 && errno != ECONNABORTED && errno != EINTR) {
        if ((errno == EMFILE || errno == ENFILE) &&
            !hf_connections_end_one(connections))
            turn_away(listener);
        return false; /* the kernel tells anew of the one that waits */
    }
    if (fd >= 0)
        hf_connections_add(connections, fd);
    else
        hf_pass_accepted(&connections->pass, NULL);
    return true;
}

static void
listen_again(struct hf_listener *listener)
{
    if (!hf_reached(hf_now(), listener->again_at))
        return;
    listener->spare_fd = open_spare();
    listener->again_at = hf_after(hf_now(), (struct hf_duration){PAUSE_MS});
    if (listener->spare_fd < 0)
        return;
    listener->again_at = HF_NEVER;
    uv_poll_start(&listener->poll, UV_READABLE, on_accept);
}

/* Connections that came before the pass stand in front of all others, and are
 * no more than the kernel keeps. */
void
hf_listener_accept(struct hf_listener *listener)
{
    listen_again(listener);
    for (int i = 0; i < ACCEPTS_MAX && listener->to_accept; i++)
        listener->to_accept = accept_one(listener);
    if (!listener->to_accept)
        hf_pass_accepted_all(&listener->connections->pass);
    listener->to_accept = false;
}

struct hf_instant
hf_listener_deadline(const struct hf_listener *listener)
{
    return listener->again_at;
}

/* ---- Beginning and end --------------------------------------------------- */

void
hf_listener_init(struct hf_listener *listener,
                 struct hf_connections *connections)
{
    *listener = (struct hf_listener){
        .connections = connections,
        .fd = -1,
        .spare_fd = open_spare(),
        .again_at = HF_NEVER,
    };
}

enum hf_status
hf_listener_open(struct hf_listener *listener, const char *host, uint16_t *port,
                 struct hf_error *error)
{
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
    } address;
    socklen_t len = sizeof(address);
    int one = 1;

    memset(&address, 0, sizeof(address));
    if (uv_ip4_addr(host, *port, &address.v4) != 0 &&
        uv_ip6_addr(host, *port, &address.v6) != 0)
        return hf_fail(error, HF_E_INVALID, "%s is no address", host);
    len = address.any.sa_family == AF_INET ? sizeof(address.v4)
                                           : sizeof(address.v6);
    listener->fd = socket(address.any.sa_family,
                          SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (listener->fd < 0 ||
        setsockopt(listener->fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) !=
            0 ||
        bind(listener->fd, &address.any, len) != 0 ||
        listen(listener->fd, HF_LISTENER_BACKLOG) != 0 ||
        getsockname(listener->fd, &address.any, &len) != 0)
        return hf_fail(error, HF_E_UNAVAILABLE, "listen at %s port %u: %s",
                       host, (unsigned)*port, strerror(errno));
    *port = ntohs(address.any.sa_family == AF_INET ? address.v4.sin_port
                                                   : address.v6.sin6_port);
    return HF_OK;
}

void
hf_listener_start(struct hf_listener *listener, uv_loop_t *uv)
{
    uv_poll_init_socket(uv, &listener->poll, listener->fd);
    listener->poll.data = listener;
    uv_poll_start(&listener->poll, UV_READABLE, on_accept);
}

void
hf_listener_stop(struct hf_listener *listener)
{
    uv_poll_stop(&listener->poll);
    hf_fd_close(&listener->fd);
    listener->again_at = HF_NEVER;
}

void
hf_listener_close(struct hf_listener *listener)
{
    hf_fd_close(&listener->fd);
    hf_fd_close(&listener->spare_fd);
}

#include "client/server/connections.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/check.h"
#include "base/fail.h"
#include "base/fd.h"

/* What is written and not acknowledged for so long breaks a connection: then
 * the session has long asked elsewhere. */
enum { SILENT_PEER_MS = 10 * 1000 };

/* To one node: enough for a hundred thousand who wait. */
enum { TO_A_NODE_MAX = 128 };

enum { READ_SIZE = 64 * 1024 };

/* ---- Sockets ------------------------------------------------------------- */

static enum hf_status
fail(const struct hf_connection *connection, int code, struct hf_error *error)
{
    const struct hf_server *server = connection->server;

    return hf_fail(error, HF_E_UNAVAILABLE, "%s: %s",
                   server->addresses.each[connection->node - 1].authority,
                   strerror(code));
}

static void
set_options(int fd)
{
    unsigned silent = SILENT_PEER_MS;
    int yes = 1;

    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
    (void)setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &silent,
                     sizeof(silent));
}

/* Begin to connect to one address; -1 and errno. */
static int
begin(const struct addrinfo *address)
{
    int fd = socket(address->ai_family,
                    SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    if (fd < 0)
        return -1;
    set_options(fd);
    if (connect(fd, address->ai_addr, address->ai_addrlen) == 0 ||
        errno == EINPROGRESS)
        return fd;
    hf_fd_close(&fd);
    return -1;
}

/* Try the next address of its node, and after the last none: the next
 * connection begins with the first again. */
static enum hf_status
try_next(struct hf_connection *connection, struct hf_error *error)
{
    struct hf_server *server = connection->server;
    struct hf_address *address = &server->addresses.each[connection->node - 1];
    struct epoll_event event = {
        .events = EPOLLIN | EPOLLOUT,
        .data.ptr = connection,
    };
    int code = EHOSTUNREACH;

    hf_fd_close(&connection->fd);
    while (connection->fd < 0 && address->next != NULL) {
        connection->fd = begin(address->next);
        code = errno;
        address->next = address->next->ai_next;
    }
    if (connection->fd < 0) {
        address->next = address->found;
        return fail(connection, code, error);
    }
    connection->wants_out = true;
    if (epoll_ctl(server->epoll_fd, EPOLL_CTL_ADD, connection->fd, &event) != 0)
        return fail(connection, errno, error);
    return HF_OK;
}

/* ---- Life ---------------------------------------------------------------- */

static void
close_one(struct hf_connection *connection)
{
    struct hf_server *server = connection->server;

    hf_list_remove(&server->connections, &connection->link);
    if (connection->http != NULL)
        server->http->close(connection->http);
    hf_fd_close(&connection->fd);
    hf_free(server->client->alloc, connection);
}

static struct hf_connection *
open_one(struct hf_server *server, unsigned node, struct hf_error *error)
{
    const struct hf_alloc *alloc = server->client->alloc;
    struct hf_connection *connection = hf_new(alloc, struct hf_connection);
    enum hf_status status;

    if (connection == NULL) {
        (void)hf_fail(error, HF_E_NOMEM, "out of memory");
        return NULL;
    }
    connection->server = server;
    connection->node = node;
    connection->fd = -1;
    hf_list_add(&server->connections, &connection->link);
    status = server->http->open(alloc, server->http->limits, &connection->http,
                                error);
    if (status == HF_OK)
        status = try_next(connection, error);
    if (status == HF_OK)
        return connection;
    close_one(connection);
    return NULL;
}

static struct hf_connection *
at(struct hf_link *link)
{
    return HF_CONTAINER(link, struct hf_connection, link);
}

struct hf_connection *
hf_connections_to(struct hf_server *server, unsigned node, uint32_t reserve,
                  struct hf_error *error)
{
    unsigned count = 0;

    for (struct hf_link *link = server->connections.first; link != NULL;
         link = link->next) {
        struct hf_connection *connection = at(link);

        if (connection->node != node || connection->is_mute ||
            connection->state == HF_CONNECTION_GONE ||
            server->http->is_closing(connection->http))
            continue;
        if (server->http->room(connection->http) > reserve)
            return connection;
        count++;
    }
    if (count < TO_A_NODE_MAX)
        return open_one(server, node, error);
    (void)hf_fail(error, HF_E_LIMIT, "too much is asked of one node");
    return NULL;
}

/* Nothing more comes or goes; its calls are told by the next flush. */
static void
break_off(struct hf_connection *connection, int code)
{
    struct hf_server *server = connection->server;

    if (connection->state == HF_CONNECTION_GONE)
        return;
    if (connection->calls.first != NULL)
        (void)fail(connection, code, &server->trouble);
    connection->state = HF_CONNECTION_GONE;
    server->http->gone(connection->http);
    (void)epoll_ctl(server->epoll_fd, EPOLL_CTL_DEL, connection->fd, NULL);
}

/* ---- Silence ------------------------------------------------------------- */

static void
break_off_mute(const struct hf_connection *to)
{
    for (struct hf_link *link = to->server->connections.first; link != NULL;
         link = link->next)
        if (at(link) != to && at(link)->node == to->node && at(link)->is_mute)
            break_off(at(link), ETIMEDOUT);
}

/* Of two that are silent the newer is waited for: a node that hangs has two
 * connections, and no more. */
void
hf_connection_overdue(struct hf_connection *connection)
{
    const struct hf_address *address =
        &connection->server->addresses.each[connection->node - 1];

    break_off_mute(connection);
    connection->is_mute = true;
    (void)hf_fail(&connection->server->trouble, HF_E_UNAVAILABLE,
                  "%s: no answer", address->authority);
}

static void
on_heard(struct hf_connection *connection)
{
    if (!connection->is_mute)
        break_off_mute(connection);
    connection->is_mute = false;
}

/* ---- Bytes --------------------------------------------------------------- */

static void
tell(struct hf_connection *connection)
{
    struct hf_server *server = connection->server;
    struct hf_http_client_news news;

    while (server->http->next(connection->http, &news)) {
        struct hf_call *call = (struct hf_call *)(uintptr_t)news.tag;

        hf_list_remove(&connection->calls, &call->link);
        call->connection = NULL;
        if (news.end == HF_HTTP_ANSWERED) {
            on_heard(connection);
            if (news.answer->status < 500)
                server->trouble.status = HF_OK;
        }
        call->answered(call, news.end == HF_HTTP_ANSWERED ? news.answer : NULL);
    }
}

static void
set_out(struct hf_connection *connection, bool wants)
{
    struct epoll_event event = {
        .events = EPOLLIN | (wants ? EPOLLOUT : 0u),
        .data.ptr = connection,
    };

    if (wants == connection->wants_out)
        return;
    connection->wants_out = wants;
    (void)epoll_ctl(connection->server->epoll_fd, EPOLL_CTL_MOD, connection->fd,
                    &event);
}

/* All that is made, as far as the kernel takes it. */
static void
write_out(struct hf_connection *connection)
{
    const struct hf_http_module *http = connection->server->http;
    struct hf_bytes out = http->out(connection->http);

    while (out.len > 0) {
        ssize_t written =
            send(connection->fd, out.at, out.len, MSG_DONTWAIT | MSG_NOSIGNAL);

        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0) {
            if (errno != EAGAIN && errno != EWOULDBLOCK)
                break_off(connection, errno);
            break;
        }
        http->wrote(connection->http, (size_t)written);
        out = http->out(connection->http);
    }
    if (connection->state != HF_CONNECTION_GONE)
        set_out(connection, out.len > 0);
}

/* One that breaks, as by a frame that is none, is no more to be used; and one
 * that said goodbye is closed with its last answer. */
static void
take_in(struct hf_connection *connection, const char *bytes, size_t len)
{
    const struct hf_http_module *http = connection->server->http;
    size_t taken = 0;

    while (taken < len) {
        taken += http->feed(connection->http, bytes + taken, len - taken);
        tell(connection);
    }
    if (http->is_closing(connection->http) && connection->calls.first == NULL)
        break_off(connection, ECONNRESET);
}

static void
read_in(struct hf_connection *connection)
{
    char bytes[READ_SIZE];
    ssize_t len = recv(connection->fd, bytes, sizeof(bytes), MSG_DONTWAIT);

    if (len > 0)
        take_in(connection, bytes, (size_t)len);
    else if (len == 0)
        break_off(connection, ECONNRESET);
    else if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)
        break_off(connection, errno);
}

/* ---- Events -------------------------------------------------------------- */

static void
on_connected(struct hf_connection *connection)
{
    struct hf_server *server = connection->server;
    struct hf_address *address = &server->addresses.each[connection->node - 1];
    socklen_t len = sizeof(int);
    int code = 0;

    (void)getsockopt(connection->fd, SOL_SOCKET, SO_ERROR, &code, &len);
    if (code == 0) {
        connection->state = HF_CONNECTION_THERE;
        address->next = address->found;
        return;
    }
    if (address->next == NULL ||
        try_next(connection, &server->trouble) != HF_OK) {
        address->next = address->found;
        break_off(connection, code);
    }
}

void
hf_connection_ready(struct hf_connection *connection, uint32_t events)
{
    if (connection->state == HF_CONNECTION_GONE)
        return;
    if (connection->state == HF_CONNECTION_COMING &&
        (events & (EPOLLOUT | EPOLLERR | EPOLLHUP)) != 0)
        on_connected(connection);
    if (connection->state == HF_CONNECTION_THERE &&
        (events & (EPOLLIN | EPOLLERR | EPOLLHUP)) != 0)
        read_in(connection);
}

/* Answers may be asked again at once, on a connection that is then the last:
 * so until nothing breaks any more. */
static bool
sweep(struct hf_server *server)
{
    for (struct hf_link *link = server->connections.first; link != NULL;
         link = link->next) {
        struct hf_connection *connection = at(link);

        if (connection->state != HF_CONNECTION_GONE)
            continue;
        tell(connection);
        HF_CHECK(connection->calls.first == NULL);
        close_one(connection);
        return true;
    }
    return false;
}

void
hf_connections_flush(struct hf_server *server)
{
    do
        for (struct hf_link *link = server->connections.first; link != NULL;
             link = link->next)
            if (at(link)->state == HF_CONNECTION_THERE)
                write_out(at(link));
    while (sweep(server));
}

void
hf_connections_close(struct hf_server *server)
{
    while (server->connections.first != NULL)
        close_one(at(server->connections.first));
}

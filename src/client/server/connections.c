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
#include "base/sockname.h"
#include "client/server/lines.h"
#include "client/server/state.h"
#include "wire/api_answer.h"

/*
 *            looked up        found          connected
 *   (none) -----------> NAMING ------> COMING ----------> THERE
 *                         |              |                  |
 *                         | not known    | no address is    | broken, or
 *                         v              v left             v GOAWAY
 *                        GONE           GONE               GONE
 *
 * A thread looks the host up again, unless that was done just before.  If an
 * address does not answer soon, the next one is tried.
 */
enum hf_connection_state {
    HF_CONNECTION_NAMING,
    HF_CONNECTION_COMING,
    HF_CONNECTION_THERE,
    HF_CONNECTION_GONE,
};

enum { HF_ENDPOINTS_MAX = 16 };

struct hf_endpoint {
    struct sockaddr_storage at;
    socklen_t len;
};

struct hf_connection {
    struct hf_link link; /* in server->connections */
    struct hf_server *server;
    unsigned node;
    enum hf_connection_state state;
    int fd;
    bool wants_out; /* as epoll knows it */
    bool is_heard;  /* bytes were read from it */
    struct hf_endpoint endpoints[HF_ENDPOINTS_MAX]; /* addresses of its host */
    unsigned endpoints_count;
    unsigned tried_count;
    unsigned tried;              /* index of the last */
    struct hf_instant next_at;   /* COMING: when the next address is tried */
    bool is_mute;                /* an answer is overdue, and none has come
                                    since */
    struct hf_http_client *http; /* owned */
    struct hf_lines lines;
    struct hf_list calls; /* of struct hf_node_call, under way on it */
};

/* TCP_USER_TIMEOUT: bytes that are not acknowledged for so long break the
 * connection.  By then the session has long asked another node. */
enum { SILENT_PEER_MS = 10 * 1000 };

/* Connections to one node: enough for a hundred thousand waits. */
enum { TO_A_NODE_MAX = 128 };

/* This part of each connection's streams, but no more than so many, is reserved
 * for calls with must_get_through. */
enum { RESERVED_PART = 8, RESERVED_MAX = 8 };

enum { READ_SIZE = 64 * 1024 };

/* If there are several addresses, each is given so long to connect. */
static const struct hf_duration next_pause = {700};

/* After lines did not get through to an address. */
static const struct hf_duration lines_pause = {60 * 1000};

/* ---- Sockets ------------------------------------------------------------- */

static struct hf_address *
address_of(const struct hf_connection *connection)
{
    return &connection->server->addresses.each[connection->node - 1];
}

static enum hf_status
fail(const struct hf_connection *connection, const char *why,
     struct hf_error *error)
{
    return hf_fail(error, HF_E_UNAVAILABLE, "%s: %s",
                   address_of(connection)->authority, why);
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

/* Begin to connect to one address.  On failure -1, and errno is set. */
static int
begin_connect(const struct hf_endpoint *endpoint)
{
    int fd = socket(endpoint->at.ss_family,
                    SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    if (fd < 0)
        return -1;
    set_options(fd);
    if (connect(fd, (const struct sockaddr *)&endpoint->at, endpoint->len) ==
            0 ||
        errno == EINPROGRESS)
        return fd;
    hf_fd_close(&fd);
    return -1;
}

/* The next connection starts with the address behind those that failed. */
static void
turn_to_next(struct hf_connection *connection)
{
    if (connection->tried_count++ > 0)
        connection->tried++;
    connection->tried %= connection->endpoints_count;
    address_of(connection)->first = connection->tried;
}

/* Try the next address of its node; `why` the last one failed. */
static enum hf_status
try_next(struct hf_connection *connection, const char *why,
         struct hf_error *error)
{
    struct hf_server *server = connection->server;
    struct epoll_event event = {
        .events = EPOLLIN | EPOLLOUT,
        .data.ptr = connection,
    };

    hf_fd_close(&connection->fd);
    while (connection->fd < 0 &&
           connection->tried_count < connection->endpoints_count) {
        turn_to_next(connection);
        connection->fd =
            begin_connect(&connection->endpoints[connection->tried]);
        if (connection->fd < 0)
            why = strerror(errno);
    }
    if (connection->fd < 0)
        return fail(connection, why, error);
    connection->state = HF_CONNECTION_COMING;
    connection->next_at = connection->tried_count < connection->endpoints_count
                              ? hf_after(hf_now(), next_pause)
                              : HF_NEVER;
    connection->wants_out = true;
    if (epoll_ctl(server->epoll_fd, EPOLL_CTL_ADD, connection->fd, &event) != 0)
        return fail(connection, strerror(errno), error);
    return HF_OK;
}

/* ---- Names --------------------------------------------------------------- */

static enum hf_status
connect_to_found(struct hf_connection *connection, struct hf_error *error)
{
    const struct hf_address *address = address_of(connection);
    unsigned count = 0;

    for (const struct addrinfo *at = address->found;
         at != NULL && count < HF_ENDPOINTS_MAX; at = at->ai_next) {
        struct hf_endpoint *endpoint = &connection->endpoints[count];

        if (at->ai_addrlen > sizeof(endpoint->at))
            continue;
        memcpy(&endpoint->at, at->ai_addr, at->ai_addrlen);
        endpoint->len = at->ai_addrlen;
        count++;
    }
    connection->endpoints_count = count;
    connection->tried = address->first;
    return try_next(connection, "no host of that name is known", error);
}

/* Connect to the known addresses of its host, or wait for the lookup. */
static enum hf_status
find_way(struct hf_connection *connection, struct hf_error *error)
{
    struct hf_address *address = address_of(connection);
    int wake_fd = connection->server->client->wake_fd;

    if (hf_address_is_fresh(address, wake_fd, error))
        return connect_to_found(connection, error);
    return address->lookup != NULL ? HF_OK : error->status;
}

/* ---- Life ---------------------------------------------------------------- */

static void
close_one(struct hf_connection *connection)
{
    struct hf_server *server = connection->server;

    hf_list_remove(&server->connections, &connection->link);
    if (connection->http != NULL)
        server->http->close(connection->http);
    hf_lines_fini(&connection->lines);
    hf_fd_close(&connection->fd);
    hf_free(server->client->alloc, connection);
}

static struct hf_connection *
open_one(struct hf_server *server, unsigned node, struct hf_error *error)
{
    const struct hf_alloc *alloc = server->client->alloc;
    struct hf_connection *connection = hf_new(alloc, struct hf_connection);
    struct hf_http_limits limits = *server->http->limits;
    enum hf_status status;

    if (connection == NULL) {
        (void)hf_fail(error, HF_E_NOMEM, "out of memory");
        return NULL;
    }
    connection->server = server;
    connection->node = node;
    connection->fd = -1;
    connection->lines.open.alloc = alloc;
    hf_list_add(&server->connections, &connection->link);
    limits.body_len = HF_API_ANSWER_SIZE;
    status = server->http->open(alloc, &limits, &connection->http, error);
    if (status == HF_OK)
        status = find_way(connection, error);
    if (status == HF_OK)
        return connection;
    close_one(connection);
    return NULL;
}

/* A connection that has not said yet how many it bears is taken for one like
 * the last to its address: what is beyond would be refused. */
static uint32_t
streams_of(const struct hf_connection *connection)
{
    uint32_t known = address_of(connection)->streams;
    uint32_t said = connection->server->http->streams(connection->http);

    return connection->is_heard || known == 0 || known > said ? said : known;
}

/* Of its streams; as many lines may be under way. */
static uint32_t
reserved_of(const struct hf_connection *connection, bool must_get_through)
{
    uint32_t part = streams_of(connection) / RESERVED_PART;

    if (must_get_through)
        return 0;
    return part < RESERVED_MAX ? part : RESERVED_MAX;
}

/* A server counts a line as a stream. */
static bool
has_room(const struct hf_connection *connection, bool must_get_through)
{
    const struct hf_http_module *http = connection->server->http;
    uint32_t beyond = http->streams(connection->http) - streams_of(connection);

    return http->room(connection->http) >
           beyond + connection->lines.open.count +
               reserved_of(connection, must_get_through);
}

static bool
is_used(const struct hf_connection *connection, unsigned node)
{
    return connection->node == node && !connection->is_mute &&
           connection->state != HF_CONNECTION_GONE &&
           !connection->server->http->is_closing(connection->http);
}

static bool
may_have_lines(const struct hf_connection *connection)
{
    return hf_reached(hf_now(), address_of(connection)->lines_from);
}

/* For a while, or for good. */
static void
put_off_lines(const struct hf_connection *connection, bool for_good)
{
    struct hf_address *address = address_of(connection);

    if (address->lines_from.ms != HF_NEVER.ms)
        address->lines_from =
            for_good ? HF_NEVER : hf_after(hf_now(), lines_pause);
}

/* One to that node whose stream has room for a line; NULL: there is none. */
static struct hf_connection *
lines_to(const struct hf_server *server, unsigned node, bool must_get_through)
{
    HF_EACH(struct hf_connection, connection, &server->connections, link)
        if (is_used(connection, node) && !connection->lines.is_late &&
            connection->lines.state == HF_LINES_HEARD &&
            may_have_lines(connection) &&
            has_room(connection, must_get_through) &&
            hf_lines_go_on(&connection->lines, server->http, connection->http))
            return connection;
    return NULL;
}

bool
hf_node_takes_lines(const struct hf_server *server, unsigned node,
                    bool must_get_through)
{
    return lines_to(server, node, must_get_through) != NULL;
}

/* A connection to that node with room for one more call, perhaps a new one.
 * NULL: there is none, and *error says why.  Calls without must_get_through
 * leave some streams free for those with it. */
static struct hf_connection *
connection_to(struct hf_server *server, unsigned node, bool must_get_through,
              struct hf_error *error)
{
    unsigned count = 0;

    HF_EACH(struct hf_connection, connection, &server->connections, link) {
        if (!is_used(connection, node))
            continue;
        if (has_room(connection, must_get_through))
            return connection;
        count++;
    }
    if (count < TO_A_NODE_MAX)
        return open_one(server, node, error);
    (void)hf_fail(error, HF_E_LIMIT, "%s: too much is asked of it at once",
                  server->addresses.each[node - 1].authority);
    return NULL;
}

/* ---- Calls --------------------------------------------------------------- */

static struct hf_bytes
bytes_of(const char *text)
{
    return (struct hf_bytes){text, strlen(text)};
}

static enum hf_http_method
method_of(const char *word)
{
    if (strcmp(word, "GET") == 0)
        return HF_HTTP_GET;
    return strcmp(word, "POST") == 0 ? HF_HTTP_POST : HF_HTTP_DELETE;
}

static enum hf_status
ask_once(struct hf_server *server, struct hf_node_call *call,
         const struct hf_node_call_request *request, struct hf_error *error)
{
    const struct hf_http_header headers[] = {
        {"content-type", bytes_of("application/json")},
        {"holdfast-secret",
         bytes_of(request->secret == NULL ? "" : request->secret)},
    };
    struct hf_connection *connection =
        connection_to(server, request->node, request->must_get_through, error);
    enum hf_status status;

    HF_CHECK(call->connection == NULL);
    if (connection == NULL)
        return error->status;
    status = server->http->ask(
        connection->http,
        &(struct hf_http_ask){
            .method = method_of(request->method),
            .host =
                bytes_of(server->addresses.each[request->node - 1].authority),
            .path = bytes_of(request->path),
            .headers = headers,
            .headers_count = request->secret == NULL ? 1 : 2,
            .body = bytes_of(request->body),
            .tag = (uint64_t)(uintptr_t)call,
        },
        &call->stream, error);
    if (status != HF_OK)
        return status;
    call->connection = connection;
    hf_list_add(&connection->calls, &call->link);
    if (request->is_of_session && may_have_lines(connection))
        hf_lines_begin(&connection->lines, server->http, connection->http,
                       bytes_of(address_of(connection)->authority));
    return HF_OK;
}

static enum hf_status
say_line(struct hf_server *server, struct hf_node_call *call,
         const struct hf_node_call_request *request, struct hf_error *error)
{
    struct hf_connection *connection =
        lines_to(server, request->node, request->must_get_through);

    HF_CHECK(call->connection == NULL && connection != NULL);
    if (!hf_lines_say(&connection->lines, server->http, connection->http, call,
                      request->line))
        return hf_fail(error, HF_E_NOMEM, "out of memory");
    call->connection = connection;
    hf_list_add(&connection->calls, &call->link);
    return HF_OK;
}

enum hf_status
hf_node_call_ask(struct hf_server *server, struct hf_node_call *call,
                 const struct hf_node_call_request *request,
                 struct hf_error *error)
{
    if (request->line != NULL)
        return say_line(server, call, request, error);
    return ask_once(server, call, request, error);
}

void
hf_node_call_cancel(struct hf_node_call *call)
{
    struct hf_connection *connection = call->connection;

    if (connection == NULL)
        return;
    if (call->line != 0)
        hf_lines_cancel(&connection->lines, connection->server->http,
                        connection->http, call);
    else
        connection->server->http->cancel(connection->http, call->stream);
    hf_list_remove(&connection->calls, &call->link);
    call->connection = NULL;
}

/* ---- Ends ---------------------------------------------------------------- */

/* Is a call under way on it whose failure counts as trouble? */
static bool
is_waited_for(const struct hf_connection *connection)
{
    HF_EACH(const struct hf_node_call, call, &connection->calls, link)
        if (!call->is_aside)
            return true;
    return false;
}

/* Stop using it; the next flush tells its calls. */
static void
break_off(struct hf_connection *connection, const char *why)
{
    struct hf_server *server = connection->server;

    if (connection->state == HF_CONNECTION_GONE)
        return;
    if (is_waited_for(connection))
        (void)fail(connection, why, &server->trouble);
    connection->state = HF_CONNECTION_GONE;
    server->http->gone(connection->http);
    (void)epoll_ctl(server->epoll_fd, EPOLL_CTL_DEL, connection->fd, NULL);
}

/* ---- Silence ------------------------------------------------------------- */

static void
break_off_mute(const struct hf_connection *to)
{
    HF_EACH(struct hf_connection, one, &to->server->connections, link)
        if (one != to && one->node == to->node && one->is_mute)
            break_off(one, "no answer");
}

/* If two connections to a node are silent, the older one is closed: so a node
 * that hangs has at most two. */
void
hf_node_call_overdue(struct hf_node_call *call)
{
    struct hf_connection *connection = call->connection;

    if (connection == NULL)
        return;
    break_off_mute(connection);
    connection->is_mute = true;
    if (call->line != 0) {
        connection->lines.is_late = true;
        put_off_lines(connection, false);
    }
    (void)fail(connection, "no answer", &connection->server->trouble);
}

static void
on_heard(struct hf_connection *connection)
{
    if (!connection->is_mute)
        break_off_mute(connection);
    connection->is_mute = false;
}

/* ---- Bytes --------------------------------------------------------------- */

/* When a connection broke, its trouble was set then. */
static void
note_end(struct hf_connection *connection, const struct hf_node_call *call,
         const struct hf_http_answer *answer)
{
    struct hf_error *trouble = &connection->server->trouble;

    if (answer != NULL)
        on_heard(connection);
    if (call->is_aside)
        return;
    if (answer == NULL) {
        if (connection->state != HF_CONNECTION_GONE)
            (void)fail(connection, "it gave no whole answer", trouble);
    } else if (answer->status < 500 &&
               !hf_proxy_limit_is_fresh(&connection->server->proxy_limit,
                                        hf_now())) {
        trouble->status = HF_OK;
    }
}

/* It is under way no more; NULL: it has no answer. */
static void
end_call(struct hf_connection *connection, struct hf_node_call *call,
         const struct hf_http_answer *answer)
{
    hf_list_remove(&connection->calls, &call->link);
    call->connection = NULL;
    note_end(connection, call, answer);
    call->answered(call, answer);
}

static struct hf_node_call *
first_line(const struct hf_connection *connection)
{
    HF_EACH(struct hf_node_call, call, &connection->calls, link)
        if (call->line != 0)
            return call;
    return NULL;
}

/* All that was asked on the stream has no answer; who asks again does so by a
 * request of its own. */
static void
lose_lines(struct hf_connection *connection)
{
    struct hf_node_call *call;

    connection->lines.state = HF_LINES_NONE;
    connection->lines.is_late = false;
    while ((call = first_line(connection)) != NULL) {
        hf_lines_lose(&connection->lines, call);
        end_call(connection, call, NULL);
    }
}

/* Not the answer of a server that has no stream, but of one that has, or of
 * something between that is in trouble. */
static bool
is_passing(int status)
{
    return status == 429 || status >= 500;
}

/* A server that has no stream refuses it.  Something between may end what takes
 * long. */
static void
on_stream_end(struct hf_connection *connection,
              const struct hf_http_client_event *news)
{
    bool answered = news->end == HF_HTTP_ANSWERED;

    if (connection->state != HF_CONNECTION_GONE &&
        (!answered || news->answer->status != 200))
        put_off_lines(connection,
                      answered && !is_passing(news->answer->status));
    lose_lines(connection);
}

static void
on_lines(struct hf_connection *connection,
         const struct hf_http_client_event *news)
{
    struct hf_http_answer answer;
    struct hf_node_call *call;

    if (news->end != HF_HTTP_LINE) {
        on_stream_end(connection, news);
        return;
    }
    call = hf_lines_heard(&connection->lines, news->line, &answer);
    if (call != NULL)
        end_call(connection, call, &answer);
}

static void
deliver(struct hf_connection *connection)
{
    struct hf_http_client_event news;

    while (connection->server->http->next(connection->http, &news)) {
        struct hf_node_call *call = (struct hf_node_call *)(uintptr_t)news.tag;

        if (call == NULL) /* the tag of a stream */
            on_lines(connection, &news);
        else
            end_call(connection, call,
                     news.end == HF_HTTP_ANSWERED ? news.answer : NULL);
    }
}

/* Nothing was heard on it in time, or an answer is late: nothing that comes on
 * it is believed any more. */
static bool
end_late_lines(struct hf_connection *connection)
{
    struct hf_lines *lines = &connection->lines;

    if (connection->state != HF_CONNECTION_THERE ||
        (!lines->is_late && !hf_reached(hf_now(), hf_lines_deadline(lines))))
        return false;
    connection->server->http->cancel(connection->http, lines->stream);
    put_off_lines(connection, false);
    lose_lines(connection);
    return true;
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

/* Write all output, as far as the kernel takes it. */
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
                break_off(connection, strerror(errno));
            break;
        }
        http->wrote(connection->http, (size_t)written);
        out = http->out(connection->http);
    }
    if (connection->state != HF_CONNECTION_GONE)
        set_out(connection, out.len > 0);
}

static void
take_in(struct hf_connection *connection, const char *bytes, size_t len)
{
    const struct hf_http_module *http = connection->server->http;
    size_t taken = 0;

    while (taken < len) {
        taken += http->feed(connection->http, bytes + taken, len - taken);
        deliver(connection);
    }
    address_of(connection)->streams = http->streams(connection->http);
}

/* The first frame of HTTP/2 has 16 KiB at most, so its first byte is 0. */
static const char *
what_it_speaks(char first)
{
    if (first == 0)
        return NULL;
    return first == 'H' || first == '<' /* with or without a status line */
               ? "it speaks HTTP/1.1 alone: what is between must take "
                 "HTTP/2 without TLS (h2c)"
               : "it speaks no HTTP/2: no lock server listens there";
}

static void
read_in(struct hf_connection *connection)
{
    char bytes[READ_SIZE];
    ssize_t len = recv(connection->fd, bytes, sizeof(bytes), MSG_DONTWAIT);
    const char *other = NULL;

    if (len > 0 && !connection->is_heard)
        other = what_it_speaks(bytes[0]);
    connection->is_heard = connection->is_heard || len > 0;
    if (len > 0)
        connection->server->speaks_other = other != NULL;
    if (other != NULL)
        break_off(connection, other);
    else if (len > 0)
        take_in(connection, bytes, (size_t)len);
    else if (len == 0)
        break_off(connection, strerror(ECONNRESET));
    else if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)
        break_off(connection, strerror(errno));
}

/* ---- Time ---------------------------------------------------------------- */

static void
on_found(struct hf_server *server, unsigned node, const char *why)
{
    struct hf_error error;

    HF_EACH(struct hf_connection, connection, &server->connections, link) {
        if (connection->state != HF_CONNECTION_NAMING ||
            connection->node != node)
            continue;
        if (why != NULL)
            break_off(connection, why);
        else if (connect_to_found(connection, &error) != HF_OK)
            break_off(connection, "no address of it can be connected to");
    }
}

static void
try_next_address(struct hf_connection *connection)
{
    struct hf_error error;

    if (try_next(connection, "no answer", &error) != HF_OK)
        break_off(connection, "no answer");
}

void
hf_node_connections_tick(struct hf_server *server, struct hf_instant now)
{
    const char *why;

    for (unsigned i = 0; i < server->addresses.count; i++)
        if (hf_address_is_found(&server->addresses.each[i], &why))
            on_found(server, i + 1, why);
    HF_EACH(struct hf_connection, one, &server->connections, link)
        if (one->state == HF_CONNECTION_COMING && hf_reached(now, one->next_at))
            try_next_address(one);
}

struct hf_instant
hf_node_connections_deadline(const struct hf_server *server)
{
    struct hf_instant deadline = HF_NEVER;

    HF_EACH(struct hf_connection, one, &server->connections, link) {
        if (one->state == HF_CONNECTION_COMING)
            deadline = hf_earlier(deadline, one->next_at);
        if (one->state == HF_CONNECTION_THERE)
            deadline = hf_earlier(deadline, hf_lines_deadline(&one->lines));
    }
    return deadline;
}

bool
hf_connections_are_called(const struct hf_server *server, unsigned node,
                          struct hf_bytes name)
{
    HF_EACH(struct hf_connection, one, &server->connections, link) {
        char bytes[64];
        struct hf_text own;

        hf_text_init(&own, bytes, sizeof(bytes));
        if (one->node == node)
            hf_sockname_own(one->fd, &own);
        if (own.len > 0 && own.len == name.len &&
            memcmp(own.at, name.at, name.len) == 0)
            return true;
    }
    return false;
}

/* ---- Events -------------------------------------------------------------- */

static void
on_connected(struct hf_connection *connection)
{
    socklen_t len = sizeof(int);
    struct hf_error why;
    int code = 0;

    (void)getsockopt(connection->fd, SOL_SOCKET, SO_ERROR, &code, &len);
    if (code == 0) {
        connection->state = HF_CONNECTION_THERE;
        connection->lines.asked_at = hf_now();
    } else if (try_next(connection, strerror(code), &why) != HF_OK) {
        break_off(connection, strerror(code));
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

/* A protocol error closes the connection.  After GOAWAY it is closed once its
 * last call has ended. */
static void
break_off_what_is_over(struct hf_connection *connection)
{
    if (connection->state == HF_CONNECTION_GONE ||
        !connection->server->http->is_closing(connection->http))
        return;
    deliver(connection);
    if (connection->calls.first == NULL)
        break_off(connection, strerror(ECONNRESET));
}

/* A call that is told may ask again at once, on another connection, which may
 * break, too.  Repeat until no connection breaks in a pass. */
static bool
sweep(struct hf_server *server)
{
    HF_EACH(struct hf_connection, connection, &server->connections, link) {
        break_off_what_is_over(connection);
        if (end_late_lines(connection))
            return true;
        if (connection->state != HF_CONNECTION_GONE)
            continue;
        deliver(connection);
        HF_CHECK(connection->calls.first == NULL);
        close_one(connection);
        return true;
    }
    return false;
}

void
hf_node_connections_flush(struct hf_server *server)
{
    do
        HF_EACH(struct hf_connection, one, &server->connections, link)
            if (one->state == HF_CONNECTION_THERE)
                write_out(one);
    while (sweep(server));
}

void
hf_node_connections_close(struct hf_server *server)
{
    while (server->connections.first != NULL)
        close_one(HF_CONTAINER(server->connections.first, struct hf_connection,
                               link));
}

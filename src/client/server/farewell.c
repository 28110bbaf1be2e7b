#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fail.h"
#include "base/fd.h"
#include "base/text.h"
#include "client/client.h"
#include "client/lock.h"
#include "client/server/addresses.h"
#include "client/server/sessions.h"
#include "wire/api_ask.h"

/*
 * The end of a session by a process that has no client: one request of
 * HTTP/1.1 to one node after another.  A text names the session:
 *
 *     http://host:port,… SESSION SECRET
 *
 * It lists only the nodes that may speak for the session.  A node of another
 * service would answer that the session is over [S7: it never knew it].
 */

enum { ID_SIZE = 17, REQUEST_SIZE = 1024, ANSWER_SIZE = 256 };

/* "HTTP/1.1 200" */
enum { STATUS_LINE_LEN = 12 };

/* For one node, so that the next one is asked in time. */
static const struct hf_duration patience = {1000};

/* Between two rounds.  A new leader answers within seconds. */
static const struct hf_duration round_pause = {100};

static void
add_nodes(const struct hf_server_session *session, struct hf_text *text)
{
    const struct hf_addresses *addresses = &session->server->addresses;
    bool is_first = true;

    for (unsigned i = 0; i < addresses->count; i++) {
        if (!hf_session_may_ask(session->machine, i + 1))
            continue;
        hf_text_addf(text, "%s%s", is_first ? "http://" : ",",
                     addresses->each[i].authority);
        is_first = false;
    }
}

size_t
hf_server_farewell(const struct hf_lock *lock, char *buffer, size_t size)
{
    const struct hf_server_lock *held = lock->handle.behind;
    char secret[HF_API_SECRET_SIZE];
    struct hf_text text;

    hf_text_init(&text, buffer, size);
    if (held->fence == 0)
        return text.len;
    hf_api_ask_secret(&held->secret, secret);
    add_nodes(held->session, &text);
    hf_text_addf(&text, " %016" PRIx64 " %s", held->session_id, secret);
    return text.len;
}

/* ---- One node ------------------------------------------------------------ */

struct visit {
    struct hf_address *address;
    const char *session;
    const char *secret;
    struct hf_instant until;
};

static bool
wait_for(int fd, short events, struct hf_instant until)
{
    struct pollfd wanted = {.fd = fd, .events = events};
    int64_t left_ms = hf_between(hf_now(), until).ms;

    return poll(&wanted, 1, left_ms < INT32_MAX ? (int)left_ms : INT32_MAX) > 0;
}

static bool
connect_to(const struct addrinfo *address, struct hf_instant until, int *fd)
{
    socklen_t len = sizeof(int);
    int code = 0;

    *fd = socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
                 0);
    if (*fd < 0)
        return false;
    if (connect(*fd, address->ai_addr, address->ai_addrlen) == 0)
        return true;
    return errno == EINPROGRESS && wait_for(*fd, POLLOUT, until) &&
           getsockopt(*fd, SOL_SOCKET, SO_ERROR, &code, &len) == 0 && code == 0;
}

/* The request is so short that the kernel takes it at once. */
static bool
send_request(const struct visit *visit, int fd)
{
    char request[REQUEST_SIZE];
    int len =
        snprintf(request, sizeof(request),
                 "DELETE /v1/sessions/%s HTTP/1.1\r\nHost: %s\r\n"
                 "Holdfast-Secret: %s\r\nConnection: close\r\n\r\n",
                 visit->session, visit->address->authority, visit->secret);

    return send(fd, request, (size_t)len, MSG_NOSIGNAL) == len;
}

/* The status of the answer; 0: there was none. */
static int
read_status(int fd, struct hf_instant until)
{
    char answer[ANSWER_SIZE];
    static const char version[] = "HTTP/1.1 ";
    size_t len = 0;

    while (len < STATUS_LINE_LEN && wait_for(fd, POLLIN, until)) {
        ssize_t more = recv(fd, answer + len, sizeof(answer) - 1 - len, 0);

        if (more <= 0)
            break;
        len += (size_t)more;
    }
    answer[len] = '\0';
    if (strncmp(answer, version, sizeof(version) - 1) != 0)
        return 0;
    return (int)strtol(answer + sizeof(version) - 1, NULL, 10);
}

static int
visit_node(const struct visit *visit)
{
    int status = 0;

    for (const struct addrinfo *at = visit->address->found;
         at != NULL && status == 0; at = at->ai_next) {
        int fd = -1;

        if (connect_to(at, visit->until, &fd) && send_request(visit, fd))
            status = read_status(fd, visit->until);
        hf_fd_close(&fd);
    }
    return status;
}

/* ---- All of them --------------------------------------------------------- */

/* The session is over, or does not exist. */
static bool
is_over(int status)
{
    return status == 200 || status == 410 || status == 403;
}

static enum hf_status
visit_all(struct hf_addresses *addresses, struct visit *visit,
          struct hf_instant until)
{
    while (!hf_reached(hf_now(), until)) {
        for (unsigned i = 0; i < addresses->count; i++) {
            visit->address = &addresses->each[i];
            visit->until = hf_earlier(until, hf_after(hf_now(), patience));
            if (is_over(visit_node(visit)))
                return HF_OK;
        }
        (void)poll(NULL, 0, (int)round_pause.ms);
    }
    return HF_E_UNAVAILABLE;
}

enum hf_status
hf_farewell(const char *text, struct hf_duration limit, struct hf_error *error)
{
    char place[HF_PLACE_MAX + 1];
    char session[ID_SIZE];
    char secret[HF_API_SECRET_SIZE];
    struct hf_addresses addresses;
    struct visit visit = {
        .session = session,
        .secret = secret,
    };
    struct hf_instant until = hf_after(hf_now(), limit);
    enum hf_status status;

    if (text == NULL || sscanf(text, "%1024s %16[0-9a-f] %32[0-9a-f]", place,
                               session, secret) != 3)
        return hf_fail(error, HF_E_INVALID, "that is no farewell");
    status = hf_addresses_parse(place, &addresses, error);
    if (status == HF_OK)
        status = hf_addresses_find(&addresses, error);
    if (status != HF_OK)
        return status;
    status = visit_all(&addresses, &visit, until);
    hf_addresses_fini(&addresses);
    return status == HF_OK
               ? HF_OK
               : hf_fail(error, HF_E_UNAVAILABLE, "%s: no answer", place);
}

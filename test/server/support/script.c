#include "server/support/script.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "support/locks.h"
#include "wire/json.h"

enum { PAUSE_MS = 5 };

/* ---- Life ---------------------------------------------------------------- */

static void
open_node(struct script_node *node)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t len = sizeof(address);

    *node = (struct script_node){.fd = -1};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    node->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    assert_true(node->fd >= 0);
    assert_int_equal(bind(node->fd, (struct sockaddr *)&address, len), 0);
    assert_int_equal(listen(node->fd, 16), 0);
    assert_int_equal(getsockname(node->fd, (struct sockaddr *)&address, &len),
                     0);
    node->port = ntohs(address.sin_port);
    snprintf(node->authority, sizeof(node->authority), "127.0.0.1:%u",
             node->port);
    assert_int_equal(hf_http_open(&hf_alloc_libc, &hf_http_limits_default,
                                  &node->http, NULL),
                     HF_OK);
}

void
script_open(struct script *script, unsigned nodes_count)
{
    assert_in_range(nodes_count, 1, SCRIPT_NODES_MAX);
    *script = (struct script){.nodes_count = nodes_count};
    for (unsigned i = 0; i < nodes_count; i++)
        open_node(&script->nodes[i]);
    snprintf(script->place, sizeof(script->place), "http://%s%s%s",
             script->nodes[0].authority, nodes_count > 1 ? "," : "",
             nodes_count > 1 ? script->nodes[1].authority : "");
}

static void
end_connection(struct script_connection *connection)
{
    if (connection->fd < 0)
        return;
    hf_http_remove(connection->peer);
    close(connection->fd);
    connection->fd = -1;
}

void
script_close(struct script *script)
{
    for (unsigned i = 0; i < script->nodes_count; i++) {
        struct script_node *node = &script->nodes[i];

        for (unsigned j = 0; j < node->connections_count; j++)
            end_connection(&node->connections[j]);
        hf_http_close(node->http);
        close(node->fd);
    }
}

void
script_cut(struct script_node *node)
{
    for (unsigned i = 0; i < node->connections_count; i++)
        end_connection(&node->connections[i]);
}

/* ---- What is answered ---------------------------------------------------- */

/* The body, with a member more in each of its objects. */
static void
add_newer(const char *body, struct hf_text *newer)
{
    static const char member[] = "\"newer\":{\"a\":[1,\"}]\"],\"b\":null}";
    bool is_quoted = false;

    for (; *body != '\0'; body++) {
        hf_text_add_bytes(newer, body, 1);
        if (*body == '"')
            is_quoted = !is_quoted;
        if (*body == '\\')
            hf_text_add_bytes(newer, ++body, 1);
        if (*body == '{' && !is_quoted) {
            hf_text_add(newer, member);
            hf_text_add(newer, body[1] == '}' ? "" : ",");
        }
    }
}

void
script_take_streams(struct script *script, enum script_stream stream)
{
    for (unsigned i = 0; i < script->nodes_count; i++) {
        script->nodes[i].stream = stream;
        hf_http_set_carrier_path(script->nodes[i].http, "/v1/stream");
    }
}

void
script_answer(struct script *script, const struct script_asked *asked,
              int status, const char *body)
{
    char bytes[4 * SCRIPT_TEXT_SIZE];
    char first[64] = "";
    char line[sizeof(bytes) + 2];
    struct hf_text newer;
    bool is_named;
    uint64_t id;
    bool is_line =
        hf_http_is_line(asked->node->http, asked->exchange, &is_named, &id);

    hf_text_init(&newer, bytes, sizeof(bytes));
    if (script->is_newer) {
        add_newer(body, &newer);
        assert_false(hf_text_cut(&newer));
        body = bytes;
    }
    if (is_line) {
        snprintf(first, sizeof(first), "{\"id\":%" PRIu64 ",\"status\":%d,", id,
                 status);
        snprintf(line, sizeof(line), "%s\n", body + 1);
        body = line;
    }
    assert_true(hf_http_reply(asked->node->http, asked->exchange,
                              &(struct hf_http_reply){
                                  .status = status,
                                  .first = {first, strlen(first)},
                                  .body = {body, strlen(body)},
                              }));
}

void
script_answer_follows(struct script *script, const struct script_asked *asked,
                      const char *leader)
{
    char body[SCRIPT_TEXT_SIZE];

    snprintf(body, sizeof(body),
             "{\"type\":\"urn:holdfast:not-leading\",\"message\":\"it "
             "follows\",\"leader\":\"%s\",\"status\":503}",
             leader);
    script_answer(script, asked, 503, body);
}

/* What stands in its body as a number. */
static int64_t
number_in(const struct script_asked *asked, const char *member)
{
    const char *at = strstr(asked->body, member);

    assert_non_null(at);
    return strtoll(at + strlen(member), NULL, 10);
}

static void
answer_open(struct script *script, const struct script_asked *asked)
{
    unsigned session = ++script->sessions_count;
    char body[SCRIPT_TEXT_SIZE];

    assert_in_range(session, 1, SCRIPT_SESSIONS_MAX);
    script->ttls_ms[session - 1] = number_in(asked, "\"ttl\":");
    snprintf(body, sizeof(body),
             "{\"opened\":true,\"session\":\"%016x\",\"term\":1,\"secret\":"
             "\"%032x\",\"ttl_ms\":%" PRId64 ",\"blocking_ms\":29000}",
             session, session, script->ttls_ms[session - 1]);
    script_answer(script, asked, 200, body);
}

/* Of all that were granted, whose ever they are and were: what is listed is
 * not missing. */
enum { HELD = 8 };

static void
answer_alive(struct script *script, const struct script_asked *asked)
{
    const char *in_line = strstr(asked->body, "\"session\":\"");
    unsigned session = (unsigned)strtoul(
        asked->what[0] == 'L' ? in_line + strlen("\"session\":\"")
                              : asked->what + strlen("POST /v1/sessions/"),
        NULL, 16);
    unsigned count = script->fence < HELD ? (unsigned)script->fence : HELD;
    char bytes[SCRIPT_TEXT_SIZE];
    struct hf_text body;

    assert_in_range(session, 1, script->sessions_count);
    hf_text_init(&body, bytes, sizeof(bytes));
    hf_text_addf(&body,
                 "{\"alive\":true,\"ttl_ms\":%" PRId64
                 ",\"session\":\"%016x\",\"term\":1,\"grants\":%u,\"fences\":[",
                 script->ttls_ms[session - 1], session, count);
    for (unsigned i = 0; i < count; i++)
        hf_text_addf(&body, "%s%" PRIu64, i == 0 ? "" : ",", script->fence - i);
    hf_text_add(&body, "],\"cleared\":[]}");
    assert_false(hf_text_cut(&body));
    script_answer(script, asked, 200, bytes);
}

void
script_answer_granted(struct script *script, const struct script_asked *asked,
                      const struct script_granted *other)
{
    const char *session = strstr(asked->body, "\"session\":\"");
    char body[SCRIPT_TEXT_SIZE];

    assert_non_null(session);
    script->fence++;
    snprintf(body, sizeof(body),
             "{\"granted\":true,\"fence\":%" PRIu64 ",\"fence_text\":\"%" PRIu64
             "\",\"session\":\"%016" PRIx64 "\",\"lane\":%" PRId64
             ",\"n\":%" PRId64 ",\"term\":%d}",
             script->fence, script->fence + (other->fence_text ? 1 : 0),
             (uint64_t)strtoull(session + strlen("\"session\":\""), NULL, 16) +
                 other->session,
             number_in(asked, "\"lane\":") + other->lane,
             number_in(asked, "\"n\":") + other->n, 1 + other->term);
    script_answer(script, asked, 200, body);
}

static void
answer_info(struct script *script, const struct script_asked *asked)
{
    char body[SCRIPT_TEXT_SIZE];

    snprintf(body, sizeof(body), "{\"service\":\"%s\",\"max_ttl_ms\":60000}",
             asked->node->service);
    script_answer(script, asked, 200, body);
}

static bool
begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

void
script_answer_well(struct script *script, const struct script_asked *asked)
{
    if (strcmp(asked->what, "POST /v1/sessions") == 0 ||
        strcmp(asked->what, "LINE open") == 0)
        answer_open(script, asked);
    else if (strstr(asked->what, "keep-alive") != NULL)
        answer_alive(script, asked);
    else if (strcmp(asked->what, "POST /v1/acquire") == 0 ||
             strcmp(asked->what, "LINE acquire") == 0)
        script_answer_granted(script, asked, &(struct script_granted){0});
    else if (strcmp(asked->what, "POST /v1/release") == 0 ||
             strcmp(asked->what, "LINE release") == 0)
        script_answer(script, asked, 200, "{\"released\":true}");
    else if (strstr(asked->what, "/page") != NULL)
        script_answer(script, asked, 200, "{\"page\":true,\"missing\":[]}");
    else if (strcmp(asked->what, "GET /v1/info") == 0 &&
             asked->node->service != NULL)
        answer_info(script, asked);
    else if (begins(asked->what, "DELETE /v1/sessions/") ||
             strcmp(asked->what, "LINE end") == 0)
        script_answer(script, asked, 200, "{\"ended\":true}");
    else
        script_answer(script, asked, 404,
                      "{\"type\":\"urn:holdfast:not-found\",\"message\":"
                      "\"there is no such thing\"}");
}

/* ---- One turn ------------------------------------------------------------ */

/* What a test waits for: a request that begins with `what`, or NULL. */
struct hunt {
    const char *what;
    struct script_asked found;
    bool is_found;
};

static void
accept_one(struct script_node *node)
{
    int fd = accept4(node->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    struct script_connection *connection;

    if (fd < 0)
        return;
    assert_in_range(node->connections_count, 0, SCRIPT_CONNECTIONS_MAX - 1);
    connection = &node->connections[node->connections_count++];
    connection->fd = fd;
    assert_int_equal(hf_http_add(node->http, &connection->peer, NULL), HF_OK);
}

static void
take_stream(struct script_node *node, const struct hf_http_request *request)
{
    const struct hf_http_reply reply = {
        .status = node->stream == SCRIPT_STREAM_REFUSED ? 404 : 200};

    node->streams++;
    if (node->stream == SCRIPT_STREAM_REFUSED)
        assert_true(hf_http_reply(node->http, request->exchange, &reply));
    else if (node->stream == SCRIPT_STREAM_TAKEN)
        assert_true(hf_http_carry(node->http, request->exchange, &reply));
}

/* "LINE acquire" */
static void
read_line(struct script_node *node, const struct hf_http_request *request,
          char *what, size_t size)
{
    char word[32];
    int64_t id;

    assert_true(hf_json_is_whole(request->body));
    assert_true(hf_json_integer(hf_json_member(request->body, "id"), &id));
    hf_json_show(hf_json_member(request->body, "do"), word, sizeof(word));
    snprintf(what, size, "LINE %s", word);
    if (strcmp(word, "cancel") == 0)
        hf_http_drop_line(node->http, request->exchange);
    else
        assert_true(
            hf_http_name_line(node->http, request->exchange, (uint64_t)id));
}

static void
take_request(struct script *script, struct script_node *node,
             unsigned connection, const struct hf_http_request *request,
             struct hunt *hunt)
{
    static const char *const methods[] = {
        [HF_HTTP_GET] = "GET",
        [HF_HTTP_POST] = "POST",
        [HF_HTTP_DELETE] = "DELETE",
    };
    struct script_asked asked = {
        .node = node,
        .connection = connection,
        .exchange = request->exchange,
    };

    if (request->is_carrier) {
        take_stream(node, request);
        return;
    }
    script->asked++;
    if (request->carrier != 0)
        read_line(node, request, asked.what, sizeof(asked.what));
    else
        snprintf(asked.what, sizeof(asked.what), "%s %.*s",
                 methods[request->method], (int)request->path.len,
                 request->path.at);
    snprintf(asked.body, sizeof(asked.body), "%.*s", (int)request->body.len,
             request->body.len == 0 ? "" : request->body.at);
    if (!hunt->is_found && hunt->what != NULL &&
        begins(asked.what, hunt->what)) {
        hunt->found = asked;
        hunt->is_found = true;
    } else if (!node->is_silent && strcmp(asked.what, "LINE cancel") != 0) {
        script_answer_well(script, &asked);
    }
}

static void
take_events(struct script *script, struct script_node *node,
            unsigned connection, struct hunt *hunt)
{
    struct hf_http_event event;

    while (hf_http_next(node->connections[connection - 1].peer, &event)) {
        if (event.kind == HF_HTTP_REQUEST)
            take_request(script, node, connection, event.request, hunt);
        else if (event.kind == HF_HTTP_LOST)
            node->lost[node->lost_count++ % SCRIPT_LOST_MAX] = event.exchange;
    }
}

static void
write_out(struct script_connection *connection)
{
    struct hf_bytes out = hf_http_out(connection->peer);

    while (out.len > 0) {
        ssize_t len = send(connection->fd, out.at, out.len, MSG_NOSIGNAL);

        if (len < 0)
            return;
        hf_http_wrote(connection->peer, (size_t)len);
        out = hf_http_out(connection->peer);
    }
}

static void
serve(struct script *script, struct script_node *node, unsigned number,
      struct hunt *hunt)
{
    struct script_connection *connection = &node->connections[number - 1];
    char bytes[4096];
    ssize_t len = recv(connection->fd, bytes, sizeof(bytes), 0);
    size_t taken = 0;
    bool is_over = len == 0 || (len < 0 && errno != EAGAIN && errno != EINTR);

    while ((len > 0 && taken < (size_t)len) ||
           hf_http_has_line(connection->peer)) {
        taken += hf_http_feed(connection->peer, bytes + taken,
                              len > 0 ? (size_t)len - taken : 0);
        take_events(script, node, number, hunt);
        write_out(connection);
    }
    if (is_over)
        hf_http_gone(connection->peer);
    take_events(script, node, number, hunt);
    write_out(connection);
    if (is_over || hf_http_is_done(connection->peer))
        end_connection(connection);
}

static void
turn(struct script *script, struct hunt *hunt)
{
    struct pollfd fds[SCRIPT_NODES_MAX * (1 + SCRIPT_CONNECTIONS_MAX)];
    nfds_t count = 0;

    for (unsigned i = 0; i < script->nodes_count; i++) {
        struct script_node *node = &script->nodes[i];

        hf_http_turn(node->http, hf_now(), hf_wall_ms());
        accept_one(node);
        fds[count++] = (struct pollfd){.fd = node->fd, .events = POLLIN};
        for (unsigned j = 1; j <= node->connections_count; j++) {
            struct script_connection *connection = &node->connections[j - 1];

            if (connection->fd >= 0)
                serve(script, node, j, hunt);
            if (connection->fd >= 0)
                fds[count++] =
                    (struct pollfd){.fd = connection->fd, .events = POLLIN};
        }
    }
    if (!hunt->is_found)
        (void)poll(fds, count, PAUSE_MS);
}

/* ---- Waiting ------------------------------------------------------------- */

static void
run(struct script *script, struct hunt *hunt, bool (*is_so)(const void *of),
    const void *of)
{
    struct hf_instant limit =
        hf_after(hf_now(), (struct hf_duration){HF_TEST_PATIENCE_MS});

    while (!hunt->is_found && (is_so == NULL || !is_so(of))) {
        if (hf_reached(hf_now(), limit))
            fail_msg("it waited in vain for %s",
                     hunt->what != NULL ? hunt->what : "what must come");
        turn(script, hunt);
    }
}

struct script_asked
script_await(struct script *script, const char *what)
{
    struct hunt hunt = {.what = what};

    run(script, &hunt, NULL, NULL);
    return hunt.found;
}

void
script_until(struct script *script, bool (*is_so)(const void *of),
             const void *of)
{
    struct hunt hunt = {.what = NULL};

    run(script, &hunt, is_so, of);
}

static bool
is_lost(const void *of)
{
    const struct script_asked *asked = of;

    for (unsigned i = 0; i < SCRIPT_LOST_MAX; i++)
        if (asked->node->lost[i] == asked->exchange)
            return true;
    return false;
}

void
script_await_lost(struct script *script, const struct script_asked *asked)
{
    script_until(script, is_lost, asked);
}

struct at_state {
    const struct hf_lock *lock;
    enum hf_state state;
};

static bool
is_at(const void *of)
{
    const struct at_state *wanted = of;

    return hf_lock_state(wanted->lock) == wanted->state;
}

void
script_until_state(struct script *script, const struct hf_lock *lock,
                   enum hf_state state)
{
    script_until(script, is_at, &(struct at_state){lock, state});
}

void
script_drain(struct script *script)
{
    for (unsigned i = 0; i < script->nodes_count; i++) {
        struct script_node *node = &script->nodes[i];

        for (unsigned j = 0; j < node->connections_count; j++)
            if (node->connections[j].fd >= 0)
                hf_http_drain(node->connections[j].peer);
    }
}

/* ---- What waits itself --------------------------------------------------- */

static void *
call_beside(void *arg)
{
    struct script_beside *beside = arg;

    beside->call(beside->arg);
    atomic_store(&beside->is_over, true);
    return NULL;
}

void
script_begin(struct script_beside *beside, void (*call)(void *arg), void *arg)
{
    beside->call = call;
    beside->arg = arg;
    atomic_init(&beside->is_over, false);
    assert_int_equal(pthread_create(&beside->thread, NULL, call_beside, beside),
                     0);
}

static bool
is_call_over(const void *of)
{
    const struct script_beside *beside = of;

    return atomic_load(&beside->is_over);
}

void
script_join(struct script *script, struct script_beside *beside)
{
    script_until(script, is_call_over, beside);
    assert_int_equal(pthread_join(beside->thread, NULL), 0);
}

static void
close_it(void *client)
{
    close_client(client);
}

void
script_close_client(struct script *script, struct hf_client *client)
{
    struct script_beside closing;

    script_begin(&closing, close_it, client);
    script_join(script, &closing);
}

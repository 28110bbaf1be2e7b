#include "server/support/fixture.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/check.h"
#include "server/support/desk.h"
#include "store/place.h"

/* ---- What is heard ------------------------------------------------------- */

static void
read_text(const char *body, const char *member, char *text, size_t size)
{
    const char *at = strstr(body, member);
    size_t len = 0;

    if (at == NULL)
        return;
    at += strlen(member);
    while (at[len] != '"' && at[len] != '\0' && len + 1 < size) {
        text[len] = at[len];
        len++;
    }
    text[len] = '\0';
}

/* The answer that begins what was heard, if it is whole. */
static void
read_answer(struct fixture_client *client)
{
    struct fixture_answer *answer = &client->answer;
    const char *length;
    const char *body;
    const char *fence;

    client->heard[client->heard_len] = '\0';
    length = strstr(client->heard, "content-length: ");
    body = strstr(client->heard, "\r\n\r\n");
    if (answer->status != 0 || body == NULL || length == NULL)
        return;
    body += 4;
    if (strlen(body) < strtoul(length + 16, NULL, 10))
        return;
    (void)snprintf(answer->body, sizeof(answer->body), "%s", body);
    fence = strstr(body, "\"fence\":");
    if (fence != NULL)
        answer->fence = strtoull(fence + 8, NULL, 10);
    read_text(body, "\"session\":\"", answer->session, sizeof(answer->session));
    read_text(body, "\"secret\":\"", answer->secret, sizeof(answer->secret));
    answer->status = (int)strtol(client->heard + strlen("HTTP/1.1 "), NULL, 10);
    HF_CHECK(client->waits == 0);
    if (client->fixture->heard != NULL)
        client->fixture->heard(client->fixture->ctx, answer);
}

static void
take_events(struct fixture_client *client)
{
    struct hf_http_event event;

    while (hf_http_next(client->peer, &event))
        hf_service_event(client->fixture->service, client, &event);
}

static void
write_to(struct fixture_client *client)
{
    struct hf_bytes out;

    while (client->takes > 0 && (out = hf_http_out(client->peer)).len > 0) {
        size_t len = out.len < client->takes ? out.len : client->takes;

        HF_CHECK(client->heard_len + len < sizeof(client->heard));
        memcpy(client->heard + client->heard_len, out.at, len);
        client->heard_len += len;
        client->takes -= len;
        hf_http_wrote(client->peer, len);
        read_answer(client);
        take_events(client);
    }
}

static void
write_to_all(struct fixture *fixture)
{
    for (size_t i = 0; i < fixture->clients_count; i++)
        if (fixture->clients[i].peer != NULL)
            write_to(&fixture->clients[i]);
}

/* ---- Client -------------------------------------------------------------- */

struct fixture_client *
fixture_connect(struct fixture *fixture)
{
    struct fixture_client *client = &fixture->clients[0];

    while (client->peer != NULL)
        HF_CHECK(++client < fixture->clients + FIXTURE_CLIENTS);
    *client = (struct fixture_client){.fixture = fixture, .takes = SIZE_MAX};
    if (client == fixture->clients + fixture->clients_count)
        fixture->clients_count++;
    HF_CHECK(hf_http_add(fixture->http, &client->peer, NULL) == HF_OK);
    return client;
}

void
fixture_ask(struct fixture_client *client, const char *secret, const char *path,
            const char *body)
{
    char text[FIXTURE_TEXT];
    size_t taken = 0;
    int len =
        snprintf(text, sizeof(text),
                 "POST %s HTTP/1.1\r\nHost: localhost\r\n%s%s%s"
                 "Content-Length: %zu\r\n\r\n%s",
                 path, secret[0] == '\0' ? "" : "Holdfast-Secret: ", secret,
                 secret[0] == '\0' ? "" : "\r\n", strlen(body), body);

    HF_CHECK(len > 0 && (size_t)len < sizeof(text));
    client->heard_len = 0;
    client->answer = (struct fixture_answer){.status = 0};
    hf_http_turn(client->fixture->http, hf_now(), hf_wall_ms());
    while (taken < (size_t)len) {
        size_t more =
            hf_http_feed(client->peer, text + taken, (size_t)len - taken);

        HF_CHECK(more > 0);
        taken += more;
        take_events(client);
    }
    write_to_all(client->fixture);
}

void
fixture_disconnect(struct fixture_client *client)
{
    hf_http_gone(client->peer);
    take_events(client);
    HF_CHECK(client->waits == 0);
    hf_http_remove(client->peer);
    client->peer = NULL;
    write_to_all(client->fixture);
}

/* ---- Time ---------------------------------------------------------------- */

void
fixture_turn(struct fixture *fixture, int64_t ms)
{
    const struct hf_seat *seat = hf_service_seat(fixture->service);
    struct pollfd fds[1 + HF_PROCESSES_MAX] = {
        {.fd = fixture->told_fd, .events = POLLIN},
    };
    nfds_t count = 1 + (nfds_t)hf_seat_poll_fds(seat, fds + 1);
    struct hf_instant end = hf_after(hf_now(), (struct hf_duration){ms});
    struct hf_instant at =
        hf_earlier(end, hf_service_deadline(fixture->service));
    int64_t left = hf_between(hf_now(), at).ms;
    eventfd_t drained;

    (void)poll(fds, count, left > 0 ? (int)left + 1 : 0);
    hf_http_turn(fixture->http, hf_now(), hf_wall_ms());
    if ((fds[0].revents & POLLIN) != 0)
        (void)eventfd_read(fixture->told_fd, &drained);
    for (nfds_t i = 1; i < count; i++)
        if (fds[i].revents != 0)
            hf_service_look(fixture->service);
    hf_service_wake(fixture->service);
    if (hf_reached(hf_now(), hf_service_deadline(fixture->service)))
        hf_service_clock(fixture->service, hf_now());
    hf_service_turn(fixture->service);
    write_to_all(fixture);
    hf_service_turn(fixture->service);
}

bool
fixture_until_answered(struct fixture_client *client, int64_t ms)
{
    struct hf_instant end = hf_after(hf_now(), (struct hf_duration){ms});

    while (client->answer.status == 0 && !hf_reached(hf_now(), end))
        fixture_turn(client->fixture, 100);
    return client->answer.status != 0;
}

static bool
is_serving(const struct fixture *fixture)
{
    const struct hf_node *node =
        hf_seat_node(hf_service_seat(fixture->service));

    return node->state == HF_NODE_SERVING;
}

bool
fixture_until_serving(struct fixture *fixture, int64_t ms)
{
    struct hf_instant end = hf_after(hf_now(), (struct hf_duration){ms});

    while (!is_serving(fixture) && !hf_reached(hf_now(), end))
        fixture_turn(fixture, 100);
    return is_serving(fixture);
}

bool
fixture_until_stopped(struct fixture *fixture, int64_t ms)
{
    struct hf_instant end = hf_after(hf_now(), (struct hf_duration){ms});

    while (!hf_service_has_stopped(fixture->service) &&
           !hf_reached(hf_now(), end))
        fixture_turn(fixture, 100);
    return hf_service_has_stopped(fixture->service);
}

/* ---- Opening ------------------------------------------------------------- */

static void
told(void *ctx)
{
    const struct fixture *fixture = ctx;

    (void)eventfd_write(fixture->told_fd, 1);
}

/* All are written to at the end of each turn. */
static void
wrote(void *peer)
{
    (void)peer;
}

static void
holds(void *peer, uint64_t session)
{
    (void)peer;
    (void)session;
}

static void
opened(void *peer, uint64_t session, uint64_t end)
{
    (void)peer;
    (void)session;
    (void)end;
}

static bool
has_stream(const void *peer)
{
    (void)peer;
    return true;
}

static bool
may_wait(const void *peer, bool comes_back)
{
    (void)peer;
    (void)comes_back;
    return true;
}

static void
waits(void *peer, bool more)
{
    struct fixture_client *client = peer;

    HF_CHECK(more ? client->waits == 0 : client->waits == 1);
    client->waits = more ? 1 : 0;
}

static uint64_t
address(const void *peer)
{
    (void)peer;
    return 0;
}

static void
name(const void *peer, struct hf_text *text)
{
    (void)peer;
    (void)text;
}

enum hf_status
fixture_open(struct fixture *fixture, const struct hf_alloc *alloc,
             hf_scribe_open_fn *open, int64_t ttl_ms, struct hf_error *error)
{
    static const char *const hosts[] = {NULL};
    static const struct hf_service_peers peers = {
        .wrote = wrote,
        .holds = holds,
        .opened = opened,
        .has_stream = has_stream,
        .may_wait = may_wait,
        .waits = waits,
        .address = address,
        .name = name,
    };
    struct hf_service_config config = {
        .alloc = alloc,
        .seat = {.scribe = {.open = open,
                            .alloc = alloc,
                            .told = told,
                            .ctx = fixture},
                 .node = desk_node(ttl_ms),
                 .self = &fixture->self,
                 .name = "n1",
                 .address = "here:7420"},
        .peers = &peers,
        .hosts = hosts,
        .log = &fixture->log,
    };

    config.seat.node.lockspace.blocking.ms = 30000;
    *fixture =
        (struct fixture){.told_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
    hf_self_learn(&fixture->self);
    HF_CHECK(hf_http_open(&hf_alloc_libc, &hf_http_limits_default,
                          &fixture->http, NULL) == HF_OK);
    HF_CHECK(hf_place_parse("sqlite:/nowhere/served.db",
                            &config.seat.scribe.place, NULL) == HF_OK);
    config.http = fixture->http;
    return hf_service_open(&config, &fixture->service, error);
}

void
fixture_close(struct fixture *fixture)
{
    for (size_t i = 0; i < fixture->clients_count; i++)
        if (fixture->clients[i].peer != NULL)
            hf_http_remove(fixture->clients[i].peer);
    hf_service_close(fixture->service);
    hf_http_close(fixture->http);
    (void)close(fixture->told_fd);
}

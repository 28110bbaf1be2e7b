#include "server/support/hall.h"

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
read_answer(struct hall_guest *guest)
{
    struct hall_answer *answer = &guest->answer;
    const char *length;
    const char *body;
    const char *fence;

    guest->heard[guest->heard_len] = '\0';
    length = strstr(guest->heard, "content-length: ");
    body = strstr(guest->heard, "\r\n\r\n");
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
    answer->status = (int)strtol(guest->heard + strlen("HTTP/1.1 "), NULL, 10);
    HF_CHECK(guest->waits == 0);
    if (guest->hall->heard != NULL)
        guest->hall->heard(guest->hall->ctx, answer);
}

static void
take_events(struct hall_guest *guest)
{
    struct hf_http_event event;

    while (hf_http_next(guest->peer, &event))
        hf_service_event(guest->hall->service, guest, &event);
}

static void
write_to(struct hall_guest *guest)
{
    struct hf_bytes out;

    while (guest->takes > 0 && (out = hf_http_out(guest->peer)).len > 0) {
        size_t len = out.len < guest->takes ? out.len : guest->takes;

        HF_CHECK(guest->heard_len + len < sizeof(guest->heard));
        memcpy(guest->heard + guest->heard_len, out.at, len);
        guest->heard_len += len;
        guest->takes -= len;
        hf_http_wrote(guest->peer, len);
        read_answer(guest);
        take_events(guest);
    }
}

static void
write_to_all(struct hall *hall)
{
    for (size_t i = 0; i < hall->guests_count; i++)
        if (hall->guests[i].peer != NULL)
            write_to(&hall->guests[i]);
}

/* ---- Guests -------------------------------------------------------------- */

struct hall_guest *
hall_enter(struct hall *hall)
{
    struct hall_guest *guest = &hall->guests[0];

    while (guest->peer != NULL)
        HF_CHECK(++guest < hall->guests + HALL_GUESTS);
    *guest = (struct hall_guest){.hall = hall, .takes = SIZE_MAX};
    if (guest == hall->guests + hall->guests_count)
        hall->guests_count++;
    HF_CHECK(hf_http_add(hall->http, &guest->peer, NULL) == HF_OK);
    return guest;
}

void
hall_ask(struct hall_guest *guest, const char *secret, const char *path,
         const char *body)
{
    char text[HALL_TEXT];
    size_t taken = 0;
    int len =
        snprintf(text, sizeof(text),
                 "POST %s HTTP/1.1\r\nHost: localhost\r\n%s%s%s"
                 "Content-Length: %zu\r\n\r\n%s",
                 path, secret[0] == '\0' ? "" : "Holdfast-Secret: ", secret,
                 secret[0] == '\0' ? "" : "\r\n", strlen(body), body);

    HF_CHECK(len > 0 && (size_t)len < sizeof(text));
    guest->heard_len = 0;
    guest->answer = (struct hall_answer){.status = 0};
    hf_http_turn(guest->hall->http, hf_now(), hf_wall_ms());
    while (taken < (size_t)len) {
        size_t more =
            hf_http_feed(guest->peer, text + taken, (size_t)len - taken);

        HF_CHECK(more > 0);
        taken += more;
        take_events(guest);
    }
    write_to_all(guest->hall);
}

void
hall_leave(struct hall_guest *guest)
{
    hf_http_gone(guest->peer);
    take_events(guest);
    HF_CHECK(guest->waits == 0);
    hf_http_remove(guest->peer);
    guest->peer = NULL;
    write_to_all(guest->hall);
}

/* ---- Time ---------------------------------------------------------------- */

void
hall_turn(struct hall *hall, int64_t ms)
{
    const struct hf_seat *seat = hf_service_seat(hall->service);
    struct pollfd fds[1 + HF_PROCESSES_MAX] = {
        {.fd = hall->told_fd, .events = POLLIN},
    };
    nfds_t count = 1 + (nfds_t)hf_seat_poll_fds(seat, fds + 1);
    struct hf_instant end = hf_after(hf_now(), (struct hf_duration){ms});
    struct hf_instant at = hf_earlier(end, hf_service_deadline(hall->service));
    int64_t left = hf_between(hf_now(), at).ms;
    eventfd_t drained;

    (void)poll(fds, count, left > 0 ? (int)left + 1 : 0);
    hf_http_turn(hall->http, hf_now(), hf_wall_ms());
    if ((fds[0].revents & POLLIN) != 0)
        (void)eventfd_read(hall->told_fd, &drained);
    for (nfds_t i = 1; i < count; i++)
        if (fds[i].revents != 0)
            hf_service_look(hall->service);
    hf_service_wake(hall->service);
    if (hf_reached(hf_now(), hf_service_deadline(hall->service)))
        hf_service_clock(hall->service, hf_now());
    hf_service_turn(hall->service);
    write_to_all(hall);
    hf_service_turn(hall->service);
}

bool
hall_until_told(struct hall_guest *guest, int64_t ms)
{
    struct hf_instant end = hf_after(hf_now(), (struct hf_duration){ms});

    while (guest->answer.status == 0 && !hf_reached(hf_now(), end))
        hall_turn(guest->hall, 100);
    return guest->answer.status != 0;
}

static bool
is_serving(const struct hall *hall)
{
    const struct hf_node *node = hf_seat_node(hf_service_seat(hall->service));

    return node->state == HF_NODE_SERVING;
}

bool
hall_until_serving(struct hall *hall, int64_t ms)
{
    struct hf_instant end = hf_after(hf_now(), (struct hf_duration){ms});

    while (!is_serving(hall) && !hf_reached(hf_now(), end))
        hall_turn(hall, 100);
    return is_serving(hall);
}

bool
hall_until_stopped(struct hall *hall, int64_t ms)
{
    struct hf_instant end = hf_after(hf_now(), (struct hf_duration){ms});

    while (!hf_service_has_stopped(hall->service) && !hf_reached(hf_now(), end))
        hall_turn(hall, 100);
    return hf_service_has_stopped(hall->service);
}

/* ---- Opening ------------------------------------------------------------- */

static void
told(void *ctx)
{
    const struct hall *hall = ctx;

    (void)eventfd_write(hall->told_fd, 1);
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
may_wait(const void *peer, bool comes_back)
{
    (void)peer;
    (void)comes_back;
    return true;
}

static void
waits(void *peer, bool more)
{
    struct hall_guest *guest = peer;

    HF_CHECK(more ? guest->waits == 0 : guest->waits == 1);
    guest->waits = more ? 1 : 0;
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
hall_open(struct hall *hall, const struct hf_alloc *alloc,
          hf_scribe_open_fn *open, int64_t ttl_ms, struct hf_error *error)
{
    static const char *const hosts[] = {NULL};
    static const struct hf_service_peers peers = {
        .wrote = wrote,
        .holds = holds,
        .opened = opened,
        .may_wait = may_wait,
        .waits = waits,
        .address = address,
        .name = name,
    };
    struct hf_service_config config = {
        .alloc = alloc,
        .seat = {.scribe = {.open = open,
                            .alloc = alloc,
                            .self = &hall->self,
                            .node = "n1",
                            .address = "here:7420",
                            .told = told,
                            .ctx = hall},
                 .node = desk_node(ttl_ms)},
        .peers = &peers,
        .hosts = hosts,
        .log = &hall->log,
    };

    config.seat.node.lockspace.blocking.ms = 30000;
    *hall = (struct hall){.told_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
    hf_self_learn(&hall->self);
    HF_CHECK(hf_http_open(&hf_alloc_libc, &hf_http_limits_default, &hall->http,
                          NULL) == HF_OK);
    HF_CHECK(hf_place_parse("sqlite:/nowhere/served.db",
                            &config.seat.scribe.place, NULL) == HF_OK);
    config.http = hall->http;
    return hf_service_open(&config, &hall->service, error);
}

void
hall_close(struct hall *hall)
{
    for (size_t i = 0; i < hall->guests_count; i++)
        if (hall->guests[i].peer != NULL)
            hf_http_remove(hall->guests[i].peer);
    hf_service_close(hall->service);
    hf_http_close(hall->http);
    (void)close(hall->told_fd);
}

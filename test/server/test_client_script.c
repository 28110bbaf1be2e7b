#include "unit/support/clients.h"

#include <dlfcn.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "server/support/script.h"

/*
 * libholdfast on a lock server that does what no good one does, or does it
 * when nobody expects it: test/server/support/script.h.
 */

#define ALIVE "POST /v1/sessions/"

static struct script script;

static int
open_script(void **state)
{
    (void)state;
    script_open(&script, 1);
    return 0;
}

static int
open_two(void **state)
{
    (void)state;
    script_open(&script, 2);
    return 0;
}

static int
close_script(void **state)
{
    (void)state;
    script_close(&script);
    return 0;
}

static struct hf_lock *
hold_scripted(struct hf_lock *lock)
{
    script_until_state(&script, lock, HF_STATE_HELD);
    return lock;
}

static enum hf_status
end(struct hf_lock *lock)
{
    enum hf_status status;

    script_until_state(&script, lock, HF_STATE_ENDED);
    status = hf_lock_error(lock, NULL);
    hf_lock_free(lock);
    return status;
}

static enum hf_status
give_back_scripted(struct hf_lock *lock)
{
    hf_lock_release(lock);
    return end(lock);
}

/* ---- Streams ------------------------------------------------------------- */

static bool
has_streams(const void *of)
{
    return script.nodes[0].streams == *(const unsigned *)of;
}

/* Locks are held and given back, also over another connection. */
static void
expect_single_requests(struct hf_client *client)
{
    struct hf_lock *lock;
    const unsigned one = 1;

    script_until(&script, has_streams, &one);
    script_cut(&script.nodes[0]);
    lock = ask_for(client, "b", HF_TTL, "4s", HF_BEAT, "200ms", NULL);
    {
        struct script_asked asked = script_await(&script, "POST /v1/acquire");

        script_answer_well(&script, &asked);
    }
    (void)hold_scripted(lock);
    {
        struct script_asked asked = script_await(&script, ALIVE);

        script_answer_well(&script, &asked);
    }
    assert_int_equal(give_back_scripted(lock), HF_OK);
    assert_int_equal(script.nodes[0].streams, 1);
}

static void
a_server_without_streams_is_asked_for_one_once(void **state)
{
    struct hf_client *client = open_client(script.place);
    struct hf_lock *lock;

    (void)state;
    script_take_streams(&script, SCRIPT_STREAM_REFUSED);
    lock = hold_scripted(
        ask_for(client, "a", HF_TTL, "4s", HF_BEAT, "200ms", NULL));
    expect_single_requests(client);
    assert_int_equal(give_back_scripted(lock), HF_OK);
    script_close_client(&script, client);
}

static bool
has_lost(const void *of)
{
    const unsigned *before = of;

    return script.nodes[0].lost_count > *before;
}

/* It resets the stream, and does not try again. */
static void
what_keeps_answers_back_is_heard_of_no_more(void **state)
{
    struct hf_client *client = open_client(script.place);
    struct hf_instant begun = hf_now();
    struct hf_lock *lock;
    unsigned lost;

    (void)state;
    script_take_streams(&script, SCRIPT_STREAM_KEPT);
    lost = script.nodes[0].lost_count;
    lock = hold_scripted(
        ask_for(client, "a", HF_TTL, "4s", HF_BEAT, "200ms", NULL));
    script_until(&script, has_lost, &lost);
    assert_in_range(hf_between(begun, hf_now()).ms, 1900, 10000);
    expect_single_requests(client);
    assert_int_equal(give_back_scripted(lock), HF_OK);
    script_close_client(&script, client);
}

static void
where_there_are_streams_requests_go_as_lines(void **state)
{
    struct hf_client *client = open_client(script.place);
    struct script_asked asked;
    struct hf_lock *lock;

    (void)state;
    script_take_streams(&script, SCRIPT_STREAM_TAKEN);
    lock = hold_scripted(
        ask_for(client, "a", HF_TTL, "4s", HF_BEAT, "200ms", NULL));
    asked = script_await(&script, "LINE keep-alive");
    script_answer_well(&script, &asked);
    hf_lock_release(lock);
    asked = script_await(&script, "LINE release");
    script_answer_well(&script, &asked);
    assert_int_equal(end(lock), HF_OK);
    lock = ask_for(client, "b", NULL);
    asked = script_await(&script, "LINE acquire");
    script_answer_well(&script, &asked);
    assert_int_equal(give_back_scripted(hold_scripted(lock)), HF_OK);
    script_close_client(&script, client);
}

/* What was asked on it is asked again, with a higher attempt; what comes on it
 * then is believed by nobody. */
static void
a_stream_that_falls_silent_is_left_for_single_requests(void **state)
{
    struct hf_client *client = open_client(script.place);
    struct script_asked waits;
    struct script_asked asked;
    struct hf_lock *held;
    struct hf_lock *lock;

    (void)state;
    script_take_streams(&script, SCRIPT_STREAM_TAKEN);
    held = hold_scripted(
        ask_for(client, "a", HF_TTL, "6s", HF_BEAT, "200ms", NULL));
    asked = script_await(&script, "LINE keep-alive");
    script_answer_well(&script, &asked);
    lock = ask_for(client, "b", HF_TTL, "6s", HF_BEAT, "200ms", NULL);
    waits = script_await(&script, "LINE acquire");
    assert_non_null(strstr(waits.body, "\"a\":1,"));
    (void)script_await(&script, "LINE keep-alive");
    asked = script_await(&script, "POST /v1/acquire");
    assert_null(strstr(asked.body, "\"a\":1,"));
    assert_false(hf_http_reply(waits.node->http, waits.exchange,
                               &(struct hf_http_reply){.status = 200}));
    script_answer_well(&script, &asked);
    assert_int_equal(give_back_scripted(hold_scripted(lock)), HF_OK);
    assert_int_equal(give_back_scripted(held), HF_OK);
    assert_int_equal(script.nodes[0].streams, 1);
    script_close_client(&script, client);
}

/* ---- Sessions ------------------------------------------------------------ */

/* Three times it is answered so: is what is held held for longer by it? */
static void
expect_right(const char *answer, bool grows)
{
    struct hf_client *client = open_client(script.place);
    struct hf_lock *lock = hold_scripted(
        ask_for(client, "a", HF_TTL, "4s", HF_BEAT, "200ms", NULL));
    int64_t right_ms = 0;

    for (int i = 0; i < 3; i++) {
        struct script_asked asked = script_await(&script, ALIVE);

        if (i == 0) /* nothing of an earlier one is under way */
            right_ms = hf_lock_right_ms(lock);
        else
            assert_int_equal(hf_lock_right_ms(lock) > right_ms, grows);
        script_answer(&script, &asked, 200, answer);
    }
    assert_int_equal(give_back_scripted(lock), HF_OK);
    script_close_client(&script, client);
}

/* What it believes in: nothing else is wrong with the answer. */
#define ONE_HELD "\"grants\":1,\"fences\":[1],"

static void
a_keep_alive_for_less_than_was_asked_is_not_believed(void **state)
{
    (void)state;
    expect_right("{\"alive\":true,\"ttl_ms\":3999," ONE_HELD
                 "\"session\":\"0000000000000001\",\"term\":1,"
                 "\"cleared\":[]}",
                 false);
}

static void
a_keep_alive_of_another_session_is_not_believed(void **state)
{
    (void)state;
    expect_right("{\"alive\":true,\"ttl_ms\":4000," ONE_HELD
                 "\"session\":\"0000000000000002\",\"term\":1,"
                 "\"cleared\":[]}",
                 false);
}

static void
a_keep_alive_that_is_cut_is_not_believed(void **state)
{
    (void)state;
    expect_right("{\"alive\":true,\"ttl_ms\":4000," ONE_HELD
                 "\"session\":\"0000000000000001\",\"term\":1,"
                 "\"cleared\":[]",
                 false);
}

/* The others are not believed for what is wrong with them. */
static void
a_keep_alive_that_is_right_is_believed(void **state)
{
    (void)state;
    expect_right("{\"alive\":true,\"ttl_ms\":4000," ONE_HELD
                 "\"session\":\"0000000000000001\",\"term\":1,"
                 "\"cleared\":[]}",
                 true);
}

static void
a_session_for_less_than_was_asked_is_none(void **state)
{
    struct hf_client *client = open_client(script.place);
    struct hf_lock *lock = ask_for(client, "a", HF_TTL, "4s", NULL);
    struct script_asked asked = script_await(&script, "POST /v1/sessions");
    struct hf_error error;

    (void)state;
    script_answer(&script, &asked, 200,
                  "{\"opened\":true,\"session\":\"0000000000000001\","
                  "\"term\":1,\"secret\":\"00000000000000000000000000000001\","
                  "\"ttl_ms\":3999,\"blocking_ms\":29000}");
    asked = script_await(&script, "POST /v1/sessions");
    assert_int_equal(hf_client_trouble(client, &error), HF_E_UNAVAILABLE);
    assert_non_null(strstr(error.text, "for as long as was asked"));
    script_answer_well(&script, &asked);
    (void)hold_scripted(lock);
    assert_int_equal(give_back_scripted(lock), HF_OK);
    script_close_client(&script, client);
}

/* As a proxy does that mixes up its streams. */
static void
a_grant_of_another_request_is_not_believed(void **state)
{
    static const struct script_granted others[] = {
        {.session = 1}, {.lane = 1}, {.n = 1}, {.term = 1}, {.fence_text = 1},
    };
    struct hf_client *client = open_client(script.place);
    struct hf_lock *lock = ask_for(client, "a", NULL);
    struct hf_error error;

    (void)state;
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        struct script_asked asked = script_await(&script, "POST /v1/acquire");

        script_answer_granted(&script, &asked, &others[i]);
    }
    (void)hold_scripted(lock);
    assert_int_equal(hf_lock_fence(lock), 6);
    assert_int_equal(hf_client_trouble(client, &error), HF_OK);
    assert_int_equal(give_back_scripted(lock), HF_OK);
    script_close_client(&script, client);
}

static void
a_keep_alive_of_another_term_is_not_believed(void **state)
{
    (void)state;
    expect_right("{\"alive\":true,\"ttl_ms\":4000," ONE_HELD
                 "\"session\":\"0000000000000001\",\"term\":2,"
                 "\"cleared\":[]}",
                 false);
}

static void
each_grace_has_a_session_of_its_own(void **state)
{
    struct hf_client *client = open_client(script.place);
    struct hf_lock *one =
        hold_scripted(ask_for(client, "a", HF_GRACE, "1s", NULL));
    struct hf_lock *other =
        hold_scripted(ask_for(client, "b", HF_GRACE, "5s", NULL));
    struct hf_lock *same =
        hold_scripted(ask_for(client, "c", HF_GRACE, "1s", NULL));

    (void)state;
    assert_int_equal(script.sessions_count, 2);
    assert_int_equal(give_back_scripted(one), HF_OK);
    assert_int_equal(give_back_scripted(other), HF_OK);
    assert_int_equal(give_back_scripted(same), HF_OK);
    script_close_client(&script, client);
}

/* It comes when nothing changes any more in what they say. */
static void
a_later_session_hears_of_two_services_too(void **state)
{
    struct hf_client *client = open_client(script.place);
    struct hf_lock *one = ask_for(client, "a", NULL);
    struct hf_lock *other;

    (void)state;
    script.nodes[0].service = "0000000000000001";
    script.nodes[1].service = "0000000000000002";
    while (hf_client_trouble(client, NULL) == HF_OK) {
        struct script_asked asked = script_await(&script, "GET /v1/info");

        script_answer_well(&script, &asked);
    }
    other = ask_for(client, "b", HF_GRACE, "5s", NULL);
    assert_int_equal(end(other), HF_E_UNAVAILABLE);
    assert_int_equal(end(one), HF_E_UNAVAILABLE);
    assert_int_equal(script.sessions_count, 0);
    script_close_client(&script, client);
}

static void
a_farewell_names_the_session_that_was_opened_last(void **state)
{
    struct hf_client *client = open_client(script.place);
    struct hf_lock *lock = ask_for(client, "a", NULL);
    struct script_asked asked = script_await(&script, "POST /v1/acquire");
    char farewell[HF_FAREWELL_SIZE];
    char expected[HF_FAREWELL_SIZE];

    (void)state;
    script_answer(&script, &asked, 410,
                  "{\"type\":\"urn:holdfast:no-such-session\"}");
    (void)hold_scripted(lock);
    assert_int_equal(script.sessions_count, 2);
    (void)hf_lock_farewell(lock, farewell, sizeof(farewell));
    snprintf(expected, sizeof(expected), "%s %016x %032x", script.place, 2, 2);
    assert_string_equal(farewell, expected);
    assert_int_equal(give_back_scripted(lock), HF_OK);
    script_close_client(&script, client);
}

/* Another lock of the same terms is kept alive by another session: as often as
 * the first would be. */
static void
what_is_left_for_a_person_is_not_kept_alive(void **state)
{
    struct hf_client *client = open_client(script.place);
    struct hf_lock *left = hold_scripted(
        ask_for(client, "a", HF_IF_DEAD, "refuse", HF_BEAT, "100ms", NULL));
    struct hf_lock *other;

    (void)state;
    hf_lock_abandon(left);
    assert_int_equal(end(left), HF_E_UNKNOWN);
    other = hold_scripted(
        ask_for(client, "b", HF_IF_DEAD, "refuse", HF_BEAT, "100ms", NULL));
    for (int i = 0; i < 4; i++) {
        struct script_asked asked = script_await(&script, ALIVE);

        assert_string_equal(asked.what, ALIVE "0000000000000002/keep-alive");
        script_answer_well(&script, &asked);
    }
    assert_int_equal(give_back_scripted(other), HF_OK);
    script_close_client(&script, client);
}

/* ---- Connections --------------------------------------------------------- */

static void
what_is_late_is_said_again_on_another_connection(void **state)
{
    struct hf_client *client = open_client(script.place);
    struct hf_lock *lock =
        hold_scripted(ask_for(client, "a", HF_BEAT, "500ms", NULL));
    struct script_asked late = script_await(&script, ALIVE);
    struct script_asked again = script_await(&script, ALIVE);
    struct script_asked next;

    (void)state;
    assert_int_equal(late.connection, 1);
    assert_int_equal(again.connection, 2);
    /* The first is heard of after all; now the second is late. */
    script_answer_well(&script, &late);
    next = script_await(&script, ALIVE);
    assert_int_equal(next.connection, 1);
    script_answer_well(&script, &next);
    assert_int_equal(give_back_scripted(lock), HF_OK);
    script_close_client(&script, client);
}

/* Its last answer is still to come on the first. */
static void
who_said_goodbye_is_asked_on_another_connection(void **state)
{
    struct hf_client *client = open_client(script.place);
    struct hf_lock *lock = ask_for(client, "a", HF_BEAT, "100ms", NULL);
    struct script_asked asked = script_await(&script, "POST /v1/acquire");
    struct script_asked alive;

    (void)state;
    script_drain(&script);
    do {
        alive = script_await(&script, ALIVE);
        script_answer_well(&script, &alive);
    } while (alive.connection == 1); /* it had not heard the goodbye */
    assert_int_equal(alive.connection, 2);
    script_answer_well(&script, &asked);
    (void)hold_scripted(lock);
    assert_int_equal(give_back_scripted(lock), HF_OK);
    script_close_client(&script, client);
}

/* One that is no lock server: it says the same to everybody. */
struct other_peer {
    const char *says;
    int fd;
    char place[64];
};

static void
open_other_peer(struct other_peer *peer, const char *says)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t len = sizeof(address);

    *peer = (struct other_peer){.says = says};
    peer->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert_int_equal(bind(peer->fd, (struct sockaddr *)&address, len), 0);
    assert_int_equal(listen(peer->fd, 8), 0);
    assert_int_equal(getsockname(peer->fd, (struct sockaddr *)&address, &len),
                     0);
    snprintf(peer->place, sizeof(peer->place), "http://127.0.0.1:%u",
             ntohs(address.sin_port));
}

static void
serve_other_peer(struct other_peer *peer)
{
    struct pollfd wanted = {.fd = peer->fd, .events = POLLIN};
    char bytes[4096];
    int fd;

    if (poll(&wanted, 1, 5) <= 0)
        return;
    fd = accept4(peer->fd, NULL, NULL, SOCK_CLOEXEC);
    assert_true(fd >= 0);
    assert_true(recv(fd, bytes, sizeof(bytes), 0) > 0);
    (void)sendto(fd, peer->says, strlen(peer->says), MSG_NOSIGNAL, NULL, 0);
    close(fd);
}

static void
ask_other_peer(struct hf_query *query, struct other_peer *peer)
{
    assert_int_equal(hf_query_start(query, NULL), HF_OK);
    while (hf_query_state(query) != HF_STATE_ENDED)
        serve_other_peer(peer);
}

static void
expect_row(struct hf_query *query, const char *found, const char *remedy)
{
    struct hf_view *row = hf_query_next(query);

    assert_non_null(row);
    assert_non_null(strstr(hf_view_text(row, HF_FIELD_FOUND), found));
    assert_non_null(strstr(hf_view_text(row, HF_FIELD_REMEDY), remedy));
    hf_view_free(row);
}

static void
expect_other_peer(const char *says, const char *why)
{
    struct hf_client *client;
    struct hf_query *list;
    struct hf_query *doctor;
    struct other_peer peer;
    struct hf_error error;

    open_other_peer(&peer, says);
    client = open_client(peer.place);
    list = new_query(client, HF_LIST, NULL);
    ask_other_peer(list, &peer);
    assert_int_equal(hf_query_error(list, &error), HF_E_UNAVAILABLE);
    assert_non_null(strstr(error.text, why));
    doctor = new_query(client, HF_DOCTOR, NULL);
    ask_other_peer(doctor, &peer);
    expect_row(doctor, why, "HTTP/2 without TLS (h2c)");
    hf_query_free(list);
    hf_query_free(doctor);
    close_client(client);
    close(peer.fd);
}

static void
a_peer_that_speaks_something_else_is_named_as_that(void **state)
{
    (void)state;
    expect_other_peer("HTTP/1.1 400 Bad Request\r\n\r\n", "HTTP/1.1 alone");
    expect_other_peer("SSH-2.0-OpenSSH_9.2\r\n", "speaks no HTTP/2");
}

/* ---- Sockets and names, as a test wants them ----------------------------- */

/* A host of two addresses: nobody listens at the first. */
#define TWOFOLD "twofold.test"

/* One whose address changes, and which may take its time. */
#define MOVING "moving.test"

static char closed_port[8];
static atomic_uint moving_port;
static atomic_bool is_slow; /* until it is false */
static atomic_uint looked_up;

typedef int find_fn(const char *host, const char *port,
                    const struct addrinfo *hints, struct addrinfo **found);

static int
find_moving(find_fn *find, const struct addrinfo *hints,
            struct addrinfo **found)
{
    char port[8];

    if ((hints->ai_flags & AI_NUMERICHOST) != 0)
        return EAI_NONAME;
    atomic_fetch_add(&looked_up, 1);
    while (atomic_load(&is_slow))
        (void)poll(NULL, 0, 5);
    snprintf(port, sizeof(port), "%u", atomic_load(&moving_port));
    return find("127.0.0.1", port, hints, found);
}

int
getaddrinfo(const char *host, const char *port, const struct addrinfo *hints,
            struct addrinfo **found)
{
    find_fn *find = NULL;
    int wrong;

    *(void **)&find = dlsym(RTLD_NEXT, "getaddrinfo");
    if (strcmp(host, MOVING) == 0)
        return find_moving(find, hints, found);
    if (strcmp(host, TWOFOLD) != 0)
        return find(host, port, hints, found);
    if ((hints->ai_flags & AI_NUMERICHOST) != 0)
        return EAI_NONAME;
    wrong = find("127.0.0.1", closed_port, hints, found);
    return wrong != 0 ? wrong
                      : find("127.0.0.1", port, hints, &(*found)->ai_next);
}

/* Of what the client writes the kernel takes so many bytes, and then no more
 * for once; 0: as many as it likes. */
static atomic_uint taken_at_once;

ssize_t
send(int fd, const void *bytes, size_t len, int flags)
{
    static atomic_bool is_full;
    size_t most = atomic_load(&taken_at_once);

    if ((flags & MSG_DONTWAIT) == 0 || most == 0)
        return sendto(fd, bytes, len, flags, NULL, 0);
    atomic_store(&is_full, !atomic_load(&is_full));
    if (atomic_load(&is_full))
        return sendto(fd, bytes, len < most ? len : most, flags, NULL, 0);
    errno = EAGAIN;
    return -1;
}

/* A port that nobody listens at, as long as the descriptor is open. */
static int
close_port(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t len = sizeof(address);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, len), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &len), 0);
    snprintf(closed_port, sizeof(closed_port), "%u", ntohs(address.sin_port));
    return fd;
}

static void
of_a_host_with_two_addresses_the_second_is_asked(void **state)
{
    int fd = close_port();
    char place[64];
    struct hf_client *client;
    struct hf_lock *lock;

    (void)state;
    snprintf(place, sizeof(place), "http://" TWOFOLD ":%u",
             script.nodes[0].port);
    client = open_client(place);
    lock = hold_scripted(ask_for(client, "a", NULL));
    assert_int_equal(give_back_scripted(lock), HF_OK);
    script_close_client(&script, client);
    close(fd);
}

/* One that takes connections until its queue is full, and then says nothing to
 * whoever wants one. */
static void
of_a_host_with_two_addresses_a_mute_one_is_left(void **state)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t len = sizeof(address);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int filling[4];
    char place[64];
    struct hf_client *client;
    struct hf_lock *lock;

    (void)state;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, len), 0);
    assert_int_equal(listen(fd, 0), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &len), 0);
    for (size_t i = 0; i < sizeof(filling) / sizeof(filling[0]); i++) {
        filling[i] =
            socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        (void)connect(filling[i], (struct sockaddr *)&address, len);
    }
    snprintf(closed_port, sizeof(closed_port), "%u", ntohs(address.sin_port));
    snprintf(place, sizeof(place), "http://" TWOFOLD ":%u",
             script.nodes[0].port);
    client = open_client(place);
    /* A try has 2 s. */
    lock = hold_scripted(ask_for(client, "a", HF_WAIT, "try", NULL));
    assert_int_equal(give_back_scripted(lock), HF_OK);
    script_close_client(&script, client);
    for (size_t i = 0; i < sizeof(filling) / sizeof(filling[0]); i++)
        close(filling[i]);
    close(fd);
}

static struct hf_client *
open_moving(void)
{
    char place[64];

    atomic_store(&moving_port, script.nodes[0].port);
    snprintf(place, sizeof(place), "http://" MOVING ":%u",
             script.nodes[0].port);
    return open_client(place);
}

/* Nobody is there any more. */
static void
stop_node(struct script_node *node)
{
    script_cut(node);
    assert_int_equal(shutdown(node->fd, SHUT_RDWR), 0);
}

static void
a_host_that_moved_is_found_where_it_is(void **state)
{
    struct hf_client *client = open_moving();
    struct hf_lock *lock =
        hold_scripted(ask_for(client, "a", HF_BEAT, "100ms", NULL));
    struct script_asked asked;

    (void)state;
    atomic_store(&moving_port, script.nodes[1].port);
    stop_node(&script.nodes[0]);
    asked = script_await(&script, ALIVE);
    assert_ptr_equal(asked.node, &script.nodes[1]);
    script_answer_well(&script, &asked);
    assert_int_equal(give_back_scripted(lock), HF_OK);
    script_close_client(&script, client);
}

static bool
is_looked_up(const void *times)
{
    return atomic_load(&looked_up) >= *(const unsigned *)times;
}

/* The resolver is asked beside it, and answers later, or never. */
static void
a_host_that_is_looked_up_holds_up_nobody(void **state)
{
    struct hf_client *client = open_moving();
    struct hf_lock *lock =
        hold_scripted(ask_for(client, "a", HF_BEAT, "100ms", NULL));
    unsigned times = atomic_load(&looked_up) + 1;
    struct hf_instant begun;

    (void)state;
    atomic_store(&is_slow, true);
    stop_node(&script.nodes[0]);
    script_until(&script, is_looked_up, &times);
    begun = hf_now();
    hf_lock_free(ask_for(client, "b", NULL));
    assert_int_equal(hf_lock_state(lock), HF_STATE_HELD);
    hf_lock_abandon(lock);
    hf_lock_free(lock);
    script_close_client(&script, client);
    assert_in_range(hf_between(begun, hf_now()).ms, 0, 10 * 1000);
    atomic_store(&is_slow, false);
}

static void
what_the_kernel_does_not_take_at_once_is_sent_later(void **state)
{
    struct hf_client *client = open_client(script.place);
    struct hf_lock *lock;

    (void)state;
    atomic_store(&taken_at_once, 7);
    lock = hold_scripted(ask_for(client, "a", NULL));
    assert_int_equal(give_back_scripted(lock), HF_OK);
    atomic_store(&taken_at_once, 0);
    script_close_client(&script, client);
}

/* ---- Looks --------------------------------------------------------------- */

static bool
has_ended(const void *query)
{
    return hf_query_state(query) == HF_STATE_ENDED;
}

/* A holder that gives no sign of life since its ttl. */
#define HOLDERS(if_dead)                                                       \
    "\"holders\":[{\"session\":\"00000000000000aa\",\"fence\":7,"              \
    "\"mode\":\"exclusive\",\"if_dead\":\"" if_dead "\",\"ttl_ms\":1000,"      \
    "\"silent_ms\":1000,\"heard\":true,\"suspected\":true,"                    \
    "\"who\":\"ann@db1\",\"note\":\"\"}]"

#define SEEN_OF(name, if_dead)                                                 \
    "{\"space\":\"default\",\"name\":\"" name                                  \
    "\"," HOLDERS(if_dead) ","                                                 \
                           "\"queue\":[],\"waiters\":0,\"position\":0}"
#define SEEN(if_dead) SEEN_OF("a", if_dead)

#define SEEN_ALIVE                                                             \
    "{\"space\":\"default\",\"name\":\"a\",\"holders\":[{\"session\":"         \
    "\"00000000000000aa\",\"fence\":7,\"mode\":\"exclusive\",\"if_dead\":"     \
    "\"takeover\",\"ttl_ms\":30000,\"silent_ms\":0,\"held_ms\":60000,"         \
    "\"heard\":true,"                                                          \
    "\"suspected\":false,\"who\":\"ann@db1\",\"note\":\"\"}],\"queue\":[],"    \
    "\"waiters\":0,\"position\":0}"

static void
a_lock_that_is_granted_takes_its_look_back(void **state)
{
    struct hf_client *client = open_client(script.place);
    struct hf_lock *lock = ask_for(client, "a", NULL);
    struct script_asked asked = script_await(&script, "POST /v1/acquire");
    struct script_asked look = script_await(&script, "GET /v1/locks/a");

    (void)state;
    script_answer_well(&script, &asked);
    (void)hold_scripted(lock);
    script_await_lost(&script, &look);
    assert_int_equal(give_back_scripted(lock), HF_OK);
    script_close_client(&script, client);
}

/* While it is given up for what was seen, its user gives it up, too. */
static void
what_its_user_gave_up_is_not_timed_out(void **state)
{
    struct hf_client *client = open_client(script.place);
    struct hf_lock *lock = ask_for(client, "a", HF_IF_SUSPECTED, "fail", NULL);
    struct script_asked look;
    struct script_asked release;

    (void)state;
    (void)script_await(&script, "POST /v1/acquire");
    look = script_await(&script, "GET /v1/locks/a");
    script_answer(&script, &look, 200, SEEN("refuse"));
    release = script_await(&script, "POST /v1/release");
    hf_lock_release(lock);
    script_answer_well(&script, &release);
    assert_int_equal(end(lock), HF_E_CANCELLED);
    script_close_client(&script, client);
}

static void
what_is_seen_of_another_lock_ends_no_wait(void **state)
{
    struct hf_client *client = open_client(script.place);
    struct hf_lock *lock = ask_for(client, "a", HF_IF_SUSPECTED, "fail", NULL);
    struct script_asked asked = script_await(&script, "POST /v1/acquire");
    struct script_asked look = script_await(&script, "GET /v1/locks/a");

    (void)state;
    script_answer(&script, &look, 200, SEEN_OF("b", "refuse"));
    (void)script_await(&script, "GET /v1/locks/a"); /* it waits on */
    assert_int_equal(hf_lock_state(lock), HF_STATE_WAITING);
    script_answer_well(&script, &asked);
    (void)hold_scripted(lock);
    assert_int_equal(give_back_scripted(lock), HF_OK);
    script_close_client(&script, client);
}

static void
what_is_seen_of_another_lock_is_not_shown(void **state)
{
    struct hf_client *client = open_client(script.place);
    struct hf_query *query = new_query(client, HF_EXAMINE, HF_NAME, "a", NULL);
    struct script_asked look;

    (void)state;
    assert_int_equal(hf_query_start(query, NULL), HF_OK);
    look = script_await(&script, "GET /v1/locks/a");
    script_answer(&script, &look, 200, SEEN_OF("b", "refuse"));
    script_until(&script, has_ended, query);
    assert_int_equal(hf_query_error(query, NULL), HF_E_UNAVAILABLE);
    hf_query_free(query);
    script_close_client(&script, client);
}

/* The server ends it at any moment now. */
static void
a_try_waits_for_the_end_of_a_dead_holder(void **state)
{
    struct hf_client *client = open_client(script.place);
    struct hf_lock *lock = ask_for(client, "a", HF_WAIT, "try", NULL);
    struct script_asked asked = script_await(&script, "POST /v1/acquire");

    (void)state;
    script_answer(&script, &asked, 409,
                  "{\"over\":true,\"type\":\"urn:holdfast:held\"," HOLDERS(
                      "takeover") "}");
    (void)hold_scripted(lock);
    assert_int_equal(give_back_scripted(lock), HF_OK);
    script_close_client(&script, client);
}

/* ---- Something between --------------------------------------------------- */

static bool
has_come(const void *instant)
{
    return hf_reached(hf_now(), *(const struct hf_instant *)instant);
}

/* Answered in the server's place, after so long. */
static void
cut(int after_ms)
{
    struct script_asked asked = script_await(&script, "POST /v1/acquire");
    struct hf_instant end = hf_after(hf_now(), (struct hf_duration){after_ms});

    script_until(&script, has_come, &end);
    script_answer(&script, &asked, 504, "<html>Gateway Timeout</html>");
}

static int
wait_of(const struct script_asked *asked)
{
    const char *at = strstr(asked->body, "\"wait\":");

    assert_non_null(at);
    return (int)strtol(at + strlen("\"wait\":"), NULL, 10);
}

static void
two_cuts_alike_make_it_wait_in_pieces(void **state)
{
    struct hf_client *client = open_client(script.place);
    struct hf_lock *lock =
        ask_for(client, "a", HF_TTL, "8s", HF_WAIT, "60s", NULL);
    struct script_asked asked;
    struct hf_error error;

    (void)state;
    cut(700);
    cut(1500);
    asked = script_await(&script, "POST /v1/acquire");
    assert_in_range(wait_of(&asked), 50 * 1000, 60 * 1000);
    assert_null(strstr(asked.body, "park"));
    script_answer(&script, &asked, 504, ""); /* at once: that is no cut */
    cut(1500);
    asked = script_await(&script, "POST /v1/acquire");
    assert_in_range(wait_of(&asked), 750, 1000);
    assert_non_null(strstr(asked.body, "\"park\":4000"));
    assert_int_equal(hf_client_trouble(client, &error), HF_E_UNAVAILABLE);
    assert_non_null(strstr(error.text, "cut a request after 1."));
    script_answer_well(&script, &asked);
    (void)hold_scripted(lock);
    assert_int_equal(give_back_scripted(lock), HF_OK);
    script_close_client(&script, client);
}

/* Seen through the same proxy that cuts. */
static void
who_is_cut_beside_a_living_holder_was_held_up_by_it(void **state)
{
    struct hf_client *client = open_client(script.place);
    struct hf_lock *lock = ask_for(client, "a", HF_WAIT, "1500ms", NULL);
    struct script_asked asked = script_await(&script, "POST /v1/acquire");
    struct script_asked look = script_await(&script, "GET /v1/locks/a");
    struct hf_instant end = hf_after(hf_now(), (struct hf_duration){600});

    (void)state;
    script_answer(&script, &look, 200, SEEN_ALIVE);
    script_until(&script, has_come, &end);
    script_answer(&script, &asked, 504, "");
    (void)script_await(&script, "POST /v1/acquire");
    script_until_state(&script, lock, HF_STATE_ENDED);
    assert_int_equal(hf_lock_error(lock, NULL), HF_OK);
    assert_int_equal(hf_lock_check(lock), HF_HELD_TOO_LONG);
    hf_lock_free(lock);
    script_close_client(&script, client);
}

/* The holder was alive at the last look; the server was not there since. */
static void
who_is_not_answered_beside_a_living_holder_is_told_that(void **state)
{
    struct hf_client *client = open_client(script.place);
    struct hf_lock *lock = ask_for(client, "a", HF_WAIT, "1500ms", NULL);
    struct script_asked asked = script_await(&script, "POST /v1/acquire");
    struct script_asked look = script_await(&script, "GET /v1/locks/a");

    (void)state;
    script_answer(&script, &look, 200, SEEN_ALIVE);
    script_answer(&script, &asked, 504, "");
    (void)script_await(&script, "POST /v1/acquire");
    script_until_state(&script, lock, HF_STATE_ENDED);
    assert_int_equal(hf_lock_error(lock, NULL), HF_E_UNAVAILABLE);
    hf_lock_free(lock);
    script_close_client(&script, client);
}

/* ---- Queries ------------------------------------------------------------- */

static void
a_clear_that_is_cancelled_on_its_way_may_be_done(void **state)
{
    struct hf_client *client = open_client(script.place);
    struct hf_query *query =
        new_query(client, HF_CLEAR, HF_NAME, "a", HF_REASON, "a test", NULL);
    struct script_asked look;

    (void)state;
    assert_int_equal(hf_query_start(query, NULL), HF_OK);
    look = script_await(&script, "GET /v1/locks/a");
    script_answer(&script, &look, 200, SEEN("refuse"));
    (void)script_await(&script, "POST /v1/locks/a/clear");
    hf_query_cancel(query);
    assert_true(hf_query_wait(query, HF_FOREVER));
    assert_int_equal(hf_query_error(query, NULL), HF_E_UNKNOWN);
    hf_query_free(query);
    script_close_client(&script, client);
}

static void
a_page_that_is_cut_is_asked_for_again(void **state)
{
    struct hf_client *client = open_client(script.place);
    struct hf_query *query = new_query(client, HF_LIST, NULL);
    struct script_asked asked;
    struct hf_view *row;

    (void)state;
    assert_int_equal(hf_query_start(query, NULL), HF_OK);
    asked = script_await(&script, "GET /v1/locks");
    script_answer(&script, &asked, 200, "{\"locks\":[],\"after\":\"\"");
    asked = script_await(&script, "GET /v1/locks");
    script_answer(&script, &asked, 200,
                  "{\"locks\":[" SEEN("refuse") "],\"after\":\"\"}");
    script_until(&script, has_ended, query);
    assert_int_equal(hf_query_error(query, NULL), HF_OK);
    row = hf_query_next(query);
    assert_int_equal(hf_view_number(row, HF_FIELD_FENCE), 7);
    hf_view_free(row);
    assert_null(hf_query_next(query));
    hf_query_free(query);
    script_close_client(&script, client);
}

/* Answers stay open: a server may tell more some day. */
static void
members_of_answers_that_are_new_are_ignored(void **state)
{
    struct hf_client *client = open_client(script.place);
    struct hf_query *query = new_query(client, HF_LIST, NULL);
    struct script_asked asked;
    struct script_asked look;
    struct hf_lock *lock;
    struct hf_view *row;

    (void)state;
    script.is_newer = true;
    lock = ask_for(client, "a", HF_TTL, "4s", HF_BEAT, "200ms", NULL);
    asked = script_await(&script, "POST /v1/acquire");
    look = script_await(&script, "GET /v1/locks/a");
    script_answer(&script, &look, 200, SEEN("refuse"));
    script_answer_well(&script, &asked);
    (void)hold_scripted(lock);
    for (int i = 0; i < 3; i++) {
        asked = script_await(&script, ALIVE);
        script_answer_well(&script, &asked);
    }
    assert_int_equal(hf_lock_state(lock), HF_STATE_HELD);

    assert_int_equal(hf_query_start(query, NULL), HF_OK);
    asked = script_await(&script, "GET /v1/locks");
    script_answer(&script, &asked, 200,
                  "{\"locks\":[" SEEN("refuse") "],\"after\":\"\"}");
    script_until(&script, has_ended, query);
    row = hf_query_next(query);
    assert_int_equal(hf_view_number(row, HF_FIELD_FENCE), 7);
    hf_view_free(row);
    hf_query_free(query);
    assert_int_equal(give_back_scripted(lock), HF_OK);
    script_close_client(&script, client);
}

static void
a_doctor_tells_a_proxy_without_a_server_from_none(void **state)
{
    struct hf_client *client = open_client(script.place);
    struct hf_query *query = new_query(client, HF_DOCTOR, NULL);
    struct script_asked asked;

    (void)state;
    assert_int_equal(hf_query_start(query, NULL), HF_OK);
    asked = script_await(&script, "GET /v1/info");
    script_answer(&script, &asked, 502, "<html>Bad Gateway</html>");
    script_until(&script, has_ended, query);
    expect_row(query, "answers with status 502", "is a proxy");
    hf_query_free(query);
    script_close_client(&script, client);
}

/* ---- Several nodes ------------------------------------------------------- */

static void
who_is_said_to_lead_is_asked_next(void **state)
{
    struct hf_client *client = open_client(script.place);
    struct hf_lock *lock = ask_for(client, "a", NULL);
    struct script_asked asked = script_await(&script, "POST /v1/sessions");

    (void)state;
    assert_ptr_equal(asked.node, &script.nodes[0]);
    script_answer_follows(&script, &asked, script.nodes[1].authority);
    asked = script_await(&script, "POST /v1/sessions");
    assert_ptr_equal(asked.node, &script.nodes[1]);
    script_answer_well(&script, &asked);
    asked = script_await(&script, "POST /v1/acquire");
    assert_ptr_equal(asked.node, &script.nodes[1]);
    script_answer_well(&script, &asked);
    (void)hold_scripted(lock);
    assert_int_equal(give_back_scripted(lock), HF_OK);
    script_close_client(&script, client);
}

static void
a_leader_that_was_not_named_is_told_to_its_user(void **state)
{
    struct hf_client *client = open_client(script.place);
    struct hf_lock *lock = ask_for(client, "a", NULL);
    struct script_asked asked = script_await(&script, "POST /v1/sessions");
    struct hf_error error;

    (void)state;
    script_answer_follows(&script, &asked, "db9:7420");
    asked = script_await(&script, "POST /v1/sessions");
    assert_ptr_equal(asked.node, &script.nodes[1]);
    assert_int_equal(hf_client_trouble(client, &error), HF_E_UNAVAILABLE);
    assert_non_null(strstr(error.text, "name db9:7420, too"));
    script_answer_well(&script, &asked);
    (void)hold_scripted(lock);
    assert_int_equal(hf_client_trouble(client, &error), HF_OK);
    assert_int_equal(give_back_scripted(lock), HF_OK);
    script_close_client(&script, client);
}

static void
that_no_node_leads_is_told_as_the_node_says_it(void **state)
{
    struct hf_client *client = open_client(script.place);
    struct hf_lock *lock = ask_for(client, "a", NULL);
    struct script_asked asked = script_await(&script, "POST /v1/sessions");
    struct hf_error error;
    char expected[256];

    (void)state;
    script_answer_follows(&script, &asked, "");
    asked = script_await(&script, "POST /v1/sessions");
    assert_int_equal(hf_client_trouble(client, &error), HF_E_UNAVAILABLE);
    snprintf(expected, sizeof(expected), "%s: it follows", script.place);
    assert_string_equal(error.text, expected);
    script_answer_well(&script, &asked);
    (void)hold_scripted(lock);
    assert_int_equal(give_back_scripted(lock), HF_OK);
    script_close_client(&script, client);
}

static void
say_farewell(void *text)
{
    assert_int_equal(hf_farewell(text, HF_FOREVER, NULL), HF_OK);
}

static void
a_farewell_passes_by_a_node_that_follows(void **state)
{
    struct script_beside farewell;
    struct script_asked asked;
    char text[HF_FAREWELL_SIZE];

    (void)state;
    snprintf(text, sizeof(text), "%s %016x %032x", script.place, 1, 1);
    script_begin(&farewell, say_farewell, text);
    asked = script_await(&script, "DELETE /v1/sessions/0000000000000001");
    assert_ptr_equal(asked.node, &script.nodes[0]);
    script_answer_follows(&script, &asked, "");
    asked = script_await(&script, "DELETE /v1/sessions/0000000000000001");
    assert_ptr_equal(asked.node, &script.nodes[1]);
    script_answer_well(&script, &asked);
    script_join(&script, &farewell);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
#define SCRIPTED(test)                                                         \
    cmocka_unit_test_setup_teardown(test, open_script, close_script)
#define SCRIPTED_TWO(test)                                                     \
    cmocka_unit_test_setup_teardown(test, open_two, close_script)
        SCRIPTED(a_server_without_streams_is_asked_for_one_once),
        SCRIPTED(what_keeps_answers_back_is_heard_of_no_more),
        SCRIPTED(where_there_are_streams_requests_go_as_lines),
        SCRIPTED(a_stream_that_falls_silent_is_left_for_single_requests),
        SCRIPTED(a_keep_alive_that_is_right_is_believed),
        SCRIPTED(a_keep_alive_for_less_than_was_asked_is_not_believed),
        SCRIPTED(a_keep_alive_of_another_session_is_not_believed),
        SCRIPTED(a_keep_alive_that_is_cut_is_not_believed),
        SCRIPTED(a_keep_alive_of_another_term_is_not_believed),
        SCRIPTED(a_grant_of_another_request_is_not_believed),
        SCRIPTED(a_session_for_less_than_was_asked_is_none),
        SCRIPTED(each_grace_has_a_session_of_its_own),
        SCRIPTED_TWO(a_later_session_hears_of_two_services_too),
        SCRIPTED(a_farewell_names_the_session_that_was_opened_last),
        SCRIPTED(what_is_left_for_a_person_is_not_kept_alive),
        SCRIPTED(what_is_late_is_said_again_on_another_connection),
        SCRIPTED(who_said_goodbye_is_asked_on_another_connection),
        cmocka_unit_test(a_peer_that_speaks_something_else_is_named_as_that),
        SCRIPTED(of_a_host_with_two_addresses_the_second_is_asked),
        SCRIPTED(of_a_host_with_two_addresses_a_mute_one_is_left),
        SCRIPTED_TWO(a_host_that_moved_is_found_where_it_is),
        SCRIPTED_TWO(a_host_that_is_looked_up_holds_up_nobody),
        SCRIPTED(what_the_kernel_does_not_take_at_once_is_sent_later),
        SCRIPTED(a_lock_that_is_granted_takes_its_look_back),
        SCRIPTED(what_its_user_gave_up_is_not_timed_out),
        SCRIPTED(what_is_seen_of_another_lock_ends_no_wait),
        SCRIPTED(what_is_seen_of_another_lock_is_not_shown),
        SCRIPTED(a_try_waits_for_the_end_of_a_dead_holder),
        SCRIPTED(two_cuts_alike_make_it_wait_in_pieces),
        SCRIPTED(who_is_cut_beside_a_living_holder_was_held_up_by_it),
        SCRIPTED(who_is_not_answered_beside_a_living_holder_is_told_that),
        SCRIPTED(a_clear_that_is_cancelled_on_its_way_may_be_done),
        SCRIPTED(a_doctor_tells_a_proxy_without_a_server_from_none),
        SCRIPTED(a_page_that_is_cut_is_asked_for_again),
        SCRIPTED(members_of_answers_that_are_new_are_ignored),
        SCRIPTED_TWO(who_is_said_to_lead_is_asked_next),
        SCRIPTED_TWO(a_leader_that_was_not_named_is_told_to_its_user),
        SCRIPTED_TWO(that_no_node_leads_is_told_as_the_node_says_it),
        SCRIPTED_TWO(a_farewell_passes_by_a_node_that_follows),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

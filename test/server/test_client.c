#include "unit/support/clients.h"

#include <dirent.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "server/support/daemon.h"

/*
 * libholdfast on a lock server: what a table keeps, and what only a server
 * does.
 */

static struct daemon served;

static int
start_server(void **state)
{
    (void)state;
    daemon_start(&served, NULL, NULL);
    return 0;
}

static int
end_server(void **state)
{
    (void)state;
    daemon_kill(&served);
    return 0;
}

/* ---- As in a table ------------------------------------------------------- */

static void
a_lock_is_granted_checked_and_released(void **state)
{
    struct hf_client *client = open_client(served.place);
    uint64_t highest = 0;

    (void)state;
    for (int i = 0; i < 20; i++) {
        struct hf_lock *lock = hold(client, "deploy", NULL);

        assert_int_equal(hf_lock_check(lock), HF_GRANTED);
        assert_true(hf_lock_fence(lock) > highest);
        assert_true(hf_lock_right_ms(lock) > hf_now().ms);
        highest = hf_lock_fence(lock);
        assert_int_equal(give_back(lock), HF_OK);
    }
    close_client(client);
}

static void
try_gives_up_at_once_and_says_who_holds_it(void **state)
{
    struct hf_client *a = open_client(served.place);
    struct hf_client *b = open_client(served.place);
    struct hf_lock *lock = hold(a, "deploy", HF_REASON, "night", NULL);
    struct hf_lock *tried = acquire(b, "deploy", HF_WAIT, "try", NULL);
    struct hf_view *seen = hf_lock_view(tried);

    (void)state;
    assert_int_equal(hf_lock_check(tried), HF_TIMED_OUT);
    assert_int_equal(hf_view_number(seen, HF_FIELD_FENCE), hf_lock_fence(lock));
    assert_int_equal(hf_view_item(seen, HF_FIELD_PROCESSES, 0), getpid());
    assert_string_equal(hf_view_text(seen, HF_FIELD_REASON), "night");
    hf_view_free(seen);
    assert_int_equal(finish(tried), HF_OK);
    assert_int_equal(give_back(lock), HF_OK);
    close_client(a);
    close_client(b);
}

/* A server that has just begun gathers requests first, and then has a line. */
static void
await_position(const struct hf_lock *lock, int64_t position)
{
    struct hf_instant limit =
        hf_after(hf_now(), (struct hf_duration){HF_TEST_PATIENCE_MS});
    int64_t found = 0;

    while (found != position && !hf_reached(hf_now(), limit)) {
        struct hf_view *seen = hf_lock_view(lock);

        found = hf_view_number(seen, HF_FIELD_POSITION);
        hf_view_free(seen);
        (void)poll(NULL, 0, 20);
    }
    assert_int_equal(found, position);
}

static void
a_waiter_sees_the_holder_and_its_place_in_line(void **state)
{
    struct hf_client *a = open_client(served.place);
    struct hf_client *b = open_client(served.place);
    struct hf_lock *lock = hold(a, "deploy", NULL);
    struct hf_lock *first = ask_for(b, "deploy", NULL);
    struct hf_lock *second;
    struct hf_view *seen;

    (void)state;
    await_holder(b, first);
    second = ask_for(b, "deploy", NULL);
    await_holder(b, second);
    await_position(second, 2);
    seen = hf_lock_view(second);
    assert_int_equal(hf_view_number(seen, HF_FIELD_FENCE), hf_lock_fence(lock));
    assert_int_equal(hf_view_number(seen, HF_FIELD_LIFE), HF_LIFE_BEATING);
    hf_view_free(seen);
    assert_int_equal(give_back(lock), HF_OK);
    assert_int_equal(hf_lock_wait(first, HF_FOREVER), HF_STATE_HELD);
    assert_int_equal(give_back(first), HF_OK);
    assert_int_equal(hf_lock_wait(second, HF_FOREVER), HF_STATE_HELD);
    assert_int_equal(give_back(second), HF_OK);
    close_client(a);
    close_client(b);
}

static void
a_wait_ends_at_its_limit_and_names_who_kept_it(void **state)
{
    struct hf_client *a = open_client(served.place);
    struct hf_client *b = open_client(served.place);
    struct hf_lock *lock = hold(a, "deploy", NULL);
    struct hf_lock *late = acquire(b, "deploy", HF_WAIT, "700ms", NULL);

    (void)state;
    assert_int_equal(hf_lock_check(late), HF_HELD_TOO_LONG);
    assert_int_equal(finish(late), HF_OK);
    assert_int_equal(give_back(lock), HF_OK);
    close_client(a);
    close_client(b);
}

/* One that came within the wait did not keep the lock for all of it. */
static void
a_wait_between_two_holders_is_timed_out(void **state)
{
    struct hf_client *a = open_client(served.place);
    struct hf_client *b = open_client(served.place);
    struct hf_client *c = open_client(served.place);
    struct hf_lock *first = hold(a, "deploy", NULL);
    struct hf_lock *second = ask_for(b, "deploy", NULL);
    struct hf_lock *late;
    struct hf_view *seen;

    (void)state;
    await_position(second, 1);
    late = ask_for(c, "deploy", HF_WAIT, "3s", NULL);
    await_holder(c, late);
    assert_int_equal(give_back(first), HF_OK);
    assert_int_equal(hf_lock_wait(second, HF_FOREVER), HF_STATE_HELD);
    assert_int_equal(hf_lock_wait(late, HF_FOREVER), HF_STATE_ENDED);
    seen = hf_lock_view(late);
    assert_int_equal(hf_view_number(seen, HF_FIELD_FENCE),
                     hf_lock_fence(second));
    hf_view_free(seen);
    assert_int_equal(hf_lock_check(late), HF_TIMED_OUT);
    assert_int_equal(finish(late), HF_OK);
    assert_int_equal(give_back(second), HF_OK);
    close_client(a);
    close_client(b);
    close_client(c);
}

static void
what_is_given_up_is_gone_from_the_line(void **state)
{
    struct hf_client *a = open_client(served.place);
    struct hf_lock *lock = hold(a, "deploy", NULL);
    struct hf_lock *waiter = ask_for(a, "deploy", NULL);
    struct hf_error error;

    (void)state;
    await_holder(a, waiter);
    hf_lock_cancel(waiter);
    assert_int_equal(hf_lock_wait(waiter, HF_FOREVER), HF_STATE_ENDED);
    assert_int_equal(hf_lock_error(waiter, &error), HF_E_CANCELLED);
    hf_lock_free(waiter);
    assert_int_equal(give_back(lock), HF_OK);
    lock = hold(a, "deploy", HF_WAIT, "try", NULL);
    assert_int_equal(give_back(lock), HF_OK);
    close_client(a);
}

static void
a_lane_does_not_wait_for_itself(void **state)
{
    struct hf_client *client = open_client(served.place);
    struct hf_lock *lock = hold(client, "deploy", HF_LANE, "me", NULL);
    struct hf_lock *again = acquire(client, "deploy", HF_LANE, "me", NULL);

    (void)state;
    assert_int_equal(hf_lock_check(again), HF_ALREADY_HELD);
    assert_int_equal(finish(again), HF_OK);
    assert_int_equal(give_back(lock), HF_OK);
    close_client(client);
}

static void
who_dies_is_followed_after_its_ttl(void **state)
{
    pid_t holder =
        hold_until_killed(served.place, "mortal", HF_TTL, SHORT_TTL, NULL);
    struct hf_client *client = open_client(served.place);
    struct hf_lock *lock = ask_for(client, "mortal", NULL);

    (void)state;
    await_holder(client, lock);
    kill_holder(holder);
    assert_int_equal(hf_lock_wait(lock, HF_FOREVER), HF_STATE_HELD);
    assert_int_equal(give_back(lock), HF_OK);
    close_client(client);
}

static void
a_dead_refuse_holder_is_cleared_by_a_person(void **state)
{
    pid_t holder = hold_until_killed(served.place, "person", HF_IF_DEAD,
                                     "refuse", HF_TTL, SHORT_TTL, NULL);
    struct hf_client *client = open_client(served.place);
    struct hf_lock *lock;
    struct hf_view *seen;

    (void)state;
    kill_holder(holder);
    lock = acquire(client, "person", HF_IF_SUSPECTED, "fail", NULL);
    assert_int_equal(hf_lock_check(lock), HF_GONE);
    assert_int_equal(finish(lock), HF_OK);
    seen = clear(client, "person", HF_REASON, "looked", NULL);
    assert_true(hf_view_number(seen, HF_FIELD_CLEARED));
    hf_view_free(seen);
    lock = hold(client, "person", NULL);
    assert_int_equal(give_back(lock), HF_OK);
    close_client(client);
}

/* A beat that came before the first look proves nothing. */
static void
a_live_holder_is_heard_of_before_it_is_cleared(void **state)
{
    struct hf_client *holder = open_client(served.place);
    struct hf_client *client = open_client(served.place);
    struct hf_lock *lock =
        hold(holder, "alive", HF_TTL, "6s", HF_BEAT, "300ms", NULL);
    struct hf_view *seen = clear(client, "alive", HF_REASON, "looked", NULL);

    (void)state;
    assert_false(hf_view_number(seen, HF_FIELD_CLEARED));
    assert_int_equal(hf_view_number(seen, HF_FIELD_LIFE), HF_LIFE_BEATING);
    hf_view_free(seen);
    assert_int_equal(hf_lock_check(lock), HF_GRANTED);
    assert_int_equal(give_back(lock), HF_OK);
    close_client(client);
    close_client(holder);
}

static void
who_is_cleared_learns_by_whom_and_why(void **state)
{
    struct hf_client *holder = open_client(served.place);
    struct hf_client *client = open_client(served.place);
    struct hf_lock *lock =
        hold(holder, "taken", HF_TTL, "6s", HF_BEAT, "300ms", NULL);
    struct hf_view *seen =
        clear(client, "taken", HF_REASON, "a \"word\"", HF_FORCE, "yes", NULL);

    (void)state;
    assert_true(hf_view_number(seen, HF_FIELD_CLEARED));
    hf_view_free(seen);
    (void)await_news(holder, hf_lock_id(lock), HF_NEWS_LOST);
    seen = hf_lock_view(lock);
    assert_true(hf_view_number(seen, HF_FIELD_CLEARED));
    assert_string_equal(hf_view_text(seen, HF_FIELD_BY_REASON), "a \"word\"");
    assert_true(hf_view_text(seen, HF_FIELD_BY_USER)[0] != '\0');
    assert_true(hf_view_text(seen, HF_FIELD_BY_HOST)[0] != '\0');
    hf_view_free(seen);
    assert_int_equal(hf_lock_check(lock), HF_LOST);
    (void)give_back(lock);
    close_client(client);
    close_client(holder);
}

static void
expect_cleared_for(struct hf_lock *lock, const char *reason)
{
    struct hf_view *seen = hf_lock_view(lock);

    assert_string_equal(hf_view_text(seen, HF_FIELD_BY_REASON), reason);
    hf_view_free(seen);
}

static void
of_many_that_are_cleared_each_learns_its_own_reason(void **state)
{
    enum { LOCKS = 4 };
    static const char *const names[LOCKS] = {"taken 1", "taken 2", "taken 3",
                                             "taken 4"};
    struct hf_client *holder = open_client(served.place);
    struct hf_client *client = open_client(served.place);
    struct hf_lock *locks[LOCKS];

    (void)state;
    for (size_t i = 0; i < LOCKS; i++)
        locks[i] = hold(holder, names[i], HF_TTL, "6s", HF_BEAT, "300ms", NULL);
    for (size_t i = LOCKS; i-- > 0;) {
        hf_view_free(clear(client, names[i], HF_REASON, names[i], HF_FORCE,
                           "yes", NULL));
        (void)await_news(holder, hf_lock_id(locks[i]), HF_NEWS_LOST);
    }
    for (size_t i = 0; i < LOCKS; i++) {
        expect_cleared_for(locks[i], names[i]);
        (void)give_back(locks[i]);
    }
    close_client(client);
    close_client(holder);
}

static void
a_placeholder_is_no_reason(void **state)
{
    struct hf_client *client = open_client(served.place);
    struct hf_query *query =
        new_query(client, HF_CLEAR, HF_NAME, "any", HF_REASON, "…", NULL);

    (void)state;
    assert_int_equal(hf_query_start(query, NULL), HF_E_INVALID);
    hf_query_free(query);
    close_client(client);
}

static void
a_server_that_is_not_there_is_said_at_the_limit(void **state)
{
    struct hf_client *client = open_client("http://127.0.0.1:1");
    struct hf_lock *lock = acquire(client, "deploy", HF_WAIT, "300ms", NULL);
    struct hf_error error;

    (void)state;
    assert_int_equal(hf_lock_error(lock, &error), HF_E_UNAVAILABLE);
    assert_non_null(strstr(error.text, "127.0.0.1:1"));
    assert_int_equal(hf_client_trouble(client, &error), HF_E_UNAVAILABLE);
    hf_lock_free(lock);
    close_client(client);
}

/* ---- What only a server does --------------------------------------------- */

static void
several_names_are_held_together_or_not_at_all(void **state)
{
    struct hf_client *client = open_client(served.place);
    struct hf_lock *one = hold(client, "b", NULL);
    struct hf_lock *both;

    (void)state;
    assert_int_equal(hf_lock_new(client, "a", &both, NULL), HF_OK);
    assert_int_equal(hf_lock_add(both, "b", HF_EXCLUSIVE, NULL), HF_OK);
    assert_int_equal(hf_lock_add(both, "a", HF_SHARED, NULL), HF_E_INVALID);
    assert_int_equal(hf_lock_start(both, NULL), HF_OK);
    await_holder(client, both);
    assert_int_equal(hf_lock_state(both), HF_STATE_WAITING);
    assert_int_equal(give_back(one), HF_OK);
    assert_int_equal(hf_lock_wait(both, HF_FOREVER), HF_STATE_HELD);
    one = acquire(client, "a", HF_WAIT, "try", NULL);
    assert_int_equal(hf_lock_check(one), HF_TIMED_OUT);
    assert_int_equal(finish(one), HF_OK);
    assert_int_equal(give_back(both), HF_OK);
    close_client(client);
}

static void
a_shared_lock_is_shared_and_an_exclusive_one_is_lowered(void **state)
{
    struct hf_client *client = open_client(served.place);
    struct hf_lock *alone = hold(client, "s", NULL);
    struct hf_lock *other = ask_for(client, "s", HF_MODE, "shared", NULL);

    (void)state;
    await_holder(client, other);
    assert_int_equal(hf_lock_change(alone, 1, HF_SHARED, NULL), HF_E_INVALID);
    assert_int_equal(hf_lock_change(alone, 0, HF_EXCLUSIVE, NULL),
                     HF_E_INVALID);
    assert_int_equal(hf_lock_change(alone, 0, HF_SHARED, NULL), HF_OK);
    assert_int_equal(hf_lock_wait(other, HF_FOREVER), HF_STATE_HELD);
    assert_int_equal(hf_lock_check(alone), HF_GRANTED);
    assert_int_equal(give_back(other), HF_OK);
    assert_int_equal(give_back(alone), HF_OK);
    close_client(client);
}

static void
who_waits_until_it_is_free_holds_nothing(void **state)
{
    struct hf_client *client = open_client(served.place);
    struct hf_lock *lock = hold(client, "f", NULL);
    struct hf_lock *free_one =
        ask_for(client, "f", HF_MODE, "until-free", NULL);

    (void)state;
    await_holder(client, free_one);
    assert_int_equal(give_back(lock), HF_OK);
    assert_int_equal(hf_lock_wait(free_one, HF_FOREVER), HF_STATE_ENDED);
    assert_int_equal(hf_lock_check(free_one), HF_GRANTED);
    hf_lock_free(free_one);
    lock = hold(client, "f", HF_WAIT, "try", NULL);
    assert_int_equal(give_back(lock), HF_OK);
    close_client(client);
}

static void
a_farewell_ends_the_session_of_another_process(void **state)
{
    struct hf_client *a = open_client(served.place);
    struct hf_client *b = open_client(served.place);
    struct hf_lock *lock = hold(a, "will", NULL);
    struct hf_lock *next = ask_for(b, "will", NULL);
    char farewell[HF_FAREWELL_SIZE];

    (void)state;
    assert_int_equal(hf_lock_farewell(next, farewell, sizeof(farewell)), 0);
    assert_true(hf_lock_farewell(lock, farewell, sizeof(farewell)) <
                sizeof(farewell));
    assert_int_equal(hf_farewell("nonsense", HF_FOREVER, NULL), HF_E_INVALID);
    assert_int_equal(hf_farewell(farewell, HF_FOREVER, NULL), HF_OK);
    assert_int_equal(hf_lock_wait(next, HF_FOREVER), HF_STATE_HELD);
    assert_int_equal(give_back(next), HF_OK);
    hf_lock_free(lock);
    close_client(a);
    close_client(b);
}

/* One that listens, and never takes a connection: its port. */
static unsigned
listen_deaf(int *fd)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t len = sizeof(address);

    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    *fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(*fd >= 0);
    assert_int_equal(bind(*fd, (struct sockaddr *)&address, len), 0);
    assert_int_equal(listen(*fd, 1), 0);
    assert_int_equal(getsockname(*fd, (struct sockaddr *)&address, &len), 0);
    return ntohs(address.sin_port);
}

static void
expect_free(const char *name)
{
    struct hf_client *client = open_client(served.place);

    assert_int_equal(give_back(hold(client, name, HF_WAIT, "try", NULL)),
                     HF_OK);
    close_client(client);
}

static void
a_farewell_passes_by_a_node_that_does_not_answer(void **state)
{
    static const char scheme[] = "http://";
    struct hf_client *client = open_client(served.place);
    struct hf_lock *lock = hold(client, "will", NULL);
    char farewell[HF_FAREWELL_SIZE];
    char both[HF_FAREWELL_SIZE + 64];
    int fd;

    (void)state;
    (void)hf_lock_farewell(lock, farewell, sizeof(farewell));
    snprintf(both, sizeof(both), "%s127.0.0.1:%u,%s", scheme, listen_deaf(&fd),
             farewell + strlen(scheme));
    assert_int_equal(hf_farewell(both, (struct hf_duration){20000}, NULL),
                     HF_OK);
    close(fd);
    expect_free("will");
    hf_lock_free(lock);
    close_client(client);
}

/* Of a node that follows: its one answer. */
static void *
say_that_we_do_not_lead(void *arg)
{
    static const char answer[] = "HTTP/1.1 503 Service Unavailable\r\n"
                                 "Content-Type: application/problem+json\r\n"
                                 "Content-Length: 38\r\n\r\n"
                                 "{\"type\":\"urn:holdfast:not-leading\"}\r\n";
    char request[1024];
    int fd = accept(*(int *)arg, NULL, NULL);

    if (recv(fd, request, sizeof(request), 0) > 0)
        (void)send(fd, answer, sizeof(answer) - 1, MSG_NOSIGNAL);
    close(fd);
    return NULL;
}

static void
a_farewell_passes_by_a_node_that_does_not_lead(void **state)
{
    static const char scheme[] = "http://";
    struct hf_client *client = open_client(served.place);
    struct hf_lock *lock = hold(client, "will", NULL);
    char farewell[HF_FAREWELL_SIZE];
    char both[HF_FAREWELL_SIZE + 64];
    pthread_t follower;
    int fd;

    (void)state;
    (void)hf_lock_farewell(lock, farewell, sizeof(farewell));
    snprintf(both, sizeof(both), "%s127.0.0.1:%u,%s", scheme, listen_deaf(&fd),
             farewell + strlen(scheme));
    assert_int_equal(
        pthread_create(&follower, NULL, say_that_we_do_not_lead, &fd), 0);
    assert_int_equal(hf_farewell(both, (struct hf_duration){20000}, NULL),
                     HF_OK);
    assert_int_equal(pthread_join(follower, NULL), 0);
    close(fd);
    expect_free("will");
    hf_lock_free(lock);
    close_client(client);
}

/* ---- Many ---------------------------------------------------------------- */

enum { THREADS = 4, ROUNDS = 60, NAMES = 3, CROWD = 300 };

struct crowd {
    struct hf_client *client;
    atomic_int inside[NAMES];
    atomic_int broken;
};

static void *
work(void *arg)
{
    struct crowd *crowd = arg;

    for (int i = 0; i < ROUNDS; i++) {
        int which = i % NAMES;
        char name[8];
        struct hf_lock *lock;

        snprintf(name, sizeof(name), "n%d", which);
        lock = acquire(crowd->client, name, NULL);
        if (hf_lock_check(lock) != HF_GRANTED ||
            atomic_fetch_add(&crowd->inside[which], 1) != 0)
            atomic_store(&crowd->broken, 1);
        atomic_fetch_sub(&crowd->inside[which], 1);
        if (i % 7 == 0)
            hf_lock_free(lock);
        else if (give_back(lock) != HF_OK)
            atomic_store(&crowd->broken, 1);
    }
    return NULL;
}

static void
threads_of_one_client_exclude_each_other(void **state)
{
    struct crowd crowd = {.client = open_client(served.place)};
    pthread_t threads[THREADS];

    (void)state;
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, work, &crowd), 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_int_equal(atomic_load(&crowd.broken), 0);
    close_client(crowd.client);
}

/* More than one connection has streams for. */
static void
hundreds_of_one_client_wait_in_line(void **state)
{
    struct hf_client *client = open_client(served.place);
    struct hf_lock *lock = hold(client, "crowd", NULL);
    struct hf_lock *crowd[CROWD];
    uint64_t fence = hf_lock_fence(lock);

    (void)state;
    for (int i = 0; i < CROWD; i++)
        crowd[i] = ask_for(client, "crowd", NULL);
    assert_int_equal(give_back(lock), HF_OK);
    for (int i = 0; i < CROWD; i++) {
        assert_int_equal(hf_lock_wait(crowd[i], HF_FOREVER), HF_STATE_HELD);
        assert_true(hf_lock_fence(crowd[i]) > fence);
        fence = hf_lock_fence(crowd[i]);
        hf_lock_free(crowd[i]);
    }
    close_client(client);
}

/* What they say fills more than a request may. */
static void
a_long_line_of_people_with_much_to_say_is_shown(void **state)
{
    static struct hf_lock *crowd[CROWD];
    struct hf_client *client = open_client(served.place);
    struct hf_lock *lock = hold(client, "crowd", NULL);
    char reason[HF_REASON_MAX + 1];
    struct hf_view *seen;

    (void)state;
    memset(reason, 'r', HF_REASON_MAX);
    reason[HF_REASON_MAX] = '\0';
    for (int i = 0; i < CROWD; i++)
        crowd[i] = ask_for(client, "crowd", HF_REASON, reason, NULL);
    await_position(crowd[CROWD - 1], CROWD);
    seen = examine(client, "crowd", NULL);
    assert_int_equal(hf_view_number(seen, HF_FIELD_FENCE), hf_lock_fence(lock));
    assert_int_equal(hf_view_number(seen, HF_FIELD_WAITERS), CROWD);
    hf_view_free(seen);
    for (int i = CROWD - 1; i >= 0; i--)
        assert_int_equal(give_back(crowd[i]), HF_E_CANCELLED);
    assert_int_equal(give_back(lock), HF_OK);
    close_client(client);
}

static int
count_descriptors(void)
{
    DIR *folder = opendir("/proc/self/fd");
    int count = 0;

    assert_non_null(folder);
    while (readdir(folder) != NULL)
        count++;
    closedir(folder);
    return count;
}

static void
a_server_of_few_streams_is_asked_on_few_connections(void **state)
{
    enum { ASKED = 20 };
    struct hf_client *client;
    struct daemon narrow;
    int count;

    (void)state;
    daemon_start(&narrow, "--streams", "4");
    client = open_client(narrow.place);
    hf_view_free(examine(client, "deploy", NULL));
    count = count_descriptors();
    for (int i = 0; i < ASKED; i++)
        hf_view_free(examine(client, "deploy", NULL));
    assert_in_range(count_descriptors(), count, count + 2);
    close_client(client);
    daemon_kill(&narrow);
}

static int64_t
count_waiters(struct hf_client *client, const char *name)
{
    struct hf_view *seen = examine(client, name, NULL);
    int64_t found = hf_view_number(seen, HF_FIELD_WAITERS);

    hf_view_free(seen);
    return found;
}

static void
expect_no_trouble(struct hf_lock *lock)
{
    struct hf_view *seen = hf_lock_view(lock);

    if (seen != NULL)
        assert_string_equal(hf_view_text(seen, HF_FIELD_ERROR), "");
    hf_view_free(seen);
}

/* Lines and requests of their own are streams of one connection to the server,
 * which refuses those that are too many: they would have no place.  So it is
 * not asked for more, also where a new connection has not said yet how many it
 * bears. */
static void
all_who_wait_are_in_line_however_few_streams_there_are(void **state)
{
    enum { ASKED = 400 };
    static struct hf_lock *crowd[ASKED];
    struct hf_instant limit =
        hf_after(hf_now(), (struct hf_duration){HF_TEST_PATIENCE_MS});
    struct hf_client *client;
    struct hf_lock *lock;
    struct daemon narrow;

    (void)state;
    daemon_start(&narrow, "--streams", "16");
    client = open_client(narrow.place);
    for (int i = 0; i < 20; i++) /* by then the client says lines */
        assert_int_equal(give_back(hold(client, "deploy", NULL)), HF_OK);
    lock = hold(client, "crowd", NULL);
    for (int i = 0; i < ASKED; i++)
        crowd[i] = ask_for(client, "crowd", NULL);
    do {
        for (int i = 0; i < ASKED; i++)
            expect_no_trouble(crowd[i]);
        assert_false(hf_reached(hf_now(), limit));
    } while (count_waiters(client, "crowd") < ASKED);
    for (int i = ASKED - 1; i >= 0; i--)
        assert_int_equal(give_back(crowd[i]), HF_E_CANCELLED);
    assert_int_equal(give_back(lock), HF_OK);
    close_client(client);
    daemon_kill(&narrow);
}

/* What was still to be changed is not: nobody wants it any more. */
static void
what_is_left_for_a_person_is_not_changed(void **state)
{
    struct hf_client *client = open_client(served.place);
    struct hf_lock *left =
        new_lock(client, "left-a", HF_IF_DEAD, "refuse", NULL);
    struct hf_lock *other = hold(client, "left-c", HF_IF_DEAD, "refuse", NULL);

    (void)state;
    assert_int_equal(hf_lock_add(left, "left-b", HF_EXCLUSIVE, NULL), HF_OK);
    assert_int_equal(hf_lock_start(left, NULL), HF_OK);
    assert_int_equal(hf_lock_wait(left, HF_FOREVER), HF_STATE_HELD);
    assert_int_equal(hf_lock_change(left, 0, HF_SHARED, NULL), HF_OK);
    assert_int_equal(hf_lock_change(left, 1, HF_SHARED, NULL), HF_OK);
    assert_int_equal(leave_behind(left), HF_E_UNKNOWN);
    assert_int_equal(hf_lock_change(other, 0, HF_SHARED, NULL), HF_OK);
    await_news(client, hf_lock_id(other), HF_NEWS_CHANGED);
    assert_int_equal(give_back(other), HF_OK);
    close_client(client);
}

static void
a_client_that_is_closed_gives_all_back(void **state)
{
    struct hf_client *a = open_client(served.place);
    struct hf_client *b = open_client(served.place);
    struct hf_lock *held = hold(a, "left", NULL);
    struct hf_lock *waits = ask_for(a, "left", NULL);
    struct hf_lock *next;

    (void)state;
    assert_int_equal(hf_client_close(a, HF_FOREVER), HF_OK);
    hf_lock_free(held);
    hf_lock_free(waits);
    next = hold(b, "left", HF_WAIT, "try", NULL);
    assert_int_equal(give_back(next), HF_OK);
    close_client(b);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lock_is_granted_checked_and_released),
        cmocka_unit_test(try_gives_up_at_once_and_says_who_holds_it),
        cmocka_unit_test(a_waiter_sees_the_holder_and_its_place_in_line),
        cmocka_unit_test(a_wait_ends_at_its_limit_and_names_who_kept_it),
        cmocka_unit_test(a_wait_between_two_holders_is_timed_out),
        cmocka_unit_test(what_is_given_up_is_gone_from_the_line),
        cmocka_unit_test(a_lane_does_not_wait_for_itself),
        cmocka_unit_test(who_dies_is_followed_after_its_ttl),
        cmocka_unit_test(a_dead_refuse_holder_is_cleared_by_a_person),
        cmocka_unit_test(a_live_holder_is_heard_of_before_it_is_cleared),
        cmocka_unit_test(who_is_cleared_learns_by_whom_and_why),
        cmocka_unit_test(of_many_that_are_cleared_each_learns_its_own_reason),
        cmocka_unit_test(a_placeholder_is_no_reason),
        cmocka_unit_test(a_server_that_is_not_there_is_said_at_the_limit),
        cmocka_unit_test(several_names_are_held_together_or_not_at_all),
        cmocka_unit_test(
            a_shared_lock_is_shared_and_an_exclusive_one_is_lowered),
        cmocka_unit_test(who_waits_until_it_is_free_holds_nothing),
        cmocka_unit_test(a_farewell_ends_the_session_of_another_process),
        cmocka_unit_test(a_farewell_passes_by_a_node_that_does_not_answer),
        cmocka_unit_test(a_farewell_passes_by_a_node_that_does_not_lead),
        cmocka_unit_test(threads_of_one_client_exclude_each_other),
        cmocka_unit_test(hundreds_of_one_client_wait_in_line),
        cmocka_unit_test(a_long_line_of_people_with_much_to_say_is_shown),
        cmocka_unit_test(a_server_of_few_streams_is_asked_on_few_connections),
        cmocka_unit_test(
            all_who_wait_are_in_line_however_few_streams_there_are),
        cmocka_unit_test(what_is_left_for_a_person_is_not_changed),
        cmocka_unit_test(a_client_that_is_closed_gives_all_back),
    };

    return cmocka_run_group_tests(tests, start_server, end_server);
}

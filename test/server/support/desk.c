#include "server/support/desk.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/alloc.h"
#include "store/place.h"

/* Longer than anything that a test waits for takes on a busy machine. */
enum { PATIENCE_MS = 20000 };

static void
told(void *ctx)
{
    const struct desk *desk = ctx;

    (void)eventfd_write(desk->told_fd, 1);
}

/* ---- What the node does -------------------------------------------------- */

static void
let_out(struct desk *desk, uint64_t through)
{
    size_t count = 0;

    while (count < desk->kept_count && desk->kept[count].mark <= through) {
        assert_true(desk->due_count < DESK_ANSWERS);
        desk->due[desk->due_count++] = desk->kept[count++];
    }
    desk->kept_count -= count;
    memmove(desk->kept, desk->kept + count,
            desk->kept_count * sizeof(desk->kept[0]));
}

static void
perform(struct desk *desk, const struct hf_node_effect *effect)
{
    switch (effect->kind) {
    case HF_NODE_LOAD:
        desk->leads = true;
        desk->term = effect->term;
        break;
    case HF_NODE_ANSWER:
        assert_true(desk->kept_count < DESK_ANSWERS);
        desk->kept[desk->kept_count++] = effect->answer;
        break;
    case HF_NODE_DUE:
        let_out(desk, effect->through);
        break;
    case HF_NODE_REFUSE:
        desk->refused = effect->refuse.stream;
        break;
    case HF_NODE_DISCARD:
        desk->kept_count = 0;
        desk->leads = false;
        break;
    case HF_NODE_RESTS:
        break;
    case HF_NODE_STOPPED:
        desk->stopped = true;
        break;
    case HF_NODE_ASK:
    case HF_NODE_COLLECT:
        fail_msg("this is the seat's own");
    }
}

static void
drain(struct desk *desk)
{
    struct hf_node_effect effect;

    while (hf_seat_next(desk->seat, &effect))
        perform(desk, &effect);
}

static void
step(struct desk *desk, struct hf_node_event event)
{
    hf_seat_step(desk->seat, &event);
    drain(desk);
}

/* ---- Time ---------------------------------------------------------------- */

void
desk_turn(struct desk *desk, int64_t ms)
{
    struct pollfd fds[1 + HF_PROCESSES_MAX] = {
        {.fd = desk->told_fd, .events = POLLIN},
    };
    nfds_t count = 1 + (nfds_t)hf_seat_poll_fds(desk->seat, fds + 1);
    struct hf_instant end = hf_after(hf_now(), (struct hf_duration){ms});
    struct hf_instant at = hf_earlier(end, hf_seat_deadline(desk->seat));
    int64_t left = hf_between(hf_now(), at).ms;
    eventfd_t drained;

    (void)poll(fds, count, left > 0 ? (int)left + 1 : 0);
    if ((fds[0].revents & POLLIN) != 0)
        (void)eventfd_read(desk->told_fd, &drained);
    for (nfds_t i = 1; i < count; i++)
        if (fds[i].revents != 0) {
            hf_seat_look(desk->seat);
            drain(desk);
        }
    while (hf_seat_wake(desk->seat))
        drain(desk);
    if (hf_reached(hf_now(), hf_seat_deadline(desk->seat)))
        step(desk, (struct hf_node_event){.kind = HF_NODE_CLOCK,
                                          .read_until = hf_now()});
    step(desk, (struct hf_node_event){.kind = HF_NODE_TURN});
}

static struct hf_instant
patience(void)
{
    return hf_after(hf_now(), (struct hf_duration){PATIENCE_MS});
}

void
desk_until_serving(struct desk *desk)
{
    struct hf_instant end = patience();

    while (hf_seat_table(desk->seat) == NULL) {
        assert_false(hf_reached(hf_now(), end));
        desk_turn(desk, 100);
    }
}

void
desk_stop(struct desk *desk)
{
    step(desk, (struct hf_node_event){.kind = HF_NODE_STOP});
}

void
desk_until_stopped(struct desk *desk)
{
    struct hf_instant end = patience();

    while (!desk->stopped) {
        assert_false(hf_reached(hf_now(), end));
        desk_turn(desk, 100);
    }
}

/* ---- Opening ------------------------------------------------------------- */

struct hf_node_config
desk_node(int64_t ttl_ms)
{
    return (struct hf_node_config){
        .leader = {.terms = {HF_TAKEOVER, {ttl_ms}, {ttl_ms / 5}},
                   .grace = {ttl_ms / 10},
                   .seed = (uint64_t)hf_now().ms},
        .lockspace =
            {
                .limits =
                    {
                        .sessions = 1024,
                        .lanes = 1024,
                        .claims = 2048,
                        .waiters = 1024,
                        .names = 1024,
                        .spaces = 16,
                        .parts = 4096,
                        .texts = 16384,
                        .session_lanes = 512,
                        .session_waiters = 512,
                        .session_grants = 1024,
                        .space_waiters = 1024,
                        .space_grants = 1024,
                        .request_names = 64,
                        .search = 256,
                        .record_bytes = HF_SERVED_RECORD_MAX,
                    },
                .blocking = {2000},
                .resume_grace = {1000},
                .ttl_max = {60000},
                .seed = 1,
                .hash_seed = 2,
            },
        .rest = {50},
    };
}

void
desk_open_at(struct desk *desk, const char *place, hf_scribe_open_fn *open,
             int64_t ttl_ms)
{
    struct hf_seat_config config = {
        .scribe = {.open = open,
                   .alloc = &hf_alloc_libc,
                   .told = told,
                   .ctx = desk},
        .node = desk_node(ttl_ms),
        .self = &desk->self,
        .name = "n1",
        .address = "here:7420",
    };
    struct hf_error error = {0};

    *desk = (struct desk){.told_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
    hf_self_learn(&desk->self);
    assert_int_equal(hf_place_parse(place, &config.scribe.place, &error),
                     HF_OK);
    assert_int_equal(hf_seat_open(&config, &desk->seat, &error), HF_OK);
    drain(desk);
}

void
desk_open(struct desk *desk, const char *place, int64_t ttl_ms)
{
    desk_open_at(desk, place, NULL, ttl_ms);
}

void
desk_open_by(struct desk *desk, hf_scribe_open_fn *open, int64_t ttl_ms)
{
    desk_open_at(desk, "sqlite:/nowhere/served.db", open, ttl_ms);
}

void
desk_close(struct desk *desk)
{
    hf_seat_close(desk->seat);
    desk->seat = NULL;
    close(desk->told_fd);
}

/* ---- Messages ------------------------------------------------------------ */

struct hf_message
desk_message(const struct desk *desk, enum hf_message_kind kind,
             uint64_t session)
{
    struct hf_message message = {
        .kind = kind,
        .session = session,
        .term = kind == HF_MESSAGE_OPEN ? 0 : desk->term,
    };

    memset(message.secret.bytes, (int)session, sizeof(message.secret.bytes));
    return message;
}

static const struct hf_answer *
answer_to(const struct desk *desk, uint64_t stream)
{
    for (size_t i = 0; i < desk->due_count; i++)
        if (desk->due[i].stream == stream)
            return &desk->due[i];
    return NULL;
}

void
desk_send(struct desk *desk, struct hf_message message)
{
    step(desk,
         (struct hf_node_event){.kind = HF_NODE_MESSAGE, .message = message});
}

static struct hf_answer
await_answer(struct desk *desk, uint64_t stream)
{
    struct hf_instant end = patience();
    const struct hf_answer *answer;

    while ((answer = answer_to(desk, stream)) == NULL) {
        assert_true(desk->refused != stream);
        assert_false(hf_reached(hf_now(), end));
        desk_turn(desk, 100);
    }
    return *answer;
}

struct hf_answer
desk_ask(struct desk *desk, struct hf_message message)
{
    message.stream = ++desk->stream;
    desk_send(desk, message);
    return await_answer(desk, message.stream);
}

struct hf_answer
desk_open_session(struct desk *desk, uint64_t id)
{
    struct hf_message open = desk_message(desk, HF_MESSAGE_OPEN, id);

    open.open.ttl.ms = 30000;
    open.open.who = (struct hf_bytes){"ann@db1", 7};
    return desk_ask(desk, open);
}

uint64_t
desk_ask_try(struct desk *desk, uint64_t session, uint64_t lane,
             const char *name)
{
    struct hf_want want = {{"default", 7}, {name, strlen(name)}, HF_EXCLUSIVE};
    struct hf_message acquire = desk_message(desk, HF_MESSAGE_ACQUIRE, session);

    acquire.lane = lane;
    acquire.n = 1;
    acquire.a = ++desk->stream;
    acquire.acquire.wants = &want;
    acquire.acquire.wants_count = 1;
    acquire.acquire.wait = HF_WAIT_TRY;
    acquire.stream = ++desk->stream;
    desk_send(desk, acquire);
    return acquire.stream;
}

struct hf_answer
desk_try(struct desk *desk, uint64_t session, uint64_t lane, const char *name)
{
    return await_answer(desk, desk_ask_try(desk, session, lane, name));
}

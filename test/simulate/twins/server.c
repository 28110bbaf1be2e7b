#include "simulate/twins/server.h"

#include "base/check.h"

void
twin_init(struct twin *twin, uint64_t service, int64_t ttl_ms)
{
    *twin = (struct twin){
        .service = service,
        .term = 100 * service,
        .ttl_ms = ttl_ms,
        .last_id = service << 32,
        .last_fence = 1000 * service,
    };
}

static void
say(struct twin *twin, const struct hf_answer *answer)
{
    if (answer->stream == 0)
        return;
    HF_CHECK(twin->answers_count < TWIN_ANSWERS);
    twin->answers[twin->answers_count++] = *answer;
}

static void
say_kind(struct twin *twin, enum hf_answer_kind kind, uint64_t stream)
{
    say(twin, &(struct hf_answer){.kind = kind, .stream = stream});
}

/* ---- The lock ------------------------------------------------------------ */

static bool
is_of(const struct twin_request *request, const struct hf_message *message)
{
    return request->session == message->session &&
           request->lane == message->lane && request->n == message->n;
}

static void
say_granted(struct twin *twin, uint64_t stream)
{
    say(twin, &(struct hf_answer){.kind = HF_ANSWER_GRANTED,
                                  .stream = stream,
                                  .fence = twin->last_fence});
}

static void
leave_line(struct twin *twin, unsigned at)
{
    twin->line_count--;
    for (; at < twin->line_count; at++)
        twin->line[at] = twin->line[at + 1];
}

/* The first that listens. */
static void
grant_next(struct twin *twin)
{
    for (unsigned i = 0; i < twin->line_count && twin->holder.session == 0;
         i++) {
        if (twin->line[i].stream == 0)
            continue;
        twin->holder = twin->line[i];
        leave_line(twin, i);
        twin->last_fence++;
        say_granted(twin, twin->holder.stream);
    }
}

static void
forget(struct twin *twin, uint64_t session)
{
    for (unsigned i = twin->line_count; i > 0; i--)
        if (twin->line[i - 1].session == session)
            leave_line(twin, i - 1);
    if (twin->holder.session == session)
        twin->holder.session = 0;
}

static void
on_acquire(struct twin *twin, struct twin_session *session,
           const struct hf_message *message)
{
    struct twin_request request = {message->session, message->lane, message->n,
                                   message->stream};

    if (message->n <= session->released[message->lane]) {
        say(twin, &(struct hf_answer){.kind = HF_ANSWER_OVER,
                                      .stream = message->stream,
                                      .over = HF_OVER_RELEASED});
        return;
    }
    if (is_of(&twin->holder, message)) {
        say_granted(twin, message->stream);
        return;
    }
    for (unsigned i = 0; i < twin->line_count; i++)
        if (is_of(&twin->line[i], message)) {
            twin->line[i] = request;
            grant_next(twin);
            return;
        }
    HF_CHECK(twin->line_count < TWIN_LINE);
    twin->line[twin->line_count++] = request;
    grant_next(twin);
}

static void
on_release(struct twin *twin, struct twin_session *session,
           const struct hf_message *message)
{
    if (message->n > session->released[message->lane])
        session->released[message->lane] = message->n;
    for (unsigned i = twin->line_count; i > 0; i--)
        if (is_of(&twin->line[i - 1], message))
            leave_line(twin, i - 1);
    if (is_of(&twin->holder, message))
        twin->holder.session = 0;
    say_kind(twin, HF_ANSWER_RELEASED, message->stream);
    grant_next(twin);
}

/* ---- Sessions ------------------------------------------------------------ */

static void
on_open(struct twin *twin, const struct hf_message *message, int64_t now_ms)
{
    uint64_t id = ++twin->last_id;

    twin->sessions[id % TWIN_SESSIONS] =
        (struct twin_session){.id = id, .heard_at = now_ms};
    say(twin,
        &(struct hf_answer){.kind = HF_ANSWER_OPENED,
                            .stream = message->stream,
                            .alive = {.session = id, .ttl = {twin->ttl_ms}}});
}

static void
on_end(struct twin *twin, struct twin_session *session, uint64_t stream)
{
    forget(twin, session->id);
    session->id = 0;
    say_kind(twin, HF_ANSWER_ENDED, stream);
    grant_next(twin);
}

static void
on_message(struct twin *twin, struct twin_session *session,
           const struct hf_message *message)
{
    switch (message->kind) {
    case HF_MESSAGE_KEEP_ALIVE:
        say(twin, &(struct hf_answer){.kind = HF_ANSWER_ALIVE,
                                      .stream = message->stream,
                                      .alive = {.session = session->id,
                                                .ttl = {twin->ttl_ms}}});
        return;
    case HF_MESSAGE_ACQUIRE:
        on_acquire(twin, session, message);
        return;
    case HF_MESSAGE_RELEASE:
        on_release(twin, session, message);
        return;
    case HF_MESSAGE_END:
        on_end(twin, session, message->stream);
        return;
    case HF_MESSAGE_OPEN:
    case HF_MESSAGE_PAGE:
    case HF_MESSAGE_CHANGE:
    case HF_MESSAGE_CLEAR:
        break;
    }
    HF_CHECK(!"nobody sends these here");
}

void
twin_hear(struct twin *twin, const struct hf_message *message, int64_t now_ms)
{
    struct twin_session *session =
        &twin->sessions[message->session % TWIN_SESSIONS];

    twin_clock(twin, now_ms);
    if (message->kind == HF_MESSAGE_OPEN) {
        on_open(twin, message, now_ms);
    } else if (message->term != twin->term) {
        say_kind(twin, HF_ANSWER_TERM, message->stream);
    } else if (session->id == 0 || session->id != message->session) {
        say_kind(twin, HF_ANSWER_GONE, message->stream);
    } else {
        HF_CHECK(message->lane < TWIN_LANES);
        session->heard_at = now_ms;
        on_message(twin, session, message);
    }
}

void
twin_clock(struct twin *twin, int64_t now_ms)
{
    for (unsigned i = 0; i < TWIN_SESSIONS; i++) {
        struct twin_session *session = &twin->sessions[i];

        if (session->id == 0 || now_ms - session->heard_at < twin->ttl_ms)
            continue;
        forget(twin, session->id);
        session->id = 0;
    }
    grant_next(twin);
}

void
twin_cut(struct twin *twin)
{
    for (unsigned i = 0; i < twin->line_count; i++)
        twin->line[i].stream = 0;
}

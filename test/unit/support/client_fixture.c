#include "unit/support/client_fixture.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/attrs.h"
#include "base/check.h"
#include "core/session/rows.h"
#include "lab/check.h"

struct hf_session_config
client_config(enum hf_if_dead if_dead)
{
    return (struct hf_session_config){
        .limits = {.wishes = 16, .nodes = 3, .page = 2},
        .terms = {.if_dead = if_dead, .ttl = {10000}, .beat = {1000}},
        .grace = {2000},
        .margin = {500},
        .silence = {5000},
        .seed = 42,
    };
}

HF_PRINTF(2, 3)
static void
add(struct client_fixture *client, const char *format, ...)
{
    size_t left = sizeof(client->text) - client->len;
    va_list args;
    int len;

    va_start(args, format);
    len = vsnprintf(client->text + client->len, left, format, args);
    va_end(args);
    HF_CHECK(len >= 0 && (size_t)len < left);
    client->len += (size_t)len;
}

void
client_hush(struct client_fixture *client)
{
    client->len = 0;
    client->text[0] = '\0';
}

/* ---- What it says -------------------------------------------------------- */

static void
write_notice(struct client_fixture *client,
             const struct hf_session_notice *tell)
{
    static const struct {
        enum hf_news news;
        const char *word;
    } words[] = {
        {HF_NEWS_AT_RISK, "at risk"},   {HF_NEWS_CERTAIN, "certain"},
        {HF_NEWS_IN_DOUBT, "in doubt"}, {HF_NEWS_LOST, "lost"},
        {HF_NEWS_CHANGED, "changed"},   {HF_NEWS_SUSPECTED, "suspected"},
    };
    unsigned long long id = tell->id;

    if (tell->news & HF_NEWS_GRANTED)
        add(client, "wish %llu granted %llu\n", id,
            (unsigned long long)tell->fence);
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (tell->news & words[i].news)
            add(client, "wish %llu %s\n", id, words[i].word);
    if (tell->news & HF_NEWS_ENDED) {
        assert_int_equal(tell->state, HF_STATE_ENDED);
        add(client, "wish %llu ended: %s\n", id,
            tell->status == HF_OK ? hf_outcome_word(tell->outcome)
                                  : hf_status_name(tell->status));
    }
}

static void
write_acquire(struct client_fixture *client, const struct hf_message *message)
{
    client->seen = message->acquire.seen;
    if (message->acquire.free)
        add(client, ", until free");
    if (message->acquire.wait == HF_WAIT_TRY)
        add(client, ", try");
    else if (message->acquire.wait == HF_WAIT_LIMITED)
        add(client, ", %lld ms", (long long)message->acquire.remaining.ms);
    if (message->acquire.waited.ms > 0)
        add(client, ", waited %lld ms", (long long)message->acquire.waited.ms);
}

static void
write_page(struct client_fixture *client)
{
    uint32_t cursor = 0;
    uint64_t fence;

    while (hf_session_page(client->session, &cursor, &fence))
        add(client, " %llu", (unsigned long long)fence);
}

static void
write_message(struct client_fixture *client, const struct hf_session_send *send)
{
    static const char *const words[] = {
        [HF_MESSAGE_OPEN] = "open",
        [HF_MESSAGE_KEEP_ALIVE] = "keep-alive",
        [HF_MESSAGE_PAGE] = "page",
        [HF_MESSAGE_ACQUIRE] = "acquire",
        [HF_MESSAGE_RELEASE] = "release",
        [HF_MESSAGE_CHANGE] = "change",
        [HF_MESSAGE_END] = "end",
    };
    const struct hf_message *message = &send->message;

    add(client, "%u: #%llu %s", send->node, (unsigned long long)message->stream,
        words[message->kind]);
    if (send->id != 0)
        add(client, " %llu.%llu", (unsigned long long)message->lane,
            (unsigned long long)message->n);
    if (message->kind == HF_MESSAGE_ACQUIRE) {
        add(client, ".%llu", (unsigned long long)message->a);
        write_acquire(client, message);
    } else if (message->kind == HF_MESSAGE_PAGE) {
        write_page(client);
    } else if (message->kind == HF_MESSAGE_CHANGE) {
        add(client, " [%u]", send->index);
    }
    if (message->term != 7 && message->kind != HF_MESSAGE_OPEN)
        add(client, ", term %llu", (unsigned long long)message->term);
    if (message->lowest > 1)
        add(client, ", lowest %llu", (unsigned long long)message->lowest);
    add(client, "\n");
}

static void
step(struct client_fixture *client, struct hf_session_event event)
{
    struct hf_session_effect effect;

    event.at = client->now;
    hf_session_step(client->session, &event);
    while (hf_session_next(client->session, &effect)) {
        switch (effect.kind) {
        case HF_SESSION_TELL:
            write_notice(client, &effect.tell);
            break;
        case HF_SESSION_CLOSE:
            add(client, "close #%llu\n", (unsigned long long)effect.stream);
            break;
        case HF_SESSION_SEND:
            write_message(client, &effect.send);
            break;
        }
    }
    hf_session_check(client->session);
}

/* ---- Sessions ------------------------------------------------------------ */

struct client_fixture
client_with(const struct hf_session_config *config)
{
    struct client_fixture client = {.now = {1000}};
    void *block;

    HF_CHECK(hf_session_valid(config));
    block = calloc(1, hf_session_size(config));
    HF_CHECK(block != NULL);
    client.session = hf_session_init(block, config);
    return client;
}

struct client_fixture
client_new(void)
{
    struct hf_session_config config = client_config(HF_TAKEOVER);

    return client_with(&config);
}

struct client_fixture
client_holding(enum hf_if_dead if_dead)
{
    struct hf_session_config config = client_config(if_dead);
    struct client_fixture client = client_with(&config);

    client_want(&client, (struct want){.id = 1});
    client_opened(&client, 1);
    client_granted(&client, 2, 101);
    client_hush(&client);
    return client;
}

void
client_fini(struct client_fixture *client)
{
    free(client->session);
}

/* ---- Events -------------------------------------------------------------- */

void
client_want(struct client_fixture *client, struct want want)
{
    struct hf_session_event event = {.kind = HF_SESSION_WANT};

    event.want.id = want.id;
    event.want.label = want.label;
    event.want.free = want.free;
    event.want.wait = want.try_only       ? HF_WAIT_TRY
                      : want.wait_ms == 0 ? HF_WAIT_FOREVER
                                          : HF_WAIT_LIMITED;
    event.want.deadline =
        want.wait_ms == 0
            ? HF_NEVER
            : hf_after(client->now, (struct hf_duration){want.wait_ms});
    event.want.patience.ms = want.patience_ms;
    event.want.fail_suspected = want.fail_suspected;
    step(client, event);
}

void
client_release(struct client_fixture *client, uint64_t id)
{
    step(client, (struct hf_session_event){.kind = HF_SESSION_RELEASE,
                                           .wish = {.id = id}});
}

void
client_change(struct client_fixture *client, uint64_t id, unsigned index)
{
    step(client, (struct hf_session_event){.kind = HF_SESSION_CHANGE,
                                           .wish = {.id = id, .index = index}});
}

void
client_leave(struct client_fixture *client, uint64_t id)
{
    step(client, (struct hf_session_event){.kind = HF_SESSION_LEAVE,
                                           .wish = {.id = id}});
}

void
client_end(struct client_fixture *client)
{
    step(client, (struct hf_session_event){.kind = HF_SESSION_END});
}

static void
tell_held(const struct client_fixture *client, const struct said *said,
          uint64_t *held, struct hf_session_event *event)
{
    const struct hf_session *s = client->session;
    const char *text = said->holds;
    size_t count = 0;
    char *end;

    for (uint32_t at = s->granted.first; text == NULL && at != 0;
         at = hf_row_next(s, HF_ROW_MATES, at))
        held[count++] = hf_wish_at(s, at)->fence;
    for (; text != NULL && *text != '\0'; text = end)
        held[count++] = strtoull(text, &end, 10);
    for (size_t i = 0; i < count; i++)
        hf_fence_sum_add(&event->answer.answer.alive.held, held[i]);
    event->answer.held = said->summed ? NULL : held;
    event->answer.held_count = count;
}

void
client_services(struct client_fixture *client, const uint64_t *each,
                enum hf_services_verdict verdict)
{
    step(client, (struct hf_session_event){.kind = HF_SESSION_SERVICES,
                                           .services = {each, verdict}});
}

void
client_hears(struct client_fixture *client, struct said said)
{
    uint64_t held[16];
    struct hf_session_event event = {.kind = HF_SESSION_ANSWER};
    struct hf_answer *answer = &event.answer.answer;

    answer->kind = said.kind;
    answer->stream = said.stream;
    event.answer.term = said.term == 0 ? 7 : said.term;
    event.answer.leader = said.leader;
    event.answer.service = said.service;
    if (said.kind == HF_ANSWER_GRANTED) {
        answer->fence = said.fence;
    } else if (said.kind == HF_ANSWER_OVER) {
        answer->over = said.over;
        event.answer.blocker = said.blocker;
    } else if (said.kind == HF_ANSWER_TERM) {
        answer->pause_us = said.pause_us;
    } else if (said.kind == HF_ANSWER_LATER) {
        answer->grace.ms = said.grace_ms;
        answer->cause = said.cause;
    } else if (said.kind == HF_ANSWER_OPENED) {
        answer->alive.session = 77;
        event.answer.blocking.ms = said.blocking_ms;
        event.answer.secret.bytes[0] = 1;
    } else {
        event.answer.fences = &said.fence;
        event.answer.fences_count = said.fence != 0;
        if (said.kind == HF_ANSWER_ALIVE)
            tell_held(client, &said, held, &event);
    }
    step(client, event);
}

void
client_opened(struct client_fixture *client, uint64_t stream)
{
    client_hears(client,
                 (struct said){.stream = stream, .kind = HF_ANSWER_OPENED});
}

void
client_granted(struct client_fixture *client, uint64_t stream, uint64_t fence)
{
    client_hears(client, (struct said){.stream = stream,
                                       .kind = HF_ANSWER_GRANTED,
                                       .fence = fence});
}

void
client_alive(struct client_fixture *client, uint64_t stream)
{
    client_hears(client,
                 (struct said){.stream = stream, .kind = HF_ANSWER_ALIVE});
}

void
client_stream_ends(struct client_fixture *client, uint64_t stream)
{
    struct hf_session_event event = {.kind = HF_SESSION_STREAM_ENDED};

    event.broken.stream = stream;
    step(client, event);
}

void
client_stream_is_cut(struct client_fixture *client, uint64_t stream)
{
    step(client, (struct hf_session_event){.kind = HF_SESSION_STREAM_ENDED,
                                           .broken = {stream, true}});
}

void
client_sees(struct client_fixture *client, uint64_t id,
            struct hf_blocker blocker)
{
    step(client,
         (struct hf_session_event){.kind = HF_SESSION_SEEN,
                                   .wish = {.id = id, .blocker = blocker}});
}

void
client_clock(struct client_fixture *client, int64_t ms)
{
    client->now.ms = ms;
    step(client, (struct hf_session_event){.kind = HF_SESSION_CLOCK});
}

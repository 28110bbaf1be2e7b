#include "core/session/messages.h"

#include "core/session/patience.h"
#include "core/session/rows.h"

uint32_t
hf_messages_of_stream(struct hf_session *s, uint64_t stream)
{
    uint32_t at = hf_index_first(s, &s->by_stream, hf_wish_hash(stream));

    while (at != 0 && hf_wish_at(s, at)->stream != stream)
        at = hf_index_next(s, &s->by_stream, at);
    return at;
}

/* Set the timer of the request. */
void
hf_messages_set_timer(struct hf_session *s, uint32_t number)
{
    const struct hf_wish *wish = hf_wish_at(s, number);
    struct hf_instant at = wish->due;

    if (hf_wish_waits(wish))
        at = hf_earlier(at, hf_patience_deadline(wish));
    if (at.ms == HF_NEVER.ms)
        hf_timers_remove(s, &s->timers, number);
    else
        hf_timers_set(s, &s->timers, number, at.ms);
}

/* Nothing is out, and nothing will be sent. */
void
hf_messages_rest(struct hf_session *s, uint32_t number)
{
    struct hf_wish *wish = hf_wish_at(s, number);

    if (wish->stream != 0) {
        hf_session_close(s, wish->stream);
        hf_messages_take_stream(s, number);
    }
    if (wish->ready)
        hf_row_remove(s, &s->ready, HF_ROW_WORK, number);
    wish->ready = false;
    wish->due = HF_NEVER;
    hf_messages_set_timer(s, number);
}

void
hf_messages_take_stream(struct hf_session *s, uint32_t number)
{
    struct hf_wish *wish = hf_wish_at(s, number);

    hf_index_remove(s, &s->by_stream, hf_wish_hash(wish->stream), number);
    hf_row_remove(s, &s->sent, HF_ROW_WORK, number);
    wish->stream = 0;
    wish->due = HF_NEVER;
    hf_messages_set_timer(s, number);
}

void
hf_messages_again(struct hf_session *s, uint32_t number)
{
    hf_messages_rest(s, number);
    hf_row_add(s, &s->ready, HF_ROW_WORK, number);
    hf_wish_at(s, number)->ready = true;
}

void
hf_messages_again_after(struct hf_session *s, uint32_t number,
                        struct hf_duration pause)
{
    hf_messages_rest(s, number);
    hf_wish_at(s, number)->due = hf_after(s->now, pause);
    hf_messages_set_timer(s, number);
}

void
hf_messages_again_all(struct hf_session *s)
{
    while (s->sent.first != 0)
        hf_messages_again(s, s->sent.first);
}

static void
send_message(struct hf_session *s, uint32_t number)
{
    struct hf_wish *wish = hf_wish_at(s, number);
    struct hf_duration patience = hf_session_patience(s);

    hf_row_remove(s, &s->ready, HF_ROW_WORK, number);
    wish->ready = false;
    wish->stream = ++s->last_stream;
    wish->node = s->nodes.current;
    hf_index_add(s, &s->by_stream, hf_wish_hash(wish->stream), number);
    hf_row_add(s, &s->sent, HF_ROW_WORK, number);
    if (s->untold == 0)
        s->untold = number;
    if (wish->state == HF_WISH_ASKING) {
        wish->a++;
        if (wish->asked_at.ms == HF_NEVER.ms)
            wish->asked_at = s->now;
        wish->asked = true;
        if (wish->wait != HF_WAIT_TRY)
            patience = s->silence;
    }
    if (wish->changing != 0)
        wish->lowering = (uint8_t)__builtin_ctzll(wish->changing);
    wish->due = hf_after(s->now, patience);
    hf_messages_set_timer(s, number);
}

void
hf_messages_send(struct hf_session *s)
{
    while (s->ready.first != 0)
        send_message(s, s->ready.first);
}

#include "core/keeper_ask.h"

#include "base/check.h"
#include "core/keeper_sent.h"

static enum hf_question
next_question(const struct hf_keeper *k)
{
    if (k->must_read)
        return HF_ASK_READ;
    switch (k->state) {
    case HF_KEEPER_CLAIMING:
        return HF_ASK_CLAIM;
    case HF_KEEPER_CONFIRMING:
    case HF_KEEPER_HELD:
    case HF_KEEPER_IN_DOUBT:
        return HF_ASK_BEAT;
    case HF_KEEPER_SETTLING:
        return HF_ASK_DELETE;
    case HF_KEEPER_IDLE:
        break;
    }
    return HF_ASK_NOTHING;
}

void
hf_keeper_ask(struct hf_keeper *k, struct hf_instant now)
{
    hf_asker_ask(&k->asker, next_question(k), now);
    if (k->asker.question != HF_ASK_READ)
        hf_keeper_sent_add(k);
    hf_outbox_add(&k->outbox, HF_OUTBOX_ASK);
}

static struct hf_op
lock_op(const struct hf_keeper *k, enum hf_op_kind kind)
{
    return (struct hf_op){
        .kind = kind,
        .target = HF_TARGET_LOCK,
        .expect = {HF_EXPECT_VERSION, k->version},
        .heartbeat = k->heartbeat,
        .terms = k->config.terms,
    };
}

static void
add_marker_op(const struct hf_keeper *k, struct hf_request *request)
{
    bool put = k->asker.question == HF_ASK_CLAIM;

    if (k->over == 0)
        return;
    request->ops[request->ops_count++] = (struct hf_op){
        .kind = put ? HF_PUT : HF_ERASE,
        .target = HF_TARGET_MARKER,
        .expect = {put ? HF_EXPECT_ABSENT : HF_EXPECT_ANYTHING, 0},
        .new_generation = put,
        .subject = k->over,
        .heartbeat = k->heartbeat,
        .terms = k->config.terms,
    };
}

void
hf_keeper_request(const struct hf_keeper *k, struct hf_request *request)
{
    struct hf_op *op = &request->ops[0];

    *request = (struct hf_request){.number = k->asker.number, .ops_count = 1};
    switch (k->asker.question) {
    case HF_ASK_CLAIM:
        *op = lock_op(k, HF_PUT);
        op->new_generation = true;
        add_marker_op(k, request);
        break;
    case HF_ASK_BEAT:
        *op = lock_op(k, HF_PUT);
        op->heartbeat.count++;
        add_marker_op(k, request);
        break;
    case HF_ASK_DELETE:
        *op = lock_op(k, HF_DELETE);
        add_marker_op(k, request);
        break;
    case HF_ASK_READ:
        request->read = true;
        request->ops_count = 0;
        break;
    case HF_ASK_NOTHING:
    case HF_ASK_CLEAR:
        HF_CHECK(!"a question that a keeper never asks");
    }
}

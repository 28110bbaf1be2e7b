#include "core/trace.h"

#include <inttypes.h>

#include "base/text.h"

const char *
hf_trace_notice(enum hf_notice_kind notice)
{
    switch (notice) {
    case HF_NOTICE_WAITING:
        return "waiting";
    case HF_NOTICE_SUSPECTED:
        return "suspected";
    case HF_NOTICE_GRANTED:
        return "granted";
    case HF_NOTICE_IN_DOUBT:
        return "in doubt";
    case HF_NOTICE_CERTAIN:
        return "certain";
    case HF_NOTICE_LOST:
        return "lost";
    case HF_NOTICE_NOT_MINE:
        return "not mine";
    case HF_NOTICE_SETTLED:
        return "settled";
    case HF_NOTICE_ENDED:
        return "ended";
    }
    return "?";
}

static void
add_heartbeat(struct hf_text *text, const struct hf_heartbeat *heartbeat)
{
    hf_text_addf(text, " %" PRIu64 "_%" PRIu64, heartbeat->id,
                 heartbeat->count);
}

static void
add_sight(struct hf_text *text, const struct hf_sight *sight)
{
    switch (sight->kind) {
    case HF_SIGHT_LOCK:
        hf_text_addf(text, " lock v%" PRIu64, sight->version);
        add_heartbeat(text, &sight->heartbeat);
        hf_text_addf(text, " token %" PRIu64 " %s ttl %" PRId64, sight->token,
                     hf_if_dead_word(sight->terms.if_dead),
                     sight->terms.ttl.ms);
        if (sight->stood.ms > 0)
            hf_text_addf(text, " stood %" PRId64, sight->stood.ms);
        break;
    case HF_SIGHT_ABSENT:
        hf_text_addf(text, " absent v%" PRIu64, sight->version);
        break;
    case HF_SIGHT_CORRUPT:
        hf_text_addf(text, " corrupt v%" PRIu64 " token %" PRIu64,
                     sight->version, sight->token);
        break;
    case HF_SIGHT_NONE:
        hf_text_add(text, " failed");
        break;
    }
}

static void
add_claim(struct hf_text *text, const struct hf_claim *claim)
{
    hf_text_addf(text, "claim %" PRIu64 " v%" PRIu64, claim->id,
                 claim->version);
    if (claim->over != 0)
        hf_text_addf(text, " over %" PRIu64, claim->over);
}

static void
add_answer(struct hf_text *text, const struct hf_event *event)
{
    hf_text_addf(text, "answer #%" PRIu64 " %s", event->answer.number,
                 hf_verdict_word(event->answer.verdict));
    if (event->answer.verdict == HF_APPLIED)
        hf_text_addf(text, " v%" PRIu64, event->answer.version);
}

size_t
hf_trace_event(const struct hf_event *event, char *buffer, size_t size)
{
    struct hf_text text;

    hf_text_init(&text, buffer, size);
    hf_text_addf(&text, "%" PRId64 " ", event->at.ms);
    switch (event->kind) {
    case HF_ON_ACQUIRE:
        hf_text_add(&text, "acquire");
        break;
    case HF_ON_EXAMINE:
        hf_text_add(&text, "examine");
        break;
    case HF_ON_CLAIM:
        add_claim(&text, &event->claim);
        break;
    case HF_ON_ANSWER:
        add_answer(&text, event);
        break;
    case HF_ON_FOUND:
        hf_text_addf(&text, "found #%" PRIu64, event->found.number);
        add_sight(&text, &event->found.sight);
        break;
    case HF_ON_PROCESSES:
        hf_text_addf(&text, "evidence v%" PRIu64 " %s",
                     event->processes.version,
                     event->processes.gone ? "gone" : "running");
        break;
    case HF_ON_HINT:
        hf_text_add(&text, "hint");
        break;
    case HF_ON_WRITE:
        hf_text_add(&text, "write");
        break;
    case HF_ON_CLOCK:
        hf_text_add(&text, "clock");
        break;
    case HF_ON_WENT_BACK:
        hf_text_add(&text, "went back");
        break;
    case HF_ON_RELEASE:
        hf_text_add(&text, "release");
        break;
    case HF_ON_CANCEL:
        hf_text_add(&text, "cancel");
        break;
    case HF_ON_ABANDON:
        hf_text_add(&text, "abandon");
        break;
    }
    return text.len;
}

static void
add_op(struct hf_text *text, const struct hf_op *op)
{
    hf_text_addf(text, " %s %s", hf_op_kind_word(op->kind),
                 hf_target_word(op->target));
    if (op->target != HF_TARGET_LOCK)
        hf_text_addf(text, " %" PRIu64, op->subject);
    switch (op->expect.kind) {
    case HF_EXPECT_VERSION:
        hf_text_addf(text, " v%" PRIu64, op->expect.version);
        break;
    case HF_EXPECT_ABSENT:
        hf_text_add(text, " absent");
        break;
    case HF_EXPECT_ANYTHING:
        hf_text_add(text, " any");
        break;
    }
    if (op->kind == HF_PUT && op->target == HF_TARGET_LOCK)
        add_heartbeat(text, &op->heartbeat);
    if (op->new_generation)
        hf_text_add(text, " new");
}

size_t
hf_trace_effect(struct hf_instant at, const struct hf_effect *effect,
                char *buffer, size_t size)
{
    struct hf_text text;

    hf_text_init(&text, buffer, size);
    hf_text_addf(&text, "%" PRId64, at.ms);
    switch (effect->kind) {
    case HF_DO_ASK:
        hf_text_addf(&text, " ask #%" PRIu64, effect->request.number);
        if (effect->request.read)
            hf_text_add(&text, " read");
        for (unsigned i = 0; i < effect->request.ops_count; i++) {
            if (i > 0)
                hf_text_add(&text, ",");
            add_op(&text, &effect->request.ops[i]);
        }
        break;
    case HF_DO_NOTIFY:
        hf_text_addf(&text, " %s", hf_trace_notice(effect->notice));
        break;
    }
    return text.len;
}

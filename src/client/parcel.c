#include "client/parcel.h"

#include <stdio.h>
#include <string.h>

/* What is cleared, for the audit; without memory the clear is not packed. */
static struct hf_diagnosis *
diagnose(const struct hf_errand *errand, struct hf_arena *arena)
{
    struct hf_diagnosis *diagnosis;

    if (errand->kind != HF_ERRAND_EXAMINE || errand->request.read ||
        errand->seen == NULL)
        return NULL;
    diagnosis = hf_arena_take(arena, sizeof(*diagnosis));
    if (diagnosis != NULL)
        hf_errand_diagnose(errand, diagnosis);
    return diagnosis;
}

/* Until the end of the right that it could give; a claim no longer than the
 * wait for the lock. */
static struct hf_instant
worth_of_write(const struct hf_errand *errand)
{
    const struct hf_contender *c = &errand->contender;
    const struct hf_keeper_config *config = &c->keeper.config;
    struct hf_duration right = {config->terms.ttl.ms - config->margin.ms};
    struct hf_instant until = hf_after(c->keeper.question.asked_at, right);

    if (c->keeper.question.kind == HF_ASK_CLAIM)
        until = hf_earlier(until, c->limit_at);
    return until;
}

/*
 * The patience of a machine tells when to ask again, not when to give up an
 * answer: a call is given as long as its answer can be of use.  A read's is
 * over a little before the machine gives it up, so that the store can say why;
 * and there is always some time left for a first try.
 */
static struct hf_instant
time_for(const struct hf_errand *errand)
{
    const struct hf_question *question =
        errand->kind == HF_ERRAND_LOCK ? &errand->contender.keeper.question
                                       : &errand->examiner.question;
    int64_t call_ms = question->config.call.ms;
    struct hf_duration least = {hf_question_patience(question).ms / 16};
    struct hf_instant until = hf_after(
        question->asked_at, (struct hf_duration){call_ms - call_ms / 8});

    if (errand->kind == HF_ERRAND_LOCK && !errand->request.read)
        until = worth_of_write(errand);
    return hf_later(until, hf_after(hf_now(), least));
}

void
hf_parcel_init(struct hf_parcel *parcel, struct hf_errand *errand,
               struct hf_arena *arena)
{
    *parcel = (struct hf_parcel){
        .errand = errand,
        .request = errand->request,
        .until = time_for(errand),
        .diagnosis = diagnose(errand, arena),
    };
}

/* The key of the marker or audit record that goes with a lock: its parts are
 * prefixed with their lengths, so that no two keys collide. */
static char *
companion_name(const struct hf_errand *errand, uint64_t subject,
               struct hf_arena *arena)
{
    char text[HF_SPACE_MAX + HF_NAME_MAX + 64];

    snprintf(text, sizeof(text), "%zu:%s,%zu:%s,%llu", strlen(errand->space),
             errand->space, strlen(errand->name), errand->name,
             (unsigned long long)subject);
    return hf_arena_copy(arena, text);
}

static char *
encode_claim(const struct hf_errand *errand, const struct hf_op *op,
             struct hf_arena *arena)
{
    char text[HF_RECORD_TEXT_MAX];
    struct hf_value value = {op->heartbeat, op->terms, errand->owner};

    hf_record_encode(&value, text, sizeof(text));
    return hf_arena_copy(arena, text);
}

static char *
encode_audit(const struct hf_parcel *parcel, struct hf_arena *arena)
{
    char text[HF_RECORD_TEXT_MAX];
    const struct hf_owner *by = &parcel->errand->owner;
    struct hf_audit_entry entry = {
        .asked_ms = by->since_ms,
        .forced = parcel->errand->force,
    };

    if (parcel->diagnosis == NULL)
        return NULL;
    entry.cleared = parcel->diagnosis->record;
    memcpy(entry.host, by->host, sizeof(entry.host));
    memcpy(entry.user, by->user, sizeof(entry.user));
    memcpy(entry.command, by->command, sizeof(entry.command));
    memcpy(entry.reason, by->reason, sizeof(entry.reason));
    hf_audit_encode(&entry, text, sizeof(text));
    return hf_arena_copy(arena, text);
}

static bool
pack_op(struct hf_parcel *parcel, size_t index, struct hf_arena *arena)
{
    const struct hf_errand *errand = parcel->errand;
    const struct hf_op *op = &parcel->request.ops[index];
    struct hf_store_op *packed = &parcel->ops[index];

    *packed = (struct hf_store_op){
        .kind = op->kind,
        .expect = op->expect,
        .new_generation = op->new_generation,
    };
    switch (op->target) {
    case HF_TARGET_LOCK:
        packed->key = (struct hf_key){errand->space, errand->name};
        break;
    case HF_TARGET_MARKER:
        packed->key.space = "!RECLAIM";
        packed->key.name = companion_name(errand, op->subject, arena);
        break;
    case HF_TARGET_AUDIT:
        packed->key.space = "!audit";
        packed->key.name = companion_name(errand, op->subject, arena);
        break;
    }
    if (op->kind == HF_PUT) {
        packed->value = op->target == HF_TARGET_AUDIT
                            ? encode_audit(parcel, arena)
                            : encode_claim(errand, op, arena);
        packed->value_len = packed->value == NULL ? 0 : strlen(packed->value);
    }
    return packed->key.name != NULL &&
           (op->kind != HF_PUT || packed->value != NULL);
}

bool
hf_parcel_pack(struct hf_parcel *parcel, struct hf_store_group *group,
               struct hf_arena *arena)
{
    const struct hf_request *request = &parcel->request;
    bool claims = request->ops[0].new_generation;
    bool packed = true;

    if (claims || parcel->diagnosis != NULL)
        parcel->errand->owner.since_ms = hf_wall_ms();
    for (size_t i = 0; i < request->ops_count; i++)
        packed = packed && pack_op(parcel, i, arena);
    if (!packed)
        return false;
    *group = (struct hf_store_group){
        .ops = parcel->ops,
        .ops_count = request->ops_count,
    };
    parcel->group = group;
    return true;
}

#include "client/parcel.h"

#include <stdio.h>
#include <string.h>

/* What is cleared, for the audit; without memory the clear is not packed. */
static struct hf_diagnosis *
diagnose(const struct hf_errand *errand, struct hf_arena *arena)
{
    struct hf_diagnosis *diagnosis;

    if (errand->kind != HF_ERRAND_EXAMINE || errand->seen == NULL)
        return NULL;
    diagnosis = hf_arena_take(arena, sizeof(*diagnosis));
    if (diagnosis != NULL)
        hf_errand_diagnose(errand, diagnosis);
    return diagnosis;
}

/* Shorter than the machine's patience, which takes silence for an answer that
 * is unknown: of a file that is locked, the store says that nothing was done.
 * Once it has said so, it has no more time than the wait; but always some. */
static struct hf_instant
time_for(const struct hf_errand *errand)
{
    bool waits = errand->kind == HF_ERRAND_LOCK && !errand->granted;
    const struct hf_asker *asker = errand->kind == HF_ERRAND_LOCK
                                       ? &errand->contender.keeper.asker
                                       : &errand->examiner.asker;
    int64_t patience_ms = asker->patience.ms;
    struct hf_duration most = {patience_ms - patience_ms / 8};
    struct hf_duration least = {patience_ms / 16};
    struct hf_instant until = hf_after(asker->asked_at, most);

    if (waits && asker->failures > 0)
        until = hf_earlier(until, errand->contender.limit_at);
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

#include "client/table/seen.h"

#include <string.h>

#include "wire/record.h"

/* ---- A value, packed ----------------------------------------------------- */

/*
 * A value takes about as many bytes as there is to it, half of what it takes as
 * JSON; for thousands of waiters keep their holders', and show none of them.
 * Of any alignment; good in this process only.
 *
 * This is what has one size.  Behind it come the processes, then the strings,
 * each with its NUL.
 */
struct head {
    struct hf_heartbeat heartbeat;
    struct hf_terms terms;
    int64_t since_ms;
    uint64_t pidns;
    size_t processes_count;
};

enum { STRINGS = 5 };

static void
list_strings(const struct hf_owner *owner, const char *strings[STRINGS])
{
    strings[0] = owner->host;
    strings[1] = owner->user;
    strings[2] = owner->command;
    strings[3] = owner->reason;
    strings[4] = owner->boot;
}

static size_t
processes_len(size_t count)
{
    return count * sizeof(struct hf_process);
}

/* How many bytes it takes. */
static size_t
packed_len(const struct hf_value *value)
{
    const char *strings[STRINGS];
    size_t len =
        sizeof(struct head) + processes_len(value->owner.processes_count);

    list_strings(&value->owner, strings);
    for (int i = 0; i < STRINGS; i++)
        len += strlen(strings[i]) + 1;
    return len;
}

static char *
put(char *at, const void *bytes, size_t len)
{
    memcpy(at, bytes, len);
    return at + len;
}

static void
pack_value(const struct hf_value *value, char *bytes)
{
    const struct hf_owner *owner = &value->owner;
    const struct head head = {
        .heartbeat = value->heartbeat,
        .terms = value->terms,
        .since_ms = owner->since_ms,
        .pidns = owner->pidns,
        .processes_count = owner->processes_count,
    };
    const char *strings[STRINGS];

    bytes = put(bytes, &head, sizeof(head));
    bytes = put(bytes, owner->processes, processes_len(head.processes_count));
    list_strings(owner, strings);
    for (int i = 0; i < STRINGS; i++)
        bytes = put(bytes, strings[i], strlen(strings[i]) + 1);
}

static const char *
take(const char *at, void *bytes, size_t len)
{
    memcpy(bytes, at, len);
    return at + len;
}

/* unpack(pack(x)) = x. */
static void
unpack_value(const char *bytes, struct hf_value *value)
{
    struct hf_owner *owner = &value->owner;
    struct head head;

    bytes = take(bytes, &head, sizeof(head));
    *value = (struct hf_value){
        .heartbeat = head.heartbeat,
        .terms = head.terms,
        .owner = {.since_ms = head.since_ms,
                  .pidns = head.pidns,
                  .processes_count = head.processes_count},
    };
    bytes = take(bytes, owner->processes, processes_len(head.processes_count));
    bytes = take(bytes, owner->host, strlen(bytes) + 1);
    bytes = take(bytes, owner->user, strlen(bytes) + 1);
    bytes = take(bytes, owner->command, strlen(bytes) + 1);
    bytes = take(bytes, owner->reason, strlen(bytes) + 1);
    (void)take(bytes, owner->boot, strlen(bytes) + 1);
}

/* ---- A reading ----------------------------------------------------------- */

static bool
take_ours(struct hf_reading *reading, const struct hf_value *value,
          struct hf_arena *arena)
{
    size_t len = packed_len(value);
    char *packed = hf_arena_take(arena, len);

    if (packed == NULL)
        return false;
    pack_value(value, packed);
    reading->sight.kind = HF_SIGHT_LOCK;
    reading->sight.heartbeat = value->heartbeat;
    reading->sight.terms = value->terms;
    reading->value = packed;
    reading->value_len = (uint32_t)len;
    return true;
}

bool
hf_reading_take(struct hf_reading *reading, const struct hf_stored *stored,
                struct hf_arena *arena)
{
    struct hf_value value;
    char *text;

    reading->sight.kind = HF_SIGHT_CORRUPT;
    reading->value = NULL;
    reading->value_len = 0;
    if (stored->len >= stored->room)
        return true;
    if (hf_record_decode(stored->text, stored->len, &value, NULL) == HF_OK)
        return take_ours(reading, &value, arena);
    text = hf_arena_take(arena, stored->len + 1);
    if (text == NULL)
        return false;
    memcpy(text, stored->text, stored->len);
    reading->value = text;
    reading->value_len = (uint32_t)stored->len;
    return true;
}

/* ---- What was seen ------------------------------------------------------- */

static bool
is_same(const struct hf_seen *seen, const struct hf_reading *reading)
{
    bool exists = reading->sight.kind != HF_SIGHT_ABSENT;

    return seen->exists == exists && seen->version == reading->sight.version &&
           seen->token == reading->sight.token;
}

/* A copy of some bytes, or NULL. */
static char *
copy_value(const struct hf_alloc *alloc, const char *value, size_t len)
{
    char *copy = value == NULL ? NULL : hf_calloc(alloc, len == 0 ? 1 : len, 1);

    if (copy != NULL)
        memcpy(copy, value, len);
    return copy;
}

/* A beat, another holder, or the end of one. */
static void
note_change(struct hf_seen *seen, const struct hf_sight *sight,
            struct hf_instant now)
{
    bool exists = sight->kind != HF_SIGHT_ABSENT;
    bool same_holder = seen->exists && exists && seen->token == sight->token;

    if (same_holder)
        seen->beat_at = now;
    else if (seen->version != 0)
        seen->changed_at = now;
    if (!same_holder) {
        seen->here = false;
        seen->presence = HF_PRESENCE_UNKNOWN;
    }
    if (exists && !seen->exists)
        seen->first_at = now;
    seen->shown_at = now;
}

bool
hf_seen_take(struct hf_seen *seen, const struct hf_alloc *alloc,
             const struct hf_reading *reading, struct hf_instant now)
{
    const struct hf_sight *sight = &reading->sight;

    if (seen->shown_at.ms != 0 && is_same(seen, reading))
        return false;
    note_change(seen, sight, now);
    hf_free(alloc, seen->value);
    seen->value = copy_value(alloc, reading->value, reading->value_len);
    seen->value_len = reading->value_len;
    seen->exists = sight->kind != HF_SIGHT_ABSENT;
    seen->corrupt = sight->kind == HF_SIGHT_CORRUPT;
    seen->version = sight->version;
    seen->token = sight->token;
    seen->stamp_ms = reading->stamp_ms;
    return true;
}

void
hf_seen_keep(struct hf_seen *seen, const struct hf_alloc *alloc,
             const struct hf_value *value)
{
    size_t len = packed_len(value);

    seen->value = hf_calloc(alloc, len, 1);
    if (seen->value == NULL)
        return;
    pack_value(value, seen->value);
    seen->value_len = (uint32_t)len;
}

struct hf_seen
hf_seen_copy(const struct hf_seen *seen, const struct hf_alloc *alloc)
{
    struct hf_seen copy = *seen;

    copy.value = copy_value(alloc, seen->value, seen->value_len);
    return copy;
}

void
hf_seen_forget(struct hf_seen *seen, const struct hf_alloc *alloc)
{
    hf_free(alloc, seen->value);
    *seen = (struct hf_seen){.exists = false};
}

bool
hf_seen_value(const struct hf_seen *seen, struct hf_value *value)
{
    if (!seen->exists || seen->corrupt || seen->value == NULL)
        return false;
    unpack_value(seen->value, value);
    return true;
}

static const struct hf_error forgotten = {
    HF_E_NOMEM, "there was no memory to keep what was read"};

static void
describe_corrupt(const struct hf_seen *seen, struct hf_diagnosis *diagnosis)
{
    struct hf_value value;

    if (seen->value == NULL && seen->value_len > 0)
        diagnosis->error = forgotten;
    else if (seen->value == NULL)
        diagnosis->error = (struct hf_error){
            HF_E_CORRUPT, "its value is longer than any of ours"};
    else
        (void)!hf_record_decode(seen->value, seen->value_len, &value,
                                &diagnosis->error);
}

void
hf_seen_describe(const struct hf_seen *seen, const char *space,
                 const char *name, const char *boot, struct hf_instant now,
                 struct hf_diagnosis *diagnosis)
{
    struct hf_value value = {0};
    bool known = hf_seen_value(seen, &value);
    struct hf_record_meta meta = {
        .space = space,
        .name = name,
        .name_len = strlen(name),
        .exists = seen->exists,
        .corrupt = seen->corrupt,
        .version = seen->version,
        .token = seen->token,
        .stamp_ms = seen->stamp_ms,
    };

    *diagnosis = (struct hf_diagnosis){
        .here = seen->here,
        .running = seen->presence == HF_PRESENCE_THERE,
    };
    hf_record_describe(&meta, &value, &diagnosis->record);
    if (!seen->exists)
        return;
    diagnosis->same_boot =
        known && boot[0] != '\0' && strcmp(boot, value.owner.boot) == 0;
    diagnosis->unchanged = hf_between(seen->shown_at, now);
    diagnosis->watched = hf_between(seen->first_at, now);
    if (seen->corrupt)
        describe_corrupt(seen, diagnosis);
    else if (!known)
        diagnosis->error = forgotten;
}

#include "postgresql/batch.h"

#include <string.h>

#include "base/hex.h"

/* The changes of each kind, and the bytes of their texts. */
struct sums {
    size_t count[HF_CHANGE_PUT_AUDIT + 1];
    size_t if_dead;
    size_t who;
    size_t locks;
    size_t notes;
    size_t names;
    size_t records;
};

/* Values of the statement, by their place in it. */
enum {
    EXPECT,
    NEW_TERM,
    HEAD,
    PATIENCE,
    DROPPED_SESSIONS,
    DROPPED_GRANTS,
    SESSION_IDS,
    SECRETS,
    TTLS,
    IF_DEAD,
    WHO,
    SILENT_FROM,
    FENCES,
    SESSIONS,
    LANES,
    NS,
    SINCES,
    LOCKS,
    NOTES,
    AUDIT_NAMES,
    AUDIT_RECORDS,
};

enum { SECRET_LEN = 2 * sizeof(((struct hf_loaded_session *)0)->secret.bytes) };

static struct sums
add_up(const struct hf_journal_write *write)
{
    struct sums sums = {.if_dead = 0};

    for (size_t i = 0; i < write->changes_count; i++) {
        const struct hf_journal_change *change = &write->changes[i];

        sums.count[change->kind]++;
        switch (change->kind) {
        case HF_CHANGE_PUT_SESSION:
            sums.if_dead += strlen(hf_if_dead_word(change->session.if_dead));
            sums.who += change->session.who.len;
            break;
        case HF_CHANGE_PUT_GRANT:
            sums.locks += change->grant.locks.len;
            sums.notes += change->grant.grant.loaded.note.len;
            break;
        case HF_CHANGE_PUT_AUDIT:
            sums.names += strlen(change->audit.name);
            sums.records += change->audit.record.len;
            break;
        case HF_CHANGE_DELETE_SESSION:
        case HF_CHANGE_DELETE_GRANT:
            break;
        }
    }
    return sums;
}

/* ---- Arrays -------------------------------------------------------------- */

struct arrays_of {
    struct hf_pg_array each[HF_PG_BATCH_VALUES];
    bool used[HF_PG_BATCH_VALUES];
    struct hf_arena *arena;
    bool failed; /* no memory */
};

/* An array for `count` elements; none is no array. */
static void
begin(struct arrays_of *a, int value, Oid type, size_t count, size_t bytes)
{
    if (count == 0 || a->failed)
        return;
    a->used[value] = true;
    if (type != HF_PG_TEXT_ARRAY)
        bytes = count * sizeof(int64_t);
    a->failed =
        !hf_pg_array_init(&a->each[value], a->arena, type, count, bytes);
}

static void
begin_all(struct arrays_of *a, const struct sums *sums)
{
    size_t sessions = sums->count[HF_CHANGE_PUT_SESSION];
    size_t grants = sums->count[HF_CHANGE_PUT_GRANT];
    size_t audits = sums->count[HF_CHANGE_PUT_AUDIT];

    begin(a, DROPPED_SESSIONS, HF_PG_INT8_ARRAY,
          sums->count[HF_CHANGE_DELETE_SESSION], 0);
    begin(a, DROPPED_GRANTS, HF_PG_INT8_ARRAY,
          sums->count[HF_CHANGE_DELETE_GRANT], 0);
    begin(a, SESSION_IDS, HF_PG_INT8_ARRAY, sessions, 0);
    begin(a, SECRETS, HF_PG_TEXT_ARRAY, sessions, sessions * SECRET_LEN);
    begin(a, TTLS, HF_PG_INT8_ARRAY, sessions, 0);
    begin(a, IF_DEAD, HF_PG_TEXT_ARRAY, sessions, sums->if_dead);
    begin(a, WHO, HF_PG_TEXT_ARRAY, sessions, sums->who);
    begin(a, SILENT_FROM, HF_PG_INT8_ARRAY, sessions, 0);
    begin(a, FENCES, HF_PG_INT8_ARRAY, grants, 0);
    begin(a, SESSIONS, HF_PG_INT8_ARRAY, grants, 0);
    begin(a, LANES, HF_PG_INT8_ARRAY, grants, 0);
    begin(a, NS, HF_PG_INT8_ARRAY, grants, 0);
    begin(a, SINCES, HF_PG_INT8_ARRAY, grants, 0);
    begin(a, LOCKS, HF_PG_TEXT_ARRAY, grants, sums->locks);
    begin(a, NOTES, HF_PG_TEXT_ARRAY, grants, sums->notes);
    begin(a, AUDIT_NAMES, HF_PG_TEXT_ARRAY, audits, sums->names);
    begin(a, AUDIT_RECORDS, HF_PG_TEXT_ARRAY, audits, sums->records);
}

static void
add_number(struct arrays_of *a, int value, uint64_t number)
{
    hf_pg_array_add_int8(&a->each[value], (int64_t)number);
}

/* An empty text has no address. */
static void
add_text(struct arrays_of *a, int value, struct hf_bytes text)
{
    hf_pg_array_add_text(&a->each[value], text.at == NULL ? "" : text.at,
                         text.len);
}

static struct hf_bytes
bytes_of(const char *text)
{
    return (struct hf_bytes){text, strlen(text)};
}

static void
add_session(struct arrays_of *a, const struct hf_loaded_session *session)
{
    char secret[SECRET_LEN + 1];

    hf_hex_write((const char *)session->secret.bytes,
                 sizeof(session->secret.bytes), secret, sizeof(secret));
    add_number(a, SESSION_IDS, session->id);
    add_text(a, SECRETS, bytes_of(secret));
    add_number(a, TTLS, (uint64_t)session->ttl.ms);
    add_text(a, IF_DEAD, bytes_of(hf_if_dead_word(session->if_dead)));
    add_text(a, WHO, session->who);
    add_number(a, SILENT_FROM, (uint64_t)session->silent_from.ms);
}

static void
add_grant(struct arrays_of *a, const struct hf_served_row *row)
{
    const struct hf_loaded_grant *grant = &row->grant.loaded;

    add_number(a, FENCES, grant->fence);
    add_number(a, SESSIONS, grant->session);
    add_number(a, LANES, grant->lane);
    add_number(a, NS, grant->n);
    add_number(a, SINCES, (uint64_t)row->grant.since_ms);
    add_text(a, LOCKS, row->locks);
    add_text(a, NOTES, grant->note);
}

static void
add_change(struct arrays_of *a, const struct hf_journal_change *change)
{
    switch (change->kind) {
    case HF_CHANGE_PUT_SESSION:
        add_session(a, &change->session);
        return;
    case HF_CHANGE_DELETE_SESSION:
        add_number(a, DROPPED_SESSIONS, change->key);
        return;
    case HF_CHANGE_PUT_GRANT:
        add_grant(a, &change->grant);
        return;
    case HF_CHANGE_DELETE_GRANT:
        add_number(a, DROPPED_GRANTS, change->key);
        return;
    case HF_CHANGE_PUT_AUDIT:
        add_text(a, AUDIT_NAMES, bytes_of(change->audit.name));
        add_text(a, AUDIT_RECORDS, change->audit.record);
        return;
    }
}

/* ---- All ----------------------------------------------------------------- */

static bool
encode_head(const struct hf_pg_batch *batch, struct hf_arena *arena,
            struct hf_pg_value *value)
{
    struct hf_head head = *batch->write->head;
    char text[HF_RECORD_TEXT_MAX];

    head.store = batch->store;
    (void)hf_head_encode(&head, text, sizeof(text));
    *value = hf_pg_text(hf_arena_copy(arena, text));
    return value->at != NULL;
}

bool
hf_pg_batch_encode(struct hf_pg_batch *batch, struct hf_arena *arena,
                   struct hf_pg_value *values)
{
    const struct hf_journal_write *write = batch->write;
    struct sums sums = add_up(write);
    struct arrays_of arrays = {.arena = arena};

    begin_all(&arrays, &sums);
    if (arrays.failed || !encode_head(batch, arena, &values[HEAD]))
        return false;
    for (size_t i = 0; i < write->changes_count; i++)
        add_change(&arrays, &write->changes[i]);
    for (int i = 0; i < HF_PG_BATCH_VALUES; i++) {
        if (arrays.used[i])
            values[i] = hf_pg_array_value(&arrays.each[i]);
        else if (i > PATIENCE)
            values[i] = (struct hf_pg_value){.type = 0};
    }
    values[EXPECT] = hf_pg_number(batch->expect, (int64_t)write->expect);
    values[NEW_TERM] = (struct hf_pg_value){
        .at = write->new_term ? "true" : "false", .len = -1};
    values[HEAD].type = 0;
    values[PATIENCE] = hf_pg_number(batch->patience_digits, batch->patience.ms);
    values[PATIENCE].type = HF_PG_INT4;
    return true;
}

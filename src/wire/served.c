#include "wire/served.h"

#include <inttypes.h>
#include <string.h>

#include "base/check.h"
#include "base/fail.h"
#include "base/text.h"
#include "core/lockspace/journal.h"
#include "core/lockspace/look.h"
#include "wire/fields.h"
#include "wire/json.h"
#include "wire/name.h"

/* ---- What can be kept ---------------------------------------------------- */

static enum hf_status
check_session(struct hf_duration ttl, struct hf_bytes who,
              struct hf_error *error)
{
    if (ttl.ms < HF_TTL_MIN_MS || ttl.ms > HF_TTL_MAX_MS)
        return hf_fail(error, HF_E_INVALID,
                       "the ttl is %" PRId64 " ms: from 500ms to 7d are "
                       "allowed",
                       ttl.ms);
    return hf_name_check_text("who", who.at, who.len, HF_SERVED_WHO_MAX, error);
}

static enum hf_status
check_lock(const struct hf_want *lock, struct hf_error *error)
{
    enum hf_status status =
        hf_name_check_space(lock->space.at, lock->space.len, error);

    return status != HF_OK
               ? status
               : hf_name_check(lock->name.at, lock->name.len, error);
}

/* Of a request: its lane, its n, each of its locks, and its note. */
static enum hf_status
check_grant(const struct hf_loaded_grant *grant, struct hf_error *error)
{
    enum hf_status status = HF_OK;

    if (grant->lane > INT64_MAX)
        return hf_fail(error, HF_E_INVALID, "the lane is out of bounds");
    if (grant->n == 0 || grant->n > INT64_MAX)
        return hf_fail(error, HF_E_INVALID, "the n is out of bounds");
    for (size_t i = 0; status == HF_OK && i < grant->wants_count; i++) {
        const struct hf_want *want = &grant->wants[i];

        status = check_lock(want, error);
        if (status == HF_OK && want->mode != HF_EXCLUSIVE &&
            want->mode != HF_SHARED)
            status =
                hf_fail(error, HF_E_INVALID, "a mode is exclusive or shared");
    }
    if (status == HF_OK)
        status = hf_name_check_text("note", grant->note.at, grant->note.len,
                                    HF_SERVED_NOTE_MAX, error);
    return status;
}

static bool
is_same(struct hf_bytes a, struct hf_bytes b)
{
    return a.len == b.len && memcmp(a.at, b.at, a.len) == 0;
}

static bool
is_same_lock(const struct hf_want *a, const struct hf_want *b)
{
    return is_same(a->name, b->name) && is_same(a->space, b->space);
}

/* The machine refuses it, too, and does not tell why. */
static enum hf_status
check_names(const struct hf_want *wants, size_t count, struct hf_error *error)
{
    if (count == 0)
        return hf_fail(error, HF_E_INVALID, "no lock is named");
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < i; k++)
            if (is_same_lock(&wants[k], &wants[i]))
                return hf_fail(error, HF_E_INVALID, "lock %.*s is named twice",
                               (int)wants[i].name.len, wants[i].name.at);
    return HF_OK;
}

static enum hf_status
check_acquire(const struct hf_message *message, struct hf_error *error)
{
    enum hf_status status = check_grant(
        &(struct hf_loaded_grant){.lane = message->lane,
                                  .n = message->n,
                                  .wants = message->acquire.wants,
                                  .wants_count = message->acquire.wants_count,
                                  .note = message->acquire.note},
        error);

    return status == HF_OK ? check_names(message->acquire.wants,
                                         message->acquire.wants_count, error)
                           : status;
}

enum hf_status
hf_served_check(const struct hf_message *message, struct hf_error *error)
{
    switch (message->kind) {
    case HF_MESSAGE_OPEN:
        return check_session(message->open.ttl, message->open.who, error);
    case HF_MESSAGE_ACQUIRE:
        return check_acquire(message, error);
    case HF_MESSAGE_KEEP_ALIVE:
    case HF_MESSAGE_PAGE:
    case HF_MESSAGE_RELEASE:
    case HF_MESSAGE_CHANGE:
    case HF_MESSAGE_END:
        return HF_OK; /* of these nothing is kept */
    case HF_MESSAGE_CLEAR:
        return check_lock(&message->clear.lock, error);
    }
    HF_CHECK(!"a message of no kind");
    return HF_E_INVALID;
}

/* ---- Look ---------------------------------------------------------------- */

static struct hf_bytes
look_at_text(const struct hf_lockspace *ls, struct hf_string ref,
             struct hf_served_memory *memory)
{
    char *at = memory->texts + memory->texts_len;

    HF_CHECK(ref.len <= sizeof(memory->texts) - memory->texts_len);
    hf_look_text(ls, ref, at, ref.len);
    memory->texts_len += ref.len;
    return (struct hf_bytes){at, ref.len};
}

void
hf_served_look_session(const struct hf_lockspace *ls, uint32_t number,
                       struct hf_served_memory *memory,
                       struct hf_loaded_session *session)
{
    struct hf_look_session row;

    hf_look_session_at(ls, number, &row);
    *session = (struct hf_loaded_session){
        .id = row.id,
        .secret = row.secret,
        .ttl = row.ttl,
        .if_dead = row.if_dead,
        .who = look_at_text(ls, row.who, memory),
        .silent_from = row.silent_from,
    };
}

void
hf_served_look_grant(const struct hf_lockspace *ls, uint32_t number,
                     int64_t wall_ms, struct hf_served_memory *memory,
                     struct hf_served_grant *grant)
{
    struct hf_look_claim row;
    struct hf_look_name name;
    enum hf_mode mode;
    uint32_t cursor = 0;
    size_t first = HF_SERVED_NAMES_MAX;

    hf_look_grant_at(ls, number, &row);
    while (hf_look_grant_names(ls, number, &cursor, &name, &mode)) {
        HF_CHECK(first > 0);
        memory->wants[--first] = (struct hf_want){
            .space = look_at_text(ls, name.space, memory),
            .name = look_at_text(ls, name.name, memory),
            .mode = mode,
        };
    }
    *grant = (struct hf_served_grant){
        .loaded =
            {
                .fence = row.fence,
                .session = row.session,
                .lane = row.lane,
                .n = row.n,
                .wants = memory->wants + first,
                .wants_count = HF_SERVED_NAMES_MAX - first,
                .age = row.age,
                .note = look_at_text(ls, row.note, memory),
            },
        .since_ms = wall_ms > row.age.ms ? wall_ms - row.age.ms : 0,
    };
}

struct hf_duration
hf_served_age(int64_t since_ms, int64_t wall_ms)
{
    return (struct hf_duration){wall_ms > since_ms ? wall_ms - since_ms : 0};
}

/* ---- The members of a grant ---------------------------------------------- */

#define OF_LOCK(field)  HF_AT(struct hf_want, field)
#define OF_GRANT(field) HF_AT(struct hf_served_grant, field)

static const struct hf_member lock_rows[] = {
    {HF_MEMBER_TEXT, "space", OF_LOCK(space)},
    {HF_MEMBER_TEXT, "name", OF_LOCK(name)},
    {HF_MEMBER_MODE, "mode", OF_LOCK(mode)},
};

static const struct hf_fields lock_fields = {HF_FIELDS_OF(lock_rows)};

void
hf_served_write_locks(const struct hf_loaded_grant *grant, struct hf_text *out)
{
    for (size_t i = 0; i < grant->wants_count; i++) {
        hf_text_add(out, i == 0 ? "[" : ",");
        hf_fields_write(&lock_fields, &grant->wants[i], HF_FIELDS_ALL, out);
    }
    hf_text_add(out, "]");
}

static void
write_locks(const void *at, struct hf_text *out)
{
    hf_served_write_locks(at, out);
}

/* The next of the locks; `before` of them were read. */
static enum hf_status
read_lock(struct hf_fields_reader *reader, struct hf_bytes value, size_t before)
{
    struct hf_served_memory *memory = reader->user_data;
    struct hf_want *wants = memory->wants;
    enum hf_status status;

    if (before == HF_SERVED_NAMES_MAX)
        return hf_fail(reader->error, HF_E_CORRUPT, "more than %d locks",
                       HF_SERVED_NAMES_MAX);
    status = hf_fields_read(reader, &lock_fields, HF_FIELDS_ALL, value,
                            &wants[before], NULL);
    for (size_t i = 0; status == HF_OK && i < before; i++) {
        if (is_same_lock(&wants[i], &wants[before]))
            return hf_fail(reader->error, HF_E_CORRUPT,
                           "a lock is given twice");
    }
    return status;
}

static enum hf_status
read_locks(struct hf_fields_reader *reader, struct hf_bytes list, void *at)
{
    struct hf_served_memory *memory = reader->user_data;
    struct hf_loaded_grant *grant = at;
    enum hf_status status = HF_OK;
    struct hf_bytes value;
    size_t count = 0;
    size_t next = 0;

    while (status == HF_OK && hf_json_next(list, &next, &value))
        status = read_lock(reader, value, count++);
    if (status == HF_OK && count == 0)
        return hf_fail(reader->error, HF_E_CORRUPT,
                       "\"locks\" is not a list of locks");
    grant->wants = memory->wants;
    grant->wants_count = count;
    return status;
}

static const struct hf_member_ways locks_ways = {read_locks, write_locks};

static const struct hf_member grant_rows[] = {
    {HF_MEMBER_ID, "session", OF_GRANT(loaded.session), .least = 1},
    {HF_MEMBER_INTEGER, "lane", OF_GRANT(loaded.lane), .most = INT64_MAX},
    {HF_MEMBER_INTEGER, "n", OF_GRANT(loaded.n), .least = 1, .most = INT64_MAX},
    {HF_MEMBER_OTHER, "locks", OF_GRANT(loaded), .ways = &locks_ways},
    {HF_MEMBER_INTEGER, "since", OF_GRANT(since_ms), .most = INT64_MAX},
    {HF_MEMBER_TEXT, "note", OF_GRANT(loaded.note)},
};

static const struct hf_fields grant_fields = {HF_FIELDS_OF(grant_rows)};

/* ---- Encode -------------------------------------------------------------- */

size_t
hf_served_encode_grant(const struct hf_served_grant *grant, char *buffer,
                       size_t size)
{
    const struct hf_loaded_grant *loaded = &grant->loaded;
    struct hf_text out;

    HF_CHECK(loaded->session != 0);
    HF_CHECK(loaded->wants_count > 0 &&
             loaded->wants_count <= HF_SERVED_NAMES_MAX);
    HF_CHECK(grant->since_ms >= 0);
    HF_CHECK(check_grant(loaded, NULL) == HF_OK);
    hf_text_init(&out, buffer, size);
    hf_fields_write(&grant_fields, grant, HF_FIELDS_ALL, &out);
    return out.len;
}

/* ---- Decode -------------------------------------------------------------- */

static struct hf_fields_reader
reader_to(struct hf_served_memory *memory, struct hf_error *error)
{
    return (struct hf_fields_reader){
        .status = HF_E_CORRUPT,
        .error = error,
        .texts = memory->texts,
        .texts_size = sizeof(memory->texts),
        .texts_len = memory->texts_len,
        .user_data = memory,
    };
}

/* A record that could never have been asked for was not written by us. */
static enum hf_status
judge(enum hf_status status, const struct hf_error *why, struct hf_error *error)
{
    return status == HF_OK ? HF_OK
                           : hf_fail(error, HF_E_CORRUPT, "%s", why->text);
}

enum hf_status
hf_served_judge_session(const struct hf_loaded_session *session,
                        struct hf_error *error)
{
    struct hf_error why = {0};

    if (session->id == 0 || session->ttl.ms < 0)
        return hf_fail(error, HF_E_CORRUPT,
                       "its id, secret, ttl or if_dead is none of ours");
    if (session->silent_from.ms < 0)
        return hf_fail(error, HF_E_CORRUPT,
                       "a session that is silent from %" PRId64 " ms",
                       session->silent_from.ms);
    return judge(check_session(session->ttl, session->who, &why), &why, error);
}

/* Such a record would not go into the batch that lowers it. */
static bool
is_too_large(const struct hf_loaded_grant *grant)
{
    size_t len = 0;

    for (size_t i = 0; i < grant->wants_count; i++)
        len += grant->wants[i].space.len + grant->wants[i].name.len;
    return hf_journal_grant_bytes(grant->wants_count, len, grant->note.len) >
           HF_SERVED_RECORD_MAX;
}

/* What no member alone can say. */
static enum hf_status
judge_grant(const struct hf_served_grant *grant, struct hf_error *error)
{
    const struct hf_loaded_grant *loaded = &grant->loaded;
    struct hf_error why = {0};
    enum hf_status status;

    if (loaded->fence == 0 || loaded->fence > HF_SERVED_FENCE_MAX)
        return hf_fail(error, HF_E_CORRUPT, "its fence is out of bounds");
    status = judge(check_grant(loaded, &why), &why, error);
    if (status == HF_OK && is_too_large(loaded))
        status = hf_fail(error, HF_E_CORRUPT, "more than a grant may have");
    return status;
}

enum hf_status
hf_served_decode_grant(uint64_t fence, struct hf_bytes value,
                       struct hf_served_memory *memory,
                       struct hf_served_grant *grant, struct hf_error *error)
{
    struct hf_served_grant read = {.since_ms = 0};
    struct hf_fields_reader reader = reader_to(memory, error);
    enum hf_status status =
        hf_fields_read_text(&reader, &grant_fields, value, &read, NULL);

    read.loaded.fence = fence;
    if (status == HF_OK)
        status = judge_grant(&read, error);
    if (status != HF_OK)
        return status;
    memory->texts_len = reader.texts_len;
    *grant = read;
    return HF_OK;
}

enum hf_status
hf_served_read_row(const struct hf_served_row *row,
                   struct hf_served_memory *memory,
                   struct hf_served_grant *grant, struct hf_error *error)
{
    struct hf_fields_reader reader = reader_to(memory, error);
    struct hf_served_grant read = row->grant;
    struct hf_error why = {0};
    enum hf_status status = HF_OK;

    if (read.loaded.session == 0 || read.since_ms < 0)
        return hf_fail(error, HF_E_CORRUPT,
                       "its session or its begin is out of bounds");
    if (row->locks.len > HF_RECORD_TEXT_MAX ||
        hf_json_check(row->locks, &why) != HF_OK)
        return hf_fail(error, HF_E_CORRUPT, "its locks are not JSON");
    status = read_locks(&reader, row->locks, &read.loaded);
    if (status == HF_OK)
        status = judge_grant(&read, error);
    if (status != HF_OK)
        return status;
    memory->texts_len = reader.texts_len;
    *grant = read;
    return HF_OK;
}

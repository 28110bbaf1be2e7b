#include "wire/cleared.h"

#include <string.h>

#include "base/check.h"
#include "base/fail.h"
#include "base/text.h"
#include "core/lockspace/look.h"
#include "wire/fields.h"
#include "wire/name.h"

/* ---- Look ---------------------------------------------------------------- */

/* Is the lock that the clear names one of the grant's? */
static bool
is_its_lock(const struct hf_loaded_grant *grant, const char *space,
            const char *name)
{
    size_t space_len = strlen(space);
    size_t name_len = strlen(name);

    for (size_t i = 0; i < grant->wants_count; i++) {
        const struct hf_want *want = &grant->wants[i];

        if (want->space.len == space_len && want->name.len == name_len &&
            memcmp(want->space.at, space, space_len) == 0 &&
            memcmp(want->name.at, name, name_len) == 0)
            return true;
    }
    return false;
}

bool
hf_cleared_look(struct hf_lockspace *ls, uint64_t fence, int64_t wall_ms,
                struct hf_served_memory *memory, struct hf_cleared *cleared)
{
    uint32_t grant = hf_look_fence(ls, fence);
    struct hf_look_session row;
    uint32_t session;

    if (grant == 0)
        return false;
    hf_served_look_grant(ls, grant, wall_ms, memory, &cleared->grant);
    if (!is_its_lock(&cleared->grant.loaded, cleared->space, cleared->name))
        return false;
    session = hf_look_session(ls, cleared->grant.loaded.session);
    HF_CHECK(session != 0);
    hf_served_look_session(ls, session, memory, &cleared->session);
    hf_look_session_at(ls, session, &row);
    cleared->silent_ms = row.heard ? row.silent.ms : -1;
    return true;
}

/* ---- The members --------------------------------------------------------- */

#define OF_BY(field)     HF_AT(struct hf_owner, field)
#define OF_HOLDER(field) HF_AT(struct hf_cleared, field)

static const struct hf_member by_rows[] = {
    {HF_MEMBER_STRING, "host", OF_BY(host)},
    {HF_MEMBER_STRING, "user", OF_BY(user)},
    {HF_MEMBER_STRING, "command", OF_BY(command)},
    {HF_MEMBER_INTEGER, "since", OF_BY(since_ms), .least = INT64_MIN,
     .most = INT64_MAX},
};

static const struct hf_fields by_fields = {HF_FIELDS_OF(by_rows)};

static const struct hf_member holder_rows[] = {
    {HF_MEMBER_INTEGER, "ttl_ms", OF_HOLDER(session.ttl), .least = INT64_MIN,
     .most = INT64_MAX},
    {HF_MEMBER_IF_DEAD, "if_dead", OF_HOLDER(session.if_dead)},
    {HF_MEMBER_TEXT, "who", OF_HOLDER(session.who)},
    {HF_MEMBER_INTEGER, "silent_ms", OF_HOLDER(silent_ms), .least = -1,
     .most = INT64_MAX},
};

static const struct hf_fields holder_fields = {HF_FIELDS_OF(holder_rows)};

/* The grant's record is a text within this one.  Its fence is needed to read
 * it, and stands outside. */
static enum hf_status
read_grant(struct hf_fields_reader *reader, struct hf_bytes value, void *to)
{
    struct hf_bytes *record = reader->user_data;

    (void)to;
    *record = value;
    return HF_OK;
}

static void
write_grant(const void *at, struct hf_text *out)
{
    char record[HF_SERVED_RECORD_MAX];
    size_t len = hf_served_encode_grant(at, record, sizeof(record));

    HF_CHECK(len < sizeof(record));
    hf_text_add_bytes(out, record, len);
}

static const struct hf_member_ways grant_ways = {read_grant, write_grant};

#define OF_CLEARED(field) HF_AT(struct hf_cleared, field)

/* "gone" is there only where it is true, for older records have none. */
enum { GONE = 4 };

static const struct hf_member rows[] = {
    {HF_MEMBER_STRING, "space", OF_CLEARED(space)},
    {HF_MEMBER_STRING, "name", OF_CLEARED(name)},
    {HF_MEMBER_INTEGER, "fence", OF_CLEARED(grant.loaded.fence), .least = 1,
     .most = HF_SERVED_FENCE_MAX},
    {HF_MEMBER_FLAG, "force", OF_CLEARED(forced)},
    [GONE] = {HF_MEMBER_FLAG, "gone", OF_CLEARED(gone), .need = HF_OPTIONAL},
    {HF_MEMBER_OBJECT, "by", OF_CLEARED(by), .fields = &by_fields},
    {HF_MEMBER_STRING, "reason", OF_CLEARED(by.reason)},
    {HF_MEMBER_OTHER, "cleared", OF_CLEARED(grant), .ways = &grant_ways},
    {HF_MEMBER_OBJECT, "holder", .fields = &holder_fields},
};

static const struct hf_fields fields = {HF_FIELDS_OF(rows)};

/* ---- Encode -------------------------------------------------------------- */

/* Are the session's terms and name within the bounds of a session of ours? */
static bool
is_holder(const struct hf_loaded_session *session)
{
    return session->ttl.ms >= HF_TTL_MIN_MS &&
           session->ttl.ms <= HF_TTL_MAX_MS &&
           hf_name_check_text("who", session->who.at, session->who.len,
                              HF_SERVED_WHO_MAX, NULL) == HF_OK;
}

static bool
is_space(const struct hf_cleared *cleared)
{
    return hf_name_check_space(cleared->space, strlen(cleared->space), NULL) ==
           HF_OK;
}

static bool
is_name(const struct hf_cleared *cleared)
{
    return hf_name_check(cleared->name, strlen(cleared->name), NULL) == HF_OK;
}

size_t
hf_cleared_encode(const struct hf_cleared *cleared, char *buffer, size_t size)
{
    uint64_t gone = UINT64_C(1) << GONE;
    struct hf_text out;

    HF_CHECK(is_space(cleared) && is_name(cleared));
    HF_CHECK(is_holder(&cleared->session));
    HF_CHECK(
        is_its_lock(&cleared->grant.loaded, cleared->space, cleared->name));
    hf_text_init(&out, buffer, size);
    hf_fields_write(&fields, cleared,
                    cleared->gone ? HF_FIELDS_ALL : HF_FIELDS_ALL & ~gone,
                    &out);
    return out.len;
}

/* ---- Decode -------------------------------------------------------------- */

/* Check what the table of members cannot say. */
static enum hf_status
judge(const struct hf_cleared *read, uint64_t given, struct hf_error *error)
{
    if (!is_space(read))
        return hf_fail(error, HF_E_CORRUPT, "no well-formed \"space\"");
    if (!is_name(read))
        return hf_fail(error, HF_E_CORRUPT, "no well-formed \"name\"");
    if ((given >> GONE & 1) != 0 && !read->gone)
        return hf_fail(error, HF_E_CORRUPT, "\"gone\" is not true");
    if (!is_holder(&read->session))
        return hf_fail(error, HF_E_CORRUPT, "a \"holder\" out of bounds");
    return HF_OK;
}

static enum hf_status
read_all(struct hf_bytes value, struct hf_served_memory *memory,
         struct hf_cleared *read, struct hf_error *error)
{
    struct hf_bytes record;
    struct hf_fields_reader reader = {
        .status = HF_E_CORRUPT,
        .error = error,
        .texts = memory->texts,
        .texts_size = sizeof(memory->texts),
        .texts_len = memory->texts_len,
        .user_data = &record,
    };
    uint64_t given;
    enum hf_status status =
        hf_fields_read_text(&reader, &fields, value, read, &given);

    memory->texts_len = reader.texts_len;
    if (status == HF_OK)
        status = judge(read, given, error);
    if (status != HF_OK)
        return status;
    return hf_served_decode_grant(read->grant.loaded.fence, record, memory,
                                  &read->grant, error);
}

enum hf_status
hf_cleared_decode(struct hf_bytes value, struct hf_served_memory *memory,
                  struct hf_cleared *cleared, struct hf_error *error)
{
    struct hf_cleared read = {.space = ""};
    size_t texts_len = memory->texts_len;
    enum hf_status status = read_all(value, memory, &read, error);

    if (status == HF_OK &&
        !is_its_lock(&read.grant.loaded, read.space, read.name))
        status = hf_fail(error, HF_E_CORRUPT, "a lock that it does not name");
    if (status != HF_OK) {
        memory->texts_len = texts_len;
        return status;
    }
    read.session.id = read.grant.loaded.session;
    *cleared = read;
    return HF_OK;
}

/* ---- Entries of any audit ------------------------------------------------ */

static void
show(char *to, size_t size, struct hf_bytes text)
{
    hf_text_show(to, size, text.at, text.len);
}

/* Describe the cleared lock by its holder's note.  If that is no record of
 * ours, by the session's name, and the note is the reason. */
static void
describe(const struct hf_cleared *cleared, struct hf_description *record)
{
    const struct hf_record_meta meta = {
        .space = cleared->space,
        .name = cleared->name,
        .name_len = strlen(cleared->name),
        .exists = true,
        .version = cleared->grant.loaded.fence,
        .token = cleared->grant.loaded.fence,
        .stamp_ms = cleared->silent_ms < 0
                        ? 0
                        : cleared->by.since_ms - cleared->silent_ms,
    };
    struct hf_bytes note = cleared->grant.loaded.note;
    struct hf_value value = {
        .terms = {cleared->session.if_dead, cleared->session.ttl, {0}},
    };

    if (hf_record_decode(note.at, note.len, &value, NULL) != HF_OK) {
        show(value.owner.user, sizeof(value.owner.user), cleared->session.who);
        show(value.owner.reason, sizeof(value.owner.reason), note);
    }
    hf_record_describe(&meta, &value, record);
    record->since_ms = cleared->grant.since_ms;
}

static bool
read_served(struct hf_bytes record, struct hf_audit_entry *entry)
{
    struct hf_served_memory memory = {.texts_len = 0};
    struct hf_cleared cleared;

    if (hf_cleared_decode(record, &memory, &cleared, NULL) != HF_OK)
        return false;
    *entry = (struct hf_audit_entry){
        .asked_ms = cleared.by.since_ms,
        .forced = cleared.forced,
    };
    memcpy(entry->host, cleared.by.host, sizeof(entry->host));
    memcpy(entry->user, cleared.by.user, sizeof(entry->user));
    if (entry->host[0] == '\0') /* a server has one text, "ann@db1" */
        hf_name_split_who(cleared.by.user, entry->user, entry->host);
    memcpy(entry->command, cleared.by.command, sizeof(entry->command));
    memcpy(entry->reason, cleared.by.reason, sizeof(entry->reason));
    describe(&cleared, &entry->cleared);
    return true;
}

bool
hf_cleared_read_entry(struct hf_bytes record, struct hf_audit_entry *entry)
{
    if (hf_audit_decode(record.at, record.len, entry, NULL) != HF_OK &&
        !read_served(record, entry))
        return false;
    entry->stamp_ms = entry->asked_ms;
    return true;
}

#include "wire/cleared.h"

#include <inttypes.h>
#include <string.h>

#include "base/check.h"
#include "base/fail.h"
#include "base/text.h"
#include "core/lockspace/look.h"
#include "wire/json.h"

/* ---- Look ---------------------------------------------------------------- */

/* Is the lock that was named one of the grant's? */
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

/* ---- Encode -------------------------------------------------------------- */

/* `"name":` and the string, clean and within `max` bytes. */
static void
add_string(struct hf_text *out, const char *name, const char *string,
           size_t max)
{
    char shown[HF_COMMAND_MAX + 1];

    HF_CHECK(max < sizeof(shown));
    hf_text_show(shown, max + 1, string, strnlen(string, max));
    hf_text_addf(out, "\"%s\":", name);
    hf_text_add_json(out, shown, strlen(shown));
    hf_text_add(out, ",");
}

static void
add_grant(struct hf_text *out, const struct hf_served_grant *grant)
{
    char record[HF_SERVED_RECORD_MAX];
    size_t len = hf_served_encode_grant(grant, record, sizeof(record));

    HF_CHECK(len < sizeof(record));
    hf_text_add(out, "\"cleared\":");
    hf_text_add_bytes(out, record, len);
}

/* What a session of ours says of itself. */
static bool
is_holder(const struct hf_loaded_session *session)
{
    return session->ttl.ms >= HF_TTL_MIN_MS &&
           session->ttl.ms <= HF_TTL_MAX_MS &&
           hf_name_check_text("who", session->who.at, session->who.len,
                              HF_SERVED_WHO_MAX, NULL) == HF_OK;
}

static void
add_holder(struct hf_text *out, const struct hf_cleared *cleared)
{
    const struct hf_loaded_session *session = &cleared->session;

    HF_CHECK(is_holder(session));
    hf_text_addf(out,
                 ",\"holder\":{\"ttl_ms\":%" PRId64 ",\"if_dead\":\"%s\""
                 ",\"who\":",
                 session->ttl.ms, hf_if_dead_word(session->if_dead));
    hf_text_add_json(out, session->who.at, session->who.len);
    hf_text_addf(out, ",\"silent_ms\":%" PRId64 "}}", cleared->silent_ms);
}

size_t
hf_cleared_encode(const struct hf_cleared *cleared, char *buffer, size_t size)
{
    const struct hf_owner *by = &cleared->by;
    struct hf_text out;

    HF_CHECK(hf_name_check_space(cleared->space, strlen(cleared->space),
                                 NULL) == HF_OK);
    HF_CHECK(hf_name_check(cleared->name, strlen(cleared->name), NULL) ==
             HF_OK);
    HF_CHECK(
        is_its_lock(&cleared->grant.loaded, cleared->space, cleared->name));

    hf_text_init(&out, buffer, size);
    hf_text_add(&out, "{");
    add_string(&out, "space", cleared->space, HF_SPACE_MAX);
    add_string(&out, "name", cleared->name, HF_NAME_MAX);
    hf_text_addf(&out, "\"fence\":%" PRIu64 ",\"force\":%s%s,\"by\":{",
                 cleared->grant.loaded.fence,
                 cleared->forced ? "true" : "false",
                 cleared->gone ? ",\"gone\":true" : "");
    add_string(&out, "host", by->host, HF_HOST_MAX);
    add_string(&out, "user", by->user, HF_USER_MAX);
    add_string(&out, "command", by->command, HF_COMMAND_MAX);
    hf_text_addf(&out, "\"since\":%" PRId64 "},", by->since_ms);
    add_string(&out, "reason", by->reason, HF_REASON_MAX);
    add_grant(&out, &cleared->grant);
    add_holder(&out, cleared);
    return out.len;
}

/* ---- Decode -------------------------------------------------------------- */

enum { SPACE, NAME, FENCE, FORCE, BY, REASON, CLEARED, HOLDER, GONE, MEMBERS };

/* Those of each, and the one that stands there where it is true. */
#define EACH                                                                   \
    [SPACE] = "space", [NAME] = "name", [FENCE] = "fence", [FORCE] = "force",  \
    [BY] = "by", [REASON] = "reason", [CLEARED] = "cleared",                   \
    [HOLDER] = "holder", [MEMBERS] = NULL

static const char *const names[] = {EACH};
static const char *const names_gone[] = {EACH, [GONE] = "gone"};

enum { HOST, USER, COMMAND, SINCE, BY_MEMBERS };

static const char *const by_names[] = {
    [HOST] = "host",   [USER] = "user",     [COMMAND] = "command",
    [SINCE] = "since", [BY_MEMBERS] = NULL,
};

enum { TTL, IF_DEAD, WHO, SILENT, HOLDER_MEMBERS };

static const char *const holder_names[] = {
    [TTL] = "ttl_ms",       [IF_DEAD] = "if_dead",   [WHO] = "who",
    [SILENT] = "silent_ms", [HOLDER_MEMBERS] = NULL,
};

/* Which lock was named. */
static enum hf_status
read_lock(const struct hf_json *json, const size_t *members,
          struct hf_cleared *read, struct hf_error *error)
{
    size_t len = 0;

    if (!hf_json_clean(json, members[SPACE], read->space, sizeof(read->space),
                       &len) ||
        hf_name_check_space(read->space, len, NULL) != HF_OK)
        return hf_fail(error, HF_E_CORRUPT, "no well-formed \"space\"");
    if (!hf_json_clean(json, members[NAME], read->name, sizeof(read->name),
                       &len) ||
        hf_name_check(read->name, len, NULL) != HF_OK)
        return hf_fail(error, HF_E_CORRUPT, "no well-formed \"name\"");
    read->forced = hf_json_is_word(json, members[FORCE], "true");
    if (!read->forced && !hf_json_is_word(json, members[FORCE], "false"))
        return hf_fail(error, HF_E_CORRUPT, "no well-formed \"force\"");
    if (read->gone && !hf_json_is_word(json, members[GONE], "true"))
        return hf_fail(error, HF_E_CORRUPT, "no well-formed \"gone\"");
    return HF_OK;
}

/* Who cleared it, and why. */
static enum hf_status
read_by(const struct hf_json *json, const size_t *members, struct hf_owner *by,
        struct hf_error *error)
{
    size_t parts[BY_MEMBERS];
    enum hf_status status =
        hf_json_members(json, members[BY], by_names, parts, error);
    size_t len;

    if (status != HF_OK)
        return status;
    if (!hf_json_clean(json, parts[HOST], by->host, sizeof(by->host), &len) ||
        !hf_json_clean(json, parts[USER], by->user, sizeof(by->user), &len) ||
        !hf_json_clean(json, parts[COMMAND], by->command, sizeof(by->command),
                       &len) ||
        !hf_json_integer(json, parts[SINCE], &by->since_ms))
        return hf_fail(error, HF_E_CORRUPT, "no well-formed \"by\"");
    if (!hf_json_clean(json, members[REASON], by->reason, sizeof(by->reason),
                       &len))
        return hf_fail(error, HF_E_CORRUPT, "no well-formed \"reason\"");
    return HF_OK;
}

/* The grant's record, a text within this one. */
static enum hf_status
read_grant(const struct hf_json *json, const size_t *members,
           struct hf_served_memory *memory, struct hf_cleared *read,
           struct hf_error *error)
{
    const struct hf_json_node *node = &json->nodes[members[CLEARED]];
    struct hf_bytes record = {json->bytes + node->start,
                              node->end - node->start};
    char fence_name[HF_SERVED_FENCE_SIZE];
    int64_t fence;

    if (!hf_json_integer(json, members[FENCE], &fence) || fence < 1)
        return hf_fail(error, HF_E_CORRUPT, "no well-formed \"fence\"");
    hf_served_fence((uint64_t)fence, fence_name);
    return hf_served_decode_grant(
        (struct hf_bytes){fence_name, strlen(fence_name)}, record, memory,
        &read->grant, error);
}

static enum hf_status
read_holder(const struct hf_json *json, const size_t *members,
            struct hf_served_memory *memory, struct hf_cleared *read,
            struct hf_error *error)
{
    struct hf_loaded_session *session = &read->session;
    char *who = memory->texts + memory->texts_len;
    size_t parts[HOLDER_MEMBERS];
    char word[16];
    size_t len;
    enum hf_status status =
        hf_json_members(json, members[HOLDER], holder_names, parts, error);

    if (status != HF_OK)
        return status;
    if (!hf_json_integer(json, parts[TTL], &session->ttl.ms) ||
        !hf_json_clean(json, parts[IF_DEAD], word, sizeof(word), &len) ||
        !hf_record_if_dead(word, &session->if_dead) ||
        !hf_json_integer(json, parts[SILENT], &read->silent_ms) ||
        !hf_json_clean(json, parts[WHO], who,
                       sizeof(memory->texts) - memory->texts_len, &len))
        return hf_fail(error, HF_E_CORRUPT, "no well-formed \"holder\"");
    session->who = (struct hf_bytes){who, len};
    if (!is_holder(session) || read->silent_ms < -1)
        return hf_fail(error, HF_E_CORRUPT, "a \"holder\" out of bounds");
    memory->texts_len += len;
    return HF_OK;
}

enum hf_status
hf_cleared_decode(struct hf_bytes value, struct hf_served_memory *memory,
                  struct hf_cleared *cleared, struct hf_error *error)
{
    struct hf_cleared read = {.space = ""};
    size_t texts_len = memory->texts_len;
    size_t members[MEMBERS];
    struct hf_json json;
    enum hf_status status = hf_json_read(&json, value.at, value.len, error);

    if (status == HF_OK)
        read.gone = hf_json_member(&json, 0, "gone") != 0;
    if (status == HF_OK)
        status = hf_json_members(&json, 0, read.gone ? names_gone : names,
                                 members, error);
    if (status == HF_OK)
        status = read_lock(&json, members, &read, error);
    if (status == HF_OK)
        status = read_by(&json, members, &read.by, error);
    if (status == HF_OK)
        status = read_grant(&json, members, memory, &read, error);
    if (status == HF_OK)
        status = read_holder(&json, members, memory, &read, error);
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

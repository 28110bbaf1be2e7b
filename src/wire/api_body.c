#include "wire/api_body.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/hex.h"
#include "wire/json.h"
#include "wire/record.h"

enum { TEXT_MAX = 64 }; /* of numbers, durations and words */

/* One that is being read. */
struct reader {
    struct hf_json json;
    struct hf_api_body *body;
    struct hf_error *error;
};

static enum hf_status
wrong(const struct reader *reader, const char *member, const char *what)
{
    return hf_fail(reader->error, HF_E_INVALID, "\"%s\" is not %s", member,
                   what);
}

/* ---- Kinds of values ----------------------------------------------------- */

static bool
short_text(const struct reader *reader, size_t node, char text[TEXT_MAX])
{
    size_t len;

    return hf_json_clean(&reader->json, node, text, TEXT_MAX, &len);
}

static bool
digits(const char *text, uint64_t *number)
{
    uint64_t sum = 0;

    if (text[0] == '\0' || strlen(text) > 18)
        return false;
    for (; *text != '\0'; text++) {
        if (*text < '0' || *text > '9')
            return false;
        sum = sum * 10 + (uint64_t)(*text - '0');
    }
    *number = sum;
    return true;
}

/* A number that is not negative, or its digits as a text. */
static bool
natural(const struct reader *reader, size_t node, uint64_t *number)
{
    char text[TEXT_MAX];
    int64_t value;

    if (hf_json_integer(&reader->json, node, &value)) {
        *number = (uint64_t)value;
        return value >= 0;
    }
    return short_text(reader, node, text) && digits(text, number);
}

static bool
hexadecimal(const struct reader *reader, size_t node, void *bytes, size_t len)
{
    char text[TEXT_MAX];
    size_t text_len;

    return hf_json_clean(&reader->json, node, text, sizeof(text), &text_len) &&
           hf_hex_read((struct hf_bytes){text, text_len}, bytes, len);
}

/* An id. */
static bool
number_of_16(const struct reader *reader, size_t node, uint64_t *number)
{
    char text[TEXT_MAX];
    size_t len;

    return hf_json_clean(&reader->json, node, text, sizeof(text), &len) &&
           hf_hex_read_u64((struct hf_bytes){text, len}, number);
}

static bool
truth(const struct reader *reader, size_t node, bool *value)
{
    *value = hf_json_is_word(&reader->json, node, "true");
    return *value || hf_json_is_word(&reader->json, node, "false");
}

enum hf_status
hf_api_duration(const char *text, struct hf_duration *duration,
                struct hf_error *error)
{
    uint64_t ms;

    if (!digits(text, &ms))
        return hf_duration_parse(text, duration, error);
    duration->ms = (int64_t)ms;
    return HF_OK;
}

static bool
duration(const struct reader *reader, size_t node, struct hf_duration *value)
{
    char text[TEXT_MAX];
    int64_t ms;

    if (hf_json_integer(&reader->json, node, &ms)) {
        value->ms = ms;
        return ms >= 0;
    }
    return short_text(reader, node, text) &&
           hf_duration_parse(text, value, NULL) == HF_OK;
}

static bool
text(const struct reader *reader, size_t node, struct hf_bytes *value)
{
    struct hf_api_body *body = reader->body;
    char *at = body->texts + body->texts_len;

    if (!hf_json_clean(&reader->json, node, at,
                       sizeof(body->texts) - body->texts_len, &value->len))
        return false;
    value->at = at;
    body->texts_len += value->len + 1;
    return true;
}

static bool
mode(const struct reader *reader, size_t node, enum hf_mode *value)
{
    char word[TEXT_MAX];

    if (!short_text(reader, node, word))
        return false;
    *value = strcmp(word, "shared") == 0 ? HF_SHARED : HF_EXCLUSIVE;
    return *value == HF_SHARED || strcmp(word, "exclusive") == 0;
}

/* ---- Members ------------------------------------------------------------- */

static enum hf_status
read_session(struct reader *reader, size_t node)
{
    return number_of_16(reader, node, &reader->body->session) &&
                   reader->body->session != 0
               ? HF_OK
               : wrong(reader, "session", "an id of 16 hexadecimal digits");
}

static enum hf_status
read_secret(struct reader *reader, size_t node)
{
    struct hf_secret *secret = &reader->body->secret;

    return hexadecimal(reader, node, secret->bytes, sizeof(secret->bytes))
               ? HF_OK
               : wrong(reader, "secret", "32 hexadecimal digits");
}

static enum hf_status
read_natural(struct reader *reader, size_t node, const char *member,
             uint64_t *value)
{
    return natural(reader, node, value)
               ? HF_OK
               : wrong(reader, member, "a whole number");
}

static enum hf_status
read_term(struct reader *reader, size_t node)
{
    return read_natural(reader, node, "term", &reader->body->term);
}

static enum hf_status
read_lane(struct reader *reader, size_t node)
{
    return read_natural(reader, node, "lane", &reader->body->lane);
}

static enum hf_status
read_n(struct reader *reader, size_t node)
{
    return read_natural(reader, node, "n", &reader->body->n);
}

static enum hf_status
read_a(struct reader *reader, size_t node)
{
    return read_natural(reader, node, "a", &reader->body->a);
}

static enum hf_status
read_lowest(struct reader *reader, size_t node)
{
    return read_natural(reader, node, "lowest", &reader->body->lowest);
}

static enum hf_status
read_duration(struct reader *reader, size_t node, const char *member,
              struct hf_duration *value)
{
    return duration(reader, node, value)
               ? HF_OK
               : wrong(reader, member,
                       "a duration: milliseconds, or a text with its unit, as "
                       "\"30s\"");
}

static enum hf_status
read_ttl(struct reader *reader, size_t node)
{
    return read_duration(reader, node, "ttl", &reader->body->ttl);
}

static enum hf_status
read_waited(struct reader *reader, size_t node)
{
    return read_duration(reader, node, "waited", &reader->body->waited);
}

static enum hf_status
read_park(struct reader *reader, size_t node)
{
    return read_duration(reader, node, "park", &reader->body->park);
}

static enum hf_status
read_if_dead(struct reader *reader, size_t node)
{
    char word[TEXT_MAX];

    return short_text(reader, node, word) &&
                   hf_record_if_dead(word, &reader->body->if_dead)
               ? HF_OK
               : wrong(reader, "if_dead", "\"takeover\" or \"refuse\"");
}

static enum hf_status
read_text(struct reader *reader, size_t node, const char *member,
          struct hf_bytes *value)
{
    return text(reader, node, value)
               ? HF_OK
               : wrong(reader, member, "a text without control characters");
}

static enum hf_status
read_who(struct reader *reader, size_t node)
{
    return read_text(reader, node, "who", &reader->body->who);
}

static enum hf_status
read_space(struct reader *reader, size_t node)
{
    return read_text(reader, node, "space", &reader->body->space);
}

static enum hf_status
read_name(struct reader *reader, size_t node)
{
    return read_text(reader, node, "name", &reader->body->name);
}

static enum hf_status
read_note(struct reader *reader, size_t node)
{
    return read_text(reader, node, "note", &reader->body->note);
}

static enum hf_status
read_reason(struct reader *reader, size_t node)
{
    return read_text(reader, node, "reason", &reader->body->reason);
}

static enum hf_status
read_mode(struct reader *reader, size_t node)
{
    return mode(reader, node, &reader->body->mode)
               ? HF_OK
               : wrong(reader, "mode", "\"exclusive\" or \"shared\"");
}

static enum hf_status
read_free(struct reader *reader, size_t node)
{
    return truth(reader, node, &reader->body->free)
               ? HF_OK
               : wrong(reader, "free", "true or false");
}

static enum hf_status
read_force(struct reader *reader, size_t node)
{
    return truth(reader, node, &reader->body->force)
               ? HF_OK
               : wrong(reader, "force", "true or false");
}

static enum hf_status
read_gone(struct reader *reader, size_t node)
{
    return truth(reader, node, &reader->body->gone)
               ? HF_OK
               : wrong(reader, "gone", "true or false");
}

static enum hf_status
read_wait(struct reader *reader, size_t node)
{
    struct hf_api_body *body = reader->body;
    char word[TEXT_MAX];

    if (hf_json_is_word(&reader->json, node, "null")) {
        body->wait = HF_WAIT_FOREVER;
        return HF_OK;
    }
    if (short_text(reader, node, word) && strcmp(word, "try") == 0) {
        body->wait = HF_WAIT_TRY;
        return HF_OK;
    }
    body->wait = HF_WAIT_LIMITED;
    return duration(reader, node, &body->remaining)
               ? HF_OK
               : wrong(reader, "wait",
                       "\"try\", null, or a duration: milliseconds, or a text "
                       "with its unit, as \"30s\"");
}

static enum hf_status
read_fence(struct reader *reader, size_t node)
{
    return read_natural(reader, node, "fence", &reader->body->fence);
}

static enum hf_status
read_fences(struct reader *reader, size_t node)
{
    struct hf_api_body *body = reader->body;

    for (size_t at = hf_json_next(&reader->json, node, 0); at != 0;
         at = hf_json_next(&reader->json, node, at)) {
        if (body->fences_count == HF_API_FENCES_MAX)
            return hf_fail(reader->error, HF_E_LIMIT,
                           "more than %d \"fences\" in one request",
                           HF_API_FENCES_MAX);
        if (!natural(reader, at, &body->fences[body->fences_count++]))
            return wrong(reader, "fences", "a list of whole numbers");
    }
    return HF_OK;
}

static enum hf_status
read_seen(struct reader *reader, size_t node)
{
    return read_natural(reader, node, "seen", &reader->body->seen);
}

/* Is a member of an object in a list given twice?  Then it is not missing, but
 * nobody can know what was meant. */
static bool
is_twice(const struct reader *reader, size_t object, const char *member)
{
    return hf_json_member(&reader->json, object, member) == 0 &&
           hf_json_has(&reader->json, object, member);
}

/* An id and a secret, and what goes with a keep-alive. */
static enum hf_status
read_alive(struct reader *reader, size_t node, struct hf_api_alive *alive)
{
    const struct hf_json *json = &reader->json;
    size_t term = hf_json_member(json, node, "term");
    size_t lowest = hf_json_member(json, node, "lowest");

    *alive = (struct hf_api_alive){.has_term = term != 0};
    if (!number_of_16(reader, hf_json_member(json, node, "session"),
                      &alive->session) ||
        !hexadecimal(reader, hf_json_member(json, node, "secret"),
                     alive->secret.bytes, sizeof(alive->secret.bytes)))
        return wrong(reader, "sessions", "a list of {\"session\", \"secret\"}");
    if (is_twice(reader, node, "term") || is_twice(reader, node, "lowest"))
        return wrong(reader, "sessions",
                     "a list in which each member is given once");
    if ((term != 0 && !natural(reader, term, &alive->term)) ||
        (lowest != 0 && !natural(reader, lowest, &alive->lowest)))
        return wrong(reader, "sessions",
                     "a list in which \"term\" and \"lowest\" are numbers");
    return HF_OK;
}

static enum hf_status
read_sessions(struct reader *reader, size_t node)
{
    struct hf_api_body *body = reader->body;

    if (reader->json.nodes[node].kind != HF_JSON_ARRAY)
        return wrong(reader, "sessions", "a list");
    for (size_t at = hf_json_next(&reader->json, node, 0); at != 0;
         at = hf_json_next(&reader->json, node, at)) {
        enum hf_status status;

        if (body->sessions_count == HF_API_SESSIONS_MAX)
            return hf_fail(reader->error, HF_E_LIMIT,
                           "more than %d \"sessions\" in one request",
                           HF_API_SESSIONS_MAX);
        status =
            read_alive(reader, at, &body->sessions[body->sessions_count++]);
        if (status != HF_OK)
            return status;
    }
    return HF_OK;
}

static void
note_unknown(struct reader *reader, size_t key)
{
    char *unknown = reader->body->unknown;

    if (unknown[0] != '\0')
        return;
    hf_json_show(&reader->json, key, unknown, HF_API_UNKNOWN_SIZE);
    if (unknown[0] == '\0')
        unknown[0] = '?'; /* it has no name */
}

/* Of a lock in a list. */
static void
note_unknown_of(struct reader *reader, size_t object)
{
    const struct hf_json_node *nodes = reader->json.nodes;
    char name[TEXT_MAX];

    for (size_t at = object + 1;
         at < reader->json.count && nodes[at].start < nodes[object].end; at++) {
        if (!nodes[at].key || nodes[at].parent != object)
            continue;
        if (!short_text(reader, at, name) ||
            (strcmp(name, "name") != 0 && strcmp(name, "space") != 0 &&
             strcmp(name, "mode") != 0))
            note_unknown(reader, at);
    }
}

/* A name, or an object of a name, and perhaps a space and a mode. */
static enum hf_status
read_lock(struct reader *reader, size_t node, size_t index)
{
    struct hf_want *lock = &reader->body->locks[index];
    size_t space = hf_json_member(&reader->json, node, "space");
    size_t how = hf_json_member(&reader->json, node, "mode");

    _Static_assert(HF_API_LOCKS_MAX <= 64, "a bit for each lock");
    if (how == 0)
        reader->body->locks_any_mode |= UINT64_C(1) << index;
    *lock = (struct hf_want){.mode = HF_EXCLUSIVE};
    if (text(reader, node, &lock->name))
        return HF_OK;
    if (is_twice(reader, node, "space") || is_twice(reader, node, "mode"))
        return wrong(reader, "locks",
                     "a list in which each member is given once");
    if (!text(reader, hf_json_member(&reader->json, node, "name"),
              &lock->name) ||
        (space != 0 && !text(reader, space, &lock->space)) ||
        (how != 0 && !mode(reader, how, &lock->mode)))
        return wrong(reader, "locks",
                     "a list of names, or of {\"name\", \"space\", \"mode\"}");
    note_unknown_of(reader, node);
    return HF_OK;
}

static enum hf_status
read_locks(struct reader *reader, size_t node)
{
    struct hf_api_body *body = reader->body;

    if (reader->json.nodes[node].kind != HF_JSON_ARRAY)
        return wrong(reader, "locks", "a list");
    for (size_t at = hf_json_next(&reader->json, node, 0); at != 0;
         at = hf_json_next(&reader->json, node, at)) {
        enum hf_status status;

        if (body->locks_count == HF_API_LOCKS_MAX)
            return hf_fail(reader->error, HF_E_LIMIT,
                           "more than %d \"locks\" in one request",
                           HF_API_LOCKS_MAX);
        status = read_lock(reader, at, body->locks_count++);
        if (status != HF_OK)
            return status;
    }
    return HF_OK;
}

#define NAMED(name) name, sizeof(name) - 1

static const struct {
    const char *name;
    size_t len; /* of the name */
    enum hf_api_given given;
    enum hf_status (*read)(struct reader *reader, size_t node);
} members[] = {
    {NAMED("session"), HF_API_SESSION, read_session},
    {NAMED("secret"), HF_API_SECRET, read_secret},
    {NAMED("term"), HF_API_TERM, read_term},
    {NAMED("lane"), HF_API_LANE, read_lane},
    {NAMED("n"), HF_API_N, read_n},
    {NAMED("a"), HF_API_A, read_a},
    {NAMED("lowest"), HF_API_LOWEST, read_lowest},
    {NAMED("ttl"), HF_API_TTL, read_ttl},
    {NAMED("if_dead"), HF_API_IF_DEAD, read_if_dead},
    {NAMED("who"), HF_API_WHO, read_who},
    {NAMED("space"), HF_API_SPACE, read_space},
    {NAMED("name"), HF_API_NAME, read_name},
    {NAMED("mode"), HF_API_MODE, read_mode},
    {NAMED("locks"), HF_API_LOCKS, read_locks},
    {NAMED("wait"), HF_API_WAIT, read_wait},
    {NAMED("park"), HF_API_PARK, read_park},
    {NAMED("waited"), HF_API_WAITED, read_waited},
    {NAMED("free"), HF_API_FREE, read_free},
    {NAMED("note"), HF_API_NOTE, read_note},
    {NAMED("fence"), HF_API_FENCE, read_fence},
    {NAMED("fences"), HF_API_FENCES, read_fences},
    {NAMED("reason"), HF_API_REASON, read_reason},
    {NAMED("force"), HF_API_FORCE, read_force},
    {NAMED("gone"), HF_API_GONE, read_gone},
    {NAMED("seen"), HF_API_SEEN, read_seen},
    {NAMED("sessions"), HF_API_SESSIONS, read_sessions},
};

/* A name may be written with escapes: to whoever reads it otherwise, it is the
 * same.  One that is no clean text, or longer than any of them, is unknown. */
static enum hf_status
read_member(struct reader *reader, size_t key)
{
    char name[TEXT_MAX];
    size_t len;

    if (!hf_json_clean(&reader->json, key, name, sizeof(name), &len))
        len = 0;
    for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
        if (members[i].len != len || memcmp(members[i].name, name, len) != 0)
            continue;
        if ((reader->body->given & members[i].given) != 0)
            return hf_fail(reader->error, HF_E_INVALID, "\"%s\" is given twice",
                           members[i].name);
        reader->body->given |= members[i].given;
        return members[i].read(reader, key + 1);
    }
    note_unknown(reader, key);
    return HF_OK;
}

enum hf_status
hf_api_body_read(const char *bytes, size_t len, struct hf_api_body *body,
                 struct hf_error *error)
{
    struct reader reader; /* large: what is read of it was written */
    enum hf_status status = HF_OK;
    struct hf_error why;

    reader.body = body;
    reader.error = error;
    memset(body, 0, offsetof(struct hf_api_body, locks));
    if (len == 0)
        return HF_OK;
    if (len > HF_RECORD_TEXT_MAX)
        return hf_fail(error, HF_E_LIMIT, "a body of %zu bytes, more than %d",
                       len, HF_RECORD_TEXT_MAX);
    if (hf_json_read(&reader.json, bytes, len, &why) != HF_OK)
        return hf_fail(error, HF_E_INVALID, "the body is no JSON object: %s",
                       why.text);
    if (reader.json.nodes[0].kind != HF_JSON_OBJECT)
        return hf_fail(error, HF_E_INVALID, "the body is no JSON object");
    for (size_t at = 1; at < reader.json.count && status == HF_OK; at++)
        if (reader.json.nodes[at].key && reader.json.nodes[at].parent == 0)
            status = read_member(&reader, at);
    return status;
}

#include "wire/api_body.h"

#include <inttypes.h>
#include <string.h>

#include "base/fail.h"
#include "wire/json.h"

static enum hf_status
wrong(const struct hf_fields_reader *reader, const char *member,
      const char *what)
{
    return hf_fail(reader->error, HF_E_INVALID, "\"%s\" is not %s", member,
                   what);
}

static enum hf_status
too_many(const struct hf_fields_reader *reader, const char *member, int most)
{
    return hf_fail(reader->error, HF_E_LIMIT,
                   "more than %d \"%s\" in one request", most, member);
}

/* ---- "wait" -------------------------------------------------------------- */

enum hf_status
hf_api_duration(const char *text, struct hf_duration *duration,
                struct hf_error *error)
{
    struct hf_bytes digits = {text, strlen(text)};
    int64_t ms;

    if (!hf_json_integer(digits, &ms) || ms < 0)
        return hf_duration_parse(text, duration, error);
    duration->ms = ms;
    return HF_OK;
}

static enum hf_status
read_wait(struct hf_fields_reader *reader, struct hf_bytes value, void *to)
{
    struct hf_api_body *body = to;

    body->wait = HF_WAIT_LIMITED;
    if (hf_json_is_word(value, "null"))
        body->wait = HF_WAIT_FOREVER;
    else if (hf_json_says(value, "try"))
        body->wait = HF_WAIT_TRY;
    else if (!hf_fields_read_duration(value, &body->remaining))
        return wrong(reader, "wait",
                     "\"try\", null, or a duration: milliseconds, or a text "
                     "with its unit, as \"30s\"");
    return HF_OK;
}

static void
write_wait(const void *at, struct hf_text *out)
{
    const struct hf_api_body *body = at;

    switch (body->wait) {
    case HF_WAIT_TRY:
        hf_text_add(out, "\"try\"");
        return;
    case HF_WAIT_LIMITED:
        hf_text_addf(out, "%" PRId64, body->remaining.ms);
        return;
    case HF_WAIT_FOREVER:
        hf_text_add(out, "null");
        return;
    }
}

static const struct hf_member_ways wait_ways = {read_wait, write_wait};

/* ---- "fences" ------------------------------------------------------------ */

static enum hf_status
read_fences(struct hf_fields_reader *reader, struct hf_bytes list, void *to)
{
    struct hf_api_body *body = to;
    struct hf_bytes value;
    size_t at = 0;

    while (hf_json_next(list, &at, &value)) {
        if (body->fences_count == HF_API_FENCES_MAX)
            return too_many(reader, "fences", HF_API_FENCES_MAX);
        if (!hf_fields_read_natural(value, &body->fences[body->fences_count++]))
            return wrong(reader, "fences", "a list of whole numbers");
    }
    return hf_json_is_array(list)
               ? HF_OK
               : wrong(reader, "fences", "a list of whole numbers");
}

static void
write_fences(const void *at, struct hf_text *out)
{
    const struct hf_api_body *body = at;

    hf_text_add(out, "[");
    for (size_t i = 0; i < body->fences_count; i++) {
        hf_text_add(out, i == 0 ? "" : ",");
        hf_text_add_number(out, body->fences[i]);
    }
    hf_text_add(out, "]");
}

static const struct hf_member_ways fences_ways = {read_fences, write_fences};

/* ---- "sessions" ---------------------------------------------------------- */

#define OF_ALIVE(field) HF_AT(struct hf_api_alive, field)

enum { ALIVE_TERM = 2 };

static const struct hf_member alive_rows[] = {
    {HF_MEMBER_ID, "session", OF_ALIVE(session)},
    {HF_MEMBER_HEX, "secret", OF_ALIVE(secret)},
    [ALIVE_TERM] = {HF_MEMBER_NATURAL, "term", OF_ALIVE(term),
                    .need = HF_OPTIONAL},
    {HF_MEMBER_NATURAL, "lowest", OF_ALIVE(lowest), .need = HF_OPTIONAL},
};

static const struct hf_fields alive_fields = {HF_FIELDS_OF(alive_rows)};

static enum hf_status
read_sessions(struct hf_fields_reader *reader, struct hf_bytes list, void *to)
{
    struct hf_api_body *body = to;
    enum hf_status status = HF_OK;
    struct hf_bytes value;
    uint64_t given;
    size_t at = 0;

    if (!hf_json_is_array(list))
        return wrong(reader, "sessions", "a list");
    while (status == HF_OK && hf_json_next(list, &at, &value)) {
        struct hf_api_alive *alive;

        if (body->sessions_count == HF_API_SESSIONS_MAX)
            return too_many(reader, "sessions", HF_API_SESSIONS_MAX);
        alive = &body->sessions[body->sessions_count++];
        *alive = (struct hf_api_alive){.term = 0};
        status = hf_fields_read_part(reader, "sessions", &alive_fields, value,
                                     alive, &given);
        alive->has_term = (given >> ALIVE_TERM & 1) != 0;
    }
    return status;
}

static const struct hf_member_ways sessions_ways = {read_sessions, NULL};

/* ---- "locks" ------------------------------------------------------------- */

#define OF_LOCK(field) HF_AT(struct hf_want, field)

enum { LOCK_MODE = 2 };

static const struct hf_member lock_rows[] = {
    {HF_MEMBER_TEXT, "space", OF_LOCK(space), .need = HF_OPTIONAL},
    {HF_MEMBER_TEXT, "name", OF_LOCK(name)},
    [LOCK_MODE] = {HF_MEMBER_MODE, "mode", OF_LOCK(mode), .need = HF_OPTIONAL},
};

static const struct hf_fields lock_fields = {HF_FIELDS_OF(lock_rows)};

/* A name, or an object of a name, and perhaps a space and a mode. */
static enum hf_status
read_lock(struct hf_fields_reader *reader, struct hf_bytes value,
          struct hf_api_body *body, size_t index)
{
    struct hf_want *lock = &body->locks[index];
    uint64_t given = 0;
    enum hf_status status = HF_OK;

    _Static_assert(HF_API_LOCKS_MAX <= 64, "a bit for each lock");
    *lock = (struct hf_want){.mode = HF_EXCLUSIVE};
    if (hf_json_is_object(value))
        status = hf_fields_read_part(reader, "locks", &lock_fields, value, lock,
                                     &given);
    else if (!hf_fields_read_bytes(reader, value, &lock->name))
        status =
            wrong(reader, "locks",
                  "a list of names, or of {\"name\", \"space\", \"mode\"}");
    if ((given >> LOCK_MODE & 1) == 0)
        body->locks_any_mode |= UINT64_C(1) << index;
    return status;
}

static enum hf_status
read_locks(struct hf_fields_reader *reader, struct hf_bytes list, void *to)
{
    struct hf_api_body *body = to;
    enum hf_status status = HF_OK;
    struct hf_bytes value;
    size_t at = 0;

    if (!hf_json_is_array(list))
        return wrong(reader, "locks", "a list");
    while (status == HF_OK && hf_json_next(list, &at, &value)) {
        if (body->locks_count == HF_API_LOCKS_MAX)
            return too_many(reader, "locks", HF_API_LOCKS_MAX);
        status = read_lock(reader, value, body, body->locks_count++);
    }
    return status;
}

static void
write_locks(const void *at, struct hf_text *out)
{
    const struct hf_api_body *body = at;

    hf_text_add(out, "[");
    for (size_t i = 0; i < body->locks_count; i++) {
        hf_text_add(out, i == 0 ? "" : ",");
        hf_fields_write(&lock_fields, &body->locks[i], HF_FIELDS_ALL, out);
    }
    hf_text_add(out, "]");
}

static const struct hf_member_ways locks_ways = {read_locks, write_locks};

/* ---- All of them --------------------------------------------------------- */

#define ROW(kind, name, field)                                                 \
    {                                                                          \
        kind, name, HF_AT(struct hf_api_body, field), .need = HF_OPTIONAL      \
    }
#define OTHER(name, ways_)                                                     \
    {                                                                          \
        HF_MEMBER_OTHER, name, .need = HF_OPTIONAL, .ways = (ways_)            \
    }

static const struct hf_member rows[] = {
    ROW(HF_MEMBER_NATURAL, "id", id),
    ROW(HF_MEMBER_TEXT, "do", what),
    ROW(HF_MEMBER_TEXT, "key", key),
    {HF_MEMBER_ID, "session", HF_AT(struct hf_api_body, session),
     .need = HF_OPTIONAL, .least = 1},
    ROW(HF_MEMBER_HEX, "secret", secret),
    ROW(HF_MEMBER_NATURAL, "term", term),
    ROW(HF_MEMBER_NATURAL, "lowest", lowest),
    ROW(HF_MEMBER_NATURAL, "lane", lane),
    ROW(HF_MEMBER_NATURAL, "n", n),
    ROW(HF_MEMBER_NATURAL, "a", a),
    ROW(HF_MEMBER_DURATION, "ttl", ttl),
    ROW(HF_MEMBER_IF_DEAD, "if_dead", if_dead),
    ROW(HF_MEMBER_TEXT, "who", who),
    ROW(HF_MEMBER_TEXT, "space", space),
    ROW(HF_MEMBER_TEXT, "name", name),
    ROW(HF_MEMBER_MODE, "mode", mode),
    OTHER("locks", &locks_ways),
    OTHER("wait", &wait_ways),
    ROW(HF_MEMBER_DURATION, "park", park),
    ROW(HF_MEMBER_DURATION, "waited", waited),
    ROW(HF_MEMBER_NATURAL, "seen", seen),
    ROW(HF_MEMBER_FLAG, "free", free),
    ROW(HF_MEMBER_TEXT, "note", note),
    ROW(HF_MEMBER_NATURAL, "fence", fence),
    OTHER("fences", &fences_ways),
    ROW(HF_MEMBER_TEXT, "reason", reason),
    ROW(HF_MEMBER_FLAG, "force", force),
    ROW(HF_MEMBER_FLAG, "gone", gone),
    OTHER("sessions", &sessions_ways),
};

_Static_assert(UINT64_C(1) << (sizeof(rows) / sizeof(rows[0]) - 1) ==
                   HF_API_SESSIONS,
               "a bit of `given` for each row");

static const struct hf_fields fields = {HF_FIELDS_OF(rows), .optional = true};

/* A body that is being read, for what is unknown in it. */
struct body_reading {
    const struct hf_api_form *form;
    struct hf_bytes optional;
    struct hf_api_unknown *unknown;
};

/* A member that this kind of request does not have.  A name may be written with
 * escapes: it is the same name. */
static enum hf_status
refuse_key(struct hf_fields_reader *reader, const struct hf_fields *of,
           struct hf_bytes key)
{
    const struct body_reading *reading = reader->user_data;
    struct hf_api_known known = {.what = "member"};
    char name[HF_API_UNKNOWN_SIZE];

    hf_json_show(key, name, sizeof(name));
    if (hf_api_is_optional(reading->optional, name))
        return HF_OK;
    if (of == &fields)
        known.of = reading->form->name;
    for (size_t i = 0; i < of->count; i++)
        if (of != &fields || (reading->form->members >> i & 1) != 0)
            known.names[known.count++] = of->members[i].name;
    return hf_api_refuse_unknown(&known, name, reading->unknown, reader->error);
}

static enum hf_status
read_members(struct body_reading *reading, struct hf_bytes text,
             struct hf_api_body *body, struct hf_error *error)
{
    struct hf_fields_reader reader = {
        .status = HF_E_INVALID,
        .error = error,
        .texts = body->texts,
        .texts_size = sizeof(body->texts),
        .unknown = refuse_key,
        .user_data = reading,
    };
    uint64_t given = 0;
    enum hf_status status = hf_fields_check(
        &reader, &fields, reading->form->members, text, body, &given);

    body->given = (unsigned)given;
    return status;
}

static void
clear(struct hf_api_body *body)
{
    memset(body, 0, offsetof(struct hf_api_body, locks));
}

enum hf_status
hf_api_body_read(const struct hf_api_form *form, struct hf_bytes text,
                 struct hf_bytes optional, struct hf_api_body *body,
                 struct hf_error *error)
{
    struct body_reading reading = {form, optional, &body->unknown};
    bool is_line = (form->members & HF_API_ID) != 0;
    size_t most = HF_API_BODY_MAX + (is_line ? HF_API_LINE_MORE : 0);
    struct hf_error why = {.text = ""};
    enum hf_status status;

    clear(body);
    if (text.len == 0)
        return HF_OK;
    if (text.len > most)
        return hf_fail(error, HF_E_LIMIT, "a body of %zu bytes, more than %zu",
                       text.len, most);
    status = read_members(&reading, text, body, error);
    if (status == HF_OK ||
        (hf_json_check(text, &why) == HF_OK && hf_json_is_object(text)))
        return status;
    clear(body);
    return hf_fail(error, HF_E_INVALID, "the body is no JSON object%s%s",
                   why.text[0] == '\0' ? "" : ": ", why.text);
}

/* It is answered as a number. */
static bool
read_line_id(struct hf_bytes value, uint64_t *id)
{
    int64_t number;

    if (!hf_json_integer(value, &number) || number < 0)
        return false;
    *id = (uint64_t)number;
    return true;
}

void
hf_api_line_read(struct hf_bytes text, struct hf_api_line *line)
{
    struct hf_bytes key;
    struct hf_bytes value;
    size_t at = 0;

    *line = (struct hf_api_line){.has_id = false};
    while ((!line->has_id || line->what.len == 0) &&
           hf_json_next_member(text, &at, &key, &value)) {
        /* what a text ends with may have been cut */
        if (hf_json_says(key, "id"))
            line->has_id = at < text.len && read_line_id(value, &line->id);
        else if (hf_json_says(key, "do"))
            line->what = value;
    }
}

void
hf_api_body_write(const struct hf_api_body *body, struct hf_text *text)
{
    hf_fields_write(&fields, body, body->given, text);
}

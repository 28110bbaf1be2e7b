#include "wire/served.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "base/fail.h"
#include "base/hex.h"
#include "base/text.h"
#include "core/lockspace/journal.h"
#include "core/lockspace/look.h"
#include "wire/json.h"
#include "wire/name.h"
#include "wire/record.h"

enum { HASH_DIGITS = 2 * sizeof(struct hf_secret_hash) };

/* What a lock is held in; HF_UNTIL_FREE never is. */
static const char *const mode_words[] = {
    [HF_EXCLUSIVE] = "exclusive",
    [HF_SHARED] = "shared",
};

/* ---- Names of records ---------------------------------------------------- */

void
hf_served_id(uint64_t id, char name[HF_SERVED_ID_SIZE])
{
    HF_CHECK(id != 0);
    snprintf(name, HF_SERVED_ID_SIZE, "%016" PRIx64, id);
}

void
hf_served_fence(uint64_t fence, char name[HF_SERVED_FENCE_SIZE])
{
    HF_CHECK(fence != 0 && fence <= HF_SERVED_FENCE_MAX);
    snprintf(name, HF_SERVED_FENCE_SIZE, "%019" PRIu64, fence);
}

static bool
read_id(struct hf_bytes name, uint64_t *id)
{
    uint64_t sum = 0;

    if (name.len != HF_SERVED_ID_SIZE - 1)
        return false;
    for (size_t i = 0; i < name.len; i++) {
        static const char digits[] = "0123456789abcdef";
        const char *digit = memchr(digits, name.at[i], sizeof(digits) - 1);

        if (digit == NULL)
            return false;
        sum = sum << 4 | (uint64_t)(digit - digits);
    }
    *id = sum;
    return sum != 0;
}

static bool
read_fence(struct hf_bytes name, uint64_t *fence)
{
    uint64_t sum = 0;

    if (name.len != HF_SERVED_FENCE_SIZE - 1)
        return false;
    for (size_t i = 0; i < name.len; i++) {
        if (name.at[i] < '0' || name.at[i] > '9')
            return false;
        sum = sum * 10 + (uint64_t)(name.at[i] - '0'); /* 19 digits: it fits */
    }
    *fence = sum;
    return sum != 0 && sum <= HF_SERVED_FENCE_MAX;
}

/* ---- What can be kept ---------------------------------------------------- */

static enum hf_status
check_session(struct hf_duration ttl, struct hf_bytes who,
              struct hf_error *error)
{
    if (ttl.ms < HF_TTL_MIN_MS || ttl.ms > HF_TTL_MAX_MS)
        return hf_fail(error, HF_E_INVALID,
                       "the ttl is %" PRId64 " ms, from %d to %d are allowed",
                       ttl.ms, HF_TTL_MIN_MS, HF_TTL_MAX_MS);
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

/* The machine refuses it, too, and does not tell why. */
static enum hf_status
check_names(const struct hf_want *wants, size_t count, struct hf_error *error)
{
    if (count == 0)
        return hf_fail(error, HF_E_INVALID, "no lock is named");
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < i; k++)
            if (is_same(wants[k].name, wants[i].name) &&
                is_same(wants[k].space, wants[i].space))
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
look_at_text(const struct hf_lockspace *ls, struct hf_texts_ref ref,
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

/* ---- Encode -------------------------------------------------------------- */

size_t
hf_served_encode_session(const struct hf_loaded_session *session, char *buffer,
                         size_t size)
{
    char hash[HASH_DIGITS + 1];
    char secret[sizeof(session->secret)];
    struct hf_text out;

    HF_CHECK(session->id != 0);
    HF_CHECK(check_session(session->ttl, session->who, NULL) == HF_OK);
    memcpy(secret, session->secret.bytes, sizeof(secret));
    hf_hex_write(secret, sizeof(secret), hash, sizeof(hash));

    hf_text_init(&out, buffer, size);
    hf_text_addf(&out,
                 "{\"secret\":\"%s\",\"ttl_ms\":%" PRId64
                 ",\"if_dead\":\"%s\",\"who\":",
                 hash, session->ttl.ms, hf_if_dead_word(session->if_dead));
    hf_text_add_json(&out, session->who.at, session->who.len);
    hf_text_add(&out, "}");
    return out.len;
}

static void
add_lock(struct hf_text *out, const struct hf_want *want)
{
    HF_CHECK(want->mode == HF_EXCLUSIVE || want->mode == HF_SHARED);
    hf_text_add(out, "{\"space\":");
    hf_text_add_json(out, want->space.at, want->space.len);
    hf_text_add(out, ",\"name\":");
    hf_text_add_json(out, want->name.at, want->name.len);
    hf_text_addf(out, ",\"mode\":\"%s\"}", mode_words[want->mode]);
}

size_t
hf_served_encode_grant(const struct hf_served_grant *grant, char *buffer,
                       size_t size)
{
    const struct hf_loaded_grant *loaded = &grant->loaded;
    char session[HF_SERVED_ID_SIZE];
    struct hf_text out;

    HF_CHECK(loaded->wants_count > 0 &&
             loaded->wants_count <= HF_SERVED_NAMES_MAX);
    HF_CHECK(grant->since_ms >= 0);
    HF_CHECK(check_grant(loaded, NULL) == HF_OK);
    hf_served_id(loaded->session, session);

    hf_text_init(&out, buffer, size);
    hf_text_addf(&out,
                 "{\"session\":\"%s\",\"lane\":%" PRIu64 ",\"n\":%" PRIu64
                 ",\"locks\":[",
                 session, loaded->lane, loaded->n);
    for (size_t i = 0; i < loaded->wants_count; i++) {
        if (i > 0)
            hf_text_add(&out, ",");
        add_lock(&out, &loaded->wants[i]);
    }
    hf_text_addf(&out, "],\"since\":%" PRId64 ",\"note\":", grant->since_ms);
    hf_text_add_json(&out, loaded->note.at, loaded->note.len);
    hf_text_add(&out, "}");
    return out.len;
}

/* ---- Decode -------------------------------------------------------------- */

/* One record as it is read. */
struct reading {
    struct hf_json json;
    struct hf_served_memory *memory;
    size_t texts_len; /* that are used of memory->texts */
    struct hf_error *error;
};

static enum hf_status
begin(struct reading *r, struct hf_bytes value, const char *const *names,
      size_t *members)
{
    enum hf_status status =
        hf_json_read(&r->json, value.at, value.len, r->error);

    if (status != HF_OK)
        return status;
    return hf_json_members(&r->json, 0, names, members, r->error);
}

/* What could never have been asked for was not written by us. */
static enum hf_status
judge(struct reading *r, enum hf_status status, const struct hf_error *why)
{
    if (status == HF_OK)
        return HF_OK;
    return hf_fail(r->error, HF_E_CORRUPT, "%s", why->text);
}

/* A text, into the memory. */
static bool
read_text(struct reading *r, size_t node, struct hf_bytes *text)
{
    char *at = r->memory->texts + r->texts_len;
    size_t len;

    if (!hf_json_clean(&r->json, node, at,
                       sizeof(r->memory->texts) - r->texts_len, &len))
        return false;
    *text = (struct hf_bytes){at, len};
    r->texts_len += len;
    return true;
}

static bool
read_word(const struct reading *r, size_t node, char *word, size_t size)
{
    size_t len;

    return hf_json_clean(&r->json, node, word, size, &len);
}

static bool
read_hash(const struct reading *r, size_t node, struct hf_secret_hash *hash)
{
    char digits[HASH_DIGITS + 1];
    size_t len;

    return hf_json_clean(&r->json, node, digits, sizeof(digits), &len) &&
           hf_hex_read((struct hf_bytes){digits, len}, hash->bytes,
                       sizeof(hash->bytes));
}

static bool
read_if_dead(const struct reading *r, size_t node, enum hf_if_dead *if_dead)
{
    char word[16];

    return read_word(r, node, word, sizeof(word)) &&
           hf_record_if_dead(word, if_dead);
}

static bool
read_number(const struct reading *r, size_t node, int64_t least,
            int64_t *number)
{
    return hf_json_integer(&r->json, node, number) && *number >= least;
}

/* ---- Decode a session ---------------------------------------------------- */

enum { SECRET, TTL, IF_DEAD, WHO, SESSION_MEMBERS };

static const char *const session_names[] = {
    [SECRET] = "secret", [TTL] = "ttl_ms",         [IF_DEAD] = "if_dead",
    [WHO] = "who",       [SESSION_MEMBERS] = NULL,
};

static enum hf_status
read_session(struct reading *r, const size_t *members,
             struct hf_loaded_session *session)
{
    struct hf_error why = {0};

    if (!read_hash(r, members[SECRET], &session->secret))
        return hf_fail(r->error, HF_E_CORRUPT, "no well-formed \"secret\"");
    if (!read_number(r, members[TTL], 0, &session->ttl.ms))
        return hf_fail(r->error, HF_E_CORRUPT, "no well-formed \"ttl_ms\"");
    if (!read_if_dead(r, members[IF_DEAD], &session->if_dead))
        return hf_fail(r->error, HF_E_CORRUPT, "no well-formed \"if_dead\"");
    if (!read_text(r, members[WHO], &session->who))
        return hf_fail(r->error, HF_E_CORRUPT, "no well-formed \"who\"");
    return judge(r, check_session(session->ttl, session->who, &why), &why);
}

enum hf_status
hf_served_decode_session(struct hf_bytes name, struct hf_bytes value,
                         struct hf_served_memory *memory,
                         struct hf_loaded_session *session,
                         struct hf_error *error)
{
    struct reading r = {
        .memory = memory, .texts_len = memory->texts_len, .error = error};
    struct hf_loaded_session read = {.id = 0};
    size_t members[SESSION_MEMBERS];
    enum hf_status status;

    if (!read_id(name, &read.id))
        return hf_fail(error, HF_E_CORRUPT,
                       "its name is not 16 hexadecimal digits");
    status = begin(&r, value, session_names, members);
    if (status == HF_OK)
        status = read_session(&r, members, &read);
    if (status != HF_OK)
        return status;
    memory->texts_len = r.texts_len;
    *session = read;
    return HF_OK;
}

/* ---- Decode a grant ------------------------------------------------------ */

enum { SESSION, LANE, N, LOCKS, SINCE, NOTE, GRANT_MEMBERS };

static const char *const grant_names[] = {
    [SESSION] = "session",  [LANE] = "lane",   [N] = "n",
    [LOCKS] = "locks",      [SINCE] = "since", [NOTE] = "note",
    [GRANT_MEMBERS] = NULL,
};

enum { SPACE, NAME, MODE, LOCK_MEMBERS };

static const char *const lock_names[] = {
    [SPACE] = "space",
    [NAME] = "name",
    [MODE] = "mode",
    [LOCK_MEMBERS] = NULL,
};

static bool
read_mode(const struct reading *r, size_t node, enum hf_mode *mode)
{
    char word[16];

    if (!read_word(r, node, word, sizeof(word)))
        return false;
    *mode = strcmp(word, mode_words[HF_SHARED]) == 0 ? HF_SHARED : HF_EXCLUSIVE;
    return strcmp(word, mode_words[*mode]) == 0;
}

static bool
is_same_lock(const struct hf_want *a, const struct hf_want *b)
{
    return a->space.len == b->space.len && a->name.len == b->name.len &&
           memcmp(a->space.at, b->space.at, a->space.len) == 0 &&
           memcmp(a->name.at, b->name.at, a->name.len) == 0;
}

/* The next of the locks; `before` of them were read. */
static enum hf_status
read_lock(struct reading *r, size_t node, size_t before)
{
    struct hf_want *wants = r->memory->wants;
    size_t members[LOCK_MEMBERS];
    struct hf_want want;

    if (before == HF_SERVED_NAMES_MAX)
        return hf_fail(r->error, HF_E_CORRUPT, "more than %d locks",
                       HF_SERVED_NAMES_MAX);
    if (hf_json_members(&r->json, node, lock_names, members, r->error) != HF_OK)
        return HF_E_CORRUPT;
    if (!read_text(r, members[SPACE], &want.space))
        return hf_fail(r->error, HF_E_CORRUPT, "no well-formed \"space\"");
    if (!read_text(r, members[NAME], &want.name))
        return hf_fail(r->error, HF_E_CORRUPT, "no well-formed \"name\"");
    if (!read_mode(r, members[MODE], &want.mode))
        return hf_fail(r->error, HF_E_CORRUPT, "no well-formed \"mode\"");
    for (size_t i = 0; i < before; i++) {
        if (is_same_lock(&wants[i], &want))
            return hf_fail(r->error, HF_E_CORRUPT, "a lock is given twice");
    }
    wants[before] = want;
    return HF_OK;
}

static enum hf_status
read_locks(struct reading *r, size_t list, struct hf_loaded_grant *grant)
{
    size_t count = 0;
    size_t node = hf_json_next(&r->json, list, 0);

    while (node != 0) {
        enum hf_status status = read_lock(r, node, count);

        if (status != HF_OK)
            return status;
        count++;
        node = hf_json_next(&r->json, list, node);
    }
    if (count == 0)
        return hf_fail(r->error, HF_E_CORRUPT, "no well-formed \"locks\"");
    grant->wants = r->memory->wants;
    grant->wants_count = count;
    return HF_OK;
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

static enum hf_status
read_grant(struct reading *r, const size_t *members,
           struct hf_served_grant *grant)
{
    struct hf_loaded_grant *loaded = &grant->loaded;
    char session[HF_SERVED_ID_SIZE];
    struct hf_error why = {0};
    enum hf_status status;
    int64_t lane;
    int64_t n;

    if (!read_word(r, members[SESSION], session, sizeof(session)) ||
        !read_id((struct hf_bytes){session, strlen(session)}, &loaded->session))
        return hf_fail(r->error, HF_E_CORRUPT, "no well-formed \"session\"");
    if (!read_number(r, members[LANE], 0, &lane))
        return hf_fail(r->error, HF_E_CORRUPT, "no well-formed \"lane\"");
    if (!read_number(r, members[N], 1, &n))
        return hf_fail(r->error, HF_E_CORRUPT, "no well-formed \"n\"");
    if (!read_number(r, members[SINCE], 0, &grant->since_ms))
        return hf_fail(r->error, HF_E_CORRUPT, "no well-formed \"since\"");
    status = read_locks(r, members[LOCKS], loaded);
    if (status != HF_OK)
        return status;
    if (!read_text(r, members[NOTE], &loaded->note))
        return hf_fail(r->error, HF_E_CORRUPT, "no well-formed \"note\"");
    loaded->lane = (uint64_t)lane;
    loaded->n = (uint64_t)n;
    status = judge(r, check_grant(loaded, &why), &why);
    if (status == HF_OK && is_too_large(loaded))
        status = hf_fail(r->error, HF_E_CORRUPT, "more than a grant may have");
    return status;
}

enum hf_status
hf_served_decode_grant(struct hf_bytes name, struct hf_bytes value,
                       struct hf_served_memory *memory,
                       struct hf_served_grant *grant, struct hf_error *error)
{
    struct reading r = {
        .memory = memory, .texts_len = memory->texts_len, .error = error};
    struct hf_served_grant read = {.since_ms = 0};
    size_t members[GRANT_MEMBERS];
    enum hf_status status;

    if (!read_fence(name, &read.loaded.fence))
        return hf_fail(error, HF_E_CORRUPT,
                       "its name is not 19 digits of a number");
    status = begin(&r, value, grant_names, members);
    if (status == HF_OK)
        status = read_grant(&r, members, &read);
    if (status != HF_OK)
        return status;
    memory->texts_len = r.texts_len;
    *grant = read;
    return HF_OK;
}

#ifndef HF_WIRE_API_BODY_H
#define HF_WIRE_API_BODY_H

#include "base/limits.h"
#include "core/session.h"
#include "wire/api_unknown.h"
#include "wire/fields.h"

/*
 * The body of a request to a lock server, as JSON: one object, of these
 * members, each of which may be missing.  docs/api.md says which request looks
 * at which.
 *
 *   session "00f3ab91c07d5e24"    secret "<32 digits>"    term 1763850690123456
 *   lane 1   n 1   a 1   lowest 1
 *   ttl "30s"   if_dead "takeover"   who "ann@db1"
 *   space "default"   name "a"   mode "exclusive"
 *   locks [{"space":"default","name":"a","mode":"shared"}, "b", …]
 *   wait "try" | "10s" | null    park "30s"    waited "1s"    free true
 *   note "./migrate"
 *   fence 1763850690123456   fences […]   seen 1763850690123456
 *   reason "…"   force true   gone true
 *   sessions [{"session":…,"secret":…,"term":…,"lowest":…}, …]
 *   id 7   do "acquire"   key "…"     of a line of a stream alone
 *
 * A duration is a text with a unit or a number of milliseconds.  A fence, and a
 * term, is a number or the same digits as a text, for who reads JSON with
 * numbers of 53 bits.
 *
 * Allocates nothing; any thread.
 */

enum {
    HF_API_BODY_MAX = HF_RECORD_TEXT_MAX, /* bytes; a line may have more: */
    HF_API_LINE_MORE = 256, /* "id", "do", "session" and "secret" */
    HF_API_LOCKS_MAX = HF_SERVED_NAMES_MAX,
    HF_API_FENCES_MAX = 256,  /* the fences of a page to be compared [S4] */
    HF_API_SESSIONS_MAX = 64, /* to be kept alive */
    HF_API_TEXTS_MAX = HF_RECORD_TEXT_MAX,
};

/* What was given: bits of `given`, in the order of the table in api_body.c. */
enum hf_api_given {
    HF_API_ID = 1 << 0,
    HF_API_DO = 1 << 1,
    HF_API_KEY = 1 << 2,
    HF_API_SESSION = 1 << 3,
    HF_API_SECRET = 1 << 4,
    HF_API_TERM = 1 << 5,
    HF_API_LOWEST = 1 << 6,
    HF_API_LANE = 1 << 7,
    HF_API_N = 1 << 8,
    HF_API_A = 1 << 9,
    HF_API_TTL = 1 << 10,
    HF_API_IF_DEAD = 1 << 11,
    HF_API_WHO = 1 << 12,
    HF_API_SPACE = 1 << 13,
    HF_API_NAME = 1 << 14,
    HF_API_MODE = 1 << 15,
    HF_API_LOCKS = 1 << 16,
    HF_API_WAIT = 1 << 17,
    HF_API_PARK = 1 << 18,
    HF_API_WAITED = 1 << 19,
    HF_API_SEEN = 1 << 20,
    HF_API_FREE = 1 << 21,
    HF_API_NOTE = 1 << 22,
    HF_API_FENCE = 1 << 23,
    HF_API_FENCES = 1 << 24,
    HF_API_REASON = 1 << 25,
    HF_API_FORCE = 1 << 26,
    HF_API_GONE = 1 << 27,
    HF_API_SESSIONS = 1 << 28,
};

/* One of several sessions that are kept alive. */
struct hf_api_alive {
    bool has_term; /* the others are always there, or 0 */
    uint64_t session;
    struct hf_secret secret;
    uint64_t term;
    uint64_t lowest;
};

struct hf_api_body {
    unsigned given; /* bits of enum hf_api_given; what is not is zero */
    struct hf_api_unknown unknown; /* why it was refused, if so */
    uint64_t id;                   /* of a line of a stream, */
    struct hf_bytes what;          /* ... "do": what it asks for, */
    struct hf_bytes key;           /* ... and its idempotency key */
    uint64_t session;
    struct hf_secret secret;
    uint64_t term;
    uint64_t lane;
    uint64_t n;
    uint64_t a;
    uint64_t lowest;
    struct hf_duration ttl;
    enum hf_if_dead if_dead;
    struct hf_bytes who;
    struct hf_bytes space;
    struct hf_bytes name;
    enum hf_mode mode;
    enum hf_wait_kind wait;
    struct hf_duration remaining; /* of HF_WAIT_LIMITED */
    struct hf_duration park;
    struct hf_duration waited;
    bool free;
    struct hf_bytes note;
    uint64_t fence;
    struct hf_bytes reason;
    bool force;    /* of a clear: nobody looked for a sign of life */
    bool gone;     /* ... or somebody saw that its processes are gone */
    uint64_t seen; /* the highest fence of the lock that its client knows */
    size_t locks_count;
    uint64_t
        locks_any_mode; /* a bit for each that says none, from the lowest */
    size_t fences_count;
    size_t sessions_count;

    /* Of these, so many as are counted above; all else may be anything. */
    struct hf_want locks[HF_API_LOCKS_MAX]; /* in the space of the body, unless
                                               they name another */
    uint64_t fences[HF_API_FENCES_MAX];
    struct hf_api_alive sessions[HF_API_SESSIONS_MAX];
    char texts[HF_API_TEXTS_MAX]; /* of names and texts, unescaped */
};

/* A kind of request: its name, for people, and the members that it may have. */
struct hf_api_form {
    const char *name;
    unsigned members; /* bits of enum hf_api_given */
};

/*
 * Read any bytes; none at all are an empty object.  HF_E_INVALID, with a
 * sentence in *error that names the member: it is no JSON, or not such an
 * object, or a member is of another kind, or not one of the form's; but those
 * that `optional` names are skipped (api_unknown.h).  HF_E_LIMIT: too long, or
 * more locks, fences or sessions than there may be.  Whether a name is one that
 * a lock can have is hf_served_check's to say.  On any status but HF_OK *body
 * may hold anything, but for `unknown`.
 */
HF_MUST_USE enum hf_status hf_api_body_read(const struct hf_api_form *form,
                                            struct hf_bytes text,
                                            struct hf_bytes optional,
                                            struct hf_api_body *body,
                                            struct hf_error *error);

/* What a line of a stream says of itself.  The rest of it is not looked at:
 * hf_api_body_read reads it all. */
struct hf_api_line {
    bool has_id;
    uint64_t id;
    struct hf_bytes what; /* "do", as JSON; empty: it has none */
};

void hf_api_line_read(struct hf_bytes text, struct hf_api_line *line);

/* Append the members that are given, but for `sessions`. */
void hf_api_body_write(const struct hf_api_body *body, struct hf_text *text);

/* A text with a unit ("15s"), or the digits of milliseconds: of a body, or of a
 * query. */
HF_MUST_USE enum hf_status hf_api_duration(const char *text,
                                           struct hf_duration *duration,
                                           struct hf_error *error);

#endif

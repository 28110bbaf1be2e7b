#ifndef HF_CLIENT_VIEW_H
#define HF_CLIENT_VIEW_H

#include "base/alloc.h"
#include "base/checkup.h"
#include "base/limits.h"
#include "wire/api_seen.h"
#include "wire/describe.h"

/* What stands behind a view: one of the values of wire/describe.h, and whose
 * memory it is in. */
enum hf_view_kind {
    HF_VIEW_ROW,       /* a lock's record */
    HF_VIEW_DIAGNOSIS, /* and what is known of its holder; or of a clear */
    HF_VIEW_ENTRY,     /* of the audit */
    HF_VIEW_CHECK,     /* of a place */
    HF_VIEW_SESSION,   /* of a lock server */
};

/* Of struct hf_api_session. */
#define HF_SESSION_TABLE(X)                                                    \
    X(HF_FIELD_SESSION, TEXT, id, ALWAYS, ALWAYS, "session")                   \
    X(HF_FIELD_WHO, TEXT, who, ALWAYS, ALWAYS, "who")                          \
    X(HF_FIELD_IF_DEAD, IF_DEAD, if_dead, ALWAYS, ALWAYS, "if_dead")           \
    X(HF_FIELD_TTL_MS, NUMBER, ttl.ms, ALWAYS, ALWAYS, "ttl_ms")               \
    X(HF_FIELD_SILENT_MS, NUMBER, silent.ms, ALWAYS, ALWAYS, "silent_ms")      \
    X(HF_FIELD_HOLDS, NUMBER, holds, ALWAYS, ALWAYS, "holds")                  \
    X(HF_FIELD_WAITS, NUMBER, waits, ALWAYS, ALWAYS, "waits")                  \
    X(HF_FIELD_BY_ACQUIRE, FLAG, by_acquire, ALWAYS, ALWAYS, "by_acquire")

/* Of struct hf_checkup. */
#define HF_CHECKUP_TABLE(X)                                                    \
    X(HF_FIELD_CHECK, STATIC, check, ALWAYS, ALWAYS, "check")                  \
    X(HF_FIELD_GRADE, GRADE, grade, ALWAYS, ALWAYS, "grade")                   \
    X(HF_FIELD_FOUND, TEXT, found, ALWAYS, ALWAYS, "found")                    \
    X(HF_FIELD_REMEDY, TEXT, remedy, ALWAYS, ALWAYS, "remedy")

struct hf_view {
    const struct hf_alloc *alloc;
    enum hf_view_kind kind;
    struct hf_view *next; /* of a query's rows */
    union {
        struct hf_description row;
        struct hf_diagnosis diagnosis;
        struct hf_audit_entry entry;
        struct hf_checkup check;
        struct hf_api_session session;
    };
};

/* A view of that kind, otherwise empty, or NULL. */
struct hf_view *hf_view_new(const struct hf_alloc *alloc,
                            enum hf_view_kind kind);

#endif

#ifndef HOLDFAST_VIEW_H
#define HOLDFAST_VIEW_H

#include <holdfast/words.h>

/*
 * A view: what was known at one moment of a lock and its holder, of an entry of
 * the audit, or of a place.
 *
 * A view is opaque and never changes.  It belongs to the caller until
 * hf_view_free, and outlives the client that made it.  Any thread may read it.
 * Every function below accepts NULL as a view of which nothing is known.  Text
 * is UTF-8, ends with NUL, is valid as long as the view, and is cut at its
 * limit.  Text of other programs is shown with U+FFFD for control characters
 * and for invisible ones, so it is safe to print on a terminal.
 */

HF_BEGIN_DECLS

enum {
    HF_SPACE_MAX = 128, /* bytes of a space, without the NUL */
    HF_NAME_MAX = 512,  /* bytes of a lock's name, without the NUL */
    HF_HOST_MAX = 255,  /* bytes, like all below */
    HF_USER_MAX = 63,
    HF_COMMAND_MAX = 1023, /* longer commands are cut */
    HF_REASON_MAX = 511,
    HF_PROCESSES_MAX = 8,
};

struct hf_view;

/* The fields of a view: name, word, kind.  A later version may add fields at
 * the end.  Durations are in ms; points in time are Unix time in ms. */
#define HF_FIELD_TABLE(X)                                                      \
    /* The record of the lock, as read from the place. */                      \
    X(HF_FIELD_SPACE, "space", TEXT)                                           \
    X(HF_FIELD_NAME, "name", TEXT)                                             \
    X(HF_FIELD_EXISTS, "exists", FLAG)                                         \
    X(HF_FIELD_CORRUPT, "corrupt", FLAG)      /* not Holdfast's */             \
    X(HF_FIELD_FOREIGN, "foreign_name", FLAG) /* no lock can have this name */ \
    X(HF_FIELD_FENCE, "fence", NUMBER)        /* of the holder's grant */      \
    X(HF_FIELD_VERSION, "version", NUMBER)    /* changes with every beat */    \
    X(HF_FIELD_STAMP_MS, "stamp_ms", NUMBER)  /* place's clock: last beat */   \
    X(HF_FIELD_CLAIM, "claim", NUMBER)        /* the <id> of <id>_<beat> */    \
    X(HF_FIELD_BEAT, "beat", NUMBER)          /* heartbeats, from 0 */         \
    X(HF_FIELD_IF_DEAD, "if_dead", WORD)      /* an enum hf_if_dead */         \
    X(HF_FIELD_TTL_MS, "ttl_ms", NUMBER)                                       \
    X(HF_FIELD_BEAT_MS, "beat_ms", NUMBER)                                     \
    X(HF_FIELD_SINCE_MS, "since_ms", NUMBER) /* holder's clock: claimed */     \
    X(HF_FIELD_HOST, "host", TEXT)                                             \
    X(HF_FIELD_USER, "user", TEXT)                                             \
    X(HF_FIELD_COMMAND, "command", TEXT)                                       \
    X(HF_FIELD_REASON, "reason", TEXT)                                         \
    X(HF_FIELD_PROCESSES, "processes", LIST) /* pids, on `host` */             \
    /* What a lock server tells beside it. */                                  \
    X(HF_FIELD_MODE, "mode", WORD)           /* an enum hf_mode */             \
    X(HF_FIELD_WAITERS, "waiters", NUMBER)   /* in line for it */              \
    X(HF_FIELD_POSITION, "position", NUMBER) /* in line, of who waits, from \
                                                  1; 0: it holds */  \
    X(HF_FIELD_WAITED_MS, "waited_ms", NUMBER) /* ... for so long */           \
    X(HF_FIELD_PARKED_MS, "parked_ms", NUMBER) /* ... kept for so long */      \
    /* What is known of its holder's life. */                                  \
    X(HF_FIELD_LIFE, "life", WORD)           /* an enum hf_life */             \
    X(HF_FIELD_HERE, "here", FLAG)           /* its processes are of this    \
                                                  boot, host, namespace */ \
    X(HF_FIELD_RUNNING, "running", FLAG)     /* here, and one is there */      \
    X(HF_FIELD_SAME_BOOT, "same_boot", FLAG) /* of this boot and host, maybe \
                                                  of another pid namespace */ \
    X(HF_FIELD_UNCHANGED_MS, "unchanged_ms", NUMBER) /* this version stood */  \
    X(HF_FIELD_WATCHED_MS, "watched_ms", NUMBER) /* we have been looking */    \
    X(HF_FIELD_STATUS, "status", WORD) /* an enum hf_status: why the   \
                                                  place has not answered our   \
                                                  last question, or why the    \
                                                  record is corrupt; or LIMIT: \
                                                  no room to wait */       \
    X(HF_FIELD_ERROR, "error", TEXT)   /* the same in a clause */              \
    /* A clear, and the audit of it: who cleared the record, when, why. */     \
    X(HF_FIELD_CLEARED, "cleared", FLAG)                                       \
    X(HF_FIELD_CLEARED_MS, "cleared_ms", NUMBER) /* place's clock */           \
    X(HF_FIELD_ASKED_MS, "asked_ms", NUMBER)     /* clock of who cleared */    \
    X(HF_FIELD_FORCED, "forced", FLAG)           /* without a look for life */ \
    X(HF_FIELD_BY_HOST, "by_host", TEXT)                                       \
    X(HF_FIELD_BY_USER, "by_user", TEXT)                                       \
    X(HF_FIELD_BY_COMMAND, "by_command", TEXT)                                 \
    X(HF_FIELD_BY_REASON, "by_reason", TEXT)                                   \
    /* One check of a place. */                                                \
    X(HF_FIELD_CHECK, "check", TEXT) /* what was looked at */                  \
    X(HF_FIELD_GRADE, "grade", WORD) /* an enum hf_grade */                    \
    X(HF_FIELD_FOUND, "found", TEXT)                                           \
    X(HF_FIELD_REMEDY, "remedy", TEXT) /* what to do; "": nothing */           \
    /* One session of a lock server. */                                        \
    X(HF_FIELD_SESSION, "session", TEXT) /* its id, which opens nothing; of  \
                                             a claim: whose it is */ \
    X(HF_FIELD_WHO, "who", TEXT)         /* as it says itself */               \
    X(HF_FIELD_SILENT_MS, "silent_ms", NUMBER) /* since it was heard last */   \
    X(HF_FIELD_HOLDS, "holds", NUMBER)         /* grants */                    \
    X(HF_FIELD_WAITS, "waits", NUMBER)         /* requests */                  \
    X(HF_FIELD_BY_ACQUIRE, "by_acquire",                                       \
      FLAG) /* ends with its last release */                                   \
    /* Of a lock server's. */                                                  \
    X(HF_FIELD_WHY, "why", TEXT) /* who waits does: held, behind, elsewhere, \
                                        parked or grace */

enum hf_field {
#define HF_FIELD_ENUM(name, word, kind) name,
    HF_FIELD_TABLE(HF_FIELD_ENUM)
#undef HF_FIELD_ENUM
};

/* Which function reads a field: hf_view_text and the others. */
enum hf_kind {
    HF_KIND_TEXT,
    HF_KIND_NUMBER,
    HF_KIND_FLAG,
    HF_KIND_WORD,
    HF_KIND_LIST,
};

/* name, word for people and for JSON */
#define HF_LIFE_TABLE(X)                                                       \
    X(HF_LIFE_UNKNOWN, "unknown")                                              \
    X(HF_LIFE_BEATING, "beating")                                              \
    X(HF_LIFE_RUNNING, "running")                                              \
    X(HF_LIFE_SUSPECTED, "suspected dead")                                     \
    X(HF_LIFE_GONE, "gone")

/*
 * What is known of the holder's life.
 *
 * HF_LIFE_UNKNOWN: no evidence yet.  HF_LIFE_BEATING: its record changed while
 * it was watched.  HF_LIFE_RUNNING: no beat was seen, but one of its processes
 * exists.  HF_LIFE_SUSPECTED: unchanged for its ttl; a process may still exist
 * (see HF_FIELD_RUNNING).  HF_LIFE_GONE: all its listed processes have ended.
 */
enum hf_life {
#define HF_LIFE_ENUM(name, word) name,
    HF_LIFE_TABLE(HF_LIFE_ENUM)
#undef HF_LIFE_ENUM
};

/* name, word for people and for JSON: how a check of a place ended */
#define HF_GRADE_TABLE(X)                                                      \
    X(HF_GRADE_OK, "ok")                                                       \
    X(HF_GRADE_WARN, "warn")                                                   \
    X(HF_GRADE_FAIL, "fail")

enum hf_grade {
#define HF_GRADE_ENUM(name, word) name,
    HF_GRADE_TABLE(HF_GRADE_ENUM)
#undef HF_GRADE_ENUM
};

/* "suspected dead"; "warn"; "if_dead".  Static strings.  Cannot fail. */
HF_PUBLIC const char *hf_life_word(enum hf_life life);
HF_PUBLIC const char *hf_grade_word(enum hf_grade grade);
HF_PUBLIC const char *hf_field_word(enum hf_field field);

/* For fields of a later version; HF_KIND_TEXT for an unknown field. */
HF_PUBLIC enum hf_kind hf_field_kind(enum hf_field field);

/* Does this view have the field?  False also for a field that this version of
 * the library does not know. */
HF_PUBLIC bool hf_view_has(const struct hf_view *view, enum hf_field field);

/* A text, or the word of a WORD; "" if the view does not have the field. */
HF_PUBLIC const char *hf_view_text(const struct hf_view *view,
                                   enum hf_field field);

/* A number; a flag as 0 or 1; the enumerator of a WORD; the number of items of
 * a LIST.  0 if the view does not have the field. */
HF_PUBLIC int64_t hf_view_number(const struct hf_view *view,
                                 enum hf_field field);

/* Item `index` of a LIST; 0 beyond its end. */
HF_PUBLIC int64_t hf_view_item(const struct hf_view *view, enum hf_field field,
                               size_t index);

/*
 * Write it as one JSON object, in UTF-8, into buffer: at most `size` bytes with
 * the final NUL.  Return the length of the whole text without the NUL; if that
 * is not below `size`, the text was cut and must not be used.  20 KiB always
 * suffice.  Cannot fail.
 *
 * A row of a list:
 *
 *   {"space":"default","name":"migrate","exists":true,"corrupt":false,
 *    "fence":17,"version":19,"stamp_ms":1700000000000,"lock":"<id>_<beat>",
 *    "if_dead":"refuse","ttl_ms":60000,"beat_ms":2000,
 *    "since_ms":1700000000000,"owner":{"host":"db1","user":"ann",
 *    "command":"./migrate","processes":[812]},"reason":""}
 *
 * Behind that a row of a lock server's has "mode":"exclusive","session":"…",
 * "waiters":2, and of who waits "position":1,"waited_ms":1200,"why":"behind";
 * of a place that is kept for who is to ask again, "parked_ms":30000, too.
 *
 * A list has such a row of a lock that nobody holds, if somebody is first in
 * line for it; a diagnosis of it has, of that one, "waiters":2,"host":"db1",
 * "user":"ann","why":"parked","parked_ms":30000 behind "exists":false.  Else it
 * ends there, and after "stamp_ms" when "corrupt" is
 * true.  A foreign name is followed by "foreign_name":true.  What is known of a
 * lock and its holder:
 *
 *   {"record":{…},"life":"suspected dead","here":true,"running":false,
 *    "same_boot":true,"unchanged_ms":60000,"watched_ms":61000,"error":null}
 *
 * "error" is a string when the place does not answer, or the record is
 * corrupt.  An entry of the audit; what was "cleared" is a row.  One that is
 * not Holdfast's has "stamp_ms", "corrupt":true, and its own name as "entry".
 *
 *   {"stamp_ms":1700000000000,"corrupt":false,"forced":false,
 *    "by":{"host":"db2","user":"bob","command":"holdfast clear …"},
 *    "reason":"db1 lost power","cleared":{…}}
 *
 * A check of a place:
 *
 *   {"check":"latency","grade":"warn","found":"a commit takes 400ms",
 *    "remedy":"put the file on a quicker disk"}
 */
HF_PUBLIC size_t hf_view_json(const struct hf_view *view, char *buffer,
                              size_t size);

/* NULL does nothing.  Cannot fail. */
HF_PUBLIC void hf_view_free(struct hf_view *view);

/* Write `text` (NUL-terminated, not necessarily UTF-8) as a JSON string with
 * quotes; sizes and return value as above.  For programs that print JSON of
 * their own around ours. */
HF_PUBLIC size_t hf_json_string(const char *text, char *buffer, size_t size);

HF_END_DECLS

#endif

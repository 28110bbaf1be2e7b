#ifndef HF_WIRE_FIELDS_H
#define HF_WIRE_FIELDS_H

#include <holdfast/words.h>

#include "base/attrs.h"
#include "base/bytes.h"
#include "base/text.h"

/*
 * Fields: the members of a JSON object by a table.  A row says what a member is
 * called, what kind of value it has, and where in a struct that value is kept.
 * One reader and one writer walk the table, so what is written can be read.
 *
 *   static const struct hf_member rows[] = {
 *       {HF_MEMBER_ID, "session", HF_AT(struct grant, session)},
 *       {HF_MEMBER_INTEGER, "lane", HF_AT(struct grant, lane),
 *        .most = INT64_MAX},
 *   };
 *   static const struct hf_fields grant = HF_FIELDS_OF(rows);
 *
 * Allocates nothing; any thread.
 */

enum hf_member_kind {
    HF_MEMBER_OBJECT,   /* a struct with a table of its own */
    HF_MEMBER_INTEGER,  /* int64_t, uint64_t: a plain integer, least..most */
    HF_MEMBER_NATURAL,  /* uint64_t to INT64_MAX; also as digits in quotes, for
                          clients whose numbers have 53 bits */
    HF_MEMBER_DURATION, /* int64_t: milliseconds, or a text with a unit */
    HF_MEMBER_ID,       /* uint64_t, not below `least`: 16 hexadecimal digits */
    HF_MEMBER_HEX,      /* bytes: two hexadecimal digits each */
    HF_MEMBER_FLAG,     /* bool */
    HF_MEMBER_IF_DEAD,  /* enum hf_if_dead */
    HF_MEMBER_MODE,     /* enum hf_mode */
    HF_MEMBER_STRING, /* char[], with its NUL: clean, as hf_text_is_clean says;
                           it is written as hf_text_show shows it */
    HF_MEMBER_SHOWN,  /* char[]: read as hf_text_show shows it, too, and cut */
    HF_MEMBER_TEXT,   /* struct hf_bytes: clean, in the reader's memory */
    HF_MEMBER_OTHER,  /* read and written by functions of its own */
};

/* Whether a member must be there. */
enum hf_need {
    HF_NEEDED,
    HF_OPTIONAL, /* it may be missing */
    HF_LENIENT,  /* for people: what is malformed stays zero; and what is
                    missing, in an object that is open */
};

struct hf_fields_reader;

/* Of HF_MEMBER_OTHER: `at` is where the row says, the struct if it says
 * nothing.  A member without `read` is only written. */
struct hf_member_ways {
    enum hf_status (*read)(struct hf_fields_reader *reader,
                           struct hf_bytes value, void *at);
    void (*write)(const void *at, struct hf_text *out);
};

struct hf_member {
    enum hf_member_kind kind;
    const char *name; /* ASCII */
    size_t offset;    /* HF_AT: where it is kept, */
    size_t size;      /* ... and its bytes there */
    enum hf_need need;
    int64_t least;                     /* INTEGER, ID */
    int64_t most;                      /* INTEGER */
    const struct hf_fields *fields;    /* OBJECT */
    const struct hf_member_ways *ways; /* OTHER */
};

#define HF_AT(type, field)                                                     \
    .offset = offsetof(type, field), .size = sizeof(((type *)NULL)->field)

/*
 * An object.  Unless it is open it has these members and no others, each once,
 * in any order.  If it is open, a member without a row is skipped, and one that
 * is given twice is none: JSON does not say which one counts.
 */
struct hf_fields {
    const struct hf_member *members;
    size_t count;
    bool open;
    bool optional;                /* and so is every member */
    const struct hf_fields *base; /* its members come first, */
    size_t base_offset;           /* ... of a struct that is kept here */
};

#define HF_FIELDS_OF(rows)                                                     \
    .members = (rows), .count = sizeof(rows) / sizeof((rows)[0])

#define HF_FIELDS_ALL UINT64_MAX /* rows: a bit for each */

/* ---- Reading ------------------------------------------------------------- */

struct hf_fields_reader {
    enum hf_status status; /* of what cannot be read: HF_E_CORRUPT, _INVALID */
    struct hf_error *error;
    char *texts;       /* memory of HF_MEMBER_TEXT, each with a NUL behind it */
    size_t texts_size; /* bytes of it */
    size_t texts_len;  /* ... that are used */
    void *user_data;   /* of HF_MEMBER_OTHER, and of: */

    /* A member without a row, of an object that is not open; NULL: it is an
     * error. */
    enum hf_status (*unknown)(struct hf_fields_reader *reader,
                              const struct hf_fields *fields,
                              struct hf_bytes key);
};

/*
 * Read the object into `to`, whose fields are zero before: what is missing
 * stays so.  reader->status, with a clause in *reader->error that names the
 * member, and `to` may hold anything: it is no object, or a member is missing,
 * malformed, unknown or given twice.  The text was checked (hf_json_check).
 *
 * *given has a bit for each row that was read, the lowest for the first; NULL:
 * nobody asks.  A member whose bit is not in `rows` is one without a row: its
 * value is not read.
 */
HF_MUST_USE enum hf_status hf_fields_read(struct hf_fields_reader *reader,
                                          const struct hf_fields *fields,
                                          uint64_t rows, struct hf_bytes object,
                                          void *to, uint64_t *given);

/* The same of a text that was not checked: each member is, before it is read.
 * What is no JSON is told before anything else that is wrong. */
HF_MUST_USE enum hf_status hf_fields_check(struct hf_fields_reader *reader,
                                           const struct hf_fields *fields,
                                           uint64_t rows, struct hf_bytes text,
                                           void *to, uint64_t *given);

/* The same of all rows, and of a text of at most HF_RECORD_TEXT_MAX. */
HF_MUST_USE enum hf_status hf_fields_read_text(struct hf_fields_reader *reader,
                                               const struct hf_fields *fields,
                                               struct hf_bytes text, void *to,
                                               uint64_t *given);

/* The same of an object in another: what is wrong is told with the name of the
 * member that has it. */
HF_MUST_USE enum hf_status hf_fields_read_part(struct hf_fields_reader *reader,
                                               const char *name,
                                               const struct hf_fields *fields,
                                               struct hf_bytes object, void *to,
                                               uint64_t *given);

/* Values, for HF_MEMBER_OTHER; false: it is none. */
bool hf_fields_read_natural(struct hf_bytes value, uint64_t *number);
bool hf_fields_read_duration(struct hf_bytes value,
                             struct hf_duration *duration);
bool hf_fields_read_if_dead(struct hf_bytes value, enum hf_if_dead *if_dead);
bool hf_fields_read_mode(struct hf_bytes value, enum hf_mode *mode);

/* A text into the reader's memory; false: it is none, or there is no room. */
bool hf_fields_read_bytes(struct hf_fields_reader *reader,
                          struct hf_bytes value, struct hf_bytes *text);

/* ---- Writing ------------------------------------------------------------- */

/* Append the object, with the rows whose bit is in `given`. */
void hf_fields_write(const struct hf_fields *fields, const void *from,
                     uint64_t given, struct hf_text *out);

#endif

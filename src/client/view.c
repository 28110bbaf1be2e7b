#include "client/view.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "base/text.h"

/* Views, as holdfast/view.h has them. */

struct hf_view *
hf_view_new(const struct hf_alloc *alloc, enum hf_view_kind kind)
{
    struct hf_view *view = hf_new(alloc, struct hf_view);

    if (view == NULL)
        return NULL;
    view->alloc = alloc;
    view->kind = kind;
    return view;
}

void
hf_view_free(struct hf_view *view)
{
    if (view == NULL)
        return;
    hf_free(view->alloc, view);
}

/* ---- Words --------------------------------------------------------------- */

const char *
hf_field_word(enum hf_field field)
{
    switch (field) {
#define FIELD_WORD(name, word, kind)                                           \
    case name:                                                                 \
        return word;
        HF_FIELD_TABLE(FIELD_WORD)
#undef FIELD_WORD
    }
    return "?";
}

enum hf_kind
hf_field_kind(enum hf_field field)
{
    switch (field) {
#define FIELD_KIND(name, word, kind)                                           \
    case name:                                                                 \
        return HF_KIND_##kind;
        HF_FIELD_TABLE(FIELD_KIND)
#undef FIELD_KIND
    }
    return HF_KIND_TEXT;
}

/* ---- The table of fields ------------------------------------------------- */

/* The struct that a field is a member of. */
enum part { OF_RECORD, OF_DIAGNOSIS, OF_ENTRY, OF_CHECK, OF_SESSION };

/* How a member is read. */
enum reading {
    TEXT,
    TEXT_OR_NULL, /* an empty one is null in JSON */
    STATIC,       /* a pointer to a text */
    FLAG,
    NO_FLAG, /* the opposite of it */
    NUMBER,
    CLAIM,     /* in JSON with the beat: "<id>_<beat>" */
    PROCESSES, /* a list */
    IF_DEAD,   /* an enum, by its words */
    MODE,
    LIFE,
    GRADE,
    STATUS,
    RECORD, /* a struct hf_description, with all of its fields */
};

/* When a field is known; and when, of those that are, it is in the JSON. */
enum when {
    ALWAYS,
    NEVER,
    SET, /* it is not 0, false or "" */
    /* Of a record: */
    THERE,   /* it exists */
    OURS,    /* ... and is not corrupt */
    LINE,    /* a lock server tells of it */
    CLAIMED, /* ... and it exists */
    FREE,    /* ... and it does not */
    WAITS,   /* it is of a claim that waits */
    /* Of an entry of the audit: */
    SOUND, /* it is not corrupt */
    NOT_SOUND,
    /* Of a diagnosis: */
    BY_KNOWN, /* who cleared the lock is known */
};

struct field_row {
    enum part part;
    enum hf_field field;
    enum reading reading;
    size_t offset;
    enum when known;
    enum when in_json;
    const char *path;
};

#define ROW(part, type, field, reading, member, known, in_json, path)          \
    {part, field, reading, offsetof(struct type, member), known, in_json, path},
#define RECORD_ROW(...)    ROW(OF_RECORD, hf_description, __VA_ARGS__)
#define DIAGNOSIS_ROW(...) ROW(OF_DIAGNOSIS, hf_diagnosis, __VA_ARGS__)
#define ENTRY_ROW(...)     ROW(OF_ENTRY, hf_audit_entry, __VA_ARGS__)
#define CHECK_ROW(...)     ROW(OF_CHECK, hf_checkup, __VA_ARGS__)
#define SESSION_ROW(...)   ROW(OF_SESSION, hf_api_session, __VA_ARGS__)

static const struct field_row rows[] = {
    HF_DESCRIPTION_TABLE(RECORD_ROW)  /* wire/describe.h */
    HF_DIAGNOSIS_TABLE(DIAGNOSIS_ROW) /* the same */
    HF_AUDIT_ENTRY_TABLE(ENTRY_ROW)   /* the same */
    HF_CHECKUP_TABLE(CHECK_ROW)       /* client/view.h */
    HF_SESSION_TABLE(SESSION_ROW)     /* the same */
};

enum { ROWS_COUNT = sizeof(rows) / sizeof(rows[0]) };

/* ---- One row ------------------------------------------------------------- */

/* What a view tells about one field; the zero value: nothing. */
struct told {
    bool has;
    const char *text;
    int64_t number;
    const int64_t *items; /* `number` of them; NULL: it is no list */
};

static struct told
read_row(const struct field_row *row, const void *values)
{
    const void *at = (const char *)values + row->offset;
    struct told told = {.has = true};

    switch (row->reading) {
    case TEXT:
    case TEXT_OR_NULL:
        told.text = at;
        break;
    case STATIC:
        told.text = *(const char *const *)at;
        break;
    case FLAG:
        told.number = *(const bool *)at;
        break;
    case NO_FLAG:
        told.number = !*(const bool *)at;
        break;
    case NUMBER:
    case CLAIM:
        told.number = *(const int64_t *)at;
        break;
    case PROCESSES:
        told.number = (int64_t)((const struct hf_pids *)at)->count;
        told.items = ((const struct hf_pids *)at)->each;
        break;
    case IF_DEAD:
        told.number = *(const enum hf_if_dead *)at;
        told.text = hf_if_dead_word((enum hf_if_dead)told.number);
        break;
    case MODE:
        told.number = *(const enum hf_mode *)at;
        told.text = hf_mode_word((enum hf_mode)told.number);
        break;
    case LIFE:
        told.number = *(const enum hf_life *)at;
        told.text = hf_life_word((enum hf_life)told.number);
        break;
    case GRADE:
        told.number = *(const enum hf_grade *)at;
        told.text = hf_grade_word((enum hf_grade)told.number);
        break;
    case STATUS:
        told.number = *(const enum hf_status *)at;
        told.text = hf_status_name((enum hf_status)told.number);
        break;
    case RECORD:
        break;
    }
    return told;
}

static bool
is_set(const struct field_row *row, const void *values)
{
    struct told told = read_row(row, values);

    return told.number != 0 || (told.text != NULL && told.text[0] != '\0');
}

static bool
is_so(enum when when, const struct field_row *row, const void *values)
{
    const struct hf_description *record = values;
    const struct hf_audit_entry *entry = values;
    const struct hf_diagnosis *diagnosis = values;

    switch (when) {
    case ALWAYS:
        return true;
    case NEVER:
        return false;
    case SET:
        return is_set(row, values);
    case THERE:
        return record->exists;
    case OURS:
        return record->exists && !record->corrupt;
    case LINE:
        return record->served && !(record->exists && record->corrupt);
    case CLAIMED:
        return record->served && record->exists && !record->corrupt;
    case FREE:
        return record->served && !record->exists;
    case WAITS:
        return record->exists && record->position != 0;
    case SOUND:
        return !entry->corrupt;
    case NOT_SOUND:
        return entry->corrupt;
    case BY_KNOWN:
        return diagnosis->by_known;
    }
    return false;
}

static bool
is_known(const struct field_row *row, const void *values)
{
    return is_so(row->known, row, values);
}

/* ---- One field ----------------------------------------------------------- */

static struct told
look_in(enum part part, const void *values, enum hf_field field)
{
    struct told told = {.has = false};

    for (size_t i = ROWS_COUNT; i-- > 0 && !told.has;) {
        const struct field_row *row = &rows[i];

        if (row->part != part || !is_known(row, values))
            continue;
        if (row->reading == RECORD)
            told =
                look_in(OF_RECORD, (const char *)values + row->offset, field);
        else if (row->field == field)
            told = read_row(row, values);
    }
    return told;
}

static enum part
part_of(const struct hf_view *view)
{
    switch (view->kind) {
    case HF_VIEW_ROW:
        return OF_RECORD;
    case HF_VIEW_DIAGNOSIS:
        return OF_DIAGNOSIS;
    case HF_VIEW_ENTRY:
        return OF_ENTRY;
    case HF_VIEW_CHECK:
        return OF_CHECK;
    case HF_VIEW_SESSION:
        break;
    }
    return OF_SESSION;
}

static struct told
look(const struct hf_view *view, enum hf_field field)
{
    return view == NULL ? (struct told){.has = false}
                        : look_in(part_of(view), &view->row, field);
}

bool
hf_view_has(const struct hf_view *view, enum hf_field field)
{
    return look(view, field).has;
}

const char *
hf_view_text(const struct hf_view *view, enum hf_field field)
{
    const char *text = look(view, field).text;

    return text == NULL ? "" : text;
}

int64_t
hf_view_number(const struct hf_view *view, enum hf_field field)
{
    return look(view, field).number;
}

int64_t
hf_view_item(const struct hf_view *view, enum hf_field field, size_t index)
{
    struct told told = look(view, field);

    if (told.items == NULL || index >= (size_t)told.number)
        return 0;
    return told.items[index];
}

/* ---- JSON ---------------------------------------------------------------- */

/* The bytes of a path that name the object which the member is in. */
static size_t
object_len(const char *path)
{
    const char *dot = strchr(path, '.');

    return dot == NULL ? 0 : (size_t)(dot - path);
}

static bool
is_same_object(const char *a, const char *b)
{
    return object_len(a) == object_len(b) && memcmp(a, b, object_len(a)) == 0;
}

/* The name of a member, behind the member `before`, or behind none: "". */
static void
add_name(struct hf_text *out, const char *before, const char *path)
{
    size_t len = object_len(path);
    bool opens = len > 0 && !is_same_object(before, path);

    if (object_len(before) > 0 && !is_same_object(before, path))
        hf_text_add(out, "}");
    if (before[0] != '\0')
        hf_text_add(out, ",");
    if (opens)
        hf_text_addf(out, "\"%.*s\":{", (int)len, path);
    hf_text_addf(out, "\"%s\":", len > 0 ? path + len + 1 : path);
}

static void
add_list(struct hf_text *out, const struct told *told)
{
    hf_text_add(out, "[");
    for (int64_t i = 0; i < told->number; i++)
        hf_text_addf(out, "%s%" PRId64, i > 0 ? "," : "", told->items[i]);
    hf_text_add(out, "]");
}

static void
add_value(struct hf_text *out, const struct field_row *row, const void *values)
{
    const struct hf_description *record = values;
    struct told told = read_row(row, values);

    if (row->reading == CLAIM)
        hf_text_addf(out, "\"%" PRIu64 "_%" PRIu64 "\"", record->id,
                     record->beat);
    else if (row->reading == TEXT_OR_NULL && told.text[0] == '\0')
        hf_text_add(out, "null");
    else if (told.text != NULL)
        hf_text_add_json(out, told.text, strlen(told.text));
    else if (told.items != NULL)
        add_list(out, &told);
    else if (row->reading == FLAG)
        hf_text_add(out, told.number != 0 ? "true" : "false");
    else
        hf_text_addf(out, "%" PRId64, told.number);
}

static void
add_part(struct hf_text *out, enum part part, const void *values)
{
    const char *before = "";

    hf_text_add(out, "{");
    for (size_t i = 0; i < ROWS_COUNT; i++) {
        const struct field_row *row = &rows[i];

        if (row->part != part || !is_known(row, values) ||
            !is_so(row->in_json, row, values))
            continue;
        add_name(out, before, row->path);
        before = row->path;
        if (row->reading == RECORD)
            add_part(out, OF_RECORD, (const char *)values + row->offset);
        else
            add_value(out, row, values);
    }
    hf_text_add(out, object_len(before) > 0 ? "}}" : "}");
}

size_t
hf_view_json(const struct hf_view *view, char *buffer, size_t size)
{
    struct hf_text out;

    hf_text_init(&out, buffer, size);
    if (view == NULL)
        hf_text_add(&out, "null");
    else
        add_part(&out, part_of(view), &view->row);
    return out.len;
}

size_t
hf_json_string(const char *text, char *buffer, size_t size)
{
    struct hf_text out;

    hf_text_init(&out, buffer, size);
    hf_text_add_json(&out, text, strlen(text));
    return out.len;
}

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
    hf_free(view->alloc, view->by);
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
enum part { RECORD, DIAGNOSIS, ENTRY, CHECK, SESSION };

/* How a member is read: as it is, or as the word of an enum. */
enum reading {
    TEXT,
    STATIC, /* a pointer to a text */
    FLAG,
    NUMBER,
    COUNT,
    IF_DEAD,
    MODE,
    LIFE,
    GRADE,
};

/* What must be known of the record before it is known. */
enum when {
    ALWAYS,
    THERE, /* it exists */
    OURS,  /* ... and is not corrupt */
    LINE,  /* a lock server tells of it */
    OWNER, /* ours, or a lock server tells who is first in line */
};

struct row {
    enum part part;
    enum hf_field field;
    enum reading reading;
    enum when when;
    size_t offset;
};

#define ROW(part, type, field, reading, member, when)                          \
    {part, field, reading, when, offsetof(struct type, member)},
#define RECORD_ROW(...)    ROW(RECORD, hf_description, __VA_ARGS__)
#define DIAGNOSIS_ROW(...) ROW(DIAGNOSIS, hf_diagnosis, __VA_ARGS__, ALWAYS)
#define ENTRY_ROW(...)     ROW(ENTRY, hf_audit_entry, __VA_ARGS__)
#define CHECK_ROW(...)     ROW(CHECK, hf_checkup, __VA_ARGS__, ALWAYS)
#define SESSION_ROW(...)   ROW(SESSION, hf_session_row, __VA_ARGS__, ALWAYS)

static const struct row rows[] = {
    HF_DESCRIPTION_TABLE(RECORD_ROW)  /* wire/describe.h */
    HF_DIAGNOSIS_TABLE(DIAGNOSIS_ROW) /* the same */
    HF_AUDIT_ENTRY_TABLE(ENTRY_ROW)   /* the same */
    HF_CHECKUP_TABLE(CHECK_ROW)       /* client/view.h */
    HF_SESSION_TABLE(SESSION_ROW)     /* the same */
};

enum { ROWS_COUNT = sizeof(rows) / sizeof(rows[0]) };

/* ---- One field ----------------------------------------------------------- */

/* What a view tells about one field; the zero value: nothing. */
struct told {
    bool has;
    const char *text;
    int64_t number;
};

static const struct told nothing;

static struct told
read_row(const struct row *row, const void *values)
{
    const void *at = (const char *)values + row->offset;
    struct told told = {.has = true};

    switch (row->reading) {
    case TEXT:
        told.text = at;
        break;
    case STATIC:
        told.text = *(const char *const *)at;
        break;
    case FLAG:
        told.number = *(const bool *)at;
        break;
    case NUMBER:
        told.number = *(const int64_t *)at;
        break;
    case COUNT:
        told.number = (int64_t)(*(const size_t *)at);
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
    }
    return told;
}

static const struct row *
find_row(enum part part, enum hf_field field)
{
    for (size_t i = 0; i < ROWS_COUNT; i++)
        if (rows[i].part == part && rows[i].field == field)
            return &rows[i];
    return NULL;
}

/* Of a part that is known as a whole. */
static struct told
look_at(enum part part, const void *values, enum hf_field field)
{
    const struct row *row = find_row(part, field);

    return row == NULL ? nothing : read_row(row, values);
}

static bool
is_known(const struct hf_description *d, enum when when)
{
    switch (when) {
    case ALWAYS:
        return true;
    case THERE:
        return d->exists;
    case OURS:
        return d->exists && !d->corrupt;
    case LINE:
        return d->served && !(d->exists && d->corrupt);
    case OWNER:
        return d->exists ? !d->corrupt : d->served;
    }
    return false;
}

static struct told
look_at_record(const struct hf_description *d, enum hf_field field)
{
    const struct row *row = find_row(RECORD, field);

    return row != NULL && is_known(d, row->when) ? read_row(row, d) : nothing;
}

static struct told
look_at_diagnosis(const struct hf_view *view, enum hf_field field)
{
    const struct hf_diagnosis *d = &view->diagnosis;
    const struct hf_clearing *by = view->by;
    struct told told = look_at(DIAGNOSIS, d, field);

    if (field == HF_FIELD_STATUS)
        return (struct told){true, hf_status_name(d->error.status),
                             d->error.status};
    if (field == HF_FIELD_ERROR)
        return (struct told){.has = true, .text = d->error.text};
    if (field == HF_FIELD_CLEARED)
        return (struct told){.has = true, .number = view->cleared};
    if (by != NULL && field == HF_FIELD_BY_HOST)
        return (struct told){.has = true, .text = by->host};
    if (by != NULL && field == HF_FIELD_BY_USER)
        return (struct told){.has = true, .text = by->user};
    if (by != NULL && field == HF_FIELD_BY_REASON)
        return (struct told){.has = true, .text = by->reason};
    return told.has ? told : look_at_record(&d->record, field);
}

static struct told
look_at_entry(const struct hf_audit_entry *e, enum hf_field field)
{
    const struct row *row = find_row(ENTRY, field);

    if (field == HF_FIELD_CORRUPT)
        return (struct told){.has = true,
                             .number = e->corrupt || e->cleared.corrupt};
    if (row != NULL && (row->when == ALWAYS || !e->corrupt))
        return read_row(row, e);
    if (e->corrupt)
        return nothing;
    if (field == HF_FIELD_CLEARED)
        return (struct told){.has = true, .number = true};
    return look_at_record(&e->cleared, field);
}

static struct told
look(const struct hf_view *view, enum hf_field field)
{
    if (view == NULL)
        return nothing;
    switch (view->kind) {
    case HF_VIEW_ROW:
        return look_at_record(&view->row, field);
    case HF_VIEW_DIAGNOSIS:
        return look_at_diagnosis(view, field);
    case HF_VIEW_ENTRY:
        return look_at_entry(&view->entry, field);
    case HF_VIEW_CHECK:
        return look_at(CHECK, &view->check, field);
    case HF_VIEW_SESSION:
        return look_at(SESSION, &view->session, field);
    }
    return nothing;
}

static const struct hf_description *
record_of(const struct hf_view *view)
{
    switch (view->kind) {
    case HF_VIEW_ROW:
        return &view->row;
    case HF_VIEW_DIAGNOSIS:
        return &view->diagnosis.record;
    case HF_VIEW_ENTRY:
        return &view->entry.cleared;
    case HF_VIEW_CHECK:
    case HF_VIEW_SESSION:
        break;
    }
    return NULL;
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
    int64_t count = look(view, field).number;
    const struct hf_description *record = NULL;

    if (field == HF_FIELD_PROCESSES && view != NULL)
        record = record_of(view);
    if (record == NULL || count < 0 || index >= (size_t)count)
        return 0;
    return record->processes[index];
}

/* ---- JSON ---------------------------------------------------------------- */

static const char *
truth(bool value)
{
    return value ? "true" : "false";
}

/* `"name":` and the string; `max` bytes of it at most are read. */
static void
add_string(struct hf_text *out, const char *name, const char *string,
           size_t max)
{
    hf_text_addf(out, "\"%s\":", name);
    hf_text_add_json(out, string, strnlen(string, max));
}

static void
add_row(struct hf_text *out, const struct row *row, const void *values)
{
    struct told told = read_row(row, values);

    hf_text_addf(out, "\"%s\":", hf_field_word(row->field));
    if (told.text != NULL)
        hf_text_add_json(out, told.text, strlen(told.text));
    else if (row->reading == FLAG)
        hf_text_add(out, truth(told.number));
    else
        hf_text_addf(out, "%" PRId64, told.number);
}

/* All fields of a part, behind `before`. */
static void
add_part(struct hf_text *out, const char *before, enum part part,
         const void *values)
{
    for (size_t i = 0; i < ROWS_COUNT; i++) {
        if (rows[i].part != part)
            continue;
        hf_text_add(out, before);
        add_row(out, &rows[i], values);
        before = ",";
    }
}

/* Those of a record, from one to another. */
static void
add_run(struct hf_text *out, const char *before, const struct hf_description *d,
        enum hf_field from, enum hf_field to)
{
    for (size_t i = 0; i < ROWS_COUNT; i++) {
        const struct row *row = &rows[i];

        if (row->part != RECORD || row->field < from || row->field > to)
            continue;
        hf_text_add(out, row->field == from ? before : ",");
        add_row(out, row, d);
    }
}

static void
add_field(struct hf_text *out, const struct hf_description *d,
          enum hf_field field)
{
    add_run(out, ",", d, field, field);
}

static void
add_processes(struct hf_text *out, const struct hf_description *d)
{
    size_t count = d->processes_count < HF_PROCESSES_MAX ? d->processes_count
                                                         : HF_PROCESSES_MAX;

    hf_text_add(out, "\"processes\":[");
    for (size_t i = 0; i < count; i++)
        hf_text_addf(out, "%s%" PRId64, i > 0 ? "," : "", d->processes[i]);
    hf_text_add(out, "]");
}

/* What a record of ours says. */
static void
add_record(struct hf_text *out, const struct hf_description *d)
{
    hf_text_addf(out, ",\"lock\":\"%" PRIu64 "_%" PRIu64 "\"", d->id, d->beat);
    add_run(out, ",", d, HF_FIELD_IF_DEAD, HF_FIELD_SINCE_MS);
    add_run(out, ",\"owner\":{", d, HF_FIELD_HOST, HF_FIELD_COMMAND);
    hf_text_add(out, ",");
    add_processes(out, d);
    hf_text_add(out, "}");
    add_field(out, d, HF_FIELD_REASON);
}

static void
add_why(struct hf_text *out, const struct hf_description *d)
{
    if (d->why != NULL && d->why[0] != '\0')
        add_field(out, d, HF_FIELD_WHY);
    if (d->parked.ms > 0)
        add_field(out, d, HF_FIELD_PARKED_MS);
}

/* What a lock server tells beside it. */
static void
add_line(struct hf_text *out, const struct hf_description *d)
{
    add_field(out, d, HF_FIELD_MODE);
    hf_text_addf(out, ",\"session\":\"%016" PRIx64 "\"", d->session);
    add_field(out, d, HF_FIELD_WAITERS);
    if (d->position != 0)
        add_run(out, ",", d, HF_FIELD_POSITION, HF_FIELD_WAITED_MS);
    add_why(out, d);
}

/* Nobody holds it: who is first in line. */
static void
add_first(struct hf_text *out, const struct hf_description *d)
{
    add_field(out, d, HF_FIELD_WAITERS);
    add_run(out, ",", d, HF_FIELD_HOST, HF_FIELD_USER);
    add_why(out, d);
}

static void
add_description(struct hf_text *out, const struct hf_description *d)
{
    add_run(out, "{", d, HF_FIELD_SPACE, HF_FIELD_NAME);
    if (d->foreign_name)
        add_field(out, d, HF_FIELD_FOREIGN);
    add_field(out, d, HF_FIELD_EXISTS);
    if (d->exists) {
        add_field(out, d, HF_FIELD_CORRUPT);
        add_run(out, ",", d, HF_FIELD_FENCE, HF_FIELD_STAMP_MS);
        if (!d->corrupt)
            add_record(out, d);
        if (d->served)
            add_line(out, d);
    } else if (d->served) {
        add_first(out, d);
    }
    hf_text_add(out, "}");
}

static void
add_diagnosis(struct hf_text *out, const struct hf_diagnosis *d)
{
    hf_text_add(out, "{\"record\":");
    add_description(out, &d->record);
    add_part(out, ",", DIAGNOSIS, d);
    hf_text_add(out, ",\"error\":");
    if (d->error.text[0] != '\0')
        hf_text_add_json(out, d->error.text, strlen(d->error.text));
    else
        hf_text_add(out, "null");
    hf_text_add(out, "}");
}

static void
add_entry(struct hf_text *out, const struct hf_audit_entry *entry)
{
    hf_text_addf(out, "{\"stamp_ms\":%" PRId64 ",\"corrupt\":%s,",
                 entry->stamp_ms, truth(entry->corrupt));
    if (entry->corrupt) {
        add_string(out, "entry", entry->cleared.name, HF_NAME_MAX);
    } else {
        hf_text_addf(out, "\"forced\":%s,\"by\":{", truth(entry->forced));
        add_string(out, "host", entry->host, HF_HOST_MAX);
        hf_text_add(out, ",");
        add_string(out, "user", entry->user, HF_USER_MAX);
        hf_text_add(out, ",");
        add_string(out, "command", entry->command, HF_COMMAND_MAX);
        hf_text_add(out, "},");
        add_string(out, "reason", entry->reason, HF_REASON_MAX);
        hf_text_add(out, ",\"cleared\":");
        add_description(out, &entry->cleared);
    }
    hf_text_add(out, "}");
}

static void
add_view(struct hf_text *out, const struct hf_view *view)
{
    switch (view->kind) {
    case HF_VIEW_ROW:
        add_description(out, &view->row);
        break;
    case HF_VIEW_DIAGNOSIS:
        add_diagnosis(out, &view->diagnosis);
        break;
    case HF_VIEW_ENTRY:
        add_entry(out, &view->entry);
        break;
    case HF_VIEW_CHECK:
        add_part(out, "{", CHECK, &view->check);
        hf_text_add(out, "}");
        break;
    case HF_VIEW_SESSION:
        add_part(out, "{", SESSION, &view->session);
        hf_text_add(out, "}");
        break;
    }
}

size_t
hf_view_json(const struct hf_view *view, char *buffer, size_t size)
{
    struct hf_text out;

    hf_text_init(&out, buffer, size);
    if (view == NULL)
        hf_text_add(&out, "null");
    else
        add_view(&out, view);
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

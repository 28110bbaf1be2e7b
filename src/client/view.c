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

/* ---- Fields -------------------------------------------------------------- */

/* What a view tells about one field; the zero value: nothing. */
struct told {
    bool has;
    const char *text;
    int64_t number;
};

static struct told
tell_text(const char *text)
{
    return (struct told){.has = true, .text = text};
}

static struct told
tell_number(int64_t number)
{
    return (struct told){.has = true, .number = number};
}

static struct told
tell_word(const char *word, int64_t number)
{
    return (struct told){true, word, number};
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

/* What only a lock server tells. */
static struct told
look_at_line(const struct hf_description *d, unsigned field)
{
    switch (field) {
    case HF_FIELD_MODE:
        return tell_word(hf_mode_word(d->mode), d->mode);
    case HF_FIELD_WAITERS:
        return tell_number((int64_t)d->waiters);
    case HF_FIELD_POSITION:
        return tell_number((int64_t)d->position);
    case HF_FIELD_WAITED_MS:
        return tell_number(d->waited.ms);
    case HF_FIELD_PARKED_MS:
        return tell_number(d->parked.ms);
    default:
        break;
    }
    return (struct told){0};
}

/* Of the record; only what is always known, if it is not there or not ours. */
static struct told
look_at_record(const struct hf_description *d, unsigned field)
{
    switch (field) {
    case HF_FIELD_SPACE:
        return tell_text(d->space);
    case HF_FIELD_NAME:
        return tell_text(d->name);
    case HF_FIELD_EXISTS:
        return tell_number(d->exists);
    case HF_FIELD_CORRUPT:
        return tell_number(d->corrupt);
    case HF_FIELD_FOREIGN:
        return tell_number(d->foreign_name);
    default:
        break;
    }
    if (!d->exists)
        return d->served ? look_at_line(d, field) : (struct told){0};
    switch (field) {
    case HF_FIELD_FENCE:
        return tell_number((int64_t)d->fence);
    case HF_FIELD_VERSION:
        return tell_number((int64_t)d->version);
    case HF_FIELD_STAMP_MS:
        return tell_number(d->stamp_ms);
    default:
        break;
    }
    if (d->corrupt)
        return (struct told){0};
    switch (field) {
    case HF_FIELD_CLAIM:
        return tell_number((int64_t)d->id);
    case HF_FIELD_BEAT:
        return tell_number((int64_t)d->beat);
    case HF_FIELD_IF_DEAD:
        return tell_word(hf_if_dead_word(d->if_dead), d->if_dead);
    case HF_FIELD_TTL_MS:
        return tell_number(d->ttl.ms);
    case HF_FIELD_BEAT_MS:
        return tell_number(d->beat_every.ms);
    case HF_FIELD_SINCE_MS:
        return tell_number(d->since_ms);
    case HF_FIELD_HOST:
        return tell_text(d->host);
    case HF_FIELD_USER:
        return tell_text(d->user);
    case HF_FIELD_COMMAND:
        return tell_text(d->command);
    case HF_FIELD_REASON:
        return tell_text(d->reason);
    case HF_FIELD_PROCESSES:
        return tell_number((int64_t)d->processes_count);
    default:
        break;
    }
    return d->served ? look_at_line(d, field) : (struct told){0};
}

static bool
is_of_clearing(unsigned field)
{
    return field == HF_FIELD_BY_HOST || field == HF_FIELD_BY_USER ||
           field == HF_FIELD_BY_REASON;
}

static struct told
look_at_clearing(const struct hf_clearing *by, unsigned field)
{
    if (field == HF_FIELD_BY_HOST)
        return tell_text(by->host);
    return tell_text(field == HF_FIELD_BY_USER ? by->user : by->reason);
}

static struct told
look_at_diagnosis(const struct hf_view *view, unsigned field)
{
    const struct hf_diagnosis *d = &view->diagnosis;

    switch (field) {
    case HF_FIELD_LIFE:
        return tell_word(hf_life_word(d->life), d->life);
    case HF_FIELD_HERE:
        return tell_number(d->here);
    case HF_FIELD_RUNNING:
        return tell_number(d->running);
    case HF_FIELD_SAME_BOOT:
        return tell_number(d->same_boot);
    case HF_FIELD_UNCHANGED_MS:
        return tell_number(d->unchanged.ms);
    case HF_FIELD_WATCHED_MS:
        return tell_number(d->watched.ms);
    case HF_FIELD_STATUS:
        return tell_word(hf_status_name(d->error.status), d->error.status);
    case HF_FIELD_ERROR:
        return tell_text(d->error.text);
    case HF_FIELD_CLEARED:
        return tell_number(view->cleared);
    default:
        break;
    }
    if (view->by != NULL && is_of_clearing(field))
        return look_at_clearing(view->by, field);
    return look_at_record(&d->record, field);
}

static struct told
look_at_entry(const struct hf_audit_entry *e, unsigned field)
{
    switch (field) {
    case HF_FIELD_CLEARED_MS:
        return tell_number(e->stamp_ms);
    case HF_FIELD_CORRUPT:
        return tell_number(e->corrupt || e->cleared.corrupt);
    case HF_FIELD_NAME:
        return tell_text(e->cleared.name);
    default:
        break;
    }
    if (e->corrupt)
        return (struct told){0};
    switch (field) {
    case HF_FIELD_CLEARED:
        return tell_number(true);
    case HF_FIELD_ASKED_MS:
        return tell_number(e->asked_ms);
    case HF_FIELD_FORCED:
        return tell_number(e->forced);
    case HF_FIELD_BY_HOST:
        return tell_text(e->host);
    case HF_FIELD_BY_USER:
        return tell_text(e->user);
    case HF_FIELD_BY_COMMAND:
        return tell_text(e->command);
    case HF_FIELD_BY_REASON:
        return tell_text(e->reason);
    default:
        break;
    }
    return look_at_record(&e->cleared, field);
}

static struct told
look_at_check(const struct hf_checkup *c, unsigned field)
{
    switch (field) {
    case HF_FIELD_CHECK:
        return tell_text(c->check);
    case HF_FIELD_GRADE:
        return tell_word(hf_grade_word(c->grade), c->grade);
    case HF_FIELD_FOUND:
        return tell_text(c->found);
    case HF_FIELD_REMEDY:
        return tell_text(c->remedy);
    default:
        break;
    }
    return (struct told){0};
}

static struct told
look_at_session(const struct hf_session_row *s, unsigned field)
{
    switch (field) {
    case HF_FIELD_SESSION:
        return tell_text(s->id);
    case HF_FIELD_WHO:
        return tell_text(s->who);
    case HF_FIELD_IF_DEAD:
        return tell_word(hf_if_dead_word(s->if_dead), s->if_dead);
    case HF_FIELD_TTL_MS:
        return tell_number(s->ttl.ms);
    case HF_FIELD_SILENT_MS:
        return tell_number(s->silent.ms);
    case HF_FIELD_HOLDS:
        return tell_number((int64_t)s->holds);
    case HF_FIELD_WAITS:
        return tell_number((int64_t)s->waits);
    case HF_FIELD_BY_ACQUIRE:
        return tell_number(s->by_acquire);
    default:
        break;
    }
    return (struct told){0};
}

static struct told
look(const struct hf_view *view, enum hf_field field)
{
    if (view == NULL)
        return (struct told){0};
    switch (view->kind) {
    case HF_VIEW_ROW:
        return look_at_record(&view->row, field);
    case HF_VIEW_DIAGNOSIS:
        return look_at_diagnosis(view, field);
    case HF_VIEW_ENTRY:
        return look_at_entry(&view->entry, field);
    case HF_VIEW_CHECK:
        return look_at_check(&view->check, field);
    case HF_VIEW_SESSION:
        return look_at_session(&view->session, field);
    }
    return (struct told){0};
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

static size_t
check_json(const struct hf_checkup *check, char *buffer, size_t size)
{
    struct hf_text out;

    hf_text_init(&out, buffer, size);
    hf_text_addf(&out,
                 "{\"check\":\"%s\",\"grade\":\"%s\",\"found\":", check->check,
                 hf_grade_word(check->grade));
    hf_text_add_json(&out, check->found, strlen(check->found));
    hf_text_add(&out, ",\"remedy\":");
    hf_text_add_json(&out, check->remedy, strlen(check->remedy));
    hf_text_add(&out, "}");
    return out.len;
}

static size_t
session_json(const struct hf_session_row *session, char *buffer, size_t size)
{
    struct hf_text out;

    hf_text_init(&out, buffer, size);
    hf_text_addf(&out, "{\"session\":\"%s\",\"who\":", session->id);
    hf_text_add_json(&out, session->who, strlen(session->who));
    hf_text_addf(
        &out,
        ",\"if_dead\":\"%s\",\"ttl_ms\":%" PRId64 ",\"silent_ms\":%" PRId64
        ",\"holds\":%" PRIu64 ",\"waits\":%" PRIu64 ",\"by_acquire\":%s}",
        hf_if_dead_word(session->if_dead), session->ttl.ms, session->silent.ms,
        session->holds, session->waits, session->by_acquire ? "true" : "false");
    return out.len;
}

size_t
hf_view_json(const struct hf_view *view, char *buffer, size_t size)
{
    struct hf_text out;

    if (view == NULL) {
        hf_text_init(&out, buffer, size);
        hf_text_add(&out, "null");
        return out.len;
    }
    switch (view->kind) {
    case HF_VIEW_ROW:
        return hf_description_json(&view->row, buffer, size);
    case HF_VIEW_DIAGNOSIS:
        return hf_diagnosis_json(&view->diagnosis, buffer, size);
    case HF_VIEW_ENTRY:
        return hf_audit_entry_json(&view->entry, buffer, size);
    case HF_VIEW_SESSION:
        return session_json(&view->session, buffer, size);
    case HF_VIEW_CHECK:
        break;
    }
    return check_json(&view->check, buffer, size);
}

size_t
hf_json_string(const char *text, char *buffer, size_t size)
{
    struct hf_text out;

    hf_text_init(&out, buffer, size);
    hf_text_add_json(&out, text, strlen(text));
    return out.len;
}

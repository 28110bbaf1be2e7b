#include "wire/describe.h"

#include <inttypes.h>
#include <string.h>

#include "base/text.h"

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
    hf_text_addf(out,
                 ",\"lock\":\"%" PRIu64 "_%" PRIu64 "\",\"if_dead\":\"%s\""
                 ",\"ttl_ms\":%" PRId64 ",\"beat_ms\":%" PRId64
                 ",\"since_ms\":%" PRId64 ",\"owner\":{",
                 d->id, d->beat, hf_if_dead_word(d->if_dead), d->ttl.ms,
                 d->beat_every.ms, d->since_ms);
    add_string(out, "host", d->host, HF_HOST_MAX);
    hf_text_add(out, ",");
    add_string(out, "user", d->user, HF_USER_MAX);
    hf_text_add(out, ",");
    add_string(out, "command", d->command, HF_COMMAND_MAX);
    hf_text_add(out, ",");
    add_processes(out, d);
    hf_text_add(out, "},");
    add_string(out, "reason", d->reason, HF_REASON_MAX);
}

/* What a lock server tells beside it. */
static void
add_line(struct hf_text *out, const struct hf_description *d)
{
    hf_text_addf(out,
                 ",\"mode\":\"%s\",\"session\":\"%016" PRIx64
                 "\",\"waiters\":%" PRIu64,
                 hf_mode_word(d->mode), d->session, d->waiters);
    if (d->position != 0)
        hf_text_addf(out, ",\"position\":%" PRIu64 ",\"waited_ms\":%" PRId64,
                     d->position, d->waited.ms);
    if (d->parked.ms > 0)
        hf_text_addf(out, ",\"parked_ms\":%" PRId64, d->parked.ms);
}

static void
add_description(struct hf_text *out, const struct hf_description *d)
{
    hf_text_add(out, "{");
    add_string(out, "space", d->space, HF_SPACE_MAX);
    hf_text_add(out, ",");
    add_string(out, "name", d->name, HF_NAME_MAX);
    if (d->foreign_name)
        hf_text_add(out, ",\"foreign_name\":true");
    hf_text_addf(out, ",\"exists\":%s", truth(d->exists));
    if (d->exists) {
        hf_text_addf(out,
                     ",\"corrupt\":%s,\"fence\":%" PRIu64
                     ",\"version\":%" PRIu64 ",\"stamp_ms\":%" PRId64,
                     truth(d->corrupt), d->fence, d->version, d->stamp_ms);
        if (!d->corrupt)
            add_record(out, d);
        if (d->served)
            add_line(out, d);
    } else if (d->parked.ms > 0) {
        hf_text_addf(out, ",\"waiters\":%" PRIu64 ",\"parked_ms\":%" PRId64,
                     d->waiters, d->parked.ms);
    }
    hf_text_add(out, "}");
}

size_t
hf_description_json(const struct hf_description *description, char *buffer,
                    size_t size)
{
    struct hf_text out;

    hf_text_init(&out, buffer, size);
    add_description(&out, description);
    return out.len;
}

size_t
hf_diagnosis_json(const struct hf_diagnosis *diagnosis, char *buffer,
                  size_t size)
{
    struct hf_text out;

    hf_text_init(&out, buffer, size);
    hf_text_add(&out, "{\"record\":");
    add_description(&out, &diagnosis->record);
    hf_text_addf(&out,
                 ",\"life\":\"%s\",\"here\":%s,\"running\":%s"
                 ",\"same_boot\":%s,\"unchanged_ms\":%" PRId64
                 ",\"watched_ms\":%" PRId64 ",\"error\":",
                 hf_life_word(diagnosis->life), truth(diagnosis->here),
                 truth(diagnosis->running), truth(diagnosis->same_boot),
                 diagnosis->unchanged.ms, diagnosis->watched.ms);
    if (diagnosis->error.text[0] != '\0')
        hf_text_add_json(
            &out, diagnosis->error.text,
            strnlen(diagnosis->error.text, sizeof(diagnosis->error.text)));
    else
        hf_text_add(&out, "null");
    hf_text_add(&out, "}");
    return out.len;
}

size_t
hf_audit_entry_json(const struct hf_audit_entry *entry, char *buffer,
                    size_t size)
{
    struct hf_text out;

    hf_text_init(&out, buffer, size);
    hf_text_addf(&out, "{\"stamp_ms\":%" PRId64 ",\"corrupt\":%s,",
                 entry->stamp_ms, truth(entry->corrupt));
    if (entry->corrupt) {
        add_string(&out, "entry", entry->cleared.name, HF_NAME_MAX);
    } else {
        hf_text_addf(&out, "\"forced\":%s,\"by\":{", truth(entry->forced));
        add_string(&out, "host", entry->host, HF_HOST_MAX);
        hf_text_add(&out, ",");
        add_string(&out, "user", entry->user, HF_USER_MAX);
        hf_text_add(&out, ",");
        add_string(&out, "command", entry->command, HF_COMMAND_MAX);
        hf_text_add(&out, "},");
        add_string(&out, "reason", entry->reason, HF_REASON_MAX);
        hf_text_add(&out, ",\"cleared\":");
        add_description(&out, &entry->cleared);
    }
    hf_text_add(&out, "}");
    return out.len;
}

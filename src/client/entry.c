#include "client/entry.h"

#include <string.h>

#include "base/text.h"
#include "client/describe.h"
#include "wire/cleared.h"
#include "wire/record.h"

static void
show(char *to, size_t size, struct hf_bytes text)
{
    hf_text_show(to, size, text.at, text.len);
}

/* What was cleared, by the note that its holder left, or by what it said of
 * itself. */
static void
describe(const struct hf_cleared *cleared, struct hf_description *record)
{
    const struct hf_record_meta meta = {
        .space = cleared->space,
        .name = cleared->name,
        .name_len = strlen(cleared->name),
        .exists = true,
        .version = cleared->grant.loaded.fence,
        .token = cleared->grant.loaded.fence,
        .stamp_ms = cleared->silent_ms < 0
                        ? 0
                        : cleared->by.since_ms - cleared->silent_ms,
    };
    struct hf_bytes note = cleared->grant.loaded.note;
    struct hf_value value = {
        .terms = {cleared->session.if_dead, cleared->session.ttl, {0}},
    };

    if (hf_record_decode(note.at, note.len, &value, NULL) != HF_OK) {
        show(value.owner.user, sizeof(value.owner.user), cleared->session.who);
        show(value.owner.reason, sizeof(value.owner.reason), note);
    }
    hf_describe(&meta, &value, record);
    record->since_ms = cleared->grant.since_ms;
}

void
hf_entry_part(const char *who, struct hf_clearing *by)
{
    const char *host = strrchr(who, '@');
    size_t len = host != NULL ? (size_t)(host - who) : strlen(who);

    hf_text_show(by->user, sizeof(by->user), who, len);
    by->host[0] = '\0';
    if (host != NULL)
        hf_text_show(by->host, sizeof(by->host), host + 1, strlen(host + 1));
}

/* A server knows who clears by one text. */
static void
part(struct hf_audit_entry *entry)
{
    struct hf_clearing by;

    if (entry->host[0] != '\0')
        return;
    hf_entry_part(entry->user, &by);
    memcpy(entry->user, by.user, sizeof(entry->user));
    memcpy(entry->host, by.host, sizeof(entry->host));
}

static bool
read_served(struct hf_bytes record, struct hf_audit_entry *entry)
{
    struct hf_served_memory memory = {.texts_len = 0};
    struct hf_cleared cleared;

    if (hf_cleared_decode(record, &memory, &cleared, NULL) != HF_OK)
        return false;
    *entry = (struct hf_audit_entry){
        .asked_ms = cleared.by.since_ms,
        .forced = cleared.forced,
    };
    memcpy(entry->host, cleared.by.host, sizeof(entry->host));
    memcpy(entry->user, cleared.by.user, sizeof(entry->user));
    part(entry);
    memcpy(entry->command, cleared.by.command, sizeof(entry->command));
    memcpy(entry->reason, cleared.by.reason, sizeof(entry->reason));
    describe(&cleared, &entry->cleared);
    return true;
}

bool
hf_entry_read(struct hf_bytes record, struct hf_audit_entry *entry)
{
    if (hf_audit_decode(record.at, record.len, entry, NULL) != HF_OK &&
        !read_served(record, entry))
        return false;
    entry->stamp_ms = entry->asked_ms;
    return true;
}

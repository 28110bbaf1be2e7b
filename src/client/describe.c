#include "client/describe.h"

#include <string.h>

#include "base/text.h"

static void
show(char *to, size_t size, const char *text)
{
    hf_text_show(to, size, text, strlen(text));
}

static void
describe_value(const struct hf_value *value, struct hf_description *d)
{
    const struct hf_owner *owner = &value->owner;

    d->id = value->heartbeat.id;
    d->beat = value->heartbeat.count;
    d->if_dead = value->terms.if_dead;
    d->ttl = value->terms.ttl;
    d->beat_every = value->terms.beat;
    d->since_ms = owner->since_ms;
    show(d->host, sizeof(d->host), owner->host);
    show(d->user, sizeof(d->user), owner->user);
    show(d->command, sizeof(d->command), owner->command);
    show(d->reason, sizeof(d->reason), owner->reason);
    d->processes.count = owner->processes_count;
    for (size_t i = 0; i < owner->processes_count; i++)
        d->processes.each[i] = owner->processes[i].pid;
}

static bool
is_lock_name(const char *name, size_t len)
{
    return len > 0 && len <= HF_NAME_MAX && hf_text_is_clean(name, len);
}

void
hf_describe(const struct hf_record_meta *meta, const struct hf_value *value,
            struct hf_description *description)
{
    bool foreign = !is_lock_name(meta->name, meta->name_len);

    *description = (struct hf_description){
        .exists = meta->exists,
        .corrupt = meta->corrupt || foreign,
        .foreign_name = foreign,
        .fence = meta->token,
        .version = meta->version,
        .stamp_ms = meta->stamp_ms,
    };
    show(description->space, sizeof(description->space), meta->space);
    hf_text_show(description->name, sizeof(description->name), meta->name,
                 meta->name_len);
    if (meta->exists && !description->corrupt)
        describe_value(value, description);
}

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
    d->processes_count = owner->processes_count;
    for (size_t i = 0; i < owner->processes_count; i++)
        d->processes[i] = owner->processes[i].pid;
}

void
hf_describe(const struct hf_record_meta *meta, const struct hf_value *value,
            struct hf_description *description)
{
    *description = (struct hf_description){
        .exists = meta->exists,
        .corrupt = meta->corrupt,
        .fence = meta->token,
        .version = meta->version,
        .stamp_ms = meta->stamp_ms,
    };
    show(description->space, sizeof(description->space), meta->space);
    show(description->name, sizeof(description->name), meta->name);
    if (meta->exists && !meta->corrupt)
        describe_value(value, description);
}

#include "client/table/kept.h"

#include <string.h>

/* What is of one size; behind it come the processes, then the strings, each
 * with its NUL. */
struct head {
    struct hf_heartbeat heartbeat;
    struct hf_terms terms;
    int64_t since_ms;
    uint64_t pidns;
    size_t processes_count;
};

enum { STRINGS = 5 };

static void
list_strings(const struct hf_owner *owner, const char *strings[STRINGS])
{
    strings[0] = owner->host;
    strings[1] = owner->user;
    strings[2] = owner->command;
    strings[3] = owner->reason;
    strings[4] = owner->boot;
}

static size_t
processes_len(size_t count)
{
    return count * sizeof(struct hf_process);
}

size_t
hf_kept_len(const struct hf_value *value)
{
    const char *strings[STRINGS];
    size_t len =
        sizeof(struct head) + processes_len(value->owner.processes_count);

    list_strings(&value->owner, strings);
    for (int i = 0; i < STRINGS; i++)
        len += strlen(strings[i]) + 1;
    return len;
}

static char *
put(char *at, const void *bytes, size_t len)
{
    memcpy(at, bytes, len);
    return at + len;
}

void
hf_kept_pack(const struct hf_value *value, char *bytes)
{
    const struct hf_owner *owner = &value->owner;
    const struct head head = {
        .heartbeat = value->heartbeat,
        .terms = value->terms,
        .since_ms = owner->since_ms,
        .pidns = owner->pidns,
        .processes_count = owner->processes_count,
    };
    const char *strings[STRINGS];

    bytes = put(bytes, &head, sizeof(head));
    bytes = put(bytes, owner->processes, processes_len(head.processes_count));
    list_strings(owner, strings);
    for (int i = 0; i < STRINGS; i++)
        bytes = put(bytes, strings[i], strlen(strings[i]) + 1);
}

static const char *
take(const char *at, void *bytes, size_t len)
{
    memcpy(bytes, at, len);
    return at + len;
}

void
hf_kept_unpack(const char *bytes, struct hf_value *value)
{
    struct hf_owner *owner = &value->owner;
    struct head head;

    bytes = take(bytes, &head, sizeof(head));
    *value = (struct hf_value){
        .heartbeat = head.heartbeat,
        .terms = head.terms,
        .owner = {.since_ms = head.since_ms,
                  .pidns = head.pidns,
                  .processes_count = head.processes_count},
    };
    bytes = take(bytes, owner->processes, processes_len(head.processes_count));
    bytes = take(bytes, owner->host, strlen(bytes) + 1);
    bytes = take(bytes, owner->user, strlen(bytes) + 1);
    bytes = take(bytes, owner->command, strlen(bytes) + 1);
    bytes = take(bytes, owner->reason, strlen(bytes) + 1);
    (void)take(bytes, owner->boot, strlen(bytes) + 1);
}

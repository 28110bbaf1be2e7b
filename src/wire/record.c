#include "wire/record.h"

#include <inttypes.h>
#include <string.h>

#include "base/check.h"
#include "base/container.h"
#include "base/fail.h"
#include "base/limits.h"
#include "base/text.h"
#include "wire/fields.h"
#include "wire/json.h"

/* ---- "lock" -------------------------------------------------------------- */

/* A decimal without sign and without leading zeros, at *at, which moves on. */
static bool
take_decimal(const char **at, uint64_t *number)
{
    const char *digit = *at;
    uint64_t sum = 0;

    for (; *digit >= '0' && *digit <= '9'; digit++) {
        uint64_t value = (uint64_t)(*digit - '0');

        if (sum > (UINT64_MAX - value) / 10)
            return false;
        sum = sum * 10 + value;
    }
    if (digit == *at || (**at == '0' && digit - *at > 1))
        return false;

    *at = digit;
    *number = sum;
    return true;
}

static bool
is_id(uint64_t id)
{
    return id <= INT64_MAX;
}

/* "<id>_<count>" */
static enum hf_status
read_heartbeat(struct hf_fields_reader *reader, struct hf_bytes value, void *to)
{
    struct hf_heartbeat heartbeat;
    char text[64]; /* the longest has 40 bytes: one that is cut is refused */
    const char *at = text;

    hf_json_show(value, text, sizeof(text));
    if (!take_decimal(&at, &heartbeat.id) || !is_id(heartbeat.id) || *at != '_')
        return hf_fail(reader->error, HF_E_CORRUPT,
                       "\"lock\" is not an id and a count");
    at++;
    if (!take_decimal(&at, &heartbeat.count) || *at != '\0')
        return hf_fail(reader->error, HF_E_CORRUPT,
                       "\"lock\" is not an id and a count");
    memcpy(to, &heartbeat, sizeof(heartbeat));
    return HF_OK;
}

static void
write_heartbeat(const void *at, struct hf_text *out)
{
    struct hf_heartbeat heartbeat;

    memcpy(&heartbeat, at, sizeof(heartbeat));
    hf_text_add(out, "\"");
    hf_text_add_number(out, heartbeat.id);
    hf_text_add(out, "_");
    hf_text_add_number(out, heartbeat.count);
    hf_text_add(out, "\"");
}

static const struct hf_member_ways heartbeat_ways = {read_heartbeat,
                                                     write_heartbeat};

/* What every claim says of itself. */
#define CLAIM_ROWS(type, heartbeat, if_dead, ttl, beat)                        \
    {HF_MEMBER_OTHER, "lock", HF_AT(type, heartbeat),                          \
     .ways = &heartbeat_ways},                                                 \
        {HF_MEMBER_IF_DEAD, "if_dead", HF_AT(type, if_dead)},                  \
        {HF_MEMBER_INTEGER, "ttl_ms", HF_AT(type, ttl),                        \
         .least = HF_TTL_MIN_MS, .most = HF_TTL_MAX_MS},                       \
    {                                                                          \
        HF_MEMBER_INTEGER, "beat_ms", HF_AT(type, beat), .least = 1,           \
                                                         .most = HF_TTL_MAX_MS \
    }

static bool
is_beat(struct hf_duration beat, struct hf_duration ttl)
{
    return beat.ms >= 1 && beat.ms <= ttl.ms;
}

static enum hf_status
check_beat(struct hf_duration beat, struct hf_duration ttl,
           struct hf_error *error)
{
    return is_beat(beat, ttl)
               ? HF_OK
               : hf_fail(error, HF_E_CORRUPT,
                         "\"beat_ms\" is %" PRId64 ", beyond the ttl", beat.ms);
}

/* ---- "owner" ------------------------------------------------------------- */

/* For people: a part of it that is malformed is left empty. */
#define SHOWN(name, type, field)                                               \
    {                                                                          \
        HF_MEMBER_SHOWN, name, HF_AT(type, field), .need = HF_LENIENT          \
    }
#define LENIENT_NUMBER(name, type, field, lowest)                              \
    {                                                                          \
        HF_MEMBER_INTEGER, name, HF_AT(type, field),                           \
            .need = HF_LENIENT, .least = (lowest), .most = INT64_MAX           \
    }
#define WHO_ROWS(type, since)                                                  \
    SHOWN("host", type, host), SHOWN("user", type, user),                      \
        SHOWN("command", type, command),                                       \
        LENIENT_NUMBER("since", type, since, INT64_MIN)

/* "[pid,start]" */
static bool
read_process(struct hf_bytes pair, struct hf_process *process)
{
    struct hf_bytes values[3];
    size_t count = 0;
    size_t at = 0;
    int64_t pid;
    int64_t start;

    while (count < 3 && hf_json_next(pair, &at, &values[count]))
        count++;
    if (count != 2 || !hf_json_integer(values[0], &pid) ||
        !hf_json_integer(values[1], &start) || pid <= 0 || pid > INT32_MAX ||
        start <= 0)
        return false;
    *process = (struct hf_process){pid, (uint64_t)start};
    return true;
}

/* All of the list, or none of it. */
static enum hf_status
read_processes(struct hf_fields_reader *reader, struct hf_bytes list, void *to)
{
    struct hf_owner *owner = HF_CONTAINER(to, struct hf_owner, processes_count);
    struct hf_process processes[HF_PROCESSES_MAX];
    struct hf_bytes pair;
    size_t count = 0;
    size_t at = 0;

    while (hf_json_next(list, &at, &pair)) {
        if (count == HF_PROCESSES_MAX || !read_process(pair, &processes[count]))
            return hf_fail(reader->error, HF_E_CORRUPT,
                           "\"processes\" is not a list of [pid, start]");
        count++;
    }
    if (count > 0)
        memcpy(owner->processes, processes, count * sizeof(processes[0]));
    owner->processes_count = count;
    return HF_OK;
}

static void
write_processes(const void *at, struct hf_text *out)
{
    const char *owner_at =
        (const char *)at - offsetof(struct hf_owner, processes_count);
    const struct hf_owner *owner = (const void *)owner_at;

    hf_text_add(out, "[");
    for (size_t i = 0; i < owner->processes_count; i++)
        hf_text_addf(out, "%s[%" PRId64 ",%" PRIu64 "]", i > 0 ? "," : "",
                     owner->processes[i].pid, owner->processes[i].start);
    hf_text_add(out, "]");
}

static const struct hf_member_ways processes_ways = {read_processes,
                                                     write_processes};

static const struct hf_member owner_rows[] = {
    WHO_ROWS(struct hf_owner, since_ms),
    {HF_MEMBER_STRING, "boot", HF_AT(struct hf_owner, boot),
     .need = HF_LENIENT},
    LENIENT_NUMBER("pidns", struct hf_owner, pidns, 0),
    {HF_MEMBER_OTHER, "processes", HF_AT(struct hf_owner, processes_count),
     .need = HF_LENIENT, .ways = &processes_ways},
};

static const struct hf_fields owner_fields = {HF_FIELDS_OF(owner_rows),
                                              .open = true};

/* Can each process be written, and be read back? */
static bool
can_be_listed(const struct hf_owner *owner)
{
    if (owner->processes_count > HF_PROCESSES_MAX)
        return false;
    for (size_t i = 0; i < owner->processes_count; i++) {
        const struct hf_process *process = &owner->processes[i];

        if (process->pid <= 0 || process->pid > INT32_MAX ||
            process->start == 0 || process->start > INT64_MAX)
            return false;
    }
    return true;
}

/* Of an owner, what no record can say becomes unknown. */
static void
drop_unsound(struct hf_owner *owner)
{
    if (!hf_process_is_boot_id(owner->boot))
        owner->boot[0] = '\0';
    if (owner->pidns > INT64_MAX)
        owner->pidns = 0;
    if (!can_be_listed(owner))
        owner->processes_count = 0;
}

/* ---- Records ------------------------------------------------------------- */

static const struct hf_member record_rows[] = {
    CLAIM_ROWS(struct hf_value, heartbeat, terms.if_dead, terms.ttl,
               terms.beat),
    {HF_MEMBER_OBJECT, "owner", HF_AT(struct hf_value, owner),
     .need = HF_LENIENT, .fields = &owner_fields},
    SHOWN("reason", struct hf_value, owner.reason),
};

const struct hf_fields hf_record_fields = {HF_FIELDS_OF(record_rows),
                                           .open = true};

size_t
hf_record_encode(const struct hf_value *value, char *buffer, size_t size)
{
    struct hf_value written = *value;
    struct hf_text out;

    hf_record_make_sound(&written);
    hf_text_init(&out, buffer, size);
    hf_fields_write(&hf_record_fields, &written, HF_FIELDS_ALL, &out);
    return out.len;
}

void
hf_record_make_sound(struct hf_value *value)
{
    HF_CHECK(is_id(value->heartbeat.id));
    HF_CHECK(value->terms.ttl.ms >= HF_TTL_MIN_MS &&
             value->terms.ttl.ms <= HF_TTL_MAX_MS);
    HF_CHECK(is_beat(value->terms.beat, value->terms.ttl));
    drop_unsound(&value->owner);
}

enum hf_status
hf_record_judge(struct hf_value *value, struct hf_error *error)
{
    drop_unsound(&value->owner);
    return check_beat(value->terms.beat, value->terms.ttl, error);
}

enum hf_status
hf_record_decode(const char *bytes, size_t len, struct hf_value *value,
                 struct hf_error *error)
{
    struct hf_fields_reader reader = {.status = HF_E_CORRUPT, .error = error};
    struct hf_value read = {0};
    enum hf_status status = hf_fields_read_text(
        &reader, &hf_record_fields, (struct hf_bytes){bytes, len}, &read, NULL);

    if (status == HF_OK)
        status = hf_record_judge(&read, error);
    if (status == HF_OK)
        *value = read;
    return status;
}

/* ---- For people ---------------------------------------------------------- */

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
hf_record_describe(const struct hf_record_meta *meta,
                   const struct hf_value *value,
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

/* ---- The audit ----------------------------------------------------------- */

_Static_assert(offsetof(struct hf_description, beat) ==
                   offsetof(struct hf_description, id) +
                       offsetof(struct hf_heartbeat, count),
               "id and beat lie as in a heartbeat");

static const struct hf_member holder_rows[] = {
    WHO_ROWS(struct hf_description, since_ms),
};

static const struct hf_fields holder_fields = {HF_FIELDS_OF(holder_rows),
                                               .open = true};

static const struct hf_member cleared_rows[] = {
    CLAIM_ROWS(struct hf_description, id, if_dead, ttl, beat_every),
    LENIENT_NUMBER("stamp", struct hf_description, stamp_ms, INT64_MIN),
    {HF_MEMBER_OBJECT, "owner", .need = HF_LENIENT, .fields = &holder_fields},
    SHOWN("reason", struct hf_description, reason),
};

static const struct hf_fields cleared_fields = {HF_FIELDS_OF(cleared_rows),
                                                .open = true};

/* The record that was cleared, or null: it was corrupt. */
static enum hf_status
read_cleared(struct hf_fields_reader *reader, struct hf_bytes value, void *to)
{
    struct hf_description *cleared = to;
    enum hf_status status;

    cleared->corrupt = hf_json_is_word(value, "null");
    if (cleared->corrupt)
        return HF_OK;
    status = hf_fields_read(reader, &cleared_fields, HF_FIELDS_ALL, value,
                            cleared, NULL);
    return status == HF_OK
               ? check_beat(cleared->beat_every, cleared->ttl, reader->error)
               : status;
}

static void
write_cleared(const void *at, struct hf_text *out)
{
    const struct hf_description *cleared = at;

    if (cleared->corrupt)
        hf_text_add(out, "null");
    else
        hf_fields_write(&cleared_fields, cleared, HF_FIELDS_ALL, out);
}

static const struct hf_member_ways cleared_ways = {read_cleared, write_cleared};

static const struct hf_member by_rows[] = {
    WHO_ROWS(struct hf_audit_entry, asked_ms),
};

static const struct hf_fields by_fields = {HF_FIELDS_OF(by_rows), .open = true};

#define OF_ENTRY(field) HF_AT(struct hf_audit_entry, field)

static const struct hf_member entry_rows[] = {
    {HF_MEMBER_SHOWN, "space", OF_ENTRY(cleared.space)},
    {HF_MEMBER_SHOWN, "name", OF_ENTRY(cleared.name)},
    {HF_MEMBER_INTEGER, "version", OF_ENTRY(cleared.version),
     .most = INT64_MAX},
    {HF_MEMBER_INTEGER, "fence", OF_ENTRY(cleared.fence), .most = INT64_MAX},
    {HF_MEMBER_FLAG, "force", OF_ENTRY(forced), .need = HF_LENIENT},
    {HF_MEMBER_OBJECT, "by", .fields = &by_fields},
    SHOWN("reason", struct hf_audit_entry, reason),
    {HF_MEMBER_OTHER, "cleared", OF_ENTRY(cleared), .ways = &cleared_ways},
};

static const struct hf_fields entry_fields = {HF_FIELDS_OF(entry_rows),
                                              .open = true};

size_t
hf_audit_encode(const struct hf_audit_entry *entry, char *buffer, size_t size)
{
    struct hf_text out;

    hf_text_init(&out, buffer, size);
    hf_fields_write(&entry_fields, entry, HF_FIELDS_ALL, &out);
    return out.len;
}

enum hf_status
hf_audit_decode(const char *bytes, size_t len, struct hf_audit_entry *entry,
                struct hf_error *error)
{
    struct hf_fields_reader reader = {.status = HF_E_CORRUPT, .error = error};
    struct hf_audit_entry read = {.cleared = {.exists = true}}; /* it did */
    enum hf_status status = hf_fields_read_text(
        &reader, &entry_fields, (struct hf_bytes){bytes, len}, &read, NULL);

    if (status != HF_OK)
        return status;
    if (read.cleared.space[0] == '\0' || read.cleared.name[0] == '\0')
        return hf_fail(error, HF_E_CORRUPT, "no \"space\" or no \"name\"");
    *entry = read;
    return HF_OK;
}

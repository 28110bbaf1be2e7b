#include "wire/record.h"

#include <inttypes.h>
#include <string.h>

#include "base/check.h"
#include "base/fail.h"
#include "base/limits.h"
#include "base/text.h"
#include "wire/json.h"

/* ---- Encode -------------------------------------------------------------- */

/* `,"name":` and the string, clean and within `max` bytes. */
static void
add_string(struct hf_text *out, const char *name, const char *string,
           size_t max)
{
    char shown[HF_COMMAND_MAX + 1];

    HF_CHECK(max < sizeof(shown));
    hf_text_show(shown, max + 1, string, strnlen(string, max));
    hf_text_addf(out, ",\"%s\":", name);
    hf_text_add_json(out, shown, strlen(shown));
}

static void
add_lock(struct hf_text *out, struct hf_heartbeat heartbeat,
         const struct hf_terms *terms)
{
    hf_text_addf(out,
                 "{\"lock\":\"%" PRIu64 "_%" PRIu64 "\",\"if_dead\":\"%s\","
                 "\"ttl_ms\":%" PRId64 ",\"beat_ms\":%" PRId64,
                 heartbeat.id, heartbeat.count, hf_if_dead_word(terms->if_dead),
                 terms->ttl.ms, terms->beat.ms);
}

/* Strings within their limits: an owner's, a description's, an entry's. */
struct who {
    const char *host;
    const char *user;
    const char *command;
    int64_t since_ms;
};

/* "host", "user", "command" and "since" of an object just begun, whose first
 * member is the host. */
static void
add_who(struct hf_text *out, const struct who *who)
{
    char host[HF_HOST_MAX + 1];

    hf_text_show(host, sizeof(host), who->host,
                 strnlen(who->host, HF_HOST_MAX));
    hf_text_add(out, "{\"host\":");
    hf_text_add_json(out, host, strlen(host));
    add_string(out, "user", who->user, HF_USER_MAX);
    add_string(out, "command", who->command, HF_COMMAND_MAX);
    hf_text_addf(out, ",\"since\":%" PRId64, who->since_ms);
}

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

static void
add_processes(struct hf_text *out, const struct hf_owner *owner)
{
    size_t count = can_be_listed(owner) ? owner->processes_count : 0;

    hf_text_add(out, ",\"processes\":[");
    for (size_t i = 0; i < count; i++)
        hf_text_addf(out, "%s[%" PRId64 ",%" PRIu64 "]", i > 0 ? "," : "",
                     owner->processes[i].pid, owner->processes[i].start);
    hf_text_add(out, "]");
}

static bool
is_id(uint64_t id)
{
    return id <= INT64_MAX;
}

static bool
is_ttl(int64_t ttl_ms)
{
    return ttl_ms >= HF_TTL_MIN_MS && ttl_ms <= HF_TTL_MAX_MS;
}

static bool
is_beat(int64_t beat_ms, int64_t ttl_ms)
{
    return beat_ms >= 1 && beat_ms <= ttl_ms;
}

size_t
hf_record_encode(const struct hf_value *value, char *buffer, size_t size)
{
    const struct hf_owner *owner = &value->owner;
    const char *boot = hf_process_is_boot_id(owner->boot) ? owner->boot : "";
    uint64_t pidns = owner->pidns <= INT64_MAX ? owner->pidns : 0;
    struct who who = {owner->host, owner->user, owner->command,
                      owner->since_ms};
    struct hf_text out;

    HF_CHECK(is_id(value->heartbeat.id));
    HF_CHECK(is_ttl(value->terms.ttl.ms));
    HF_CHECK(is_beat(value->terms.beat.ms, value->terms.ttl.ms));

    hf_text_init(&out, buffer, size);
    add_lock(&out, value->heartbeat, &value->terms);
    hf_text_add(&out, ",\"owner\":");
    add_who(&out, &who);
    hf_text_addf(&out, ",\"boot\":\"%s\",\"pidns\":%" PRIu64, boot, pidns);
    add_processes(&out, owner);
    hf_text_add(&out, "}");
    add_string(&out, "reason", owner->reason, HF_REASON_MAX);
    hf_text_add(&out, "}");
    return out.len;
}

/* The record that was cleared, as far as it was understood. */
static void
add_cleared(struct hf_text *out, const struct hf_description *cleared)
{
    struct hf_terms terms = {cleared->if_dead, cleared->ttl,
                             cleared->beat_every};
    struct who who = {cleared->host, cleared->user, cleared->command,
                      cleared->since_ms};

    add_lock(out, (struct hf_heartbeat){cleared->id, cleared->beat}, &terms);
    hf_text_addf(out, ",\"stamp\":%" PRId64 ",\"owner\":", cleared->stamp_ms);
    add_who(out, &who);
    hf_text_add(out, "}");
    add_string(out, "reason", cleared->reason, HF_REASON_MAX);
    hf_text_add(out, "}");
}

size_t
hf_audit_encode(const struct hf_audit_entry *entry, char *buffer, size_t size)
{
    const struct hf_description *cleared = &entry->cleared;
    struct who by = {entry->host, entry->user, entry->command, entry->asked_ms};
    char space[HF_SPACE_MAX + 1];
    struct hf_text out;

    hf_text_init(&out, buffer, size);
    hf_text_show(space, sizeof(space), cleared->space,
                 strnlen(cleared->space, HF_SPACE_MAX));
    hf_text_add(&out, "{\"space\":");
    hf_text_add_json(&out, space, strlen(space));
    add_string(&out, "name", cleared->name, HF_NAME_MAX);
    hf_text_addf(
        &out,
        ",\"version\":%" PRIu64 ",\"fence\":%" PRIu64 ",\"force\":%s,\"by\":",
        cleared->version, cleared->fence, entry->forced ? "true" : "false");
    add_who(&out, &by);
    hf_text_add(&out, "}");
    add_string(&out, "reason", entry->reason, HF_REASON_MAX);
    hf_text_add(&out, ",\"cleared\":");
    if (cleared->corrupt)
        hf_text_add(&out, "null");
    else
        add_cleared(&out, cleared);
    hf_text_add(&out, "}");
    return out.len;
}

/* ---- Decode -------------------------------------------------------------- */

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

/* The member, as hf_json_show shows it. */
static void
read_string(const struct hf_json *json, size_t object, const char *name,
            char *to, size_t size)
{
    hf_json_show(json, hf_json_member(json, object, name), to, size);
}

/* "<id>_<count>" */
static bool
read_heartbeat(const struct hf_json *json, size_t object,
               struct hf_heartbeat *heartbeat)
{
    char text[64]; /* the longest has 40 bytes: one that is cut is refused */
    const char *at = text;

    read_string(json, object, "lock", text, sizeof(text));
    if (!take_decimal(&at, &heartbeat->id) || !is_id(heartbeat->id) ||
        *at != '_')
        return false;
    at++;
    return take_decimal(&at, &heartbeat->count) && *at == '\0';
}

bool
hf_record_if_dead(const char *word, enum hf_if_dead *if_dead)
{
    static const enum hf_if_dead all[] = {HF_TAKEOVER, HF_REFUSE};

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        if (strcmp(word, hf_if_dead_word(all[i])) == 0) {
            *if_dead = all[i];
            return true;
        }
    }
    return false;
}

static bool
read_if_dead(const struct hf_json *json, size_t object,
             enum hf_if_dead *if_dead)
{
    char word[16];

    read_string(json, object, "if_dead", word, sizeof(word));
    return hf_record_if_dead(word, if_dead);
}

static bool
read_integer(const struct hf_json *json, size_t object, const char *name,
             int64_t *number)
{
    return hf_json_integer(json, hf_json_member(json, object, name), number);
}

/* What every claim says of itself. */
static enum hf_status
read_lock(const struct hf_json *json, size_t object,
          struct hf_heartbeat *heartbeat, struct hf_terms *terms,
          struct hf_error *error)
{
    if (!read_heartbeat(json, object, heartbeat))
        return hf_fail(error, HF_E_CORRUPT, "no well-formed \"lock\"");
    if (!read_if_dead(json, object, &terms->if_dead))
        return hf_fail(error, HF_E_CORRUPT, "no well-formed \"if_dead\"");
    if (!read_integer(json, object, "ttl_ms", &terms->ttl.ms) ||
        !is_ttl(terms->ttl.ms))
        return hf_fail(error, HF_E_CORRUPT,
                       "\"ttl_ms\" missing or out of bounds");
    if (!read_integer(json, object, "beat_ms", &terms->beat.ms) ||
        !is_beat(terms->beat.ms, terms->ttl.ms))
        return hf_fail(error, HF_E_CORRUPT,
                       "\"beat_ms\" missing or out of bounds");
    return HF_OK;
}

/* "[pid,start]" */
static bool
read_process(const struct hf_json *json, size_t pair,
             struct hf_process *process)
{
    size_t pid_node = hf_json_next(json, pair, 0);
    size_t start_node = pid_node != 0 ? hf_json_next(json, pair, pid_node) : 0;
    int64_t pid;
    int64_t start;

    if (start_node == 0 || hf_json_next(json, pair, start_node) != 0 ||
        !hf_json_integer(json, pid_node, &pid) ||
        !hf_json_integer(json, start_node, &start) || pid <= 0 ||
        pid > INT32_MAX || start <= 0)
        return false;

    *process = (struct hf_process){pid, (uint64_t)start};
    return true;
}

/* All of the list, or none of it. */
static void
read_processes(const struct hf_json *json, size_t list, struct hf_owner *owner)
{
    struct hf_process processes[HF_PROCESSES_MAX];
    size_t count = 0;
    size_t pair = list != 0 ? hf_json_next(json, list, 0) : 0;

    while (pair != 0) {
        if (count == HF_PROCESSES_MAX ||
            !read_process(json, pair, &processes[count]))
            return;
        count++;
        pair = hf_json_next(json, list, pair);
    }
    if (count > 0)
        memcpy(owner->processes, processes, count * sizeof(processes[0]));
    owner->processes_count = count;
}

static void
read_owner(const struct hf_json *json, size_t object, struct hf_owner *owner)
{
    char boot[64];
    int64_t pidns;
    int64_t since_ms;

    read_string(json, object, "host", owner->host, sizeof(owner->host));
    read_string(json, object, "user", owner->user, sizeof(owner->user));
    read_string(json, object, "command", owner->command,
                sizeof(owner->command));
    read_string(json, object, "boot", boot, sizeof(boot));
    if (hf_process_is_boot_id(boot))
        memcpy(owner->boot, boot, sizeof(owner->boot));
    if (read_integer(json, object, "since", &since_ms))
        owner->since_ms = since_ms;
    if (read_integer(json, object, "pidns", &pidns) && pidns > 0)
        owner->pidns = (uint64_t)pidns;
    read_processes(json, hf_json_member(json, object, "processes"), owner);
}

static enum hf_status
read_object(struct hf_json *json, const char *bytes, size_t len,
            struct hf_error *error)
{
    enum hf_status status = hf_json_read(json, bytes, len, error);

    if (status == HF_OK && json->nodes[0].kind != HF_JSON_OBJECT)
        status = hf_fail(error, HF_E_CORRUPT, "JSON, but no object");
    return status;
}

enum hf_status
hf_record_decode(const char *bytes, size_t len, struct hf_value *value,
                 struct hf_error *error)
{
    struct hf_value read = {0};
    struct hf_json json;
    enum hf_status status = read_object(&json, bytes, len, error);
    size_t owner;

    if (status == HF_OK)
        status = read_lock(&json, 0, &read.heartbeat, &read.terms, error);
    if (status != HF_OK)
        return status;

    owner = hf_json_member(&json, 0, "owner");
    if (owner != 0)
        read_owner(&json, owner, &read.owner);
    read_string(&json, 0, "reason", read.owner.reason,
                sizeof(read.owner.reason));
    *value = read;
    return HF_OK;
}

/* ---- Decode the audit ---------------------------------------------------- */

/* Which record was cleared: what is said of every one. */
static enum hf_status
read_subject(const struct hf_json *json, struct hf_description *cleared,
             struct hf_error *error)
{
    int64_t version;
    int64_t fence;

    cleared->exists = true; /* it did */
    read_string(json, 0, "space", cleared->space, sizeof(cleared->space));
    read_string(json, 0, "name", cleared->name, sizeof(cleared->name));
    if (cleared->space[0] == '\0' || cleared->name[0] == '\0')
        return hf_fail(error, HF_E_CORRUPT, "no \"space\" or no \"name\"");
    if (!read_integer(json, 0, "version", &version) || version < 0 ||
        !read_integer(json, 0, "fence", &fence) || fence < 0)
        return hf_fail(error, HF_E_CORRUPT,
                       "no well-formed \"version\" or \"fence\"");
    cleared->version = (uint64_t)version;
    cleared->fence = (uint64_t)fence;
    return HF_OK;
}

/* And what it said of itself, or null. */
static enum hf_status
read_cleared(const struct hf_json *json, struct hf_description *cleared,
             struct hf_error *error)
{
    size_t object = hf_json_member(json, 0, "cleared");
    struct hf_heartbeat heartbeat = {0};
    struct hf_terms terms = {.if_dead = HF_TAKEOVER};
    enum hf_status status;
    size_t owner;

    if (object == 0)
        return hf_fail(error, HF_E_CORRUPT, "no well-formed \"cleared\"");
    cleared->corrupt = hf_json_is_word(json, object, "null");
    if (cleared->corrupt)
        return HF_OK;
    status = read_lock(json, object, &heartbeat, &terms, error);
    if (status != HF_OK)
        return status;

    cleared->id = heartbeat.id;
    cleared->beat = heartbeat.count;
    cleared->if_dead = terms.if_dead;
    cleared->ttl = terms.ttl;
    cleared->beat_every = terms.beat;
    (void)read_integer(json, object, "stamp", &cleared->stamp_ms);
    read_string(json, object, "reason", cleared->reason,
                sizeof(cleared->reason));
    owner = hf_json_member(json, object, "owner");
    if (owner == 0)
        return HF_OK;
    read_string(json, owner, "host", cleared->host, sizeof(cleared->host));
    read_string(json, owner, "user", cleared->user, sizeof(cleared->user));
    read_string(json, owner, "command", cleared->command,
                sizeof(cleared->command));
    (void)read_integer(json, owner, "since", &cleared->since_ms);
    return HF_OK;
}

enum hf_status
hf_audit_decode(const char *bytes, size_t len, struct hf_audit_entry *entry,
                struct hf_error *error)
{
    struct hf_audit_entry read = {.corrupt = false};
    struct hf_json json;
    enum hf_status status = read_object(&json, bytes, len, error);
    size_t by;

    if (status == HF_OK)
        status = read_subject(&json, &read.cleared, error);
    if (status == HF_OK)
        status = read_cleared(&json, &read.cleared, error);
    if (status != HF_OK)
        return status;
    by = hf_json_member(&json, 0, "by");
    if (by == 0)
        return hf_fail(error, HF_E_CORRUPT, "no well-formed \"by\"");

    read.forced =
        hf_json_is_word(&json, hf_json_member(&json, 0, "force"), "true");
    read_string(&json, by, "host", read.host, sizeof(read.host));
    read_string(&json, by, "user", read.user, sizeof(read.user));
    read_string(&json, by, "command", read.command, sizeof(read.command));
    (void)read_integer(&json, by, "since", &read.asked_ms);
    read_string(&json, 0, "reason", read.reason, sizeof(read.reason));
    *entry = read;
    return HF_OK;
}

#include "wire/head.h"

#include <inttypes.h>
#include <string.h>

#include "base/check.h"
#include "base/fail.h"
#include "base/hex.h"
#include "base/limits.h"
#include "base/text.h"
#include "wire/json.h"

/* ---- Encode -------------------------------------------------------------- */

/* Would it be read back as it is? */
static bool
is_sound(const struct hf_head *head)
{
    size_t node_len = strnlen(head->node, sizeof(head->node));
    size_t address_len = strnlen(head->address, sizeof(head->address));

    return head->claim.terms.if_dead == HF_TAKEOVER &&
           node_len < sizeof(head->node) &&
           hf_text_is_clean(head->node, node_len) &&
           address_len < sizeof(head->address) &&
           hf_text_is_clean(head->address, address_len) &&
           (node_len == 0 || address_len > 0) && head->next_fence > 0 &&
           head->next_fence <= HF_HEAD_FENCE_MAX && head->service != 0 &&
           head->max_ttl.ms >= 0 && head->max_ttl.ms <= HF_TTL_MAX_MS &&
           head->grace.ms >= 0 && head->grace.ms <= HF_HEAD_GRACE_MAX_MS &&
           head->begun_ms >= 0;
}

static void
add_id(struct hf_text *out, const char *name, uint64_t id)
{
    char digits[17];

    hf_hex_write_u64(id, digits);
    hf_text_addf(out, ",\"%s\":\"%s\"", name, digits);
}

size_t
hf_head_encode(const struct hf_head *head, char *buffer, size_t size)
{
    char record[HF_RECORD_TEXT_MAX];
    size_t record_len;
    struct hf_text out;

    HF_CHECK(is_sound(head));
    record_len = hf_record_encode(&head->claim, record, sizeof(record));
    HF_CHECK(record_len < sizeof(record));

    hf_text_init(&out, buffer, size);
    hf_text_add_bytes(&out, record, record_len - 1); /* its '}' comes last */
    hf_text_add(&out, ",\"node\":");
    if (head->node[0] == '\0')
        hf_text_add(&out, "null");
    else
        hf_text_add_json(&out, head->node, strlen(head->node));
    hf_text_add(&out, ",\"address\":");
    hf_text_add_json(&out, head->address, strlen(head->address));
    hf_text_addf(&out, ",\"next_fence\":%" PRIu64, head->next_fence);
    add_id(&out, "service", head->service);
    add_id(&out, "store", head->store);
    hf_text_addf(&out,
                 ",\"max_ttl_ms\":%" PRId64 ",\"grace_ms\":%" PRId64
                 ",\"begun_ms\":%" PRId64 "}",
                 head->max_ttl.ms, head->grace.ms, head->begun_ms);
    return out.len;
}

/* ---- Decode -------------------------------------------------------------- */

/* The first are those of every lock's record. */
enum member {
    LOCK,
    IF_DEAD,
    TTL,
    BEAT,
    OWNER,
    REASON,
    NODE,
    ADDRESS,
    NEXT_FENCE,
    SERVICE,
    STORE,
    MAX_TTL,
    GRACE,
    BEGUN,
    MEMBERS,
};

static const char *const names[] = {
    [LOCK] = "lock",       [IF_DEAD] = "if_dead", [TTL] = "ttl_ms",
    [BEAT] = "beat_ms",    [OWNER] = "owner",     [REASON] = "reason",
    [NODE] = "node",       [ADDRESS] = "address", [NEXT_FENCE] = "next_fence",
    [SERVICE] = "service", [STORE] = "store",     [MAX_TTL] = "max_ttl_ms",
    [GRACE] = "grace_ms",  [BEGUN] = "begun_ms",  [MEMBERS] = NULL,
};

/* Who leads, or that nobody does. */
static enum hf_status
read_node(const struct hf_json *json, const size_t *members,
          struct hf_head *head, struct hf_error *error)
{
    bool led = !hf_json_is_word(json, members[NODE], "null");
    size_t node_len = 0;
    size_t address_len = 0;

    if (led && (!hf_json_clean(json, members[NODE], head->node,
                               sizeof(head->node), &node_len) ||
                node_len == 0))
        return hf_fail(error, HF_E_CORRUPT, "no well-formed \"node\"");
    if (!hf_json_clean(json, members[ADDRESS], head->address,
                       sizeof(head->address), &address_len) ||
        (led && address_len == 0))
        return hf_fail(error, HF_E_CORRUPT, "no well-formed \"address\"");
    return HF_OK;
}

static bool
read_id(const struct hf_json *json, size_t member, uint64_t *id)
{
    char digits[17];
    size_t len;

    return hf_json_clean(json, member, digits, sizeof(digits), &len) &&
           hf_hex_read_u64((struct hf_bytes){digits, len}, id);
}

static bool
read_length(const struct hf_json *json, size_t member, int64_t most_ms,
            struct hf_duration *length)
{
    return hf_json_integer(json, member, &length->ms) && length->ms >= 0 &&
           length->ms <= most_ms;
}

/* Of what service it is, where, and what that has promised. */
static enum hf_status
read_service(const struct hf_json *json, const size_t *members,
             struct hf_head *head, struct hf_error *error)
{
    size_t bad = MEMBERS;

    if (!read_id(json, members[SERVICE], &head->service) || head->service == 0)
        bad = SERVICE;
    else if (!read_id(json, members[STORE], &head->store))
        bad = STORE;
    else if (!read_length(json, members[MAX_TTL], HF_TTL_MAX_MS,
                          &head->max_ttl))
        bad = MAX_TTL;
    else if (!read_length(json, members[GRACE], HF_HEAD_GRACE_MAX_MS,
                          &head->grace))
        bad = GRACE;
    else if (!hf_json_integer(json, members[BEGUN], &head->begun_ms) ||
             head->begun_ms < 0)
        bad = BEGUN;
    if (bad == MEMBERS)
        return HF_OK;
    return hf_fail(error, HF_E_CORRUPT, "no well-formed \"%s\"", names[bad]);
}

enum hf_status
hf_head_decode(const char *bytes, size_t len, struct hf_head *head,
               struct hf_error *error)
{
    struct hf_head read = {.next_fence = 0};
    size_t members[MEMBERS];
    struct hf_json json;
    int64_t next_fence;
    enum hf_status status = hf_record_decode(bytes, len, &read.claim, error);

    if (status == HF_OK)
        status = hf_json_read(&json, bytes, len, error);
    if (status == HF_OK)
        status = hf_json_members(&json, 0, names, members, error);
    if (status == HF_OK)
        status = read_node(&json, members, &read, error);
    if (status == HF_OK)
        status = read_service(&json, members, &read, error);
    if (status != HF_OK)
        return status;
    if (read.claim.terms.if_dead != HF_TAKEOVER)
        return hf_fail(error, HF_E_CORRUPT,
                       "a head whose \"if_dead\" is not \"takeover\"");
    if (!hf_json_integer(&json, members[NEXT_FENCE], &next_fence) ||
        next_fence < 1)
        return hf_fail(error, HF_E_CORRUPT,
                       "\"next_fence\" is no number above 0");

    read.next_fence = (uint64_t)next_fence;
    *head = read;
    return HF_OK;
}

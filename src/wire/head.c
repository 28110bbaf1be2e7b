#include "wire/head.h"

#include <string.h>

#include "base/check.h"
#include "base/fail.h"
#include "base/limits.h"
#include "base/text.h"
#include "wire/fields.h"
#include "wire/json.h"

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
           head->served.ms >= 0 && head->begun_ms >= 0;
}

#define OF_HEAD(field) HF_AT(struct hf_head, field)
#define LENGTH(name, field, highest)                                           \
    {                                                                          \
        HF_MEMBER_INTEGER, name, OF_HEAD(field), .most = (highest)             \
    }

/* null: nobody leads. */
static enum hf_status
read_node(struct hf_fields_reader *reader, struct hf_bytes value, void *to)
{
    size_t len = 0;

    if (hf_json_is_word(value, "null") ||
        (hf_json_clean(value, to, sizeof(((struct hf_head *)NULL)->node),
                       &len) &&
         len > 0))
        return HF_OK;
    return hf_fail(reader->error, HF_E_CORRUPT,
                   "\"node\" is neither a name nor null");
}

static void
write_node(const void *at, struct hf_text *out)
{
    const char *node = at;

    if (node[0] == '\0')
        hf_text_add(out, "null");
    else
        hf_text_add_json(out, node, strlen(node));
}

static const struct hf_member_ways node_ways = {read_node, write_node};

static const struct hf_member rows[] = {
    {HF_MEMBER_OTHER, "node", OF_HEAD(node), .ways = &node_ways},
    {HF_MEMBER_STRING, "address", OF_HEAD(address)},
    {HF_MEMBER_INTEGER, "next_fence", OF_HEAD(next_fence), .least = 1,
     .most = HF_HEAD_FENCE_MAX},
    {HF_MEMBER_ID, "service", OF_HEAD(service), .least = 1},
    {HF_MEMBER_ID, "store", OF_HEAD(store)},
    LENGTH("max_ttl_ms", max_ttl, HF_TTL_MAX_MS),
    LENGTH("grace_ms", grace, HF_HEAD_GRACE_MAX_MS),
    LENGTH("served_ms", served, INT64_MAX),
    LENGTH("begun_ms", begun_ms, INT64_MAX),
};

static const struct hf_fields fields = {
    HF_FIELDS_OF(rows),
    .base = &hf_record_fields,
    .base_offset = offsetof(struct hf_head, claim),
};

size_t
hf_head_encode(const struct hf_head *head, char *buffer, size_t size)
{
    struct hf_head written = *head;
    struct hf_text out;

    HF_CHECK(is_sound(head));
    hf_record_make_sound(&written.claim);
    hf_text_init(&out, buffer, size);
    hf_fields_write(&fields, &written, HF_FIELDS_ALL, &out);
    return out.len;
}

enum hf_status
hf_head_decode(const char *bytes, size_t len, struct hf_head *head,
               struct hf_error *error)
{
    struct hf_fields_reader reader = {.status = HF_E_CORRUPT, .error = error};
    struct hf_head read = {.next_fence = 0};
    enum hf_status status = hf_fields_read_text(
        &reader, &fields, (struct hf_bytes){bytes, len}, &read, NULL);

    if (status == HF_OK)
        status = hf_record_judge(&read.claim, error);
    if (status != HF_OK)
        return status;
    if (read.claim.terms.if_dead != HF_TAKEOVER)
        return hf_fail(error, HF_E_CORRUPT,
                       "a head whose \"if_dead\" is not \"takeover\"");
    if (read.node[0] != '\0' && read.address[0] == '\0')
        return hf_fail(error, HF_E_CORRUPT, "no \"address\" of its node");
    *head = read;
    return HF_OK;
}

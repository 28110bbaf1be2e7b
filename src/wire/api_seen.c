#include "wire/api_seen.h"

#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "wire/api_answer.h"
#include "wire/fields.h"
#include "wire/json.h"
#include "wire/name.h"

/* ---- Values -------------------------------------------------------------- */

/* For clients whose numbers have 53 bits. */
static void
write_fence_text(const void *at, struct hf_text *out)
{
    hf_text_addf(out, "\"%" PRIu64 "\"", *(const uint64_t *)at);
}

static void
write_why(const void *at, struct hf_text *out)
{
    hf_text_addf(out, "\"%s\"", hf_api_why_word(*(const enum hf_look_why *)at));
}

/* HF_LOOK_HOLDS: it is no word of ours. */
static enum hf_look_why
why_of(struct hf_bytes value)
{
    for (unsigned i = HF_LOOK_HELD; i <= HF_LOOK_GRACE; i++)
        if (hf_json_says(value, hf_api_why_word((enum hf_look_why)i)))
            return (enum hf_look_why)i;
    return HF_LOOK_HOLDS;
}

static enum hf_status
read_why(struct hf_fields_reader *reader, struct hf_bytes value, void *at)
{
    (void)reader;
    *(enum hf_look_why *)at = why_of(value);
    return HF_OK;
}

static const struct hf_member_ways fence_text = {NULL, write_fence_text};
static const struct hf_member_ways why = {read_why, write_why};

/* ---- Rows ---------------------------------------------------------------- */

#define OF_CLAIM(member) HF_AT(struct hf_api_claim, member), .need = HF_LENIENT

static const struct hf_member claim_rows[] = {
    {HF_MEMBER_SHOWN, "space", OF_CLAIM(space)},
    {HF_MEMBER_SHOWN, "name", OF_CLAIM(name)},
    {HF_MEMBER_NATURAL, "waiters", OF_CLAIM(waiters)},
    {HF_MEMBER_ID, "session", OF_CLAIM(session)},
    {HF_MEMBER_NATURAL, "lane", OF_CLAIM(lane)},
    {HF_MEMBER_NATURAL, "n", OF_CLAIM(n)},
    {HF_MEMBER_MODE, "mode", OF_CLAIM(mode)},
    {HF_MEMBER_SHOWN, "who", OF_CLAIM(who)},
    {HF_MEMBER_SHOWN, "note", OF_CLAIM(note)},
};

static const struct hf_member holder_rows[] = {
    {HF_MEMBER_NATURAL, "fence", OF_CLAIM(fence)},
    {HF_MEMBER_OTHER, "fence_text", OF_CLAIM(fence), .ways = &fence_text},
    {HF_MEMBER_DURATION, "held_ms", OF_CLAIM(age)},
    {HF_MEMBER_IF_DEAD, "if_dead", OF_CLAIM(if_dead)},
    {HF_MEMBER_DURATION, "ttl_ms", OF_CLAIM(ttl)},
    {HF_MEMBER_DURATION, "silent_ms", OF_CLAIM(silent)},
    {HF_MEMBER_FLAG, "heard", OF_CLAIM(heard)},
    {HF_MEMBER_FLAG, "suspected", OF_CLAIM(suspected)},
};

static const struct hf_member waiter_rows[] = {
    {HF_MEMBER_DURATION, "waited_ms", OF_CLAIM(age)},
    {HF_MEMBER_OTHER, "why", OF_CLAIM(why), .ways = &why},
    {HF_MEMBER_FLAG, "free", OF_CLAIM(free)},
    {HF_MEMBER_DURATION, "parked_ms", OF_CLAIM(parked)},
};

/* Rows that are not always written, by their bits. */
enum { WITH_LOCK = 7, WITH_PARKED = 1 << 12 };

static const struct hf_fields claim_fields = {HF_FIELDS_OF(claim_rows),
                                              .open = true};
static const struct hf_fields holder_fields = {
    HF_FIELDS_OF(holder_rows), .open = true, .base = &claim_fields};
static const struct hf_fields waiter_fields = {
    HF_FIELDS_OF(waiter_rows), .open = true, .base = &claim_fields};

#define OF_SESSION(member)                                                     \
    HF_AT(struct hf_api_session, member), .need = HF_LENIENT

static const struct hf_member session_rows[] = {
    {HF_MEMBER_SHOWN, "session", OF_SESSION(id)},
    {HF_MEMBER_SHOWN, "who", OF_SESSION(who)},
    {HF_MEMBER_IF_DEAD, "if_dead", OF_SESSION(if_dead)},
    {HF_MEMBER_DURATION, "ttl_ms", OF_SESSION(ttl)},
    {HF_MEMBER_DURATION, "silent_ms", OF_SESSION(silent)},
    {HF_MEMBER_FLAG, "heard", OF_SESSION(heard)},
    {HF_MEMBER_FLAG, "suspected", OF_SESSION(suspected)},
    {HF_MEMBER_NATURAL, "holds", OF_SESSION(holds)},
    {HF_MEMBER_NATURAL, "waits", OF_SESSION(waits)},
    {HF_MEMBER_NATURAL, "cleared", OF_SESSION(cleared)},
    {HF_MEMBER_FLAG, "by_acquire", OF_SESSION(by_acquire)},
};

static const struct hf_fields session_fields = {HF_FIELDS_OF(session_rows),
                                                .open = true};

static void
read_row(const struct hf_fields *fields, struct hf_bytes row, void *to)
{
    struct hf_fields_reader reader = {.status = HF_E_CORRUPT};

    (void)!hf_fields_read(&reader, fields, HF_FIELDS_ALL, row, to, NULL);
}

void
hf_api_seen_write(const struct hf_api_claim *claim, bool with_lock,
                  struct hf_text *text)
{
    uint64_t given = HF_FIELDS_ALL;

    if (!with_lock)
        given &= ~(uint64_t)WITH_LOCK;
    if (claim->fence == 0 && claim->parked.ms == 0)
        given &= ~(uint64_t)WITH_PARKED;
    hf_fields_write(claim->fence != 0 ? &holder_fields : &waiter_fields, claim,
                    given, text);
}

void
hf_api_seen_write_session(const struct hf_api_session *session,
                          struct hf_text *text)
{
    hf_fields_write(&session_fields, session, HF_FIELDS_ALL, text);
}

void
hf_api_seen_read_session(struct hf_bytes row, struct hf_api_session *session)
{
    read_row(&session_fields, row, session);
}

/* ---- Who it is ----------------------------------------------------------- */

/* The note is what a client of ours wrote of itself, or any text.  A holder's
 * terms are the server's to tell. */
static void
read_value(struct hf_api_claim *claim)
{
    struct hf_value *value = &claim->value;
    struct hf_owner *owner = &value->owner;
    const char *note = claim->note;

    if (hf_record_decode(note, strlen(note), value, NULL) != HF_OK) {
        *value = (struct hf_value){.terms.if_dead = HF_TAKEOVER};
        hf_name_split_who(claim->who, owner->user, owner->host);
        hf_text_show(owner->reason, sizeof(owner->reason), note, strlen(note));
    }
    if (claim->fence == 0)
        return;
    value->terms.if_dead = claim->if_dead;
    value->terms.ttl = claim->ttl;
}

static void
read_claim(struct hf_bytes row, struct hf_api_claim *claim)
{
    bool holds = hf_json_member(row, "fence").len > 0;

    *claim = (struct hf_api_claim){.session = 0};
    read_row(holds ? &holder_fields : &waiter_fields, row, claim);
    if (claim->free)
        claim->parked.ms = 0;
    read_value(claim);
}

/* ---- Locks --------------------------------------------------------------- */

static uint64_t
number_of(struct hf_bytes object, const char *member)
{
    uint64_t number = 0;

    (void)hf_fields_read_natural(hf_json_member(object, member), &number);
    return number;
}

/* It waits, and for nothing of this name. */
static bool
is_elsewhere(enum hf_look_why waits_for)
{
    return waits_for != HF_LOOK_HOLDS && waits_for != HF_LOOK_HELD &&
           waits_for != HF_LOOK_BEHIND;
}

bool
hf_api_seen_read(struct hf_bytes lock, struct hf_api_seen *seen)
{
    hf_json_show(hf_json_member(lock, "space"), seen->space,
                 sizeof(seen->space));
    hf_json_show(hf_json_member(lock, "name"), seen->name, sizeof(seen->name));
    seen->holders = hf_json_member(lock, "holders");
    seen->queue = hf_json_member(lock, "queue");
    seen->waiters = number_of(lock, "waiters");
    seen->position = number_of(lock, "position");
    seen->elsewhere = is_elsewhere(why_of(hf_json_member(lock, "why")));
    return seen->name[0] != '\0';
}

bool
hf_api_seen_next(struct hf_bytes list, size_t *at, struct hf_api_claim *claim)
{
    struct hf_bytes row;

    if (!hf_json_next(list, at, &row))
        return false;
    read_claim(row, claim);
    return true;
}

bool
hf_api_seen_in_way(struct hf_bytes list, size_t *at, struct hf_api_seen *seen,
                   struct hf_api_claim *claim)
{
    struct hf_bytes row;

    if (!hf_json_next(list, at, &row))
        return false;
    (void)hf_api_seen_read(row, seen);
    seen->elsewhere = false; /* the row says that of its waiter */
    read_claim(row, claim);
    return true;
}

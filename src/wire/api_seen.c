#include "wire/api_seen.h"

#include <string.h>

#include "base/hex.h"
#include "base/text.h"
#include "wire/api_answer.h"
#include "wire/json_slice.h"

static uint64_t
number_of(struct hf_bytes object, const char *member)
{
    uint64_t number = 0;

    (void)hf_json_slice_number(hf_json_slice(object, member), &number);
    return number <= INT64_MAX ? number : INT64_MAX;
}

static struct hf_duration
duration_of(struct hf_bytes object, const char *member)
{
    return (struct hf_duration){(int64_t)number_of(object, member)};
}

/* Why a request waits, as a word of ours. */
static const char *
why_of(struct hf_bytes object)
{
    char word[16];

    hf_json_slice_show(hf_json_slice(object, "why"), word, sizeof(word));
    for (unsigned i = HF_LOOK_HELD; i <= HF_LOOK_GRACE; i++)
        if (strcmp(word, hf_api_why_word((enum hf_look_why)i)) == 0)
            return hf_api_why_word((enum hf_look_why)i);
    return "";
}

/* It waits, and for nothing of this name. */
static bool
is_elsewhere(const char *why)
{
    return why[0] != '\0' && why != hf_api_why_word(HF_LOOK_HELD) &&
           why != hf_api_why_word(HF_LOOK_BEHIND);
}

bool
hf_api_seen_read(struct hf_bytes lock, struct hf_api_seen *seen)
{
    hf_json_slice_show(hf_json_slice(lock, "space"), seen->space,
                       sizeof(seen->space));
    hf_json_slice_show(hf_json_slice(lock, "name"), seen->name,
                       sizeof(seen->name));
    seen->holders = hf_json_slice(lock, "holders");
    seen->queue = hf_json_slice(lock, "queue");
    seen->waiters = number_of(lock, "waiters");
    seen->position = number_of(lock, "position");
    seen->elsewhere = is_elsewhere(why_of(lock));
    return seen->name[0] != '\0';
}

/* ---- Who it is ----------------------------------------------------------- */

/* "ann@db1", or any text. */
static void
read_who(struct hf_bytes row, struct hf_owner *owner)
{
    char who[HF_SERVED_WHO_MAX + 1];
    char *host;

    hf_json_slice_show(hf_json_slice(row, "who"), who, sizeof(who));
    host = strrchr(who, '@');
    if (host != NULL) {
        *host = '\0';
        hf_text_show(owner->host, sizeof(owner->host), host + 1,
                     strlen(host + 1));
    }
    hf_text_show(owner->user, sizeof(owner->user), who, strlen(who));
}

/* The note is what a client of ours wrote of itself, or any text. */
static void
read_owner(struct hf_bytes row, struct hf_value *value)
{
    char note[HF_SERVED_NOTE_MAX + 1];

    hf_json_slice_show(hf_json_slice(row, "note"), note, sizeof(note));
    if (hf_record_decode(note, strlen(note), value, NULL) == HF_OK)
        return;
    *value = (struct hf_value){.terms.if_dead = HF_TAKEOVER};
    read_who(row, &value->owner);
    hf_text_show(value->owner.reason, sizeof(value->owner.reason), note,
                 strlen(note));
}

/* The terms are the server's to say; of who waits it does not. */
static void
read_value(struct hf_bytes row, struct hf_value *value)
{
    struct hf_bytes if_dead = hf_json_slice(row, "if_dead");
    char word[16];

    read_owner(row, value);
    if (if_dead.len == 0)
        return;
    hf_json_slice_show(if_dead, word, sizeof(word));
    (void)hf_record_if_dead(word, &value->terms.if_dead);
    value->terms.ttl = duration_of(row, "ttl_ms");
}

/* 0: it is not told. */
static uint64_t
read_session(struct hf_bytes row)
{
    uint64_t session = 0;

    (void)hf_hex_read_u64(hf_json_slice_inside(hf_json_slice(row, "session")),
                          &session);
    return session;
}

static void
read_claim(struct hf_bytes row, struct hf_api_claim *claim)
{
    char mode[16];

    hf_json_slice_show(hf_json_slice(row, "mode"), mode, sizeof(mode));
    *claim = (struct hf_api_claim){
        .session = read_session(row),
        .lane = number_of(row, "lane"),
        .fence = number_of(row, "fence"),
        .mode = strcmp(mode, "shared") == 0 ? HF_SHARED : HF_EXCLUSIVE,
        .heard = hf_json_slice_true(hf_json_slice(row, "heard")),
        .silent = duration_of(row, "silent_ms"),
        .suspected = hf_json_slice_true(hf_json_slice(row, "suspected")),
        .free = hf_json_slice_true(hf_json_slice(row, "free")),
        .why = why_of(row),
    };
    if (!claim->free)
        claim->parked = duration_of(row, "parked_ms");
    claim->age = duration_of(row, claim->fence != 0 ? "held_ms" : "waited_ms");
    read_value(row, &claim->value);
}

bool
hf_api_seen_next(struct hf_bytes list, size_t *at, struct hf_api_claim *claim)
{
    struct hf_bytes row;

    if (!hf_json_slice_next(list, at, &row))
        return false;
    read_claim(row, claim);
    return true;
}

bool
hf_api_seen_in_way(struct hf_bytes list, size_t *at, struct hf_api_seen *seen,
                   struct hf_api_claim *claim)
{
    struct hf_bytes row;

    if (!hf_json_slice_next(list, at, &row))
        return false;
    (void)hf_api_seen_read(row, seen);
    seen->elsewhere = false; /* the row says that of its waiter */
    read_claim(row, claim);
    return true;
}

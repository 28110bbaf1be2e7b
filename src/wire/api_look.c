#include "wire/api_look.h"

#include <inttypes.h>
#include <string.h>

#include "base/hex.h"
#include "base/limits.h"
#include "wire/api_answer.h"

static void
copy_text(const struct hf_lockspace *ls, struct hf_string ref, char *to,
          size_t size)
{
    size_t len = hf_look_text(ls, ref, to, size - 1);

    to[len < size ? len : size - 1] = '\0';
}

void
hf_api_look_claim(struct hf_lockspace *ls, const struct hf_look_claim *row,
                  struct hf_api_claim *claim)
{
    struct hf_look_session session;

    *claim = (struct hf_api_claim){
        .session = row->session,
        .lane = row->lane,
        .n = row->n,
        .mode = row->mode,
        .age = row->age,
        .fence = row->fence,
        .why = row->why,
        .free = row->free,
        .parked = {row->parked ? row->kept.ms : 0},
    };
    copy_text(ls, row->who, claim->who, sizeof(claim->who));
    copy_text(ls, row->note, claim->note, sizeof(claim->note));
    if (row->fence == 0)
        return;
    hf_look_session_at(ls, hf_look_session(ls, row->session), &session);
    claim->if_dead = session.if_dead;
    claim->ttl = session.ttl;
    claim->silent = session.silent;
    claim->heard = session.heard;
    claim->suspected = session.suspected;
}

void
hf_api_look_session(const struct hf_lockspace *ls,
                    const struct hf_look_session *row, struct hf_text *text)
{
    struct hf_api_session session = {
        .if_dead = row->if_dead,
        .ttl = row->ttl,
        .silent = row->silent,
        .heard = row->heard,
        .suspected = row->suspected,
        .holds = row->grants,
        .waits = row->waiters,
        .cleared = row->revoked,
        .by_acquire = row->of_acquire,
    };

    hf_hex_write_u64(row->id, session.id);
    copy_text(ls, row->who, session.who, sizeof(session.who));
    hf_api_seen_write_session(&session, text);
}

/* Add a row behind the others of its list.  It begins with its lock unless
 * `of` is NULL.  False: the row does not fit, and is left out, so that the text
 * behind the rows still fits. */
static bool
add_row(struct hf_lockspace *ls, const struct hf_look_name *of,
        const struct hf_look_claim *row, struct hf_text *text)
{
    size_t before = text->len;
    struct hf_api_claim claim;

    hf_api_look_claim(ls, row, &claim);
    if (of != NULL) {
        copy_text(ls, of->space, claim.space, sizeof(claim.space));
        copy_text(ls, of->name, claim.name, sizeof(claim.name));
        claim.waiters = of->waiters;
    }
    if (text->at[text->len - 1] != '[')
        hf_text_add(text, ",");
    hf_api_seen_write(&claim, of != NULL, text);
    if (text->len + HF_API_LOOK_REST < text->size)
        return true;
    hf_text_take_back(text, before);
    return false;
}

static void
add_text(const struct hf_lockspace *ls, const char *member,
         struct hf_string ref, struct hf_text *text)
{
    char bytes[HF_NAME_MAX + 1];

    copy_text(ls, ref, bytes, sizeof(bytes));
    hf_text_addf(text, "\"%s\":", member);
    hf_text_add_json(text, bytes, strlen(bytes));
    hf_text_add(text, ",");
}

void
hf_api_look_lock(struct hf_lockspace *ls, const struct hf_look_name *row,
                 size_t rows_max, const struct hf_api_asker *asker,
                 struct hf_text *text)
{
    struct hf_look_claim claim;
    uint32_t cursor = 0;

    hf_text_add(text, "{");
    add_text(ls, "space", row->space, text);
    add_text(ls, "name", row->name, text);
    hf_text_add(text, "\"holders\":[");
    for (size_t i = 0;
         i < rows_max && hf_look_holders(ls, row->number, &cursor, &claim) &&
         add_row(ls, NULL, &claim, text);
         i++)
        ;
    hf_text_addf(text, "],\"waiters\":%" PRIu32, row->waiters);
    if (asker != NULL)
        hf_text_addf(text, ",\"position\":%" PRIu64 ",\"why\":\"%s\"",
                     asker->position, hf_api_why_word(asker->why));
    hf_text_add(text, ",\"queue\":[");
    cursor = 0;
    for (size_t i = 0;
         i < rows_max && hf_look_line(ls, row->number, &cursor, &claim) &&
         add_row(ls, NULL, &claim, text);
         i++)
        ;
    hf_text_add(text, "]}");
}

/* ---- What is in the way -------------------------------------------------- */

/* Does this name block a request that wants it in that mode?  *first is its
 * first holder or, if it is free, the first in line.  Shared holders block a
 * shared request only if an exclusive one is in line. */
static bool
find_first(struct hf_lockspace *ls, const struct hf_look_name *row,
           enum hf_mode wanted, struct hf_look_claim *first)
{
    uint32_t cursor = 0;

    if (hf_look_holders(ls, row->number, &cursor, first))
        return wanted == HF_EXCLUSIVE || first->mode == HF_EXCLUSIVE ||
               row->exclusive_waits;
    return (wanted == HF_EXCLUSIVE || row->exclusive_waits) &&
           hf_look_line(ls, row->number, &cursor, first) && !first->free;
}

/* If `held`: all holders of each blocking name that is held.  Else: the
 * first in line of each that is free. */
static void
add_in_way(struct hf_lockspace *ls, const struct hf_api_wanted *wanted,
           bool held, struct hf_text *text)
{
    size_t count = 0;

    for (size_t i = 0; i < wanted->count; i++) {
        const struct hf_want *want = &wanted->each[i];
        struct hf_look_name row;
        struct hf_look_claim claim;
        uint32_t cursor = 0;

        if (!hf_look_find(ls, want, &row) ||
            !find_first(ls, &row, want->mode, &claim) ||
            (claim.fence != 0) != held)
            continue;
        if (!held && count++ < wanted->rows_max)
            (void)add_row(ls, &row, &claim, text);
        while (held && count < wanted->rows_max &&
               hf_look_holders(ls, row.number, &cursor, &claim) &&
               add_row(ls, &row, &claim, text))
            count++;
    }
}

void
hf_api_look_in_way(struct hf_lockspace *ls, const struct hf_api_wanted *wanted,
                   struct hf_text *text)
{
    hf_text_add(text, ",\"holders\":[");
    add_in_way(ls, wanted, true, text);
    hf_text_add(text, "],\"queue\":[");
    add_in_way(ls, wanted, false, text);
    hf_text_add(text, "]");
}

/* ---- Others -------------------------------------------------------------- */

void
hf_api_look_holder(struct hf_lockspace *ls, const struct hf_want *lock,
                   uint64_t fence, struct hf_text *text)
{
    struct hf_look_claim row;
    struct hf_api_claim claim;

    if (!hf_look_holder(ls, lock, fence, &row))
        return;
    hf_api_look_claim(ls, &row, &claim);
    hf_text_add(text, ",\"holder\":");
    hf_api_seen_write(&claim, false, text);
}

void
hf_api_look_cycle(const struct hf_lockspace *ls, struct hf_text *text)
{
    hf_text_add(text, ",\"cycle\":[");
    for (uint32_t i = 0; i < hf_lockspace_cycle_len(ls); i++) {
        struct hf_cycle_lane lane = hf_lockspace_cycle_lane(ls, i);

        hf_text_addf(text,
                     "%s{\"session\":\"%016" PRIx64 "\",\"lane\":%" PRIu64 "}",
                     i == 0 ? "" : ",", lane.session, lane.lane);
    }
    hf_text_add(text, "]");
}

#include "wire/api_look.h"

#include <inttypes.h>
#include <string.h>

#include "base/limits.h"
#include "wire/api_answer.h"

static const char *const modes[] = {
    [HF_EXCLUSIVE] = "exclusive",
    [HF_SHARED] = "shared",
};

static void
add_text(const struct hf_lockspace *ls, const char *member,
         struct hf_texts_ref ref, struct hf_text *text)
{
    char bytes[HF_SERVED_NOTE_MAX + 1];
    size_t len = hf_look_text(ls, ref, bytes, sizeof(bytes));

    if (len > sizeof(bytes))
        len = sizeof(bytes);
    hf_text_addf(text, "\"%s\":", member);
    hf_text_add_json(text, bytes, len);
}

/* Which lock it is. */
static void
add_name(const struct hf_lockspace *ls, const struct hf_look_name *row,
         struct hf_text *text)
{
    add_text(ls, "space", row->space, text);
    hf_text_add(text, ",");
    add_text(ls, "name", row->name, text);
    hf_text_add(text, ",");
}

/* Who it is: what holders and waiters have in common. */
static void
add_claim(const struct hf_lockspace *ls, const struct hf_look_claim *row,
          struct hf_text *text)
{
    hf_text_addf(text,
                 "\"session\":\"%016" PRIx64 "\",\"lane\":%" PRIu64
                 ",\"n\":%" PRIu64 ",\"mode\":\"%s\",",
                 row->session, row->lane, row->n, modes[row->mode]);
    add_text(ls, "who", row->who, text);
    hf_text_add(text, ",");
    add_text(ls, "note", row->note, text);
}

static const char *
flag(bool is_so)
{
    return is_so ? "true" : "false";
}

/* What is known of its life. */
static void
add_life(const struct hf_look_session *row, struct hf_text *text)
{
    hf_text_addf(text,
                 ",\"if_dead\":\"%s\",\"ttl_ms\":%" PRId64
                 ",\"silent_ms\":%" PRId64 ",\"heard\":%s,\"suspected\":%s",
                 hf_if_dead_word(row->if_dead), row->ttl.ms, row->silent.ms,
                 flag(row->heard), flag(row->suspected));
}

void
hf_api_look_session(const struct hf_lockspace *ls,
                    const struct hf_look_session *row, struct hf_text *text)
{
    hf_text_addf(text, "{\"session\":\"%016" PRIx64 "\",", row->id);
    add_text(ls, "who", row->who, text);
    add_life(row, text);
    hf_text_addf(text,
                 ",\"holds\":%" PRIu64 ",\"waits\":%" PRIu32
                 ",\"cleared\":%" PRIu32 ",\"by_acquire\":%s}",
                 row->grants, row->waiters, row->revoked,
                 flag(row->of_acquire));
}

/* All but the opening brace. */
static void
add_holder(struct hf_lockspace *ls, const struct hf_look_claim *row,
           struct hf_text *text)
{
    struct hf_look_session session;

    add_claim(ls, row, text);
    hf_text_addf(text,
                 ",\"fence\":%" PRIu64 ",\"fence_text\":\"%" PRIu64
                 "\",\"held_ms\":%" PRId64,
                 row->fence, row->fence, row->age.ms);
    hf_look_session_at(ls, hf_look_session(ls, row->session), &session);
    add_life(&session, text);
    hf_text_add(text, "}");
}

/* All but the opening brace. */
static void
add_waiter(const struct hf_lockspace *ls, const struct hf_look_claim *row,
           struct hf_text *text)
{
    add_claim(ls, row, text);
    hf_text_addf(text, ",\"waited_ms\":%" PRId64 ",\"why\":\"%s\",\"free\":%s",
                 row->age.ms, hf_api_why_word(row->why), flag(row->free));
    if (row->parked)
        hf_text_addf(text, ",\"parked_ms\":%" PRId64, row->kept.ms);
    hf_text_add(text, "}");
}

/* Add a row behind others of its list, which says of which lock it is unless
 * that is NULL; false: it does not fit, and what follows the rows still
 * does. */
static bool
add_row(struct hf_lockspace *ls, const struct hf_look_name *of,
        const struct hf_look_claim *row, struct hf_text *text)
{
    size_t before = text->len;

    hf_text_add(text, text->at[text->len - 1] == '[' ? "{" : ",{");
    if (of != NULL) {
        add_name(ls, of, text);
        hf_text_addf(text, "\"waiters\":%" PRIu32 ",", of->waiters);
    }
    if (row->fence != 0)
        add_holder(ls, row, text);
    else
        add_waiter(ls, row, text);
    if (text->len + HF_API_LOOK_REST < text->size)
        return true;
    hf_text_take_back(text, before);
    return false;
}

void
hf_api_look_lock(struct hf_lockspace *ls, const struct hf_look_name *row,
                 size_t rows_max, const struct hf_api_asker *asker,
                 struct hf_text *text)
{
    struct hf_look_claim claim;
    uint32_t cursor = 0;

    hf_text_add(text, "{");
    add_name(ls, row, text);
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

/* What is in the way of a request that names it so, as far as this name goes:
 * true, and its first holder, or the first in line where nobody holds it.
 * Those who share it keep out who would share it only for one in line. */
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

/* Of each of these names that is held, if `held`, all holders; else of each
 * that nobody holds the first in line. */
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
    struct hf_look_claim claim;

    if (!hf_look_holder(ls, lock, fence, &claim))
        return;
    hf_text_add(text, ",\"holder\":{");
    add_holder(ls, &claim, text);
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

#include "wire/api_look.h"

#include <inttypes.h>
#include <string.h>

#include "base/limits.h"

static const char *const modes[] = {
    [HF_EXCLUSIVE] = "exclusive",
    [HF_SHARED] = "shared",
};

static const char *const whys[] = {
    [HF_LOOK_HOLDS] = "holds",   [HF_LOOK_HELD] = "held",
    [HF_LOOK_BEHIND] = "behind", [HF_LOOK_ELSEWHERE] = "elsewhere",
    [HF_LOOK_PARKED] = "parked", [HF_LOOK_GRACE] = "grace",
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

/* Who it is: what holders and waiters have in common. */
static void
add_claim(const struct hf_lockspace *ls, const struct hf_look_claim *row,
          struct hf_text *text)
{
    hf_text_addf(text,
                 "{\"session\":\"%016" PRIx64 "\",\"lane\":%" PRIu64
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

static void
add_waiter(const struct hf_lockspace *ls, const struct hf_look_claim *row,
           struct hf_text *text)
{
    add_claim(ls, row, text);
    hf_text_addf(text, ",\"waited_ms\":%" PRId64 ",\"why\":\"%s\",\"free\":%s",
                 row->age.ms, whys[row->why], flag(row->free));
    if (row->parked)
        hf_text_addf(text, ",\"parked_ms\":%" PRId64, row->kept.ms);
    hf_text_add(text, "}");
}

/* Add a row, which is the `index`th; false: it does not fit, and what follows
 * the rows still does. */
static bool
add_row(struct hf_lockspace *ls, const struct hf_look_claim *row, size_t index,
        struct hf_text *text)
{
    size_t before = text->len;

    hf_text_add(text, index > 0 ? "," : "");
    if (row->fence != 0)
        add_holder(ls, row, text);
    else
        add_waiter(ls, row, text);
    if (text->len + HF_API_LOOK_REST < text->size)
        return true;
    hf_text_take_back(text, before);
    return false;
}

/* Returns how many there are now, of `count` that were there before. */
static size_t
add_holders(struct hf_lockspace *ls, const struct hf_look_name *row,
            size_t count, size_t rows_max, struct hf_text *text)
{
    struct hf_look_claim claim;
    uint32_t cursor = 0;

    while (count < rows_max &&
           hf_look_holders(ls, row->number, &cursor, &claim) &&
           add_row(ls, &claim, count, text))
        count++;
    return count;
}

void
hf_api_look_lock(struct hf_lockspace *ls, const struct hf_look_name *row,
                 size_t rows_max, uint64_t position, struct hf_text *text)
{
    struct hf_look_claim claim;
    uint32_t cursor = 0;

    hf_text_add(text, "{");
    add_text(ls, "space", row->space, text);
    hf_text_add(text, ",");
    add_text(ls, "name", row->name, text);
    hf_text_add(text, ",\"holders\":[");
    (void)add_holders(ls, row, 0, rows_max, text);
    hf_text_addf(text, "],\"waiters\":%" PRIu32, row->waiters);
    if (position != 0)
        hf_text_addf(text, ",\"position\":%" PRIu64, position);
    hf_text_add(text, ",\"queue\":[");
    for (size_t i = 0;
         i < rows_max && hf_look_line(ls, row->number, &cursor, &claim) &&
         add_row(ls, &claim, i, text);
         i++)
        ;
    hf_text_add(text, "]}");
}

void
hf_api_look_holders(struct hf_lockspace *ls, const struct hf_want *wants,
                    size_t wants_count, size_t rows_max, struct hf_text *text)
{
    size_t count = 0;

    hf_text_add(text, ",\"holders\":[");
    for (size_t i = 0; i < wants_count; i++) {
        struct hf_look_name row;

        if (hf_look_find(ls, &wants[i], &row))
            count = add_holders(ls, &row, count, rows_max, text);
    }
    hf_text_add(text, "]");
}

void
hf_api_look_holder(struct hf_lockspace *ls, const struct hf_want *lock,
                   uint64_t fence, struct hf_text *text)
{
    struct hf_look_claim claim;

    if (!hf_look_holder(ls, lock, fence, &claim))
        return;
    hf_text_add(text, ",\"holder\":");
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

#include "server/meant.h"

#include <string.h>

#include "base/limits.h"
#include "wire/json_slice.h"
#include "wire/record.h"

/* Of thousands that were cleared and not released. */
enum { LOOKS_MAX = 100 };

enum names {
    NAMES_NOTHING, /* that is known */
    NAMES_IT,
    NAMES_OTHERS,
};

/* Does a request that holds or waits have that lock?  A cleared one has none.
 */
static enum names
names_of(struct hf_lockspace *table, uint32_t claim, const struct hf_want *lock)
{
    struct hf_look_name named = {.number = 0};
    struct hf_look_name row;
    enum hf_mode mode;
    uint32_t cursor = 0;
    bool any = false;

    (void)hf_look_find(table, lock, &named);
    while (claim != 0 &&
           hf_look_grant_names(table, claim, &cursor, &row, &mode)) {
        if (row.number == named.number)
            return NAMES_IT;
        any = true;
    }
    return any ? NAMES_OTHERS : NAMES_NOTHING;
}

static bool
is_text(struct hf_bytes value, struct hf_bytes text)
{
    char shown[HF_NAME_MAX + 1];

    hf_json_slice_show(value, shown, sizeof(shown));
    return strlen(shown) == text.len && memcmp(shown, text.at, text.len) == 0;
}

/* Its names are in its audit alone (wire/cleared.h). */
static bool
was_of(const struct hf_lockspace *table, uint32_t claim,
       const struct hf_want *lock)
{
    char bytes[HF_RECORD_TEXT_MAX];
    struct hf_bytes audit = {bytes, 0};
    struct hf_bytes locks;
    struct hf_bytes row;
    size_t at = 0;

    audit.len = hf_look_text(table, hf_look_audit_at(table, claim), bytes,
                             sizeof(bytes));
    locks = hf_json_slice(hf_json_slice(audit, "cleared"), "locks");
    while (hf_json_slice_next(locks, &at, &row))
        if (is_text(hf_json_slice(row, "space"), lock->space) &&
            is_text(hf_json_slice(row, "name"), lock->name))
            return true;
    return false;
}

/* 0: none of the lane's was. */
static uint64_t
cleared_of(struct hf_lockspace *table, const struct hf_message *m,
           const struct hf_want *lock)
{
    struct hf_look_claim row;
    uint32_t cursor = 0;
    uint64_t fence;

    for (int looks = 0;
         looks < LOOKS_MAX &&
         hf_lockspace_revoked(table, m->session, &cursor, &fence);
         looks++) {
        hf_look_grant_at(table, cursor, &row);
        if (row.lane == m->lane && was_of(table, cursor, lock))
            return row.n;
    }
    return 0;
}

uint64_t
hf_meant_release(struct hf_lockspace *table, const struct hf_message *m,
                 const struct hf_want *lock)
{
    uint64_t meant = hf_look_meant(table, m->session, m->lane, lock);
    uint32_t held = hf_look_held(table, m->session, m->lane, meant);
    uint32_t waits = hf_look_waiting(table, m->session, m->lane, meant);
    uint64_t cleared;

    if (names_of(table, held, lock) == NAMES_IT ||
        names_of(table, waits, lock) == NAMES_IT)
        return meant;
    cleared = cleared_of(table, m, lock);
    return cleared != 0 ? cleared : meant;
}

const char *
hf_meant_another(struct hf_lockspace *table, const struct hf_message *m,
                 const struct hf_want *lock)
{
    uint32_t held = hf_look_held(table, m->session, m->lane, m->n);
    uint32_t waits = hf_look_waiting(table, m->session, m->lane, m->n);

    if (names_of(table, held, lock) == NAMES_OTHERS)
        return "that request holds another lock";
    if (names_of(table, waits, lock) == NAMES_OTHERS)
        return "that request waits for another lock";
    return NULL;
}

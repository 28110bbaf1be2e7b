#include "core/lockspace/journal.h"

#include "base/check.h"
#include "core/lockspace/list.h"
#include "core/lockspace/owners.h"

/* An upper bound of a record's JSON beside its texts.  A byte of a text becomes
 * two at most: src/wire/served.h admits no control characters. */
#define RECORD_FRAME 512
#define NAME_FRAME   48
#define ESCAPED      2

/* Bytes of a delete; and of an audit's key, which names the lock. */
#define KEY_BYTES       64
#define AUDIT_KEY_BYTES (KEY_BYTES + HF_SPACE_MAX + HF_NAME_MAX)

/* Of a batch's changes, one in so many puts the begin of a silence: so living
 * clients do not wait for the records of dead ones [S10]. */
#define SILENCES_SHARE 10

size_t
hf_journal_grant_bytes(size_t names, size_t names_len, size_t note_len)
{
    return RECORD_FRAME + names * NAME_FRAME + (names_len + note_len) * ESCAPED;
}

size_t
hf_journal_session_bytes(size_t who_len)
{
    return RECORD_FRAME + who_len * ESCAPED;
}

size_t
hf_journal_clear_bytes(size_t audit_len)
{
    return KEY_BYTES + AUDIT_KEY_BYTES + audit_len;
}

/* ---- The line of changes ------------------------------------------------- */

static struct hf_pending_change *
change_of(const struct hf_lockspace *ls, uint32_t item)
{
    if (hf_item_is_claim(ls, item))
        return &hf_claim_at(ls, hf_claim_of_item(ls, item))->change;
    return &hf_session_at(ls, item)->change;
}

static struct hf_links *
links_of(const struct hf_lockspace *ls, uint32_t item)
{
    return &change_of(ls, item)->links;
}

static void
add(struct hf_lockspace *ls, struct hf_ls_list *list, uint32_t item)
{
    HF_CHECK(!ls->batch_open);
    hf_list_add(ls, list, links_of, item);
    change_of(ls, item)->mark = ++ls->marks;
}

uint64_t
hf_journal_mark(struct hf_lockspace *ls)
{
    return ++ls->marks;
}

static void
take_out(struct hf_lockspace *ls, uint32_t claim_number)
{
    struct hf_ls_claim *claim = hf_claim_at(ls, claim_number);
    uint32_t item = hf_item_of_claim(ls, claim_number);

    switch ((enum hf_ls_pending)claim->pending) {
    case HF_PENDING_NOTHING:
        return;
    case HF_PENDING_PUT:
    case HF_PENDING_DELETE:
        hf_list_remove(ls, &ls->changes, links_of, item);
        break;
    case HF_PENDING_SWEEP:
        hf_list_remove(ls, &ls->sweeps, links_of, item);
        break;
    case HF_PENDING_SILENCE:
        HF_CHECK(!"a claim has no silence");
    }
    claim->pending = HF_PENDING_NOTHING;
}

static void
take_session_out(struct hf_lockspace *ls, uint32_t number)
{
    struct hf_ls_session *session = hf_session_at(ls, number);

    if (session->pending == HF_PENDING_NOTHING)
        return;
    hf_list_remove(ls,
                   session->pending == HF_PENDING_SILENCE ? &ls->silences
                                                          : &ls->changes,
                   links_of, number);
    session->pending = HF_PENDING_NOTHING;
}

void
hf_journal_silence(struct hf_lockspace *ls, uint32_t number)
{
    hf_session_at(ls, number)->pending = HF_PENDING_SILENCE;
    add(ls, &ls->silences, number);
}

void
hf_journal_heard(struct hf_lockspace *ls, uint32_t number)
{
    struct hf_ls_session *session = hf_session_at(ls, number);

    if (session->pending == HF_PENDING_SILENCE)
        take_session_out(ls, number);
    if (!session->says_silent)
        return;
    HF_CHECK(session->pending == HF_PENDING_NOTHING);
    session->says_silent = false;
    session->pending = HF_PENDING_PUT;
    add(ls, &ls->changes, number);
}

void
hf_journal_put(struct hf_lockspace *ls, uint32_t number)
{
    struct hf_ls_claim *claim = hf_claim_at(ls, number);

    HF_CHECK(claim->state == HF_CLAIM_HELD);
    if (claim->pending == HF_PENDING_PUT)
        return;
    HF_CHECK(claim->pending == HF_PENDING_NOTHING);
    claim->pending = HF_PENDING_PUT;
    add(ls, &ls->changes, hf_item_of_claim(ls, number));
}

void
hf_journal_drop(struct hf_lockspace *ls, uint32_t number)
{
    struct hf_ls_claim *claim = hf_claim_at(ls, number);

    if (!claim->stored && !claim->cleared) {
        take_out(ls, number);
        return;
    }
    if (claim->pending == HF_PENDING_NOTHING)
        add(ls, &ls->changes, hf_item_of_claim(ls, number));
    /* Else the record still holds the lowered mode, and others may hold beside
     * it. */
    claim->pending = HF_PENDING_DELETE;
}

void
hf_journal_void(struct hf_lockspace *ls, uint32_t number)
{
    struct hf_ls_claim *claim = hf_claim_at(ls, number);

    if (!claim->stored) {
        take_out(ls, number);
        return;
    }
    /* Others may hold beside it: it keeps its place among the changes. */
    if (claim->pending == HF_PENDING_PUT)
        claim->pending = HF_PENDING_DELETE;
    if (claim->pending != HF_PENDING_NOTHING)
        return;
    claim->pending = HF_PENDING_SWEEP;
    add(ls, &ls->sweeps, hf_item_of_claim(ls, number));
}

void
hf_journal_end_session(struct hf_lockspace *ls, uint32_t number)
{
    struct hf_ls_session *session = hf_session_at(ls, number);

    session->state = HF_SESSION_OVER;
    if (!session->recorded) {
        hf_owners_close(ls, number);
        return;
    }
    take_session_out(ls, number);
    session->pending = HF_PENDING_DELETE;
    add(ls, &ls->changes, number);
}

void
hf_journal_settle(struct hf_lockspace *ls, uint32_t number)
{
    struct hf_ls_claim *claim = hf_claim_at(ls, number);

    if (claim->state != HF_CLAIM_ENDED || claim->telling != 0 ||
        claim->pending != HF_PENDING_NOTHING)
        return;
    hf_strings_drop(ls, &ls->texts, hf_claim_note(claim));
    claim->state = HF_CLAIM_FREE;
    hf_pool_give(ls, &ls->claims, number);
}

/* ---- A batch ------------------------------------------------------------- */

static size_t
bytes_of_grant(const struct hf_lockspace *ls, const struct hf_ls_claim *claim)
{
    size_t len = 0;

    for (uint32_t at = claim->parts; at != 0; at = hf_part_at(ls, at)->next) {
        const struct hf_ls_name *name =
            hf_name_at(ls, hf_part_at(ls, at)->name);

        len += name->text_len + hf_space_at(ls, name->space)->text.len;
    }
    return hf_journal_grant_bytes(claim->parts_count, len, claim->note_len);
}

/* Does the batch have room?  Changes nothing. */
static bool
fits(const struct hf_lockspace *ls, uint32_t operations, size_t bytes)
{
    return ls->batch_left.operations >= operations &&
           ls->batch_left.bytes >= bytes;
}

static void
spend(struct hf_lockspace *ls, size_t bytes)
{
    HF_CHECK(fits(ls, 1, bytes));
    ls->batch_left.operations--;
    ls->batch_left.bytes -= bytes;
}

/* A grant, after its session if that has no record yet.  Both fit, or neither
 * is taken. */
static bool
take_put(struct hf_lockspace *ls, uint32_t number, struct hf_change *change)
{
    struct hf_ls_claim *claim = hf_claim_at(ls, number);
    uint32_t owner = hf_lane_at(ls, claim->lane)->session;
    struct hf_ls_session *session = hf_session_at(ls, owner);
    size_t bytes = bytes_of_grant(ls, claim);
    size_t before = hf_journal_session_bytes(session->who.len);

    if (!session->recorded) {
        if (!fits(ls, 2, before + bytes))
            return false;
        spend(ls, before);
        session->recorded = true;
        *change = (struct hf_change){
            .kind = HF_CHANGE_PUT_SESSION,
            .key = session->id,
            .number = owner,
        };
        return true;
    }
    if (!fits(ls, 1, bytes))
        return false;
    spend(ls, bytes);
    take_out(ls, number);
    claim->stored = true;
    *change = (struct hf_change){
        .kind = HF_CHANGE_PUT_GRANT,
        .key = claim->fence,
        .number = number,
    };
    return true;
}

static bool
take_delete(struct hf_lockspace *ls, uint32_t number, struct hf_change *change)
{
    struct hf_ls_claim *claim = hf_claim_at(ls, number);

    if (!fits(ls, 1, KEY_BYTES))
        return false;
    spend(ls, KEY_BYTES);
    *change = (struct hf_change){
        .kind = HF_CHANGE_DELETE_GRANT,
        .key = claim->fence,
    };
    claim->stored = false;
    if (claim->cleared)
        return true; /* its audit follows */
    take_out(ls, number);
    hf_journal_settle(ls, number);
    return true;
}

/* A cleared grant: the delete of its record, if it has one, then its audit.
 * Both fit, or neither is taken. */
static bool
take_clear(struct hf_lockspace *ls, uint32_t number, struct hf_change *change)
{
    struct hf_ls_claim *claim = hf_claim_at(ls, number);
    size_t bytes = hf_journal_clear_bytes(claim->note_len) - KEY_BYTES;

    if (claim->stored)
        return fits(ls, 2, KEY_BYTES + bytes) &&
               take_delete(ls, number, change);
    if (!fits(ls, 1, bytes))
        return false;
    spend(ls, bytes);
    *change = (struct hf_change){
        .kind = HF_CHANGE_PUT_AUDIT,
        .key = claim->fence,
        .number = number,
    };
    take_out(ls, number);
    claim->cleared = false;
    ls->batch_audit = number;
    return true;
}

/* The next change is taken: the claim whose audit was read may be freed. */
static void
forget_audit(struct hf_lockspace *ls)
{
    uint32_t number = ls->batch_audit;

    ls->batch_audit = 0;
    if (number != 0)
        hf_journal_settle(ls, number);
}

/* The record of a session that has one: with or without a silence. */
static bool
take_session_put(struct hf_lockspace *ls, uint32_t number,
                 struct hf_change *change)
{
    struct hf_ls_session *session = hf_session_at(ls, number);
    size_t bytes = hf_journal_session_bytes(session->who.len);

    if (!fits(ls, 1, bytes))
        return false;
    spend(ls, bytes);
    take_session_out(ls, number);
    session->says_silent = session->unheard;
    *change = (struct hf_change){
        .kind = HF_CHANGE_PUT_SESSION,
        .key = session->id,
        .number = number,
    };
    return true;
}

static bool
take_session(struct hf_lockspace *ls, uint32_t number, struct hf_change *change)
{
    struct hf_ls_session *session = hf_session_at(ls, number);

    if (session->pending == HF_PENDING_PUT)
        return take_session_put(ls, number, change);
    if (!fits(ls, 1, KEY_BYTES))
        return false;
    spend(ls, KEY_BYTES);
    *change = (struct hf_change){
        .kind = HF_CHANGE_DELETE_SESSION,
        .key = session->id,
    };
    take_session_out(ls, number);
    hf_owners_close(ls, number);
    return true;
}

/* The begin of a silence, if this batch may have one more; false: none. */
static bool
take_silence(struct hf_lockspace *ls, struct hf_change *change)
{
    if (ls->silences.first == 0 || ls->silences_left == 0 ||
        !take_session_put(ls, ls->silences.first, change))
        return false;
    ls->silences_left--;
    return true;
}

void
hf_journal_begin(struct hf_lockspace *ls, struct hf_budget budget)
{
    HF_CHECK(!ls->batch_open && ls->batch_settled == ls->batch_number);
    HF_CHECK(budget.operations >= 2 &&
             budget.bytes / 2 >= ls->config.limits.record_bytes);
    ls->batch_open = true;
    ls->batch_number++;
    ls->batch_given = budget;
    ls->batch_left = budget;
    ls->silences_left =
        (budget.operations + SILENCES_SHARE - 1) / SILENCES_SHARE;
}

bool
hf_journal_take(struct hf_lockspace *ls, struct hf_change *change)
{
    uint32_t item = ls->changes.first;
    uint32_t claim;

    HF_CHECK(ls->batch_open);
    forget_audit(ls);
    if (item == 0 && take_silence(ls, change))
        return true;
    if (item == 0)
        item = ls->sweeps.first;
    if (item == 0)
        return false;
    if (!hf_item_is_claim(ls, item))
        return take_session(ls, item, change);
    claim = hf_claim_of_item(ls, item);
    if (hf_claim_at(ls, claim)->pending == HF_PENDING_PUT)
        return take_put(ls, claim, change);
    if (hf_claim_at(ls, claim)->cleared)
        return take_clear(ls, claim, change);
    return take_delete(ls, claim, change);
}

void
hf_journal_fix(struct hf_lockspace *ls, struct hf_batch *batch)
{
    uint32_t left = ls->changes.first;

    HF_CHECK(ls->batch_open);
    forget_audit(ls);
    ls->batch_open = false;
    ls->batch_through = left == 0 ? ls->marks : change_of(ls, left)->mark - 1;
    *batch = (struct hf_batch){
        .number = ls->batch_number,
        .through = ls->batch_through,
        .next_fence = ls->next_fence,
        .operations = ls->batch_given.operations - ls->batch_left.operations,
        .bytes = ls->batch_given.bytes - ls->batch_left.bytes,
    };
}

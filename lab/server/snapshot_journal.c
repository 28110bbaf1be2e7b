#include "lab/server/snapshot_journal.h"

#include "base/check.h"
#include "core/lockspace/claims.h"
#include "core/lockspace/journal.h"
#include "core/lockspace/list.h"
#include "lab/codec.h"

/* What a claim that was cleared has yet to have written. */
enum { TO_DELETE = 1, TO_AUDIT = 2, CLAIM_BITS = 2, CLAIM_MASK = 3 };

/* ---- Changes in their order ---------------------------------------------- */

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

/* The list that it stands in as it is pending; NULL: in none. */
static struct hf_ls_list *
list_of(struct hf_lockspace *ls, uint32_t item)
{
    enum hf_ls_pending pending =
        hf_item_is_claim(ls, item)
            ? (enum hf_ls_pending)hf_claim_at(ls, hf_claim_of_item(ls, item))
                  ->pending
            : (enum hf_ls_pending)hf_session_at(ls, item)->pending;

    if (pending == HF_PENDING_NOTHING)
        return NULL;
    if (pending == HF_PENDING_SILENCE)
        return &ls->silences;
    return pending == HF_PENDING_SWEEP ? &ls->sweeps : &ls->changes;
}

static struct snapshot_change
take_change(const struct hf_lockspace *ls, uint32_t item)
{
    struct snapshot_change change = {.mark =
                                         (uint8_t)change_of(ls, item)->mark};

    if (hf_item_is_claim(ls, item))
        change.fence =
            (uint8_t)hf_claim_at(ls, hf_claim_of_item(ls, item))->fence;
    else
        change.session = (uint8_t)hf_session_at(ls, item)->id;
    return change;
}

static void
take_order(const struct hf_lockspace *ls, struct snapshot_journal *journal)
{
    const struct hf_ls_list *lists[] = {&ls->changes, &ls->silences,
                                        &ls->sweeps};
    unsigned count = 0;

    for (unsigned i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
        for (uint32_t at = lists[i]->first; at != 0;
             at = links_of(ls, at)->next) {
            HF_CHECK(count < SNAPSHOT_CHANGES);
            journal->changes[count++] = take_change(ls, at);
        }
}

/* The one that is to be written, by what a snapshot knows of it. */
static uint32_t
item_of(struct hf_lockspace *ls, const struct snapshot_change *change)
{
    uint32_t all = hf_item_of_claim(ls, ls->claims.fresh);

    for (uint32_t at = 1; at <= all; at++) {
        struct snapshot_change own;

        if (!hf_item_is_claim(ls, at) && at > ls->sessions.fresh)
            at = hf_item_of_claim(ls, 1);
        if (list_of(ls, at) == NULL)
            continue;
        own = take_change(ls, at);
        if (own.session == change->session && own.fence == change->fence)
            return at;
    }
    HF_CHECK(!"a change of something that is not there");
    return 0;
}

static void
build_order(struct hf_lockspace *ls, const struct snapshot_journal *journal)
{
    if (journal->changes[0].mark == 0)
        return;
    ls->changes = (struct hf_ls_list){0};
    ls->silences = (struct hf_ls_list){0};
    ls->sweeps = (struct hf_ls_list){0};
    for (unsigned i = 0; i < SNAPSHOT_CHANGES; i++) {
        const struct snapshot_change *change = &journal->changes[i];
        uint32_t item;

        if (change->mark == 0)
            return;
        item = item_of(ls, change);
        hf_list_add(ls, list_of(ls, item), links_of, item);
        change_of(ls, item)->mark = change->mark;
    }
}

/* ---- Numbers ------------------------------------------------------------- */

static void
add_marks(struct hf_lockspace *ls, struct numbers *marks)
{
    const struct hf_ls_list *lists[] = {&ls->changes, &ls->silences,
                                        &ls->sweeps};

    for (unsigned i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
        for (uint32_t at = lists[i]->first; at != 0;
             at = links_of(ls, at)->next)
            numbers_add(marks, &change_of(ls, at)->mark);
}

static void
add_claim(struct hf_lockspace *ls, uint32_t number,
          const struct snapshot_numbers *to)
{
    struct hf_ls_claim *claim = hf_claim_at(ls, number);
    uint64_t session;

    if (claim->state == HF_CLAIM_HELD || claim->state == HF_CLAIM_REVOKED ||
        claim->state == HF_CLAIM_ENDED)
        numbers_add(to->fences, &claim->fence);
    if (claim->state == HF_CLAIM_FREE || claim->state == HF_CLAIM_ENDED)
        return;
    session = hf_claims_session_of(ls, claim)->id - 1;
    numbers_add(to->n[session], &claim->n);
    if (claim->untold)
        numbers_add(to->marks, &claim->told_by);
}

void
snapshot_add_numbers(struct hf_lockspace *ls, const struct snapshot_numbers *to)
{
    numbers_add(to->terms, &ls->term);
    numbers_add(to->fences, &ls->next_fence);
    numbers_add(to->marks, &ls->marks);
    numbers_add(to->marks, &ls->batch_through);
    numbers_add(to->marks, &ls->through);
    numbers_add(to->batches, &ls->batch_number);
    numbers_add(to->batches, &ls->batch_settled);
    if (to->in_order)
        add_marks(ls, to->marks);
    for (uint32_t at = 1; at <= ls->claims.fresh; at++)
        add_claim(ls, at, to);
    for (uint32_t at = 1; at <= ls->sessions.fresh; at++) {
        const struct hf_ls_session *session = hf_session_at(ls, at);
        struct hf_ls_lane *lane = hf_lane_at(ls, session->lanes);

        if (session->state == HF_SESSION_FREE || session->lanes == 0)
            continue;
        numbers_add(to->n[session->id - 1], &lane->n);
        numbers_add(to->a[session->id - 1], &lane->a);
    }
}

/* ---- Taking -------------------------------------------------------------- */

static void
insert(uint8_t *fences, uint64_t fence)
{
    unsigned i = 0;

    while (i < SNAPSHOT_GONE && fences[i] != 0)
        i++;
    HF_CHECK(i < SNAPSHOT_GONE);
    for (; i > 0 && fences[i - 1] > fence; i--)
        fences[i] = fences[i - 1];
    fences[i] = (uint8_t)fence;
}

static enum snapshot_gone
gone_of(const struct hf_ls_claim *claim)
{
    if (claim->cleared)
        return claim->stored ? SNAPSHOT_DELETE_AND_AUDIT : SNAPSHOT_AUDIT;
    HF_CHECK(claim->stored);
    return claim->pending == HF_PENDING_SWEEP ? SNAPSHOT_SWEEP
                                              : SNAPSHOT_DELETE;
}

static void
take_ended(const struct hf_lockspace *ls, struct snapshot_journal *journal)
{
    for (uint32_t at = 1; at <= ls->claims.fresh; at++) {
        const struct hf_ls_claim *claim = hf_claim_at(ls, at);

        if (claim->state != HF_CLAIM_ENDED)
            continue;
        insert(journal->gone[gone_of(claim)], claim->fence);
    }
}

/* The claims of a session's only lane, in the order of a snapshot's. */
static uint32_t
first_claim(const struct hf_lockspace *ls, uint32_t session)
{
    uint32_t lane = hf_session_at(ls, session)->lanes;

    return lane == 0 ? 0 : hf_lane_at(ls, lane)->held.first;
}

static void
take_cleared(const struct hf_lockspace *ls, uint32_t session,
             struct snapshot_journal *journal)
{
    uint8_t *cleared = &journal->cleared[hf_session_at(ls, session)->id - 1];
    unsigned shift = 0;

    for (uint32_t at = first_claim(ls, session); at != 0;
         at = hf_claim_at(ls, at)->mates.next, shift += CLAIM_BITS) {
        const struct hf_ls_claim *claim = hf_claim_at(ls, at);
        unsigned bits = 0;

        if (claim->state == HF_CLAIM_REVOKED)
            bits = (claim->stored ? TO_DELETE : 0) |
                   (claim->cleared ? TO_AUDIT : 0);
        *cleared |= (uint8_t)(bits << shift);
    }
}

/* The claim of a session that is parked, and was not told so; 0: none is. */
static uint32_t
untold_of(const struct hf_lockspace *ls, uint32_t session)
{
    uint32_t lane = hf_session_at(ls, session)->lanes;
    uint32_t claim = lane == 0 ? 0 : hf_lane_at(ls, lane)->current;

    return claim != 0 && hf_claim_at(ls, claim)->untold ? claim : 0;
}

static void
take_session(const struct hf_lockspace *ls, uint32_t session,
             struct snapshot_journal *journal)
{
    uint32_t untold = untold_of(ls, session);

    take_cleared(ls, session, journal);
    if (untold != 0)
        journal->told_by[hf_session_at(ls, session)->id - 1] =
            (uint8_t)hf_claim_at(ls, untold)->told_by;
}

void
snapshot_take_journal(const struct hf_lockspace *ls, bool in_order,
                      struct snapshot_journal *journal)
{
    *journal = (struct snapshot_journal){
        .state = (uint8_t)ls->state,
        .term = (uint8_t)ls->term,
        .marks = (uint8_t)ls->marks,
        .batch_through = (uint8_t)ls->batch_through,
        .through = (uint8_t)ls->through,
        .begun = (uint8_t)ls->batch_number,
        .settled = (uint8_t)ls->batch_settled,
        .silent_from = (uint8_t)codec_ticks_of(ls->silent_from),
    };
    if (in_order)
        take_order(ls, journal);
    take_ended(ls, journal);
    for (uint32_t at = 1; at <= ls->sessions.fresh; at++)
        if (hf_session_at(ls, at)->state != HF_SESSION_FREE)
            take_session(ls, at, journal);
}

/* ---- Building ------------------------------------------------------------ */

static void
build_gone(struct hf_lockspace *ls, enum snapshot_gone kind, uint64_t fence)
{
    uint32_t number = hf_claims_add(ls, 0, (struct hf_bytes){0});
    struct hf_ls_claim *claim = hf_claim_at(ls, number);

    claim->fence = fence;
    claim->stored = kind != SNAPSHOT_AUDIT;
    claim->cleared =
        kind == SNAPSHOT_AUDIT || kind == SNAPSHOT_DELETE_AND_AUDIT;
    claim->state = HF_CLAIM_ENDED;
    if (kind == SNAPSHOT_SWEEP)
        hf_journal_void(ls, number);
    else
        hf_journal_drop(ls, number);
}

static void
build_cleared(struct hf_lockspace *ls, uint32_t session, unsigned cleared)
{
    for (uint32_t at = first_claim(ls, session); at != 0;
         at = hf_claim_at(ls, at)->mates.next, cleared >>= CLAIM_BITS) {
        struct hf_ls_claim *claim = hf_claim_at(ls, at);

        if (claim->state != HF_CLAIM_REVOKED)
            continue;
        claim->stored = (cleared & TO_DELETE) != 0;
        claim->cleared = (cleared & TO_AUDIT) != 0;
        if ((cleared & CLAIM_MASK) != 0)
            hf_journal_drop(ls, at);
    }
}

/* In the order of their marks, whatever it was. */
static void
build_untold(struct hf_lockspace *ls, const struct snapshot_journal *journal)
{
    ls->untold = (struct hf_ls_list){0};
    for (unsigned mark = 1; mark <= journal->marks; mark++)
        for (uint32_t at = 1; at <= ls->sessions.fresh; at++) {
            uint32_t claim = untold_of(ls, at);

            if (hf_session_at(ls, at)->state != HF_SESSION_FREE && claim != 0 &&
                journal->told_by[hf_session_at(ls, at)->id - 1] == mark)
                hf_claims_set_untold(ls, claim, mark);
        }
}

void
snapshot_build_journal(const struct snapshot_journal *journal,
                       struct hf_lockspace *ls)
{
    for (unsigned i = 0; i < SNAPSHOT_GONE_KINDS; i++)
        for (unsigned k = 0; k < SNAPSHOT_GONE && journal->gone[i][k] != 0; k++)
            build_gone(ls, (enum snapshot_gone)i, journal->gone[i][k]);
    for (uint32_t at = 1; at <= ls->sessions.fresh; at++)
        if (hf_session_at(ls, at)->state != HF_SESSION_FREE)
            build_cleared(ls, at,
                          journal->cleared[hf_session_at(ls, at)->id - 1]);
    build_order(ls, journal);
    ls->state = (enum hf_lockspace_state)journal->state;
    ls->term = journal->term;
    ls->marks = journal->marks;
    ls->batch_through = journal->batch_through;
    ls->through = journal->through;
    build_untold(ls, journal);
    ls->batch_number = journal->begun;
    ls->batch_settled = journal->settled;
    ls->silent_from = codec_length(journal->silent_from);
}

#include "journal/rows.h"

#include <string.h>

#include "base/check.h"
#include "core/lockspace/look.h"
#include "wire/cleared.h"

enum hf_status
hf_rows_init(struct hf_rows *rows, size_t most, const struct hf_alloc *alloc)
{
    *rows = (struct hf_rows){.arena = {.alloc = alloc}, .most = most};
    rows->changes = hf_calloc(alloc, most, sizeof(*rows->changes));
    return rows->changes == NULL ? HF_E_NOMEM : HF_OK;
}

void
hf_rows_fini(struct hf_rows *rows)
{
    if (rows->arena.alloc == NULL)
        return;
    hf_free(rows->arena.alloc, rows->changes);
    hf_arena_fini(&rows->arena);
    *rows = (struct hf_rows){.arena = {0}};
}

/* ---- Changes ------------------------------------------------------------- */

static struct hf_bytes
keep(struct hf_rows *rows, const char *at, size_t len)
{
    struct hf_bytes kept = {"", 0};

    if (!hf_arena_keep(&rows->arena, at, len, &kept))
        rows->failed = true;
    return kept;
}

static void
put_session(struct hf_rows *rows, const struct hf_lockspace *ls,
            uint32_t number, struct hf_loaded_session *session)
{
    struct hf_served_memory memory;

    memory.texts_len = 0;
    hf_served_look_session(ls, number, &memory, session);
    session->who = keep(rows, session->who.at, session->who.len);
}

static void
put_grant(struct hf_rows *rows, const struct hf_lockspace *ls, uint32_t number,
          int64_t wall_ms, struct hf_served_row *row)
{
    struct hf_served_memory memory;
    struct hf_loaded_grant *grant = &row->grant.loaded;
    char bytes[HF_SERVED_RECORD_MAX];
    struct hf_text locks;

    memory.texts_len = 0;
    hf_served_look_grant(ls, number, wall_ms, &memory, &row->grant);
    hf_text_init(&locks, bytes, sizeof(bytes));
    hf_served_write_locks(grant, &locks);
    HF_CHECK(!hf_text_cut(&locks));
    row->locks = keep(rows, bytes, locks.len);
    grant->note = keep(rows, grant->note.at, grant->note.len);
    grant->wants = NULL;
    grant->wants_count = 0;
}

/* Under the name of the lock and the fence that stand in it. */
static void
put_audit(struct hf_rows *rows, const struct hf_lockspace *ls, uint32_t number,
          struct hf_journal_audit *audit)
{
    struct hf_string ref = hf_look_audit_at(ls, number);
    struct hf_served_memory memory;
    struct hf_cleared cleared;
    char text[HF_RECORD_TEXT_MAX];
    char name[HF_NAME_COMPANION_SIZE];
    enum hf_status status;

    HF_CHECK(ref.len < sizeof(text));
    hf_look_text(ls, ref, text, sizeof(text));
    memory.texts_len = 0;
    status = hf_cleared_decode((struct hf_bytes){text, ref.len}, &memory,
                               &cleared, NULL);
    HF_CHECK(status == HF_OK); /* we wrote it when the clear was asked for */
    hf_name_companion(cleared.space, cleared.name, cleared.grant.loaded.fence,
                      name, sizeof(name));
    audit->name = keep(rows, name, strlen(name)).at;
    audit->record = keep(rows, text, ref.len);
}

void
hf_rows_add(struct hf_rows *rows, const struct hf_lockspace *ls,
            const struct hf_change *from, int64_t wall_ms)
{
    struct hf_journal_change *change;

    HF_CHECK(rows->count < rows->most);
    change = &rows->changes[rows->count++];
    change->kind = from->kind;
    switch (from->kind) {
    case HF_CHANGE_PUT_SESSION:
        put_session(rows, ls, from->number, &change->session);
        return;
    case HF_CHANGE_PUT_GRANT:
        put_grant(rows, ls, from->number, wall_ms, &change->grant);
        return;
    case HF_CHANGE_PUT_AUDIT:
        put_audit(rows, ls, from->number, &change->audit);
        return;
    case HF_CHANGE_DELETE_SESSION:
    case HF_CHANGE_DELETE_GRANT:
        change->key = from->key;
        return;
    }
}

void
hf_rows_collect(struct hf_rows *rows, struct hf_node *node, int64_t wall_ms)
{
    struct hf_change change;

    hf_arena_reset(&rows->arena);
    rows->count = 0;
    rows->failed = false;
    rows->number = 0;
    while (hf_node_take(node, &change))
        hf_rows_add(rows, node->lockspace, &change, wall_ms);
}

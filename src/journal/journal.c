#include "journal/journal.h"

#include <inttypes.h>
#include <string.h>

#include "base/check.h"
#include "base/fail.h"
#include "journal/methods.h"
#include "store/module.h"
#include "store/sqlite_served.h"

static enum hf_status
late(struct hf_error *error)
{
    return hf_fail(error, HF_E_UNAVAILABLE,
                   "the time limit of this call was over before it began");
}

enum hf_status
hf_journal_open(const struct hf_place *place, const struct hf_alloc *alloc,
                struct hf_journal **journal, struct hf_error *error)
{
    const struct hf_place_module *module;

    if (place->kind->keeps_nothing)
        return hf_journal_memory_open(place, alloc, journal, error);
    if (place->kind->module == NULL)
        return hf_journal_sqlite_open(place, alloc, journal, error);
    module = hf_module_of(place->kind, error);
    return module == NULL ? HF_E_UNAVAILABLE
                          : module->journal_open(place, alloc, journal, error);
}

void
hf_journal_close(struct hf_journal *journal)
{
    if (journal != NULL)
        journal->methods->close(journal);
}

enum hf_status
hf_journal_find(const struct hf_place *place, struct hf_instant until,
                struct hf_error *error)
{
    const struct hf_place_module *module;

    if (place->kind->keeps_nothing)
        return HF_OK;
    if (place->kind->module == NULL)
        return hf_sqlite_served_find(place, error);
    module = hf_module_of(place->kind, error);
    return module == NULL ? HF_E_UNAVAILABLE
                          : module->journal_find(place, until, error);
}

enum hf_status
hf_journal_unlocked(struct hf_journal *journal, struct hf_instant until,
                    struct hf_error *error)
{
    if (journal->methods->unlocked == NULL)
        return HF_OK;
    if (hf_reached(hf_now(), until))
        return late(error);
    return journal->methods->unlocked(journal, until, error);
}

struct hf_journal_limits
hf_journal_limits(const struct hf_journal *journal)
{
    return journal->limits;
}

uint64_t
hf_journal_generation(const struct hf_journal *journal)
{
    return journal->generation;
}

struct hf_journal_log
hf_journal_log(const struct hf_journal *journal)
{
    return journal->log;
}

/* ---- The head ------------------------------------------------------------ */

enum hf_status
hf_journal_read(struct hf_journal *journal, struct hf_instant until,
                struct hf_journal_found *found, struct hf_error *error)
{
    if (hf_reached(hf_now(), until))
        return late(error);
    return journal->methods->read(journal, until, found, error);
}

enum hf_verdict
hf_journal_write(struct hf_journal *journal,
                 const struct hf_journal_write *write, struct hf_instant until,
                 uint64_t *version, struct hf_error *error)
{
    HF_CHECK(write->changes_count <= journal->limits.changes);
    if (hf_reached(hf_now(), until)) {
        (void)late(error);
        return HF_UNAVAILABLE;
    }
    return journal->methods->write(journal, write, until, version, error);
}

enum hf_status
hf_journal_secure(struct hf_journal *journal, struct hf_duration promised,
                  struct hf_instant until, struct hf_error *error)
{
    if (journal->methods->secure == NULL)
        return HF_OK;
    if (hf_reached(hf_now(), until))
        return late(error);
    return journal->methods->secure(journal, promised, until, error);
}

enum hf_status
hf_journal_retire(struct hf_journal *journal, struct hf_instant until,
                  struct hf_error *error)
{
    if (journal->methods->retire == NULL)
        return HF_OK;
    if (hf_reached(hf_now(), until))
        return late(error);
    return journal->methods->retire(journal, until, error);
}

/* ---- Rows ---------------------------------------------------------------- */

/* Grants are judged by who reads their locks. */
static enum hf_status
judge(const struct hf_journal_chunk *chunk, struct hf_error *error)
{
    struct hf_error why = {0};

    if (chunk->rows != HF_JOURNAL_SESSIONS)
        return HF_OK;
    for (size_t i = 0; i < chunk->count; i++)
        if (hf_served_judge_session(&chunk->sessions[i], &why) != HF_OK)
            return hf_fail(error, HF_E_CORRUPT, "session %016" PRIx64 ": %s",
                           chunk->sessions[i].id, why.text);
    return HF_OK;
}

enum hf_status
hf_journal_load(struct hf_journal *journal, struct hf_journal_chunk *chunk,
                struct hf_instant until, struct hf_error *error)
{
    enum hf_status status;

    HF_CHECK(chunk->rows != HF_JOURNAL_END);
    if (hf_reached(hf_now(), until))
        return late(error);
    if (!chunk->more) {
        chunk->rows++;
        chunk->next = 0;
    }
    hf_arena_reset(&chunk->arena);
    chunk->count = 0;
    chunk->more = false;
    if (chunk->rows == HF_JOURNAL_END)
        return HF_OK;
    status = journal->methods->load(journal, chunk, until, error);
    return status == HF_OK ? judge(chunk, error) : status;
}

enum hf_status
hf_journal_audit(struct hf_journal *journal, struct hf_journal_page *page,
                 struct hf_instant until, struct hf_error *error)
{
    hf_arena_reset(&page->arena);
    page->count = 0;
    if (journal->methods->audit == NULL)
        return HF_OK;
    if (hf_reached(hf_now(), until))
        return late(error);
    return journal->methods->audit(journal, page, until, error);
}

bool
hf_journal_wait(struct hf_journal *journal, uint64_t version,
                struct hf_instant until, int wake_fd)
{
    return journal->methods->wait(journal, version, until, wake_fd);
}

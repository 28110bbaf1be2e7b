#include "judge.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/alloc.h"
#include "base/attrs.h"
#include "history/explain.h"
#include "history/files.h"
#include "ledger.h"
#include "support/locks.h"

#define PATH_SIZE 512
#define SHOWN_MAX 20

struct file {
    void *rows; /* owned */
    size_t count;
};

static bool
read_file(const char *folder, const char *name, size_t row, struct file *file)
{
    char path[PATH_SIZE];
    FILE *in;
    long size;

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    in = fopen(path, "rb");
    if (in == NULL || fseek(in, 0, SEEK_END) != 0)
        return false;
    size = ftell(in);
    rewind(in);
    file->count = (size_t)size / row;
    file->rows = hf_calloc(&hf_alloc_libc, file->count + 1, row);
    if (file->rows == NULL ||
        fread(file->rows, row, file->count, in) != file->count)
        return false;
    fclose(in);
    return true;
}

HF_PRINTF(2, 3)
static void
breach(struct judge_found *found, const char *format, ...)
{
    va_list args;

    if (++found->breaches > SHOWN_MAX)
        return;
    printf("breach: ");
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    printf("\n");
}

/* ---- Notes -------------------------------------------------------------- */

/* The fences of the frozen: few. */
struct fences {
    uint64_t *rows; /* owned */
    size_t count;
};

static bool
is_in(const struct fences *fences, uint64_t fence)
{
    for (size_t i = 0; i < fences->count; i++)
        if (fences->rows[i] == fence)
            return true;
    return false;
}

static bool
collect_frozen(const struct file *notes, struct fences *frozen)
{
    const struct ledger_note *rows = notes->rows;
    size_t count = 0;

    for (size_t i = 0; i < notes->count; i++)
        count += rows[i].kind == LEDGER_FROZEN;
    frozen->rows = hf_calloc(&hf_alloc_libc, count + 1, sizeof(uint64_t));
    if (frozen->rows == NULL)
        return false;
    for (size_t i = 0; i < notes->count; i++)
        if (rows[i].kind == LEDGER_FROZEN)
            frozen->rows[frozen->count++] = rows[i].fence;
    return true;
}

static void
judge_note(const struct ledger_note *note, bool spared,
           struct judge_found *found)
{
    switch ((enum ledger_kind)note->kind) {
    case LEDGER_REFUSED:
        found->refused += spared;
        if (!spared)
            breach(found,
                   "competitor %u section %u: fence %" PRIu64 " was refused",
                   note->competitor, note->seq, note->fence);
        break;
    case LEDGER_SURVIVED:
        breach(found, "competitor %u section %u: its command was not ended",
               note->competitor, note->seq);
        break;
    case LEDGER_MISLED:
        breach(found,
               "competitor %u section %u: held after a freeze past its right",
               note->competitor, note->seq);
        break;
    case LEDGER_ENTER:
    case LEDGER_TICK:
    case LEDGER_EXIT:
    case LEDGER_FROZEN:
        break;
    }
}

static void
judge_notes(const struct judge_case *what, const struct file *notes,
            const struct fences *frozen, struct judge_found *found)
{
    const struct ledger_note *rows = notes->rows;
    const struct ledger_note *highest = NULL;

    found->notes = notes->count;
    found->frozen = frozen->count;
    for (size_t i = 0; i < notes->count; i++) {
        const struct ledger_note *note = &rows[i];
        bool spared = what->spare_frozen && is_in(frozen, note->fence);

        judge_note(note, spared, found);
        if (spared)
            continue;
        if (highest != NULL && note->fence < highest->fence)
            breach(found,
                   "competitor %u section %u (pid %d, fence %" PRIu64
                   ") is at work after competitor %u section %u (pid %d, fence "
                   "%" PRIu64 ") was",
                   note->competitor, note->seq, note->pid, note->fence,
                   highest->competitor, highest->seq, highest->pid,
                   highest->fence);
        else
            highest = note;
    }
}

/* ---- Vault -------------------------------------------------------------- */

static void
judge_vault(const struct judge_case *what, const struct file *vault,
            uint8_t *seen, struct judge_found *found)
{
    const struct ledger_write *rows = vault->rows;
    uint64_t counter = 0;
    uint64_t fence = 0;

    for (size_t i = 0; i < vault->count; i++) {
        const struct ledger_write *row = &rows[i];
        uint64_t next = counter + (row->done != 0);

        if (row->fence < fence)
            breach(found, "the vault took fence %" PRIu64 " after %" PRIu64,
                   row->fence, fence);
        if (row->counter != next)
            breach(found,
                   "competitor %u section %u made the counter %" PRIu64
                   ", not %" PRIu64,
                   row->competitor, row->seq, row->counter, next);
        counter = row->counter;
        fence = row->fence;
        if (row->done != 0 && row->competitor < what->competitors &&
            row->seq < what->sections) {
            seen[row->competitor * what->sections + row->seq] = 1;
            found->writes++;
        }
    }
    for (uint32_t i = 0; i < what->competitors * what->sections; i++)
        if (seen[i] == 0)
            breach(found, "competitor %u: the write of section %u is lost",
                   i / what->sections, i % what->sections);
}

bool
judge(const struct judge_case *what, struct judge_found *found)
{
    const struct hf_alloc *alloc = &hf_alloc_libc;
    struct file notes = {0};
    struct file vault = {0};
    struct fences frozen = {0};
    uint8_t *seen = hf_calloc(alloc, what->competitors, what->sections);
    bool readable =
        seen != NULL &&
        read_file(what->folder, "notes", sizeof(struct ledger_note), &notes) &&
        read_file(what->folder, "vault", sizeof(struct ledger_write), &vault) &&
        collect_frozen(&notes, &frozen);

    *found = (struct judge_found){0};
    if (readable) {
        judge_notes(what, &notes, &frozen, found);
        judge_vault(what, &vault, seen, found);
    }
    hf_free(alloc, seen);
    hf_free(alloc, notes.rows);
    hf_free(alloc, vault.rows);
    hf_free(alloc, frozen.rows);
    return readable;
}

/* ---- The history -------------------------------------------------------- */

static bool
judge_events(const struct history *history)
{
    struct hf_error error = {0};
    struct verdict verdict;
    char buffer[4096];
    struct hf_text text;

    if (check_history(history, &verdict, &error) != HF_OK) {
        printf("breach: the history: %s\n", error.text);
        return false;
    }
    printf("the history: %zu events, %zu of %zu requests granted\n",
           history->events_count, history->granted_count,
           history->requests_count);
    if (verdict.breaches > 0) {
        hf_text_init(&text, buffer, sizeof(buffer));
        explain(&verdict, &text);
        printf("breach: %s", buffer);
    }
    return verdict.breaches == 0;
}

bool
judge_history(const char *folder)
{
    struct history_files files = {.count = 0};
    struct history history = {.events_count = 0};
    struct hf_error error = {0};
    bool good = false;

    if (history_files_add(&files, folder, &error) == HF_OK &&
        history_read(&history, files.texts, files.count, &error) == HF_OK)
        good = judge_events(&history);
    else
        printf("breach: the history: %s\n", error.text);
    history_free(&history);
    history_files_free(&files);
    return good;
}

/* ---- The lock ----------------------------------------------------------- */

/* Clear it, if nobody is behind it any more; it is then free. */
static void
clear_if_gone(struct hf_client *client, const char *name,
              enum hf_outcome outcome)
{
    if (outcome == HF_GONE)
        hf_view_free(clear(client, name, HF_REASON, "the end", NULL));
}

bool
judge_lock(const char *name)
{
    struct hf_client *client = open_client(NULL);
    struct hf_lock *lock = acquire(client, name, HF_WAIT, "10s", NULL);
    struct hf_error error = {0};
    bool had;

    clear_if_gone(client, name, hf_lock_check(lock));
    hf_lock_free(lock);
    lock = acquire(client, name, HF_WAIT, "10s", NULL);
    had = hf_lock_check(lock) == HF_GRANTED;
    (void)hf_lock_error(lock, &error);
    if (!had)
        printf("breach: the lock cannot be had: %s; %s\n",
               hf_outcome_word(hf_lock_check(lock)), error.text);
    hf_lock_free(lock);
    close_client(client);
    return had;
}

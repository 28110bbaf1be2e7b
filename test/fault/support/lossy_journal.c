#include "lossy_journal.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/check.h"
#include "base/fail.h"
#include "support/forward_journal.h"
#include "support/journals.h"

/* A write that is late, with all that it points to. */
struct lossy_write {
    struct hf_head head;
    struct hf_journal_write write;
    struct hf_journal_change *changes;
    struct hf_arena arena;
    unsigned due; /* the operation before which it is applied; 0: the end */
    struct lossy_write *next;
};

struct lossy_journal {
    struct forward_journal forward;
    struct lossy_journal_sea *sea; /* borrowed */
};

static struct lossy_journal_sea *
sea_of(struct hf_journal *journal)
{
    return ((struct lossy_journal *)(void *)journal)->sea;
}

/* ---- Late writes --------------------------------------------------------- */

static void
keep_text(struct lossy_write *kept, struct hf_bytes *text)
{
    HF_CHECK(hf_arena_keep(&kept->arena, text->at, text->len, text));
}

static void
keep_texts(struct lossy_write *kept, struct hf_journal_change *change)
{
    struct hf_bytes name;

    switch (change->kind) {
    case HF_CHANGE_PUT_SESSION:
        keep_text(kept, &change->session.who);
        return;
    case HF_CHANGE_PUT_GRANT:
        keep_text(kept, &change->grant.locks);
        keep_text(kept, &change->grant.grant.loaded.note);
        return;
    case HF_CHANGE_PUT_AUDIT:
        name =
            (struct hf_bytes){change->audit.name, strlen(change->audit.name)};
        keep_text(kept, &name);
        change->audit.name = name.at;
        keep_text(kept, &change->audit.record);
        return;
    case HF_CHANGE_DELETE_SESSION:
    case HF_CHANGE_DELETE_GRANT:
        return;
    }
}

static void
keep(struct lossy_journal_sea *sea, const struct hf_journal_write *write)
{
    struct lossy_write *kept = calloc(1, sizeof(*kept));

    HF_CHECK(kept != NULL);
    kept->arena.alloc = &hf_alloc_libc;
    kept->changes = calloc(write->changes_count + 1, sizeof(*kept->changes));
    HF_CHECK(kept->changes != NULL);
    kept->head = *write->head;
    kept->write = *write;
    kept->write.head = &kept->head;
    kept->write.changes = kept->changes;
    for (size_t i = 0; i < write->changes_count; i++) {
        kept->changes[i] = write->changes[i];
        keep_texts(kept, &kept->changes[i]);
    }
    kept->due = sea->plan.later == 0 ? 0 : sea->operations + sea->plan.later;
    kept->next = sea->kept;
    sea->kept = kept;
}

/* Apply what is due; its verdict is nobody's. */
static void
apply_kept(struct lossy_journal_sea *sea, bool end)
{
    struct lossy_write **link = &sea->kept;

    while (*link != NULL) {
        struct lossy_write *kept = *link;
        uint64_t version;

        if (!end && (kept->due == 0 || kept->due > sea->operations)) {
            link = &kept->next;
            continue;
        }
        (void)hf_journal_write(sea->behind, &kept->write, HF_NEVER, &version,
                               NULL);
        *link = kept->next;
        hf_arena_fini(&kept->arena);
        free(kept->changes);
        free(kept);
    }
}

/* ---- The journal --------------------------------------------------------- */

static bool
is_lost(const struct lossy_journal_sea *sea, unsigned number)
{
    return number >= sea->plan.at && number - sea->plan.at < sea->plan.count;
}

static bool
loses_read(struct hf_journal *journal, struct hf_error *error)
{
    struct lossy_journal_sea *sea = sea_of(journal);
    bool lost;

    pthread_mutex_lock(&sea->mutex);
    sea->operations++;
    apply_kept(sea, false);
    sea->reads++;
    lost = sea->plan.how == LOSSY_BLIND && is_lost(sea, sea->reads);
    sea->losses += lost;
    pthread_mutex_unlock(&sea->mutex);
    if (lost)
        (void)hf_fail(error, HF_E_UNAVAILABLE, "the read was lost");
    return lost;
}

static enum hf_status
read_head(struct hf_journal *journal, struct hf_instant until,
          struct hf_journal_found *found, struct hf_error *error)
{
    return loses_read(journal, error)
               ? HF_E_UNAVAILABLE
               : forward_journal_read(journal, until, found, error);
}

static enum hf_status
load(struct hf_journal *journal, struct hf_journal_chunk *chunk,
     struct hf_instant until, struct hf_error *error)
{
    return loses_read(journal, error)
               ? HF_E_UNAVAILABLE
               : forward_journal_load(journal, chunk, until, error);
}

static enum hf_status
unlocked(struct hf_journal *journal, struct hf_instant until,
         struct hf_error *error)
{
    return loses_read(journal, error)
               ? HF_E_UNAVAILABLE
               : forward_journal_unlocked(journal, until, error);
}

static enum hf_status
secure(struct hf_journal *journal, struct hf_duration promised,
       struct hf_instant until, struct hf_error *error)
{
    return loses_read(journal, error)
               ? HF_E_UNAVAILABLE
               : forward_journal_secure(journal, promised, until, error);
}

static enum hf_verdict
lose(struct hf_journal *journal, const struct hf_journal_write *write,
     struct hf_instant until, uint64_t *version, struct hf_error *error)
{
    struct lossy_journal_sea *sea = sea_of(journal);
    uint64_t unsaid;

    switch (sea->plan.how) {
    case LOSSY_APPLIED:
        (void)forward_journal_write(journal, write, until, &unsaid, NULL);
        break;
    case LOSSY_LATER:
        keep(sea, write);
        break;
    case LOSSY_UNAVAILABLE:
        (void)hf_fail(error, HF_E_UNAVAILABLE, "the write was turned down");
        return HF_UNAVAILABLE;
    case LOSSY_SLOW:
        return forward_journal_write(journal, write, until, version, error);
    case LOSSY_DROPPED:
    case LOSSY_BLIND:
        break;
    }
    (void)hf_fail(error, HF_E_UNKNOWN, "the answer was lost");
    return HF_UNKNOWN;
}

static void
let_pass(struct hf_instant until)
{
    while (!hf_reached(hf_now(), until))
        (void)poll(NULL, 0, (int)hf_between(hf_now(), until).ms + 1);
}

/* Under the mutex: the order in which writes are counted is the order in which
 * they are applied. */
static enum hf_verdict
write_batch(struct hf_journal *journal, const struct hf_journal_write *write,
            struct hf_instant until, uint64_t *version, struct hf_error *error)
{
    struct lossy_journal_sea *sea = sea_of(journal);
    enum hf_verdict verdict;
    bool lost;

    pthread_mutex_lock(&sea->mutex);
    sea->operations++;
    apply_kept(sea, false);
    sea->writes++;
    lost = sea->plan.how != LOSSY_BLIND && is_lost(sea, sea->writes);
    sea->losses += lost;
    verdict =
        lost ? lose(journal, write, until, version, error)
             : forward_journal_write(journal, write, until, version, error);
    pthread_mutex_unlock(&sea->mutex);
    if (lost && sea->plan.how == LOSSY_SLOW)
        let_pass(until);
    return verdict;
}

/* ---- The sea ------------------------------------------------------------- */

void
lossy_journal_init(struct lossy_journal_sea *sea, const char *place,
                   const struct lossy_plan *plan)
{
    *sea = (struct lossy_journal_sea){
        .plan = *plan,
        .behind = journals_open(place),
    };
    pthread_mutex_init(&sea->mutex, NULL);
}

void
lossy_journal_fini(struct lossy_journal_sea *sea)
{
    hf_journal_close(sea->behind);
    pthread_mutex_destroy(&sea->mutex);
}

enum hf_status
lossy_journal_open(struct lossy_journal_sea *sea, const char *place,
                   const struct hf_alloc *alloc, struct hf_journal **journal,
                   struct hf_error *error)
{
    static const struct hf_journal_methods changed = {
        .read = read_head,
        .write = write_batch,
        .load = load,
        .unlocked = unlocked,
        .secure = secure,
    };
    struct lossy_journal *made =
        forward_journal_open(place, sizeof(*made), alloc, &changed, error);

    if (made == NULL)
        return error->status;
    made->sea = sea;
    *journal = &made->forward.base;
    return HF_OK;
}

void
lossy_journal_end(struct lossy_journal_sea *sea)
{
    pthread_mutex_lock(&sea->mutex);
    apply_kept(sea, true);
    sea->plan.count = 0;
    pthread_mutex_unlock(&sea->mutex);
}

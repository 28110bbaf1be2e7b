#include "journal/scribe.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>

#include "base/check.h"
#include "base/fail.h"
#include "base/fd.h"
#include "base/thread.h"

/* Answers that can be told and not yet taken: to each of two questions, a
 * chunk, and a page of the audit. */
#define TOLD_MAX 8

/* For how long a reader of the place may keep a leader from serving, each time
 * that it tries. */
static const struct hf_duration begin_patience = {1000};

/* The head's next write may be waiting behind any other call. */
static struct hf_instant
soon(void)
{
    return hf_after(hf_now(), (struct hf_duration){3000});
}

struct hf_scribe {
    struct hf_scribe_config config;
    struct hf_journal *journal; /* owned */
    bool at_once;               /* there is no thread */
    pthread_t thread;
    int work_fd;                 /* readable: there is something to do */
    struct hf_duration promised; /* by the head that was written last */

    pthread_mutex_t mutex; /* of all that follows */
    bool stopping;
    bool asks; /* `ask` waits */
    struct hf_scribe_ask ask;
    const struct hf_journal_change *under_way; /* of the call that is made */
    struct {
        uint64_t number;
        bool wanted; /* the next chunk is */
        bool reads;  /* and is being read: nobody else touches the chunk */
        struct hf_journal_chunk chunk;
    } load;
    bool audits; /* a page is wanted */
    struct hf_journal_page page;
    uint64_t watched; /* version of the head; 0: nobody watches */
    uint64_t generation;
    bool changed;   /* what was watched has, and that is not yet taken */
    bool went_back; /* likewise */
    struct hf_scribe_told told[TOLD_MAX];
    size_t told_count;
};

static void
enter(struct hf_scribe *scribe)
{
    pthread_mutex_lock(&scribe->mutex);
}

static void
leave(struct hf_scribe *scribe)
{
    pthread_mutex_unlock(&scribe->mutex);
}

/* ---- To the loop --------------------------------------------------------- */

/* Entered. */
static void
tell(struct hf_scribe *scribe, const struct hf_scribe_told *told)
{
    HF_CHECK(scribe->told_count < TOLD_MAX);
    scribe->told[scribe->told_count++] = *told;
    if (!scribe->at_once)
        scribe->config.told(scribe->config.ctx);
}

bool
hf_scribe_has_told(struct hf_scribe *scribe)
{
    bool is_there;

    enter(scribe);
    is_there = scribe->told_count > 0 || scribe->changed || scribe->went_back;
    leave(scribe);
    return is_there;
}

bool
hf_scribe_take(struct hf_scribe *scribe, struct hf_scribe_told *told)
{
    bool is_there;

    enter(scribe);
    is_there = scribe->told_count > 0;
    if (is_there) {
        *told = scribe->told[0];
        scribe->told_count--;
        memmove(scribe->told, scribe->told + 1,
                scribe->told_count * sizeof(scribe->told[0]));
    } else if (scribe->changed) {
        *told = (struct hf_scribe_told){.kind = HF_SCRIBE_HINT};
        scribe->changed = false;
        is_there = true;
    } else if (scribe->went_back) {
        *told = (struct hf_scribe_told){.kind = HF_SCRIBE_WENT_BACK};
        scribe->went_back = false;
        is_there = true;
    }
    leave(scribe);
    return is_there;
}

/* ---- The calls ----------------------------------------------------------- */

static void
answer(struct hf_scribe *scribe)
{
    struct hf_scribe_ask ask = scribe->ask;
    struct hf_scribe_told told = {
        .kind = ask.read ? HF_SCRIBE_FOUND : HF_SCRIBE_VERDICT,
        .number = ask.number,
    };

    scribe->asks = false;
    scribe->under_way = ask.write.changes;
    leave(scribe);
    ask.write.head = &ask.head;
    if (ask.read)
        told.error.status = hf_journal_read(scribe->journal, ask.until,
                                            &told.found, &told.error);
    else
        told.verdict = hf_journal_write(scribe->journal, &ask.write, ask.until,
                                        &told.version, &told.error);
    told.log = hf_journal_log(scribe->journal);
    if (!ask.read && told.verdict == HF_APPLIED)
        scribe->promised = ask.head.max_ttl;
    enter(scribe);
    scribe->under_way = NULL;
    tell(scribe, &told);
}

static void
load(struct hf_scribe *scribe)
{
    struct hf_journal_chunk *chunk = &scribe->load.chunk;
    struct hf_scribe_told told = {
        .kind = HF_SCRIBE_CHUNK,
        .number = scribe->load.number,
        .chunk = chunk,
    };
    enum hf_status status = HF_OK;

    scribe->load.wanted = false;
    scribe->load.reads = true;
    leave(scribe);
    if (chunk->rows == HF_JOURNAL_NONE)
        status =
            hf_journal_secure(scribe->journal, scribe->promised,
                              hf_after(hf_now(), begin_patience), &told.error);
    if (status == HF_OK)
        status = hf_journal_load(scribe->journal, chunk, soon(), &told.error);
    told.error.status = status;
    enter(scribe);
    scribe->load.reads = false;
    tell(scribe, &told);
}

static void
audit(struct hf_scribe *scribe)
{
    struct hf_scribe_told told = {
        .kind = HF_SCRIBE_PAGE,
        .page = &scribe->page,
    };

    scribe->audits = false;
    leave(scribe);
    told.error.status =
        hf_journal_audit(scribe->journal, &scribe->page, soon(), &told.error);
    enter(scribe);
    tell(scribe, &told);
}

static void
rest(struct hf_scribe *scribe)
{
    uint64_t watched = scribe->watched;
    eventfd_t drained;
    bool changed;

    leave(scribe);
    changed =
        hf_journal_wait(scribe->journal, watched, HF_NEVER, scribe->work_fd);
    (void)eventfd_read(scribe->work_fd, &drained);
    enter(scribe);
    if (!changed || scribe->watched != watched)
        return;
    scribe->watched = 0;
    scribe->changed = true;
    scribe->config.told(scribe->config.ctx);
}

static void
look_whether_it_went_back(struct hf_scribe *scribe)
{
    uint64_t generation = hf_journal_generation(scribe->journal);

    if (generation == scribe->generation)
        return;
    scribe->generation = generation;
    scribe->went_back = true;
    scribe->config.told(scribe->config.ctx);
}

/* Entered, and left for the call.  False: there is nothing to do. */
static bool
work_once(struct hf_scribe *scribe)
{
    if (scribe->asks)
        answer(scribe);
    else if (scribe->load.wanted)
        load(scribe);
    else if (scribe->audits)
        audit(scribe);
    else
        return false;
    return true;
}

static void *
work(void *arg)
{
    struct hf_scribe *scribe = arg;

    enter(scribe);
    while (!scribe->stopping) {
        if (!work_once(scribe))
            rest(scribe);
        look_whether_it_went_back(scribe);
    }
    leave(scribe);
    return NULL;
}

/* ---- What the loop asks -------------------------------------------------- */

/* Entered, and left. */
static void
set_to_work(struct hf_scribe *scribe)
{
    while (scribe->at_once && work_once(scribe))
        continue;
    leave(scribe);
    if (!scribe->at_once)
        (void)eventfd_write(scribe->work_fd, 1);
}

void
hf_scribe_ask(struct hf_scribe *scribe, const struct hf_scribe_ask *ask)
{
    enter(scribe);
    scribe->ask = *ask;
    scribe->asks = true;
    set_to_work(scribe);
}

bool
hf_scribe_uses(struct hf_scribe *scribe,
               const struct hf_journal_change *changes)
{
    bool uses;

    enter(scribe);
    uses = scribe->under_way == changes ||
           (scribe->asks && scribe->ask.write.changes == changes);
    leave(scribe);
    return uses;
}

void
hf_scribe_load(struct hf_scribe *scribe, uint64_t number)
{
    enter(scribe);
    HF_CHECK(!scribe->load.reads); /* our claim was answered after it */
    scribe->load.number = number;
    scribe->load.chunk.rows = HF_JOURNAL_NONE;
    scribe->load.chunk.more = false;
    scribe->load.wanted = true;
    set_to_work(scribe);
}

void
hf_scribe_load_on(struct hf_scribe *scribe)
{
    enter(scribe);
    scribe->load.wanted = true;
    set_to_work(scribe);
}

void
hf_scribe_audit(struct hf_scribe *scribe, const char *prefix, const char *after,
                size_t limit)
{
    struct hf_journal_page *page = &scribe->page;

    enter(scribe);
    (void)snprintf(page->prefix, sizeof(page->prefix), "%s", prefix);
    (void)snprintf(page->after, sizeof(page->after), "%s", after);
    page->limit = limit;
    scribe->audits = true;
    set_to_work(scribe);
}

void
hf_scribe_watch(struct hf_scribe *scribe, uint64_t version)
{
    bool other;

    enter(scribe);
    other = scribe->watched != version;
    scribe->watched = version;
    leave(scribe);
    if (other && !scribe->at_once)
        (void)eventfd_write(scribe->work_fd, 1);
}

struct hf_journal_limits
hf_scribe_limits(const struct hf_scribe *scribe)
{
    return hf_journal_limits(scribe->journal);
}

/* ---- Opening ------------------------------------------------------------- */

static enum hf_status
open_journal(struct hf_scribe *scribe, struct hf_error *error)
{
    const struct hf_scribe_config *config = &scribe->config;
    hf_scribe_open_fn *open =
        config->open != NULL ? config->open : hf_journal_open;
    enum hf_status status =
        open(&config->place, config->alloc, &scribe->journal, error);

    if (status == HF_OK)
        status = hf_journal_unlocked(scribe->journal, soon(), error);
    if (status != HF_OK)
        return status;
    scribe->at_once = hf_journal_limits(scribe->journal).at_once;
    if (!scribe->at_once && !hf_thread_start(&scribe->thread, work, scribe))
        status = hf_fail(error, HF_E_UNAVAILABLE, "no thread for a journal");
    return status;
}

static void
free_scribe(struct hf_scribe *scribe)
{
    hf_arena_fini(&scribe->load.chunk.arena);
    hf_arena_fini(&scribe->page.arena);
    hf_fd_close(&scribe->work_fd);
    hf_journal_close(scribe->journal);
    pthread_mutex_destroy(&scribe->mutex);
    hf_free(scribe->config.alloc, scribe);
}

enum hf_status
hf_scribe_open(const struct hf_scribe_config *config, struct hf_scribe **out,
               struct hf_error *error)
{
    struct hf_scribe *scribe = hf_new(config->alloc, struct hf_scribe);
    enum hf_status status = HF_OK;

    if (scribe == NULL)
        return hf_fail(error, HF_E_NOMEM, "no memory for a journal");
    scribe->config = *config;
    scribe->load.chunk.arena.alloc = config->alloc;
    scribe->page.arena.alloc = config->alloc;
    scribe->work_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    pthread_mutex_init(&scribe->mutex, NULL);
    status = scribe->work_fd < 0 ? hf_fail(error, HF_E_UNAVAILABLE,
                                           "no descriptor for a journal")
                                 : open_journal(scribe, error);
    if (status != HF_OK) {
        free_scribe(scribe);
        return status;
    }
    *out = scribe;
    return HF_OK;
}

void
hf_scribe_close(struct hf_scribe *scribe)
{
    if (scribe == NULL)
        return;
    enter(scribe);
    scribe->stopping = true;
    leave(scribe);
    (void)eventfd_write(scribe->work_fd, 1);
    if (!scribe->at_once)
        pthread_join(scribe->thread, NULL);
    free_scribe(scribe);
}

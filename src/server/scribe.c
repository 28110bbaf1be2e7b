#include "server/scribe.h"

#include <pthread.h>
#include <string.h>
#include <sys/eventfd.h>

#include "base/check.h"
#include "base/fail.h"
#include "base/fd.h"
#include "base/thread.h"
#include "server/scratch.h"
#include "wire/head.h"
#include "wire/name.h"
#include "wire/served.h"

/* Bundles: one of a batch that is being sent, one of a batch that waits, and
 * one that is being filled. */
#define BUNDLES 3

/* Things that can be told and not yet taken: an answer to each of two
 * questions, a chunk, a page of the audit, and a hint. */
#define TOLD_MAX 8

/* A question as it goes to the store. */
struct ask {
    struct hf_leader_effect effect;
    struct hf_bundle *bundle; /* NULL: nothing goes with the head */
    struct hf_instant until;
    int64_t wall_ms;
    bool holds; /* something is granted */
};

struct load {
    uint64_t term; /* 0: none */
    bool wanted;   /* its next chunk is */
    bool reads;    /* and is being read: nobody else touches the page */
    bool grants;   /* sessions have been read */
    struct hf_page page;
};

struct audit {
    bool wanted;
    struct hf_scribe_audit asked;
    struct hf_page page;
};

struct hf_scribe {
    struct hf_scribe_config config;
    struct hf_store *store; /* NULL: it keeps nothing, and has no thread */
    struct hf_scratch scratch;
    pthread_t thread;
    int work_fd;                 /* readable: there is something to do */
    struct hf_duration promised; /* by the head that was written last */
    bool forgot; /* as config says, until something is written */

    pthread_mutex_t mutex; /* of all that follows */
    bool stopping;
    bool asks; /* `ask` waits */
    struct ask ask;
    struct hf_bundle bundles[BUNDLES];
    struct hf_bundle *newest;    /* that was collected last */
    struct hf_bundle *under_way; /* of the call that is being made */
    struct load load;
    struct audit audit;
    uint64_t watched; /* version of the head; 0: nobody watches */
    uint64_t generation;
    bool went_back; /* and that is not yet taken */
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

static struct hf_key
head_key(void)
{
    return (struct hf_key){HF_HEAD_SPACE, HF_HEAD_NAME};
}

/* ---- To the loop --------------------------------------------------------- */

/* Entered. */
static void
put(struct hf_scribe *scribe, const struct hf_scribe_told *told)
{
    HF_CHECK(scribe->told_count < TOLD_MAX);
    scribe->told[scribe->told_count++] = *told;
}

/* Entered; the loop is woken when it has been left. */
static void
tell(struct hf_scribe *scribe, const struct hf_scribe_told *told)
{
    put(scribe, told);
    scribe->config.told(scribe->config.ctx);
}

bool
hf_scribe_has_told(struct hf_scribe *scribe)
{
    bool is_there;

    enter(scribe);
    is_there = scribe->told_count > 0 || scribe->went_back;
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
    } else if (scribe->went_back) {
        *told = (struct hf_scribe_told){.kind = HF_SCRIBE_WENT_BACK};
        scribe->went_back = false;
        is_there = true;
    }
    leave(scribe);
    return is_there;
}

/* ---- Writing ------------------------------------------------------------- */

struct head_text {
    char head[HF_RECORD_TEXT_MAX];
    char marker[HF_RECORD_TEXT_MAX];
    char marker_name[HF_NAME_COMPANION_SIZE];
};

static void
fill_owner(const struct hf_self *self, int64_t wall_ms, struct hf_owner *owner)
{
    *owner = (struct hf_owner){
        .since_ms = wall_ms,
        .pidns = self->host.pidns,
    };
    memcpy(owner->host, self->host.name, sizeof(owner->host));
    memcpy(owner->boot, self->host.boot, sizeof(owner->boot));
    memcpy(owner->user, self->user, sizeof(owner->user));
    memcpy(owner->command, self->command, sizeof(owner->command));
    if (self->process.start != 0) {
        owner->processes[0] = self->process;
        owner->processes_count = 1;
    }
}

/* In core's words to the store's. */
static struct hf_store_op
pack(const struct hf_scribe *scribe, const struct ask *ask,
     const struct hf_op *op, struct head_text *text)
{
    struct hf_store_op packed = {
        .kind = op->kind,
        .key = head_key(),
        .expect = op->expect,
        .new_generation = op->new_generation,
    };
    const struct hf_head_state *state = &ask->effect.ask.head;
    struct hf_head head = {
        .claim = {.heartbeat = op->heartbeat, .terms = op->terms},
        .next_fence = state->next_fence,
        .service = state->service,
        .store = hf_store_identity(scribe->store),
        .max_ttl = state->max_ttl,
        .grace = state->grace,
        .begun_ms = state->begun_ms,
    };

    fill_owner(scribe->config.self, ask->wall_ms, &head.claim.owner);
    if (op->target == HF_TARGET_MARKER) {
        hf_name_companion(HF_HEAD_SPACE, HF_HEAD_NAME, op->subject,
                          text->marker_name, sizeof(text->marker_name));
        packed.key = (struct hf_key){"!RECLAIM", text->marker_name};
        if (op->kind == HF_PUT) {
            packed.value_len = hf_record_encode(&head.claim, text->marker,
                                                sizeof(text->marker));
            packed.value = text->marker;
        }
        return packed;
    }
    HF_CHECK(op->target == HF_TARGET_LOCK && op->kind == HF_PUT);
    if (state->led)
        memcpy(head.node, scribe->config.node, strlen(scribe->config.node) + 1);
    if (state->led || ask->holds)
        memcpy(head.address, scribe->config.address,
               strlen(scribe->config.address) + 1);
    packed.value_len = hf_head_encode(&head, text->head, sizeof(text->head));
    packed.value = text->head;
    return packed;
}

static void
write_head(struct hf_scribe *scribe, const struct ask *ask,
           struct hf_scribe_told *told)
{
    const struct hf_request *request = &ask->effect.ask.request;
    struct hf_store_op own[HF_REQUEST_OPS];
    struct head_text text;
    struct hf_store_group group = {.ops = own, .ops_count = request->ops_count};

    told->kind = HF_SCRIBE_VERDICT;
    told->verdict = HF_UNAVAILABLE;
    for (unsigned i = 0; i < request->ops_count; i++)
        own[i] = pack(scribe, ask, &request->ops[i], &text);
    if (ask->bundle != NULL && ask->bundle->failed) {
        (void)hf_fail(&told->error, HF_E_NOMEM, "no memory for a batch");
        return;
    }
    if (ask->bundle != NULL)
        group = hf_bundle_group(ask->bundle, own, request->ops_count);
    hf_store_keep_log(scribe->store, !ask->effect.ask.head.led && ask->holds);
    hf_store_commit(scribe->store, &group, 1, ask->until, &told->error);
    told->verdict = group.verdict;
    told->log_size = hf_store_log_size(scribe->store);
    told->version = group.ops[0].version;
    if (told->verdict != HF_APPLIED)
        return;
    scribe->forgot = false;
    scribe->promised = ask->effect.ask.head.max_ttl;
}

/* ---- Reading the head ---------------------------------------------------- */

struct taking {
    const struct hf_scribe *scribe;
    struct hf_scribe_told *told;
};

/* Of a head of that place; 0: there is none. */
static enum hf_scribe_cause
find_cause(const struct hf_scribe *scribe, const struct hf_head *head)
{
    const struct hf_store *store = scribe->store;

    if (hf_store_loss(store) == HF_STORE_FILE_LOST)
        return HF_SCRIBE_FILE_LOST;
    if (hf_store_loss(store) == HF_STORE_COPIED ||
        (head != NULL && head->store != hf_store_identity(store)))
        return HF_SCRIBE_COPIED;
    if (hf_store_loss(store) == HF_STORE_LOG_LOST)
        return HF_SCRIBE_LOG_LOST;
    return scribe->forgot ? HF_SCRIBE_TOLD_SO : HF_SCRIBE_REMEMBERS;
}

static void
take_head(void *ctx, size_t index, const struct hf_record *record)
{
    const struct taking *taking = ctx;
    const struct hf_scribe *scribe = taking->scribe;
    struct hf_duration promised = hf_store_promised(scribe->store);
    struct hf_scribe_told *told = taking->told;
    struct hf_head head;

    (void)index;
    told->sight = (struct hf_sight){
        .kind = HF_SIGHT_ABSENT,
        .version = record->version,
        .token = record->token,
    };
    if (!record->exists) {
        told->cause = find_cause(scribe, NULL);
        told->head.forgot = told->cause != HF_SCRIBE_REMEMBERS;
        told->head.max_ttl = promised;
        told->head.begun_ms = hf_wall_ms();
        return;
    }
    told->sight.kind = HF_SIGHT_CORRUPT;
    if (record->value_len >= sizeof(record->value) ||
        hf_head_decode(record->value, record->value_len, &head, &told->error) !=
            HF_OK)
        return;
    told->sight.kind = HF_SIGHT_LOCK;
    told->sight.heartbeat = head.claim.heartbeat;
    told->sight.terms = head.claim.terms;
    told->cause = find_cause(scribe, &head);
    told->head = (struct hf_head_state){
        .led = head.node[0] != '\0',
        .forgot = told->cause != HF_SCRIBE_REMEMBERS,
        .next_fence = head.next_fence,
        .service = head.service,
        .max_ttl = head.max_ttl,
        .grace = head.grace,
        .begun_ms = head.begun_ms,
    };
    if (told->head.forgot && promised.ms > head.max_ttl.ms)
        told->head.max_ttl = promised; /* the head may be an older one */
    if (told->cause == HF_SCRIBE_COPIED) {
        told->head.service = 0;
        told->head.grace.ms = 0; /* it was the other place's */
    }
    told->holds = head.address[0] != '\0';
    told->leader = head.claim.owner;
    if (told->head.led)
        memcpy(told->address, head.address, sizeof(told->address));
}

static void
read_head(struct hf_scribe *scribe, const struct ask *ask,
          struct hf_scribe_told *told)
{
    struct hf_key key = head_key();
    struct taking taking = {scribe, told};

    told->kind = HF_SCRIBE_FOUND;
    if (hf_store_get(scribe->store, &key, 1, ask->until, take_head, &taking,
                     &told->error) != HF_OK)
        told->sight = (struct hf_sight){.kind = HF_SIGHT_NONE};
}

/* ---- Loading ------------------------------------------------------------- */

static void
read_chunk(struct hf_scribe *scribe, struct hf_scribe_told *told)
{
    struct load *load = &scribe->load;
    const char *space = load->grants ? HF_SERVED_GRANTS : HF_SERVED_SESSIONS;

    told->kind = load->grants ? HF_SCRIBE_GRANTS : HF_SCRIBE_SESSIONS;
    if (hf_page_read(&load->page, scribe->store, space, "", HF_PAGE_MAX,
                     &told->error) != HF_OK)
        told->kind = HF_SCRIBE_UNLOADED;
    told->records = load->page.records;
    told->records_count = load->page.count;
}

static void
read_audit(struct hf_scribe *scribe, struct hf_scribe_told *told)
{
    struct audit *audit = &scribe->audit;
    const struct hf_scribe_audit *asked = &audit->asked;
    struct hf_page *page = &audit->page;

    page->after_len = strlen(asked->after);
    memcpy(page->after, asked->after, page->after_len + 1);
    told->kind = HF_SCRIBE_AUDIT;
    if (hf_page_read(page, scribe->store, "!audit", asked->prefix, asked->limit,
                     &told->error) != HF_OK)
        page->count = 0;
    told->records = page->records;
    told->records_count = page->count;
}

/* ---- The thread ---------------------------------------------------------- */

static void
look_whether_it_went_back(struct hf_scribe *scribe)
{
    uint64_t generation = hf_store_generation(scribe->store);

    if (generation == scribe->generation)
        return;
    scribe->generation = generation;
    scribe->went_back = true;
    scribe->config.told(scribe->config.ctx);
}

static void
answer(struct hf_scribe *scribe)
{
    struct ask ask = scribe->ask;
    struct hf_scribe_told told = {.number = ask.effect.ask.request.number};

    scribe->asks = false;
    scribe->under_way = ask.bundle;
    leave(scribe);
    if (ask.effect.ask.request.read)
        read_head(scribe, &ask, &told);
    else
        write_head(scribe, &ask, &told);
    enter(scribe);
    scribe->under_way = NULL;
    tell(scribe, &told);
}

/* Since the head names us, no table lock comes any more; one that is there was
 * there before.  Asked before the first chunk. */
static enum hf_status
check_locks(struct hf_store *store, struct hf_error *error)
{
    struct hf_store_lock lock;
    enum hf_status status = hf_store_find_lock(store, &lock, error);

    if (status != HF_OK || lock.name[0] == '\0')
        return status;
    return hf_fail(error, HF_E_UNAVAILABLE,
                   "'%.80s' in space %.80s is held, or was left, as a lock of "
                   "the table itself: have it given back or cleared first",
                   lock.name, lock.space);
}

/* For how long a reader of the file may keep a leader from serving, each time
 * that it tries. */
static const struct hf_duration secure_patience = {1000};

/* Before anything is granted in this term: nothing stands in the way, and what
 * is lost from here on will be noticed. */
static enum hf_status
prepare(struct hf_scribe *scribe, struct hf_error *error)
{
    enum hf_status status = check_locks(scribe->store, error);

    if (status != HF_OK)
        return status;
    return hf_store_secure(scribe->store, scribe->promised,
                           hf_after(hf_now(), secure_patience), error);
}

static bool
is_first_chunk(const struct load *load)
{
    return !load->grants && load->page.after_len == 0;
}

static void
load(struct hf_scribe *scribe)
{
    struct hf_scribe_told told = {.term = scribe->load.term};
    enum hf_status status = HF_OK;

    scribe->load.wanted = false;
    scribe->load.reads = true;
    leave(scribe);
    if (is_first_chunk(&scribe->load))
        status = prepare(scribe, &told.error);
    if (status == HF_OK)
        read_chunk(scribe, &told);
    else
        told.kind = HF_SCRIBE_UNLOADED;
    enter(scribe);
    scribe->load.reads = false;
    tell(scribe, &told);
}

static void
look_at_audit(struct hf_scribe *scribe)
{
    struct hf_scribe_told told = {.records_count = 0};

    scribe->audit.wanted = false;
    leave(scribe);
    read_audit(scribe, &told);
    enter(scribe);
    tell(scribe, &told);
}

static void
rest(struct hf_scribe *scribe)
{
    struct hf_store_watch watch = {
        .key = head_key(),
        .version = scribe->watched,
    };
    size_t count = scribe->watched != 0;
    eventfd_t drained;

    leave(scribe);
    hf_store_wait(scribe->store, &watch, count, HF_NEVER, scribe->work_fd);
    (void)eventfd_read(scribe->work_fd, &drained);
    enter(scribe);
    if (!watch.changed || scribe->watched != watch.version)
        return;
    scribe->watched = 0;
    tell(scribe, &(struct hf_scribe_told){.kind = HF_SCRIBE_HINT});
}

static void *
work(void *arg)
{
    struct hf_scribe *scribe = arg;

    enter(scribe);
    while (!scribe->stopping) {
        if (scribe->asks)
            answer(scribe);
        else if (scribe->load.wanted)
            load(scribe);
        else if (scribe->audit.wanted)
            look_at_audit(scribe);
        else
            rest(scribe);
        look_whether_it_went_back(scribe);
    }
    leave(scribe);
    return NULL;
}

static void
wake(struct hf_scribe *scribe)
{
    (void)eventfd_write(scribe->work_fd, 1);
}

/* ---- Where nothing is kept ----------------------------------------------- */

/* Entered.  All is answered at once, and to the loop itself, which need not be
 * woken. */
static void
answer_from_scratch(struct hf_scribe *scribe,
                    const struct hf_leader_effect *ask)
{
    struct hf_scribe_told told = {
        .kind = ask->ask.request.read ? HF_SCRIBE_FOUND : HF_SCRIBE_VERDICT,
        .number = ask->ask.request.number,
    };

    if (ask->ask.request.read) {
        hf_scratch_read(&scribe->scratch, hf_wall_us(), &told.sight,
                        &told.head);
        if (told.sight.kind == HF_SIGHT_ABSENT && !scribe->config.no_grace)
            told.cause = HF_SCRIBE_VOLATILE;
        told.head.forgot = told.cause != HF_SCRIBE_REMEMBERS;
    } else
        told.verdict = hf_scratch_write(&scribe->scratch, hf_wall_us(), ask,
                                        &told.version);
    put(scribe, &told);
}

static void
load_from_scratch(struct hf_scribe *scribe)
{
    const struct load *load = &scribe->load;

    put(scribe,
        &(struct hf_scribe_told){
            .kind = load->grants ? HF_SCRIBE_GRANTS : HF_SCRIBE_SESSIONS,
            .term = load->term,
        });
}

/* What was decided is not written anywhere. */
static void
forget_changes(struct hf_node *node)
{
    struct hf_change change;

    while (hf_node_take(node, &change))
        ;
}

/* ---- What the loop asks -------------------------------------------------- */

static struct hf_bundle *
free_bundle(struct hf_scribe *scribe)
{
    for (size_t i = 0; i < BUNDLES; i++) {
        struct hf_bundle *bundle = &scribe->bundles[i];

        if (bundle != scribe->under_way &&
            !(scribe->asks && bundle == scribe->ask.bundle))
            return bundle;
    }
    HF_CHECK(!"of three bundles two are in use at most");
    return NULL;
}

/* Entered only to choose one: what is filled is nobody else's. */
void
hf_scribe_collect(struct hf_scribe *scribe, struct hf_node *node)
{
    struct hf_bundle *bundle;

    if (scribe->store == NULL) {
        forget_changes(node);
        return;
    }
    enter(scribe);
    bundle = free_bundle(scribe);
    leave(scribe);
    hf_bundle_collect(bundle, node, hf_wall_ms());
    scribe->newest = bundle;
}

void
hf_scribe_ask(struct hf_scribe *scribe, const struct hf_leader_effect *ask,
              bool holds, struct hf_instant until)
{
    struct hf_bundle *bundle = NULL;

    if (scribe->store == NULL) {
        enter(scribe);
        answer_from_scratch(scribe, ask);
        leave(scribe);
        return;
    }
    if (!ask->ask.request.read && ask->ask.batch != 0) {
        bundle = scribe->newest;
        HF_CHECK(bundle->number == 0 || bundle->number == ask->ask.batch);
        bundle->number = ask->ask.batch;
    }
    enter(scribe);
    scribe->ask = (struct ask){
        .effect = *ask,
        .bundle = bundle,
        .until = until,
        .wall_ms = hf_wall_ms(),
        .holds = holds,
    };
    scribe->asks = true;
    leave(scribe);
    wake(scribe);
}

void
hf_scribe_load(struct hf_scribe *scribe, uint64_t term)
{
    enter(scribe);
    HF_CHECK(!scribe->load.reads); /* our claim was answered after it */
    scribe->load.term = term;
    scribe->load.grants = false;
    scribe->load.page.after_len = 0;
    scribe->load.wanted = true;
    if (scribe->store == NULL)
        load_from_scratch(scribe);
    leave(scribe);
    wake(scribe);
}

/* A chunk that is not full is the last of its space. */
void
hf_scribe_load_on(struct hf_scribe *scribe)
{
    struct load *load = &scribe->load;

    enter(scribe);
    if (load->page.count < HF_PAGE_MAX && !load->grants) {
        load->grants = true;
        load->page.after_len = 0;
    }
    load->wanted = true;
    if (scribe->store == NULL)
        load_from_scratch(scribe);
    leave(scribe);
    wake(scribe);
}

void
hf_scribe_audit(struct hf_scribe *scribe, const struct hf_scribe_audit *audit)
{
    HF_CHECK(scribe->store != NULL);
    enter(scribe);
    scribe->audit.asked = *audit;
    scribe->audit.wanted = true;
    leave(scribe);
    wake(scribe);
}

void
hf_scribe_watch(struct hf_scribe *scribe, uint64_t version)
{
    bool other;

    enter(scribe);
    other = scribe->watched != version;
    scribe->watched = version;
    leave(scribe);
    if (other)
        wake(scribe);
}

struct hf_budget
hf_scribe_budget(const struct hf_scribe *scribe)
{
    struct hf_store_limits limits =
        scribe->store != NULL
            ? hf_store_limits(scribe->store)
            : (struct hf_store_limits){.max_operations = SIZE_MAX,
                                       .max_bytes = SIZE_MAX};
    size_t beside =
        HF_REQUEST_OPS * (HF_RECORD_TEXT_MAX + HF_NAME_COMPANION_SIZE);
    size_t operations = limits.max_operations < HF_GROUP_OPERATIONS_MAX
                            ? limits.max_operations
                            : HF_GROUP_OPERATIONS_MAX;

    return (struct hf_budget){
        .operations = (uint32_t)(operations - HF_REQUEST_OPS),
        .bytes = limits.max_bytes - beside,
    };
}

/* ---- Opening ------------------------------------------------------------- */

static enum hf_status
open_store(struct hf_scribe *scribe, struct hf_error *error)
{
    const struct hf_scribe_config *config = &scribe->config;
    enum hf_status status =
        config->open != NULL
            ? config->open(&config->place, config->alloc, &scribe->store, error)
            : hf_store_open_at(&config->place, HF_STORE_TO_SERVE, config->alloc,
                               &scribe->store, error);

    if (status == HF_OK)
        status = check_locks(scribe->store, error);
    if (status == HF_OK && !hf_thread_start(&scribe->thread, work, scribe))
        status = hf_fail(error, HF_E_UNAVAILABLE, "no thread for a scribe");
    return status;
}

static void
free_scribe(struct hf_scribe *scribe)
{
    const struct hf_alloc *alloc = scribe->config.alloc;

    for (size_t i = 0; i < BUNDLES; i++)
        hf_bundle_fini(&scribe->bundles[i]);
    hf_page_fini(&scribe->load.page);
    hf_page_fini(&scribe->audit.page);
    hf_fd_close(&scribe->work_fd);
    hf_store_close(scribe->store);
    hf_free(alloc, scribe);
}

enum hf_status
hf_scribe_open(const struct hf_scribe_config *config, struct hf_scribe **out,
               struct hf_error *error)
{
    struct hf_scribe *scribe = hf_calloc(config->alloc, 1, sizeof(*scribe));
    enum hf_status status = HF_OK;

    if (scribe == NULL)
        return hf_fail(error, HF_E_NOMEM, "no memory for a scribe");
    scribe->config = *config;
    scribe->forgot = config->forgot;
    scribe->load.page.arena.alloc = config->alloc;
    scribe->audit.page.arena.alloc = config->alloc;
    scribe->work_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    pthread_mutex_init(&scribe->mutex, NULL);
    for (size_t i = 0; i < BUNDLES && status == HF_OK; i++)
        status = hf_bundle_init(&scribe->bundles[i], config->alloc);
    if (status != HF_OK)
        (void)hf_fail(error, status, "no memory for a scribe");
    else if (scribe->work_fd < 0)
        status = hf_fail(error, HF_E_UNAVAILABLE, "no descriptor for a scribe");
    else if (!config->place.kind->keeps_nothing)
        status = open_store(scribe, error);
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
    wake(scribe);
    if (scribe->store != NULL)
        pthread_join(scribe->thread, NULL);
    pthread_mutex_destroy(&scribe->mutex);
    free_scribe(scribe);
}

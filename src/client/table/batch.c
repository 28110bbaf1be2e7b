#include "client/table/batch.h"

#include <string.h>

#include "base/check.h"
#include "client/table/diagnose.h"
#include "wire/name.h"

/*
 * The questions that wait, and a batch of them, from core's words to the
 * store's: a target becomes a key, a heartbeat the record around it.
 */

/* Keys of one read, at most: a read that stands in line uses up the patience of
 * who asked for it. */
#define READS_MAX 1000

/* Commits in a row after which reads have their turn, whatever waits. */
#define COMMITS_MAX 4

struct packing {
    struct hf_manager *m;
    struct hf_arena *arena;
    struct hf_instant now;
    int64_t wall_ms;
    struct hf_table_batch *batch;
    size_t bytes;
    bool failed; /* no memory */
};

/* ---- Questions ----------------------------------------------------------- */

static struct hf_requester *
requester_of(struct hf_link *link)
{
    return link == NULL ? NULL : HF_CONTAINER(link, struct hf_requester, link);
}

static struct hf_requester *
first_of(const struct hf_manager *m, enum hf_urgency urgency)
{
    return requester_of(m->questions[urgency].first);
}

static struct hf_requester *
next_of(const struct hf_requester *requester)
{
    return requester_of(requester->link.next);
}

void
hf_batch_add(struct hf_manager *m, struct hf_requester *requester,
             enum hf_urgency urgency)
{
    requester->urgency = (uint8_t)urgency;
    requester->queued = true;
    hf_list_add(&m->questions[urgency], &requester->link);
}

void
hf_batch_remove(struct hf_manager *m, struct hf_requester *requester)
{
    if (!requester->queued)
        return;
    hf_list_remove(&m->questions[requester->urgency], &requester->link);
    requester->queued = false;
}

bool
hf_batch_is_wanted(const struct hf_requester *requester)
{
    uint64_t number;
    bool asks =
        requester->examine != NULL
            ? hf_examiner_asking(&requester->examine->examiner, &number)
            : hf_contender_asking(&requester->queue->contender, &number);

    return asks && number == requester->number;
}

/* The question, built anew from its machine. */
static void
build_request(const struct hf_requester *requester, struct hf_request *request)
{
    if (requester->examine != NULL)
        hf_examiner_request(&requester->examine->examiner, request);
    else
        hf_keeper_request(&requester->queue->contender.keeper, request);
}

/* ---- For how long an answer is of use ------------------------------------ */

/* Until the end of the right that it could give; a claim no longer than the
 * wait for the lock. */
static struct hf_instant
worth_of_write(const struct hf_contender *c)
{
    const struct hf_keeper_config *config = &c->keeper.config;
    struct hf_duration right = {config->terms.ttl.ms - config->margin.ms};
    struct hf_instant until = hf_after(c->keeper.question.asked_at, right);

    if (c->keeper.question.kind == HF_ASK_CLAIM)
        until = hf_earlier(until, c->limit_at);
    return until;
}

/*
 * The patience of a machine tells when to ask again, not when to give up an
 * answer.  A read's is over a little before the machine gives it up, so that
 * the store can say why, and with the wait that it is for: who closes the
 * client then waits for no call.  And there is always some time left for a
 * first try.
 */
static struct hf_instant
worth(const struct hf_requester *requester, struct hf_instant now)
{
    const struct hf_contender *c = &requester->queue->contender;
    const struct hf_question *question =
        requester->examine != NULL ? &requester->examine->examiner.question
                                   : &c->keeper.question;
    int64_t call_ms = question->config.call.ms;
    struct hf_duration least = {hf_question_patience(question).ms / 16};
    struct hf_instant until = hf_after(
        question->asked_at, (struct hf_duration){call_ms - call_ms / 8});

    if (requester->examine == NULL && requester->urgency != HF_URGENT_READ)
        until = worth_of_write(c);
    else if (requester->examine == NULL && !hf_reached(now, c->limit_at))
        until = hf_earlier(until, c->limit_at);
    return hf_later(until, hf_after(now, least));
}

/* ---- Writes -------------------------------------------------------------- */

/* The key of the marker or audit record that goes with a lock. */
static char *
companion_name(const struct hf_queue *queue, uint64_t subject,
               struct hf_arena *arena)
{
    char text[HF_NAME_COMPANION_SIZE];

    hf_name_companion(queue->space, queue->name, subject, text, sizeof(text));
    return hf_arena_copy(arena, text);
}

static struct hf_driver *
driver_of(const struct hf_requester *requester)
{
    return requester->examine != NULL ? &requester->examine->driver
                                      : requester->queue->first;
}

static char *
encode_claim(struct packing *p, const struct hf_requester *requester,
             const struct hf_op *op)
{
    char text[HF_RECORD_TEXT_MAX];
    const struct hf_driver *driver = driver_of(requester);
    struct hf_value value = {.heartbeat = op->heartbeat, .terms = op->terms};

    hf_settings_owner(driver->settings, p->m->config.self, driver->since_ms,
                      &value.owner);
    hf_record_encode(&value, text, sizeof(text));
    return hf_arena_copy(p->arena, text);
}

static char *
encode_audit(struct packing *p, const struct hf_examine *examine)
{
    const struct hf_driver *driver = &examine->driver;
    char text[HF_RECORD_TEXT_MAX];
    struct hf_diagnosis diagnosis;
    struct hf_owner by;
    struct hf_audit_entry entry = {
        .asked_ms = driver->since_ms,
        .forced = examine->examiner.config.force,
    };

    hf_diagnose_driver(p->m, driver, p->now, &diagnosis);
    hf_settings_owner(driver->settings, p->m->config.self, driver->since_ms,
                      &by);
    entry.cleared = diagnosis.record;
    memcpy(entry.host, by.host, sizeof(entry.host));
    memcpy(entry.user, by.user, sizeof(entry.user));
    memcpy(entry.command, by.command, sizeof(entry.command));
    memcpy(entry.reason, by.reason, sizeof(entry.reason));
    hf_audit_encode(&entry, text, sizeof(text));
    return hf_arena_copy(p->arena, text);
}

/* In core's words to the store's; false: no memory. */
static bool
pack_op(struct packing *p, const struct hf_requester *requester,
        const struct hf_op *op, struct hf_store_op *packed)
{
    const struct hf_queue *queue = requester->queue;

    *packed = (struct hf_store_op){
        .kind = op->kind,
        .expect = op->expect,
        .new_generation = op->new_generation,
    };
    switch (op->target) {
    case HF_TARGET_LOCK:
        packed->key = (struct hf_key){queue->space, queue->name};
        break;
    case HF_TARGET_MARKER:
        packed->key.space = "!RECLAIM";
        packed->key.name = companion_name(queue, op->subject, p->arena);
        break;
    case HF_TARGET_AUDIT:
        HF_CHECK(requester->examine != NULL); /* whose clear it is */
        packed->key.space = "!audit";
        packed->key.name = companion_name(queue, op->subject, p->arena);
        break;
    }
    if (op->kind == HF_PUT) {
        packed->value = op->target == HF_TARGET_AUDIT
                            ? encode_audit(p, requester->examine)
                            : encode_claim(p, requester, op);
        packed->value_len = packed->value == NULL ? 0 : strlen(packed->value);
    }
    return packed->key.name != NULL &&
           (op->kind != HF_PUT || packed->value != NULL);
}

static bool
pack_write(struct packing *p, struct hf_requester *requester,
           struct hf_table_batch_item *item)
{
    struct hf_request request;
    struct hf_driver *driver = driver_of(requester);
    bool first = true;

    build_request(requester, &request);
    if (requester->examine != NULL || request.ops[0].new_generation)
        driver->since_ms = p->wall_ms;
    for (unsigned i = 0; i < request.ops_count; i++)
        first = first && pack_op(p, requester, &request.ops[i], &item->ops[i]);
    if (!first)
        return false;
    item->deletes = request.ops[0].kind == HF_DELETE;
    item->index = p->batch->groups_count;
    p->batch->groups[p->batch->groups_count++] = (struct hf_store_group){
        .ops = item->ops,
        .ops_count = request.ops_count,
        .until = worth(requester, p->now),
    };
    p->bytes += hf_store_group_bytes(&p->batch->groups[item->index]);
    requester->queue->writing = true;
    return true;
}

/* ---- Reads --------------------------------------------------------------- */

static bool
is_read_in(const struct hf_queue *queue, const struct hf_table_batch *batch)
{
    return queue->read_index < batch->keys_count &&
           batch->keys[queue->read_index].name == queue->name;
}

/* However many ask for a key, it is read once. */
static void
pack_read(struct packing *p, struct hf_requester *requester,
          struct hf_table_batch_item *item)
{
    struct hf_queue *queue = requester->queue;
    struct hf_table_batch *batch = p->batch;

    if (!is_read_in(queue, batch)) {
        queue->read_index = (unsigned)batch->keys_count;
        batch->keys[batch->keys_count++] =
            (struct hf_key){queue->space, queue->name};
    }
    item->index = queue->read_index;
}

/* ---- A batch ------------------------------------------------------------- */

/* Take one question; false: it does not go into this batch. */
static bool
take_one(struct packing *p, struct hf_requester *requester)
{
    struct hf_table_batch *batch = p->batch;
    struct hf_table_batch_item *item = &batch->items[batch->items_count];
    bool read = requester->urgency == HF_URGENT_READ;

    if (!read && requester->queue->writing)
        return false; /* another write of this key goes first */
    *item = (struct hf_table_batch_item){
        .queue = requester->queue,
        .examine = requester->examine,
        .of_contender = requester->examine == NULL,
        .incarnation = requester->queue->incarnation,
        .number = requester->number,
    };
    if (read)
        pack_read(p, requester, item);
    else
        p->failed = !pack_write(p, requester, item);
    if (p->failed)
        return false;
    batch->until = batch->items_count == 0
                       ? worth(requester, p->now)
                       : hf_later(batch->until, worth(requester, p->now));
    hf_batch_remove(p->m, requester);
    if (requester->queue->calls++ == 0)
        requester->queue->called_at = p->now;
    batch->items_count++;
    return true;
}

static void
take_all(struct packing *p, enum hf_urgency urgency, size_t room)
{
    struct hf_requester *requester = first_of(p->m, urgency);

    while (requester != NULL && !p->failed && p->batch->items_count < room &&
           p->bytes < p->m->config.bytes_max - 2 * HF_RECORD_TEXT_MAX) {
        struct hf_requester *after = next_of(requester);

        HF_CHECK(hf_batch_is_wanted(requester));
        (void)take_one(p, requester);
        requester = after;
    }
}

static size_t
count(const struct hf_manager *m, enum hf_urgency urgency, size_t most)
{
    size_t counted = 0;

    for (const struct hf_requester *a = first_of(m, urgency);
         a != NULL && counted < most; a = next_of(a))
        counted++;
    return counted;
}

static bool
have_writes(const struct hf_manager *m)
{
    for (int u = 0; u < HF_URGENT_READ; u++)
        for (const struct hf_requester *a = first_of(m, (enum hf_urgency)u);
             a != NULL; a = next_of(a))
            if (!a->queue->writing)
                return true;
    return false;
}

/* Writes go first, but no stream of writes keeps reads waiting for ever: beats
 * are one, if a commit takes longer than the time between two beats. */
static bool
reads_are_next(const struct hf_manager *m)
{
    return m->questions[HF_URGENT_READ].first != NULL &&
           (m->commits >= COMMITS_MAX || !have_writes(m));
}

bool
hf_batch_is_due(const struct hf_manager *m)
{
    return m->questions[HF_URGENT_READ].first != NULL || have_writes(m);
}

static struct hf_table_batch *
open_batch(struct hf_arena *arena, bool reads, size_t room)
{
    struct hf_table_batch *batch = hf_arena_take(arena, sizeof(*batch));

    if (batch == NULL)
        return NULL;
    *batch = (struct hf_table_batch){.until = {0}};
    batch->items = hf_arena_take(arena, room * sizeof(*batch->items));
    if (reads) {
        batch->keys = hf_arena_take(arena, room * sizeof(*batch->keys));
        batch->readings = hf_arena_take(arena, room * sizeof(*batch->readings));
    } else {
        batch->groups = hf_arena_take(arena, room * sizeof(*batch->groups));
    }
    if (batch->items == NULL ||
        (reads ? batch->keys == NULL || batch->readings == NULL
               : batch->groups == NULL))
        return NULL;
    return batch;
}

bool
hf_batch_take(struct hf_manager *m, struct hf_arena *arena,
              struct hf_instant now, int64_t wall_ms,
              struct hf_table_batch **batch)
{
    struct packing p = {.m = m, .arena = arena, .now = now, .wall_ms = wall_ms};
    bool reads = reads_are_next(m);
    size_t most = reads ? READS_MAX : m->config.operations_max / HF_REQUEST_OPS;
    size_t room = 0;

    for (int u = 0; u < HF_URGENCIES; u++)
        if ((u == HF_URGENT_READ) == reads)
            room += count(m, (enum hf_urgency)u, most);
    if (room > most)
        room = most;
    if (room == 0)
        return false;
    p.batch = open_batch(arena, reads, room);
    if (p.batch == NULL)
        return false;
    for (int u = 0; u < HF_URGENCIES; u++)
        if ((u == HF_URGENT_READ) == reads)
            take_all(&p, (enum hf_urgency)u, room);
    if (p.batch->items_count == 0)
        return false;
    m->commits = reads ? 0 : m->commits + 1;
    p.batch->next = m->batches;
    m->batches = p.batch;
    *batch = p.batch;
    return true;
}

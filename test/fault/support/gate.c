#include "gate.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "support/forward_journal.h"
#include "support/forward_store.h"

/* Longer than anything takes on a busy machine. */
enum { PATIENCE_MS = 20000 };

struct gate_journal {
    struct forward_journal forward;
    struct gate *gate; /* borrowed */
};

static struct gate *
gate_of(struct hf_journal *journal)
{
    return ((struct gate_journal *)(void *)journal)->gate;
}

static void
pass(struct gate *gate, unsigned kind)
{
    unsigned number;

    hf_monitor_enter(&gate->monitor);
    if ((gate->shut & kind) != 0) {
        number = ++gate->arrived;
        hf_monitor_notify_all(&gate->changed);
        while (gate->shut != 0 && gate->let < number)
            hf_monitor_wait(&gate->monitor, &gate->changed, HF_NEVER);
    }
    hf_monitor_leave(&gate->monitor);
}

/* ---- A store ------------------------------------------------------------- */

struct gate_store {
    struct forward_store forward;
    struct gate *gate; /* borrowed */
};

static enum hf_status
get(struct hf_store *store, const struct hf_key *keys, size_t keys_count,
    struct hf_instant until, hf_store_found_fn *found, void *ctx,
    struct hf_error *error)
{
    pass(((struct gate_store *)(void *)store)->gate, GATE_READS);
    return forward_store_get(store, keys, keys_count, until, found, ctx, error);
}

struct hf_store *
gate_store_open(struct gate *gate, const char *place)
{
    static const struct hf_store_methods changed = {.get = get};
    struct gate_store *store =
        forward_store_open(place, sizeof(*store), &changed);

    assert_non_null(store);
    store->gate = gate;
    return &store->forward.base;
}

/* ---- The journal --------------------------------------------------------- */

static enum hf_status
read_head(struct hf_journal *journal, struct hf_instant until,
          struct hf_journal_found *found, struct hf_error *error)
{
    pass(gate_of(journal), GATE_READS);
    return forward_journal_read(journal, until, found, error);
}

static enum hf_status
load(struct hf_journal *journal, struct hf_journal_chunk *chunk,
     struct hf_instant until, struct hf_error *error)
{
    pass(gate_of(journal), GATE_LOADS);
    return forward_journal_load(journal, chunk, until, error);
}

static uint64_t
hash_of(const struct hf_journal_write *write)
{
    uint64_t hash = hf_hash_bytes(HF_HASH_SEED, &write->head->next_fence,
                                  sizeof(write->head->next_fence));

    for (size_t i = 0; i < write->changes_count; i++) {
        const struct hf_journal_change *change = &write->changes[i];
        const struct hf_bytes *locks = &change->grant.locks;

        hash = hf_hash_bytes(hash, &change->kind, sizeof(change->kind));
        hash = hf_hash_bytes(hash, &change->key, sizeof(change->key));
        if (change->kind == HF_CHANGE_PUT_GRANT)
            hash = hf_hash_bytes(hash, locks->at, locks->len);
    }
    return hash;
}

static enum hf_verdict
write_batch(struct hf_journal *journal, const struct hf_journal_write *write,
            struct hf_instant until, uint64_t *version, struct hf_error *error)
{
    struct gate *gate = gate_of(journal);
    uint64_t hash = hash_of(write);

    pass(gate, GATE_WRITES);
    hf_monitor_enter(&gate->monitor);
    gate->altered |= hash != hash_of(write);
    hf_monitor_leave(&gate->monitor);
    return forward_journal_write(journal, write, until, version, error);
}

struct hf_journal *
gate_journal_open(struct gate *gate, const char *place)
{
    static const struct hf_journal_methods changed = {
        .read = read_head,
        .write = write_batch,
        .load = load,
    };
    struct gate_journal *journal = forward_journal_open(
        place, sizeof(*journal), &hf_alloc_libc, &changed, NULL);

    assert_non_null(journal);
    journal->gate = gate;
    return &journal->forward.base;
}

/* ---- The gate ------------------------------------------------------------ */

void
gate_init(struct gate *gate)
{
    *gate = (struct gate){.shut = 0};
    hf_monitor_init(&gate->monitor);
}

void
gate_fini(struct gate *gate)
{
    hf_monitor_fini(&gate->monitor);
}

static void
set(struct gate *gate, unsigned kinds)
{
    hf_monitor_enter(&gate->monitor);
    gate->shut = kinds;
    gate->arrived = gate->let = 0;
    hf_monitor_notify_all(&gate->changed);
    hf_monitor_leave(&gate->monitor);
}

void
gate_shut(struct gate *gate, unsigned kinds)
{
    set(gate, kinds);
}

void
gate_open(struct gate *gate)
{
    set(gate, 0);
}

unsigned
gate_arrived(struct gate *gate)
{
    unsigned arrived;

    hf_monitor_enter(&gate->monitor);
    arrived = gate->arrived;
    hf_monitor_leave(&gate->monitor);
    return arrived;
}

void
gate_await(struct gate *gate, unsigned count)
{
    struct hf_instant end =
        hf_after(hf_now(), (struct hf_duration){PATIENCE_MS});
    bool came;

    hf_monitor_enter(&gate->monitor);
    while (gate->arrived < count && !hf_reached(hf_now(), end))
        hf_monitor_wait(&gate->monitor, &gate->changed, end);
    came = gate->arrived >= count;
    hf_monitor_leave(&gate->monitor);
    assert_true(came);
}

void
gate_let_one(struct gate *gate)
{
    hf_monitor_enter(&gate->monitor);
    gate->let++;
    hf_monitor_notify_all(&gate->changed);
    hf_monitor_leave(&gate->monitor);
}

#include "gate.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include <string.h>

#include "base/hash.h"
#include "support/forward_store.h"

/* Longer than anything takes on a busy machine. */
enum { PATIENCE_MS = 20000 };

struct gate_store {
    struct forward_store forward;
    struct gate *gate; /* borrowed */
};

static struct gate *
gate_of(struct hf_store *store)
{
    return ((struct gate_store *)(void *)store)->gate;
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

/* ---- The store ----------------------------------------------------------- */

static enum hf_status
get(struct hf_store *store, const struct hf_key *keys, size_t keys_count,
    struct hf_instant until, hf_store_found_fn *found, void *ctx,
    struct hf_error *error)
{
    pass(gate_of(store), GATE_GETS);
    return forward_store_get(store, keys, keys_count, until, found, ctx, error);
}

static enum hf_status
scan(struct hf_store *store, const struct hf_store_scan *what,
     hf_store_row_fn *row, void *ctx, struct hf_error *error)
{
    pass(gate_of(store), GATE_SCANS);
    return forward_store_scan(store, what, row, ctx, error);
}

static uint64_t
hash_text(uint64_t hash, const char *text)
{
    return hf_hash_bytes(hash, text, strlen(text) + 1);
}

static uint64_t
hash_of(const struct hf_store_group *groups, size_t count)
{
    uint64_t hash = HF_HASH_SEED;

    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < groups[i].ops_count; j++) {
            const struct hf_store_op *op = &groups[i].ops[j];

            hash = hf_hash_bytes(hash, &op->kind, sizeof(op->kind));
            hash = hash_text(hash, op->key.space);
            hash = hash_text(hash, op->key.name);
            if (op->kind == HF_PUT)
                hash = hf_hash_bytes(hash, op->value, op->value_len);
        }
    return hash;
}

static void
commit(struct hf_store *store, struct hf_store_group *groups, size_t count,
       struct hf_instant until, struct hf_error *error)
{
    struct gate *gate = gate_of(store);
    uint64_t hash = hash_of(groups, count);

    pass(gate, GATE_COMMITS);
    hf_monitor_enter(&gate->monitor);
    gate->altered |= hash != hash_of(groups, count);
    hf_monitor_leave(&gate->monitor);
    forward_store_commit(store, groups, count, until, error);
}

struct hf_store *
gate_store_open(struct gate *gate, const char *place)
{
    static const struct hf_store_methods changed = {
        .get = get,
        .scan = scan,
        .commit = commit,
    };
    struct gate_store *store =
        forward_store_open(place, sizeof(*store), &changed);

    assert_non_null(store);
    store->gate = gate;
    return &store->forward.base;
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

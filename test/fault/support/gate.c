#include "gate.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include <string.h>

#include "base/cond.h"
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

    pthread_mutex_lock(&gate->mutex);
    if ((gate->shut & kind) != 0) {
        number = ++gate->arrived;
        pthread_cond_broadcast(&gate->changed);
        while (gate->shut != 0 && gate->let < number)
            hf_cond_wait(&gate->changed, &gate->mutex, HF_NEVER);
    }
    pthread_mutex_unlock(&gate->mutex);
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
    pthread_mutex_lock(&gate->mutex);
    gate->altered |= hash != hash_of(groups, count);
    pthread_mutex_unlock(&gate->mutex);
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
    pthread_mutex_init(&gate->mutex, NULL);
    hf_cond_init(&gate->changed);
}

void
gate_fini(struct gate *gate)
{
    pthread_cond_destroy(&gate->changed);
    pthread_mutex_destroy(&gate->mutex);
}

static void
set(struct gate *gate, unsigned kinds)
{
    pthread_mutex_lock(&gate->mutex);
    gate->shut = kinds;
    gate->arrived = gate->let = 0;
    pthread_cond_broadcast(&gate->changed);
    pthread_mutex_unlock(&gate->mutex);
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

    pthread_mutex_lock(&gate->mutex);
    arrived = gate->arrived;
    pthread_mutex_unlock(&gate->mutex);
    return arrived;
}

void
gate_await(struct gate *gate, unsigned count)
{
    struct hf_instant end =
        hf_after(hf_now(), (struct hf_duration){PATIENCE_MS});
    bool came;

    pthread_mutex_lock(&gate->mutex);
    while (gate->arrived < count && !hf_reached(hf_now(), end))
        hf_cond_wait(&gate->changed, &gate->mutex, end);
    came = gate->arrived >= count;
    pthread_mutex_unlock(&gate->mutex);
    assert_true(came);
}

void
gate_let_one(struct gate *gate)
{
    pthread_mutex_lock(&gate->mutex);
    gate->let++;
    pthread_cond_broadcast(&gate->changed);
    pthread_mutex_unlock(&gate->mutex);
}

#include "lossy.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/check.h"
#include "base/fail.h"
#include "support/forward_store.h"
#include "support/get_one.h"

struct kept {
    struct hf_store_group *groups; /* with all they point to, in the arena */
    size_t groups_count;
    unsigned due; /* the operation before which it is applied; 0: the end */
    struct kept *next;
};

struct lossy {
    struct forward_store forward;
    struct lossy_sea *sea; /* borrowed */
};

static struct lossy_sea *
sea_of(struct hf_store *store)
{
    return ((struct lossy *)(void *)store)->sea;
}

/* ---- Late writes -------------------------------------------------------- */

static void *
take(struct lossy_sea *sea, size_t size)
{
    void *memory = hf_arena_take(&sea->arena, size);

    HF_CHECK(memory != NULL);
    return memory;
}

static const char *
copy_text(struct lossy_sea *sea, const char *text)
{
    const char *copy = hf_arena_copy(&sea->arena, text);

    HF_CHECK(copy != NULL);
    return copy;
}

static void
copy_op(struct lossy_sea *sea, struct hf_store_op *to,
        const struct hf_store_op *from)
{
    char *value;

    *to = *from;
    to->key.space = copy_text(sea, from->key.space);
    to->key.name = copy_text(sea, from->key.name);
    if (from->kind != HF_PUT)
        return;
    value = take(sea, from->value_len + 1);
    memcpy(value, from->value, from->value_len);
    to->value = value;
}

static void
keep(struct lossy_sea *sea, const struct hf_store_group *groups, size_t count)
{
    struct kept *kept = take(sea, sizeof(*kept));

    *kept = (struct kept){
        .groups = take(sea, count * sizeof(*groups)),
        .groups_count = count,
        .due = sea->plan.later == 0 ? 0 : sea->operations + sea->plan.later,
        .next = sea->kept,
    };
    for (size_t i = 0; i < count; i++) {
        kept->groups[i] = groups[i];
        kept->groups[i].ops =
            take(sea, groups[i].ops_count * sizeof(*kept->groups[i].ops));
        for (size_t j = 0; j < groups[i].ops_count; j++)
            copy_op(sea, &kept->groups[i].ops[j], &groups[i].ops[j]);
    }
    sea->kept = kept;
}

/* Apply what is due; its verdict is nobody's. */
static void
apply_kept(struct lossy_sea *sea, bool end)
{
    struct kept **link = &sea->kept;

    while (*link != NULL) {
        struct kept *kept = *link;

        if (!end && (kept->due == 0 || kept->due > sea->operations)) {
            link = &kept->next;
            continue;
        }
        if (end && kept->due > 0)
            sea->waited_to_the_end = true;
        hf_store_commit(sea->inner, kept->groups, kept->groups_count, HF_NEVER,
                        NULL);
        *link = kept->next;
    }
}

/* ---- The store ---------------------------------------------------------- */

static void
begin_operation(struct lossy_sea *sea)
{
    sea->operations++;
    apply_kept(sea, false);
}

static bool
is_lost(const struct lossy_sea *sea, unsigned number)
{
    return number >= sea->plan.at && number - sea->plan.at < sea->plan.count;
}

/* Is the reply to this read lost? */
static bool
loses_read(struct lossy_sea *sea)
{
    bool lost;

    pthread_mutex_lock(&sea->mutex);
    begin_operation(sea);
    sea->reads++;
    lost = sea->blind ||
           (sea->plan.how == LOSSY_BLIND && is_lost(sea, sea->reads));
    sea->blind = false;
    sea->losses += lost;
    pthread_mutex_unlock(&sea->mutex);
    return lost;
}

static enum hf_status
lose_read(struct hf_error *error)
{
    return hf_fail(error, HF_E_UNAVAILABLE, "the read was lost");
}

static enum hf_status
get(struct hf_store *store, const struct hf_key *keys, size_t keys_count,
    struct hf_instant until, hf_store_found_fn *found, void *ctx,
    struct hf_error *error)
{
    if (loses_read(sea_of(store)))
        return lose_read(error);
    return forward_store_get(store, keys, keys_count, until, found, ctx, error);
}

static enum hf_status
scan(struct hf_store *store, const struct hf_store_scan *what,
     struct hf_instant until, hf_store_row_fn *row, void *ctx,
     struct hf_error *error)
{
    if (loses_read(sea_of(store)))
        return lose_read(error);
    return forward_store_scan(store, what, until, row, ctx, error);
}

static void
answer(struct hf_store_group *groups, size_t count, enum hf_verdict verdict)
{
    for (size_t i = 0; i < count; i++) {
        groups[i].verdict = verdict;
        for (size_t j = 0; j < groups[i].ops_count; j++)
            groups[i].ops[j].version = 0;
    }
}

static void
lose(struct lossy_sea *sea, struct hf_store_group *groups, size_t count,
     struct hf_error *error)
{
    sea->blind = sea->plan.then_blind;
    switch (sea->plan.how) {
    case LOSSY_APPLIED:
        hf_store_commit(sea->inner, groups, count, HF_NEVER, NULL);
        break;
    case LOSSY_LATER:
        keep(sea, groups, count);
        break;
    case LOSSY_UNAVAILABLE:
        answer(groups, count, HF_UNAVAILABLE);
        (void)hf_fail(error, HF_E_UNAVAILABLE, "the write was turned down");
        return;
    case LOSSY_SLOW:
        hf_store_commit(sea->inner, groups, count, HF_NEVER, error);
        return;
    case LOSSY_DROPPED:
    case LOSSY_BLIND:
        break;
    }
    answer(groups, count, HF_UNKNOWN);
    (void)hf_fail(error, HF_E_UNKNOWN, "the answer was lost");
}

static void
let_pass(struct hf_instant until)
{
    while (!hf_reached(hf_now(), until))
        (void)poll(NULL, 0, (int)hf_between(hf_now(), until).ms + 1);
}

/* Under the mutex: the order in which writes are counted is the order in
 * which they are applied. */
static void
commit(struct hf_store *store, struct hf_store_group *groups, size_t count,
       struct hf_instant until, struct hf_error *error)
{
    struct lossy_sea *sea = sea_of(store);
    bool lost;
    bool slow;

    pthread_mutex_lock(&sea->mutex);
    begin_operation(sea);
    sea->writes++;
    lost = sea->plan.how != LOSSY_BLIND && is_lost(sea, sea->writes);
    slow = lost && sea->plan.how == LOSSY_SLOW;
    sea->losses += lost;
    if (lost)
        lose(sea, groups, count, error);
    else
        forward_store_commit(store, groups, count, until, error);
    pthread_mutex_unlock(&sea->mutex);
    if (slow)
        let_pass(until);
}

/* ---- The sea ------------------------------------------------------------ */

enum hf_status
lossy_sea_open(struct lossy_sea *sea, const char *place,
               const struct lossy_plan *plan)
{
    *sea = (struct lossy_sea){
        .plan = *plan,
        .arena = {.alloc = &hf_alloc_libc},
    };
    pthread_mutex_init(&sea->mutex, NULL);
    return hf_store_open(place, &hf_alloc_libc, &sea->inner, NULL);
}

struct hf_store *
lossy_open(struct lossy_sea *sea, const char *place)
{
    static const struct hf_store_methods changed = {
        .get = get,
        .scan = scan,
        .commit = commit,
    };
    struct lossy *lossy = forward_store_open(place, sizeof(*lossy), &changed);

    if (lossy == NULL)
        return NULL;
    lossy->sea = sea;
    return &lossy->forward.base;
}

void
lossy_sea_end(struct lossy_sea *sea)
{
    pthread_mutex_lock(&sea->mutex);
    apply_kept(sea, true);
    sea->plan.count = 0;
    sea->blind = false;
    pthread_mutex_unlock(&sea->mutex);
}

static bool
count_row(void *ctx, const char *name, size_t name_len,
          const struct hf_record *record)
{
    size_t *count = ctx;

    (void)name;
    (void)name_len;
    (void)record;
    ++*count;
    return true;
}

size_t
lossy_sea_records(struct lossy_sea *sea, const char *space)
{
    struct hf_store_scan all = {.space = space, .prefix = "", .limit = 1000};
    size_t count = 0;

    HF_CHECK(hf_store_scan(sea->inner, &all, HF_NEVER, count_row, &count,
                           NULL) == HF_OK);
    return count;
}

uint64_t
lossy_sea_token(struct lossy_sea *sea, struct hf_key key)
{
    struct hf_record record;

    HF_CHECK(get_one(sea->inner, key, HF_NEVER, &record, NULL) == HF_OK);
    return record.exists ? record.token : 0;
}

void
lossy_sea_close(struct lossy_sea *sea)
{
    hf_store_close(sea->inner);
    hf_arena_fini(&sea->arena);
    pthread_mutex_destroy(&sea->mutex);
}

const char *
lossy_plan_text(const struct lossy_plan *plan, char *buffer, size_t size)
{
    static const char *const words[] = {
        [LOSSY_APPLIED] = "write applied, answer lost",
        [LOSSY_DROPPED] = "write lost",
        [LOSSY_LATER] = "write late",
        [LOSSY_BLIND] = "read failed",
        [LOSSY_UNAVAILABLE] = "write turned down",
        [LOSSY_SLOW] = "write answered too late",
    };

    snprintf(buffer, size, "%s: number %u, %u in a row, %u later%s",
             words[plan->how], plan->at, plan->count, plan->later,
             plan->then_blind ? ", then a failed read" : "");
    return buffer;
}

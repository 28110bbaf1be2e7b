#include "postgresql/commit.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "postgresql/sql.h"
#include "postgresql/state.h"
#include "postgresql/transact.h"
#include "store/pause.h"
#include "store/rule.h"

/* What schema.sql says of a group. */
enum answer {
    ANSWER_APPLIED = 0,
    ANSWER_REFUSED = 1,
    ANSWER_BUSY = 2,     /* another session has one of its rows locked */
    ANSWER_SERVED = 3,   /* a lock server leads; its head is the reason */
    ANSWER_PROMOTED = 4, /* a moment ago: nothing is granted yet */
    ANSWER_BEYOND = 5,   /* a version that no Holdfast gives */
};

/* What it calls operations and expectations. */
enum { KIND_CLAIM, KIND_BEAT, KIND_DELETE, KIND_ERASE };
enum { EXPECT_ABSENT = -1, EXPECT_ANYTHING = -2 };

/* So long all groups of a commit together may wait for other sessions, at most,
 * and for such a part of the time that the first of them has: meanwhile the
 * answers of all others wait, too, and who is told in vain comes again. */
enum { AGAIN_MAX_MS = 1000, AGAIN_PART = 6 };
enum { MOMENT_MS = 4 }; /* so long a commit of another takes */
#define LOCKED "55P03"
static const struct hf_error locked = {
    HF_E_UNAVAILABLE,
    "another session of the database keeps a row of it locked",
};

static const char apply[] =
    "SELECT * FROM @schema@.apply($1, $2, $3, $4, $5, $6, $7, $8)";

/* Of which group, and which of its operations, a place in the arrays is. */
struct position {
    struct hf_store_group *group;
    size_t group_index;
    size_t op_index;
};

/* Some groups on their way, in one transaction. */
struct sending {
    struct hf_pg_store *store;
    struct hf_pg_link *link;
    struct hf_store_group **groups; /* borrowed */
    size_t groups_count;
    struct hf_instant until;
    struct hf_instant soonest;   /* the first of them has no use for an answer
                                    then */
    struct hf_duration patience; /* with others' locks; 0: it never waits */
    struct hf_arena *arena;
    struct hf_error *error;

    char digits[HF_PG_DIGITS_SIZE]; /* of `patience` */
    size_t ops_count;
    struct position *positions; /* of the operations */
    bool *busy;                 /* of each group: it is to be sent again */
};

/* ---- Admission ----------------------------------------------------------- */

/* Texts are UTF-8 here.  A name that is none is of no lock of ours. */
static bool
is_text(const struct hf_store_op *op)
{
    size_t space_len = strlen(op->key.space);
    size_t name_len = strlen(op->key.name);

    return hf_pg_text_len(op->key.space, space_len) == space_len &&
           hf_pg_text_len(op->key.name, name_len) == name_len &&
           (op->kind != HF_PUT ||
            hf_pg_text_len(op->value, op->value_len) == op->value_len);
}

static bool
admit(const struct hf_store_group *group, struct hf_error *error)
{
    if (hf_rule_admit(group, error) != HF_OK)
        return false;
    for (size_t i = 0; i < group->ops_count; i++) {
        if (is_text(&group->ops[i]))
            continue;
        (void)hf_fail(error, HF_E_INVALID,
                      "a name or a value is not UTF-8, and PostgreSQL keeps "
                      "nothing else");
        return false;
    }
    return true;
}

/* ---- What is sent -------------------------------------------------------- */

static int32_t
kind_of(const struct hf_store_op *op)
{
    switch (op->kind) {
    case HF_PUT:
        return op->new_generation ? KIND_CLAIM : KIND_BEAT;
    case HF_DELETE:
        return KIND_DELETE;
    case HF_ERASE:
        break;
    }
    return KIND_ERASE;
}

static int64_t
expect_of(const struct hf_store_op *op)
{
    switch (op->expect.kind) {
    case HF_EXPECT_VERSION:
        /* A version beyond all others matches none, as it should. */
        return op->expect.version > INT64_MAX ? INT64_MAX
                                              : (int64_t)op->expect.version;
    case HF_EXPECT_ABSENT:
        return EXPECT_ABSENT;
    case HF_EXPECT_ANYTHING:
        break;
    }
    return EXPECT_ANYTHING;
}

struct arrays {
    struct hf_pg_array spaces;
    struct hf_pg_array names;
    struct hf_pg_array kinds;
    struct hf_pg_array expects;
    struct hf_pg_array values;
    struct hf_pg_array groups;
};

struct sizes {
    size_t ops;
    size_t spaces;
    size_t names;
    size_t values;
};

static struct sizes
measure(const struct sending *s)
{
    struct sizes sizes = {0};

    for (size_t i = 0; i < s->groups_count; i++) {
        const struct hf_store_group *group = s->groups[i];

        for (size_t k = 0; k < group->ops_count; k++) {
            const struct hf_store_op *op = &group->ops[k];

            sizes.ops++;
            sizes.spaces += strlen(op->key.space);
            sizes.names += strlen(op->key.name);
            if (op->kind == HF_PUT)
                sizes.values += op->value_len;
        }
    }
    return sizes;
}

static bool
init_arrays(struct sending *s, struct arrays *a)
{
    struct sizes sizes = measure(s);

    s->ops_count = sizes.ops;
    s->positions = hf_arena_take(s->arena, sizes.ops * sizeof(*s->positions));
    s->busy = hf_arena_take(s->arena, s->groups_count * sizeof(*s->busy));
    return s->positions != NULL && s->busy != NULL &&
           hf_pg_array_init(&a->spaces, s->arena, HF_PG_TEXT_ARRAY, sizes.ops,
                            sizes.spaces) &&
           hf_pg_array_init(&a->names, s->arena, HF_PG_TEXT_ARRAY, sizes.ops,
                            sizes.names) &&
           hf_pg_array_init(&a->kinds, s->arena, HF_PG_INT4_ARRAY, sizes.ops,
                            sizes.ops * sizeof(int32_t)) &&
           hf_pg_array_init(&a->expects, s->arena, HF_PG_INT8_ARRAY, sizes.ops,
                            sizes.ops * sizeof(int64_t)) &&
           hf_pg_array_init(&a->values, s->arena, HF_PG_TEXT_ARRAY, sizes.ops,
                            sizes.values) &&
           hf_pg_array_init(&a->groups, s->arena, HF_PG_INT4_ARRAY, sizes.ops,
                            sizes.ops * sizeof(int32_t));
}

static void
add_op(struct arrays *a, const struct hf_store_op *op, size_t group)
{
    bool puts = op->kind == HF_PUT;

    hf_pg_array_add_text(&a->spaces, op->key.space, strlen(op->key.space));
    hf_pg_array_add_text(&a->names, op->key.name, strlen(op->key.name));
    hf_pg_array_add_int4(&a->kinds, kind_of(op));
    hf_pg_array_add_int8(&a->expects, expect_of(op));
    hf_pg_array_add_text(&a->values, puts ? op->value : NULL,
                         puts ? op->value_len : 0);
    hf_pg_array_add_int4(&a->groups, (int32_t)group + 1);
}

/* The values of `apply`.  False: no memory. */
static bool
encode(struct sending *s, struct hf_pg_value values[8])
{
    size_t count = 0;
    struct arrays a;

    if (!init_arrays(s, &a))
        return false;
    for (size_t i = 0; i < s->groups_count; i++) {
        s->busy[i] = false;
        for (size_t k = 0; k < s->groups[i]->ops_count; k++) {
            add_op(&a, &s->groups[i]->ops[k], i);
            s->positions[count++] = (struct position){s->groups[i], i, k};
        }
    }
    values[0] = hf_pg_array_value(&a.spaces);
    values[1] = hf_pg_array_value(&a.names);
    values[2] = hf_pg_array_value(&a.kinds);
    values[3] = hf_pg_array_value(&a.expects);
    values[4] = hf_pg_array_value(&a.values);
    values[5] = hf_pg_number(s->digits, s->patience.ms);
    values[5].type = HF_PG_INT4;
    values[6] = hf_pg_flags(&s->store->pool.place);
    values[7] = hf_pg_array_value(&a.groups);
    if (s->ops_count == s->groups_count)
        values[7] = (struct hf_pg_value){.type = HF_PG_INT4_ARRAY};
    return true;
}

/* ---- Who is told --------------------------------------------------------- */

static size_t
count_deletes(const struct sending *s)
{
    size_t count = 0;

    for (size_t i = 0; i < s->groups_count; i++)
        for (size_t k = 0; k < s->groups[i]->ops_count; k++)
            count += s->groups[i]->ops[k].kind == HF_DELETE;
    return count;
}

/* The keys that would be left as tombstones.  False: there are none, or there
 * is no memory to tell. */
static bool
encode_deletes(struct sending *s, struct hf_pg_value *value)
{
    enum { DIGITS = HF_PG_WORD_SIZE - 1 };
    size_t count = count_deletes(s);
    struct hf_pg_array words;

    if (count == 0 || !hf_pg_array_init(&words, s->arena, HF_PG_TEXT_ARRAY,
                                        count, count * DIGITS))
        return false;
    for (size_t i = 0; i < s->groups_count; i++) {
        for (size_t k = 0; k < s->groups[i]->ops_count; k++) {
            const struct hf_store_op *op = &s->groups[i]->ops[k];
            char word[HF_PG_WORD_SIZE];

            if (op->kind != HF_DELETE)
                continue;
            hf_pg_listener_word(op->key, word);
            hf_pg_array_add_text(&words, word, DIGITS);
        }
    }
    *value = hf_pg_array_value(&words);
    return true;
}

/* ---- What came back ------------------------------------------------------ */

static void
judge(const struct sending *s, enum hf_verdict verdict)
{
    for (size_t i = 0; i < s->groups_count; i++) {
        struct hf_store_group *group = s->groups[i];

        group->verdict = verdict;
        for (size_t k = 0; k < group->ops_count; k++)
            group->ops[k].version = 0;
    }
}

/* The first reason stands. */
static bool
wants_reason(const struct sending *s)
{
    return s->error != NULL && s->error->status == HF_OK;
}

static void
give_error(const struct sending *s, const struct hf_error *why)
{
    if (wants_reason(s))
        *s->error = *why;
}

static void
give_reason(const struct sending *s, const PGresult *rows, int row,
            enum answer answer)
{
    const char *why = PQgetvalue(rows, row, 3);
    int64_t number = hf_pg_column(rows, row, 2);

    if (!wants_reason(s))
        return;
    switch (answer) {
    case ANSWER_SERVED:
        if (hf_pg_state_unserved(s->store, why,
                                 (size_t)PQgetlength(rows, row, 3),
                                 s->error) == HF_OK)
            (void)hf_fail(s->error, HF_E_UNAVAILABLE,
                          "a lock server's record in it cannot be read");
        break;
    case ANSWER_PROMOTED:
        (void)hf_fail(s->error, HF_E_UNAVAILABLE,
                      "the server was promoted or restored %" PRId64
                      " s ago and may have lost what was granted before: "
                      "nothing is granted for %lld s",
                      number / 1000, (strtoll(why, NULL, 10) + 999) / 1000);
        break;
    case ANSWER_BEYOND:
        (void)hf_fail(s->error, HF_E_CORRUPT,
                      "a row has a version that no Holdfast gives; delete the "
                      "row");
        break;
    case ANSWER_APPLIED:
    case ANSWER_REFUSED:
    case ANSWER_BUSY:
        break;
    }
}

/* One row: what became of a group, at that operation. */
static void
take_row(struct sending *s, const struct position *at, const PGresult *rows,
         int row)
{
    enum answer answer = (enum answer)hf_pg_column(rows, row, 1);
    struct hf_store_group *group = at->group;

    switch (answer) {
    case ANSWER_APPLIED:
        group->verdict = HF_APPLIED;
        group->ops[at->op_index].version = (uint64_t)hf_pg_column(rows, row, 2);
        break;
    case ANSWER_REFUSED:
        group->verdict = HF_REFUSED;
        group->refused_at = at->op_index;
        break;
    case ANSWER_BUSY:
        group->verdict = HF_UNAVAILABLE;
        s->busy[at->group_index] = true;
        break;
    case ANSWER_SERVED:
    case ANSWER_PROMOTED:
    case ANSWER_BEYOND:
        group->verdict = HF_UNAVAILABLE;
        give_reason(s, rows, row, answer);
        break;
    }
}

/* The transaction is durable: each group has its own verdict.  A group of which
 * nothing is said may be done. */
static void
take_rows(struct sending *s, const PGresult *rows)
{
    struct hf_pg_identity own = {
        .rows = rows, .row = -1, .place = 3, .flushed = 2};

    judge(s, HF_UNKNOWN);
    for (int row = 0; row < PQntuples(rows); row++) {
        int64_t op = hf_pg_column(rows, row, 0);

        if (op == 0)
            own.row = row;
        else if (op > 0 && (size_t)op <= s->ops_count)
            take_row(s, &s->positions[op - 1], rows, row);
    }
    if (own.row >= 0)
        hf_pg_pool_identify(&s->store->pool, s->link, &own);
}

/* ---- Sending ------------------------------------------------------------- */

/* Send them, once.  True: what has undone it may not be met again. */
static bool
send_once(struct sending *s)
{
    struct hf_pg_value values[8];
    struct hf_pg_value deletes;
    const struct hf_pg_statement told = {
        .sql = hf_pg_notify,
        .values = &deletes,
        .count = 1,
    };
    struct hf_pg_call call = {
        .statement = {.sql = apply, .values = values, .count = 8},
        .until = s->until,
    };
    struct hf_pg_report report;
    struct hf_error why = {.status = HF_OK};
    PGresult *rows = NULL;
    enum hf_verdict verdict;

    if (!encode(s, values)) {
        s->busy = NULL;
        give_error(s, &(struct hf_error){HF_E_NOMEM, "no memory to commit"});
        return false;
    }
    if (encode_deletes(s, &deletes))
        call.after = &told;
    hf_pg_transact(s->link, &call, &rows, &report, &why);
    verdict = hf_pg_verdict(&report);
    if (verdict == HF_APPLIED) {
        take_rows(s, rows);
    } else {
        judge(s, verdict);
        give_error(s, strcmp(report.error, LOCKED) == 0 ? &locked : &why);
    }
    PQclear(rows);
    return verdict == HF_UNAVAILABLE && hf_pg_verdict_again(&report);
}

/* When to send nothing again any more. */
static struct hf_instant
last_again(const struct sending *s)
{
    struct hf_instant now = hf_now();
    int64_t part_ms = hf_between(now, s->soonest).ms / AGAIN_PART;

    if (part_ms > AGAIN_MAX_MS)
        part_ms = AGAIN_MAX_MS;
    return hf_after(now, (struct hf_duration){part_ms});
}

/* A deadlock, or a conflict of transactions, is tried again, after 1 ms, 2, 4
 * and so on. */
static void
send_all(struct sending *s, struct hf_instant last)
{
    struct hf_error before = {.status = HF_OK};
    int pause_ms = 1;

    if (s->error != NULL)
        before = *s->error;
    while (send_once(s) && !s->link->broken && !hf_reached(hf_now(), last)) {
        (void)hf_pause(last, pause_ms, -1);
        pause_ms *= 2;
        if (s->error != NULL)
            *s->error = before;
    }
}

static int64_t
count_busy(const struct sending *s)
{
    int64_t count = 0;

    for (size_t i = 0; s->busy != NULL && i < s->groups_count; i++)
        count += s->busy[i];
    return count;
}

/* Those that met another session's lock, once more and together: most that hold
 * one have it for a moment. */
static void
send_together(struct sending *busy, struct hf_instant last)
{
    struct hf_store_group **groups =
        hf_arena_take(busy->arena, busy->groups_count * sizeof(*groups));
    size_t count = 0;

    if (groups == NULL)
        return;
    for (size_t i = 0; i < busy->groups_count; i++)
        if (busy->busy[i])
            groups[count++] = busy->groups[i];
    busy->groups = groups;
    busy->groups_count = count;
    send_all(busy, last);
}

/* Then each goes again alone, and waits for its share of what is left for them
 * all. */
static void
send_busy(const struct sending *all, struct hf_instant last)
{
    struct sending busy = *all;
    int64_t left = count_busy(all);

    if (left > 0)
        atomic_store(&all->store->base.locked_ms, hf_now().ms);
    if (left > 1) {
        (void)hf_pause(last, MOMENT_MS, -1);
        send_together(&busy, last);
        left = count_busy(&busy);
    }
    for (size_t i = 0; left > 0; i++) {
        struct sending one = busy;
        int64_t share_ms;

        if (!busy.busy[i])
            continue;
        share_ms = hf_between(hf_now(), last).ms / left--;
        if (all->link->broken || share_ms <= 0) {
            give_error(all, &locked);
            continue;
        }
        one.groups = &busy.groups[i];
        one.groups_count = 1;
        one.patience.ms = share_ms;
        one.link->patience =
            hf_pg_pool_patience(&all->store->pool, all->soonest);
        one.link->patience.ms += share_ms;
        one.link->waited = true;
        send_all(&one, last);
        if (one.busy != NULL && one.busy[0])
            give_error(all, &locked);
    }
}

void
hf_pg_commit(struct hf_store *base, struct hf_store_group *groups,
             size_t groups_count, struct hf_instant until,
             struct hf_error *error)
{
    struct hf_pg_store *store = (struct hf_pg_store *)base;
    struct hf_arena arena = {.alloc = base->alloc};
    struct sending all = {
        .store = store,
        .until = until,
        .soonest = hf_rule_soonest(groups, groups_count, until),
        .arena = &arena,
        .error = error,
    };
    struct hf_instant last;

    if (error != NULL)
        *error = (struct hf_error){.status = HF_OK};
    if (hf_pg_pool_take(&store->pool, until, -1, &all.link, error) != HF_OK)
        return;
    all.groups =
        hf_arena_take(&arena, groups_count * sizeof(struct hf_store_group *));
    for (size_t i = 0; all.groups != NULL && i < groups_count; i++)
        if (admit(&groups[i], error))
            all.groups[all.groups_count++] = &groups[i];
    if (all.groups_count > 0) {
        /* The group that can wait least must get another call. */
        all.link->patience = hf_pg_pool_patience(&store->pool, all.soonest);
        last = last_again(&all);
        send_all(&all, last);
        send_busy(&all, last);
    }
    hf_arena_fini(&arena);
    hf_pg_state_leave(store, all.link);
}

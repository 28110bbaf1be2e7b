#include "support/test.h"

#include "client/table/manager.h"

/*
 * The manager of a table's client, over a store whose answers come when the
 * test says so.  What it does beside a store that answers at once is
 * test_client*.c; at random, with everything that can go wrong,
 * test/simulate/table.
 */

enum { BATCHES = 80 };

static char name[] = "deploy";

static const struct hf_self self;

struct bench {
    struct hf_manager manager;
    struct hf_arena arenas[BATCHES];
    struct hf_arena watches;
    unsigned batches;
};

static struct hf_instant
at(int64_t ms)
{
    return (struct hf_instant){ms};
}

static void
begin(struct bench *b)
{
    const struct hf_manager_config config = {
        .alloc = &hf_alloc_libc,
        .self = &self,
        .wake = {100},
        .operations_max = 64,
        .bytes_max = 65536,
        .remembers = true,
    };

    *b = (struct bench){0};
    for (unsigned i = 0; i < BATCHES; i++)
        b->arenas[i].alloc = &hf_alloc_libc;
    b->watches.alloc = &hf_alloc_libc;
    hf_manager_init(&b->manager, &config);
}

static void
end(struct bench *b)
{
    struct hf_queue *queue;
    bool wanted;

    while (hf_manager_take_news(&b->manager) != NULL)
        ;
    while ((queue = hf_manager_take_observe(&b->manager, &wanted)) != NULL)
        hf_manager_observed(&b->manager, queue);
    hf_manager_fini(&b->manager);
    for (unsigned i = 0; i < BATCHES; i++)
        hf_arena_fini(&b->arenas[i]);
    hf_arena_fini(&b->watches);
}

static void
start(struct bench *b, struct hf_driver *driver, int64_t ms)
{
    struct hf_error error;

    assert_int_equal(hf_manager_start(&b->manager, driver, at(ms), &error),
                     HF_OK);
}

/* What is sent then. */
static struct hf_table_batch *
take_batch(struct bench *b, int64_t ms)
{
    struct hf_table_batch *batch;

    assert_true(b->batches < BATCHES);
    assert_true(hf_batch_take(&b->manager, &b->arenas[b->batches++], at(ms), ms,
                              &batch));
    return batch;
}

static struct hf_table_batch *
take_read(struct bench *b, int64_t ms)
{
    struct hf_table_batch *batch = take_batch(b, ms);

    assert_int_equal(batch->keys_count, 1);
    return batch;
}

/* Somebody holds it, who has beaten so often. */
static void
show_holder(struct bench *b, struct hf_table_batch *batch, uint64_t beats,
            int64_t ms)
{
    batch->status = HF_OK;
    batch->readings[0] = (struct hf_reading){
        .sight =
            {
                .kind = HF_SIGHT_LOCK,
                .version = 7 + beats,
                .token = 5,
                .heartbeat = {.id = 99, .count = beats},
                .terms = {.ttl = {60000}, .beat = {20000}},
            },
    };
    hf_manager_answer(&b->manager, batch, at(ms));
}

static void
leave(struct bench *b, struct hf_driver *driver, int64_t ms)
{
    hf_manager_abandon(&b->manager, driver, at(ms));
    hf_manager_forget(&b->manager, driver);
}

/* What changed is looked at anew. */
static struct hf_table_batch *
take_next_read(struct bench *b, int64_t ms)
{
    hf_manager_changed(&b->manager, (struct hf_key){"default", name}, at(ms));
    return take_read(b, ms);
}

/* Who was first in line looks, and leaves; the next looks for himself. */
TEST(a_try_is_not_answered_by_a_look_that_was_sent_before_it)
{
    struct hf_settings waits = {.name = name};
    struct hf_settings tries = {.name = name, .try_only = true};
    struct hf_driver leaver = {.kind = HF_DRIVER_LOCK, .settings = &waits};
    struct hf_driver waiter = {.kind = HF_DRIVER_LOCK, .settings = &waits};
    struct hf_driver quick = {.kind = HF_DRIVER_LOCK, .settings = &tries};
    struct hf_table_batch *before;
    struct bench b;

    begin(&b);
    start(&b, &leaver, 1000);
    show_holder(&b, take_read(&b, 1000), 0, 1001);
    start(&b, &waiter, 1002);
    before = take_next_read(&b, 1100);
    leave(&b, &leaver, 1101);
    show_holder(&b, take_read(&b, 1101), 1, 1102);
    start(&b, &quick, 1200);
    show_holder(&b, before, 1, 1201);
    assert_int_equal(hf_manager_state(&quick, at(1201)), HF_STATE_WAITING);
    show_holder(&b, take_read(&b, 1201), 1, 1202);
    assert_int_equal(hf_manager_state(&quick, at(1202)), HF_STATE_ENDED);
    assert_int_equal(hf_manager_check(&quick, at(1202)), HF_TIMED_OUT);
    leave(&b, &waiter, 1203);
    hf_manager_forget(&b.manager, &quick);
    end(&b);
}

TEST(nobody_is_shown_as_the_holder_in_a_place_that_he_was_not_seen_in)
{
    struct hf_settings settings = {.name = name};
    struct hf_examiner_config config = {.watch = HF_FOREVER,
                                        .patience = {1000}};
    struct hf_examine looks = {
        .driver = {.kind = HF_DRIVER_EXAMINE, .settings = &settings}};
    struct hf_diagnosis diagnosis;
    struct bench b;

    begin(&b);
    hf_examiner_init(&looks.examiner, &config);
    start(&b, &looks.driver, 1000);
    show_holder(&b, take_read(&b, 1000), 0, 1001);
    assert_true(
        hf_manager_diagnose(&b.manager, &looks.driver, at(1002), &diagnosis));
    assert_true(diagnosis.record.exists);
    hf_manager_went_back(&b.manager, at(1003));
    assert_true(
        hf_manager_diagnose(&b.manager, &looks.driver, at(1003), &diagnosis));
    assert_false(diagnosis.record.exists);
    leave(&b, &looks.driver, 1004);
    end(&b);
}

/* A store that takes more than one call at a time has a write beside a wait. */
TEST(what_was_written_while_it_was_watched_has_not_stood)
{
    struct hf_settings settings = {.name = name};
    struct hf_examiner_config config = {
        .patience = {1000}, .clear = true, .force = true};
    struct hf_driver waiter = {.kind = HF_DRIVER_LOCK, .settings = &settings};
    struct hf_examine clears = {
        .driver = {.kind = HF_DRIVER_EXAMINE, .settings = &settings}};
    struct hf_watching watching;
    struct hf_table_batch *write;
    struct bench b;

    begin(&b);
    hf_examiner_init(&clears.examiner, &config);
    start(&b, &waiter, 1000);
    show_holder(&b, take_read(&b, 1000), 0, 1001);
    assert_true(hf_manager_watches(&b.manager, &b.watches, &watching));
    start(&b, &clears.driver, 1002);
    show_holder(&b, take_read(&b, 1002), 0, 1003);
    write = take_batch(&b, 1003);
    assert_int_equal(write->groups_count, 1);
    write->groups[0].verdict = HF_REFUSED;
    hf_manager_answer(&b.manager, write, at(1004));
    watching.watches[0].stood = 77;
    hf_manager_waited(&b.manager, &watching, at(1005));
    assert_true(hf_manager_watches(&b.manager, &b.watches, &watching));
    assert_int_equal(watching.watches[0].stood, 0);
    watching.watches[0].stood = 77; /* and what was not written has */
    hf_manager_waited(&b.manager, &watching, at(1006));
    assert_true(hf_manager_watches(&b.manager, &b.watches, &watching));
    assert_int_equal(watching.watches[0].stood, 77);
    hf_manager_waited(&b.manager, &watching, at(1007));
    leave(&b, &clears.driver, 1008);
    leave(&b, &waiter, 1008);
    end(&b);
}

/* Or a wait would end at once, again and again, beside the read. */
TEST(what_was_seen_to_change_is_not_watched_before_it_is_read)
{
    struct hf_settings settings = {.name = name};
    struct hf_driver waiter = {.kind = HF_DRIVER_LOCK, .settings = &settings};
    struct hf_watching watching;
    struct hf_table_batch *read;
    struct bench b;

    begin(&b);
    start(&b, &waiter, 1000);
    show_holder(&b, take_read(&b, 1000), 0, 1001);
    assert_true(hf_manager_watches(&b.manager, &b.watches, &watching));
    watching.watches[0].changed = true;
    hf_manager_waited(&b.manager, &watching, at(1002));
    assert_false(hf_manager_watches(&b.manager, &b.watches, &watching));
    read = take_read(&b, 1003);
    read->status = HF_E_UNAVAILABLE;
    hf_manager_answer(&b.manager, read, at(1004));
    assert_false(hf_manager_watches(&b.manager, &b.watches, &watching));
    hf_manager_tick(&b.manager, at(3000));
    show_holder(&b, take_read(&b, 3000), 0, 3001); /* it was not so */
    assert_true(hf_manager_watches(&b.manager, &b.watches, &watching));
    hf_manager_waited(&b.manager, &watching, at(3002));
    leave(&b, &waiter, 3003);
    end(&b);
}

/* ---- Its own tombstones -------------------------------------------------- */

static void
show_absent(struct bench *b, struct hf_table_batch *batch, uint64_t version,
            int64_t ms)
{
    batch->status = HF_OK;
    batch->readings[0] = (struct hf_reading){
        .sight = {.kind = HF_SIGHT_ABSENT, .version = version},
    };
    hf_manager_answer(&b->manager, batch, at(ms));
}

static void
answer_write(struct bench *b, struct hf_table_batch *batch,
             enum hf_verdict verdict, uint64_t version, int64_t ms)
{
    assert_int_equal(batch->groups_count, 1);
    batch->groups[0].verdict = verdict;
    batch->groups[0].ops[0].version = version;
    hf_manager_answer(&b->manager, batch, at(ms));
}

/* Hold it and give it back, all at `ms`.  Did it look first? */
static bool
hold_once(struct bench *b, uint64_t *version, int64_t ms)
{
    struct hf_settings settings = {.name = name};
    struct hf_driver holder = {.kind = HF_DRIVER_LOCK, .settings = &settings};
    struct hf_table_batch *batch;
    bool looked;

    start(b, &holder, ms);
    batch = take_batch(b, ms);
    looked = batch->keys_count > 0;
    if (looked) {
        show_absent(b, batch, *version, ms);
        batch = take_batch(b, ms);
    }
    assert_int_equal(batch->groups[0].ops[0].expect.version, *version);
    answer_write(b, batch, HF_APPLIED, ++*version, ms);
    assert_int_equal(hf_manager_state(&holder, at(ms)), HF_STATE_HELD);
    hf_manager_release(&b->manager, &holder, at(ms));
    answer_write(b, take_batch(b, ms), HF_APPLIED, ++*version, ms);
    hf_manager_forget(&b->manager, &holder);
    return looked;
}

TEST(who_comes_back_soon_does_not_look)
{
    uint64_t version = 7;
    struct bench b;

    begin(&b);
    assert_true(hold_once(&b, &version, 1000));
    assert_false(hold_once(&b, &version, 1001));
    assert_false(hold_once(&b, &version, 1100));
    assert_true(hold_once(&b, &version, 1200)); /* 100 ms later */
    hf_manager_went_back(&b.manager, at(1201));
    version = 3;
    assert_true(hold_once(&b, &version, 1202));
    assert_false(hold_once(&b, &version, 1203));
    end(&b);
}

TEST(who_comes_back_again_and_again_looks_now_and_then)
{
    uint64_t version = 7;
    unsigned looks = 0;
    struct bench b;

    begin(&b);
    for (int i = 0; i < 19; i++)
        looks += hold_once(&b, &version, 1000 + i);
    assert_int_equal(looks, 3);
    end(&b);
}

TEST(who_was_refused_looks_for_a_while)
{
    struct hf_settings settings = {.name = name};
    struct hf_driver late = {.kind = HF_DRIVER_LOCK, .settings = &settings};
    uint64_t version = 7;
    struct bench b;

    begin(&b);
    assert_true(hold_once(&b, &version, 1000));
    start(&b, &late, 1001);
    answer_write(&b, take_batch(&b, 1001), HF_REFUSED, 0, 1002);
    version += 9; /* others had it */
    show_absent(&b, take_read(&b, 1002), version, 1003);
    show_absent(&b, take_read(&b, 1003), version, 1004);
    answer_write(&b, take_batch(&b, 1004), HF_APPLIED, ++version, 1005);
    hf_manager_release(&b.manager, &late, at(1006));
    answer_write(&b, take_batch(&b, 1006), HF_APPLIED, ++version, 1007);
    hf_manager_forget(&b.manager, &late);
    for (int i = 0; i < 16; i++)
        assert_true(hold_once(&b, &version, 1010 + i));
    assert_true(hold_once(&b, &version, 1030));
    assert_false(hold_once(&b, &version, 1031));
    end(&b);
}

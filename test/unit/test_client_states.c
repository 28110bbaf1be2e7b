#include "support/test.h"
#include "unit/support/clients.h"

#include <stdio.h>

#include "unit/support/deaf.h"

/*
 * A lock is given back, given up, abandoned or freed in every state it can be
 * in.  Whatever it was, it ends; and of what it leaves in the place, a look
 * tells.
 */

enum verb { RELEASE, CANCEL, ABANDON, FREE, VERBS };

static const char *const verb_words[VERBS] = {"release", "cancel", "abandon",
                                              "free"};

struct scene {
    struct hf_client *client; /* whose place can be deaf */
    struct hf_client *other;
    struct hf_lock *lock;     /* it is about this one; its name is "it" */
    struct hf_lock *obstacle; /* that it waits for; NULL: none */
    atomic_bool deaf;
};

/* ---- Ways into a state --------------------------------------------------- */

static void
make_new(struct scene *scene)
{
    scene->lock = new_lock(scene->client, "it", NULL);
}

static void
make_waiting(struct scene *scene)
{
    scene->obstacle = hold(scene->other, "it", NULL);
    scene->lock = ask_for(scene->client, "it", NULL);
    await_holder(scene->client, scene->lock);
}

static void
make_waiting_behind(struct scene *scene)
{
    scene->obstacle = hold(scene->client, "it", NULL);
    scene->lock = ask_for(scene->client, "it", NULL);
}

static void
make_held(struct scene *scene)
{
    scene->lock = hold(scene->client, "it", NULL);
}

static void
make_in_doubt(struct scene *scene)
{
    scene->lock = hold(scene->client, "it", HF_TTL, SHORT_TTL, HF_IF_DEAD,
                       "refuse", NULL);
    atomic_store(&scene->deaf, true);
    (void)await_news(scene->client, hf_lock_id(scene->lock), HF_NEWS_IN_DOUBT);
}

/* It cannot settle: nothing is written. */
static void
make_lost(struct scene *scene)
{
    scene->lock = hold(scene->client, "it", HF_TTL, SHORT_TTL, NULL);
    atomic_store(&scene->deaf, true);
    (void)await_news(scene->client, hf_lock_id(scene->lock), HF_NEWS_LOST);
}

static void
make_releasing(struct scene *scene)
{
    scene->lock = hold(scene->client, "it", NULL);
    atomic_store(&scene->deaf, true);
    hf_lock_release(scene->lock);
}

static void
make_ended(struct scene *scene)
{
    scene->lock = hold(scene->client, "it", NULL);
    hf_lock_release(scene->lock);
    while (hf_lock_wait(scene->lock, HF_FOREVER) != HF_STATE_ENDED)
        ;
}

/* ---- What is expected of whom -------------------------------------------- */

/* What an abandon leaves of the record; whatever else is done leaves nothing.
 * A write that was under way may still delete it. */
enum left { NOTHING, MAYBE, RECORD };

/* By `verb`: why it ended. */
static const struct way {
    const char *name;
    void (*make)(struct scene *scene);
    enum hf_state state;
    enum hf_status ended[VERBS];
    enum left abandoned;
} ways[] = {
    {"waiting",
     make_waiting,
     HF_STATE_WAITING,
     {HF_E_CANCELLED, HF_E_CANCELLED, HF_E_CANCELLED, HF_OK},
     NOTHING},
    {"waiting behind another",
     make_waiting_behind,
     HF_STATE_WAITING,
     {HF_E_CANCELLED, HF_E_CANCELLED, HF_E_CANCELLED, HF_OK},
     NOTHING},
    {"held",
     make_held,
     HF_STATE_HELD,
     {HF_OK, HF_OK, HF_E_UNKNOWN, HF_OK},
     RECORD},
    {"in doubt",
     make_in_doubt,
     HF_STATE_IN_DOUBT,
     {HF_OK, HF_OK, HF_E_UNKNOWN, HF_OK},
     RECORD},
    {"lost",
     make_lost,
     HF_STATE_LOST,
     {HF_OK, HF_OK, HF_E_UNKNOWN, HF_OK},
     MAYBE},
    {"releasing",
     make_releasing,
     HF_STATE_RELEASING,
     {HF_OK, HF_OK, HF_E_UNKNOWN, HF_OK},
     MAYBE},
    {"ended",
     make_ended,
     HF_STATE_ENDED,
     {HF_OK, HF_OK, HF_OK, HF_OK},
     NOTHING},
};

static void
apply(enum verb verb, struct hf_lock *lock)
{
    switch (verb) {
    case RELEASE:
        hf_lock_release(lock);
        hf_lock_release(lock); /* it does nothing the second time */
        break;
    case CANCEL:
        hf_lock_cancel(lock);
        hf_lock_cancel(lock);
        break;
    case ABANDON:
        hf_lock_abandon(lock);
        hf_lock_abandon(lock);
        while (hf_lock_wait(lock, HF_FOREVER) != HF_STATE_ENDED)
            ; /* also while nothing is written */
        break;
    case FREE:
        hf_lock_free(lock);
        break;
    case VERBS:
        break;
    }
}

static bool
is_left(struct hf_client *client)
{
    struct hf_view *view = examine(client, "it", NULL);
    bool left = hf_view_number(view, HF_FIELD_EXISTS) == 1;

    hf_view_free(view);
    return left;
}

static void
play(const struct way *way, enum verb verb)
{
    struct scene scene = {.deaf = false};
    enum hf_status ended = HF_OK;
    enum left expected;
    enum left left;
    char place[64];

    snprintf(place, sizeof(place), "memory:%s-%d", way->name, (int)verb);
    scene.client = open_deaf_client(place, &scene.deaf);
    scene.other = open_client(place);
    way->make(&scene);
    assert_int_equal(hf_lock_state(scene.lock), way->state);

    apply(verb, scene.lock);
    atomic_store(&scene.deaf, false);
    if (verb != FREE)
        ended = finish(scene.lock);
    if (scene.obstacle != NULL) {
        assert_int_equal(hf_lock_check(scene.obstacle), HF_GRANTED);
        assert_int_equal(give_back(scene.obstacle), HF_OK);
    }
    close_client(scene.client);
    left = is_left(scene.other) ? RECORD : NOTHING;
    expected = verb == ABANDON ? way->abandoned : NOTHING;
    if (ended != way->ended[verb] || (expected != MAYBE && left != expected))
        fail_msg("%s, %s: ended with %s, a record is%s left", way->name,
                 verb_words[verb], hf_status_name(ended),
                 left == RECORD ? "" : " not");
    close_client(scene.other);
}

TEST(in_every_state_it_is_given_back_or_given_up)
{
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
        for (int verb = RELEASE; verb < VERBS; verb++)
            play(&ways[i], (enum verb)verb);
}

/* ---- Before the start, and after the end --------------------------------- */

/* It can be given up before it was asked for: then the start ends it. */
TEST(what_was_given_up_before_its_start_ends_with_it)
{
    struct hf_client *client = open_client("memory:new");

    for (int verb = RELEASE; verb < FREE; verb++) {
        struct scene scene = {.client = client};

        make_new(&scene);
        if (verb == ABANDON)
            hf_lock_abandon(scene.lock);
        else
            apply((enum verb)verb, scene.lock);
        assert_int_equal(hf_lock_state(scene.lock), HF_STATE_NEW);
        assert_int_equal(hf_lock_wait(scene.lock, HF_FOREVER), HF_STATE_NEW);
        assert_int_equal(hf_lock_start(scene.lock, NULL), HF_OK);
        assert_int_equal(finish(scene.lock), HF_E_CANCELLED);
        assert_false(is_left(client));
    }
    close_client(client);
}

TEST(a_lock_that_was_never_started_is_freed)
{
    struct hf_client *client = open_client("memory:never");
    struct hf_lock *lock = new_lock(client, "it", HF_REASON, "none", NULL);

    assert_int_equal(hf_lock_check(lock), HF_NOT_HELD);
    assert_int_equal(hf_lock_error(lock, NULL), HF_OK);
    assert_int_equal(hf_lock_right_ms(lock), 0);
    hf_lock_free(lock);
    close_client(client);
}

TEST(a_lock_is_started_once)
{
    struct hf_client *client = open_client("memory:once");
    struct hf_lock *lock = hold(client, "it", NULL);
    struct hf_error error = {0};

    assert_int_equal(hf_lock_start(lock, &error), HF_E_INVALID);
    assert_string_equal(error.text, "lock it: it was started already");
    assert_int_equal(hf_lock_set(lock, HF_REASON, "x", &error), HF_E_INVALID);
    assert_string_equal(error.text, "lock it: it was started already");
    hf_lock_release(lock);
    while (hf_lock_wait(lock, HF_FOREVER) != HF_STATE_ENDED)
        ;
    assert_int_equal(hf_lock_start(lock, &error), HF_E_INVALID);
    assert_int_equal(finish(lock), HF_OK);
    close_client(client);
}

/* What it was granted with, and what it saw, can be asked to the last. */
TEST(an_ended_lock_still_tells_what_it_was)
{
    struct hf_client *client = open_client("memory:ended");
    struct hf_lock *lock = hold(client, "it", NULL);
    uint64_t fence = hf_lock_fence(lock);
    int64_t right_ms;

    hf_lock_release(lock);
    while (hf_lock_wait(lock, HF_FOREVER) != HF_STATE_ENDED)
        ;
    right_ms = hf_lock_right_ms(lock);
    close_client(client);
    assert_int_equal(hf_lock_state(lock), HF_STATE_ENDED);
    assert_int_equal(hf_lock_check(lock), HF_NOT_HELD);
    assert_int_equal(hf_lock_error(lock, NULL), HF_OK);
    assert_int_equal(hf_lock_fence(lock), fence);
    assert_true(right_ms > 0 && hf_lock_right_ms(lock) == right_ms);
    hf_lock_free(lock);
}

/* Once lost it never is granted again, though its beat might be applied. */
TEST(what_is_lost_stays_lost)
{
    struct scene scene = {.deaf = false};

    scene.client = open_deaf_client("memory:lost", &scene.deaf);
    make_lost(&scene);
    atomic_store(&scene.deaf, false);
    while (hf_lock_wait(scene.lock, HF_FOREVER) != HF_STATE_ENDED)
        assert_int_equal(hf_lock_check(scene.lock), HF_LOST);
    assert_int_equal(hf_lock_check(scene.lock), HF_LOST);
    assert_int_equal(give_back(scene.lock), HF_OK);
    close_client(scene.client);
}

TEST(a_wait_ends_at_its_limit)
{
    struct hf_client *client = open_client("memory:limit");
    struct hf_lock *lock = hold(client, "it", NULL);
    struct hf_lock *waiter = ask_for(client, "it", NULL);

    assert_int_equal(hf_lock_wait(waiter, (struct hf_duration){0}),
                     HF_STATE_WAITING);
    assert_int_equal(hf_lock_wait(waiter, (struct hf_duration){20}),
                     HF_STATE_WAITING);
    assert_int_equal(hf_lock_wait(lock, HF_FOREVER), HF_STATE_HELD);
    hf_lock_free(waiter);
    assert_int_equal(give_back(lock), HF_OK);
    close_client(client);
}

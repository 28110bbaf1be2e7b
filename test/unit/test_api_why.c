#include "support/test.h"

#include <jansson.h>
#include <string.h>

#include "unit/support/server_fixture.h"
#include "wire/api_why.h"

/* Why a lock is not granted, as people are told, in each case that there is. */

static char text[16384];

static json_t *
why(struct server_fixture *r)
{
    const struct hf_want want = {{"default", 7}, {"A", 1}, HF_EXCLUSIVE};
    struct hf_look_name row;
    struct hf_text out;
    json_error_t error;
    json_t *root;

    assert_true(hf_look_find(r->ls, &want, &row));
    hf_text_init(&out, text, sizeof(text));
    hf_api_why(r->ls, &row, 100, &out);
    assert_false(hf_text_cut(&out));
    root = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    if (root == NULL)
        fail_msg("%s: %s", error.text, text);
    return root;
}

static void
expect(struct server_fixture *r, const char *verdict, const char *says,
       const char *advice)
{
    json_t *told = why(r);

    assert_string_equal(json_string_value(json_object_get(told, "verdict")),
                        verdict);
    assert_string_equal(json_string_value(json_object_get(told, "says")), says);
    assert_string_equal(json_string_value(json_object_get(told, "advice")),
                        advice);
    assert_string_equal(json_string_value(json_object_get(
                            json_object_get(told, "lock"), "name")),
                        "A");
    json_decref(told);
}

TEST(a_holder_is_alive_then_silent_and_then_nobodys)
{
    struct server_fixture r = server_new();

    server_acquire(&r, (struct call){.stream = 11, .session = 1, .names = "A"});
    server_clock(&r, 4000);
    expect(&r, "alive", "ann@db1 has held it for 3s, and was heard 3s ago",
           "wait, or ask ann@db1 to give it back");
    server_clock(&r, 8000);
    expect(
        &r, "silent", "ann@db1 holds it, and was heard last 7s ago",
        "wait for 3s more: if it stays silent, the next in line is granted it");
    server_keep_alive(&r, (struct call){.stream = 12, .session = 1});
    expect(&r, "alive", "ann@db1 has held it for 7s, and was heard 0s ago",
           "wait, or ask ann@db1 to give it back");
    server_fini(&r);
}

TEST(one_that_is_never_taken_over_is_suspected)
{
    struct server_fixture r = server_new();

    server_open(&r, 9, 10000, HF_REFUSE);
    server_acquire(&r, (struct call){.stream = 11, .session = 9, .names = "A"});
    server_clock(&r, 9000);
    expect(&r, "silent", "ann@db1 holds it, and was heard last 8s ago",
           "wait for 2s more: if it stays silent, it is suspected, and the "
           "lock stays held until an operator clears it");
    for (int session = 0; session < 4; session++) /* one a step */
        server_clock(&r, 61000);
    expect(&r, "suspected",
           "ann@db1 holds it, and has been silent for 1m, longer than its ttl "
           "of 10s: it may be dead; the lock is not taken over (if_dead is "
           "refuse)",
           "make sure that ann@db1 does nothing more, then clear it with fence "
           "101 and a reason");
    server_fini(&r);
}

TEST(of_several_it_is_about_the_quietest)
{
    struct server_fixture r = server_new();

    server_acquire(&r,
                   (struct call){.stream = 11, .session = 1, .names = "A:s"});
    server_clock(&r, 3000);
    server_acquire(&r,
                   (struct call){.stream = 12, .session = 2, .names = "A:s"});
    server_clock(&r, 4000);
    expect(&r, "alive", "ann@db1 has held it for 3s, and was heard 3s ago",
           "wait, or ask ann@db1 to give it back");
    server_fini(&r);
}

TEST(of_a_place_in_line_it_says_what_is_in_its_way)
{
    struct server_fixture r = server_new();

    server_acquire(&r, (struct call){.stream = 11, .session = 1, .names = "B"});
    server_acquire(&r,
                   (struct call){.stream = 12, .session = 2, .names = "A B"});
    expect(&r, "waiting",
           "nobody holds it; ann@db1 is first in line, for 0s: it waits for "
           "another of its locks",
           "look at the other locks that it asks for");
    server_fini(&r);
}

/* Whoever waits, and whatever else is in the way. */
TEST(a_server_that_forgot_says_for_how_long_it_grants_nothing)
{
    struct hf_lockspace_config config = server_config();
    struct server_fixture r = server_empty(&config);

    r.hold_until.ms = 61000;
    server_begin(&r);
    server_acquire(&r, (struct call){.stream = 11, .session = 1, .names = "A"});
    expect(&r, "waiting",
           "this server has forgotten what was granted, and grants nothing for "
           "1m",
           "wait for that long: somebody may hold it");
    server_fini(&r);
}

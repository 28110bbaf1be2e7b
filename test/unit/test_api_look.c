#include <jansson.h>
#include <string.h>

#include "unit/support/room.h"
#include "wire/api_look.h"

/* A lock as people are told of it, read by a JSON reader that is not ours. */

static char text[16384];

static struct hf_bytes
bytes(const char *string)
{
    return (struct hf_bytes){string, strlen(string)};
}

static json_t *
parse(const char *json)
{
    json_error_t why;
    json_t *root = json_loads(json, JSON_REJECT_DUPLICATES, &why);

    if (root == NULL)
        fail_msg("%s: %s", why.text, json);
    return root;
}

static json_t *
look_at(struct room *r, const char *name, size_t rows_max)
{
    struct hf_want want = {bytes("default"), bytes(name), HF_EXCLUSIVE};
    struct hf_look_name row;
    struct hf_text out;

    assert_true(hf_look_find(r->ls, &want, &row));
    hf_text_init(&out, text, sizeof(text));
    hf_api_look_lock(r->ls, &row, rows_max, 0, &out);
    assert_false(hf_text_cut(&out));
    return parse(text);
}

static const char *
string_of(json_t *object, const char *member)
{
    return json_string_value(json_object_get(object, member));
}

static json_int_t
number_of(json_t *object, const char *member)
{
    assert_true(json_is_integer(json_object_get(object, member)));
    return json_integer_value(json_object_get(object, member));
}

/* ---- Tests --------------------------------------------------------------- */

static void
a_lock_is_told_with_its_holders_and_its_line(void **state)
{
    struct room r = room_new();
    json_t *lock;
    json_t *holder;
    json_t *waiter;

    (void)state;
    room_acquire(&r, (struct call){.stream = 11,
                                   .session = 1,
                                   .names = "A:s",
                                   .note = "./\"report\""});
    room_clock(&r, 1400);
    room_acquire(&r, (struct call){.stream = 12, .session = 2, .names = "A"});
    room_clock(&r, 1500);
    lock = look_at(&r, "A", 100);
    assert_string_equal(string_of(lock, "space"), "default");
    assert_string_equal(string_of(lock, "name"), "A");
    assert_int_equal(number_of(lock, "waiters"), 1);
    holder = json_array_get(json_object_get(lock, "holders"), 0);
    assert_string_equal(string_of(holder, "session"), "0000000000000001");
    assert_int_equal(number_of(holder, "lane"), 1);
    assert_int_equal(number_of(holder, "fence"), 101);
    assert_string_equal(string_of(holder, "fence_text"), "101");
    assert_string_equal(string_of(holder, "mode"), "shared");
    assert_int_equal(number_of(holder, "held_ms"), 500);
    assert_int_equal(number_of(holder, "silent_ms"), 500);
    assert_string_equal(string_of(holder, "if_dead"), "takeover");
    assert_true(json_is_false(json_object_get(holder, "suspected")));
    assert_string_equal(string_of(holder, "who"), "ann@db1");
    assert_string_equal(string_of(holder, "note"), "./\"report\"");
    waiter = json_array_get(json_object_get(lock, "queue"), 0);
    assert_string_equal(string_of(waiter, "session"), "0000000000000002");
    assert_int_equal(number_of(waiter, "waited_ms"), 100);
    assert_string_equal(string_of(waiter, "why"), "held");
    json_decref(lock);
    room_fini(&r);
}

static void
no_list_is_longer_than_was_asked_for(void **state)
{
    struct room r = room_new();
    json_t *lock;

    (void)state;
    for (uint64_t lane = 1; lane <= 5; lane++)
        room_acquire(&r, (struct call){.stream = 10 + lane,
                                       .session = 1,
                                       .lane = lane,
                                       .names = lane <= 3 ? "A:s" : "A"});
    lock = look_at(&r, "A", 1);
    assert_int_equal(json_array_size(json_object_get(lock, "holders")), 1);
    assert_int_equal(json_array_size(json_object_get(lock, "queue")), 1);
    assert_int_equal(number_of(lock, "waiters"), 2);
    json_decref(lock);
    room_fini(&r);
}

static void
who_is_told_no_is_told_who_holds_them(void **state)
{
    const struct hf_want wants[] = {
        {bytes("default"), bytes("A"), HF_EXCLUSIVE},
        {bytes("default"), bytes("nobody's"), HF_EXCLUSIVE},
        {bytes("default"), bytes("B"), HF_EXCLUSIVE},
    };
    struct room r = room_new();
    struct hf_text out;
    json_t *object;

    (void)state;
    room_acquire(&r, (struct call){.stream = 11, .session = 1, .names = "A"});
    room_acquire(&r, (struct call){.stream = 12, .session = 2, .names = "B"});
    hf_text_init(&out, text, sizeof(text));
    hf_text_add(&out, "{\"status\":409");
    hf_api_look_holders(r.ls, wants, 3, 100, &out);
    hf_text_add(&out, "}");
    object = parse(text);
    assert_int_equal(json_array_size(json_object_get(object, "holders")), 2);
    json_decref(object);
    room_fini(&r);
}

static void
a_circle_is_told_lane_by_lane(void **state)
{
    struct room r = room_new();
    struct hf_text out;
    json_t *object;

    (void)state;
    room_acquire(&r, (struct call){.stream = 11, .session = 1, .names = "A"});
    room_acquire(&r, (struct call){.stream = 12, .session = 2, .names = "B"});
    room_acquire(
        &r, (struct call){.stream = 13, .session = 1, .n = 2, .names = "B"});
    room_acquire(
        &r, (struct call){.stream = 14, .session = 2, .n = 2, .names = "A"});
    hf_text_init(&out, text, sizeof(text));
    hf_text_add(&out, "{\"status\":409");
    hf_api_look_cycle(r.ls, &out);
    hf_text_add(&out, "}");
    object = parse(text);
    assert_int_equal(json_array_size(json_object_get(object, "cycle")), 2);
    json_decref(object);
    room_fini(&r);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lock_is_told_with_its_holders_and_its_line),
        cmocka_unit_test(no_list_is_longer_than_was_asked_for),
        cmocka_unit_test(who_is_told_no_is_told_who_holds_them),
        cmocka_unit_test(a_circle_is_told_lane_by_lane),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

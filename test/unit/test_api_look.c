#include "support/test.h"

#include <jansson.h>
#include <string.h>

#include "unit/support/server_fixture.h"
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
look_at(struct server_fixture *r, const char *name, size_t rows_max)
{
    struct hf_want want = {bytes("default"), bytes(name), HF_EXCLUSIVE};
    struct hf_look_name row;
    struct hf_text out;

    assert_true(hf_look_find(r->ls, &want, &row));
    hf_text_init(&out, text, sizeof(text));
    hf_api_look_lock(r->ls, &row, rows_max, NULL, &out);
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

TEST(a_lock_is_told_with_its_holders_and_its_line)
{
    struct server_fixture r = server_new();
    json_t *lock;
    json_t *holder;
    json_t *waiter;

    server_acquire(&r, (struct call){.stream = 11,
                                     .session = 1,
                                     .names = "A:s",
                                     .note = "./\"report\""});
    server_clock(&r, 1400);
    server_acquire(&r, (struct call){.stream = 12, .session = 2, .names = "A"});
    server_clock(&r, 1500);
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
    server_fini(&r);
}

TEST(no_list_is_longer_than_was_asked_for)
{
    struct server_fixture r = server_new();
    json_t *lock;

    for (uint64_t lane = 1; lane <= 5; lane++)
        server_acquire(&r, (struct call){.stream = 10 + lane,
                                         .session = 1,
                                         .lane = lane,
                                         .names = lane <= 3 ? "A:s" : "A"});
    lock = look_at(&r, "A", 1);
    assert_int_equal(json_array_size(json_object_get(lock, "holders")), 1);
    assert_int_equal(json_array_size(json_object_get(lock, "queue")), 1);
    assert_int_equal(number_of(lock, "waiters"), 2);
    json_decref(lock);
    server_fini(&r);
}

/* What is told of a no to what names these: of each row of the list, which lock
 * it is, the last digit of its session, and how many are in line. */
static char *
told_in_way(struct server_fixture *r, const struct hf_want *wants, size_t count,
            const char *list)
{
    static char said[256];
    const struct hf_api_wanted wanted = {wants, count, 100};
    struct hf_text out;
    struct hf_text words;
    json_t *object;
    json_t *row;
    size_t i;

    hf_text_init(&out, text, sizeof(text));
    hf_text_add(&out, "{\"status\":409");
    hf_api_look_in_way(r->ls, &wanted, &out);
    hf_text_add(&out, "}");
    object = parse(text);
    hf_text_init(&words, said, sizeof(said));
    json_array_foreach(json_object_get(object, list), i, row)
    {
        assert_string_equal(string_of(row, "space"), "default");
        hf_text_addf(&words, "%s%s:%c+%d", i > 0 ? " " : "",
                     string_of(row, "name"), string_of(row, "session")[15],
                     (int)number_of(row, "waiters"));
    }
    json_decref(object);
    return said;
}

TEST(who_is_told_no_is_told_who_holds_which)
{
    const struct hf_want wants[] = {
        {bytes("default"), bytes("A"), HF_EXCLUSIVE},
        {bytes("default"), bytes("nobody's"), HF_EXCLUSIVE},
        {bytes("default"), bytes("B"), HF_EXCLUSIVE},
    };
    struct server_fixture r = server_new();

    server_acquire(&r, (struct call){.stream = 11, .session = 1, .names = "A"});
    server_acquire(&r, (struct call){.stream = 12, .session = 2, .names = "B"});
    server_acquire(
        &r, (struct call){.stream = 13, .session = 1, .lane = 2, .names = "B"});
    assert_string_equal(told_in_way(&r, wants, 3, "holders"), "A:1+0 B:2+1");
    assert_string_equal(told_in_way(&r, wants, 3, "queue"), "");
    server_fini(&r);
}

/* Who shares it keeps out who would share it, too, only for one in line. */
TEST(who_is_in_nobodys_way_is_not_told)
{
    const struct hf_want wants[] = {
        {bytes("default"), bytes("A"), HF_SHARED},
        {bytes("default"), bytes("B"), HF_EXCLUSIVE},
    };
    struct server_fixture r = server_new();

    server_acquire(&r,
                   (struct call){.stream = 11, .session = 1, .names = "A:s"});
    server_acquire(&r, (struct call){.stream = 12, .session = 2, .names = "B"});
    assert_string_equal(told_in_way(&r, wants, 2, "holders"), "B:2+0");
    server_acquire(
        &r, (struct call){.stream = 13, .session = 2, .lane = 2, .names = "A"});
    assert_string_equal(told_in_way(&r, wants, 2, "holders"), "A:1+1 B:2+0");
    server_fini(&r);
}

TEST(of_what_nobody_holds_who_is_first_in_line_is_told)
{
    const struct hf_want wants[] = {
        {bytes("default"), bytes("A"), HF_EXCLUSIVE},
        {bytes("default"), bytes("B"), HF_SHARED},
    };
    struct server_fixture r = server_new();

    server_acquire(&r, (struct call){.stream = 11, .session = 1, .names = "C"});
    server_acquire(
        &r, (struct call){.stream = 12, .session = 2, .names = "A B:s C"});
    assert_string_equal(told_in_way(&r, wants, 2, "holders"), "");
    assert_string_equal(told_in_way(&r, wants, 2, "queue"), "A:2+1");
    assert_non_null(strstr(text, "\"why\":\"elsewhere\""));
    server_fini(&r);
}

TEST(a_circle_is_told_lane_by_lane)
{
    struct server_fixture r = server_new();
    struct hf_text out;
    json_t *object;

    server_acquire(&r, (struct call){.stream = 11, .session = 1, .names = "A"});
    server_acquire(&r, (struct call){.stream = 12, .session = 2, .names = "B"});
    server_acquire(
        &r, (struct call){.stream = 13, .session = 1, .n = 2, .names = "B"});
    server_acquire(
        &r, (struct call){.stream = 14, .session = 2, .n = 2, .names = "A"});
    hf_text_init(&out, text, sizeof(text));
    hf_text_add(&out, "{\"status\":409");
    hf_api_look_cycle(r.ls, &out);
    hf_text_add(&out, "}");
    object = parse(text);
    assert_int_equal(json_array_size(json_object_get(object, "cycle")), 2);
    json_decref(object);
    server_fini(&r);
}

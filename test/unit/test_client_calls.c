#include "unit/support/clients.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/*
 * libholdfast beside its locks: what its calls refuse, tell and list.
 */

static void
no_lock_is_released_abandoned_and_not_held(void **state)
{
    (void)state;
    assert_int_equal(hf_release(NULL, NULL, NULL), HF_OK);
    hf_abandon(NULL);
    hf_close(NULL);
    assert_int_equal(hf_check(NULL), HF_NOT_HELD);
    assert_int_equal(hf_fence(NULL), 0);
}

static void
bad_requests_are_refused_in_one_clause(void **state)
{
    struct hf_client *client = open_client("memory:bad");
    static char long_name[HF_NAME_MAX + 2];
    const struct {
        const char *name;
        struct hf_acquire_options options;
    } bad[] = {
        {"", {0}},
        {"a\nb", {0}},
        {"\xff", {0}},
        {long_name, {0}},
        {"x", {.space = "!audit"}},
        {"x", {.space = ""}},
        {"x", {.ttl = {-1}}},
        {"x", {.ttl = {100}}},
        {"x", {.ttl = {INT64_MAX}}},
        {"x", {.ttl = {5000}, .beat = {2000}}},
        {"x", {.limit = {-5}}},
        {"x", {.beat = {INT64_MAX}}},
        {"x", {.grace = {INT64_MAX}}},
        {"x", {.processes = &(pid_t){-1}, .processes_count = 1}},
        {"x", {.if_dead = (enum hf_if_dead)7}},
    };

    (void)state;
    memset(long_name, 'n', sizeof(long_name) - 1);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct hf_acquired acquired = {0};
        struct hf_error error = {0};

        assert_int_equal(
            hf_acquire(client, bad[i].name, &bad[i].options, &acquired, &error),
            HF_E_INVALID);
        assert_true(error.text[0] != '\0');
        assert_null(acquired.lock);
    }
    hf_close(client);
}

/* The program it is given to may run in another folder. */
static void
the_place_is_told_with_its_whole_path(void **state)
{
    struct file_place place;
    char before[1024];
    struct hf_client *client;

    (void)state;
    make_place(&place);
    assert_non_null(getcwd(before, sizeof(before)));
    assert_int_equal(chdir(place.folder), 0);
    client = open_client("sqlite:locks.db");
    assert_int_equal(chdir(before), 0);
    assert_string_equal(hf_client_place(client), place.url);
    hf_close(client);
    remove_place(&place);
}

static void
locks_are_listed_in_order_and_in_pages(void **state)
{
    struct hf_client *client = open_client("memory:list");
    struct hf_lock *locks[5];
    static struct hf_description rows[2];
    size_t seen = 0;
    char after[HF_NAME_MAX + 1] = "";

    (void)state;
    for (int i = 0; i < 5; i++) {
        char name[8];

        snprintf(name, sizeof(name), "job%d", i);
        locks[i] = hold(client, name, NULL);
    }
    for (;;) {
        size_t count = 2;
        struct hf_list_query query = {.prefix = "job", .after = after};

        assert_int_equal(hf_list(client, &query, rows, &count, NULL), HF_OK);
        if (count == 0)
            break;
        for (size_t i = 0; i < count; i++) {
            char name[8];

            snprintf(name, sizeof(name), "job%zu", seen);
            assert_string_equal(rows[i].name, name);
            assert_int_equal(rows[i].fence, hf_fence(locks[seen]));
            seen++;
        }
        snprintf(after, sizeof(after), "%s", rows[count - 1].name);
    }
    assert_int_equal(seen, 5);
    for (int i = 0; i < 5; i++)
        hf_release(locks[i], NULL, NULL);
    hf_close(client);
}

int
main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_lock_is_released_abandoned_and_not_held),
        cmocka_unit_test(bad_requests_are_refused_in_one_clause),
        cmocka_unit_test(the_place_is_told_with_its_whole_path),
        cmocka_unit_test(locks_are_listed_in_order_and_in_pages),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

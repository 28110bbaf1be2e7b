#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "server/pass.h"

/* Until when all has been read that has arrived [S2]. */

enum { BACKLOG = 4 };

static void
begin(struct hf_pass *pass, int64_t ms)
{
    hf_pass_begin(pass, (struct hf_instant){ms}, BACKLOG);
}

/* The kernel has nothing. */
static void
idle(struct hf_pass *pass, int64_t ms)
{
    begin(pass, ms);
    hf_pass_accepted_all(pass);
    hf_pass_turn(pass);
}

/* A poll that sleeps says nothing of what comes while it does. */
static void
all_is_read_until_the_kernel_was_asked(void **state)
{
    struct hf_pass pass = {0};

    (void)state;
    idle(&pass, 1000);
    assert_int_equal(pass.read_until.ms, 1000);
    idle(&pass, 5000);
    assert_int_equal(pass.read_until.ms, 5000);
}

static void
whom_the_kernel_named_is_read_first(void **state)
{
    struct hf_pass pass = {0};
    unsigned one = 0;
    unsigned two = 0;

    (void)state;
    idle(&pass, 1000);
    begin(&pass, 2000);
    hf_pass_named(&pass, &one);
    hf_pass_named(&pass, &two);
    hf_pass_named(&pass, &two); /* libuv may name it again */
    hf_pass_accepted_all(&pass);
    assert_false(hf_pass_read(&pass, &one, false));
    hf_pass_turn(&pass);
    begin(&pass, 3000); /* it is not over, and goes on */
    assert_int_equal(pass.read_until.ms, 1000);
    assert_true(hf_pass_read(&pass, &two, true));
    hf_pass_turn(&pass);
    assert_int_equal(pass.read_until.ms, 1000);
    assert_false(hf_pass_read(&pass, &two, false));
    hf_pass_turn(&pass);
    assert_int_equal(pass.read_until.ms, 2000);
}

static void
so_is_who_waited_to_be_accepted_with_what_came_along(void **state)
{
    struct hf_pass pass = {0};
    unsigned one = 0;

    (void)state;
    begin(&pass, 2000);
    hf_pass_accepted(&pass, &one);
    hf_pass_turn(&pass); /* others wait */
    begin(&pass, 3000);
    hf_pass_accepted_all(&pass);
    hf_pass_turn(&pass);
    assert_int_equal(pass.read_until.ms, 0);
    assert_false(hf_pass_read(&pass, &one, false));
    hf_pass_turn(&pass);
    assert_int_equal(pass.read_until.ms, 2000);
}

/* Or they would come without end. */
static void
who_is_turned_away_counts_as_accepted(void **state)
{
    struct hf_pass pass = {0};

    (void)state;
    begin(&pass, 2000);
    for (int i = 0; i < BACKLOG; i++)
        hf_pass_accepted(&pass, NULL);
    hf_pass_turn(&pass);
    assert_int_equal(pass.read_until.ms, 2000);
}

static void
who_is_gone_is_not_waited_for(void **state)
{
    struct hf_pass pass = {0};
    unsigned one = 0;

    (void)state;
    begin(&pass, 2000);
    hf_pass_named(&pass, &one);
    hf_pass_accepted_all(&pass);
    hf_pass_gone(&pass, &one);
    hf_pass_gone(&pass, &one);
    hf_pass_turn(&pass);
    assert_int_equal(pass.read_until.ms, 2000);
}

/* Or the dead would hold for as long as anybody sends. */
static void
a_pass_ends_though_all_send_without_end(void **state)
{
    struct hf_pass pass = {0};
    unsigned pieces[3] = {0};
    unsigned others[2 * BACKLOG] = {0};
    unsigned turns = 0;

    (void)state;
    begin(&pass, 2000);
    for (int i = 0; i < 3; i++)
        hf_pass_named(&pass, &pieces[i]);
    while (pass.read_until.ms == 0 && turns++ < 100) {
        if (turns <= 2 * BACKLOG) /* each turn, another comes */
            hf_pass_accepted(&pass, &others[turns - 1]);
        for (int i = 0; i < 3; i++) {
            (void)hf_pass_read(&pass, &pieces[i], true);
            hf_pass_named(&pass, &pieces[i]);
        }
        for (int i = 0; i < 2 * BACKLOG; i++)
            (void)hf_pass_read(&pass, &others[i], true);
        hf_pass_turn(&pass);
        begin(&pass, 3000);
    }
    assert_int_equal(pass.read_until.ms, 2000);
}

/* A request of 128 KiB that had arrived is read, though it has many pieces. */
static void
the_largest_request_is_read_in_one_pass(void **state)
{
    struct hf_pass pass = {0};
    unsigned one = 0;

    (void)state;
    begin(&pass, 2000);
    hf_pass_named(&pass, &one);
    hf_pass_accepted_all(&pass);
    for (int i = 0; i < 9; i++)
        assert_true(hf_pass_read(&pass, &one, true));
    hf_pass_turn(&pass);
    assert_int_equal(pass.read_until.ms, 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_is_read_until_the_kernel_was_asked),
        cmocka_unit_test(whom_the_kernel_named_is_read_first),
        cmocka_unit_test(so_is_who_waited_to_be_accepted_with_what_came_along),
        cmocka_unit_test(who_is_turned_away_counts_as_accepted),
        cmocka_unit_test(who_is_gone_is_not_waited_for),
        cmocka_unit_test(a_pass_ends_though_all_send_without_end),
        cmocka_unit_test(the_largest_request_is_read_in_one_pass),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "unit/support/server_fixture.h"

#include <string.h>

/* The stories of a server that is nearly full [S9].  There is room for eight
 * sessions, six are ample; three are open at the begin of each, from nobody
 * knows where.  */

enum { MANY = 70, FEW, OTHER }; /* addresses */

static void
open_from(struct server_fixture *r, uint64_t session, uint64_t address,
          bool of_key)
{
    server_open_as(r, (struct server_opening){.session = session,
                                              .ttl_ms = 10000,
                                              .address = address,
                                              .of_key = of_key});
}

static void
open_some(struct server_fixture *r, uint64_t first, uint64_t last,
          uint64_t address)
{
    for (uint64_t id = first; id <= last; id++) {
        r->now.ms++;
        open_from(r, id, address, false);
    }
}

/* Which of these are there?  Asking is a sign of life. */
static void
expect_there(struct server_fixture *r, uint64_t first, uint64_t last,
             const char *there)
{
    char found[64];
    size_t len = 0;

    for (uint64_t id = first; id <= last; id++) {
        server_hush(r);
        server_keep_alive(r, (struct call){.stream = 99, .session = id});
        found[len++] = strstr(r->text, "gone") == NULL ? '+' : '-';
    }
    found[len] = '\0';
    assert_string_equal(found, there);
    server_hush(r);
}

static void
below_three_quarters_nobody_goes(void **state)
{
    struct server_fixture r = server_new();

    (void)state;
    open_some(&r, 4, 7, MANY);
    expect_there(&r, 1, 7, "+++++++");
    server_fini(&r);
}

static void
of_the_address_that_has_most_the_oldest_goes(void **state)
{
    struct server_fixture r = server_new();

    (void)state;
    open_some(&r, 4, 4, FEW);
    open_some(&r, 5, 7, MANY);
    r.now.ms++;
    server_keep_alive(&r, (struct call){.stream = 11, .session = 5});
    open_some(&r, 8, 8, OTHER);
    expect_there(&r, 1, 8, "+++++-++");
    server_fini(&r);
}

static void
who_has_something_stays(void **state)
{
    struct server_fixture r = server_new();

    (void)state;
    open_some(&r, 4, 6, MANY);
    server_acquire(&r, (struct call){.stream = 11, .session = 4, .names = "A"});
    server_acquire(&r, (struct call){.stream = 12, .session = 5, .names = "A"});
    server_acquire(&r, (struct call){.stream = 13, .session = 6, .names = "B"});
    server_clear(&r, 14, "B", 102);
    server_clock(&r, 2003); /* its place is parked */
    open_some(&r, 10, 40, MANY);
    assert_null(strstr(r.text, "limit"));
    expect_there(&r, 1, 6, "++++++");
    expect_there(&r, 37, 40, "---+");
    server_fini(&r);
}

static void
where_nobody_may_go_the_limit_counts(void **state)
{
    struct server_fixture r = server_new();

    (void)state;
    open_some(&r, 4, 8, 0);
    server_hush(&r);
    open_some(&r, 9, 9, MANY);
    EXPECT_TOLD(&r, "9 limit\n");
    expect_there(&r, 1, 8, "++++++++");
    server_fini(&r);
}

static void
one_of_a_key_that_went_is_not_opened_anew(void **state)
{
    struct server_fixture r = server_new();

    (void)state;
    open_from(&r, 4, MANY, true);
    open_some(&r, 5, 8, MANY);
    server_hush(&r);
    open_from(&r, 4, MANY, true);
    EXPECT_TOLD(&r, "4 gone\n");
    server_fini(&r);
}

/* A look at all of them is made for many opens at once. */
static void
many_opens_cost_one_look(void **state)
{
    struct hf_lockspace_config config = server_config();
    struct server_fixture r;

    (void)state;
    config.limits.sessions = 256; /* a look for four */
    config.limits.texts = 1024;
    r = server_with(&config);
    for (uint64_t id = 4; id <= 600; id++) {
        r.now.ms++;
        open_from(&r, id, MANY, false);
        assert_null(strstr(r.text, "limit"));
        server_hush(&r);
    }
    expect_there(&r, 598, 600, "+++");
    expect_there(&r, 1, 6, "+++---");
    server_fini(&r);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(below_three_quarters_nobody_goes),
        cmocka_unit_test(of_the_address_that_has_most_the_oldest_goes),
        cmocka_unit_test(who_has_something_stays),
        cmocka_unit_test(where_nobody_may_go_the_limit_counts),
        cmocka_unit_test(one_of_a_key_that_went_is_not_opened_anew),
        cmocka_unit_test(many_opens_cost_one_look),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

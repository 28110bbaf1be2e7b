#include "unit/support/room.h"

static void
what_is_free_is_granted_at_once(void **state)
{
    struct room r = room_new();

    (void)state;
    room_acquire(&r, (struct call){.stream = 11, .session = 1, .names = "A"});
    room_acquire(&r, (struct call){.stream = 12, .session = 2, .names = "A"});
    room_release(&r, (struct call){.stream = 13, .session = 1});
    EXPECT_TOLD(&r, "11 granted 101\n"
                    "13 released\n"
                    "12 granted 102\n");
    room_fini(&r);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_free_is_granted_at_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

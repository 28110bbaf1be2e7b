#include "unit/support/room.h"

/* The stories of requests that have a key, and of its session [R3].  Session 9
 * is that of a key, and session 1 holds A at the begin of each. */

static struct room
begun(void)
{
    struct room r = room_new();

    room_acquire(&r, (struct call){.stream = 1, .session = 1, .names = "A"});
    room_handed(&r, (struct call){.session = 1});
    room_open_of_key(&r, 9, 2000);
    room_hush(&r);
    return r;
}

/* Each attempt is a newer one, as those of a server are that counts them. */
static struct call
keyed(uint64_t stream, const char *names)
{
    return (struct call){
        .stream = stream,
        .session = 9,
        .a = stream,
        .names = names,
        .key = {.given = true},
    };
}

static struct call
any_mode(uint64_t stream, const char *names)
{
    struct call call = keyed(stream, names);

    call.key.any_mode = UINT64_MAX;
    return call;
}

static struct call
with_ttl(uint64_t stream, int64_t ttl_ms)
{
    struct call call = keyed(stream, "B");

    call.key.ttl_given = true;
    call.key.ttl.ms = ttl_ms;
    return call;
}

static struct call
with_if_dead(uint64_t stream, enum hf_if_dead if_dead)
{
    struct call call = keyed(stream, "B");

    call.key.if_dead_given = true;
    call.key.if_dead = if_dead;
    return call;
}

/* ---- What a key is for --------------------------------------------------- */

static void
the_same_key_is_the_same_grant(void **state)
{
    struct room r = begun();
    struct call later = keyed(23, "B");

    (void)state;
    later.wait_ms = 50;
    later.note = "another";
    room_acquire(&r, keyed(21, "B"));
    room_acquire(&r, with_ttl(22, 2000));
    room_acquire(&r, later);
    room_acquire(&r, with_if_dead(24, HF_TAKEOVER));
    room_acquire(&r, any_mode(25, "B"));
    EXPECT_TOLD(&r, "21 granted 102\n"
                    "22 granted 102\n"
                    "23 granted 102\n"
                    "24 granted 102\n"
                    "25 granted 102\n");
    room_fini(&r);
}

static void
what_asks_for_something_else_is_told_so_and_gets_nothing(void **state)
{
    struct room r = begun();
    struct call wait = keyed(27, "B");

    (void)state;
    wait.free = true;
    room_acquire(&r, keyed(21, "B"));
    room_acquire(&r, with_ttl(22, 1999));
    room_acquire(&r, with_if_dead(23, HF_REFUSE));
    room_acquire(&r, keyed(24, "B:s"));
    room_acquire(&r, keyed(25, "C"));
    room_acquire(&r, keyed(26, "B C"));
    room_acquire(&r, wait);
    room_acquire(&r, keyed(28, "B"));
    EXPECT_TOLD(&r, "21 granted 102\n"
                    "22 other\n"
                    "23 other\n"
                    "24 other\n"
                    "25 other\n"
                    "26 other\n"
                    "27 other\n"
                    "28 granted 102\n");
    room_fini(&r);
}

static void
another_number_under_a_key_is_for_the_same(void **state)
{
    struct room r = begun();
    struct call next = keyed(22, "C");

    (void)state;
    next.n = 2;
    room_acquire(&r, keyed(21, "B"));
    room_acquire(&r, next);
    EXPECT_TOLD(&r, "21 granted 102\n22 other\n");
    room_fini(&r);
}

static void
after_a_change_the_present_mode_counts(void **state)
{
    struct room r = begun();

    (void)state;
    room_acquire(&r, keyed(21, "B"));
    room_lower(&r, (struct call){.stream = 22, .session = 9, .names = "B"});
    room_acquire(&r, keyed(23, "B"));
    room_acquire(&r, keyed(24, "B:s"));
    room_acquire(&r, any_mode(25, "B"));
    EXPECT_TOLD(&r, "21 granted 102\n"
                    "22 changed\n"
                    "23 other\n"
                    "24 granted 102\n"
                    "25 granted 102\n");
    room_fini(&r);
}

static void
what_was_asked_for_is_known_when_nothing_of_it_is_left(void **state)
{
    struct room r = begun();
    struct call tried = keyed(21, "B A:s");
    struct call again = keyed(24, "A:s B");
    struct call wait = keyed(26, "A:s B");

    (void)state;
    tried.try_only = true;
    wait.free = true;
    room_acquire(&r, tried);
    room_acquire(&r, wait);
    room_acquire(&r, keyed(22, "B"));
    room_acquire(&r, keyed(23, "A B:s"));
    room_acquire(&r, again);
    room_acquire(&r, any_mode(25, "A B"));
    EXPECT_TOLD(&r, "21 over: held\n"
                    "26 other\n"
                    "22 other\n"
                    "23 other\n"
                    "24 over: held\n"
                    "25 over: held\n");
    room_fini(&r);
}

static void
who_has_lost_the_place_asks_for_the_same_again(void **state)
{
    struct room r = begun();

    (void)state;
    room_acquire(&r, keyed(21, "B A:s"));
    room_stream_ends(&r, (struct call){.stream = 21, .session = 9});
    room_acquire(&r, keyed(22, "B A"));
    room_acquire(&r, any_mode(23, "A B"));
    EXPECT_TOLD(&r, "22 other\n");
    room_release(&r, (struct call){.stream = 24, .session = 1});
    room_acquire(&r, (struct call){.stream = 25, .session = 2, .names = "A:s"});
    EXPECT_TOLD(&r, "24 released\n"
                    "23 granted 102\n"
                    "25 granted 103\n");
    room_fini(&r);
}

/* The key was for B, shared; the same session asks for C without it, and
 * another has that. */
static void
in_any_mode_is_as_its_own_request_was(void **state)
{
    struct room r = begun();
    struct call own = {.stream = 22, .session = 9, .n = 2, .names = "C"};
    struct call tries = any_mode(23, "C");

    (void)state;
    room_acquire(&r, (struct call){.stream = 24, .session = 2, .names = "C:s"});
    room_acquire(&r, keyed(21, "B:s"));
    room_acquire(&r, own);
    room_hush(&r);
    tries.n = 2;
    tries.try_only = true;
    room_acquire(&r, tries);
    EXPECT_TOLD(&r, "22 superseded\n"
                    "23 over: held\n");
    room_fini(&r);
}

static void
what_was_waited_for_under_a_key_is_in_no_mode(void **state)
{
    struct room r = begun();
    struct call wait = keyed(21, "A");
    struct call again = keyed(22, "A:s");

    (void)state;
    wait.free = again.free = true;
    room_acquire(&r, wait);
    room_stream_ends(&r, (struct call){.stream = 21, .session = 9});
    room_acquire(&r, again);
    room_release(&r, (struct call){.stream = 23, .session = 1});
    EXPECT_TOLD(&r, "23 released\n"
                    "22 over: free\n");
    room_fini(&r);
}

/* ---- What is for something else changes nothing -------------------------- */

static void
what_is_for_something_else_is_no_sign_of_life(void **state)
{
    struct room r = begun();

    (void)state;
    room_acquire(&r, keyed(21, "B"));
    r.now.ms = 2900;
    room_acquire(&r, keyed(22, "C"));
    room_clock(&r, 3000);
    room_acquire(&r, (struct call){.stream = 23, .session = 2, .names = "B"});
    EXPECT_TOLD(&r, "21 granted 102\n"
                    "22 other\n"
                    "23 granted 103\n");
    room_fini(&r);
}

static void
what_is_for_something_else_supersedes_nobody(void **state)
{
    struct room r = begun();

    (void)state;
    room_acquire(&r, keyed(21, "A"));
    room_acquire(&r, keyed(22, "A:s"));
    EXPECT_TOLD(&r, "22 other\n");
    room_release(&r, (struct call){.stream = 23, .session = 1});
    EXPECT_TOLD(&r, "23 released\n"
                    "21 granted 102\n");
    room_fini(&r);
}

static void
what_is_for_something_else_takes_no_parked_place(void **state)
{
    struct room r = begun();

    (void)state;
    room_acquire(&r, keyed(21, "A"));
    room_clock(&r, 1999);
    room_acquire(&r, (struct call){.stream = 22, .session = 2, .names = "A"});
    room_clock(&r, 2000);
    room_release(&r, (struct call){.stream = 23, .session = 1});
    room_applied(&r, room_batch(&r, 100));
    room_hush(&r);
    r.now.ms = 2199;
    room_acquire(&r, with_ttl(24, 5000));
    room_acquire(&r, keyed(25, "A:s"));
    room_clock(&r, 2199);
    EXPECT_TOLD(&r, "24 other\n25 other\n");
    room_clock(&r, 2200);
    EXPECT_TOLD(&r, "22 granted 102\n");
    room_fini(&r);
}

/* ---- Sessions that were ended -------------------------------------------- */

static void
a_session_of_a_key_that_was_ended_is_not_opened_anew(void **state)
{
    struct room r = begun();

    (void)state;
    r.now.ms = 1500;
    room_acquire(&r, keyed(21, "B"));
    room_release(&r, (struct call){.stream = 22, .session = 9});
    room_end(&r, (struct call){.stream = 23, .session = 9});
    room_applied(&r, room_batch(&r, 100));
    room_hush(&r);
    room_clock(&r, 3499);
    room_open_of_key(&r, 9, 2000);
    room_acquire(&r, keyed(24, "B"));
    EXPECT_TOLD(&r, "9 gone\n24 gone\n");
    room_clock(&r, 3500);
    room_open_of_key(&r, 9, 2000);
    EXPECT_TOLD(&r, "9 opened\n");
    room_fini(&r);
}

static void
a_session_that_ends_by_time_is_remembered_by_nobody(void **state)
{
    struct room r = begun();

    (void)state;
    room_clock(&r, 3000);
    room_open_of_key(&r, 9, 2000);
    room_end(&r, (struct call){.stream = 21, .session = 9});
    room_open(&r, 8, 2000, HF_TAKEOVER);
    room_end(&r, (struct call){.stream = 22, .session = 8});
    room_open(&r, 8, 2000, HF_TAKEOVER);
    EXPECT_TOLD(&r, "9 opened\n"
                    "21 ended\n"
                    "8 opened\n"
                    "22 ended\n"
                    "8 opened\n");
    room_fini(&r);
}

/* Three, with those that were ended. */
static void
more_keys_than_can_be_remembered_are_not_opened(void **state)
{
    struct room r = begun();

    (void)state;
    room_open_of_key(&r, 10, 2000);
    room_open_of_key(&r, 11, 5000);
    room_open_of_key(&r, 12, 2000);
    room_end(&r, (struct call){.stream = 21, .session = 10});
    room_open_of_key(&r, 12, 2000);
    room_open(&r, 13, 2000, HF_TAKEOVER);
    room_clock(&r, 3000); /* 9 and 13 are silent, */
    room_clock(&r, 3000); /* and 10 was remembered until now */
    room_clock(&r, 3000);
    room_open_of_key(&r, 12, 2000);
    room_open_of_key(&r, 10, 2000);
    room_open_of_key(&r, 9, 2000);
    EXPECT_TOLD(&r, "10 opened\n"
                    "11 opened\n"
                    "12 limit\n"
                    "21 ended\n"
                    "12 limit\n"
                    "13 opened\n"
                    "12 opened\n"
                    "10 opened\n"
                    "9 limit\n");
    room_fini(&r);
}

/* ---- Under the next leader ----------------------------------------------- */

static struct room
taken_over(void)
{
    const struct hf_want want = {{"default", 7}, {"B", 1}, HF_EXCLUSIVE};
    struct hf_lockspace_config config = room_config();
    struct room r = room_empty(&config);

    room_step(&r, (struct hf_lockspace_event){
                      .kind = HF_SPACE_LOAD_SESSION,
                      .session = {.id = 9, .secret = {{9}}, .ttl = {2000}},
                  });
    room_step(&r, (struct hf_lockspace_event){
                      .kind = HF_SPACE_LOAD_GRANT,
                      .grant = {.fence = 90,
                                .session = 9,
                                .lane = 1,
                                .n = 1,
                                .wants = &want,
                                .wants_count = 1},
                  });
    room_serve(&r, 1000);
    return r;
}

static void
the_next_leader_knows_what_the_grant_keeps(void **state)
{
    struct room r = taken_over();

    (void)state;
    room_acquire(&r, with_ttl(21, 5000));
    room_acquire(&r, keyed(22, "C"));
    room_acquire(&r, keyed(23, "B:s"));
    room_acquire(&r, keyed(24, "B"));
    room_release(&r, (struct call){.stream = 25, .session = 9});
    room_acquire(&r, keyed(26, "C"));
    EXPECT_TOLD(&r, "21 other\n"
                    "22 other\n"
                    "23 other\n"
                    "24 granted 90\n"
                    "25 released\n"
                    "26 over: released\n");
    room_fini(&r);
}

static void
the_next_leader_learns_of_a_key_when_it_comes(void **state)
{
    struct room r = taken_over();

    (void)state;
    room_acquire(&r, keyed(21, "B"));
    room_end(&r, (struct call){.stream = 22, .session = 9});
    room_applied(&r, room_batch(&r, 100));
    room_hush(&r);
    room_open_of_key(&r, 9, 2000);
    EXPECT_TOLD(&r, "9 gone\n");
    room_fini(&r);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_key_is_the_same_grant),
        cmocka_unit_test(
            what_asks_for_something_else_is_told_so_and_gets_nothing),
        cmocka_unit_test(another_number_under_a_key_is_for_the_same),
        cmocka_unit_test(after_a_change_the_present_mode_counts),
        cmocka_unit_test(
            what_was_asked_for_is_known_when_nothing_of_it_is_left),
        cmocka_unit_test(who_has_lost_the_place_asks_for_the_same_again),
        cmocka_unit_test(in_any_mode_is_as_its_own_request_was),
        cmocka_unit_test(what_was_waited_for_under_a_key_is_in_no_mode),
        cmocka_unit_test(what_is_for_something_else_is_no_sign_of_life),
        cmocka_unit_test(what_is_for_something_else_supersedes_nobody),
        cmocka_unit_test(what_is_for_something_else_takes_no_parked_place),
        cmocka_unit_test(a_session_of_a_key_that_was_ended_is_not_opened_anew),
        cmocka_unit_test(a_session_that_ends_by_time_is_remembered_by_nobody),
        cmocka_unit_test(more_keys_than_can_be_remembered_are_not_opened),
        cmocka_unit_test(the_next_leader_knows_what_the_grant_keeps),
        cmocka_unit_test(the_next_leader_learns_of_a_key_when_it_comes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

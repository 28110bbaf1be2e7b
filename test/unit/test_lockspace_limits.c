#include <stdio.h>
#include <string.h>

#include "core/lockspace/journal.h"
#include "unit/support/lockspace_script.h"

/* Each limit has its answer, and takes nothing that is there. */

/* 1 holds A, and 2 waits for it. */
static struct server_fixture
full_of(const struct hf_lockspace_config *config)
{
    struct server_fixture r = server_with(config);

    server_acquire(&r, (struct call){.stream = 1, .session = 1, .names = "A"});
    server_acquire(&r, (struct call){.stream = 2, .session = 2, .names = "A"});
    server_hush(&r);
    return r;
}

/* With these limits, these names are over, and 1 and 2 are still there. */
static void
expect_limit(const char *limits, const char *names)
{
    char text[500];

    snprintf(text, sizeof(text),
             "start %s\n"
             "1 acquire A on 1             | 1 granted 101\n"
             "2 acquire A on 2\n"
             "3 acquire %s on 11            | 11 over: limit\n"
             "3 acquire %s on 12, attempt 2 | 12 over: limit\n"
             "1 release on 98              | 98 released; 2 granted 102\n",
             limits, names, names);
    SCRIPT_PLAY(&lockspace_script, text);
}

static void
what_no_limit_has_room_for_is_over_for_ever(void **state)
{
    (void)state;
    expect_limit("claims 2, waiters 2", "B");
    expect_limit("waiters 1", "A");
    expect_limit("names 1", "B");
    expect_limit("spaces 1", "x/B");
    expect_limit("claims 3, waiters 3, parts 3", "B C");
    expect_limit("space_waiters 1", "A");
    expect_limit("space_grants 2", "B");
    expect_limit("request_names 1", "B C");
    expect_limit("record_bytes 600",
                 "a-name-that-is-far-too-long-for-so-short-a-record");
    /* Two pieces are the names', and three those of whom each session is. */
    expect_limit("texts 5", "B");
}

/* It fits into the least of batches, or it is not done: a clear that no batch
 * could take would hold up all that come after it. */
static void
the_longest_audit_fits_into_the_least_batch(void **state)
{
    static char words[4096];
    struct hf_lockspace_config config = server_config();
    struct hf_lockspace_event event = {
        .kind = HF_SPACE_MESSAGE,
        .message = {.kind = HF_MESSAGE_CLEAR,
                    .stream = 11,
                    .clear = {.lock = {{"default", 7}, {"A", 1}, HF_EXCLUSIVE},
                              .fence = 101,
                              .at_once = true,
                              .audit = {words, 0}}},
    };
    struct hf_change change;
    struct server_fixture r;
    size_t changes = 0;

    (void)state;
    config.limits.record_bytes = 1001;
    r = full_of(&config);
    server_applied(&r, server_batch(&r, 100));
    while (hf_journal_clear_bytes(event.message.clear.audit.len) <= 2002)
        event.message.clear.audit.len++;
    server_hush(&r);
    server_step(&r, event);
    EXPECT_TOLD(&r, "11 limit\n");
    event.message.clear.audit.len--;
    server_step(&r, event);
    EXPECT_TOLD(&r, "11 cleared\n"
                    "2 granted 102\n");
    hf_lockspace_begin(r.ls, (struct hf_budget){2, 2002});
    while (hf_lockspace_take(r.ls, &change))
        changes++;
    assert_int_equal(changes, 2);
    assert_int_equal(change.kind, HF_CHANGE_PUT_AUDIT);
    server_fini(&r);
}

/* Come and gone a thousand times, nothing is left: neither a name, nor a text,
 * nor a lane that was passed. */
static void
what_is_over_leaves_no_room_behind_it(void **state)
{
    struct hf_lockspace_config config = server_config();
    struct server_fixture r = full_of(&config);

    (void)state;
    for (uint64_t i = 1; i <= 1000; i++) {
        char names[64];

        snprintf(names, sizeof(names), "name-%d:s other/%d x", (int)i, (int)i);
        server_acquire(&r, (struct call){.stream = 10 * i,
                                         .session = 3,
                                         .lane = i,
                                         .lowest = i,
                                         .names = names,
                                         .note = "a note that is not short at "
                                                 "all, and takes two pieces"});
        server_release(
            &r, (struct call){.stream = 10 * i + 1, .session = 3, .lane = i});
        if (i % 10 == 0)
            server_applied(&r, server_batch(&r, 100));
        assert_non_null(strstr(r.text, "granted"));
        server_hush(&r);
    }
    server_release(&r, (struct call){.stream = 99999, .session = 1});
    EXPECT_TOLD(&r, "99999 released\n"
                    "2 granted 1102\n");
    server_fini(&r);
}

static const struct CMUnitTest tests[] = {
    STORY(too_many_sessions_are_not_opened,
          "start sessions 3\n"
          "1 acquire A on 1   | 1 granted 101\n"
          "2 acquire A on 2\n"
          "open 4, ttl 1000   | 4 limit\n"
          /* the id is taken */
          "open 3, ttl 1000   | 3 limit\n"
          "3 end on 11        | 11 ended\n"
          /* longer than any may be */
          "open 5, ttl 100000 | 5 limit\n"
          "open 5, ttl 1000   | 5 opened\n"
          "1 release on 98    | 98 released; 2 granted 102\n"),
    /* Nothing of the request is remembered, so it is not said to be over. */
    STORY(too_many_lanes_are_told_that_nothing_is_settled,
          "start session_lanes 1\n"
          "1 acquire A on 1             | 1 granted 101\n"
          "2 acquire A on 2\n"
          "1 acquire B on 11, lane 2    | 11 limit\n"
          "1 release on 12, lane 2      | 12 limit\n"
          "3 acquire B on 13            | 13 granted 102\n"
          "3 keep-alive on 14, lowest 2 | 14 alive\n"
          "3 acquire B on 15, lane 2    | 15 granted 103\n"
          "1 release on 16              | 16 released; 2 granted 104\n"),
    cmocka_unit_test(what_no_limit_has_room_for_is_over_for_ever),
    /* No clear without its audit: so it is not done. */
    STORY(a_clear_that_cannot_be_audited_takes_nothing,
          "start texts 5\n" /* two names' and three sessions' */
          "1 acquire A on 1  | 1 granted 101\n"
          "2 acquire A on 2\n"
          "clear A 101 on 11 | 11 limit\n"
          "1 release on 98   | 98 released; 2 granted 102\n"),
    cmocka_unit_test(the_longest_audit_fits_into_the_least_batch),
    STORY(a_session_has_its_own_limits,
          "start session_grants 1\n"
          "1 acquire A on 1          | 1 granted 101\n"
          "2 acquire A on 2\n"
          "1 acquire B on 11, lane 2 | 11 over: limit\n"
          /* What waits may be granted, and so it counts. */
          "2 acquire B on 12, lane 2 | 12 over: limit\n"
          "1 release on 98           | 98 released; 2 granted 102\n"
          "start session_waiters 1\n"
          "1 acquire A on 1          | 1 granted 101\n"
          "2 acquire A on 2\n"
          "2 acquire A on 11, lane 2 | 11 over: limit\n"
          "1 release on 98           | 98 released; 2 granted 102\n"),
    STORY(a_request_without_a_name_or_with_one_twice_is_invalid,
          "1 acquire A on 1             | 1 granted 101\n"
          "2 acquire A on 2\n"
          "3 acquire on 11              | 11 over: invalid\n"
          "3 acquire B C B:s on 12, n 2 | 12 over: invalid\n"
          "1 release on 98              | 98 released; 2 granted 102\n"),
    cmocka_unit_test(what_is_over_leaves_no_room_behind_it),
};

int
main(void)
{
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "server/support/desk.h"
#include "support/forward_journal.h"
#include "support/journals.h"

/* A node at a real journal: SQLite, in a folder of the test's own. */

static char place[JOURNALS_PLACE_SIZE];

static int
make_place(void **state)
{
    (void)state;
    journals_make_place(place);
    return 0;
}

static int
remove_place(void **state)
{
    (void)state;
    journals_remove_place(place);
    return 0;
}

/* ---- Tests --------------------------------------------------------------- */

static void
a_node_leads_and_grants(void **state)
{
    struct desk desk;
    struct hf_answer granted;

    (void)state;
    desk_open(&desk, place, 5000);
    desk_until_serving(&desk);
    assert_int_equal(desk_open_session(&desk, 1).kind, HF_ANSWER_OPENED);
    granted = desk_try(&desk, 1, 1, "a");
    assert_int_equal(granted.kind, HF_ANSWER_GRANTED);
    assert_true(granted.fence >= desk.term);
    assert_int_equal(desk_try(&desk, 1, 2, "a").over, HF_OVER_HELD);
    desk_close(&desk);
}

static void
what_was_granted_is_there_after_a_stop(void **state)
{
    struct desk desk;
    struct hf_instant begun = hf_now();
    uint64_t fence;

    (void)state;
    desk_open(&desk, place, 5000);
    desk_until_serving(&desk);
    desk_open_session(&desk, 1);
    fence = desk_try(&desk, 1, 1, "a").fence;
    desk_stop(&desk);
    desk_until_stopped(&desk);
    desk_close(&desk);

    desk_open(&desk, place, 5000);
    desk_until_serving(&desk);
    /* A head without a node is nobody's: no ttl is waited for. */
    assert_true(hf_between(begun, hf_now()).ms < 4000);
    assert_int_equal(desk_try(&desk, 1, 1, "a").fence, fence);
    desk_open_session(&desk, 2);
    assert_int_equal(desk_try(&desk, 2, 1, "a").over, HF_OVER_HELD);
    assert_true(desk_try(&desk, 2, 2, "b").fence > fence);
    desk_close(&desk);
}

/* Before the first beat, too. */
static void
who_stops_with_nothing_granted_leaves_the_place_free(void **state)
{
    struct hf_journal *journal;
    struct desk desk;

    (void)state;
    desk_open(&desk, place, 5000);
    desk_until_serving(&desk);
    desk_stop(&desk);
    desk_until_stopped(&desk);
    desk_close(&desk);

    journal = journals_open(place);
    assert_string_equal(journals_read(journal).head.address, "");
    hf_journal_close(journal);
}

/* A process of its own grants and is killed; its fence comes by a pipe. */
static uint64_t
granted_by_one_who_is_killed(void)
{
    uint64_t fence = 0;
    int ends[2];
    pid_t pid;

    assert_int_equal(pipe(ends), 0);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        struct desk desk;

        desk_open(&desk, place, 30000);
        desk_until_serving(&desk);
        desk_open_session(&desk, 1);
        fence = desk_try(&desk, 1, 1, "a").fence;
        if (write(ends[1], &fence, sizeof(fence)) == sizeof(fence))
            for (;;)
                desk_turn(&desk, 100);
        _exit(1);
    }
    close(ends[1]);
    assert_int_equal(read(ends[0], &fence, sizeof(fence)), sizeof(fence));
    close(ends[0]);
    assert_int_equal(kill(pid, SIGKILL), 0);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    return fence;
}

static void
a_leader_of_this_host_that_was_killed_is_followed_at_once(void **state)
{
    struct hf_instant begun = hf_now();
    uint64_t fence = granted_by_one_who_is_killed();
    struct desk desk;

    (void)state;
    desk_open(&desk, place, 30000);
    desk_until_serving(&desk);
    assert_true(hf_between(begun, hf_now()).ms < 15000);
    assert_int_equal(desk_try(&desk, 1, 1, "a").fence, fence);
    desk_close(&desk);
}

/* There is no process of that number, and its start is none that we had. */
static struct hf_head
head_of_another_host(void)
{
    struct hf_head head = journals_head("n1", "db2:7420");
    struct hf_owner *owner = &head.claim.owner;

    head.claim.terms.ttl.ms = 4000;
    (void)snprintf(owner->host, sizeof(owner->host), "db2");
    (void)snprintf(owner->boot, sizeof(owner->boot),
                   "2a4c5b0e-7f2d-4b8e-9c01-5d6e7f809102");
    owner->pidns = 4026531836;
    owner->processes[0] = (struct hf_process){INT32_MAX, 1};
    owner->processes_count = 1;
    return head;
}

static void
a_leader_of_another_host_is_not_judged_by_its_process(void **state)
{
    const struct hf_head head = head_of_another_host();
    struct hf_journal *journal = journals_open(place);
    struct hf_instant begun = hf_now();
    struct desk desk;

    (void)state;
    journals_put(journal, &head, NULL, 0);
    hf_journal_close(journal);
    desk_open(&desk, place, 5000);
    desk_until_serving(&desk);
    assert_true(hf_between(begun, hf_now()).ms >= 4000);
    desk_close(&desk);
}

static void
a_second_node_follows_and_then_leads(void **state)
{
    struct desk first;
    struct desk second;
    struct hf_message open;
    struct hf_instant end;
    uint64_t fence;

    (void)state;
    desk_open(&first, place, 5000);
    desk_until_serving(&first);
    desk_open_session(&first, 1);
    fence = desk_try(&first, 1, 1, "a").fence;

    desk_open(&second, place, 5000);
    end = hf_after(hf_now(), (struct hf_duration){10000});
    while (hf_seat_leader(second.seat)[0] == '\0') {
        assert_false(hf_reached(hf_now(), end));
        desk_turn(&second, 100);
        desk_turn(&first, 1);
    }
    assert_string_equal(hf_seat_leader(second.seat), "here:7420");
    assert_null(hf_seat_table(second.seat));
    open = desk_message(&second, HF_MESSAGE_OPEN, 9);
    open.stream = 77;
    open.open.ttl.ms = 30000;
    desk_send(&second, open);
    assert_int_equal(second.refused, 77);

    desk_stop(&first);
    desk_until_stopped(&first);
    desk_until_serving(&second);
    assert_string_equal(hf_seat_leader(second.seat), "");
    assert_true(second.term > first.term);
    assert_int_equal(desk_try(&second, 1, 1, "a").fence, fence);
    desk_close(&first);
    desk_close(&second);
}

static void
sessions_and_grants_beyond_a_chunk_are_all_loaded(void **state)
{
    /* More than one chunk of sessions, and more than two of grants; neither
     * ends where a chunk does. */
    enum { SESSIONS = HF_JOURNAL_CHUNK + 44, LOCKS = 2 * SESSIONS };
    uint64_t fences[LOCKS];
    struct desk desk;
    char name[16];

    (void)state;
    desk_open(&desk, place, 5000);
    desk_until_serving(&desk);
    for (uint64_t i = 0; i < LOCKS; i++) {
        desk.due_count = 0;
        if (i < SESSIONS)
            desk_open_session(&desk, 1 + i);
        (void)snprintf(name, sizeof(name), "lock %d", (int)i);
        fences[i] =
            desk_try(&desk, 1 + i % SESSIONS, 1 + i / SESSIONS, name).fence;
        assert_true(fences[i] > 0);
    }
    desk_stop(&desk);
    desk_until_stopped(&desk);
    desk_close(&desk);

    desk_open(&desk, place, 5000);
    desk_until_serving(&desk);
    for (uint64_t i = 0; i < LOCKS; i++) {
        desk.due_count = 0;
        (void)snprintf(name, sizeof(name), "lock %d", (int)i);
        assert_int_equal(
            desk_try(&desk, 1 + i % SESSIONS, 1 + i / SESSIONS, name).fence,
            fences[i]);
    }
    desk_close(&desk);
}

static void
what_cannot_be_read_is_not_served_and_is_named(void **state)
{
    const struct hf_head nobody = journals_head("", "");
    const struct hf_journal_change rows[] = {
        journals_session(UINT64_C(0xf3ab91c07d5e24)),
        journals_grant(7, UINT64_C(0xf3ab91c07d5e24), "[]")};
    struct hf_journal *journal = journals_open(place);
    struct desk desk;
    struct hf_instant end;
    struct hf_error why;

    (void)state;
    journals_put(journal, &nobody, rows, 2);
    hf_journal_close(journal);
    desk_open(&desk, place, 5000);
    end = hf_after(hf_now(), (struct hf_duration){10000});
    while (hf_seat_trouble(desk.seat, &why) == HF_OK) {
        assert_false(hf_reached(hf_now(), end));
        assert_null(hf_seat_table(desk.seat));
        desk_turn(&desk, 100);
    }
    assert_int_equal(why.status, HF_E_CORRUPT);
    assert_non_null(strstr(why.text, "grant 7: "));
    desk_close(&desk);
}

static enum hf_status
read_restored(struct hf_journal *journal, struct hf_instant until,
              struct hf_journal_found *found, struct hf_error *error)
{
    enum hf_status status = forward_journal_read(journal, until, found, error);

    found->loss = HF_STORE_COPIED;
    return status;
}

static enum hf_status
open_restored(const struct hf_place *at, const struct hf_alloc *alloc,
              struct hf_journal **journal, struct hf_error *error)
{
    static const struct hf_journal_methods changed = {.read = read_restored};
    struct forward_journal *made =
        forward_journal_open(place, sizeof(*made), alloc, &changed, error);

    (void)at;
    assert_non_null(made);
    *journal = &made->base;
    return HF_OK;
}

static void
expect_cause(const char *at, const char *cause)
{
    struct hf_instant end = hf_after(hf_now(), (struct hf_duration){10000});
    struct desk desk;

    desk_open_at(&desk, at, open_restored, 5000);
    while (strcmp(hf_seat_cause(desk.seat), cause) != 0) {
        assert_false(hf_reached(hf_now(), end));
        desk_turn(&desk, 100);
    }
    desk_close(&desk);
}

/* A person who reads the log looks for what happened to such a place. */
static void
what_happened_to_a_place_is_said_in_the_words_of_its_kind(void **state)
{
    (void)state;
    expect_cause(place, "its file is a copy, or was restored");
    expect_cause("postgresql://db/locks",
                 "its database was restored, or is a standby that was "
                 "promoted");
}

#define SEAT_TEST(name)                                                        \
    cmocka_unit_test_setup_teardown(name, make_place, remove_place)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        SEAT_TEST(a_node_leads_and_grants),
        SEAT_TEST(what_was_granted_is_there_after_a_stop),
        SEAT_TEST(who_stops_with_nothing_granted_leaves_the_place_free),
        SEAT_TEST(a_leader_of_this_host_that_was_killed_is_followed_at_once),
        SEAT_TEST(a_leader_of_another_host_is_not_judged_by_its_process),
        SEAT_TEST(a_second_node_follows_and_then_leads),
        SEAT_TEST(what_happened_to_a_place_is_said_in_the_words_of_its_kind),
        SEAT_TEST(sessions_and_grants_beyond_a_chunk_are_all_loaded),
        SEAT_TEST(what_cannot_be_read_is_not_served_and_is_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "core/lockspace/look.h"
#include "unit/support/server_fixture.h"

/* What a person is shown: who holds, who waits, in order, for how long, why. */

static const char *
why_word(enum hf_look_why why)
{
    static const char *const words[] = {
        [HF_LOOK_HOLDS] = "holds",   [HF_LOOK_HELD] = "held",
        [HF_LOOK_BEHIND] = "behind", [HF_LOOK_ELSEWHERE] = "elsewhere",
        [HF_LOOK_PARKED] = "parked", [HF_LOOK_GRACE] = "grace",
    };

    return words[why];
}

static void
show_row(const struct server_fixture *r, const struct hf_look_claim *row,
         char *to, size_t size)
{
    char who[32] = "";
    char note[32] = "";
    char kept[32] = "";
    size_t len = strlen(to);

    hf_look_text(r->ls, row->who, who, sizeof(who) - 1);
    hf_look_text(r->ls, row->note, note, sizeof(note) - 1);
    if (row->parked)
        snprintf(kept, sizeof(kept), ", kept for %d ms", (int)row->kept.ms);
    snprintf(to + len, size - len, "%d.%d %s%s%s %d ms%s%s%s %s\n",
             (int)row->session, (int)row->lane, why_word(row->why),
             row->free ? ", until free" : "", kept, (int)row->age.ms,
             row->mode == HF_SHARED ? " shared" : "",
             note[0] == '\0' ? "" : " ", note, who);
}

static void
show(const struct server_fixture *r, const char *text, char *to, size_t size)
{
    struct hf_want lock = {.space = {"default", 7},
                           .name = {text, strlen(text)}};
    struct hf_look_name name;
    struct hf_look_claim row;
    uint32_t cursor = 0;

    to[0] = '\0';
    if (!hf_look_find(r->ls, &lock, &name))
        return;
    while (hf_look_holders(r->ls, name.number, &cursor, &row))
        show_row(r, &row, to, size);
    cursor = 0;
    while (hf_look_line(r->ls, name.number, &cursor, &row))
        show_row(r, &row, to, size);
}

static void
a_name_shows_its_holders_and_its_line(void **state)
{
    struct server_fixture r = server_new();
    char text[1024];

    (void)state;
    server_acquire(&r, (struct call){.stream = 11,
                                     .session = 1,
                                     .names = "A:s B",
                                     .note = "./report"});
    server_clock(&r, 1400);
    server_acquire(&r, (struct call){.stream = 12, .session = 2, .names = "A"});
    server_acquire(
        &r, (struct call){
                .stream = 13, .session = 3, .names = "A:s", .waited_ms = 50});
    server_acquire(&r, (struct call){.stream = 14,
                                     .session = 3,
                                     .lane = 2,
                                     .names = "B C:s",
                                     .free = true});
    server_clock(&r, 1500);
    show(&r, "A", text, sizeof(text));
    assert_string_equal(text, "1.1 holds 500 ms shared ./report ann@db1\n"
                              "2.1 held 100 ms ann@db1\n"
                              "3.1 behind 100 ms shared ann@db1\n");
    show(&r, "C", text, sizeof(text));
    assert_string_equal(text, "3.2 elsewhere, until free 100 ms ann@db1\n");
    server_clock(&r, 2400);
    server_release(&r, (struct call){.stream = 15, .session = 1});
    show(&r, "A", text, sizeof(text));
    assert_string_equal(text,
                        "2.1 parked, kept for 200 ms 1000 ms ann@db1\n"
                        "3.1 behind, kept for 200 ms 1000 ms shared ann@db1\n");
    show(&r, "D", text, sizeof(text));
    assert_string_equal(text, "");
    server_fini(&r);
}

static void
a_grace_after_a_start_is_a_reason_to_wait(void **state)
{
    struct hf_lockspace_config config = server_config();
    struct server_fixture r;
    char text[256];

    (void)state;
    r = server_empty(&config);
    r.hold_until.ms = 1600;
    server_begin(&r);
    server_acquire(&r, (struct call){.stream = 11, .session = 1, .names = "A"});
    show(&r, "A", text, sizeof(text));
    assert_string_equal(text, "1.1 grace 0 ms ann@db1\n");
    server_fini(&r);
}

/* What is there all the while is seen once, whatever comes and goes. */
static void
a_list_goes_on_while_others_come_and_go(void **state)
{
    struct server_fixture r = server_new();
    struct hf_look_name name;
    struct hf_look_session session;
    uint32_t cursor = 0;
    unsigned seen = 0;

    (void)state;
    server_acquire(&r,
                   (struct call){.stream = 11, .session = 1, .names = "A B"});
    server_acquire(&r,
                   (struct call){.stream = 12, .session = 2, .names = "x/C"});
    assert_true(hf_look_names(r.ls, &cursor, &name));
    server_release(&r, (struct call){.stream = 13, .session = 1});
    server_acquire(&r,
                   (struct call){.stream = 14, .session = 3, .names = "D E F"});
    while (hf_look_names(r.ls, &cursor, &name)) {
        char text[8] = "";

        hf_look_text(r.ls, name.name, text, sizeof(text) - 1);
        seen += strcmp(text, "C") == 0;
        assert_int_equal(name.holders, 1);
    }
    assert_int_equal(seen, 1);

    cursor = 0;
    seen = 0;
    while (hf_look_sessions(r.ls, &cursor, &session)) {
        assert_int_equal(session.grants, session.id == 1 ? 0 : 1);
        assert_int_equal(session.ttl.ms, 10000);
        seen++;
    }
    assert_int_equal(seen, 3);
    server_fini(&r);
}

enum { MANY = 5000 };

/* The least of three times, for the machine may be busy with something else. */
static int64_t
asking_us(struct server_fixture *r)
{
    struct hf_want want = {.space = {"default", 7}, .name = {"free", 4}};
    const struct hf_message acquire = {
        .kind = HF_MESSAGE_ACQUIRE,
        .session = 1,
        .lane = 1,
        .acquire = {.wants = &want, .wants_count = 1}};
    int64_t least_us = INT64_MAX;

    for (int round = 0; round < 3; round++) {
        int64_t begun_us = hf_now_us();
        int64_t took_us;

        for (int i = 0; i < 2000; i++) {
            assert_int_equal(hf_look_asked(r->ls, &acquire), MANY + 1);
            assert_int_equal(hf_look_meant(r->ls, 1, 1, &want), MANY);
        }
        took_us = hf_now_us() - begun_us;
        least_us = took_us < least_us ? took_us : least_us;
    }
    return least_us;
}

static void
what_was_meant_is_found_among_many(void **state)
{
    struct hf_lockspace_config config = server_config();
    struct hf_want want = {.space = {"default", 7}, .name = {"n7", 2}};
    struct server_fixture r;

    (void)state;
    config.limits.claims = config.limits.names = config.limits.parts =
        config.limits.session_grants = config.limits.space_grants = MANY + 100;
    config.limits.texts = 4 * MANY;
    r = server_with(&config);
    for (unsigned i = 1; i <= MANY; i++) {
        char name[16];

        snprintf(name, sizeof(name), "n%u", i);
        server_acquire(
            &r,
            (struct call){.stream = i, .session = 1, .n = i, .names = name});
        server_hush(&r);
    }
    assert_int_equal(hf_look_meant(r.ls, 1, 1, &want), 7);
    assert_in_range(asking_us(&r), 0, 100 * 1000);
    server_fini(&r);
}

/* Shared and above it exclusive, by one lane [W7]: an acquire that comes again
 * is the one that asked for just that, and a release is of the last. */
static void
of_two_holds_of_a_name_each_is_found(void **state)
{
    struct server_fixture r = server_new();
    struct hf_want want = {.space = {"default", 7}, .name = {"A", 1}};
    struct hf_message acquire = {.kind = HF_MESSAGE_ACQUIRE,
                                 .session = 1,
                                 .lane = 1,
                                 .acquire = {.wants = &want, .wants_count = 1}};

    (void)state;
    server_acquire(&r,
                   (struct call){.stream = 11, .session = 1, .names = "A:s"});
    server_acquire(
        &r, (struct call){.stream = 12, .session = 1, .n = 2, .names = "A"});
    server_acquire(
        &r, (struct call){.stream = 13, .session = 1, .n = 3, .names = "B"});
    want.mode = HF_SHARED;
    assert_int_equal(hf_look_asked(r.ls, &acquire), 1);
    want.mode = HF_EXCLUSIVE;
    assert_int_equal(hf_look_asked(r.ls, &acquire), 2);
    assert_int_equal(hf_look_meant(r.ls, 1, 1, &want), 2);
    server_release(&r, (struct call){.stream = 14, .session = 1, .n = 2});
    assert_int_equal(hf_look_asked(r.ls, &acquire), 4);
    assert_int_equal(hf_look_meant(r.ls, 1, 1, &want), 1);
    acquire.lane = 2;
    assert_int_equal(hf_look_asked(r.ls, &acquire), 1);
    server_fini(&r);
}

/* How long it is silent by now, only who knows the present can say. */
static void
silence_is_shown_as_of_the_last_step(void **state)
{
    struct server_fixture r = server_new();
    struct hf_look_session session;

    (void)state;
    server_open(&r, 4, 500, HF_TAKEOVER);
    server_clock(&r, 1100);
    server_keep_alive(&r, (struct call){.stream = 11, .session = 4});
    server_clock(&r, 1300);
    r.now.ms = 1400;
    hf_look_session_at(r.ls, hf_look_session(r.ls, 4), &session);
    assert_int_equal(session.heard_at.ms, 1100);
    assert_int_equal(session.silent.ms, 200);
    server_fini(&r);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_shows_its_holders_and_its_line),
        cmocka_unit_test(a_grace_after_a_start_is_a_reason_to_wait),
        cmocka_unit_test(a_list_goes_on_while_others_come_and_go),
        cmocka_unit_test(what_was_meant_is_found_among_many),
        cmocka_unit_test(of_two_holds_of_a_name_each_is_found),
        cmocka_unit_test(silence_is_shown_as_of_the_last_step),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* A schedule as one line: what is printed is read again, and no other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "lab/subject.h"
#include "lab/world/story.h"

enum { STEPS_MAX = 400 };

static int
parse(const char *line)
{
    static uint16_t schedule[STEPS_MAX];
    struct subject subject;
    const char *why = NULL;
    int count = subject_parse(line, &subject, schedule, STEPS_MAX, &why);

    if (count < 0)
        assert_non_null(why);
    return count;
}

static void
a_line_that_was_printed_is_read_again(void **unused)
{
    (void)unused;
    for (unsigned i = 0; i < subject_count(); i++) {
        uint16_t schedule[STEPS_MAX];
        uint16_t again[STEPS_MAX];
        struct subject subject = subject_at(i);
        struct subject read;
        struct walk walk = {.seed = i, .schedule = schedule, .max = STEPS_MAX};
        char buffer[STEPS_MAX * 20];
        struct hf_text text;
        const char *why;

        unsigned workers = subject_workers_max(&subject) < 3
                               ? subject_workers_max(&subject)
                               : 3;

        subject_set_workers(&subject, workers);
        subject_walk(&subject, &walk);
        assert_true(walk.len > 0);
        hf_text_init(&text, buffer, sizeof(buffer));
        subject_line(&subject, schedule, walk.len, &text);
        assert_int_equal(subject_parse(buffer, &read, again, STEPS_MAX, &why),
                         walk.len);
        assert_memory_equal(schedule, again, walk.len * sizeof(schedule[0]));
        assert_string_equal(subject_name(&read), subject_name(&subject));
        assert_int_equal(subject_workers(&read), workers);
        assert_false(subject_is_alike(&read));
    }
}

static void
every_act_has_a_word_of_its_own(void **unused)
{
    (void)unused;
    for (enum world_act act = 0; act < ACT_COUNT; act++) {
        char line[64] = "takeover:2:";
        uint16_t number;
        struct subject subject;
        const char *why;

        assert_non_null(story_act_word(act));
        strncat(line, story_act_word(act), 40);
        strncat(line, "2", 2);
        assert_int_equal(subject_parse(line, &subject, &number, 1, &why), 1);
        assert_int_equal(world_action_of(number).act, act);
        assert_int_equal(world_action_of(number).who, 1);
    }
}

static void
so_has_every_act_of_a_server(void **unused)
{
    (void)unused;
    for (unsigned i = worlds_count; i < subject_count(); i++) {
        struct subject subject = subject_at(i);
        struct subject read;

        for (unsigned act = 0; act < subject.server.kind->acts_count; act++) {
            char line[128];
            uint16_t number;
            const char *why;

            snprintf(line, sizeof(line), "%s:2:%s2", subject_name(&subject),
                     subject.server.kind->acts[act].word);
            assert_int_equal(subject_parse(line, &read, &number, 1, &why), 1);
            assert_int_equal(kind_action_of(number).act, act);
            assert_int_equal(kind_action_of(number).who, 1);
        }
    }
}

static void
a_line_that_is_none_is_refused_with_a_reason(void **unused)
{
    static const char *const lines[] = {
        "",
        "takeover",
        "takeover:2",
        ":2:begin1",
        "nowhere:2:begin1",
        "takeover:0:begin1",
        "takeover:5:begin1",
        "takeover:-1:begin1",
        "takeover:x:begin1",
        "takeover:2:begin",
        "takeover:2:begin0",
        "takeover:2:begin-1",
        "takeover:2:begin99",
        "takeover:2:begin1x",
        "takeover:2:jump1",
        "takeover:2:begin1,,serve1",
        "takeover:2:begin1;serve1",
        "takeover:2:,",
        "a-name-that-is-much-too-long-to-be-that-of-any-world-in-the-list:2:x",
    };

    (void)unused;
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
        if (parse(lines[i]) >= 0)
            fail_msg("read: %s", lines[i]);
}

static void
a_line_longer_than_there_is_room_is_refused(void **unused)
{
    struct subject subject;
    uint16_t schedule[2];
    const char *why;

    (void)unused;
    assert_int_equal(
        subject_parse("takeover:2:begin1,serve1", &subject, schedule, 2, &why),
        2);
    assert_int_equal(subject_parse("takeover:2:begin1,serve1,deliver1",
                                   &subject, schedule, 2, &why),
                     -1);
}

static void
check_step(void *ctx, unsigned number, const struct model_step *step)
{
    char buffer[256];
    struct hf_text text;
    unsigned *steps = ctx;

    assert_int_equal(number, ++*steps);
    hf_text_init(&text, buffer, sizeof(buffer));
    story_sentence(step, &text);
    assert_true(strlen(buffer) > 10 && strlen(buffer) < 200);
    assert_true(buffer[0] >= 'A' && buffer[0] <= 'Z');
    assert_int_equal(strstr(buffer, "(a fault)") != NULL, step->fault);
    hf_text_init(&text, buffer, sizeof(buffer));
    if (world_is_workers(step->action.act))
        story_cell(step, step->action.who, &text);
    else
        story_cell(step, WORLD_WORKERS_MAX, &text);
    assert_true(strlen(buffer) > 0 || step->action.act == ACT_TICK);
}

static void
every_step_is_a_sentence_and_a_fault_is_called_one(void **unused)
{
    (void)unused;
    for (unsigned i = 0; i < worlds_count; i++) {
        uint16_t schedule[STEPS_MAX];
        struct world_config config = worlds[i];
        struct walk walk = {.seed = 7, .schedule = schedule, .max = STEPS_MAX};
        unsigned steps = 0;
        bool valid;

        config.symmetric = false;
        walk_at_random(&config, &walk);
        model_replay(&config, schedule, walk.len, check_step, &steps, &valid);
        assert_true(valid);
        assert_int_equal(steps, walk.len);
    }
}

static void
a_step_that_is_not_possible_ends_a_replay(void **unused)
{
    struct subject subject;
    uint16_t schedule[4];
    const char *why;
    bool valid;

    (void)unused;
    assert_int_equal(subject_parse("takeover:2:begin1,deliver1", &subject,
                                   schedule, 4, &why),
                     2);
    assert_null(model_replay(&subject.table, schedule, 2, NULL, NULL, &valid));
    assert_false(valid);
    assert_int_equal(
        subject_parse("takeover:2:begin1,serve3", &subject, schedule, 4, &why),
        2);
    assert_null(model_replay(&subject.table, schedule, 2, NULL, NULL, &valid));
    assert_false(valid);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_that_was_printed_is_read_again),
        cmocka_unit_test(every_act_has_a_word_of_its_own),
        cmocka_unit_test(so_has_every_act_of_a_server),
        cmocka_unit_test(a_line_that_is_none_is_refused_with_a_reason),
        cmocka_unit_test(a_line_longer_than_there_is_room_is_refused),
        cmocka_unit_test(every_step_is_a_sentence_and_a_fault_is_called_one),
        cmocka_unit_test(a_step_that_is_not_possible_ends_a_replay),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

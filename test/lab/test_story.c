/* A schedule as one line: what is printed is read again, and no other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lab/world/story.h"
#include "lab/world/walk.h"
#include "lab/world/worlds.h"

enum { STEPS_MAX = 400 };

static int
parse(const char *line)
{
    static uint16_t schedule[STEPS_MAX];
    struct world_config config;
    const char *why = NULL;
    int count = story_parse(line, &config, schedule, STEPS_MAX, &why);

    if (count < 0)
        assert_non_null(why);
    return count;
}

static void
a_line_that_was_printed_is_read_again(void **unused)
{
    (void)unused;
    for (unsigned i = 0; i < worlds_count; i++) {
        uint16_t schedule[STEPS_MAX];
        uint16_t again[STEPS_MAX];
        struct world_config config = worlds_with(&worlds[i], 3);
        struct world_config read;
        struct walk walk = {.seed = i, .schedule = schedule, .max = STEPS_MAX};
        char buffer[STEPS_MAX * 20];
        struct hf_text text;
        const char *why;

        walk_at_random(&config, &walk);
        assert_true(walk.len > 0);
        hf_text_init(&text, buffer, sizeof(buffer));
        story_line(&config, schedule, walk.len, &text);
        assert_int_equal(story_parse(buffer, &read, again, STEPS_MAX, &why),
                         walk.len);
        assert_memory_equal(schedule, again, walk.len * sizeof(schedule[0]));
        assert_string_equal(read.name, config.name);
        assert_int_equal(read.workers, 3);
        assert_false(read.symmetric);
    }
}

static void
every_act_has_a_word_of_its_own(void **unused)
{
    (void)unused;
    for (enum world_act act = 0; act < ACT_COUNT; act++) {
        char line[64] = "takeover:2:";
        uint16_t number;
        struct world_config config;
        const char *why;

        assert_non_null(story_act_word(act));
        strncat(line, story_act_word(act), 40);
        strncat(line, "2", 2);
        assert_int_equal(story_parse(line, &config, &number, 1, &why), 1);
        assert_int_equal(world_action_of(number).act, act);
        assert_int_equal(world_action_of(number).who, 1);
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
    struct world_config config;
    uint16_t schedule[2];
    const char *why;

    (void)unused;
    assert_int_equal(
        story_parse("takeover:2:begin1,serve1", &config, schedule, 2, &why), 2);
    assert_int_equal(story_parse("takeover:2:begin1,serve1,deliver1", &config,
                                 schedule, 2, &why),
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
    struct world_config config;
    uint16_t schedule[4];
    const char *why;
    bool valid;

    (void)unused;
    assert_int_equal(
        story_parse("takeover:2:begin1,deliver1", &config, schedule, 4, &why),
        2);
    assert_null(model_replay(&config, schedule, 2, NULL, NULL, &valid));
    assert_false(valid);
    assert_int_equal(
        story_parse("takeover:2:begin1,serve3", &config, schedule, 4, &why), 2);
    assert_null(model_replay(&config, schedule, 2, NULL, NULL, &valid));
    assert_false(valid);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_that_was_printed_is_read_again),
        cmocka_unit_test(every_act_has_a_word_of_its_own),
        cmocka_unit_test(a_line_that_is_none_is_refused_with_a_reason),
        cmocka_unit_test(a_line_longer_than_there_is_room_is_refused),
        cmocka_unit_test(every_step_is_a_sentence_and_a_fault_is_called_one),
        cmocka_unit_test(a_step_that_is_not_possible_ends_a_replay),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

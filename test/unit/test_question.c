#include "unit/support/events.h"

#include "core/question.h"

static struct hf_question
a_question(int64_t patience_ms)
{
    struct hf_question_config config = {
        .least = {patience_ms},
        .most = {patience_ms},
        .call = {patience_ms},
    };
    struct hf_question question;

    hf_question_init(&question, &config);
    return question;
}

static void
questions_are_numbered_and_answered_once(void **state)
{
    struct hf_question question = a_question(100);

    (void)state;
    assert_false(hf_question_answered(&question, 0));
    hf_question_ask(&question, HF_ASK_READ, T(0));
    assert_int_equal(question.number, 1);
    assert_true(hf_question_answered(&question, 1));
    assert_false(hf_question_answered(&question, 1));

    hf_question_ask(&question, HF_ASK_READ, T(5));
    assert_int_equal(question.number, 2);
    assert_false(hf_question_answered(&question, 1));
    assert_true(hf_question_answered(&question, 2));
}

static void
superseded_questions_are_never_answered(void **state)
{
    struct hf_question question = a_question(100);

    (void)state;
    hf_question_ask(&question, HF_ASK_BEAT, T(0));
    hf_question_ask(&question, HF_ASK_DELETE, T(10));
    assert_false(hf_question_answered(&question, 1));
    assert_int_equal(question.kind, HF_ASK_DELETE);
    assert_int_equal(hf_question_deadline(&question).ms, 110);
    assert_true(hf_question_answered(&question, 2));
}

static void
overdue_writes_are_given_up(void **state)
{
    struct hf_question question = a_question(100);

    (void)state;
    assert_int_equal(hf_question_silence(&question, T(1000)), HF_SILENCE_NONE);
    hf_question_ask(&question, HF_ASK_BEAT, T(0));
    assert_int_equal(hf_question_deadline(&question).ms, 100);
    assert_int_equal(hf_question_silence(&question, T(99)), HF_SILENCE_NONE);
    assert_int_equal(hf_question_silence(&question, T(100)), HF_SILENCE_OVER);
    assert_int_equal(hf_question_silence(&question, T(101)), HF_SILENCE_NONE);
    assert_false(hf_question_answered(&question, 1));
}

static const struct hf_question_config patient = {
    .least = {100},
    .most = {500},
    .call = {800},
};

/* Its call is still under way; what it shows is as good as what another one
 * would, which stood behind it. */
static void
a_late_read_is_waited_for_and_said_to_be_late_once(void **state)
{
    struct hf_question question;

    (void)state;
    hf_question_init(&question, &patient);
    hf_question_ask(&question, HF_ASK_READ, T(0));
    assert_int_equal(hf_question_deadline(&question).ms, 100);
    assert_int_equal(hf_question_silence(&question, T(99)), HF_SILENCE_NONE);
    assert_int_equal(hf_question_silence(&question, T(100)), HF_SILENCE_LATE);
    assert_int_equal(hf_question_silence(&question, T(101)), HF_SILENCE_NONE);
    assert_int_equal(hf_question_silence(&question, T(799)), HF_SILENCE_NONE);
    assert_int_equal(hf_question_deadline(&question).ms, 800);
    assert_int_equal(hf_question_silence(&question, T(800)), HF_SILENCE_OVER);
}

static void
patience_is_twice_what_the_last_write_took_within_its_bounds(void **state)
{
    struct hf_question question;

    (void)state;
    hf_question_init(&question, &patient);
    assert_int_equal(hf_question_patience(&question).ms, 100);
    hf_question_took(&question, (struct hf_duration){49});
    assert_int_equal(hf_question_patience(&question).ms, 100);
    hf_question_took(&question, (struct hf_duration){120});
    assert_int_equal(hf_question_patience(&question).ms, 240);
    hf_question_took(&question, HF_FOREVER);
    assert_int_equal(hf_question_patience(&question).ms, 500);
}

static int64_t
next_pause(struct hf_question *question)
{
    hf_question_pause(question, T(1000));
    return hf_question_deadline(question).ms - 1000;
}

static void
pauses_double_up_to_the_patience(void **state)
{
    struct hf_question question = a_question(70);

    (void)state;
    assert_int_equal(next_pause(&question), 10);
    assert_int_equal(next_pause(&question), 20);
    assert_int_equal(next_pause(&question), 40);
    assert_int_equal(next_pause(&question), 70);
    assert_int_equal(next_pause(&question), 70);

    hf_question_rest(&question, T(3000));
    assert_int_equal(hf_question_deadline(&question).ms, 3000);
    assert_int_equal(next_pause(&question), 10);
}

/* Whoever gives up after so many failures must not wait for ever because the
 * pauses are short. */
static void
failures_count_on_when_the_pause_is_at_its_longest(void **state)
{
    struct hf_question question = a_question(1);

    (void)state;
    for (int i = 1; i <= 1000; i++) {
        hf_question_pause(&question, T(0));
        assert_int_equal(question.failures, i < 255 ? i : 255);
        assert_int_equal(hf_question_deadline(&question).ms, 1);
    }
}

static void
the_longest_patience_does_not_overflow(void **state)
{
    struct hf_question question = a_question(INT64_MAX);

    (void)state;
    hf_question_ask(&question, HF_ASK_READ, T(5));
    assert_int_equal(hf_question_deadline(&question).ms, HF_NEVER.ms);
    hf_question_stop(&question);
    for (int i = 0; i < 300; i++)
        assert_true(next_pause(&question) > 0);
}

static void
a_stopped_question_has_no_deadline(void **state)
{
    struct hf_question question = a_question(100);

    (void)state;
    assert_int_equal(hf_question_deadline(&question).ms, HF_NEVER.ms);
    hf_question_ask(&question, HF_ASK_READ, T(0));
    hf_question_stop(&question);
    assert_int_equal(hf_question_deadline(&question).ms, HF_NEVER.ms);
    assert_false(hf_question_answered(&question, 1));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(questions_are_numbered_and_answered_once),
        cmocka_unit_test(superseded_questions_are_never_answered),
        cmocka_unit_test(overdue_writes_are_given_up),
        cmocka_unit_test(a_late_read_is_waited_for_and_said_to_be_late_once),
        cmocka_unit_test(
            patience_is_twice_what_the_last_write_took_within_its_bounds),
        cmocka_unit_test(pauses_double_up_to_the_patience),
        cmocka_unit_test(failures_count_on_when_the_pause_is_at_its_longest),
        cmocka_unit_test(the_longest_patience_does_not_overflow),
        cmocka_unit_test(a_stopped_question_has_no_deadline),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "tale/riak/riak.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static enum hf_status
set(struct riak_config *config, const char *name, const char *value)
{
    return riak_config_set(config, name, value, NULL);
}

/* Riak's documentation, Replication: the values that r and its like take. */
static void
a_quorum_is_a_number_or_a_word(void **state)
{
    struct riak_config config = riak_config_default;

    (void)state;
    assert_int_equal(set(&config, "r", "one"), HF_OK);
    assert_int_equal(config.r, 1);
    assert_int_equal(set(&config, "w", "all"), HF_OK);
    assert_int_equal(config.w, RIAK_ALL);
    assert_int_equal(set(&config, "pr", "quorum"), HF_OK);
    assert_int_equal(config.pr, RIAK_QUORUM);
    assert_int_equal(set(&config, "pw", "2"), HF_OK);
    assert_int_equal(config.pw, 2);
    assert_int_equal(set(&config, "dw", "0"), HF_OK);
    assert_int_equal(config.dw, 0);
}

static void
every_other_setting_has_its_words(void **state)
{
    struct riak_config config = riak_config_default;

    (void)state;
    assert_int_equal(set(&config, "n_val", "4"), HF_OK);
    assert_int_equal(config.n_val, 4);
    assert_int_equal(set(&config, "allow_mult", "false"), HF_OK);
    assert_false(config.allow_mult);
    assert_int_equal(set(&config, "last_write_wins", "true"), HF_OK);
    assert_true(config.last_write_wins);
    assert_int_equal(set(&config, "notfound_ok", "false"), HF_OK);
    assert_false(config.notfound_ok);
    assert_int_equal(set(&config, "read_repair", "false"), HF_OK);
    assert_false(config.read_repair);
    assert_int_equal(set(&config, "delete_mode", "keep"), HF_OK);
    assert_int_equal(config.delete_mode, RIAK_KEEP);
    assert_int_equal(set(&config, "delete_mode", "immediate"), HF_OK);
    assert_int_equal(config.delete_mode, RIAK_IMMEDIATE);
    assert_int_equal(set(&config, "pw_precheck", "seed"), HF_OK);
    assert_int_equal(config.pw_precheck, RIAK_AS_SEED);
    assert_int_equal(set(&config, "coordinator", "first"), HF_OK);
    assert_int_equal(config.coordinator, RIAK_FIRST);
    assert_int_equal(set(&config, "slow_clock", "2"), HF_OK);
    assert_int_equal(config.slow_clock, 2);
}

static void
what_is_no_setting_is_said_and_changes_nothing(void **state)
{
    struct riak_config config = riak_config_default;
    struct hf_error error = {0};

    (void)state;
    assert_int_equal(riak_config_set(&config, "q", "1", &error), HF_E_INVALID);
    assert_string_equal(error.text, "no such setting: q");
    assert_int_equal(riak_config_set(&config, "pw", "most", &error),
                     HF_E_INVALID);
    assert_string_equal(error.text, "pw cannot be most");
    assert_int_equal(set(&config, "pw", "10"), HF_E_INVALID);
    assert_int_equal(set(&config, "pw", ""), HF_E_INVALID);
    assert_int_equal(set(&config, "allow_mult", "yes"), HF_E_INVALID);
    assert_int_equal(set(&config, "delete_mode", "3"), HF_E_INVALID);
    assert_int_equal(config.pw, 0);
    assert_true(config.allow_mult);
    assert_int_equal(config.delete_mode, RIAK_LATER);
}

/* riak_kv_put_fsm:validate and riak_kv_get_fsm:validate_quorum: no quorum is
 * above n_val.  Documentation, Conflict Resolution: never both allow_mult and
 * last_write_wins. */
static void
settings_that_cannot_go_together_are_refused(void **state)
{
    struct riak_config config = riak_config_default;

    (void)state;
    assert_int_equal(riak_config_check(&config, NULL), HF_OK);
    config.pw = 4;
    assert_int_equal(riak_config_check(&config, NULL), HF_E_INVALID);
    config.n_val = 4;
    assert_int_equal(riak_config_check(&config, NULL), HF_OK);
    config.n_val = RIAK_N_MAX + 1;
    assert_int_equal(riak_config_check(&config, NULL), HF_E_INVALID);
    config.n_val = 0;
    assert_int_equal(riak_config_check(&config, NULL), HF_E_INVALID);
    config = riak_config_default;
    config.slow_clock = 4;
    assert_int_equal(riak_config_check(&config, NULL), HF_E_INVALID);
    config = riak_config_default;
    config.last_write_wins = true;
    assert_int_equal(riak_config_check(&config, NULL), HF_E_INVALID);
    config.allow_mult = false;
    assert_int_equal(riak_config_check(&config, NULL), HF_OK);
}

/* Documentation, Replication: a quorum is half of n_val, rounded down, and
 * one more. */
static void
quorums_follow_n_val(void **state)
{
    struct riak_config config = riak_config_default;
    struct riak riak;

    (void)state;
    config.pw = RIAK_ALL;
    riak_init(&riak, &config);
    assert_int_equal(riak.rules.r, 2);
    assert_int_equal(riak.rules.pw, 3);
    config.n_val = 4;
    riak_init(&riak, &config);
    assert_int_equal(riak.rules.r, 3);
    assert_int_equal(riak.rules.pw, 4);
    config.n_val = 1;
    riak_init(&riak, &config);
    assert_int_equal(riak.rules.r, 1);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_quorum_is_a_number_or_a_word),
        cmocka_unit_test(every_other_setting_has_its_words),
        cmocka_unit_test(what_is_no_setting_is_said_and_changes_nothing),
        cmocka_unit_test(settings_that_cannot_go_together_are_refused),
        cmocka_unit_test(quorums_follow_n_val),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

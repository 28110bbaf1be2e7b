#include "unit/support/values.h"

#include <stdio.h>
#include <string.h>

#include "base/limits.h"

struct hf_value
example(void)
{
    return (struct hf_value){
        .heartbeat = {.id = 4611686018427387904u, .count = 17},
        .terms = {.if_dead = HF_REFUSE, .ttl = {60000}, .beat = {2000}},
        .owner =
            {
                .host = "db1",
                .user = "ann",
                .command = "./migrate --to \"7\" C:\\x \xE2\x9C\x93",
                .reason = "release 7",
                .since_ms = 1700000000123,
                .boot = BOOT,
                .pidns = 4026531836,
                .processes = {{812, 99120}, {813, 99121}},
                .processes_count = 2,
            },
    };
}

void
fill(char *to, size_t max, const char *unit)
{
    size_t width = strlen(unit);
    size_t used = 0;

    for (; used + width <= max; used += width)
        memcpy(to + used, unit, width);
    for (; used < max; used++)
        to[used] = '.';
    to[used] = '\0';
}

struct hf_value
filled_with(const char *unit)
{
    struct hf_value value = example();

    fill(value.owner.host, HF_HOST_MAX, unit);
    fill(value.owner.user, HF_USER_MAX, unit);
    fill(value.owner.command, HF_COMMAND_MAX, unit);
    fill(value.owner.reason, HF_REASON_MAX, unit);
    return value;
}

void
expect_same_owner(const struct hf_owner *a, const struct hf_owner *b)
{
    assert_string_equal(a->host, b->host);
    assert_string_equal(a->user, b->user);
    assert_string_equal(a->command, b->command);
    assert_string_equal(a->reason, b->reason);
    assert_string_equal(a->boot, b->boot);
    assert_true(a->since_ms == b->since_ms);
    assert_true(a->pidns == b->pidns);
    assert_int_equal(a->processes_count, b->processes_count);
    for (size_t i = 0; i < a->processes_count; i++) {
        assert_true(a->processes[i].pid == b->processes[i].pid);
        assert_true(a->processes[i].start == b->processes[i].start);
    }
}

void
expect_same(const struct hf_value *a, const struct hf_value *b)
{
    assert_true(a->heartbeat.id == b->heartbeat.id);
    assert_true(a->heartbeat.count == b->heartbeat.count);
    assert_int_equal(a->terms.if_dead, b->terms.if_dead);
    assert_true(a->terms.ttl.ms == b->terms.ttl.ms);
    assert_true(a->terms.beat.ms == b->terms.beat.ms);
    expect_same_owner(&a->owner, &b->owner);
}

struct hf_value
decode(const char *text)
{
    struct hf_value value;
    struct hf_error error;

    if (hf_record_decode(text, strlen(text), &value, &error) != HF_OK)
        fail_msg("%s: %s", error.text, text);
    return value;
}

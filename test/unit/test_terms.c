#include "support/test.h"
#include "unit/support/events.h"

#include "core/terms.h"

static bool
valid(int64_t ttl_ms, int64_t beat_ms, int64_t grace_ms)
{
    struct hf_terms terms = {HF_TAKEOVER, {ttl_ms}, {beat_ms}};

    return hf_terms_valid(&terms, (struct hf_duration){grace_ms});
}

TEST(a_ttl_leaves_room_for_three_beats_grace_and_margin)
{
    const int64_t longest = INT64_C(7) * 24 * 3600 * 1000;

    assert_true(valid(1000, 200, 150));
    assert_false(valid(1000, 200, 151));
    assert_false(valid(1000, 201, 150));
    assert_false(valid(999, 200, 150));
    assert_true(valid(500, 1, 247));
    assert_false(valid(499, 1, 0));
    assert_true(valid(longest, 2000, 10000));
    assert_false(valid(longest + 1, 2000, 10000));
    assert_false(valid(1000, 0, 100));
    assert_false(valid(1000, -5, 100));
    assert_false(valid(1000, 200, -1));
    assert_false(valid(1000, INT64_MAX, 0));
    assert_false(valid(1000, INT64_MAX / 3 + 1, 0));
    assert_false(valid(1000, 1, INT64_MAX));
    assert_false(valid(INT64_MAX, 1, 0));
    assert_false(valid(-1000, 1, 0));
}

TEST(the_margin_is_a_twentieth_and_at_least_a_quarter_second)
{
    assert_int_equal(hf_margin((struct hf_duration){500}).ms, 250);
    assert_int_equal(hf_margin((struct hf_duration){5000}).ms, 250);
    assert_int_equal(hf_margin((struct hf_duration){5020}).ms, 251);
    assert_int_equal(hf_margin((struct hf_duration){30000}).ms, 1500);
}

#include "support/test.h"

#include "store/bucket.h"

enum { START_MS = 1000000 };

static struct hf_instant
at(int64_t ms)
{
    return (struct hf_instant){START_MS + ms};
}

static size_t
take_all(struct hf_bucket *bucket, int64_t ms)
{
    struct hf_instant next;
    size_t taken = 0;

    while (hf_bucket_take(bucket, at(ms), &next))
        taken++;
    return taken;
}

TEST(a_new_one_holds_ten)
{
    struct hf_bucket bucket = {0};

    assert_int_equal(take_all(&bucket, 0), 10);
    assert_int_equal(take_all(&bucket, 0), 0);
}

TEST(an_empty_one_tells_when_to_ask_again)
{
    struct hf_bucket bucket = {0};
    struct hf_instant next = {0};

    take_all(&bucket, 0);
    assert_false(hf_bucket_take(&bucket, at(30), &next));
    assert_int_equal(next.ms, at(100).ms);
    assert_true(hf_bucket_take(&bucket, next, &next));
    assert_false(hf_bucket_take(&bucket, at(199), &next));
    assert_int_equal(next.ms, at(200).ms);
}

TEST(it_fills_up_and_holds_no_more_than_ten)
{
    struct hf_bucket bucket = {0};

    take_all(&bucket, 0);
    assert_int_equal(take_all(&bucket, 500), 5);
    assert_int_equal(take_all(&bucket, 100000), 10);
}

/* Of somebody who asks every millisecond, and at times pauses. */
TEST(no_second_sees_more_than_twenty)
{
    enum { LENGTH_MS = 10000 };
    static size_t taken[LENGTH_MS];
    struct hf_bucket bucket = {0};
    size_t sum = 0;

    for (int64_t ms = 0; ms < LENGTH_MS; ms++) {
        if (ms % 3000 < 2000)
            taken[ms] = take_all(&bucket, ms);
        sum += taken[ms];
        if (ms >= 1000)
            sum -= taken[ms - 1000];
        assert_true(sum <= 20);
    }
}

/* Also together with what was of none. */
TEST(what_was_of_use_costs_a_tenth)
{
    struct hf_bucket bucket = {0};
    struct hf_instant next;
    size_t taken = 0;

    while (hf_bucket_take(&bucket, at(0), &next)) {
        hf_bucket_give_back(&bucket);
        taken++;
    }
    assert_int_equal(taken, 91); /* the last leaves less than a whole one */
    assert_int_equal(next.ms, at(10).ms);
    assert_true(hf_bucket_take(&bucket, at(10), &next));
    assert_false(hf_bucket_take(&bucket, at(100), &next));
    assert_int_equal(take_all(&bucket, 2000), 10);
}

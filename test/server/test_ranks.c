#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "server/ranks.h"

/* Which connection goes when there are as many as may be. */

enum { PLACES = 8 };

struct bench {
    struct hf_ranks room;
    struct hf_rank_place places[PLACES];
};

static void
fill(struct bench *bench, const enum hf_rank *ranks, size_t count)
{
    *bench = (struct bench){.room = {.counts = {0}}};
    for (size_t i = 0; i < count; i++)
        hf_ranks_add(&bench->room, &bench->places[i], ranks[i]);
}

static const struct hf_rank_place *
who_goes(const struct bench *bench)
{
    struct hf_rank_place *first = hf_ranks_next(&bench->room, NULL);

    return first != NULL && hf_ranks_may_go(&bench->room, first) ? first : NULL;
}

static void
who_has_asked_for_nothing_goes_first(void **state)
{
    static const enum hf_rank ranks[] = {
        HF_RANK_BUSY, HF_RANK_HOLDER, HF_RANK_IDLE, HF_RANK_NEW, HF_RANK_NEW};
    static const size_t order[] = {3, 4, 2, 1, 0};
    struct bench bench;
    const struct hf_rank_place *place = NULL;

    (void)state;
    fill(&bench, ranks, 5);
    for (size_t i = 0; i < 5; i++) {
        place = hf_ranks_next(&bench.room, place);
        assert_ptr_equal(place, &bench.places[order[i]]);
    }
    assert_null(hf_ranks_next(&bench.room, place));
    assert_ptr_equal(who_goes(&bench), &bench.places[3]);
}

static void
who_moves_is_the_last_of_its_rank(void **state)
{
    static const enum hf_rank ranks[] = {HF_RANK_NEW, HF_RANK_IDLE,
                                         HF_RANK_IDLE};
    struct bench bench;

    (void)state;
    fill(&bench, ranks, 3);
    hf_ranks_move(&bench.room, &bench.places[0], HF_RANK_IDLE);
    assert_ptr_equal(who_goes(&bench), &bench.places[1]);
    hf_ranks_move(&bench.room, &bench.places[1], HF_RANK_IDLE);
    assert_ptr_equal(who_goes(&bench), &bench.places[2]);
    hf_ranks_remove(&bench.room, &bench.places[2]);
    assert_ptr_equal(who_goes(&bench), &bench.places[0]);
}

static void
who_waits_never_goes(void **state)
{
    static const enum hf_rank ranks[] = {HF_RANK_BUSY, HF_RANK_BUSY};
    struct bench bench;

    (void)state;
    fill(&bench, ranks, 2);
    assert_null(who_goes(&bench));
}

static void
a_holder_goes_where_most_are_holders(void **state)
{
    static const enum hf_rank ranks[] = {HF_RANK_HOLDER, HF_RANK_HOLDER,
                                         HF_RANK_BUSY, HF_RANK_BUSY};
    struct bench bench;

    (void)state;
    fill(&bench, ranks, 3);
    assert_ptr_equal(who_goes(&bench), &bench.places[0]);
    fill(&bench, ranks, 4); /* who waits is none that could go */
    assert_ptr_equal(who_goes(&bench), &bench.places[0]);
    hf_ranks_add(&bench.room, &bench.places[4], HF_RANK_IDLE);
    hf_ranks_add(&bench.room, &bench.places[5], HF_RANK_IDLE);
    assert_false(hf_ranks_may_go(&bench.room, &bench.places[0]));
}

/* Of so many, of which `waiting` wait, one that does not would. */
static bool
may_wait(size_t waiting, bool comes_back, size_t most)
{
    const struct hf_ranks room = {.waiting = waiting};
    const struct hf_rank_place place = {.rank = HF_RANK_IDLE};

    return hf_ranks_may_wait(&room, &place, comes_back, most);
}

static void
who_waits_leaves_a_part_to_the_others(void **state)
{
    (void)state;
    assert_true(may_wait(28, false, 32));
    assert_false(may_wait(29, false, 32));
    assert_true(may_wait(29, true, 32));
    assert_false(may_wait(30, true, 32));
    assert_true(may_wait(9061, false, 10000));
    assert_false(may_wait(9062, false, 10000));
    assert_true(may_wait(9374, true, 10000));
    assert_false(may_wait(9375, true, 10000));
    for (size_t most = 1; most <= 3; most++) { /* one may wait at all events */
        assert_true(may_wait(0, false, most));
        assert_false(may_wait(1, false, most));
    }
    assert_false(may_wait(1, true, 2));
    assert_true(may_wait(1, true, 3));
}

static void
who_waits_is_counted_once_whatever_its_rank(void **state)
{
    static const enum hf_rank ranks[] = {HF_RANK_BUSY, HF_RANK_BUSY,
                                         HF_RANK_BUSY, HF_RANK_IDLE};
    struct bench bench;

    (void)state;
    fill(&bench, ranks, 4);
    assert_int_equal(bench.room.waiting, 0); /* who is busy does not wait */
    hf_ranks_waits(&bench.room, &bench.places[0], true);
    hf_ranks_waits(&bench.room, &bench.places[0], true);
    hf_ranks_waits(&bench.room, &bench.places[1], true);
    assert_int_equal(bench.room.waiting, 2);
    assert_false(hf_ranks_may_wait(&bench.room, &bench.places[2], false, 4));
    assert_true(hf_ranks_may_wait(&bench.room, &bench.places[0], false, 4));
    hf_ranks_move(&bench.room, &bench.places[0], HF_RANK_STALLED);
    hf_ranks_waits(&bench.room, &bench.places[0], false);
    assert_int_equal(bench.room.waiting, 2);
    hf_ranks_waits(&bench.room, &bench.places[0], false);
    assert_int_equal(bench.room.waiting, 1);
    assert_true(hf_ranks_may_wait(&bench.room, &bench.places[2], false, 4));
    hf_ranks_remove(&bench.room, &bench.places[1]);
    assert_int_equal(bench.room.waiting, 0);
}

static void
stalled_connections_have_a_turn_of_their_own(void **state)
{
    static const enum hf_rank ranks[] = {HF_RANK_BUSY, HF_RANK_STALLED,
                                         HF_RANK_STALLED};
    struct bench bench;

    (void)state;
    fill(&bench, ranks, 3);
    assert_null(who_goes(&bench));
    assert_ptr_equal(hf_ranks_next_stalled(&bench.room, NULL),
                     &bench.places[1]);
    assert_ptr_equal(hf_ranks_next_stalled(&bench.room, &bench.places[1]),
                     &bench.places[2]);
    assert_null(hf_ranks_next_stalled(&bench.room, &bench.places[2]));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_has_asked_for_nothing_goes_first),
        cmocka_unit_test(who_moves_is_the_last_of_its_rank),
        cmocka_unit_test(who_waits_never_goes),
        cmocka_unit_test(a_holder_goes_where_most_are_holders),
        cmocka_unit_test(who_waits_leaves_a_part_to_the_others),
        cmocka_unit_test(who_waits_is_counted_once_whatever_its_rank),
        cmocka_unit_test(stalled_connections_have_a_turn_of_their_own),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

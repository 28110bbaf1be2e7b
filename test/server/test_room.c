#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "server/room.h"

/* Which connection goes when there are as many as may be. */

enum { PLACES = 8 };

struct bench {
    struct hf_room room;
    struct hf_room_place places[PLACES];
};

static void
fill(struct bench *bench, const enum hf_room_rank *ranks, size_t count)
{
    *bench = (struct bench){.room = {.counts = {0}}};
    for (size_t i = 0; i < count; i++)
        hf_room_add(&bench->room, &bench->places[i], ranks[i]);
}

static const struct hf_room_place *
who_goes(const struct bench *bench)
{
    struct hf_room_place *first = hf_room_next(&bench->room, NULL);

    return first != NULL && hf_room_may_go(&bench->room, first) ? first : NULL;
}

static void
who_has_asked_for_nothing_goes_first(void **state)
{
    static const enum hf_room_rank ranks[] = {
        HF_ROOM_BUSY, HF_ROOM_HOLDER, HF_ROOM_IDLE, HF_ROOM_NEW, HF_ROOM_NEW};
    static const size_t order[] = {3, 4, 2, 1, 0};
    struct bench bench;
    const struct hf_room_place *place = NULL;

    (void)state;
    fill(&bench, ranks, 5);
    for (size_t i = 0; i < 5; i++) {
        place = hf_room_next(&bench.room, place);
        assert_ptr_equal(place, &bench.places[order[i]]);
    }
    assert_null(hf_room_next(&bench.room, place));
    assert_ptr_equal(who_goes(&bench), &bench.places[3]);
}

static void
who_moves_is_the_last_of_its_rank(void **state)
{
    static const enum hf_room_rank ranks[] = {HF_ROOM_NEW, HF_ROOM_IDLE,
                                              HF_ROOM_IDLE};
    struct bench bench;

    (void)state;
    fill(&bench, ranks, 3);
    hf_room_move(&bench.room, &bench.places[0], HF_ROOM_IDLE);
    assert_ptr_equal(who_goes(&bench), &bench.places[1]);
    hf_room_move(&bench.room, &bench.places[1], HF_ROOM_IDLE);
    assert_ptr_equal(who_goes(&bench), &bench.places[2]);
    hf_room_remove(&bench.room, &bench.places[2]);
    assert_ptr_equal(who_goes(&bench), &bench.places[0]);
}

static void
who_waits_never_goes(void **state)
{
    static const enum hf_room_rank ranks[] = {HF_ROOM_BUSY, HF_ROOM_BUSY};
    struct bench bench;

    (void)state;
    fill(&bench, ranks, 2);
    assert_null(who_goes(&bench));
}

static void
a_holder_goes_where_most_are_holders(void **state)
{
    static const enum hf_room_rank ranks[] = {HF_ROOM_HOLDER, HF_ROOM_HOLDER,
                                              HF_ROOM_BUSY, HF_ROOM_BUSY};
    struct bench bench;

    (void)state;
    fill(&bench, ranks, 3);
    assert_ptr_equal(who_goes(&bench), &bench.places[0]);
    fill(&bench, ranks, 4); /* who waits could be anybody */
    assert_null(who_goes(&bench));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_has_asked_for_nothing_goes_first),
        cmocka_unit_test(who_moves_is_the_last_of_its_rank),
        cmocka_unit_test(who_waits_never_goes),
        cmocka_unit_test(a_holder_goes_where_most_are_holders),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

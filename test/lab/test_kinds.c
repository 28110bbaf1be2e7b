/*
 * Packing, in every world of a kind: a world that is never packed has every
 * number and instant it ever had.  Beside it, at each step, goes the same world
 * packed and unpacked: what can be done, and what it leads to, is the same.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/lockspace/parts.h"
#include "core/session/parts.h"
#include "lab/check.h"
#include "lab/server/waiting.h"
#include "lab/server/worlds.h"
#include "lab/service/kind.h"
#include "lab/service/node.h"
#include "lab/subject.h"

enum { FOLLOW_MOST = 512 };

/* How a world is walked through. */
struct walk_of {
    struct subject subject;
    struct kind_world of;
    size_t size; /* of its packed bytes */
    unsigned counts[KIND_ACTS_MAX];
    uint64_t dice;
};

/* What a step leads to. */
struct follow {
    uint8_t packed[KIND_PACKED_MAX];
    const char *violated;
    unsigned act;
};

struct follows {
    unsigned count;
    struct follow all[FOLLOW_MOST];
};

static bool
begin(unsigned index, struct walk_of *walk)
{
    const struct kind *kind;

    walk->subject = subject_at(index);
    kind = walk->subject.server.kind;
    if (kind == NULL || subject_is_whole(&walk->subject))
        return false;
    subject_tell_apart(&walk->subject); /* each keeps its place */
    walk->of = (struct kind_world){kind, &walk->subject.world};
    walk->size = kind_packed_size(&walk->of);
    for (unsigned act = 0; act < kind->acts_count; act++)
        walk->counts[act] =
            kind->count == NULL ? KIND_WHO : kind->count(walk->of.config, act);
    return true;
}

static void
copy(const struct walk_of *walk, struct kind_state *to,
     const struct kind_state *from)
{
    kind_copy(&walk->of, to->bytes, from->bytes);
}

/* ---- What only one kind knows -------------------------------------------- */

/* Pauses are those of a machine that never drew a number. */
static void
forget_randoms(struct service_world *world)
{
    for (unsigned i = 0; i < world->config->world.clients; i++)
        if (world->clients[i].alive)
            service_session(&world->clients[i])->randoms = 0;
    for (unsigned i = 0; i < world->config->nodes; i++) {
        struct hf_lockspace *ls = service_lockspace(&world->nodes[i]);

        if (!world->nodes[i].alive || ls == NULL)
            continue;
        ls->randoms = 0;
        ls->term_answers = 0;
        ls->config.seed = 1;
    }
}

static void
move_timer_of_waiting(struct waiting_world *world,
                      const struct waiting_world *same)
{
    if (waiting_is_due(world) && !waiting_is_due(same))
        waiting_apply(world, WAITING_CLOCK, 0);
}

static void
move_timers_of_nodes(struct service_world *world,
                     const struct service_world *same)
{
    for (unsigned i = 0; i < world->config->nodes; i++)
        if (service_node_is_due(world, i) && !service_node_is_due(same, i))
            service_node_clock(world, i);
}

/* A session's timer may be early, and follows when the machine is told the
 * time, which changes nothing else; unpacked, it stands where it belongs. */
static void
move_early_timers(const struct walk_of *walk, struct kind_state *world,
                  const struct kind_state *same)
{
    if (walk->of.kind == &waiting_kind)
        move_timer_of_waiting((struct waiting_world *)world->bytes,
                              (const struct waiting_world *)same->bytes);
    if (walk->of.kind == &service_kind)
        move_timers_of_nodes((struct service_world *)world->bytes,
                             (const struct service_world *)same->bytes);
}

/* ---- The same ------------------------------------------------------------ */

static int
compare(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(struct follow));
}

/* Sorted, for streams may stand in another order; each is packed again, so that
 * their order is the one of the bytes. */
static void
find_all(const struct walk_of *walk, const struct kind_state *world,
         struct follows *follows)
{
    const struct kind *kind = walk->of.kind;
    static struct kind_state next;
    uint8_t packed[KIND_PACKED_MAX];

    follows->count = 0;
    for (unsigned act = 0; act < kind->acts_count; act++)
        for (unsigned who = 0; who < walk->counts[act]; who++) {
            struct kind_action action = {act, who};
            struct follow *follow = &follows->all[follows->count];

            if (!kind->allowed(world->bytes, action))
                continue;
            assert_true(++follows->count < FOLLOW_MOST);
            copy(walk, &next, world);
            *follow = (struct follow){.act = act};
            follow->violated = kind->apply(next.bytes, action);
            kind->pack(next.bytes, packed);
            kind->unpack(walk->of.config, packed, next.bytes);
            kind->pack(next.bytes, follow->packed);
        }
    qsort(follows->all, follows->count, sizeof(follows->all[0]), compare);
}

static void
assert_goes_on_alike(const struct walk_of *walk, struct kind_state *world)
{
    static struct kind_state same;
    static struct follows raw;
    static struct follows again;
    const struct kind *kind = walk->of.kind;
    uint8_t packed[KIND_PACKED_MAX];
    uint8_t twice[KIND_PACKED_MAX];

    kind->pack(world->bytes, packed);
    kind->unpack(walk->of.config, packed, same.bytes);
    kind->pack(same.bytes, twice);
    assert_memory_equal(packed, twice, walk->size);
    if (kind == &waiting_kind)
        hf_lockspace_check(waiting_machine((struct waiting_world *)same.bytes));
    move_early_timers(walk, world, &same);
    kind->pack(world->bytes, twice);
    assert_memory_equal(packed, twice, walk->size);
    find_all(walk, world, &raw);
    find_all(walk, &same, &again);
    assert_int_equal(raw.count, again.count);
    for (unsigned i = 0; i < raw.count; i++) {
        assert_int_equal(raw.all[i].act, again.all[i].act);
        assert_ptr_equal(raw.all[i].violated, again.all[i].violated);
        assert_memory_equal(raw.all[i].packed, again.all[i].packed, walk->size);
    }
}

/* One of those that are possible; one of four that are faults. */
static void
take_one(struct walk_of *walk, struct kind_state *world)
{
    const struct kind *kind = walk->of.kind;
    const char *violated;

    for (;;) {
        struct kind_action action = {
            .act = (unsigned)(walk->dice >> 33) % kind->acts_count,
            .who = (unsigned)(walk->dice >> 13) % WORLD_WHO_MAX,
        };

        walk->dice = walk->dice * UINT64_C(6364136223846793005) +
                     UINT64_C(1442695040888963407);
        if (action.who >= walk->counts[action.act] ||
            !kind->allowed(world->bytes, action) ||
            (kind_is_fault(kind, action) && (walk->dice >> 40) % 4 != 0))
            continue;
        violated = kind->apply(world->bytes, action);
        if (walk->subject.world.expect == NULL)
            assert_null(violated);
        return;
    }
}

/* With HF_SHARE=N, one walk in so many is made: a sanitizer is slow. */
static void
walk_through(const struct kind *kind, unsigned seeds, unsigned steps)
{
    static struct walk_of walk;
    static struct kind_state world;
    const char *share = getenv("HF_SHARE");

    if (share != NULL)
        seeds /= (unsigned)strtoul(share, NULL, 10);
    for (unsigned i = 0; i < subject_count(); i++)
        for (uint64_t seed = 1; seed <= seeds; seed++) {
            if (!begin(i, &walk) || walk.of.kind != kind)
                break;
            walk.dice = seed;
            kind->start(walk.of.config, world.bytes);
            for (unsigned k = 0; k < steps; k++) {
                if (kind == &service_kind)
                    forget_randoms((struct service_world *)world.bytes);
                assert_goes_on_alike(&walk, &world);
                take_one(&walk, &world);
            }
        }
}

static void
packing_changes_nothing_that_can_follow_where_clients_wait(void **unused)
{
    (void)unused;
    walk_through(&waiting_kind, 200, 40);
}

static void
packing_changes_nothing_that_can_follow_where_lanes_are_granted(void **unused)
{
    (void)unused;
    walk_through(&grants_kind, 20, 40);
}

static void
packing_changes_nothing_that_can_follow_of_a_service(void **unused)
{
    (void)unused;
    walk_through(&service_kind, 20, 200);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            packing_changes_nothing_that_can_follow_where_clients_wait),
        cmocka_unit_test(
            packing_changes_nothing_that_can_follow_where_lanes_are_granted),
        cmocka_unit_test(packing_changes_nothing_that_can_follow_of_a_service),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

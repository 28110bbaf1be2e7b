#include "lab/server/worlds.h"

/* The shortest times that leave room for each other: a ttl of four ticks, of
 * which the last is its client's margin; a stream is answered after two, and a
 * place is kept for one. */
#define TIMES .ttl = 4, .blocking = 2, .resume_grace = 1

/* A session may be over before a stream is answered. */
#define SHORT_TTL .ttl = 2, .blocking = 4, .resume_grace = 1

#define EXCLUSIVE                                                              \
    .modes = {HF_EXCLUSIVE, HF_EXCLUSIVE, HF_EXCLUSIVE, HF_EXCLUSIVE}

const struct waiting_config waiting_worlds[] = {
    KIND_WORLD("waiting", "one lock of a server, and streams that break", 2,
               .world.alike = true, EXCLUSIVE, TIMES),
    KIND_WORLD("waiting-shared",
               "one wants it exclusively, and whoever else shared", 2,
               .modes = {HF_EXCLUSIVE, HF_SHARED, HF_SHARED, HF_SHARED}, TIMES),
    KIND_WORLD("waiting-try", "one waits, and one only tries", 2, EXCLUSIVE,
               .tries = {[1] = true}, TIMES),
    KIND_WORLD("waiting-deadline",
               "what remains of a wait ends before its stream does", 2,
               .world.alike = true, EXCLUSIVE, .remains = 1, TIMES),
    KIND_WORLD("waiting-refuse",
               "a dead client's grant stays, and its place does not", 2,
               .world.alike = true, EXCLUSIVE, .if_dead = HF_REFUSE, TIMES),
    KIND_WORLD("waiting-short", "a ttl that is shorter than a wait", 2,
               .world.alike = true, EXCLUSIVE, SHORT_TTL),
    KIND_WORLD("waiting-short-refuse",
               "the same, and what is held is not taken by time", 2,
               .world.alike = true, EXCLUSIVE, SHORT_TTL, .if_dead = HF_REFUSE),
    KIND_WORLD("waiting-slow",
               "a batch takes any time, and all answers with it", 2,
               .world.alike = true, EXCLUSIVE, TIMES, .slow_batches = true),
    KIND_WORLD("waiting-limit", "there is room for one that waits", 3,
               .world.alike = true, EXCLUSIVE, .waiters = 1, TIMES),
};

const unsigned waiting_worlds_count =
    sizeof(waiting_worlds) / sizeof(waiting_worlds[0]);

/* A lane holds as many grants as it can be granted: three of three names that
 * are exclusive, four of two that are shared as well.  Of those one place at
 * most is parked at once, for four lanes would not end otherwise; in `grants`
 * all of them may be. */
const struct grants_config grants_worlds[] = {
    KIND_WORLD("grants", "lanes ask for any of three names, exclusively", 3,
               .world.alike = true, .names = 3, .frees = true, .tries = true,
               .parks = SNAPSHOT_CLIENTS),
    KIND_WORLD("grants-shared", "two names, shared, exclusive, up and down", 3,
               .world.alike = true, .names = 2, .shared = true, .frees = true,
               .tries = true),
    KIND_WORLD("grants-parked", "the same, and a place is parked, or lost", 2,
               .world.alike = true, .names = 2, .names_alike = true,
               .shared = true, .frees = true, .tries = true, .parks = 1,
               .runs_out = true),
    KIND_WORLD("grants-takeover",
               "places are taken again, who waited longest first", 3,
               .world.alike = true, .names = 3, .frees = true, .tries = true,
               .takeover = true, .parks = 1),
    KIND_WORLD("grants-takeover-shared",
               "places are taken again in two names that are shared", 2,
               .world.alike = true, .names = 2, .shared = true, .frees = true,
               .tries = true, .takeover = true),
    KIND_WORLD("grants-limits", "one waits, and a session has two grants", 3,
               .world.alike = true, .names = 2, .shared = true, .tries = true,
               .limits = {.waiters = 1, .session_grants = 2}),
    KIND_WORLD(
        "grants-limits-names", "few names are held and waited for", 4,
        .world.alike = true, .names = 3, .frees = true, .tries = true,
        .parks = 1,
        .limits = {.request_names = 2, .space_waiters = 3, .space_grants = 5}),
    KIND_WORLD("grants-search", "a search for a circle ends too early", 4,
               .world.alike = true, .names = 3, .limits = {.search = 4}),
    /* A grant that was cleared stays until its release: so grants are bounded
     * by what a snapshot has room for. */
    KIND_WORLD("grants-clear", "an operator takes what a lane holds", 2,
               .world.alike = true, .names = 2, .shared = true, .frees = true,
               .tries = true, .clears = true, .grants = SNAPSHOT_CLAIMS - 1,
               .parks = 1),
};

const unsigned grants_worlds_count =
    sizeof(grants_worlds) / sizeof(grants_worlds[0]);

const struct worlds_proof server_proofs[] = {
    {"waiting", 2, 1, WORLDS_TEST},
    {"waiting", 2, 2, WORLDS_PROVE},
    {"waiting", 3, 0, WORLDS_PROVE},
    {"waiting", 3, 1, WORLDS_PROVE_ALL},
    {"waiting-shared", 2, 0, WORLDS_TEST},
    {"waiting-shared", 2, 1, WORLDS_PROVE},
    {"waiting-shared", 3, 0, WORLDS_PROVE},
    {"waiting-try", 2, 0, WORLDS_TEST},
    {"waiting-try", 2, 1, WORLDS_PROVE},
    {"waiting-deadline", 2, 0, WORLDS_TEST},
    {"waiting-deadline", 2, 1, WORLDS_PROVE},
    {"waiting-refuse", 2, 0, WORLDS_TEST},
    {"waiting-refuse", 2, 1, WORLDS_PROVE},
    {"waiting-short", 2, 0, WORLDS_TEST},
    {"waiting-short", 2, 1, WORLDS_PROVE},
    {"waiting-short-refuse", 2, 0, WORLDS_TEST},
    {"waiting-short-refuse", 2, 1, WORLDS_PROVE},
    {"waiting-slow", 2, 0, WORLDS_TEST},
    {"waiting-slow", 2, 1, WORLDS_PROVE},
    {"waiting-limit", 3, 0, WORLDS_TEST},
    {"grants", 3, 0, WORLDS_TEST},
    {"grants", 4, 0, WORLDS_PROVE},
    {"grants-shared", 2, 0, WORLDS_TEST},
    {"grants-shared", 3, 0, WORLDS_PROVE},
    {"grants-shared", 4, 0, WORLDS_PROVE_ALL},
    {"grants-parked", 2, 0, WORLDS_TEST},
    {"grants-parked", 3, 0, WORLDS_PROVE},
    {"grants-parked", 4, 0, WORLDS_PROVE_ALL},
    {"grants-takeover", 2, 0, WORLDS_TEST},
    {"grants-takeover", 3, 0, WORLDS_PROVE},
    {"grants-takeover-shared", 2, 0, WORLDS_TEST},
    {"grants-takeover-shared", 3, 0, WORLDS_PROVE_ALL},
    {"grants-limits", 3, 0, WORLDS_TEST},
    {"grants-limits", 4, 0, WORLDS_PROVE},
    {"grants-limits-names", 3, 0, WORLDS_TEST},
    {"grants-limits-names", 4, 0, WORLDS_PROVE},
    {"grants-search", 4, 0, WORLDS_TEST},
    {"grants-clear", 2, 0, WORLDS_TEST},
};

const unsigned server_proofs_count =
    sizeof(server_proofs) / sizeof(server_proofs[0]);

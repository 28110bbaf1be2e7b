#include "lab/server/grants.h"

/* A lane holds as many grants as it can be granted: three of three names that
 * are exclusive, four of two that are shared as well.  Of those one place at
 * most is parked at once, for four lanes would not end otherwise; in `grants`
 * all of them may be. */
const struct grants_config grants_worlds[] = {
    {
        .world = {.name = "grants",
                  .about = "lanes ask for any of three names, exclusively",
                  .clients = 3,
                  .alike = true},
        .names = 3,
        .frees = true,
        .tries = true,
        .parks = PICTURE_CLIENTS,
    },
    {
        .world = {.name = "grants-shared",
                  .about = "two names, shared, exclusive, up and down",
                  .clients = 3,
                  .alike = true},
        .names = 2,
        .shared = true,
        .frees = true,
        .tries = true,
    },
    {
        .world = {.name = "grants-parked",
                  .about = "the same, and a place is parked, or lost",
                  .clients = 2,
                  .alike = true},
        .names = 2,
        .names_alike = true,
        .shared = true,
        .frees = true,
        .tries = true,
        .parks = 1,
        .runs_out = true,
    },
    {
        .world = {.name = "grants-takeover",
                  .about = "places are taken again, who waited longest first",
                  .clients = 3,
                  .alike = true},
        .names = 3,
        .frees = true,
        .tries = true,
        .takeover = true,
        .parks = 1,
    },
    {
        .world = {.name = "grants-takeover-shared",
                  .about =
                      "places are taken again in two names that are shared",
                  .clients = 2,
                  .alike = true},
        .names = 2,
        .shared = true,
        .frees = true,
        .tries = true,
        .takeover = true,
    },
    {
        .world = {.name = "grants-limits",
                  .about = "one waits, and a session has two grants",
                  .clients = 3,
                  .alike = true},
        .names = 2,
        .shared = true,
        .tries = true,
        .limits = {.waiters = 1, .session_grants = 2},
    },
    {
        .world = {.name = "grants-limits-names",
                  .about = "few names are held and waited for",
                  .clients = 4,
                  .alike = true},
        .names = 3,
        .frees = true,
        .tries = true,
        .parks = 1,
        .limits = {.request_names = 2, .space_waiters = 3, .space_grants = 5},
    },
    {
        .world = {.name = "grants-search",
                  .about = "a search for a circle ends too early",
                  .clients = 4,
                  .alike = true},
        .names = 3,
        .limits = {.search = 4},
    },
    {
        /* One that was cleared stays until its release, so grants are bounded
         * by what a picture has room for. */
        .world = {.name = "grants-clear",
                  .about = "an operator takes what a lane holds",
                  .clients = 2,
                  .alike = true},
        .names = 2,
        .shared = true,
        .frees = true,
        .tries = true,
        .clears = true,
        .grants = PICTURE_CLAIMS - 1,
        .parks = 1,
    },
};

const unsigned grants_worlds_count =
    sizeof(grants_worlds) / sizeof(grants_worlds[0]);

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
    {
        .world = {.name = "waiting",
                  .about = "one lock of a server, and streams that break",
                  .clients = 2,
                  .alike = true},
        EXCLUSIVE,
        TIMES,
    },
    {
        .world = {.name = "waiting-shared",
                  .about = "one wants it exclusively, and whoever else shared",
                  .clients = 2},
        .modes = {HF_EXCLUSIVE, HF_SHARED, HF_SHARED, HF_SHARED},
        TIMES,
    },
    {
        .world = {.name = "waiting-try",
                  .about = "one waits, and one only tries",
                  .clients = 2},
        EXCLUSIVE,
        .tries = {[1] = true},
        TIMES,
    },
    {
        .world = {.name = "waiting-deadline",
                  .about = "what remains of a wait ends before its stream does",
                  .clients = 2,
                  .alike = true},
        EXCLUSIVE,
        .remains = 1,
        TIMES,
    },
    {
        .world = {.name = "waiting-refuse",
                  .about =
                      "a dead client's grant stays, and its place does not",
                  .clients = 2,
                  .alike = true},
        EXCLUSIVE,
        .if_dead = HF_REFUSE,
        TIMES,
    },
    {
        .world = {.name = "waiting-short",
                  .about = "a ttl that is shorter than a wait",
                  .clients = 2,
                  .alike = true},
        EXCLUSIVE,
        SHORT_TTL,
    },
    {
        .world = {.name = "waiting-short-refuse",
                  .about = "the same, and what is held is not taken by time",
                  .clients = 2,
                  .alike = true},
        EXCLUSIVE,
        SHORT_TTL,
        .if_dead = HF_REFUSE,
    },
    {
        .world = {.name = "waiting-slow",
                  .about = "a batch takes any time, and all answers with it",
                  .clients = 2,
                  .alike = true},
        EXCLUSIVE,
        TIMES,
        .slow_batches = true,
    },
    {
        .world = {.name = "waiting-limit",
                  .about = "there is room for one that waits",
                  .clients = 3,
                  .alike = true},
        EXCLUSIVE,
        .waiters = 1,
        TIMES,
    },
};

const unsigned waiting_worlds_count =
    sizeof(waiting_worlds) / sizeof(waiting_worlds[0]);

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

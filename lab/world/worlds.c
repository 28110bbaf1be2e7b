#include "lab/world/worlds.h"

#include <string.h>

#include "lab/world/promise.h"

#define TAKEOVER .if_dead = HF_TAKEOVER
#define REFUSE   .if_dead = HF_REFUSE

/* The shortest ttl: three beats of a tick, no grace, a margin of a tick. */
#define TTL .ttl = 4

/*
 * A place as slow as a lock can bear: patience with it ends after (10 - 1) / 3
 * ticks, a call takes four, and two calls fit into the right of nine.
 */
#define SLOW     4
#define SLOW_TTL .ttl = 10

/*
 * Finer time: a beat of two ticks, and a patience of two, which is longer than
 * the margin of one; three beats and the margin are seven.
 */
#define FINE .ttl = 7, .beat = 2

/* A grace of one tick. */
#define GRACE .ttl = 5, .grace = 1

#define WORLD(its_name, line, ...)                                             \
    {                                                                          \
        .name = its_name, .about = line, __VA_ARGS__                           \
    }
#define TWO(...)  .workers = 2, .terms = {__VA_ARGS__}
#define BOTH(...) TWO({__VA_ARGS__}, {__VA_ARGS__})

const struct world_config worlds[] = {
    WORLD("takeover", "takeover locks: claims, beats, releases, takeovers",
          BOTH(TAKEOVER, TTL), .symmetric = true, .cuts = true),
    WORLD("slow", "the same, where any message may take up to a tick",
          BOTH(TAKEOVER, TTL), .lazy = true, .symmetric = true),
    WORLD("slow-place",
          "every call, read or write, outlasts all patience with it",
          BOTH(TAKEOVER, SLOW_TTL), .latency = SLOW, .symmetric = true),
    WORLD("slow-place-refuse", "the same, with refuse locks",
          BOTH(REFUSE, SLOW_TTL), .latency = SLOW, .symmetric = true),
    WORLD("slow-place-live",
          "there, too, locks are had, kept, given back and had again",
          BOTH(TAKEOVER, SLOW_TTL), .latency = SLOW, .gives_up = true,
          .symmetric = true, .judge_stuck = true),
    WORLD("forgets",
          "the place goes back: who holds notices with the next beat",
          BOTH(TAKEOVER, TTL), .forgets = true, .symmetric = true),
    WORLD("forgets-refuse", "the same, with refuse locks", BOTH(REFUSE, TTL),
          .forgets = true, .symmetric = true),
    WORLD("fine", "beats of two ticks, and patience longer than the margin",
          BOTH(TAKEOVER, FINE), .symmetric = true, .cuts = true),
    WORLD("fine-refuse", "the same, with refuse locks", BOTH(REFUSE, FINE),
          .symmetric = true, .cuts = true),
    WORLD("grace", "a grace of a tick: no right shorter than that is granted",
          BOTH(TAKEOVER, GRACE), .symmetric = true, .cuts = true),
    WORLD("shell", "hints at any moment, answers once more, abandoned locks",
          BOTH(TAKEOVER, TTL), .hints = true, .abandons = true),
    WORLD("shell-refuse",
          "the same, with refuse locks, and processes that are seen",
          BOTH(REFUSE, TTL), .same_host = true, .hints = true,
          .abandons = true),
    WORLD("foreign", "somebody writes records by hand that are not ours",
          TWO({TAKEOVER, TTL}, {REFUSE, TTL}), .foreigners = true,
          .operator= true, .symmetric = true),
    WORLD("refuse",
          "refuse locks: a dead holder's stays until a person clears it",
          BOTH(REFUSE, TTL), .symmetric = true, .cuts = true),
    WORLD("mixed", "one takes over what is dead, the other's refuses",
          TWO({TAKEOVER, TTL}, {REFUSE, TTL}), .symmetric = true, .cuts = true),
    WORLD("unequal", "takeover locks of different ttls: the record's binds",
          TWO({TAKEOVER, TTL}, {TAKEOVER, .ttl = 6}), .symmetric = true,
          .cuts = true),
    WORLD("drift", "the second worker's clock gains the margin in every ttl",
          TWO({TAKEOVER, TTL}, {TAKEOVER, TTL, .gains = 1}), .symmetric = true,
          .cuts = true),
    WORLD("drift-beyond", "its clock gains one tick more than the margin",
          TWO({TAKEOVER, TTL}, {TAKEOVER, TTL, .gains = 2}),
          .expect = PROMISE_STOLEN, .cuts = true),
    WORLD("trust-clock",
          "a stamp is trusted: the store's clock errs by what is promised",
          TWO({TAKEOVER, TTL}, {TAKEOVER, TTL, .gains = -1}), .trusts = 1,
          .errs = 1, .symmetric = true, .cuts = true),
    WORLD("trust-clock-beyond", "that clock errs by one tick more",
          TWO({TAKEOVER, TTL}, {TAKEOVER, TTL, .gains = -1}), .trusts = 1,
          .errs = 2, .expect = PROMISE_STOLEN, .cuts = true),
    WORLD("same-host", "the end of a holder's process can be seen",
          BOTH(TAKEOVER, TTL), .same_host = true, .symmetric = true,
          .cuts = true),
    WORLD("same-host-refuse", "the same, with refuse locks", BOTH(REFUSE, TTL),
          .same_host = true, .symmetric = true, .cuts = true),
    WORLD("try-refuse",
          "refuse locks: one gives up at life, one at a suspicion",
          TWO({REFUSE, TTL, .fails = true}, {REFUSE, TTL, .try_only = true}),
          .same_host = true, .symmetric = true),
    WORLD("suspect", "who holds is not suspected, though clocks drift apart",
          TWO({REFUSE, FINE}, {REFUSE, FINE, .gains = 1, .fails = true}),
          .suspects = true, .symmetric = true),
    WORLD("give-up", "waiters that cancel, and whose wait has a limit",
          BOTH(TAKEOVER, TTL, .limit = 6), .gives_up = true, .symmetric = true),
    WORLD("hand-on", "those who wait in one line go by what the one before saw",
          BOTH(TAKEOVER, TTL), .hands_on = true, .symmetric = true),
    WORLD("hand-on-refuse",
          "the same with refuse locks, whose processes can be seen",
          TWO({REFUSE, TTL}, {REFUSE, TTL, .fails = true}), .same_host = true,
          .hands_on = true, .symmetric = true),
    WORLD("return", "who comes back claims at its own tombstone, unseen",
          BOTH(TAKEOVER, TTL), .returns = true, .gives_up = true,
          .purges = true, .symmetric = true),
    WORLD("return-refuse",
          "the same with refuse locks, and one that gives up at life",
          TWO({REFUSE, TTL}, {REFUSE, TTL, .try_only = true}),
          .same_host = true, .returns = true, .symmetric = true),
    WORLD("return-forgets", "the same, and the place goes back",
          BOTH(TAKEOVER, TTL), .returns = true, .forgets = true,
          .symmetric = true),
    WORLD("try", "waiters that give up at the first sign of life",
          TWO({TAKEOVER, TTL}, {TAKEOVER, TTL, .try_only = true}),
          .same_host = true, .symmetric = true),
    WORLD("purge", "tombstones are purged at any time", BOTH(TAKEOVER, TTL),
          .gives_up = true, .purges = true, .symmetric = true),
    WORLD("freeze", "a worker freezes at any time, and wakes at any later one",
          BOTH(TAKEOVER, TTL), .freezes = true, .symmetric = true),
    WORLD("freeze-refuse", "the same, with refuse locks", BOTH(REFUSE, TTL),
          .freezes = true, .symmetric = true),
    WORLD("fenced", "a resource that compares fences takes no overtaken write",
          BOTH(TAKEOVER, TTL), .resource = RESOURCE_FENCED, .freezes = true,
          .symmetric = true),
    WORLD("unfenced", "the limit: one that compares none takes a dead holder's",
          BOTH(TAKEOVER, TTL), .resource = RESOURCE_UNFENCED,
          .expect = PROMISE_RESOURCE, .freezes = true),
    WORLD("clear", "a person clears refuse locks by force, whoever holds them",
          BOTH(REFUSE, TTL), .operator= true, .symmetric = true, .cuts = true),
    WORLD("clear-live",
          "the same: whoever was cleared learns it, and all goes on",
          BOTH(REFUSE, TTL), .operator= true, .symmetric = true,
          .judge_stuck = true, .cuts = true),
    WORLD("examine", "a person clears what is found dead, and nothing else",
          TWO({TAKEOVER, TTL}, {REFUSE, TTL}), .examines = true, .cuts = true),
    WORLD("examine-same-host",
          "the same, where the end of a holder's process can be seen",
          BOTH(REFUSE, TTL), .same_host = true, .symmetric = true,
          .examines = true),
    WORLD("examine-live",
          "once a person has looked, a dead refuse lock is had again",
          .workers = 1, .terms = {{REFUSE, TTL}}, .examines = true,
          .hints = true, .judge_stuck = true, .freezes = true, .cuts = true),
    WORLD("live", "from every state, without more faults, somebody is granted",
          BOTH(TAKEOVER, TTL), .freezes = true, .gives_up = true,
          .symmetric = true, .judge_stuck = true, .cuts = true),
    WORLD("frozen-unfenced",
          "the limit: a frozen holder still believes, another is granted",
          BOTH(TAKEOVER, TTL), .freezes = true, .limit_shown = true,
          .expect = PROMISE_BOTH_BELIEVE),
    WORLD("dead-refuse",
          "the limit: after a refuse holder's death only a person helps",
          BOTH(REFUSE, TTL), .judge_stuck = true, .expect = PROMISE_STUCK),
};

const unsigned worlds_count = sizeof(worlds) / sizeof(worlds[0]);

const struct worlds_proof worlds_proofs[] = {
    {"takeover", 2, 1, WORLDS_TEST},
    {"takeover", 2, 2, WORLDS_PROVE},
    {"takeover", 3, 1, WORLDS_PROVE},
    {"slow", 2, 1, WORLDS_TEST},
    {"slow-place", 2, 0, WORLDS_TEST},
    {"slow-place", 2, 1, WORLDS_PROVE},
    {"slow-place-refuse", 2, 0, WORLDS_TEST},
    {"slow-place-refuse", 2, 1, WORLDS_PROVE},
    {"slow-place-live", 1, 1, WORLDS_TEST},
    {"slow-place-live", 2, 0, WORLDS_PROVE},
    {"forgets", 2, 1, WORLDS_TEST},
    {"forgets", 2, 2, WORLDS_PROVE},
    {"forgets-refuse", 2, 1, WORLDS_TEST},
    {"forgets-refuse", 2, 2, WORLDS_PROVE},
    {"fine", 2, 1, WORLDS_TEST},
    {"fine", 2, 2, WORLDS_PROVE},
    {"fine-refuse", 2, 1, WORLDS_TEST},
    {"fine-refuse", 2, 2, WORLDS_PROVE},
    {"grace", 2, 1, WORLDS_TEST},
    {"grace", 2, 2, WORLDS_PROVE},
    {"shell", 2, 1, WORLDS_TEST},
    {"shell", 2, 2, WORLDS_PROVE},
    {"shell-refuse", 2, 0, WORLDS_TEST},
    {"shell-refuse", 2, 1, WORLDS_PROVE},
    {"shell-refuse", 2, 2, WORLDS_PROVE_ALL},
    {"foreign", 2, 1, WORLDS_TEST},
    {"foreign", 2, 2, WORLDS_PROVE},
    {"refuse", 2, 1, WORLDS_TEST},
    {"refuse", 2, 2, WORLDS_PROVE},
    {"refuse", 3, 1, WORLDS_PROVE},
    {"mixed", 2, 1, WORLDS_TEST},
    {"mixed", 2, 2, WORLDS_PROVE},
    {"mixed", 3, 1, WORLDS_PROVE_ALL},
    {"unequal", 2, 1, WORLDS_TEST},
    {"unequal", 2, 2, WORLDS_PROVE},
    {"unequal", 3, 1, WORLDS_PROVE_ALL},
    {"drift", 2, 1, WORLDS_TEST},
    {"drift", 2, 2, WORLDS_PROVE},
    {"drift", 3, 1, WORLDS_PROVE_ALL},
    {"drift-beyond", 2, 1, WORLDS_TEST},
    {"trust-clock", 2, 0, WORLDS_TEST},
    {"trust-clock", 2, 1, WORLDS_PROVE},
    {"trust-clock", 2, 2, WORLDS_PROVE_ALL},
    {"trust-clock-beyond", 2, 1, WORLDS_TEST},
    {"same-host", 2, 1, WORLDS_TEST},
    {"same-host", 2, 2, WORLDS_PROVE},
    {"same-host-refuse", 2, 1, WORLDS_TEST},
    {"same-host-refuse", 2, 2, WORLDS_PROVE},
    {"try-refuse", 2, 1, WORLDS_TEST},
    {"try-refuse", 2, 2, WORLDS_PROVE},
    {"suspect", 2, 0, WORLDS_TEST},
    {"suspect", 2, 1, WORLDS_PROVE},
    {"give-up", 2, 1, WORLDS_TEST},
    {"give-up", 2, 2, WORLDS_PROVE},
    {"hand-on", 2, 1, WORLDS_TEST},
    {"hand-on", 2, 2, WORLDS_PROVE},
    {"hand-on-refuse", 2, 1, WORLDS_TEST},
    {"hand-on-refuse", 2, 2, WORLDS_PROVE},
    {"return", 2, 1, WORLDS_TEST},
    {"return", 2, 2, WORLDS_PROVE},
    {"return-refuse", 2, 1, WORLDS_TEST},
    {"return-refuse", 2, 2, WORLDS_PROVE},
    {"return-forgets", 2, 1, WORLDS_TEST},
    {"return-forgets", 2, 2, WORLDS_PROVE},
    {"try", 2, 1, WORLDS_TEST},
    {"try", 2, 2, WORLDS_PROVE},
    {"purge", 2, 1, WORLDS_TEST},
    {"purge", 2, 2, WORLDS_PROVE},
    {"purge", 3, 1, WORLDS_PROVE_ALL},
    {"freeze", 2, 1, WORLDS_TEST},
    {"freeze", 2, 2, WORLDS_PROVE},
    {"freeze-refuse", 2, 1, WORLDS_TEST},
    {"freeze-refuse", 2, 2, WORLDS_PROVE},
    {"fenced", 2, 1, WORLDS_TEST},
    {"fenced", 2, 2, WORLDS_PROVE},
    {"clear", 2, 1, WORLDS_TEST},
    {"clear", 2, 2, WORLDS_PROVE},
    {"clear", 3, 1, WORLDS_PROVE},
    {"clear-live", 2, 1, WORLDS_TEST},
    {"clear-live", 2, 2, WORLDS_PROVE_ALL},
    {"examine", 2, 0, WORLDS_TEST},
    {"examine", 2, 1, WORLDS_PROVE_ALL},
    {"examine-same-host", 2, 0, WORLDS_TEST},
    {"examine-same-host", 2, 1, WORLDS_PROVE_ALL},
    {"examine-live", 1, 1, WORLDS_TEST},
    {"examine-live", 1, 2, WORLDS_PROVE_ALL},
    {"live", 1, 2, WORLDS_TEST},
    {"live", 2, 0, WORLDS_TEST},
    {"live", 2, 1, WORLDS_PROVE},
    {"unfenced", 2, 1, WORLDS_TEST},
    {"frozen-unfenced", 2, 1, WORLDS_TEST},
    {"dead-refuse", 2, 1, WORLDS_TEST},
};

const unsigned worlds_proofs_count =
    sizeof(worlds_proofs) / sizeof(worlds_proofs[0]);

const struct world_config *
worlds_find(const char *name)
{
    for (unsigned i = 0; i < worlds_count; i++)
        if (strcmp(worlds[i].name, name) == 0)
            return &worlds[i];
    return NULL;
}

const char *
worlds_target_word(enum worlds_target target)
{
    static const char *const words[] = {
        [WORLDS_TEST] = "test",
        [WORLDS_PROVE] = "prove",
        [WORLDS_PROVE_ALL] = "prove-all",
    };

    return words[target];
}

struct world_config
worlds_with(const struct world_config *config, unsigned workers)
{
    struct world_config copy = *config;

    if (workers == 0)
        return copy;
    for (unsigned i = copy.workers; i < workers; i++)
        copy.terms[i] = copy.terms[i - copy.workers];
    copy.workers = workers;
    return copy;
}

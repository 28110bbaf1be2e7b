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

const struct world_config worlds[] = {
    {
        .name = "takeover",
        .about = "takeover locks: claims, beats, releases, takeovers",
        .workers = 2,
        .terms = {{TAKEOVER, TTL}, {TAKEOVER, TTL}},
        .symmetric = true,
        .cuts = true,
    },
    {
        .name = "slow",
        .about = "the same, where any message may take up to a tick",
        .workers = 2,
        .terms = {{TAKEOVER, TTL}, {TAKEOVER, TTL}},
        .lazy = true,
        .symmetric = true,
    },
    {
        .name = "slow-place",
        .about = "every call, read or write, outlasts all patience with it",
        .workers = 2,
        .terms = {{TAKEOVER, SLOW_TTL}, {TAKEOVER, SLOW_TTL}},
        .latency = SLOW,
        .symmetric = true,
    },
    {
        .name = "slow-place-refuse",
        .about = "the same, with refuse locks",
        .workers = 2,
        .terms = {{REFUSE, SLOW_TTL}, {REFUSE, SLOW_TTL}},
        .latency = SLOW,
        .symmetric = true,
    },
    {
        .name = "slow-place-live",
        .about = "there, too, locks are had, kept, given back and had again",
        .workers = 2,
        .terms = {{TAKEOVER, SLOW_TTL}, {TAKEOVER, SLOW_TTL}},
        .latency = SLOW,
        .gives_up = true,
        .symmetric = true,
        .judge_stuck = true,
    },
    {
        .name = "forgets",
        .about = "the place goes back: who holds notices with the next beat",
        .workers = 2,
        .terms = {{TAKEOVER, TTL}, {TAKEOVER, TTL}},
        .forgets = true,
        .symmetric = true,
    },
    {
        .name = "forgets-refuse",
        .about = "the same, with refuse locks",
        .workers = 2,
        .terms = {{REFUSE, TTL}, {REFUSE, TTL}},
        .forgets = true,
        .symmetric = true,
    },
    {
        .name = "fine",
        .about = "beats of two ticks, and patience longer than the margin",
        .workers = 2,
        .terms = {{TAKEOVER, FINE}, {TAKEOVER, FINE}},
        .symmetric = true,
        .cuts = true,
    },
    {
        .name = "fine-refuse",
        .about = "the same, with refuse locks",
        .workers = 2,
        .terms = {{REFUSE, FINE}, {REFUSE, FINE}},
        .symmetric = true,
        .cuts = true,
    },
    {
        .name = "grace",
        .about = "a grace of a tick: no right shorter than that is granted",
        .workers = 2,
        .terms = {{TAKEOVER, GRACE}, {TAKEOVER, GRACE}},
        .symmetric = true,
        .cuts = true,
    },
    {
        .name = "shell",
        .about = "hints at any moment, answers once more, abandoned locks",
        .workers = 2,
        .terms = {{TAKEOVER, TTL}, {TAKEOVER, TTL}},
        .hints = true,
        .abandons = true,
    },
    {
        .name = "shell-refuse",
        .about = "the same, with refuse locks, and processes that are seen",
        .workers = 2,
        .terms = {{REFUSE, TTL}, {REFUSE, TTL}},
        .same_host = true,
        .hints = true,
        .abandons = true,
    },
    {
        .name = "foreign",
        .about = "somebody writes records by hand that are not ours",
        .workers = 2,
        .terms = {{TAKEOVER, TTL}, {REFUSE, TTL}},
        .foreigners = true,
        .operator= true,
        .symmetric = true,
    },
    {
        .name = "refuse",
        .about = "refuse locks: a dead holder's stays until a person clears it",
        .workers = 2,
        .terms = {{REFUSE, TTL}, {REFUSE, TTL}},
        .symmetric = true,
        .cuts = true,
    },
    {
        .name = "mixed",
        .about = "one takes over what is dead, the other's refuses",
        .workers = 2,
        .terms = {{TAKEOVER, TTL}, {REFUSE, TTL}},
        .symmetric = true,
        .cuts = true,
    },
    {
        .name = "unequal",
        .about = "takeover locks of different ttls: the record's binds",
        .workers = 2,
        .terms = {{TAKEOVER, TTL}, {TAKEOVER, .ttl = 6}},
        .symmetric = true,
        .cuts = true,
    },
    {
        .name = "drift",
        .about = "the second worker's clock gains the margin in every ttl",
        .workers = 2,
        .terms = {{TAKEOVER, TTL}, {TAKEOVER, TTL, .gains = 1}},
        .symmetric = true,
        .cuts = true,
    },
    {
        .name = "drift-beyond",
        .about = "its clock gains one tick more than the margin",
        .workers = 2,
        .terms = {{TAKEOVER, TTL}, {TAKEOVER, TTL, .gains = 2}},
        .expect = PROMISE_STOLEN,
        .cuts = true,
    },
    {
        .name = "same-host",
        .about = "the end of a holder's process can be seen",
        .workers = 2,
        .terms = {{TAKEOVER, TTL}, {TAKEOVER, TTL}},
        .same_host = true,
        .symmetric = true,
        .cuts = true,
    },
    {
        .name = "same-host-refuse",
        .about = "the same, with refuse locks",
        .workers = 2,
        .terms = {{REFUSE, TTL}, {REFUSE, TTL}},
        .same_host = true,
        .symmetric = true,
        .cuts = true,
    },
    {
        .name = "try-refuse",
        .about = "refuse locks: one gives up at life, one at a suspicion",
        .workers = 2,
        .terms = {{REFUSE, TTL, .fails = true},
                  {REFUSE, TTL, .try_only = true}},
        .same_host = true,
        .symmetric = true,
    },
    {
        .name = "suspect",
        .about = "who holds is not suspected, though clocks drift apart",
        .workers = 2,
        .terms = {{REFUSE, FINE}, {REFUSE, FINE, .gains = 1, .fails = true}},
        .suspects = true,
        .symmetric = true,
    },
    {
        .name = "give-up",
        .about = "waiters that cancel, and whose wait has a limit",
        .workers = 2,
        .terms = {{TAKEOVER, TTL, .limit = 6}, {TAKEOVER, TTL, .limit = 6}},
        .gives_up = true,
        .symmetric = true,
    },
    {
        .name = "hand-on",
        .about = "those who wait in one line go by what the one before saw",
        .workers = 2,
        .terms = {{TAKEOVER, TTL}, {TAKEOVER, TTL}},
        .hands_on = true,
        .symmetric = true,
    },
    {
        .name = "hand-on-refuse",
        .about = "the same with refuse locks, whose processes can be seen",
        .workers = 2,
        .terms = {{REFUSE, TTL}, {REFUSE, TTL, .fails = true}},
        .same_host = true,
        .hands_on = true,
        .symmetric = true,
    },
    {
        .name = "try",
        .about = "waiters that give up at the first sign of life",
        .workers = 2,
        .terms = {{TAKEOVER, TTL}, {TAKEOVER, TTL, .try_only = true}},
        .same_host = true,
        .symmetric = true,
    },
    {
        .name = "purge",
        .about = "tombstones are purged at any time",
        .workers = 2,
        .terms = {{TAKEOVER, TTL}, {TAKEOVER, TTL}},
        .gives_up = true,
        .purges = true,
        .symmetric = true,
    },
    {
        .name = "freeze",
        .about = "a worker freezes at any time, and wakes at any later one",
        .workers = 2,
        .terms = {{TAKEOVER, TTL}, {TAKEOVER, TTL}},
        .freezes = true,
        .symmetric = true,
    },
    {
        .name = "freeze-refuse",
        .about = "the same, with refuse locks",
        .workers = 2,
        .terms = {{REFUSE, TTL}, {REFUSE, TTL}},
        .freezes = true,
        .symmetric = true,
    },
    {
        .name = "fenced",
        .about = "a resource that compares fences takes no overtaken write",
        .workers = 2,
        .terms = {{TAKEOVER, TTL}, {TAKEOVER, TTL}},
        .resource = RESOURCE_FENCED,
        .freezes = true,
        .symmetric = true,
    },
    {
        .name = "unfenced",
        .about = "the limit: one that compares none takes a dead holder's",
        .workers = 2,
        .terms = {{TAKEOVER, TTL}, {TAKEOVER, TTL}},
        .resource = RESOURCE_UNFENCED,
        .expect = PROMISE_RESOURCE,
        .freezes = true,
    },
    {
        .name = "clear",
        .about = "a person clears refuse locks by force, whoever holds them",
        .workers = 2,
        .terms = {{REFUSE, TTL}, {REFUSE, TTL}},
        .operator= true,
        .symmetric = true,
        .cuts = true,
    },
    {
        .name = "clear-live",
        .about = "the same: whoever was cleared learns it, and all goes on",
        .workers = 2,
        .terms = {{REFUSE, TTL}, {REFUSE, TTL}},
        .operator= true,
        .symmetric = true,
        .judge_stuck = true,
        .cuts = true,
    },
    {
        .name = "examine",
        .about = "a person clears what is found dead, and nothing else",
        .workers = 2,
        .terms = {{TAKEOVER, TTL}, {REFUSE, TTL}},
        .examines = true,
        .cuts = true,
    },
    {
        .name = "examine-same-host",
        .about = "the same, where the end of a holder's process can be seen",
        .workers = 2,
        .terms = {{REFUSE, TTL}, {REFUSE, TTL}},
        .same_host = true,
        .symmetric = true,
        .examines = true,
    },
    {
        .name = "examine-live",
        .about = "once a person has looked, a dead refuse lock is had again",
        .workers = 1,
        .terms = {{REFUSE, TTL}},
        .examines = true,
        .hints = true,
        .judge_stuck = true,
        .freezes = true,
        .cuts = true,
    },
    {
        .name = "live",
        .about = "from every state, without more faults, somebody is granted",
        .workers = 2,
        .terms = {{TAKEOVER, TTL}, {TAKEOVER, TTL}},
        .freezes = true,
        .gives_up = true,
        .symmetric = true,
        .judge_stuck = true,
        .cuts = true,
    },
    {
        .name = "frozen-unfenced",
        .about =
            "the limit: a frozen holder still believes, another is granted",
        .workers = 2,
        .terms = {{TAKEOVER, TTL}, {TAKEOVER, TTL}},
        .freezes = true,
        .limit_shown = true,
        .expect = PROMISE_BOTH_BELIEVE,
    },
    {
        .name = "dead-refuse",
        .about = "the limit: after a refuse holder's death only a person helps",
        .workers = 2,
        .terms = {{REFUSE, TTL}, {REFUSE, TTL}},
        .judge_stuck = true,
        .expect = PROMISE_STUCK,
    },
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

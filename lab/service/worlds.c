#include "lab/server/promises.h"
#include "lab/service/kind.h"

/* The shortest times that leave room for each other: a ttl of four ticks, of
 * which the last is its holder's margin. */
#define TIMES .ttl = 4, .leader_ttl = 4, .blocking = 2, .resume_grace = 1

/* A session's is longer, so that a dead leader's head is not waited for as
 * long. */
#define LONGER .ttl = 9, .leader_ttl = 4, .blocking = 2, .resume_grace = 1

/* So many nodes, and so many locks. */
#define NODES(count, of_locks) .nodes = count, .locks = of_locks

/* Small enough to be searched. */
#define SMALL    .streams = 3, .settles = true, .prompt = true, TIMES
#define FORGETS  .streams = 3, .settles = true, .prompt = true, LONGER

#define BIT(act) (UINT64_C(1) << (act))

/* Faults by what they hit. */
#define OF_CLIENTS BIT(SERVICE_CRASH)
#define OF_STREAMS                                                             \
    (BIT(SERVICE_DELAY) | BIT(SERVICE_DOUBLE) | BIT(SERVICE_BREAK))
#define OF_NODES                                                               \
    (BIT(SERVICE_NODE_CRASH) | BIT(SERVICE_FREEZE) | BIT(SERVICE_CUT))
#define OF_CALLS                                                               \
    (BIT(SERVICE_SLOW) | BIT(SERVICE_LOST) | BIT(SERVICE_HELD) |               \
     BIT(SERVICE_DOWN))

/* But for losses, only processes of nodes end. */
#define ALL_BUT_CRASHES                                                        \
    (OF_CLIENTS | OF_STREAMS | OF_CALLS | BIT(SERVICE_FREEZE) |                \
     BIT(SERVICE_CUT))

const struct service_config service_worlds[] = {
    KIND_WORLD("journal", "one node that leads, and its store", 2, NODES(1, 1),
               SMALL),
    KIND_WORLD("journal-turns",
               "the same; a batch is of all that came in a turn", 2,
               NODES(1, 1), SMALL, .long_turns = true),
    KIND_WORLD("journal-calls",
               "the same; only the store is slow, or not there", 2, NODES(1, 1),
               SMALL, .spares = OF_CLIENTS | OF_STREAMS | OF_NODES),
    KIND_WORLD(
        "journal-nodes",
        "the same; only the node dies, freezes, or is cut off from its store",
        2, NODES(1, 1), SMALL, .spares = OF_CLIENTS | OF_STREAMS | OF_CALLS),
    KIND_WORLD(
        "journal-streams",
        "the same; only clients die, and messages are late, lost or sent twice",
        2, NODES(1, 1), SMALL, .spares = OF_NODES | OF_CALLS),
    KIND_WORLD("journal-drift", "a client's clock loses its margin in each ttl",
               2, NODES(1, 1), SMALL, .lapses = true, .slips = 1),
    KIND_WORLD("journal-drift-beyond",
               "a client's clock loses one tick more than its margin", 2,
               .world.expect = SERVER_UNRECORDED, NODES(1, 1), SMALL,
               .lapses = true, .slips = 2),
    KIND_WORLD("journal-silent",
               "clients die, and the node is told to stop, however often", 1,
               NODES(1, 1), SMALL, .stops = true, .silences = true,
               .spares = OF_STREAMS | OF_NODES | OF_CALLS),
    KIND_WORLD("journal-refuse",
               "what is held is not taken by time, but by a person", 2,
               NODES(1, 1), SMALL, .if_dead = HF_REFUSE, .clears = true),
    KIND_WORLD("journal-locks", "a session that also holds another lock", 1,
               NODES(1, 2), SMALL),
    KIND_WORLD("journal-wait", "whoever waits has a deadline", 2, NODES(1, 1),
               SMALL, .wait = 3),
    KIND_WORLD("journal-looks",
               "the same, and sees who holds it; only messages are late", 2,
               NODES(1, 1), SMALL, .wait = 3,
               .spares = OF_CLIENTS | OF_NODES | OF_CALLS |
                         BIT(SERVICE_DOUBLE) | BIT(SERVICE_BREAK),
               .looks = true),
    KIND_WORLD("journal-looks-refuse",
               "the same; only clients die, and what they held is for a person "
               "to clear",
               2, NODES(1, 1), SMALL, .wait = 6, .if_dead = HF_REFUSE,
               .clears = true, .spares = OF_STREAMS | OF_NODES | OF_CALLS,
               .looks = true),
    KIND_WORLD("journal-lapses",
               "only clients die, freeze, or are cut off, and messages are "
               "late, lost or sent twice",
               2, NODES(1, 1), SMALL, .lapses = true,
               .spares = OF_NODES | OF_CALLS),
    KIND_WORLD("journal-batches", "a batch takes no more than two changes", 2,
               NODES(1, 1), SMALL, .changes = 2),
    KIND_WORLD("leaders", "two nodes, of which one leads", 1, NODES(2, 1),
               SMALL),
    KIND_WORLD("leaders-calls",
               "the same; only the store is slow, or not there", 1, NODES(2, 1),
               SMALL, .spares = OF_CLIENTS | OF_STREAMS | OF_NODES),
    KIND_WORLD("leaders-nodes",
               "the same; only nodes die, freeze and wake, or are cut off from "
               "the store",
               1, NODES(2, 1), SMALL,
               .spares = OF_CLIENTS | OF_STREAMS | OF_CALLS),
    KIND_WORLD("leaders-drift", "a client's clock loses its margin in each ttl",
               1, NODES(2, 1), SMALL, .slips = 1),
    KIND_WORLD("leaders-refuse",
               "what is held is not taken by time, but by a person", 1,
               NODES(2, 1), SMALL, .if_dead = HF_REFUSE, .clears = true),
    KIND_WORLD("leaders-stop", "nodes are told to stop", 1, NODES(2, 1), SMALL,
               .stops = true),
    KIND_WORLD(
        "journal-forgets",
        "a node whose place is removed; nodes die, freeze, or are cut off", 1,
        NODES(1, 1), FORGETS, .loses = SERVICE_LOSES_FILE,
        .spares = ALL_BUT_CRASHES),
    KIND_WORLD("journal-leaves",
               "the same; nodes do not die, but are told to stop", 1,
               NODES(1, 1), FORGETS, .stops = true, .loses = SERVICE_LOSES_FILE,
               .spares = ALL_BUT_CRASHES | BIT(SERVICE_NODE_CRASH)),
    KIND_WORLD("journal-traceless",
               "the same, and nothing tells who begins; nobody does", 1,
               NODES(1, 1), FORGETS,
               .loses = SERVICE_LOSES_FILE | SERVICE_LOSES_TRACE,
               .spares = ALL_BUT_CRASHES | BIT(SERVICE_NODE_CRASH)),
    KIND_WORLD("journal-copy", "the same; an older copy is put in its place", 1,
               NODES(1, 1), FORGETS, .loses = SERVICE_LOSES_COPY,
               .spares = ALL_BUT_CRASHES),
    KIND_WORLD("journal-log",
               "the same; what was written since it was folded is lost", 1,
               NODES(1, 1), FORGETS, .loses = SERVICE_LOSES_LOG,
               .spares = ALL_BUT_CRASHES),
    KIND_WORLD(
        "journal-log-leaves",
        "the same, but only a claim folds; the node does not die, but is "
        "told to stop",
        1, NODES(1, 1), SMALL, .stops = true, .loses = SERVICE_LOSES_LOG,
        .spares =
            ALL_BUT_CRASHES | BIT(SERVICE_NODE_CRASH) | BIT(SERVICE_KEEP)),
    KIND_WORLD("journal-memory", "the same; the place is lost with its process",
               1, NODES(1, 1), FORGETS, .loses = SERVICE_IN_MEMORY,
               .spares = ALL_BUT_CRASHES),
    KIND_WORLD("leaders-forgets", "two nodes whose place is removed", 1,
               NODES(2, 1), FORGETS, .loses = SERVICE_LOSES_FILE,
               .spares = ALL_BUT_CRASHES),
    KIND_WORLD("leaders-traceless",
               "the same, and nothing tells who begins; nobody does", 1,
               NODES(2, 1), FORGETS,
               .loses = SERVICE_LOSES_FILE | SERVICE_LOSES_TRACE,
               .spares = ALL_BUT_CRASHES | BIT(SERVICE_NODE_CRASH)),
    KIND_WORLD("leaders-copy", "the same; an older copy is put in its place", 1,
               NODES(2, 1), FORGETS, .loses = SERVICE_LOSES_COPY,
               .spares = ALL_BUT_CRASHES),
    KIND_WORLD("leaders-log",
               "the same; what was written since it was folded is lost", 1,
               NODES(2, 1), FORGETS, .loses = SERVICE_LOSES_LOG,
               .spares = ALL_BUT_CRASHES),
    KIND_WORLD("service", "three nodes, five clients and two locks", 5,
               .world.is_whole = true, .nodes = 3, .locks = 2,
               .streams = SERVICE_STREAMS, .ttl = 5, .leader_ttl = 4,
               .blocking = 3, .resume_grace = 1, .takeover_grace = 1,
               .lapses = true),
    KIND_WORLD("service-refuse",
               "the same; nothing is taken by time, but by a person; clocks "
               "drift, and nodes are told to stop",
               5, .world.is_whole = true, .nodes = 3, .locks = 2,
               .streams = SERVICE_STREAMS, .ttl = 5, .leader_ttl = 4,
               .blocking = 3, .resume_grace = 1, .takeover_grace = 1, .wait = 6,
               .slips = 1, .if_dead = HF_REFUSE, .clears = true, .stops = true),
};

const unsigned service_worlds_count =
    sizeof(service_worlds) / sizeof(service_worlds[0]);

const struct worlds_proof service_proofs[] = {
    {"journal", 1, 1, WORLDS_TEST},
    {"journal", 2, 0, WORLDS_TEST},
    {"journal-turns", 1, 0, WORLDS_TEST},
    {"journal-turns", 1, 1, WORLDS_PROVE},
    {"journal-turns", 2, 0, WORLDS_PROVE},
    {"journal-calls", 1, 1, WORLDS_TEST},
    {"journal-nodes", 1, 1, WORLDS_TEST},
    {"journal-streams", 1, 1, WORLDS_TEST},
    {"journal-streams", 1, 2, WORLDS_PROVE},
    {"journal-streams", 2, 1, WORLDS_PROVE},
    {"journal-drift", 1, 0, WORLDS_TEST},
    {"journal-drift", 2, 0, WORLDS_PROVE},
    {"journal-drift-beyond", 2, 0, WORLDS_TEST},
    {"journal-silent", 1, 0, WORLDS_TEST},
    {"journal-silent", 1, 1, WORLDS_PROVE},
    {"journal-refuse", 1, 0, WORLDS_TEST},
    {"journal-refuse", 1, 1, WORLDS_PROVE},
    {"journal-refuse", 2, 0, WORLDS_PROVE},
    {"journal-locks", 1, 0, WORLDS_TEST},
    {"journal-locks", 1, 1, WORLDS_PROVE_ALL},
    {"journal-wait", 2, 0, WORLDS_TEST},
    {"journal-looks", 2, 0, WORLDS_TEST},
    {"journal-looks-refuse", 1, 0, WORLDS_TEST},
    {"journal-looks-refuse", 2, 0, WORLDS_PROVE},
    {"journal-looks", 2, 1, WORLDS_PROVE_ALL},
    {"journal-lapses", 1, 1, WORLDS_TEST},
    {"journal-lapses", 1, 2, WORLDS_PROVE},
    {"journal-batches", 1, 1, WORLDS_PROVE},
    {"journal-batches", 2, 0, WORLDS_TEST},
    {"journal-forgets", 1, 1, WORLDS_TEST},
    {"journal-forgets", 1, 2, WORLDS_PROVE},
    {"journal-leaves", 1, 0, WORLDS_TEST},
    {"journal-leaves", 1, 1, WORLDS_PROVE},
    {"journal-traceless", 1, 1, WORLDS_TEST},
    {"journal-copy", 1, 0, WORLDS_TEST},
    {"journal-copy", 1, 1, WORLDS_PROVE},
    {"journal-log", 1, 0, WORLDS_TEST},
    {"journal-log", 1, 1, WORLDS_PROVE},
    {"journal-log-leaves", 1, 0, WORLDS_TEST},
    {"journal-log-leaves", 1, 1, WORLDS_PROVE},
    {"journal-memory", 1, 1, WORLDS_TEST},
    {"journal-memory", 1, 2, WORLDS_PROVE},
    {"journal-memory", 2, 1, WORLDS_PROVE},
    {"leaders", 1, 0, WORLDS_TEST},
    {"leaders", 1, 1, WORLDS_PROVE},
    {"leaders", 2, 0, WORLDS_PROVE},
    {"leaders-calls", 1, 0, WORLDS_TEST},
    {"leaders-calls", 1, 1, WORLDS_PROVE},
    {"leaders-nodes", 1, 0, WORLDS_TEST},
    {"leaders-nodes", 1, 1, WORLDS_PROVE},
    {"leaders-drift", 1, 0, WORLDS_TEST},
    {"leaders-drift", 1, 1, WORLDS_PROVE_ALL},
    {"leaders-refuse", 1, 0, WORLDS_TEST},
    {"leaders-refuse", 1, 1, WORLDS_PROVE_ALL},
    {"leaders-stop", 1, 0, WORLDS_TEST},
    {"leaders-forgets", 1, 0, WORLDS_TEST},
    {"leaders-forgets", 1, 1, WORLDS_PROVE},
    {"leaders-traceless", 1, 0, WORLDS_TEST},
    {"leaders-traceless", 1, 1, WORLDS_PROVE},
    {"leaders-copy", 1, 0, WORLDS_TEST},
    {"leaders-log", 1, 0, WORLDS_TEST},
};

const unsigned service_proofs_count =
    sizeof(service_proofs) / sizeof(service_proofs[0]);

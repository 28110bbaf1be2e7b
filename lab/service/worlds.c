#include "lab/server/promises.h"
#include "lab/service/kind.h"

/* The shortest times that leave room for each other: a ttl of four ticks, of
 * which the last is its holder's margin. */
#define TIMES .ttl = 4, .leader_ttl = 4, .blocking = 2, .resume_grace = 1

/* A session's is longer, so that a dead leader's head is not waited for as
 * long. */
#define LONGER .ttl = 9, .leader_ttl = 4, .blocking = 2, .resume_grace = 1

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
    {
        .world = {.name = "journal",
                  .about = "one node that leads, and its store",
                  .clients = 2},
        .nodes = 1,
        .locks = 1,
        SMALL,
    },
    {
        .world = {.name = "journal-turns",
                  .about = "the same; a batch is of all that came in a turn",
                  .clients = 2},
        .nodes = 1,
        .locks = 1,
        SMALL,
        .long_turns = true,
    },
    {
        .world = {.name = "journal-calls",
                  .about = "the same; only the store is slow, or not there",
                  .clients = 2},
        .nodes = 1,
        .locks = 1,
        SMALL,
        .spares = OF_CLIENTS | OF_STREAMS | OF_NODES,
    },
    {
        .world = {.name = "journal-nodes",
                  .about = "the same; only the node dies, freezes, or is cut "
                           "off from its store",
                  .clients = 2},
        .nodes = 1,
        .locks = 1,
        SMALL,
        .spares = OF_CLIENTS | OF_STREAMS | OF_CALLS,
    },
    {
        .world = {.name = "journal-streams",
                  .about = "the same; only clients die, and messages are late, "
                           "lost or sent twice",
                  .clients = 2},
        .nodes = 1,
        .locks = 1,
        SMALL,
        .spares = OF_NODES | OF_CALLS,
    },
    {
        .world = {.name = "journal-drift",
                  .about = "a client's clock loses its margin in each ttl",
                  .clients = 2},
        .nodes = 1,
        .locks = 1,
        SMALL,
        .lapses = true,
        .slips = 1,
    },
    {
        .world = {.name = "journal-drift-beyond",
                  .about = "a client's clock loses one tick more than its "
                           "margin",
                  .clients = 2,
                  .expect = SERVER_UNRECORDED},
        .nodes = 1,
        .locks = 1,
        SMALL,
        .lapses = true,
        .slips = 2,
    },
    {
        .world = {.name = "journal-refuse",
                  .about = "what is held is not taken by time, but by a person",
                  .clients = 2},
        .nodes = 1,
        .locks = 1,
        SMALL,
        .if_dead = HF_REFUSE,
        .clears = true,
    },
    {
        .world = {.name = "journal-locks",
                  .about = "a session that also holds another lock",
                  .clients = 1},
        .nodes = 1,
        .locks = 2,
        SMALL,
    },
    {
        .world = {.name = "journal-wait",
                  .about = "whoever waits has a deadline",
                  .clients = 2},
        .nodes = 1,
        .locks = 1,
        SMALL,
        .wait = 3,
    },
    {
        .world = {.name = "journal-looks",
                  .about = "the same, and sees who holds it; only messages are "
                           "late",
                  .clients = 2},
        .nodes = 1,
        .locks = 1,
        SMALL,
        .wait = 3,
        .spares = OF_CLIENTS | OF_NODES | OF_CALLS | BIT(SERVICE_DOUBLE) |
                  BIT(SERVICE_BREAK),
        .looks = true,
    },
    {
        .world = {.name = "journal-looks-refuse",
                  .about = "the same; only clients die, and what they held is "
                           "for a person to clear",
                  .clients = 2},
        .nodes = 1,
        .locks = 1,
        SMALL,
        .wait = 6,
        .if_dead = HF_REFUSE,
        .clears = true,
        .spares = OF_STREAMS | OF_NODES | OF_CALLS,
        .looks = true,
    },
    {
        .world = {.name = "journal-lapses",
                  .about = "only clients die, freeze, or are cut off, and "
                           "messages are late, lost or sent twice",
                  .clients = 2},
        .nodes = 1,
        .locks = 1,
        SMALL,
        .lapses = true,
        .spares = OF_NODES | OF_CALLS,
    },
    {
        .world = {.name = "journal-batches",
                  .about = "a batch takes no more than two changes",
                  .clients = 2},
        .nodes = 1,
        .locks = 1,
        SMALL,
        .changes = 2,
    },
    {
        .world = {.name = "leaders",
                  .about = "two nodes, of which one leads",
                  .clients = 1},
        .nodes = 2,
        .locks = 1,
        SMALL,
    },
    {
        .world = {.name = "leaders-calls",
                  .about = "the same; only the store is slow, or not there",
                  .clients = 1},
        .nodes = 2,
        .locks = 1,
        SMALL,
        .spares = OF_CLIENTS | OF_STREAMS | OF_NODES,
    },
    {
        .world = {.name = "leaders-nodes",
                  .about = "the same; only nodes die, freeze and wake, or are "
                           "cut off from the store",
                  .clients = 1},
        .nodes = 2,
        .locks = 1,
        SMALL,
        .spares = OF_CLIENTS | OF_STREAMS | OF_CALLS,
    },
    {
        .world = {.name = "leaders-drift",
                  .about = "a client's clock loses its margin in each ttl",
                  .clients = 1},
        .nodes = 2,
        .locks = 1,
        SMALL,
        .slips = 1,
    },
    {
        .world = {.name = "leaders-refuse",
                  .about = "what is held is not taken by time, but by a person",
                  .clients = 1},
        .nodes = 2,
        .locks = 1,
        SMALL,
        .if_dead = HF_REFUSE,
        .clears = true,
    },
    {
        .world = {.name = "leaders-stop",
                  .about = "nodes are told to stop",
                  .clients = 1},
        .nodes = 2,
        .locks = 1,
        SMALL,
        .stops = true,
    },
    {
        .world = {.name = "journal-forgets",
                  .about = "a node whose place is removed; nodes die, freeze, "
                           "or are cut off",
                  .clients = 1},
        .nodes = 1,
        .locks = 1,
        FORGETS,
        .loses = SERVICE_LOSES_FILE,
        .spares = ALL_BUT_CRASHES,
    },
    {
        .world = {.name = "journal-leaves",
                  .about = "the same; nodes do not die, but are told to stop",
                  .clients = 1},
        .nodes = 1,
        .locks = 1,
        FORGETS,
        .stops = true,
        .loses = SERVICE_LOSES_FILE,
        .spares = ALL_BUT_CRASHES | BIT(SERVICE_NODE_CRASH),
    },
    {
        .world = {.name = "journal-traceless",
                  .about =
                      "the same, and nothing tells who begins; nobody does",
                  .clients = 1},
        .nodes = 1,
        .locks = 1,
        FORGETS,
        .loses = SERVICE_LOSES_FILE | SERVICE_LOSES_TRACE,
        .spares = ALL_BUT_CRASHES | BIT(SERVICE_NODE_CRASH),
    },
    {
        .world = {.name = "journal-copy",
                  .about = "the same; an older copy is put in its place",
                  .clients = 1},
        .nodes = 1,
        .locks = 1,
        FORGETS,
        .loses = SERVICE_LOSES_COPY,
        .spares = ALL_BUT_CRASHES,
    },
    {
        .world = {.name = "journal-log",
                  .about =
                      "the same; what was written since it was folded is lost",
                  .clients = 1},
        .nodes = 1,
        .locks = 1,
        FORGETS,
        .loses = SERVICE_LOSES_LOG,
        .spares = ALL_BUT_CRASHES,
    },
    {
        .world = {.name = "journal-memory",
                  .about = "the same; the place is lost with its process",
                  .clients = 1},
        .nodes = 1,
        .locks = 1,
        FORGETS,
        .loses = SERVICE_IN_MEMORY,
        .spares = ALL_BUT_CRASHES,
    },
    {
        .world = {.name = "leaders-forgets",
                  .about = "two nodes whose place is removed",
                  .clients = 1},
        .nodes = 2,
        .locks = 1,
        FORGETS,
        .loses = SERVICE_LOSES_FILE,
        .spares = ALL_BUT_CRASHES,
    },
    {
        .world = {.name = "leaders-traceless",
                  .about =
                      "the same, and nothing tells who begins; nobody does",
                  .clients = 1},
        .nodes = 2,
        .locks = 1,
        FORGETS,
        .loses = SERVICE_LOSES_FILE | SERVICE_LOSES_TRACE,
        .spares = ALL_BUT_CRASHES | BIT(SERVICE_NODE_CRASH),
    },
    {
        .world = {.name = "leaders-copy",
                  .about = "the same; an older copy is put in its place",
                  .clients = 1},
        .nodes = 2,
        .locks = 1,
        FORGETS,
        .loses = SERVICE_LOSES_COPY,
        .spares = ALL_BUT_CRASHES,
    },
    {
        .world = {.name = "leaders-log",
                  .about =
                      "the same; what was written since it was folded is lost",
                  .clients = 1},
        .nodes = 2,
        .locks = 1,
        FORGETS,
        .loses = SERVICE_LOSES_LOG,
        .spares = ALL_BUT_CRASHES,
    },
    {
        .world = {.name = "service",
                  .about = "three nodes, five clients and two locks",
                  .clients = 5,
                  .is_whole = true},
        .nodes = 3,
        .locks = 2,
        .streams = SERVICE_STREAMS,
        .ttl = 5,
        .leader_ttl = 4,
        .blocking = 3,
        .resume_grace = 1,
        .takeover_grace = 1,
        .lapses = true,
    },
    {
        .world = {.name = "service-refuse",
                  .about = "the same; nothing is taken by time, but by a "
                           "person; clocks drift, and nodes are told to stop",
                  .clients = 5,
                  .is_whole = true},
        .nodes = 3,
        .locks = 2,
        .streams = SERVICE_STREAMS,
        .ttl = 5,
        .leader_ttl = 4,
        .blocking = 3,
        .resume_grace = 1,
        .takeover_grace = 1,
        .wait = 6,
        .slips = 1,
        .if_dead = HF_REFUSE,
        .clears = true,
        .stops = true,
    },
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

#ifndef HF_CORE_SERVICES_H
#define HF_CORE_SERVICES_H

#include "base/attrs.h"
#include "base/clock.h"

/*
 * Services: are the nodes that a client was given nodes of one service [S7]?
 *
 * Each node says the id of the service that it is of.  Two servers with a store
 * each have two ids, and grant the same lock twice.
 *
 *          each was asked once         two ids        for 2 x leader-ttl
 *   UNHEARD ------------------> ONE <-----------> DIFFER <----------> TWO
 *      |                         ^    one is left   ^  |     a rest    |
 *      |                         +------------------|------------------+
 *      +--------------------------------------------+     one is left
 *                         two ids
 *
 * A node that said nothing is asked again at every pause until it has; and
 * where two ids are known every node is, for what counts is what they say now:
 * a service whose place was restored has a new id, of which a node may not have
 * read yet.  Who has read none within leader-ttl says none, so after twice as
 * long no node of one service says another's.
 *
 * A node that says nothing any more counts as what it was for the longest ttl
 * that it promised anybody: so long may somebody believe in what it granted.
 *
 * Plain data: copying with `=` is a snapshot.  Not thread-safe.  No I/O, no
 * allocation, no clock.
 */

enum { HF_SERVICES_NODES_MAX = 16 };

enum hf_services_verdict {
    HF_SERVICES_ONE, /* one service, as far as nodes have answered */
    HF_SERVICES_UNHEARD,
    HF_SERVICES_DIFFER,
    HF_SERVICES_TWO, /* two services, and not only for a moment */
};

struct hf_services_config {
    uint32_t nodes;
    struct hf_duration patience; /* for a node that does not answer */
    struct hf_duration pause;    /* between two questions to one node */
    struct hf_duration leader_ttl;
};

struct hf_services_node {
    uint64_t service;           /* its id; 0: unknown */
    struct hf_duration max_ttl; /* the longest ttl it promises */
    struct hf_instant asked_at; /* last question */
    struct hf_instant over_at;  /* last question that is not waited for any
                                  more; INT64_MIN: none */
    struct hf_instant ask_at;   /* not asked before this */
    struct hf_instant vain_at;  /* first question without an answer since it
                                  last said its service; HF_NEVER: none */
    bool out;                   /* a question is out */
    bool untold;                /* a question is not yet taken as an effect */
};

struct hf_services {
    struct hf_services_config config;
    struct hf_services_node each[HF_SERVICES_NODES_MAX];
    struct hf_instant now;
    struct hf_instant since; /* since when ids differ; HF_NEVER: they do not */
    enum hf_services_verdict verdict;
    bool awake;
    bool changed;
};

enum hf_services_event_kind {
    HF_SERVICES_WAKE,   /* something is wanted or held from now on */
    HF_SERVICES_REST,   /* nothing is */
    HF_SERVICES_ANSWER, /* an answer to the question, or that there is none */
    HF_SERVICES_SAID, /* told without being asked, as with a session's answer */
    HF_SERVICES_CLOCK,
};

struct hf_services_event {
    enum hf_services_event_kind kind;
    struct hf_instant at;
    uint32_t node;              /* ANSWER, SAID: from 1 */
    uint64_t service;           /* 0: not told */
    struct hf_duration max_ttl; /* ANSWER: as it said */
};

enum hf_services_effect_kind {
    HF_SERVICES_ASK,     /* ask that node for its service, and drop the question
                        before */
    HF_SERVICES_CHANGED, /* what the nodes say, or the verdict */
};

struct hf_services_effect {
    enum hf_services_effect_kind kind;
    uint32_t node; /* ASK */
};

void hf_services_init(struct hf_services *s,
                      const struct hf_services_config *config);

/* Apply one event.  Drain hf_services_next before the next call. */
void hf_services_step(struct hf_services *s,
                      const struct hf_services_event *event);

/* Take the next effect; false when there is none left. */
bool hf_services_next(struct hf_services *s, struct hf_services_effect *effect);

/* When to send the next CLOCK, or HF_NEVER. */
struct hf_instant hf_services_deadline(const struct hf_services *s);

/* Two nodes of different services, from 1; false: there are none. */
bool hf_services_differ(const struct hf_services *s, uint32_t *one,
                        uint32_t *other);

/* Has that node been silent since it last said its service? */
bool hf_services_silent(const struct hf_services *s, uint32_t node);

#endif

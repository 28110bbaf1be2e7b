#ifndef HF_TEST_CLIENT_FIXTURE_H
#define HF_TEST_CLIENT_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/session.h"

/*
 * A session of a lock server that the test plays, and what the session
 * said, one line each:
 *
 *     1: #2 acquire 1.1.1, 300 ms, waited 20 ms     to node 1, on stream 2;
 *                                                   lane, n and attempt
 *     close #2
 *     wish 1 granted 101
 *     wish 1 ended: timed out
 */
struct client_fixture {
    struct hf_session *session; /* owned */
    struct hf_instant now;
    char text[16384];
    size_t len;
    uint64_t seen; /* the fence that its last acquire told of */
};

/* A ttl of 10 s, a beat of 1 s, a grace of 2 s, a margin of 500 ms: the right
 * is at risk after 7,500 ms, and over after 9,500.  An answer is waited for for
 * 1,250 ms, a lock's for 5 s.  Three nodes, pages of two fences, sixteen
 * wishes; it is 1,000 ms. */
struct hf_session_config client_config(enum hf_if_dead if_dead);
struct client_fixture client_with(const struct hf_session_config *config);

/* The same, and wish 1 was granted fence 101 in term 7 of node 1: the streams 1
 * and 2 are answered.  Nothing of it is in the text. */
struct client_fixture client_new(void);
struct client_fixture client_holding(enum hf_if_dead if_dead);
void client_fini(struct client_fixture *client);

struct want {
    uint64_t id;
    uint64_t label;
    bool free;
    bool try_only;
    int64_t wait_ms; /* 0: for ever; for a try, its deadline */
    int64_t patience_ms;
    bool fail_suspected;
};

void client_want(struct client_fixture *client, struct want want);
void client_release(struct client_fixture *client, uint64_t id);
void client_change(struct client_fixture *client, uint64_t id, unsigned index);
void client_leave(struct client_fixture *client, uint64_t id);
void client_end(struct client_fixture *client);

/* What the server says. */
struct said {
    uint64_t stream;
    enum hf_answer_kind kind;
    uint64_t fence;    /* GRANTED; of an ALIVE or a PAGE: the only one */
    enum hf_over over; /* OVER */
    const char *holds; /* ALIVE: "101 102"; NULL: all that it believes in */
    bool summed;       /* ... and these are not listed */
    uint64_t term;     /* TERM, OPENED: 7, unless said */
    uint64_t pause_us;
    uint32_t leader;
    int64_t grace_ms;
    enum hf_later cause;       /* LATER */
    int64_t blocking_ms;       /* OPENED */
    uint64_t service;          /* OPENED */
    struct hf_blocker blocker; /* OVER */
};

/* What its three nodes say of their services; 0: nothing. */
void client_services(struct client_fixture *client, const uint64_t *each,
                     enum hf_services_verdict verdict);

void client_hears(struct client_fixture *client, struct said said);
void client_opened(struct client_fixture *client, uint64_t stream);
void client_granted(struct client_fixture *client, uint64_t stream,
                    uint64_t fence);
void client_alive(struct client_fixture *client, uint64_t stream);
void client_stream_ends(struct client_fixture *client, uint64_t stream);
void client_stream_is_cut(struct client_fixture *client, uint64_t stream);

/* A look shows who stands in the way of a wish. */
void client_sees(struct client_fixture *client, uint64_t id,
                 struct hf_blocker blocker);

/* Time passes, and is told. */
void client_clock(struct client_fixture *client, int64_t ms);

/* Compare everything said since the last comparison, and forget it. */
#define EXPECT_SAID(client, expected)                                          \
    do {                                                                       \
        assert_string_equal((client)->text, (expected));                       \
        client_hush(client);                                                   \
    } while (0)

void client_hush(struct client_fixture *client);

#endif

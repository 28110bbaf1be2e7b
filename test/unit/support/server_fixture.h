#ifndef HF_TEST_SERVER_FIXTURE_H
#define HF_TEST_SERVER_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/lockspace.h"

/*
 * A lockspace, its store as far as the batches tell, and what was answered, one
 * line each.  Answers are told when they are decided; a batch tells whether it
 * lets all of them out.
 */
struct server_fixture {
    struct hf_lockspace *ls; /* owned */
    struct hf_lockspace_config config;
    struct hf_instant now;
    struct hf_instant hold_until; /* as it will be served [L6] */
    char text[16384];
    size_t len;
    uint64_t last_mark;
};

/* Small limits, a blocking timeout of 900 to 1000 ms, places parked for 200. */
struct hf_lockspace_config server_config(void);

/* LOADING; and SERVING in term 7 from 1,000 ms on, where fences begin at 101.
 * The sessions 1, 2 and 3 are open: of 10 s, takeover. */
struct server_fixture server_empty(const struct hf_lockspace_config *config);
void server_begin(struct server_fixture *server); /* what is between the two */
struct server_fixture server_with(const struct hf_lockspace_config *config);
struct server_fixture server_new(void);
void server_fini(struct server_fixture *server);

void server_step(struct server_fixture *server,
                 struct hf_lockspace_event event);
void server_serve(struct server_fixture *server, int64_t ms);

/* Time passes, and is told. */
void server_clock(struct server_fixture *server, int64_t ms);
/* What arrived since `read_ms` is not read yet. */
void server_clock_read(struct server_fixture *server, int64_t ms,
                       int64_t read_ms);

/* A message at the present time, in the right term: as its session says. */
struct call {
    uint64_t stream;
    uint64_t session;
    uint64_t lane; /* 1, unless said */
    uint64_t n;    /* 1, unless said */
    uint64_t a;    /* 1, unless said */
    uint64_t lowest;
    uint64_t term;     /* 7, unless said */
    const char *names; /* "A B:s": A exclusive, B shared; "x/A" in a space */
    bool try_only;
    bool free;
    int64_t wait_ms; /* 0: for ever */
    int64_t park_ms;
    int64_t waited_ms;
    uint64_t seen;
    const char *note;
    uint64_t fence; /* server_handed: the grant's, unless said; of a load */
    struct hf_of_key key;
};

/* A lockspace that loads reads of a session, and of its grant: fence, session,
 * lane, n and names. */
void server_load_session(struct server_fixture *server,
                         struct hf_loaded_session session);
void server_load_grant(struct server_fixture *server, struct call call);

struct server_opening {
    uint64_t session; /* and its stream */
    int64_t ttl_ms;
    enum hf_if_dead if_dead;
    bool of_key;
    bool of_acquire;
    uint64_t address;
};

void server_open_as(struct server_fixture *server,
                    struct server_opening opening);
void server_open(struct server_fixture *server, uint64_t session,
                 int64_t ttl_ms, enum hf_if_dead if_dead);
void server_acquire(struct server_fixture *server, struct call call);
void server_release(struct server_fixture *server, struct call call);
void server_lower(struct server_fixture *server, struct call call);
void server_keep_alive(struct server_fixture *server, struct call call);
void server_end(struct server_fixture *server, struct call call);
/* At once; or only if its holder is suspected [S6]. */
void server_clear(struct server_fixture *server, uint64_t stream,
                  const char *name, uint64_t fence);
void server_clear_suspected(struct server_fixture *server, uint64_t stream,
                            const char *name, uint64_t fence);
void server_stream_ends(struct server_fixture *server, struct call call);
void server_cut(struct server_fixture *server,
                struct call call); /* with its connection */
void server_handed(struct server_fixture *server, struct call call);

/* Session 1 holds A, and was told; the attempt `a` of a session to have it. */
struct server_fixture server_held(void);
struct call server_attempt(uint64_t stream, uint64_t session, uint64_t a);
void server_unread(struct server_fixture *server, uint64_t session);

/* A batch of at most so many operations: its changes, one line each, and what
 * it answers; its number is returned. */
uint64_t server_batch(struct server_fixture *server, uint32_t operations);
void server_applied(struct server_fixture *server, uint64_t batch);

/* Compare everything told since the last comparison, and forget it. */
#define EXPECT_TOLD(server, expected)                                          \
    do {                                                                       \
        assert_string_equal((server)->text, (expected));                       \
        (server)->len = 0;                                                     \
        (server)->text[0] = '\0';                                              \
    } while (0)

/* Forget what was told. */
void server_hush(struct server_fixture *server);

#endif

#ifndef HF_TEST_ROOM_H
#define HF_TEST_ROOM_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/lockspace.h"

/*
 * Room: a lockspace, its store as far as the batches tell, and what was
 * answered, one line each.  Answers are told when they are decided; `due`
 * tells which of them a batch lets out.
 */
struct room {
    struct hf_lockspace *ls; /* owned */
    struct hf_lockspace_config config;
    struct hf_instant now;
    struct hf_instant hold_until; /* as it will be served [L6] */
    char text[16384];
    size_t len;
    uint64_t last_mark;
};

/* Small limits, a blocking timeout of 900 to 1000 ms, places parked for 200. */
struct hf_lockspace_config room_config(void);

/* LOADING; and SERVING in term 7 from 1,000 ms on, where fences begin at 101.
 * The sessions 1, 2 and 3 are open: of 10 s, takeover. */
struct room room_empty(const struct hf_lockspace_config *config);
void room_begin(struct room *room); /* what is between the two */
struct room room_with(const struct hf_lockspace_config *config);
struct room room_new(void);
void room_fini(struct room *room);

void room_step(struct room *room, struct hf_lockspace_event event);
void room_serve(struct room *room, int64_t ms);

/* Time passes, and is told. */
void room_clock(struct room *room, int64_t ms);
/* What arrived since `read_ms` is not read yet. */
void room_clock_read(struct room *room, int64_t ms, int64_t read_ms);

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
    uint64_t fence; /* room_handed: the grant's, unless said; of a load */
    struct hf_of_key key;
};

/* A loading room reads of a session, and of its grant: fence, session, lane, n
 * and names. */
void room_load_session(struct room *room, uint64_t session, int64_t ttl_ms,
                       enum hf_if_dead if_dead);
void room_load_grant(struct room *room, struct call call);

struct room_opening {
    uint64_t session; /* and its stream */
    int64_t ttl_ms;
    enum hf_if_dead if_dead;
    bool of_key;
    bool of_acquire;
    uint64_t address;
};

void room_open_as(struct room *room, struct room_opening opening);
void room_open(struct room *room, uint64_t session, int64_t ttl_ms,
               enum hf_if_dead if_dead);
void room_acquire(struct room *room, struct call call);
void room_release(struct room *room, struct call call);
void room_lower(struct room *room, struct call call);
void room_keep_alive(struct room *room, struct call call);
void room_end(struct room *room, struct call call);
/* At once; or only if its holder is suspected [S6]. */
void room_clear(struct room *room, uint64_t stream, const char *name,
                uint64_t fence);
void room_clear_suspected(struct room *room, uint64_t stream, const char *name,
                          uint64_t fence);
void room_stream_ends(struct room *room, struct call call);
void room_cut(struct room *room, struct call call); /* with its connection */
void room_handed(struct room *room, struct call call);

/* Session 1 holds A, and was told; the attempt `a` of a session to have it. */
struct room room_held(void);
struct call room_attempt(uint64_t stream, uint64_t session, uint64_t a);
void room_unread(struct room *room, uint64_t session);

/* A batch of at most so many operations: its changes, one line each, and what
 * it answers; its number is returned. */
uint64_t room_batch(struct room *room, uint32_t operations);
void room_applied(struct room *room, uint64_t batch);

/* Compare everything told since the last comparison, and forget it. */
#define EXPECT_TOLD(room, expected)                                            \
    do {                                                                       \
        assert_string_equal((room)->text, (expected));                         \
        (room)->len = 0;                                                       \
        (room)->text[0] = '\0';                                                \
    } while (0)

/* Forget what was told. */
void room_hush(struct room *room);

#endif

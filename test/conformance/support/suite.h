#ifndef TEST_CONFORMANCE_SUITE_H
#define TEST_CONFORMANCE_SUITE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <sys/types.h>

#include "store/store.h"
#include "support/get_one.h"

/*
 * One suite for every store: a test is a function of a bench, and runs once
 * for each row of the table of stores in suite.c.  Another store adds a row.
 * The rows of stores that need a server run alone, where the environment names
 * it (test/place/run.py).
 */

enum { SUITE_FOLDER_SIZE = 256, SUITE_PLACE_SIZE = 512 };

struct suite_kind {
    const char *name;
    bool processes;    /* the place is shared by the processes of this host */
    bool reopens;      /* what was committed is there after the last close */
    bool text_only;    /* names and values are UTF-8, and others are refused */
    bool erases_later; /* an erase leaves a tombstone */
    int rounds;        /* of two who each wait for the other's put */
    /* Write a place, fresh and empty, as a URL; false: cannot be had here. */
    bool (*make)(char place[SUITE_PLACE_SIZE]);
    void (*destroy)(const char *place);
};

/* What one test works on; made anew for each. */
struct suite_bench {
    const struct suite_kind *kind;
    char place[SUITE_PLACE_SIZE];
    struct hf_store *store; /* open; closed after the test */
};

typedef void suite_fn(struct suite_bench *bench);

struct suite_case {
    const char *name; /* the promise, as a sentence */
    suite_fn *run;
};

#define SUITE_CASE(function)                                                   \
    {                                                                          \
        .name = #function, .run = function                                     \
    }

/* Run each case on each store; main's exit code. */
int suite_run(const struct suite_case *cases, size_t count);

/* ---- Verbs --------------------------------------------------------------- */

/* Another store open on the bench's place; the caller closes it. */
struct hf_store *suite_open(const struct suite_bench *bench);
struct hf_store *suite_open_place(const char *place);

/* Write a place of its own behind the server that the environment names; false:
 * it names none, and *place is untouched. */
bool suite_behind_server(char place[SUITE_PLACE_SIZE]);

/* A folder of the test's own below $TMPDIR; destroy removes it and the files
 * in it. */
void suite_make_folder(char folder[SUITE_FOLDER_SIZE]);
void suite_remake_folder(const char *folder); /* the same name again */
void suite_destroy_folder(const char *folder);

/*
 * Run work(ctx) in a process of its own, which dies with the test, and return
 * its pid.  It ends with 0 when work returns true; an assertion that fails
 * there aborts it.
 */
typedef bool suite_child_fn(void *ctx);

pid_t suite_start(suite_child_fn *work, void *ctx);

/* Wait for its end, as waitpid(2) reports it: 0 is good. */
int suite_end_of(pid_t child);

/*
 * Between these two an assertion that fails aborts the program: for threads,
 * from which cmocka cannot jump back.
 */
void suite_threads_begin(void);
void suite_threads_end(void);

struct hf_key suite_key(const char *name); /* in the space "default" */

/* Ten seconds from now: longer than anything here takes. */
struct hf_instant suite_soon(void);

/* Operations at an exact version; `value` of put is a string. */
struct hf_store_op suite_put(struct hf_key key, uint64_t version,
                             const char *value);
struct hf_store_op suite_beat(struct hf_key key, uint64_t version,
                              const char *value); /* same generation */
struct hf_store_op suite_delete(struct hf_key key, uint64_t version);

/* Commit one group; its verdict. */
enum hf_verdict suite_commit(struct hf_store *store, struct hf_store_op *ops,
                             size_t count);

/* Commit one operation that must apply; its new version. */
uint64_t suite_apply(struct hf_store *store, struct hf_store_op op);

/* The version to expect of a key, which must have, or not have, a record. */
uint64_t suite_present(struct hf_store *store, struct hf_key key);
uint64_t suite_absent(struct hf_store *store, struct hf_key key);

/* Its record, which must exist and hold `value`. */
void suite_expect_value(struct hf_store *store, struct hf_key key,
                        const char *value);

/* The names a scan shows, each with a newline, into `names`. */
void suite_scan(struct hf_store *store, const struct hf_store_scan *scan,
                char *names, size_t size);

#endif

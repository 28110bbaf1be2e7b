#ifndef TEST_FAULT_FAULTS_H
#define TEST_FAULT_FAULTS_H

#include <stdbool.h>

#include <holdfast/holdfast.h>

/*
 * Faults, by enumeration: the n-th call of a kind fails, once or for ever
 * after.  One plan for the process; not thread-safe.
 */
enum fault_kind {
    FAULT_NONE,
    FAULT_ALLOC,       /* struct hf_alloc: NULL */
    FAULT_MALLOC,      /* SQLite's own memory: NULL */
    FAULT_OPEN,        /* of files, by SQLite */
    FAULT_READ,        /* an I/O error */
    FAULT_WRITE,       /* an I/O error, after all was written */
    FAULT_FULL,        /* the disk is full, after half was written */
    FAULT_SYNC,        /* an I/O error, after it was synced */
    FAULT_TRUNCATE,    /* an I/O error */
    FAULT_LOCK,        /* an I/O error */
    FAULT_SHARED_MAP,  /* shared memory: an I/O error */
    FAULT_SHARED_LOCK, /* shared memory: an I/O error */
    FAULT_KINDS,
};

struct fault_plan {
    enum fault_kind kind;
    int countdown;     /* fails when it comes to 0; 1: the first call */
    bool persistent;   /* and from then on */
    void (*act)(void); /* instead of failing, this is done; NULL: it fails */
    bool fired;        /* out */
};

/* Set up SQLite's memory and file calls to be faulted; before SQLite is used
 * for the first time. */
void faults_install(void);

/* From now on the plan counts; NULL: no faults. */
void faults_arm(struct fault_plan *plan);

/* "the 7th write, once": for the message of a failed test. */
const char *fault_kind_word(enum fault_kind kind);

/* The C library's heap under FAULT_ALLOC, and what of it is not given back. */
extern const struct hf_alloc faults_alloc;
long faults_alloc_outstanding(void);

#endif

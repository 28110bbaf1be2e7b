#ifndef HF_TEST_CLIENTS_H
#define HF_TEST_CLIENTS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <sys/types.h>

#include <holdfast/holdfast.h>

/*
 * Clients: libholdfast as its callers have it, in this process and in others.
 * What a test does not look at must succeed, or fails the test.
 *
 * Time is real here, and short; every wait is a call of the library that
 * returns when what it waits for has happened.
 */

/* The shortest life that leaves room for three beats. */
extern const struct hf_duration short_ttl;

struct hf_client *open_client(const char *place);

struct hf_acquired acquire(struct hf_client *client, const char *name,
                           const struct hf_acquire_options *options);

/* Acquire what is granted. */
struct hf_lock *hold(struct hf_client *client, const char *name,
                     const struct hf_acquire_options *options);

/* A thread that acquires "deploy". */
struct waiter {
    struct hf_client *client;
    struct hf_acquire_options options;
    struct hf_acquired acquired;
    enum hf_status status;
    struct hf_error error;
    pthread_t thread;
    int seen[2]; /* a pipe: a byte whenever it is told of a holder */
};

/* Returns when it has seen the holder; and when it has been answered. */
void start_waiting(struct waiter *waiter);
void stop_waiting(struct waiter *waiter);

/* A SQLite file of its own, for more than one process. */
struct file_place {
    char folder[40];
    char url[80];
};

void make_place(struct file_place *place);
void remove_place(const struct file_place *place);

/* A child that holds `name` and then dies without a word; still a zombie. */
pid_t hold_and_die(const char *place, const char *name,
                   const struct hf_acquire_options *options);

/* A child that holds `name` and waits to be killed. */
pid_t hold_until_killed(const char *place, const char *name,
                        const struct hf_acquire_options *options);

#endif

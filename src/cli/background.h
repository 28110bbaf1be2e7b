#ifndef HF_CLI_BACKGROUND_H
#define HF_CLI_BACKGROUND_H

#include <pthread.h>
#include <stdbool.h>

/*
 * Calls of the library that may take long, one after another on a thread of
 * their own, so that the main thread goes on hearing of signals and of the
 * guard.  One thread for all: the second call need not fear that there is none
 * to be had, nor wait until a new one has its first turn.
 *
 *   open -> (start -> finish)* -> close
 *
 * The thread blocks the signals that the opening thread blocks.
 */
struct hf_background {
    void (*work)(void *ctx); /* NULL: there is none, and none will come */
    void *ctx;
    int start_fd; /* readable when there is work, or none will come */
    int over_fd;  /* readable when the work is done */
    bool opened;
    pthread_t thread;
};

/* Make the thread.  False and errno when there is none to be had. */
bool hf_background_open(struct hf_background *background);

/* Start work(ctx).  Cannot fail. */
void hf_background_start(struct hf_background *background,
                         void (*work)(void *ctx), void *ctx);

/* Is the work done?  Then hf_background_finish will not wait. */
bool hf_background_over(const struct hf_background *background);

/* Wait for the end of the work, which then happened before the return. */
void hf_background_finish(struct hf_background *background);

/* End the thread, which has no work; nothing if it was never made. */
void hf_background_close(struct hf_background *background);

#endif

#ifndef HF_CLI_ERRAND_H
#define HF_CLI_ERRAND_H

#include <pthread.h>
#include <stdbool.h>

/*
 * A call of the library that may take long, on a thread of its own, so that
 * the main thread goes on hearing of signals and of the guard.
 *
 * The thread blocks the signals that the starting thread blocks.
 */
struct hf_errand {
    void (*work)(void *ctx);
    void *ctx;
    int over_fd; /* readable when the work is done */
    pthread_t thread;
};

/* Start work(ctx).  False and errno when there is no thread to be had. */
bool hf_errand_start(struct hf_errand *errand, void (*work)(void *ctx),
                     void *ctx);

/* Is the work done?  Then hf_errand_finish will not wait. */
bool hf_errand_over(const struct hf_errand *errand);

/* Wait for the end of the work, which then happened before the return. */
void hf_errand_finish(struct hf_errand *errand);

#endif

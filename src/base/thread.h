#ifndef HF_BASE_THREAD_H
#define HF_BASE_THREAD_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>

/*
 * Start a thread that takes no signals: those are for the threads of the
 * program that calls the library.  False: the system has no thread to give, and
 * *thread is undefined.
 */
bool hf_thread_start(pthread_t *thread, void *(*run)(void *arg), void *arg);

/*
 * The same for a thread of the program's, while it writes to files for us: a
 * write past the file limit of the process fails there too, and sends it no
 * SIGXFSZ.  One that was pending before stays so.
 */
struct hf_thread_mask {
    sigset_t before;
    bool was_pending;
};

void hf_thread_block_file_limit(struct hf_thread_mask *mask);
void hf_thread_unblock_file_limit(const struct hf_thread_mask *mask);

#endif

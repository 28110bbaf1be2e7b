#ifndef HF_BASE_THREAD_H
#define HF_BASE_THREAD_H

#include <pthread.h>
#include <stdbool.h>

/*
 * Start a thread that takes no signals: those are for the threads of the
 * program that calls the library.  False: the system has no thread to give, and
 * *thread is undefined.
 */
bool hf_thread_start(pthread_t *thread, void *(*run)(void *arg), void *arg);

#endif

#ifndef HF_CLIENT_BEATER_H
#define HF_CLIENT_BEATER_H

/*
 * The beater: the thread of a client that never waits for its store.  It tells
 * the machines the time when something falls due, looks at the processes of
 * the holders that are waited for, and delivers news.
 */

/* Its body: `arg` is the struct hf_client; returns when that is closing. */
void *hf_beater_main(void *arg);

#endif

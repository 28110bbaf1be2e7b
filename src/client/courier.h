#ifndef HF_CLIENT_COURIER_H
#define HF_CLIENT_COURIER_H

/*
 * The courier: the one thread of a client that touches its store.  It carries
 * questions there and answers back, runs the callers' jobs, purges now and
 * then, and with nothing to do waits for a watched record to change.
 */

/* Its body: `arg` is the struct hf_client; returns when that is closing and no
 * caller waits for a job. */
void *hf_courier_main(void *arg);

#endif

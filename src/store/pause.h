#ifndef HF_STORE_PAUSE_H
#define HF_STORE_PAUSE_H

#include <stdbool.h>

#include "base/clock.h"

/*
 * Waiting that ends in time.  Any thread; allocates nothing; cannot fail.
 */

/* The timeout for poll(2) that ends at `until`, and after most_ms at the
 * latest unless that is -1; itself -1 only if both are without end. */
int hf_pause_ms(struct hf_instant until, int most_ms);

/*
 * Sleep until `until`, most_ms (-1: no such limit), or until wake_fd (-1: none)
 * is readable or broken, whatever is first.  True when it was wake_fd.  A
 * signal may end it early.
 */
bool hf_pause(struct hf_instant until, int most_ms, int wake_fd);

#endif

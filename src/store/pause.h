#ifndef HF_STORE_PAUSE_H
#define HF_STORE_PAUSE_H

#include <stdbool.h>

#include "base/clock.h"

/* Bounded waiting.  Any thread; allocates nothing; cannot fail. */

/* The timeout for poll(2) that ends at `until`, and after most_ms unless that
 * is -1.  It is -1 only if both have no end. */
int hf_pause_ms(struct hf_instant until, int most_ms);

/* Sleep until `until`, for most_ms (-1: no such limit), or until wake_fd (-1:
 * none) is readable or broken.  Returns true for wake_fd.  A signal may end it
 * early. */
bool hf_pause(struct hf_instant until, int most_ms, int wake_fd);

#endif

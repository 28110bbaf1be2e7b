#ifndef HF_TEST_ASLEEP_H
#define HF_TEST_ASLEEP_H

#include <stdint.h>

/*
 * A machine that was suspended, as a time namespace shows it: the clock that
 * counts the time asleep is a thousand seconds ahead of where it was, the one
 * that does not is as before.
 */

/* Fails the test if `now_ms`, called there, counts no time asleep; skips it
 * where time namespaces are not allowed. */
void asleep_is_counted_by(int64_t (*now_ms)(void));

/* The same of an alarm that nobody has set: skips where the kernel does not
 * tell by which clock it goes. */
void asleep_is_counted_by_alarm(int timerfd);

#endif

#ifndef HF_BASE_ALARM_H
#define HF_BASE_ALARM_H

#include "base/clock.h"

/*
 * An alarm: a descriptor to poll, readable from a set instant on.  It counts
 * the time of a suspended machine, which poll's own timeout does not.
 */

/* Close-on-exec, and set to never; the caller closes it.  -1 and errno when
 * there is none to be had. */
int hf_alarm_open(void);

/* Set it anew, and forget that it rang: readable from `instant` on, which may
 * be in the past, or never.  Cannot fail. */
void hf_alarm_set(int alarm, struct hf_instant instant);

#endif

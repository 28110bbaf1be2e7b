#ifndef HF_TEST_EXAMINER_SCRIPT_H
#define HF_TEST_EXAMINER_SCRIPT_H

#include "core/examiner.h"
#include "unit/support/core_script.h"
#include "unit/support/events.h"

/*
 * An examiner by script: it only looks, for as long as it takes, and waits for
 * 200 ms for a write, unless it begins with "start" and some of clear, force
 * (a clear, too), watch 300 and token 7, in this order.  The lock that it looks
 * at is a refuse lock.  Situations:
 *
 *     looking     its first look, #1, is out since 0
 *     watching    saw v7 of token 7 at 10; the next look, #2, is due at 510
 *     clearing    of "start clear": its holder is gone; the clear of v7, #3, is
 *                 out since 30
 *
 * Events are those of core_script.h, "mark" and "back", and "due": a clock at
 * its deadline.  Facts: state, deadline, watching, found, running,
 * finding, ended; of which
 * "ended HF_OK gone" has cleared nothing, and "ended HF_OK gone, cleared" has.
 */
extern const struct script_machine examiner_script;

/* For a test in C: the one that was played last, and an event more. */
extern struct hf_examiner scripted_examiner;
void examiner_gives(struct hf_event event);

#endif

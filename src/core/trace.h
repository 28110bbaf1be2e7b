#ifndef HF_CORE_TRACE_H
#define HF_CORE_TRACE_H

#include <stddef.h>

#include "core/event.h"

/*
 * Trace: events and effects as one line of text each, without a newline.
 *
 *     120 found #3 lock v7 5_1 token 6 takeover ttl 1000
 *     120 ask #4 put lock v8 5_2
 *     900 lost
 *
 * First the instant in milliseconds.  "v7" is a version, "5_1" a heartbeat,
 * "#3" a question; of a write's operations the version is the one expected.
 * The same text serves tests, debug logs and counterexamples.
 *
 * Written into buffer, at most `size` bytes with the final NUL, cut when it
 * does not fit; HF_TRACE_MAX always suffices.  Both return the length of the
 * whole line without the NUL.  No allocation; any thread; cannot fail.
 */

#define HF_TRACE_MAX 256 /* two operations at their longest take about 190 */

size_t hf_trace_event(const struct hf_event *event, char *buffer, size_t size);

/* `at` is the instant of the event that caused it. */
size_t hf_trace_effect(struct hf_instant at, const struct hf_effect *effect,
                       char *buffer, size_t size);

/* "in doubt"; a static string. */
const char *hf_trace_notice(enum hf_notice_kind notice);

#endif

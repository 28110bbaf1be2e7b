#ifndef HF_CLI_MOMENT_H
#define HF_CLI_MOMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A moment that a wall clock showed, perhaps another host's, as a person reads
 * it.  Nothing is decided by it.
 */

/* Can a wall clock have shown it?  Not before 2000, nor after 9999: whoever
 * wrote that had no clock, or is no program of ours. */
bool hf_moment_is_date(int64_t wall_ms);

/* How long ago a wall clock showed `wall_ms`: "2m10s"; "0s" when that is in
 * the future of our clock, "?" when it is no date.  Returns buffer. */
const char *hf_moment_age(int64_t wall_ms, char *buffer, size_t size);

/* "2026-01-31 09:05:00 +0100" in the local zone; "?" as above.  Returns
 * buffer. */
const char *hf_moment_date(int64_t wall_ms, char *buffer, size_t size);

#endif

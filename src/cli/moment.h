#ifndef HF_CLI_MOMENT_H
#define HF_CLI_MOMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The command's clocks and its one alarm.
 *
 * An instant is in ms of CLOCK_BOOTTIME, as hf_lock_right_ms gives it: it goes
 * on while the machine is suspended, and nobody can set it.  Wall-clock time
 * is for people only.
 */

#define HF_MOMENT_NEVER INT64_MAX

int64_t hf_moment_now(void);
int64_t hf_moment_wall(void);

/* `instant` + `ms`, where never stays never.  ms is not negative. */
int64_t hf_moment_after(int64_t instant, int64_t ms);

/*
 * A timer's descriptor, close-on-exec, readable from a set instant on; -1 and
 * errno on failure.  It counts the time of a suspended machine, which poll's
 * own timeout does not.
 */
int hf_moment_alarm_open(void);
void hf_moment_alarm_set(int alarm, int64_t instant);

/* How long ago the instant was, in whole seconds: "2m10s".  Returns buffer. */
const char *hf_moment_span(int64_t since, char *buffer, size_t size);

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

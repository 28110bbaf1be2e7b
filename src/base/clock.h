#ifndef HF_BASE_CLOCK_H
#define HF_BASE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include <holdfast/words.h>

/*
 * Two kinds of time, and the compiler keeps them apart.
 *
 * An instant is a point on this host's CLOCK_BOOTTIME, in milliseconds.  It
 * goes on while the machine is suspended, and cannot be set.  It means nothing
 * to another host, so nothing in store/ or wire/ sends one.  A duration
 * (holdfast/words.h) is a length of time and may be sent or stored.
 *
 * Sums stop at the ends instead of overflowing: "never" stays never.
 */
struct hf_instant {
    int64_t ms;
};

#define HF_NEVER ((struct hf_instant){INT64_MAX})

static inline struct hf_instant
hf_after(struct hf_instant start, struct hf_duration length)
{
    if (length.ms > 0 && start.ms > INT64_MAX - length.ms)
        return HF_NEVER;
    if (length.ms < 0 && start.ms < INT64_MIN - length.ms)
        return (struct hf_instant){INT64_MIN};
    return (struct hf_instant){start.ms + length.ms};
}

/* From `start` to `end`; zero when end is earlier; HF_FOREVER to never. */
static inline struct hf_duration
hf_between(struct hf_instant start, struct hf_instant end)
{
    if (end.ms == INT64_MAX || (start.ms < 0 && end.ms > INT64_MAX + start.ms))
        return HF_FOREVER;
    return (struct hf_duration){end.ms > start.ms ? end.ms - start.ms : 0};
}

static inline bool
hf_reached(struct hf_instant now, struct hf_instant mark)
{
    return now.ms >= mark.ms;
}

static inline struct hf_instant
hf_earlier(struct hf_instant a, struct hf_instant b)
{
    return a.ms < b.ms ? a : b;
}

static inline struct hf_instant
hf_later(struct hf_instant a, struct hf_instant b)
{
    return a.ms > b.ms ? a : b;
}

static inline struct hf_duration
hf_longer(struct hf_duration a, struct hf_duration b)
{
    return a.ms > b.ms ? a : b;
}

/* CLOCK_BOOTTIME now.  Cannot fail. */
struct hf_instant hf_now(void);

/* The same in µs, for people: to tell how long something took. */
int64_t hf_now_us(void);

/* Unix time in ms and µs, for people and for versions, which only grow.  No
 * decision compares two of them but one: how old a service is, which is the
 * most that a client can say that it has waited [L5]. */
int64_t hf_wall_ms(void);
int64_t hf_wall_us(void);

#endif

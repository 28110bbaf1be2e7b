#ifndef HF_TEST_EVENTS_H
#define HF_TEST_EVENTS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/event.h"

/* The events of the machines of src/core, each in a word. */

static inline struct hf_instant
T(int64_t ms) {
    return (struct hf_instant){ms};
}

static inline struct hf_event
at_clock(int64_t ms)
{
    return hf_event(HF_ON_CLOCK, T(ms));
}

static inline struct hf_event
applied(int64_t ms, uint64_t number, uint64_t version)
{
    return hf_answer(T(ms), number, HF_APPLIED, version);
}

static inline struct hf_event
refused(int64_t ms, uint64_t number)
{
    return hf_answer(T(ms), number, HF_REFUSED, 0);
}

static inline struct hf_event
unknown(int64_t ms, uint64_t number)
{
    return hf_answer(T(ms), number, HF_UNKNOWN, 0);
}

static inline struct hf_event
unavailable(int64_t ms, uint64_t number)
{
    return hf_answer(T(ms), number, HF_UNAVAILABLE, 0);
}

static inline struct hf_event
found_absent(int64_t ms, uint64_t number, uint64_t version)
{
    return hf_found(
        T(ms), number,
        (struct hf_sight){.kind = HF_SIGHT_ABSENT, .version = version});
}

static inline struct hf_event
found_corrupt(int64_t ms, uint64_t number, uint64_t version)
{
    return hf_found(T(ms), number,
                    (struct hf_sight){.kind = HF_SIGHT_CORRUPT,
                                      .version = version,
                                      .token = version});
}

static inline struct hf_event
found_nothing(int64_t ms, uint64_t number)
{
    return hf_found(T(ms), number, (struct hf_sight){.kind = HF_SIGHT_NONE});
}

#endif

#include "store/pause.h"

#include <limits.h>
#include <poll.h>

int
hf_pause_ms(struct hf_instant until, int most_ms)
{
    int64_t left_ms = hf_between(hf_now(), until).ms;

    if (most_ms >= 0 && left_ms > most_ms)
        return most_ms;
    if (until.ms == HF_NEVER.ms)
        return -1;
    return left_ms > INT_MAX ? INT_MAX : (int)left_ms;
}

bool
hf_pause(struct hf_instant until, int most_ms, int wake_fd)
{
    struct pollfd fd = {.fd = wake_fd, .events = POLLIN};

    return poll(&fd, 1, hf_pause_ms(until, most_ms)) > 0;
}

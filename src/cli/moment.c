#include "moment.h"

#include <stdio.h>
#include <time.h>

#include <holdfast/words.h>

#include "base/clock.h"

bool
hf_moment_is_date(int64_t wall_ms)
{
    return wall_ms >= INT64_C(946684800000) &&
           wall_ms < INT64_C(253402300800000);
}

const char *
hf_moment_age(int64_t wall_ms, char *buffer, size_t size)
{
    int64_t now = hf_wall_ms();

    if (!hf_moment_is_date(wall_ms)) {
        snprintf(buffer, size, "?");
        return buffer;
    }
    return hf_duration_text(
        (struct hf_duration){now > wall_ms ? now - wall_ms : 0}, buffer, size);
}

const char *
hf_moment_date(int64_t wall_ms, char *buffer, size_t size)
{
    time_t seconds = (time_t)(wall_ms / 1000);
    struct tm parts;

    if (!hf_moment_is_date(wall_ms) || localtime_r(&seconds, &parts) == NULL ||
        strftime(buffer, size, "%Y-%m-%d %H:%M:%S %z", &parts) == 0)
        snprintf(buffer, size, "?");
    return buffer;
}

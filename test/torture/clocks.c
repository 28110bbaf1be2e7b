#include "clocks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "support/processes.h"

#define LIBFAKETIME "/$LIB/faketime/libfaketime.so.1"

/* What libfaketime is told; NULL: true clocks. */
static const char *const ahead[] = {"LD_PRELOAD=" LIBFAKETIME, "FAKETIME=+1d",
                                    "FAKETIME_DONT_FAKE_MONOTONIC=1", NULL};
static const char *const behind[] = {"LD_PRELOAD=" LIBFAKETIME, "FAKETIME=-1d",
                                     "FAKETIME_DONT_FAKE_MONOTONIC=1", NULL};
static const char *const all_ahead[] = {"LD_PRELOAD=" LIBFAKETIME,
                                        "FAKETIME=+1d", NULL};
static const char *const *const clocks[] = {NULL, ahead, behind, all_ahead};

#define CLOCKS (sizeof(clocks) / sizeof(clocks[0]))

const char *const *
clocks_of(size_t number)
{
    return clocks[number % CLOCKS];
}

#define WALL_MOVED 1
#define BOOT_MOVED 2

int
clocks_moved(const char *wall_ms, const char *boot_ms)
{
    int64_t half_day_ms = 12 * 3600 * 1000;
    int64_t wall_off = hf_wall_ms() - strtoll(wall_ms, NULL, 10);
    int64_t boot_off = hf_now().ms - strtoll(boot_ms, NULL, 10);
    int moved = 0;

    if (wall_off > half_day_ms || wall_off < -half_day_ms)
        moved |= WALL_MOVED;
    if (boot_off > half_day_ms || boot_off < -half_day_ms)
        moved |= BOOT_MOVED;
    return moved;
}

bool
clocks_can_move(const char *self)
{
    char wall_ms[24];
    char boot_ms[24];
    const char *argv[] = {self, "moved", wall_ms, boot_ms, NULL};
    bool good = true;

    for (size_t i = 0; i < CLOCKS; i++) {
        int expected = clocks[i] == NULL        ? 0
                       : clocks[i] == all_ahead ? WALL_MOVED | BOOT_MOVED
                                                : WALL_MOVED;

        snprintf(wall_ms, sizeof(wall_ms), "%" PRId64, hf_wall_ms());
        snprintf(boot_ms, sizeof(boot_ms), "%" PRId64, hf_now().ms);
        good = good && processes_run(&(struct processes_start){
                           .argv = argv, .assign = clocks[i]}) == expected;
    }
    if (!good)
        printf("breach: libfaketime does not move the clocks\n");
    else
        printf(
            "clocks: 8 competitors' wall clocks are a day ahead or behind; 4 "
            "competitors' every clock is; 4 competitors' clocks are true\n");
    return good;
}

#include <stdio.h>
#include <string.h>

#include "clocks.h"
#include "kills.h"
#include "sections.h"

/*
 * torture MODE HOLDFAST COMMAND OTHER
 *
 * Many processes compete for locks in one SQLite file, or at the place that
 * HF_PLACE names, and are killed with -9 and stopped.  One program runs two
 * experiments:
 *
 *   sections   sixteen competitors do so many sections under one lock; COMMAND
 *              is torture_section, OTHER torture_worker: sections.h
 *   kills      eight at a time, on three locks, until so many have been killed;
 *              COMMAND is torture_command, OTHER the shim of fsync: kills.h
 *
 * HF_SEED repeats a run, as far as that depends on chance alone; HF_SECTIONS is
 * the number of sections of each competitor, HF_KILLS the number of kills;
 * HF_KEEP keeps the files.
 *
 * Exit: 0, all was true; 1, something was not; 77, the kernel does not permit
 * this mode.
 */

static const struct sections_mode sections[] = {
    {"takeover", HF_TAKEOVER, 1000, 1, false, true},
    {"refuse", HF_REFUSE, 100, 4, false, false},
    {"clocks", HF_TAKEOVER, 100, 4, true, false},
};

static const struct kills_mode kills[] = {
    {"plain", false, false},
    {"foreign", true, false},
    {"untrue", false, true},
};

#define COUNT(of) (sizeof(of) / sizeof((of)[0]))

int
main(int argc, char **argv)
{
    struct driver driver = {.signals = -1};

    if (argc == 4 && strcmp(argv[1], "moved") == 0)
        return clocks_moved(argv[2], argv[3]);
    if (argc != 5)
        return 64;
    driver.holdfast = argv[2];
    driver.command = argv[3];
    driver.other = argv[4];
    for (size_t i = 0; i < COUNT(sections); i++)
        if (strcmp(sections[i].word, argv[1]) == 0)
            return sections_run(&driver, &sections[i], argv[0]);
    for (size_t i = 0; i < COUNT(kills); i++)
        if (strcmp(kills[i].word, argv[1]) == 0)
            return kills_run(&driver, &kills[i]);
    return 64;
}

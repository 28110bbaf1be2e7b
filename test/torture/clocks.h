#ifndef HF_TORTURE_CLOCKS_H
#define HF_TORTURE_CLOCKS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Clocks that are wrong, by libfaketime: the wall clock a day ahead or behind,
 * or every clock, so that the instants of two processes have nothing to do with
 * each other.
 */

/* What to set in a process's environment, of four kinds in turn: true clocks
 * (NULL), wall clock ahead, wall clock behind, every clock moved. */
const char *const *clocks_of(size_t number);

/* Does libfaketime do what it is told?  Without it nothing would be proved.
 * `self` is a program that answers `self moved WALL BOOT` by clocks_moved. */
bool clocks_can_move(const char *self);

/* Which clocks are half a day or more from those given, in ms: 1 the wall
 * clock, 2 CLOCK_BOOTTIME, 3 both. */
int clocks_moved(const char *wall_ms, const char *boot_ms);

#endif

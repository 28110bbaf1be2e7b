#ifndef BENCH_SERVER_LOAD_H
#define BENCH_SERVER_LOAD_H

#include "work.h"

/*
 * A load on a lock server: connections, each with a session and some lanes,
 * each of which asks for one thing after the other.
 *
 *   main.c    options, and what is printed
 *   load.c    connections and their sockets
 *   work.c    what a lane asks, by the mode
 *   times.c   how long it took
 */

/* Run until `until_us`. */
void load_run(struct load *load, int64_t until_us);

/* What was asked on it is written at once. */
void load_write(struct connection *connection);

void load_open(struct load *load, const struct order *order);
void load_close(struct load *load);

#endif

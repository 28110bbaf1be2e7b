#ifndef HF_STORE_SQLITE_H
#define HF_STORE_SQLITE_H

#include "store/kind.h"

/*
 * A store that is a SQLite file, shared by the processes of one machine.
 * Creates the file and its folder when absent, unless it is to look only.
 * Statuses as hf_store_open.
 *
 * A wait is woken by commits of this program, at once, and of other programs
 * when they close the place; else it looks every five seconds.  Beside the
 * first look of each, all waits of a process together look at most 20 times a
 * second for nothing, and ten for long, whatever is committed under other
 * names; and ten times as often where each look names a key.
 */
extern const struct hf_store_kind hf_sqlite_kind;

#endif

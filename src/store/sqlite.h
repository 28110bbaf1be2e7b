#ifndef HF_STORE_SQLITE_H
#define HF_STORE_SQLITE_H

#include "store/kind.h"

/*
 * A store that is a SQLite file, shared by the processes of one machine.
 * Creates the file and its folder if they do not exist, unless it only looks.
 * Statuses as hf_store_open.
 *
 * A wait is woken at once by commits of this program, and by other programs
 * when they close the file; otherwise it looks every five seconds.  After the
 * first look of each, all waits of a process together look in vain at most 20
 * times a second, and ten over a longer time, whatever is committed under other
 * names; and ten times as often if each look finds a change.
 */
extern const struct hf_store_kind hf_sqlite_kind;

#endif

#ifndef HF_STORE_PLACE_H
#define HF_STORE_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <holdfast/words.h>

#include "base/limits.h"

/*
 * A place: the URL that says where locks are kept (holdfast.h, hf_open).
 * Plain values; any thread; nothing is allocated.
 */

enum hf_place_kind {
    HF_PLACE_MEMORY,
    HF_PLACE_SQLITE,
};

struct hf_place {
    enum hf_place_kind kind;
    bool network;                     /* sqlite: ?network=1 */
    char path[HF_PLACE_MAX + 1];      /* sqlite: the file, absolute, decoded;
                                    memory: the table's name */
    char text[3 * HF_PLACE_MAX + 32]; /* the place again, as a URL that means
                                         the same in any folder */
};

/*
 * Read a place.  HF_E_INVALID: no place, not one of this build, too long, or
 * relative: then *error has the absolute one to write.  *place is untouched
 * unless HF_OK.
 */
HF_MUST_USE enum hf_status hf_place_parse(const char *text,
                                          struct hf_place *place,
                                          struct hf_error *error);

/* Does it begin as one does, with sqlite: or memory:?  Who has more kinds, or
 * other words for them, asks before hf_place_parse refuses it. */
bool hf_place_is(const char *text);

/*
 * Write the place for those who name none: sqlite:/var/lib/holdfast/locks.db
 * for root, else $XDG_STATE_HOME/holdfast/locks.db or
 * ~/.local/state/holdfast/locks.db.  HF_E_INVALID: there is no home folder.
 * HF_E_LIMIT: it is longer than `size`.  *buffer is untouched unless HF_OK.
 */
HF_MUST_USE enum hf_status hf_place_default(char *buffer, size_t size);

/* Is it the one that is meant when none is named? */
bool hf_place_is_default(const struct hf_place *place);

/*
 * The name of the file system whose statfs type this is, if it is or may be
 * one of the network, where SQLite's locks and shared memory are not safe;
 * NULL for all others.  A static string.
 */
const char *hf_place_network(uint32_t filesystem_type);

/* Of other file systems, what is kept on one. */
enum hf_place_keeps {
    HF_PLACE_KEEPS,         /* as far as is known */
    HF_PLACE_UNTIL_RESTART, /* it is in memory */
    HF_PLACE_IN_CONTAINER,  /* it is, or may be, gone with the container */
};

/* Its name, for people, and what it keeps; NULL: not one of those that are
 * known, or one of the network.  A static string. */
const char *hf_place_filesystem(uint32_t filesystem_type,
                                enum hf_place_keeps *keeps);

#endif

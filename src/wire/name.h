#ifndef HF_WIRE_NAME_H
#define HF_WIRE_NAME_H

#include <holdfast/view.h>

#include "base/attrs.h"

/*
 * What a lock may be called: UTF-8 without control characters and characters
 * of no width, at most HF_SPACE_MAX and HF_NAME_MAX bytes, and not empty.
 * Spaces that begin with '!' are Holdfast's own.
 *
 * HF_E_INVALID, with a sentence in *error, for anything else.
 * Any thread.
 */
HF_MUST_USE enum hf_status hf_name_check(const char *name, size_t len,
                                         struct hf_error *error);
HF_MUST_USE enum hf_status hf_name_check_space(const char *space, size_t len,
                                               struct hf_error *error);

/* The same of `what` else has a name, of at most `max` bytes; and of a text for
 * people, which may be empty. */
HF_MUST_USE enum hf_status hf_name_check_part(const char *what,
                                              const char *text, size_t len,
                                              size_t max,
                                              struct hf_error *error);
HF_MUST_USE enum hf_status hf_name_check_text(const char *what,
                                              const char *text, size_t len,
                                              size_t max,
                                              struct hf_error *error);

/* The name of a record that goes with a lock, in a space of Holdfast's own: a
 * marker, an audit.  Its parts have their lengths before them, so that no two
 * are alike.  HF_NAME_COMPANION_SIZE bytes suffice. */
#define HF_NAME_COMPANION_SIZE (HF_SPACE_MAX + HF_NAME_MAX + 64)
void hf_name_companion(const char *space, const char *name, uint64_t subject,
                       char *to, size_t size);

/* With what the names of all such records begin: of one lock; of a space, if
 * name is NULL; of all, if both are. */
void hf_name_companions(const char *space, const char *name, char *to,
                        size_t size);

/* Split "ann@db1" into user and host, each cut at its limit and safe to print.
 * Without an @ the host is "". */
void hf_name_split_who(const char *who, char user[HF_USER_MAX + 1],
                       char host[HF_HOST_MAX + 1]);

#endif

#ifndef TALE_WHOLE_H
#define TALE_WHOLE_H

#include <stddef.h>

#include <holdfast/words.h>

/*
 * Whole: a file that is there whole or not at all.  It is written beside its
 * place under another name, brought to the disk, and renamed; whoever reads
 * it at any moment reads the old one or the new one.
 */

/* Write folder/name.  Folders that are missing are made, and stay.  What is
 * at the place and is no plain file is refused.  On failure what was at the
 * place is still there, and nothing is beside it. */
enum hf_status whole_write(const char *folder, const char *name,
                           const char *bytes, size_t len,
                           struct hf_error *error);

#endif

#ifndef TALE_PICTURE_PICTURE_FILE_H
#define TALE_PICTURE_PICTURE_FILE_H

#include <holdfast/words.h>

#include "tale/picture/picture.h"

/* Write a picture as the file `path`: whole, or not at all, as whole_write
 * does it. */
enum hf_status picture_save(const char *path, const struct specimen_run *run,
                            const struct told *told, struct hf_error *error);

#endif

#ifndef HF_TEST_FOLDER_H
#define HF_TEST_FOLDER_H

/* A temporary folder of a test, without folders in it. */

#define FOLDER_SIZE 256

/* Make one under $TMPDIR; a failure ends the test. */
void folder_make(char *folder);

/* Remove it with all its files, unless HF_KEEP is set: then say where it is. */
void folder_remove(const char *folder);

/* Print a file, each line behind a prefix; nothing, if it is not there. */
void folder_print(const char *path, const char *prefix);

#endif

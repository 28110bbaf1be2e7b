/*
 * Give a fuzz target every file of the folders named, and what is near to it:
 * each of its beginnings, and each byte changed to each of a few that matter.
 * Without a fuzzer, so that every compiler runs it with the tests.
 */

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_MAX = 64 * 1024 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

/* From memory of exactly its length, so that a sanitizer sees one byte more. */
static void
give(const uint8_t *bytes, size_t len)
{
    uint8_t *exact = malloc(len > 0 ? len : 1);

    if (exact == NULL)
        abort();
    memcpy(exact, bytes, len);
    (void)LLVMFuzzerTestOneInput(exact, len);
    free(exact);
}

static void
give_what_is_near(uint8_t *bytes, size_t len)
{
    static const uint8_t others[] = "\0\n \"\\{}[],:0-9eu_\x7F\xC2\xED\xFF";

    for (size_t cut = 0; cut <= len; cut++)
        give(bytes, cut);
    for (size_t at = 0; at < len; at++) {
        uint8_t was = bytes[at];

        for (size_t i = 0; i + 1 < sizeof(others); i++) {
            bytes[at] = others[i];
            give(bytes, len);
        }
        bytes[at] = was;
    }
}

static int
replay_file(const char *folder, const char *name)
{
    static uint8_t bytes[FILE_MAX];
    char path[4096];
    FILE *file;
    size_t len;
    int whole;

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    file = fopen(path, "rb");
    if (file == NULL) {
        perror(path);
        return 1;
    }
    len = fread(bytes, 1, sizeof(bytes), file);
    whole = len < sizeof(bytes) && !ferror(file);
    fclose(file);
    if (!whole) {
        fprintf(stderr, "%s: cannot be read, or is too long\n", path);
        return 1;
    }
    give_what_is_near(bytes, len);
    return 0;
}

static int
replay_folder(const char *folder)
{
    DIR *open_folder = opendir(folder);
    struct dirent *entry;
    int files = 0;
    int failed = 0;

    if (open_folder == NULL) {
        perror(folder);
        return 1;
    }
    for (entry = readdir(open_folder); entry != NULL;
         entry = readdir(open_folder)) {
        if (entry->d_name[0] == '.')
            continue;
        files++;
        failed |= replay_file(folder, entry->d_name);
    }
    closedir(open_folder);
    printf("%s: %d files\n", folder, files);
    return files == 0 ? 1 : failed;
}

int
main(int argc, char **argv)
{
    int failed = argc < 2;

    for (int i = 1; i < argc; i++)
        failed |= replay_folder(argv[i]);
    return failed;
}

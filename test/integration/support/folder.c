#include "folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/check.h"

void
folder_make(char *folder)
{
    const char *under = getenv("TMPDIR");

    snprintf(folder, FOLDER_SIZE, "%s/holdfast-test-XXXXXX",
             under == NULL ? "/tmp" : under);
    HF_CHECK(mkdtemp(folder) != NULL);
}

void
folder_remove(const char *folder)
{
    DIR *files = opendir(folder);
    const struct dirent *entry;

    if (getenv("HF_KEEP") != NULL)
        printf("kept: %s\n", folder);
    while (files != NULL && getenv("HF_KEEP") == NULL &&
           (entry = readdir(files)) != NULL)
        (void)unlinkat(dirfd(files), entry->d_name, 0); /* not . and .. */
    if (files != NULL)
        closedir(files);
    if (getenv("HF_KEEP") == NULL)
        (void)rmdir(folder);
}

void
folder_print(const char *path, const char *prefix)
{
    char line[1024];
    FILE *file = fopen(path, "re");

    while (file != NULL && fgets(line, sizeof(line), file) != NULL)
        printf("%s%s", prefix, line);
    if (file != NULL)
        fclose(file);
}

#include "history/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/fd.h"

#define PATH_SIZE 1024

static enum hf_status
cannot(const char *path, struct hf_error *error)
{
    return hf_fail(error, HF_E_UNAVAILABLE, "%s: %s", path, strerror(errno));
}

static enum hf_status
run_out(struct hf_error *error)
{
    return hf_fail(error, HF_E_NOMEM, "out of memory");
}

/* One more, which is not counted yet; NULL: no memory. */
static struct history_text *
make_room(struct history_files *files)
{
    size_t room = files->room == 0 ? 16 : 2 * files->room;
    struct history_text *texts;

    if (files->count < files->room)
        return &files->texts[files->count];
    texts = hf_calloc(&hf_alloc_libc, room, sizeof(*texts));
    if (texts == NULL)
        return NULL;
    if (files->count > 0)
        memcpy(texts, files->texts, files->count * sizeof(*texts));
    hf_free(&hf_alloc_libc, files->texts);
    files->texts = texts;
    files->room = room;
    return &texts[files->count];
}

/* What is appended meanwhile is left out. */
static enum hf_status
read_all(struct history_files *files, const char *path, int fd,
         struct hf_error *error)
{
    struct history_text *text = make_room(files);
    char *name = hf_arena_copy(&files->arena, path);
    struct stat stat;
    size_t size;
    size_t len = 0;
    char *at;

    if (fstat(fd, &stat) != 0)
        return cannot(path, error);
    size = (size_t)stat.st_size;
    at = hf_arena_take(&files->arena, size + 1);
    if (text == NULL || name == NULL || at == NULL)
        return run_out(error);
    while (len < size) {
        ssize_t more = read(fd, at + len, size - len);

        if (more < 0 && errno != EINTR)
            return cannot(path, error);
        if (more == 0)
            break;
        len += more > 0 ? (size_t)more : 0;
    }
    *text = (struct history_text){name, at, len};
    files->count++;
    return HF_OK;
}

static enum hf_status
add_file(struct history_files *files, const char *path, struct hf_error *error)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    enum hf_status status;

    if (fd < 0)
        return cannot(path, error);
    status = read_all(files, path, fd, error);
    hf_fd_close(&fd);
    return status;
}

static enum hf_status
add_folder(struct history_files *files, const char *folder, DIR *entries,
           struct hf_error *error)
{
    enum hf_status status = HF_OK;
    struct dirent *entry;
    char path[PATH_SIZE];

    while (status == HF_OK && (entry = readdir(entries)) != NULL) {
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
        status = add_file(files, path, error);
    }
    return status;
}

enum hf_status
history_files_add(struct history_files *files, const char *path,
                  struct hf_error *error)
{
    DIR *entries = opendir(path);
    enum hf_status status;

    files->arena.alloc = &hf_alloc_libc;
    if (entries == NULL)
        return errno == ENOTDIR ? add_file(files, path, error)
                                : cannot(path, error);
    status = add_folder(files, path, entries, error);
    closedir(entries);
    return status;
}

void
history_files_free(struct history_files *files)
{
    hf_free(&hf_alloc_libc, files->texts);
    hf_arena_fini(&files->arena);
    *files = (struct history_files){.count = 0};
}

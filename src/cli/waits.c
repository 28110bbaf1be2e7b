#include "waits.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/proc.h"
#include "run_nested.h"

static const char title[] = "holdfast-waits";
static const char link_text[] = "/memfd:holdfast-waits (deleted)";
static const char program[] = "holdfast"; /* as the kernel names it */

enum {
    TEXT_MAX = 8 * 1024, /* of what one waits for: PLACE NUL SPACE NUL, and each
                            NAME NUL */
    PATH_SIZE = 320,
    DEEP_MAX = 64, /* generations between a holder and who waits below it */
};

/* ---- Shown --------------------------------------------------------------- */

static void
add_word(struct hf_text *out, const char *word)
{
    hf_text_add_bytes(out, word, strlen(word) + 1);
}

int
hf_waits_show(const char *place, const char *space, const char *const *names)
{
    char text[TEXT_MAX];
    struct hf_text out;
    int fd;

    if (!hf_run_nested_is_nested())
        return -1;
    hf_text_init(&out, text, sizeof(text));
    add_word(&out, place);
    add_word(&out, space);
    for (size_t i = 0; names[i] != NULL; i++)
        add_word(&out, names[i]);
    if (out.len >= sizeof(text))
        return -1;
    fd = memfd_create(title, MFD_CLOEXEC);
    if (fd >= 0 && write(fd, text, out.len) != (ssize_t)out.len)
        hf_fd_close(&fd);
    return fd;
}

/* ---- Seen ---------------------------------------------------------------- */

/* The number that an entry names, or -1. */
static long
number_of(const struct dirent *entry)
{
    char *end;
    long number = strtol(entry->d_name, &end, 10);

    return end != entry->d_name && *end == '\0' ? number : -1;
}

/* The locks that the process waits for, as TEXT_MAX has it; 0 bytes: nothing
 * is shown.  The last byte is always a NUL. */
static size_t
read_waits(long pid, char text[TEXT_MAX])
{
    char path[PATH_SIZE];
    char link[sizeof(link_text)];
    const struct dirent *entry;
    ssize_t len = 0;
    DIR *files;

    snprintf(path, sizeof(path), "/proc/%ld/fd", pid);
    files = opendir(path);
    while (len == 0 && files != NULL && (entry = readdir(files)) != NULL) {
        int fd = -1;

        snprintf(path, sizeof(path), "/proc/%ld/fd/%s", pid, entry->d_name);
        if (readlink(path, link, sizeof(link)) == sizeof(link_text) - 1 &&
            memcmp(link, link_text, sizeof(link_text) - 1) == 0)
            fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
        if (fd >= 0)
            len = pread(fd, text, TEXT_MAX, 0);
        hf_fd_close(&fd);
    }
    if (files != NULL)
        closedir(files);
    return len > 0 && text[len - 1] == '\0' ? (size_t)len : 0;
}

static bool
is_of_holder(const struct hf_view *holder, int64_t pid)
{
    size_t count = (size_t)hf_view_number(holder, HF_FIELD_PROCESSES);

    for (size_t i = 0; i < count; i++) {
        if (hf_view_item(holder, HF_FIELD_PROCESSES, i) == pid)
            return true;
    }
    return false;
}

static bool
is_below_holder(const struct hf_view *holder, struct hf_proc process)
{
    for (int deep = 0; deep < DEEP_MAX; deep++) {
        if (is_of_holder(holder, process.parent))
            return true;
        if (process.parent <= 1 || !hf_proc_read(process.parent, &process))
            return false;
    }
    return false;
}

/* `text` has `len` bytes, as TEXT_MAX has them. */
static void
add_what(struct hf_text *out, const char *place, const char *text, size_t len)
{
    const char *end = text + len;
    const char *its_place = text;
    const char *its_space = its_place + strlen(its_place) + 1;
    const char *name = its_space;
    const char *between = ", itself waits for ";

    if (its_space < end)
        name += strlen(name) + 1;
    for (; name < end; name += strlen(name) + 1) {
        hf_text_add(out, between);
        hf_output_quote(out, name);
        if (hf_run_nested_has(its_place, its_space, name))
            hf_text_add(out, ", which a run around us holds");
        else if (!hf_run_nested_same_place(its_place, place))
            hf_text_addf(out, " (%s)", its_place);
        between = " and ";
    }
}

void
hf_waits_add(struct hf_text *out, const char *place,
             const struct hf_view *holder)
{
    char text[TEXT_MAX];
    const struct dirent *entry;
    struct hf_proc process;
    size_t len = 0;
    DIR *proc;

    if (!hf_run_nested_is_nested() ||
        hf_view_number(holder, HF_FIELD_HERE) == 0)
        return;
    proc = opendir("/proc");
    while (len == 0 && proc != NULL && (entry = readdir(proc)) != NULL) {
        long pid = number_of(entry);

        if (pid > 0 && hf_proc_read(pid, &process) &&
            strcmp(process.name, program) == 0 &&
            is_below_holder(holder, process))
            len = read_waits(pid, text);
    }
    if (proc != NULL)
        closedir(proc);
    if (len > 0)
        add_what(out, place, text, len);
}

#include "store/file_watch.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "base/check.h"
#include "base/fd.h"
#include "base/proc.h"
#include "store/pause.h"

/* A removed file that a process has open is not deleted yet.  It loses a name,
 * which changes an attribute. */
#define LOSSES (IN_ATTRIB | IN_MOVE_SELF | IN_DELETE_SELF)
#define RINGS  IN_CLOSE

/* All of these are guarded by the mutex. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct hf_file_watch *all;
static int events_fd = -1; /* the inotify instance, while there are watches */
static unsigned generation;

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void
lock(void)
{
    HF_CHECK(pthread_mutex_lock(&mutex) == 0);
}

static void
unlock(void)
{
    HF_CHECK(pthread_mutex_unlock(&mutex) == 0);
}

/* ---- Forks --------------------------------------------------------------- */

/* If the child read these events, its parent would miss them. */
static void
leave_to_parent(void)
{
    if (events_fd >= 0)
        close(events_fd);
    events_fd = -1;
    all = NULL;
    generation++;
    unlock();
}

static void
watch_forks(void)
{
    (void)pthread_atfork(lock, unlock, leave_to_parent);
}

/* ---- Start and stop ------------------------------------------------------ */

static bool
is_used(int number)
{
    for (const struct hf_file_watch *w = all; w != NULL; w = w->next)
        for (size_t i = 0; i < w->numbers_count; i++)
            if (w->numbers[i] == number)
                return true;
    return false;
}

/* Remove inotify watches that no watch here needs any more. */
static void
let_go(const struct hf_file_watch *watch)
{
    for (size_t i = 0; i < watch->numbers_count; i++)
        if (!is_used(watch->numbers[i]))
            (void)inotify_rm_watch(events_fd, watch->numbers[i]);
    if (all == NULL) {
        close(events_fd);
        events_fd = -1;
    }
}

static bool
open_events(void)
{
    if (events_fd < 0)
        events_fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    return events_fd >= 0;
}

/* A file has one number in an instance, shared by all that watch it. */
static bool
add(struct hf_file_watch *watch, const char *const *paths, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t mask = LOSSES | IN_MASK_ADD | (i == 0 ? RINGS : 0);
        int number = inotify_add_watch(events_fd, paths[i], mask);

        if (number < 0)
            return false;
        watch->numbers[watch->numbers_count++] = number;
    }
    return true;
}

static bool
start(struct hf_file_watch *watch, const char *const *paths, size_t count)
{
    struct hf_file_watch made = {.started = true, .generation = generation};

    made.told_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (made.told_fd < 0)
        return false;
    if (!open_events() || !add(&made, paths, count)) {
        if (events_fd >= 0)
            let_go(&made);
        close(made.told_fd);
        return false;
    }
    made.events_fd = events_fd;
    made.next = all;
    *watch = made;
    all = watch;
    return true;
}

bool
hf_file_watch_start(struct hf_file_watch *watch, const char *const *paths,
                    size_t count)
{
    bool started;

    HF_CHECK(count <= HF_FILE_WATCH_FILES_MAX);
    (void)pthread_once(&once, watch_forks);
    lock();
    started = watch->started ? watch->generation == generation
                             : start(watch, paths, count);
    unlock();
    return started;
}

static void
unlink_watch(const struct hf_file_watch *watch)
{
    struct hf_file_watch **link = &all;

    while (*link != watch)
        link = &(*link)->next;
    *link = watch->next;
}

void
hf_file_watch_stop(struct hf_file_watch *watch)
{
    if (!watch->started)
        return;
    lock();
    if (watch->generation == generation) {
        unlink_watch(watch);
        let_go(watch);
    }
    unlock();
    close(watch->told_fd);
    *watch = (struct hf_file_watch){.started = false};
}

/* ---- Why not ------------------------------------------------------------- */

/* The limit in that file, or `usual` if it cannot be read. */
static long
read_limit(const char *path, long usual)
{
    char text[32];
    long limit = 0;

    if (hf_proc_text(path, text, sizeof(text)))
        limit = strtol(text, NULL, 10);
    return limit > 0 && limit < LONG_MAX / 2 ? limit : usual;
}

/* The errno of a new inotify instance; 0: it was made. */
static int
try_instance(void)
{
    int fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    int reason = fd < 0 ? errno : 0;

    hf_fd_close(&fd);
    return reason;
}

void
hf_file_watch_explain(struct hf_checkup *checkup)
{
    static const char instances[] = "/proc/sys/fs/inotify/max_user_instances";
    static const char watches[] = "/proc/sys/fs/inotify/max_user_watches";
    int reason = try_instance();
    char space[128];
    long limit;

    switch (reason) {
    case 0:
        limit = read_limit(watches, 8192);
        hf_checkup_add(checkup,
                       "inotify takes no more files of this user's "
                       "(max_user_watches is %ld)",
                       limit);
        hf_checkup_warn(checkup, "sysctl -w fs.inotify.max_user_watches=%ld",
                        2 * limit);
        return;
    case EMFILE:
        limit = read_limit(instances, 128);
        hf_checkup_add(checkup,
                       "this user has no inotify instance left "
                       "(max_user_instances is %ld), or this process "
                       "no descriptor",
                       limit);
        hf_checkup_warn(checkup, "sysctl -w fs.inotify.max_user_instances=%ld",
                        2 * limit);
        return;
    default: /* an errno, no enum */
        hf_checkup_add(checkup, "inotify does not work: %s",
                       strerror_r(reason, space, sizeof(space)));
        hf_checkup_warn(checkup, "let this process use inotify, in its seccomp "
                                 "profile or by another kernel");
    }
}

/* ---- Sleep --------------------------------------------------------------- */

static bool
concerns(const struct hf_file_watch *watch, const struct inotify_event *event)
{
    if (event->mask & IN_Q_OVERFLOW) /* anything may have been lost */
        return true;
    for (size_t i = 0; i < watch->numbers_count; i++)
        if (watch->numbers[i] == event->wd)
            return true;
    return false;
}

static void
tell(const struct inotify_event *event)
{
    if (event->mask & IN_IGNORED) /* a file's last event: its loss was told
                                     before */
        return;
    for (const struct hf_file_watch *w = all; w != NULL; w = w->next)
        if (concerns(w, event))
            (void)eventfd_write(w->told_fd, 1);
}

/* Read all events and pass them to the watches they concern.  Under the mutex.
 * An event of a file (not of a folder) has no name. */
static void
pass_on(void)
{
    char events[64 * sizeof(struct inotify_event)];
    ssize_t len;

    do {
        struct inotify_event event;

        len = read(events_fd, events, sizeof(events));
        for (ssize_t i = 0; i < len; i += (ssize_t)sizeof(event) + event.len) {
            memcpy(&event, events + i, sizeof(event));
            tell(&event);
        }
    } while (len == (ssize_t)sizeof(events));
}

void
hf_file_watch_forget(struct hf_file_watch *watch)
{
    eventfd_t count;

    lock();
    if (watch->generation == generation) {
        pass_on();
        (void)eventfd_read(watch->told_fd, &count); /* fails if nothing was
                                                       told */
    }
    unlock();
}

bool
hf_file_watch_sleep(struct hf_file_watch *watch, struct hf_instant until,
                    int wake_fd)
{
    struct pollfd fds[] = {
        {.fd = wake_fd, .events = POLLIN},
        {.fd = watch->told_fd, .events = POLLIN},
        {.fd = watch->events_fd, .events = POLLIN},
    };

    do {
        if (poll(fds, 3, hf_pause_ms(until, -1)) <= 0)
            return false;
        if (fds[2].revents != 0) {
            lock();
            pass_on();
            unlock();
        }
    } while (fds[0].revents == 0 && fds[1].revents == 0);
    return fds[0].revents != 0;
}

void
hf_file_watch_ring(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

    if (fd >= 0)
        close(fd);
}

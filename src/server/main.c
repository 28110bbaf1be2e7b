#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/fd.h"
#include "server/options.h"
#include "server/retire.h"
#include "store/store.h"

/* holdfastd: the lock server. */

static int
complain(const struct hf_error *error)
{
    fprintf(stderr, "holdfastd: %s\n", error->text);
    return hf_status_exit(error->status);
}

/* The data that main and its loop share. */
struct daemon {
    struct hf_server_options options;
    struct hf_self self;
    struct hf_log log;
    int argc;
    char **argv;
    char address[HF_HOST_MAX + 1]; /* where others find us */
    uint16_t port;
};

static void
bound(void *ctx, uint16_t port)
{
    struct daemon *daemon = ctx;

    daemon->port = port;
    hf_server_settings_address(&daemon->options.settings, port,
                               daemon->address);
}

/* Tell the service manager that started us how we are, as sd_notify(3) says, if
 * it wants to know.  Its socket is a path, or "@" and a name of Linux's own,
 * which begins with a NUL. */
static void
notify(const char *state)
{
    const char *path = getenv("NOTIFY_SOCKET");
    size_t path_len = path == NULL ? 0 : strlen(path);
    union {
        struct sockaddr any;
        struct sockaddr_un un;
    } address = {.un = {.sun_family = AF_UNIX}};
    socklen_t len;
    int fd;

    if (path_len == 0 || path_len >= sizeof(address.un.sun_path))
        return;
    memcpy(address.un.sun_path, path, path_len);
    if (path[0] == '@')
        address.un.sun_path[0] = '\0';
    len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + path_len);
    fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return;
    (void)sendto(fd, state, strlen(state), MSG_NOSIGNAL, &address.any, len);
    hf_fd_close(&fd);
}

/* Tell people, and the process that started us. */
static void
ready(void *ctx)
{
    struct daemon *daemon = ctx;
    int fd = (int)daemon->options.ready_fd;
    char text[16];
    int len = snprintf(text, sizeof(text), "%u\n", (unsigned)daemon->port);

    hf_log_say(
        &daemon->log, HF_LOG_INFO, "listens",
        (const struct hf_log_field[]){{"address", daemon->address, 0},
                                      {"at", daemon->options.settings.at, 0},
                                      {NULL, NULL, 0}});
    if (daemon->options.settings.no_grace)
        hf_log_say(&daemon->log, HF_LOG_WARN, "grants at once, by --no-grace",
                   NULL);
    notify("READY=1");
    if (fd < 0)
        return;
    if (write(fd, text, (size_t)len) != len)
        fprintf(stderr, "holdfastd: --ready-fd %d cannot be written\n", fd);
    close(fd);
}

static void
stopping(void *ctx)
{
    struct daemon *daemon = ctx;

    hf_log_say(&daemon->log, HF_LOG_INFO, "stops", NULL);
    notify("STOPPING=1");
}

/* SIGHUP.  A file that is wrong changes nothing. */
static void
reload(void *ctx)
{
    struct daemon *daemon = ctx;
    static struct hf_server_options wanted;
    struct hf_error error = {0};
    char names[128];
    struct hf_text others;

    if (daemon->options.files_count == 0) {
        hf_log_say(&daemon->log, HF_LOG_WARN,
                   "no settings to read again: it was started without --config",
                   NULL);
        return;
    }
    if (hf_server_options_read(daemon->argc, daemon->argv, &wanted, &error) !=
        HF_OK) {
        hf_log_say(&daemon->log, HF_LOG_ERROR, "settings are as they were",
                   (const struct hf_log_field[]){{"why", error.text, 0},
                                                 {NULL, NULL, 0}});
        return;
    }
    hf_text_init(&others, names, sizeof(names));
    hf_server_settings_change(&daemon->options.settings, &wanted.settings,
                              &others);
    daemon->log.format = daemon->options.settings.log;
    if (others.len > 0)
        hf_log_say(&daemon->log, HF_LOG_WARN, "needs a restart",
                   (const struct hf_log_field[]){{"setting", others.at, 0},
                                                 {NULL, NULL, 0}});
    hf_log_say(&daemon->log, HF_LOG_INFO, "settings were read again", NULL);
}

/* The reader of our log, or of --ready-fd, may end before we do. */
static void
ignore_broken_pipes(void)
{
    const struct sigaction ignore = {.sa_handler = SIG_IGN};

    (void)sigaction(SIGPIPE, &ignore, NULL);
}

/* A connection is a descriptor: as many as we may have. */
static void
raise_limit(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return;
    limit.rlim_cur = limit.rlim_max;
    (void)setrlimit(RLIMIT_NOFILE, &limit);
}

/* All of it, or it is said that it is not. */
static int
put(const char *text)
{
    if (fputs(text, stdout) != EOF && fflush(stdout) == 0)
        return 0;
    fprintf(stderr, "holdfastd: cannot write the output: %s\n",
            strerror(errno));
    return 69;
}

static int
put_help(void)
{
    char bytes[8192];
    struct hf_text text;

    hf_text_init(&text, bytes, sizeof(bytes));
    hf_server_options_help(&text);
    return put(bytes);
}

/* Tell people why it waits. */
static void
retire_waits(void *ctx, const struct hf_retired *retired)
{
    static const char *const whys[] = {
        [HF_RETIRE_ALIVE] = "may still be alive, and its clients may still "
                            "hold locks",
        [HF_RETIRE_GRANTED] = "left locks granted, and their holders may "
                              "believe in them for so long",
        [HF_RETIRE_FORGOTTEN] = "had granted locks that are lost from the "
                                "place, and their holders may believe in them "
                                "for so long",
    };
    bool known = retired->address[0] != '\0';

    (void)ctx;
    fprintf(stderr, "holdfastd: waiting for %" PRId64 " s, because %s%s %s\n",
            (retired->wait.ms + 999) / 1000,
            known ? "the server at http://" : "a server", retired->address,
            whys[retired->why]);
}

static int
retire(const struct hf_place *place)
{
    struct hf_retired retired = {.waits = retire_waits};
    char text[sizeof(place->text) + sizeof(retired.address) + 160];
    struct hf_error error = {0};

    if (hf_retire(place, &hf_alloc_libc, &retired, &error) != HF_OK)
        return complain(&error);
    if (!retired.freed)
        snprintf(text, sizeof(text),
                 "holdfastd: nothing to free: nobody serves %s; it keeps table "
                 "locks\n",
                 place->text);
    else
        snprintf(
            text, sizeof(text),
            "holdfastd: freed %s of %s%s: no client believes any more in the "
            "%zu lock%s that it had granted; it keeps table locks\n",
            place->text,
            retired.address[0] == '\0' ? "a server" : "the server at http://",
            retired.address, retired.grants, retired.grants == 1 ? "" : "s");
    return put(text);
}

/* Could it run so?  Nothing is written. */
static int
check(const struct hf_place *place)
{
    struct hf_store *store = NULL;
    struct hf_error error = {0};
    enum hf_status status = hf_store_open_at(place, HF_STORE_TO_LOOK,
                                             &hf_alloc_libc, &store, &error);

    if (status == HF_OK)
        status = hf_store_away(store, &error);
    hf_store_close(store);
    return status == HF_OK ? put("holdfastd: it could run so\n")
                           : complain(&error);
}

int
main(int argc, char **argv)
{
    static struct daemon daemon;
    struct hf_server_options *options = &daemon.options;
    struct hf_loop_config config;
    struct hf_error error = {0};

    if (hf_server_options_read(argc, argv, options, &error) != HF_OK)
        return complain(&error);
    if (options->help)
        return put_help();
    if (options->version)
        return put("holdfastd " HF_SERVER_VERSION "\n");
    if (hf_server_settings_config(&options->settings, &config, &error) != HF_OK)
        return complain(&error);
    if (options->check)
        return check(&config.service.seat.scribe.place);
    if (options->ready_fd >= 0 && fcntl((int)options->ready_fd, F_GETFD) < 0) {
        (void)hf_fail(&error, HF_E_INVALID, "--ready-fd %d is not open",
                      (int)options->ready_fd);
        return complain(&error);
    }
    if (options->retire)
        return retire(&config.service.seat.scribe.place);
    if (options->forgot && hf_unled(&config.service.seat.scribe.place,
                                    &hf_alloc_libc, &error) != HF_OK)
        return complain(&error);
    config.service.seat.forgot = options->forgot;
    daemon.argc = argc;
    daemon.argv = argv;
    daemon.log.format = options->settings.log;
    raise_limit();
    ignore_broken_pipes();
    hf_self_learn(&daemon.self);
    config.service.seat.self = &daemon.self;
    config.service.seat.address = daemon.address;
    config.bound = bound;
    config.ready = ready;
    config.stopping = stopping;
    config.reload = reload;
    config.log = &daemon.log;
    config.ctx = &daemon;
    if (hf_loop_run(&config, &error) != HF_OK)
        return complain(&error);
    return 0;
}

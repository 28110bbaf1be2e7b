#include "server/options.h"

#include <errno.h>
#include <getopt.h>
#include <ini.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"

const char hf_server_options_help[] =
    "usage: holdfastd [OPTION...]\n"
    "\n"
    "Serve locks over HTTP, to be asked by curl or any client.\n"
    "\n"
    "  --listen ADDR:PORT  where; default 127.0.0.1:7420, port 0: any\n"
    "  --port PORT         the same, at loopback\n"
    "  --advertise HOST:PORT\n"
    "                      where others find it, if that is another; needed "
    "where\n"
    "                      it listens at all addresses; port 0: the same\n"
    "  --at PLACE          where the locks are kept; default: a file "
    "served.db\n"
    "                      beside the locks.db of the command; memory:x keeps\n"
    "                      nothing when it ends\n"
    "  --host NAME         a name by which clients may call it, too; many\n"
    "  --idle-timeout DURATION\n"
    "                      what stands before it cuts a request that is silent "
    "for\n"
    "                      so long; who waits is told to ask again before "
    "that;\n"
    "                      default 30s, or half of --max-ttl where that is "
    "less\n"
    "  --idle-margin PART  so much of it before that; default 0.03\n"
    "  --max-ttl DURATION  the longest ttl of a session; a server that forgot "
    "what\n"
    "                      it granted grants nothing for so long; default 60s\n"
    "  --no-grace          it grants at once, in memory: nobody holds "
    "anything\n"
    "                      that was granted before\n"
    "  --forgot            the place was restored from a backup: grant nothing "
    "until\n"
    "                      nobody believes in what was granted since\n"
    "  --connections N     at most; default 10000\n"
    "  --streams N         requests of one connection at once, at most; "
    "default\n"
    "                      1000\n"
    "  --locks N           locks that are held or waited for, and requests "
    "that\n"
    "                      wait, at most; default 131072\n"
    "  --insecure          listen beyond loopback, though nothing is "
    "encrypted\n"
    "  --log FORMAT        of what is said while it runs: logfmt (default) or "
    "json\n"
    "  --config FILE       settings, a line each: `idle-timeout = 30s`; "
    "-FILE: if\n"
    "                      it is there\n"
    "  --check-config      only say whether it could run so\n"
    "  --retire            free a place whose server died and will not come\n"
    "                      back, so that it keeps the locks of `holdfast` "
    "again;\n"
    "                      who is alive is left alone\n"
    "  --ready-fd N        write the port to that descriptor once it listens\n"
    "  -h, --help          this text\n"
    "  --version           the version\n"
    "\n"
    "SIGTERM: leave well, so that the next one serves at once.  SIGHUP: read "
    "the\n"
    "file again, and take over host and log.\n"
    "Exit: 0; 64 wrong usage, 69 the place or the address is unavailable, 77\n"
    "  permission denied, 65 the place is not ours.\n";

enum {
    OPTION_SETTING = 256,
    OPTION_PORT,
    OPTION_NO_GRACE,
    OPTION_FORGOT,
    OPTION_INSECURE,
    OPTION_CONFIG,
    OPTION_CHECK_CONFIG,
    OPTION_RETIRE,
    OPTION_READY_FD,
    OPTION_VERSION,
};

static const struct option all[] = {
    {"listen", required_argument, NULL, OPTION_SETTING},
    {"port", required_argument, NULL, OPTION_PORT},
    {"advertise", required_argument, NULL, OPTION_SETTING},
    {"at", required_argument, NULL, OPTION_SETTING},
    {"host", required_argument, NULL, OPTION_SETTING},
    {"idle-timeout", required_argument, NULL, OPTION_SETTING},
    {"idle-margin", required_argument, NULL, OPTION_SETTING},
    {"connections", required_argument, NULL, OPTION_SETTING},
    {"streams", required_argument, NULL, OPTION_SETTING},
    {"locks", required_argument, NULL, OPTION_SETTING},
    {"max-ttl", required_argument, NULL, OPTION_SETTING},
    {"no-grace", no_argument, NULL, OPTION_NO_GRACE},
    {"forgot", no_argument, NULL, OPTION_FORGOT},
    {"insecure", no_argument, NULL, OPTION_INSECURE},
    {"log", required_argument, NULL, OPTION_SETTING},
    {"config", required_argument, NULL, OPTION_CONFIG},
    {"check-config", no_argument, NULL, OPTION_CHECK_CONFIG},
    {"retire", no_argument, NULL, OPTION_RETIRE},
    {"ready-fd", required_argument, NULL, OPTION_READY_FD},
    {"version", no_argument, NULL, OPTION_VERSION},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

/* ---- The file ------------------------------------------------------------ */

struct reading {
    struct hf_settings *settings;
    FILE *file;
    int line;
    uint32_t said;         /* which, of those that are said once */
    struct hf_error first; /* what was wrong first, which is the end of it */
};

static int
take_setting(void *ctx, const char *section, const char *name,
             const char *value)
{
    struct reading *reading = ctx;
    uint32_t once = hf_server_settings_once(name);

    (void)section; /* there is none */
    if ((reading->said & once) != 0) {
        (void)hf_fail(&reading->first, HF_E_INVALID, "%.60s is said twice",
                      name);
        return false;
    }
    reading->said |= once;
    return hf_server_settings_set(reading->settings, name, value,
                                  &reading->first) == HF_OK;
}

/* What inih would read on: the rest of a line that is too long for it, as the
 * next one; a line that begins with blanks, as more of the one above; a name of
 * a section, and what follows a NUL, as nothing. */
static char *
next_line(char *text, int size, void *ctx)
{
    struct reading *reading = ctx;
    size_t blanks;
    size_t len;
    int end;

    if (reading->first.status != HF_OK)
        return NULL;
    reading->line++;
    errno = 0;
    memset(text, '\n', (size_t)size); /* the last NUL is then fgets' own */
    if (fgets(text, size, reading->file) == NULL) {
        if (ferror(reading->file))
            (void)hf_fail(&reading->first, HF_E_UNAVAILABLE, "%s",
                          strerror(errno));
        return NULL;
    }
    len = strlen(text);
    blanks = strspn(text, " \t");
    end = (int)strcspn(text + blanks, "\r\n");
    if (text[blanks] == '[')
        (void)hf_fail(&reading->first, HF_E_INVALID,
                      "there are no sections, as %.*s", end < 60 ? end : 60,
                      text + blanks);
    else if ((char *)memrchr(text, '\0', (size_t)size) != text + len)
        (void)hf_fail(&reading->first, HF_E_INVALID, "there is a NUL in it");
    else if (len + 1 == (size_t)size && text[len - 1] != '\n')
        (void)hf_fail(&reading->first, HF_E_INVALID,
                      "a line has at most %d bytes", size - 2);
    if (reading->first.status != HF_OK)
        return NULL;
    memmove(text, text + blanks, len + 1 - blanks);
    return text;
}

/* With a minus before its path it need not be there, as for systemd. */
static enum hf_status
read_file(const char *path, struct hf_settings *settings,
          struct hf_error *error)
{
    bool is_optional = path[0] == '-';
    struct reading reading = {.settings = settings};
    const struct hf_error *first = &reading.first;
    int line;

    path += is_optional;
    reading.file = fopen(path, "re");
    if (reading.file == NULL && errno == ENOENT && is_optional)
        return HF_OK;
    if (reading.file == NULL)
        return hf_fail(error, HF_E_UNAVAILABLE, "--config %.200s: %s", path,
                       strerror(errno));
    line = ini_parse_stream(next_line, &reading, take_setting, &reading);
    fclose(reading.file);
    if (first->status == HF_E_UNAVAILABLE)
        return hf_fail(error, first->status, "--config %.200s: %s", path,
                       first->text);
    if (first->status != HF_OK)
        return hf_fail(error, HF_E_INVALID, "%.200s:%d: %s", path, reading.line,
                       first->text);
    if (line < 0)
        return hf_fail(error, HF_E_NOMEM, "no memory for --config");
    if (line > 0)
        return hf_fail(error, HF_E_INVALID, "%.200s:%d: no setting", path,
                       line);
    return HF_OK;
}

/* ---- The command line ---------------------------------------------------- */

static enum hf_status
take_port(const char *text, struct hf_settings *settings,
          struct hf_error *error)
{
    char listen[32];

    snprintf(listen, sizeof(listen), "127.0.0.1:%.16s", text);
    if (hf_server_settings_set(settings, "listen", listen, error) != HF_OK)
        return hf_fail(error, HF_E_INVALID, "--port is from 0 to 65535");
    return HF_OK;
}

static enum hf_status
take_ready_fd(const char *text, int *fd, struct hf_error *error)
{
    char *end;
    long number = strtol(text, &end, 10);

    if (text[0] < '0' || text[0] > '9' || *end != '\0' || number > 1 << 20)
        return hf_fail(error, HF_E_INVALID,
                       "--ready-fd is the number of a descriptor");
    *fd = (int)number;
    return HF_OK;
}

static enum hf_status
take(int option, int index, struct hf_server_options *options, char **argv,
     struct hf_error *error)
{
    switch (option) {
    case OPTION_SETTING:
        return hf_server_settings_set(&options->settings, all[index].name,
                                      optarg, error);
    case OPTION_PORT:
        return take_port(optarg, &options->settings, error);
    case OPTION_NO_GRACE:
        return hf_server_settings_set(&options->settings, "no-grace", "yes",
                                      error);
    case OPTION_FORGOT:
        options->forgot = true;
        return HF_OK;
    case OPTION_INSECURE:
        return hf_server_settings_set(&options->settings, "insecure", "yes",
                                      error);
    case OPTION_CONFIG:
        options->has_file = true; /* it was read first */
        return HF_OK;
    case OPTION_CHECK_CONFIG:
        options->check = true;
        return HF_OK;
    case OPTION_RETIRE:
        options->retire = true;
        return HF_OK;
    case OPTION_READY_FD:
        return take_ready_fd(optarg, &options->ready_fd, error);
    case OPTION_VERSION:
        options->version = true;
        return HF_OK;
    case 'h':
        options->help = true;
        return HF_OK;
    case ':':
        return hf_fail(error, HF_E_INVALID, "option %.60s needs a value",
                       argv[optind - 1]);
    default:
        return hf_fail(error, HF_E_INVALID,
                       "unknown option %.60s (see holdfastd --help)",
                       argv[optind - 1]);
    }
}

/* The file comes first, wherever it is named. */
static enum hf_status
read_files(int argc, char **argv, struct hf_settings *settings,
           struct hf_error *error)
{
    enum hf_status status = HF_OK;
    int option;

    optind = 1;
    while (status == HF_OK &&
           (option = getopt_long(argc, argv, "+:h", all, NULL)) != -1)
        if (option == OPTION_CONFIG)
            status = read_file(optarg, settings, error);
    return status;
}

enum hf_status
hf_server_options_read(int argc, char **argv, struct hf_server_options *options,
                       struct hf_error *error)
{
    enum hf_status status;
    int index = 0;
    int option;

    *options = (struct hf_server_options){
        .settings = hf_settings_default,
        .ready_fd = -1,
    };
    status = read_files(argc, argv, &options->settings, error);
    optind = 1;
    while (status == HF_OK &&
           (option = getopt_long(argc, argv, "+:h", all, &index)) != -1)
        status = take(option, index, options, argv, error);
    if (status == HF_OK && optind < argc)
        status = hf_fail(error, HF_E_INVALID,
                         "holdfastd takes no '%.60s' (see holdfastd --help)",
                         argv[optind]);
    return status == HF_OK ? hf_server_settings_check(&options->settings, error)
                           : status;
}

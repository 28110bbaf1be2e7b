#include "server/options.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ini.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arguments.h"
#include "base/fail.h"
#include "server/host.h"
#include "store/place.h"

enum {
    IDLE_MAX_MS = 24 * 3600 * 1000,
    DESCRIPTOR_MAX = 1 << 20,
};
#define MARGIN_MAX 0.5

/* ---- One by one ---------------------------------------------------------- */

/* In numbers; of a link's there is an interface behind it, "fe80::1%eth0". */
static bool
is_address(const char *host)
{
    struct in6_addr binary;
    char bare[INET6_ADDRSTRLEN];

    snprintf(bare, sizeof(bare), "%.*s", (int)strcspn(host, "%"), host);
    return inet_pton(AF_INET, host, &binary) == 1 ||
           inet_pton(AF_INET6, bare, &binary) == 1;
}

/* "HOST:PORT": the host's length, below `size`; 0: it is none. */
static size_t
read_endpoint(const char *text, size_t size, uint16_t *port)
{
    const char *colon = strrchr(text, ':');
    size_t len = colon == NULL ? 0 : (size_t)(colon - text);
    int64_t number;

    if (len == 0 || len >= size ||
        !hf_option_number(colon + 1, UINT16_MAX, &number))
        return 0;
    *port = (uint16_t)number;
    return len;
}

/* "127.0.0.1:7420", "[::1]:7420". */
static enum hf_status
set_listen(void *values, const struct hf_option_given *given,
           struct hf_error *error)
{
    struct hf_server_settings *settings = values;
    const char *host = given->text;
    char *own = settings->listen_host;
    size_t len =
        read_endpoint(host, sizeof(settings->listen_host), &settings->port);

    if (len == 0)
        return hf_fail(error, HF_E_INVALID,
                       "listen is an address and a port, as 127.0.0.1:7420");
    if (len > 2 && host[0] == '[' && host[len - 1] == ']') {
        host++;
        len -= 2;
    }
    memcpy(own, host, len);
    own[len] = '\0';
    return is_address(own)
               ? HF_OK
               : hf_fail(error, HF_E_INVALID,
                         "listen: %s is not a numeric address, as 127.0.0.1 "
                         "or [::1]",
                         own);
}

static enum hf_status
set_port(void *values, const struct hf_option_given *given,
         struct hf_error *error)
{
    char listen[32];
    const struct hf_option_given at_loopback = {.text = listen};

    snprintf(listen, sizeof(listen), "127.0.0.1:%.16s", given->text);
    if (set_listen(values, &at_loopback, error) != HF_OK)
        return hf_fail(error, HF_E_INVALID, "--port is from 0 to 65535");
    return HF_OK;
}

static enum hf_status
set_at(void *values, const struct hf_option_given *given,
       struct hf_error *error)
{
    struct hf_server_settings *settings = values;
    size_t len = strlen(given->text);
    struct hf_place place;
    char shown[100];

    if (len >= sizeof(settings->at))
        return hf_fail(error, HF_E_LIMIT, "at: the place's name is too long");
    hf_text_show_url(shown, sizeof(shown), given->text);
    if (!hf_place_is(given->text))
        return hf_fail(error, HF_E_INVALID,
                       "a lock server keeps no locks at '%s': write "
                       "sqlite:/path/served.db, or memory:NAME, which a "
                       "restart forgets",
                       shown);
    memcpy(settings->at, given->text, len + 1);
    return hf_place_parse(given->text, &place, error);
}

static enum hf_status
set_host(void *values, const struct hf_option_given *given,
         struct hf_error *error)
{
    struct hf_server_settings *settings = values;

    if (settings->hosts_count == HF_SETTINGS_HOSTS_MAX)
        return hf_fail(error, HF_E_LIMIT, "host: more than %d names",
                       HF_SETTINGS_HOSTS_MAX);
    if (!hf_server_settings_read_host(given->text,
                                      settings->hosts[settings->hosts_count]))
        return hf_fail(error, HF_E_INVALID,
                       "host is a name or an address, without a port");
    settings->hosts_count++;
    return HF_OK;
}

static enum hf_status
set_advertise(void *values, const struct hf_option_given *given,
              struct hf_error *error)
{
    struct hf_server_settings *settings = values;
    char host[HF_HOST_MAX + 1];
    size_t len = read_endpoint(given->text, sizeof(settings->advertise_host),
                               &settings->advertise_port);

    if (len == 0)
        return hf_fail(error, HF_E_INVALID,
                       "advertise is a host and a port, as locks.example:7420");
    memcpy(host, given->text, len);
    host[len] = '\0';
    if (!hf_host_is_name((struct hf_bytes){host, len}) ||
        hf_server_settings_is_wildcard(host))
        return hf_fail(error, HF_E_INVALID,
                       "advertise: %.200s is no host that others can reach, as "
                       "locks.example, 192.0.2.7 or [2001:db8::7]",
                       host);
    memcpy(settings->advertise_host, host, len + 1);
    return HF_OK;
}

static enum hf_status
set_idle_margin(void *values, const struct hf_option_given *given,
                struct hf_error *error)
{
    struct hf_server_settings *settings = values;
    const char *text = given->text;
    char *end;

    settings->idle_margin = strtod(text, &end);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' ||
        !(settings->idle_margin <= MARGIN_MAX))
        return hf_fail(error, HF_E_INVALID,
                       "idle-margin is a part of the idle timeout, from 0 to "
                       "0.5");
    return HF_OK;
}

/* They are read first, wherever they are named. */
static enum hf_status
add_file(void *values, const struct hf_option_given *given,
         struct hf_error *error)
{
    struct hf_server_options *options = values;

    if (options->files_count == HF_SERVER_FILES_MAX)
        return hf_fail(error, HF_E_LIMIT, "--config: more than %d files",
                       HF_SERVER_FILES_MAX);
    options->files[options->files_count++] = given->text;
    return HF_OK;
}

/* ---- All of them --------------------------------------------------------- */

/* Settings are of files, too. */
enum { OF_FILE = 1, OF_LINE = 2 };

static const char *const log_words[] = {"logfmt", "json", NULL};

static const struct hf_option rows[] = {
    HF_OPTION_SET("listen", set_listen, .value = "ADDR:PORT",
                  HF_HELP("where; default 127.0.0.1:7420, port 0: any")),
    HF_OPTION_SET("port", set_port, .scopes = OF_LINE, .value = "PORT",
                  HF_HELP("the same, at loopback")),
    HF_OPTION_SET("advertise", set_advertise, .value = "HOST:PORT",
                  HF_HELP("where others find it, if that is another; needed "
                          "where it listens at all addresses; port 0: the "
                          "same")),
    HF_OPTION_SET("at", set_at, .value = "PLACE",
                  HF_HELP("where the locks are kept; default: a file served.db "
                          "beside the locks.db of the command; memory:x keeps "
                          "nothing when it ends")),
    HF_OPTION_SET("host", set_host, .many = true, .value = "NAME",
                  HF_HELP("a name by which clients may call it, too; many")),
    HF_OPTION(DURATION, "idle-timeout", struct hf_server_settings, idle_timeout,
              .least = 1, .most = IDLE_MAX_MS,
              .wants = "is a duration of a day at most, as 30s",
              .value = "DURATION",
              HF_HELP("what stands before it cuts a request that is silent for "
                      "so long; who waits is told to ask again before that; "
                      "default 30s, or half of --max-ttl where that is less")),
    HF_OPTION_SET("idle-margin", set_idle_margin, .value = "PART",
                  HF_HELP("so much of it before that; default 0.03")),
    HF_OPTION(DURATION, "max-ttl", struct hf_server_settings, max_ttl,
              .least = HF_TTL_MIN_MS, .most = HF_TTL_MAX_MS,
              .wants = "is a duration from 500ms to a week, as 60s",
              .value = "DURATION",
              HF_HELP("the longest ttl of a session; a server that forgot what "
                      "it granted grants nothing for so long; default 60s")),
    HF_OPTION(
        FLAG, "no-grace", struct hf_server_settings, no_grace,
        .wants = "is yes or no",
        HF_HELP("it grants at once, in memory: nobody holds anything that "
                "was granted before")),
    HF_OPTION(FLAG, "forgot", struct hf_server_options, forgot,
              .scopes = OF_LINE,
              HF_HELP("the place was restored from a backup: grant nothing "
                      "until nobody believes in what was granted since")),
    HF_OPTION(NUMBER, "connections", struct hf_server_settings, connections,
              .least = 1, .most = 1000000, .value = "N",
              HF_HELP("at most; default 10000")),
    HF_OPTION(NUMBER, "streams", struct hf_server_settings, streams, .least = 1,
              .most = 100000, .value = "N",
              HF_HELP("requests of one connection at once, at most; default "
                      "1000")),
    HF_OPTION(NUMBER, "locks", struct hf_server_settings, locks, .least = 1024,
              .most = 8 * 1024 * 1024, .value = "N",
              HF_HELP("locks that are held or waited for, and requests that "
                      "wait, at most; default 131072")),
    HF_OPTION(FLAG, "insecure", struct hf_server_settings, insecure,
              .wants = "is yes or no",
              HF_HELP("listen beyond loopback, though nothing is encrypted")),
    HF_OPTION(WORD, "log", struct hf_server_settings, log, .words = log_words,
              .wants = "is logfmt or json", .value = "FORMAT",
              HF_HELP("of what is said while it runs: logfmt (default) or "
                      "json")),
    HF_OPTION_SET("config", add_file, .scopes = OF_LINE, .value = "FILE",
                  HF_HELP("settings, a line each: `idle-timeout = 30s`; -FILE: "
                          "if it is there")),
    HF_OPTION(FLAG, "check-config", struct hf_server_options, check,
              .scopes = OF_LINE,
              HF_HELP("only say whether it could run so; writes nothing")),
    HF_OPTION(FLAG, "retire", struct hf_server_options, retire,
              .scopes = OF_LINE,
              HF_HELP("free a place whose server died and will not come back, "
                      "so that it keeps the locks of `holdfast` again; who is "
                      "alive is left alone")),
    HF_OPTION(NUMBER, "ready-fd", struct hf_server_options, ready_fd,
              .scopes = OF_LINE, .most = DESCRIPTOR_MAX,
              .wants = "is the number of a descriptor", .value = "N",
              HF_HELP("write the port to that descriptor once it listens")),
    HF_OPTION(STOP, "help", struct hf_server_options, help, .letter = 'h',
              .scopes = OF_LINE, HF_HELP("this text")),
    HF_OPTION(STOP, "version", struct hf_server_options, version,
              .scopes = OF_LINE, HF_HELP("the version")),
};

static const struct hf_options of_file = {rows, sizeof(rows) / sizeof(rows[0]),
                                          OF_FILE};
static const struct hf_options of_line = {rows, sizeof(rows) / sizeof(rows[0]),
                                          OF_LINE};

void
hf_server_options_help(struct hf_text *out)
{
    hf_text_add(out, "usage: holdfastd [OPTION...]\n"
                     "\n"
                     "Serve locks over HTTP, to be asked by curl or any "
                     "client.\n"
                     "\n");
    hf_arguments_help(&of_line, out);
    hf_text_add(out, "\n");
    hf_arguments_wrap(out,
                      "SIGTERM: leave well, so that the next one serves at "
                      "once.  SIGHUP: read the file again, and take over host "
                      "and log.\n",
                      0, 0);
    hf_text_add(out, "Exit: ");
    hf_arguments_wrap(out,
                      "0; 64 wrong usage, 69 the place or the address is "
                      "unavailable, 77 permission denied, 65 the place is not "
                      "ours.\n",
                      strlen("Exit: "), 2);
}

/* ---- The file ------------------------------------------------------------ */

struct settings_file {
    struct hf_server_settings *settings;
    FILE *file;
    int line;
    uint32_t given;        /* a bit for each row that was there */
    struct hf_error first; /* what was wrong first, which is the end of it */
};

static enum hf_status
refuse_name(const char *name, struct hf_error *error)
{
    char hint[64];
    struct hf_text meant;

    hf_text_init(&meant, hint, sizeof(hint));
    hf_options_add_meant(&of_file, name, strlen(name), "", &meant);
    return hf_fail(error, HF_E_INVALID, "there is no setting %.60s%s", name,
                   hint);
}

static int
take_setting(void *ctx, const char *section, const char *name,
             const char *value)
{
    struct settings_file *reading = ctx;
    const struct hf_option *option = hf_options_find(&of_file, name);
    const struct hf_option_given given = {.as = name, .text = value};
    uint32_t bit;

    (void)section; /* there is none */
    if (option == NULL) {
        (void)refuse_name(name, &reading->first);
        return false;
    }
    bit = UINT32_C(1) << (option - of_file.rows);
    if (!option->many && (reading->given & bit) != 0) {
        (void)hf_fail(&reading->first, HF_E_INVALID, "%.60s is given twice",
                      name);
        return false;
    }
    reading->given |= bit;
    return hf_option_set(option, reading->settings, &given, &reading->first) ==
           HF_OK;
}

/* inih would take the rest of a line that is too long for it as the next
 * line, a line that begins with blanks as more of the one above, and would
 * ignore the name of a section and all behind a NUL.  These are errors, or
 * put right. */
static char *
next_line(char *text, int size, void *ctx)
{
    struct settings_file *reading = ctx;
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
                      "a section is not allowed: %.*s", end < 60 ? end : 60,
                      text + blanks);
    else if ((char *)memrchr(text, '\0', (size_t)size) != text + len)
        (void)hf_fail(&reading->first, HF_E_INVALID, "the line has a NUL byte");
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
read_file(const char *path, struct hf_server_settings *settings,
          struct hf_error *error)
{
    bool is_optional = path[0] == '-';
    struct settings_file reading = {.settings = settings};
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
read_line(int argc, char **argv, struct hf_server_options *options,
          struct hf_error *error)
{
    struct hf_arguments arguments = {
        .options = &of_line, .program = "holdfastd", .bare_names = true};
    enum hf_status status =
        hf_arguments_read(&arguments, argc, argv, options, error);

    if (status != HF_OK || options->help || options->version ||
        arguments.rest == argc)
        return status;
    return hf_fail(error, HF_E_INVALID,
                   "holdfastd takes no '%.60s' (see holdfastd --help)",
                   argv[arguments.rest]);
}

enum hf_status
hf_server_options_read(int argc, char **argv, struct hf_server_options *options,
                       struct hf_error *error)
{
    const struct hf_server_options nothing = {
        .settings = hf_server_settings_default,
        .ready_fd = -1,
    };
    struct hf_server_options first = nothing;
    enum hf_status status = read_line(argc, argv, &first, error);

    *options = first.help || first.version ? first : nothing;
    if (status != HF_OK || options->help || options->version)
        return status;
    for (size_t i = 0; i < first.files_count; i++) {
        status = read_file(first.files[i], &options->settings, error);
        if (status != HF_OK)
            return status;
    }
    status = read_line(argc, argv, options, error);
    return status == HF_OK ? hf_server_settings_check(&options->settings, error)
                           : status;
}

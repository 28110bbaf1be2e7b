#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "load.h"

/* holdfast-bench: how much a lock server bears. */

static const char help[] =
    "usage: holdfast-bench [OPTION...] HOST:PORT\n"
    "\n"
    "Load a lock server, and tell how it bears it.\n"
    "\n"
    "  --mode MODE        pairs       acquire and release, each lane its own\n"
    "                                 lock (default)\n"
    "                     contention  the same, all one lock\n"
    "                     handover    the same; from a release to the next "
    "grant\n"
    "                     mixed       pairs, one in ten of a lock of all\n"
    "                     waiters     all wait for one lock, which is given "
    "back\n"
    "                                 twenty times\n"
    "                     keep        --locks of each connection, kept alive\n"
    "  --connections N    each with a session (default 16)\n"
    "  --lanes N          requests in flight on each (default 1)\n"
    "  --locks N          mode keep: of each connection (default 1000)\n"
    "  --seconds N        of measuring (default 3)\n"
    "  --stream           as lines of a stream, and not by single requests\n"
    "  --pid PID          of the server: tell its memory, too\n"
    "  --json             one object\n"
    "\n"
    "  holdfast-bench --connections 64 127.0.0.1:7420\n";

static void
usage(const char *why)
{
    fprintf(stderr, "holdfast-bench: %s (see --help)\n", why);
    exit(64);
}

/* ---- What is asked for --------------------------------------------------- */

static enum mode
mode_of(const char *name)
{
    for (unsigned i = 0; i < MODES; i++)
        if (strcmp(name, mode_names[i]) == 0)
            return (enum mode)i;
    usage("there is no such mode");
    return MODES;
}

static long
number_of(const char *text, long most)
{
    char *end;
    long number = strtol(text, &end, 10);

    if (*end != '\0' || number < 1 || number > most)
        usage("a number is wanted, from 1 on");
    return number;
}

static void
read_place(struct order *order, char *place)
{
    static const char scheme[] = "http://";
    char *colon;

    if (strncmp(place, scheme, sizeof(scheme) - 1) == 0)
        place += sizeof(scheme) - 1;
    colon = strrchr(place, ':');
    if (colon == NULL)
        usage("where? HOST:PORT");
    *colon = '\0';
    order->host = place;
    order->port = colon + 1;
}

static void
read_options(struct order *order, int argc, char **argv)
{
    static const struct option options[] = {
        {"mode", required_argument, NULL, 'm'},
        {"connections", required_argument, NULL, 'c'},
        {"lanes", required_argument, NULL, 'l'},
        {"locks", required_argument, NULL, 'k'},
        {"seconds", required_argument, NULL, 's'},
        {"pid", required_argument, NULL, 'p'},
        {"stream", no_argument, NULL, 't'},
        {"json", no_argument, NULL, 'j'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    int option;

    while ((option = getopt_long(argc, argv, "h", options, NULL)) >= 0) {
        if (option == 'm')
            order->mode = mode_of(optarg);
        else if (option == 'c')
            order->connections = (unsigned)number_of(optarg, 20000);
        else if (option == 'l')
            order->lanes = (unsigned)number_of(optarg, 100000);
        else if (option == 'k')
            order->locks = (unsigned)number_of(optarg, 1000000);
        else if (option == 's')
            order->seconds = (double)number_of(optarg, 3600);
        else if (option == 'p')
            order->pid = number_of(optarg, INT32_MAX);
        else if (option == 't')
            order->stream = true;
        else if (option == 'j')
            order->json = true;
        else if (option == 'h')
            exit(fputs(help, stdout) < 0 ? 69 : 0);
        else
            exit(64);
    }
    if (optind + 1 != argc)
        usage("where? HOST:PORT");
    read_place(order, argv[optind]);
    if (order->mode == MODE_KEEP)
        order->lanes = 1;
}

/* ---- The server's memory ------------------------------------------------- */

/* Of a processor, in s; 0: not known. */
static double
time_of(long pid)
{
    char path[64];
    unsigned long user = 0;
    unsigned long kernel = 0;
    FILE *file;

    snprintf(path, sizeof(path), "/proc/%ld/stat", pid);
    file = pid == 0 ? NULL : fopen(path, "r");
    if (file == NULL)
        return 0;
    if (fscanf(file,
               "%*d %*s %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu",
               &user, &kernel) != 2)
        user = kernel = 0;
    fclose(file);
    return (double)(user + kernel) / (double)sysconf(_SC_CLK_TCK);
}

/* In KiB; 0: not known. */
static long
memory_of(long pid)
{
    char path[64];
    char line[128];
    long kib = 0;
    FILE *file;

    snprintf(path, sizeof(path), "/proc/%ld/status", pid);
    file = pid == 0 ? NULL : fopen(path, "r");
    while (file != NULL && fgets(line, sizeof(line), file) != NULL)
        if (strncmp(line, "VmRSS:", 6) == 0)
            kib = strtol(line + 6, NULL, 10);
    if (file != NULL)
        fclose(file);
    return kib;
}

/* ---- Measuring ----------------------------------------------------------- */

static int64_t
after(double seconds)
{
    return hf_now_us() + (int64_t)(seconds * 1e6);
}

static bool
is_ready(const struct load *load)
{
    unsigned ready = 0;

    if (load->order->mode != MODE_KEEP)
        return true;
    for (unsigned i = 0; i < load->order->connections; i++)
        ready += load->connections[i].kept == load->order->locks;
    return ready == load->order->connections;
}

/* A tenth to get going, and then the time that counts; its length in s. */
static double
measure(struct load *load)
{
    double seconds = load->order->seconds;
    double spent;
    int64_t begun_us;

    while (!is_ready(load))
        load_run(load, after(0.05));
    load_run(load, after(seconds / 10));
    load->measuring = true;
    begun_us = hf_now_us();
    spent = time_of(load->order->pid);
    load_run(load, after(seconds));
    load->measuring = false;
    seconds = (double)(hf_now_us() - begun_us) / 1e6;
    load->busy = (time_of(load->order->pid) - spent) / seconds;
    return seconds;
}

enum { RELEASES = 20, SETTLE_S = 2, PATIENCE_S = 120 };

/* Until the server has taken in what was sent: it is idle, where its processor
 * time is known. */
static void
settle(struct load *load, int64_t limit_us)
{
    double spent;

    if (load->order->pid == 0) {
        load_run(load, after(SETTLE_S));
        return;
    }
    do {
        spent = time_of(load->order->pid);
        load_run(load, after(0.5));
    } while (time_of(load->order->pid) - spent > 0.05 &&
             hf_now_us() < limit_us);
}

/* Until all have asked, and one was granted; each release must wake one. */
static double
measure_waiters(struct load *load)
{
    unsigned all = load->order->connections * load->order->lanes;
    int64_t limit_us = after(PATIENCE_S);

    while ((load->holder == NULL || load->waiting != all - 1) &&
           hf_now_us() < limit_us)
        load_run(load, after(0.05));
    if (load->waiting != all - 1)
        work_fail("only %u of %u wait", load->waiting, all - 1);
    settle(load, limit_us);
    load->measuring = true;
    for (int i = 0; i < RELEASES; i++) {
        uint64_t before = load->times.count;

        load->released_us = hf_now_us();
        work_release(load->holder);
        load_write(load->holder->connection);
        for (int k = 0; k < 500 && load->times.count == before; k++)
            load_run(load, after(0.01));
        load_run(load, after(0.1)); /* another would be seen */
        if (load->times.count != before + 1)
            work_fail("a release has woken %" PRIu64,
                      load->times.count - before);
    }
    load->measuring = false;
    return 1;
}

static void
print(const struct load *load, double seconds, long before_kib, long after_kib)
{
    const struct order *order = load->order;
    double rate = (double)load->done / seconds;
    const struct times *t = &load->times;

    printf(order->json
               ? "{\"mode\":\"%s\",\"connections\":%u,\"lanes\":%u,"
                 "\"per_s\":%.0f,\"p50_us\":%" PRId64 ",\"p90_us\":%" PRId64
                 ",\"p99_us\":%" PRId64 ",\"p999_us\":%" PRId64
                 ",\"before_kib\":%ld,\"after_kib\":%ld,\"busy\":%.3f}\n"
               : "%-10s %6u x %-6u %9.0f /s   p50 %6" PRId64
                 " us   p90 %6" PRId64 "   p99 %6" PRId64 "   p99.9 %6" PRId64
                 "   %ld -> %ld KiB, %.3f of a core\n",
           mode_names[order->mode], order->connections, order->lanes, rate,
           times_at(t, 0.5), times_at(t, 0.9), times_at(t, 0.99),
           times_at(t, 0.999), before_kib, after_kib, load->busy);
}

int
main(int argc, char **argv)
{
    static struct load load;
    struct order order = {
        .mode = MODE_PAIRS,
        .connections = 16,
        .lanes = 1,
        .locks = 1000,
        .seconds = 3,
    };
    double seconds;
    long before_kib;

    read_options(&order, argc, argv);
    before_kib = memory_of(order.pid);
    load_open(&load, &order);
    seconds =
        order.mode == MODE_WAITERS ? measure_waiters(&load) : measure(&load);
    print(&load, seconds, before_kib, memory_of(order.pid));
    load_close(&load);
    return 0;
}

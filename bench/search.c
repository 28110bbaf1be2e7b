#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/check.h"
#include "base/clock.h"
#include "tale/specimen/specimens.h"

/*
 * bench_search [ROUNDS [STATES [PAN]]]: how fast specimens are searched, and
 * in how much memory: at most so many states of each, and as often as there
 * are rounds, in turn.  PAN, a program that SPIN has made of an equivalent
 * model, is run after the first of them.
 *
 * Each search has a process of its own, so that its peak memory is its own.
 * The rate is that of one core: states by the processor time the whole process
 * took, which another's work on the machine lengthens less than the time that
 * passes.
 *
 * It fails when a state costs more memory than itself and 16 bytes, or more
 * than a GiB in 5 million.
 */

enum {
    ROUNDS = 5,
    ROUNDS_MAX = 99,
    STATES = 5000000,
    BESIDE_STATE = 16, /* bytes */
    /* The program itself, and what the search has for any number of states. */
    APART_MIB = 16,
};

struct search {
    const char *specimen;
    unsigned workers;
    unsigned faults;
    const char *setting; /* or NULL */
    const char *about;
};

static const struct search searches[] = {
    {"draft4", 4, 1, NULL, "a key, writes take time"},
    {"redlock-clock-jump", 3, 1, NULL, "five nodes"},
    {"draft3", 2, 1, "on=riak", "the simulated Riak"},
};

enum { SEARCHES = sizeof(searches) / sizeof(searches[0]), SPIN = SEARCHES };

/* One run of a search, or of SPIN's. */
struct run {
    uint64_t states;
    uint64_t bytes; /* that the search says it uses; 0: it does not say */
    uint64_t state_size;
    double seconds;    /* that passed */
    double core;       /* seconds of a processor */
    uint64_t peak_kib; /* of the process */
};

static double
seconds_of(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

static double
now(void)
{
    return (double)hf_now().ms / 1e3;
}

/* ---- One run ------------------------------------------------------------- */

/* In a process of its own. */
static void
search(const struct search *what, uint64_t states, int to)
{
    const struct specimen *specimen = specimens_find(what->specimen);
    struct specimen_run run = specimen_run_of(specimen, what->workers);
    struct explore_limits limits = {.faults = what->faults,
                                    .states_max = states};
    struct explore_system system;
    struct explore_report report;
    struct run result;
    const char *why;

    /* Nothing is looked for, so that nothing ends the search. */
    run.only = "";
    HF_CHECK(what->setting == NULL || specimen_set(&run, what->setting, &why));
    system = specimen_system(&run);
    HF_CHECK(explore_all(&system, &limits, &report));
    result = (struct run){
        .states = report.states,
        .bytes = report.bytes,
        .state_size = system.state_size,
    };
    HF_CHECK(write(to, &result, sizeof(result)) == sizeof(result));
    _exit(0);
}

/* What SPIN's program prints, as far as we want it. */
static void
read_spin(FILE *from, struct run *run)
{
    char line[256];

    while (fgets(line, sizeof(line), from) != NULL) {
        double number;

        if (sscanf(line, "%lf states, stored", &number) == 1 &&
            strstr(line, "states, stored") != NULL)
            run->states = (uint64_t)number;
        if (sscanf(line, "State-vector %lf byte", &number) == 1)
            run->state_size = (uint64_t)number;
    }
}

static void
run_spin(const char *pan, int to)
{
    HF_CHECK(dup2(to, STDOUT_FILENO) >= 0);
    execl(pan, pan, (char *)NULL);
    _exit(127);
}

static struct run
measure(unsigned which, uint64_t states, const char *pan)
{
    double started = now();
    struct run run = {0};
    struct rusage usage;
    FILE *from;
    int ends[2];
    int status;
    pid_t child;

    HF_CHECK(fflush(stdout) == 0 && pipe(ends) == 0);
    child = fork();
    HF_CHECK(child >= 0);
    if (child == 0) {
        close(ends[0]);
        if (which == SPIN)
            run_spin(pan, ends[1]);
        search(&searches[which], states, ends[1]);
    }
    close(ends[1]);
    from = fdopen(ends[0], "r");
    HF_CHECK(from != NULL);
    if (which == SPIN)
        read_spin(from, &run);
    else
        HF_CHECK(fread(&run, sizeof(run), 1, from) == 1);
    fclose(from);
    HF_CHECK(wait4(child, &status, 0, &usage) == child);
    HF_CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0 && run.states > 0);
    run.seconds = now() - started;
    run.core = seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
    run.peak_kib = (uint64_t)usage.ru_maxrss;
    return run;
}

/* ---- All of them --------------------------------------------------------- */

static int
compare(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Million states a second of a core: the least, the median, the most. */
struct rates {
    double least, median, most;
    double seconds; /* that passed, the median */
};

static struct rates
rates_of(const struct run *runs, unsigned rounds)
{
    double rate[ROUNDS_MAX];
    double seconds[ROUNDS_MAX];

    for (unsigned i = 0; i < rounds; i++) {
        rate[i] = (double)runs[i].states / runs[i].core / 1e6;
        seconds[i] = runs[i].seconds;
    }
    qsort(rate, rounds, sizeof(rate[0]), compare);
    qsort(seconds, rounds, sizeof(seconds[0]), compare);
    return (struct rates){rate[0], rate[rounds / 2], rate[rounds - 1],
                          seconds[rounds / 2]};
}

static double
mib(uint64_t bytes)
{
    return (double)bytes / (1 << 20);
}

static struct rates
print_row(const char *name, unsigned workers, unsigned faults,
          const struct run *runs, unsigned rounds)
{
    struct rates rates = rates_of(runs, rounds);
    const struct run *run = &runs[0]; /* they differ in time alone */
    double peak = (double)run->peak_kib * 1024;

    printf("%-28s %u %u %10" PRIu64 " %5" PRIu64 " %6.1f %6.2f %5.2f..%-5.2f ",
           name, workers, faults, run->states, run->state_size, rates.seconds,
           rates.median, rates.least, rates.most);
    if (run->bytes == 0)
        printf("%7s", "-");
    else
        printf("%7.1f", (double)run->bytes / (double)run->states);
    printf(" %7.0f %7.1f\n", mib((uint64_t)peak), peak / (double)run->states);
    return rates;
}

static bool
is_small(const struct search *what, const struct run *run)
{
    double states = (double)run->states;
    double most = (double)(run->state_size + BESIDE_STATE);
    double peak = mib(run->peak_kib * 1024) - APART_MIB;
    bool small =
        (double)run->bytes <= states * most && peak <= states / STATES * 1024;

    if (!small)
        printf("%s needs too much memory\n", what->specimen);
    return small;
}

static bool
print_all(struct run (*runs)[ROUNDS_MAX], unsigned rounds, bool spin)
{
    struct rates first = {0};
    bool good = true;

    printf("%-28s %s %s %10s %5s %6s %6s %-12s %7s %7s %7s\n", "specimen", "w",
           "f", "states", "bytes", "s", "M/s", "least..most", "B/state", "MiB",
           "B/state");
    for (unsigned i = 0; i < SEARCHES; i++) {
        struct rates rates;
        char name[64];

        snprintf(name, sizeof(name), "%s%s%s", searches[i].specimen,
                 searches[i].setting == NULL ? "" : " ",
                 searches[i].setting == NULL ? "" : searches[i].setting);
        rates = print_row(name, searches[i].workers, searches[i].faults,
                          runs[i], rounds);
        good = is_small(&searches[i], &runs[i][0]) && good;
        if (i > 0 || !spin)
            continue;
        first = print_row("  SPIN, breadth first", searches[i].workers,
                          searches[i].faults, runs[SPIN], rounds);
        printf("  %.1f times as fast as SPIN, in %.2f of its memory\n",
               rates.median / first.median,
               (double)runs[i][0].peak_kib / (double)runs[SPIN][0].peak_kib);
    }
    puts("w: workers, f: faults; bytes: of a state; s: seconds that passed; "
         "M/s: million\nstates a second of a core, the median; B/state: all "
         "memory of the search; MiB: the\npeak of the process, and that by "
         "states.");
    return good;
}

static unsigned long
number_of(const char *text, unsigned long most)
{
    unsigned long number = strtoul(text, NULL, 10);

    if (number >= 1 && number <= most)
        return number;
    fputs("usage: bench_search [ROUNDS [STATES [PAN]]]\n", stderr);
    exit(64);
}

int
main(int argc, char **argv)
{
    static struct run runs[SEARCHES + 1][ROUNDS_MAX];
    unsigned rounds =
        argc > 1 ? (unsigned)number_of(argv[1], ROUNDS_MAX) : ROUNDS;
    uint64_t states = argc > 2 ? number_of(argv[2], 1000000000) : STATES;
    const char *pan = argc > 3 ? argv[3] : NULL;

    for (unsigned round = 0; round < rounds; round++)
        for (unsigned which = 0; which < SEARCHES; which++) {
            runs[which][round] = measure(which, states, NULL);
            if (which == 0 && pan != NULL)
                runs[SPIN][round] = measure(SPIN, states, pan);
        }
    return print_all(runs, rounds, pan != NULL) ? 0 : 1;
}

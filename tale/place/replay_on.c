#include "tale/place/replay_on.h"

#include <stdio.h>

#include "explore/program.h"
#include "explore/verdict.h"
#include "tale/place/locks_sqlite.h"
#include "tale/run.h"

/* The schedule of the line, if it is one for a database; else -1. */
static int
parse(const char *line, struct specimen_run *run,
      uint16_t schedule[RUN_SCHEDULE_MAX], const char **why)
{
    int count = run_parse(line, run, schedule, why);

    if (count < 0)
        return -1;
    *why = "this specimen has no table of locks";
    return run->specimen->locks == NULL ? -1 : count;
}

static void
print_end(const struct told *told, unsigned first, const char *violated)
{
    for (unsigned i = first; i < told->count; i++)
        printf("%3u. %s.\n", told->events[i].number, told->events[i].sentence);
    if (violated != NULL)
        printf("     broken: %s\n", violated);
    puts("     the database agreed at every step");
}

int
replay_on(const char *line, const char *place)
{
    static struct told told;
    static struct locks_sqlite database;
    struct specimen_run run;
    uint16_t schedule[RUN_SCHEDULE_MAX];
    struct hf_error error;
    enum hf_status status;
    const char *violated;
    const char *why;
    bool valid;
    int count = parse(line, &run, schedule, &why);

    if (count < 0) {
        program_complain("cannot replay '%.60s': %s", line, why);
        return EXIT_USAGE;
    }
    specimen_tell(&run, schedule, (size_t)count, &told, &valid);
    if (!valid)
        return verdict_print_replay(
            &(struct verdict_replay){.steps = told.steps}, (size_t)count);
    status = locks_sqlite_open(&database, place, stdout, &error);
    if (status != HF_OK) {
        program_complain("%s", error.text);
        return hf_status_exit(status);
    }
    violated = specimen_tell_on(&run, schedule, (size_t)count, &told, &valid,
                                &database.place);
    locks_sqlite_close(&database);
    if (database.place.stopped)
        return database.differs ? EXIT_FINDING : EXIT_UNAVAILABLE;
    print_end(&told, database.told, violated);
    return 0;
}

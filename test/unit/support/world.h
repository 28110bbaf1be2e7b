#ifndef HF_TEST_WORLD_H
#define HF_TEST_WORLD_H

#include "core/contender.h"
#include "core/examiner.h"
#include "support/model_store.h"

/*
 * World: some hosts, processes that contend for one lock, a store between them
 * that loses, delays and repeats, and a person who clears.  All of it follows
 * from a seed.  After every event the promises (promises.h) are looked at.
 *
 * Time in the world is in microseconds; each host has a clock of its own, in
 * milliseconds, that starts anywhere and runs up to 2.5 % fast or slow.
 */

enum {
    WORLD_HOSTS = 3,
    WORLD_SEATS_MAX = 4,
    WORLD_PROCS_MAX = 400,
    WORLD_FLIGHTS_MAX = 16384,
    WORLD_HISTORY_MAX = 8192,
    WORLD_IDS_MAX = 2048,
    WORLD_LINES = 80, /* of the story that a broken promise prints */
};

struct world_options {
    uint64_t seed;
    bool refuse;   /* contenders of HF_REFUSE may come */
    bool takeover; /* contenders of HF_TAKEOVER may come */
    bool faults;   /* the store loses and delays, processes die */
    bool clears;   /* a person clears what looks dead */
    bool force;    /* and sometimes without looking */
    bool prints;   /* every event and effect, on stdout */
};

enum world_life {
    WORLD_UP,
    WORLD_CRASHED,
    WORLD_EXITED, /* after its machine ended */
};

struct world_proc {
    enum world_life life;
    bool examiner;
    struct hf_contender contender;
    struct hf_examiner person;
    size_t host;
    int64_t frozen_until_us;
    int64_t timer_us;
    bool abandoned;
    bool robbed;      /* cleared by force while it may have held */
    bool left_record; /* a record of its stood when it died, or came later */
    bool lost;        /* it was told, by check or by news */
    int64_t robbed_us;
    int64_t bare_us;         /* when somebody else removed its record */
    int64_t applied_sent_ms; /* its clock: last write applied in the store */
    int64_t sure_right_ms;   /* its clock: right that it must know of */
    uint64_t last_number;    /* of its questions */
    int64_t last_sent_ms;
    bool last_write;
    bool last_open;
};

/* A question on its way to the store. */
struct world_flight {
    struct hf_request request;
    size_t proc;
    int64_t sent_ms; /* its clock */
    bool open;       /* may still reach the store */
    bool answers;    /* and then says what happened */
};

enum world_event_kind {
    WORLD_REACHES, /* a flight reaches the store */
    WORLD_ARRIVES, /* an event reaches a process */
    WORLD_STIRS,   /* something happens to somebody */
};

struct world_event {
    int64_t at_us;
    uint64_t order;
    enum world_event_kind kind;
    size_t flight;
    size_t proc;
    struct hf_event event;
};

/* What one version of the lock's key was. */
struct world_history {
    int64_t born_us;
    int64_t died_us; /* INT64_MAX: it stands */
    size_t owner;    /* SIZE_MAX: no record, or nobody's */
};

/* One line of the story: an event, an effect, or an action of the world's. */
struct world_line {
    int64_t at_us;
    size_t proc;
    bool is_effect;
    const char *action;
    struct hf_event event;
    struct hf_effect effect;
};

struct world_host {
    int64_t offset_ms;
    int64_t rate_ppm;
    int64_t cut_until_us; /* nothing gets through as it should */
};

struct world {
    struct world_options options;
    uint64_t random;
    int64_t now_us;
    int64_t quiet_us; /* from here on nothing fails any more */
    int64_t late_us;  /* and from here on nothing late applies */
    int64_t end_us;
    bool sweeping; /* a person clears what is left */
    bool over;     /* and nothing is */
    size_t last;   /* the last contender; 0 before it came */
    size_t grants_before_last;
    unsigned fault_permille;
    struct world_host hosts[WORLD_HOSTS];
    struct model_store store;
    uint64_t base; /* the first version */
    struct world_history history[WORLD_HISTORY_MAX];
    struct world_proc procs[WORLD_PROCS_MAX];
    size_t procs_count;
    size_t seats[WORLD_SEATS_MAX];
    size_t seats_count;
    struct world_flight flights[WORLD_FLIGHTS_MAX];
    size_t flights_count;
    struct world_event heap[WORLD_FLIGHTS_MAX];
    size_t heap_count;
    uint64_t order;
    struct {
        uint64_t id;
        size_t proc;
    } ids[WORLD_IDS_MAX];
    size_t ids_count;
    struct world_line lines[WORLD_LINES]; /* the last ones, in a ring */
    size_t lines_count;                   /* all there were */
    uint64_t highest_granted;
    uint64_t highest_written; /* fence at the protected resource */
    size_t grants;            /* how much was seen, for the tests' sake */
    size_t takeovers;
    size_t losses;
    size_t doubts;
    size_t clears;
};

/* Run one world to its end. */
void world_run(struct world *w, const struct world_options *options);

/* A number below `limit`, and true in `permille` of 1000 cases. */
uint64_t world_draw(struct world *w, uint64_t limit);
bool world_chance(struct world *w, unsigned permille);

int64_t world_draw_us(struct world *w, int64_t limit_us);

/* Does nothing fail any more? */
bool world_is_quiet(const struct world *w);

/* The clock of a process. */
struct hf_instant world_clock(const struct world *w,
                              const struct world_proc *p);

/* Whose claim an id is; SIZE_MAX when nobody's. */
size_t world_owner(const struct world *w, uint64_t id);

/* Who owns the record that stands; SIZE_MAX when there is none. */
size_t world_holder(const struct world *w);

/* Does the process hold, as far as its own clock and machine say? */
enum hf_outcome world_check(const struct world *w, const struct world_proc *p);

/* Let a process come; returns its number. */
size_t world_add_contender(struct world *w,
                           const struct hf_contender_config *config);
size_t world_add_person(struct world *w,
                        const struct hf_examiner_config *config);

/* Step a process with an event of this kind, now. */
void world_step(struct world *w, size_t proc, struct hf_event event);

/* Let it reach the process after a while. */
void world_arrive(struct world *w, size_t proc, struct hf_event event,
                  int64_t after_us);

/* It dies, or exits; whoever watches it on its host may see that at once. */
void world_end_process(struct world *w, size_t proc, enum world_life life);

/* It stands still for a while, sometimes for longer than its ttl. */
void world_freeze(struct world *w, size_t proc);

/* Let something happen at its at_us. */
void world_push(struct world *w, struct world_event event);

/* A question leaves a process, and reaches the store (world_store.c). */
void world_send(struct world *w, size_t proc, const struct hf_request *request);
void world_reach(struct world *w, size_t flight);

/* Ask for the next WORLD_STIRS. */
void world_random_event_after(struct world *w, int64_t after_us);

/* Purge the store. */
void world_purge(struct world *w);

/* What happens to whom (world_random.c). */
void world_random_event(struct world *w);

/* Keep a line for the story (world_trace.c), or print it at once. */
void world_note(struct world *w, struct world_line line);

/* Print the last lines, and how to see all of them. */
void world_tell(const struct world *w);

/* A promise was broken: print which, and abort. */
_Noreturn void world_broken(struct world *w, const char *promise);

#define PROMISE(w, condition, promise)                                         \
    ((condition) ? (void)0 : world_broken((w), (promise)))

#endif

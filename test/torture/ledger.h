#ifndef HF_TORTURE_LEDGER_H
#define HF_TORTURE_LEDGER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Ledger: what the commands of the torture leave behind, in three files of one
 * folder, for the judge and the driver.
 *
 *   notes   one record for each thing that happens in a section, appended: the
 *           kernel orders appends, so the order of the notes is the order of
 *           events, whatever any clock says
 *   vault   the shared resource: a counter that each section reads and writes,
 *           both under its fence; a fence below one already seen is refused
 *   words   a pipe to the driver; the only one of the three for kills
 *
 * Records are appended whole, also by a process that is killed meanwhile: they
 * never cross a page.
 */

enum ledger_kind {
    LEDGER_ENTER,
    LEDGER_TICK,     /* still at work */
    LEDGER_EXIT,     /* its write is in the vault */
    LEDGER_FROZEN,   /* it is about to be frozen past its right */
    LEDGER_REFUSED,  /* the vault refused its fence */
    LEDGER_SURVIVED, /* it was not killed, and should have been */
    LEDGER_MISLED,   /* the lock said held after a freeze past its right */
};

struct ledger_note {
    uint64_t fence;
    int64_t at_ms; /* CLOCK_BOOTTIME, as this process sees it; for people */
    uint32_t seq;
    int32_t pid;
    uint16_t competitor;
    uint16_t kind; /* enum ledger_kind */
    uint32_t unused;
};

struct ledger_write {
    uint64_t fence;
    uint64_t counter;
    uint32_t competitor;
    uint32_t seq;
    uint32_t done; /* the section's write; 0: only its read */
    uint32_t unused;
};

enum ledger_word_kind {
    LEDGER_DONE,     /* a section's write is in the vault */
    LEDGER_STOPPING, /* frozen: the processes that have stopped, or will now */
    LEDGER_THAWED,   /* its command went on, and tried to write */
    LEDGER_BEGINS,   /* kills: it has the file of its lock for itself */
    LEDGER_OVERLAPS, /* kills: another has it: two run at once */
    LEDGER_ENDS,     /* kills: of itself; nothing of it is left in a moment */
};

struct ledger_word {
    uint64_t fence;
    uint32_t kind; /* enum ledger_word_kind */
    uint32_t competitor;
    uint32_t seq;    /* the section; of kills the round */
    int32_t pids[3]; /* the command's, its guard's, its holdfast's; 0: none */
};

struct ledger {
    int notes;
    int vault;
    int words;
    uint64_t fence; /* of the section at work */
    uint64_t counter;
    uint32_t competitor;
    uint32_t seq;
};

/* Make the three files in `folder`, empty; the driver's.  The descriptor that
 * reads the words, or -1 and errno. */
int ledger_make(const char *folder);

/* Open them.  False and errno. */
bool ledger_open(struct ledger *ledger, const char *folder);

/* Append a note about the section at work. */
void ledger_note(const struct ledger *ledger, enum ledger_kind kind);

/* Read the counter under the fence, then write it, one higher: false when the
 * fence was refused, which is noted. */
bool ledger_read(struct ledger *ledger);
bool ledger_write(struct ledger *ledger);

/* Tell the driver. */
void ledger_tell(const struct ledger *ledger, enum ledger_word_kind kind,
                 const pid_t *pids);

#endif

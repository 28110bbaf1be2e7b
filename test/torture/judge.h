#ifndef HF_TORTURE_JUDGE_H
#define HF_TORTURE_JUDGE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Judge: reads what the sections left in the ledger, and finds every breach.
 *
 *   never two at once   in the order of the notes, fences never fall: whoever
 *                       is at work after one with a higher fence was, overlaps
 *                       with it
 *   never out of order  in the vault, fences never fall, and no fence was
 *                       refused
 *   none is lost        each section's write is in the vault, and each write
 *                       counts on from the one before
 *
 * Sections that were frozen past their right may overlap, and are refused;
 * where `spare_frozen` is false, not even those.
 */
struct judge_case {
    const char *folder;
    uint32_t competitors;
    uint32_t sections; /* of each competitor */
    bool spare_frozen;
};

struct judge_found {
    uint64_t notes;
    uint64_t writes;   /* in the vault, by sections that are done */
    uint64_t frozen;   /* sections frozen past their right */
    uint64_t refused;  /* of those, how many the vault refused */
    uint64_t breaches; /* each is printed, up to the twentieth */
};

/* Judge; false when the ledger cannot be read. */
bool judge(const struct judge_case *what, struct judge_found *found);

/* Is the history that was written in that folder consistent?  If not, says why:
 * test/history. */
bool judge_history(const char *folder);

/* Whatever died last, the lock can be had: at once, or once it was cleared.  If
 * not, says so.  HOLDFAST_AT is the place. */
bool judge_lock(const char *name);

#endif

#ifndef HF_CORE_LOCKSPACE_LINE_H
#define HF_CORE_LOCKSPACE_LINE_H

#include "core/lockspace/parts.h"

/*
 * Line: who holds a name and who waits for it, in order [W1].
 *
 * A claim has a part for each of its names.  While it is in line it has one
 * place in the line of each; a part is *clear* when nothing of that name is in
 * its way: no grant of another lane that conflicts, and no earlier part that
 * does, be its owner parked or not.  A claim none of whose parts is blocked may
 * go; those that wait for nothing else are in the list `ready`.
 *
 * Once clear a part stays clear: only what is earlier could block it, and
 * nothing ever enters before it.  So each part is passed a bounded number of
 * times, however many stand in its line.
 *
 * Who only waits until its names are free is in no line: see onlookers.h.
 *
 *   ASKED ---enter---> WAITING ---grant---> HELD
 *     |  \_______________|__________________^  |
 *     |                  |                     |
 *     +------leave-------+-----> no parts <----+ give_back
 */

/* How often, and how, a lane holds a name.  By two grants at most [W7]. */
struct hf_line_hold {
    uint32_t count;
    bool exclusive;
};
struct hf_line_hold hf_line_hold(struct hf_lockspace *ls, uint32_t lane,
                                 uint32_t number);

/* The parts of these grants, beginning after `after` (0: the first); 0: no
 * more. */
uint32_t hf_line_next_hold(struct hf_lockspace *ls, uint32_t lane,
                           uint32_t number, uint32_t after);

/* Add a name to a claim that is ASKED; false: no room. */
bool hf_line_attach(struct hf_lockspace *ls, uint32_t number, uint32_t name,
                    enum hf_mode mode);

/* Would a claim that is ASKED be blocked if it were in line? */
bool hf_line_in_way(struct hf_lockspace *ls, uint32_t number);

/* Is a claim that is ASKED blocked by parked places only?  A long line is not
 * searched: false.  *kept grows to the longest of their graces. */
bool hf_line_parked_alone(struct hf_lockspace *ls, uint32_t number,
                          struct hf_duration *kept);

/* Does another claim wait for one of its names?  The claim is ASKED. */
bool hf_line_waited_for(struct hf_lockspace *ls, uint32_t number);

/* ASKED to WAITING: at the end of each of its lines. */
void hf_line_enter(struct hf_lockspace *ls, uint32_t number);

/* Leave all lines and free the parts.  From WAITING or ASKED. */
void hf_line_leave(struct hf_lockspace *ls, uint32_t number);

/* Become HELD: from WAITING if nothing blocks it, or from ASKED if nothing
 * would. */
void hf_line_grant(struct hf_lockspace *ls, uint32_t number);

/* Prefetch: the claim will be given back soon. */
void hf_line_fetch(const struct hf_lockspace *ls, uint32_t number);

/* From HELD: hold nothing and free the parts. */
void hf_line_give_back(struct hf_lockspace *ls, uint32_t number);

/* Make one exclusive part of a HELD claim shared. */
void hf_line_lower(struct hf_lockspace *ls, uint32_t number);

/* Its lane became WAITING, or stopped to wait: put it into `ready` or the list
 * of the name that keeps it, or take it out. */
void hf_line_enlist(struct hf_lockspace *ls, uint32_t number);
void hf_line_delist(struct hf_lockspace *ls, uint32_t number);

#endif

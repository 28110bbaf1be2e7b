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

/* How does a lane hold a name?  By two grants at most [W7]. */
struct hf_line_hold {
    uint32_t count;
    bool exclusive;
};
struct hf_line_hold hf_line_hold(struct hf_lockspace *ls, uint32_t lane,
                                 uint32_t number);

/* The parts of these grants, whichever else the lane has: the first after 0.
 * 0: there is no other. */
uint32_t hf_line_next_hold(struct hf_lockspace *ls, uint32_t lane,
                           uint32_t number, uint32_t after);

/* Give a claim that is ASKED one more name; false: no room for it. */
bool hf_line_attach(struct hf_lockspace *ls, uint32_t number, uint32_t name,
                    enum hf_mode mode);

/* Would any part of a claim that is ASKED be blocked, were it in line? */
bool hf_line_in_way(struct hf_lockspace *ls, uint32_t number);

/* Are all that are in its way places that are parked?  Where they are many, it
 * is not looked.  *kept grows to the longest grace of those that were. */
bool hf_line_parked_alone(struct hf_lockspace *ls, uint32_t number,
                          struct hf_duration *kept);

/* Does anybody else wait for one of its names?  It is ASKED. */
bool hf_line_waited_for(struct hf_lockspace *ls, uint32_t number);

/* ASKED to WAITING: a place at the end of each line. */
void hf_line_enter(struct hf_lockspace *ls, uint32_t number);

/* WAITING or ASKED: out of all lines, and its parts are gone. */
void hf_line_leave(struct hf_lockspace *ls, uint32_t number);

/* WAITING and not blocked, or ASKED and nothing is in the way: HELD. */
void hf_line_grant(struct hf_lockspace *ls, uint32_t number);

/* It will be given back soon. */
void hf_line_fetch(const struct hf_lockspace *ls, uint32_t number);

/* HELD: holds nothing any more, and its parts are gone. */
void hf_line_give_back(struct hf_lockspace *ls, uint32_t number);

/* One exclusive part of a claim that is HELD becomes shared. */
void hf_line_lower(struct hf_lockspace *ls, uint32_t number);

/* Its lane is WAITING again, or not any more: in the list `ready`, or that of a
 * name that keeps it, if nothing blocks it; or out of it. */
void hf_line_enlist(struct hf_lockspace *ls, uint32_t number);
void hf_line_delist(struct hf_lockspace *ls, uint32_t number);

#endif

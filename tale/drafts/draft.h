#ifndef TALE_DRAFTS_DRAFT_H
#define TALE_DRAFTS_DRAFT_H

#include "tale/drafts/draft_key.h"
#include "tale/drafts/draft_say.h"

/*
 * Draft: the tale's drafts are numbered sequences, and so is each of these: a
 * text of numbered lines, which every worker goes through once.
 *
 * An answer is looked at when it comes: a line that moves on is no step of its
 * own.  A worker whose write answers an error does not know whether it
 * happened, and moves on; so does one whose read does, and one whose re-read
 * finds no lock.
 *
 * Resurrection: a read that was sent after a remove had succeeded shows what
 * was removed.  A worker writes its ID in one line alone.
 */

/* The functions of a specimen whose `text` is a struct draft. */
void draft_start(const struct specimen_run *run, void *state);
bool draft_act(struct scene *scene, void *state, unsigned actor,
               unsigned choice);
unsigned draft_moves(const struct specimen_run *run, const void *state,
                     struct specimen_move moves[SPECIMEN_MOVES_MAX]);

/* What the drafts are told of: the store, and its words. */
extern const struct specimen_term draft_terms[];

/* What all drafts have in common. */
#define DRAFT_SPECIMEN                                                         \
    .source = "Locks, a cautionary tale", .terms = draft_terms,                \
    .line = draft_line_of, .workers = 2, .settings = draft_settings,           \
    .size = sizeof(struct draft_state), .size_of = draft_size_of,              \
    .check = draft_check, .moves = draft_moves,                                \
    .choices = DRAFT_CHOICES + KEY_STEPS_MAX, .start = draft_start,            \
    .act = draft_act, .show = draft_show, .is_left = draft_is_left

#endif

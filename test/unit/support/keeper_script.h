#ifndef HF_TEST_KEEPER_SCRIPT_H
#define HF_TEST_KEEPER_SCRIPT_H

#include "core/keeper.h"
#include "unit/support/core_script.h"
#include "unit/support/events.h"

/*
 * A keeper by script: of a takeover lock, unless it begins with "start refuse".
 * Its right lasts 750 ms from the sending, a call 200 ms, a beat every 200; its
 * claim has the id 5.  Situations:
 *
 *     claiming      claimed v7 at 0 with #1, and no answer came yet
 *     holding       was granted v8 at 50; the beat #2 is due at 200
 *     confirming    the record is its own at v8, its right is over, and the
 *                   beat #2 is out
 *
 * Events are those of core_script.h, and "mark" and "back": back to the mark,
 * to go on from there once more.  Facts: state, token, version, count, right,
 * deadline.
 */
extern const struct script_machine keeper_script;

#define STORY(name, text) SCRIPT(&keeper_script, name, text)
#define PLAY(text)        SCRIPT_PLAY(&keeper_script, text)
#define PLAY_ON(text)     SCRIPT_PLAY_ON(&keeper_script, text)

/* For a test in C: the keeper that was played last, and an event more, with
 * what came of it. */
extern struct hf_keeper scripted_keeper;
const char *keeper_gives(struct hf_event event);

#endif

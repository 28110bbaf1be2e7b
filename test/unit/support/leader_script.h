#ifndef HF_TEST_LEADER_SCRIPT_H
#define HF_TEST_LEADER_SCRIPT_H

#include "core/leader.h"
#include "unit/support/core_script.h"

/*
 * A leader by script.  A right lasts 750 ms from the sending, an idle leader
 * beats every 200; "start max 3000" makes one that promises a ttl of 3 s at
 * most.  Its owner has a batch ready at every time, numbered from 1, and gives
 * 10 fences in each; or none, from "idle" to "busy".  Situations:
 *
 *     seeking     its first look, #1, is out since 0
 *     claiming    found a head at v7 of which no node leads, whose next fence
 *                 is 50, and claims it at 0
 *     leading     leads in term 8, since 20; the next question is #3
 *
 * and of one that promises "promising"; "promising, leading", in service 7
 * where nothing was lost; and "promising, following": saw the head of another
 * at v9, of service 7.  Events are those of core_script.h, and
 *
 *     50 seek
 *     loaded 5000                 the longest ttl of a session
 *     10 head #2 v9 6_4 led fence 60     see core_script.h
 *     mark, back
 *
 * Facts: state, fence, grace, max, service; put-service, put-served and
 * put-begun, of the head that was put last.
 */
extern const struct script_machine leader_script;

#define STORY(name, text) SCRIPT(&leader_script, name, text)

#endif

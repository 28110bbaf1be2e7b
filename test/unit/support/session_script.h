#ifndef HF_TEST_SESSION_SCRIPT_H
#define HF_TEST_SESSION_SCRIPT_H

#include "support/script.h"
#include "unit/support/client_fixture.h"

/*
 * The session of client_fixture.h by script: a takeover session, unless it
 * begins with "start refuse, silence 60000", or one of the two; it is 1,000.
 * Situations:
 *
 *     holding         wish 1 was granted 101 in term 7 of node 1
 *     holding three   and wish 2 102, and wish 3 103
 *     holding of two  holding, of service 10; and node 2 is of another
 *
 * Events:
 *
 *     want 1, until-free, try, wait 1000, patience 200, fail-suspected, label 3
 *     release 1                          leave 1; change 1, index 0; end
 *     hear #2 granted 101                what the server says on a stream
 *     hear #3 alive, holds 101 103, revoked 102, summed
 *     hear #2 over held, by beating refuse, since 0
 *     hear #3 term 8, pause 500          page 101, too, tells a fence
 *     hear #2 later, grace 100, cause place
 *     hear #1 opened, blocking 6000, service 10
 *     hear #2 not-leading, leader 3
 *     stream-ends 2                      cut 2: with its connection
 *     sees 1 beating refuse, since 0     until 0, unless said;
 *                                        place until 2001; unknown
 *     services 10 11 10 differ           of its three nodes; one, unheard, two
 *     clock 2000                         at 2000: nothing is told
 *     holds 1 at 11500                   of which comes the answer, as of
 *                                        may-ask 2, a node, and waits 1
 *
 * An alive holds what the session believes in, unless said; each answer may
 * have term 8.  Facts: right, deadline, settled, at-rest, room,
 * over, seen.
 */
extern const struct script_machine session_script;

#define STORY(name, text) SCRIPT(&session_script, name, text)

#endif

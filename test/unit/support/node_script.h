#ifndef HF_TEST_NODE_SCRIPT_H
#define HF_TEST_NODE_SCRIPT_H

#include "core/node.h"
#include "support/script.h"

/*
 * A node by script: of the lockspace of server_fixture.h, with a ttl of 1 s and
 * a beat of 200 ms; it rests for 500 ms.  "start grace 500" is one with a grace
 * after a takeover.  Situations:
 *
 *     following    looks at the head, with #1, since 0
 *     loading      leads since 20, in term 8, on v7's fence of 50; #3 is next
 *     serving      session 1 was loaded, of 10 s, with a grant of A, fence 30
 *
 * Events are the answers and heads of core_script.h, and
 *
 *     40 acquire B on 11, lane 2, waited 60000    of session 1; and "try"
 *     40 keep-alive 1 on 12             of that session
 *     30 load-session 1, ttl 500, from 300, term 8
 *     30 load-grant 30 A of 1, lane 2, term 8
 *     30 loaded, wall 1000, term 8      load-failed
 *     40 clock, read 30                 start, stop, turn
 *     40 grace                          of which comes how long it is; as of
 *                                       "waits A", how long the first does
 *
 * The end of a turn is behind each, after "long-turns" only where it is said.
 * What is asked and told is shortened; an answer is told when it is due.
 * Facts: state, deadline, rests (for so long), alive-by.
 */
extern const struct script_machine node_script;

#define STORY(name, text) SCRIPT(&node_script, name, text)
#define PLAY(text)        SCRIPT_PLAY(&node_script, text)
#define PLAY_ON(text)     SCRIPT_PLAY_ON(&node_script, text)

/* For a test in C: a clock at its deadline, and what came of it. */
const char *node_is_due(void);

#endif

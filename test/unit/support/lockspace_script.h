#ifndef HF_TEST_LOCKSPACE_SCRIPT_H
#define HF_TEST_LOCKSPACE_SCRIPT_H

#include "support/script.h"
#include "unit/support/server_fixture.h"

/*
 * The lockspace of server_fixture.h by script: the sessions 1, 2 and 3 are
 * open, it is 1,000.  "start search 3, blocking 20000" is one of other limits;
 * "start empty" is one that loads, until "serve 1000".  Situations:
 *
 *     held            session 1 holds A, and was told
 *     polled          and gave it back; session 2 polled for it: its place is
 *                     parked for 3 s since 1,100, and it was told
 *     granted back    and gave it back; it is granted to session 2, whose
 *                     stream was cut before it was told; session 3 waits
 *     keyed           held, and session 9, of 2 s, is that of a key
 *     opened by an acquire    session 9, of 2 s, is that
 *     taken over      another leads: 1 holds A, and 2 and 3 are there; there is
 *                     a grace of 500 ms
 *     keyed and taken over    another leads: session 9, of a key or not, has B
 *
 * Events, of which the stream is that of their answer:
 *
 *     1 acquire A B:s on 11, n 2, wait 300
 *     1 release on 12                       end, keep-alive: so, too
 *     1 lower A on 12
 *     1 stream-ends on 11                   cut: with its connection
 *     1 handed, fence 101                   the request's grant, if not said
 *     1 unread
 *     clear A 101 on 12                     clear-suspected: so, too
 *     open 4, ttl 10000, refuse, of-key, of-acquire, from 70
 *     clock 2000, read 1500                 at 2000: nothing is told
 *     batch 2                               of so many operations, or 100
 *     applied 1                             refused 1: so, too
 *     begin, hold 1600                      serve, and the three sessions
 *     serve 1000, hold 1600, batch 50, age 700, served 5000
 *     load-session 9, ttl 2000, silent 300, from 4700
 *     load-grant 90 B of 9
 *
 * A message may have lane, n, attempt, term and lowest; an acquire also wait,
 * park, waited and seen, try, until-free, note WORD, and keyed, any-mode,
 * key-ttl 2000, key-refuse, key-takeover.  Facts: deadline, serving, pending.
 */
extern const struct script_machine lockspace_script;

#define STORY(name, text) SCRIPT(&lockspace_script, name, text)

#endif

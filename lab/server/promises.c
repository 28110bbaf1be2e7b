#include "lab/server/promises.h"

const struct promise server_promises[] = {
    {SERVER_OVERTAKEN, "one in line, parked or not, is passed by a conflicting "
                       "request that came later"},
    {SERVER_PLACE_LOST,
     "a client that asks again in time has lost its place in line"},
    {SERVER_GRANT_LOST, "what is held is taken from its client, which neither "
                        "gave it back nor was silent for its ttl"},
    {SERVER_TWICE_GIVEN,
     "a request whose grant was handed over is granted once more"},
    {SERVER_GHOST,
     "a client that lives holds what it does not want, or has given back"},
    {SERVER_NOT_FREED, "what a stream used that has ended, or a parked place "
                       "whose grace is over, still stands"},
    {SERVER_OTHER_END,
     "a stream ends that is not the one listened to, and something changes"},
    {SERVER_DEAD_KEPT, "a session that was silent for its ttl is still there"},
    {SERVER_SESSION,
     "a client that was heard within its ttl is told that its session is over"},
    {SERVER_UNTRUE_NO,
     "a try is refused though nothing held or earlier is in its way"},
    {SERVER_IN_VAIN,
     "one in line has nothing before it, or one that listens has no place"},
    {SERVER_DUE_AGAIN, "the machine was told the time, did nothing, and wants "
                       "to be told it again"},
    {SERVER_NOT_THERE,
     "a client is told that it holds what the machine does not know of"},
    {SERVER_OVERLAP,
     "two clients believe, by their own clocks, in grants that conflict"},
    {SERVER_FENCES, "a grant has a fence that is not above all before it, or "
                    "will be given again"},
    {SERVER_DEADLOCK,
     "a request is told that it closed a circle where there is none"},
    {SERVER_CONFLICT, "two lanes hold, at the server, what conflicts"},
    {SERVER_PARKED,
     "a request is granted while its place is parked, and nobody listens"},
    {SERVER_WITHHELD,
     "in a takeover grace a name is granted that somebody waits for"},
    {SERVER_UNSAID_NO,
     "a try that must be told no waits, or is told something else"},
    {SERVER_UNTOLD,
     "a request closes a circle that the search must find, and waits in it"},
    {SERVER_CIRCLE,
     "the circle that is told is none, or leaves out who is in it"},
    {SERVER_NOT_HELD,
     "a lane is told that it holds, or held, what it does not"},
    {SERVER_HELD_TWICE, "a lane is granted once more what it holds already"},
    {SERVER_NOT_FREE,
     "who waits until a name is free is told so when it is not"},
    {SERVER_UNTOLD_FREE,
     "who waits until a name is free is not told, or holds it then"},
    {SERVER_KEPT_OUT, "somebody is not granted what nobody holds or wants, for "
                      "the sake of who only waits until it is free"},
    {SERVER_LIMIT, "a request is refused for want of room where there is room"},
    {SERVER_BEYOND, "more stands there than a limit allows"},
    {SERVER_MODES,
     "a lane holds a name in another mode than it asked for, or lowered it to"},
    {SERVER_ORDER, "conflicting places stand in another order than they came"},
    {SERVER_ANSWER, "a message is answered something else than it must be"},
    {SERVER_STATE, "a lane is in another state than it must be"},
    {SERVER_UNRECORDED, "a client believes, by its own clock, in a grant that "
                        "the store does not name, or whose session it has not"},
    {SERVER_NOT_WRITTEN,
     "an answer goes out, and no batch that was begun after "
     "its question came is applied"},
    {SERVER_TOO_LATE, "a client is told of a grant when its deadline is over"},
    {SERVER_TOO_SOON, "a client is told that its wait is over before it is"},
    {SERVER_NOT_SEEN,
     "the end of a wait says another thing of the lock's holder than what was "
     "seen last: that it was there for all of the wait, that it is suspected, "
     "that it is gone, or none of these; or one that is gone is waited for"},
    {SERVER_OVERRIDDEN, "what a client of refuse held is gone, and it did not "
                        "give it back, and nobody cleared it"},
    {SERVER_NOT_SPARED, "a clear that is not to be at once takes a grant whose "
                        "client was heard within its ttl"},
    {SERVER_UNHEARD, "a client believes in what was cleared longer ago than "
                     "its ttl"},
    {SERVER_FORGOTTEN,
     "a lock is granted so soon after its grant was lost that "
     "whoever had it may believe in it"},
    {SERVER_UNCOUNTED, "a head says that leaders served for less than the one "
                       "says whose place it takes"},
    {SERVER_OUTLIVES,
     "the store has a session that was silent for its ttl, and for less than "
     "another before a leader loaded it, while leaders served, however many "
     "there were"},
    {SERVER_STUCK, "without further faults, somebody who lives is not granted "
                   "what nobody keeps, in time"},
    {SERVER_REMAINS, "without further faults, the store still has a grant that "
                     "everybody gave back"},
};

const unsigned server_promises_count =
    sizeof(server_promises) / sizeof(server_promises[0]);

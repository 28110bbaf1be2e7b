#ifndef LAB_SERVER_PROMISES_H
#define LAB_SERVER_PROMISES_H

#include "lab/world/promises.h"

/*
 * What a lock server promises, by the names of the properties that stand for
 * it, and what each means.
 */

#define SERVER_OVERTAKEN   "overtaken by a later request"
#define SERVER_PLACE_LOST  "a place that was lost"
#define SERVER_GRANT_LOST  "a grant that was lost"
#define SERVER_TWICE_GIVEN "granted twice, or after it was over"
#define SERVER_GHOST       "a grant, or a place, that nobody wants"
#define SERVER_NOT_FREED   "not freed when its stream ended"
#define SERVER_OTHER_END   "the end of another stream meant something"
#define SERVER_DEAD_KEPT   "a dead client's, kept beyond its ttl"
#define SERVER_SESSION     "a living session that ended"
#define SERVER_UNTRUE_NO   "a no that is not true"
#define SERVER_IN_VAIN     "waits for nothing"
#define SERVER_DUE_AGAIN   "due again when it was told the time"
#define SERVER_NOT_THERE   "told of a grant that is not there"
#define SERVER_OVERLAP     "two clients believe"
#define SERVER_FENCES      "a fence that is not above all before it"
#define SERVER_DEADLOCK    "a deadlock that is none"
#define SERVER_CONFLICT    "two hold what conflicts"
#define SERVER_PARKED      "granted to a place that is parked"
#define SERVER_WITHHELD    "granted in a grace what others wait for"
#define SERVER_UNSAID_NO   "a try that was not told no"
#define SERVER_UNTOLD      "a deadlock that was not told"
#define SERVER_CIRCLE      "a circle that is none"
#define SERVER_NOT_HELD    "told that it holds what it does not"
#define SERVER_HELD_TWICE  "granted what it holds already"
#define SERVER_NOT_FREE    "told that it is free when it is not"
#define SERVER_UNTOLD_FREE "not told that it is free, or made to hold it"
#define SERVER_KEPT_OUT    "kept out by who only looks"
#define SERVER_LIMIT       "a limit where there is room"
#define SERVER_BEYOND      "more than a limit allows"
#define SERVER_MODES       "holds it in another way than it asked for"
#define SERVER_ORDER       "places in another order than of arrival"
#define SERVER_ANSWER      "an answer that is not the one"
#define SERVER_STATE       "a lane that is not as it must be"
#define SERVER_UNRECORDED  "believes in what no record names"
#define SERVER_NOT_WRITTEN "an answer before its batch"
#define SERVER_TOO_LATE    "granted after the deadline"
#define SERVER_TOO_SOON    "timed out before the deadline"
#define SERVER_NOT_SEEN    "told of a holder what was not seen"
#define SERVER_OVERRIDDEN  "a refuse grant overridden"
#define SERVER_NOT_SPARED  "cleared though its holder was heard"
#define SERVER_UNHEARD     "a clear that its holder never learns"
#define SERVER_FORGOTTEN   "granted while a lost grant may be believed in"
#define SERVER_UNCOUNTED   "time that was served is not counted any more"
#define SERVER_OUTLIVES    "a silent session that outlives its ttl"
#define SERVER_STUCK       "nobody gets it any more"
#define SERVER_REMAINS     "a record that nobody needs stays"

extern const struct promise server_promises[];
extern const unsigned server_promises_count;

#endif

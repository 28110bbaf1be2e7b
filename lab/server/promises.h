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
#define SERVER_TWICE_GIVEN "granted twice"
#define SERVER_GHOST       "a grant that nobody wants"
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

extern const struct promise server_promises[];
extern const unsigned server_promises_count;

#endif

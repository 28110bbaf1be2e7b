#ifndef TALE_TIMELOCK_PARTS_H
#define TALE_TIMELOCK_PARTS_H

#include "tale/timelock/timelock.h"

/*
 * What the files of the lock server share.  They call down only:
 *
 *   timelock -> client -> network -> server -> time -> look
 */

/* A duration that is set, in ticks; 0: none is. */
static inline unsigned
timelock_ticks(const struct scene *scene, enum timelock_setting setting)
{
    return scene_setting(scene, setting) / TIMELOCK_TICK_S;
}

/* ---- look.c: what is so, and how it is told ------------------------------ */

/* It listens on the stream of that attempt. */
bool timelock_listens(const struct timelock *s, unsigned client,
                      unsigned later);

/* How many requests it keeps. */
unsigned timelock_kept(const struct timelock *s);

/* Is one of them this worker's? */
bool timelock_is_kept(const struct timelock *s, unsigned who);

/* The worker waits no more.  False when one who came before it does. */
bool timelock_leave_order(struct timelock *s, unsigned who);

/* Can the first request be granted? */
bool timelock_can_grant(const struct timelock *s);

/* The step breaks `property`, unless that is not looked for. */
void timelock_break(struct scene *scene, const char *property);

/* "B2": the second attempt of worker #2. */
struct timelock_name {
    char text[12];
};

/* That of an attempt that was told, and that of the next. */
struct timelock_name timelock_name(const struct scene *scene, unsigned client,
                                   unsigned later);
struct timelock_name timelock_next_name(const struct scene *scene,
                                        unsigned client);

/* Tell that a message arrives, and what comes of it. */
bool timelock_say_arrival(struct scene *scene,
                          const struct timelock_message *message,
                          const char *what);

/* ---- client.c: what a worker does --------------------------------------- */

/* Ask for the lock, for the first time, or again. */
bool timelock_ask_first(struct scene *scene, struct timelock *s, unsigned who);
bool timelock_ask_again(struct scene *scene, struct timelock *s, unsigned who);

/* Its request was ended: it asks again, or has waited enough. */
bool timelock_hear_end(struct scene *scene, struct timelock *s, unsigned who,
                       bool by_limit);

/* Its deadline is over. */
bool timelock_give_up(struct scene *scene, struct timelock *s, unsigned who);

/* It closes its stream, on which nothing has come for too long. */
bool timelock_hang_up(struct scene *scene, struct timelock *s, unsigned who);

/* A fault: its connection breaks, and its library sends again. */
bool timelock_break_stream(struct scene *scene, struct timelock *s,
                           unsigned who);

/* ---- network.c: what is under way --------------------------------------- */

/* Room for so many messages. */
bool timelock_has_room(const struct timelock *s, unsigned count);

/* Send; without a network it has arrived. */
bool timelock_send(struct scene *scene, struct timelock *s,
                   struct timelock_message message);

/* The n-th message of this worker's arrives, of those under way. */
bool timelock_arrive(struct scene *scene, struct timelock *s, unsigned who,
                     unsigned n);

/* Is a message of this worker's under way that will find what is granted? */
bool timelock_is_coming(const struct timelock *s, unsigned who);

/* ---- server.c: what the server does ------------------------------------- */

/* A message has arrived. */
bool timelock_take_ask(struct scene *scene, struct timelock *s,
                       const struct timelock_message *message);
bool timelock_take_end(struct scene *scene, struct timelock *s,
                       const struct timelock_message *message);
bool timelock_take_release(struct scene *scene, struct timelock *s,
                           const struct timelock_message *message);

/* The lock is free, and goes to the first request. */
bool timelock_grant(struct scene *scene, struct timelock *s);

/* Free a lock that nobody has refreshed for too long. */
bool timelock_reap(struct scene *scene, struct timelock *s);

/* Close the stream of a worker, if it has been idle for too long: it is to hear
 * of it. */
bool timelock_close(struct scene *scene, struct timelock *s, unsigned who);

/* End the oldest request of a worker that has blocked for too long, or give
 * its place away: does it listen, and what has ended it? */
enum timelock_end { END_NONE, END_UNHEARD, END_BY_SERVER, END_BY_LIMIT };
enum timelock_end timelock_end(struct scene *scene, struct timelock *s,
                               unsigned who);

/* A fault: a request is not interrupted in time. */
bool timelock_be_slow(struct scene *scene, struct timelock *s, unsigned who);

/* ---- time.c ------------------------------------------------------------- */

enum { TIMELOCK_NEVER = UINT8_MAX };

/* Ticks until the request at `at` is ended by its server; 0: now. */
unsigned timelock_until_end(const struct scene *scene, const struct timelock *s,
                            unsigned at);

/* Until its stream is closed, as idle. */
unsigned timelock_until_close(const struct scene *scene,
                              const struct timelock *s, unsigned at);

/* A tick passes, or all up to the next that is due. */
bool timelock_pass(struct scene *scene, struct timelock *s, bool whole);

/* Forget what nothing comes of, so that equal states are equal. */
void timelock_forget(const struct scene *scene, struct timelock *s);

#endif

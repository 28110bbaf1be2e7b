#ifndef TALE_CASES_GHOST_SERVER_H
#define TALE_CASES_GHOST_SERVER_H

#include "tale/specimen/specimens.h"

/* A lock server that keeps each request that blocks, in the order in which
 * they came, whether its client still listens or not. */

enum { REQUESTS = 5 };

struct request {
    uint8_t client; /* its ID; 0: there is no request */
    uint8_t heard;  /* 1: the client listens */
    uint8_t age;    /* in seconds, as long as it is heard */
};

struct server {
    struct cast cast; /* line 1: its request waits */
    uint8_t holder;   /* its ID; 0: nobody */
    struct request queue[REQUESTS];
};

/* The client's request goes to the end of the queue; false when more wait than
 * are tried here.  `how` it does so is told. */
bool server_block(struct scene *scene, struct server *s, unsigned client,
                  const char *how);

/* Remove the request at `at`. */
void server_take_out(struct server *s, unsigned at);

/* The client holds the lock. */
bool server_hold(struct scene *scene, struct server *s, unsigned client);

/* Grant the first request, if the lock is free and there is one. */
bool server_grant(struct scene *scene, struct server *s);

/* Who holds, and who waits. */
void server_show(const struct specimen_run *run, const void *state,
                 struct hf_text *text);

#endif

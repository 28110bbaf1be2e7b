#ifndef TEST_SERVER_SUPPORT_DAEMON_H
#define TEST_SERVER_SUPPORT_DAEMON_H

#include <sys/types.h>

/* A holdfastd of a test's own, with a file of its own, at a port of the
 * kernel's choice; it ends with the test, however that ends. */
struct daemon {
    pid_t pid;
    char folder[64];
    char place[64]; /* http://127.0.0.1:PORT */
};

/* `option` and `value` may be NULL.  A port that is not 0 is asked for. */
void daemon_start(struct daemon *daemon, const char *option, const char *value);
void daemon_kill(struct daemon *daemon);

#endif

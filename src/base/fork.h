#ifndef HF_BASE_FORK_H
#define HF_BASE_FORK_H

/* Forks: whose is what was made before one?  A pid does not tell, since in pid
 * namespaces a process and its child may both be number 1. */

/* Count forks from now on.  May be called again; any thread; cannot fail. */
void hf_fork_watch(void);

/* Which process of a line of forks this is: a child has another number than
 * all of its ancestors since hf_fork_watch.  It changes in the child alone,
 * before fork() returns there.  A signal handler may ask. */
unsigned hf_fork_count(void);

#endif

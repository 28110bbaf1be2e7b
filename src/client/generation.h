#ifndef HF_CLIENT_GENERATION_H
#define HF_CLIENT_GENERATION_H

/*
 * Generation: which process of a line of forks is this?  A child has another
 * one than all of its ancestors, whatever its pid: in pid namespaces a process
 * and its child may both be number 1.
 */

/* From here on forks are counted.  Call it before what is to be told apart is
 * made. */
void hf_generation_watch(void);

/* Of this process.  May be called from a signal handler. */
unsigned hf_generation(void);

#endif

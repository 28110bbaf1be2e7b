#ifndef HF_TEST_CHILDREN_H
#define HF_TEST_CHILDREN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sys/types.h>

#include "base/process.h"

/* Children: real processes, for the tests of base/process.h to look at. */

/* fork; the child ends with this process, also when a test fails half-way. */
pid_t fork_child(void);

/* A process that waits for its end. */
struct hf_process start_child(void);

/* Kill it and wait for its end; it stays a zombie, until it is buried. */
void kill_child(struct hf_process process);
void bury_child(struct hf_process process);

/* What one look at `processes` proves. */
enum hf_presence look_once(const struct hf_process *processes, size_t count);

#endif

#ifndef LAB_CHECK_H
#define LAB_CHECK_H

#include "core/lockspace.h"
#include "core/session.h"

/*
 * Is everything in a machine as it must be?  Each walks all of its machine and
 * aborts where not: for tests and the lab.
 */
void hf_lockspace_check(struct hf_lockspace *ls);
void hf_session_check(const struct hf_session *s);

#endif

#ifndef TALE_DRAFTS_DRAFT_KEY_H
#define TALE_DRAFTS_DRAFT_KEY_H

#include "tale/drafts/lines.h"

/* The key of a draft: the atomic one, or the simulated Riak, as is set. */

void draft_key_init(const struct specimen_run *run, struct draft_state *s);

/* Is nothing under way, but what fallbacks may hand over some day? */
bool draft_key_calm(const struct specimen_run *run,
                    const struct draft_state *s);

/* Is there room for one more request? */
bool draft_key_ready(const struct specimen_run *run,
                     const struct draft_state *s);

void draft_key_issue(const struct specimen_run *run, struct draft_state *s,
                     unsigned worker, struct key_request request);

/* Take the answer, if it is there. */
bool draft_key_answer(const struct specimen_run *run, struct draft_state *s,
                      unsigned worker, struct key_answer *answer);

/* The worker asks nothing more. */
void draft_key_done(const struct specimen_run *run, struct draft_state *s,
                    unsigned worker);

/* Riak: whose each of its steps is, as an actor; the count. */
unsigned draft_key_actors(const struct specimen_run *run,
                          const struct draft_state *s,
                          uint8_t actors[KEY_STEPS_MAX]);

/* Riak: do the step of this index, if it is this actor's, and tell it. */
bool draft_key_step(struct scene *scene, struct draft_state *s, unsigned actor,
                    unsigned index);

/* Of a specimen whose `text` is a struct draft. */
extern const struct specimen_setting draft_settings[];

void draft_show(const struct specimen_run *run, const void *state,
                struct hf_text *text);
bool draft_is_left(const struct specimen_run *run, const void *state);
size_t draft_size_of(const struct specimen_run *run);
bool draft_check(const struct specimen_run *run, struct hf_error *error);

#endif

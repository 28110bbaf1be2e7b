#ifndef TALE_DRAFTS_DRAFT_SAY_H
#define TALE_DRAFTS_DRAFT_SAY_H

#include "tale/drafts/lines.h"

/* What a worker does at a line of its draft, in the tale's words. */

/* The line of that index, of a specimen whose `text` is a struct draft. */
bool draft_line_of(const struct specimen *specimen, unsigned index,
                   struct specimen_line *line);

/* The write before this line, or NULL: after one, a read is a re-read. */
const struct draft_line *draft_written(const struct draft *draft,
                                       const struct draft_line *line);

/* What a write of this line carries: "its ID". */
const char *draft_say_value(const struct draft_line *line);

/* What it did and what came of it: "reads the lock and sees its ID". */
void draft_say_answer(const struct draft *draft, const struct draft_line *line,
                      const struct draft_sight *sight, struct hf_text *text);

/* Tell a step of Riak's, before it is done. */
void draft_tell(struct scene *scene, const struct riak_happening *h);

#endif

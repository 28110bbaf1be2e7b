#ifndef HF_TEST_CORE_SCRIPT_H
#define HF_TEST_CORE_SCRIPT_H

#include "core/event.h"
#include "core/leader.h"
#include "support/script.h"

/*
 * The events of keeper, contender, leader and examiner as words, nearly as
 * core/trace.h writes them:
 *
 *     120 clock                       acquire, hint, write, release, cancel ...
 *     120 applied #2 v9               refused, unknown, unavailable: without v
 *     120 found #3 lock v9 5_1 token 8, refuse, ttl 1000, beat 200
 *     120 found #3 absent v9          corrupt v9; nothing
 *     120 evidence v7 gone            or: running
 *     120 claim 5 v7 over 6
 *
 * A token is the version unless said; a lock is takeover, with a ttl of 1,000
 * ms and a beat of 200.  The first claims of a seed of 0 are id1, id2, id3.
 */

/* False, and nothing read, if the line is none of these. */
bool script_event(struct script_line *line, struct hf_event *event);

/* "5_1", "id1_0" */
bool script_heartbeat(struct script_line *line, struct hf_heartbeat *heartbeat);

/* A head, as a read shows it:
 *
 *     10 head #2 v9 6_4 led fence 60, service 7, max 9000, grace 700,
 *        begun 77, forgot        on one line; "led" only where a node leads
 *     10 head #2 absent v4       corrupt v4; nothing
 *
 * Its terms, and its max unless said, stand in it before.  A node's own head
 * has the token 8. */
struct script_head {
    struct hf_instant at;
    uint64_t number;
    struct hf_sight sight;
    struct hf_head_state state;
};

bool script_head(struct script_line *line, struct script_head *head);

/* "wait 300" */
bool script_duration(struct script_line *line, const char *word,
                     struct hf_duration *duration);

/* A line of what an effect is, without its instant. */
void script_effect(struct hf_text *came, const struct hf_effect *effect);

/* An id, by its name if it has one: "id1", and "id1+1" for the next number. */
void script_id(struct hf_text *is, uint64_t id);

/* "never", or milliseconds. */
void script_instant(struct hf_text *is, struct hf_instant at);

#endif

#ifndef HF_TEST_CONTENDER_SCRIPT_H
#define HF_TEST_CONTENDER_SCRIPT_H

#include "core/contender.h"
#include "unit/support/core_script.h"
#include "unit/support/events.h"

/*
 * A contender by script: for a takeover lock with a limit of 10 s, unless it
 * begins with "start" and some of refuse, ttl 5000, beat 2000, fail-suspected,
 * try (with a limit of its ttl), and limit 500 or forever, in this order.  A
 * right lasts 750 ms from the sending, a call 200 ms, a beat every 200.  Its
 * first look, #1, is out since 0 in each of the situations:
 *
 *     looking
 *     watching       saw v7 of token 7 at 10; the next look, #2, is due at 210
 *     nearly sure    as watching, and looked up to 1000: the look at 1010, #7,
 *                    will prove
 *     claiming       found nothing at v7; its claim, #2, is out since 10
 *     holding        was granted v8 at 20; the beat, #3, is due at 210, its
 *                    right ends at 760
 *
 * and of a refuse lock "watching refuse" and "nearly sure refuse".  Events are
 * those of core_script.h, "mark" and "back", and "20 check", of which comes the
 * answer.  Facts: state, token, deadline, limit, too-slow, shown (at),
 * watching, ended.
 */
extern const struct script_machine contender_script;

#define STORY(name, text) SCRIPT(&contender_script, name, text)
#define PLAY(text)        SCRIPT_PLAY(&contender_script, text)
#define PLAY_ON(text)     SCRIPT_PLAY_ON(&contender_script, text)

/* For a test in C: the contender that was played last, and an event more, with
 * what came of it. */
extern struct hf_contender scripted_contender;
const char *contender_gives(struct hf_event event);

/* The lock that the situations show, which beats. */
static inline struct hf_event
found_held(int64_t ms, uint64_t number, uint64_t version, uint64_t token,
           enum hf_if_dead if_dead)
{
    return hf_found(T(ms), number,
                    (struct hf_sight){
                        .kind = HF_SIGHT_LOCK,
                        .version = version,
                        .token = token,
                        .heartbeat = {token, version - token},
                        .terms = {if_dead, {1000}, {200}},
                    });
}

#endif

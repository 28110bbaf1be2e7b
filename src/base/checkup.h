#ifndef HF_BASE_CHECKUP_H
#define HF_BASE_CHECKUP_H

#include <holdfast/view.h>

#include "base/attrs.h"

/*
 * Checkup: what one check of a place or of a host came to, for people: how good
 * it is, what was found in a clause, and what a person can do about it.
 *
 *     struct hf_checkup f = {.check = "latency"};
 *
 *     hf_checkup_add(&f, "a commit takes %s", took);
 *     if (slow)
 *         hf_checkup_warn(&f, "take a quicker disk");
 *
 * A plain value; zero with `check` is ok, and says nothing yet.  Whatever is
 * put in, the texts are clean UTF-8 (base/text.h), cut at their limit.  Cannot
 * fail.
 */

enum { HF_CHECKUP_MAX = 1023 }; /* bytes of a text; a path has up to 500 */

struct hf_checkup {
    const char *check; /* static, one word: what was looked at */
    enum hf_grade grade;
    char found[HF_CHECKUP_MAX + 1];
    char remedy[HF_CHECKUP_MAX + 1]; /* "": there is nothing to do */
};

/* Say what was found, behind what is said already and a semicolon. */
HF_PRINTF(2, 3)
void hf_checkup_add(struct hf_checkup *checkup, const char *format, ...);

/* That is no better than `grade`, and this is the remedy.  Of several the worst
 * grade stands with its remedy, and of equals the first. */
HF_PRINTF(3, 4)
void hf_checkup_grade(struct hf_checkup *checkup, enum hf_grade grade,
                      const char *format, ...);

#define hf_checkup_warn(checkup, ...)                                          \
    hf_checkup_grade(checkup, HF_GRADE_WARN, __VA_ARGS__)
#define hf_checkup_fail(checkup, ...)                                          \
    hf_checkup_grade(checkup, HF_GRADE_FAIL, __VA_ARGS__)

#endif

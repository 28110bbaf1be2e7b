#ifndef HF_TEST_SUPPORT_SCRIPT_H
#define HF_TEST_SUPPORT_SCRIPT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/text.h"

/*
 * Script: the test of a machine as a short text: one event a line, and behind
 * a bar all that must come of it, in order.
 *
 *     holding
 *     200 clock            | ask #2 put lock v8 5_1
 *     750 clock            | lost; ask #3 delete lock v8
 *     760 applied #2 v9
 *     780 unknown #3
 *     | nothing else would be a line of its own
 *     = token 8; deadline 790
 *
 * A line is a *situation* by its name, which is a script that is played first;
 * an *event*, as its machine reads it; or, behind an equals sign, *facts*: what
 * must be so now.  Without a bar nothing may come of an event.  Commas are
 * blanks.  A test fails with its file, its line and that of the script.
 */

struct script_line {
    const char *at; /* what is not read yet */
};

/* Each reads the next word if it is the one that is looked for. */
bool script_word(struct script_line *line, const char *word);
bool script_number(struct script_line *line, const char *prefix,
                   uint64_t *number);
/* "wait 300" */
bool script_option(struct script_line *line, const char *word,
                   uint64_t *number);
/* Any word; false at the end. */
bool script_any(struct script_line *line, struct hf_text *word);

struct script_situation {
    const char *name;
    const char *text;
};

struct script_machine {
    const struct script_situation *situations; /* the last has no name */
    void (*begin)(void);                       /* as every script finds it */
    /* Reads an event from its line, steps, and says what came of it, one a
     * line; false if it is no event.  What is left of the line is a mistake. */
    bool (*step)(struct script_line *line, struct hf_text *came);
    /* What a fact is now; false if there is none of this name. */
    bool (*fact)(const char *name, struct hf_text *is);
    void (*end)(void); /* NULL, if nothing is to be freed */
};

struct scripted_test {
    const struct script_machine *machine;
    const char *name;
    const char *file;
    int line;
    const char *text;
};

void script_play(const struct scripted_test *script);
void script_test(void **script); /* plays it, and ends the machine */

/* A row of struct CMUnitTest; and in a test in C, from the beginning, and on
 * from where it is. */
#define SCRIPT(machine, name, text)                                            \
    {                                                                          \
#name, script_test, NULL, NULL, &(struct scripted_test)                \
        {                                                                      \
            (machine), #name, __FILE__, __LINE__, (text)                       \
        }                                                                      \
    }
#define SCRIPT_PLAY(machine, text)                                             \
    do {                                                                       \
        (machine)->begin();                                                    \
        SCRIPT_PLAY_ON((machine), (text));                                     \
    } while (0)
#define SCRIPT_PLAY_ON(machine, text)                                          \
    script_play(&(struct scripted_test){(machine), __func__, __FILE__,         \
                                        __LINE__, (text)})

#endif

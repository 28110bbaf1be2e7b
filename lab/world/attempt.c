#include "lab/world/attempt.h"

#include <setjmp.h>
#include <stddef.h>

#include "base/check.h"
#include "lab/world/step.h"

/* Where the innermost attempt goes on, and what it then has to tell. */
static jmp_buf *way_out;
static const char *failed;

static void
leave(const char *what, const char *file, int line)
{
    (void)file;
    (void)line;
    failed = what;
    longjmp(*way_out, 1);
}

const char *
attempt(attempt_fn *act, void *ctx)
{
    jmp_buf here;
    jmp_buf *const outer = way_out;
    hf_check_fn *const before = hf_check_listen(leave);
    const char *check;

    way_out = &here;
    if (setjmp(here) == 0) {
        act(ctx);
        check = NULL;
    } else {
        check = failed;
    }
    way_out = outer;
    hf_check_listen(before);
    return check;
}

struct taken {
    struct world *world;
    struct world_action action;
};

static void
take(void *ctx)
{
    struct taken *taken = ctx;

    step_apply(taken->world, taken->action);
}

const char *
attempt_step(struct world *world, struct world_action action)
{
    return attempt(take, &(struct taken){world, action});
}

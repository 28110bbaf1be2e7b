#include "lab/server/grants.h"
#include "lab/server/grants_pack.h"
#include "lab/server/worlds.h"

#define ACT(word)                                                              \
    {                                                                          \
        word, NULL, 1                                                          \
    }
/* The names that are asked for exclusively, and, after `share`, those that are
 * asked for shared. */
#define SETS(prefix)                                                           \
    ACT(prefix "-a"), ACT(prefix "-b"), ACT(prefix "-ab"), ACT(prefix "-c"),   \
        ACT(prefix "-ac"), ACT(prefix "-bc"), ACT(prefix "-abc"),              \
        ACT(prefix "-share-a"), ACT(prefix "-share-b"),                        \
        ACT(prefix "-share-ab"), ACT(prefix "-a-share-b"),                     \
        ACT(prefix "-b-share-a")

static const struct kind_act acts[GRANTS_ACTS] = {
    SETS("want"),      SETS("try"),       ACT("free-a"),     ACT("free-b"),
    ACT("free-ab"),    ACT("free-c"),     ACT("free-ac"),    ACT("free-bc"),
    ACT("free-abc"),   SETS("back-1"),    SETS("back-2"),    ACT("again"),
    ACT("again-try"),  ACT("give-up"),    ACT("park"),       ACT("run-out"),
    ACT("hang-up"),    ACT("release-1"),  ACT("release-2"),  ACT("release-3"),
    ACT("release-4"),  ACT("lower-a"),    ACT("lower-b"),    ACT("lower-c"),
    ACT("clear-1"),    ACT("clear-2"),    ACT("clear-3"),    ACT("clear-4"),
    ACT("clear-if-1"), ACT("clear-if-2"), ACT("clear-if-3"), ACT("clear-if-4"),
    ACT("silent"),     ACT("pass"),
};

KIND_FUNCTIONS(grants)

/* The lane; or nobody in particular. */
static unsigned
actor(struct kind_action action)
{
    return action.act == GRANTS_PASS ? SNAPSHOT_CLIENTS : action.who;
}

static bool
granted(const void *world)
{
    const struct grants_world *grants = world;

    for (unsigned i = 0; i < grants->config->world.clients; i++)
        if (grants_oracle_count(&grants->oracle.lanes[i]) > 0)
            return true;
    return false;
}

/* ---- Sentences ----------------------------------------------------------- */

/* "a and b", "a and b shared" */
static void
add_modes(struct hf_text *text, const struct grants_modes *modes)
{
    const char *between = "";

    for (unsigned i = 0; i < SNAPSHOT_NAMES; i++) {
        if (modes->of[i] == 0)
            continue;
        hf_text_addf(text, "%s%c%s", between, (int)('a' + i),
                     modes->of[i] == HF_SHARED + 1 ? " shared" : "");
        between = " and ";
    }
}

static void
ask_sentence(unsigned act, unsigned number, struct hf_text *text)
{
    bool free = act >= GRANTS_FREE && act < GRANTS_BACK_1;
    struct grants_modes modes = grants_set(grants_set_of(act));

    hf_text_addf(text, "Lane #%u %s", number,
                 free                  ? "waits until it is free: "
                 : act < GRANTS_TRY    ? "asks for "
                 : act < GRANTS_FREE   ? "tries "
                 : act < GRANTS_BACK_2 ? "has waited for a tick, and asks for "
                                       : "has waited for two ticks, and asks "
                                         "for ");
    add_modes(text, &modes);
}

static void
lane_sentence(const struct grants_lane *before, unsigned act, unsigned number,
              struct hf_text *text)
{
    if (act == GRANTS_SILENT) {
        hf_text_addf(text, "The client of lane #%u is silent for its ttl",
                     number);
    } else if (act >= GRANTS_CLEAR) {
        hf_text_addf(text, "An operator clears ");
        add_modes(
            text,
            &before->grants[(act - GRANTS_CLEAR) % SNAPSHOT_CLAIMS].modes);
        hf_text_addf(text, " of lane #%u%s", number,
                     act >= GRANTS_CLEAR_IF ? ", if it is suspected" : "");
    } else if (act >= GRANTS_LOWER) {
        hf_text_addf(text, "Lane #%u lowers %c to shared", number,
                     (int)('a' + act - GRANTS_LOWER));
    } else if (act >= GRANTS_RELEASE) {
        hf_text_addf(text, "Lane #%u gives back ", number);
        add_modes(text, &before->grants[act - GRANTS_RELEASE].modes);
    } else {
        static const char *const does[] = {
            [GRANTS_AGAIN] = "asks once more",
            [GRANTS_AGAIN_TRY] = "asks once more, as a try",
            [GRANTS_GIVE_UP] = "gives up",
            [GRANTS_PARK] = "is told a blocking timeout: its place is parked",
            [GRANTS_RUN_OUT] = "has waited for as long as it was to: its place "
                               "is lost",
            [GRANTS_HANG_UP] = "hangs up: its place is lost",
        };

        hf_text_addf(text, "Lane #%u %s", number, does[act]);
    }
}

static const char *
over_word(enum hf_over over)
{
    switch (over) {
    case HF_OVER_NEVER_ASKED:
        return "never asked";
    case HF_OVER_RELEASED:
        return "released";
    case HF_OVER_HELD:
        return "no, it is held";
    case HF_OVER_ALREADY_HELD:
        return "already held";
    case HF_OVER_DEADLOCK:
        return "deadlock";
    case HF_OVER_LIMIT:
        return "over a limit";
    case HF_OVER_INVALID:
        return "invalid";
    case HF_OVER_FREE:
        return "it is free";
    case HF_OVER_CLEARED:
        return "cleared";
    case HF_OVER_FORGOTTEN:
        return "forgotten";
    }
    return "";
}

/* What became of it, if its state is another. */
static void
add_change(struct hf_text *text, const struct grants_lane *before,
           const struct grants_lane *after, unsigned number)
{
    if (after->state == before->state && after->n == before->n)
        return;
    switch ((enum hf_lane_state)after->state) {
    case HF_LANE_OVER:
        hf_text_addf(text, "; #%u: %s", number,
                     over_word((enum hf_over)after->over));
        break;
    case HF_LANE_WAITING:
        hf_text_addf(text, "; #%u waits", number);
        break;
    case HF_LANE_PARKED:
        break;
    case HF_LANE_GRANTED:
        hf_text_addf(text, "; #%u is granted", number);
        break;
    case HF_LANE_LEFT:
        hf_text_addf(text, "; #%u has no place", number);
        break;
    }
}

/* Of the oracle, which the machine follows but in a step that breaks. */
static void
sentence(const void *before, const void *after, struct kind_action action,
         struct hf_text *text)
{
    const struct grants_world *from = before;
    const struct grants_world *to = after;

    if (action.act == GRANTS_PASS)
        hf_text_addf(text, "Time passes: a grace is over, and so are parked "
                           "places");
    else if (action.act < GRANTS_AGAIN)
        ask_sentence(action.act, action.who + 1, text);
    else
        lane_sentence(&from->oracle.lanes[action.who], action.act,
                      action.who + 1, text);
    for (unsigned i = 0; i < from->config->world.clients; i++)
        add_change(text, &from->oracle.lanes[i], &to->oracle.lanes[i], i + 1);
}

const struct kind grants_kind = {
    .acts = acts,
    .acts_count = GRANTS_ACTS,
    .batch = GRANTS_ACTS, /* none: each step writes its own */
    .fault_in = 30,
    .actor = actor,
    .granted = granted,
    KIND_FIELDS(grants),
    .sentence = sentence,
};

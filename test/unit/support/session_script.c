#include "unit/support/session_script.h"

#include <inttypes.h>
#include <string.h>

#include "unit/support/core_script.h"

static struct client_fixture client;

static const struct script_situation situations[] = {
    {"holding", "want 1 | 1: #1 open\n"
                "hear #1 opened | 1: #2 acquire 1.1.1\n"
                "hear #2 granted 101 | wish 1 granted 101\n"},
    {"holding three", "holding\n"
                      "want 2 | 1: #3 acquire 2.1.1\n"
                      "want 3 | 1: #4 acquire 3.1.1\n"
                      "hear #3 granted 102 | wish 2 granted 102\n"
                      "hear #4 granted 103 | wish 3 granted 103\n"},
    {"holding of two", "services 10 0 0 one\n"
                       "want 1 | 1: #1 open\n"
                       "hear #1 opened, service 10 | 1: #2 acquire 1.1.1\n"
                       "hear #2 granted 101 | wish 1 granted 101\n"
                       "services 10 11 10 differ\n"},
    {NULL, NULL},
};

static void
end(void)
{
    client_fini(&client);
    client = (struct client_fixture){0};
}

static void
begin(void)
{
    end();
    client = client_new();
}

static bool
read_ms(struct script_line *line, const char *word, int64_t *ms)
{
    uint64_t number;

    if (!script_option(line, word, &number))
        return false;
    *ms = (int64_t)number;
    return true;
}

static void
start(struct script_line *line)
{
    bool refuse = script_word(line, "refuse");
    struct hf_session_config config =
        client_config(refuse ? HF_REFUSE : HF_TAKEOVER);

    read_ms(line, "silence", &config.silence.ms);
    end();
    client = client_with(&config);
}

/* ---- What is wished for -------------------------------------------------- */

static bool
wish(struct script_line *line)
{
    struct want want = {0};

    if (!script_option(line, "want", &want.id))
        return false;
    want.free = script_word(line, "until-free");
    want.try_only = script_word(line, "try");
    read_ms(line, "wait", &want.wait_ms);
    read_ms(line, "patience", &want.patience_ms);
    want.fail_suspected = script_word(line, "fail-suspected");
    script_option(line, "label", &want.label);
    client_want(&client, want);
    return true;
}

static bool
change(struct script_line *line)
{
    uint64_t index = 0;
    uint64_t id;

    if (script_option(line, "release", &id)) {
        client_release(&client, id);
    } else if (script_option(line, "leave", &id)) {
        client_leave(&client, id);
    } else if (script_option(line, "change", &id)) {
        script_option(line, "index", &index);
        client_change(&client, id, (unsigned)index);
    } else if (script_word(line, "end")) {
        client_end(&client);
    } else {
        return false;
    }
    return true;
}

/* ---- What is said -------------------------------------------------------- */

/* "beating refuse, since 0"; "place until 2001"; "unknown" */
static struct hf_blocker
read_blocker(struct script_line *line)
{
    static const struct {
        const char *word;
        enum hf_life life;
    } lives[] = {
        {"beating", HF_LIFE_BEATING}, {"running", HF_LIFE_RUNNING},
        {"silent", HF_LIFE_UNKNOWN},  {"suspected", HF_LIFE_SUSPECTED},
        {"gone", HF_LIFE_GONE},
    };
    struct hf_blocker blocker = {.kind = HF_BLOCKER_UNKNOWN};

    if (script_word(line, "unknown"))
        return blocker;
    if (script_word(line, "place")) {
        blocker.kind = HF_BLOCKER_PLACE;
        read_ms(line, "until", &blocker.until.ms);
        return blocker;
    }
    blocker.kind = HF_BLOCKER_HOLDER;
    for (size_t i = 0; i < sizeof(lives) / sizeof(lives[0]); i++)
        if (script_word(line, lives[i].word))
            blocker.life = lives[i].life;
    blocker.if_dead = script_word(line, "refuse") ? HF_REFUSE : HF_TAKEOVER;
    read_ms(line, "since", &blocker.since.ms);
    blocker.until = blocker.since;
    read_ms(line, "until", &blocker.until.ms);
    return blocker;
}

static bool
read_kind(struct script_line *line, enum hf_answer_kind *kind)
{
    static const struct {
        const char *word;
        enum hf_answer_kind kind;
    } words[] = {
        {"opened", HF_ANSWER_OPENED},
        {"alive", HF_ANSWER_ALIVE},
        {"gone", HF_ANSWER_GONE},
        {"denied", HF_ANSWER_DENIED},
        {"term", HF_ANSWER_TERM},
        {"page", HF_ANSWER_PAGE},
        {"granted", HF_ANSWER_GRANTED},
        {"over", HF_ANSWER_OVER},
        {"blocking-timeout", HF_ANSWER_BLOCKING_TIMEOUT},
        {"superseded", HF_ANSWER_SUPERSEDED},
        {"later", HF_ANSWER_LATER},
        {"busy", HF_ANSWER_BUSY},
        {"limit", HF_ANSWER_LIMIT},
        {"released", HF_ANSWER_RELEASED},
        {"changed", HF_ANSWER_CHANGED},
        {"ended", HF_ANSWER_ENDED},
        {"not-held", HF_ANSWER_NOT_HELD},
        {"other", HF_ANSWER_OTHER},
        {"not-leading", HF_ANSWER_NOT_LEADING},
    };

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (script_word(line, words[i].word)) {
            *kind = words[i].kind;
            return true;
        }
    }
    return false;
}

static void
read_over(struct script_line *line, struct said *said)
{
    static const struct {
        const char *word;
        enum hf_over over;
    } words[] = {
        {"never-asked", HF_OVER_NEVER_ASKED},
        {"released", HF_OVER_RELEASED},
        {"held", HF_OVER_HELD},
        {"already-held", HF_OVER_ALREADY_HELD},
        {"deadlock", HF_OVER_DEADLOCK},
        {"limit", HF_OVER_LIMIT},
        {"invalid", HF_OVER_INVALID},
        {"free", HF_OVER_FREE},
        {"cleared", HF_OVER_CLEARED},
        {"forgotten", HF_OVER_FORGOTTEN},
    };

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (script_word(line, words[i].word))
            said->over = words[i].over;
    if (script_word(line, "by"))
        said->blocker = read_blocker(line);
}

static void
read_cause(struct script_line *line, struct said *said)
{
    if (!script_word(line, "cause"))
        return;
    if (script_word(line, "forgotten"))
        said->cause = HF_LATER_FORGOTTEN;
    else if (script_word(line, "leader"))
        said->cause = HF_LATER_LEADER;
    else if (script_word(line, "place"))
        said->cause = HF_LATER_PLACE;
}

/* "holds 101 103"; what it holds stands in `to`. */
static void
read_held(struct script_line *line, struct said *said, struct hf_text *to)
{
    const char *text = to->at;
    uint64_t fence;

    if (!script_word(line, "holds"))
        return;
    said->holds = text;
    while (script_number(line, "", &fence))
        hf_text_addf(to, "%s%" PRIu64, to->len > 0 ? " " : "", fence);
}

static void
read_rest(struct script_line *line, struct said *said)
{
    uint64_t leader;

    script_option(line, "revoked", &said->fence);
    said->summed = script_word(line, "summed");
    script_option(line, "term", &said->term);
    script_option(line, "pause", &said->pause_us);
    if (script_option(line, "leader", &leader))
        said->leader = (uint32_t)leader;
    read_ms(line, "grace", &said->grace_ms);
    read_cause(line, said);
    read_ms(line, "blocking", &said->blocking_ms);
    script_option(line, "service", &said->service);
}

static bool
hear(struct script_line *line)
{
    struct said said = {0};
    char held[80];
    struct hf_text text;

    hf_text_init(&text, held, sizeof(held));
    if (!script_word(line, "hear") || !script_number(line, "#", &said.stream) ||
        !read_kind(line, &said.kind))
        return false;
    if (said.kind == HF_ANSWER_GRANTED || said.kind == HF_ANSWER_PAGE)
        script_number(line, "", &said.fence);
    else if (said.kind == HF_ANSWER_TERM)
        script_number(line, "", &said.term);
    else if (said.kind == HF_ANSWER_OVER)
        read_over(line, &said);
    read_held(line, &said, &text);
    read_rest(line, &said);
    client_hears(&client, said);
    return true;
}

/* ---- Other events -------------------------------------------------------- */

static bool
services(struct script_line *line)
{
    uint64_t each[3] = {0};

    if (!script_word(line, "services"))
        return false;
    for (size_t i = 0; i < 3; i++)
        script_number(line, "", &each[i]);
    client_services(&client, each,
                    script_word(line, "one")       ? HF_SERVICES_ONE
                    : script_word(line, "unheard") ? HF_SERVICES_UNHEARD
                    : script_word(line, "differ")  ? HF_SERVICES_DIFFER
                    : script_word(line, "two")     ? HF_SERVICES_TWO
                                                   : HF_SERVICES_ONE);
    return true;
}

static bool
happen(struct script_line *line)
{
    uint64_t number;
    int64_t ms;

    if (script_option(line, "stream-ends", &number))
        client_stream_ends(&client, number);
    else if (script_option(line, "cut", &number))
        client_stream_is_cut(&client, number);
    else if (script_option(line, "sees", &number))
        client_sees(&client, number, read_blocker(line));
    else if (read_ms(line, "clock", &ms))
        client_clock(&client, ms);
    else if (read_ms(line, "at", &ms))
        client.now.ms = ms;
    else
        return false;
    return true;
}

/* "holds 1 at 11500" */
static bool
holds(struct script_line *line, struct hf_text *came)
{
    struct hf_instant at = client.now;
    uint64_t id;

    if (!script_option(line, "holds", &id))
        return false;
    read_ms(line, "at", &at.ms);
    hf_text_addf(came, "%s\n",
                 hf_outcome_word(hf_session_holds(client.session, id, at)));
    return true;
}

/* "may-ask 2", a node; "waits 1", a wish */
static bool
query(struct script_line *line, struct hf_text *came)
{
    uint64_t number;
    bool yes;

    if (script_option(line, "may-ask", &number))
        yes = hf_session_may_ask(client.session, (uint32_t)number);
    else if (script_option(line, "waits", &number))
        yes = hf_session_waits(client.session, number);
    else
        return false;
    hf_text_add(came, yes ? "yes\n" : "no\n");
    return true;
}

static bool
step(struct script_line *line, struct hf_text *came)
{
    bool known = true;

    client_hush(&client);
    if (script_word(line, "start"))
        start(line);
    else
        known = wish(line) || change(line) || hear(line) || services(line) ||
                happen(line) || holds(line, came) || query(line, came);
    hf_text_add(came, client.text);
    client_hush(&client);
    return known;
}

static void
add_truth(struct hf_text *is, bool truth)
{
    hf_text_add(is, truth ? "yes" : "no");
}

static bool
fact(const char *name, struct hf_text *is)
{
    if (strcmp(name, "right") == 0)
        script_instant(is, hf_session_right(client.session));
    else if (strcmp(name, "deadline") == 0)
        script_instant(is, hf_session_deadline(client.session));
    else if (strcmp(name, "settled") == 0)
        add_truth(is, hf_session_settled(client.session));
    else if (strcmp(name, "at-rest") == 0)
        add_truth(is, hf_session_at_rest(client.session));
    else if (strcmp(name, "room") == 0)
        add_truth(is, hf_session_room(client.session));
    else if (strcmp(name, "over") == 0)
        add_truth(is, hf_session_over(client.session));
    else if (strcmp(name, "seen") == 0)
        hf_text_addf(is, "%" PRIu64, client.seen);
    else
        return false;
    return true;
}

const struct script_machine session_script = {
    .situations = situations,
    .begin = begin,
    .step = step,
    .fact = fact,
    .end = end,
};

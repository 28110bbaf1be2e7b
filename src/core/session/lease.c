#include "core/session/lease.h"

#include "base/check.h"
#include "core/session/lanes.h"
#include "core/session/messages.h"
#include "core/session/rows.h"
#include "core/session/wishes.h"

/* ---- Moves --------------------------------------------------------------- */

#define BIT(state) (1u << (state))

/* Which state may follow which: the diagram in session.h. */
static const unsigned allowed[] = {
    [HF_LEASE_NONE] = BIT(HF_LEASE_OPENING) | BIT(HF_LEASE_OVER),
    [HF_LEASE_OPENING] =
        BIT(HF_LEASE_NONE) | BIT(HF_LEASE_OPEN) | BIT(HF_LEASE_OVER),
    [HF_LEASE_MEETING] =
        BIT(HF_LEASE_NONE) | BIT(HF_LEASE_OPEN) | BIT(HF_LEASE_ENDING),
    [HF_LEASE_OPEN] =
        BIT(HF_LEASE_NONE) | BIT(HF_LEASE_MEETING) | BIT(HF_LEASE_ENDING),
    [HF_LEASE_ENDING] = BIT(HF_LEASE_NONE) | BIT(HF_LEASE_OVER),
    [HF_LEASE_OVER] = 0,
};

/* Forget the message: its answer is not wanted any more. */
static void
drop(struct hf_session *s, struct hf_errand *errand)
{
    if (errand->stream != 0)
        hf_session_close(s, errand->stream);
    *errand = (struct hf_errand){0};
}

/* Forget all that the session has said so far. */
static void
begin_anew(struct hf_session *s)
{
    for (unsigned i = 0; i < HF_ERRANDS_MAX; i++)
        drop(s, &s->errands[i]);
    s->comparing = false;
    s->say_at = s->now;
}

static void
move_to(struct hf_session *s, enum hf_lease_state next)
{
    HF_CHECK(allowed[s->state] & BIT(next));
    s->state = next;
    if (next == HF_LEASE_NONE || next == HF_LEASE_OVER)
        hf_nodes_unbind(&s->nodes);
    begin_anew(s);
}

/* ---- The right ----------------------------------------------------------- */

static enum hf_lease_trust
trust_now(const struct hf_session *s)
{
    struct hf_duration grace = {-s->config.grace.ms};

    if (hf_reached(s->now, s->right_until))
        return HF_TRUST_OVER;
    return hf_reached(s->now, hf_after(s->right_until, grace))
               ? HF_TRUST_AT_RISK
               : HF_TRUST_CERTAIN;
}

static void
tell_trust(struct hf_session *s)
{
    enum hf_lease_trust now = trust_now(s);

    if (now == s->trust)
        return;
    s->trust = now;
    hf_wishes_trust(s);
}

/* How long the right lasts after one proof. */
static struct hf_duration
trusted_for(const struct hf_session *s)
{
    return (struct hf_duration){s->config.terms.ttl.ms - s->config.margin.ms};
}

/* The right counts from the sending; the server counts from the arrival, which
 * is later [S1]. */
static void
believe(struct hf_session *s, struct hf_instant sent_at)
{
    s->right_until =
        hf_later(s->right_until, hf_after(sent_at, trusted_for(s)));
    tell_trust(s);
}

/* Was the right proved within the last beat? */
static bool
is_fresh(const struct hf_session *s)
{
    return hf_between(s->now, s->right_until).ms >
           trusted_for(s).ms - s->config.terms.beat.ms;
}

static void
lose_right(struct hf_session *s)
{
    s->right_until = (struct hf_instant){INT64_MIN};
    s->trust = HF_TRUST_OVER;
}

/* ---- Errands ------------------------------------------------------------- */

bool
hf_lease_take_errand(struct hf_session *s, uint64_t stream,
                     struct hf_errand *errand)
{
    for (unsigned i = 0; i < HF_ERRANDS_MAX; i++)
        if (s->errands[i].stream == stream) {
            *errand = s->errands[i];
            s->errands[i] = (struct hf_errand){0};
            return true;
        }
    return false;
}

/* A message that is out and not overdue. */
static const struct hf_errand *
fresh_errand(const struct hf_session *s)
{
    for (unsigned i = 0; i < HF_ERRANDS_MAX; i++)
        if (s->errands[i].stream != 0 && !s->errands[i].overdue)
            return &s->errands[i];
    return NULL;
}

/* A free errand, or the oldest. */
static struct hf_errand *
errand_to_use(struct hf_session *s)
{
    struct hf_errand *oldest = &s->errands[0];

    for (unsigned i = 1; i < HF_ERRANDS_MAX; i++)
        if (s->errands[i].stream < oldest->stream)
            oldest = &s->errands[i];
    drop(s, oldest);
    return oldest;
}

/* Forget the pages that are out: a later answer must belong to a later page. */
static void
drop_pages(struct hf_session *s)
{
    for (unsigned i = 0; i < HF_ERRANDS_MAX; i++)
        if (s->errands[i].kind == HF_MESSAGE_PAGE)
            drop(s, &s->errands[i]);
}

static void
turn_page(struct hf_session *s)
{
    uint32_t at = s->page_first;

    for (uint32_t i = 0; i < s->config.limits.page && at != 0; i++)
        at = hf_row_next(s, HF_ROW_MATES, at);
    s->page_end = at;
}

static void
say(struct hf_session *s, enum hf_message_kind kind)
{
    struct hf_errand *errand;

    if (kind == HF_MESSAGE_PAGE) {
        drop_pages(s);
        turn_page(s);
    }
    errand = errand_to_use(s);
    *errand = (struct hf_errand){
        .stream = ++s->last_stream,
        .kind = kind,
        .node = s->nodes.current,
        .sent_at = s->now,
        .untold = true,
    };
    s->say_at = hf_after(s->now, s->config.terms.beat);
}

/* Is there a message to send, and of which kind? */
static bool
has_errand(const struct hf_session *s, enum hf_message_kind *kind)
{
    switch (s->state) {
    case HF_LEASE_NONE:
    case HF_LEASE_OPENING:
        *kind = HF_MESSAGE_OPEN;
        return hf_lanes_used(s) && hf_session_is_of_one(s);
    case HF_LEASE_MEETING:
    case HF_LEASE_OPEN:
        *kind = s->comparing ? HF_MESSAGE_PAGE : HF_MESSAGE_KEEP_ALIVE;
        return hf_lanes_used(s);
    case HF_LEASE_ENDING:
        *kind = HF_MESSAGE_END;
        return true;
    case HF_LEASE_OVER:
        break;
    }
    return false;
}

void
hf_lease_drive(struct hf_session *s)
{
    enum hf_message_kind kind;

    if (!has_errand(s, &kind) || fresh_errand(s) != NULL ||
        !hf_reached(s->now, s->say_at) ||
        !hf_reached(s->now, s->nodes.pause_end))
        return;
    if (s->state == HF_LEASE_NONE)
        move_to(s, HF_LEASE_OPENING);
    say(s, kind);
}

/* ---- Services ------------------------------------------------------------ */

/* Ask for nothing, and give back what was asked for: for now, or for good. */
static void
hold_back(struct hf_session *s, enum hf_services_verdict verdict)
{
    s->services = verdict;
    hf_wishes_hold_back(s);
    if (verdict == HF_SERVICES_TWO)
        hf_wishes_turn_away(s);
}

/* The nodes that may answer for the session have been silent for the whole ttl:
 * the session counts as gone.  A refuse session does not end by time, and stays
 * until a node answers. */
static bool
is_forsaken(const struct hf_session *s)
{
    return hf_nodes_none_may(&s->nodes) && s->trust == HF_TRUST_OVER &&
           s->granted.count == 0 &&
           (s->config.terms.if_dead == HF_TAKEOVER || !hf_wishes_asked(s));
}

void
hf_lease_services(struct hf_session *s, const struct hf_session_event *event)
{
    hf_nodes_say(&s->nodes, event->services.each);
    if (hf_nodes_any_said(&s->nodes))
        s->heard_at = s->now;
    if (is_forsaken(s))
        hf_lease_gone(s, HF_ANSWER_GONE);
    if (event->services.verdict != HF_SERVICES_ONE) {
        hold_back(s, event->services.verdict);
        return;
    }
    s->services = HF_SERVICES_ONE;
    hf_wishes_go_on(s);
}

/* ---- What an errand is answered ------------------------------------------ */

/* How long a waiting request may be silent at this server. */
static struct hf_duration
silence_of(const struct hf_session *s, struct hf_duration blocking)
{
    struct hf_duration longer = {blocking.ms + blocking.ms / 3};

    return longer.ms > s->config.silence.ms ? longer : s->config.silence;
}

static bool
on_opened(struct hf_session *s, const struct hf_errand *errand,
          const struct hf_session_event *event)
{
    struct hf_instant sent_at = errand->sent_at;

    if (event->answer.answer.kind == HF_ANSWER_LIMIT) {
        s->limited = true;
        s->say_at = hf_after(s->now, hf_session_pause(s));
        return true;
    }
    if (event->answer.answer.kind == HF_ANSWER_OVER &&
        event->answer.answer.over == HF_OVER_INVALID) {
        hf_lease_gone(s, HF_ANSWER_GONE);
        hf_wishes_refused(s, HF_E_INVALID); /* other nodes would refuse it
                                               too */
        return true;
    }
    if (event->answer.answer.kind != HF_ANSWER_OPENED)
        return false;
    s->limited = false;
    s->id = event->answer.answer.alive.session;
    s->secret = event->answer.secret;
    s->term = event->answer.term;
    s->silence = silence_of(s, event->answer.blocking);
    s->lowest = 0;
    move_to(s, HF_LEASE_OPEN);
    s->say_at = hf_after(sent_at, s->config.terms.beat);
    if (!hf_nodes_bind(&s->nodes, errand->node, event->answer.service))
        hold_back(s, HF_SERVICES_DIFFER);
    believe(s, sent_at);
    return true;
}

/* The server knows the session and all its grants. */
static void
prove(struct hf_session *s, struct hf_instant sent_at)
{
    if (s->state == HF_LEASE_MEETING) {
        move_to(s, HF_LEASE_OPEN);
        s->say_at = hf_after(sent_at, s->config.terms.beat);
    }
    believe(s, sent_at);
}

static void
begin_to_compare(struct hf_session *s, struct hf_instant sent_at)
{
    s->comparing = true;
    s->alive_at = sent_at;
    s->page_first = s->granted.first;
    s->say_at = s->now;
}

/* An ALIVE that comes while pages are out gives no right: the pages may yet
 * show that grants are missing. */
static bool
on_alive(struct hf_session *s, const struct hf_errand *errand,
         const struct hf_session_event *event)
{
    struct hf_instant sent_at = errand->sent_at;
    bool all_there;

    if (event->answer.answer.kind != HF_ANSWER_ALIVE)
        return false;
    for (size_t i = 0; i < event->answer.fences_count; i++)
        hf_wishes_taken(s, event->answer.fences[i]);
    all_there = hf_wishes_compare(s, errand->stream, event);
    if (s->comparing)
        return true;
    if (all_there)
        prove(s, sent_at);
    else
        begin_to_compare(s, sent_at);
    if (s->confirming_count > 0)
        s->say_at = s->now; /* it came too late for those messages */
    return true;
}

static bool
on_page(struct hf_session *s, const struct hf_session_event *event)
{
    if (event->answer.answer.kind != HF_ANSWER_PAGE)
        return false;
    for (size_t i = 0; i < event->answer.fences_count; i++)
        hf_wishes_taken(s, event->answer.fences[i]);
    s->page_first = s->page_end;
    s->say_at = s->now;
    if (s->page_first != 0)
        return true;
    s->comparing = false;
    s->say_at = hf_after(s->alive_at, s->config.terms.beat);
    prove(s, s->alive_at);
    return true;
}

static bool
on_ended(struct hf_session *s, enum hf_answer_kind kind)
{
    if (kind != HF_ANSWER_ENDED)
        return false;
    hf_lease_gone(s, HF_ANSWER_GONE);
    return true;
}

bool
hf_lease_answered(struct hf_session *s, const struct hf_errand *errand,
                  const struct hf_session_event *event)
{
    switch (errand->kind) {
    case HF_MESSAGE_OPEN:
        return on_opened(s, errand, event);
    case HF_MESSAGE_KEEP_ALIVE:
        return on_alive(s, errand, event);
    case HF_MESSAGE_PAGE:
        return on_page(s, event);
    case HF_MESSAGE_END:
        return on_ended(s, event->answer.answer.kind);
    case HF_MESSAGE_ACQUIRE:
    case HF_MESSAGE_RELEASE:
    case HF_MESSAGE_CHANGE:
    case HF_MESSAGE_CLEAR:
        break;
    }
    HF_CHECK(!"a session says nothing else of its own");
    return false;
}

/* ---- Leaders and ends ---------------------------------------------------- */

void
hf_lease_meet(struct hf_session *s, uint64_t term, struct hf_duration pause)
{
    s->term = term;
    s->ask_at = hf_after(s->now, pause);
    if (s->state == HF_LEASE_OPEN)
        move_to(s, HF_LEASE_MEETING);
    else
        begin_anew(s); /* the leader it was to meet leads no more */
    hf_messages_again_all(s);
}

void
hf_lease_gone(struct hf_session *s, enum hf_answer_kind kind)
{
    bool refused = s->state == HF_LEASE_OPENING && kind == HF_ANSWER_DENIED;
    bool fresh = is_fresh(s);
    struct hf_duration pause = hf_session_pause(s);

    /* A new leader does not know sessions without grants, and keeps places in
     * line only for a short time [S3, L5]: so come back soon. */
    if (s->state == HF_LEASE_MEETING)
        pause.ms /= 10;
    lose_right(s);
    move_to(s, s->is_last ? HF_LEASE_OVER : HF_LEASE_NONE);
    if (fresh) /* two servers behind one name do not know each other's
                  sessions */
        s->say_at = hf_after(s->now, pause);
    hf_wishes_gone(s);
    if (refused)
        hf_wishes_refused(s, HF_E_DENIED);
}

void
hf_lease_want(struct hf_session *s)
{
    bool is_there = s->state == HF_LEASE_OPEN || s->state == HF_LEASE_MEETING;

    if (is_there && !hf_lanes_used(s) && hf_reached(s->now, s->right_until))
        move_to(s, HF_LEASE_NONE);
}

void
hf_lease_end(struct hf_session *s)
{
    if (s->is_last)
        return;
    s->is_last = true;
    hf_wishes_release_all(s);
    if (s->state == HF_LEASE_NONE || s->state == HF_LEASE_OPENING)
        move_to(s, HF_LEASE_OVER);
    else if (s->state != HF_LEASE_ENDING)
        hf_lease_renounce(s);
}

void
hf_lease_renounce(struct hf_session *s)
{
    lose_right(s);
    move_to(s, HF_LEASE_ENDING);
}

/* ---- Time ---------------------------------------------------------------- */

void
hf_lease_look(struct hf_session *s)
{
    struct hf_duration patience = hf_session_patience(s);

    tell_trust(s);
    for (unsigned i = 0; i < HF_ERRANDS_MAX; i++) {
        struct hf_errand *errand = &s->errands[i];

        if (errand->stream == 0 || errand->overdue ||
            !hf_reached(s->now, hf_after(errand->sent_at, patience)))
            continue;
        errand->overdue = true;
        s->say_at = s->now;
        hf_session_failed(s, errand->node, errand->stream);
    }
}

bool
hf_lease_ready(const struct hf_session *s)
{
    return s->state == HF_LEASE_OPEN && hf_reached(s->now, s->ask_at) &&
           hf_reached(s->now, s->nodes.pause_end);
}

/* When the right ends, or comes near its end, if anything is held. */
static struct hf_instant
trust_deadline(const struct hf_session *s)
{
    struct hf_duration grace = {-s->config.grace.ms};

    if (s->granted.count == 0 || s->trust == HF_TRUST_OVER)
        return HF_NEVER;
    return s->trust == HF_TRUST_AT_RISK ? s->right_until
                                        : hf_after(s->right_until, grace);
}

struct hf_instant
hf_lease_deadline(const struct hf_session *s)
{
    struct hf_instant at = trust_deadline(s);
    const struct hf_errand *errand = fresh_errand(s);
    enum hf_message_kind kind;

    if (errand != NULL)
        at = hf_earlier(at, hf_after(errand->sent_at, hf_session_patience(s)));
    else if (has_errand(s, &kind))
        at = hf_earlier(at, hf_later(s->say_at, s->nodes.pause_end));
    if (s->state == HF_LEASE_OPEN && s->ready.count > 0)
        at = hf_earlier(at, hf_later(s->ask_at, s->nodes.pause_end));
    return at;
}

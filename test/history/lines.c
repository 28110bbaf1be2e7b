#include "history/lines.h"

#include <stdlib.h>
#include <string.h>

#include "base/container.h"
#include "base/fail.h"

/* Where a line is being read. */
struct reader {
    struct history *history;
    const struct history_text *text;
    uint32_t number;
    struct history_word rest; /* of the line */
    enum hf_status status;
    struct hf_error *error;
};

static bool
complain(struct reader *reader, const char *why)
{
    reader->status = hf_fail(reader->error, HF_E_CORRUPT, "%s:%u: %s",
                             reader->text->name, reader->number, why);
    return false;
}

static bool
run_out(struct reader *reader)
{
    reader->status = hf_fail(reader->error, HF_E_NOMEM, "out of memory");
    return false;
}

/* ---- Words --------------------------------------------------------------- */

static bool
read_word(struct reader *reader, struct history_word *word)
{
    struct history_word *rest = &reader->rest;
    const char *blank;

    if (rest->len == 0)
        return complain(reader, "something is missing at its end");
    blank = memchr(rest->at, ' ', rest->len);
    *word = (struct history_word){
        rest->at, blank == NULL ? rest->len : (size_t)(blank - rest->at)};
    rest->at += word->len;
    rest->len -= word->len;
    if (word->len == 0 || rest->len == 1)
        return complain(reader, "one blank stands between two words");
    if (rest->len > 0) {
        rest->at++;
        rest->len--;
    }
    return true;
}

/* As they are written: without a zero before. */
static bool
number_of(struct history_word word, uint64_t *number)
{
    uint64_t value = 0;

    if (word.len == 0 || (word.len > 1 && word.at[0] == '0'))
        return false;
    for (size_t i = 0; i < word.len; i++) {
        unsigned digit = (unsigned)(unsigned char)word.at[i] - '0';

        if (digit > 9 || value > (UINT64_MAX - digit) / 10)
            return false;
        value = value * 10 + digit;
    }
    *number = value;
    return true;
}

static bool
read_number(struct reader *reader, uint64_t *number)
{
    struct history_word word;

    if (!read_word(reader, &word))
        return false;
    return number_of(word, number) || complain(reader, "this is no number");
}

static bool
read_instant(struct reader *reader, int64_t *ns)
{
    uint64_t number;

    if (!read_number(reader, &number))
        return false;
    if (number > INT64_MAX)
        return complain(reader, "this is no instant");
    *ns = (int64_t)number;
    return true;
}

static bool
is_word(struct history_word word, const char *text)
{
    return word.len == strlen(text) && memcmp(word.at, text, word.len) == 0;
}

/* One of two words; *second: it is the second. */
static bool
read_choice(struct reader *reader, const char *const *words, bool *second)
{
    struct history_word word;

    if (!read_word(reader, &word))
        return false;
    *second = is_word(word, words[1]);
    return *second || is_word(word, words[0]) ||
           complain(reader, "there is no such word");
}

/* ---- Names --------------------------------------------------------------- */

/* What the word stands for; made, of `size` bytes with the name first, when it
 * is read for the first time.  NULL: no memory. */
static void *
intern(struct reader *reader, struct hf_hash *table, struct history_word word,
       size_t size)
{
    uint64_t hash = hf_hash_bytes(HF_HASH_SEED, word.at, word.len);
    struct hf_hash_node *node = hf_hash_find(table, hash);
    struct history_name *name;

    for (; node != NULL; node = hf_hash_next(node)) {
        name = HF_CONTAINER(node, struct history_name, node);
        if (name->word.len == word.len &&
            memcmp(name->word.at, word.at, word.len) == 0)
            return name;
    }
    name = hf_arena_take(&reader->history->arena, size);
    if (name == NULL)
        return NULL;
    memset(name, 0, size);
    name->word = word;
    name->index = (uint32_t)table->count;
    return hf_hash_add(table, &name->node, hash) ? name : NULL;
}

static bool
read_lock(struct reader *reader, struct history_lock **lock)
{
    struct history_word word;

    if (!read_word(reader, &word))
        return false;
    *lock = intern(reader, &reader->history->locks, word, sizeof(**lock));
    return *lock != NULL || run_out(reader);
}

static bool
find_session(struct reader *reader, struct history_word word,
             struct history_session **session)
{
    if (word.len == 0 || memchr(word.at, '/', word.len) != NULL)
        return complain(reader, "this is no session");
    *session =
        intern(reader, &reader->history->sessions, word, sizeof(**session));
    return *session != NULL || run_out(reader);
}

/* Up to the next slash, and past it. */
static struct history_word
cut_part(struct history_word *word)
{
    const char *slash =
        word->len == 0 ? NULL : memchr(word->at, '/', word->len);
    struct history_word part = *word;

    if (slash == NULL) {
        word->len = 0;
        return part;
    }
    part.len = (size_t)(slash - word->at);
    word->at += part.len + 1;
    word->len -= part.len + 1;
    return part;
}

static bool
read_request(struct reader *reader, struct history_request **found)
{
    struct history *h = reader->history;
    struct history_request *request;
    struct history_word word;
    struct history_word rest;
    struct history_word session;
    struct history_word lane;
    uint64_t number;

    if (!read_word(reader, &word))
        return false;
    rest = word;
    session = cut_part(&rest);
    lane = cut_part(&rest);
    if (!number_of(lane, &number) || !number_of(rest, &number))
        return complain(reader, "a request is SESSION/LANE/NUMBER");
    request = intern(reader, &h->names, word, sizeof(*request));
    if (request == NULL)
        return run_out(reader);
    *found = request;
    if (request->owner != NULL)
        return true;
    word.len -= rest.len + 1;
    request->owner = intern(reader, &h->owners, word, sizeof(*request->owner));
    if (request->owner == NULL)
        return run_out(reader);
    return find_session(reader, session, &request->session);
}

/* ---- Events -------------------------------------------------------------- */

static bool
read_subject(struct reader *reader, struct history_event *event)
{
    struct history_word word;

    switch (note_subject(event->kind)) {
    case NOTE_OF_REQUEST:
        return read_request(reader, &event->request);
    case NOTE_OF_SESSION:
        return read_word(reader, &word) &&
               find_session(reader, word, &event->session);
    case NOTE_OF_LOCK:
        return read_lock(reader, &event->lock);
    case NOTE_OF_ALL:
        break;
    }
    return true;
}

static size_t
count_words(struct history_word rest)
{
    size_t count = rest.len > 0;

    for (size_t i = 0; i < rest.len; i++)
        count += rest.at[i] == ' ';
    return count;
}

static bool
read_wants(struct reader *reader, struct history_request *request)
{
    static const char *const modes[] = {"exclusive", "shared"};
    size_t count = count_words(reader->rest) / 2;
    struct history_want *wants =
        hf_arena_take(&reader->history->arena, count * sizeof(*wants));
    bool shared;

    if (count == 0)
        return complain(reader, "it asks for nothing");
    if (wants == NULL)
        return run_out(reader);
    memset(wants, 0, count * sizeof(*wants));
    for (size_t i = 0; i < count; i++) {
        if (!read_choice(reader, modes, &shared) ||
            !read_lock(reader, &wants[i].lock))
            return false;
        for (size_t j = 0; j < i; j++)
            if (wants[j].lock == wants[i].lock)
                return complain(reader, "it names one lock twice");
        wants[i].exclusive = !shared;
        wants[i].request = request;
    }
    request->wants = wants;
    request->wants_count = count;
    return true;
}

static bool
read_ask(struct reader *reader, struct history_request *request)
{
    static const char *const choices[] = {"takeover", "refuse"};
    bool refuse;

    if (request->wants_count > 0)
        return complain(reader, "it is asked for twice");
    if (!read_choice(reader, choices, &refuse))
        return false;
    request->if_dead = refuse ? HF_REFUSE : HF_TAKEOVER;
    return read_wants(reader, request);
}

static bool
read_fence(struct reader *reader, uint64_t *fence)
{
    return read_number(reader, fence) &&
           (*fence > 0 || complain(reader, "no fence is 0"));
}

/* What belongs to it. */
static bool
read_more(struct reader *reader, struct history_event *event)
{
    switch (event->kind) {
    case NOTE_ASK:
        return read_ask(reader, event->request);
    case NOTE_GRANTED:
        return read_fence(reader, &event->fence) &&
               read_instant(reader, &event->until_ns);
    case NOTE_EXTENDED:
        return read_instant(reader, &event->until_ns);
    case NOTE_LOWER:
    case NOTE_LOWERED:
        return read_lock(reader, &event->lock);
    case NOTE_CLEAR:
        return read_fence(reader, &event->fence);
    case NOTE_RELEASE:
    case NOTE_OVER:
    case NOTE_HELD:
    case NOTE_TIMED_OUT:
    case NOTE_LOST:
    case NOTE_END:
    case NOTE_GONE:
    case NOTE_RESTORING:
    case NOTE_RESTORED:
        break;
    }
    return true;
}

static bool
read_line(struct reader *reader, struct history_word line)
{
    struct history *h = reader->history;
    struct history_event *event = &h->events[h->events_count++];
    struct history_word word;

    *event = (struct history_event){
        .number = reader->number,
        .text = reader->text,
        .line = line,
    };
    reader->rest = line;
    if (!read_instant(reader, &event->at_ns) || !read_word(reader, &word))
        return false;
    if (!note_kind_of(word.at, word.len, &event->kind))
        return complain(reader, "there is no such event");
    if (!read_subject(reader, event) || !read_more(reader, event))
        return false;
    return reader->rest.len == 0 ||
           complain(reader, "there is more than belongs to it");
}

static bool
read_text(struct reader *reader)
{
    struct history_word rest = {reader->text->at, reader->text->len};

    for (reader->number = 1; rest.len > 0; reader->number++) {
        const char *end = memchr(rest.at, '\n', rest.len);
        struct history_word line = rest;

        if (end == NULL) {
            reader->history->torn_count++;
            return true;
        }
        line.len = (size_t)(end - rest.at);
        if (line.len > 0 && !read_line(reader, line))
            return false;
        rest.at += line.len + 1;
        rest.len -= line.len + 1;
    }
    return true;
}

/* ---- All of them --------------------------------------------------------- */

/* At one instant nothing is certain: so what is asked when a restored store is
 * there was asked before. */
static int
compare(const void *left, const void *right)
{
    const struct history_event *a = left;
    const struct history_event *b = right;
    bool a_first = a->kind == NOTE_ASK;
    bool b_first = b->kind == NOTE_ASK;

    if (a->at_ns != b->at_ns)
        return a->at_ns < b->at_ns ? -1 : 1;
    if (a_first != b_first)
        return a_first ? -1 : 1;
    if (a->text != b->text)
        return a->text < b->text ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

static size_t
count_lines(const struct history_text *texts, size_t count)
{
    size_t lines = 0;

    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < texts[i].len; j++)
            lines += texts[i].at[j] == '\n';
    return lines;
}

enum hf_status
history_lines(struct history *history, const struct history_text *texts,
              size_t count, struct hf_error *error)
{
    struct reader reader = {.history = history, .error = error};
    size_t lines = count_lines(texts, count);

    history->events =
        hf_calloc(&hf_alloc_libc, lines + 1, sizeof(*history->events));
    if (history->events == NULL)
        return hf_fail(error, HF_E_NOMEM, "out of memory");
    for (size_t i = 0; i < count; i++) {
        reader.text = &texts[i];
        if (!read_text(&reader))
            return reader.status;
    }
    qsort(history->events, history->events_count, sizeof(*history->events),
          compare);
    return HF_OK;
}

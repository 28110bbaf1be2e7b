#include "history/note.h"

#include <inttypes.h>
#include <string.h>

static const struct {
    const char *word;
    enum note_subject subject;
} kinds[] = {
#define NOTE_KIND_ROW(name, word, subject) [name] = {word, subject},
    NOTE_KIND_TABLE(NOTE_KIND_ROW)
#undef NOTE_KIND_ROW
};

const char *
note_word(enum note_kind kind)
{
    return kinds[kind].word;
}

enum note_subject
note_subject(enum note_kind kind)
{
    return kinds[kind].subject;
}

bool
note_kind_of(const char *word, size_t len, enum note_kind *kind)
{
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (strlen(kinds[i].word) != len ||
            memcmp(kinds[i].word, word, len) != 0)
            continue;
        *kind = (enum note_kind)i;
        return true;
    }
    return false;
}

/* One word, whatever bytes the name has. */
static void
write_name(struct hf_text *text, const char *name)
{
    for (const char *at = name; *at != '\0'; at++) {
        if ((unsigned char)*at <= ' ' || *at == '%' || *at == 0x7f)
            hf_text_addf(text, "%%%02X", (unsigned)(unsigned char)*at);
        else
            hf_text_add_bytes(text, at, 1);
    }
}

static void
write_subject(struct hf_text *text, const struct note *note)
{
    const struct note_request *request = &note->request;

    switch (note_subject(note->kind)) {
    case NOTE_OF_REQUEST:
        hf_text_addf(text, " %s/%" PRIu64 "/%" PRIu64, request->session,
                     request->lane, request->n);
        break;
    case NOTE_OF_SESSION:
        hf_text_addf(text, " %s", request->session);
        break;
    case NOTE_OF_LOCK:
    case NOTE_OF_ALL:
        break;
    }
}

static void
write_asked(struct hf_text *text, const struct note *note)
{
    hf_text_addf(text, " %s", hf_if_dead_word(note->if_dead));
    for (size_t i = 0; i < note->names_count; i++) {
        bool shared = note->names[i].mode == HF_SHARED;

        hf_text_add(text, shared ? " shared " : " exclusive ");
        write_name(text, note->names[i].lock);
    }
}

void
note_write(struct hf_text *text, const struct note *note)
{
    hf_text_addf(text, "%" PRId64 " %s", note->at_ns, note_word(note->kind));
    write_subject(text, note);
    switch (note->kind) {
    case NOTE_ASK:
        write_asked(text, note);
        break;
    case NOTE_LOWER:
    case NOTE_LOWERED:
    case NOTE_CLEAR:
        hf_text_add(text, " ");
        write_name(text, note->names[0].lock);
        if (note->kind == NOTE_CLEAR)
            hf_text_addf(text, " %" PRIu64, note->fence);
        break;
    case NOTE_GRANTED:
        hf_text_addf(text, " %" PRIu64, note->fence);
        hf_text_addf(text, " %" PRId64, note->until_ns);
        break;
    case NOTE_EXTENDED:
        hf_text_addf(text, " %" PRId64, note->until_ns);
        break;
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
    hf_text_add(text, "\n");
}

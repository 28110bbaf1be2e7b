#include "client/table/seen.h"

#include <string.h>

#include "client/describe.h"

void
hf_reading_take(struct hf_reading *reading, const char *text, size_t len,
                size_t room)
{
    struct hf_value value;
    struct hf_sight *sight = &reading->sight;

    sight->kind = HF_SIGHT_CORRUPT;
    reading->text = len < room ? text : NULL;
    reading->text_len = len < room ? len : 0;
    if (reading->text == NULL ||
        hf_record_decode(text, len, &value, NULL) != HF_OK)
        return;
    sight->kind = HF_SIGHT_LOCK;
    sight->heartbeat = value.heartbeat;
    sight->terms = value.terms;
}

static bool
is_same(const struct hf_seen *seen, const struct hf_reading *reading)
{
    bool exists = reading->sight.kind != HF_SIGHT_ABSENT;

    return seen->exists == exists && seen->version == reading->sight.version &&
           seen->token == reading->sight.token;
}

static void
keep_text(struct hf_seen *seen, const struct hf_alloc *alloc,
          const struct hf_reading *reading)
{
    hf_free(alloc, seen->text);
    seen->text = NULL;
    seen->text_len = 0;
    if (reading->sight.kind == HF_SIGHT_ABSENT || reading->text == NULL)
        return;
    seen->text = hf_calloc(alloc, reading->text_len + 1, 1);
    if (seen->text == NULL)
        return;
    memcpy(seen->text, reading->text, reading->text_len);
    seen->text_len = reading->text_len;
}

/* A beat, another holder, or the end of one. */
static void
note_change(struct hf_seen *seen, const struct hf_sight *sight,
            struct hf_instant now)
{
    bool exists = sight->kind != HF_SIGHT_ABSENT;
    bool same_holder = seen->exists && exists && seen->token == sight->token;

    if (same_holder)
        seen->beat_at = now;
    else if (seen->version != 0)
        seen->changed_at = now;
    if (!same_holder) {
        seen->here = false;
        seen->presence = HF_PRESENCE_UNKNOWN;
    }
    if (exists && !seen->exists)
        seen->first_at = now;
    seen->shown_at = now;
}

bool
hf_seen_take(struct hf_seen *seen, const struct hf_alloc *alloc,
             const struct hf_reading *reading, struct hf_instant now)
{
    const struct hf_sight *sight = &reading->sight;

    if (seen->shown_at.ms != 0 && is_same(seen, reading))
        return false;
    note_change(seen, sight, now);
    keep_text(seen, alloc, reading);
    seen->exists = sight->kind != HF_SIGHT_ABSENT;
    seen->corrupt = sight->kind == HF_SIGHT_CORRUPT;
    seen->version = sight->version;
    seen->token = sight->token;
    seen->stamp_ms = reading->stamp_ms;
    return true;
}

struct hf_seen
hf_seen_copy(const struct hf_seen *seen, const struct hf_alloc *alloc)
{
    struct hf_seen copy = *seen;

    copy.text = NULL;
    copy.text_len = 0;
    if (seen->text == NULL)
        return copy;
    copy.text = hf_calloc(alloc, seen->text_len + 1, 1);
    if (copy.text == NULL)
        return copy;
    memcpy(copy.text, seen->text, seen->text_len);
    copy.text_len = seen->text_len;
    return copy;
}

void
hf_seen_forget(struct hf_seen *seen, const struct hf_alloc *alloc)
{
    hf_free(alloc, seen->text);
    *seen = (struct hf_seen){.exists = false};
}

bool
hf_seen_value(const struct hf_seen *seen, struct hf_value *value)
{
    return seen->exists && !seen->corrupt && seen->text != NULL &&
           hf_record_decode(seen->text, seen->text_len, value, NULL) == HF_OK;
}

static void
tell_corrupt(const struct hf_seen *seen, struct hf_diagnosis *diagnosis)
{
    struct hf_value value;

    if (seen->text == NULL)
        diagnosis->error = (struct hf_error){
            HF_E_CORRUPT, "its value is longer than any of ours"};
    else
        (void)!hf_record_decode(seen->text, seen->text_len, &value,
                                &diagnosis->error);
}

void
hf_seen_tell(const struct hf_seen *seen, const char *space, const char *name,
             const char *boot, struct hf_instant now,
             struct hf_diagnosis *diagnosis)
{
    struct hf_value value = {0};
    bool known = hf_seen_value(seen, &value);
    struct hf_record_meta meta = {
        .space = space,
        .name = name,
        .name_len = strlen(name),
        .exists = seen->exists,
        .corrupt = seen->corrupt,
        .version = seen->version,
        .token = seen->token,
        .stamp_ms = seen->stamp_ms,
    };

    *diagnosis = (struct hf_diagnosis){
        .here = seen->here,
        .running = seen->presence == HF_PRESENCE_THERE,
    };
    hf_describe(&meta, &value, &diagnosis->record);
    if (!seen->exists)
        return;
    diagnosis->same_boot =
        known && boot[0] != '\0' && strcmp(boot, value.owner.boot) == 0;
    diagnosis->unchanged = hf_between(seen->shown_at, now);
    diagnosis->watched = hf_between(seen->first_at, now);
    if (seen->corrupt)
        tell_corrupt(seen, diagnosis);
    else if (!known)
        diagnosis->error = (struct hf_error){
            HF_E_NOMEM, "there was no memory to keep what was read"};
}

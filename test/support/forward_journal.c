#include "support/forward_journal.h"

#include "base/fail.h"
#include "store/place.h"

static struct hf_journal *
inner_of(struct hf_journal *journal)
{
    return ((struct forward_journal *)(void *)journal)->inner;
}

static void
follow(struct hf_journal *journal)
{
    journal->generation = hf_journal_generation(inner_of(journal));
    journal->log = hf_journal_log(inner_of(journal));
}

static void
close_forward(struct hf_journal *journal)
{
    hf_journal_close(inner_of(journal));
    hf_free(journal->alloc, journal);
}

enum hf_status
forward_journal_read(struct hf_journal *journal, struct hf_instant until,
                     struct hf_journal_found *found, struct hf_error *error)
{
    enum hf_status status =
        hf_journal_read(inner_of(journal), until, found, error);

    follow(journal);
    return status;
}

enum hf_verdict
forward_journal_write(struct hf_journal *journal,
                      const struct hf_journal_write *write,
                      struct hf_instant until, uint64_t *version,
                      struct hf_error *error)
{
    enum hf_verdict verdict =
        hf_journal_write(inner_of(journal), write, until, version, error);

    follow(journal);
    return verdict;
}

enum hf_status
forward_journal_load(struct hf_journal *journal, struct hf_journal_chunk *chunk,
                     struct hf_instant until, struct hf_error *error)
{
    const struct hf_journal *inner = inner_of(journal);
    enum hf_status status =
        inner->methods->load(inner_of(journal), chunk, until, error);

    follow(journal);
    return status;
}

enum hf_status
forward_journal_unlocked(struct hf_journal *journal, struct hf_instant until,
                         struct hf_error *error)
{
    enum hf_status status =
        hf_journal_unlocked(inner_of(journal), until, error);

    follow(journal);
    return status;
}

enum hf_status
forward_journal_secure(struct hf_journal *journal, struct hf_duration promised,
                       struct hf_instant until, struct hf_error *error)
{
    enum hf_status status =
        hf_journal_secure(inner_of(journal), promised, until, error);

    follow(journal);
    return status;
}

static enum hf_status
retire(struct hf_journal *journal, struct hf_instant until,
       struct hf_error *error)
{
    return hf_journal_retire(inner_of(journal), until, error);
}

static enum hf_status
audit(struct hf_journal *journal, struct hf_journal_page *page,
      struct hf_instant until, struct hf_error *error)
{
    enum hf_status status =
        hf_journal_audit(inner_of(journal), page, until, error);

    follow(journal);
    return status;
}

static bool
wait_for_change(struct hf_journal *journal, uint64_t version,
                struct hf_instant until, int wake_fd)
{
    bool changed = hf_journal_wait(inner_of(journal), version, until, wake_fd);

    follow(journal);
    return changed;
}

static struct hf_journal_methods
methods_with(const struct hf_journal_methods *changed)
{
    struct hf_journal_methods all = {
        .close = close_forward,
        .read = forward_journal_read,
        .write = forward_journal_write,
        .load = forward_journal_load,
        .unlocked = forward_journal_unlocked,
        .secure = forward_journal_secure,
        .retire = retire,
        .audit = audit,
        .wait = wait_for_change,
    };

    if (changed->read != NULL)
        all.read = changed->read;
    if (changed->write != NULL)
        all.write = changed->write;
    if (changed->load != NULL)
        all.load = changed->load;
    if (changed->unlocked != NULL)
        all.unlocked = changed->unlocked;
    if (changed->secure != NULL)
        all.secure = changed->secure;
    return all;
}

void *
forward_journal_open(const char *place, size_t size,
                     const struct hf_alloc *alloc,
                     const struct hf_journal_methods *changed,
                     struct hf_error *error)
{
    struct forward_journal *made = hf_calloc(alloc, 1, size);
    struct hf_place where;

    if (made == NULL) {
        (void)hf_fail(error, HF_E_NOMEM, "no memory for a journal");
        return NULL;
    }
    if (hf_place_parse(place, &where, error) != HF_OK ||
        hf_journal_open(&where, alloc, &made->inner, error) != HF_OK) {
        hf_free(alloc, made);
        return NULL;
    }
    made->methods = methods_with(changed);
    made->base = (struct hf_journal){
        .methods = &made->methods,
        .alloc = alloc,
        .limits = hf_journal_limits(made->inner),
    };
    return made;
}

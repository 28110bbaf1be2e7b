#include "journal/methods.h"

#include "base/fail.h"

/*
 * A journal that keeps nothing but its head, for as long as the process has it
 * open: no other node can have it, and a load finds nothing.
 */

struct scratch {
    struct hf_journal base;
    struct hf_journal_found found;
};

static struct scratch *
scratch_of(struct hf_journal *journal)
{
    return (struct scratch *)journal;
}

static void
close_scratch(struct hf_journal *journal)
{
    hf_free(journal->alloc, journal);
}

static enum hf_status
read_head(struct hf_journal *journal, struct hf_instant until,
          struct hf_journal_found *found, struct hf_error *error)
{
    (void)until;
    (void)error;
    *found = scratch_of(journal)->found;
    return HF_OK;
}

static enum hf_verdict
write_head(struct hf_journal *journal, const struct hf_journal_write *write,
           struct hf_instant until, uint64_t *version, struct hf_error *error)
{
    struct hf_journal_found *found = &scratch_of(journal)->found;
    uint64_t now = (uint64_t)hf_wall_us();

    (void)until;
    (void)error;
    if (write->expect != found->version || (!found->exists && !write->new_term))
        return HF_REFUSED;
    found->version = now > found->version ? now : found->version + 1;
    if (write->new_term)
        found->term = found->version;
    found->exists = true;
    found->head = *write->head;
    found->head.store = found->store;
    found->loss = HF_STORE_WHOLE;
    *version = found->version;
    return HF_APPLIED;
}

static enum hf_status
load(struct hf_journal *journal, struct hf_journal_chunk *chunk,
     struct hf_instant until, struct hf_error *error)
{
    (void)journal;
    (void)chunk;
    (void)until;
    (void)error;
    return HF_OK;
}

static const struct hf_journal_methods methods = {
    .close = close_scratch,
    .read = read_head,
    .write = write_head,
    .load = load,
};

enum hf_status
hf_journal_memory_open(const struct hf_place *place,
                       const struct hf_alloc *alloc,
                       struct hf_journal **journal, struct hf_error *error)
{
    struct scratch *made = hf_new(alloc, struct scratch);

    (void)place;
    if (made == NULL)
        return hf_fail(error, HF_E_NOMEM, "no memory for a journal");
    made->base = (struct hf_journal){
        .methods = &methods,
        .alloc = alloc,
        .limits = {.changes = 1000, .bytes = SIZE_MAX, .at_once = true},
    };
    made->found = (struct hf_journal_found){
        .version = (uint64_t)hf_wall_us(),
        .loss = HF_STORE_VOLATILE,
    };
    *journal = &made->base;
    return HF_OK;
}

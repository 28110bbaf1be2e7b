#ifndef HF_STORE_MODULE_H
#define HF_STORE_MODULE_H

#include "base/clock.h"
#include "store/kind.h"

/*
 * The module of a kind of place whose library not everybody has: what it does
 * behind store.h and journal.h.  It is opened when a place of that kind is
 * (base/module.h), and has its own copy of the code below it: so it is of this
 * very version, and pointers into it last as long as the process.
 */

struct hf_journal;

struct hf_place_module {
    const char *version; /* first: HF_VERSION of its build */

    /* As hf_store_open_at, hf_journal_open and hf_journal_find. */
    enum hf_status (*open)(const struct hf_place *place, enum hf_store_use use,
                           const struct hf_alloc *alloc,
                           struct hf_store **store, struct hf_error *error);
    enum hf_status (*journal_open)(const struct hf_place *place,
                                   const struct hf_alloc *alloc,
                                   struct hf_journal **journal,
                                   struct hf_error *error);
    enum hf_status (*journal_find)(const struct hf_place *place,
                                   struct hf_instant until,
                                   struct hf_error *error);

    /* As hf_store_blame. */
    void (*blame)(const struct hf_place *place, const struct hf_error *error,
                  struct hf_checkup *checkup);
};

#define HF_PLACE_MODULE_SYMBOL "hf_place_module"

/* The module of a kind that has one.  NULL, with HF_E_UNAVAILABLE in *error: it
 * is not installed, or is of another version; or this is the static library,
 * which has none. */
const struct hf_place_module *hf_module_of(const struct hf_store_kind *kind,
                                           struct hf_error *error);

/* `open` and `blame` of the row of such a kind. */
HF_MUST_USE enum hf_status hf_module_open_store(const struct hf_place *place,
                                                enum hf_store_use use,
                                                const struct hf_alloc *alloc,
                                                struct hf_store **store,
                                                struct hf_error *error);
void hf_module_blame(const struct hf_place *place, const struct hf_error *error,
                     struct hf_checkup *checkup);

#endif

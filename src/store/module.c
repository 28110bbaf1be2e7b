#include "store/module.h"

#include "base/fail.h"
#include "base/module.h"

#ifdef HF_STATIC

/* A program without a dynamic linker cannot open it. */
const struct hf_place_module *
hf_module_of(const struct hf_store_kind *kind, struct hf_error *error)
{
    (void)!hf_fail(error, HF_E_UNAVAILABLE,
                   "%s: the static libholdfast has no such places: link the "
                   "shared one",
                   kind->module->place);
    return NULL;
}

#else

const struct hf_place_module *
hf_module_of(const struct hf_store_kind *kind, struct hf_error *error)
{
    const void *found;

    return hf_module_open(kind->module, &found, error) == HF_OK ? found : NULL;
}

#endif

enum hf_status
hf_module_open_store(const struct hf_place *place, enum hf_store_use use,
                     const struct hf_alloc *alloc, struct hf_store **store,
                     struct hf_error *error)
{
    const struct hf_place_module *module = hf_module_of(place->kind, error);

    return module == NULL ? HF_E_UNAVAILABLE
                          : module->open(place, use, alloc, store, error);
}

void
hf_module_blame(const struct hf_place *place, const struct hf_error *error,
                struct hf_checkup *checkup)
{
    const struct hf_place_module *module = hf_module_of(place->kind, NULL);

    if (module != NULL)
        module->blame(place, error, checkup);
}

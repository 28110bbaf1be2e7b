#include "store/module.h"

#include "base/fail.h"
#include "base/module.h"

#ifdef HF_STATIC

/* A program without a dynamic linker cannot open it. */
enum hf_status
hf_module_postgresql(const struct hf_place_module **module,
                     struct hf_error *error)
{
    (void)module;
    return hf_fail(error, HF_E_UNAVAILABLE,
                   "postgresql: the static libholdfast has no places in "
                   "PostgreSQL: link the shared one");
}

#else

enum hf_status
hf_module_postgresql(const struct hf_place_module **module,
                     struct hf_error *error)
{
    static const struct hf_module_name name = {
        .place = "postgresql",
        .needs = "the package holdfast-postgresql",
        .file = "place-postgresql.so",
        .symbol = HF_PLACE_MODULE_SYMBOL,
    };
    const void *found = NULL;
    enum hf_status status = hf_module_open(&name, &found, error);

    if (status == HF_OK)
        *module = found;
    return status;
}

#endif

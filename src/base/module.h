#ifndef HF_BASE_MODULE_H
#define HF_BASE_MODULE_H

#include <holdfast/words.h>

/*
 * Modules: shared objects of ours that are opened when a place needs them, so
 * that the others need none of their libraries.  A module exports one symbol, a
 * struct of functions that begins with its version, a const char *.  It uses
 * no symbol of ours: it has its own copy of the code below it.
 *
 * Any thread.
 */
struct hf_module_name {
    const char *place;  /* of which places: "http" */
    const char *needs;  /* what to install, as sentences name it */
    const char *file;   /* "holdfast-http.so" */
    const char *symbol; /* of its struct */
};

/*
 * Open the module, which the process then keeps, and set *found to its struct.
 * It is looked for beside this library or program, in ../lib/holdfast, and
 * where it was to be installed; no variable of the environment says where.
 * HF_E_UNAVAILABLE: it is in none of them, cannot be opened, or is of another
 * version than this.
 */
HF_MUST_USE enum hf_status hf_module_open(const struct hf_module_name *name,
                                          const void **found,
                                          struct hf_error *error);

#endif

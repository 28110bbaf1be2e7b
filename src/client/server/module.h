#ifndef HF_CLIENT_SERVER_MODULE_H
#define HF_CLIENT_SERVER_MODULE_H

#include "net/http_module.h"

/*
 * Find and open the module that speaks HTTP, once for the process, which keeps
 * it: beside the library or the program that this stands in, in
 * ../lib/holdfast, or where it was to be installed.
 *
 * HF_E_UNAVAILABLE: it is in none of them, or of another build.  Any thread.
 */
HF_MUST_USE enum hf_status hf_module_open(const struct hf_http_module **module,
                                          struct hf_error *error);

#endif

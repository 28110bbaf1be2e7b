#include "client/server/module.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"

#define FILE_NAME "holdfast-http.so"

/* From the folder that this stands in. */
static const char *const beside[] = {"holdfast", "../lib/holdfast"};

/* The file that this is part of: a library, or the program itself, which the
 * linker gives no name.  False: it cannot be told. */
static bool
find_file(char path[PATH_MAX])
{
    struct link_map *map = NULL;
    Dl_info info;

    if (dladdr1(beside, &info, (void **)&map, RTLD_DL_LINKMAP) == 0 ||
        map == NULL)
        return false;
    return realpath(map->l_name[0] == '\0' ? "/proc/self/exe" : map->l_name,
                    path) != NULL;
}

static void *
open_beside(const char *file)
{
    int folder_len = (int)(strrchr(file, '/') - file);
    char path[PATH_MAX + 64];
    void *handle = NULL;

    for (size_t i = 0; i < sizeof(beside) / sizeof(beside[0]); i++) {
        snprintf(path, sizeof(path), "%.*s/%s/%s", folder_len, file, beside[i],
                 FILE_NAME);
        if (handle == NULL)
            handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    }
    return handle;
}

enum hf_status
hf_module_open(const struct hf_http_module **module, struct hf_error *error)
{
    char file[PATH_MAX];
    void *handle = find_file(file) ? open_beside(file) : NULL;
    const struct hf_http_module *found;

    if (handle == NULL)
        handle = dlopen(HF_MODULE_FOLDER "/" FILE_NAME, RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL)
        return hf_fail(error, HF_E_UNAVAILABLE,
                       "http: needs %s, which is not installed: %.120s",
                       FILE_NAME, dlerror());
    found = dlsym(handle, HF_HTTP_MODULE_SYMBOL);
    if (found == NULL || strcmp(found->version, HF_MODULE_VERSION) != 0)
        return hf_fail(error, HF_E_UNAVAILABLE,
                       "http: %s is of another version than this (%s)",
                       FILE_NAME, HF_MODULE_VERSION);
    *module = found;
    return HF_OK;
}

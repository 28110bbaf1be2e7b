#include "base/module.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <holdfast/version.h>

#include "base/fail.h"

/* The file of this library, or of the program that it is linked into, which has
 * no name in the link map.  False: it is not known. */
static bool
find_file(char path[PATH_MAX])
{
    struct link_map *map = NULL;
    static const char here;
    Dl_info info;

    if (dladdr1(&here, &info, (void **)&map, RTLD_DL_LINKMAP) == 0 ||
        map == NULL)
        return false;
    return realpath(map->l_name[0] == '\0' ? "/proc/self/exe" : map->l_name,
                    path) != NULL;
}

/* The first that is there: beside `file`, or where it was to be installed.
 * False: it is nowhere, and *path tells the last. */
static bool
find_module(const char *file, const char *module, char *path, size_t size)
{
    static const char *const beside[] = {"holdfast", "../lib/holdfast"};
    int folder_len = (int)(strrchr(file, '/') - file);

    for (size_t i = 0; i < sizeof(beside) / sizeof(beside[0]); i++) {
        snprintf(path, size, "%.*s/%s/%s", folder_len, file, beside[i], module);
        if (access(path, F_OK) == 0)
            return true;
    }
    snprintf(path, size, "%s/%s", HF_MODULE_FOLDER, module);
    return access(path, F_OK) == 0;
}

enum hf_status
hf_module_open(const struct hf_module_name *name, const void **found,
               struct hf_error *error)
{
    char file[PATH_MAX];
    char path[PATH_MAX + 64];
    const char *const *version;
    void *handle;

    if (!find_file(file))
        memcpy(file, "/", 2);
    if (!find_module(file, name->file, path, sizeof(path)))
        return hf_fail(error, HF_E_UNAVAILABLE,
                       "%s: needs %s, which is not installed: there is no "
                       "%.100s",
                       name->place, name->needs, path);
    handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL)
        return hf_fail(error, HF_E_UNAVAILABLE,
                       "%s: needs %s, which does not load: %.120s", name->place,
                       name->needs, dlerror());
    version = dlsym(handle, name->symbol);
    if (version == NULL || strcmp(*version, HF_VERSION) != 0)
        return hf_fail(error, HF_E_UNAVAILABLE,
                       "%s: needs %s of the same version as this, %s",
                       name->place, name->needs, HF_VERSION);
    *found = version;
    return HF_OK;
}

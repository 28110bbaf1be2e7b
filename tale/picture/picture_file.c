#include "tale/picture/picture_file.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "tale/whole.h"

/* The folder of a path, and its name there. */
static enum hf_status
write_at(const char *path, const char *svg, size_t len, struct hf_error *error)
{
    const char *slash = strrchr(path, '/');
    char folder[4096];
    size_t folder_len = slash == NULL ? 0 : (size_t)(slash - path);

    if (path[0] == '\0' || (slash != NULL && slash[1] == '\0'))
        return hf_fail(error, HF_E_INVALID, "'%.80s' names no file", path);
    if (slash == NULL)
        return whole_write(".", path, svg, len, error);
    if (folder_len >= sizeof(folder))
        return hf_fail(error, HF_E_INVALID, "'%.80s' is too long", path);
    memcpy(folder, path, folder_len);
    folder[folder_len] = '\0';
    return whole_write(folder_len == 0 ? "/" : folder, slash + 1, svg, len,
                       error);
}

enum hf_status
picture_save(const char *path, const struct specimen_run *run,
             const struct told *told, struct hf_error *error)
{
    char *svg = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&svg, &len);
    enum hf_status status;

    if (out == NULL)
        return hf_fail(error, HF_E_NOMEM, "no memory for a picture");
    picture_write(out, run, told);
    if (fclose(out) != 0)
        status = hf_fail(error, HF_E_NOMEM, "no memory for a picture");
    else
        status = write_at(path, svg, len, error);
    free(svg);
    return status;
}

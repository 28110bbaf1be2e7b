#include "base/random.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>

#include "base/fail.h"

enum hf_status
hf_random_u64(uint64_t *number, struct hf_error *error)
{
    uint64_t drawn;
    ssize_t len;

    do {
        len = getrandom(&drawn, sizeof(drawn), 0);
    } while (len < 0 && errno == EINTR);
    if (len != (ssize_t)sizeof(drawn))
        return hf_fail(error, HF_E_UNAVAILABLE, "getrandom: %s",
                       len < 0 ? strerror(errno) : "too few bytes");

    *number = drawn;
    return HF_OK;
}

#include "base/fd.h"

#include <errno.h>
#include <unistd.h>

void
hf_fd_close(int *fd)
{
    int saved = errno;

    if (*fd >= 0)
        close(*fd);
    *fd = -1;
    errno = saved;
}

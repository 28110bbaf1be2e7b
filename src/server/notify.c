#include "server/notify.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/fd.h"

/* A path, or "@" and a name of Linux's own, which begins with a NUL. */
void
hf_notify(const char *state)
{
    const char *path = getenv("NOTIFY_SOCKET");
    size_t path_len = path == NULL ? 0 : strlen(path);
    union {
        struct sockaddr any;
        struct sockaddr_un un;
    } address = {.un = {.sun_family = AF_UNIX}};
    socklen_t len;
    int fd;

    if (path_len == 0 || path_len >= sizeof(address.un.sun_path))
        return;
    memcpy(address.un.sun_path, path, path_len);
    if (path[0] == '@')
        address.un.sun_path[0] = '\0';
    len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + path_len);
    fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return;
    (void)sendto(fd, state, strlen(state), MSG_NOSIGNAL, &address.any, len);
    hf_fd_close(&fd);
}

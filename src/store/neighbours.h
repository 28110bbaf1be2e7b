#ifndef HF_STORE_NEIGHBOURS_H
#define HF_STORE_NEIGHBOURS_H

#include "base/checkup.h"
#include "store/kind.h"

/* Neighbours: the default places of this host's other users.  Users without a
 * common place share no lock, and are told so only here. */

/* Files that list users and mounts, and the path of root's place. */
struct hf_neighbours_host {
    const char *users;  /* /etc/passwd */
    const char *mounts; /* /proc/self/mounts */
    const char *root;   /* the path of root's place */
};

/* Look for default places beside `own`, the examined place, and report which
 * were found and where a look was not possible.  It warns if `own` is a default
 * place itself.  It opens nothing, and touches nothing on a network, which may
 * not answer.  Any thread. */
void hf_neighbours_look(const struct hf_neighbours_host *host,
                        const struct hf_place *own, struct hf_checkup *checkup);

/* The same, on this host. */
void hf_neighbours_of(const struct hf_place *own, struct hf_checkup *checkup);

#endif

#ifndef HF_STORE_NEIGHBOURS_H
#define HF_STORE_NEIGHBOURS_H

#include "base/checkup.h"
#include "store/kind.h"

/*
 * Neighbours: the default places of this host's other users.  Who named no
 * place shares no lock with those who have another; nobody is told so later.
 */

/* Where users and mounts are listed, and root's place. */
struct hf_neighbours_host {
    const char *users;  /* /etc/passwd */
    const char *mounts; /* /proc/self/mounts */
    const char *root;   /* the path of root's place */
};

/*
 * Look for them beside `own`, the place that is examined, and say what was
 * found and where there was no looking: it warns where `own` is a default place
 * itself.  Nothing is opened, and nothing on the network is touched, which may
 * not answer.  Any thread.
 */
void hf_neighbours_look(const struct hf_neighbours_host *host,
                        const struct hf_place *own, struct hf_checkup *checkup);

/* The same, on this host. */
void hf_neighbours_of(const struct hf_place *own, struct hf_checkup *checkup);

#endif

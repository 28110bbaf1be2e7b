#ifndef LAB_WORLD_LAYOUT_H
#define LAB_WORLD_LAYOUT_H

/*
 * Layout: what pack.c writes and unpack.c reads.  First the world, then the
 * writes that may come late, then the workers; the bytes of a worker are named
 * where they are written, in pack_worker.
 */
enum {
    WORLD_BYTES = 8,
    LATE_BYTES = 4,
    WORKER_BYTES = 27,
    VALUES_MAX = 64,
    NO_TERMS = 0xff,
    NEVER = 0xff,
};

#endif

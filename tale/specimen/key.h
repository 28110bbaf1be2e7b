#ifndef TALE_SPECIMEN_KEY_H
#define TALE_SPECIMEN_KEY_H

#include <stdbool.h>
#include <stdint.h>

/*
 * One key, as the workers of the tale see it: they issue a request, and some
 * time later there is an answer.  What happens in between is made of steps,
 * each of which may happen at any moment: on an atomic key there are hardly
 * any; in the simulated Riak a request arrives at each replica by itself.
 *
 * A key X has these functions:
 *
 *   void X_issue(struct X *, unsigned worker, struct key_request);
 *   void X_step(struct X *, struct key_step);
 *       something happens inside it
 *   bool X_answer(struct X *, unsigned worker, struct key_answer *);
 *       take the answer if it is there
 *
 * Plain structs: copying is `=`.
 */

enum {
    KEY_WORKERS_MAX = 4,
    KEY_SIBLINGS_MAX = 4,
    KEY_STEPS_MAX = 48,
};

/* What a worker writes: its ID (1, 2, ...), and perhaps a timestamp. */
struct key_value {
    uint8_t id;
    uint8_t stamp;
};

enum key_request_kind { KEY_READ, KEY_WRITE, KEY_REMOVE };

struct key_request {
    enum key_request_kind kind;
    bool with_context; /* of the last read: it replaces what that showed */
    bool if_absent;    /* the atomic key only: a write where nothing is */
    struct key_value value;
};

enum key_answer_kind {
    KEY_OK,        /* a write or remove that succeeded */
    KEY_FOUND,     /* a read: the value, or its siblings; a write if_absent
                      that was not done, because of these */
    KEY_NOT_FOUND, /* a read */
    KEY_ERROR,     /* it may have happened, all the same */
};

struct key_answer {
    enum key_answer_kind kind;
    uint8_t count; /* KEY_FOUND: of siblings, 1 or more */
    struct key_value siblings[KEY_SIBLINGS_MAX];
};

/* Something that may happen inside the key by itself. */
struct key_step {
    uint8_t code;  /* the key's own number for it */
    uint8_t about; /* worker, replica, ...: as the code has it */
    bool fault;
};

#endif

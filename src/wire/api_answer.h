#ifndef HF_WIRE_API_ANSWER_H
#define HF_WIRE_API_ANSWER_H

#include "base/text.h"
#include "core/lockspace/look.h"
#include "core/session.h"
#include "wire/api_unknown.h"

/*
 * What a lock server answers, as JSON, with its HTTP status: docs/api.md has
 * the table.
 *
 * What is no success is a problem (RFC 9457): "type" is a word of its own for
 * each kind, "title" a sentence for people.  Beside these stand "message" and
 * "exceptionClass", as http-remoting wrote errors, so that a client of old that
 * tells errors apart by the class of an exception finds it here, too.
 *
 * A fence is a number, and beside it the same as a text.
 *
 * Allocates nothing; any thread.
 */

/* No answer's body is longer: a page of a list, a lock that many wait for. */
enum { HF_API_ANSWER_SIZE = 256 * 1024 };

/* Fences of its grants that an ALIVE lists; of more it tells a sum [S4]. */
enum { HF_API_HELD_MAX = 8 };

/* What an answer of the machine's does not carry itself. */
struct hf_api_case {
    uint64_t term; /* of the leader that answers */
    uint64_t session;
    uint64_t lane;
    uint64_t n;
    struct hf_duration ttl;  /* of that session, as it is, */
    struct hf_duration left; /* and of it, now */
    enum hf_if_dead if_dead;
    const struct hf_secret *secret; /* of a session that was opened here, or
                                       whose key was given, which is told it,
                                       and: */
    struct hf_duration blocking;    /* who waits is answered by then */
    uint64_t service;               /* OPENED: the id of the service */
    const uint64_t *fences; /* ALIVE: that were cleared; PAGE: that are not
                               there */
    size_t fences_count;
    const uint64_t *held; /* ALIVE: all that are held, if they are few */
    const char *leader;   /* NOT_LEADING: where the leader is, or "" */
    const char *detail; /* of a problem, for people; NULL: as its title says */
    const char *more;   /* members that go with it, as ",\"holders\":[…]"; or
                           NULL */
};

/* Append the body to *text and return the status. */
int hf_api_answer(const struct hf_answer *answer,
                  const struct hf_api_case *about, struct hf_text *text);

/* The type of a BLOCKING_TIMEOUT after which nothing remains of the wait. */
#define HF_API_TIMED_OUT "timed-out"

/* The word of its type; NULL: of a success, or of one that is over. */
const char *hf_api_answer_word(enum hf_answer_kind kind);

/* The word of what is over; NULL: of a success. */
const char *hf_api_over_word(enum hf_over over);

/* "place": what *later* is for. */
const char *hf_api_later_word(enum hf_later cause);

/* "behind": why a request waits. */
const char *hf_api_why_word(enum hf_look_why why);

/* Problems of the server's own, before any machine is asked. */
enum hf_api_problem {
    HF_API_BAD_REQUEST, /* 400 */
    HF_API_DENIED,      /* 403 */
    HF_API_NO_RESOURCE, /* 404 */
    HF_API_NO_METHOD,   /* 405 */
    HF_API_TOO_LARGE,   /* 413 */
    HF_API_ORIGIN,      /* 403: a browser's page asks */
    HF_API_HOST,        /* 421: it is meant for another */
    HF_API_NO_ROOM,     /* 429 */
    HF_API_VOLATILE,    /* 409: of a server that keeps nothing */
    HF_API_NO_MEMORY,   /* 503 */
    HF_API_SLOW,        /* 408 */
    HF_API_ID_IN_USE,   /* 400: of a line of a stream */
    HF_API_CANCELLED,   /* 409: of a line that was cancelled */
};

/* Append it, with `detail` for this very request, and return the status.  What
 * is unknown (NULL: nothing) is named in a member beside: "member":"ifDead". */
int hf_api_problem(enum hf_api_problem problem, const char *detail,
                   const struct hf_api_unknown *unknown, struct hf_text *text);

#endif

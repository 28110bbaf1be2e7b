#ifndef HF_SERVER_SECRET_H
#define HF_SERVER_SECRET_H

#include <openssl/types.h>

#include "core/session.h"

/*
 * Secrets of sessions: random, told once, and known to the place by their
 * SHA-256 (FIPS 180-4) alone.  A secret has 128 random bits, so a plain hash of
 * it cannot be searched for.
 *
 * Any thread, but for the hasher, which is one thread's.
 */

enum { HF_HASHER_NOTES = 256 };

/* The hash, looked up once: OpenSSL takes ten times as long to find it as to
 * make one.  Hashes that were made lately are noted, in memory alone. */
struct hf_hasher {
    EVP_MD *sha256;  /* owned */
    EVP_MD_CTX *ctx; /* owned */
    struct {
        struct hf_secret secret;
        struct hf_secret_hash hash;
    } notes[HF_HASHER_NOTES]; /* each where its secret's first byte says */
};

/* HF_E_UNAVAILABLE: OpenSSL has no SHA-256, or no memory. */
HF_MUST_USE enum hf_status hf_hasher_init(struct hf_hasher *hasher,
                                          struct hf_error *error);
void hf_hasher_fini(struct hf_hasher *hasher);

void hf_secret_hash(struct hf_hasher *hasher, const struct hf_secret *secret,
                    struct hf_secret_hash *to);

/* A new session's id, never 0, and its secret.  HF_E_UNAVAILABLE: the kernel
 * gives no random numbers. */
HF_MUST_USE enum hf_status hf_secret_new(uint64_t *session,
                                         struct hf_secret *secret,
                                         struct hf_error *error);

/* The id and the secret of the session that belongs to an idempotency key: the
 * same for the same key, and unknown without the key.  False: no memory. */
HF_MUST_USE bool hf_secret_of_key(struct hf_bytes key, uint64_t *session,
                                  struct hf_secret *secret);

#endif

#include "server/secret.h"

#include <limits.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/sha.h>
#include <string.h>

#include "base/check.h"
#include "base/fail.h"
#include "base/random.h"

/* A key is hashed with this, so that its digest is that of nothing else. */
static const char for_keys[] = "holdfast idempotency key";

/* With a context that has begun once, none of this looks for memory or for an
 * algorithm, so none of it fails. */
static void
hash(struct hf_hasher *hasher, const struct hf_secret *secret,
     struct hf_secret_hash *to)
{
    bool hashed;

    _Static_assert(sizeof(to->bytes) == SHA256_DIGEST_LENGTH,
                   "a hash of a secret is a SHA-256");
    hashed = EVP_DigestInit_ex2(hasher->ctx, NULL, NULL) == 1 &&
             EVP_DigestUpdate(hasher->ctx, secret->bytes,
                              sizeof(secret->bytes)) == 1 &&
             EVP_DigestFinal_ex(hasher->ctx, to->bytes, NULL) == 1;
    HF_CHECK(hashed);
}

enum hf_status
hf_hasher_init(struct hf_hasher *hasher, struct hf_error *error)
{
    *hasher = (struct hf_hasher){
        .sha256 = EVP_MD_fetch(NULL, "SHA2-256", NULL),
        .ctx = EVP_MD_CTX_new(),
    };
    if (hasher->sha256 != NULL && hasher->ctx != NULL &&
        EVP_DigestInit_ex2(hasher->ctx, hasher->sha256, NULL) == 1) {
        /* The one note that a secret of zeros would find. */
        hash(hasher, &hasher->notes[0].secret, &hasher->notes[0].hash);
        return HF_OK;
    }
    hf_hasher_fini(hasher);
    return hf_fail(error, HF_E_UNAVAILABLE, "OpenSSL gives no SHA-256");
}

void
hf_hasher_fini(struct hf_hasher *hasher)
{
    EVP_MD_CTX_free(hasher->ctx);
    EVP_MD_free(hasher->sha256);
    *hasher = (struct hf_hasher){0};
}

/* A session sends its secret with each message.  The comparison takes as long
 * for any secret: its time tells whether one is noted, and no byte of it. */
void
hf_secret_hash(struct hf_hasher *hasher, const struct hf_secret *secret,
               struct hf_secret_hash *to)
{
    unsigned char first = secret->bytes[0];

    _Static_assert(HF_HASHER_NOTES == UCHAR_MAX + 1, "a note for each byte");
    if (CRYPTO_memcmp(hasher->notes[first].secret.bytes, secret->bytes,
                      sizeof(secret->bytes)) != 0) {
        hasher->notes[first].secret = *secret;
        hash(hasher, secret, &hasher->notes[first].hash);
    }
    *to = hasher->notes[first].hash;
}

static uint64_t
id_of(uint64_t number)
{
    return number == 0 ? 1 : number;
}

enum hf_status
hf_secret_new(uint64_t *session, struct hf_secret *secret,
              struct hf_error *error)
{
    uint64_t numbers[3];

    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        enum hf_status status = hf_random_u64(&numbers[i], error);

        if (status != HF_OK)
            return status;
    }
    *session = id_of(numbers[0]);
    memcpy(secret->bytes, &numbers[1], sizeof(secret->bytes));
    return HF_OK;
}

bool
hf_secret_of_key(struct hf_bytes key, uint64_t *session,
                 struct hf_secret *secret)
{
    unsigned char digest[SHA512_DIGEST_LENGTH];
    uint64_t number;

    if (HMAC(EVP_sha512(), for_keys, sizeof(for_keys) - 1,
             (const unsigned char *)key.at, key.len, digest, NULL) == NULL)
        return false;
    memcpy(&number, digest, sizeof(number));
    *session = id_of(number);
    memcpy(secret->bytes, digest + 32, sizeof(secret->bytes));
    return true;
}

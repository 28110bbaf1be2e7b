#include "support/test.h"

#include <openssl/evp.h>
#include <openssl/sha.h>

#include "server/secret.h"

/* What the server knows of a secret, however often it has heard it, and
 * whatever it has heard in between. */

static void
expect_hash(struct hf_hasher *hasher, const struct hf_secret *secret)
{
    unsigned char expected[SHA256_DIGEST_LENGTH];
    struct hf_secret_hash found;

    assert_int_equal(EVP_Digest(secret->bytes, sizeof(secret->bytes), expected,
                                NULL, EVP_sha256(), NULL),
                     1);
    hf_secret_hash(hasher, secret, &found);
    assert_memory_equal(found.bytes, expected, sizeof(expected));
}

TEST(each_secret_has_its_own_hash_whatever_was_heard_before)
{
    struct hf_hasher hasher;
    struct hf_secret secret = {{0}};

    assert_int_equal(hf_hasher_init(&hasher, NULL), HF_OK);
    for (unsigned last = 0; last < 4; last++) {
        secret.bytes[15] = (uint8_t)(last % 2);
        expect_hash(&hasher, &secret);
    }
    for (unsigned first = 0; first < 256; first++) {
        secret.bytes[0] = (uint8_t)first;
        expect_hash(&hasher, &secret);
        expect_hash(&hasher, &secret);
    }
    hf_hasher_fini(&hasher);
}

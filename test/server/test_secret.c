#include "support/test.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/sha.h>
#include <stdlib.h>

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

/* ---- Without memory ------------------------------------------------------ */

static bool fails;

static void *
give(size_t len, const char *file, int line)
{
    (void)file;
    (void)line;
    return fails ? NULL : malloc(len);
}

static void *
resize(void *at, size_t len, const char *file, int line)
{
    (void)file;
    (void)line;
    return fails ? NULL : realloc(at, len);
}

static void
take(void *at, const char *file, int line)
{
    (void)file;
    (void)line;
    free(at);
}

/* OpenSSL lets nobody do so once it has taken any. */
__attribute__((constructor)) static void
be_its_memory(void)
{
    if (CRYPTO_set_mem_functions(give, resize, take) != 1)
        abort();
}

TEST(a_key_is_not_taken_for_another_where_there_is_no_memory)
{
    struct hf_secret secret = {{0}};
    uint64_t one = 0;
    uint64_t other = 0;

    assert_true(hf_secret_of_key((struct hf_bytes){"one", 3}, &one, &secret));
    fails = true;
    assert_false(
        hf_secret_of_key((struct hf_bytes){"other", 5}, &other, &secret));
    fails = false;
    assert_true(
        hf_secret_of_key((struct hf_bytes){"other", 5}, &other, &secret));
    assert_true(one != other);
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

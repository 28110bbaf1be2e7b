#ifndef HF_TEST_VALUES_H
#define HF_TEST_VALUES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "wire/record.h"

#define BOOT "0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9"

/* Values: records as the tests of src/wire have them. */

/* A holder with everything that a record can say; and as it stands in a
 * store. */
struct hf_value example(void);
#define EXAMPLE_JSON                                                           \
    "{\"lock\":\"4611686018427387904_17\",\"if_dead\":\"refuse\","             \
    "\"ttl_ms\":60000,\"beat_ms\":2000,\"owner\":{\"host\":\"db1\","           \
    "\"user\":\"ann\",\"command\":\"./migrate --to \\\"7\\\" C:\\\\x "         \
    "\xE2\x9C\x93\",\"since\":1700000000123,\"boot\":\"" BOOT "\","            \
    "\"pidns\":4026531836,\"processes\":[[812,99120],[813,99121]]},"           \
    "\"reason\":\"release 7\"}"

/* A string of `max` bytes: as many of `unit` as fit, then dots. */
void fill(char *to, size_t max, const char *unit);

/* The example, with every text as long as it may be. */
struct hf_value filled_with(const char *unit);

void expect_same_owner(const struct hf_owner *a, const struct hf_owner *b);
void expect_same(const struct hf_value *a, const struct hf_value *b);

/* What a text that must be a record says. */
struct hf_value decode(const char *text);

#endif

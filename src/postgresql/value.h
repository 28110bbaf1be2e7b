#ifndef HF_POSTGRESQL_VALUE_H
#define HF_POSTGRESQL_VALUE_H

#include <stdint.h>

#include "base/arena.h"
#include "postgresql/pipeline.h"

/*
 * Value: what goes into a statement and comes out of its result.
 *
 * Arrays go in their binary form, so that nothing in them is quoted or parsed.
 * They are built in an arena, and are good as long as what that holds.  Plain
 * calls, any thread.
 */

/* pg_type.dat: these never change. */
enum {
    HF_PG_INT8 = 20,
    HF_PG_INT4 = 23,
    HF_PG_TEXT = 25,
    HF_PG_INT4_ARRAY = 1007,
    HF_PG_TEXT_ARRAY = 1009,
    HF_PG_INT8_ARRAY = 1016,
};

struct hf_pg_array {
    Oid type; /* of the array */
    char *at; /* borrowed from the arena */
    size_t size;
    size_t len;
};

/* An array of that type for `count` elements, at least one, of `bytes` in all.
 * False: no memory. */
HF_MUST_USE bool hf_pg_array_init(struct hf_pg_array *array,
                                  struct hf_arena *arena, Oid type,
                                  size_t count, size_t bytes);

/* One element more.  NULL text: no value. */
void hf_pg_array_add_int4(struct hf_pg_array *array, int32_t number);
void hf_pg_array_add_int8(struct hf_pg_array *array, int64_t number);
void hf_pg_array_add_text(struct hf_pg_array *array, const char *text,
                          size_t len);

/* As a statement takes it: with as many elements as it was made for. */
struct hf_pg_value hf_pg_array_value(const struct hf_pg_array *array);

/* A text, which is borrowed. */
struct hf_pg_value hf_pg_text(const char *text);

/* A number, whose digits last as long as it.  It cannot fail: a limit that is
 * no value is none, and `>= NULL` finds nothing. */
struct hf_pg_value hf_pg_number(char digits[HF_PG_DIGITS_SIZE], int64_t number);

/* The parameter `flags` of the schema's functions. */
struct hf_pg_value hf_pg_flags(const struct hf_postgresql_place *place);

/* How many bytes at the head are UTF-8 without a NUL, which is all that a text
 * may hold. */
size_t hf_pg_text_len(const char *bytes, size_t len);

/* A column of a row as a number; 0 where there is none. */
int64_t hf_pg_column(const PGresult *result, int row, int column);

#endif

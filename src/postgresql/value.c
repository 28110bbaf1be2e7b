#include "postgresql/value.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/text.h"

/* ---- Arrays -------------------------------------------------------------- */

static void
add_word(struct hf_pg_array *array, uint32_t word)
{
    uint32_t big = htonl(word);

    HF_CHECK(array->len + sizeof(big) <= array->size);
    memcpy(array->at + array->len, &big, sizeof(big));
    array->len += sizeof(big);
}

static Oid
element_of(Oid type)
{
    switch (type) {
    case HF_PG_INT4_ARRAY:
        return HF_PG_INT4;
    case HF_PG_INT8_ARRAY:
        return HF_PG_INT8;
    default:
        return HF_PG_TEXT;
    }
}

/* array_recv: dimensions, has nulls, type of an element, elements, index of the
 * first; then each with its length before it. */
bool
hf_pg_array_init(struct hf_pg_array *array, struct hf_arena *arena, Oid type,
                 size_t count, size_t bytes)
{
    size_t size = 5 * sizeof(uint32_t) + count * sizeof(uint32_t) + bytes;

    HF_CHECK(count > 0);
    *array = (struct hf_pg_array){
        .type = type,
        .at = hf_arena_take(arena, size),
        .size = size,
    };
    if (array->at == NULL)
        return false;
    add_word(array, 1);
    add_word(array, 1);
    add_word(array, element_of(type));
    add_word(array, (uint32_t)count);
    add_word(array, 1);
    return true;
}

void
hf_pg_array_add_int4(struct hf_pg_array *array, int32_t number)
{
    add_word(array, sizeof(number));
    add_word(array, (uint32_t)number);
}

void
hf_pg_array_add_int8(struct hf_pg_array *array, int64_t number)
{
    add_word(array, sizeof(number));
    add_word(array, (uint32_t)((uint64_t)number >> 32));
    add_word(array, (uint32_t)number);
}

void
hf_pg_array_add_text(struct hf_pg_array *array, const char *text, size_t len)
{
    add_word(array, text == NULL ? UINT32_MAX : (uint32_t)len);
    if (text == NULL || len == 0)
        return;
    HF_CHECK(array->len + len <= array->size);
    memcpy(array->at + array->len, text, len);
    array->len += len;
}

struct hf_pg_value
hf_pg_array_value(const struct hf_pg_array *array)
{
    HF_CHECK(array->len == array->size);
    return (struct hf_pg_value){
        .type = array->type,
        .at = array->at,
        .len = (int)array->len,
    };
}

/* ---- Others -------------------------------------------------------------- */

struct hf_pg_value
hf_pg_text(const char *text)
{
    return (struct hf_pg_value){.type = HF_PG_TEXT, .at = text, .len = -1};
}

struct hf_pg_value
hf_pg_number(char digits[HF_PG_DIGITS_SIZE], int64_t number)
{
    (void)snprintf(digits, HF_PG_DIGITS_SIZE, "%" PRId64, number);
    return (struct hf_pg_value){.type = HF_PG_INT8, .at = digits, .len = -1};
}

struct hf_pg_value
hf_pg_flags(const struct hf_postgresql_place *place)
{
    return (struct hf_pg_value){
        .type = HF_PG_INT4,
        .at = place->synchronous ? "1" : "0",
        .len = -1,
    };
}

size_t
hf_pg_text_len(const char *bytes, size_t len)
{
    size_t i = 0;

    while (i < len) {
        size_t step = hf_text_plain(bytes + i, len - i);
        uint32_t code = 1;

        if (step == 0)
            step = hf_text_character(bytes + i, len - i, &code);
        if (step == 0 || code == 0)
            break;
        i += step;
    }
    return i;
}

int64_t
hf_pg_column(const PGresult *result, int row, int column)
{
    return strtoll(PQgetvalue(result, row, column), NULL, 10);
}

#include "support/test.h"

#include <string.h>

#include "base/hex.h"

/* A text without its NUL. */
#define TEXT(text) ((struct hf_bytes){(text), sizeof(text) - 1})

TEST(what_is_written_is_read_again)
{
    char bytes[256];
    char text[2 * sizeof(bytes) + 1];
    char again[sizeof(bytes)];

    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = (char)i;
    hf_hex_write(bytes, sizeof(bytes), text, sizeof(text));
    assert_true(
        hf_hex_read((struct hf_bytes){text, 512}, again, sizeof(again)));
    assert_memory_equal(again, bytes, sizeof(bytes));
}

TEST(a_number_has_16_digits_the_highest_first)
{
    uint64_t number = 7;
    char text[17];

    hf_hex_write_u64(0x0123456789abcdef, text);
    assert_string_equal(text, "0123456789abcdef");
    assert_true(hf_hex_read_u64(TEXT("0123456789abcdef"), &number));
    assert_int_equal(number, 0x0123456789abcdef);
    assert_false(hf_hex_read_u64(TEXT("0123456789abcde"), &number));
    assert_false(hf_hex_read_u64(TEXT("0123456789abcdef0"), &number));
    assert_int_equal(number, 0x0123456789abcdef);
}

/* Every byte but the sixteen. */
TEST(nothing_else_is_a_digit)
{
    for (int c = 0; c < 256; c++) {
        const char high[] = {(char)c, '0'};
        const char low[] = {'0', (char)c};
        bool is_digit = c != 0 && strchr("0123456789abcdef", c) != NULL;
        char byte;

        assert_int_equal(hf_hex_read((struct hf_bytes){high, 2}, &byte, 1),
                         is_digit);
        assert_int_equal(hf_hex_read((struct hf_bytes){low, 2}, &byte, 1),
                         is_digit);
    }
}

TEST(a_string_has_even_digits_and_room)
{
    char bytes[3];
    size_t len = 9;

    assert_false(hf_hex_read_string(TEXT("616"), bytes, 2, &len));
    assert_false(hf_hex_read_string(TEXT("616263"), bytes, 2, &len));
    assert_int_equal(len, 9);
    assert_true(hf_hex_read_string(TEXT("6162"), bytes, 2, &len));
    assert_int_equal(len, 2);
    assert_string_equal(bytes, "ab");
    assert_true(hf_hex_read_string(TEXT(""), bytes, 2, &len));
    assert_int_equal(len, 0);
}

#include "wire/fields.h"

#include <inttypes.h>
#include <string.h>

#include "base/check.h"
#include "base/fail.h"
#include "base/hex.h"
#include "base/limits.h"
#include "wire/json.h"

enum {
    WORD_SIZE = 64,     /* of numbers, durations and words */
    HEX_BYTES_MAX = 32, /* of one member */
    STRING_SIZE = HF_SERVED_NOTE_MAX + 1,
};

/* ---- Rows ---------------------------------------------------------------- */

/* The row of that number, those of the base first, and where its value is in
 * the struct; NULL: there are no more. */
static const struct hf_member *
row_at(const struct hf_fields *fields, size_t number, size_t *offset)
{
    const struct hf_fields *base = fields->base;
    size_t before = base == NULL ? 0 : base->count;

    if (number < before) {
        *offset = fields->base_offset + base->members[number].offset;
        return &base->members[number];
    }
    if (number - before >= fields->count)
        return NULL;
    *offset = fields->members[number - before].offset;
    return &fields->members[number - before];
}

/* The row that a key names; NULL: none does.  It is looked for from *number on,
 * and then from the first: members mostly come in the order of their rows. */
static const struct hf_member *
find_row(const struct hf_fields *fields, struct hf_bytes key, size_t *number,
         size_t *offset)
{
    size_t count =
        fields->count + (fields->base == NULL ? 0 : fields->base->count);
    char first = key.at[1];

    for (size_t i = 0; i < count; i++, ++*number) {
        const struct hf_member *row;

        if (*number >= count)
            *number = 0;
        row = row_at(fields, *number, offset);
        HF_CHECK(row != NULL);
        if (first != row->name[0] && first != '\\')
            continue;
        if (hf_json_says(key, row->name))
            return row;
    }
    return NULL;
}

/* ---- Values -------------------------------------------------------------- */

static bool
read_integer(const struct hf_member *row, struct hf_bytes value, int64_t *to)
{
    int64_t number;

    if (!hf_json_integer(value, &number) || number < row->least ||
        number > row->most)
        return false;
    *to = number;
    return true;
}

bool
hf_fields_read_natural(struct hf_bytes value, uint64_t *to)
{
    uint64_t number;

    if (!hf_json_number(value, &number) || number > INT64_MAX)
        return false;
    *to = number;
    return true;
}

bool
hf_fields_read_duration(struct hf_bytes value, struct hf_duration *duration)
{
    char text[WORD_SIZE];
    int64_t ms;
    size_t len;

    if (!hf_json_integer(value, &ms))
        return hf_json_clean(value, text, sizeof(text), &len) &&
               hf_duration_parse(text, duration, NULL) == HF_OK;
    if (ms < 0)
        return false;
    duration->ms = ms;
    return true;
}

/* Mostly no digit is escaped. */
static bool
read_hex(struct hf_bytes value, void *bytes, size_t size)
{
    char digits[2 * HEX_BYTES_MAX + 1];
    size_t len;

    HF_CHECK(size <= HEX_BYTES_MAX);
    return hf_hex_read(hf_json_inside(value), bytes, size) ||
           (hf_json_clean(value, digits, sizeof(digits), &len) &&
            hf_hex_read((struct hf_bytes){digits, len}, bytes, size));
}

static bool
read_id(const struct hf_member *row, struct hf_bytes value, uint64_t *id)
{
    char digits[WORD_SIZE];
    size_t len;

    return (hf_hex_read_u64(hf_json_inside(value), id) ||
            (hf_json_clean(value, digits, sizeof(digits), &len) &&
             hf_hex_read_u64((struct hf_bytes){digits, len}, id))) &&
           *id >= (uint64_t)row->least;
}

static bool
read_flag(struct hf_bytes value, bool *flag)
{
    *flag = hf_json_is_word(value, "true");
    return *flag || hf_json_is_word(value, "false");
}

bool
hf_fields_read_if_dead(struct hf_bytes value, enum hf_if_dead *if_dead)
{
    bool takeover = hf_json_says(value, hf_if_dead_word(HF_TAKEOVER));

    if (!takeover && !hf_json_says(value, hf_if_dead_word(HF_REFUSE)))
        return false;
    *if_dead = takeover ? HF_TAKEOVER : HF_REFUSE;
    return true;
}

bool
hf_fields_read_mode(struct hf_bytes value, enum hf_mode *mode)
{
    bool shared = hf_json_says(value, hf_mode_word(HF_SHARED));

    if (!shared && !hf_json_says(value, hf_mode_word(HF_EXCLUSIVE)))
        return false;
    *mode = shared ? HF_SHARED : HF_EXCLUSIVE;
    return true;
}

static bool
read_shown(struct hf_bytes value, char *to, size_t size)
{
    hf_json_show(value, to, size);
    return hf_json_inside(value).at != NULL;
}

bool
hf_fields_read_bytes(struct hf_fields_reader *reader, struct hf_bytes value,
                     struct hf_bytes *text)
{
    char *at = reader->texts + reader->texts_len;

    if (!hf_json_clean(value, at, reader->texts_size - reader->texts_len,
                       &text->len))
        return false;
    text->at = at;
    reader->texts_len += text->len + 1;
    return true;
}

/* ---- Reading ------------------------------------------------------------- */

/* What the value of a member is to be, for people. */
static void
say_kind(const struct hf_member *row, struct hf_text *out)
{
    switch (row->kind) {
    case HF_MEMBER_INTEGER:
        hf_text_addf(out, "a whole number from %" PRId64, row->least);
        if (row->most < INT64_MAX)
            hf_text_addf(out, " to %" PRId64, row->most);
        return;
    case HF_MEMBER_NATURAL:
        hf_text_add(out, "a whole number");
        return;
    case HF_MEMBER_DURATION:
        hf_text_add(out, "a duration: milliseconds, or a text with its unit, "
                         "as \"30s\"");
        return;
    case HF_MEMBER_ID:
        hf_text_add(out, "an id of 16 hexadecimal digits");
        return;
    case HF_MEMBER_HEX:
        hf_text_addf(out, "%zu hexadecimal digits", 2 * row->size);
        return;
    case HF_MEMBER_FLAG:
        hf_text_add(out, "true or false");
        return;
    case HF_MEMBER_IF_DEAD:
        hf_text_add(out, "\"takeover\" or \"refuse\"");
        return;
    case HF_MEMBER_MODE:
        hf_text_add(out, "\"exclusive\" or \"shared\"");
        return;
    case HF_MEMBER_STRING:
    case HF_MEMBER_SHOWN:
    case HF_MEMBER_TEXT:
        hf_text_add(out, "a text without control characters");
        return;
    case HF_MEMBER_OBJECT:
    case HF_MEMBER_OTHER:
        break;
    }
    hf_text_add(out, "well-formed");
}

static enum hf_status
malformed(struct hf_fields_reader *reader, const struct hf_member *row)
{
    char kind[2 * WORD_SIZE];
    struct hf_text out;

    hf_text_init(&out, kind, sizeof(kind));
    say_kind(row, &out);
    return hf_fail(reader->error, reader->status, "\"%s\" is not %s", row->name,
                   kind);
}

/* The bytes that a value of this kind takes; 0: any number. */
static size_t
size_of_kind(enum hf_member_kind kind)
{
    switch (kind) {
    case HF_MEMBER_INTEGER:
    case HF_MEMBER_NATURAL:
    case HF_MEMBER_DURATION:
    case HF_MEMBER_ID:
        return sizeof(int64_t);
    case HF_MEMBER_FLAG:
        return sizeof(bool);
    case HF_MEMBER_IF_DEAD:
        return sizeof(enum hf_if_dead);
    case HF_MEMBER_MODE:
        return sizeof(enum hf_mode);
    case HF_MEMBER_TEXT:
        return sizeof(struct hf_bytes);
    case HF_MEMBER_OBJECT:
    case HF_MEMBER_HEX:
    case HF_MEMBER_STRING:
    case HF_MEMBER_SHOWN:
    case HF_MEMBER_OTHER:
        break;
    }
    return 0;
}

static void
check_size(const struct hf_member *row)
{
    size_t size = size_of_kind(row->kind);

    HF_CHECK(size == 0 || size == row->size);
}

static bool
read_scalar(struct hf_fields_reader *reader, const struct hf_member *row,
            struct hf_bytes value, void *at)
{
    size_t len;

    check_size(row);
    switch (row->kind) {
    case HF_MEMBER_INTEGER:
        return read_integer(row, value, at);
    case HF_MEMBER_NATURAL:
        return hf_fields_read_natural(value, at);
    case HF_MEMBER_DURATION:
        return hf_fields_read_duration(value, at);
    case HF_MEMBER_ID:
        return read_id(row, value, at);
    case HF_MEMBER_HEX:
        return read_hex(value, at, row->size);
    case HF_MEMBER_FLAG:
        return read_flag(value, at);
    case HF_MEMBER_IF_DEAD:
        return hf_fields_read_if_dead(value, at);
    case HF_MEMBER_MODE:
        return hf_fields_read_mode(value, at);
    case HF_MEMBER_STRING:
        return hf_json_clean(value, at, row->size, &len);
    case HF_MEMBER_SHOWN:
        return read_shown(value, at, row->size);
    case HF_MEMBER_TEXT:
        return hf_fields_read_bytes(reader, value, at);
    case HF_MEMBER_OBJECT:
    case HF_MEMBER_OTHER:
        break;
    }
    HF_CHECK(!"no scalar");
    return false;
}

enum hf_status
hf_fields_read_part(struct hf_fields_reader *reader, const char *name,
                    const struct hf_fields *fields, struct hf_bytes object,
                    void *to, uint64_t *given)
{
    struct hf_error *error = reader->error;
    struct hf_error why = {.text = ""};
    enum hf_status status;

    reader->error = &why;
    status = hf_fields_read(reader, fields, HF_FIELDS_ALL, object, to, given);
    reader->error = error;
    return status == HF_OK
               ? HF_OK
               : hf_fail(error, status, "\"%s\": %s", name, why.text);
}

static enum hf_status
read_value(struct hf_fields_reader *reader, const struct hf_member *row,
           struct hf_bytes value, void *at)
{
    if (row->kind == HF_MEMBER_OBJECT)
        return hf_fields_read_part(reader, row->name, row->fields, value, at,
                                   NULL);
    if (row->kind == HF_MEMBER_OTHER)
        return row->ways->read == NULL ? HF_OK
                                       : row->ways->read(reader, value, at);
    return read_scalar(reader, row, value, at) ? HF_OK : malformed(reader, row);
}

/* Is one missing that must be there? */
static enum hf_status
check_needed(struct hf_fields_reader *reader, const struct hf_fields *fields,
             uint64_t seen, uint64_t given)
{
    const struct hf_member *row;
    size_t offset;

    for (size_t i = 0; (row = row_at(fields, i, &offset)) != NULL; i++) {
        uint64_t there = row->need == HF_LENIENT ? seen : given;

        if (row->need == HF_OPTIONAL ||
            (row->need == HF_LENIENT && fields->open) || (there >> i & 1) != 0)
            continue;
        return hf_fail(reader->error, reader->status, "no \"%s\"", row->name);
    }
    return HF_OK;
}

/* It is as if the member were missing. */
static void
clear(const struct hf_member *row, void *at)
{
    const struct hf_member *part;
    size_t offset;

    if (row->kind != HF_MEMBER_OBJECT) {
        memset(at, 0, row->size);
        return;
    }
    for (size_t i = 0; (part = row_at(row->fields, i, &offset)) != NULL; i++)
        clear(part, (char *)at + offset);
}

/* The members that are there, by a bit for each row: those that may be there,
 * of these those that were seen, and of these those that were read. */
struct found {
    uint64_t rows;
    uint64_t seen;
    uint64_t given;
    size_t next; /* the row behind that of the last member */
};

static enum hf_status
read_unknown(struct hf_fields_reader *reader, const struct hf_fields *fields,
             struct hf_bytes key)
{
    char name[WORD_SIZE];

    if (fields->open)
        return HF_OK;
    if (reader->unknown != NULL)
        return reader->unknown(reader, fields, key);
    hf_json_show(key, name, sizeof(name));
    return hf_fail(reader->error, reader->status, "unknown member \"%s\"",
                   name);
}

static enum hf_status
read_member(struct hf_fields_reader *reader, const struct hf_fields *fields,
            const struct hf_bytes pair[2], void *to, struct found *found)
{
    size_t offset;
    const struct hf_member *row =
        find_row(fields, pair[0], &found->next, &offset);
    struct hf_error *error = reader->error;
    enum hf_status status;
    uint64_t bit;

    if (row == NULL || (found->rows >> found->next & 1) == 0)
        return read_unknown(reader, fields, pair[0]);
    bit = UINT64_C(1) << found->next++;
    if ((found->seen & bit) != 0 && !fields->open)
        return hf_fail(error, reader->status, "\"%s\" is given twice",
                       row->name);
    if ((found->seen & bit) == 0) {
        found->seen |= bit;
        reader->error = row->need == HF_LENIENT ? NULL : error;
        status = read_value(reader, row, pair[1], (char *)to + offset);
        reader->error = error;
        if (status == HF_OK)
            found->given |= bit;
        if (status == HF_OK || row->need != HF_LENIENT)
            return status;
    }
    found->given &= ~bit;
    clear(row, (char *)to + offset);
    return HF_OK;
}

static enum hf_status
end_members(struct hf_fields_reader *reader, const struct hf_fields *fields,
            enum hf_status status, const struct found *found, uint64_t *given)
{
    if (status == HF_OK && !fields->optional)
        status = check_needed(reader, fields, found->seen, found->given);
    if (given != NULL)
        *given = found->given;
    return status;
}

enum hf_status
hf_fields_read(struct hf_fields_reader *reader, const struct hf_fields *fields,
               uint64_t rows, struct hf_bytes object, void *to, uint64_t *given)
{
    struct found found = {.rows = rows};
    struct hf_bytes pair[2];
    enum hf_status status = HF_OK;
    size_t at = 0;

    if (!hf_json_is_object(object))
        return hf_fail(reader->error, reader->status, "no object");
    while (status == HF_OK &&
           hf_json_next_member(object, &at, &pair[0], &pair[1]))
        status = read_member(reader, fields, pair, to, &found);
    return end_members(reader, fields, status, &found, given);
}

enum hf_status
hf_fields_check(struct hf_fields_reader *reader, const struct hf_fields *fields,
                uint64_t rows, struct hf_bytes text, void *to, uint64_t *given)
{
    struct found found = {.rows = rows};
    enum hf_json_step step = HF_JSON_MEMBER;
    struct hf_bytes pair[2];
    struct hf_error why;
    enum hf_status status = HF_OK;
    size_t at = 0;

    while (status == HF_OK && step == HF_JSON_MEMBER) {
        step = hf_json_step(text, &at, &pair[0], &pair[1]);
        if (step == HF_JSON_MEMBER)
            status = read_member(reader, fields, pair, to, &found);
    }
    if (step == HF_JSON_END)
        return end_members(reader, fields, status, &found, given);
    /* What is no JSON is wrong as a whole, whatever its members say. */
    if (hf_json_check(text, &why) != HF_OK)
        return hf_fail(reader->error, reader->status, "%s", why.text);
    return step == HF_JSON_MEMBER
               ? status
               : hf_fail(reader->error, reader->status, "no object");
}

enum hf_status
hf_fields_read_text(struct hf_fields_reader *reader,
                    const struct hf_fields *fields, struct hf_bytes text,
                    void *to, uint64_t *given)
{
    if (text.len > HF_RECORD_TEXT_MAX)
        return hf_fail(reader->error, reader->status,
                       "JSON of %zu bytes, more than %d", text.len,
                       HF_RECORD_TEXT_MAX);
    return hf_fields_check(reader, fields, HF_FIELDS_ALL, text, to, given);
}

/* ---- Writing ------------------------------------------------------------- */

static void
write_integer(int64_t number, struct hf_text *out)
{
    uint64_t size = (uint64_t)number;

    if (number < 0) {
        hf_text_add(out, "-");
        size = -size;
    }
    hf_text_add_number(out, size);
}

static void
write_quoted(const char *word, struct hf_text *out)
{
    hf_text_add(out, "\"");
    hf_text_add(out, word);
    hf_text_add(out, "\"");
}

static void
write_hex(const char *bytes, size_t size, struct hf_text *out)
{
    char digits[2 * HEX_BYTES_MAX + 1];

    hf_hex_write(bytes, size, digits, sizeof(digits));
    write_quoted(digits, out);
}

static void
write_id(uint64_t id, struct hf_text *out)
{
    char digits[17];

    hf_hex_write_u64(id, digits);
    write_quoted(digits, out);
}

/* Clean, and within its limit. */
static void
write_string(const char *string, size_t size, struct hf_text *out)
{
    char shown[STRING_SIZE];

    HF_CHECK(size <= sizeof(shown));
    hf_text_show(shown, size, string, strnlen(string, size - 1));
    hf_text_add_json(out, shown, strlen(shown));
}

static void
write_value(const struct hf_member *row, const void *at, struct hf_text *out)
{
    const struct hf_bytes *text;

    check_size(row);
    switch (row->kind) {
    case HF_MEMBER_OBJECT:
        hf_fields_write(row->fields, at, HF_FIELDS_ALL, out);
        return;
    case HF_MEMBER_INTEGER:
    case HF_MEMBER_NATURAL:
    case HF_MEMBER_DURATION:
        write_integer(*(const int64_t *)at, out);
        return;
    case HF_MEMBER_ID:
        write_id(*(const uint64_t *)at, out);
        return;
    case HF_MEMBER_HEX:
        write_hex(at, row->size, out);
        return;
    case HF_MEMBER_FLAG:
        hf_text_add(out, *(const bool *)at ? "true" : "false");
        return;
    case HF_MEMBER_IF_DEAD:
        write_quoted(hf_if_dead_word(*(const enum hf_if_dead *)at), out);
        return;
    case HF_MEMBER_MODE:
        write_quoted(hf_mode_word(*(const enum hf_mode *)at), out);
        return;
    case HF_MEMBER_STRING:
    case HF_MEMBER_SHOWN:
        write_string(at, row->size, out);
        return;
    case HF_MEMBER_TEXT:
        text = at;
        hf_text_add_json(out, text->at, text->len);
        return;
    case HF_MEMBER_OTHER:
        row->ways->write(at, out);
        return;
    }
}

void
hf_fields_write(const struct hf_fields *fields, const void *from,
                uint64_t given, struct hf_text *out)
{
    const struct hf_member *row;
    const char *before = "{\"";
    size_t offset;

    for (size_t i = 0; (row = row_at(fields, i, &offset)) != NULL; i++) {
        if ((given >> i & 1) == 0)
            continue;
        hf_text_add(out, before);
        hf_text_add(out, row->name);
        hf_text_add(out, "\":");
        write_value(row, (const char *)from + offset, out);
        before = ",\"";
    }
    hf_text_add(out, before[0] == '{' ? "{}" : "}");
}

#include "run_nested.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "output.h"

static const char variable[] = "HOLDFAST_HELD";

/* Of what a command is given, the kernel takes 128 KiB in one string. */
enum { LIST_MAX = 32 * 1024, PATH_SIZE = 4096 };

/* ---- Write --------------------------------------------------------------- */

static bool
is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || (c != '\0' && strchr("-._/:", c) != NULL);
}

static void
add_word(struct hf_text *out, const char *word)
{
    for (; *word != '\0'; word++) {
        if (is_plain(*word))
            hf_text_add_bytes(out, word, 1);
        else
            hf_text_addf(out, "%%%02X", (unsigned)(unsigned char)*word);
    }
}

/* All of an item between its place and its fence. */
static void
add_lock(struct hf_text *out, const char *space, const char *name)
{
    hf_text_add(out, ",");
    add_word(out, space);
    hf_text_add(out, ",");
    add_word(out, name);
    hf_text_add(out, ",");
}

/* All of it but the place: which lock, and which grant of it. */
static void
add_grant(struct hf_text *out, const char *space, const char *name,
          uint64_t fence)
{
    add_lock(out, space, name);
    hf_text_addf(out, "%" PRIu64, fence);
}

void
hf_run_nested_add(const struct hf_run_nested *held)
{
    const char *list = getenv(variable);
    struct hf_text out = HF_OUTPUT_BUFFER;

    if (list != NULL && list[0] != '\0')
        hf_text_addf(&out, "%s ", list);
    add_word(&out, held->place);
    add_grant(&out, held->space, held->name, held->fence);
    if (out.len < LIST_MAX)
        (void)setenv(variable, out.at, 1);
}

/* ---- Read ---------------------------------------------------------------- */

/* The text of `len` bytes with each %XX read; false when it is malformed, or
 * longer than a place may be. */
static bool
unescape(const char *text, size_t len, char to[PATH_SIZE])
{
    struct hf_text out;

    hf_text_init(&out, to, PATH_SIZE);
    return hf_text_add_unescaped(&out, text, len) && !hf_text_cut(&out);
}

/* The file of a place, whose URL ends with its options. */
static bool
find_file(const char *place, struct stat *file)
{
    static const char scheme[] = "sqlite:";
    const char *path = place + sizeof(scheme) - 1;
    char unescaped[PATH_SIZE];

    return strncmp(place, scheme, sizeof(scheme) - 1) == 0 &&
           unescape(path, strcspn(path, "?"), unescaped) &&
           stat(unescaped, file) == 0;
}

bool
hf_run_nested_same_place(const char *one, const char *other)
{
    struct stat file;
    struct stat other_file;

    if (strcmp(one, other) == 0)
        return true;
    return find_file(one, &file) && find_file(other, &other_file) &&
           file.st_dev == other_file.st_dev && file.st_ino == other_file.st_ino;
}

bool
hf_run_nested_is_nested(void)
{
    const char *list = getenv(variable);

    return list != NULL && list[0] != '\0';
}

/* Is there an item of that place that goes on with `rest`, to its end or to the
 * fence? */
static bool
has_item(const char *place, const struct hf_text *rest, bool to_the_end)
{
    const char *item = getenv(variable);
    char item_place[PATH_SIZE] = "";

    while (item != NULL && item[0] != '\0') {
        size_t len = strcspn(item, " ");
        size_t place_len = strcspn(item, ", ");

        if ((to_the_end ? len - place_len == rest->len
                        : len - place_len > rest->len) &&
            memcmp(item + place_len, rest->at, rest->len) == 0 &&
            unescape(item, place_len, item_place) &&
            hf_run_nested_same_place(item_place, place))
            return true;
        item += len + (item[len] == ' ');
    }
    return false;
}

bool
hf_run_nested_has(const char *place, const char *space, const char *name)
{
    struct hf_text lock = HF_OUTPUT_BUFFER;

    add_lock(&lock, space, name);
    return has_item(place, &lock, false);
}

bool
hf_run_nested_holds(const char *place, const struct hf_view *seen)
{
    struct hf_text grant = HF_OUTPUT_BUFFER;

    if (!hf_run_nested_is_nested() ||
        hf_view_number(seen, HF_FIELD_EXISTS) == 0 ||
        hf_view_number(seen, HF_FIELD_CORRUPT) != 0)
        return false;
    add_grant(&grant, hf_view_text(seen, HF_FIELD_SPACE),
              hf_view_text(seen, HF_FIELD_NAME),
              (uint64_t)hf_view_number(seen, HF_FIELD_FENCE));
    return has_item(place, &grant, true);
}

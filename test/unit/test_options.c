/* Options: texts as values, by a table; and a command line by the same. */
#include "support/test.h"

#include <string.h>

#include "base/alloc.h"
#include "base/arguments.h"
#include "base/fail.h"

enum colour { RED, GREEN, BLUE };

struct values {
    bool force;
    bool waits;
    enum colour colour;
    int64_t count;
    struct hf_duration ttl;
    struct hf_duration limit;
    const char *beat;
    const char *reason;
    char *owned;
    bool was_given;
    bool help;
    int words;
};

static enum hf_status
no_blank(const char *text, struct hf_error *error)
{
    return strchr(text, ' ') == NULL
               ? HF_OK
               : hf_fail(error, HF_E_INVALID, "it has a blank");
}

static enum hf_status
count_word(void *values, const struct hf_option_given *given,
           struct hf_error *error)
{
    struct values *v = values;

    v->words++;
    return strcmp(given->text, "bad") == 0
               ? hf_fail(error, HF_E_INVALID, "a bad word")
               : HF_OK;
}

static const char *const fail_or_wait[] = {"fail", "wait", NULL};
static const char *const colours[] = {"red", "green", "blue", NULL};

enum { FILE_SCOPE = 1, LINE_SCOPE = 2 };

static const struct hf_option rows[] = {
    HF_OPTION(FLAG, "force", struct values, force, .letter = 'f',
              HF_HELP("do it")),
    HF_OPTION(FLAG, "if-suspected", struct values, waits, .words = fail_or_wait,
              .value = "WHAT",
              HF_HELP("what then:\n  fail  at once\n  wait  on")),
    HF_OPTION(WORD, "colour", struct values, colour, .words = colours,
              .value = "C", HF_HELP("a colour")),
    HF_OPTION(NUMBER, "count", struct values, count, .least = 2, .most = 9,
              .given = offsetof(struct values, was_given), .value = "N",
              HF_HELP("a number from 2 to 9, which takes more than one of the "
                      "lines that there are: so long is the text of it")),
    HF_OPTION(DURATION, "ttl", struct values, ttl, .least = 500, .most = 60000),
    HF_OPTION(DURATION, "limit", struct values, limit, .most = INT64_MAX,
              .also = "timeout max"),
    HF_OPTION(DURATION_TEXT, "beat", struct values, beat, .least = 1),
    HF_OPTION(TEXT, "reason", struct values, reason, .check = no_blank),
    HF_OPTION(TEXT, "owned", struct values, owned, .scopes = FILE_SCOPE),
    HF_OPTION(DURATION, "idle", struct values, ttl,
              .wants = "is a duration, as 30s"),
    HF_OPTION_SET("word", count_word, .letter = 'w'),
    HF_OPTION(STOP, "help", struct values, help, .letter = 'h',
              .scopes = LINE_SCOPE, HF_HELP("this text")),
};

static struct hf_options options = HF_OPTIONS(rows);

static enum hf_status
set(struct values *values, const char *name, const char *text,
    struct hf_error *error)
{
    return hf_option_set(hf_options_find(&options, name), values,
                         &(struct hf_option_given){.as = name, .text = text},
                         error);
}

TEST(each_kind_takes_its_texts)
{
    struct values v = {0};

    assert_int_equal(set(&v, "force", "yes", NULL), HF_OK);
    assert_int_equal(set(&v, "if-suspected", "wait", NULL), HF_OK);
    assert_int_equal(set(&v, "colour", "blue", NULL), HF_OK);
    assert_int_equal(set(&v, "count", "9", NULL), HF_OK);
    assert_int_equal(set(&v, "ttl", "500ms", NULL), HF_OK);
    assert_int_equal(set(&v, "limit", "forever", NULL), HF_OK);
    assert_int_equal(set(&v, "beat", "2s", NULL), HF_OK);
    assert_int_equal(set(&v, "reason", "why", NULL), HF_OK);
    assert_true(v.force && v.waits && v.was_given);
    assert_int_equal(v.colour, BLUE);
    assert_int_equal(v.count, 9);
    assert_int_equal(v.ttl.ms, 500);
    assert_int_equal(v.limit.ms, HF_FOREVER.ms);
    assert_string_equal(v.beat, "2s");
    assert_string_equal(v.reason, "why");
}

TEST(a_wrong_text_is_one_sentence_and_changes_nothing)
{
    static const struct {
        const char *name;
        const char *text;
        const char *sentence;
    } wrong[] = {
        {"force", "1", "force is neither no nor yes"},
        {"if-suspected", "yes", "if-suspected is neither fail nor wait"},
        {"colour", "Red", "colour is none of red, green, blue"},
        {"count", "1", "count is from 2 to 9"},
        {"count", "10", "count is from 2 to 9"},
        {"count", "", "count is from 2 to 9"},
        {"count", " 3", "count is from 2 to 9"},
        {"count", "3x", "count is from 2 to 9"},
        {"count", "99999999999999999999", "count is from 2 to 9"},
        {"ttl", "499ms", "ttl is from 500ms to 1m"},
        {"ttl", "61s", "ttl is from 500ms to 1m"},
        {"ttl", "forever", NULL},
        {"beat", "0s", "beat must be more than zero"},
        {"beat", "2", NULL},
        {"reason", "a b", "it has a blank"},
        {"idle", "soon", "idle is a duration, as 30s"},
        {"word", "bad", "a bad word"},
    };
    const struct values before = {0};

    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        struct hf_error error = {0};
        struct values v = {0};

        assert_int_equal(set(&v, wrong[i].name, wrong[i].text, &error),
                         HF_E_INVALID);
        if (wrong[i].sentence != NULL)
            assert_string_equal(error.text, wrong[i].sentence);
        v.words = 0;
        assert_memory_equal(&v, &before, sizeof(v));
    }
}

TEST(a_text_is_borrowed_or_a_copy)
{
    const struct hf_option *owned;
    struct hf_option_given given = {"owned", "one", &hf_alloc_libc};
    struct values v = {0};

    options.scope = FILE_SCOPE;
    owned = hf_options_find(&options, "owned");
    assert_int_equal(hf_option_set(owned, &v, &given, NULL), HF_OK);
    assert_string_equal(v.owned, "one");
    assert_ptr_not_equal(v.owned, given.text);
    given.text = "two";
    assert_int_equal(hf_option_set(owned, &v, &given, NULL), HF_OK);
    assert_string_equal(v.owned, "two");
    hf_free(&hf_alloc_libc, v.owned);
    options.scope = 0;
}

static const char *
meant(const char *name)
{
    static char text[64];
    struct hf_text out;

    hf_text_init(&out, text, sizeof(text));
    hf_options_add_meant(&options, name, strlen(name), "--", &out);
    return text;
}

TEST(what_was_meant_is_the_nearest_or_what_others_call_it)
{
    assert_string_equal(meant("cuont"), ": did you mean --count?");
    assert_string_equal(meant("timeout"), ": did you mean --limit?");
    assert_string_equal(meant("max"), ": did you mean --limit?");
    assert_string_equal(meant("something"), "");
    assert_string_equal(meant(""), "");
}

TEST(a_use_of_a_table_has_the_rows_of_its_scope)
{
    options.scope = LINE_SCOPE;
    assert_non_null(hf_options_find(&options, "help"));
    assert_null(hf_options_find(&options, "owned"));
    assert_string_equal(meant("owmed"), "");
    options.scope = FILE_SCOPE;
    assert_null(hf_options_find(&options, "help"));
    assert_string_equal(meant("owmed"), ": did you mean --owned?");
    options.scope = 0;
}

/* ---- A command line ------------------------------------------------------ */

enum { WORDS_MAX = 8 };

struct line {
    char *argv[WORDS_MAX + 1];
    int argc;
    struct hf_arguments arguments;
    struct hf_error error;
    struct values values;
};

static enum hf_status
read_line(struct line *line, hf_option_set_fn *operand,
          const char *const *words)
{
    static char storage[WORDS_MAX][64];

    *line = (struct line){
        .arguments = {.options = &options,
                      .program = "program",
                      .operand = operand},
    };
    options.scope = LINE_SCOPE;
    for (; words[line->argc] != NULL; line->argc++) {
        strncpy(storage[line->argc], words[line->argc], sizeof(storage[0]) - 1);
        line->argv[line->argc] = storage[line->argc];
    }
    return hf_arguments_read(&line->arguments, line->argc, line->argv,
                             &line->values, &line->error);
}

#define READ(line, operand, ...)                                               \
    read_line((line), (operand),                                               \
              (const char *const[]){"program", __VA_ARGS__, NULL})

TEST(a_line_is_read_in_every_way_of_writing)
{
    struct line line;

    assert_int_equal(READ(&line, NULL, "--count", "3", "one", "-f", "--ttl=2s",
                          "-wx", "two"),
                     HF_OK);
    assert_int_equal(line.values.count, 3);
    assert_int_equal(line.values.ttl.ms, 2000);
    assert_true(line.values.force);
    assert_int_equal(line.values.words, 1);
    assert_int_equal(line.arguments.rest, line.argc - 2);
    assert_string_equal(line.argv[line.arguments.rest], "one");
    assert_string_equal(line.argv[line.arguments.rest + 1], "two");
}

TEST(words_may_be_taken_in_their_order)
{
    struct line line;

    assert_int_equal(
        READ(&line, count_word, "one", "-f", "two", "--", "-f", "three"),
        HF_OK);
    assert_int_equal(line.values.words, 2);
    assert_string_equal(line.argv[line.arguments.rest], "-f");
    assert_int_equal(READ(&line, count_word, "bad", "two"), HF_E_INVALID);
    assert_string_equal(line.error.text, "a bad word");
}

TEST(nothing_is_read_behind_help)
{
    struct line line;

    assert_int_equal(READ(&line, NULL, "-h", "--nonsense"), HF_OK);
    assert_true(line.values.help);
}

TEST(a_wrong_line_is_one_sentence)
{
    struct line line;

    assert_int_equal(READ(&line, NULL, "--cuont=3"), HF_E_INVALID);
    assert_string_equal(line.error.text,
                        "unknown option --cuont=3: did you mean --count? "
                        "(see program --help)");
    assert_string_equal(line.arguments.unknown, "--cuont=3");
    assert_false(line.arguments.unknown_letter);
    assert_int_equal(READ(&line, NULL, "-fz"), HF_E_INVALID);
    assert_string_equal(line.error.text,
                        "unknown option -z (see program --help)");
    assert_true(line.arguments.unknown_letter);
    assert_int_equal(READ(&line, NULL, "--owned", "x"), HF_E_INVALID);
    assert_int_equal(READ(&line, NULL, "--count"), HF_E_INVALID);
    assert_string_equal(line.error.text, "option --count needs a value");
    assert_null(line.arguments.unknown);
    assert_int_equal(READ(&line, NULL, "--force=yes"), HF_E_INVALID);
    assert_string_equal(line.error.text, "option --force=yes takes no value");
    assert_int_equal(READ(&line, NULL, "--if-suspected", "x"), HF_E_INVALID);
    assert_string_equal(line.error.text,
                        "--if-suspected is neither fail nor wait");
}

TEST(the_help_is_in_columns)
{
    char text[1024];
    struct hf_text out;

    options.scope = LINE_SCOPE;
    hf_text_init(&out, text, sizeof(text));
    hf_arguments_help(&options, &out);
    assert_string_equal(
        text, "  -f, --force  do it\n"
              "  --if-suspected WHAT\n"
              "               what then:\n"
              "                 fail  at once\n"
              "                 wait  on\n"
              "  --colour C   a colour\n"
              "  --count N    a number from 2 to 9, which takes more than one "
              "of the lines\n"
              "               that there are: so long is the text of it\n"
              "  -h, --help   this text\n");
}

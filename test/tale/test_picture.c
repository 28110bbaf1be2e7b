#include "tale/picture/picture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tale/specimen/specimens.h"
#include "tale/support/finding.h"

/* What is seen of a picture, by its parts. */

struct drawn {
    struct specimen_run run;
    struct finding finding;
    char *svg; /* owned */
    size_t len;
};

static void
draw(struct drawn *drawn, const char *name, unsigned workers,
     const char *setting)
{
    FILE *out = open_memstream(&drawn->svg, &drawn->len);

    assert_non_null(out);
    drawn->run = specimen_run_of(specimens_find(name), workers);
    find_named(name, workers, setting, &drawn->finding);
    picture_draw(out, &drawn->run, &drawn->finding.told, "p");
    assert_int_equal(fclose(out), 0);
}

static unsigned
count(const char *text, const char *part)
{
    unsigned found = 0;

    for (const char *at = strstr(text, part); at != NULL;
         at = strstr(at + 1, part))
        found++;
    return found;
}

/* The text of all groups of an event, from its first on. */
static const char *
group_of(const struct drawn *drawn, unsigned number)
{
    char head[40];
    const char *at;

    snprintf(head, sizeof(head), "<g data-event=\"%u\">", number);
    at = strstr(drawn->svg, head);
    assert_non_null(at);
    return at;
}

/* The arrow of a class that is drawn for an event: from, to. */
struct arrow {
    int from_x, from_y, to_x, to_y;
};

static struct arrow
arrow_of(const struct drawn *drawn, unsigned number, const char *class)
{
    struct arrow arrow = {0};
    char head[60];
    char group[40];
    const char *at = drawn->svg;

    snprintf(head, sizeof(head), "<path class=\"%s\" d=\"M", class);
    snprintf(group, sizeof(group), "<g data-event=\"%u\">", number);
    for (at = strstr(at, group); at != NULL; at = strstr(at + 1, group)) {
        const char *end = strstr(at, "</g>");
        const char *path = strstr(at, head);

        assert_non_null(end);
        if (path == NULL || path > end)
            continue;
        path += strlen(head);
        assert_int_equal(sscanf(path, "%d %d %d %d", &arrow.from_x,
                                &arrow.from_y, &arrow.to_x, &arrow.to_y),
                         4);
        return arrow;
    }
    fail_msg("event %u has no %s", number, class);
    return arrow;
}

static void
every_event_has_a_group_and_its_sentence_as_title(void **state)
{
    (void)state;
    for (unsigned i = 0; i < specimens_count; i++) {
        struct drawn drawn;

        print_message("%s\n", specimens[i]->name);
        draw(&drawn, specimens[i]->name, 2, NULL);
        for (unsigned n = 1; n <= drawn.finding.told.count; n++) {
            char title[160];

            snprintf(title, sizeof(title), "<title>%u. %.20s", n,
                     drawn.finding.told.events[n - 1].sentence);
            assert_non_null(strstr(group_of(&drawn, n), title));
        }
        free(drawn.svg);
    }
}

static void
the_overlap_is_shaded_and_only_the_overlap(void **state)
{
    struct drawn drawn;

    (void)state;
    draw(&drawn, "draft1", 2, NULL);
    assert_int_equal(count(drawn.svg, "class=\"picture-overlap\""), 1);
    assert_non_null(strstr(group_of(&drawn, 6), "picture-overlap"));
    assert_int_equal(count(drawn.svg, "class=\"picture-bar\""), 2);
    free(drawn.svg);

    draw(&drawn, "draft3", 2, NULL);
    assert_int_equal(count(drawn.svg, "class=\"picture-overlap\""), 0);
    assert_int_equal(count(drawn.svg, "class=\"picture-bar\""), 0);
    assert_int_equal(count(drawn.svg, "class=\"picture-hollow\""), 2);
    free(drawn.svg);
}

static void
a_write_is_slanted_exactly_when_it_takes_time(void **state)
{
    struct drawn drawn;
    struct arrow arrow;

    (void)state;
    draw(&drawn, "draft1", 2, NULL);
    arrow = arrow_of(&drawn, 3, "picture-change");
    assert_int_equal(arrow.from_y, arrow.to_y);
    free(drawn.svg);

    /* 2 is issued and arrives as 8. */
    draw(&drawn, "draft4", 2, NULL);
    arrow = arrow_of(&drawn, 8, "picture-change");
    assert_true(arrow.to_y > arrow.from_y + 100);
    free(drawn.svg);
}

static void
the_store_is_shown_whenever_it_changes(void **state)
{
    struct drawn drawn;

    (void)state;
    draw(&drawn, "draft3", 2, NULL);
    assert_int_equal(count(drawn.svg, ">empty</text>"), 1);
    assert_int_equal(count(drawn.svg, ">#2</text>"), 3); /* a worker, too */
    assert_int_equal(count(drawn.svg, ">#1</text>"), 2);
    free(drawn.svg);
}

static void
replicas_have_a_line_each(void **state)
{
    struct drawn drawn;

    (void)state;
    draw(&drawn, "draft1", 2, "on=riak");
    assert_int_equal(count(drawn.svg, "class=\"picture-store\""), 3);
    assert_int_equal(count(drawn.svg, ">Node</text>"), 3);
    assert_int_equal(count(drawn.svg, ">\xe2\x80\x93</text>"), 3);
    free(drawn.svg);
}

/* Worker #3's grant, event 7, is the server's own doing: only an answer is
 * drawn, as level as an answer is that comes at once.  What the server had when
 * worker #2's request was ended, event 4, is seen before the next one comes. */
static void
what_waits_at_a_server_is_answered_when_it_is_granted(void **state)
{
    struct drawn drawn;
    struct arrow answer;

    (void)state;
    draw(&drawn, "blocking-order", 3, NULL);
    answer = arrow_of(&drawn, 7, "picture-answer");
    assert_int_equal(answer.from_y, answer.to_y);
    assert_int_equal(count(drawn.svg, "picture-answer\" d="), 1);
    assert_int_equal(count(drawn.svg, ">granted</text>"), 1);
    assert_int_equal(count(drawn.svg, ">Server</text>"), 1);
    assert_int_equal(count(drawn.svg, ">Store</text>"), 0);
    assert_string_equal(drawn.finding.told.events[3].holds,
                        "#1 holds, #3 waits");
    free(drawn.svg);
}

/* An answer that is an error, of a write that happened and of one that did
 * not. */
static void
the_answer_of_a_failed_write_is_dashed(void **state)
{
    static struct told told;
    struct specimen_run run = specimen_run_of(specimens_find("draft1"), 2);
    static const unsigned codes[] = {1, 2};

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        uint16_t schedule[] = {0, (uint16_t)codes[i]};
        struct drawn drawn;
        bool valid;
        FILE *out = open_memstream(&drawn.svg, &drawn.len);

        assert_non_null(out);
        assert_null(specimen_tell(&run, schedule, 2, &told, &valid));
        assert_true(valid);
        assert_true(told.events[1].error);
        assert_int_equal(told.events[1].lost, i == 1);
        picture_draw(out, &run, &told, "p");
        fclose(out);
        arrow_of(&drawn, 2, "picture-error");
        assert_int_equal(count(drawn.svg, "class=\"picture-cross\""), i);
        free(drawn.svg);
    }
}

static void
a_crash_is_an_x(void **state)
{
    static struct told told;
    struct specimen_run run = specimen_run_of(specimens_find("draft1"), 2);
    uint16_t schedule[] = {0, 6};
    struct drawn drawn;
    bool valid;
    FILE *out = open_memstream(&drawn.svg, &drawn.len);

    (void)state;
    assert_non_null(out);
    specimen_tell(&run, schedule, 2, &told, &valid);
    assert_true(valid);
    assert_int_equal(told.events[1].kind, TOLD_CRASH);
    picture_draw(out, &run, &told, "p");
    fclose(out);
    assert_int_equal(count(drawn.svg, "class=\"picture-cross\""), 1);
    free(drawn.svg);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_event_has_a_group_and_its_sentence_as_title),
        cmocka_unit_test(the_overlap_is_shaded_and_only_the_overlap),
        cmocka_unit_test(a_write_is_slanted_exactly_when_it_takes_time),
        cmocka_unit_test(the_store_is_shown_whenever_it_changes),
        cmocka_unit_test(replicas_have_a_line_each),
        cmocka_unit_test(what_waits_at_a_server_is_answered_when_it_is_granted),
        cmocka_unit_test(the_answer_of_a_failed_write_is_dashed),
        cmocka_unit_test(a_crash_is_an_x),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * json KEY...: read one JSON value from stdin with a parser that is not ours,
 * walk down the keys, and print what is there: a string as it is, anything
 * else as JSON.  Exit 1 when it is no JSON, 2 when there is no such key.
 */
#include <stdio.h>

#include <jansson.h>

int
main(int argc, char **argv)
{
    json_error_t error;
    json_t *root = json_loadf(stdin, JSON_DECODE_ANY, &error);
    const json_t *at = root;
    int code = 0;

    if (root == NULL) {
        fprintf(stderr, "json: %s\n", error.text);
        return 1;
    }
    for (int i = 1; i < argc && at != NULL; i++)
        at = json_object_get(at, argv[i]);
    if (at == NULL)
        code = 2;
    else if (json_is_string(at))
        puts(json_string_value(at));
    else if (json_dumpf(at, stdout, JSON_ENCODE_ANY | JSON_COMPACT) == 0)
        putchar('\n');
    json_decref(root);
    return code;
}

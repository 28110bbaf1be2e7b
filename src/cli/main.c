#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/nearest.h"
#include "say.h"
#include "verb.h"

static const struct hf_verb *const verbs[] = {
    &hf_run_verb,   &hf_ls_verb,    &hf_show_verb,  &hf_why_verb,
    &hf_watch_verb, &hf_clear_verb, &hf_audit_verb, &hf_doctor_verb,
};
enum { VERBS = sizeof(verbs) / sizeof(verbs[0]) };

/* ---- Help ---------------------------------------------------------------- */

static const char usage[] =
    "usage: holdfast VERB ...\n"
    "\n"
    "Locks across processes, that tell the truth about themselves.\n"
    "\n";

static const char footer[] =
    "\n"
    "  holdfast help VERB     says more\n"
    "  holdfast --help        this text\n"
    "  holdfast --version     the version\n"
    "\n"
    "One of the containers or jobs of a machine, which share the folder\n"
    "/srv/locks, runs the migration, and the others wait for it:\n"
    "  holdfast run --at sqlite:/srv/locks/locks.db --if-dead refuse \\\n"
    "      migrate -- ./migrate.sh\n"
    "\n"
    "The place where locks are kept is --at, or else HOLDFAST_AT, or else a\n"
    "file: /var/lib/holdfast/locks.db for root, for others\n"
    "~/.local/state/holdfast/locks.db.  Who names the same file shares its\n"
    "locks; every machine and every container has a default of its own.  "
    "Several\n"
    "machines share those of a lock server (holdfastd): http://HOST:7420.\n";

static int
print_text(const char *text)
{
    struct hf_text out = HF_OUTPUT_BUFFER;

    hf_text_add(&out, text);
    return hf_say_output(&out) ? 0 : HF_EXIT_OURS;
}

static int
print_help(void)
{
    struct hf_text out = HF_OUTPUT_BUFFER;

    hf_text_add(&out, usage);
    for (size_t i = 0; i < VERBS; i++)
        hf_text_addf(&out, "  %-6s  %s\n", verbs[i]->name, verbs[i]->brief);
    hf_text_add(&out, footer);
    return hf_say_output(&out) ? 0 : HF_EXIT_OURS;
}

/* ---- A verb -------------------------------------------------------------- */

static const struct hf_verb *
find_verb(const char *name)
{
    for (size_t i = 0; i < VERBS; i++) {
        if (strcmp(name, verbs[i]->name) == 0)
            return verbs[i];
    }
    return NULL;
}

/* Behind a -- there is a command, and only one verb takes one.  NULL: no verb
 * is near. */
static const char *
guess_verb(int argc, char **argv)
{
    size_t len = strlen(argv[1]);
    struct hf_nearest nearest;

    hf_nearest_begin(&nearest, argv[1], len);
    for (size_t i = 0; i < VERBS; i++) {
        if (hf_option_is_also(verbs[i]->also, argv[1], len))
            return verbs[i]->name;
        hf_nearest_try(&nearest, verbs[i]->name);
    }
    for (int i = 2; nearest.word == NULL && i < argc; i++) {
        if (strcmp(argv[i], "--") == 0)
            return "run";
    }
    return nearest.word;
}

static int
say_unknown(int argc, char **argv)
{
    struct hf_text word = HF_OUTPUT_BUFFER;
    bool is_option = argv[1][0] == '-';
    const char *meant = is_option ? NULL : guess_verb(argc, argv);

    hf_output_quote(&word, argv[1]);
    return hf_say_usage("", "unknown %s %s%s%s%s (see holdfast --help)",
                        is_option ? "option" : "verb", word.at,
                        meant != NULL ? ": did you mean " : "",
                        meant != NULL ? meant : "", meant != NULL ? "?" : "");
}

/* ---- The process --------------------------------------------------------- */

/*
 * We may be started without stdin, stdout or stderr.  A file that we open must
 * not get their numbers.  Close-on-exec: the command gets what we were given.
 */
static void
fill_standard_streams(void)
{
    int fd;

    do {
        fd = open("/dev/null", O_RDWR | O_CLOEXEC);
    } while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd >= 0)
        close(fd);
}

int
main(int argc, char **argv)
{
    static char help[] = "--help";
    char *ask_help[] = {NULL, help, NULL};
    const struct hf_verb *verb;
    bool asks;

    fill_standard_streams();
    if (argc < 2)
        return hf_say_usage("", "what shall it do? (see holdfast --help)");
    asks = strcmp(argv[1], "help") == 0;
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
        (asks && argc == 2))
        return print_help();
    if (strcmp(argv[1], "--version") == 0)
        return print_text("holdfast " HF_CLI_VERSION "\n");
    if (asks) {
        argv++;
        argc--;
    }
    verb = find_verb(argv[1]);
    if (verb == NULL)
        return say_unknown(argc, argv);
    if (!asks)
        return hf_verb_execute(verb, argc - 1, argv + 1);
    ask_help[0] = argv[1];
    return hf_verb_execute(verb, 2, ask_help);
}

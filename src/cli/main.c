#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/nearest.h"
#include "options.h"
#include "say.h"
#include "verbs.h"

static const char help[] =
    "usage: holdfast VERB ...\n"
    "\n"
    "Locks across processes, that tell the truth about themselves.\n"
    "\n"
    "  run     hold a lock while a command runs\n"
    "  ls      list the locks\n"
    "  show    show the whole record of one lock\n"
    "  why     is its holder alive? the evidence, and what to do\n"
    "  watch   tell what becomes of one lock, change by change\n"
    "  clear   delete the record of a dead holder, by hand\n"
    "  audit   list the locks that were cleared: when, by whom, why\n"
    "  doctor  is the place sound, and this host? what to do if not\n"
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

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
} verbs[] = {
    {"run", hf_run_verb},     {"ls", hf_ls_verb},
    {"show", hf_show_verb},   {"why", hf_why_verb},
    {"watch", hf_watch_verb}, {"clear", hf_clear_verb},
    {"audit", hf_audit_verb}, {"doctor", hf_doctor_verb},
};

/* What others call it. */
static const struct {
    const char *name;
    const char *verb;
} others[] = {
    {"list", "ls"},  {"status", "show"}, {"info", "show"},    {"lock", "run"},
    {"exec", "run"}, {"acquire", "run"}, {"check", "doctor"}, {"log", "audit"},
};

typedef int verb_fn(int argc, char **argv);

static verb_fn *
find_verb(const char *name)
{
    for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++) {
        if (strcmp(name, verbs[i].name) == 0)
            return verbs[i].run;
    }
    return NULL;
}

/* Behind a -- there is a command, and only one verb takes one.  NULL: nobody
 * knows. */
static const char *
guess_verb(int argc, char **argv)
{
    struct hf_nearest nearest;

    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        if (strcmp(argv[1], others[i].name) == 0)
            return others[i].verb;
    }
    hf_nearest_begin(&nearest, argv[1], strlen(argv[1]));
    for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
        hf_nearest_try(&nearest, verbs[i].name);
    for (int i = 2; nearest.word == NULL && i < argc; i++) {
        if (strcmp(argv[i], "--") == 0)
            return "run";
    }
    return nearest.word;
}

static int
say_unknown(int argc, char **argv)
{
    struct hf_text word = HF_PHRASE;
    bool is_option = argv[1][0] == '-';
    const char *meant = is_option ? NULL : guess_verb(argc, argv);

    hf_phrase_quote(&word, argv[1]);
    return hf_say_usage("", "unknown %s %s%s%s%s (see holdfast --help)",
                        is_option ? "option" : "verb", word.at,
                        meant != NULL ? ": did you mean " : "",
                        meant != NULL ? meant : "", meant != NULL ? "?" : "");
}

/*
 * Whoever starts us without stdin, stdout or stderr must not find a database
 * in their place.  Close-on-exec: the command gets what we were given.
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
    static char ask_help[] = "--help";
    char *asking[] = {NULL, ask_help, NULL};
    bool asks;
    verb_fn *verb;

    fill_standard_streams();
    if (argc < 2)
        return hf_say_usage("", "what shall it do? (see holdfast --help)");
    asks = strcmp(argv[1], "help") == 0;
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
        (asks && argc == 2))
        return hf_options_help(help);
    if (strcmp(argv[1], "--version") == 0)
        return hf_options_help("holdfast " HF_CLI_VERSION "\n");
    if (asks) {
        argv++;
        argc--;
    }
    verb = find_verb(argv[1]);
    if (verb == NULL)
        return say_unknown(argc, argv);
    if (!asks)
        return verb(argc - 1, argv + 1);
    asking[0] = argv[1];
    return verb(2, asking);
}

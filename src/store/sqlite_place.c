#include "store/sqlite_place.h"

#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "store/url.h"

/* SQLite refuses file names above 512 bytes, and appends "-journal". */
#define SQLITE_FILE_MAX 500

static bool
begins_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* The home folder of this user, by the environment or else by its entry. */
static bool
add_home(struct hf_text *path)
{
    const char *home = secure_getenv("HOME");
    struct passwd *entry = NULL;
    struct passwd space;
    char strings[4096];

    if (home == NULL || home[0] != '/') {
        if (getpwuid_r(geteuid(), &space, strings, sizeof(strings), &entry) !=
                0 ||
            entry == NULL || entry->pw_dir[0] != '/')
            return false;
        home = entry->pw_dir;
    }
    if (strcmp(home, "/") != 0)
        hf_url_encode(path, home);
    return true;
}

static bool
add_folder(struct hf_text *path)
{
    char folder[HF_PLACE_MAX];

    if (getcwd(folder, sizeof(folder)) == NULL || folder[0] != '/')
        return false;
    if (strcmp(folder, "/") != 0)
        hf_url_encode(path, folder);
    return true;
}

/*
 * Two who write the same relative path in two folders, as a person and cron do,
 * would have two places without knowing.  So the one that would be meant here
 * is only told.  No shell has put a folder for the ~ of "sqlite:~/locks.db".
 */
static enum hf_status
refuse_relative(const char *rest, struct hf_error *error)
{
    char meant[3 * HF_PLACE_MAX + 32];
    char shown[sizeof(error->text)];
    bool of_home = begins_with(rest, "~/");
    struct hf_text text;
    bool known;

    hf_text_init(&text, meant, sizeof(meant));
    if (of_home)
        known = add_home(&text);
    else /* whose home "~ann" is, is not asked */
        known = rest[0] != '~' && add_folder(&text);
    if (of_home || begins_with(rest, "./"))
        rest += 2;
    hf_text_addf(&text, "/%s", rest);
    hf_text_show(shown, sizeof(shown), meant, hf_text_kept(&text));
    return hf_fail(error, HF_E_INVALID,
                   "the place is relative, another one in each folder: write "
                   "sqlite:%s",
                   known ? shown : "/path/locks.db");
}

static enum hf_status
parse_query(const char *query, bool *network, struct hf_error *error)
{
    if (query[0] == '\0')
        return HF_OK;
    if (strcmp(query, "?network=1") != 0)
        return hf_fail(error, HF_E_INVALID,
                       "the place has an option that does not exist: only "
                       "?network=1 does");
    *network = true;
    return HF_OK;
}

enum hf_status
hf_sqlite_place_parse(const char *rest, struct hf_place *place,
                      struct hf_error *error)
{
    const char *query = strchrnul(rest, '?');
    struct hf_text path;
    struct hf_text text;
    enum hf_status status;

    /* sqlite:///path is sqlite:/path with an empty host. */
    if (begins_with(rest, "///"))
        rest += 2;
    else if (begins_with(rest, "//"))
        return hf_fail(error, HF_E_INVALID,
                       "a sqlite place has no host: write sqlite:/path");

    hf_text_init(&path, place->path, sizeof(place->path));
    if (rest == query || query[-1] == '/')
        return hf_fail(error, HF_E_INVALID,
                       "the place names no file: write sqlite:/path/locks.db");
    if (rest[0] != '/')
        return refuse_relative(rest, error);
    status = hf_url_decode(rest, (size_t)(query - rest), &path, error);
    if (status != HF_OK)
        return status;
    if (path.len > SQLITE_FILE_MAX)
        return hf_fail(error, HF_E_INVALID,
                       "the path of the place is longer than %d bytes",
                       SQLITE_FILE_MAX);
    status = parse_query(query, &place->network, error);
    if (status != HF_OK)
        return status;

    hf_text_init(&text, place->text, sizeof(place->text));
    hf_text_add(&text, "sqlite:");
    hf_url_encode(&text, place->path);
    if (place->network)
        hf_text_add(&text, "?network=1");
    return HF_OK;
}

/* The folder under which a user's own programs keep their state. */
static bool
add_state_folder(struct hf_text *path)
{
    const char *state = secure_getenv("XDG_STATE_HOME");

    /* The XDG specification: a path that is not absolute is to be ignored. */
    if (state != NULL && state[0] == '/') {
        hf_url_encode(path, state);
        return true;
    }
    if (!add_home(path))
        return false;
    hf_text_add(path, "/.local/state");
    return true;
}

enum hf_status
hf_sqlite_place_default(char *buffer, size_t size)
{
    char place[3 * HF_PLACE_MAX];
    struct hf_text text;

    hf_text_init(&text, place, sizeof(place));
    hf_text_add(&text, "sqlite:");
    if (geteuid() == 0)
        hf_text_add(&text, "/var/lib");
    else if (!add_state_folder(&text))
        return HF_E_INVALID;
    hf_text_add(&text, "/holdfast/locks.db");

    if (hf_text_cut(&text) || text.len >= size)
        return HF_E_LIMIT;
    memcpy(buffer, place, text.len + 1);
    return HF_OK;
}

bool
hf_sqlite_place_is_default(const struct hf_place *place)
{
    char text[sizeof(place->text)];

    return hf_sqlite_place_default(text, sizeof(text)) == HF_OK &&
           strcmp(text, place->text) == 0;
}

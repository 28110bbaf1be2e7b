#include "store/place.h"

#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/text.h"

/* SQLite refuses file names above 512 bytes, and appends "-journal". */
#define SQLITE_FILE_MAX 500

static bool
begins_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

static bool
is_control(char c)
{
    return (unsigned char)c < 0x20 || c == 0x7f;
}

static int
hex_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

/* One byte from text that is `len` > 0 bytes long; -1 if it is malformed. */
static int
decode_byte(const char *text, size_t len, size_t *used)
{
    int high;
    int low;

    *used = 1;
    if (text[0] != '%')
        return (unsigned char)text[0];
    if (len < 3)
        return -1;
    high = hex_value(text[1]);
    low = hex_value(text[2]);
    if (high < 0 || low < 0)
        return -1;
    *used = 3;
    return high * 16 + low;
}

static enum hf_status
decode(const char *text, size_t len, struct hf_text *out,
       struct hf_error *error)
{
    while (len > 0) {
        size_t used;
        int value = decode_byte(text, len, &used);
        char byte = (char)value;

        if (value < 0)
            return hf_fail(error, HF_E_INVALID,
                           "the place holds a %% without two hex digits");
        if (is_control(byte))
            return hf_fail(error, HF_E_INVALID,
                           "the place holds a control character");
        hf_text_add_bytes(out, &byte, 1);
        text += used;
        len -= used;
    }
    return HF_OK;
}

static void
encode(struct hf_text *out, const char *path)
{
    for (; *path != '\0'; path++) {
        if (*path == '%' || *path == '?')
            hf_text_addf(out, "%%%02X", (unsigned)(unsigned char)*path);
        else
            hf_text_add_bytes(out, path, 1);
    }
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
        encode(path, home);
    return true;
}

static bool
add_folder(struct hf_text *path)
{
    char folder[HF_PLACE_MAX];

    if (getcwd(folder, sizeof(folder)) == NULL || folder[0] != '/')
        return false;
    if (strcmp(folder, "/") != 0)
        encode(path, folder);
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

static enum hf_status
parse_sqlite(const char *rest, struct hf_place *place, struct hf_error *error)
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
    status = decode(rest, (size_t)(query - rest), &path, error);
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
    encode(&text, place->path);
    if (place->network)
        hf_text_add(&text, "?network=1");
    return HF_OK;
}

static enum hf_status
parse_memory(const char *rest, struct hf_place *place, struct hf_error *error)
{
    struct hf_text name;
    struct hf_text text;
    enum hf_status status;

    if (strchr(rest, '?') != NULL)
        return hf_fail(error, HF_E_INVALID, "a memory place has no options");

    hf_text_init(&name, place->path, sizeof(place->path));
    status = decode(rest, strlen(rest), &name, error);
    if (status != HF_OK)
        return status;

    hf_text_init(&text, place->text, sizeof(place->text));
    hf_text_add(&text, "memory:");
    encode(&text, place->path);
    return HF_OK;
}

bool
hf_place_is(const char *text)
{
    return begins_with(text, "sqlite:") || begins_with(text, "memory:");
}

enum hf_status
hf_place_parse(const char *text, struct hf_place *place, struct hf_error *error)
{
    struct hf_place found = {.kind = HF_PLACE_MEMORY};
    enum hf_status status;

    if (strlen(text) > HF_PLACE_MAX)
        return hf_fail(error, HF_E_INVALID, "the place is longer than %d bytes",
                       HF_PLACE_MAX);

    if (begins_with(text, "memory:")) {
        status = parse_memory(text + strlen("memory:"), &found, error);
    } else if (begins_with(text, "sqlite:")) {
        found.kind = HF_PLACE_SQLITE;
        status = parse_sqlite(text + strlen("sqlite:"), &found, error);
    } else {
        char shown[128];

        hf_text_show(shown, sizeof(shown), text, strlen(text));
        return hf_fail(error, HF_E_INVALID,
                       "'%s' is not a place: write sqlite:/path/locks.db",
                       shown);
    }
    if (status == HF_OK)
        *place = found;
    return status;
}

/* The folder under which a user's own programs keep their state. */
static bool
add_state_folder(struct hf_text *path)
{
    const char *state = secure_getenv("XDG_STATE_HOME");

    /* The XDG specification: a path that is not absolute is to be ignored. */
    if (state != NULL && state[0] == '/') {
        encode(path, state);
        return true;
    }
    if (!add_home(path))
        return false;
    hf_text_add(path, "/.local/state");
    return true;
}

enum hf_status
hf_place_default(char *buffer, size_t size)
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
hf_place_is_default(const struct hf_place *place)
{
    char text[sizeof(place->text)];

    return hf_place_default(text, sizeof(text)) == HF_OK &&
           strcmp(text, place->text) == 0;
}

/* From linux/magic.h, and where that is silent from statfs(2) and the file
 * systems' own sources. */
static const struct {
    uint32_t type;
    const char *name;
} network_types[] = {
    {0x00006969, "NFS"},
    {0x0000517b, "SMB"},
    {0xff534d42, "CIFS"},
    {0xfe534d42, "SMB2"},
    {0x5346414f, "AFS"},
    {0x6b414653, "AFS"},
    {0x00c36400, "Ceph"},
    {0x01021997, "9P"},
    {0x65735546, "FUSE"},
    {0x0bd00bd0, "Lustre"},
    {0x47504653, "GPFS"},
    {0x7461636f, "OCFS2"},
    {0x01161970, "GFS2"},
    {0x73757245, "Coda"},
    {0x0000564c, "NCP"},
    {0x19830326, "BeeGFS"},
    {0x20030528, "OrangeFS"},
    {0x013111a8, "IBRIX"},
    {0xaad7aaea, "PanFS"},
    {0x786f4256, "VirtualBox shared folder"},
    {0xbacbacbc, "VMware shared folder"},
};

const char *
hf_place_network(uint32_t filesystem_type)
{
    size_t count = sizeof(network_types) / sizeof(network_types[0]);

    for (size_t i = 0; i < count; i++)
        if (network_types[i].type == filesystem_type)
            return network_types[i].name;
    return NULL;
}

/* From linux/magic.h, and from the file systems' own sources. */
static const struct {
    uint32_t type;
    const char *name;
    enum hf_place_keeps keeps;
} local_types[] = {
    {0x0000ef53, "ext4", HF_PLACE_KEEPS}, /* or ext2, ext3 */
    {0x58465342, "xfs", HF_PLACE_KEEPS},
    {0x9123683e, "btrfs", HF_PLACE_KEEPS},
    {0x2fc12fc1, "zfs", HF_PLACE_KEEPS},
    {0xf2f52010, "f2fs", HF_PLACE_KEEPS},
    {0xca451a4e, "bcachefs", HF_PLACE_KEEPS},
    {0x00003434, "nilfs2", HF_PLACE_KEEPS},
    {0x3153464a, "jfs", HF_PLACE_KEEPS},
    {0x52654973, "reiserfs", HF_PLACE_KEEPS},
    {0x7366746e, "ntfs3", HF_PLACE_KEEPS},
    {0x5346544e, "ntfs", HF_PLACE_KEEPS},
    {0x00004d44, "vfat", HF_PLACE_KEEPS},
    {0x2011bab0, "exfat", HF_PLACE_KEEPS},
    {0x794c7630, "overlay", HF_PLACE_IN_CONTAINER},
    {0x01021994, "tmpfs", HF_PLACE_UNTIL_RESTART},
    {0x858458f6, "ramfs", HF_PLACE_UNTIL_RESTART},
};

const char *
hf_place_filesystem(uint32_t filesystem_type, enum hf_place_keeps *keeps)
{
    size_t count = sizeof(local_types) / sizeof(local_types[0]);

    for (size_t i = 0; i < count; i++) {
        if (local_types[i].type != filesystem_type)
            continue;
        *keeps = local_types[i].keeps;
        return local_types[i].name;
    }
    return NULL;
}

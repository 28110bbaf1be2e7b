#include "sharing.h"

#include <pwd.h>
#include <string.h>
#include <unistd.h>

#include "output.h"
#include "say.h"

static void
add_user(struct hf_text *out)
{
    const struct passwd *entry = getpwuid(geteuid());

    if (entry != NULL)
        hf_output_quote(out, entry->pw_name);
    else
        hf_text_addf(out, "user %ju", (uintmax_t)geteuid());
}

void
hf_sharing_made_now(const struct hf_cli_target *target,
                    const struct hf_client *client)
{
    struct hf_text place = HF_OUTPUT_BUFFER;
    struct hf_text user = HF_OUTPUT_BUFFER;

    if (!hf_cli_target_is_default(target) || !hf_client_made_place(client))
        return;
    hf_output_quote(&place, hf_client_place(client));
    add_user(&user);
    hf_say_now("no place was named, so %s was made: its locks are those of %s "
               "alone; other users, containers and machines have others; to "
               "share locks, name one place to all, by --at or HOLDFAST_AT, in "
               "a folder that their group may write",
               place.at, user.at);
}

const char *
hf_sharing_remedy(const struct hf_cli_target *target,
                  const struct hf_error *error)
{
    if (error->status != HF_E_DENIED)
        return "";
    if (strstr(error->text, "42501") != NULL) /* it could log in */
        return "to share locks with other roles, let a superuser or the "
               "database's owner make the schema, by holdfast doctor, and "
               "grant them: GRANT USAGE ON SCHEMA S TO ROLE; GRANT EXECUTE ON "
               "ALL FUNCTIONS IN SCHEMA S TO ROLE; GRANT SELECT, INSERT, "
               "UPDATE, DELETE ON S.records, S.meta TO ROLE; GRANT SELECT ON "
               "S.journal_head TO ROLE; to a lock server's role the four on "
               "ALL TABLES IN SCHEMA S; S is holdfast, or what ?schema= names";
    if (!hf_cli_target_is_file(target))
        return "";
    return "to share locks with other users, name a place in a folder that "
           "their group may write, by --at or HOLDFAST_AT, as "
           "sqlite:/srv/locks/locks.db; to make such a folder: install -d "
           "-m 2770 -g GROUP /srv/locks";
}

int
hf_sharing_failure(const struct hf_cli_target *target,
                   const struct hf_error *error, enum hf_status status)
{
    const char *remedy = hf_sharing_remedy(target, error);
    int code = hf_say_failure(error, status);

    if (remedy[0] != '\0')
        hf_say("%s", remedy);
    return code;
}

#ifndef HF_SERVER_OPTIONS_H
#define HF_SERVER_OPTIONS_H

#include "base/options.h"
#include "server/settings.h"

/*
 * Options: the command line of holdfastd, and the file that it names.
 *
 * A setting on the command line wins over the file's.
 */

enum { HF_SERVER_FILES_MAX = 8 };

struct hf_server_options {
    struct hf_server_settings settings; /* first: a row of a setting is of it */
    int64_t ready_fd;                   /* -1: none */
    const char *files[HF_SERVER_FILES_MAX]; /* of --config; borrowed */
    size_t files_count;
    bool check;  /* only look whether it could run */
    bool retire; /* free the place of a server that is gone */
    bool forgot; /* what was granted last is not in the place */
    bool help;
    bool version;
};

/* Read them.  HF_E_INVALID, with a sentence in *error, of a file with its line;
 * HF_E_UNAVAILABLE: the file cannot be read. */
HF_MUST_USE enum hf_status
hf_server_options_read(int argc, char **argv, struct hf_server_options *options,
                       struct hf_error *error);

/* Add the text of --help. */
void hf_server_options_help(struct hf_text *out);

#endif
